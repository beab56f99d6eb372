"""R14 to R17: claims, dissolving, cascades, lapsed claims."""

from __future__ import annotations

from typing import Any

import pytest
from geometry81 import BRACKETS, board, captures, coloured, numbers, quiet_square, turn_of

from wts_fast.state import Capture, Dissolve, Hatch

# Black at E5 with up to four brackets and White at B4 with up to two, well apart (see `opposed`).
BLACK_BRACKETS = [("E6 E7", "E8"), ("F5 G5", "H5"), ("F4 G3", "H2"), ("E4 E3", "E2")]
WHITE_BRACKETS = [("B5 B6", "B7"), ("B3 B2", "B1")]
EGGS = ["I9", "I7", "G9", "A9", "D9", "G1", "C9"]


def opposed(rules: Any, by_black: int, by_white: int, num_eggs: int, swap: bool) -> tuple[Any, tuple[str, ...]]:
    black = [end for _, end in BLACK_BRACKETS[:by_black]] + [pair for pair, _ in WHITE_BRACKETS[:by_white]]
    white = [pair for pair, _ in BLACK_BRACKETS[:by_black]] + [end for _, end in WHITE_BRACKETS[:by_white]]
    position = board(rules, " ".join(black), " ".join(white), " ".join(EGGS[:num_eggs]))
    if swap:
        return position.transform("identity", True), ("B4", "E5")
    return position, ("E5", "B4")


@pytest.mark.parametrize("swap", [False, True], ids=["", "swapped"])
@pytest.mark.parametrize("by_white", range(3))
@pytest.mark.parametrize("by_black", range(5))
def test_r15_opposed_claims_dissolve_and_the_rest_hatch(rules: Any, by_black: int, by_white: int, swap: bool) -> None:
    """min(k, m) eggs dissolve, the oldest first, then k - m hatch, as far as the eggs go (R14, R15, R17)."""
    for num_eggs in range(8):
        position, turn_squares = opposed(rules, by_black, by_white, num_eggs, swap)
        turn = position.explain(*turn_squares)
        assert len(captures(turn)) == by_black + by_white
        winner = "black" if (by_black > by_white) != swap else "white"
        expected: list[Dissolve | Hatch] = [Dissolve(s) for s in numbers(" ".join(EGGS[: min(by_black, by_white)]))]
        hatching = EGGS[min(by_black, by_white) : max(by_black, by_white)]
        expected += [Hatch(winner, s) for s in numbers(" ".join(hatching))]  # type: ignore[arg-type]
        expected = expected[:num_eggs]
        assert [e for e in turn.events if isinstance(e, Dissolve | Hatch)] == expected
        assert turn.position.eggs == numbers(" ".join(EGGS[max(by_black, by_white) : num_eggs]))
        gone = {e.square for e in expected if isinstance(e, Dissolve)}
        assert gone <= set(turn.position.legal)


@pytest.mark.parametrize("colour", ["black", "white"])
def test_r14_eggs_captured_now_are_gone_before_any_claim(rules: Any, colour: str) -> None:
    for _, arrival, near, far, end in BRACKETS:
        for egg, turtle in ((near, far), (far, near)):
            lines = [near, far, end]
            waiting = quiet_square(coloured(rules, colour, [end], [turtle], [egg]), lines, arrival)
            other = quiet_square(coloured(rules, colour, [end], [turtle], [egg, waiting]), lines, arrival)
            # Alone, the captured egg leaves the claim without an egg; with another one, that one hatches.
            alone = coloured(rules, colour, [end], [turtle], [egg]).play(*turn_of(colour, arrival, other))
            assert alone.state == coloured(rules, colour, [end, arrival], [other]).state
            both = coloured(rules, colour, [end], [turtle], [egg, waiting]).play(*turn_of(colour, arrival, other))
            assert both.state == coloured(rules, colour, [end, arrival, waiting], [other]).state


@pytest.mark.parametrize("colour", ["black", "white"])
def test_r14_a_bracket_is_one_claim(rules: Any, colour: str) -> None:
    after = coloured(rules, colour, "H5", "F5 G5", "C3 A9").play(*turn_of(colour, *numbers("E5 I1")))
    assert after.state == coloured(rules, colour, "H5 E5 C3", "I1", "A9").state


@pytest.mark.parametrize("colour", ["black", "white"])
@pytest.mark.parametrize("victims", ["enemy enemy", "enemy egg", "egg enemy", "egg egg"])
def test_r16_a_hatched_turtle_captures_in_every_bracket(rules: Any, colour: str, victims: str) -> None:
    """The egg on each arrival square hatches after a capture far away, and closes its bracket."""
    first, second = victims.split()
    tried = 0
    for direction, hatched, near, far, end in BRACKETS:
        for origin in (BRACKETS[0], BRACKETS[40], BRACKETS[200], BRACKETS[359]):
            _, arrival, one, two, there = origin
            if {hatched, near, far, end} & {arrival, one, two, there}:
                continue
            eggs = [s for s, kind in ((near, first), (far, second)) if kind == "egg"]
            turtles = [s for s, kind in ((near, first), (far, second)) if kind == "enemy"]
            position = coloured(rules, colour, [there, end], [one, two, *turtles], [hatched, *eggs])
            other = quiet_square(position, [], hatched)
            turn = position.explain(*turn_of(colour, arrival, other))
            if len(captures(turn)) != 2:
                continue  # the two brackets met and made a third, or the other player captured
            tried += 1
            made = captures(turn)[1]
            assert made == Capture(colour, hatched, direction, (near, far), end)  # type: ignore[arg-type]
            left = {*turn.position.black, *turn.position.white, *turn.position.eggs}
            assert left == {arrival, there, hatched, end, other}
    assert tried > 900


@pytest.mark.parametrize("length", range(1, 7))
def test_r16_cascades_of_any_length(rules: Any, length: int) -> None:
    """Each hatched turtle on file A to F captures up its file, and the next egg hatches on that claim."""
    files = "ABCDEF"[:length]
    # Two victims that end in an own turtle above each egg; ranks differ so that no lines arise across files.
    base = {f: 2 if k % 2 else 5 for k, f in enumerate(files)}
    enemies = [f"{f}{base[f] + k}" for f in files for k in (1, 2)]
    ends = [f"{f}{base[f] + 3}" for f in files]
    eggs = [f"{f}{base[f]}" for f in files]
    position = board(rules, " ".join(["I9", *ends]), " ".join(["I7", "I8", *enemies]), " ".join([*eggs, "H1", "G1"]))
    turn = position.explain("I6", "I1")
    hatched = [e.square for e in turn.events if isinstance(e, Hatch)]
    # One capture by the placed turtle and one by each of the chain; the last claim hatches H1, and G1 stays.
    assert len(captures(turn)) == length + 1
    assert hatched == [*numbers(" ".join(eggs)), *numbers("H1")]
    assert turn.position.eggs == numbers("G1")


def test_r16_eggs_hatch_one_at_a_time(rules: Any) -> None:
    """Two claims: egg 1 hatches and captures egg 2 before its turn would come; egg 3 is next."""
    after = board(rules, "H5 E8 B5", "F5 G5 E6 E7 B4", "B2 B3 I1").play("E5", "A8")
    assert after.state == board(rules, "H5 E8 B5 E5 B2 I1", "A8").state


def test_r16_a_younger_egg_is_no_far_end_yet(rules: Any) -> None:
    turn = board(rules, "H5 E8", "F5 G5 E6 E7 B3 B4", "B2 B5").explain("E5", "A8")
    assert [(c.arrival, c.direction) for c in captures(turn)[2:]] == [(numbers("B5")[0], "S")]


def test_r17_claims_that_find_no_egg_lapse(rules: Any) -> None:
    position = board(rules, "H5", "F5 G5").play("E5", "A1").play("C3", "C3").play("A9", "I9")
    assert position.eggs == numbers("C3")
    twice = board(rules, "H5 E8", "F5 G5 E6 E7", "C2").play("E5", "A1").play("C4", "C4").play("A8", "I9")
    assert twice.eggs == numbers("C4")
