"""What the fuzzer itself knows about the board, written apart from both engines on purpose.

A third, small reading of the geometry: rays, windows, symmetries. It decides nothing about who is
right; it only steers the generators, counts which clauses were met and maps positions for the
symmetry checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from ..squares import DIRECTIONS, NUM_SQUARES
from ..state import State

__all__ = [
    "BETWEEN",
    "BLACK_TURTLE",
    "EGG",
    "EMPTY",
    "RAYS",
    "SYMMETRY_MAPS",
    "WHITE_TURTLE",
    "captures_from",
    "map_direction",
    "pieces",
    "splitmix64",
    "to_state",
    "winning_squares",
]

EMPTY: Final = 0
BLACK_TURTLE: Final = 1
WHITE_TURTLE: Final = 2
EGG: Final = 3

_MASK64: Final = 2**64 - 1


def splitmix64(x: int) -> int:
    """Return the splitmix64 output for the state `x` (its increment included)."""
    z = (x + 0x9E3779B97F4A7C15) & _MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK64
    return z ^ (z >> 31)


def _ray(square: int, files: int, ranks: int) -> tuple[int, ...]:
    f, r = square % 9 + files, square // 9 + ranks
    ray = []
    while 0 <= f < 9 and 0 <= r < 9:
        ray.append(r * 9 + f)
        f, r = f + files, r + ranks
    return tuple(ray)


#: For each square and each direction (in the order of `squares.DIRECTIONS`) the squares up to the wall.
RAYS: Final = tuple(tuple(_ray(s, f, r) for _, f, r in DIRECTIONS) for s in range(NUM_SQUARES))


def _between(square: int) -> tuple[tuple[int, int, int], ...]:
    found = []
    for d in range(8):
        ahead, behind = RAYS[square][d], RAYS[square][(d + 4) % 8]
        if len(ahead) >= 2 and behind:
            found.append((behind[0], ahead[0], ahead[1]))
    return tuple(found)


#: For each square the triples (behind, next, after next) that would bracket it together with `next`.
BETWEEN: Final = tuple(_between(s) for s in range(NUM_SQUARES))


def _symmetry_maps() -> dict[str, tuple[int, ...]]:
    formulas: dict[str, Callable[[int, int], tuple[int, int]]] = {
        "identity": lambda f, r: (f, r),
        "rotate90": lambda f, r: (r, 8 - f),
        "rotate180": lambda f, r: (8 - f, 8 - r),
        "rotate270": lambda f, r: (8 - r, f),
        "mirror_files": lambda f, r: (8 - f, r),
        "mirror_ranks": lambda f, r: (f, 8 - r),
        "transpose": lambda f, r: (r, f),
        "antitranspose": lambda f, r: (8 - r, 8 - f),
    }
    maps = {}
    for name, formula in formulas.items():
        images = (formula(s % 9, s // 9) for s in range(NUM_SQUARES))
        maps[name] = tuple(r * 9 + f for f, r in images)
    return maps


#: Where each symmetry (by its name in `squares.SYMMETRIES`) sends each square.
SYMMETRY_MAPS: Final = _symmetry_maps()

_CENTRE: Final = 40
_DIRECTION_OF_NEIGHBOUR: Final = {RAYS[_CENTRE][d][0]: DIRECTIONS[d][0] for d in range(8)}
_NEIGHBOUR_OF_DIRECTION: Final = {name: s for s, name in _DIRECTION_OF_NEIGHBOUR.items()}


def map_direction(symmetry: str, direction: str) -> str:
    """Return the direction into which a symmetry turns a direction."""
    # The centre stays where it is under all eight, so its neighbour tells the direction.
    return _DIRECTION_OF_NEIGHBOUR[SYMMETRY_MAPS[symmetry][_NEIGHBOUR_OF_DIRECTION[direction]]]


def pieces(state: State) -> list[int]:
    """Return the board as 81 numbers: `EMPTY`, `BLACK_TURTLE`, `WHITE_TURTLE` or `EGG`."""
    board = [EMPTY] * NUM_SQUARES
    for s in state.black:
        board[s] = BLACK_TURTLE
    for s in state.white:
        board[s] = WHITE_TURTLE
    for s in state.eggs:
        board[s] = EGG
    return board


def to_state(board: list[int], eggs: Iterable[int]) -> State:
    """Return the state of 81 pieces; `eggs` gives an order, of which the squares that hold eggs count."""
    return State(
        tuple(s for s in range(NUM_SQUARES) if board[s] == BLACK_TURTLE),
        tuple(s for s in range(NUM_SQUARES) if board[s] == WHITE_TURTLE),
        tuple(s for s in eggs if board[s] == EGG),
    )


def captures_from(board: list[int], square: int, own: int) -> bool:
    """Tell whether a turtle of colour `own` arriving on `square` closes a bracket."""
    for ray in RAYS[square]:
        if (
            len(ray) > 2
            and board[ray[2]] == own
            and board[ray[0]] not in (EMPTY, own)
            and board[ray[1]] not in (EMPTY, own)
        ):
            return True
    return False


# Ten bits a rank: the tenth stays empty, so that no shift joins one rank with the next.
_PADDED: Final = tuple(1 << (s // 9 * 10 + s % 9) for s in range(NUM_SQUARES))
_SQUARE_OF_PADDED: Final = {s // 9 * 10 + s % 9: s for s in range(NUM_SQUARES)}


def winning_squares(turtles: Iterable[int]) -> frozenset[int]:
    """Return the squares that belong to lines of five or more of the given squares."""
    mask = 0
    for s in turtles:
        mask |= _PADDED[s]
    union = 0
    for step in (1, 10, 11, 9):
        pairs = mask & (mask >> step)
        fives = pairs & (pairs >> 2 * step) & (mask >> 4 * step)
        if fives:
            spread = fives | (fives << step)
            union |= spread | (spread << 2 * step) | (fives << 4 * step)
    if not union:
        return frozenset()
    return frozenset(s for bit, s in _SQUARE_OF_PADDED.items() if union >> bit & 1)
