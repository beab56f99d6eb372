"""The exercises: every square is judged by what the turn does, and what an exercise is about really happens in it."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wts_fast import Position, errors
from wts_fast.cli.tutorial import run_tutorial
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


# --- in the terminal


def typed(text: str, lang: str = "en", *, ascii: bool = True) -> None:
    assert run_tutorial(lang, colour=False, ascii=ascii, source=io.StringIO(text)) == 0


@pytest.mark.parametrize("lang", LANGUAGES)
def test_who_types_the_solutions_comes_to_the_end(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    typed("".join(f"{square_name(exercise.accepted[0]).lower()}\n" for exercise in EXERCISES), lang)
    shown = capsys.readouterr().out
    assert shown.isascii()
    assert max(map(len, shown.splitlines())) <= 100
    words = shown.split()
    for exercise in EXERCISES:
        plain = exercise.done[lang].translate(str.maketrans({"ö": "oe", "ü": "ue", "ä": "ae", "ß": "ss"}))
        assert " ".join(plain.split()[:5]) in " ".join(words)
    assert shown.splitlines()[-2].startswith(f"{len(EXERCISES)} ")
    assert "wts-fast play" in shown.splitlines()[-1]


def test_a_wrong_square_shows_the_turn_and_the_exercise_again(capsys: pytest.CaptureFixture[str]) -> None:
    typed("D4\nskip\nA5\nquit\n")
    shown = capsys.readouterr().out
    assert shown.count("3/16") == 1
    assert "Black lands on A5, White on E5." in shown
    assert "Not what was asked for." in shown
    assert shown.count("You are certain that White") == 1
    assert shown.splitlines()[-1] == "1 of 16 exercises solved."


def test_words_and_mistakes_are_answered_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    typed("back\nhint\nsolution\n\nE5\nJ1\nE55\n\x00\nhilfe\n" + "x" * 5000 + "\nD4\nzurück\nq\n")
    shown = capsys.readouterr().out
    assert "This is the first exercise." in shown
    assert shown.count("Hint: There are eight such squares") == 2
    assert "It is done by D4, E4, F4, D5, F5, D6, E6 or F6." in " ".join(shown.split())
    assert "E5 is not empty." in shown
    for wrong in ("J1", "E55", "\\x00", "x" * 20):
        assert f"'{wrong}' is no square from A1 to I9" in " ".join(shown.split())
    assert "x" * 21 not in shown
    assert shown.count("1/16") == 2


@pytest.mark.parametrize("text", ["", "D4", "D4\n", "\n\n", "x" * 1000, "x" * 200, "x" * 200 + "\n"])
def test_the_end_of_the_input_ends_it(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    typed(text)
    solved = "1" if "D4" in text else "0"
    assert capsys.readouterr().out.splitlines()[-1] == f"{solved} of 16 exercises solved."


def test_eggs_are_listed_oldest_first(capsys: pytest.CaptureFixture[str]) -> None:
    typed("weiter\n" * 8 + "E5\nende\n", "de", ascii=False)
    shown = capsys.readouterr().out
    assert "Eier, das älteste zuerst: C3, B8" in shown
    assert "Aus dem ältesten Ei, auf C3, schlüpft eine schwarze Schildkröte." in shown


@pytest.mark.parametrize(
    ("typed", "last"),
    [(b"D4\nB5\nE5\n", "3 von 16"), (b"", "0 von 16"), (b"D4\n\xff\xfe\x00\nende\nB5\n", "1 von 16")],
    ids=["squares", "nothing", "no text"],
)
def test_the_command_teaches(typed: bytes, last: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wts_fast", "play", "--tutorial", "--lang", "de"]
    done = subprocess.run(command, input=typed, cwd=tmp_path, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines()[-1].startswith(last)
