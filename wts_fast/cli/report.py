"""What ``analyze`` and ``solve`` show alike: heat maps, threats, words, pictures, and a view while they run."""

from __future__ import annotations

import argparse
import itertools
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..squares import COLOURS, parse_square, square_name
from . import terminal

if TYPE_CHECKING:
    from .._kernel import Position
    from ..analysis import Analysis
    from ..search import Continuation
    from ..threats import Threats

__all__ = [
    "WIDTH",
    "add_picture_arguments",
    "best",
    "check_pictures",
    "heat_maps",
    "likeliest",
    "live",
    "live_style",
    "threat_lines",
    "wrapped",
    "write_pictures",
]

_LABEL = 17  # width of the first column
#: Of what is printed below the boards.
WIDTH = 96


def add_picture_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--svg`` and ``--png``."""
    parser.add_argument("--svg", metavar="FILE", help="also write both heat maps as a picture")
    parser.add_argument("--png", metavar="FILE", help="the same as PNG; needs matplotlib (the extra png)")


def check_pictures(args: argparse.Namespace) -> None:
    """Raise now, not after the work, if matplotlib is asked for and not there."""
    if args.png is not None:
        from ..draw.png import require

        require()


def write_pictures(
    args: argparse.Namespace, position: Position, black: Iterable[float], white: Iterable[float], value: float | None
) -> None:
    """Write the pictures that were asked for; the value is their heading, if there is one."""
    if args.svg is not None:
        from ..draw.svg import svg_pair
        from ..files import write_text_atomically

        write_text_atomically(args.svg, str(svg_pair(position, black, white, value=value)) + "\n")
    if args.png is not None:
        from ..draw.png import png_pair
        from ..files import write_bytes_atomically

        title = "" if value is None else f"Value (Black's) {value:+z.3f}"
        write_bytes_atomically(args.png, png_pair(position, black, white, title=title))


def heat_maps(
    position: Position, black: Iterable[float], white: Iterable[float], *, colour: bool = False, ascii: bool = True
) -> str:
    """Return both strategies as boards beside each other."""
    from ..draw.text import board, side_by_side

    black_map, white_map = (
        board(position, colour=colour, ascii=ascii, heat=heat, title=f"{name} (percent)", legend=False)
        for name, heat in (("Black", black), ("White", white))
    )
    return side_by_side(black_map, white_map)


def best(squares: Sequence[tuple[str, float]]) -> str:
    """Return squares with their probabilities in one line; those that would show as 0.0 % are left out."""
    return ", ".join(f"{name} {100 * part:.1f} %" for name, part in squares if part >= 0.0005)


def likeliest(found: Analysis, n: int) -> list[Continuation]:
    """Return the likeliest continuations: of the search, or the likeliest joint turns where it keeps no tree."""
    if found.continuations:
        return list(found.continuations[:n])
    from ..search import Continuation

    squares = [[parse_square(name) for name, _ in found.top(colour, n)] for colour in COLOURS]
    single = [
        Continuation(((black, white),), float(found.black[black] * found.white[white]), None)
        for black, white in itertools.product(*squares)
    ]
    return sorted(single, key=lambda line: -line.probability)[:n]


def threat_lines(threats: Threats) -> list[str]:
    """Return the threats as lines, nothing for what is not there."""
    lines: list[str] = []
    for colour in COLOURS:
        side, player = threats.side(colour), colour.capitalize()
        rows = [
            f"{square_name(row.square)} (stopped on {_few([square_name(s) for s in row.stopped_by])})"
            for row in side.completions
        ]
        if rows:
            lines += wrapped("Completes a row", f"{player}: {'; '.join(rows)}")
    for colour in COLOURS:
        side, player = threats.side(colour), colour.capitalize()
        offers = []
        for offer in side.offers:
            text = f"{square_name(offer.square)} takes {', '.join(_pair(p) for p in offer.takes)}"
            if offer.hatches:
                text += f" and hatches {', '.join(square_name(s) for s in offer.hatches)}"
            offers.append(text)
        if offers:
            lines += wrapped("Captures", f"{player}: {'; '.join(offers)}")
    for colour in COLOURS:
        side, player = threats.side(colour), colour.capitalize()
        pairs = [f"{_pair(d.pair)} from {' or '.join(square_name(s) for s in d.by)}" for d in side.dangers]
        if pairs:
            lines += wrapped("In danger", f"{player}: {'; '.join(pairs)}")
    return lines


def wrapped(label: str, text: str) -> list[str]:
    """Return a labelled text as lines that keep their column."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=label.ljust(_LABEL),
        subsequent_indent=" " * _LABEL,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _pair(squares: Iterable[int]) -> str:
    return "+".join(square_name(s) for s in sorted(squares))


def _few(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 5 else f"{', '.join(names[:4])} and {len(names) - 4} more"


@contextmanager
def live(text: Callable[[Any], str]) -> Iterator[Callable[[Any], None] | None]:
    """Give a function that shows how far the work is, on a terminal; None elsewhere.

    Parameters
    ----------
    text : callable
        Makes what is shown, several lines with ANSI colours, of what has been found so far. It is taken away
        in the end, when the result is printed.
    """
    if not sys.stderr.isatty():
        yield None
        return
    view: Any = None

    def show(found: Any) -> None:
        nonlocal view
        # rich takes longer to load than a short search: only where someone is waiting.
        from rich.text import Text

        if view is None:
            from rich.console import Console
            from rich.live import Live

            view = Live(console=Console(stderr=True), transient=True, auto_refresh=False)
            view.start()
        view.update(Text.from_ansi(text(found)), refresh=True)

    try:
        yield show
    finally:
        if view is not None:
            view.stop()


def live_style(args: argparse.Namespace) -> dict[str, bool]:
    """Return how to draw on standard error."""
    return {
        "colour": terminal.wants_colour(args.color, sys.stderr),
        "ascii": terminal.keeps_to_ascii(args.ascii, sys.stderr),
    }
