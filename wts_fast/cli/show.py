"""The verb ``show``: draw a position, or what a turn does to it, in the terminal and as SVG."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ..draw.marks import Marks
from ..draw.story import story_svg, story_text
from ..draw.svg import draw as draw_svg
from ..draw.text import draw as draw_text
from ..errors import WtsError
from ..files import write_text_atomically
from ..notation import format_turn, parse_turn
from ..squares import COLOURS, Square, square_name
from ..state import Capture, Outcome, Turn
from .common import Moment, add_position_argument, print_json, read_moment
from .terminal import add_style_arguments, keeps_to_ascii, wants_colour

if TYPE_CHECKING:
    from .._kernel import Position

__all__ = ["EXAMPLE", "HELP", "add_arguments", "run"]

HELP = "draw a position, or what a turn does step by step"
EXAMPLE = 'wts-fast show "9/9/9/9/5web1/9/2e6/9/9 G5,C3" --turn "E5 A9" --svg turn.svg'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_position_argument(parser)
    parser.add_argument("--turn", metavar="TURN", help='show what this turn does, Black\'s square first: "E5 H5"')
    parser.add_argument("--svg", metavar="FILE", help="write a picture too; with - it is all that is written")
    add_style_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print the position, and the events of the turn, as JSON")


def run(args: argparse.Namespace) -> int:
    """Draw what was asked for; the status is 0."""
    if args.json and args.svg == "-":
        raise WtsError("standard output takes the picture or --json, not both", code="conflict", field="--svg")
    moment = read_moment(args.position)
    position = moment.position
    asked = None
    if args.turn is not None:
        squares = parse_turn(args.turn)
        asked = squares, position.explain(*squares)
    marks, title = _marks(moment), _title(moment)
    if args.svg is not None:
        picture = (
            story_svg(position, asked[1]) if asked else draw_svg(position, marks, title=title or _verdict(position))
        )
        if args.svg == "-":
            sys.stdout.write(picture + "\n")
            return 0
        write_text_atomically(args.svg, picture + "\n")
    if args.json:
        print_json(_as_json(moment, asked))
        return 0
    colour, ascii = wants_colour(args.color), keeps_to_ascii(args.ascii)
    if asked:
        print(story_text(position, asked[1], colour=colour, ascii=ascii))
        print(asked[1].position)
    else:
        print(draw_text(position, marks, colour=colour, ascii=ascii, title=title))
        print(_verdict(position))
        print(position)
    return 0


def _marks(moment: Moment) -> Marks:
    """Return the winning turtles, and where a record tells the last turn, that turn and what it captured."""
    captured: set[Square] = set()
    if moment.before is not None and moment.turn is not None:
        events = moment.before.explain(*moment.turn).events
        captured.update(s for event in events if isinstance(event, Capture) for s in event.victims)
    winning = frozenset(s for colour in COLOURS for s in moment.position.winning(colour))
    return Marks(last=moment.turn, captured=frozenset(captured), winning=winning)


def _title(moment: Moment) -> str:
    return f"After turn {moment.number}: {format_turn(*moment.turn)}" if moment.turn else ""


def _verdict(position: Position) -> str:
    """Return in one line how things stand."""
    black, white = (len(position.winning(colour)) for colour in COLOURS)
    if position.outcome is Outcome.BLACK:
        return f"Black has won, {black} to {white} winning turtles"
    if position.outcome is Outcome.WHITE:
        return f"White has won, {white} to {black} winning turtles"
    if position.outcome is Outcome.DRAW:
        return "A draw: the board is full"
    left = len(position.legal)
    squares = f"{left} empty square{'' if left == 1 else 's'}"
    return f"Sudden death, {black} to {white} winning turtles, {squares}" if position.sudden_death else squares


def _as_json(moment: Moment, asked: tuple[tuple[Square, Square], Turn[Any]] | None) -> dict[str, Any]:
    data = _position_as_json(moment.position)
    if moment.turn:
        data["last_turn"] = {"number": moment.number, "turn": format_turn(*moment.turn)}
    if asked:
        squares, turn = asked
        data["turn"] = format_turn(*squares)
        data["events"] = [event.as_dict() for event in turn.events]
        data["after"] = _position_as_json(turn.position)
    return data


def _position_as_json(position: Position) -> dict[str, Any]:
    state = position.state
    return {
        "position": str(position),
        "black": [square_name(s) for s in state.black],
        "white": [square_name(s) for s in state.white],
        "eggs": [square_name(s) for s in state.eggs],
        "legal": [square_name(s) for s in position.legal],
        "outcome": position.outcome.name.lower() if position.outcome else None,
        "sudden_death": position.sudden_death,
        "winning": {colour: [square_name(s) for s in position.winning(colour)] for colour in COLOURS},
        # As text: many readers of JSON keep no whole number beyond 2**53.
        "key": f"{position.key:016x}",
    }
