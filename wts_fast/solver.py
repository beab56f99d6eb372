"""`solve`: the value of a position, exact or between proved bounds, and strategies that keep to them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import matrix
from ._kernel import Position
from .limits import MOST_NODES, duration, kernel_position, real, whole
from .squares import NUM_SQUARES, SYMMETRIES, Colour, parse_colour, square_name
from .symmetry import square_map

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["EXACT", "Solved", "Solver", "StoppedBy", "solve"]

StoppedBy = Literal["solved", "nodes", "seconds", "memory", "cycles", "interrupt", "finished"]
Floats = npt.NDArray[np.float64]

#: A value whose bounds are this near is exact: what is left is rounding.
EXACT = 1e-9

_LEAST_TOLERANCE = 1e-12
_LEAST_MEMORY, _MOST_MEMORY = 4, 1 << 20
_RATIO = 0.5  # a walk leaves a node when its interval has shrunk by this
_FIRST_WORK = 1 << 14  # before the first look at the clock
_SLICE = 0.02  # seconds between two looks
_MOST_WORK = 1 << 18  # before the next look: some hundredths of a second
_MOST_SWEEPS = 1000  # of a graph in which nothing is left to expand
_NEAREST = 256  # nodes expanded at once where the walk is lost in a cycle


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """What is proved of a position.

    Attributes
    ----------
    position : Position
        The position.
    lower, upper : float
        Black's value lies between them, whatever play without end is worth (R25), unless `needs_r25`.
    value : float
        Their middle: the value itself if `exact`.
    exact : bool
        Whether `lower` and `upper` are at most `EXACT` apart.
    needs_r25 : bool
        Whether the bounds hold only because play without end counts as a draw (R25).
    black, white : ndarray of float64, shape (81,), read-only
        Strategies: a probability for each square, exactly 0 on occupied ones, together 1; all zero if the game is over.
        `black` is the best for the lower bounds of this turn's results, `white` for the upper ones.
    guaranteed, conceded : float
        What `black` wins at least on average, and what `white` loses at most, as far as it is proved.
    exploitability : float
        ``conceded - guaranteed``: what the best replies to both strategies can win together, at most.
    nodes : int
        Positions of which all turns have been looked at, over all runs.
    positions, matrices : int
        Positions known, up to the 16 symmetries, and matrix games solved.
    memory_mb : float
        Memory used for them, in units of 2^20 bytes.
    seconds, compile_seconds : float
        Time of all runs, and time spent before to load or compile the code.
    tolerance : float
        As asked for.
    stopped_by : {"solved", "nodes", "seconds", "memory", "cycles", "interrupt", "finished"} or None
        What ended the last run. ``"solved"``: the bounds are as near as asked for. ``"cycles"``: nothing is left to
        look at, and the rest depends on what play without end is worth. ``"finished"``: the game is over. None in a
        report of progress.
    """

    position: Position
    lower: float
    upper: float
    value: float
    exact: bool
    needs_r25: bool
    black: Floats
    white: Floats
    guaranteed: float
    conceded: float
    exploitability: float
    nodes: int
    positions: int
    matrices: int
    memory_mb: float
    seconds: float
    compile_seconds: float
    tolerance: float
    stopped_by: StoppedBy | None

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
        """Return what is proved as a dict of JSON values, the strategies by names of squares, likeliest first."""
        data: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        data["position"] = str(self.position)
        data["black"] = dict(self.top("black", NUM_SQUARES))
        data["white"] = dict(self.top("white", NUM_SQUARES))
        return data

    def __repr__(self) -> str:
        what = f"value {self.value:+.9f}" if self.exact else f"value in [{self.lower:+.6f}, {self.upper:+.6f}]"
        return f"<Solved {what}, nodes {self.nodes}, stopped by {self.stopped_by}>"


class Solver:
    """Proves bounds of one position's value, in as many runs as you like.

    Parameters
    ----------
    position : Position
        What to solve; an `oracle.Position` will do.
    tolerance : float
        How near the bounds shall come, from 1e-12 to 2.
    memory_mb : int
        How much memory may be used, in units of 2^20 bytes, from 4.

    Raises
    ------
    LimitError
        If `tolerance` or `memory_mb` is not what it should be; its ``field`` says which.
    WtsError
        If `position` is no position (code ``position-type``).

    Notes
    -----
    Bounds start at what is proved at a glance (-1 and 1, or better where one player has squares that complete a row)
    and only ever come nearer: a position's lower bound is the value of the matrix game of the lower bounds of what its
    turns lead to, and so for the upper. So they hold in games that capture and refill squares without end, whatever
    that is worth. The search goes where two strategies, each best for its player if all that is unknown turns out
    well for him, make the bounds meet worst; no turn is left out by a guess. The same position,
    `nodes` and `memory_mb` give the same answer.

    Examples
    --------
    >>> import wts_fast as wts
    >>> solver = Solver(wts.Position("9/9/9/2w6/bbbbe4/2ww5/2w6/9/9 E5"))
    >>> first, second = solver.run(nodes=10), solver.run(nodes=10)
    >>> first.nodes, second.nodes, first.lower <= second.lower <= second.upper <= first.upper
    (10, 20, True)
    """

    def __init__(self, position: Position, *, tolerance: float = EXACT, memory_mb: int = 512) -> None:
        self._position = kernel_position(position)
        self._tolerance = real(tolerance, "tolerance", _LEAST_TOLERANCE, 2.0)
        self._memory = whole(memory_mb, "memory_mb", _LEAST_MEMORY, _MOST_MEMORY) << 20
        self._seconds = 0.0
        self._compile_seconds = 0.0
        self._stopped_by: StoppedBy | None = "finished" if self._position.outcome is not None else None
        self._inner: ModuleType | None = None
        self._graph: Any = None
        self._root = 0
        self._at_a_glance = -1.0, 1.0
        self._lane = 0

    @property
    def solved(self) -> Solved:
        """What is proved so far."""
        return self._report(self._stopped_by, self._seconds)

    def run(
        self,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        on_progress: Callable[[Solved], object] | None = None,
        should_stop: Callable[[], object] | None = None,
        keep_on_interrupt: bool = False,
    ) -> Solved:
        """Go on from what is proved, until the bounds are near enough or a limit is reached.

        Parameters
        ----------
        seconds : float, optional
            Wall time of this run, from 0 to a year, counted once the code is compiled.
        nodes : int, optional
            How many further positions this run may look at, from 0; kept exactly.
        on_progress : callable, optional
            Called about four times a second with what is proved so far.
        should_stop : callable, optional
            Asked some ten times a second at least. Once it returns something true, the run ends with what it has.
        keep_on_interrupt : bool
            Whether Ctrl-C ends the run with what it has, ``stopped_by`` being ``"interrupt"``, instead of raising
            `KeyboardInterrupt`; either way `solved` has it, and the next run goes on from there.

        Returns
        -------
        Solved
            Without limits it takes as long as it takes, and most positions outgrow any memory.

        Raises
        ------
        LimitError
            If a limit is not what it should be; its ``field`` says which.
        KeyboardInterrupt
            After Ctrl-C, unless `keep_on_interrupt`.
        """
        limit = duration(seconds)
        most = None if nodes is None else whole(nodes, "nodes", 0, MOST_NODES)
        if self._position.outcome is not None:
            return self.solved
        before = self._seconds
        begun = time.perf_counter()
        self._stopped_by = "interrupt"
        try:
            compiled = self._compile()
            begun = time.perf_counter()
            self._compile_seconds += compiled

            def progress() -> None:
                if on_progress is not None:
                    on_progress(self._report(None, before + time.perf_counter() - begun))

            deadline = math.inf if limit is None else begun + limit
            self._stopped_by = self._work(deadline, most, progress, should_stop)
        except KeyboardInterrupt:
            if not keep_on_interrupt:
                raise
        finally:
            self._seconds = before + time.perf_counter() - begun
        return self.solved

    def _compile(self) -> float:
        """Load the code, compile it where it is not cached, and make the graph; return the seconds that took."""
        if self._graph is not None:
            return 0.0
        begun = time.perf_counter()
        from . import _solve_jit as inner
        from ._bridge import STATE_WORDS, state_words
        from ._jit import compiling

        # The least graph in which a round has room.
        nodes, cells = 2 * inner.SPARE_NODES, 2 * inner.SPARE_CELLS
        graph = inner.Graph(
            state=np.zeros((nodes, STATE_WORDS), np.uint64),
            key=np.zeros(nodes, np.uint64),
            lower=np.zeros(nodes),
            upper=np.zeros(nodes),
            squares=np.zeros(nodes, np.int32),
            start=np.zeros(nodes, np.int64),
            tried=np.zeros(nodes, np.int32),
            depth=np.zeros(nodes, np.int32),
            table=np.zeros(4 * nodes, np.int32),
            pool=np.zeros(cells, np.int32),
            counts=np.zeros(8, np.int64),
        )
        graph.counts[inner.EFFORT] = inner.FIRST_EFFORT
        with compiling():
            found = int(inner.add_position(graph, state_words(self._position)))
            self._root, self._lane = (found & 0xFFFFFFFF) // 2, found >> 32
            # The root's own bounds shall come from its turns, so that its strategies keep to them.
            self._at_a_glance = float(graph.lower[self._root]), float(graph.upper[self._root])
            graph.lower[self._root], graph.upper[self._root] = -1.0, 1.0
            # Calls that do nothing make sure of the compiled code.
            inner.walk(graph, self._root, 2.0, _RATIO, 0, 0)
            inner.sweep(graph, -1, 0)
            inner.expand_nearest(graph, self._root, 2.0, 0)
            inner.rehash(graph._replace(table=np.zeros(4 * nodes, np.int32)))
        self._inner, self._graph = inner, graph
        return time.perf_counter() - begun

    def _work(
        self,
        deadline: float,
        most: int | None,
        progress: Callable[[], None],
        should_stop: Callable[[], object] | None,
    ) -> StoppedBy:
        """Walk in slices, with a look at the clock between them; return what ended it."""
        inner: Any = self._inner
        counts = self._graph.counts
        goal = counts[inner.EXPANDED] + (MOST_NODES if most is None else most)
        work = _FIRST_WORK
        report = time.perf_counter() + 0.25
        lost: _Lost | None = None
        while True:
            begun = time.perf_counter()
            if begun >= deadline:
                return "seconds"
            left = int(goal - counts[inner.EXPANDED])
            if lost is None:
                code = inner.walk(self._graph, self._root, self._tolerance, _RATIO, left, work)
                if code == inner.SOLVED:
                    return "solved"
                if code == inner.LIMIT:
                    return "nodes"
                if code == inner.ROOM and not self._grow():
                    return "memory"
                if code == inner.STUCK:
                    lost = _Lost(int(counts[inner.CREATED]) - 1)
            elif lost.next >= 0:
                lost.next, found = inner.sweep(self._graph, lost.next, work)
                lost.found = lost.found or found
            elif not inner.has_room(self._graph):
                if not self._grow():
                    return "memory"
            elif left == 0:
                return "nodes"
            elif inner.expand_nearest(self._graph, self._root, self._tolerance, min(left, _NEAREST)):
                lost = None
            elif lost.found and lost.sweeps < _MOST_SWEEPS:
                lost.again()
            else:
                return "cycles"
            now = time.perf_counter()
            work = min(_MOST_WORK, int(work * min(2.0, max(0.5, _SLICE / max(now - begun, 1e-6)))) + 1)
            if should_stop is not None and should_stop():
                return "interrupt"
            if now >= report:
                progress()
                report = time.perf_counter() + 0.25

    def _grow(self) -> bool:
        """Make room for another round by up to doubling what is short of it; return whether the memory allows it."""
        inner: Any = self._inner
        graph = self._graph
        counts = graph.counts
        free = self._memory - _bytes(graph)
        if counts[inner.USED_CELLS] + inner.SPARE_CELLS > graph.pool.size:
            more = min(graph.pool.size, free // 4)
            if graph.pool.size + more < counts[inner.USED_CELLS] + inner.SPARE_CELLS:
                return False
            # In place: the old and the new array would need room for both.
            graph.pool.resize(graph.pool.size + more, refcheck=False)
        if counts[inner.CREATED] + inner.SPARE_NODES > graph.key.size:
            size = graph.key.size
            free = self._memory - _bytes(graph)
            each = sum(array.nbytes for array in graph[:8]) // size
            wanted = graph.table.nbytes if 4 * size > graph.table.size else 0
            more = min(size, (free - wanted) // each)
            if size + more < counts[inner.CREATED] + inner.SPARE_NODES:
                return False
            if wanted:
                # Before the nodes grow: a table that is too large does no harm, whenever Ctrl-C comes.
                larger = graph._replace(table=np.zeros(2 * graph.table.size, np.int32))
                inner.rehash(larger)
                self._graph = graph = larger
            for array in graph[:8]:
                array.resize((size + more, *array.shape[1:]), refcheck=False)
        return True

    def _report(self, stopped_by: StoppedBy | None, seconds: float) -> Solved:
        position = self._position
        outcome = position.outcome
        legal = np.array(position.legal, dtype=np.intp)
        lower, upper = -1.0, 1.0
        guaranteed, conceded = -1.0, 1.0
        black = white = np.full(len(legal), 1 / max(1, len(legal)))
        counts = [0] * 8
        size = 0.0
        if outcome is not None:
            lower = upper = guaranteed = conceded = float(outcome.value)
        elif self._graph is not None:
            counts = self._graph.counts.tolist()
            size = _bytes(self._graph) / (1 << 20)
            low = max(self._at_a_glance[0], float(self._graph.lower[self._root]))
            high = min(self._at_a_glance[1], float(self._graph.upper[self._root]))
            lower, upper = (-high, -low) if self._lane >= len(SYMMETRIES) else (low, high)
            cells = self._cells(legal)
            if cells is not None:
                for_black, for_white = matrix.solve(cells[0]), matrix.solve(cells[1])
                black, guaranteed = for_black.black, for_black.lower
                white, conceded = for_white.white, for_white.upper
        needs_r25 = False
        if outcome is None and upper - lower > EXACT and _mirrors_itself(position):
            # Its value is its own negative.
            lower = upper = 0.0
            needs_r25 = True
        inner: Any = self._inner
        return Solved(
            position=position,
            lower=lower + 0.0,
            upper=upper + 0.0,
            value=(lower + upper) / 2 + 0.0,
            exact=upper - lower <= EXACT,
            needs_r25=needs_r25,
            black=_spread(legal, black),
            white=_spread(legal, white),
            guaranteed=guaranteed,
            conceded=conceded,
            exploitability=max(0.0, conceded - guaranteed),
            nodes=counts[inner.EXPANDED] if inner else 0,
            positions=counts[inner.CREATED] if inner else 0,
            matrices=counts[inner.MATRICES] if inner else 0,
            memory_mb=size,
            seconds=seconds,
            compile_seconds=self._compile_seconds,
            tolerance=self._tolerance,
            stopped_by=stopped_by,
        )

    def _cells(self, legal: npt.NDArray[np.intp]) -> tuple[Floats, Floats] | None:
        """Return the matrices of bounds of the position's turns, rows Black's legal squares; None before it has any."""
        inner: Any = self._inner
        if self._graph.start[self._root] == inner.OFF:
            return None
        n = len(legal)
        lower, upper = np.empty((n, n)), np.empty((n, n))
        inner.bounds_of_cells(self._graph, self._root, lower, upper)
        # The node is a symmetric image of the position: find each square's place there.
        places = np.argsort(np.argsort(square_map(SYMMETRIES[self._lane % len(SYMMETRIES)])[legal]))
        if self._lane >= len(SYMMETRIES):
            lower, upper = -upper.T, -lower.T
        return lower[np.ix_(places, places)], upper[np.ix_(places, places)]


class _Lost:
    """What is done where rounds are in vain: all nodes are updated, `next` first; `found` says if that did anything."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.sweeps = 0
        self.again()

    def again(self) -> None:
        self.next = self.last
        self.sweeps += 1
        self.found = False


def solve(
    position: Position,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    tolerance: float = EXACT,
    memory_mb: int = 512,
    on_progress: Callable[[Solved], object] | None = None,
    should_stop: Callable[[], object] | None = None,
    keep_on_interrupt: bool = False,
) -> Solved:
    """Prove the value of a position, exactly or between bounds, with strategies that keep to them.

    Parameters
    ----------
    position : Position
        What to solve; an `oracle.Position` will do.
    tolerance : float
        How near the bounds shall come, from 1e-12 to 2.
    memory_mb : int
        How much memory may be used, in units of 2^20 bytes, from 4.
    seconds, nodes, on_progress, should_stop, keep_on_interrupt
        As for `Solver.run`.

    Returns
    -------
    Solved
        Near-full boards are mostly solved in milliseconds; elsewhere expect bounds.

    Raises
    ------
    LimitError
        If a limit is not what it should be; its ``field`` says which.
    WtsError
        If `position` is no position (code ``position-type``).
    KeyboardInterrupt
        After Ctrl-C, unless `keep_on_interrupt`.

    Examples
    --------
    >>> import wts_fast as wts
    >>> board = "wwbwwwwbb/wbwwb1bbb/bbwbbwbwb/bbbbwbwww/wwbbwbwbb/bbwwbwwbb/wwbw1wbwb/ebwwbbwbw/bbw1wwwwb A2"
    >>> found = wts.solve(wts.Position(board))
    >>> round(found.value, 9), found.exact, found.exploitability < 1e-9
    (-0.125, True, True)
    """
    solver = Solver(position, tolerance=tolerance, memory_mb=memory_mb)
    return solver.run(
        seconds=seconds,
        nodes=nodes,
        on_progress=on_progress,
        should_stop=should_stop,
        keep_on_interrupt=keep_on_interrupt,
    )


def _bytes(graph: Any) -> int:
    return sum(array.nbytes for array in graph)


def _mirrors_itself(position: Position) -> bool:
    """Return whether a symmetry of the board swaps the players' turtles and leaves each egg where it is."""
    return any(position.transform(symmetry, True) == position for symmetry in SYMMETRIES)


def _spread(legal: npt.NDArray[np.intp], strategy: Floats) -> Floats:
    full = np.zeros(NUM_SQUARES)
    full[legal] = strategy
    full.setflags(write=False)
    return full
