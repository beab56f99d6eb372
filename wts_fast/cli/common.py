"""What the verbs share: position arguments, number types that refuse what they should, strict JSON."""

from __future__ import annotations

import argparse
import errno
import io
import itertools
import json
import os
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ..errors import LimitError, ParseError, WtsError

if TYPE_CHECKING:
    from .._kernel import Position
    from ..record import Record
    from ..squares import Square

__all__ = [
    "Moment",
    "add_position_argument",
    "count",
    "positive_int",
    "print_json",
    "read_game",
    "read_moment",
    "read_position",
    "record_path",
    "seconds",
    "seed",
    "standard_input",
    "threads",
    "turn_number",
    "whole_number",
]

#: More than the record of one game takes.
STDIN_LIMIT = 1 << 20


class Moment(NamedTuple):
    """A position, and where a record says so, the turn that led to it."""

    position: Position
    number: int = 0  # of the turn, from 1; 0 where there is none
    before: Position | None = None
    turn: tuple[Square, Square] | None = None


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
    return read_moment(text).position


def read_moment(text: str) -> Moment:
    """Return the position that an argument means with the turn that led to it; the rest as for `read_position`."""
    from .._kernel import Position

    if text == "start":
        return Moment(Position())
    if text == "-":
        return _from_stdin()
    # Eight slashes and one blank make a position text; a missing file shall not be explained as a bad one.
    path, at, turn = text.rpartition("@") if "@" in text else (text, "", "")
    if path.endswith(".wts") or (" " not in text and os.path.isfile(path)):
        with open(path, "rb") as file:
            return _from_record(file, path, turn_number(turn) if at else None)
    return Moment(Position(text))


def standard_input() -> BinaryIO:
    """Return standard input as bytes.

    Raises
    ------
    OSError
        If it is closed.
    """
    if sys.stdin is None:  # Python's way to say that descriptor 0 is closed
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard input")
    return sys.stdin.buffer


def _from_stdin() -> Moment:
    from .._kernel import Position

    raw = _limited_stdin()
    line = raw.rstrip(b"\r\n")
    if b"\n" in line or line.startswith(b"["):
        return _from_record(io.BytesIO(raw), "standard input", None)
    try:
        return Moment(Position(line.decode("utf-8")))
    except UnicodeDecodeError as error:
        raise ParseError("no UTF-8", code="encoding", column=error.start + 1, field="standard input") from None


def _limited_stdin() -> bytes:
    raw = standard_input().read(STDIN_LIMIT + 1)
    if len(raw) > STDIN_LIMIT:
        raise LimitError(
            f"more than {STDIN_LIMIT} bytes, more than one game takes", code="size", field="standard input"
        )
    return raw


def _from_record(file: BinaryIO, name: str, turn: int | None) -> Moment:
    """Return a moment of the only game that `file` holds."""
    from ..record import read_games

    games = list(itertools.islice(read_games(file), 2))
    if len(games) > 1:
        raise WtsError(f"{name} holds more than one game, and so no one position", code="games")
    positions = games[0].positions
    if turn is not None and turn >= len(positions):
        raise WtsError(f"{name} ends after turn {len(positions) - 1}", code="range", field="turn")
    number = len(positions) - 1 if turn is None else turn
    if number == 0:
        return Moment(positions[0])
    return Moment(positions[number], number, positions[number - 1], games[0].turns[number - 1])


def read_game(text: str, number: int | None = None) -> Record:
    """Return the game that an argument of the command line means.

    Parameters
    ----------
    text : str
        The path of a record, or ``-`` for standard input; behind it ``#N`` for the Nth game of the file, and ``@N`` for
        the game as it stood after turn N.
    number : int, optional
        Another way to say which game of the file.

    Raises
    ------
    WtsError
        If the file is damaged, or has no such game or turn, or several games and it is not said which.
    OSError
        If the file cannot be read.
    """
    path, game, turn = _parts(text)
    if game is not None and number is not None and game != number:
        raise WtsError(f"the file says game {game}, the option {number}", code="conflict", field="game")
    wanted = number if game is None else game
    if path == "-":
        record = _chosen(io.BytesIO(_limited_stdin()), "standard input", wanted)
    else:
        with open(path, "rb") as file:
            record = _chosen(file, path, wanted)
    if turn is not None and turn < len(record.turns):
        record.turns = record.turns[:turn]
        record.notes = {n: note for n, note in record.notes.items() if n <= turn}
        record.tags["Result"] = "*"
    elif turn is not None and turn > len(record.turns):
        raise WtsError(f"{path} ends after turn {len(record.turns)}", code="range", field="turn")
    return record


def record_path(text: str) -> str:
    """Return the path in an argument as `read_game` takes it."""
    return _parts(text)[0]


def _parts(text: str) -> tuple[str, int | None, int | None]:
    """Cut an argument into the path of a file, the number of a game, and that of a turn."""
    turn = game = None
    path = text
    if "\0" in path:
        raise WtsError("no file has a NUL in its name", code="path", field="game")
    # Names of files may hold both signs.
    if not os.path.isfile(path) and (cut := re.fullmatch(r"(.*)@([^#@]*)", path, re.DOTALL)):
        path, turn = cut[1], turn_number(cut[2])
    if not os.path.isfile(path) and (cut := re.fullmatch(r"(.*)#([^#@]*)", path, re.DOTALL)):
        if not re.fullmatch(r"[1-9][0-9]{0,8}", cut[2]):
            raise WtsError(f"expected the number of a game after #, not {cut[2][:20]!r}", code="game", field="game")
        path, game = cut[1], int(cut[2])
    return path, game, turn


def _chosen(file: BinaryIO, name: str, number: int | None) -> Record:
    """Return a game of a file: the only one, if no number is given."""
    from ..record import read_games

    count = 0
    first: Record | None = None
    for count, record in enumerate(read_games(file), 1):
        if count == number:
            return record
        if number is None and first is not None:
            raise WtsError(
                f"{name} holds more than one game; say which, as in {name}#2 or with --game 2",
                code="games",
                field="game",
            )
        first = record
    if number is not None:
        raise WtsError(f"{name} holds {count} game{'s' * (count != 1)}, not {number}", code="range", field="game")
    assert first is not None  # a file without a game is an error of the reader's
    return first


def turn_number(text: str) -> int:
    """Return the number of a turn that stands behind ``@``."""
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise WtsError(f"expected a whole number after @, not {text[:20]!r}", code="turn", field="turn")
    return int(text)


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
