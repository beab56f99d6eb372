"""R4 to R6: what may be named, the order of a turn, collisions."""

from __future__ import annotations

from typing import Any

import pytest
from geometry81 import BRACKETS, EVERY, board

from wts_fast.errors import GameOver, IllegalMove, InvalidSquare
from wts_fast.state import EggLaid, Outcome, Placement, Row, Verdict


def test_r04_the_legal_squares_are_the_empty_ones(rules: Any) -> None:
    position = board(rules, "B2 I9", "G7", "E5 A9")
    assert position.legal == tuple(s for s in EVERY if s not in {10, 80, 60, 40, 72})
    assert rules.Position().legal == tuple(EVERY)


@pytest.mark.parametrize("name", ["B2", "G7", "E5"])
def test_r04_eggs_and_turtles_block_for_both(rules: Any, name: str) -> None:
    position = board(rules, "B2", "G7", "E5")
    for turn, field in (((name, "A1"), "black"), (("A1", name), "white"), ((name, name), "black")):
        for act in (position.play, position.explain):
            with pytest.raises(IllegalMove) as caught:
                act(*turn)
            assert (caught.value.code, caught.value.field) == ("occupied", field)
    assert position == board(rules, "B2", "G7", "E5")


@pytest.mark.parametrize(
    "value", ["J1", "A0", "", " A1", "A1 ", "A10", "\uff211", -1, 81, 2**70, True, 1.5, None, b"A1"]
)
def test_r04_what_is_no_square_is_refused(rules: Any, value: object) -> None:
    for turn, field in (((value, 0), "black"), ((0, value), "white")):
        with pytest.raises(InvalidSquare) as caught:
            rules.Position().play(*turn)
        assert caught.value.field == field


def test_r04_nothing_is_legal_when_the_game_is_over(rules: Any) -> None:
    position = board(rules, "A1 B1 C1 D1 E1")
    assert position.legal == ()
    for turn in (("A9", "B9"), ("A9", "A9"), ("A1", "A1")):
        with pytest.raises(GameOver) as caught:
            position.play(*turn)
        assert caught.value.code == "game-over"


def test_r04_a_square_is_looked_at_before_the_state_of_the_game(rules: Any) -> None:
    with pytest.raises(InvalidSquare):
        board(rules, "A1 B1 C1 D1 E1").play("A9", "J9")


def test_r05_both_turtles_land_and_nothing_else_changes(rules: Any) -> None:
    start = board(rules, "C3", "F6", "G2")  # too far apart for any bracket
    for black in start.legal:
        white = start.legal[start.legal.index(black) - 1]
        turn = start.explain(black, white)
        assert turn.events == (Placement("black", black), Placement("white", white), Verdict(None, 0, 0))
        assert turn.position.state == board(rules, [20, black], [50, white], [15]).state


def test_r05_the_events_come_in_the_order_of_the_phases(rules: Any) -> None:
    position = board(rules, "H5 E8 B5 B6 A1 B1 D1 E1", "F5 G5 E6 E7 B7", "C2 C1 I9")
    kinds = [type(event).__name__ for event in position.explain("E5", "B4").events]
    assert kinds == ["Placement"] * 2 + ["Capture"] * 3 + ["Dissolve", "Hatch", "Row", "Verdict"]


def test_r05_a_verdict_counts_the_settled_board(rules: Any) -> None:
    turn = board(rules, "H5 A1 B1 D1 E1", "F5 G5", "C1").explain("E5", "I9")
    assert turn.events[-2:] == (Row("black", (0, 1, 2, 3, 4)), Verdict(Outcome.BLACK, 5, 0))


@pytest.mark.parametrize("square", EVERY)
def test_r06_the_same_square_gives_the_youngest_egg(rules: Any, square: int) -> None:
    eggs = [s for s in (80, 0, 40) if s != square]
    turn = board(rules, eggs=eggs).explain(square, square)
    assert turn.events == (EggLaid(square), Verdict(None, 0, 0))
    assert turn.position.state == ((), (), (*eggs, square))


def test_r06_no_captures_and_no_hatching_in_a_collision(rules: Any) -> None:
    for _, arrival, near, far, end in BRACKETS:
        waiting = next(s for s in EVERY if s not in {arrival, near, far, end})
        for own, enemy, eggs in (([end], [near, far], [waiting]), ([end], [near], [far, waiting])):
            for black, white in ((own, enemy), (enemy, own)):
                turn = board(rules, black, white, eggs).explain(arrival, arrival)
                assert turn.position.state == board(rules, black, white, [*eggs, arrival]).state


def test_r06_an_egg_closes_no_bracket_that_it_fills(rules: Any) -> None:
    for _, arrival, near, far, end in BRACKETS:
        turn = board(rules, [arrival, end], [near]).explain(far, far)
        assert turn.position.state == board(rules, [arrival, end], [near], [far]).state
