"""What the verbs share: position arguments, number types that refuse what they should, strict JSON."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._kernel import Position

__all__ = [
    "add_position_argument",
    "count",
    "positive_int",
    "print_json",
    "read_position",
    "seconds",
    "seed",
    "threads",
    "whole_number",
]


def add_position_argument(parser: argparse.ArgumentParser) -> None:
    """Add the argument ``POSITION``, kept as text for `read_position`."""
    parser.add_argument(
        "position",
        metavar="POSITION",
        help="a position text, start, a record file with an optional turn (game.wts@12), or - for standard input",
    )


def read_position(text: str) -> Position:
    """Return the position that an argument of the command line means.

    Parameters
    ----------
    text : str
        ``start``; a position text; the path of a record of one game, with ``@N`` for the position after turn N
        (its last position without); or ``-`` for a position text or a record on standard input.

    Raises
    ------
    WtsError
        If the text, the file or the turn is not what it should be.
    OSError
        If the file cannot be read.
    """
    from .._kernel import Position

    if text == "start":
        return Position()
    if text == "-":
        return _from_stdin()
    # Eight slashes and one blank make a position text; a missing file shall not be explained as a bad one.
    path, at, turn = text.rpartition("@") if "@" in text else (text, "", "")
    if path.endswith(".wts") or (" " not in text and os.path.isfile(path)):
        with open(path, "rb") as file:
            return _from_record(file, path, _turn_number(turn) if at else None)
    return Position(text)


def print_json(data: Any, *, indent: int | None = None) -> None:
    """Print strict JSON: never NaN or infinity, ASCII only."""
    print(json.dumps(data, allow_nan=False, indent=indent))


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return an argparse type for ASCII whole numbers from `least` to `most`."""

    def parse(text: str) -> int:
        # int() would take blanks, underscores and the digits of every script.
        if not re.fullmatch(r"-?[0-9]{1,20}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most}, not {text[:20]!r}")
        return int(text)

    return parse


positive_int = whole_number(1, 10**18)
count = whole_number(0, 10**18)
seed = whole_number(0, 2**64 - 1)
threads = whole_number(1, 1024)


def seconds(text: str) -> float:
    """Argparse type for a time limit: more than 0 and at most a year, in seconds."""
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9}", text) or not 0 < float(text) <= 31_536_000:
        raise argparse.ArgumentTypeError(f"expected seconds, more than 0 and at most 31536000, not {text[:20]!r}")
    return float(text)
