"""The evaluation: the kernel against a plain twin over the oracle, and what holds for any weights."""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from wts_fast import Position, _kernel, evaluation, oracle
from wts_fast.errors import WtsError
from wts_fast.evaluation import LINE_LENGTHS, STEP, evaluate, payoffs, weights
from wts_fast.fuzz.boards import pieces
from wts_fast.fuzz.generate import choose_turn, game_seed, make_plan
from wts_fast.squares import SYMMETRIES
from wts_fast.state import State

Weights = npt.NDArray[np.int16]

#: Every line of at least five squares by its class, as (file, rank) ascending by square number.
LINES: list[tuple[int, list[tuple[int, int]]]] = []
for k in range(9):
    LINES.append((min(k, 8 - k), [(f, k) for f in range(9)]))
    LINES.append((min(k, 8 - k), [(k, r) for r in range(9)]))
for offset in range(-4, 5):
    LINES.append((5 + abs(offset), [(f, f - offset) for f in range(9) if 0 <= f - offset < 9]))
    total = 8 + offset
    LINES.append((5 + abs(offset), [(total - r, r) for r in range(9) if 0 <= total - r < 9]))

#: Where the tables of each class begin within those of lines without eggs, and of lines with eggs.
PLAIN = list(itertools.accumulate((3**n for n in LINE_LENGTHS), initial=0))
MIXED = list(itertools.accumulate((4**n for n in LINE_LENGTHS), initial=2 * PLAIN[-1]))


def completions(holds: dict[tuple[int, int], int], own: int) -> int:
    """Count the empty squares where a turtle of `own` makes a row, by trying each."""
    count = 0
    for f, r in itertools.product(range(9), repeat=2):
        if holds.get((f, r), 0):
            continue
        for df, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                step = 1
                while holds.get((f + sign * step * df, r + sign * step * dr)) == own:
                    length += 1
                    step += 1
            if length >= 5:
                count += 1
                break
    return count


def plain_score(state: State, block: Weights) -> float:
    """The score as eval.h words it, on coordinates and with nothing clever."""
    holds = {}
    for code, squares in ((1, state.black), (2, state.white), (3, state.eggs)):
        holds.update({(s % 9, s // 9): code for s in squares})
    phase = 1 if state.eggs else 0
    score = 0
    for kind, places in LINES:
        codes = [holds.get(place, 0) for place in places]
        if 3 in codes:
            score += int(block[MIXED[kind] + sum(code * 4**i for i, code in enumerate(codes))])
        else:
            score += int(block[phase * PLAIN[-1] + PLAIN[kind] + sum(code * 3**i for i, code in enumerate(codes))])
    eggs_start = MIXED[-1]
    for age, square in enumerate(state.eggs[:2]):
        egg = (square % 9, square // 9)
        for _, places in LINES:
            if egg not in places:
                continue
            at = places.index(egg)
            around = [at + step for step in (-4, -3, -2, -1, 1, 2, 3, 4)]
            codes = [holds.get(places[i], 0) if 0 <= i < len(places) else 3 for i in around]
            score += int(block[eggs_start + age * 4**8 + sum(c * 4**i for i, c in enumerate(codes))])
    counts = min(completions(holds, 1), 3), min(completions(holds, 2), 3)
    return STEP * (score + int(block[eggs_start + 2 * 4**8 + 16 * phase + 4 * counts[0] + counts[1]]))


def plain_value(position: oracle.Position, block: Weights) -> float:
    if position.outcome is not None:
        return float(position.outcome.value)
    return math.tanh(max(-12.0, min(12.0, plain_score(position.state, block))) / 2)


def lively(seed: int, games: int, turns: int = 3) -> list[State]:
    """Unfinished boards of the fuzzer's games, which plant brackets, eggs, fours, rows and full boards."""
    found = []
    for game in range(games):
        plan = make_plan(game_seed(seed, game))
        position = Position.from_state(plan.state)
        for turn in range(turns):
            if position.outcome is not None:
                break
            found.append(position.state)
            position = position.play(*choose_turn(plan, position.legal, pieces(position.state), turn))
    return found


@pytest.fixture(scope="module")
def noisy() -> Weights:
    """Weights that give every entry a value of its own: nothing can be read from a wrong place unseen."""
    rng = np.random.default_rng(5)
    return rng.integers(-600, 601, _kernel.NUM_WEIGHTS).astype(np.int16)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_kernel_reads_the_same_weights_as_the_plain_twin(seed: int, noisy: Weights) -> None:
    for state in lively(seed, 30):
        for block in (noisy, weights("hand")):
            expected = plain_value(oracle.Position.from_state(state), block)
            assert evaluate(Position.from_state(state), block) == pytest.approx(expected, abs=1e-6), state


@pytest.mark.parametrize("seed", [4, 5])
def test_every_cell_is_the_value_of_the_turn_that_the_oracle_plays(seed: int, noisy: Weights) -> None:
    for number, state in enumerate(lively(seed, 20, turns=2)):
        before = oracle.Position.from_state(state)
        cells = payoffs(Position.from_state(state), noisy)
        legal = before.legal
        assert cells.shape == (len(legal), len(legal))
        # All cells of small boards, and of the others as many, spread evenly from another start on each board.
        stride = max(1, len(legal) ** 2 // 150)
        for cell in range(number % stride, len(legal) ** 2, stride):
            i, j = divmod(cell, len(legal))
            expected = plain_value(before.play(legal[i], legal[j]), noisy)
            assert cells[i, j] == pytest.approx(expected, abs=1e-6), (state, legal[i], legal[j])


@pytest.mark.parametrize("seed", [6])
def test_the_matrix_equals_the_cells_one_by_one(seed: int, noisy: Weights) -> None:
    for state in lively(seed, 150):
        position = Position.from_state(state)
        legal = position.legal
        after = [position.play(black, white).to_bytes() for black in legal for white in legal]
        one_by_one = np.empty(len(after), np.float32)
        states = np.frombuffer(b"".join(after), np.uint8).reshape(len(after), -1)
        for block in (noisy, weights("hand")):
            _kernel.evaluate_states(states, block, one_by_one)
            np.testing.assert_allclose(payoffs(position, block).ravel(), one_by_one, rtol=0, atol=1e-6)
            over = np.isin(one_by_one, (-1.0, 1.0))
            assert (payoffs(position, block).ravel()[over] == one_by_one[over]).all()


@pytest.mark.parametrize("name", evaluation.NAMES)
def test_swapping_the_colours_turns_the_sign(name: evaluation.Name) -> None:
    block = weights(name)
    for state in lively(7, 60):
        position = Position.from_state(state)
        swapped = position.transform("identity", swap_colours=True)
        assert evaluate(swapped, block) == -evaluate(position, block)
        np.testing.assert_allclose(payoffs(swapped, block), -payoffs(position, block).T, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", evaluation.NAMES)
@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_a_symmetry_of_the_board_keeps_the_value(name: evaluation.Name, symmetry: str) -> None:
    for state in lively(8, 60):
        position = Position.from_state(state)
        assert evaluate(position.transform(symmetry), weights(name)) == evaluate(position, weights(name))


@pytest.mark.parametrize("name", evaluation.NAMES)
def test_a_finished_game_has_its_result_and_no_other_value_is_whole(name: evaluation.Name) -> None:
    seen = set()
    for state in lively(9, 100):
        cells = payoffs(Position.from_state(state), weights(name))
        over = [[play.outcome for play in row] for row in played(state)]
        for row, outcomes in zip(cells, over, strict=True):
            for value, outcome in zip(row, outcomes, strict=True):
                seen.add(outcome)
                assert value == outcome.value if outcome is not None else abs(value) < 1
    assert len(seen) == 4


def played(state: State) -> list[list[Position]]:
    position = Position.from_state(state)
    return [[position.play(black, white) for white in position.legal] for black in position.legal]


def test_a_finished_game_has_no_joint_turns() -> None:
    over = Position("bbbbb4/9/9/9/9/9/9/9/9 -")
    assert evaluate(over) == 1.0
    assert payoffs(over).shape == (0, 0)


@pytest.mark.parametrize("isa", _kernel.build_info()["isa_usable"])
def test_every_path_fills_the_same_matrix(isa: str, tmp_path: Path) -> None:
    states = lively(10, 20)
    code = (
        "import sys; from wts_fast import Position; from wts_fast.evaluation import payoffs\n"
        "for line in sys.stdin: print(payoffs(Position(line.strip())).tobytes().hex())"
    )
    texts = [str(Position.from_state(state)) for state in states]
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="\n".join(texts),
        cwd=tmp_path,
        env={**os.environ, "WTS_FAST_ISA": isa},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    for text, line in zip(texts, done.stdout.splitlines(), strict=True):
        expected = payoffs(Position(text)).ravel()
        np.testing.assert_allclose(np.frombuffer(bytes.fromhex(line), np.float32), expected, rtol=0, atol=1e-6)


def test_hand_weights_know_what_matters() -> None:
    def value(text: str) -> float:
        return evaluate(Position(text), weights("hand"))

    assert value("9/9/9/9/2bbb4/9/9/9/9 -") > value("9/9/9/9/2bb5/9/9/9/9 -") > value("9/9/9/9/4b4/9/9/9/9 -") > 0
    # A bracket is worth more when an egg waits, and the oldest egg more than the second.
    assert value("9/9/9/9/1bww5/9/9/9/9 -") < value("e8/9/9/9/1bww5/9/9/9/9 A9")
    assert value("e8/9/9/9/2bbeb3/9/9/9/9 E5,A9") > value("e8/9/9/9/2bbeb3/9/9/9/9 A9,E5")


def test_unknown_weights_and_blocks_of_another_size_are_refused() -> None:
    with pytest.raises(WtsError, match="hand"):
        weights("best")  # type: ignore[arg-type]
    with pytest.raises(WtsError):
        evaluate(Position(), np.zeros(5, np.int16))
    with pytest.raises(WtsError):
        payoffs(Position(), np.zeros(5, np.int16))


def test_weights_are_read_only_and_leave_room_in_their_words() -> None:
    for name in evaluation.NAMES:
        block = weights(name)
        assert not block.flags.writeable
        assert np.abs(block.astype(int)).max() < 32767


def test_the_fitted_weights_say_how_they_were_made_and_are_small() -> None:
    with np.load(evaluation.FILE, allow_pickle=False) as file:
        about = json.loads(str(file["about"]))
    assert about["command"].startswith(
        f"python -m wts_fast.training --seed {about['seed']} --rounds {about['rounds']} "
    )
    assert about["games"] > 10_000
    assert about["date"] >= "2026"
    assert evaluation.FILE.stat().st_size < 4 << 20
