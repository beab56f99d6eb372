"""The verb ``review``: what each player's choices lost in a game, and what was luck."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import WtsError
from ..squares import COLOURS, square_name
from . import common, report, terminal

if TYPE_CHECKING:
    from ..game import Game
    from ..review import Choice, Review, TurnReview

__all__ = ["EXAMPLE", "HELP", "add_arguments", "run"]

HELP = "review a game: what each choice gave away, what was luck, and which turns mattered"
EXAMPLE = "wts-fast review game.wts --html review.html"

_HEAD = "turn   Black  mixture  gave away   White  mixture  gave away      luck    value"
_MUCH, _VERY_MUCH = 0.05, 0.2  # what is coloured


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "game", metavar="GAME", help="a record: game.wts, games.wts#2, game.wts@12 for its first 12 turns, or -"
    )
    parser.add_argument("--game", dest="number", type=common.positive_int, metavar="N", help="which game of the file")
    parser.add_argument("--seconds", type=common.seconds, metavar="S", help="for each turn (0.2 without any limit)")
    parser.add_argument("--nodes", type=common.positive_int, metavar="N", help="for each turn, for equal answers")
    parser.add_argument("--seed", type=common.seed, metavar="N", help="0 to 2^64 - 1; drawn and shown if left out")
    parser.add_argument("--threads", type=common.threads, default=1, metavar="N", help="1 if left out")
    parser.add_argument(
        "--memory", type=common.whole_number(1, 2**20), default=512, metavar="MB", help="for a tree (512)"
    )
    parser.add_argument(
        "--top", type=common.whole_number(0, 10_000), default=5, metavar="N", help="turns that mattered to tell (5)"
    )
    parser.add_argument("--json", action="store_true", help="print all of it as one line of JSON")
    parser.add_argument("--html", metavar="FILE", help="also write a report with boards, a page of its own")
    parser.add_argument("--svg", metavar="FILE", help="also write the course of value, skill and luck as a picture")
    parser.add_argument("--out", metavar="FILE", help="also write the record with the review in its comments")
    terminal.add_style_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Review, print, and return 130 where Ctrl-C ended it, else 0."""
    record = common.read_game(args.game, args.number)
    for path in (args.html, args.svg, args.out):
        # Better said now than after the work.
        if path is not None and not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            raise NotADirectoryError(20, "the folder is not there", path)
    _spare_the_others(args)

    from ..game import Game
    from ..review import review

    game = Game.from_record(record)
    with _progress() as on_progress:
        found = review(
            game,
            seconds=args.seconds,
            nodes=args.nodes,
            seed=args.seed,
            threads=args.threads,
            memory_mb=args.memory,
            on_progress=on_progress,
            keep_on_interrupt=True,
        )
    if args.json:
        common.print_json(found.to_dict())
    else:
        print(_text(found, args))
    if found.start_value is not None:
        _write(args, game, found)
    return 0 if found.complete else 130


def _spare_the_others(args: argparse.Namespace) -> None:
    """Refuse to write one game over a file that holds others."""
    if args.out is None or args.game == "-":
        return
    source = common.record_path(args.game)
    if not os.path.exists(args.out) or not os.path.samefile(source, args.out):
        return
    from ..record import read_games

    if sum(1 for _ in read_games(source)) > 1:
        raise WtsError("the other games of the file would be lost", code="conflict", field="--out")


def _write(args: argparse.Namespace, game: Game, found: Review) -> None:
    """Write the files that were asked for."""
    from ..files import write_text_atomically
    from ..review.html import html, picture
    from ..review.notes import annotated

    if args.html is not None:
        write_text_atomically(args.html, html(found))
    if args.svg is not None:
        write_text_atomically(args.svg, picture(found) + "\n")
    if args.out is not None:
        annotated(game, found).write(args.out)


def _text(found: Review, args: argparse.Namespace) -> str:
    from ..review.words import sentences, signed, summary, verdict

    colour = terminal.wants_colour(args.color)
    black, white = (found.tags.get(name, "?") for name in ("Black", "White"))
    lines = [f"{black} against {white}, {verdict(found)}", ""]
    if found.turns and found.start_value is not None:
        lines += [_HEAD, f"{signed(found.start_value):>{len(_HEAD)}}"]
        lines += [_row(turn, colour) for turn in found.turns]
        lines += ["", *_totals(found), ""]
        for turn in found.mattered(args.top):
            text = f"{signed(turn.before)} to {signed(turn.after)}. {' '.join(sentences(turn))}"
            lines += report.wrapped(f"{turn.number}. {turn.turn}", text)
        if found.mattered(args.top):
            lines.append("")
    lines += textwrap.wrap(" ".join(summary(found)), report.WIDTH)
    lines.append(_work(found))
    return "\n".join(lines)


def _row(turn: TurnReview, colour: bool) -> str:
    from ..review.words import signed

    luck = _painted(f"{signed(turn.luck):>7}", abs(turn.luck), colour, luck=True)
    line = (
        f"{turn.number:>4}   {_played(turn.black, colour)}   {_played(turn.white, colour)}   {luck}  "
        f"{signed(turn.after):>7}"
    )
    return f"{line}   {'; '.join(_remarks(turn))}".rstrip()


def _played(choice: Choice, colour: bool) -> str:
    """Return a square with its share of the mixture and what it gave away, 25 columns wide."""
    loss = _painted(f"{choice.loss:>9.3f}", choice.loss, colour)
    return f"{square_name(choice.square):<5}  {100 * choice.probability:>5.0f} %  {loss}"


def _painted(text: str, size: float, colour: bool, luck: bool = False) -> str:
    if not colour or size < _MUCH:
        return text
    code = 36 if luck else 31 if size >= _VERY_MUCH else 33
    return f"\x1b[{code}m{text}\x1b[0m"


def _remarks(turn: TurnReview) -> list[str]:
    """Return what is special about a turn, in a few words each."""
    said = []
    if turn.collision:
        said.append("collision")
    if turn.sudden_death:
        said.append("sudden death")
    for one in turn.missed:
        said.append(f"{one.colour.capitalize()} missed a {one.kind}{', proved' if one.proved else ''}")
    if turn.outcome is not None:
        said.append({1: "Black wins", -1: "White wins", 0: "a draw"}[turn.outcome.value])
    return said


def _totals(found: Review) -> list[str]:
    from ..review.words import signed

    lines = ["        gave away a turn   in all   turns without loss   missed wins   missed blocks     luck"]
    for player in COLOURS:
        side = found.side(player)
        share = f"{side.without_loss} of {side.turns}"
        lines.append(
            f"{player.capitalize():<8}{side.mean_loss:>16.3f}{side.loss:>9.3f}{share:>21}{side.missed_wins:>14}"
            f"{side.missed_blocks:>16}{signed(side.luck):>9}"
        )
    assert found.start_value is not None
    assert found.end is not None
    black, white = (found.side(player) for player in COLOURS)
    lines.append(
        f"{signed(found.start_value)} - {black.loss:.3f} + {white.loss:.3f} {'-' if black.luck < 0 else '+'} "
        f"{abs(black.luck):.3f} = {signed(found.end)}: the start, Black's loss, White's loss, luck, the end"
    )
    return lines


def _work(found: Review) -> str:
    limits = [] if found.nodes_a_turn is None else [f"{found.nodes_a_turn:,} nodes"]
    if found.seconds_a_turn is not None:
        limits.append(f"{found.seconds_a_turn:g} s")
    threads = f"{found.threads} thread{'s' * (found.threads > 1)}"
    compiling = f" after {found.compile_seconds:.1f} s of compiling" if found.compile_seconds >= 1 else ""
    return f"{' or '.join(limits)} a turn, {found.seconds:.1f} s in all{compiling}, seed {found.seed}, {threads}"


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """Give a callback that shows how far the review is, on a terminal; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("positions"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show
