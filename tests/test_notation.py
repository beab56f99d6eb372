"""Texts of positions and turns: one position one text, and every way to be wrong has a code and a place."""

from __future__ import annotations

import random
import time
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wts_fast.errors import InvalidPosition, ParseError
from wts_fast.notation import START, format_state, format_turn, parse_position, parse_turn, validate_state
from wts_fast.squares import NUM_SQUARES
from wts_fast.state import State

EMPTY = "9/9/9/9/9/9/9/9/9"
BOARD = "9/9/9/9/3be3w/9/2e6/9/9"
FULL_WIDTH_FIVE = "\uff15"


@st.composite
def states(draw: st.DrawFn) -> State:
    """Any board that can be: up to all squares held, eggs in any order."""
    order = draw(st.permutations(range(NUM_SQUARES)))
    holders = draw(st.lists(st.sampled_from("bwe"), max_size=NUM_SQUARES))
    held: dict[str, list[int]] = {"b": [], "w": [], "e": []}
    for square, holder in zip(order, holders, strict=False):
        held[holder].append(square)
    return State(tuple(sorted(held["b"])), tuple(sorted(held["w"])), tuple(held["e"]))


# ---------------------------------------------------------------- what is right


@given(states())
def test_write_then_read_is_the_same_state(state: State) -> None:
    assert parse_position(format_state(state)) == state


@given(states(), st.integers(0, 400), st.sampled_from("bwe123456789/ ,-ABCDEFGHI\t\n\x00" + FULL_WIDTH_FIVE))
def test_one_position_has_one_text(state: State, at: int, char: str) -> None:
    """A text that is changed anywhere is refused, or is the canonical text of the position that it names."""
    text = format_state(state)
    at %= len(text)
    for changed in (text[:at] + char + text[at:], text[:at] + char + text[at + 1 :], text[:at] + text[at + 1 :]):
        try:
            read, place = parse_position(changed), 1
        except ParseError as error:
            read, place = None, error.column
        assert read is None or format_state(read) == changed
        assert 1 <= place <= len(changed) + 1


def test_the_start_is_the_empty_board() -> None:
    assert f"{EMPTY} -" == START
    assert parse_position(START) == State()
    assert format_state(State()) == START


def test_the_board_is_drawn_from_rank_9_down_and_file_a_on() -> None:
    assert parse_position("b7w/9/9/9/9/9/9/9/e7e I1,A1") == State((72,), (80,), (8, 0))


@pytest.mark.parametrize("text", [START, f"{BOARD} E5,C3", f"{BOARD} C3,E5"])
def test_both_engines_read_and_write_the_same_text(rules: ModuleType, text: str) -> None:
    position = rules.Position(text)
    assert str(position) == text
    assert tuple(position.state) == tuple(parse_position(text))


# ---------------------------------------------------------------- what is wrong

WRONG = [
    ("", "empty", 1),
    (EMPTY, "eggs-missing", 18),
    (f"{EMPTY} ", "eggs-missing", 19),
    (EMPTY[:-2], "ranks-few", 16),
    (f"{EMPTY[:-2]} -", "ranks-few", 16),
    (f"{EMPTY}/9 -", "ranks-many", 18),
    ("8/9/9/9/9/9/9/9/9 -", "rank-short", 2),
    ("9/9/9/9/9/9/9/9/8 -", "rank-short", 18),
    ("9/9/9/9/9/9/9/9/8", "rank-short", 18),
    ("/9/9/9/9/9/9/9/9 -", "rank-short", 1),
    ("9b/9/9/9/9/9/9/9/9 -", "rank-long", 2),
    ("b9/9/9/9/9/9/9/9/9 -", "rank-long", 2),
    ("45/9/9/9/9/9/9/9/9 -", "digits", 2),
    ("b44/9/9/9/9/9/9/9/9 -", "digits", 3),
    ("0b8/9/9/9/9/9/9/9/9 -", "board-char", 1),
    ("B8/9/9/9/9/9/9/9/9 -", "board-char", 1),
    (f" {START}", "rank-short", 1),
    (f"9\t/{START[2:]}", "board-char", 2),
    (f"9\x00{START[1:]}", "board-char", 2),
    (f"4{FULL_WIDTH_FIVE}{START[1:]}", "board-char", 2),
    (START.replace(" ", "\t"), "board-char", 18),
    (START.replace(" ", "\u00a0"), "board-char", 18),
    (START.replace(" ", "  "), "egg-square", 19),
    (f"{START}\n", "trailing", 20),
    (f"{START} ", "trailing", 20),
    (f"{START}\x00", "trailing", 20),
    (f"{START},E5", "trailing", 20),
    (f"{BOARD} E5,C3 ", "trailing", 30),
    (f"{BOARD} E5,C3,", "egg-square", 31),
    (f"{BOARD} E5 C3", "trailing", 27),
    (f"{BOARD} E5, C3", "egg-square", 28),
    (f"{BOARD} e5,C3", "egg-square", 25),
    (f"{BOARD} E{FULL_WIDTH_FIVE},C3", "egg-square", 25),
    (f"{BOARD} J5,C3", "egg-square", 25),
    (f"{BOARD} E0,C3", "egg-square", 25),
    (f"{BOARD} E", "egg-square", 25),
    (f"{BOARD} E5,E5", "egg-twice", 28),
    (f"{BOARD} E5,D5", "egg-not-on-board", 28),
    (f"{BOARD} E5", "egg-not-listed", 18),
    (f"{BOARD} C3", "egg-not-listed", 11),
    (f"{BOARD} -", "egg-not-listed", 11),
    (f"{EMPTY} A1", "egg-not-on-board", 19),
    ("x" * 400, "too-long", 333),
]


@pytest.mark.parametrize(("text", "code", "column"), WRONG, ids=[repr(text[:40]) for text, *_ in WRONG])
def test_every_fault_has_its_code_and_column(text: str, code: str, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse_position(text)
    error = caught.value
    assert (error.code, error.column, error.line, error.field) == (code, column, None, "position")
    assert "\n" not in str(error)
    assert "\x00" not in str(error)
    assert len(str(error)) < 150


@pytest.mark.parametrize(("text", "code", "column"), WRONG, ids=[repr(text[:40]) for text, *_ in WRONG])
def test_both_engines_refuse_the_same_texts(rules: ModuleType, text: str, code: str, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        rules.Position(text)
    assert (caught.value.code, caught.value.column) == (code, column)


@pytest.mark.parametrize("value", [None, True, 0, 1.5, b"9/9/9/9/9/9/9/9/9 -", ["9"], State()], ids=repr)
def test_what_is_no_text_is_no_position(value: Any) -> None:
    with pytest.raises(ParseError) as caught:
        parse_position(value)
    assert caught.value.code == "position-type"


@pytest.mark.parametrize("unit", ["9", "9/", START, " ", "\x00"])
def test_a_huge_text_is_refused_at_once(unit: str) -> None:
    text = unit * (30_000_000 // len(unit))
    start = time.process_time()
    with pytest.raises(ParseError) as caught:
        parse_position(text)
    assert time.process_time() - start < 0.05
    assert caught.value.code == "too-long"
    assert len(str(caught.value)) < 150


def test_the_longest_position_is_not_too_long() -> None:
    squares = list(range(NUM_SQUARES))
    random.Random(1).shuffle(squares)
    state = State((), (), tuple(squares))
    assert parse_position(format_state(state)) == state


# ---------------------------------------------------------------- states


def test_a_state_becomes_tuples_of_plain_ints_turtles_ascending() -> None:
    messy: Any = State([3, 1], np.array([7, 5]), (np.int64(9), 8))  # type: ignore[arg-type]
    clean = validate_state(messy)
    assert clean == State((1, 3), (5, 7), (9, 8))
    assert {type(square) for field in clean for square in field} == {int}
    assert {type(field) for field in clean} == {tuple}


@pytest.mark.parametrize(
    ("state", "code", "field"),
    [
        (State((1, 1)), "held-twice", "black"),
        (State((1,), (1,)), "held-twice", "white"),
        (State((1,), (), (1,)), "held-twice", "eggs"),
        (State((), (), (4, 4)), "held-twice", "eggs"),
        (State((81,)), "square-range", "black"),
        (State((), (-1,)), "square-range", "white"),
        (State((), (), (10**4000,)), "square-range", "eggs"),
        (State((True,)), "square-type", "black"),
        (State((np.True_,)), "square-type", "black"),  # type: ignore[arg-type]
        (State((1.0,)), "square-type", "black"),  # type: ignore[arg-type]
        (State(("E5",)), "square-type", "black"),  # type: ignore[arg-type]
        (State((None,)), "square-type", "black"),  # type: ignore[arg-type]
        (State(tuple(range(81)) * 2), "held-twice", "black"),
        (((), ()), "state-type", None),
        (((), (), (), ()), "state-type", None),
        ((1, 2, 3), "state-type", None),
        (None, "state-type", None),
        (7, "state-type", None),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_an_impossible_state_is_refused(rules: ModuleType, state: Any, code: str, field: str | None) -> None:
    for refuse in (validate_state, rules.Position.from_state):
        with pytest.raises(InvalidPosition) as caught:
            refuse(state)
        assert (caught.value.code, caught.value.field) == (code, field)


def test_a_refused_state_is_not_changed() -> None:
    black = [5, 3, 3]
    with pytest.raises(InvalidPosition):
        validate_state((black, [], []))
    assert black == [5, 3, 3]


# ---------------------------------------------------------------- turns


@given(st.integers(0, 80), st.integers(0, 80))
def test_a_turn_written_is_the_turn_read(black: int, white: int) -> None:
    text = format_turn(black, white)
    assert parse_turn(text) == (black, white)
    assert parse_turn(text.lower()) == (black, white)


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("", "turn", 1),
        ("E5", "turn", 3),
        ("E5H5", "turn", 3),
        ("E5  H5", "turn", 3),
        (" E5 H5", "turn", 3),
        ("E5 H5\n", "turn", 3),
        ("E5\tH5", "turn", 3),
        ("J5 H5", "turn-square", 1),
        ("E5 H0", "turn-square", 4),
        (f"E5 H{FULL_WIDTH_FIVE}", "turn-square", 4),
        ("E5 H\x00", "turn-square", 4),
        ("E5 " * 1_000_000, "turn", 3),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_no_turn_is_refused_with_its_column(text: str, code: str, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse_turn(text)
    assert (caught.value.code, caught.value.column) == (code, column)
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize("value", [None, (40, 43), b"E5 H5"], ids=repr)
def test_what_is_no_text_is_no_turn(value: Any) -> None:
    with pytest.raises(ParseError) as caught:
        parse_turn(value)
    assert caught.value.code == "turn-type"
