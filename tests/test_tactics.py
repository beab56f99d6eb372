"""Proved bounds hold: against exact values, against the oracle playing every turn, and where each condition fails."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from fuzz_bounds import run

from wts_fast import _kernel, matrix, oracle
from wts_fast.state import Outcome

DATA = Path(__file__).parent / "data"
VALUES = {Outcome.BLACK: 1.0, Outcome.WHITE: -1.0, Outcome.DRAW: 0.0}


def bounds(text: str) -> tuple[float, float]:
    states = np.frombuffer(_kernel.Position(text).to_bytes(), np.uint8).reshape(1, -1)
    lower, upper = np.empty(1, np.float32), np.empty(1, np.float32)
    _kernel.bound_states(states, lower, upper)
    return float(lower[0]), float(upper[0])


def swapped(text: str) -> str:
    return str(_kernel.Position(text).transform("identity", swap_colours=True))


#: An open four has two completion squares, an open four crossed by a four has three.
LADDERS = {
    "9/9/9/9/9/9/9/9/bbbb5 -": -1.0,
    "9/9/9/9/2bbbb3/9/9/9/9 -": 0.0,
    "9/9/9/9/2bbbb3/9/9/9/8e I1": 0.0,
    "9/9/9/9/2bbbb3/7b1/7b1/7b1/7b1 -": 2 / 3,
}


@pytest.mark.parametrize(("text", "value"), LADDERS.items())
def test_completion_squares_are_worth_the_ladder(text: str, value: float) -> None:
    lower, upper = bounds(text)
    assert value - 1e-6 <= lower <= value
    assert upper == 1.0
    assert bounds(swapped(text)) == (-upper, -lower)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("9/9/9/9/2bbbb3/9/9/9/wwww5 -", id="White completes a row too"),
        pytest.param("9/9/1w7/2b6/2bbbb3/9/9/9/9 -", id="White takes two of the row"),
        pytest.param("9/9/9/9/2bbbb3/2b6/3w5/9/9 -", id="White takes the turtle that completes the row"),
        pytest.param("9/9/9/9/2bbbb3/2e6/3w5/9/9 C4", id="White takes it together with an egg"),
    ],
)
def test_what_the_other_can_do_lowers_the_bound(text: str) -> None:
    lower, upper = bounds(text)
    assert -1.0 <= lower < 0.0
    assert bounds(swapped(text)) == (-upper, -lower)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("9/9/9/2w6/2bbbb3/9/9/9/9 -", id="White's turtle brackets nothing"),
        pytest.param("9/9/9/9/2bbbb3/2b6/9/9/4w4 -", id="White's end is too far"),
        pytest.param("9/9/9/9/2bbbb3/9/9/9/www6 -", id="White has only three"),
    ],
)
def test_what_does_not_matter_leaves_the_bound(text: str) -> None:
    assert bounds(text)[0] == 0.0


def test_ended_games_are_exact() -> None:
    assert bounds("9/9/9/9/2bbbbb2/9/9/9/9 -") == (1.0, 1.0)
    assert bounds("9/9/9/9/2wwwww2/9/9/9/9 -") == (-1.0, -1.0)


def test_a_single_square_is_a_draw() -> None:
    text = "bbwwbbwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbww1bwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbwwbbwwb -"
    assert bounds(text) == (0.0, 0.0)


def test_both_players_can_copy() -> None:
    """With n empty squares nobody gets more than 1 - 1/n!."""
    text = "bbwwbbwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbww1bwwb/wwbbwwbbw/1bwwbbwwb/wwbbwwbbw/bb1wbbwwb -"
    lower, upper = bounds(text)
    limit = 1 - 1 / math.factorial(3)
    assert -limit - 1e-6 <= lower <= upper <= limit + 1e-6


def test_endgames_lie_within_their_bounds() -> None:
    cases = json.loads((DATA / "endgames.json").read_text(encoding="utf-8"))
    assert cases
    for case in cases:
        lower, upper = bounds(case["position"])
        assert lower - 1e-8 <= case["value"] <= upper + 1e-8, case["position"]


def test_the_ladder_is_rounded_down() -> None:
    """Every float that the ladder can give is at most the exact number."""
    for k in range(10):
        for left in range(82 - k):
            exact = 1 - (2 - Fraction(1, math.factorial(left))) / math.factorial(k)
            given = 1 - (2 - (1 / math.factorial(left) if left < 10 else 0.0)) / math.factorial(k)
            below = np.float32(given)
            if float(below) > given:
                below = np.nextafter(below, np.float32(-2))
            assert Fraction(float(below)) <= exact, (k, left)


def at_most(position: oracle.Position, turns: int) -> float:
    """What Black gets at most: all turns played by the oracle, and a win for what is open then."""
    if position.outcome is not None:
        return VALUES[position.outcome]
    if turns == 0:
        return 1.0
    legal = position.legal
    cells = [[at_most(position.play(b, w), turns - 1) for w in legal] for b in legal]
    game = matrix.solve(np.array(cells))
    return float((np.array(cells) @ game.white).max())


@pytest.mark.parametrize("seed", range(4))
def test_the_oracle_never_beats_a_bound(seed: int) -> None:
    """Boards nearly full of ones on which somebody has a four, both colours, every turn played."""
    rng = np.random.default_rng(seed)
    checked = sharp = 0
    while checked < 12:
        board = rng.choice(np.array(list("bw")), 81)
        board[rng.random(81) < 0.04] = "e"
        board[rng.choice(81, int(rng.integers(2, 4)), replace=False)] = "."
        eggs = [int(s) for s in rng.permutation(np.flatnonzero(board == "e"))]
        state = oracle.State(
            tuple(int(s) for s in np.flatnonzero(board == "b")),
            tuple(int(s) for s in np.flatnonzero(board == "w")),
            tuple(eggs),
        )
        position = oracle.Position.from_state(state)
        if position.outcome is not None:
            continue
        checked += 1
        lower, upper = bounds(str(position))
        most = at_most(position, 2)
        least = -at_most(position.transform("identity", swap_colours=True), 2)
        assert lower <= most + 1e-6, (seed, str(position))
        assert upper >= least - 1e-6, (seed, str(position))
        sharp += lower > most - 1e-3 or upper < least + 1e-3
    assert sharp


def test_no_reply_beats_a_bound() -> None:
    report = run(cases=150, seed=20261130)
    assert report.unsound == []
    assert report.sharp > 30
