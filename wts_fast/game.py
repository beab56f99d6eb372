"""A game under way: where it began, the turns since, and what was noted on them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ._kernel import Position
from .errors import WtsError
from .note import Note
from .record import RESULTS, Record, check_tag, format_record, read_games, write_games
from .squares import Square, parse_square
from .state import Outcome, Turn

__all__ = ["Game"]


class Game:
    """A start position and the turns played since.

    Parameters
    ----------
    start : Position or str, optional
        Where the game begins, as a position or its text; the empty board if left out.
    tags : mapping of str to str, optional
        Tags of the record, for example ``{"Black": "Ada", "White": "Bo", "Date": "2026.11.30"}``.

    Raises
    ------
    WtsError
        If `start` is no position, or a tag cannot be written or contradicts it.

    Examples
    --------
    >>> game = Game(tags={"Black": "Ada", "White": "Bo"})
    >>> game.play("E5", "E5")
    Position('9/9/9/9/4e4/9/9/9/9 E5')
    >>> game.undo()
    (40, 40)
    >>> game.position == game.start
    True
    """

    def __init__(self, start: Position | str | None = None, *, tags: Mapping[str, str] | None = None) -> None:
        if isinstance(start, str):
            start = Position(start)
        if start is not None and not isinstance(start, Position):
            raise WtsError(f"expected a Position, not {type(start).__name__}", code="position-type", field="start")
        self._positions = [Position() if start is None else start]
        self._turns: list[tuple[Square, Square]] = []
        self._notes: dict[int, Note] = {}
        self._tags = {"Black": "?", "White": "?", "Date": "????.??.??"}
        self._ended = "*"
        for name, value in (tags or {}).items():
            self.set_tag(name, value)

    @property
    def start(self) -> Position:
        """The position in which the game began."""
        return self._positions[0]

    @property
    def position(self) -> Position:
        """The position now."""
        return self._positions[-1]

    @property
    def positions(self) -> tuple[Position, ...]:
        """The start and the position after each turn."""
        return tuple(self._positions)

    @property
    def turns(self) -> tuple[tuple[Square, Square], ...]:
        """Black's and White's square of each turn."""
        return tuple(self._turns)

    @property
    def tags(self) -> Mapping[str, str]:
        """The tags of the record, to be read; `set_tag` sets them. ``Result`` follows the board."""
        return MappingProxyType({**self._tags, "Result": self.result})

    @property
    def notes(self) -> Mapping[int, Note]:
        """The notes by turn (0: before the first), to be read; `annotate` sets them."""
        return MappingProxyType(dict(sorted(self._notes.items())))

    @property
    def outcome(self) -> Outcome | None:
        """How the board decides the game; None while it does not."""
        return self.position.outcome

    @property
    def result(self) -> str:
        """The result: the board's, or where it has none, what `end` said."""
        return self._ended if self.outcome is None else self.outcome.result

    def __len__(self) -> int:
        return len(self._turns)

    def play(self, black: str | int, white: str | int) -> Position:
        """Play a turn and return the new position; a result that was agreed before is taken back.

        Raises
        ------
        IllegalMove
            As `Position.play`; the game is as before then.
        """
        after = self.position.play(black, white)
        self._turns.append((parse_square(black, "black"), parse_square(white, "white")))
        self._positions.append(after)
        self._ended = "*"
        return after

    def undo(self) -> tuple[Square, Square]:
        """Take the last turn back, with its note and an agreed result, and return its squares.

        Raises
        ------
        WtsError
            If no turn has been played.
        """
        if not self._turns:
            raise WtsError("no turn has been played", code="no-turn")
        self._notes.pop(len(self._turns), None)
        self._positions.pop()
        self._ended = "*"
        return self._turns.pop()

    def at(self, turn: int) -> Position:
        """Return the position after a turn (0: the start).

        Raises
        ------
        WtsError
            If there is no such turn.
        """
        return self._positions[self._number(turn, 0)]

    def explain(self, turn: int) -> Turn[Position]:
        """Return what happened in a turn, counted from 1."""
        number = self._number(turn, 1)
        return self._positions[number - 1].explain(*self._turns[number - 1])

    def annotate(self, turn: int, note: Note) -> None:
        """Set the note on a turn (0: before the first); an empty note takes it away.

        Raises
        ------
        WtsError
            If there is no such turn, or a probability stands on a square that is not empty.
        """
        number = self._number(turn, 0)
        if not isinstance(note, Note):
            raise WtsError(f"expected a Note, not {type(note).__name__}", code="note-type", field="note")
        if note.illegal(self._positions[number].legal) is not None:
            raise WtsError("a probability is given to a square that is not empty", code="annotation", field="note")
        self._notes.pop(number, None)
        if note:
            self._notes[number] = note

    def set_tag(self, name: str, value: str) -> None:
        """Set a tag of the record; ``Result`` is set as by `end`.

        Raises
        ------
        WtsError
            If it cannot be written, or contradicts the board.
        """
        check_tag(name, value)
        if name == "Result":
            self.end(value)
        elif name != "Position":
            self._tags[name] = value
        elif value != str(self.start):
            raise WtsError("the tag is not where the game begins", code="tag-value", field=name)

    def end(self, result: str) -> None:
        """Set the result of a game that the board does not decide, such as one given up.

        Raises
        ------
        WtsError
            If it is no result, or not the board's.
        """
        if result not in RESULTS:
            raise WtsError(f"expected one of {', '.join(RESULTS)}", code="result", field="result")
        if self.outcome is not None and result != self.outcome.result:
            raise WtsError(f"the board says {self.outcome.result}", code="result-board", field="result")
        self._ended = result

    def _number(self, turn: Any, least: int) -> int:
        if isinstance(turn, bool) or not isinstance(turn, int) or not least <= turn <= len(self._turns):
            raise WtsError(f"expected a turn from {least} to {len(self._turns)}", code="range", field="turn")
        return turn

    def to_record(self) -> Record:
        """Return the game as a record that shares nothing with it."""
        return Record(dict(self.tags), self.start, list(self._turns), dict(self.notes))

    @classmethod
    def from_record(cls, record: Record) -> Game:
        """Return the game that a record holds.

        Raises
        ------
        WtsError
            If a turn is not legal, a note belongs to none, or a tag cannot be written or contradicts the board.
        """
        game = cls(record.start)
        for black, white in record.turns:
            game.play(black, white)
        for turn, note in record.notes.items():
            game.annotate(turn, note)
        for name, value in record.tags.items():
            game.set_tag(name, value)
        return game

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Game:
        """Read the only game of a file.

        Raises
        ------
        ParseError
            If the file is damaged.
        WtsError
            If it holds more than one game; `record.read_games` reads those.
        """
        records = read_games(path)
        game = cls.from_record(next(records))
        if next(records, None) is not None:
            raise WtsError(f"{os.fspath(path)} holds more than one game", code="games", field="path")
        return game

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the game to a file, which afterwards holds it, or what it held before."""
        write_games(path, [self.to_record()])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (self.start, self._turns, self._notes, self.tags) == (
            other.start,
            other._turns,
            other._notes,
            other.tags,
        )

    __hash__ = None  # type: ignore[assignment]  # a game changes

    def __copy__(self) -> Game:
        return self.from_record(self.to_record())

    def __deepcopy__(self, memo: Any) -> Game:
        return self.__copy__()

    def __str__(self) -> str:
        return format_record(self.to_record())

    def __repr__(self) -> str:
        return f"<Game of {len(self)} turns, {self.result}: {self.position}>"
