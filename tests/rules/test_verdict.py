"""R18 to R25: rows, winning turtles, sudden death, draws, games without end."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import pytest
from geometry81 import EVERY, RUNS, STEPS, WINDOWS, board, coloured, opposite, turn_of, walk

from wts_fast import _kernel, engine, oracle
from wts_fast.state import Outcome, Row, State, Verdict

COLOURS = ["black", "white"]
WON = {"black": Outcome.BLACK, "white": Outcome.WHITE}
OTHER = {"black": "white", "white": "black"}


def winning_by_windows(squares: tuple[int, ...]) -> tuple[int, ...]:
    held = set(squares)
    return tuple(sorted({s for window in WINDOWS if held.issuperset(window) for s in window}))


def test_the_board_has_140_windows_and_none_twice() -> None:
    assert len(WINDOWS) == len(set(WINDOWS)) == 140


@pytest.mark.parametrize("colour", COLOURS)
def test_r18_every_window_is_a_row(rules: Any, colour: str) -> None:
    for window in WINDOWS:
        position = coloured(rules, colour, window, [])
        assert position.outcome is WON[colour]
        assert position.winning(colour) == window
        assert position.winning(OTHER[colour]) == ()
        assert position.legal == ()


@pytest.mark.parametrize("colour", COLOURS)
def test_r18_every_row_counts_whichever_turtle_comes_last(rules: Any, colour: str) -> None:
    for window in WINDOWS:
        for last in window:
            spare = next(s for s in EVERY if s not in window)
            turn = coloured(rules, colour, set(window) - {last}, []).explain(*turn_of(colour, last, spare))
            counts = (5, 0) if colour == "black" else (0, 5)
            assert turn.events[-2:] == (Row(colour, window), Verdict(WON[colour], *counts))  # type: ignore[arg-type]


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("gap", ["empty", "egg", "enemy"])
def test_r18_four_and_a_gap_are_no_row(rules: Any, colour: str, gap: str) -> None:
    for window in WINDOWS:
        for hole in window:
            own = set(window) - {hole}
            enemy, eggs = [hole] if gap == "enemy" else [], [hole] if gap == "egg" else []
            position = coloured(rules, colour, own, enemy, eggs)
            assert position.outcome is None
            assert position.winning(colour) == ()


def test_r18_consecutive_numbers_that_are_no_line_are_no_row(rules: Any) -> None:
    """Steps of 1, 8, 9 and 10 that run round an edge, among them over the border of words at 63 and 64."""
    tried = 0
    for step in (1, 8, 9, 10):
        for start in range(81 - 4 * step):
            squares = tuple(range(start, start + 5 * step, step))
            if squares in WINDOWS:
                continue
            tried += 1
            position = board(rules, squares)
            assert (position.outcome, position.winning("black")) == (None, ()), squares
            assert board(rules, [], squares).outcome is None
    assert tried == 77 + 49 + 45 + 41 - 140


@pytest.mark.parametrize("colour", COLOURS)
def test_r18_a_gap_filled_joins_one_long_row(rules: Any, colour: str) -> None:
    for run in RUNS:
        for last in run:
            rest = tuple(s for s in run if s != last)
            if winning_by_windows(rest):
                continue
            spare = next(s for s in EVERY if s not in run)
            turn = coloured(rules, colour, rest, []).explain(*turn_of(colour, last, spare))
            assert [event for event in turn.events if isinstance(event, Row)] == [Row(colour, run)]  # type: ignore[arg-type]
            assert turn.position.winning(colour) == run


def test_r18_a_row_broken_in_its_own_turn_never_counts(rules: Any) -> None:
    turn = board(rules, "A5 B5 C5 D5 C4", "C6").explain("E5", "C3")
    assert turn.events[-1] == Verdict(None, 0, 0)
    assert turn.position.outcome is None


@pytest.mark.parametrize("seed", range(20))
def test_r19_winning_turtles_are_the_union_of_the_rows(rules: Any, seed: int) -> None:
    """Dense boards of any kind, counted with the windows; the outcome follows from the counts (R20 to R23)."""
    generator = random.Random(seed)
    for _ in range(25):
        weights = [generator.random() ** 2, generator.random() ** 2, generator.random() * 0.1, generator.random() * 0.3]
        content = generator.choices("bwe.", weights, k=81)
        black, white, eggs = (tuple(s for s in EVERY if content[s] == piece) for piece in "bwe")
        position = rules.Position.from_state(State(black, white, eggs))
        winning = winning_by_windows(black), winning_by_windows(white)
        assert (position.winning("black"), position.winning("white")) == winning, str(position)
        counts = len(winning[0]), len(winning[1])
        full = "." not in content
        undecided = Outcome.DRAW if full else None
        expected = Outcome.BLACK if counts[0] > counts[1] else Outcome.WHITE if counts[0] < counts[1] else undecided
        assert position.outcome is expected, str(position)
        assert position.sudden_death == (expected is None and counts[0] > 0)


def test_r19_a_shared_turtle_counts_once(rules: Any) -> None:
    for centre in EVERY:
        for one, other in (("N", "E"), ("NE", "SE"), ("N", "NE"), ("E", "SE")):
            rows = [walk(centre, one, 5), walk(centre, other, 5)]
            if min(map(len, rows)) < 5:
                continue
            position = board(rules, {*rows[0], *rows[1]})
            assert len(position.winning("black")) == 9


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize(("own", "enemy"), [(5, 0), (6, 5), (9, 8), (9, 5), (7, 6)])
def test_r20_more_winning_turtles_win(rules: Any, colour: str, own: int, enemy: int) -> None:
    position = coloured(rules, colour, range(own), range(72, 72 + enemy))
    assert position.outcome is WON[colour]
    assert position.sudden_death is False


@pytest.mark.parametrize("length", range(5, 10))
def test_r21_equal_counts_are_sudden_death(rules: Any, length: int) -> None:
    position = board(rules, range(length), range(72, 72 + length))
    assert position.outcome is None
    assert position.sudden_death is True
    assert len(position.legal) == 81 - 2 * length


@pytest.mark.parametrize("colour", COLOURS)
def test_r21_sudden_death_ends_when_the_counts_differ(rules: Any, colour: str) -> None:
    start = coloured(rules, colour, "A1 B1 C1 D1 E1", "A9 B9 C9 D9 E9")
    quiet = start.play(*turn_of(colour, 44, 42))
    assert quiet.sudden_death
    assert quiet.play(*turn_of(colour, 5, 40)).outcome is WON[colour]
    assert quiet.play(*turn_of(colour, 40, 77)).outcome is WON[OTHER[colour]]
    assert quiet.play(*turn_of(colour, 5, 77)).sudden_death
    assert quiet.play(40, 40).sudden_death


def test_r21_the_board_alone_tells(rules: Any) -> None:
    played = board(rules, "A1 B1 C1 D1", "A9 B9 C9 D9").play("E1", "E9")
    written = rules.Position("wwwww4/9/9/9/9/9/9/9/bbbbb4 -")
    assert played == written
    assert written.sudden_death


def test_r21_broken_on_both_sides_play_is_normal_again(rules: Any) -> None:
    broken = board(rules, "A2 B2 C2 D2 E2 C3 E6", "A8 B8 C8 D8 E8 E7 C4").play("E9", "C1")
    assert (broken.outcome, broken.sudden_death) == (None, False)
    assert broken.play("C2", "E8").sudden_death


def test_r22_no_rows_and_play_goes_on(rules: Any) -> None:
    assert rules.Position().outcome is None
    assert rules.Position().sudden_death is False


FULL = "bbwwbbwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbww{}bwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbwwbbwwb {}"
ROWS = "wwwwwbbwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbww{}bwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbbbb{}wbw {}"


def test_r23_a_full_board_with_equal_counts_is_a_draw(rules: Any) -> None:
    for text in (FULL.format("b", "-"), FULL.format("e", "E5"), ROWS.format("b", "w", "-")):
        position = rules.Position(text)
        assert (position.outcome, position.legal, position.sudden_death) == (Outcome.DRAW, (), False)


def test_r23_the_last_square_is_a_forced_collision(rules: Any) -> None:
    for before, after, sudden in (
        (FULL.format("1", "-"), FULL.format("e", "E5"), False),
        (ROWS.format("1", "w", "-"), ROWS.format("e", "w", "E5"), True),
    ):
        position = rules.Position(before)
        assert (position.outcome, position.legal, position.sudden_death) == (None, (40,), sudden)
        last = position.play("E5", "E5")
        assert (str(last), last.outcome) == (after, Outcome.DRAW)


def test_r23_a_full_board_with_unequal_counts_is_won(rules: Any) -> None:
    assert rules.Position(ROWS.format("b", "b", "-")).outcome is Outcome.BLACK
    assert rules.Position(ROWS.format("b", "b", "-")).transform("rotate180", True).outcome is Outcome.WHITE


@pytest.mark.parametrize("direction", STEPS)
def test_r24_r25_a_board_can_come_back_and_nothing_ends_the_game(rules: Any, direction: str) -> None:
    """Two turns that lead back to where they began: arrivals that capture each other, and their victims' return."""
    line = walk(walk(40, opposite(direction), 3)[2], direction, 6)
    enemy_end, own, mine, other, enemy, own_end = line
    start = position = board(rules, [own, own_end], [enemy_end, enemy])
    for _ in range(4):
        position = position.play(mine, other)
        assert position.state == board(rules, [own_end], [enemy_end]).state
        position = position.play(own, enemy)
        assert position == start
        assert (position.outcome, position.sudden_death) == (None, False)


def test_r24_a_playout_that_is_cut_off_has_no_outcome() -> None:
    playout = oracle.random_playout(oracle.Position(), oracle.uniform_choice(1), cap=3)
    assert (playout.outcome, playout.turns) == (None, 3)
    assert oracle.random_playout(playout.position, oracle.uniform_choice(1)).outcome is not None


@pytest.mark.parametrize("isa", _kernel.build_info()["isa_usable"])
def test_r24_playouts_that_are_cut_off_are_unfinished_and_no_draws(isa: str) -> None:
    result = engine.playouts(_kernel.Position(), 100, cap=4, isa=isa)
    assert (result.unfinished, result.draws, result.turns) == (100, 0, 400)
    last_square = _kernel.Position(FULL.format("1", "-"))
    drawn = engine.playouts(last_square, 100, cap=4, isa=isa)
    assert (drawn.unfinished, drawn.draws, drawn.turns) == (0, 100, 100)


def test_r25_play_that_does_not_end_adds_nothing_to_a_sum_of_values() -> None:
    """The kernel's sum for search, called as numba calls it."""
    capsule = _kernel.__pyx_capi__["wts_value_sum"]
    get_name, get_pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    signature = ctypes.CFUNCTYPE(ctypes.c_longlong, ctypes.c_void_p, ctypes.c_ulonglong, ctypes.c_int, ctypes.c_int)
    value_sum = signature(get_pointer(capsule, get_name(capsule)))
    assert value_sum(_kernel.Position().to_bytes(), 1, 100, 4) == 0
    assert value_sum(board(_kernel, "A1 B1 C1 D1 E1").to_bytes(), 1, 100, 4) == 100
    assert value_sum(board(_kernel, [], "A1 B1 C1 D1 E1").to_bytes(), 1, 100, 4) == -100
