"""Holds the bounds of tactics.h against play with every reply; run by hand for large numbers.

    python tests/fuzz_bounds.py --cases 100000 --seed 1

Boards of a few empty squares, with planted fours, brackets and eggs. Each side's bound is held against what that side
gets at most by all joint turns to some depth, where what is open counts as won, from matrix games solved by regret
matching, which shares nothing with the simplex of tactics.h: the column mix it ends with is itself a proof.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from wts_fast import _kernel
from wts_fast._bridge import STATE_WORDS, turn
from wts_fast.squares import DIRECTIONS
from wts_fast.state import State

MOST_EMPTY = 5
DEPTH = 3
ROUNDS = 200
OUTCOME_BYTE = 130  # of a state; see engine.STATE_DTYPE


@numba.njit(nogil=True)
def concede(cells: Any, n: int) -> float:
    """Return what some mix of columns concedes at most to any row: an upper bound on the value."""
    row_regret, column_regret = np.zeros(n), np.zeros(n)
    total = np.zeros(n)
    for t in range(ROUNDS):
        x, y = np.maximum(row_regret, 0.0), np.maximum(column_regret, 0.0)
        x = x / x.sum() if x.sum() > 0 else np.full(n, 1.0 / n)
        y = y / y.sum() if y.sum() > 0 else np.full(n, 1.0 / n)
        total += (t + 1) * y
        by_row, by_column = cells @ y, x @ cells
        value = (x * by_row).sum()
        row_regret = np.maximum(row_regret + by_row - value, 0.0)
        column_regret = np.maximum(column_regret + value - by_column, 0.0)
    return float((cells @ (total / total.sum())).max())


@numba.njit(nogil=True)
def at_most(state: Any, side: int, depth: int) -> float:
    """Return what `side` (0 Black, 1 White) gets at most, by all joint turns to a depth."""
    data = state.view(np.uint8)
    outcome = data[OUTCOME_BYTE]
    if outcome:
        return 0.0 if outcome == 3 else 1.0 if outcome == 1 + side else -1.0
    empty = np.empty(81, np.int32)
    n = 0
    for square in range(81):
        word, bit = square >> 6, np.uint64(square & 63)
        held = (state[word] | state[2 + word] | state[4 + word]) >> bit
        if not held & np.uint64(1):
            empty[n] = square
            n += 1
    if depth == 0 or n > MOST_EMPTY + 2:
        return 1.0
    cells = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            after = state.copy()
            own, other = empty[i], empty[j]
            turn(after.ctypes, other if side else own, own if side else other)
            cells[i, j] = at_most(after, side, depth - 1)
    return concede(cells, n)


def make(rng: np.random.Generator) -> State | None:
    """Return an undecided board with few empty squares, or None if this attempt came to nothing."""
    board = np.full(81, ".")
    filled = np.full(81, False)
    for _ in range(int(rng.integers(1, 5))):  # fours: five in a line with one square empty
        _, f, r = DIRECTIONS[int(rng.integers(8))]
        x, y = rng.integers(9, size=2)
        if not (0 <= x + 4 * f < 9 and 0 <= y + 4 * r < 9):
            continue
        colour, hole = "bw"[int(rng.integers(4)) == 0], int(rng.integers(5))
        for k in range(5):
            s = int((y + k * r) * 9 + x + k * f)
            if not filled[s]:
                board[s], filled[s] = "." if k == hole else colour, True
    for _ in range(int(rng.integers(0, 4))):  # brackets that a turtle could close
        _, f, r = DIRECTIONS[int(rng.integers(8))]
        x, y = rng.integers(9, size=2)
        if not (0 <= x + 3 * f < 9 and 0 <= y + 3 * r < 9):
            continue
        own = "bw"[int(rng.integers(2))]
        prey = "w" if own == "b" else "b"
        for k, piece in enumerate([".", prey if rng.random() < 0.7 else "e", prey, own]):
            s = int((y + k * r) * 9 + x + k * f)
            if not filled[s]:
                board[s], filled[s] = piece, True
    quilt = np.array([((s % 9 + 1) // 2 + s // 9) % 2 for s in range(81)]) ^ (rng.random(81) < rng.uniform(0, 0.5))
    board = np.where(filled, board, np.where(quilt, "b", "w"))
    board[(rng.random(81) < rng.uniform(0, 0.15)) & ~filled] = "e"
    board[rng.choice(81, int(rng.integers(0, 3)), replace=False)] = "."
    eggs = [int(s) for s in rng.permutation(np.flatnonzero(board == "e"))]
    black, white = (tuple(int(s) for s in np.flatnonzero(board == c)) for c in "bw")
    state = State(black, white, tuple(eggs))
    position = _kernel.Position.from_state(state)
    return state if 1 <= len(position.legal) <= MOST_EMPTY else None


@dataclass
class Report:
    """What a run found: boards, bounds (two a board), those met to 0.01, and those that do not hold."""

    cases: int = 0
    bounds: int = 0
    sharp: int = 0
    unsound: list[str] = field(default_factory=list)


def run(cases: int, seed: int) -> Report:
    """Check so many boards."""
    rng = np.random.default_rng(seed)
    report = Report()
    given = np.empty((2, 1), np.float32)
    while report.cases < cases:
        state = make(rng)
        if state is None:
            continue
        position = _kernel.Position.from_state(state)
        words: npt.NDArray[np.uint64] = np.frombuffer(position.to_bytes(), np.uint64).copy()
        assert len(words) == STATE_WORDS
        _kernel.bound_states(words.view(np.uint8).reshape(1, -1), given[0], given[1])
        report.cases += 1
        for side, bound in enumerate((float(given[0, 0]), -float(given[1, 0]))):
            most = 1.0
            for depth in range(1, DEPTH + 1):
                if most < bound + 0.01:
                    break
                most = min(most, at_most(words, side, depth))
            report.bounds += 1
            report.sharp += most < bound + 0.01
            if most < bound - 1e-6:
                report.unsound.append(f"{position} side {side}: {bound} is above {most}")
    return report


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="hold proved bounds against play with every reply")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    report = run(args.cases, args.seed)
    print(*report.unsound, sep="\n")
    print(
        f"seed {args.seed}: {report.cases} boards, {report.bounds} bounds, {report.sharp} of them sharp; "
        f"unsound: {len(report.unsound)}"
    )
    return bool(report.unsound)


if __name__ == "__main__":
    raise SystemExit(main())
