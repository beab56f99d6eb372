"""`analyze`: mixed strategies and a value for a position."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import methods
from ._kernel import Position
from .errors import WtsError
from .limits import MOST_MEMORY, MOST_NODES, duration, kernel_position, processors, real, whole
from .notation import format_turn
from .search import Budget, Continuation, Only, SearchResult, StoppedBy, nothing_known
from .squares import COLOURS, NUM_SQUARES, Colour, Square, parse_colour, parse_square, square_name

__all__ = ["Analysis", "analyze", "limited_squares"]


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """What `analyze` found.

    Attributes
    ----------
    position : Position
        The position looked at.
    method : str
        How: one of `methods.METHODS`.
    value : float
        Black's value, from -1 to 1: an estimate, or exact if the game is over.
    standard_error : float
        Of `value`, from the spread of the sampled games; 0.0 if the game is over, 1.0 if nothing was sampled.
    black, white : ndarray of float64, shape (81,), read-only
        The strategies: a probability for each square, exactly 0 on occupied ones, together 1; all zero
        if the game is over.
    lower, upper : float
        What is proved about the value: -1 and 1 where nothing is, the exact value if the game is over.
    exploitability : float
        What the best replies to both strategies would win together, an estimate: 2 where nothing is known, never
        more than `proved_exploitability`. ``"tree"``: after the answer, a twelfth of the work looks behind the replies
        that seem best against it, and this is what they win by the values that have come out then; in a report of
        progress, of the strategies of the report before. Other methods: measured on the estimated payoffs of this turn
        (not on the game itself), 0 for an equilibrium of the estimate.
    proved_exploitability : float
        What the best replies to both strategies can win together at most, by what is proved: 2 where nothing is.
    needs_r25 : bool
        Whether `lower` and `upper` hold only because play without end counts as a draw (R25): then a symmetry that
        swaps the colours maps the position to itself, and its value is exactly 0.
    nodes, playouts : int
        Turns sampled from the position, and random games played behind them.
    unfinished : int
        How many of the playouts were cut off; they count as 0.
    seconds, compile_seconds : float
        Time of the search, and time spent before it to load or compile its code.
    seed, threads : int
        As used. The same seed and nodes give the same numbers for any threads.
    stopped_by : {"nodes", "seconds", "interrupt", "memory", "solved", "finished"} or None
        Which limit ended the search; ``"solved"`` if the value is proved; ``"finished"`` if the game is over; None in a
        report of progress.
    continuations : tuple of Continuation
        The likeliest joint turns from here, a few of them, likeliest first, as far as the search has looked; none
        from a search that looks at this turn only.
    payoffs : ndarray of float64, shape (81, 81), read-only, or None
        Black's value of each joint turn as the search knows it in the end, Black's square first, NaN where either
        square is occupied; ``"tree"`` has them, unless the game is over or nothing was searched. Not in `to_dict`.
    """

    position: Position
    method: str
    value: float
    standard_error: float
    black: npt.NDArray[np.float64]
    white: npt.NDArray[np.float64]
    lower: float
    upper: float
    exploitability: float
    nodes: int
    playouts: int
    unfinished: int
    seconds: float
    compile_seconds: float
    seed: int
    threads: int
    stopped_by: StoppedBy | None
    continuations: tuple[Continuation, ...] = ()
    proved_exploitability: float = 2.0
    needs_r25: bool = False
    payoffs: npt.NDArray[np.float64] | None = None

    def top(self, colour: Colour, n: int = 5) -> tuple[tuple[str, float], ...]:
        """Return a player's `n` likeliest squares with their probabilities, likeliest first.

        Parameters
        ----------
        colour : {"black", "white"}
            Whose.
        n : int
            How many at most; squares of probability 0 are left out.

        Raises
        ------
        WtsError
            If `colour` names no player.
        LimitError
            If `n` is not a whole number from 0.
        """
        strategy = (self.black, self.white)[parse_colour(colour)]
        count = whole(n, "n", 0, MOST_NODES)
        order = sorted(np.flatnonzero(strategy).tolist(), key=lambda s: (-strategy[s], s))
        return tuple((square_name(s), float(strategy[s])) for s in order[:count])

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as a dict of JSON values, the strategies by names of squares, likeliest first."""
        data: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__ if name != "payoffs"}
        data["position"] = str(self.position)
        data["continuations"] = [
            {
                "turns": [format_turn(black, white) for black, white in line.turns],
                "probability": line.probability,
                "value": line.value,
            }
            for line in self.continuations
        ]
        data["black"] = dict(self.top("black", NUM_SQUARES))
        data["white"] = dict(self.top("white", NUM_SQUARES))
        return data

    def __repr__(self) -> str:
        def best(colour: Colour) -> str:
            return ", ".join(f"{name}: {part:.2f}" for name, part in self.top(colour, 3)) or "none"

        return (
            f"<Analysis value {self.value:+.3f} ± {self.standard_error:.3f}, "
            f"black {best('black')}, white {best('white')}, nodes {self.nodes}>"
        )

    def _repr_svg_(self) -> str:
        """Return both strategies as heat maps, for notebooks."""
        from .draw.svg import svg_pair

        return str(svg_pair(self.position, self.black, self.white, value=self.value))


def analyze(
    position: Position,
    *,
    method: str = methods.DEFAULT,
    seconds: float | None = None,
    nodes: int | None = None,
    seed: int | None = None,
    threads: int = 1,
    memory_mb: int = 512,
    leaf: Literal["playouts", "evaluation"] | None = None,
    weights: Literal["fitted", "hand"] | None = None,
    final: Literal["average", "root-matrix"] | None = None,
    exploration: float | None = None,
    learners: int | None = None,
    only: Mapping[Colour, Iterable[Square | str]] | None = None,
    report_every: float = 0.25,
    on_progress: Callable[[Analysis], object] | None = None,
    should_stop: Callable[[], object] | None = None,
    keep_on_interrupt: bool = False,
) -> Analysis:
    """Estimate the value of a position and good mixed strategies for both players.

    Parameters
    ----------
    position : Position
        Where to look; an `oracle.Position` will do.
    method : str
        How to search: one of the names in `methods.METHODS`.
    seconds : float, optional
        Wall time, from 0 to a year, counted once the code is compiled. 1.0 if `nodes` is not given either.
    nodes : int, optional
        Nodes of a tree, or turns to sample, from 0. With both limits the first one reached ends the search.
    seed : int, optional
        0 to 2^64 - 1. One is drawn from the system's entropy if left out; the answer names it.
    threads : int
        At least 1; more than there are processors to use are cut down to those.
    memory_mb : int
        Mebibytes for the tree of a search that has one, 1 to 2^20; where they are full it goes on without new nodes.
    leaf : {"playouts", "evaluation"}, optional
        Monte Carlo trees: what values a new position, one random game (``"playouts"``, if left out) or the evaluation.
    weights : {"fitted", "hand"}, optional
        Matrix tree, and Monte Carlo trees with the evaluation: whose weights it has, fitted to games (if left out) or
        set by hand.
    final : {"average", "root-matrix"}, optional
        Monte Carlo trees: whether the answer is what the method calls its strategy (``"average"``, if left out), or the
        equilibrium of the payoffs of this turn as the search estimates them.
    exploration : float, optional
        Monte Carlo trees: the parameter of exploration, 0 to 1; the default is that of the method's paper.
    learners : int, optional
        Monte Carlo trees: how many are grown beside each other and added up, 1 to 64; 1 if left out. No more
        threads than that are of use.
    only : mapping, optional
        Squares by ``"black"`` or ``"white"`` or both: the only ones that this player may choose this turn; method
        ``"tree"``. Strategies, value and bounds are those of the game limited like that.
    report_every : float
        How often to call `on_progress`, in seconds, 0.01 to 3600.
    on_progress : callable, optional
        Called with the `Analysis` so far.
    should_stop : callable, optional
        Asked some hundred times a second. Once it returns something true, the search ends with what it has.
    keep_on_interrupt : bool
        Whether Ctrl-C ends the search with what it has, ``stopped_by`` being ``"interrupt"``,
        instead of raising `KeyboardInterrupt`.

    Returns
    -------
    Analysis
        With ``nodes=0`` the strategies are uniform. If the game is over they are all zero, and the value is exact.

    Raises
    ------
    LimitError
        If a limit, the seed or `threads` is not what it should be; its ``field`` says which.
    WtsError
        If `position` is no position (code ``position-type``), or `method` names none (``method-name``), or
        an option is not one of the method (``option-name``) or not what it should be (``option-value``), or `only`
        cannot be kept (``only-method``, ``only-type``, ``only-empty``, ``only-square``).
    KeyboardInterrupt
        After Ctrl-C, unless `keep_on_interrupt`.

    Notes
    -----
    ``"tree"``, the default, grows a tree whose nodes are matrix games, best first; a leaf has the value of the
    evaluation and the bounds that are proved for it. Backing up solves each game again, so that the answer is an
    equilibrium of the root's game; nodes alone decide it, and the seed does not matter. Squares that symmetries of the
    position map to one another get equal shares. The positions that `exploitability` takes after the answer are not
    among `nodes`, and their time is among `seconds`. See `tree`.

    ``"flat"``: turns are sampled by regret matching, with a quarter of each player's squares chosen at random,
    and each is followed by one uniformly random game. The payoffs of this one turn are estimated from
    the results, and the strategies are the averages of regret matching on that estimate. So the value is that of
    these strategies if all later turns are played at random.

    ``"duct"``, ``"rm"``, ``"rm+"``, ``"exp3"`` and ``"oos"`` are Monte Carlo trees, in which both players learn at
    every node; the value is that of the answer's strategies on the estimated payoffs of this turn.

    Examples
    --------
    >>> import wts_fast as wts
    >>> found = wts.analyze(wts.Position(), nodes=2000, seed=1)
    >>> found.nodes, found.stopped_by, bool(abs(found.black.sum() - 1) < 1e-9)
    (2000, 'nodes', True)
    """
    position = kernel_position(position)
    chosen = methods.method(method)
    limit = duration(1.0 if seconds is None and nodes is None else seconds)
    most = None if nodes is None else whole(nodes, "nodes", 0, MOST_NODES)
    number = secrets.randbits(64) if seed is None else whole(seed, "seed", 0, 2**64 - 1)
    used = min(whole(threads, "threads", 1, 2**31 - 1), processors())
    memory = whole(memory_mb, "memory_mb", 1, MOST_MEMORY)
    every = real(report_every, "report_every", 0.01, 3600.0)
    named: dict[str, object] = {
        "leaf": leaf,
        "weights": weights,
        "final": final,
        "exploration": exploration,
        "learners": learners,
    }
    options = chosen.check(named)
    squares = np.array(position.legal, dtype=np.intp)

    def spread(strategy: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        full = np.zeros(NUM_SQUARES)
        full[squares] = strategy
        full.setflags(write=False)
        return full

    def spread_out(payoffs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        full = np.full((NUM_SQUARES, NUM_SQUARES), np.nan)
        full[np.ix_(squares, squares)] = payoffs
        full.setflags(write=False)
        return full

    def analysis(found: SearchResult) -> Analysis:
        return Analysis(
            position=position,
            method=chosen.name,
            value=found.value,
            standard_error=found.standard_error,
            black=spread(found.black),
            white=spread(found.white),
            lower=found.lower,
            upper=found.upper,
            exploitability=found.exploitability,
            nodes=found.nodes,
            playouts=found.playouts,
            unfinished=found.unfinished,
            seconds=found.seconds,
            compile_seconds=found.compile_seconds,
            seed=number,
            threads=used,
            stopped_by=found.stopped_by,
            continuations=found.continuations,
            proved_exploitability=found.proved_exploitability,
            needs_r25=found.needs_r25,
            payoffs=None if found.payoffs is None else spread_out(found.payoffs),
        )

    limited = limited_squares(position, only)
    if limited != (None, None):
        if not chosen.limited:
            names = ", ".join(m.name for m in methods.METHODS.values() if m.limited)
            raise WtsError(
                f"method {chosen.name} takes all squares; {names} can be limited", code="only-method", field="only"
            )
        options["only"] = limited

    outcome = position.outcome
    if outcome is not None:
        exact = float(outcome.value)
        nothing = np.zeros(0)
        ended = SearchResult(exact, 0.0, exact, exact, nothing, nothing, 0.0, 0, 0, 0, 0.0, 0.0, "finished", (), 0.0)
        return analysis(ended)
    if most == 0:
        return analysis(nothing_known(position, limited))
    report = None if on_progress is None else lambda found: on_progress(analysis(found))
    budget = Budget(limit, most, report, should_stop, keep_on_interrupt, memory, every)
    return analysis(chosen.load()(position, number, used, budget, **options))


def limited_squares(position: Position, only: object) -> Only:
    """Return the squares that each player may choose, as numbers.

    Parameters
    ----------
    position : Position
        If its game is over, nothing is limited.
    only : mapping or None
        As for `analyze`.

    Raises
    ------
    WtsError
        If it is no such mapping (code ``only-type``), leaves a player nothing (``only-empty``), or names a square
        that is not empty (``only-square``); the field is ``only.black`` or ``only.white``.
    """
    if only is None:
        return None, None
    if not isinstance(only, Mapping) or not set(only) <= set(COLOURS):
        raise WtsError("expected squares by 'black' and 'white'", code="only-type", field="only")
    found: list[tuple[int, ...] | None] = [None, None]
    for colour, squares in only.items():
        field = f"only.{colour}"
        if isinstance(squares, (str, bytes)) or not isinstance(squares, Iterable):
            raise WtsError("expected squares", code="only-type", field=field)
        numbers = sorted({parse_square(square, field) for square in squares})
        if not numbers:
            raise WtsError("expected at least one square", code="only-empty", field=field)
        if position.outcome is None:
            for number in numbers:
                if number not in position.legal:
                    raise WtsError(f"{square_name(number)} is not empty", code="only-square", field=field)
            found[COLOURS.index(colour)] = tuple(numbers)
    return found[0], found[1]
