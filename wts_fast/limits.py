"""Arguments that `analyze`, `solve` and their like take: limits that are numbers in their range, and positions."""

from __future__ import annotations

import math
import operator
import os
from typing import Any

from ._kernel import Position
from .errors import LimitError, WtsError
from .state import State

__all__ = ["MOST_MEMORY", "MOST_NODES", "MOST_SECONDS", "duration", "kernel_position", "processors", "real", "whole"]

MOST_SECONDS = 31_536_000.0
MOST_NODES = 10**18
MOST_MEMORY = 2**20  # mebibytes


def whole(value: object, field: str, least: int, most: int) -> int:
    """Return a whole number within its range.

    Raises
    ------
    LimitError
        If it is something else; code ``<field>-range``.
    """
    # bool and numpy.bool_ are refused by name, as for squares.
    if type(value).__name__ not in ("bool", "bool_"):
        try:
            number = operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
        else:
            if least <= number <= most:
                return number
    raise LimitError(f"expected a whole number from {least} to {most}", code=f"{field}-range", field=field)


def real(value: object, field: str, least: float, most: float, what: str = "a number") -> float:
    """Return a number within its range as a float.

    Raises
    ------
    LimitError
        If it is something else, a truth value or text among others; code ``<field>-range``.
    """
    if not isinstance(value, (str, bytes)) and type(value).__name__ not in ("bool", "bool_"):
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            pass
        else:
            if math.isfinite(number) and least <= number <= most:
                return number
    raise LimitError(f"expected {what} from {least:.10g} to {most:.10g}", code=f"{field}-range", field=field)


def duration(value: object) -> float | None:
    """Return a time limit in seconds, at most a year; None stands for none.

    Raises
    ------
    LimitError
        As `real`.
    """
    return None if value is None else real(value, "seconds", 0.0, MOST_SECONDS, "seconds, a number")


def kernel_position(position: Any) -> Position:
    """Return a position as the kernel's; an `oracle.Position` will do.

    Raises
    ------
    WtsError
        If it is no position (code ``position-type``).
    """
    if isinstance(position, Position):
        return position
    state = getattr(position, "state", None)
    if not isinstance(state, State):
        raise WtsError(f"expected a Position, not {type(position).__name__}", code="position-type", field="position")
    return Position.from_state(state)


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
