"""What a terminal can show, and in which language: colours by ``NO_COLOR`` and the kind of the stream, ASCII by its
encoding, the language by the locale.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TextIO

__all__ = ["add_language_argument", "add_style_arguments", "keeps_to_ascii", "language", "wants_colour"]

_DRAWN = "·─│┌┐└┘"


def add_style_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--ascii`` and ``--color``."""
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII only, as where the encoding has no more")
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours besides the letters: auto (the default) means on a terminal where NO_COLOR is not set",
    )


def add_language_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--lang``."""
    parser.add_argument("--lang", choices=("en", "de"), help="English or German (as the locale says)")


def language(asked: str | None) -> str:
    """Return the language: the one asked for, else German where the locale is German, else English."""
    if asked is not None:
        return asked
    # In this order the system's own programs ask too; the first that is set counts.
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return "de" if next((name for name in named if name), "").lower().startswith("de") else "en"


def wants_colour(choice: str, stream: TextIO | None = None) -> bool:
    """Return whether to colour what goes to `stream` (standard output by default).

    Parameters
    ----------
    choice : {"auto", "always", "never"}
        What ``--color`` says. It outweighs ``NO_COLOR``, which outweighs the stream.
    stream : text stream, optional
        Where the text goes.
    """
    stream = sys.stdout if stream is None else stream
    if choice != "auto":
        return choice == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def keeps_to_ascii(asked: bool, stream: TextIO | None = None) -> bool:
    """Return whether to keep to ASCII: asked for with ``--ascii``, or since `stream` cannot encode the frame."""
    stream = sys.stdout if stream is None else stream
    if asked:
        return True
    try:
        _DRAWN.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False
