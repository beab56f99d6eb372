"""R7 to R13 on every bracket of the board, from (file, rank) arithmetic."""

from __future__ import annotations

from typing import Any

import pytest
from geometry81 import BLIND, BRACKETS, EVERY, STEPS, board, captures, coloured, opposite, quiet_square, turn_of, walk

from wts_fast.state import Capture

COLOURS = ["black", "white"]


def test_the_board_has_360_brackets_and_none_twice() -> None:
    assert len(BRACKETS) == len(set(BRACKETS)) == 360
    assert len(BLIND) == 81 * 8 - 360


def place(rules: Any, colour: str, arrival: int, line: list[int], pieces: dict[int, str]) -> tuple[Any, Any]:
    """Play `arrival` for a colour on a board given as {square: "own" | "enemy" | "egg"}; the other plays far off."""
    kinds = {kind: [s for s, k in pieces.items() if k == kind] for kind in ("own", "enemy", "egg")}
    position = coloured(rules, colour, kinds["own"], kinds["enemy"], kinds["egg"])
    return position, position.explain(*turn_of(colour, arrival, quiet_square(position, line, arrival)))


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("victims", ["enemy enemy", "enemy egg", "egg enemy", "egg egg"])
def test_r07_every_bracket_closes(rules: Any, colour: str, victims: str) -> None:
    for direction, arrival, near, far, end in BRACKETS:
        first, second = victims.split()
        line = [arrival, near, far, end]
        _, turn = place(rules, colour, arrival, line, {near: first, far: second, end: "own"})
        assert captures(turn) == [Capture(colour, arrival, direction, (near, far), end)]  # type: ignore[arg-type]
        left = {*turn.position.black, *turn.position.white, *turn.position.eggs}
        assert left & set(line) == {arrival, end}
        assert len(left) == 3


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("far_end", ["enemy", "egg", "empty"])
def test_r07_only_an_own_turtle_is_a_far_end(rules: Any, colour: str, far_end: str) -> None:
    for _, arrival, near, far, end in BRACKETS:
        pieces = {near: "enemy", far: "enemy"} | ({} if far_end == "empty" else {end: far_end})
        position, turn = place(rules, colour, arrival, [arrival, near, far, end], pieces)
        assert captures(turn) == []
        assert len(turn.position.legal) == len(position.legal) - 2


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("victims", ["own enemy", "enemy own", "own egg", "egg own", "own own"])
def test_r07_own_turtles_are_no_victims(rules: Any, colour: str, victims: str) -> None:
    for _, arrival, near, far, end in BRACKETS:
        first, second = victims.split()
        _, turn = place(rules, colour, arrival, [arrival, near, far, end], {near: first, far: second, end: "own"})
        assert captures(turn) == []


@pytest.mark.parametrize("colour", COLOURS)
def test_r07_no_bracket_leaves_the_board(rules: Any, colour: str) -> None:
    """Where the board ends, pieces stand on the squares whose numbers would continue the line."""
    for direction, line in BLIND:
        arrival = line[0]
        files, ranks = STEPS[direction]
        going_on = [arrival + k * (files + 9 * ranks) for k in (1, 2, 3)]
        kinds = ["enemy", "enemy", "own"]
        pieces = {s: kind for s, kind in zip(going_on, kinds, strict=True) if s in EVERY and s != arrival}
        position, turn = place(rules, colour, arrival, [*line, *going_on], pieces)
        assert captures(turn) == [], (direction, arrival)
        assert len(turn.position.legal) == len(position.legal) - 2


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("piece", ["enemy", "egg"])
def test_r08_one_is_no_bracket(rules: Any, colour: str, piece: str) -> None:
    for _, arrival, near, far, end in BRACKETS:
        line = [arrival, near, far, end]
        for pieces in ({near: piece, far: "own"}, {near: piece, end: "own"}, {far: piece, end: "own"}):
            _, turn = place(rules, colour, arrival, line, pieces)
            assert captures(turn) == []


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("length", [3, 4, 5, 6, 7])
def test_r08_three_and_more_are_no_bracket(rules: Any, colour: str, length: int) -> None:
    for direction in STEPS:
        for arrival in EVERY:
            line = walk(arrival, direction, length + 2)
            if len(line) < length + 2:
                continue
            # Eggs in turn with turtles, so that no row of five decides the game.
            pieces = {s: "egg" if k % 3 == 2 else "enemy" for k, s in enumerate(line[1:-1])} | {line[-1]: "own"}
            _, turn = place(rules, colour, arrival, line, pieces)
            assert captures(turn) == []


@pytest.mark.parametrize("colour", COLOURS)
def test_r09_walking_in_is_safe(rules: Any, colour: str) -> None:
    for _, arrival, near, far, end in BRACKETS:
        for mine, other in ((near, far), (far, near)):
            line = [arrival, near, far, end]
            _, turn = place(rules, colour, mine, line, {arrival: "enemy", end: "enemy", other: "own"})
            assert captures(turn) == []


@pytest.mark.parametrize("colour", COLOURS)
def test_r09_a_full_bracket_stays_unless_its_end_arrives(rules: Any, colour: str) -> None:
    for _, arrival, near, far, end in BRACKETS:
        position = coloured(rules, colour, [arrival, end], [near, far])
        mine = quiet_square(position, [], arrival)
        other = next(s for s in position.legal if s != mine and max(abs(s % 9 - end % 9), abs(s // 9 - end // 9)) > 3)
        turn = position.explain(*turn_of(colour, mine, other))
        assert [c for c in captures(turn) if set(c.victims) == {near, far}] == []


@pytest.mark.parametrize("colour", COLOURS)
def test_r10_arrivals_that_capture_each_other(rules: Any, colour: str) -> None:
    """Own end, enemy end and both arrivals in one line: each arrival is a victim of the other's capture."""
    tried = 0
    for direction in STEPS:
        for start in EVERY:
            line = walk(start, direction, 6)
            if len(line) < 6:
                continue
            tried += 1
            enemy_end, own, mine, other, enemy, own_end = line
            position = coloured(rules, colour, [own, own_end], [enemy_end, enemy])
            turn = position.explain(*turn_of(colour, mine, other))
            assert len(captures(turn)) == 2
            assert {*turn.position.black, *turn.position.white} == {enemy_end, own_end}
    assert tried == 36 * 4 + 16 * 4


@pytest.mark.parametrize("colour", COLOURS)
def test_r10_a_captured_far_end_still_closes(rules: Any, colour: str) -> None:
    """The far end of each bracket is captured across, in every direction where the board has room."""
    tried = 0
    for direction, arrival, near, far, end in BRACKETS:
        for across in STEPS:
            # The other player arrives two squares before the far end, and has a turtle one square behind it.
            before, behind = walk(end, opposite(across), 3)[1:], walk(end, across, 2)[1:]
            if len(before) < 2 or not behind or {*before, *behind} & {arrival, near, far}:
                continue
            (first, other), other_end = before, behind[0]
            tried += 1
            position = coloured(rules, colour, [end, first], [near, far, other_end])
            turn = position.explain(*turn_of(colour, arrival, other))
            made = {(c.arrival, c.victims) for c in captures(turn)}
            assert {(arrival, (near, far)), (other, (first, end))} <= made, (direction, across)
            assert not {near, far, end, first} & {*turn.position.black, *turn.position.white}
    assert tried > 1000


@pytest.mark.parametrize("colour", COLOURS)
def test_r11_a_turtle_placed_now_is_a_victim(rules: Any, colour: str) -> None:
    for direction, arrival, near, far, end in BRACKETS:
        for other, standing in ((near, far), (far, near)):
            position = coloured(rules, colour, [end], [standing])
            turn = position.explain(*turn_of(colour, arrival, other))
            assert captures(turn) == [Capture(colour, arrival, direction, (near, far), end)]  # type: ignore[arg-type]
            assert {*turn.position.black, *turn.position.white} == {arrival, end}


@pytest.mark.parametrize("colour", COLOURS)
def test_r12_every_set_of_directions(rules: Any, colour: str) -> None:
    """All 256 sets of directions around E5, and every direction that the board allows around each square."""
    full = [[d for d in STEPS if len(walk(s, d, 4)) == 4] for s in EVERY]
    sets = [(40, [d for k, d in enumerate(STEPS) if bits >> k & 1]) for bits in range(256)]
    for arrival, directions in sets + list(zip(EVERY, full, strict=True)):
        lines = {d: walk(arrival, d, 4) for d in directions}
        enemies = [s for line in lines.values() for s in line[1:3]]
        own = [line[3] for line in lines.values()]
        position = coloured(rules, colour, own, enemies)
        spare = next(s for s in position.legal if s != arrival and not any(s in walk(arrival, d, 9) for d in STEPS))
        turn = position.explain(*turn_of(colour, arrival, spare))
        mine = [c for c in captures(turn) if c.colour == colour]
        assert [c.direction for c in mine] == directions
        assert not set(enemies) & {*turn.position.black, *turn.position.white}


@pytest.mark.parametrize("colour", COLOURS)
def test_r13_a_piece_captured_by_both_counts_for_both(rules: Any, colour: str) -> None:
    """One egg on two crossing brackets: two claims meet on the waiting egg, which dissolves."""
    tried = 0
    for direction, arrival, near, far, end in BRACKETS:
        for across in ("N", "NE", "E", "SE"):
            back, on = walk(near, opposite(across), 2)[1:], walk(near, across, 3)[1:]
            if len(back) < 1 or len(on) < 2 or {*back, *on} & {arrival, far, end}:
                continue
            # The other player arrives on `back`; the victims are the egg on `near` and our turtle behind it.
            other, ours, theirs = back[0], on[0], on[1]
            waiting = next(s for s in EVERY if s not in {arrival, near, far, end, other, ours, theirs})
            position = coloured(rules, colour, [end, ours], [far, theirs], [near, waiting])
            turn = position.explain(*turn_of(colour, arrival, other))
            made = {(c.arrival, c.victims) for c in captures(turn)}
            if made != {(arrival, (near, far)), (other, (near, ours))}:
                continue  # the waiting egg or a neighbour made a third bracket here
            tried += 1
            assert turn.position.eggs == (), (direction, across)
            assert {*turn.position.black, *turn.position.white} == {arrival, end, other, theirs}
    assert tried > 500


def test_r13_victims_leave_together(rules: Any) -> None:
    position = board(rules, "H5 F6 F7", "G5 F8")
    turn = position.explain("E5", "F5")
    assert turn.position.state == board(rules, "E5 H5", "F8").state
