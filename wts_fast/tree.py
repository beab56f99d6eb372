"""The matrix tree: a search that solves a matrix game at every node and answers with the root's equilibrium.

The tree grows best-first. A node's matrix holds the evaluation of every joint turn, and, behind the turns that matter,
the value of a node of their own; every node above a new one is solved anew, so nothing is averaged. A round of
leaves is chosen one after another and opened by all threads: the tree, and so the answer, is the same for any number
of threads.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import matrix
from ._matrix_jit import share
from .search import Continuation, Only, SearchResult, StoppedBy
from .symmetry import groups, is_its_own_negative

if TYPE_CHECKING:
    from ._kernel import Position
    from .evaluation import Name

__all__ = ["CHECK", "CLOSED", "LEAST_CHECK", "Answer", "Tree"]

Floats = npt.NDArray[np.float64]
Answer = tuple[Floats, Floats, float]  # both strategies over the squares, and Black's value

_MOST_SLOTS = 4096  # matrices kept; a smaller heap of them is filled and found faster
_LEAST_SLOTS = 512
_ASK = 0.005  # seconds between two questions whether to stop
CHECK = 1 / 12  # of the work, to refute the answer
LEAST_CHECK = 32  # nodes
_TEMPTING = 0.03  # a reply that wins so much less than the best gets 1/e of its share of the check
CLOSED = 1e-9  # bounds so near are a value


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
    only : (sequence of int or None, sequence of int or None), optional
        The squares that Black and White may choose at the root, at least one each; None for all that are empty. It ends
        with this turn: `advance` frees both.

    Attributes
    ----------
    position : Position
        The root.
    """

    def __init__(
        self,
        position: Position,
        *,
        memory_mb: int = 512,
        threads: int = 1,
        weights: Name = "fitted",
        only: Only = (None, None),
    ) -> None:
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
            self.plant(position, only)
            # Calls without work: they only make sure of the compiled code.
            self._choose(0)
            self._merge(0, 0)
            self.exploitability(*self.answer()[:2])
            matrix.solve(np.zeros((1, 1)))
            share(np.ones(1), np.zeros(1, np.int64), 1)
            _tree_jit.transplant(self._nodes, 0, 1, np.zeros(1, _node_jit.NODE), np.zeros(3, np.int64))

    def plant(self, position: Position, only: Only = (None, None)) -> None:
        """Begin anew with one node.

        Parameters
        ----------
        position : Position
            The root; its game is not over.
        only
            As for `Tree`.
        """
        from ._bridge import state_words

        self.position = position
        self._slots["owner"][: self._counts[0] + 1] = 0
        root = self._nodes[0]
        root["state"] = state_words(position)
        root["parent"] = root["sibling"] = -1
        root["visits"] = 1
        root["depth"] = root["slot"] = 0
        legal = position.legal
        self._allowed = [np.array([squares is None or s in squares for s in legal]) for squares in only]
        self._limited = not all(allowed.all() for allowed in self._allowed)
        root["mix"] = 0
        for side, allowed in enumerate(self._allowed):
            root["mix"][side, : len(legal)][~allowed] = -1
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

    def _settle(self, node: int) -> tuple[Floats, Floats]:
        """Solve the matrix of a node that has it; return its equilibrium over the squares."""
        size = int(self._nodes[node]["size"])
        black, white = np.empty(size), np.empty(size)
        self._inside.settle(self._nodes, self._slots, node, self._parameters, self._works[0], black, white)
        return black, white

    def _strategies(self, node: int) -> Answer:
        """Return the equilibrium of a node's matrix over its squares, and its value, and change nothing."""
        self._counts[2] += 1
        self._growth.recall(self._nodes, self._slots, self._counts, node, self._weights)
        # Solved again, a node may come to another equilibrium of its matrix, and the search would go another way.
        before = self._nodes[node].copy()
        black, white = self._settle(node)
        value = float(self._nodes[node]["value"])
        self._nodes[node] = before
        return black, white, value

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
        legal = self.position.legal
        cell = legal.index(black) * len(legal) + legal.index(white)
        after = self.position.play(black, white)
        for child in self._children():
            if self._nodes[child]["cell"] == cell:
                self._take(child, after)
                return True
        self.plant(after)
        return False

    def follow(self, position: Position) -> bool:
        """Go to a position, and keep what is known of it if it is the root or one turn behind it.

        Parameters
        ----------
        position : Position
            Whose game is not over.

        Returns
        -------
        bool
            Whether anything was known; otherwise the tree begins anew.
        """
        if position == self.position and not self._limited:
            return True
        legal = self.position.legal
        for child in self._children():
            row, column = divmod(int(self._nodes[child]["cell"]), len(legal))
            if self.position.play(legal[row], legal[column]) == position:
                self._take(child, position)
                return True
        self.plant(position)
        return False

    def _children(self, node: int = 0) -> Iterator[int]:
        """Go through a node's children, the youngest first."""
        child = int(self._nodes[node]["child"])
        while child >= 0:
            yield child
            child = int(self._nodes[child]["sibling"])

    def _take(self, child: int, position: Position) -> None:
        """Make a node the root, which stands for `position`, and drop all that does not lie behind it."""
        old, used = self._nodes, self.nodes
        self._nodes = np.zeros(self._most, self._inside.NODE)
        # Slots are taken in their order, one for a node at most until all are used: no other can have an owner.
        self._slots["owner"][: used + 1] = 0
        self._counts[1] = 1
        self._growth.transplant(old, child, used, self._nodes, self._counts)
        self.position = position
        self._allowed = [np.ones(len(position.legal), bool)] * 2
        self._limited = False

    def grow(
        self,
        most: int | None = None,
        deadline: float = math.inf,
        should_stop: Callable[[], object] | None = None,
        on_progress: Callable[[], object] | None = None,
        report_every: float = 0.25,
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
            Called while it grows.
        report_every : float
            How often, in seconds.
        """
        end = None if most is None else self.nodes + most
        # What refutes the answer needs room as well.
        room = int(self._most / (1 + CHECK)) - LEAST_CHECK
        ask = time.perf_counter()
        report = ask + report_every
        with ExitStack() as stack:
            pool = self._pool(stack)
            while end is None or self.nodes < end:
                now = time.perf_counter()
                if now >= deadline:
                    return "seconds"
                if now >= ask:
                    ask = now + _ASK
                    if should_stop is not None and should_stop():
                        return "interrupt"
                    if on_progress is not None and now >= report:
                        report = now + report_every
                        on_progress()
                left = room - self.nodes if end is None else min(room, end) - self.nodes
                if left <= 0:
                    return "memory"
                if not self._round(left, pool):
                    return "solved"
        return "nodes"

    def _pool(self, stack: ExitStack) -> ThreadPoolExecutor | None:
        """Return the other threads, if there are any, until the end of a block."""
        if self.threads == 1:
            return None
        pool = ThreadPoolExecutor(self.threads - 1, "wts-tree")
        stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        return pool

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

    def continuations(
        self, n: int = 5, turns: int = 4, mixes: tuple[Floats, Floats] | None = None
    ) -> tuple[Continuation, ...]:
        """Return the likeliest lines of joint turns that the tree holds.

        Parameters
        ----------
        n : int
            How many at most.
        turns : int
            How many turns of each at most. A line ends earlier where the tree does, or the game.
        mixes : (ndarray, ndarray), optional
            The strategies at the root, if others than the equilibrium of its matrix.
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
            black, white = mixes if node == 0 and mixes is not None else self._strategies(node)[:2]
            squares = position.legal
            children = {int(self._nodes[c]["cell"]): c for c in self._children(node) if self._nodes[c]["size"] > 0}
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

    def answer(self) -> Answer:
        """Return the strategies of both players over the squares, and Black's value.

        They are an equilibrium of the root's matrix, or, once the value is proved, of its bounds; and symmetric
        where the position is.
        """
        black, white, value = self._strategies(0)
        lower, upper = self.bounds
        if upper - lower <= CLOSED:
            low, high = self._proved()
            rows, columns = self._allowed
            part = np.ix_(rows, columns)
            proved = np.zeros(len(black)), np.zeros(len(white))
            proved[0][rows], proved[1][columns] = matrix.solve(low[part]).black, matrix.solve(high[part]).white
            if self.proved_exploitability(*proved) < self.proved_exploitability(black, white):
                black, white = proved
        number = None if self._limited else groups(self.position)
        if number is not None:
            n = len(black)
            both = np.concatenate((black, white))
            share(both, number, 2 * n)
            black, white = both[:n], both[n:]
        return black, white, value

    def _proved(self) -> tuple[Floats, Floats]:
        """Return what is proved about each cell of the root."""
        n = int(self._nodes[0]["size"])
        low, high = np.empty(n * n), np.empty(n * n)
        self._inside.cell_bounds(self._nodes, self._slots, 0, low, high)
        return low.reshape(n, n), high.reshape(n, n)

    def proved_exploitability(self, black: Floats, white: Floats) -> float:
        """Return what best replies to both strategies can win together at most, by what is proved."""
        low, high = self._proved()
        return min(2.0, max(0.0, self._gain(high @ white, black @ low)))  # sums are rounded

    def _gain(self, rows: Floats, columns: Floats) -> float:
        """Return what the best replies that are allowed win together, by Black's value of each."""
        return float(rows[self._allowed[0]].max() - columns[self._allowed[1]].min())

    def payoffs(self) -> Floats:
        """Return Black's value of each joint turn at the root, by all that is known now."""
        n = int(self._nodes[0]["size"])
        payoff = np.empty(n * n, np.float32)
        self._inside.estimates(self._nodes, self._slots, 0, self._parameters, payoff)
        return payoff.reshape(n, n).astype(np.float64)

    def _prices(self, black: Floats, white: Floats) -> tuple[Floats, Floats]:
        """Return Black's value of each of his squares against White's strategy, and of each of White's against his."""
        cells = self.payoffs()
        return cells @ white, black @ cells

    def exploitability(self, black: Floats, white: Floats) -> float:
        """Return what best replies to both strategies win together by the values that the tree has now."""
        rows, columns = self._prices(black, white)
        return min(max(0.0, self._gain(rows, columns)), self.proved_exploitability(black, white))

    def refute(
        self,
        black: Floats,
        white: Floats,
        most: int,
        deadline: float = math.inf,
        should_stop: Callable[[], object] | None = None,
    ) -> float:
        """Grow behind the best replies to two strategies; return their `exploitability` by what has come out.

        Parameters
        ----------
        black, white : ndarray
            The strategies, over the squares of the root.
        most : int
            How many nodes to add at most.
        deadline : float
            When to end, by `time.perf_counter`; one round is made in any case.
        should_stop : callable, optional
            Asked before each further round.
        """
        root = self._nodes[0]
        mixes = black, white
        first = self.nodes
        with ExitStack() as stack:
            pool = self._pool(stack)
            side = idle = 0
            while idle < 2 and self.nodes - first < most:
                if self.nodes > first and (
                    time.perf_counter() >= deadline or (should_stop is not None and should_stop())
                ):
                    break
                # This side's strategy stands, and the other looks for what beats it.
                prices = self._prices(black, white)[1 - side]
                allowed = self._allowed[1 - side]
                regrets = prices - prices[allowed].min() if side == 0 else prices[allowed].max() - prices
                tempting = np.where(allowed, np.exp(-np.maximum(0.0, regrets) / _TEMPTING), 0.0)
                n = len(prices)
                likely = np.argsort(-mixes[side], kind="stable")[
                    : min(np.count_nonzero(mixes[side]), self._inside.KEPT)
                ]
                root["mix"][side, :n] = mixes[side]
                root["mix"][1 - side, :n] = tempting / tempting.sum()
                for k in range(2):
                    root["mix"][k, :n][~self._allowed[k]] = -1
                root["kept"][side, : len(likely)] = likely
                root["num_kept"][side] = len(likely)
                root["num_kept"][1 - side] = 0
                idle = 0 if self._round(most - (self.nodes - first), pool) else idle + 1
                side = 1 - side
        found = self.exploitability(black, white)
        self._settle(0)  # the root is as it was, but for what is known now
        return found

    def result(
        self,
        nodes: int,
        seconds: float,
        compile_seconds: float,
        stopped_by: StoppedBy | None,
        answer: Answer | None = None,
        exploitability: float = 2.0,
    ) -> SearchResult:
        """Return what the root knows.

        Parameters
        ----------
        nodes, seconds, compile_seconds, stopped_by
            What to say of the work.
        answer : (ndarray, ndarray, float), optional
            What the result shall stand for; what `answer` says now if left out.
        exploitability : float
            What best replies to them win together, if it is known.
        """
        black, white, value = self.answer() if answer is None else answer
        proved = self.proved_exploitability(black, white)
        lower, upper = self.bounds
        value = min(upper, max(lower, value))
        needs_r25 = upper - lower > CLOSED and not self._limited and is_its_own_negative(self.position)
        if needs_r25:
            value = lower = upper = 0.0
        return SearchResult(
            value=value,
            standard_error=0.0,
            lower=lower,
            upper=upper,
            black=black,
            white=white,
            exploitability=min(exploitability, proved),
            nodes=nodes,
            playouts=0,
            unfinished=0,
            seconds=seconds,
            compile_seconds=compile_seconds,
            stopped_by=stopped_by,
            continuations=self.continuations(mixes=(black, white)),
            proved_exploitability=proved,
            needs_r25=needs_r25,
            payoffs=self.payoffs(),
        )
