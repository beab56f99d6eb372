"""`solve`: right values, bounds that hold, and limits that are kept."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import wts_fast as wts
from wts_fast import oracle, oracle_solve
from wts_fast.cli import main
from wts_fast.errors import LimitError, WtsError
from wts_fast.solver import Solved, Solver, solve
from wts_fast.squares import SYMMETRIES

ENDGAMES = json.loads((Path(__file__).parent / "data" / "endgames.json").read_text(encoding="utf-8"))
#: The position of RULES.md whose last square makes a draw, with more squares made empty.
CHECKERS = "bbwwbbwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbww1bwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbwwbbwwb -"
OPEN = "9/9/9/2w6/bbbbe4/2ww5/2w6/9/9 E5"


def near_full(seed: int, empties: int) -> wts.Position:
    """Return an undecided position with so many empty squares, made of random pieces."""
    rng = random.Random(seed)
    while True:
        squares = rng.sample(range(81), 81 - empties)
        eggs = tuple(squares[: rng.choice((0, 0, 1, 2, 3))])
        rest = squares[len(eggs) :]
        half = len(rest) // 2
        state = wts.oracle.Position().state._replace(
            black=tuple(sorted(rest[:half])), white=tuple(sorted(rest[half:])), eggs=eggs
        )
        position = wts.Position.from_state(state)
        if position.outcome is None:
            return position


def check(found: Solved) -> Solved:
    """See what every answer must fulfil."""
    assert -1 <= found.lower <= found.value <= found.upper <= 1
    assert found.exact == (found.upper - found.lower <= 1e-9)
    legal = list(found.position.legal)
    for strategy in (found.black, found.white):
        assert strategy.shape == (81,)
        assert not strategy.flags.writeable
        assert (strategy >= 0).all()
        assert strategy[legal].sum() == pytest.approx(1.0 if legal else 0.0, abs=1e-12)
        assert strategy.sum() == pytest.approx(1.0 if legal else 0.0, abs=1e-12)
    assert found.exploitability == pytest.approx(max(0.0, found.conceded - found.guaranteed), abs=0)
    if not found.needs_r25:
        assert found.guaranteed <= found.upper + 1e-9
        assert found.conceded >= found.lower - 1e-9
        if found.stopped_by == "solved":
            assert found.exploitability <= found.tolerance + 1e-9
    return found


@pytest.mark.parametrize("number", range(20))
def test_endgames_have_the_values_of_a_third_implementation(number: int) -> None:
    case = ENDGAMES[number]
    found = check(solve(wts.Position(case["position"])))
    assert found.stopped_by == "solved"
    assert found.exact
    assert not found.needs_r25
    assert found.value == pytest.approx(case["value"], abs=1e-9)
    assert found.exploitability <= 1e-9
    assert found.seconds < 1


@pytest.mark.parametrize("number", range(0, 20, 3))
@pytest.mark.parametrize("swap", [False, True], ids=["", "swapped"])
@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_symmetric_positions_have_symmetric_answers(number: int, symmetry: str, swap: bool) -> None:
    position = wts.Position(ENDGAMES[number]["position"])
    image = position.transform(symmetry, swap)
    found = check(solve(image))
    assert found.value == pytest.approx(-ENDGAMES[number]["value"] if swap else ENDGAMES[number]["value"], abs=1e-9)
    # The strategies are on the image's own squares: they keep their promise there.
    assert found.exploitability <= 1e-9
    assert certified(image, found) == pytest.approx((found.value, found.value), abs=1e-9)


def certified(position: wts.Position, found: Solved) -> tuple[float, float]:
    """Return what both strategies prove, each next position solved on its own."""
    legal = position.legal
    lower, upper = np.empty((2, len(legal), len(legal)))
    for i, b in enumerate(legal):
        for j, w in enumerate(legal):
            below = solve(position.play(b, w))
            lower[i, j], upper[i, j] = below.lower, below.upper
    at = list(legal)
    return float((found.black[at] @ lower).min()), float((upper @ found.white[at]).max())


@pytest.mark.parametrize("empties", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(12))
def test_bounds_agree_with_the_fractions_of_the_oracle(seed: int, empties: int) -> None:
    position = near_full(seed, empties)
    turns = {1: 4, 2: 3, 3: 3, 4: 2}[empties]
    low, high = oracle_solve.bounds(oracle.Position.from_state(position.state), turns)
    found = check(solve(position, nodes=5000))
    # Two intervals of one value meet; and where both are a point they are the same.
    assert found.lower <= float(high) + 1e-9
    assert found.upper >= float(low) - 1e-9
    if low == high:
        assert found.exact
        assert found.value == pytest.approx(float(low), abs=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_matrix_games_in_fractions_agree_with_the_fast_ones(seed: int) -> None:
    rng = random.Random(seed)
    m, n = rng.randint(1, 6), rng.randint(1, 6)
    payoff = [[Fraction(rng.randint(-4, 4), rng.randint(1, 3)) for _ in range(n)] for _ in range(m)]
    value = oracle_solve.matrix_value(payoff)
    assert wts.matrix.solve([[float(x) for x in row] for row in payoff]).value == pytest.approx(float(value), abs=1e-9)


@pytest.mark.parametrize("seed", range(100, 106))
def test_bounds_only_come_nearer_and_runs_go_on(seed: int) -> None:
    position = near_full(seed, 8)
    solver = Solver(position)
    low, high, nodes = -1.0, 1.0, 0
    for _ in range(10):
        found = check(solver.run(nodes=50))
        assert low <= found.lower <= found.upper <= high
        low, high = found.lower, found.upper
        if found.stopped_by != "nodes":
            break
        nodes += 50
        assert found.nodes == nodes
    assert solver.solved.lower == low


def test_more_work_never_contradicts_less() -> None:
    """Early bounds enclose what a later and longer run proves."""
    for seed in range(200, 210):
        position = near_full(seed, 7)
        early, late = check(solve(position, nodes=30)), check(solve(position, nodes=3000))
        assert early.lower <= late.lower + 1e-9
        assert late.upper <= early.upper + 1e-9


def test_the_same_limits_give_the_same_bits() -> None:
    position = near_full(7, 9)
    one, two = solve(position, nodes=500), solve(position, nodes=500)
    assert (one.lower, one.upper, one.nodes, one.positions, one.matrices) == (
        two.lower,
        two.upper,
        two.nodes,
        two.positions,
        two.matrices,
    )
    assert one.black.tobytes() == two.black.tobytes()
    assert one.white.tobytes() == two.white.tobytes()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("turns_left", [1, 2])
def test_bounds_near_the_end_of_games_hold_when_the_game_goes_on(seed: int, turns_left: int) -> None:
    """The interval of a position and the intervals of all its turns are of one game: neither excludes the other."""
    rng = random.Random(seed)
    line = [wts.Position()]
    while line[-1].outcome is None:
        line.append(line[-1].play(rng.choice(line[-1].legal), rng.choice(line[-1].legal)))
    position = line[-1 - turns_left]
    found = check(solve(position, nodes=300))
    row, column = rng.choice(position.legal), rng.choice(position.legal)
    legal = list(position.legal)
    # A pure row gets at least its worst cell, and a pure column gives at most its best.
    assert found.upper >= min(solve(position.play(row, w), nodes=3).lower for w in legal) - 1e-9
    assert found.lower <= max(solve(position.play(b, column), nodes=3).upper for b in legal) + 1e-9


@pytest.mark.parametrize("nodes", [0, 1, 2, 17, 1000])
def test_nodes_are_kept_exactly(nodes: int) -> None:
    found = check(solve(wts.Position(OPEN), nodes=nodes))
    assert (found.nodes, found.stopped_by) == (nodes, "nodes")


def test_without_nodes_everything_is_open() -> None:
    found = check(solve(wts.Position(OPEN), nodes=0))
    assert not found.exact
    assert (found.guaranteed, found.conceded) == (-1, 1)
    assert len(set(found.black[list(found.position.legal)])) == 1


@pytest.mark.parametrize("text", ["bbbbb4/9/9/9/9/9/9/9/9 -", "wwwww4/9/9/9/9/9/9/9/9 -"])
def test_a_finished_game_has_its_result(text: str) -> None:
    position = wts.Position(text)
    found = check(solve(position, seconds=1))
    assert (found.value, found.exact, found.stopped_by) == (float(position.outcome.value), True, "finished")  # type: ignore[union-attr]
    assert (found.nodes, found.seconds) == (0, 0)
    assert not found.black.any()


def test_a_full_board_is_a_draw() -> None:
    found = check(solve(wts.Position(CHECKERS.replace("1", "e").replace("-", "E5"))))
    assert (found.value, found.stopped_by) == (0, "finished")


def test_one_empty_square_leaves_one_turn() -> None:
    found = check(solve(wts.Position(CHECKERS)))
    assert (found.value, found.exact, found.nodes) == (0, True, 1)
    assert found.top("black") == found.top("white") == (("E5", 1.0),)


def test_a_position_that_mirrors_itself_is_worth_a_draw_by_the_ruling() -> None:
    found = check(solve(wts.Position(), nodes=3))
    assert (found.lower, found.upper, found.exact, found.needs_r25) == (0, 0, True, True)
    assert found.exploitability > 0
    other = check(solve(wts.Position().play("E5", "A1"), nodes=3))
    assert not other.needs_r25


def test_an_oracle_position_will_do() -> None:
    assert solve(oracle.Position(ENDGAMES[0]["position"])).exact  # type: ignore[arg-type]
    with pytest.raises(WtsError, match="expected a Position"):
        solve("start")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seconds", -1),
        ("seconds", float("nan")),
        ("seconds", "1"),
        ("seconds", True),
        ("nodes", -1),
        ("nodes", 1.5),
        ("nodes", True),
        ("tolerance", 0),
        ("tolerance", 3),
        ("tolerance", float("inf")),
        ("tolerance", "x"),
        ("memory_mb", 1),
        ("memory_mb", 5.5),
        ("memory_mb", None),
    ],
)
def test_bad_limits_are_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(LimitError) as caught:
        solve(wts.Position(), **{field: value})  # type: ignore[arg-type]
    assert caught.value.field == field
    assert caught.value.code == f"{field}-range"


def test_time_is_kept() -> None:
    solver = Solver(wts.Position(OPEN))
    solver.run(nodes=1)
    begun = time.perf_counter()
    found = check(solver.run(seconds=0.3))
    assert found.stopped_by == "seconds"
    assert 0.29 < time.perf_counter() - begun < 0.5


def test_memory_ends_growth_and_is_kept() -> None:
    found = check(solve(wts.Position(OPEN), memory_mb=8))
    assert found.stopped_by == "memory"
    assert 4 < found.memory_mb <= 8


def test_a_wider_tolerance_ends_earlier() -> None:
    position = wts.Position(ENDGAMES[19]["position"])
    found = check(solve(position, tolerance=1.5))
    assert found.stopped_by == "solved"
    assert 1e-9 < found.upper - found.lower <= 1.5
    assert not found.exact
    assert found.nodes < solve(position).nodes


def test_progress_tells_bounds_and_a_question_can_stop_it() -> None:
    seen: list[Solved] = []
    found = check(solve(wts.Position(OPEN), seconds=10, on_progress=seen.append, should_stop=lambda: len(seen) >= 2))
    assert found.stopped_by == "interrupt"
    assert len(seen) == 2
    assert all(check(part).stopped_by is None for part in seen)
    assert 0 < seen[0].nodes < seen[1].nodes <= found.nodes


@pytest.mark.parametrize("keep", [False, True])
def test_ctrl_c_keeps_the_bounds(keep: bool) -> None:
    solver = Solver(wts.Position(OPEN))
    solver.run(nodes=1)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.perf_counter()
    if keep:
        assert solver.run(seconds=20, keep_on_interrupt=True).stopped_by == "interrupt"
    else:
        with pytest.raises(KeyboardInterrupt):
            solver.run(seconds=20)
    assert time.perf_counter() - begun < 0.6
    timer.join()
    before = check(solver.solved)
    assert before.stopped_by == "interrupt"
    assert before.nodes > 1
    assert check(solver.run(nodes=5)).nodes == before.nodes + 5


def test_the_command_prints_what_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", ENDGAMES[0]["position"], "--ascii"]) == 0
    out = capsys.readouterr().out
    assert "Value (Black's)  -0.833333333, exact" in out
    assert "; solved" in out
    assert main(["solve", OPEN, "--nodes", "7", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["nodes"], data["stopped_by"], data["position"]) == (7, "nodes", OPEN)
    assert sum(data["black"].values()) == pytest.approx(1)
    assert main(["solve", "start", "--nodes", "1"]) == 0
    assert "(R25)" in capsys.readouterr().out
    assert main(["solve", "bbbbb4/9/9/9/9/9/9/9/9 -"]) == 0
    assert "Black has won" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["--tolerance", "0"], ["--tolerance", "x"], ["--memory", "1"], ["--nodes", "1.5"], ["--seconds", "0"]]
)
def test_the_command_refuses_bad_limits(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "start", *arguments]) == 2
    assert arguments[0] in capsys.readouterr().err


def test_the_command_ends_with_what_it_has_after_ctrl_c() -> None:
    command = [sys.executable, "-m", "wts_fast", "solve", OPEN, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert json.loads(out)["stopped_by"] == "interrupt"
