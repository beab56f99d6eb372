"""What both implementations of the rules exchange: plain states, outcomes and the events of a turn."""

from __future__ import annotations

import enum
from dataclasses import asdict, dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from .squares import Colour, Square, square_name

__all__ = [
    "Capture",
    "Dissolve",
    "EggLaid",
    "Event",
    "Hatch",
    "Outcome",
    "Placement",
    "Row",
    "State",
    "Turn",
    "Verdict",
]


class Outcome(enum.Enum):
    """How a game ended; the value is Black's (1, -1 or 0)."""

    BLACK = 1
    WHITE = -1
    DRAW = 0

    @property
    def result(self) -> str:
        """The result as records write it: ``1-0``, ``0-1`` or ``1/2-1/2``."""
        return {1: "1-0", -1: "0-1", 0: "1/2-1/2"}[self.value]


class State(NamedTuple):
    """A board as plain numbers: the exchange format between engines, texts and pictures."""

    black: tuple[Square, ...] = ()  # Black's turtles, ascending
    white: tuple[Square, ...] = ()  # White's turtles, ascending
    eggs: tuple[Square, ...] = ()  # eggs, oldest first


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a turn; `as_dict` is what the JSON outputs hold."""

    def as_dict(self) -> dict[str, Any]:
        """Return the event as a dict of JSON values, squares by name, with its kind under ``"event"``."""
        data: dict[str, Any] = {"event": _EVENT_NAMES[type(self)]}
        for name, value in asdict(self).items():
            if name in ("square", "arrival", "end"):
                value = square_name(value)
            elif name in ("victims", "squares"):
                value = [square_name(s) for s in value]
            elif isinstance(value, Outcome):
                value = value.name.lower()
            data[name] = value
        return data


@dataclass(frozen=True, slots=True)
class Placement(Event):
    """A turtle landed (R5)."""

    colour: Colour
    square: Square


@dataclass(frozen=True, slots=True)
class EggLaid(Event):
    """Both players chose the square: an egg lies there as the youngest (R6)."""

    square: Square


@dataclass(frozen=True, slots=True)
class Capture(Event):
    """A bracket closed (R7): `arrival` and `end` are the captor's turtles, `victims` the two between."""

    colour: Colour
    arrival: Square
    direction: str  # a name of squares.DIRECTIONS
    victims: tuple[Square, Square]  # nearest to the arrival first
    end: Square


@dataclass(frozen=True, slots=True)
class Hatch(Event):
    """The oldest egg became a turtle of `colour` (R15)."""

    colour: Colour
    square: Square


@dataclass(frozen=True, slots=True)
class Dissolve(Event):
    """Both players had claims: the oldest egg vanished (R15)."""

    square: Square


@dataclass(frozen=True, slots=True)
class Row(Event):
    """A row of five or more on the settled board (R18), its squares ascending, as long as it goes."""

    colour: Colour
    squares: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class Verdict(Event):
    """The last event of every turn: the outcome, or None while play goes on (R20 to R23).

    Equal counts that are not zero, with `outcome` None, are sudden death.
    """

    outcome: Outcome | None
    black: int  # Black's winning turtles
    white: int  # White's winning turtles


_EVENT_NAMES: dict[type[Event], str] = {
    Placement: "placement",
    EggLaid: "egg",
    Capture: "capture",
    Hatch: "hatch",
    Dissolve: "dissolve",
    Row: "row",
    Verdict: "verdict",
}

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Turn(Generic[P]):
    """What `explain` returns: the position after the turn, and what happened in it, in order.

    The order of events: Black's and White's `Placement`, or one `EggLaid`; captures of Black's
    turtle, then of White's, each by `squares.DIRECTIONS`; each egg's `Dissolve`, or its `Hatch` followed by the
    captures it made; rows, Black's first, each colour's in ascending order of their squares; the `Verdict`.
    """

    position: P
    events: tuple[Event, ...]
