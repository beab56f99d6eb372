"""Monte Carlo tree search for simultaneous moves, with five ways to learn: `_learners_jit` says what each is and whose.

Several learners grow trees of their own, from seeds of their own, and are added up in their order: that is what threads
share. Their number does not depend on the threads, so neither does the answer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from .errors import WtsError
from .search import Budget, Search, SearchResult, StoppedBy
from .squares import NUM_SQUARES

if TYPE_CHECKING:
    from ._kernel import Position
    from .evaluation import Name

__all__ = ["CAP", "EXPLORATION", "Final", "Leaf", "Rule", "run"]

Rule = Literal["duct", "rm", "rm+", "exp3", "oos"]
Leaf = Literal["playouts", "evaluation"]
Final = Literal["average", "root-matrix"]

#: The parameter of exploration where none is given. As in the paper that compares the rules; the factor of decoupled
#: UCT, which the paper chooses anew for each game, is for results in [-1, 1].
EXPLORATION: dict[Rule, float] = {"duct": 0.5, "rm": 0.1, "rm+": 0.1, "exp3": 0.1, "oos": 0.6}

#: Turns of a random game; from the start they last about 29.
CAP = 1000

_RULES: tuple[Rule, ...] = ("duct", "rm", "rm+", "exp3", "oos")  # in the order of their numbers
_FITS = 20  # rounds of fitting the root's matrix
_LEAST_NOISE = 1e-3  # as a part of a random game's: the fit divides by what it means


def run(
    position: Position,
    seed: int,
    threads: int,
    budget: Budget,
    *,
    rule: Rule,
    leaf: Leaf = "playouts",
    weights: Name | None = None,
    final: Final = "average",
    exploration: float | None = None,
    learners: int = 1,
) -> SearchResult:
    """Search a position whose game is not over.

    Parameters
    ----------
    rule : {"duct", "rm", "rm+", "exp3", "oos"}
        How players learn.
    leaf : {"playouts", "evaluation"}
        How a new position is valued: by one random game, or by the evaluation.
    weights : {"fitted", "hand"}, optional
        Whose weights the evaluation has; fitted ones if left out.
    final : {"average", "root-matrix"}
        Which strategies are the answer: what the rule calls its own, or the equilibrium of the matrix of this turn as
        the results estimate it.
    exploration : float, optional
        The factor of the bound of decoupled UCT; the other rules: how often a square is tried at random.
    learners : int
        Trees grown beside each other. No more threads than that are of use.

    Raises
    ------
    WtsError
        If there are weights and no evaluation (code ``option-name``).
    """
    if weights is not None and leaf != "evaluation":
        raise WtsError("weights are for leaf=evaluation", code="option-name", field="weights")
    chosen = EXPLORATION[rule] if exploration is None else exploration
    search = _Trees(position, seed, rule, leaf, weights or "fitted", final, chosen, learners, budget.memory_mb)
    return search.run(threads, budget)


class _Learner:
    """One tree, whose arrays grow as it does."""

    def __init__(self, words: npt.NDArray[np.uint64], k: int, rule: Rule, seed: np.uint64, number: int, limit: int):
        from ._learners_jit import first_memory, width
        from ._mcts_jit import Tree
        from ._random_jit import begin

        self.number = _RULES.index(rule)
        memory = 2 * width(self.number) * k
        lists = 2 * k if rule in ("rm", "rm+") else 0
        self.tree = Tree(
            root=words,
            rng=np.empty(4, np.uint64),
            counts=np.array([1, memory, lists, 0, 0, 0], np.int64),
            limit=np.array([limit], np.int64),
            key=np.full(1, -1, np.int64),
            visits=np.zeros(1, np.int64),
            total=np.zeros(1),
            outcome=np.zeros(1, np.uint8),
            size=np.full(1, k, np.int32),
            begin=np.zeros(1, np.int64),
            head=np.zeros(1, np.int64),
            next_in_row=np.full(1, -1, np.int32),
            next_in_column=np.full(1, -1, np.int32),
            heads=np.full(lists, -1, np.int32),
            memory=np.full(memory, first_memory(self.number)),
            table=np.zeros(2, np.int32),
            averages=np.zeros((2, k)),
            games=np.zeros((k, k), np.int64),
            wins=np.zeros((k, k)),
            squares=np.zeros((k, k)),
        )
        begin(self.tree.rng, seed, np.uint64(number))

    def make_room(self, iterations: int) -> None:
        """Make the arrays large enough for all that so many iterations can add, within the limit."""
        from ._learners_jit import width
        from ._mcts_jit import BYTES_OF_NODE, rehash

        nodes, memory, lists = (int(n) for n in self.tree.counts[:3])
        limit = int(self.tree.limit[0])
        changed: dict[str, npt.NDArray[Any]] = {}

        def grow(name: str, used: int, more: int, size_of: int) -> None:
            array = getattr(self.tree, name)
            need = min(used + more, max(used, limit // size_of))
            if need > len(array):
                larger = np.empty(max(need, min(2 * len(array), limit // size_of)), array.dtype)
                larger[:used] = array[:used]
                changed[name] = larger

        for name in ("key", "visits", "total", "outcome", "size", "begin", "head", "next_in_row", "next_in_column"):
            grow(name, nodes, iterations, BYTES_OF_NODE)
        grow("memory", memory, iterations * 2 * width(self.number) * NUM_SQUARES, 8)
        if len(self.tree.heads):
            grow("heads", lists, iterations * 2 * NUM_SQUARES, 4)
        if not changed:
            return
        self.tree = self.tree._replace(**changed)
        wanted = 1 << (2 * len(self.tree.key)).bit_length()
        if wanted > len(self.tree.table):
            self.tree = self.tree._replace(table=np.zeros(wanted, np.int32))
            rehash(self.tree)


class _Trees(Search[int]):
    """All learners of one search."""

    def __init__(
        self,
        position: Position,
        seed: int,
        rule: Rule,
        leaf: Leaf,
        weights: Name,
        final: Final,
        exploration: float,
        learners: int,
        memory_mb: int,
    ) -> None:
        super().__init__(position, seed)
        self.chunks = learners
        self.first = self.most = 256
        self.rule: Rule = rule
        self.leaf = leaf
        self.named = weights
        self.final = final
        self.exploration = exploration
        self.memory_mb = memory_mb
        self.learners: list[_Learner] = []

    def load(self) -> None:
        from . import evaluation
        from ._bridge import state_words
        from ._flat_jit import estimate
        from ._jit import compiling
        from ._mcts_jit import descend

        self.descend = descend
        self.estimate = estimate
        self.weights = np.array(evaluation.weights(self.named)) if self.leaf == "evaluation" else np.empty(0, np.int16)
        words = state_words(self.position)
        k = len(self.squares)
        # The arrays grow by doubling: what is in use is at least half of what there is.
        limit = self.memory_mb * 2**19 // self.chunks
        with compiling():
            learners = [_Learner(words, k, self.rule, self.seed, n, limit) for n in range(self.chunks)]
            learners[0].make_room(1)
            self._descend(learners[0], 0)
            self._matrix(learners)
        self.learners = learners

    def _descend(self, learner: _Learner, iterations: int) -> None:
        self.descend(learner.tree, learner.number, self.exploration, self.weights, CAP, iterations)

    def play(self, chunk: int, nodes: int) -> int:
        learner = self.learners[chunk % self.chunks]
        learner.make_room(nodes)
        self._descend(learner, nodes)
        return nodes

    def add(self, parts: list[int]) -> None:
        pass  # the learners keep what they learn, and are added up where it is asked for

    def _matrix(self, learners: list[_Learner]) -> tuple[npt.NDArray[np.float64], float]:
        """Return the estimated payoffs of this turn, and the variance of one result in a cell."""
        k = len(self.squares)
        games = np.zeros((k, k), np.int64)
        wins = np.zeros((k, k))
        squares = np.zeros((k, k))
        for learner in learners:
            games += learner.tree.games
            wins += learner.tree.wins
            squares += learner.tree.squares
        played = int(games.sum())
        met = games > 0
        within = float(squares.sum() - (wins[met] ** 2 / games[met]).sum())
        degrees = played - int(met.sum())
        whole = 1.0 - (float(wins.sum()) / max(1, played)) ** 2 + 1e-3
        # With few cells met twice, results count as scattered as those of random games.
        noise = (max(0.0, within) + whole) / (degrees + 1)
        payoff = np.empty((k, k))
        effects = np.zeros((2, k))
        for _ in range(_FITS if played else 1):
            before = effects.copy()
            self.estimate(games, wins, effects, payoff, min(1.0, max(_LEAST_NOISE, noise / whole)))
            if np.abs(effects - before).max() < 1e-6:
                break
        return payoff, noise

    def result(self, stopped_by: StoppedBy | None) -> SearchResult:
        k = len(self.squares)
        seconds = self.seconds
        games = np.zeros((k, k), np.int64)
        averages = np.zeros((2, k))
        counts = np.zeros(6, np.int64)
        for learner in self.learners:
            games += learner.tree.games
            averages += learner.tree.averages
            counts += learner.tree.counts
        played = int(games.sum())
        black, white = (a / a.sum() if a.sum() > 0 else np.full(k, 1 / k) for a in averages)
        value, error, exploitability = 0.0, 1.0, 2.0  # nothing is known
        if played:
            payoff, noise = self._matrix(self.learners)
            if self.final == "root-matrix":
                from . import matrix

                solved = matrix.solve(payoff)
                black, white = solved.black.copy(), solved.white.copy()
            value = min(1.0, max(-1.0, float(black @ payoff @ white)))
            error = _error(black, white, games, noise)
            exploitability = max(0.0, float((payoff @ white).max() - (black @ payoff).min()))
        return SearchResult(
            value=value,
            standard_error=error,
            lower=-1.0,
            upper=1.0,
            black=black,
            white=white,
            exploitability=exploitability,
            nodes=played,
            playouts=int(counts[4]),
            unfinished=int(counts[5]),
            seconds=seconds,
            compile_seconds=self.compile_seconds,
            stopped_by=stopped_by,
        )


def _error(
    black: npt.NDArray[np.float64], white: npt.NDArray[np.float64], games: npt.NDArray[np.int64], noise: float
) -> float:
    """Return how far luck can have moved the mean of the cells' means, weighted as both strategies meet in them.

    Cells that were never met count as one result at distance 1, together.
    """
    weight = np.outer(black, white)
    met = games > 0
    known = float((weight[met] ** 2 * (noise * games[met] + 1) / games[met] ** 2).sum())
    return min(1.0, math.sqrt(known + float(weight[~met].sum()) ** 2))
