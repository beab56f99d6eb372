"""The protocol as data: every field of every object, in both directions.

Queries are checked by these tables, and the reference in ``docs/protocol.md`` is written from them; the tests hold
every answer of the engine against them too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..errors import WtsError
from ..limits import MOST_MEMORY, MOST_NODES, MOST_SECONDS
from ..methods import DEFAULT, METHODS, OPTIONS
from ..squares import SQUARE_NAMES

__all__ = [
    "ACTIONS",
    "CODES",
    "MOST_LINE",
    "MOST_MOVES",
    "MOST_QUEUED",
    "PROTOCOL",
    "QUERIES",
    "REPLIES",
    "Field",
    "Kind",
    "Object",
    "check",
    "walk",
]

#: Number of this protocol; a change that breaks a client counts it up.
PROTOCOL = 1

#: Bytes of a line that is read; what is longer is passed over, with an error.
MOST_LINE = 1 << 20

#: Turns that may wait; a query that would make them more is refused.
MOST_QUEUED = 20_000

#: Moves of a query.
MOST_MOVES = 10_000


class Kind(Protocol):
    """What a field can hold."""

    @property
    def words(self) -> str:
        """How the reference says it."""

    def check(self, value: object, path: str) -> None:
        """Raise a `WtsError` that names `path` if the value is something else."""


def _refuse(reason: str, code: str, path: str) -> WtsError:
    return WtsError(reason, code=code, field=path)


def _short(value: object) -> str:
    """Return what a value is, in a few words that are safe to show."""
    names = {dict: "an object", list: "a list", type(None): "null", bool: str(value).lower()}
    if type(value) in names:
        return names[type(value)]
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a larger number"
    return text if len(text) <= 40 else f"{text[:37]}..."


@dataclass(frozen=True, slots=True)
class Text:
    """Text of at most so many characters."""

    most: int
    words: str = "text"

    def check(self, value: object, path: str) -> None:
        """Check a value."""
        if not isinstance(value, str):
            raise _refuse(f"expected {self.words}, not {_short(value)}", "type", path)
        if len(value) > self.most:
            raise _refuse(f"expected at most {self.most} characters", "range", path)


@dataclass(frozen=True, slots=True)
class Number:
    """A number within a range, whole or not."""

    least: float
    most: float
    whole: bool = False

    @property
    def words(self) -> str:
        """How the reference says it."""
        kind = "whole number" if self.whole else "number"
        if not math.isfinite(self.most):
            return kind if self.least == 0 else f"{kind} from {self.least:g}"
        names = {2**64 - 1: "2^64 - 1", 10**18: "10^18", 2**20: "2^20"}
        return f"{kind}, {self.least:g} to {names.get(int(self.most)) or f'{self.most:.10g}'}"

    def check(self, value: object, path: str) -> None:
        """Check a value."""
        if isinstance(value, bool) or not isinstance(value, int if self.whole else (int, float)):
            raise _refuse(f"expected a {self.words}, not {_short(value)}", "type", path)
        # Compared as they are: a float of a large whole number could overflow.
        if not self.least <= value <= self.most:
            raise _refuse(f"expected a {self.words}, not {_short(value)}", "range", path)


@dataclass(frozen=True, slots=True)
class Word:
    """One of some words."""

    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        """How the reference says it."""
        return " or ".join(f'`"{choice}"`' for choice in self.choices)

    def check(self, value: object, path: str) -> None:
        """Check a value."""
        if not isinstance(value, str) or value not in self.choices:
            raise _refuse(f"expected one of {', '.join(self.choices)}, not {_short(value)}", "word", path)


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    words: str = "true or false"

    def check(self, value: object, path: str) -> None:
        """Check a value."""
        if not isinstance(value, bool):
            raise _refuse(f"expected true or false, not {_short(value)}", "type", path)


@dataclass(frozen=True, slots=True)
class Identity:
    """What a query is called: text, or a whole number."""

    words: str = "text of at most 200 characters, or a whole number"

    def check(self, value: object, path: str) -> None:
        """Check a value."""
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise _refuse(f"expected text or a whole number, not {_short(value)}", "type", path)
        if len(value) > 200 if isinstance(value, str) else abs(value) >= 2**64:
            raise _refuse("expected at most 200 characters, or a number below 2^64", "range", path)


@dataclass(frozen=True, slots=True)
class SquareName:
    """The name of a square, in either case."""

    words: str = "square"

    def check(self, value: object, path: str) -> None:
        """Check a value."""
        if not isinstance(value, str) or value.upper() not in SQUARE_NAMES or not value.isascii():
            raise _refuse(f"expected a square, A1 to I9, not {_short(value)}", "square", path)


@dataclass(frozen=True, slots=True)
class Many:
    """A list."""

    item: Kind
    least: int
    most: int
    words: str

    def check(self, value: object, path: str) -> None:
        """Check a list and all that is in it."""
        if not isinstance(value, list):
            raise _refuse(f"expected a {self.words}, not {_short(value)}", "type", path)
        if not self.least <= len(value) <= self.most:
            size = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
            raise _refuse(f"expected {size} of them, not {len(value)}", "range", path)
        for index, item in enumerate(value):
            self.item.check(item, f"{path}[{index}]")


@dataclass(frozen=True, slots=True)
class Mapping:
    """An object with names of one kind and values of another."""

    key: Kind
    value: Kind
    words: str

    def check(self, value: object, path: str) -> None:
        """Check an object and all that is in it."""
        if not isinstance(value, dict):
            raise _refuse(f"expected an {self.words}, not {_short(value)}", "type", path)
        for name, inner in value.items():
            self.key.check(name, path)
            self.value.check(inner, f"{path}.{name}")


@dataclass(frozen=True, slots=True)
class Anything:
    """A value of the builder's: described in words, and not checked."""

    words: str

    def check(self, value: object, path: str) -> None:
        """Take anything."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value, or null."""

    kind: Kind

    @property
    def words(self) -> str:
        """How the reference says it."""
        return f"{self.kind.words}; or null"

    def check(self, value: object, path: str) -> None:
        """Check a value that is there."""
        if value is not None:
            self.kind.check(value, path)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object.

    Attributes
    ----------
    name, about : str
        What it is called, and what it means, for the reference.
    kind : Kind
        What it holds.
    required : bool
        Whether it must be there.
    """

    name: str
    kind: Kind
    about: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Object:
    """An object with named fields.

    Attributes
    ----------
    fields : tuple of Field
        All that it can have.
    words : str
        How the reference says it.
    """

    fields: tuple[Field, ...]
    words: str = "object"
    names: dict[str, Field] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.names.update({f.name: f for f in self.fields})

    def check(self, value: object, path: str = "") -> None:
        """Check an object and all that is in it; what is unknown is refused."""
        if not isinstance(value, dict):
            raise _refuse(f"expected an object, not {_short(value)}", "type", path or "line")
        for name, inner in value.items():
            known = self.names.get(name)
            inside = f"{path}.{name}" if path else name
            if known is None:
                names = ", ".join(self.names)
                raise _refuse(f"no such field; there are {names}", "unknown-field", inside[:100])
            known.kind.check(inner, inside)
        for known in self.fields:
            if known.required and known.name not in value:
                raise _refuse("is missing", "missing", f"{path}.{known.name}" if path else known.name)


def check(data: object) -> str:
    """Check a query; return its action.

    Raises
    ------
    WtsError
        Naming the field that is wrong.
    """
    if not isinstance(data, dict):
        raise _refuse(f"expected an object, not {_short(data)}", "type", "line")
    action = data.get("action", "analyze")
    Word(ACTIONS).check(action, "action")
    QUERIES[action].check(data)
    return str(action)


def walk(thing: Object, path: str = "") -> Iterator[tuple[str, Field]]:
    """Yield every field of an object and of the objects in it, with its path."""
    for inner in thing.fields:
        name = f"{path}.{inner.name}" if path else inner.name
        yield name, inner
        kind: Any = inner.kind
        while not isinstance(kind, Object) and hasattr(kind, "item"):
            kind, name = kind.item, f"{name}[]"
        if isinstance(kind, Object):
            yield from walk(kind, name)


_ID = Field("id", Identity(), "what the query is called; its answers carry it", True)
_SQUARES = Many(SquareName(), 1, 81, "list of squares")
_SIDES = Object(
    (Field("black", _SQUARES, "Black's squares"), Field("white", _SQUARES, "White's squares")),
    "object of lists of squares",
)
_POSITION = Text(400, 'position text, or `"start"`')


def _action(name: str, about: str, required: bool = True) -> Field:
    return Field("action", Word((name,)), about, required)


_OPTIONS = Object(
    tuple(
        Field(o.name, Word(o.words) if o.words else Number(o.least, o.most, o.whole), o.about) for o in OPTIONS.values()
    ),
    "object",
)

_ANALYZE = Object(
    (
        _ID,
        _action("analyze", "may be left out", False),
        Field("position", _POSITION, "the position; with `moves`, where these begin"),
        Field(
            "moves",
            Many(Many(SquareName(), 2, 2, "pair of squares"), 0, MOST_MOVES, "list of pairs of squares"),
            "the turns of a game: Black's square, then White's",
        ),
        Field("start", _POSITION, "with `moves`, instead of `position`: where they begin; the empty board if left out"),
        Field(
            "turns",
            Many(Number(0, MOST_MOVES, True), 1, MOST_MOVES + 1, "list of whole numbers"),
            "which positions to analyze, in this order: 0 is the one before the first move, 1 the one after it; "
            "the last alone if left out",
        ),
        Field("seconds", Number(0, MOST_SECONDS), "time for each turn; 1 if `nodes` is left out too"),
        Field("nodes", Number(0, MOST_NODES, True), "work for each turn: fixes the answer"),
        Field("seed", Number(0, 2**64 - 1, True), "of random numbers; drawn anew for each turn if left out"),
        Field("method", Word(tuple(METHODS)), f"how to search; `{DEFAULT}` if left out"),
        Field("options", _OPTIONS, "settings of the method: which it knows, `info` tells"),
        Field("threads", Number(1, 1024, True), "threads of one search; 1 if left out"),
        Field("memory", Number(1, MOST_MEMORY, True), "mebibytes that the search may take; 512 if left out"),
        Field(
            "reportEvery",
            Number(0.01, 3600),
            "seconds from one report of progress to the next; none are made if left out",
        ),
        Field("only", _SIDES, "the only squares that a player may choose this turn; they must be empty; method `tree`"),
        Field("avoid", _SIDES, "squares that a player may not choose this turn; method `tree`"),
    )
)

#: What can be asked, by action.
QUERIES: dict[str, Object] = {
    "analyze": _ANALYZE,
    "stop": Object((_action("stop", "the action"), Field("id", Identity(), "which query to stop", True))),
    "stop_all": Object((_action("stop_all", "the action"), Field("id", Identity(), "sent back"))),
    "version": Object((_action("version", "the action"), Field("id", Identity(), "sent back"))),
    "info": Object((_action("info", "the action"), Field("id", Identity(), "sent back"))),
}

#: What `action` can be.
ACTIONS = tuple(QUERIES)

_MIX = Mapping(SquareName(), Number(0, 1), "object of probabilities by square, likeliest first, those of 0 left out")
_COUNT = Number(0, math.inf, True)
_DURATION = Number(0, math.inf)
_VALUE = Number(-1, 1)
_ENDED_BY = ("nodes", "seconds", "interrupt", "memory", "solved", "finished")
_ERROR = Object(
    (
        Field("code", Text(40), "a short stable word", True),
        Field("field", Maybe(Text(200)), "the field that is wrong, for example `only.black[2]`", True),
        Field("column", Maybe(Number(1, math.inf, True)), "where in the text of that field, or in the line", True),
        Field("reason", Text(2000), "what is wrong, in one sentence", True),
    ),
    "object",
)
_WHERE = (
    Field("turn", Number(0, MOST_MOVES, True), "which of the turns asked for", True),
    Field("final", Flag(), "false for a report of progress", True),
)
_LIMITS = Object(
    (
        Field("line", _COUNT, "bytes of a line", True),
        Field("moves", _COUNT, "moves of a query", True),
        Field("queued", _COUNT, "turns that may wait", True),
        Field("processors", _COUNT, "more threads than that are not used", True),
    )
)
_METHOD = Object(
    (
        Field("name", Text(40), "as `method` takes it", True),
        Field("about", Text(200), "what it does", True),
        Field("options", Many(Text(40), 0, 100, "list of texts"), "the `options` it knows", True),
        Field("limited", Flag(), "whether it takes `only` and `avoid`", True),
    )
)

#: What `error.code` can be; texts of positions, squares of moves and options have some more.
CODES = {
    "line-length": "the line is too long",
    "encoding": "the line is no UTF-8",
    "json": "the line is no JSON",
    "nesting": "the line is too deeply nested",
    "number": "a number that JSON does not have, or that is too large to be read",
    "duplicate": "an object has a name twice",
    "type": "a value of another type is expected",
    "range": "the value, or its length, is out of its range",
    "word": "the value is none of the words that there are",
    "square": "there is no such square",
    "unknown-field": "there is no such field",
    "missing": "a field must be there",
    "conflict": "a field does not go with another",
    "turn": "a turn that is not there, or is there twice",
    "occupied": "a move to a square that is not empty",
    "game-over": "a move after the end of the game",
    "only-square": "a player is limited to a square that is not empty",
    "only-empty": "a player has no square left",
    "only-method": "the method cannot limit players",
    "id-in-use": "a query of that id is not answered yet",
    "queue-full": "too many turns would wait",
    "memory": "there is not enough memory",
    "internal": "a fault of the engine's; please report it with what standard error says",
}

#: What is answered, by kind.
REPLIES: dict[str, Object] = {
    "analysis": Object(
        (
            _ID,
            *_WHERE,
            Field("position", Text(400, "position text"), "the position", True),
            Field(
                "outcome",
                Maybe(Word(("black", "white", "draw"))),
                "who has won in this position, if the game is over",
                True,
            ),
            Field("method", Word(tuple(METHODS)), "how it was searched", True),
            Field("value", _VALUE, "Black's value; White's is its negative", True),
            Field("standard_error", Number(0, 1), "of `value`, from sampled games; 0 where none are sampled", True),
            Field("lower", _VALUE, "proved: Black's value is no less", True),
            Field("upper", _VALUE, "proved: Black's value is no more", True),
            Field("black", _MIX, "Black's strategy; empty if the game is over", True),
            Field("white", _MIX, "White's strategy", True),
            Field(
                "exploitability",
                Number(0, 2),
                "what best replies to both strategies would win together, an estimate; 2 where nothing is known",
                True,
            ),
            Field("proved_exploitability", Number(0, 2), "what they can win at most, by what is proved", True),
            Field("needs_r25", Flag(), "whether the bounds hold only because play without end is a draw (R25)", True),
            Field(
                "continuations",
                Many(
                    Object(
                        (
                            Field("turns", Many(Text(5), 0, 100, "list of texts"), 'joint turns: `"E5 H5"`', True),
                            Field("probability", Number(0, 1), "that just these are played", True),
                            Field("value", Maybe(_VALUE), "Black's value behind them", True),
                        )
                    ),
                    0,
                    100,
                    "list of objects",
                ),
                "what is likely to follow, likeliest first",
                True,
            ),
            Field("nodes", _COUNT, "work done; 0 if the query was stopped before its turn came", True),
            Field("playouts", _COUNT, "random games played", True),
            Field("unfinished", _COUNT, "how many of them were cut off", True),
            Field("seconds", _DURATION, "time of the search", True),
            Field("compile_seconds", _DURATION, "time before it, to load or compile code", True),
            Field("seed", Number(0, 2**64 - 1, True), "as used", True),
            Field("threads", _COUNT, "as used", True),
            Field(
                "stopped_by",
                Maybe(Word(_ENDED_BY)),
                "what ended the search: a limit, `stop` (`interrupt`), a proof (`solved`), or the game is over "
                "(`finished`); null in a report",
                True,
            ),
        )
    ),
    "failure of one turn": Object((_ID, *_WHERE, Field("error", _ERROR, "what went wrong", True))),
    "error": Object(
        (
            Field("id", Maybe(Identity()), "the query's; null where none could be read", True),
            Field("line", _COUNT, "which line of the input, from 1", True),
            Field("error", _ERROR, "what is wrong with it", True),
        )
    ),
    "stop": Object(
        (
            _ID,
            _action("stop", "the action"),
            Field("stopped", _COUNT, "turns that had no final answer yet; 0 if there is no such query", True),
        )
    ),
    "stop_all": Object(
        (
            Field("id", Identity(), "if one was sent"),
            _action("stop_all", "the action"),
            Field("stopped", _COUNT, "turns that had no final answer yet", True),
        )
    ),
    "version": Object(
        (
            Field("id", Identity(), "if one was sent"),
            _action("version", "the action"),
            Field("version", Text(40), "of wts_fast", True),
            Field("protocol", _COUNT, f"of this protocol: {PROTOCOL}", True),
        )
    ),
    "info": Object(
        (
            Field("id", Identity(), "if one was sent"),
            _action("info", "the action"),
            Field("version", Text(40), "of wts_fast", True),
            Field("protocol", _COUNT, f"of this protocol: {PROTOCOL}", True),
            Field("python", Text(100), "its version", True),
            Field("platform", Text(400), "system and processor", True),
            Field("kernel", Anything("object"), "how the native half was built", True),
            Field("methods", Many(_METHOD, 1, 100, "list of objects"), "the searches there are", True),
            Field("limits", _LIMITS, "what is taken", True),
            Field("waiting", _COUNT, "turns that have no final answer yet", True),
        )
    ),
}
