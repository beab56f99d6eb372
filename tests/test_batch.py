"""Batches: the same turns as `Position.play`, all or none, and nothing a wrong array can break."""

import random

import numpy as np
import pytest

from wts_fast._kernel import Position
from wts_fast.engine import STATE_DTYPE, Batch
from wts_fast.errors import GameOver, IllegalMove, InvalidSquare, LimitError, WtsError

WON = "9/9/9/9/9/9/9/9/bbbbb4 -"


def test_step_plays_what_play_plays():
    seed = 11
    rng = random.Random(seed)
    positions = [Position() for _ in range(64)]
    batch = Batch(positions)
    for turn in range(60):
        black, white = [], []
        for row, position in enumerate(positions):
            squares = (rng.choice(position.legal), rng.choice(position.legal)) if position.legal else (-1, -1)
            if position.legal:
                positions[row] = position.play(*squares)
            black.append(squares[0])
            white.append(squares[1])
        batch.step(black, white)
        assert [batch[row] for row in range(64)] == positions, f"seed {seed}, turn {turn}"
    assert [batch.outcome(row) for row in range(64)] == [position.outcome for position in positions]
    assert batch.over.any()


def test_legal_masks_are_the_legal_squares():
    batch = Batch([Position(), Position(WON), Position("9/9/9/9/3be3w/9/2e6/9/9 E5,C3")])
    masks = batch.legal()
    assert masks.dtype == np.bool_
    assert [tuple(np.flatnonzero(row)) for row in masks] == [batch[row].legal for row in range(3)]
    assert not masks[1].any()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64])
def test_step_takes_every_kind_of_whole_number(dtype):
    batch = Batch(2)
    batch.step(np.array([0, 80], dtype), np.array([80, 80], dtype))
    assert batch[1].eggs == (80,)


@pytest.mark.parametrize(
    ("black", "error", "field"),
    [
        ([0, 81], InvalidSquare, "black"),
        ([0, -2], InvalidSquare, "black"),
        ([0, 1 << 40], InvalidSquare, "black"),
        ([0, -1], InvalidSquare, "black"),
        (np.array([0, 200], np.uint8), InvalidSquare, "black"),
        (np.array([0, 120], np.int8), InvalidSquare, "black"),
        ([0, 1.5], InvalidSquare, "black"),
        ([True, False], InvalidSquare, "black"),
        (["A1", "B1"], InvalidSquare, "black"),
        ([0], InvalidSquare, "black"),
        ([[0, 1]], InvalidSquare, "black"),
        ([0, 40], IllegalMove, "black"),
    ],
)
def test_a_wrong_square_is_refused_and_nothing_is_played(black, error, field):
    batch = Batch([Position(), Position().play(40, 40)])
    before = batch.states.tobytes()
    with pytest.raises(error) as caught:
        batch.step(black, [7, 8])
    assert caught.value.field == field
    assert batch.states.tobytes() == before


def test_a_finished_game_takes_no_turn():
    batch = Batch([Position(WON)])
    with pytest.raises(GameOver):
        batch.step([8], [8])
    batch.step([-1], [-1])
    assert batch[0] == Position(WON)


def test_states_are_shown_but_not_given_away():
    batch = Batch(3)
    assert batch.states.dtype == STATE_DTYPE
    with pytest.raises(ValueError, match="read-only"):
        batch.states["black"][0] = 1


def test_a_copy_shares_nothing():
    batch = Batch(1)
    other = batch.copy()
    other.step([1], [2])
    assert batch[0] == Position()
    assert other[0] == Position().play(1, 2)


def test_what_is_no_position_is_refused():
    with pytest.raises(WtsError, match="row 1"):
        Batch([Position(), "start"])
    with pytest.raises(LimitError):
        Batch(True)
    with pytest.raises(LimitError):
        Batch(-1)


def test_an_empty_batch_works():
    batch = Batch(0)
    batch.step([], [])
    assert batch.legal().shape == (0, 81)
    assert batch.playouts(3).shape == (0, 4)


def test_forged_bytes_are_refused():
    good = bytearray(Position("9/9/9/9/3be3w/9/2e6/9/9 E5,C3").to_bytes())
    assert Position.from_bytes(bytes(good)).eggs == (40, 20)
    for offset in range(len(good)):
        bad = bytearray(good)
        bad[offset] ^= 0x40
        try:
            other = Position.from_bytes(bytes(bad))
        except WtsError:
            continue
        # A bit of a board may make another possible position; then it is exactly the one the bytes say.
        assert other.to_bytes() == bytes(bad)
        assert Position(str(other)) == other
    with pytest.raises(WtsError):
        Position.from_bytes(b"")
