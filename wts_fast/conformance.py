"""Score any implementation of the rules against the conformance file.

The file, ``wts_fast/data/conformance.json``, is data and can be read from any language;
RULES.md describes it. What is here is the few lines that read it for Python classes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from .errors import WtsError

__all__ = ["SCHEMA", "Result", "load", "score"]

#: The version of the file's layout that this module reads.
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Result:
    """How an implementation did in one case; `problems` is empty if it passed."""

    name: str
    clauses: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the implementation gave every answer of the case."""
        return not self.problems


def load(path: str | Path | None = None) -> list[dict[str, Any]]:
    """Return the cases of the conformance file.

    Parameters
    ----------
    path : str or Path, optional
        Another file of the same layout.

    Raises
    ------
    WtsError
        If the file is no conformance file, or its layout is of another version.
    """
    source = files(__package__) / "data" / "conformance.json" if path is None else Path(path)
    try:
        data = json.loads(source.read_text(encoding="utf-8"))
        schema = data["schema"]
    except (ValueError, KeyError, TypeError) as error:
        raise WtsError(f"{source} is no conformance file ({error})", code="schema", field="path") from None
    if schema != SCHEMA:
        raise WtsError(f"layout {schema!r} is not {SCHEMA}, the one read here", code="schema", field="path")
    cases: list[dict[str, Any]] = data["cases"]
    return cases


def score(position_class: Any, path: str | Path | None = None) -> list[Result]:
    """Put every case to an implementation.

    Parameters
    ----------
    position_class : type
        Called with a position text. Its objects need ``play``, ``legal``, ``outcome``,
        ``sudden_death``, ``winning`` and ``str`` as `wts_fast.Position` has them. If they have
        ``explain``, the events are compared too; if their errors have a ``code`` and a
        ``field``, those are.
    path : str or Path, optional
        Another file of the same layout.

    Returns
    -------
    list of Result
        One a case, in the order of the file. An exception counts as a problem of its case.

    Examples
    --------
    >>> from wts_fast import oracle
    >>> all(result.passed for result in score(oracle.Position))
    True
    """
    return [Result(case["name"], tuple(case["clauses"]), tuple(_problems(case, position_class))) for case in load(path)]


def _problems(case: dict[str, Any], position_class: Any) -> list[str]:
    try:
        problems: list[str] = []
        position = position_class(case["position"])
        if str(position) != case["position"]:
            problems.append(f"reads {case['position']} as {position}")
        for number, turn in enumerate(case["turns"], 1):
            position = _play(position, turn, f"turn {number}", problems)
        return problems + _judge(position, case) + _refuse(position, case)
    except Exception as error:  # an implementation under test may raise anything
        return [f"{type(error).__name__}: {error}"]


def _play(position: Any, turn: dict[str, Any], where: str, problems: list[str]) -> Any:
    before = str(position)
    after = position.play(turn["black"], turn["white"])
    if str(after) != turn["after"]:
        problems.append(f"{where}: {after} instead of {turn['after']}")
    if hasattr(position, "explain"):
        told = position.explain(turn["black"], turn["white"])
        events = [event.as_dict() for event in told.events]
        if events != turn["events"]:
            problems.append(f"{where}: events {events} instead of {turn['events']}")
        if str(told.position) != turn["after"]:
            problems.append(f"{where}: explain leads to {told.position} instead of {turn['after']}")
    if str(position) != before:
        problems.append(f"{where}: the position played from has changed to {position}")
    return after


def _judge(position: Any, case: dict[str, Any]) -> list[str]:
    given = {
        "outcome": None if position.outcome is None else position.outcome.name.lower(),
        "sudden_death": position.sudden_death,
        "winning": {colour: _names(position.winning(colour)) for colour in ("black", "white")},
        "legal": _names(position.legal),
    }
    return [
        f"{field} is {given[field]} instead of {case[field]}"
        for field in given
        if field in case and given[field] != case[field]
    ]


def _refuse(position: Any, case: dict[str, Any]) -> list[str]:
    problems = []
    before = str(position)
    for turn in case.get("refused", ()):
        try:
            position.play(turn["black"], turn["white"])
        except ValueError as error:
            for field in ("code", "field"):
                if getattr(error, field, turn.get(field)) != turn.get(field):
                    problems.append(f"refuses {turn} with {field} {getattr(error, field)!r}")
        else:
            problems.append(f"does not refuse {turn}")
        if str(position) != before:
            problems.append(f"a refused turn has changed the position to {position}")
    return problems


def _names(squares: Any) -> list[str]:
    return [square if isinstance(square, str) else "ABCDEFGHI"[square % 9] + str(square // 9 + 1) for square in squares]
