"""Flat Monte Carlo: rounds of sampled turns and random games, with regret matching between them.

Each chunk of a round has a seed of its own, and the strategies as the round found them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .search import Budget, Search, SearchResult, StoppedBy

if TYPE_CHECKING:
    from ._kernel import Position

__all__ = ["CAP", "run"]

Floats = npt.NDArray[np.float64]
Games = tuple[npt.NDArray[np.int32], npt.NDArray[np.int8]]  # as `_flat_jit.play_chunk` fills them

#: Turns of a random game; from the start they last about 29.
CAP = 1000

_STEPS, _LAST_STEPS = 100, 1500  # steps of regret matching after each round, and before an answer


def run(position: Position, seed: int, threads: int, budget: Budget) -> SearchResult:
    """Search a position whose game is not over; `methods.Run` says what the arguments are."""
    return _Flat(position, seed).run(threads, budget)


class _Flat(Search[Games]):
    """One search: the totals so far, and what is needed to go on."""

    def __init__(self, position: Position, seed: int) -> None:
        super().__init__(position, seed)
        k = len(self.squares)
        self.black = np.full(k, 1 / k)
        self.white = np.full(k, 1 / k)
        self.games = np.zeros((k, k), np.int64)
        self.wins = np.zeros((k, k), np.int64)
        self.tally = np.zeros(4, np.int64)
        self.effects = np.zeros((2, k))
        self.memory = np.zeros((5, k))
        # Nodes and tally after each round: the value leaves out the first half, when strategies were still moving.
        self.history: list[tuple[int, int, int, int]] = [(0, 0, 0, 0)]

    @property
    def nodes(self) -> int:
        return int(self.games.sum())

    def load(self) -> None:
        from ._bridge import state_words
        from ._flat_jit import learn, play_chunk
        from ._jit import compiling

        self.play_chunk, self.learn = play_chunk, learn
        self.root = state_words(self.position)
        # Calls without games and steps change nothing: they only make sure of the compiled code.
        with compiling():
            self.play(0, 0)
            self._learn(0, *_nothing())

    def play(self, chunk: int, nodes: int) -> Games:
        cells, results = np.empty(nodes, np.int32), np.empty(nodes, np.int8)
        number = np.uint64(chunk)
        self.play_chunk(self.root, self.squares, self.black, self.white, self.seed, number, CAP, cells, results)
        return cells, results

    def add(self, parts: list[Games]) -> None:
        cells = np.concatenate([p[0] for p in parts] or [_nothing()[0]])
        results = np.concatenate([p[1] for p in parts] or [_nothing()[1]])
        # One call into machine code: Ctrl-C comes before it or after it, never in between.
        self._learn(_STEPS, cells, results)
        followed, total, squares, _ = self.tally.tolist()
        self.history.append((self.nodes, followed, total, squares))

    def _learn(self, steps: int, cells: npt.NDArray[np.int32], results: npt.NDArray[np.int8]) -> float:
        return float(
            self.learn(
                cells,
                results,
                self.games,
                self.wins,
                self.tally,
                self.effects,
                self.memory,
                steps,
                self.black,
                self.white,
            )
        )

    def result(self, stopped_by: StoppedBy | None) -> SearchResult:
        seconds = self.seconds
        black, white = self.black.copy(), self.white.copy()
        exploitability = 2.0  # nothing is known
        if self.nodes:
            exploitability = float(
                self.learn(
                    *_nothing(),
                    self.games,
                    self.wins,
                    self.tally,
                    self.effects.copy(),
                    self.memory.copy(),
                    _LAST_STEPS,
                    black,
                    white,
                )
            )
        value, error = self._value()
        return SearchResult(
            value=value,
            standard_error=error,
            lower=-1.0,
            upper=1.0,
            black=black,
            white=white,
            exploitability=exploitability,
            nodes=self.nodes,
            playouts=self.nodes,
            unfinished=int(self.tally[3]),
            seconds=seconds,
            compile_seconds=self.compile_seconds,
            stopped_by=stopped_by,
        )

    def _value(self) -> tuple[float, float]:
        """Return the mean result of the later half of the turns in which both strategies were followed."""
        _, *first = next(h for h in reversed(self.history) if 2 * h[0] <= self.nodes)
        number, total, squares = (b - a for a, b in zip(first, self.history[-1][1:], strict=True))
        if number == 0:
            return 0.0, 1.0
        mean = total / number
        # One more result, at distance 1: few equal results are no certainty.
        return mean, math.sqrt((max(0.0, squares - number * mean * mean) + 1) / number / number)


def _nothing() -> Games:
    return np.empty(0, np.int32), np.empty(0, np.int8)
