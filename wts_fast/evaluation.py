"""The evaluation's weights, and values by it for Python: `evaluate` a position, `payoffs` of its joint turns.

What the score is made of stands in ``eval.h``; here its tables are made from smaller parts. A line's part is a sum
over windows of the line (some squares in a row), so a board seen for the first time is still made of things seen
before; the tables hold the sums, because one look-up a line is what a search can afford.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _kernel
from ._kernel import Position
from .errors import WtsError

__all__ = [
    "FILE",
    "LARGEST",
    "LINE_LENGTHS",
    "NAMES",
    "SLOTS",
    "STEP",
    "Name",
    "assemble",
    "evaluate",
    "fitted_block",
    "hand_parts",
    "line_table",
    "payoffs",
    "read_fitted",
    "weights",
]

Name = Literal["fitted", "hand"]
NAMES: tuple[Name, ...] = ("fitted", "hand")

#: The fitted weights; `training` says what is in it.
FILE = Path(__file__).parent / "data" / "weights.npz"

#: Squares of a line by its class: ranks and files 0 to 4 squares from the edge, then five lengths of diagonals.
LINE_LENGTHS = (9, 9, 9, 9, 9, 9, 8, 7, 6, 5)

#: The windows of lines that fitted weights are made of: class, first square, slot, and how the window is read: 0 as it
#: is, 1 from the other end (a mirror makes it the window of another place), 2 either way, 3 either way and of five
#: squares instead of six.
SLOTS = (
    *((kind, first, 2 * kind + min(first, 3 - first), int(first > 1)) for kind in range(6) for first in range(4)),
    *((6, first, 12 + first % 2, (0, 2, 1)[first]) for first in range(3)),
    *((7, first, 14, first) for first in range(2)),
    (8, 0, 15, 2),
    (9, 0, 16, 3),
)

#: Weights are whole multiples of this, so that sums of them are exact in any order.
STEP = 2.0**-12

#: No weight is larger, so that it has room in the kernel's block.
LARGEST = 32767 * STEP

_EMPTY, _BLACK, _WHITE, _EGG = range(4)

Floats = npt.NDArray[np.float32]
Weights = npt.NDArray[np.int16]


@functools.cache
def weights(name: Name = "fitted") -> Weights:
    """Return a block of weights for the kernel, read-only.

    Parameters
    ----------
    name : str
        ``"fitted"`` from games by `training`, or ``"hand"``, set by hand.

    Returns
    -------
    ndarray of int16
        Laid out as ``eval.h`` says.

    Raises
    ------
    WtsError
        If no weights are called so.
    """
    if name not in NAMES:
        raise WtsError(f"expected one of {', '.join(NAMES)}, not {str(name)[:20]!r}", code="weights", field="weights")
    block = read_fitted(FILE) if name == "fitted" else assemble(*hand_parts())
    block.flags.writeable = False
    return block


def read_fitted(path: Path) -> Weights:
    """Return the block of weights of a file that `training` has written."""
    with np.load(path, allow_pickle=False) as file:
        return fitted_block({name: file[name] for name in ("windows", "whole", "eggs", "threats")})


def fitted_block(parts: Mapping[str, npt.NDArray[Any]]) -> Weights:
    """Return the block of weights made of fitted parts, whole multiples of `STEP`.

    Parameters
    ----------
    parts : mapping of str to ndarray of int16
        ``windows`` by phase, slot of `SLOTS` and pattern; ``whole`` by phase, class and lines without eggs; ``eggs`` by
        age and what is around; ``threats`` by phase and the counts of completion squares.
    """
    turned = _mirrored(6)
    lines = []
    for phase in range(2):
        tables = []
        for kind, length in enumerate(LINE_LENGTHS):
            windows = []
            for own, first, slot, way in SLOTS:
                if own == kind:
                    part = parts["windows"][phase, slot].astype(np.int32)
                    windows.append((first, part[turned] if way == 1 else part[:1024] if way == 3 else part))
            table = line_table(length, windows)
            table[_without_eggs(length)] += parts["whole"][phase, kind, : 3**length]
            tables.append(table * STEP)
        lines.append(tables)
    return assemble(lines, [part * STEP for part in parts["eggs"]], parts["threats"] * STEP)


def _mirrored(size: int) -> npt.NDArray[np.int64]:
    """Return each pattern of `size` squares read from the other end."""
    return np.asarray((_digits(size)[:, ::-1] << (2 * np.arange(size))).sum(1))


def evaluate(position: Position, block: Weights | None = None) -> float:
    """Return Black's value of a position by the evaluation, exact where the game is over.

    Parameters
    ----------
    position : Position
        Any position.
    block : ndarray of int16, optional
        Weights; those of ``weights()`` if left out.

    Examples
    --------
    >>> evaluate(Position())
    0.0
    """
    values = np.empty(1, np.float32)
    states = np.frombuffer(position.to_bytes(), np.uint8).reshape(1, -1)
    _kernel.evaluate_states(states, weights() if block is None else block, values)
    return float(values[0])


def payoffs(position: Position, block: Weights | None = None) -> Floats:
    """Return Black's value after each joint turn, shape (n, n) for n legal squares, ascending; rows are Black's.

    Examples
    --------
    >>> payoffs(Position()).shape
    (81, 81)
    """
    cells = np.empty(81 * 81, np.float32)
    n = _kernel.evaluate_matrix(position, weights() if block is None else block, cells)
    return cells[: n * n].reshape(n, n).copy()


def line_table(length: int, windows: list[tuple[int, npt.NDArray[Any]]]) -> npt.NDArray[np.float64]:
    """Return the table of a line of `length` squares whose part is a sum over windows.

    Parameters
    ----------
    length : int
        5 to 9.
    windows : list of (first square, table)
        A table of 4^k entries is for k squares, the first of them in the lowest two bits.
    """
    patterns = np.arange(4**length)
    table = np.zeros(4**length)
    for first, part in windows:
        table += np.asarray(part, np.float64)[(patterns >> (2 * first)) & (len(part) - 1)]
    return table


def assemble(lines: list[list[npt.NDArray[Any]]], eggs: list[npt.NDArray[Any]], threats: npt.NDArray[Any]) -> Weights:
    """Return the block of weights made of line tables by phase and class, egg tables by age, and threats by phase."""
    plain = [table[_without_eggs(n)] for phase in lines for table, n in zip(phase, LINE_LENGTHS, strict=True)]
    # Lines with eggs exist in the second phase alone.
    block = np.concatenate([np.ravel(part) for part in (*plain, *lines[1], *eggs, threats)])
    if block.shape != (_kernel.NUM_WEIGHTS,):
        raise ValueError(f"{block.shape} weights instead of {_kernel.NUM_WEIGHTS}")
    return np.asarray(np.rint(np.clip(block, -LARGEST, LARGEST) / STEP), np.int16)


@functools.cache
def _without_eggs(length: int) -> npt.NDArray[np.int64]:
    """Return the patterns without eggs of a line: entry i has in base 4 the digits that i has in base 3."""
    numbers = np.arange(3**length)
    return np.asarray(sum((numbers // 3**i % 3) * 4**i for i in range(length)))


def _digits(size: int) -> npt.NDArray[np.int64]:
    """Return what each pattern of `size` squares holds, shape (4^size, size)."""
    return (np.arange(4**size)[:, None] >> (2 * np.arange(size))) & 3


# Set by hand: what a window of five is worth to the player who alone has turtles in it, by their number. The fifth
# turtle makes a row, after which play goes on only if the opponent has as many winning turtles.
_OWN = (0.0, 0.04, 0.2, 0.6, 1.2, 0.0)
# A bracket that can be closed, without and with eggs that would hatch.
_BRACKET = (0.15, 0.6)
# The part of a window's worth that an egg adds if it were the player's turtle, for the oldest egg and the next.
_HATCH = (0.3, 0.1)
# One, two, more completion squares.
_COMPLETION = (0.0, 1.0, 3.0, 4.5)


def _five(own: int, other: int) -> npt.NDArray[np.float64]:
    digits = _digits(5)
    mine, free = (digits == own).sum(1), (digits == _EMPTY).sum(1)
    return np.where(mine + free == 5, np.take(_OWN, mine), 0.0)


def _bracket(own: int, other: int) -> npt.NDArray[np.float64]:
    digits = _digits(4)
    prey = (digits == other) | (digits == _EGG)
    closes = prey[:, 1] & prey[:, 2]
    up = closes & (digits[:, 0] == _EMPTY) & (digits[:, 3] == own)
    down = closes & (digits[:, 3] == _EMPTY) & (digits[:, 0] == own)
    return np.asarray(up + 0.0 + down, np.float64)


def _hatched(own: int, other: int) -> npt.NDArray[np.float64]:
    """Return what an egg with these eight squares around it would be worth as a turtle of `own`."""
    patterns = np.arange(4**8)
    # The line of nine with the egg turned into that turtle in the middle.
    nine = (patterns & 255) | (own << 8) | ((patterns >> 8) << 10)
    alive = _five(own, other)
    worth = np.zeros(4**8)
    for first in range(5):
        window = (nine >> (2 * first)) & 1023
        without = window ^ (own << (2 * (4 - first)))
        # A window with four others would be a row.
        worth += np.where(_full(own)[window], 3.0, alive[window] - alive[without])
    digits = (nine[:, None] >> (2 * np.arange(9))) & 3
    prey = (digits == other) | (digits == _EGG)
    worth += _BRACKET[1] * (prey[:, 5] & prey[:, 6] & (digits[:, 7] == own))
    worth += _BRACKET[1] * (prey[:, 3] & prey[:, 2] & (digits[:, 1] == own))
    return worth


def _full(own: int) -> npt.NDArray[np.bool_]:
    return np.asarray((_digits(5) == own).all(1))


def hand_parts() -> tuple[list[list[npt.NDArray[Any]]], list[npt.NDArray[Any]], npt.NDArray[Any]]:
    """Return the weights set by hand, as `assemble` takes them."""
    five = _five(_BLACK, _WHITE) - _five(_WHITE, _BLACK)
    bracket = _bracket(_BLACK, _WHITE) - _bracket(_WHITE, _BLACK)
    lines = []
    for phase in range(2):
        tables = {
            n: line_table(n, [(i, five) for i in range(n - 4)] + [(i, _BRACKET[phase] * bracket) for i in range(n - 3)])
            for n in set(LINE_LENGTHS)
        }
        lines.append([tables[n] for n in LINE_LENGTHS])
    hatched = _hatched(_BLACK, _WHITE) - _hatched(_WHITE, _BLACK)
    threats = np.subtract.outer(_COMPLETION, _COMPLETION)
    return lines, [part * hatched for part in _HATCH], np.stack([threats, threats])
