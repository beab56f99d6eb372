"""``wts-fast fuzz``: play kernel against oracle and report every difference."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .common import positive_int, print_json, seconds, seed

if TYPE_CHECKING:
    from ..fuzz import Report

HELP = "play the fast engine against the slow one and compare everything after every turn"
EXAMPLE = "wts-fast fuzz --seconds 60 --seed 1"

DEFAULT_SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("--seconds", type=seconds, metavar="S", help="stop after so many seconds (default 60)")
    parser.add_argument("--turns", type=positive_int, metavar="N", help="stop after so many turns")
    parser.add_argument("--seed", type=seed, default=1, metavar="N", help="decides all games (default 1)")
    parser.add_argument(
        "--out",
        default="fuzz-failures",
        metavar="DIR",
        help="where replay files of differences go, made when there is one (default fuzz-failures)",
    )
    parser.add_argument("--replay", metavar="FILE", help="play one replay file on both engines instead")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Run the verb and return the exit status: 1 if there is a difference or a clause never exercised."""
    if args.replay is not None:
        return _replay(args)
    from ..fuzz import fuzz

    limit = DEFAULT_SECONDS if args.seconds is None and args.turns is None else args.seconds
    with _Progress(limit, args.turns) if sys.stderr.isatty() else nullcontext() as progress:
        report = fuzz(seed=args.seed, seconds=limit, turns=args.turns, out=args.out, progress=progress)
    if args.json:
        print_json(report.as_dict())
    else:
        print(report)
    if report.interrupted:
        return 130
    return 0 if report.ok else 1


def _replay(args: argparse.Namespace) -> int:
    from .. import oracle
    from .._kernel import Position
    from ..fuzz import load_replay, run_replay

    replay = load_replay(args.replay)
    difference = run_replay(replay, Position, oracle.Position)
    if args.json:
        print_json({"file": args.replay, **replay.as_dict(), "found": None if difference is None else str(difference)})
    elif difference is None:
        print(f"{args.replay}: both engines agree on {len(replay.turns)} turn{'s' * (len(replay.turns) != 1)}")
    else:
        print(f"{args.replay}: {difference}")
    return 0 if difference is None else 1


class _Progress(AbstractContextManager["Callable[[Report], None]"]):
    """A line on standard error: how far, how fast, how many differences."""

    def __init__(self, limit: float | None, turns: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._turns = turns
        self._limit = limit
        self._bar = Progress(
            TextColumn("fuzz"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=1.0)

    def __enter__(self) -> Callable[[Report], None]:
        self._bar.start()
        return self._show

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def _show(self, report: Report) -> None:
        done: list[Any] = []
        if self._limit is not None:
            done.append(report.seconds / self._limit)
        if self._turns is not None:
            done.append(report.turns / self._turns)
        rate = report.turns / report.seconds if report.seconds else 0
        text = f"{report.turns:,} turns, {rate:,.0f} a second, {len(report.failures)} differences"
        self._bar.update(self._task, completed=min(1.0, max(done)), description=text)
