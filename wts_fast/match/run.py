"""A match: its games spread over workers, gathered by number, judged pair by pair."""

from __future__ import annotations

import math
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ..errors import LimitError, WtsError
from . import statistics
from .games import Opening, Played, Task, openings, play
from .luck import evaluation_values
from .players import Specification, specification

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

__all__ = ["Match", "cluster", "play_match", "processes"]

#: Tasks handed out for each worker: one that it plays, and one for when it is done.
_AHEAD = 2

#: How long a worker process may take to end once it is told.
PATIENCE_SECONDS = 1.0

#: How long a cluster may take to answer.
CONNECT_SECONDS = 10.0


@dataclass
class Match:
    """A match and what has been played of it.

    Attributes
    ----------
    first, second : str
        The players. The first is Black in games of even number.
    seed : int
        Decides everything but the time that players take.
    openings : str
        Where the openings come from.
    test : SprtTest or None
        What may end the match before its last game.
    games : dict of int to Played
        Finished games by number.
    failed : str
        What ended the match before its time; empty otherwise.
    stopped_by : {"games", "sprt", "interrupt"} or None
        None while it goes on and where it failed.
    """

    first: str
    second: str
    seed: int
    openings: str
    test: statistics.SprtTest | None = None
    games: dict[int, Played] = field(default_factory=dict)
    failed: str = ""
    stopped_by: Literal["games", "sprt", "interrupt"] | None = None

    @property
    def in_order(self) -> list[Played]:
        """The finished games by number."""
        return [self.games[number] for number in sorted(self.games)]

    @property
    def pairs(self) -> list[tuple[Played, Played]]:
        """The pairs of which both games are finished, by number."""
        return [
            (game, self.games[n + 1]) for n, game in sorted(self.games.items()) if n % 2 == 0 and n + 1 in self.games
        ]

    @property
    def counts(self) -> tuple[int, int, int, int, int]:
        """The pairs by the first player's points: 0, 0.5, 1, 1.5, 2."""
        return statistics.pair_counts((a.score, b.score) for a, b in self.pairs)

    @property
    def estimate(self) -> statistics.Estimate:
        """The score of the pairs, as Elo too."""
        return statistics.estimate(self.counts)

    @property
    def adjusted(self) -> statistics.Adjusted | None:
        """The luck-adjusted score of the pairs; None where luck was left in."""
        pairs = self.pairs
        luck = [
            ((a.luck[0] + b.luck[0]) / 2, (a.luck[1] + b.luck[1]) / 2)
            for a, b in pairs
            if a.luck is not None and b.luck is not None
        ]
        if not luck or len(luck) < len(pairs):
            return None
        return statistics.adjusted([(a.score + b.score) / 2 for a, b in pairs], luck)

    @property
    def sprt(self) -> statistics.SprtState | None:
        """Where the test stands."""
        return None if self.test is None else self.test.state(self.counts)

    def as_dict(self) -> dict[str, Any]:
        """Return the match as JSON values; an infinite Elo is None."""
        played = self.in_order
        estimate, adjusted, sprt = self.estimate, self.adjusted, self.sprt
        data: dict[str, Any] = {
            "first": self.first,
            "second": self.second,
            "seed": self.seed,
            "openings": self.openings,
            "games": len(played),
            "wins": sum(game.score == 1 for game in played),
            "draws": sum(game.score == 0.5 for game in played),
            "losses": sum(game.score == 0 for game in played),
            "turns": sum(len(game.turns) for game in played),
            "cut": sum(game.cut for game in played),
            "pairs": list(self.counts),
            "score": _plain(estimate),
            "adjusted": None if adjusted is None else _plain(adjusted),
            "sprt": None,
            "stopped_by": self.stopped_by,
            "failed": self.failed or None,
            "results": [[game.number, game.score, game.luck] for game in played],
        }
        if self.test is not None and sprt is not None:
            data["sprt"] = {**_plain(self.test), **_plain(sprt)}
        return data

    def __str__(self) -> str:
        data, estimate, adjusted, sprt = self.as_dict(), self.estimate, self.adjusted, self.sprt
        lines = [
            f"{self.first} against {self.second}: {data['games']} games, seed {self.seed}, openings {self.openings}",
            f"won {data['wins']}, drawn {data['draws']}, lost {data['losses']}; "
            f"pairs by points 0 to 2: {', '.join(map(str, self.counts))}",
            "",
            f"score     {_interval(estimate)}",
        ]
        if adjusted is not None:
            lines.append(f"adjusted  {_interval(adjusted)}")
            if adjusted.reduction is not None and adjusted.games_saved is not None:
                word = "less" if adjusted.reduction >= 0 else "more"
                lines.append(
                    f"          luck taken out: {100 * abs(adjusted.reduction):.0f} % {word} variance, "
                    f"worth {adjusted.games_saved:+.0f} games"
                )
        if sprt is not None and self.test is not None:
            verdict = "open" if sprt.accepted is None else f"{sprt.accepted} accepted"
            lines.append(
                f"sprt      {verdict}: llr {sprt.llr:+.2f} between {sprt.lower:.2f} and {sprt.upper:.2f} "
                f"(H0 {self.test.elo0:g} Elo, H1 {self.test.elo1:g} Elo)"
            )
        if data["cut"]:
            lines.append(f"          {data['cut']} games were cut off as draws")
        if self.stopped_by == "interrupt":
            lines.append("          interrupted: the games above are those that were finished")
        return "\n".join(lines)


def _plain(found: Any) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in ((name, getattr(found, name)) for name in found.__slots__)
    }


def _interval(found: statistics.Estimate | statistics.Adjusted) -> str:
    return (
        f"{100 * found.score:.1f} % [{100 * found.lower:.1f}, {100 * found.upper:.1f}], "
        f"Elo {found.elo:+.0f} [{found.elo_lower:+.0f}, {found.elo_upper:+.0f}]"
    )


def play_match(
    first: str,
    second: str,
    *,
    games: int = 100,
    seed: int = 1,
    start: str = "random:3",
    test: statistics.SprtTest | None = None,
    luck: str | None = "fitted",
    executor: Executor | None = None,
    workers: int = 1,
    on_progress: Callable[[Match], object] | None = None,
) -> Match:
    """Play two players against each other, in pairs of games from one opening with colours swapped.

    Parameters
    ----------
    first, second : str
        The players, as `players.specification` reads them.
    games : int
        An even number from 2.
    seed : int
        0 to 2^64 - 1. With players that are limited by nodes it decides every game.
    start : str
        The openings, as `games.openings` reads them.
    test : SprtTest, optional
        Ends the match once it accepts a hypothesis. It looks at the pairs in the order of their numbers, so when
        it stops does not depend on which game was finished first.
    luck : str or None
        The evaluation's weights by which luck is taken out of the results; None leaves it in.
    executor : concurrent.futures.Executor, optional
        Where games are played, such as `processes` or `cluster` give it; here and one by one if left out.
    workers : int
        How many games the executor plays at once.
    on_progress : callable, optional
        Called with the `Match` after each game.

    Returns
    -------
    Match
        After Ctrl-C and after a failure too, with the games that were finished: see ``stopped_by`` and ``failed``.

    Raises
    ------
    WtsError, OSError
        Before the first game: if a player, a number or the openings are not what they should be.
    """
    if games < 2 or games % 2:
        raise LimitError("expected an even number of games from 2, for pairs", code="games-range", field="games")
    players = specification(first, "first"), specification(second, "second")
    if luck is not None:
        evaluation_values(luck)  # refused here if it is no name
    opening = openings(start, seed)
    match = Match(first, second, seed, start, test)
    tasks = _tasks(players, opening, games, seed, luck)
    waiting: set[Future[Played | None]] = set()
    judge = _Judge(match)
    try:
        while match.stopped_by is None:
            if executor is None:
                task = next(tasks, None)
                results = [] if task is None else [play(task)]
            else:
                # Workers that start now inherit that Ctrl-C is not for them.
                with _without_interrupts():
                    while len(waiting) < _AHEAD * workers and (task := next(tasks, None)) is not None:
                        waiting.add(executor.submit(play_here, task))
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED) if waiting else (set(), set())
                results = [future.result() for future in done]
            if not results:
                match.stopped_by = "games"
            for result in results:
                if result is not None:
                    match.games[result.number] = result
            judge.look()
            if results and on_progress is not None:
                on_progress(match)
    except KeyboardInterrupt:
        match.stopped_by = "interrupt"
    except BrokenProcessPool:
        match.failed = "a worker process was ended from outside, or could not start"
    except WtsError as error:
        match.failed = str(error)
    except Exception as error:
        # What a cluster cannot do for us has types that are known only where its package is.
        if not type(error).__module__.startswith("distributed"):
            raise
        match.failed = f"the cluster gave up: {error}"
    for future in waiting:
        future.cancel()
    if match.stopped_by != "sprt":
        _keep_finished(match, waiting)
    return match


def _tasks(
    players: tuple[Specification, Specification],
    opening: Callable[[int], Opening],
    games: int,
    seed: int,
    luck: str | None,
) -> Iterator[Task]:
    for number in range(games):
        black, white = players if number % 2 == 0 else players[::-1]
        yield Task(number, opening(number // 2), seed, black, white, luck)


class _Judge:
    """Looks at pairs in the order of their numbers, each once, and stops the match when the test says so."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.counts = [0] * 5
        self.seen = 0

    def look(self) -> None:
        games, test = self.match.games, self.match.test
        while test is not None and 2 * self.seen in games and 2 * self.seen + 1 in games:
            points = games[2 * self.seen].score + games[2 * self.seen + 1].score
            self.counts[round(2 * points)] += 1
            self.seen += 1
            if test.state(self.counts).accepted is not None:
                self.match.stopped_by = "sprt"
                # Later games that happened to be finished already would make the result depend on the workers.
                for number in [n for n in games if n >= 2 * self.seen]:
                    del games[number]
                return


def _keep_finished(match: Match, futures: set[Future[Played | None]]) -> None:
    for future in futures:
        if future.done() and not future.cancelled() and future.exception() is None:
            played = future.result()
            if played is not None:
                match.games[played.number] = played


# ---------------------------------------------------------------- workers

#: In a worker process: set when its match is over.
_stop: Event | None = None


def play_here(task: Task) -> Played | None:
    """Play a game in this worker, until its match is over."""
    return play(task, _never if _stop is None else _stop.is_set)


def _never() -> bool:
    return False


def _begin(stop: Event) -> None:
    """Set a worker process up."""
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """Give an executor of so many processes on this machine; at the end of the block, games under way are given up.

    The processes are spawned, not forked: they share no state with this one, so a game comes out as it does anywhere.
    """
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    executor = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(stop,))
    try:
        yield executor
    finally:
        # Workers look at the event some ten times a second, but one that is compiling looks at nothing.
        started = list(executor._processes.values())
        stop.set()
        executor.shutdown(wait=False, cancel_futures=True)
        deadline = time.monotonic() + PATIENCE_SECONDS
        for worker in started:
            worker.join(max(0.0, deadline - time.monotonic()))
            if worker.is_alive():
                worker.terminate()
        executor.shutdown(wait=True)


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Give the executor of a running Dask cluster, and how many games it can play at once.

    A game whose worker is lost is played again on another; as it is known by its number, it counts once.

    Raises
    ------
    WtsError
        If the package ``distributed`` is not there, or nothing answers at the address.
    """
    try:
        from distributed import Client
    except ImportError:
        raise WtsError(
            "a cluster needs the package distributed: pip install 'wts_fast[cluster]'",
            code="cluster-missing",
            field="cluster",
        ) from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WtsError(f"no cluster answers at {address}: {error}", code="cluster-address", field="cluster") from None
    try:
        # Each game is its own task, however alike two may be.
        yield client.get_executor(pure=False), max(1, sum(client.nthreads().values()))
    finally:
        client.close()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C for a moment; elsewhere than in the main thread it does not arrive anyway."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
