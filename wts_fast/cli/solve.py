"""The verb ``solve``: what is proved of a position's value, and both players' strategies for it."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import common, terminal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..solver import Solved

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
    parser.add_argument("--json", action="store_true", help="print what is proved as one line of JSON")
    terminal.add_style_arguments(parser)


def _tolerance(text: str) -> float:
    """Argparse type for a tolerance, from 1e-12 to 2."""
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,15})?(e-[0-9]{1,2})?", text) or not 1e-12 <= float(text) <= 2:
        raise argparse.ArgumentTypeError(f"expected a number from 1e-12 to 2, not {text[:20]!r}")
    return float(text)


def run(args: argparse.Namespace) -> int:
    """Solve, print, and return 130 where Ctrl-C ended it, else 0."""
    position = common.read_position(args.position)

    from ..solver import solve

    with _progress() as on_progress:
        found = solve(
            position,
            seconds=args.seconds,
            nodes=args.nodes,
            tolerance=args.tolerance,
            memory_mb=args.memory,
            on_progress=on_progress,
            keep_on_interrupt=True,
        )
    if args.json:
        common.print_json(found.to_dict())
    else:
        print(_text(found, args))
    return 130 if found.stopped_by == "interrupt" else 0


@contextmanager
def _progress() -> Iterator[Callable[[Solved], object] | None]:
    """Give a callback that shows the interval as it shrinks, on a terminal; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    status = None

    def show(found: Solved) -> None:
        nonlocal status
        if status is None:
            # rich takes longer to load than most positions take to be solved.
            from rich.console import Console

            status = Console(stderr=True).status("")
            status.start()
        status.update(
            f"{found.seconds:.0f} s: {found.lower:+.6f} to {found.upper:+.6f}, "
            f"{found.nodes:,} nodes, {found.memory_mb:.0f} MB"
        )

    try:
        yield show
    finally:
        if status is not None:
            status.stop()


def _text(found: Solved, args: argparse.Namespace) -> str:
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

    lines = [side_by_side(heat_map("Black (percent)", found.black), heat_map("White (percent)", found.white)), ""]
    if found.exact:
        lines.append(f"Value (Black's)  {found.value:+.9f}, exact")
    else:
        lines.append(f"Value (Black's)  from {found.lower:+.9f} to {found.upper:+.9f}, proved")
    if found.needs_r25:
        lines.append("                 by symmetry, and since play without end counts as a draw (R25)")
    lines.append(f"Black            {_best(found.top('black', args.top))}; wins at least {found.guaranteed:+.9f}")
    lines.append(f"White            {_best(found.top('white', args.top))}; loses at most {found.conceded:+.9f}")
    lines.append(
        f"Work             {found.nodes:,} nodes and {found.matrices:,} matrices in {found.seconds:.3f} s"
        f"{f' after {found.compile_seconds:.1f} s of compiling' if found.compile_seconds >= 1 else ''}, "
        f"{found.memory_mb:.0f} MB; {_ENDED_BY[str(found.stopped_by)]}"
    )
    return "\n".join(lines)


def _best(squares: tuple[tuple[str, float], ...]) -> str:
    return ", ".join(f"{name} {100 * part:.1f} %" for name, part in squares)
