"""The verb ``solve``: what is proved of a position's value, and both players' strategies for it."""

from __future__ import annotations

import argparse
import re
import textwrap
from typing import TYPE_CHECKING

from . import common, report, terminal

if TYPE_CHECKING:
    from ..solver import Solved
    from ..threats import Threats

__all__ = ["EXAMPLE", "HELP", "add_arguments", "run"]

HELP = "prove Black's value, exactly or between bounds, with strategies that keep to it"
EXAMPLE = "wts-fast solve game.wts@30 --seconds 10"

_ENDED_BY = {
    "solved": "solved",
    "nodes": "ended by --nodes",
    "seconds": "ended by --seconds",
    "memory": "ended by --memory",
    "cycles": "nothing is left to look at",
    "interrupt": "ended by Ctrl-C",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    common.add_position_argument(parser)
    parser.add_argument("--seconds", type=common.seconds, metavar="S", help="time limit (none if left out)")
    parser.add_argument("--nodes", type=common.count, metavar="N", help="how many positions to look at")
    parser.add_argument(
        "--tolerance", type=_tolerance, default=1e-9, metavar="T", help="how near the bounds shall come (1e-9)"
    )
    parser.add_argument(
        "--memory", type=common.whole_number(4, 1 << 20), default=512, metavar="MB", help="memory to use (512)"
    )
    parser.add_argument("--top", type=common.whole_number(0, 81), default=5, metavar="N", help="squares to list (5)")
    parser.add_argument("--json", action="store_true", help="print it, threats and words too, as one line of JSON")
    report.add_picture_arguments(parser)
    terminal.add_style_arguments(parser)


def _tolerance(text: str) -> float:
    """Argparse type for a tolerance, from 1e-12 to 2."""
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,15})?(e-[0-9]{1,2})?", text) or not 1e-12 <= float(text) <= 2:
        raise argparse.ArgumentTypeError(f"expected a number from 1e-12 to 2, not {text[:20]!r}")
    return float(text)


def run(args: argparse.Namespace) -> int:
    """Solve, print, and return 130 where Ctrl-C ended it, else 0."""
    position = common.read_position(args.position)

    report.check_pictures(args)

    from ..solver import solve
    from ..threats import threats
    from ..words import Result, words

    style = report.live_style(args)  # now: the view stands in for standard error while it is shown
    with report.live(lambda found: _so_far(found, style)) as on_progress:
        found = solve(
            position,
            seconds=args.seconds,
            nodes=args.nodes,
            tolerance=args.tolerance,
            memory_mb=args.memory,
            on_progress=on_progress,
            keep_on_interrupt=True,
        )
    told = threats(position)
    value = found.value if found.exact else None
    sentences: tuple[str, ...] = ()
    if found.stopped_by != "finished":
        sentences = words(Result.of(found, value), told)
    if args.json:
        common.print_json({**found.to_dict(), "threats": told.to_dict(), "words": list(sentences)})
    else:
        print(_text(found, args, told, sentences))
    report.write_pictures(args, position, found.black, found.white, value)
    return 130 if found.stopped_by == "interrupt" else 0


def _so_far(found: Solved, style: dict[str, bool]) -> str:
    """Return what a terminal shows while the bounds come nearer."""
    return "\n".join(
        (
            report.heat_maps(found.position, found.black, found.white, **style),
            f"{found.seconds:.0f} s: {found.lower:+z.6f} to {found.upper:+z.6f}, "
            f"{found.nodes:,} nodes, {found.memory_mb:.0f} MB",
        )
    )


def _text(found: Solved, args: argparse.Namespace, threats: Threats, sentences: tuple[str, ...]) -> str:
    ascii = terminal.keeps_to_ascii(args.ascii)
    colour = terminal.wants_colour(args.color)
    if found.stopped_by == "finished":
        from ..draw.text import board

        word = {1.0: "Black has won", -1.0: "White has won", 0.0: "a draw"}[found.value]
        return (
            f"{board(found.position, colour=colour, ascii=ascii)}\n\nThe game is over: {word}. Value {found.value:+.0f}"
        )

    lines = [report.heat_maps(found.position, found.black, found.white, colour=colour, ascii=ascii), ""]
    if found.exact:
        lines.append(f"Value (Black's)  {found.value:+z.9f}, exact")
    else:
        lines.append(f"Value (Black's)  from {found.lower:+z.9f} to {found.upper:+z.9f}, proved")
    if found.needs_r25:
        lines.append("                 by symmetry, and since play without end counts as a draw (R25)")
    black = report.best(found.top("black", args.top))
    lines.append(f"Black            {black}; wins at least {found.guaranteed:+z.9f}")
    white = report.best(found.top("white", args.top))
    lines.append(f"White            {white}; loses at most {found.conceded:+z.9f}")
    lines += report.threat_lines(threats)
    lines.append(
        f"Work             {found.nodes:,} nodes and {found.matrices:,} matrices in {found.seconds:.3f} s"
        f"{f' after {found.compile_seconds:.1f} s of compiling' if found.compile_seconds >= 1 else ''}, "
        f"{found.memory_mb:.0f} MB; {_ENDED_BY[str(found.stopped_by)]}"
    )
    return "\n".join([*lines, "", *textwrap.wrap(" ".join(sentences), report.WIDTH)])
