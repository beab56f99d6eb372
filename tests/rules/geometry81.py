"""Lines of the board from (file, rank) arithmetic, apart from both engines, and boards from lists of names."""

from __future__ import annotations

from typing import Any

from wts_fast.squares import SQUARE_NAMES
from wts_fast.state import Capture, State

STEPS = {
    "N": (0, 1),
    "NE": (1, 1),
    "E": (1, 0),
    "SE": (1, -1),
    "S": (0, -1),
    "SW": (-1, -1),
    "W": (-1, 0),
    "NW": (-1, 1),
}
NAMES = tuple(STEPS)
EVERY = range(81)


def walk(square: int, direction: str, length: int) -> list[int]:
    """The squares from `square` on in a direction, `square` first: `length` of them, or fewer at the edge."""
    files, ranks = STEPS[direction]
    line = [(square % 9 + files * k, square // 9 + ranks * k) for k in range(length)]
    return [rank * 9 + file for file, rank in line if 0 <= file <= 8 and 0 <= rank <= 8]


#: (direction, arrival, two victims, far end)
BRACKETS = [(d, *walk(s, d, 4)) for d in STEPS for s in EVERY if len(walk(s, d, 4)) == 4]
#: (direction, squares from the arrival on) where the board ends before a far end
BLIND = [(d, walk(s, d, 4)) for d in STEPS for s in EVERY if len(walk(s, d, 4)) < 4]
#: five squares in a line, ascending
WINDOWS = [tuple(sorted(walk(s, d, 5))) for d in ("N", "NE", "E", "SE") for s in EVERY if len(walk(s, d, 5)) == 5]
#: runs of five to nine squares in a line, ascending
RUNS = [
    tuple(sorted(walk(s, d, n)))
    for d in ("N", "NE", "E", "SE")
    for s in EVERY
    for n in range(5, 10)
    if len(walk(s, d, n)) == n
]


def opposite(direction: str) -> str:
    return NAMES[(NAMES.index(direction) + 4) % 8]


def numbers(names: str) -> tuple[int, ...]:
    return tuple(SQUARE_NAMES.index(name) for name in names.split())


def board(rules: Any, black: Any = (), white: Any = (), eggs: Any = ()) -> Any:
    """A position from squares (numbers, or names in one string); eggs oldest first."""
    lists = [numbers(squares) if isinstance(squares, str) else tuple(squares) for squares in (black, white, eggs)]
    return rules.Position.from_state(State(tuple(sorted(lists[0])), tuple(sorted(lists[1])), lists[2]))


def coloured(rules: Any, colour: str, own: Any, enemy: Any, eggs: Any = ()) -> Any:
    """A position from the point of view of a colour."""
    return board(rules, own, enemy, eggs) if colour == "black" else board(rules, enemy, own, eggs)


def turn_of(colour: str, own: int, other: int) -> tuple[int, int]:
    return (own, other) if colour == "black" else (other, own)


def captures(turn: Any) -> list[Capture]:
    return [event for event in turn.events if isinstance(event, Capture)]


def quiet_square(position: Any, taken: list[int], near: int) -> int:
    """An empty square as far as can be from `near` and on no line with it, where the other player disturbs nothing."""

    def distance(square: int) -> int:
        return max(abs(square % 9 - near % 9), abs(square // 9 - near // 9))

    lines = {s for direction in STEPS for s in walk(near, direction, 9)}
    return max((s for s in position.legal if s not in lines and s not in taken), key=distance)
