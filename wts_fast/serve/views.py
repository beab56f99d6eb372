"""What the interface gives back: boards, turns, records and analyses as JSON values, squares by name."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ..errors import WtsError
from ..game import Game
from ..note import Note
from ..record import Record, read_games
from ..squares import COLOURS, square_name
from ..threats import threats
from ..words import LANGUAGES, Result, words
from .fields import MOST_TURNS, Fields, checked, shown

if TYPE_CHECKING:
    from .._kernel import Position
    from ..analysis import Analysis

__all__ = ["analysis_line", "board", "record_games", "record_text", "turn"]


def _names(squares: tuple[int, ...]) -> list[str]:
    return [square_name(s) for s in squares]


def board(position: Position) -> dict[str, Any]:
    """Return all that a picture of a position needs."""
    return {
        "position": str(position),
        "legal": _names(position.legal),
        "outcome": None if position.outcome is None else position.outcome.name.lower(),
        "sudden_death": position.sudden_death,
        "winning": {colour: _names(position.winning(colour)) for colour in COLOURS},
        "eggs": _names(position.eggs),
        "black": _names(position.black),
        "white": _names(position.white),
        "threats": threats(position).to_dict(),
    }


def turn(position: Position, black: str | int, white: str | int) -> dict[str, Any]:
    """Return what happens in a turn, in order, and the board after it.

    Raises
    ------
    IllegalMove
        If it cannot be played.
    """
    told = position.explain(black, white)
    names = [square if isinstance(square, str) else square_name(square) for square in (black, white)]
    return {
        "turn": " ".join(names).upper(),
        "events": [event.as_dict() for event in told.events],
        "after": board(told.position),
    }


def analysis_line(found: Analysis, known_threats: dict[str, Any], final: bool) -> dict[str, Any]:
    """Return what a search has found, so far or in the end."""
    sentences: dict[str, list[str]] = {lang: [] for lang in LANGUAGES}
    if found.stopped_by != "finished":
        result = Result.of(found, found.value)
        seen = threats(found.position)
        sentences = {lang: list(words(result, seen, lang)) for lang in LANGUAGES}
    return {**found.to_dict(), "final": final, "words": sentences, "threats": known_threats}


def record_games(text: str) -> dict[str, Any]:
    """Return the games of a record's text.

    Raises
    ------
    ParseError
        If it is damaged, with line and column.
    WtsError
        If a game has too many turns.
    """
    return {"games": [_game(record) for record in read_games(io.BytesIO(text.encode()))]}


def _game(record: Record) -> dict[str, Any]:
    if len(record.turns) > MOST_TURNS:
        raise WtsError(f"a game of more than {MOST_TURNS} turns", code="too-many", field="text")
    return {
        "tags": record.tags,
        "start": str(record.start),
        "moves": [_names(pair) for pair in record.turns],
        "positions": [str(position) for position in record.positions],
        "result": record.result,
        "notes": {str(number): _note(note) for number, note in record.notes.items()},
    }


def _note(note: Note) -> dict[str, Any]:
    data: dict[str, Any] = {"text": note.text, "value": note.value}
    for colour, strategy in (("black", note.black), ("white", note.white)):
        data[colour] = {square_name(square): share for square, share in strategy.items()}
    return data


def record_text(fields: Fields) -> dict[str, Any]:
    """Return the text of a record of one game.

    Raises
    ------
    WtsError
        If it cannot be written; the field says what of it.
    """
    start = fields.position()
    turns, _ = fields.moves(start)
    tags, notes = fields.table("tags"), fields.table("notes")
    fields.end()
    game = Game(start)
    for black, white in turns:
        game.play(black, white)
    for number, note in notes.items():
        where = f"notes.{shown(number)}"
        if not number.isascii() or not number.isdecimal() or len(number) > 4:
            raise WtsError("expected the number of a turn", code="field-value", field=where)
        _within(where, lambda number=number, note=note: game.annotate(int(number), _read_note(note)))
    for name, value in tags.items():
        _within("tags", lambda name=name, value=value: game.set_tag(name, value))
    return {"text": str(game)}


def _read_note(data: Any) -> Note:
    given = dict(checked(data, "", dict))
    note = {"text": given.pop("text", ""), "value": given.pop("value", None)}
    note |= {colour: given.pop(colour, {}) for colour in COLOURS}
    if given:
        raise WtsError("no field is called so here", code="field-unknown", field=shown(next(iter(given))))
    return Note(**note)


def _within(where: str, make: Any) -> None:
    """Do something; its error's field gets a place before it."""
    try:
        make()
    except WtsError as error:
        error.field = f"{where}.{error.field}" if error.field else where
        raise
