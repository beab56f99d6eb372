"""The verb ``match``: engine against engine, until the games are played or a test has its answer."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from ..errors import WtsError
from . import common

if TYPE_CHECKING:
    from ..match import Match, SprtTest

__all__ = ["EXAMPLE", "HELP", "add_arguments", "run"]

HELP = "play engine against engine: score, Elo with its error, a test that stops by itself"
EXAMPLE = "wts-fast match one-turn random --games 20 --seed 1 --out games.wts"

#: Seconds between two savings; the first comes after one, so that a folder without a place tells at once.
_SAVE_EVERY = 30.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    searches = "a search with settings such as flat:nodes=2000 or flat:seconds=0.1,threads=1"
    players = f"random, one-turn, level:1 to level:8, {searches}, or command:PROGRAM that speaks JSON lines"
    parser.add_argument("first", metavar="FIRST", help=f"a player: {players}")
    parser.add_argument("second", metavar="SECOND", help="the other player")
    parser.add_argument(
        "--games",
        type=common.positive_int,
        metavar="N",
        help="how many, an even number (100; at most 20000 with --sprt)",
    )
    parser.add_argument(
        "--sprt",
        type=_sprt,
        metavar="E0,E1[,A,B]",
        help="stop once it is clear whether FIRST is E1 or only E0 Elo stronger, with errors A and B (0.05 each)",
    )
    parser.add_argument("--seed", type=common.seed, default=1, metavar="N", help="decides openings and games (1)")
    parser.add_argument(
        "--openings",
        default="random:3",
        metavar="FILE",
        help="position texts, one a line, or records (.wts), or random:K for K random turns (random:3)",
    )
    parser.add_argument(
        "--luck",
        default="fitted",
        metavar="NAME",
        help="weights by which luck is taken out, fitted (if left out) or hand, or none",
    )
    parser.add_argument("--out", metavar="FILE", help="write the games as records, with mixtures and values")
    parser.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers", type=common.threads, metavar="N", help="processes to play in (as many as there are processors)"
    )
    where.add_argument("--cluster", metavar="ADDRESS", help="play on a running Dask cluster, such as tcp://host:8786")


def run(args: argparse.Namespace) -> int:
    """Play, print, and return 130 where Ctrl-C ended it, else 0; raise what made a player fail once all is printed."""
    from ..match import cluster, play_match, processes

    games = args.games or (20_000 if args.sprt else 100)
    if args.out is not None and not os.path.isdir(os.path.dirname(os.path.abspath(args.out))):
        # Better said now than after an hour.
        raise NotADirectoryError(20, "the folder is not there", args.out)
    with ExitStack() as stack:
        executor, workers = None, 1
        if args.cluster is not None:
            executor, workers = stack.enter_context(cluster(args.cluster))
        else:
            workers = min(args.workers or _processors(), games)
            if workers > 1:
                executor = stack.enter_context(processes(workers))
        keeper = _Keeper(args.out, stack.enter_context(_progress(games)))
        match = play_match(
            args.first,
            args.second,
            games=games,
            seed=args.seed,
            start=args.openings,
            test=args.sprt,
            luck=None if args.luck == "none" else args.luck,
            executor=executor,
            workers=workers,
            on_progress=keeper,
        )
    keeper.save(match)
    if args.json:
        common.print_json(match.as_dict())
    elif match.games or not match.failed:
        print(match)
    if match.failed:
        raise WtsError(match.failed, code="match-failed")
    return 130 if match.stopped_by == "interrupt" else 0


class _Keeper:
    """Shows how the match goes, and saves its games: from time to time, and at the end."""

    def __init__(self, out: str | None, show: Callable[[Match], object] | None) -> None:
        self.out, self.show = out, show
        self.shown = time.monotonic()
        self.next = self.shown + 1.0
        self.texts: dict[int, str] = {}

    def __call__(self, match: Match) -> None:
        now = time.monotonic()
        if self.show is not None and now - self.shown >= 0.25:
            self.shown = now
            self.show(match)
        if now >= self.next:
            self.save(match)
            self.next = time.monotonic() + _SAVE_EVERY

    def save(self, match: Match) -> None:
        """Write the games that are finished, if there are any; each is put into words once."""
        from ..files import write_text_atomically

        if self.out is None or not match.games:
            return
        for number, played in match.games.items():
            if number not in self.texts:
                self.texts[number] = str(played.game())
        write_text_atomically(self.out, "\n".join(self.texts[number] for number in sorted(match.games)))


def _sprt(text: str) -> SprtTest:
    from ..match.statistics import SprtTest

    parts = text.split(",")
    if len(parts) not in (2, 4) or not all(re.fullmatch(r"-?[0-9]{1,4}(\.[0-9]{1,6})?", part) for part in parts):
        raise argparse.ArgumentTypeError(f"expected E0,E1 or E0,E1,A,B, not {text[:30]!r}")
    try:
        return SprtTest(*map(float, parts))
    except WtsError as error:
        raise argparse.ArgumentTypeError(error.reason) from None


def _processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _progress(games: int) -> Iterator[Callable[[Match], object] | None]:
    """Give a callback that shows how the match goes, on a terminal; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=games)

        def show(match: Match) -> None:
            found, sprt = match.estimate, match.sprt
            text = f"{100 * found.score:.1f} %, Elo {found.elo:+.0f} [{found.elo_lower:+.0f}, {found.elo_upper:+.0f}]"
            if sprt is not None:
                text += f", llr {sprt.llr:+.2f} [{sprt.lower:.2f}, {sprt.upper:.2f}]"
            bar.update(task, completed=len(match.games), description=text)

        yield show
