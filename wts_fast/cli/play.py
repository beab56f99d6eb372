"""The verb ``play``: a game in the terminal, against a level or with two at one keyboard."""

from __future__ import annotations

import argparse
import datetime
import os
import re
import secrets
import sys
from typing import TYPE_CHECKING

from ..errors import WtsError
from . import common
from .terminal import add_language_argument, add_style_arguments, keeps_to_ascii, language, wants_colour

if TYPE_CHECKING:
    from ..game import Game

__all__ = ["EXAMPLE", "HELP", "add_arguments", "run"]

HELP = "play a game against one of eight levels, or at one keyboard; learn the rules"
EXAMPLE = "wts-fast play --level 2 --colour white --save game.wts"

_START = "start"
#: How a record names the engine: by `play`, and by `match`.
_ENGINE = re.compile(r"(?:wts_fast level |level:)([1-8])")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "game",
        metavar="GAME",
        nargs="?",
        help="a record file to go on with, with an optional turn (game.wts@12), a position text, or start",
    )
    parser.add_argument(
        "--level",
        type=common.whole_number(1, 8),
        metavar="N",
        help="how strong the engine is, 1 to 8 (as in the record, else 1)",
    )
    parser.add_argument("--colour", choices=("black", "white"), help="yours (as in the record, else black)")
    parser.add_argument(
        "--hot-seat", action="store_true", help="two players at one keyboard; the first one types unseen"
    )
    parser.add_argument("--save", metavar="FILE", help="write the game there after every turn")
    parser.add_argument("--seed", type=common.seed, metavar="N", help="decides the engine's squares for the same turns")
    parser.add_argument("--tutorial", action="store_true", help="learn the rules in small exercises instead")
    add_language_argument(parser)
    add_style_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Play until the game is left; the status is 130 after Ctrl-C, else 0."""
    lang, colour, ascii = language(args.lang), wants_colour(args.color), keeps_to_ascii(args.ascii)
    told = [name for name in ("game", "level", "colour", "hot_seat", "save", "seed") if getattr(args, name)]
    if args.tutorial:
        if told:
            raise WtsError("goes with --lang, --ascii and --color only", code="conflict", field="--tutorial")
        from .tutorial import run_tutorial

        return run_tutorial(lang, colour=colour, ascii=ascii)
    if args.hot_seat and (args.level is not None or args.colour is not None):
        raise WtsError("two players have no level and no colour of their own", code="conflict", field="--hot-seat")
    if args.save is not None:
        _check_place(args.save)

    from .entry import Entry
    from .phrases import Phrases
    from .session import Session, Table

    path, game = _game(args.game or _START)
    say = Phrases(lang, ascii=not _writes("äöüß"))
    levels = (None, None) if args.hot_seat else _levels(game, args.level, args.colour)
    _name(game, levels, say("you"))
    seed = secrets.randbits(64) if args.seed is None else args.seed
    session = Session(game, Table(levels, seed, args.save, colour, ascii), say, Entry())
    session.found(path)
    status = 0
    try:
        session.run()
    except KeyboardInterrupt:
        print()
        status = 130
    session.keep()
    return status


def _game(text: str) -> tuple[str | None, Game]:
    """Return the game that an argument means, and the file if it is all that is in it."""
    from .._kernel import Position
    from ..game import Game
    from ..record import read_games

    if text == "-":
        raise WtsError("standard input is for your squares; give a file", code="conflict", field="GAME")
    if text == _START:
        return None, Game()
    path, at, turn = text.rpartition("@") if "@" in text else (text, "", "")
    if not path.endswith(".wts") and (" " in text or not os.path.isfile(path)):
        return None, Game(Position(text))
    records = list(read_games(path))
    if len(records) > 1:
        raise WtsError(f"{path} holds more than one game", code="games", field="GAME")
    game = Game.from_record(records[0])
    if not at:
        return path, game
    number = common.turn_number(turn)
    if number > len(game):
        raise WtsError(f"{path} ends after turn {len(game)}", code="range", field="turn")
    while len(game) > number:
        game.undo()
    game.end("*" if game.outcome is None else game.result)
    return None, game


def _levels(game: Game, level: int | None, colour: str | None) -> tuple[int | None, int | None]:
    """Return who plays which level: as asked for, else as the record says."""
    named = [_ENGINE.fullmatch(game.tags[tag]) for tag in ("Black", "White")]
    if colour is None:
        colour = "white" if named[0] and not named[1] else "black"
    engine = 1 if colour == "black" else 0
    known = named[engine]
    number = level or (int(known[1]) if known else 1)
    return (None, number) if engine == 1 else (number, None)


def _name(game: Game, levels: tuple[int | None, int | None], you: str) -> None:
    """Put into the tags who plays; names of people stay."""
    for tag, level in zip(("Black", "White"), levels, strict=True):
        if level is not None:
            game.set_tag(tag, f"wts_fast level {level}")
        elif None in levels and levels != (None, None) and (game.tags[tag] == "?" or _ENGINE.fullmatch(game.tags[tag])):
            game.set_tag(tag, you)
    if not len(game):
        game.set_tag("Date", datetime.date.today().strftime("%Y.%m.%d"))


def _check_place(path: str) -> None:
    """Say now rather than after the first turn that a file has no place."""
    if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise NotADirectoryError(20, "the folder is not there", path)
    if os.path.isdir(path):
        raise IsADirectoryError(21, "a folder is there", path)


def _writes(text: str) -> bool:
    """Return whether standard output can encode a text."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
