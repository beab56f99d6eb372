"""The training: what it learns is what the kernel plays by, it learns something, and a seed makes it again."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from test_evaluation import lively

from wts_fast import Position, _bridge, _training_jit, training
from wts_fast.evaluation import STEP, evaluate, fitted_block, payoffs, read_fitted, weights
from wts_fast.squares import SYMMETRIES


@pytest.fixture(scope="module")
def scattered() -> training.Training:
    """Parameters that all differ, as whole multiples of the step of a weight."""
    made = training.Training(seed=1, rounds=1)
    made.theta = made.mean = np.rint(np.random.default_rng(1).normal(size=made.theta.size) * 300) * STEP
    return made


def test_the_regression_sees_what_the_kernel_sees(scattered: training.Training) -> None:
    block = fitted_block(scattered.fitted())
    found = np.empty(400, np.int64)
    for state in lively(3, 60):
        position = Position.from_state(state)
        count = _training_jit.features(_bridge.state_words(position), scattered.maps, found)
        score = sum(math.copysign(1, f) * scattered.theta[abs(f) - 1] for f in found[:count])
        assert evaluate(position, block) == pytest.approx(math.tanh(max(-12, min(12, score)) / 2), abs=1e-6)


def test_whatever_is_learned_is_blind_to_colours_and_mirrors(scattered: training.Training) -> None:
    block = fitted_block(scattered.fitted())
    for state in lively(4, 20):
        position = Position.from_state(state)
        assert evaluate(position.transform("identity", swap_colours=True), block) == -evaluate(position, block)
        for symmetry in SYMMETRIES:
            assert evaluate(position.transform(symmetry), block) == evaluate(position, block)


@pytest.fixture(scope="module")
def learned() -> training.Training:
    made = training.Training(seed=3, rounds=3, games=200)
    for _ in range(3):
        made.play()
    return made


def test_a_seed_makes_the_same_weights_with_any_number_of_threads(learned: training.Training) -> None:
    again = training.Training(seed=3, rounds=3, threads=2, games=200)
    for _ in range(3):
        again.play()
    assert again.positions == learned.positions
    assert (again.theta == learned.theta).all()
    other = training.Training(seed=4, rounds=3, games=200)
    for _ in range(3):
        other.play()
    assert other.positions != learned.positions


def test_six_hundred_games_teach_something(learned: training.Training) -> None:
    found = training.gain(fitted_block(learned.fitted()), np.zeros_like(weights("hand")), pairs=60, seed=5)
    assert found.wins + found.draws + found.losses == 120
    assert found.elo[1] > 0
    # Ties of all cells but the decided ones: the block of zeros plays at random until it can win.
    assert payoffs(Position(), np.zeros_like(weights("hand"))).any() == 0


def test_the_same_weights_are_worth_nothing_against_themselves() -> None:
    # Both games of a pair draw the same random numbers: two equal players make the same game twice.
    found = training.gain(weights("hand"), weights("hand"), pairs=20, seed=6, threads=2)
    assert found.elo == (0.0, 0.0, 0.0)
    assert found.wins == found.losses


def test_a_file_holds_the_weights_and_how_they_were_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(training, "_GAMES", 50)
    path = tmp_path / "weights.npz"
    assert training.main(["--seed", "7", "--rounds", "1", "--out", str(path)]) == 0
    with np.load(path, allow_pickle=False) as file:
        about = json.loads(str(file["about"]))
    assert about["command"] == "python -m wts_fast.training --seed 7 --rounds 1 --out weights.npz"
    assert (about["seed"], about["rounds"], about["games"]) == (7, 1, 50)
    assert len(about["date"]) == 10
    block = read_fitted(path)
    assert block.any()
    assert training.main(["--compare", str(path), "hand", "--pairs", "2"]) == 0
    assert "Elo [" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["--rounds", "1"], ["--out", "x", "--rounds", "1", "--minutes", "1"]])
def test_half_a_command_is_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit):
        training.main(arguments)
