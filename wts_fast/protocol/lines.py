"""Input as lines, and lines as JSON, both strict: nothing that is read does harm, and what is refused has a reason."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, NoReturn

from ..errors import ParseError, WtsError

__all__ = ["Splitter", "read_json"]


class Splitter:
    """Cuts bytes into lines as they come, and keeps no more of a line than may be read.

    Parameters
    ----------
    most : int
        Bytes of a line, its end not counted.

    Examples
    --------
    >>> splitter = Splitter(8)
    >>> list(splitter.feed(b"one" + bytes([10]) + b"tw")), list(splitter.feed(b"o" + bytes([10])))
    ([b'one'], [b'two'])
    >>> list(splitter.feed(b"much too long" + bytes([10]))), list(splitter.end())
    ([None], [])
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._parts: list[bytes] = []
        self._size = 0
        self._passing_over = False

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """Yield the lines that are complete now, without their ends; None for one that is too long, once that is so."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            yield from self._keep(end)
            yield from self._line()
        yield from self._keep(rest)

    def end(self) -> Iterator[bytes]:
        """Yield what is there at the end of the input, if anything, as a line."""
        if self._size:
            yield from self._line()

    def _keep(self, part: bytes) -> Iterator[None]:
        self._size += len(part)
        self._parts.append(part)
        if self._size > self.most:
            self._parts.clear()
            if not self._passing_over:
                self._passing_over = True
                yield None

    def _line(self) -> Iterator[bytes]:
        line, passed_over = b"".join(self._parts), self._passing_over
        self._parts, self._size, self._passing_over = [], 0, False
        if not passed_over:
            yield line.removesuffix(b"\r")


def read_json(line: bytes) -> Any:
    """Return the value that a line of JSON holds.

    Raises
    ------
    WtsError
        If it is no JSON by the letter: UTF-8, each name once in an object, no NaN, numbers within the range of
        a double where they have a point, and no more nesting than is sensible; the field is ``line``, with the column.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParseError("no UTF-8", code="encoding", column=error.start + 1, field="line") from None
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        reason = f"no JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise ParseError(reason, code="json", column=error.pos + 1, field="line") from None
    except RecursionError:
        raise WtsError("too deeply nested", code="nesting", field="line") from None
    except WtsError:
        raise
    except ValueError:  # Python reads no whole number of thousands of digits
        raise WtsError("a number has too many digits", code="number", field="line") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise WtsError("is there twice", code="duplicate", field=name[:100] or "line")
            seen.add(name)
    return found


def _no_number(word: str) -> NoReturn:
    raise WtsError(f"{word} is no JSON", code="number", field="line")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise WtsError("a number is too large", code="number", field="line")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite)
