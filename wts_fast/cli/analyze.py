"""The verb ``analyze``: both players' mixed strategies, drawn beside each other, and Black's value."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..methods import DEFAULT, METHODS, OPTIONS
from . import common, terminal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..analysis import Analysis

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
    group = parser.add_argument_group("Monte Carlo trees", "options of the methods duct, rm, rm+, exp3 and oos")
    for option in OPTIONS.values():
        group.add_argument(f"--{option.name}", metavar="|".join(option.words) or "N", help=option.about)
    parser.add_argument("--top", type=common.whole_number(0, 81), default=5, metavar="N", help="squares to list (5)")
    parser.add_argument("--json", action="store_true", help="print the analysis as one line of JSON")
    parser.add_argument("--svg", metavar="FILE", help="also write both heat maps as a picture")
    terminal.add_style_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Analyse, print, and return 130 where Ctrl-C ended it, else 0."""
    position = common.read_position(args.position)

    from ..analysis import analyze

    given = {option: getattr(args, option.name) for option in OPTIONS.values()}
    options = {option.name: option.read(text) for option, text in given.items() if text is not None}
    limit = args.seconds if args.seconds is not None or args.nodes is not None else 1.0
    with _progress(limit, args.nodes) as on_progress:
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
    if args.json:
        common.print_json(found.to_dict())
    else:
        print(_text(found, args))
    if args.svg is not None:
        from ..draw.svg import svg_pair
        from ..files import write_text_atomically

        write_text_atomically(args.svg, str(svg_pair(position, found.black, found.white, value=found.value)) + "\n")
    return 130 if found.stopped_by == "interrupt" else 0


@contextmanager
def _progress(seconds: float | None, nodes: int | None) -> Iterator[Callable[[Analysis], object] | None]:
    """Give a callback that shows how far the search is, on a terminal; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    # rich takes longer to load than a short search: only where someone is waiting.
    bar = None

    def show(found: Analysis) -> None:
        nonlocal bar
        if bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            bar = Progress(
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeElapsedColumn(),
                TextColumn("{task.description}"),
                console=Console(stderr=True),
                transient=True,
            )
            bar.start()
            bar.add_task("", total=1.0)
        done = max(found.seconds / seconds if seconds else 0.0, found.nodes / nodes if nodes else 0.0)
        text = f"value {found.value:+.3f} ± {found.standard_error:.3f}, {found.nodes:,} nodes"
        bar.update(bar.task_ids[0], completed=min(1.0, done), description=text)

    try:
        yield show
    finally:
        if bar is not None:
            bar.stop()


def _text(found: Analysis, args: argparse.Namespace) -> str:
    from ..draw.text import board, side_by_side

    ascii = terminal.keeps_to_ascii(args.ascii)
    colour = terminal.wants_colour(args.color)
    if found.stopped_by == "finished":
        word = {1.0: "Black has won", -1.0: "White has won", 0.0: "a draw"}[found.value]
        return (
            f"{board(found.position, colour=colour, ascii=ascii)}\n\nThe game is over: {word}. Value {found.value:+.0f}"
        )

    def heat_map(title: str, heat: NDArray[np.float64]) -> str:
        return board(found.position, colour=colour, ascii=ascii, heat=heat, title=title, legend=False)

    maps = side_by_side(heat_map("Black (percent)", found.black), heat_map("White (percent)", found.white))
    lines = [maps, ""]
    sign = "+/-" if ascii else "±"
    lines.append(f"Value (Black's)  {found.value:+.3f} {sign} {found.standard_error:.3f}")
    lines.append(f"Black            {_best(found.top('black', args.top))}")
    lines.append(f"White            {_best(found.top('white', args.top))}")
    lines.append(f"Exploitability   {found.exploitability:.3f} on the estimated payoffs of this turn")
    lines.append(
        f"Work             {found.nodes:,} nodes in {found.seconds:.2f} s"
        f"{f' after {found.compile_seconds:.1f} s of compiling' if found.compile_seconds >= 1 else ''}, "
        f"seed {found.seed}, {found.threads} thread{'s' * (found.threads > 1)}, ended by {found.stopped_by}"
    )
    return "\n".join(lines)


def _best(squares: tuple[tuple[str, float], ...]) -> str:
    return ", ".join(f"{name} {100 * part:.1f} %" for name, part in squares)
