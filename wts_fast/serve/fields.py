"""What a request holds, read strictly: every refusal names the field."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from .._kernel import Position
from ..errors import GameOver, WtsError
from ..limits import real, whole
from ..protocol.lines import read_json
from ..squares import Square, parse_colour, parse_square

__all__ = ["MOST_TURNS", "Fields", "checked", "read_body", "shown"]

#: Of a game in one request: far more than any has that was played.
MOST_TURNS = 2000

T = TypeVar("T")
_SURROGATE = re.compile("[\ud800-\udfff]")
_KINDS = {dict: "an object", list: "a list", str: "text", bool: "a truth value", int: "a number", float: "a number"}


def read_body(raw: bytes) -> Any:
    """Return the value of a strict JSON text.

    Raises
    ------
    WtsError
        If it is none; the field is ``body``, or a name that stands twice.
    """
    try:
        return read_json(raw)
    except WtsError as error:
        if error.field == "line":  # which it is to the engine, whose protocol this reading is shared with
            error.field = "body"
        raise


def shown(text: str) -> str:
    """Return a name of somebody's choosing, short and fit to be written."""
    return text[:40].encode("ascii", "backslashreplace").decode()


class Fields:
    """The fields of a request. Each method takes one out; `end` refuses what is left.

    Parameters
    ----------
    data : object
        A JSON value.

    Raises
    ------
    WtsError
        If it is no object (code ``json``).
    """

    def __init__(self, data: object) -> None:
        if not isinstance(data, dict):
            raise WtsError("expected an object", code="json", field="body")
        self._data = dict(data)

    def end(self) -> None:
        """Refuse fields that were not asked for.

        Raises
        ------
        WtsError
            If there is one (code ``field-unknown``).
        """
        if self._data:
            raise WtsError("no field is called so here", code="field-unknown", field=shown(next(iter(self._data))))

    def __contains__(self, name: str) -> bool:
        return name in self._data

    def _take(self, name: str, *kinds: type) -> Any:
        if name not in self._data:
            raise WtsError("the field is missing", code="field-missing", field=name)
        return checked(self._data.pop(name), name, *kinds)

    def text(self, name: str) -> str:
        """Return a text."""
        value: str = self._take(name, str)
        if _SURROGATE.search(value):
            raise WtsError("holds half a character", code="field-value", field=name)
        return value

    def position(self, name: str = "position") -> Position:
        """Return the position that a text means; ``start`` will do."""
        text = self.text(name)
        return named(name, lambda: Position() if text == "start" else Position(text))

    def open_position(self, name: str = "position") -> Position:
        """Return a position whose game is not over."""
        position = self.position(name)
        if position.outcome is not None:
            raise GameOver("the game is over", code="game-over", field=name)
        return position

    def square(self, name: str) -> Square:
        """Return the square of a name."""
        return parse_square(self._take(name, str), name)

    def colour(self, name: str = "colour") -> int:
        """Return `BLACK` or `WHITE`."""
        return parse_colour(self._take(name, str), name)

    def whole(self, name: str, least: int, most: int) -> int:
        """Return a whole number in its range."""
        return whole(self._take(name, int), name, least, most)

    def real(self, name: str, least: float, most: float) -> float:
        """Return a number in its range."""
        return real(self._take(name, int, float), name, least, most)

    def moves(self, start: Position, name: str = "moves") -> tuple[list[tuple[Square, Square]], Position]:
        """Return the turns of a list of pairs, and the position they lead to from `start`; no field, no turns."""
        turns: list[tuple[Square, Square]] = []
        position = start
        given = self._take(name, list) if name in self._data else []
        if len(given) > MOST_TURNS:
            raise WtsError(f"more than {MOST_TURNS} turns", code="too-many", field=name)
        for index, pair in enumerate(given):
            where = f"{name}[{index}]"
            if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(s, str) for s in pair):
                raise WtsError("expected Black's and White's square", code="field-type", field=where)
            try:
                position = position.play(*pair)
            except WtsError as error:
                error.reason = f"{error.field}: {error.reason}" if error.field else error.reason
                error.field = where
                raise
            turns.append((parse_square(pair[0]), parse_square(pair[1])))
        return turns, position

    def table(self, name: str) -> dict[str, Any]:
        """Return an object; an empty one where there is no such field."""
        return self._take(name, dict) if name in self._data else {}


def checked(value: Any, name: str, *kinds: type) -> Any:
    """Return a value that is of one of the kinds; a truth value is no number.

    Raises
    ------
    WtsError
        If it is not (code ``field-type``).
    """
    if type(value) not in kinds:
        expected = " or ".join(dict.fromkeys(_KINDS[kind] for kind in kinds))
        given = "null" if value is None else _KINDS[type(value)]
        raise WtsError(f"expected {expected}, not {given}", code="field-type", field=name)
    return value


def named(name: str, make: Callable[[], T]) -> T:
    """Return what `make` makes; its error gets the name of the field."""
    try:
        return make()
    except WtsError as error:
        error.field = name
        raise
