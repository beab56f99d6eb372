"""Squares that the engine has chosen and nobody has seen yet: so many at most, for so long at most."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import WtsError

if TYPE_CHECKING:
    from .._kernel import Position
    from ..commitment import Commitment

__all__ = ["Hidden", "Store"]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A choice that is not yet shown: where, for whom, and what."""

    position: Position
    colour: int
    commitment: Commitment


class Store:
    """Hidden choices by an identifier that cannot be guessed.

    Parameters
    ----------
    most : int
        How many are kept; the one that lies longest makes room.
    seconds : float
        How long one is kept.
    """

    def __init__(self, most: int = 1000, seconds: float = 6 * 3600.0) -> None:
        self._most = most
        self._seconds = seconds
        self._kept: OrderedDict[str, tuple[float, Hidden]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, hidden: Hidden) -> str:
        """Keep a choice and return its identifier."""
        self._expire()
        while len(self._kept) >= self._most:
            self._kept.popitem(last=False)
        name = secrets.token_urlsafe(16)
        self._kept[name] = time.monotonic() + self._seconds, hidden
        return name

    def look(self, name: str) -> Hidden:
        """Return a choice, which stays.

        Raises
        ------
        WtsError
            If there is none of this name, or no longer (code ``game``).
        """
        self._expire()
        if name not in self._kept:
            raise WtsError("no choice is hidden under this name, or no longer", code="game", field="game")
        return self._kept[name][1]

    def drop(self, name: str) -> None:
        """Forget a choice."""
        self._kept.pop(name, None)

    def _expire(self) -> None:
        now = time.monotonic()
        while self._kept:
            first = next(iter(self._kept))
            if self._kept[first][0] > now:
                return
            del self._kept[first]
