"""The search that is the default: let a matrix tree grow, answer with its root's equilibrium, and try to refute that.

What the answer is worth against best replies is not told by the matrix that it solves, in which nobody gains anything.
So a twelfth of the work comes after the answer and tries to refute it: the tree grows on behind the replies that
look best against either strategy, those never looked at first among equals, and the replies are priced on the values
that have come out then.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from .search import Budget, Only, SearchResult, StoppedBy, nothing_known
from .tree import CHECK, CLOSED, LEAST_CHECK, Answer, Tree

if TYPE_CHECKING:
    from ._kernel import Position
    from .evaluation import Name

__all__ = ["run", "search"]


def run(
    position: Position,
    seed: int,
    threads: int,
    budget: Budget,
    *,
    weights: Name = "fitted",
    only: Only = (None, None),
) -> SearchResult:
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
    only
        As for `Tree`.
    """
    begun = started = time.perf_counter()
    tree: Tree | None = None
    try:
        tree = Tree(position, memory_mb=budget.memory_mb, threads=threads, weights=weights, only=only)
    except KeyboardInterrupt:
        if not budget.keep_on_interrupt:
            raise
    started = time.perf_counter()
    if tree is None or budget.nodes == 0:
        return nothing_known(position, only, started - begun, "interrupt" if tree is None else "nodes")
    return search(tree, budget, None if budget.nodes is None else budget.nodes - 1, started, started - begun)


def search(tree: Tree, budget: Budget, most: int | None, started: float, compile_seconds: float) -> SearchResult:
    """Let a tree grow, and try to refute what it says.

    Parameters
    ----------
    tree : Tree
        Anew, or from the last turn.
    budget : Budget
        When to end; its nodes are not looked at.
    most : int or None
        How many nodes to add before the answer.
    started : float
        When the clock began.
    compile_seconds : float
        What to say of the time before that.
    """
    first = tree.nodes
    ended: StoppedBy = "interrupt"
    last: list[Answer] = []

    def tell() -> None:
        assert budget.on_progress is not None
        answer = tree.answer()
        # Of the strategies of the report before: in a matrix that they have just solved nobody gains anything.
        gain = tree.exploitability(*last.pop()[:2]) if last else 2.0
        last.append(answer)
        seconds = time.perf_counter() - started
        budget.on_progress(tree.result(tree.nodes, seconds, compile_seconds, None, answer, gain))

    deadline = math.inf if budget.seconds is None else started + budget.seconds
    try:
        ended = tree.grow(
            most,
            deadline if budget.seconds is None else deadline - CHECK * budget.seconds,
            budget.should_stop,
            None if budget.on_progress is None else tell,
            budget.report_every,
        )
    except KeyboardInterrupt:
        if not budget.keep_on_interrupt:
            raise
    nodes = tree.nodes
    answer = tree.answer()
    gain = tree.proved_exploitability(*answer[:2])
    if gain > CLOSED:
        more = 2**31 - 1 if ended == "seconds" else max(LEAST_CHECK, int(CHECK * (nodes - first)))
        try:
            gain = tree.refute(*answer[:2], more, -math.inf if ended == "interrupt" else deadline, budget.should_stop)
        except KeyboardInterrupt:
            if not budget.keep_on_interrupt:
                raise
            ended = "interrupt"
            gain = tree.exploitability(*answer[:2])
    return tree.result(nodes, time.perf_counter() - started, compile_seconds, ended, answer, gain)
