"""perft: how many sequences of joint turns there are from a position, and what happens in the last turn of each.

Counting all sequences to a fixed depth is the classical check of a move generator. Here a turn is a
pair of squares, so n empty squares give n * n turns; games that have ended are not continued. The
plain number says little about the rules, hence what happens in the last turn is counted with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from .errors import LimitError, ParseError, WtsError
from .notation import format_turn, parse_position
from .state import Capture, Dissolve, Hatch, Outcome, State, Verdict

__all__ = ["MAX_DEPTH", "Counts", "TableLine", "difference", "divide", "format_line", "perft", "read_table"]

#: Even two empty squares give sequences without end; nobody waits for more than this.
MAX_DEPTH = 20


@dataclass(slots=True)
class Counts:
    """What the sequences of a depth hold; all but `turns` is about their last turn.

    Attributes
    ----------
    turns : int
        Sequences of that many turns.
    captures, hatches, dissolved : int
        Brackets closed, eggs hatched, eggs dissolved.
    black, white, draws : int
        Games that ended so.
    sudden : int
        Positions in sudden death.
    """

    turns: int = 0
    captures: int = 0
    hatches: int = 0
    dissolved: int = 0
    black: int = 0
    white: int = 0
    draws: int = 0
    sudden: int = 0

    def add(self, other: Counts) -> None:
        """Add other counts to these."""
        for name in NAMES:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def as_dict(self) -> dict[str, int]:
        """Return the counts by name."""
        return {name: getattr(self, name) for name in NAMES}

    def __str__(self) -> str:
        return " ".join(f"{name}={getattr(self, name)}" for name in NAMES)


NAMES = tuple(f.name for f in fields(Counts))


def perft(position: Any, depth: int) -> Counts:
    """Count the sequences of `depth` joint turns from a position.

    Parameters
    ----------
    position : Position
        Of either engine.
    depth : int
        From 0 to `MAX_DEPTH`; 0 counts the position itself as one empty sequence.

    Returns
    -------
    Counts

    Raises
    ------
    LimitError
        If `depth` is out of range.

    Examples
    --------
    >>> from wts_fast.oracle import Position
    >>> perft(Position(), 1).turns
    6561
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth <= MAX_DEPTH:
        raise LimitError(f"a depth is a whole number from 0 to {MAX_DEPTH}", code="depth", field="depth")
    counts = Counts()
    if depth == 0:
        counts.turns = 1
    else:
        _count(position, depth, counts)
    return counts


def _count(position: Any, depth: int, counts: Counts) -> None:
    legal = position.legal
    if depth > 1:
        play = position.play
        for black in legal:
            for white in legal:
                _count(play(black, white), depth - 1, counts)
        return
    explain = position.explain
    for black in legal:
        for white in legal:
            _count_events(explain(black, white).events, counts)


def _count_events(events: tuple[Any, ...], counts: Counts) -> None:
    counts.turns += 1
    for event in events:
        kind = type(event)
        if kind is Capture:
            counts.captures += 1
        elif kind is Hatch:
            counts.hatches += 1
        elif kind is Dissolve:
            counts.dissolved += 1
        elif kind is Verdict:
            if event.outcome is None:
                counts.sudden += event.black > 0
            elif event.outcome is Outcome.DRAW:
                counts.draws += 1
            elif event.outcome is Outcome.BLACK:
                counts.black += 1
            else:
                counts.white += 1


def divide(position: Any, depth: int) -> Iterator[tuple[int, int, Counts]]:
    """Yield the counts below each first turn, as (Black's square, White's square, counts), in ascending order.

    Raises
    ------
    LimitError
        If `depth` is not from 1 to `MAX_DEPTH`.
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= MAX_DEPTH:
        raise LimitError(f"a depth to divide is a whole number from 1 to {MAX_DEPTH}", code="depth", field="depth")
    return _divide(position, depth)


def _divide(position: Any, depth: int) -> Iterator[tuple[int, int, Counts]]:
    legal = position.legal
    for black in legal:
        for white in legal:
            counts = Counts()
            if depth == 1:
                _count_events(position.explain(black, white).events, counts)
            else:
                _count(position.play(black, white), depth - 1, counts)
            yield black, white, counts


def difference(kernel: Any, oracle: Any, depth: int) -> str:
    """Return the first turns below which two engines count differently, one a line; empty if there are none."""
    theirs = {(b, w): counts for b, w, counts in divide(oracle, depth)}
    lines = []
    for black, white, counts in divide(kernel, depth):
        expected = theirs.pop((black, white), None)
        if counts != expected:
            lines.append(f"{format_turn(black, white)}: kernel {counts}; oracle {expected or 'has no such turn'}")
    lines += [f"{format_turn(b, w)}: kernel has no such turn; oracle {counts}" for (b, w), counts in theirs.items()]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class TableLine:
    """One line of a perft file: counts at a depth from a position.

    Attributes
    ----------
    position : State
        Where the counting begins.
    text : str
        Its position text.
    depth : int
        How many turns.
    counts : Counts
        What was counted.
    """

    position: State
    text: str
    depth: int
    counts: Counts


def format_line(text: str, depth: int, counts: Counts) -> str:
    """Return a line of a perft file, as `read_table` reads it."""
    return f"{text} ; depth={depth} {counts}"


def read_table(path: str | os.PathLike[str]) -> list[TableLine]:
    """Read a perft file.

    Lines that begin with ``#`` are comments; the others hold a position text, `` ; `` and ``name=number``
    for ``depth`` and each name of `Counts`, in that order.

    Raises
    ------
    ParseError
        If a line is not like that; it names the line.
    OSError
        If the file cannot be read.
    """
    lines = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                lines.append(_parse_line(line.rstrip("\n"), number))
    return lines


def _parse_line(line: str, number: int) -> TableLine:
    text, separator, rest = line.partition(" ; ")
    values = dict(item.partition("=")[::2] for item in rest.split(" "))
    if not separator or tuple(values) != ("depth", *NAMES):
        names = " ".join(f"{name}=" for name in ("depth", *NAMES))
        raise ParseError(f"expected a position, ' ; ' and {names}", code="perft-line", column=1, line=number)
    for name, value in values.items():
        if not (value.isascii() and value.isdigit() and len(value) < 20):
            raise ParseError("expected a number", code="perft-number", column=1, line=number, field=name)
    try:
        state = parse_position(text)
    except WtsError as error:
        raise ParseError(error.reason, code=error.code, column=1, line=number, field=error.field) from None
    numbers = {name: int(value) for name, value in values.items()}
    return TableLine(state, text, numbers.pop("depth"), Counts(**numbers))
