"""Many positions and many games at once: `Batch` and `playouts`, over numpy arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _kernel
from ._kernel import Position
from .errors import GameOver, IllegalMove, InvalidSquare, LimitError, WtsError
from .squares import NUM_SQUARES
from .state import Outcome

__all__ = ["DEFAULT_CAP", "STATE_DTYPE", "Batch", "Playouts", "playouts"]

#: One position as the kernel holds it. Bit i of a pair of words is square i; `queue` holds the eggs, oldest first, and
#: zeros behind them; `outcome` is 0 while play goes on, 1 or 2 for a win of Black or White, 3 for a draw.
STATE_DTYPE = np.dtype(
    [
        ("black", np.uint64, (2,)),
        ("white", np.uint64, (2,)),
        ("egg", np.uint64, (2,)),
        ("queue", np.uint8, (NUM_SQUARES,)),
        ("num_eggs", np.uint8),
        ("outcome", np.uint8),
        ("pad", np.uint8, (5,)),
    ],
    align=True,
)
_FIELDS = ("black", "white", "egg", "queue", "num_eggs", "outcome")
if (STATE_DTYPE.itemsize, *(STATE_DTYPE.fields[name][1] for name in _FIELDS)) != _kernel.abi():  # type: ignore[index]
    raise ImportError("the compiled kernel and this Python code are of different builds; install the package again")

#: A random game still open after so many turns is reported as unfinished (R24); from the start they last about 29.
DEFAULT_CAP = 1000

# Games a thread takes at a time: milliseconds of work (a twentieth of a second on the base path), so that Ctrl-C is
# obeyed at once, and enough that threads do not wait for each other.
_CHUNK = 1 << 15

_OUTCOMES = (None, Outcome.BLACK, Outcome.WHITE, Outcome.DRAW)


@dataclass(frozen=True, slots=True)
class Playouts:
    """What a run of random games came to.

    Attributes
    ----------
    games, turns : int
        Games played, and turns in all of them.
    black, white, draws, unfinished : int
        Games won by either player, drawn, and cut off by the cap (R24); together they are `games`.
    checksum : int
        64 bits over every game's number, last board, length and outcome: equal on every machine, for
        any number of threads.
    """

    games: int
    turns: int
    black: int
    white: int
    draws: int
    unfinished: int
    checksum: int

    @property
    def value(self) -> float:
        """Black's mean value over the finished games, 0.0 where there are none."""
        finished = self.games - self.unfinished
        return (self.black - self.white) / finished if finished else 0.0

    def __add__(self, other: Playouts) -> Playouts:
        return Playouts(
            self.games + other.games,
            self.turns + other.turns,
            self.black + other.black,
            self.white + other.white,
            self.draws + other.draws,
            self.unfinished + other.unfinished,
            (self.checksum + other.checksum) & 0xFFFF_FFFF_FFFF_FFFF,
        )


def playouts(
    position: Position | None = None,
    n: int = 1000,
    seed: int = 1,
    threads: int = 1,
    *,
    cap: int = DEFAULT_CAP,
    isa: str | None = None,
) -> Playouts:
    """Play uniformly random games.

    In every turn both players name one of the empty squares, each with equal probability and independently
    of the other. Game number g draws from a xoshiro256++ generator of its own, seeded from `seed` and g.

    Parameters
    ----------
    position : Position, optional
        Where the games begin; the start if left out.
    n : int
        How many games, from 0 to 2^40.
    seed : int
        0 to 2^64 - 1.
    threads : int
        At least 1. The answer is the same for any number.
    cap : int
        A game still open after so many turns is counted as unfinished.
    isa : str, optional
        One of ``_kernel.build_info()["isa_usable"]``; the fastest if left out. The answer is the same.

    Returns
    -------
    Playouts

    Raises
    ------
    LimitError
        If a number is out of range, with the argument's name.

    Examples
    --------
    >>> playouts(n=1000, seed=1).games
    1000
    """
    position = Position() if position is None else position
    if not isinstance(position, Position):
        raise WtsError(f"expected a Position, not {type(position).__name__}", code="position-type", field="position")
    states = np.frombuffer(position.to_bytes(), np.uint8).reshape(1, -1)
    return _run(states, _whole(n, "n", 0, 1 << 40), seed, threads, cap, isa, None)


def _run(
    states: npt.NDArray[np.uint8],
    games_each: int,
    seed: int,
    threads: int,
    cap: int,
    isa: str | None,
    outcomes: npt.NDArray[np.int8] | None,
) -> Playouts:
    """Play `games_each` games from every state, in chunks that the threads take in turn."""
    seed = _whole(seed, "seed", 0, (1 << 64) - 1)
    threads = min(_whole(threads, "threads", 1, 4096), len(os.sched_getaffinity(0)) if _has_affinity else 4096)
    cap = _whole(cap, "cap", 1, 1 << 30)
    total = len(states) * games_each

    def chunk(first: int) -> Playouts:
        games = min(_CHUNK, total - first)
        unfinished, black, white, draws, turns, checksum = _kernel.run_games(
            states, games_each, first, games, seed, cap, outcomes, isa
        )
        return Playouts(games, turns, black, white, draws, unfinished, checksum)

    result = Playouts(0, 0, 0, 0, 0, 0, 0)
    firsts = range(0, total, _CHUNK)
    if threads == 1 or len(firsts) < 2:
        for first in firsts:
            result += chunk(first)
        return result
    with ThreadPoolExecutor(threads) as pool:
        # A few chunks ahead of each thread at most: a run of 2^40 games must not become as many futures.
        try:
            for window in _windows(firsts, threads * 64):
                for part in pool.map(chunk, window):
                    result += part
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return result


_has_affinity = hasattr(os, "sched_getaffinity")


def _windows(items: range, size: int) -> Iterator[range]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _whole(value: Any, field: str, low: int, high: int) -> int:
    """Return a whole number in a range; truth values and floats are refused."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise LimitError(f"expected a whole number, not {type(value).__name__}", code="type", field=field)
    if not low <= value <= high:
        raise LimitError(f"expected {low} to {high}", code="range", field=field)
    return int(value)


class Batch:
    """Many positions side by side, played in step; no Python object per position.

    Parameters
    ----------
    positions : int or iterable of Position
        How many positions at the start, or the positions themselves.

    Attributes
    ----------
    states : ndarray of STATE_DTYPE, shape (n,)
        The positions, read-only; fields ``black``, ``white``, ``egg``, ``queue``, ``num_eggs``, ``outcome``.

    Examples
    --------
    >>> batch = Batch(2)
    >>> batch.step([40, 0], [40, 1])
    >>> batch[0]
    Position('9/9/9/9/4e4/9/9/9/9 E5')
    >>> int(batch.legal()[1].sum())
    79
    """

    def __init__(self, positions: int | Iterable[Position]) -> None:
        if isinstance(positions, (int, np.integer, bool, np.bool_)):
            n = _whole(positions, "positions", 0, 1 << 28)
            self._states = np.zeros(n, STATE_DTYPE)
        else:
            data = []
            for row, position in enumerate(positions):
                if not isinstance(position, Position):
                    raise WtsError(
                        f"row {row} is of type {type(position).__name__}, not a Position",
                        code="position-type",
                        field="positions",
                    )
                data.append(position.to_bytes())
            self._states = np.frombuffer(bytearray(b"".join(data)), STATE_DTYPE)

    @property
    def states(self) -> npt.NDArray[Any]:
        """The positions as the kernel holds them, read-only, shape (n,)."""
        view = self._states.view()
        view.flags.writeable = False
        return view

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, row: int) -> Position:
        return Position.from_bytes(self._states[row].tobytes())

    def copy(self) -> Batch:
        """Return a batch of the same positions that shares nothing with this one."""
        other = Batch(0)
        other._states = self._states.copy()
        return other

    @property
    def outcomes(self) -> npt.NDArray[np.uint8]:
        """The outcomes, shape (n,): 0 undecided, 1 Black won, 2 White won, 3 draw."""
        return self._states["outcome"].copy()

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Which games are over, shape (n,)."""
        return np.asarray(self._states["outcome"] != 0)

    def outcome(self, row: int) -> Outcome | None:
        """Return the outcome of one position."""
        return _OUTCOMES[int(self._states["outcome"][row])]

    def legal(self) -> npt.NDArray[np.bool_]:
        """Return the legal squares of both players, bool, shape (n, 81); all False where a game is over."""
        masks = np.empty((len(self), NUM_SQUARES), np.uint8)
        if len(self):
            _kernel.legal_masks(self._bytes(), masks)
        return masks.view(np.bool_)

    def step(self, black: npt.ArrayLike, white: npt.ArrayLike) -> None:
        """Play one turn in every position, in place.

        Parameters
        ----------
        black, white : array_like of int, shape (n,)
            The squares, 0 to 80, and -1 for both players where a game is over.

        Raises
        ------
        InvalidSquare
            If an array has another shape, does not hold whole numbers, or holds one that is no square.
        IllegalMove, GameOver
            If a row's turn is not legal, with the row. Nothing has been played then.
        """
        black_sq, white_sq = self._squares(black, "black"), self._squares(white, "white")
        row = _kernel.step_states(self._bytes(), black_sq, white_sq) if len(self) else -1
        if row >= 0:
            self._refuse(row, int(black_sq[row]), int(white_sq[row]))

    def playouts(
        self, n: int = 1, seed: int = 1, threads: int = 1, *, cap: int = DEFAULT_CAP, isa: str | None = None
    ) -> npt.NDArray[np.int64]:
        """Play `n` random games from every position and count their outcomes.

        Parameters are those of the function `playouts`; games are numbered through, row by row.

        Returns
        -------
        ndarray of int64, shape (len(self), 4)
            Unfinished games, wins of Black, wins of White and draws of each row. The positions stay as they are.
        """
        n = _whole(n, "n", 0, 1 << 40)
        if len(self) * n > 1 << 32:
            raise LimitError("more than 2^32 games at once", code="range", field="n")
        outcomes = np.empty(len(self) * n, np.int8)
        if len(outcomes):
            _run(self._bytes(), n, seed, threads, cap, isa, outcomes)
        counts = [np.count_nonzero(outcomes.reshape(len(self), n) == code, axis=1) for code in range(4)]
        return np.stack(counts, axis=1).astype(np.int64)

    def _bytes(self) -> npt.NDArray[np.uint8]:
        return self._states.view(np.uint8).reshape(len(self), STATE_DTYPE.itemsize)

    def _squares(self, squares: npt.ArrayLike, field: str) -> npt.NDArray[np.int8]:
        array = np.asarray(squares)
        if array.shape != (len(self),):
            raise InvalidSquare(f"expected shape ({len(self)},), not {array.shape}", code="shape", field=field)
        if array.dtype == np.int8:
            return np.ascontiguousarray(array)
        if array.dtype.kind not in "iu" and len(array):
            raise InvalidSquare(f"expected whole numbers, not {array.dtype}", code="square-type", field=field)
        # Only a square or -1 fits int8 unchanged; the kernel looks at the rest.
        wrong = np.flatnonzero((array < -1) | (array >= NUM_SQUARES))
        if len(wrong):
            raise InvalidSquare(
                f"row {wrong[0]}: squares are numbered 0 to 80, not {array[wrong[0]]}", code="square-range", field=field
            )
        return np.ascontiguousarray(array, np.int8)

    def _refuse(self, row: int, black_sq: int, white_sq: int) -> None:
        """Raise what is wrong with a row's turn."""
        if self._states["outcome"][row]:
            raise GameOver(
                f"row {row}: the game is over; both squares must be -1", code="game-over", field="black, white"
            )
        try:
            self[row].play(black_sq, white_sq)
        except IllegalMove as error:
            raise type(error)(f"row {row}: {error.reason}", code=error.code, field=error.field) from None
        raise RuntimeError(f"row {row} was refused without a reason")  # pragma: no cover

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} positions, {int(self.over.sum())} over>"
