"""The matrix tree: a search that solves a matrix game at every node and answers with the root's equilibrium.

The tree grows best-first. A node's matrix holds the evaluation of every joint turn, and, behind the turns that matter,
the value of a node of their own; every node above a new one is solved anew, so nothing is averaged. A round of
leaves is chosen one after another and opened by all threads: the tree, and so the answer, is the same for any number
of threads.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .search import Budget, Continuation, SearchResult, StoppedBy

if TYPE_CHECKING:
    from ._kernel import Position
    from .evaluation import Name

__all__ = ["Tree", "run"]

Floats = npt.NDArray[np.float64]

_MOST_SLOTS = 4096  # matrices kept; a smaller heap of them is filled and found faster
_LEAST_SLOTS = 512
_ASK = 0.005  # seconds between two questions whether to stop
_REPORT = 0.25


class Tree:
    """A search tree that can grow, be asked, and follow a game.

    Parameters
    ----------
    position : Position
        The root; its game is not over.
    memory_mb : int
        What the tree may take, about; growth ends cleanly when it is used up.
    threads : int
        How many threads open leaves.
    weights : {"fitted", "hand"}
        Whose weights the evaluation has.

    Attributes
    ----------
    position : Position
        The root.
    """

    def __init__(self, position: Position, *, memory_mb: int = 512, threads: int = 1, weights: Name = "fitted") -> None:
        from . import _double_jit, _node_jit, _tree_jit, evaluation
        from ._jit import compiling

        self.position = position
        self.threads = threads
        self._inside: Any = _node_jit
        self._growth: Any = _tree_jit
        self._parameters = _node_jit.PARAMETERS.copy()
        self._weights = evaluation.weights(weights)
        memory = memory_mb * 2**20
        slots = min(_MOST_SLOTS, max(_LEAST_SLOTS, memory // 4 // _node_jit.SLOT.itemsize))
        self._most = max(1024, (memory - slots * _node_jit.SLOT.itemsize) // _node_jit.NODE.itemsize)
        # The system gives memory as it is written to, so what a short search does not use costs nothing.
        self._slots = np.zeros(slots, _node_jit.SLOT)
        self._nodes = np.zeros(self._most, _node_jit.NODE)
        self._counts = np.array([1, 1, 1], np.int64)
        self._seen = np.zeros(81 * 81, np.int32)
        with compiling():
            self._works = [_double_jit.new_work(81, 81) for _ in range(threads)]
            self.plant(position)
            # Calls without work: they only make sure of the compiled code.
            self._choose(0)
            self._merge(0, 0)
            self._strategies(0)
            _tree_jit.transplant(self._nodes, 0, 1, np.zeros(1, _node_jit.NODE), np.zeros(3, np.int64))

    def plant(self, position: Position) -> None:
        """Begin anew with one node.

        Parameters
        ----------
        position : Position
            The root; its game is not over.
        """
        from ._bridge import state_words

        self.position = position
        self._slots["owner"][: self._counts[0] + 1] = 0
        root = self._nodes[0]
        root["state"] = state_words(position)
        root["parent"] = root["sibling"] = -1
        root["visits"] = 1
        root["depth"] = root["slot"] = 0
        self._counts[:2] = 1
        self._open(0, 1, 0)

    def _open(self, first: int, last: int, thread: int) -> None:
        self._inside.open_leaves(
            self._nodes, self._slots, self._parameters, self._weights, first, last, self._works[thread]
        )

    def _choose(self, left: int) -> int:
        return int(self._growth.choose_leaves(self._nodes, self._slots, self._counts, self._weights, left, self._seen))

    def _merge(self, first: int, last: int) -> None:
        self._growth.merge_leaves(
            self._nodes, self._slots, self._counts, self._parameters, self._weights, first, last, self._works[0]
        )

    def _strategies(self, node: int) -> tuple[Floats, Floats, float, float]:
        """Return the equilibrium of a node's matrix over its squares, its value and its gap, and change nothing."""
        size = int(self._nodes[node]["size"])
        black, white = np.empty(size), np.empty(size)
        self._counts[2] += 1
        self._growth.recall(self._nodes, self._slots, self._counts, node, self._weights)
        # Solved again, a node may come to another equilibrium of its matrix, and the search would go another way.
        before = self._nodes[node].copy()
        gap = self._inside.settle(self._nodes, self._slots, node, self._parameters, self._works[0], black, white)
        value = float(self._nodes[node]["value"])
        self._nodes[node] = before
        return black, white, value, float(gap)

    @property
    def nodes(self) -> int:
        """How many nodes the tree has, the root included."""
        return int(self._counts[0])

    @property
    def value(self) -> float:
        """What the root is worth to Black, as far as is known by now."""
        return float(self._nodes[0]["value"])

    @property
    def bounds(self) -> tuple[float, float]:
        """What is proved about Black's value."""
        return float(self._nodes[0]["lower"]), float(self._nodes[0]["upper"])

    def advance(self, black: int, white: int) -> bool:
        """Follow a turn of the game: its node becomes the root, and what lies behind it stays.

        Parameters
        ----------
        black, white : int
            Legal squares; the game is not over after them.

        Returns
        -------
        bool
            Whether the turn had a node; otherwise the tree begins anew.
        """
        after = self.position.play(black, white)
        legal = self.position.legal
        cell = legal.index(black) * len(legal) + legal.index(white)
        child = int(self._nodes[0]["child"])
        while child >= 0 and self._nodes[child]["cell"] != cell:
            child = int(self._nodes[child]["sibling"])
        if child < 0:
            self.plant(after)
            return False
        old, used = self._nodes, self.nodes
        self._nodes = np.zeros(self._most, self._inside.NODE)
        self._slots["owner"][: used + 1] = 0
        self._growth.transplant(old, child, used, self._nodes, self._counts)
        self.position = after
        return True

    def grow(
        self,
        most: int | None = None,
        deadline: float = math.inf,
        should_stop: Callable[[], object] | None = None,
        on_progress: Callable[[], object] | None = None,
    ) -> StoppedBy:
        """Add nodes until a limit is reached; return what ended it.

        Parameters
        ----------
        most : int, optional
            How many nodes to add.
        deadline : float
            When to end, by `time.perf_counter`.
        should_stop : callable, optional
            Asked some hundred times a second; growth ends once it returns something true.
        on_progress : callable, optional
            Called about four times a second.
        """
        end = None if most is None else self.nodes + most
        ask = time.perf_counter()
        report = ask + _REPORT
        with ExitStack() as stack:
            pool = None
            if self.threads > 1:
                pool = ThreadPoolExecutor(self.threads - 1, "wts-tree")
                stack.callback(pool.shutdown, wait=True, cancel_futures=True)
            while end is None or self.nodes < end:
                now = time.perf_counter()
                if now >= deadline:
                    return "seconds"
                if now >= ask:
                    ask = now + _ASK
                    if should_stop is not None and should_stop():
                        return "interrupt"
                    if on_progress is not None and now >= report:
                        report = now + _REPORT
                        on_progress()
                if not self._round(2**31 - 1 if end is None else end - self.nodes, pool):
                    return "memory" if self.nodes >= self._most else "solved"
        return "nodes"

    def _round(self, left: int, pool: ThreadPoolExecutor | None) -> int:
        """Take one round of leaves into the tree, at most `left`; return how many."""
        first = self.nodes
        parts: list[Future[None]] = []
        try:
            count = self._choose(left)
            if pool is None or count == 1:
                self._open(first, first + count, 0)
            else:
                edges = [first + count * k // self.threads for k in range(self.threads + 1)]
                for thread in range(1, self.threads):
                    parts.append(pool.submit(self._open, edges[thread], edges[thread + 1], thread))
                self._open(edges[0], edges[1], 0)
                for part in parts:
                    part.result()
            self._merge(first, first + count)
        except BaseException:
            # An interrupt, most likely: the round is brought to its end, so that the tree can still be used.
            for part in parts:
                part.cancel() or part.exception()
            self._open(first, self.nodes, 0)
            self._merge(first, self.nodes)
            raise
        return count

    def continuations(self, n: int = 5, turns: int = 4) -> tuple[Continuation, ...]:
        """Return the likeliest lines of joint turns that the tree holds.

        Parameters
        ----------
        n : int
            How many at most.
        turns : int
            How many turns of each at most. A line ends earlier where the tree does, or the game.
        """
        found: list[Continuation] = []
        # Nodes still to be followed, likeliest first: (line so far, position before its last turn, node).
        waiting: list[tuple[Continuation, Any, int]] = []
        start = Continuation((), 1.0, float(self._nodes[0]["value"]))
        waiting.append((start, self.position, 0))
        while waiting and len(found) < n:
            waiting.sort(key=lambda entry: (-entry[0].probability, entry[0].turns))
            line, position, node = waiting.pop(0)
            if node < 0 or len(line.turns) == turns:
                found.append(line)
                continue
            if line.turns:
                position = position.play(*line.turns[-1])
            black, white, _, _ = self._strategies(node)
            squares = position.legal
            children = {}
            child = int(self._nodes[node]["child"])
            while child >= 0:
                if self._nodes[child]["size"] > 0:
                    children[int(self._nodes[child]["cell"])] = child
                child = int(self._nodes[child]["sibling"])
            static = self._slots[self._nodes[node]["slot"]]["cells"].copy()
            for i in np.flatnonzero(black > 1e-4):
                for j in np.flatnonzero(white > 1e-4):
                    cell = int(i) * len(squares) + int(j)
                    child = children.get(cell, -1)
                    value = float(self._nodes[child]["value"] if child >= 0 else static[cell])
                    turn = (squares[i], squares[j])
                    longer = Continuation((*line.turns, turn), line.probability * float(black[i] * white[j]), value)
                    waiting.append((longer, position, child))
        return tuple(found)

    def result(self, nodes: int, seconds: float, compile_seconds: float, stopped_by: StoppedBy | None) -> SearchResult:
        """Return what the root knows."""
        black, white, value, gap = self._strategies(0)
        lower, upper = self.bounds
        return SearchResult(
            value=value,
            standard_error=0.0,
            lower=lower,
            upper=upper,
            black=black,
            white=white,
            exploitability=max(0.0, gap),
            nodes=nodes,
            playouts=0,
            unfinished=0,
            seconds=seconds,
            compile_seconds=compile_seconds,
            stopped_by=stopped_by,
            continuations=self.continuations(),
        )


def run(position: Position, seed: int, threads: int, budget: Budget, *, weights: Name = "fitted") -> SearchResult:
    """Search a position whose game is not over.

    Parameters
    ----------
    position : Position
        With at least one legal square.
    seed : int
        Not used: nothing is drawn.
    threads : int
        At least 1.
    budget : Budget
        When to end. A node is a position whose matrix was solved; the first one is `position`.
    weights : {"fitted", "hand"}
        Whose weights the evaluation has.
    """
    begun = started = time.perf_counter()
    tree: Tree | None = None
    ended: StoppedBy = "interrupt"
    try:
        tree = Tree(position, memory_mb=budget.memory_mb, threads=threads, weights=weights)
        started = time.perf_counter()
        if budget.nodes != 0:
            deadline = math.inf if budget.seconds is None else started + budget.seconds
            report = budget.on_progress

            def tell() -> None:
                assert report is not None
                report(tree.result(tree.nodes, time.perf_counter() - started, started - begun, None))

            ended = tree.grow(
                None if budget.nodes is None else budget.nodes - 1,
                deadline,
                budget.should_stop,
                None if report is None else tell,
            )
        else:
            ended = "nodes"
    except KeyboardInterrupt:
        if not budget.keep_on_interrupt:
            raise
    seconds = time.perf_counter() - started
    if tree is None or budget.nodes == 0:
        n = len(position.legal)
        even = np.full(n, 1 / n)
        return SearchResult(0.0, 0.0, -1.0, 1.0, even, even.copy(), 2.0, 0, 0, 0, seconds, started - begun, ended)
    return tree.result(tree.nodes, seconds, started - begun, ended)
