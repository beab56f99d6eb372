"""The rules in small exercises, each checked by the kernel: what happens in the turn decides, not a list of squares.

The learner is always Black. What White names in the same turn is fixed, and hidden until the learner has chosen.
The texts, in English and German, stand with the positions in ``wts_fast/data/tutorial.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .draw.captions import LANGUAGES
from .errors import IllegalMove, WtsError
from .squares import Square, parse_square, square_name
from .state import Turn

if TYPE_CHECKING:
    from ._kernel import Position

__all__ = ["EXERCISES", "LANGUAGES", "Exercise", "Verdict", "check", "find"]

_NOT_YET = {
    "en": "Not what was asked for. See what the turn did, and try again.",
    "de": "Das war noch nicht gesucht. Sieh dir an, was der Zug bewirkt hat, und versuche es noch einmal.",
}

Texts = Mapping[str, str]
Pattern = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Exercise:
    """One position with a task for Black.

    Attributes
    ----------
    id : str
        The exercise's name for programs.
    position : str
        The position text.
    white : int
        The square that White names in this turn.
    shows : tuple of str
        What every solution meets, in the words of `wts_fast.fuzz.clauses.CLAUSES`.
    accepted : tuple of int
        The squares that solve it, ascending; for tests and for showing a solution, not for `check`.
    title, task, hint, done : mapping
        Texts by language, ``"en"`` and ``"de"``: the heading; what to do; a help; what to say when it is done.
    """

    id: str
    position: str
    white: Square
    shows: tuple[str, ...]
    accepted: tuple[Square, ...]
    title: Texts
    task: Texts
    hint: Texts
    done: Texts
    # Events that have to be among those of the turn, each by some of its fields, and events that may not.
    _happens: tuple[Pattern, ...] = field(repr=False)
    _never: tuple[Pattern, ...] = field(repr=False)
    _replies: Mapping[Square, Texts] = field(repr=False)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses of the rules that it is about, such as ``("R7", "R8")``."""
        return tuple(dict.fromkeys(case.split()[0] for case in self.shows))

    def to_dict(self) -> dict[str, Any]:
        """Return what a learner may see as JSON values: neither White's square nor a solution."""
        texts = {name: dict(getattr(self, name)) for name in ("title", "task", "hint")}
        return {
            "id": self.id,
            "colour": "black",
            "position": self.position,
            **texts,
            "clauses": list(self.clauses),
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a square.

    Attributes
    ----------
    ok : bool
        Whether the exercise is solved.
    message : mapping
        By language: what was learned, or why this was not it.
    position : Position
        The board before the turn.
    black, white : int
        The turn.
    turn : Turn
        The board after it, and what happened, as ``position.explain`` tells it.
    """

    ok: bool
    message: Texts
    position: Position
    black: Square
    white: Square
    turn: Turn[Position]

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON values, with the turn, its events and the position text after it."""
        return {
            "ok": self.ok,
            "message": dict(self.message),
            "turn": {
                "turn": f"{square_name(self.black)} {square_name(self.white)}",
                "events": [event.as_dict() for event in self.turn.events],
                "after": str(self.turn.position),
            },
        }


def find(exercise_id: str) -> Exercise:
    """Return the exercise of that name.

    Raises
    ------
    WtsError
        With code ``exercise`` if there is none.
    """
    for exercise in EXERCISES:
        if exercise.id == exercise_id:
            return exercise
    raise WtsError(f"no exercise is called {exercise_id!r:.40}", code="exercise", field="id")


def check(exercise_id: str, square: Square | str) -> Verdict:
    """Play a square in an exercise.

    Parameters
    ----------
    exercise_id : str
        An exercise's `id`.
    square : int or str
        What the learner names.

    Returns
    -------
    Verdict
        Whether that solves it, with the turn played out.

    Raises
    ------
    IllegalMove
        If the square is none, or occupied.
    WtsError
        If there is no such exercise.

    Examples
    --------
    >>> verdict = check("capture", "E5")
    >>> verdict.ok, verdict.message["en"]
    (True, "Turtle, two of White's, turtle: both of them are captured.")
    >>> check("capture", "D5").ok
    False
    """
    from ._kernel import Position

    exercise = find(exercise_id)
    black = parse_square(square, "square")
    position = Position(exercise.position)
    try:
        turn = position.explain(black, exercise.white)
    except IllegalMove as error:
        error.field = "square"  # the only one that the learner chose
        raise
    events = [event.as_dict() for event in turn.events]
    ok = all(_among(pattern, events) for pattern in exercise._happens)
    ok = ok and not any(_among(pattern, events) for pattern in exercise._never)
    message = exercise.done if ok else exercise._replies.get(black, _NOT_YET)
    return Verdict(ok, message, position, black, exercise.white, turn)


def _among(pattern: Pattern, events: list[dict[str, Any]]) -> bool:
    return any(all(_fits(wanted, event.get(name)) for name, wanted in pattern.items()) for event in events)


def _fits(wanted: Any, given: Any) -> bool:
    """Compare one field: a list of wanted values holds one of, or where several are given, all that are wanted."""
    if isinstance(wanted, list):
        return set(wanted) <= set(given) if isinstance(given, list) else given in wanted
    return bool(wanted == given)


def _read() -> tuple[Exercise, ...]:
    text = (files(__package__) / "data" / "tutorial.json").read_text(encoding="utf-8")
    return tuple(map(_exercise, json.loads(text)["exercises"]))


def _exercise(data: dict[str, Any]) -> Exercise:
    texts = {name: data[name] for name in ("title", "task", "hint", "done")}
    replies = {
        parse_square(name): {lang: reply[lang] for lang in LANGUAGES}
        for reply in data["replies"]
        for name in reply["squares"]
    }
    return Exercise(
        id=data["id"],
        position=data["position"],
        white=parse_square(data["white"]),
        shows=tuple(data["shows"]),
        accepted=tuple(sorted(parse_square(name) for name in data["accepted"])),
        **texts,
        _happens=tuple(data["goal"]["happens"]),
        _never=tuple(data["goal"].get("never", ())),
        _replies=replies,
    )


#: All exercises, in the order in which they build on one another.
EXERCISES: tuple[Exercise, ...] = _read()
