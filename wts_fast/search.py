"""What every search takes and gives, and the loop of rounds that keeps its limits.

A round is a number of chunks, which threads may work on at once, and whose results are added in their order. What a
chunk does depends on its number and on what was there before the round. So a number of nodes gives the same answer for
any number of threads.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._kernel import Position

__all__ = ["Budget", "Continuation", "Only", "Search", "SearchResult", "StoppedBy", "nothing_known"]

StoppedBy = Literal["nodes", "seconds", "interrupt", "finished", "memory", "solved"]
Floats = npt.NDArray[np.float64]
#: The squares that Black and White may choose this turn, ascending; None for all that are empty.
Only = tuple[tuple[int, ...] | None, tuple[int, ...] | None]
Part = TypeVar("Part")  # what a chunk brings, never None


@dataclass(frozen=True, slots=True)
class Budget:
    """When a search ends, and whom it tells and asks while it goes on.

    Attributes
    ----------
    seconds, nodes
        Limits, of which the first one reached counts; None means no such limit. Time counts once the code is compiled.
    on_progress
        Called with a `SearchResult` now and then.
    report_every
        How often that is, in seconds.
    should_stop
        Asked some hundred times a second; once it returns something true the search ends.
    memory_mb
        Mebibytes for a search that remembers positions; where they are full, it goes on with those it has.
    keep_on_interrupt
        Whether Ctrl-C ends the search with what it has (``stopped_by`` is then ``"interrupt"``)
        instead of raising `KeyboardInterrupt`.
    """

    seconds: float | None = None
    nodes: int | None = None
    on_progress: Callable[[SearchResult], object] | None = None
    should_stop: Callable[[], object] | None = None
    keep_on_interrupt: bool = False
    memory_mb: int = 512
    report_every: float = 0.25


@dataclass(frozen=True, slots=True)
class Continuation:
    """Joint turns that may follow one another.

    Attributes
    ----------
    turns : tuple of (int, int)
        The squares of Black and White.
    probability : float
        That just these are played, by the strategies found.
    value : float
        Black's value behind them; None where nothing is known of it.
    """

    turns: tuple[tuple[int, int], ...]
    probability: float
    value: float | None


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
    continuations: tuple[Continuation, ...] = ()  # the likeliest first
    proved_exploitability: float = 2.0
    needs_r25: bool = False  # whether the bounds need R25
    payoffs: Floats | None = None  # Black's value of each joint turn, if the search keeps them


def nothing_known(
    position: Position, only: Only, compile_seconds: float = 0.0, stopped_by: StoppedBy = "nodes"
) -> SearchResult:
    """Return what is known before any work: every square that may be chosen is as good as the others."""
    black, white = (
        np.array([0.0 if squares is not None and s not in squares else 1.0 for s in position.legal]) for squares in only
    )
    black /= black.sum()
    white /= white.sum()
    return SearchResult(0.0, 1.0, -1.0, 1.0, black, white, 2.0, 0, 0, 0, 0.0, compile_seconds, stopped_by)


class Search(ABC, Generic[Part]):
    """One search of one position: what it has found so far, and how to go on.

    Attributes
    ----------
    chunks : int
        In a round; no more threads than that are of use.
    first, most : int
        Nodes of a chunk in the first round, and from some rounds later: some milliseconds of work.
    started : float
        When the clock of the search began.
    compile_seconds : float
        Time spent before that to load or compile code.
    """

    chunks = 16
    first = 32
    most = 512

    def __init__(self, position: Position, seed: int) -> None:
        self.position = position
        self.seed = np.uint64(seed)
        self.squares = np.array(position.legal, dtype=np.int32)
        self.compile_seconds = 0.0
        self.started = time.perf_counter()

    @abstractmethod
    def load(self) -> None:
        """Load numba and the compiled code, or compile it, and change nothing else."""

    @abstractmethod
    def play(self, chunk: int, nodes: int) -> Part:
        """Work on one chunk, in any thread, beside the other chunks of its round."""

    @abstractmethod
    def add(self, parts: list[Part]) -> None:
        """Take what the chunks of a round brought, in their order: all, or the first ones where time ran out."""

    @abstractmethod
    def result(self, stopped_by: StoppedBy | None) -> SearchResult:
        """Return what has been found so far; the search can go on afterwards as if nothing had been asked."""

    @property
    def seconds(self) -> float:
        """Time since the clock began."""
        return time.perf_counter() - self.started

    def run(self, threads: int, budget: Budget) -> SearchResult:
        """Load the code and search until a limit is reached."""
        stopped_by: StoppedBy = "interrupt"
        begun = time.perf_counter()
        try:
            try:
                self.load()
            finally:
                self.started = time.perf_counter()
                self.compile_seconds = self.started - begun
            stopped_by = "nodes" if budget.nodes == 0 else self._rounds(threads, budget)
        except KeyboardInterrupt:
            if not budget.keep_on_interrupt:
                raise
        return self.result(stopped_by)

    def _rounds(self, threads: int, budget: Budget) -> StoppedBy:
        """Go round by round until a limit is reached; return which."""
        deadline = math.inf if budget.seconds is None else self.started + budget.seconds
        left = budget.nodes
        size = self.first
        chunk = 0
        report = self.started + budget.report_every
        halted: list[StoppedBy] = []

        with ExitStack() as stack:
            pool = None
            if min(threads, self.chunks) > 1:
                pool = ThreadPoolExecutor(min(threads, self.chunks), "wts-search")
                stack.callback(pool.shutdown, wait=True, cancel_futures=True)
            # On the way out, before the pool is waited for: chunks not begun end at once.
            stack.callback(halted.append, "interrupt")

            def play(number: int, nodes: int) -> Part | None:
                return None if halted else self.play(number, nodes)

            while True:
                sizes = self._sizes(size, left)
                numbers = range(chunk, chunk + len(sizes))
                done = []
                parts: Iterator[Part | None]
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
                self.add(done)
                if halted:
                    return halted[0]
                chunk += len(sizes)
                size = min(2 * size, self.most)
                if left is not None:
                    left -= sum(sizes)
                    if left == 0:
                        return "nodes"
                if budget.on_progress is not None and time.perf_counter() >= report:
                    budget.on_progress(self.result(None))
                    report = time.perf_counter() + budget.report_every

    def _sizes(self, size: int, left: int | None) -> list[int]:
        """Return how many nodes each chunk of a round plays."""
        if left is None or left >= size * self.chunks:
            return [size] * self.chunks
        whole, rest = divmod(left, size)
        return [size] * whole + [rest] * (rest > 0)
