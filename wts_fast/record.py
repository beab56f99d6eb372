"""Records of games (``.wts``): text in the manner of PGN, read strictly, many games to a file.

A game is its tags, one to a line, then the turns, comments in braces, and the result. What is
damaged is an error with line and column; a damaged game never becomes two, and two never one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from ._kernel import Position
from .errors import IllegalMove, ParseError, WtsError
from .files import write_text_atomically
from .notation import START, format_turn
from .note import Note, format_note, parse_note
from .squares import Square, parse_square

__all__ = [
    "RESULTS",
    "Finding",
    "Note",
    "Record",
    "check_file",
    "check_tag",
    "format_record",
    "read_games",
    "write_games",
]

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
REQUIRED = ("Black", "White", "Date", "Result")

#: A line of so many bytes is refused; a file without line ends must not fill the memory.
MAX_LINE = 1 << 20

_WIDTH = 80
_TAG_LINE = re.compile(r"\[[A-Za-z][A-Za-z0-9_]*[ \t]+\"")
_TAG = re.compile(r"\[([A-Za-z][A-Za-z0-9_]*) \"((?:[^\"\\]|\\[\"\\])*)\"\]")
_TOKEN = re.compile(r"[^ \t{}]+")
_NUMBER = re.compile(r"[1-9][0-9]{0,8}\.")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_UNWRITABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(slots=True)
class Record:
    """One game as a file holds it.

    Attributes
    ----------
    tags : dict of str to str
        At least Black, White, Date and Result when it is written.
    start : Position
        Where the game begins.
    turns : list of (int, int)
        Black's and White's square of each turn.
    notes : dict of int to Note
        What the comments behind turn n say (0: before the first turn).
    """

    tags: dict[str, str]
    start: Position = field(default_factory=Position)
    turns: list[tuple[Square, Square]] = field(default_factory=list)
    notes: dict[int, Note] = field(default_factory=dict)

    @property
    def result(self) -> str:
        """The result: ``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` where there is none."""
        return self.tags.get("Result", "*")

    @property
    def positions(self) -> list[Position]:
        """The start and the position after each turn.

        Raises
        ------
        IllegalMove
            If a turn is not legal; records that were read hold legal turns only.
        """
        positions = [self.start]
        for black, white in self.turns:
            positions.append(positions[-1].play(black, white))
        return positions


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong in a file."""

    line: int
    column: int
    code: str
    reason: str


# ---- reading


def read_games(source: str | os.PathLike[str] | BinaryIO) -> Iterator[Record]:
    """Read the games of a file one by one, in memory for one game.

    Parameters
    ----------
    source : path or binary file
        UTF-8 text; a byte order mark at the beginning is passed over.

    Yields
    ------
    Record
        A game whose turns are legal, with nothing left unread in it.

    Raises
    ------
    ParseError
        At the first thing that is wrong, with line and column; also if the file holds no game.
    OSError
        If the file cannot be read.
    """

    def refuse(error: ParseError) -> None:
        raise error

    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            yield from _Reader(file, refuse).games()
    else:
        yield from _Reader(source, refuse).games()


def check_file(source: str | os.PathLike[str] | BinaryIO) -> tuple[int, list[Finding]]:
    """Return how many games a file holds, and everything that is wrong in it.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    findings: list[Finding] = []

    def note(error: ParseError) -> None:
        reason = f"{error.field}: {error.reason}" if error.field else error.reason
        findings.append(Finding(error.line or 1, error.column, error.code, reason))

    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            games = sum(1 for _ in _Reader(file, note).games())
    else:
        games = sum(1 for _ in _Reader(source, note).games())
    # A turn that is cut off is noticed only after what follows it.
    return games, sorted(findings, key=lambda finding: (finding.line, finding.column))


class _Reader:
    """Reads games from a file; what is wrong goes to `report`, which may raise or let the reading go on."""

    def __init__(self, file: BinaryIO, report: Callable[[ParseError], None]) -> None:
        self._file = file
        self._report = report
        self._line = 0
        self._offset = 0
        self._kept: str | None = None

    def games(self) -> Iterator[Record]:
        found = False
        while (line := self.next()) is not None:
            if not line.strip(" \t"):
                continue
            found = True
            if line.startswith("["):
                self._kept = line
                yield _Game(self, self._report).read()
            else:
                self._pass_over()
        if not found:
            self._report(ParseError("the file holds no game", code="no-games", line=max(self._line, 1), column=1))

    def _pass_over(self) -> None:
        """Complain of text that belongs to no game, and read on to where one begins."""
        self._error("a game begins with its tags; what stands here belongs to none", "stray", 0)
        while (line := self.next()) is not None:
            if line.startswith("["):
                self._kept = line
                return

    @property
    def line(self) -> int:
        """The number of the line read last."""
        return self._line

    def keep(self, line: str) -> None:
        """Give a line back, to be read again."""
        self._kept = line

    def next(self) -> str | None:
        """Return the next line without its end, or None at the end of the file."""
        if self._kept is not None:
            line, self._kept = self._kept, None
            return line
        raw = self._read()
        if not raw:
            return None
        self._line += 1
        begin = self._offset - len(raw)
        if len(raw) == MAX_LINE and not raw.endswith(b"\n"):
            while raw and not raw.endswith(b"\n"):
                raw = self._read()
            self._error(f"the line has {MAX_LINE} bytes or more", "line-long", MAX_LINE - 1)
            return ""
        if begin == 0 and raw.startswith(b"\xef\xbb\xbf"):
            begin, raw = 3, raw[3:]
        raw = raw.removesuffix(b"\n").removesuffix(b"\r")
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            index = len(raw[: error.start].decode("utf-8"))
            self._error(f"byte {begin + error.start} of the file, counted from 0, is no UTF-8", "encoding", index)
            line = raw.decode("utf-8", "replace")
        if control := _CONTROL.search(line):
            number = ord(control[0])
            self._error(f"the control character {number} does not belong in a record", "control", control.start())
            line = _CONTROL.sub(" ", line)
        return line

    def _read(self) -> bytes:
        """Read a line, or a part of one that is too long."""
        raw = self._file.readline(MAX_LINE)
        if not isinstance(raw, bytes):
            raise WtsError("expected a file opened in binary mode", code="stream-type", field="source")
        self._offset += len(raw)
        return raw

    def _error(self, reason: str, code: str, index: int) -> None:
        self._report(ParseError(reason, code=code, line=self._line, column=index + 1))


class _Game:
    """Reads one game from a reader that stands before its first line."""

    def __init__(self, lines: _Reader, report: Callable[[ParseError], None]) -> None:
        self._lines = lines
        self._report = report
        self._tags: dict[str, str] = {}
        self._start = Position()
        # None once a turn could not be played: what follows is read, and its squares are not judged.
        self._position: Position | None = self._start
        self._turns: list[tuple[Square, Square]] = []
        self._notes: dict[int, Note] = {}
        self._comments: list[tuple[str, int, int]] = []
        self._cut = False  # by a comment that does not end
        self._result: tuple[str, int] | None = None  # with its column
        self._number = 0  # of the last turn; a turn that could not be read counts
        self._numbered: tuple[int, int] | None = None  # line and column of the number whose turn is to follow
        self._pending: list[tuple[Square, int, int]] = []  # squares of the turn being read, with line and column
        self._lost = False  # in a turn that cannot be read: one finding tells of it, its rest is passed over

    def _error(self, reason: str, code: str, column: int, name: str | None = None, line: int | None = None) -> None:
        self._report(ParseError(reason, code=code, line=line or self._lines.line, column=column, field=name))

    def read(self) -> Record:
        self._read_tags()
        for tag in REQUIRED:
            if tag not in self._tags:
                self._error(f"the tag {tag} is missing", "tag-missing", 1, tag)
        self._read_turns()
        return Record(self._tags, self._start, self._turns, self._notes)

    # ---- tags

    def _read_tags(self) -> None:
        while (line := self._lines.next()) is not None:
            if not line.strip(" \t"):
                if self._tags:
                    return
                continue
            if not line.startswith("["):
                self._lines.keep(line)
                return
            match = _TAG.fullmatch(line.rstrip(" \t"))
            if match is None:
                self._error('expected a tag, as in [Black "Ada"]', "tag", 1)
                continue
            name, value = match[1], re.sub(r"\\(.)", r"\1", match[2])
            if name in self._tags:
                self._error(f"the tag {name} stands twice", "tag-twice", 2, name)
                continue
            self._tags[name] = value
            if name == "Position":
                self._read_start(value, line.index('"') + 1)
            if name == "Result" and value not in RESULTS:
                self._error(f"{value[:20]!r} is none of {', '.join(RESULTS)}", "result", line.index('"') + 2, name)

    def _read_start(self, text: str, column: int) -> None:
        try:
            self._position = self._start = Position(text)
        except ParseError as error:
            self._error(error.reason, error.code, column + error.column, "Position")
            self._position = None

    # ---- turns

    def _read_turns(self) -> None:
        while self._result is None:
            line = self._lines.next()
            if line is None or line.startswith("["):
                if line is not None:
                    self._lines.keep(line)
                self._end_turn()
                if not self._cut:
                    self._error("the game ends without a result", "result-missing", 1)
                break
            self._read_line(line)
        self._read_comments()
        self._compare_result()

    def _read_line(self, line: str) -> None:
        at = 0
        while at < len(line):
            if line[at] in " \t":
                at += 1
            elif line[at] == "{":
                after = self._read_comment(line, at)
                if after is None:
                    return
                line, at = after
            elif line[at] == "}":
                self._error("a brace closes no comment", "brace", at + 1)
                at += 1
            else:
                match = _TOKEN.match(line, at)
                assert match is not None
                self._read_token(match[0], at + 1)
                at = match.end()
                if self._result is not None:
                    if line[at:].strip(" \t"):
                        self._error("nothing may follow the result on its line", "after-result", at + 1)
                    return

    def _read_comment(self, line: str, at: int) -> tuple[str, int] | None:
        """Read a comment that opens at `at`; return the line in which it closes and the place behind it."""
        first, column, parts, begin = self._lines.line, at + 1, [], at + 1
        while (end := line.find("}", begin)) < 0:
            parts.append(line[begin:])
            following = self._lines.next()
            if following is None or _TAG_LINE.match(following):
                if following is not None:
                    self._lines.keep(following)
                self._error("the comment does not end", "comment-open", column, line=first)
                self._cut = True
                return None
            line, begin = following, 0
        parts.append(line[begin:end])
        text = " ".join(part.strip(" \t") for part in parts)
        if "{" in text:
            self._error("a comment begins inside a comment", "comment-nested", column, line=first)
        else:
            self._comments.append((text, first, column))
        return line, end + 1

    def _read_token(self, token: str, column: int) -> None:
        if token in RESULTS:
            self._end_turn()
            self._result = token, column
        elif _NUMBER.fullmatch(token):
            self._end_turn()
            self._read_comments()
            self._read_number(int(token[:-1]), column)
        elif not self._lost:
            try:
                square = parse_square(token)
            except WtsError:
                self._lose(f"{token[:20]!r} is no square, turn number or result", "token", column)
            else:
                self._read_square(square, column)

    def _read_square(self, square: Square, column: int) -> None:
        if not self._pending and self._numbered is None:
            self._lose(f"the number {self._number + 1}. is missing before the turn", "turn-number", column)
            return
        self._numbered = None
        self._pending.append((square, self._lines.line, column))
        if len(self._pending) == 2:
            self._play()

    def _lose(self, reason: str, code: str, column: int) -> None:
        """Complain of a turn that cannot be read; what follows in the game can then not be judged."""
        self._error(reason, code, column)
        self._position, self._pending, self._numbered, self._lost = None, [], None, True

    def _read_number(self, number: int, column: int) -> None:
        # Nobody knows whether what could not be read was a turn of its own.
        expected = (self._number + 1, self._number + 2) if self._lost else (self._number + 1,)
        if number not in expected:
            self._error(f"expected turn {self._number + 1}, not {number}", "turn-number", column)
        self._number = number - 1
        self._numbered = self._lines.line, column
        self._lost = False

    def _end_turn(self) -> None:
        """Complain of a turn that a number, a result or the end of the game cuts off."""
        if self._pending:
            _, line, column = self._pending[0]
            self._error("White's square is missing", "turn-half", column, line=line)
        elif self._numbered is not None:
            line, column = self._numbered
            self._error("no turn follows its number", "turn-half", column, line=line)
        else:
            return
        self._position, self._pending, self._numbered = None, [], None
        self._number += 1

    def _play(self) -> None:
        (black, line, column), (white, white_line, white_column) = self._pending
        self._pending = []
        self._number += 1
        if self._position is not None:
            try:
                self._position = self._position.play(black, white)
            except IllegalMove as error:
                if error.field == "white":
                    line, column = white_line, white_column
                self._error(f"turn {self._number}: {error.reason}", error.code, column, error.field, line)
                self._position = None
        self._turns.append((black, white))

    def _read_comments(self) -> None:
        """Turn the comments read since the last turn into its note."""
        if not self._comments:
            return
        _, line, column = self._comments[0]
        text = " ".join(part for part, _, _ in self._comments)
        self._comments = []
        try:
            note = parse_note(text, line=line, column=column)
        except ParseError as error:
            self._report(error)
            return
        if self._position is not None and (square := note.illegal(self._position.legal)) is not None:
            self._report(
                ParseError(
                    f"a probability is given to {format_turn(square, square)[:2]}, which is not empty",
                    code="annotation",
                    line=line,
                    column=column,
                )
            )
            return
        if note:
            self._notes[len(self._turns)] = note

    def _compare_result(self) -> None:
        if self._result is None:
            return
        result, column = self._result
        tagged = self._tags.get("Result")
        if tagged in RESULTS and tagged != result:
            self._error(f"the tag Result says {tagged}, the game {result}", "result-differs", column, "Result")
        outcome = None if self._position is None else self._position.outcome
        if outcome is not None and outcome.result != result:
            self._error(f"the board says {outcome.result}, the game {result}", "result-board", column)


# ---- writing


def format_record(record: Record) -> str:
    """Return a game as text, lines of at most 80 columns where words allow it, with a line end.

    Raises
    ------
    WtsError
        If the record cannot be written: a tag's name or value, a turn that is not legal, a result
        that the board contradicts.
    """
    tags, start = dict(record.tags), str(record.start)
    if tags.get("Position", start) != start:
        raise WtsError("the tag is not where the game begins", code="tag-value", field="Position")
    if start != START:
        tags["Position"] = start
    for name in REQUIRED:
        if name not in tags:
            raise WtsError("the tag is missing", code="tag-missing", field=name)
    if tags["Result"] not in RESULTS:
        raise WtsError(f"expected one of {', '.join(RESULTS)}", code="result", field="Result")
    positions = record.positions
    outcome = positions[-1].outcome
    if outcome is not None and outcome.result != tags["Result"]:
        raise WtsError(f"the board says {outcome.result}", code="result-board", field="Result")
    names = [*REQUIRED, *(["Position"] if "Position" in tags else [])]
    lines = [_format_tag(name, tags[name]) for name in [*names, *(name for name in tags if name not in names)]]
    return "\n".join([*lines, "", *_wrap(_words(record, positions)), ""])


def check_tag(name: object, value: object) -> None:
    """Refuse a tag that cannot be written.

    Raises
    ------
    WtsError
        If the name is not a letter with letters, digits and ``_`` behind it, or the value not one line of text.
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise WtsError("a tag's name is a letter, then letters, digits and _", code="tag-name", field=str(name)[:20])
    if not isinstance(value, str) or _UNWRITABLE.search(value):
        raise WtsError("a tag's value is one line of text", code="tag-value", field=name[:20])


def _format_tag(name: str, value: str) -> str:
    check_tag(name, value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def _words(record: Record, positions: list[Position]) -> Iterator[str]:
    for number, position in enumerate(positions):
        if number:
            yield f"{number}. {format_turn(*record.turns[number - 1])}"
        note = record.notes.get(number)
        if note:
            if (square := note.illegal(position.legal)) is not None:
                raise WtsError(
                    f"the note on turn {number} gives {format_turn(square, square)[:2]} a probability; it is not empty",
                    code="annotation",
                    field="notes",
                )
            yield from _comment_words(format_note(note))
    if any(not 0 <= number < len(positions) for number in record.notes):
        raise WtsError("a note belongs to no turn", code="annotation", field="notes")
    yield record.tags["Result"]


def _comment_words(text: str) -> Iterator[str]:
    """Cut a comment where a line may end: at single blanks, and never before a word that could begin a tag line."""
    yield from re.split(r"(?<![ \t]) (?![ \t\[])", "{" + text + "}")


def _wrap(words: Iterable[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > _WIDTH:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def write_games(path: str | os.PathLike[str], records: Iterable[Record]) -> None:
    """Write games to a file, which afterwards holds all of them, or what it held before.

    Raises
    ------
    WtsError
        If there is no game, or one of them cannot be written.
    OSError
        If the file cannot be written.
    """
    text = "\n".join(format_record(record) for record in records)
    if not text:
        raise WtsError("there is no game to write", code="no-games", field="records")
    write_text_atomically(path, text)
