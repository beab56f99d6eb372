"""The exercises: every square is judged by what the turn does, and what an exercise is about really happens in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from wts_fast import Position, errors
from wts_fast.fuzz.clauses import CLAUSES, Coverage
from wts_fast.oracle import Position as Oracle
from wts_fast.squares import square_name
from wts_fast.tutorial import EXERCISES, LANGUAGES, Exercise, check, find

exercises = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)


def names(squares: Any) -> list[str]:
    return [square_name(s) for s in squares]


@exercises
def test_the_accepted_squares_solve_it_and_all_others_do_not(exercise: Exercise) -> None:
    position = Position(exercise.position)
    solved = [square for square in position.legal if check(exercise.id, square).ok]
    assert names(solved) == names(exercise.accepted)
    assert 0 < len(solved) < len(position.legal) / 4


@exercises
def test_every_solution_meets_the_clauses_that_it_is_about(exercise: Exercise) -> None:
    for square in exercise.accepted:
        verdict = check(exercise.id, square)
        coverage = Coverage()
        coverage.observe(
            verdict.position.state, square, exercise.white, verdict.turn.events, verdict.turn.position.state
        )
        met = coverage.table()
        assert set(exercise.shows) <= set(CLAUSES)
        assert [case for case in exercise.shows if not met[case]] == []


@exercises
def test_the_oracle_tells_the_same_turn(exercise: Exercise) -> None:
    """The exercise stands on the rules, not on one engine."""
    position = Oracle(exercise.position)
    assert str(position) == exercise.position
    assert position.outcome is None
    for square in exercise.accepted:
        verdict, told = check(exercise.id, square), position.explain(square, exercise.white)
        assert verdict.turn.events == told.events
        assert str(verdict.turn.position) == str(told.position)


@exercises
def test_white_answers_the_same_whatever_black_names(exercise: Exercise) -> None:
    position = Position(exercise.position)
    assert exercise.white in position.legal
    for square in position.legal:
        verdict = check(exercise.id, square_name(square))
        assert (verdict.black, verdict.white) == (square, exercise.white)
        assert verdict.turn == position.explain(square, exercise.white)


@exercises
def test_a_square_that_cannot_be_named_is_refused_with_its_field(exercise: Exercise) -> None:
    state = Position(exercise.position).state
    for square in (*state.black, *state.white, *state.eggs):
        with pytest.raises(errors.IllegalMove) as caught:
            check(exercise.id, square)
        assert (caught.value.code, caught.value.field) == ("occupied", "square")


@pytest.mark.parametrize("square", ["", "J1", "A0", "e55", 81, -1, True, None, 1.0, "\uff25\uff15"])
def test_what_is_no_square_is_refused(square: Any) -> None:
    with pytest.raises(errors.InvalidSquare) as caught:
        check("capture", square)
    assert caught.value.field == "square"


@pytest.mark.parametrize("name", ["", "Capture", "x" * 10_000, "../capture"])
def test_an_unknown_exercise_is_refused(name: str) -> None:
    with pytest.raises(errors.WtsError) as caught:
        check(name, "E5")
    assert (caught.value.code, caught.value.field) == ("exercise", "id")
    assert len(str(caught.value)) < 100


def test_a_reply_to_a_near_miss_says_more_than_not_yet() -> None:
    plain = check("two", "A1").message
    for exercise in EXERCISES:
        for square in exercise._replies:
            verdict = check(exercise.id, square)
            assert not verdict.ok, "a reply to a solution would never be read"
            assert verdict.message != plain
    assert check("gone", "C1").message["en"].startswith("That captures C2 itself")


def test_the_rules_that_a_beginner_needs_are_all_there() -> None:
    shown = {case for exercise in EXERCISES for case in exercise.shows}
    needed = {"R6 collision", "R7 turtles", "R8 three", "R9 between", "R11 victim", "R7 egg-turtle", "R15 hatch"}
    needed |= {"R16 claim", "R15 dissolve", "R18 five", "R20 unequal", "R21 decided"}
    assert needed <= shown
    assert 12 <= len(EXERCISES) <= 18
    assert len({exercise.id for exercise in EXERCISES}) == len(EXERCISES)
    assert len({exercise.position for exercise in EXERCISES}) == len(EXERCISES)


@exercises
def test_texts_are_there_in_both_languages_and_name_only_squares_of_the_board(exercise: Exercise) -> None:
    for texts in (exercise.title, exercise.task, exercise.hint, exercise.done, *exercise._replies.values()):
        assert tuple(texts) == LANGUAGES
        assert texts["en"].strip()
        # One is a translation of the other: it speaks of the same squares.
        squares = [sorted(re.findall(r"\b[A-I][1-9]\b", text)) for text in texts.values()]
        assert squares[0] == squares[1]
    assert exercise.task["en"] != exercise.task["de"]


@exercises
def test_a_learner_is_not_told_the_answer(exercise: Exercise) -> None:
    shown = exercise.to_dict()
    assert set(shown) == {"id", "colour", "position", "title", "task", "hint", "clauses"}
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert find(shown["id"]) is exercise
    clauses = (Path(__file__).parents[1] / "RULES.md").read_text(encoding="utf-8")
    assert shown["clauses"]
    assert all(f"### {clause} " in clauses for clause in shown["clauses"])


def test_a_verdict_is_strict_json_with_the_turn() -> None:
    data = json.loads(json.dumps(check("egg", "e5").to_dict(), allow_nan=False))
    assert data["ok"] is True
    assert data["turn"]["turn"] == "E5 E5"
    assert data["turn"]["events"][0] == {"event": "egg", "square": "E5"}
    assert Position(data["turn"]["after"]).eggs == (40,)
