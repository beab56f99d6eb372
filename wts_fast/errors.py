"""The errors this package raises; every one of them is also a ``ValueError``."""

from __future__ import annotations

__all__ = [
    "EngineClosed",
    "GameOver",
    "IllegalMove",
    "InvalidPosition",
    "InvalidSquare",
    "LimitError",
    "ParseError",
    "WtsError",
]


class WtsError(ValueError):
    """Base of all errors of this package.

    Parameters
    ----------
    reason : str
        What is wrong, in one sentence without a final full stop.
    code : str
        A short stable word for programs, for example ``"occupied"``.
    field : str, optional
        The argument or field that is wrong, for example ``"black"``.
    """

    def __init__(self, reason: str, *, code: str, field: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code
        self.field = field

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}" if self.field else self.reason

    def __reduce__(self) -> tuple[object, ...]:
        # The default passes positional arguments only, and ours are keywords.
        return _rebuild, (type(self), self.reason, self.__dict__)


def _rebuild(cls: type[WtsError], reason: str, fields: dict[str, object]) -> WtsError:
    error = cls.__new__(cls, reason)
    ValueError.__init__(error, reason)
    error.__dict__.update(fields)
    return error


class IllegalMove(WtsError):
    """A turn that the rules do not allow here; the position is untouched."""


class InvalidSquare(IllegalMove):
    """Something that names no square of the board (see `squares.parse_square`)."""


class GameOver(IllegalMove):
    """A turn in a position whose game has ended."""


class InvalidPosition(WtsError):
    """Pieces that no board can hold: a square held twice, or eggs and egg order that differ."""


class LimitError(WtsError):
    """A limit (seconds, nodes, threads, memory, a file's size) that cannot be used or was passed."""


class EngineClosed(WtsError):
    """An engine in another process that cannot be started, has ended, does not react, or says what is no answer."""


class ParseError(WtsError):
    """Text that is not what it should be.

    Parameters
    ----------
    reason, code, field
        As for `WtsError`.
    column : int
        Where in the line, from 1.
    line : int, optional
        Which line, from 1; None where the text is a single line.
    """

    def __init__(
        self,
        reason: str,
        *,
        code: str,
        column: int,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(reason, code=code, field=field)
        self.column = column
        self.line = line

    def __str__(self) -> str:
        place = f"column {self.column}" if self.line is None else f"line {self.line}, column {self.column}"
        return f"{super().__str__()} ({place})"
