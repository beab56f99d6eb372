"""Symmetries of a position: squares that are images of one another, equal shares, and values that must be 0."""

from __future__ import annotations

import random

import numpy as np
import pytest

from wts_fast import analyze
from wts_fast._kernel import Position
from wts_fast.squares import NUM_SQUARES, SYMMETRIES, parse_square
from wts_fast.state import State
from wts_fast.symmetry import groups, is_its_own_negative, square_map

# A half turn with the colours swapped leaves it as it is; nothing else does.
OWN_NEGATIVE = Position("9/1b7/2b6/4w4/9/4b4/6w2/7w1/9 -")
# A mirror leaves it as it is, and no swap does.
MIRRORED = Position("9/9/2b3b2/4w4/4b4/9/3w1w3/9/9 -")
# A half turn maps the board to itself, but the ages of the eggs to others.
EGGS = Position("9/9/2e6/9/4b4/9/6e2/9/9 C7,G3")


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_a_square_goes_where_its_turtle_goes(symmetry: str) -> None:
    for square in range(NUM_SQUARES):
        moved = Position.from_state(State((square,), (), ())).transform(symmetry)
        assert moved.state.black == (int(square_map(symmetry)[square]),)


def random_symmetric(seed: int, symmetry: str, swap: bool) -> Position:
    """Turtles and eggs at random, then made whole under a symmetry, if that can be."""
    rng = random.Random(seed)
    to = square_map(symmetry)
    owner: dict[int, str] = {}
    for square in rng.sample(range(NUM_SQUARES), 6):
        mark = rng.choice("bw")
        at = square
        orbit = {}
        while at not in orbit:
            orbit[at] = mark
            at = int(to[at])
            mark = {"b": "w", "w": "b"}[mark] if swap else mark
        if orbit[at] == mark and not set(orbit) & set(owner):
            owner |= orbit
    black, white = (tuple(sorted(s for s, mark in owner.items() if mark == colour)) for colour in "bw")
    return Position.from_state(State(black, white, ()))


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("symmetry", SYMMETRIES)
@pytest.mark.parametrize("seed", range(3))
def test_groups_are_the_orbits(seed: int, symmetry: str, swap: bool) -> None:
    """Against the closure of single steps, with every symmetry that keeps the position."""
    position = random_symmetric(seed, symmetry, swap)
    keeping = [(s, w) for s in SYMMETRIES for w in (False, True) if position.transform(s, w) == position]
    assert (symmetry, swap) in keeping
    assert is_its_own_negative(position) == any(w for _, w in keeping)
    legal = position.legal
    orbit_of: dict[tuple[int, int], frozenset[tuple[int, int]]] = {}
    for side in range(2):
        for square in legal:
            orbit = {(side, square)}
            while True:
                more = {(c ^ w, int(square_map(s)[q])) for s, w in keeping for c, q in orbit}
                if more <= orbit:
                    break
                orbit |= more
            orbit_of[side, square] = frozenset(orbit)
    number = groups(position)
    if len(keeping) == 1:
        assert number is None
        return
    assert number is not None
    places = [(side, square) for side in range(2) for square in legal]
    for i, one in enumerate(places):
        for j, other in enumerate(places):
            assert (number[i] == number[j]) == (orbit_of[one] == orbit_of[other])


def test_the_ages_of_eggs_break_a_symmetry() -> None:
    number = groups(EGGS)
    # What is left is the mirror in the line through both eggs: it swaps these corners, and leaves those alone.
    assert number is not None
    place = {name: EGGS.legal.index(parse_square(name)) for name in ("A1", "I9", "A9", "I1")}
    assert number[place["A1"]] == number[place["I9"]]
    assert number[place["A9"]] != number[place["I1"]]
    assert not is_its_own_negative(EGGS)


@pytest.mark.parametrize("nodes", [1, 40, 700])
@pytest.mark.parametrize("position", [Position(), OWN_NEGATIVE], ids=["start", "half-turn"])
def test_a_position_that_is_its_own_negative_is_worth_exactly_nothing(position: Position, nodes: int) -> None:
    found = analyze(position, nodes=nodes)
    assert (found.value, found.lower, found.upper, found.needs_r25) == (0.0, 0.0, 0.0, True)


def test_other_positions_need_no_r25() -> None:
    found = analyze(MIRRORED, nodes=100)
    assert not found.needs_r25
    assert found.lower < found.upper


@pytest.mark.parametrize("nodes", [1, 40, 700])
@pytest.mark.parametrize("position", [Position(), OWN_NEGATIVE, MIRRORED], ids=["start", "half-turn", "mirror"])
def test_images_get_equal_shares(position: Position, nodes: int) -> None:
    found = analyze(position, nodes=nodes)
    images = 0
    for symmetry in SYMMETRIES:
        for swap in (False, True):
            if position.transform(symmetry, swap) != position:
                continue
            images += 1
            to = square_map(symmetry)
            black, white = (found.white, found.black) if swap else (found.black, found.white)
            assert np.array_equal(found.black, black[to])
            assert np.array_equal(found.white, white[to])
    assert images > 1
    assert found.black.sum() == pytest.approx(1, abs=1e-12)
