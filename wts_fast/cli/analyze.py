"""The verb ``analyze``: both players' mixed strategies and Black's value, and why they are what they are."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING

from ..methods import DEFAULT, METHODS, OPTIONS
from ..notation import format_turn
from . import common, report, terminal

if TYPE_CHECKING:
    from ..analysis import Analysis
    from ..threats import Threats

__all__ = ["EXAMPLE", "HELP", "add_arguments", "run"]

HELP = "estimate both players' mixed strategies and Black's value"
EXAMPLE = "wts-fast analyze start --nodes 20000 --seed 1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    common.add_position_argument(parser)
    parser.add_argument("--method", default=DEFAULT, metavar="NAME", help=f"how to search: {', '.join(METHODS)}")
    parser.add_argument("--seconds", type=common.seconds, metavar="S", help="time limit (1 without any limit)")
    parser.add_argument("--nodes", type=common.count, metavar="N", help="how many turns to sample")
    parser.add_argument("--seed", type=common.seed, metavar="N", help="0 to 2^64 - 1; drawn and shown if left out")
    parser.add_argument("--threads", type=common.threads, default=1, metavar="N", help="1 if left out")
    parser.add_argument(
        "--memory", type=common.whole_number(1, 2**20), default=512, metavar="MB", help="for a tree (512)"
    )
    group = parser.add_argument_group(
        "options of some methods", "tree knows --weights; duct, rm, rm+, exp3 and oos know all"
    )
    for option in OPTIONS.values():
        group.add_argument(f"--{option.name}", metavar="|".join(option.words) or "N", help=option.about)
    parser.add_argument(
        "--top", type=common.whole_number(0, 81), default=5, metavar="N", help="squares and lines to list (5)"
    )
    parser.add_argument("--json", action="store_true", help="print it, threats and words too, as one line of JSON")
    report.add_picture_arguments(parser)
    terminal.add_style_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Analyse, print, and return 130 where Ctrl-C ended it, else 0."""
    position = common.read_position(args.position)

    report.check_pictures(args)

    from ..analysis import analyze
    from ..threats import threats
    from ..words import Result, words

    given = {option: getattr(args, option.name) for option in OPTIONS.values()}
    options = {option.name: option.read(text) for option, text in given.items() if text is not None}
    style = report.live_style(args)  # now: the view stands in for standard error while it is shown
    limit = args.seconds if args.seconds is not None or args.nodes is not None else 1.0
    with report.live(lambda found: _so_far(found, style, limit, args.nodes)) as on_progress:
        found = analyze(
            position,
            method=args.method,
            seconds=limit,
            nodes=args.nodes,
            seed=args.seed,
            threads=args.threads,
            memory_mb=args.memory,
            **options,
            on_progress=on_progress,
            keep_on_interrupt=True,
        )
    told = threats(position)
    sentences: tuple[str, ...] = ()
    if found.stopped_by != "finished":
        sentences = words(Result.of(found, found.value), told)
    if args.json:
        common.print_json({**found.to_dict(), "threats": told.to_dict(), "words": list(sentences)})
    else:
        print(_text(found, args, told, sentences))
    report.write_pictures(args, position, found.black, found.white, found.value)
    return 130 if found.stopped_by == "interrupt" else 0


def _so_far(found: Analysis, style: dict[str, bool], seconds: float | None, nodes: int | None) -> str:
    """Return what a terminal shows while the search goes on."""
    done = max(found.seconds / seconds if seconds else 0.0, found.nodes / nodes if nodes else 0.0)
    filled = round(40 * min(1.0, done))
    bar = ("#" if style["ascii"] else "█") * filled + ("." if style["ascii"] else "░") * (40 - filled)
    return "\n".join(
        (
            report.heat_maps(found.position, found.black, found.white, **style),
            _value(found, style["ascii"]),
            f"{bar} {100 * min(1.0, done):3.0f} %  {found.seconds:.0f} s  {found.nodes:,} nodes",
        )
    )


def _text(found: Analysis, args: argparse.Namespace, threats: Threats, sentences: tuple[str, ...]) -> str:
    ascii = terminal.keeps_to_ascii(args.ascii)
    colour = terminal.wants_colour(args.color)
    if found.stopped_by == "finished":
        from ..draw.text import board

        word = {1.0: "Black has won", -1.0: "White has won", 0.0: "a draw"}[found.value]
        return (
            f"{board(found.position, colour=colour, ascii=ascii)}\n\nThe game is over: {word}. Value {found.value:+.0f}"
        )

    lines = [report.heat_maps(found.position, found.black, found.white, colour=colour, ascii=ascii), ""]
    lines.append(_value(found, ascii))
    lines.append(f"Black            {report.best(found.top('black', args.top))}")
    lines.append(f"White            {report.best(found.top('white', args.top))}")
    lines.append(f"Exploitability   {found.exploitability:.3f} {_measured(found)}")
    label = "Likeliest turns"
    for line in report.likeliest(found, args.top):
        turns = ", ".join(format_turn(*turn) for turn in line.turns)
        value = "" if line.value is None else f", then {line.value:+z.3f}"
        lines.append(f"{label:<17}{100 * line.probability:4.1f} %  {turns}{value}")
        label = ""
    lines += report.threat_lines(threats)
    lines += report.wrapped(
        "Work",
        f"{found.nodes:,} nodes in {found.seconds:.2f} s"
        f"{f' after {found.compile_seconds:.1f} s of compiling' if found.compile_seconds >= 1 else ''}, "
        f"method {found.method}, seed {found.seed}, {found.threads} thread{'s' * (found.threads > 1)}, "
        f"ended by {found.stopped_by}",
    )
    return "\n".join([*lines, "", *textwrap.wrap(" ".join(sentences), report.WIDTH)])


def _measured(found: Analysis) -> str:
    """Say against what the exploitability is measured."""
    if found.method != "tree":
        return "on the estimated payoffs of this turn"
    if found.proved_exploitability <= 2e-6:
        return "at most, proved"
    return f"by the best replies found; proved: at most {found.proved_exploitability:.3f}"


def _value(found: Analysis, ascii: bool) -> str:
    """Return the line of the value, with its error and its proved interval where these say something."""
    text = f"Value (Black's)  {found.value:+z.3f}"
    if found.upper - found.lower <= 2e-6:
        return f"{text}, proved"
    if found.standard_error > 0:
        text += f" {'+/-' if ascii else '±'} {found.standard_error:.3f}"
    if found.lower > -1 or found.upper < 1:
        text += f", proved from {found.lower:+z.3f} to {found.upper:+z.3f}"
    return text
