"""The search behind `analysis`: rounds of sampled turns and random games, with regret matching between them.

A round is a fixed number of chunks, each with a seed of its own and the strategies as the round found them.
So a number of nodes gives the same answer for any number of threads.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._kernel import Position

__all__ = ["Budget", "SearchResult", "StoppedBy", "run"]

StoppedBy = Literal["nodes", "seconds", "interrupt", "finished"]
Floats = npt.NDArray[np.float64]
Games = tuple[npt.NDArray[np.int32], npt.NDArray[np.int8]]  # as `_search_jit.play_chunk` fills them

_CHUNKS = 16  # a round; no more threads than that are of use
_FIRST, _MOST = 32, 512  # nodes of a chunk in the first round and from some rounds later: a millisecond of work
_STEPS, _LAST_STEPS = 100, 1500  # steps of regret matching after each round, and before an answer
_CAP = 1000  # turns of a random game; from the start they last about 29


@dataclass(frozen=True, slots=True)
class Budget:
    """When a search ends, and whom it tells and asks while it goes on.

    Attributes
    ----------
    seconds, nodes
        Limits, of which the first one reached counts; None means no such limit. Time counts once the code is compiled.
    on_progress
        Called with a `SearchResult` about four times a second.
    should_stop
        Asked some hundred times a second; once it returns something true the search ends.
    keep_on_interrupt
        Whether Ctrl-C ends the search with what it has (``stopped_by`` is then ``"interrupt"``)
        instead of raising `KeyboardInterrupt`.
    """

    seconds: float | None = None
    nodes: int | None = None
    on_progress: Callable[[SearchResult], object] | None = None
    should_stop: Callable[[], object] | None = None
    keep_on_interrupt: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult:
    """What a search has found: strategies over the legal squares, ascending, and Black's value."""

    value: float
    standard_error: float
    lower: float  # what is proved about the value
    upper: float
    black: Floats
    white: Floats
    exploitability: float
    nodes: int
    playouts: int
    unfinished: int
    seconds: float
    compile_seconds: float
    stopped_by: StoppedBy | None  # None while it goes on


def run(position: Position, seed: int, threads: int, budget: Budget) -> SearchResult:
    """Search a position whose game is not over.

    Parameters
    ----------
    position : Position
        With at least one legal square.
    seed : int
        0 to 2^64 - 1.
    threads : int
        At least 1.
    budget : Budget
        When to end.
    """
    search = _Run(position, seed)
    stopped_by: StoppedBy = "interrupt"
    try:
        search.compile()
        stopped_by = "nodes" if budget.nodes == 0 else search.work(budget, threads)
    except KeyboardInterrupt:
        if not budget.keep_on_interrupt:
            raise
    return search.estimate(stopped_by)


class _Run:
    """One search: the totals so far, and what is needed to go on."""

    def __init__(self, position: Position, seed: int) -> None:
        self.position = position
        self.seed = np.uint64(seed)
        self.squares = np.array(position.legal, dtype=np.int32)
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
        self.compile_seconds = 0.0
        self.started = time.perf_counter()

    @property
    def nodes(self) -> int:
        return int(self.games.sum())

    def compile(self) -> None:
        """Load numba and the compiled code, or compile it; the clock of the search starts afterwards."""
        begun = time.perf_counter()
        try:
            from ._bridge import state_words
            from ._jit import compiling
            from ._search_jit import learn, play_chunk

            self.play_chunk, self.learn = play_chunk, learn
            self.root = state_words(self.position)
            # Calls without games and steps change nothing: they only make sure of the compiled code.
            with compiling():
                self.play(np.uint64(0), 0, self.black, self.white)
                self._learn(0, *_nothing())
        finally:
            self.started = time.perf_counter()
            self.compile_seconds = self.started - begun

    def play(self, chunk: np.uint64, nodes: int, black: Floats, white: Floats) -> Games:
        cells, results = np.empty(nodes, np.int32), np.empty(nodes, np.int8)
        self.play_chunk(self.root, self.squares, black, white, self.seed, chunk, _CAP, cells, results)
        return cells, results

    def work(self, budget: Budget, threads: int) -> StoppedBy:
        """Go round by round until a limit is reached; return which."""
        deadline = math.inf if budget.seconds is None else self.started + budget.seconds
        left = budget.nodes
        size = _FIRST
        chunk = 0
        report = self.started + 0.25
        halted: list[StoppedBy] = []

        with ExitStack() as stack:
            pool = None
            if threads > 1:
                pool = ThreadPoolExecutor(min(threads, _CHUNKS), "wts-search")
                stack.callback(pool.shutdown, wait=True, cancel_futures=True)
            # On the way out, before the pool is waited for: chunks not begun end at once.
            stack.callback(halted.append, "interrupt")

            def play(number: int, nodes: int) -> Games | None:
                if halted:
                    return None
                return self.play(np.uint64(number), nodes, self.black, self.white)

            while True:
                sizes = _chunk_sizes(size, left)
                numbers = range(chunk, chunk + len(sizes))
                done = []
                parts: Iterator[Games | None]
                parts = map(play, numbers, sizes) if pool is None else pool.map(play, numbers, sizes)
                for part in parts:
                    if part is None:
                        break
                    done.append(part)
                    if budget.should_stop is not None and budget.should_stop():
                        halted.append("interrupt")
                    elif time.perf_counter() >= deadline:
                        halted.append("seconds")
                # Chunks that a time limit cut off are left out; all before them count.
                self._add(done)
                if halted:
                    return halted[0]
                chunk += len(sizes)
                size = min(2 * size, _MOST)
                if left is not None:
                    left -= sum(sizes)
                    if left == 0:
                        return "nodes"
                if budget.on_progress is not None and time.perf_counter() >= report:
                    budget.on_progress(self.estimate(None))
                    report = time.perf_counter() + 0.25

    def _add(self, parts: list[Games]) -> None:
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

    def estimate(self, stopped_by: StoppedBy | None) -> SearchResult:
        """Return what has been found so far; the search can go on afterwards as if nothing had been asked."""
        seconds = time.perf_counter() - self.started
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


def _chunk_sizes(size: int, left: int | None) -> list[int]:
    """Return how many nodes each chunk of a round plays."""
    if left is None or left >= size * _CHUNKS:
        return [size] * _CHUNKS
    whole, rest = divmod(left, size)
    return [size] * whole + [rest] * (rest > 0)


def _nothing() -> Games:
    return np.empty(0, np.int32), np.empty(0, np.int8)
