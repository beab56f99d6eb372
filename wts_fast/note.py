"""What a record says beside the turns: a comment, and the value and strategies that an analysis found."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .errors import InvalidSquare, ParseError, WtsError
from .squares import Square, parse_square, square_name

__all__ = ["Note", "format_note", "parse_note"]

_COMMAND = re.compile(r"\[%(value|black|white)(?: ([^\[\]]*))?\]")
_BEGUN = re.compile(r"\[%(value|black|white)(?![A-Za-z0-9_])")
_UNWRITABLE = re.compile(r"[{}\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]{1,3})?")

# Listed probabilities are rounded, each by half a unit of the second place at most.
_ROUNDING = 0.005


@dataclass(frozen=True, slots=True)
class Note:
    """What stands in the comments behind one turn (or before the first).

    Attributes
    ----------
    text : str
        Plain text on one line, without braces.
    value : float, optional
        Black's value of the position, in [-1, 1].
    black, white : dict of int to float
        Probabilities of squares in that position, as far as they are listed: at most 1 together.

    Raises
    ------
    WtsError
        If something is out of range, or could not be written.
    """

    text: str = ""
    value: float | None = None
    black: Mapping[Square, float] = field(default_factory=dict)
    white: Mapping[Square, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or _UNWRITABLE.search(self.text):
            raise WtsError("a comment is one line of text without braces", code="comment-text", field="text")
        if self.text != self.text.strip() or _BEGUN.search(self.text):
            raise WtsError(
                "a comment has no outer blanks, and no value or strategy in it", code="comment-text", field="text"
            )
        if self.value is not None:
            object.__setattr__(self, "value", _number(self.value, "value", -1.0))
        for name in ("black", "white"):
            given, listed = getattr(self, name), {}
            if not isinstance(given, Mapping):
                raise WtsError(
                    f"expected squares with probabilities, not {type(given).__name__}", code="strategy", field=name
                )
            for square, share in given.items():
                number = parse_square(square, name)
                if number in listed:
                    raise WtsError(f"{square_name(number)} is listed twice", code="strategy", field=name)
                listed[number] = _number(share, name, 0.0)
            if sum(listed.values()) > 1 + _ROUNDING * len(listed) + 1e-9:
                raise WtsError("the probabilities sum to more than 1", code="strategy", field=name)
            object.__setattr__(self, name, listed)

    def __bool__(self) -> bool:
        return bool(self.text or self.value is not None or self.black or self.white)

    def illegal(self, legal: Iterable[Square]) -> Square | None:
        """Return a square that has a probability and is not legal, or None."""
        allowed = set(legal)
        return next((s for listed in (self.black, self.white) for s in listed if listed[s] and s not in allowed), None)


def _number(value: object, name: str, least: float) -> float:
    # bool and numpy.bool_ are refused by name: True is no value, though it counts as 1.
    if type(value).__name__ in ("bool", "bool_") or not hasattr(value, "__float__"):
        raise WtsError(f"expected a number, not {type(value).__name__}", code="number", field=name)
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        raise WtsError(f"expected {least:g} to 1", code="range", field=name) from None
    if not math.isfinite(number) or not least <= number <= 1:
        raise WtsError(f"expected {least:g} to 1, not {number:g}", code="range", field=name)
    return number + 0.0  # -0.0 becomes 0.0, so that equal notes have equal texts


def format_note(note: Note) -> str:
    """Return a note as the inside of a comment; empty for an empty note."""
    parts = [note.text] if note.text else []
    if note.value is not None:
        parts.append(f"[%value {note.value!r}]")
    for name, listed in (("black", note.black), ("white", note.white)):
        if listed:
            parts.append(f"[%{name} {','.join(f'{square_name(s)}:{p!r}' for s, p in listed.items())}]")
    return " ".join(parts)


def parse_note(text: str, *, line: int, column: int) -> Note:
    """Read the inside of the comments behind one turn.

    Parameters
    ----------
    text : str
        The comment; ``[%value …]``, ``[%black …]`` and ``[%white …]`` may stand anywhere in it.
    line, column : int
        Where the comment begins, for errors.

    Raises
    ------
    ParseError
        If a value or a strategy is not what it should be.
    """
    found: dict[str, str] = {}
    for match in _COMMAND.finditer(text):
        if match[1] in found:
            raise _error(f"[%{match[1]}] stands twice", match[1], line, column)
        found[match[1]] = match[2] or ""
    if begun := next((match[1] for match in _BEGUN.finditer("\n".join(_pieces(text)))), None):
        raise _error(f"[%{begun} is not followed by what belongs to it and ]", begun, line, column)
    plain = " ".join(part for part in (piece.strip() for piece in _pieces(text)) if part)
    try:
        return Note(
            plain,
            _float(found["value"], "value", line, column) if "value" in found else None,
            *(_strategy(found[name], name, line, column) if name in found else {} for name in ("black", "white")),
        )
    except ParseError:
        raise
    except WtsError as error:
        raise ParseError(error.reason, code=error.code, line=line, column=column, field=error.field) from None


def _pieces(text: str) -> list[str]:
    """Return the text between the commands."""
    pieces, at = [], 0
    for match in _COMMAND.finditer(text):
        pieces.append(text[at : match.start()])
        at = match.end()
    return [*pieces, text[at:]]


def _strategy(text: str, name: str, line: int, column: int) -> dict[Square, float]:
    listed: dict[Square, float] = {}
    for entry in text.split(","):
        square, colon, share = entry.partition(":")
        try:
            number = parse_square(square)
        except InvalidSquare as error:
            raise _error(error.reason, name, line, column) from None
        if not colon:
            raise _error(f"{square} has no probability", name, line, column)
        if number in listed:
            raise _error(f"{square} is listed twice", name, line, column)
        listed[number] = _float(share, name, line, column)
    return listed


def _float(text: str, name: str, line: int, column: int) -> float:
    if len(text) > 40 or not _NUMBER.fullmatch(text):
        raise _error(f"{text[:20]!r} is not a number", name, line, column)
    return float(text)


def _error(reason: str, name: str, line: int, column: int) -> ParseError:
    return ParseError(reason, code="annotation", line=line, column=column, field=name)
