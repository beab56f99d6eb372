"""Wins that a player could have had, and rows of the other's that he could have stopped, and did neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..squares import COLOURS, Colour, Square, square_name
from ..state import Outcome
from ..threats import Threats

__all__ = ["LEAST", "Bounds", "Missed", "Seen", "missed"]

Floats = npt.NDArray[np.float64]
Bounds = tuple[float, float]  # what is proved about Black's value

#: A smaller loss is none: values are estimates.
LEAST = 0.02

_EXACT = 2e-6  # bounds are kept in single precision
_NEAR = 0.75  # a value so high is a win by estimate
_SLIP = 0.2  # so much of it given away lets it slip
_OPEN = 0.05  # so much of the mixture makes a square that wins at once one to be seen
_DUTY = 0.25  # so much of the mixture on blocks makes blocking a duty


@dataclass(frozen=True, slots=True)
class Missed:
    """A win that was not taken, or a row that was not stopped.

    Attributes
    ----------
    colour : {"black", "white"}
        Who missed it.
    kind : {"win", "block"}
        What: an own win, or a block of the other's row.
    squares : tuple of int
        Where it was, the likeliest of the mixture first.
    proved : bool
        Whether it is certain, by playing it or by proved bounds, and not an estimate. A win: `squares` would have won
        at once against what the other named, or whatever he did. A block: the other has won in this turn, or it is
        proved that he does, which it was not before.
    at_once : bool
        Whether that win, or the other's, is one in this turn.
    """

    colour: Colour
    kind: Literal["win", "block"]
    squares: tuple[Square, ...]
    proved: bool
    at_once: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "colour": self.colour,
            "kind": self.kind,
            "squares": [square_name(s) for s in self.squares],
            "proved": self.proved,
            "at_once": self.at_once,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What is known of one turn.

    Attributes
    ----------
    played : (int, int)
        Black's and White's square.
    outcome : Outcome or None
        How the game stands after it.
    legal : sequence of int
        The empty squares before it, ascending.
    payoff : ndarray
        Black's value of each joint turn, by the places of its squares in `legal`.
    mixes, losses : pair of ndarray
        Black's and White's mixture, and what each of their squares loses, by the same places.
    before, after : (float, float)
        What is proved about Black's value before the turn and after it.
    """

    played: tuple[Square, Square]
    outcome: Outcome | None
    legal: Sequence[Square]
    payoff: Floats
    mixes: tuple[Floats, Floats]
    losses: tuple[Floats, Floats]
    before: Bounds
    after: Bounds


def missed(seen: Seen, threats: Threats) -> tuple[Missed, ...]:
    """Return what either player missed in a turn, Black's first.

    Nothing is missed without a loss: a square that gives away nothing against the other's mixture was no mistake,
    whatever would have beaten what the other happened to name.
    """
    found: list[Missed] = []
    for side, colour in enumerate(COLOURS):
        wins, loses = (Outcome.BLACK, Outcome.WHITE) if side == 0 else (Outcome.WHITE, Outcome.BLACK)
        loss = seen.losses[side][seen.legal.index(seen.played[side])]
        if loss < LEAST or seen.outcome is wins:
            continue
        won = _won(seen, threats, side, colour)
        if won is not None:
            found.append(won)
        squares = _blocks(seen, threats, side)
        if squares and (won is None or won.at_once):
            lost = _sure(seen.after, 1 - side) and not _sure(seen.before, 1 - side)
            found.append(Missed(colour, "block", squares, lost, seen.outcome is loses))
    return tuple(found)


def _sure(bounds: Bounds, side: int) -> bool:
    """Whether it is proved that a player wins."""
    return (bounds[0] if side == 0 else -bounds[1]) >= 1 - _EXACT


def _won(seen: Seen, threats: Threats, side: int, colour: Colour) -> Missed | None:
    """Return the win that a player missed, if he did."""
    squares = _open(seen, threats, side, colour)
    if squares:
        return Missed(colour, "win", squares, True, True)
    sign = 1 if side == 0 else -1
    if _sure(seen.before, side) and not _sure(seen.after, side):
        return Missed(colour, "win", _main(seen, side), True, False)
    value = sign * float(seen.mixes[0] @ seen.payoff @ seen.mixes[1])
    if value >= _NEAR and seen.losses[side][seen.legal.index(seen.played[side])] >= _SLIP:
        return Missed(colour, "win", _main(seen, side), False, False)
    return None


def _main(seen: Seen, side: int) -> tuple[Square, ...]:
    """Return the squares that a player's mixture holds."""
    return _by_share(seen, side, [seen.legal[i] for i in np.flatnonzero(seen.mixes[side] >= _OPEN).tolist()])


def _open(seen: Seen, threats: Threats, side: int, colour: Colour) -> tuple[Square, ...]:
    """Return the squares, good ones, that would have won at once against what the other named."""
    theirs = seen.played[1 - side]
    rows = [row.square for row in threats.side(colour).completions if theirs not in row.stopped_by]
    return _by_share(seen, side, [s for s in rows if seen.mixes[side][seen.legal.index(s)] >= _OPEN])


def _blocks(seen: Seen, threats: Threats, side: int) -> tuple[Square, ...]:
    """Return the squares that stop more rows of the other's than the one played, where that was a duty."""
    rows = threats.side(COLOURS[1 - side]).completions
    stops = np.array([sum(s in row.stopped_by for row in rows) for s in seen.legal])
    more = np.flatnonzero(stops > stops[seen.legal.index(seen.played[side])])
    if seen.mixes[side][more].sum() < _DUTY:
        return ()
    return _by_share(seen, side, [seen.legal[i] for i in more.tolist() if seen.mixes[side][i] >= _OPEN])


def _by_share(seen: Seen, side: int, squares: list[Square]) -> tuple[Square, ...]:
    return tuple(sorted(squares, key=lambda s: (-seen.mixes[side][seen.legal.index(s)], s)))
