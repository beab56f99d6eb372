"""From an object that asks for analyses to the work it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import methods
from .._kernel import Position
from ..errors import WtsError
from ..squares import COLOURS, Colour, parse_square, square_name

__all__ = ["Query", "Task", "read_query"]

#: Fields that are arguments of `analyze`, with the names that they have there.
_ARGUMENTS = {
    "seconds": "seconds",
    "nodes": "nodes",
    "seed": "seed",
    "method": "method",
    "threads": "threads",
    "memory": "memory_mb",
    "reportEvery": "report_every",
}


@dataclass(slots=True, eq=False)
class Query:
    """A query under way.

    Attributes
    ----------
    id : str or int
        Its name.
    arguments : dict
        For `analyze`, the same for all its turns.
    reports : bool
        Whether reports of progress are wanted.
    tasks : tuple of Task
        The turns to analyze.
    stopped : bool
        Whether it was told to stop.
    left : int
        Turns without a final answer.
    """

    id: str | int
    arguments: dict[str, Any]
    reports: bool
    tasks: tuple[Task, ...] = ()
    stopped: bool = False
    left: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One turn of a query: a position to analyze, and the squares that players are limited to there."""

    query: Query
    turn: int
    position: Position
    only: dict[Colour, tuple[int, ...]] | None


def read_query(data: dict[str, Any]) -> Query:
    """Return what a query means, one that `schema.check` has passed.

    Raises
    ------
    WtsError
        Naming the field that is wrong: no such position, an illegal move, a turn that is not there, limits that leave
        a player nothing.
    """
    chosen = methods.method(data.get("method", methods.DEFAULT))
    try:
        options = chosen.check(data.get("options", {}))
    except WtsError as error:
        error.field = f"options.{error.field}"
        raise
    limits = _limits(data)
    if limits and not chosen.limited:
        raise WtsError(f"method {chosen.name} takes all squares", code="only-method", field=limits[0][0])
    arguments = {name: data[given] for given, name in _ARGUMENTS.items() if given in data}
    query = Query(data["id"], arguments | options, "reportEvery" in data)
    query.tasks = tuple(
        Task(query, turn, position, _only(turn, position, limits)) for turn, position in _positions(data)
    )
    query.left = len(query.tasks)
    return query


def _positions(data: dict[str, Any]) -> list[tuple[int, Position]]:
    """Return the turns that are asked for, with their positions."""
    moves: list[list[str]] = data.get("moves", [])
    if "position" in data and "start" in data:
        raise WtsError("give position or start, not both", code="conflict", field="start")
    if "moves" not in data:
        if "start" in data:
            raise WtsError("start is where moves begin, and there are none", code="conflict", field="start")
        if "position" not in data:
            raise WtsError("is missing, and so is moves", code="missing", field="position")
    turns: list[int] = data.get("turns", [len(moves)])
    for index, turn in enumerate(turns):
        if turn > len(moves):
            reason = f"there are {len(moves)} moves, so turns are 0 to {len(moves)}"
            raise WtsError(reason, code="turn", field=f"turns[{index}]")
    if len(set(turns)) < len(turns):
        again = next(index for index, turn in enumerate(turns) if turn in turns[:index])
        raise WtsError(f"turn {turns[again]} is there twice", code="turn", field=f"turns[{again}]")

    field = "start" if "start" in data else "position"
    position = _position(data.get(field, "start"), field)
    wanted = set(turns)
    found = {0: position} if 0 in wanted else {}
    for index, (black, white) in enumerate(moves):
        try:
            position = position.play(black, white)
        except WtsError as error:
            side = f"[{COLOURS.index(error.field)}]" if error.field in COLOURS else ""
            error.field = f"moves[{index}]{side}"
            raise
        if index + 1 in wanted:
            found[index + 1] = position
    return [(turn, found[turn]) for turn in turns]


def _position(text: str, field: str) -> Position:
    if text == "start":
        return Position()
    try:
        return Position(text)
    except WtsError as error:
        error.field = field
        raise


def _limits(data: dict[str, Any]) -> list[tuple[str, int, frozenset[int]]]:
    """Return each limit with its field, the player, and the squares."""
    found = []
    for name in ("only", "avoid"):
        for colour, squares in data.get(name, {}).items():
            if name == "avoid" and colour in data.get("only", {}):
                raise WtsError("give only or avoid for a player, not both", code="conflict", field=f"avoid.{colour}")
            numbers = frozenset(parse_square(square) for square in squares)
            found.append((f"{name}.{colour}", COLOURS.index(colour), numbers))
    return found


def _only(
    turn: int, position: Position, limits: list[tuple[str, int, frozenset[int]]]
) -> dict[Colour, tuple[int, ...]] | None:
    """Return the squares that limits leave in a position, by colour; None where none are limited."""
    if position.outcome is not None:
        return None
    found: dict[Colour, tuple[int, ...]] = {}
    legal = position.legal
    for field, colour, squares in limits:
        if field.startswith("only"):
            for number in sorted(squares):
                if number not in legal:
                    reason = f"{square_name(number)} is not empty at turn {turn}"
                    raise WtsError(reason, code="only-square", field=field)
            found[COLOURS[colour]] = tuple(sorted(squares))
        else:
            found[COLOURS[colour]] = tuple(square for square in legal if square not in squares)
            if not found[COLOURS[colour]]:
                raise WtsError(f"leaves no square at turn {turn}", code="only-empty", field=field)
    return found or None
