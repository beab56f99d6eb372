"""What a drawing may point out on a board, and the checks that texts and pictures share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..errors import WtsError
from ..notation import validate_state
from ..squares import NUM_SQUARES, Colour, Square, parse_square
from ..state import Capture, State

__all__ = ["HasState", "Marks", "checked_heat", "percent", "pieces_of", "state_of"]


class HasState(Protocol):
    """Anything that shows its board as a `State`: the positions of both engines."""

    @property
    def state(self) -> State:
        """The board."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What to point out on one board; every part is optional.

    Parameters
    ----------
    last : (int, int), optional
        The squares of a turn, Black's and White's.
    captured : iterable of int
        Squares whose pieces are being captured, or have just left.
    brackets : iterable of Capture
        The captures whose brackets are drawn.
    winning : iterable of int
        The winning turtles.
    changed : int, optional
        The square of an egg that hatched or dissolved.
    """

    last: tuple[Square, Square] | None = None
    captured: frozenset[Square] = frozenset()
    brackets: tuple[Capture, ...] = ()
    winning: frozenset[Square] = frozenset()
    changed: Square | None = None

    @classmethod
    def of(
        cls,
        last: Sequence[Square | str] | None = None,
        captured: Iterable[Square | str] = (),
        winning: Iterable[Square | str] = (),
        brackets: Iterable[Capture] = (),
    ) -> Marks:
        """Return marks from squares given by number or by name.

        Raises
        ------
        InvalidSquare
            If something names no square.
        WtsError
            If `last` is not two squares.
        """
        turn = None
        if last is not None:
            squares = [parse_square(s, "last") for s in last]
            if len(squares) != 2:
                raise WtsError("a turn is two squares, Black's and White's", code="turn", field="last")
            turn = squares[0], squares[1]
        return cls(
            turn,
            frozenset(parse_square(s, "captured") for s in captured),
            tuple(brackets),
            frozenset(parse_square(s, "winning") for s in winning),
        )


def state_of(position: State | HasState) -> State:
    """Return the board of a position, checked where it came as a bare `State`.

    Raises
    ------
    InvalidPosition
        If a bare state holds a square twice or something that is no square.
    """
    return validate_state(position) if isinstance(position, State) else position.state


def pieces_of(state: State) -> dict[Square, tuple[Colour | None, int]]:
    """Return what stands on each occupied square: its colour and 0, or None and the egg's number from 1."""
    pieces: dict[Square, tuple[Colour | None, int]] = dict.fromkeys(state.black, ("black", 0))
    pieces.update(dict.fromkeys(state.white, ("white", 0)))
    pieces.update({s: (None, age) for age, s in enumerate(state.eggs, 1)})
    return pieces


def checked_heat(values: Iterable[float], field: str) -> tuple[float, ...]:
    """Return 81 probabilities, one a square, as floats.

    Raises
    ------
    WtsError
        If there are not 81, or one of them is not from 0 to 1.
    """
    heat = tuple(float(v) for v in values)
    if len(heat) != NUM_SQUARES:
        raise WtsError(f"expected {NUM_SQUARES} numbers, one a square, not {len(heat)}", code="heat", field=field)
    for value in heat:
        # Sums of floats may pass 1 by a rounding error.
        if not (math.isfinite(value) and 0 <= value <= 1 + 1e-9):
            raise WtsError(f"expected numbers from 0 to 1, not {value}", code="heat", field=field)
    return heat


def percent(value: float) -> str:
    """Return a probability in at most three characters: nothing for what is less than half a percent.

    Examples
    --------
    >>> percent(0.0), percent(0.004), percent(0.125), percent(1.0)
    ('', '', '12', '100')
    """
    # Small parts of many squares would hide the few that matter.
    return "" if value < 0.005 else f"{100 * value:.0f}"
