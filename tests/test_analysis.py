import contextlib
import json
import math
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from wts_fast import methods, oracle
from wts_fast._kernel import Position
from wts_fast.analysis import Analysis, analyze
from wts_fast.cli import main
from wts_fast.errors import LimitError, WtsError
from wts_fast.squares import NUM_SQUARES, SQUARE_NAMES

WON = "9/9/9/9/bbbbb4/9/9/9/9 -"
LOST = "9/9/9/9/wwwww4/9/9/9/9 -"
# Black's four in a row is open at both ends: White has to guess which end Black takes.
FOUR = "9/9/9/9/2bbbb3/9/9/9/w1w1w4 -"


def numbers(found):
    return (
        found.value,
        found.standard_error,
        found.exploitability,
        found.nodes,
        found.playouts,
        found.unfinished,
        found.black.tobytes(),
        found.white.tobytes(),
    )


def check(found, position):
    assert isinstance(found, Analysis)
    assert found.position == position
    for strategy in (found.black, found.white):
        assert strategy.shape == (NUM_SQUARES,)
        assert strategy.dtype == np.float64
        assert not strategy.flags.writeable
        assert np.isfinite(strategy).all()
        assert strategy.min() >= 0
        assert set(np.flatnonzero(strategy)) <= set(position.legal)
        assert abs(strategy.sum() - (1 if position.legal else 0)) <= 1e-9
    assert -1 <= found.lower <= found.value <= found.upper <= 1
    assert found.standard_error >= 0
    assert 0 <= found.exploitability <= 2
    assert found.seconds >= 0
    assert found.compile_seconds >= 0
    return found


def random_position(seed):
    rng = random.Random(seed)
    position = Position()
    for _ in range(rng.randrange(40)):
        after = position.play(rng.choice(position.legal), rng.choice(position.legal))
        if after.outcome is not None:
            break
        position = after
    return position


def almost_full(empty):
    """A board without rows whose empty squares are the given ones."""
    ranks = []
    for rank in range(9):
        pieces = "".join("bbww"[(file + 2 * (rank % 2)) % 4] for file in range(9))
        ranks.append("".join("." if 9 * rank + file in empty else p for file, p in enumerate(pieces)))
    text = "/".join("".join("1" if c == "." else c for c in rank) for rank in reversed(ranks))
    while "11" in text:
        for n in range(9, 1, -1):
            text = text.replace("1" * n, str(n))
    position = Position(text + " -")
    assert position.outcome is None
    assert position.legal == tuple(sorted(empty))
    return position


def test_the_start_has_strategies_a_value_and_an_error():
    found = check(analyze(Position(), method="flat", nodes=20_000, seed=1), Position())
    assert (found.nodes, found.playouts, found.seed, found.stopped_by) == (20_000, 20_000, 1, "nodes")
    assert (found.lower, found.upper) == (-1, 1)
    # The game is symmetric in the players, so the value is 0.
    assert abs(found.value) <= 5 * found.standard_error
    assert 0 < found.standard_error < 0.05
    assert found.exploitability < 0.1


@pytest.mark.parametrize("seed", range(25))
def test_strategies_are_probabilities_on_legal_squares(seed):
    position = random_position(seed)
    check(analyze(position, nodes=seed * 37, seed=seed), position)


def test_an_open_four_is_a_guess_between_its_ends():
    position = Position(FOUR)
    found = check(analyze(position, nodes=60_000, seed=3), position)
    ends = [SQUARE_NAMES.index(s) for s in ("B5", "G5")]
    for strategy in (found.black, found.white):
        assert strategy[ends] == pytest.approx([0.5, 0.5], abs=0.05)
    # Half of the time Black takes the end that White left open.
    assert found.value > 0.5
    swapped = check(
        analyze(position.transform("identity", True), nodes=60_000, seed=3), position.transform("identity", True)
    )
    assert swapped.value == pytest.approx(-found.value, abs=0.1)


def test_the_standard_error_covers_the_truth():
    """The start's value is 0: of 30 estimates, few may be more than two standard errors away."""
    far = 0
    for seed in range(30):
        found = analyze(Position(), method="flat", nodes=3000, seed=seed)
        far += abs(found.value) > 2 * found.standard_error
    assert far <= 6


@pytest.mark.parametrize(("text", "value"), [(WON, 1.0), (LOST, -1.0)])
def test_a_finished_game_has_its_value_and_no_strategy(text, value):
    found = check(analyze(Position(text), seconds=5, seed=9), Position(text))
    assert (found.value, found.lower, found.upper, found.standard_error) == (value, value, value, 0)
    assert (found.nodes, found.playouts, found.exploitability) == (0, 0, 0)
    assert (found.stopped_by, found.seed) == ("finished", 9)
    assert not found.black.any()
    assert not found.white.any()
    assert found.top("black") == ()
    assert found.seconds == 0


def test_one_legal_square_is_certain():
    position = almost_full({40})
    found = check(analyze(position, nodes=500, seed=1), position)
    assert found.black[40] == found.white[40] == 1
    # A collision fills the board without a row: a draw (R23).
    assert found.value == 0
    assert found.exploitability == 0


def test_two_legal_squares():
    position = almost_full({0, 44})
    check(analyze(position, nodes=500, seed=1), position)


def test_zero_nodes_give_uniform_strategies():
    position = random_position(3)
    for limit in ({"nodes": 0}, {"nodes": 0, "seconds": 3}):
        found = check(analyze(position, method="flat", **limit), position)
        assert found.nodes == 0
        assert found.stopped_by == "nodes"
        assert found.black[list(position.legal)].tolist() == [1 / len(position.legal)] * len(position.legal)
        assert found.white.tolist() == found.black.tolist()
        assert (found.value, found.standard_error, found.exploitability) == (0, 1, 2)


@pytest.mark.parametrize("nodes", [1, 2, 31, 32, 33, 511, 512, 513, 1535, 1537, 9000])
def test_nodes_are_counted_exactly(nodes):
    found = check(analyze(Position(), nodes=nodes, seed=1), Position())
    assert found.nodes == nodes


def test_zero_seconds_end_at_once():
    found = check(analyze(Position(), seconds=0), Position())
    assert found.stopped_by == "seconds"
    assert found.seconds < 0.25


@pytest.mark.parametrize("threads", [1, 2])
def test_the_clock_is_obeyed(threads):
    analyze(Position(), nodes=1)
    begun = time.perf_counter()
    found = check(analyze(Position(), seconds=0.3, threads=threads), Position())
    assert found.stopped_by == "seconds"
    assert 0.3 <= found.seconds < 0.6
    assert time.perf_counter() - begun < 0.7
    assert found.nodes > 1000


def test_the_first_limit_counts():
    assert analyze(Position(), seconds=60, nodes=1000).stopped_by == "nodes"
    assert analyze(Position(), seconds=0.05, nodes=10**15).stopped_by == "seconds"


@pytest.mark.parametrize("nodes", [700, 30_000])
def test_the_same_seed_gives_the_same_bits_for_any_threads(nodes, monkeypatch):
    # This machine may have one processor: the answer must not depend on that either.
    monkeypatch.setattr("wts_fast.analysis.processors", lambda: 64)
    position = random_position(11)
    first = analyze(position, method="flat", nodes=nodes, seed=5)
    np.random.seed(1)
    for threads in (1, 2, 3, 7, 64):
        again = analyze(position, method="flat", nodes=nodes, seed=5, threads=threads)
        assert again.threads == threads
        assert numbers(again) == numbers(first)
    assert numbers(analyze(position, method="flat", nodes=nodes, seed=6)) != numbers(first)


def test_asking_for_progress_changes_nothing(monkeypatch):
    seen = []
    plain = analyze(Position(), nodes=150_000, seed=2)
    with_reports = analyze(Position(), nodes=150_000, seed=2, on_progress=seen.append)
    assert numbers(with_reports) == numbers(plain)
    found = analyze(Position(), seconds=0.9, seed=2, on_progress=seen.append)
    assert len(seen) >= 2
    for report in seen:
        check(report, Position())
        assert report.stopped_by is None
    assert seen[-1].nodes <= found.nodes


def _numbers_of(text):
    return numbers(analyze(Position(text), nodes=3000, seed=8))


@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_other_processes_give_the_same_bits(method):
    expected = numbers(analyze(Position(FOUR), nodes=3000, seed=8, threads=2))
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(_numbers_of, [FOUR, FOUR]) == [expected, expected]


def test_four_threads_may_analyse_at_once():
    expected = numbers(analyze(Position(FOUR), nodes=3000, seed=8))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(_numbers_of, [FOUR] * 8)) == [expected] * 8


def test_without_a_seed_each_call_draws_its_own():
    seeds = {analyze(Position(), nodes=0).seed for _ in range(4)}
    assert len(seeds) == 4
    assert all(0 <= s < 2**64 for s in seeds)
    found = analyze(Position(), nodes=600)
    assert numbers(analyze(Position(), nodes=600, seed=found.seed)) == numbers(found)


def test_more_threads_than_processors_are_cut_down():
    assert analyze(Position(), nodes=10, threads=10**6).threads <= len(os.sched_getaffinity(0))


def test_should_stop_keeps_what_there_is():
    begun = time.perf_counter()
    found = check(analyze(Position(), seconds=60, should_stop=lambda: time.perf_counter() - begun > 0.3), Position())
    assert found.stopped_by == "interrupt"
    assert found.nodes > 0
    assert time.perf_counter() - begun < 1.0


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_search_at_once(threads, keep):
    analyze(Position(), nodes=1)
    sent = []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.2, send)
    timer.start()
    with contextlib.nullcontext() if keep else pytest.raises(KeyboardInterrupt):
        found = check(analyze(Position(), seconds=60, threads=threads, keep_on_interrupt=keep), Position())
    assert time.perf_counter() - sent[0] < 0.3
    timer.join()
    if keep:
        assert found.stopped_by == "interrupt"
        assert found.nodes > 0
    assert not [t for t in threading.enumerate() if t.name.startswith("wts-search")]
    check(analyze(Position(), nodes=100), Position())


def test_an_error_in_a_callback_comes_out_and_leaves_no_thread():
    def fail(found):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        analyze(Position(), seconds=5, threads=2, on_progress=fail)
    assert not [t for t in threading.enumerate() if t.name.startswith("wts-search")]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("seconds", [-1, -0.001, math.nan, math.inf, -math.inf, True, "1", 1e9, 10**400, 1j, [1]]),
        ("nodes", [-1, 1.0, 1.5, True, "10", 10**19, math.nan, np.True_, [1]]),
        ("seed", [-1, 2**64, 1.0, True, "1", np.True_]),
        ("threads", [0, -1, 1.0, True, "2", None, 2**31]),
    ],
)
def test_limits_that_are_none_are_refused_by_name(field, values):
    for value in values:
        with pytest.raises(LimitError) as caught:
            analyze(Position(), **{"nodes": 1, field: value})
        assert caught.value.field == field
        assert caught.value.code == f"{field}-range"
        assert "\n" not in str(caught.value)


def test_numpy_numbers_are_numbers():
    found = analyze(
        Position(), nodes=np.int64(50), seed=np.uint64(2**64 - 1), threads=np.int8(1), seconds=np.float32(9)
    )
    assert (found.nodes, found.seed) == (50, 2**64 - 1)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("position", [None, 1, "9/9/9/9/9/9/9/9/9 -", object()])
def test_what_is_no_position_is_refused(position):
    with pytest.raises(WtsError) as caught:
        analyze(position, nodes=1)
    assert (caught.value.code, caught.value.field) == ("position-type", "position")


@pytest.mark.parametrize("name", ["", "Flat", "flat ", "no-such", 1, None, ["flat"], b"flat"])
def test_an_unknown_method_is_refused_with_the_names_there_are(name):
    for position in (Position(), Position(WON)):
        with pytest.raises(WtsError) as caught:
            analyze(position, nodes=1, method=name)
        assert (caught.value.code, caught.value.field) == ("method-name", "method")
        assert "flat" in str(caught.value)


def test_command_refuses_an_unknown_method(capsys):
    assert main(["analyze", "start", "--nodes", "1", "--method", "no-such"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "method: expected one of flat" in err


def test_the_answer_names_its_method(capsys):
    assert analyze(Position(), nodes=1).method == methods.DEFAULT
    assert main(["analyze", "start", "--nodes", "10", "--method", "flat", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == "flat"


def test_the_slow_twin_is_taken_too():
    assert numbers(analyze(oracle.Position(FOUR), nodes=800, seed=1)) == numbers(
        analyze(Position(FOUR), nodes=800, seed=1)
    )


def test_json_holds_everything_by_name():
    found = analyze(Position(FOUR), nodes=5000, seed=1)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["position"] == FOUR
    assert Position(data["position"]) == found.position
    for colour in ("black", "white"):
        strategy = np.zeros(NUM_SQUARES)
        for name, part in data[colour].items():
            strategy[SQUARE_NAMES.index(name)] = part
        assert strategy.tolist() == getattr(found, colour).tolist()
    assert data["nodes"] == 5000
    assert data["stopped_by"] == "nodes"
    assert set(data) == set(Analysis.__slots__) - {"payoffs"}  # 6561 numbers, which nobody reads


def test_top_is_sorted_and_positive():
    found = analyze(Position(FOUR), method="flat", nodes=5000, seed=1)
    best = found.top("black", 3)
    assert [part for _, part in best] == sorted(found.black, reverse=True)[:3]
    assert sum(part for _, part in found.top("white", 81)) == pytest.approx(1)
    assert found.top("black", 0) == ()
    with pytest.raises(WtsError):
        found.top("red")
    with pytest.raises(LimitError):
        found.top("black", 1.5)


def test_an_analysis_is_a_value():
    found = analyze(Position(FOUR), nodes=700, seed=1)
    again = pickle.loads(pickle.dumps(found))
    assert numbers(again) == numbers(found)
    assert again.position == found.position
    with pytest.raises(AttributeError):
        found.value = 0.5
    with pytest.raises(ValueError, match="read-only"):
        found.black[0] = 1
    assert repr(found).startswith("<Analysis value ")
    assert found._repr_svg_().startswith("<svg")


def test_probability_zero_is_never_sampled():
    from wts_fast._random_jit import choose

    last = 1 - 2.0**-53
    for weights in (
        [0, 1, 0],
        [0, 0.1, 0.2, 0.7, 0],
        [0, 1 / 3, 0, 1 / 3, 1 / 3, 0],
        [0, 1 + 2.0**-52, 0],
        [5e-324, 0],
    ):
        strategy = np.array(weights, dtype=float)
        for part in (0.0, 1e-300, 0.3, 0.5, 0.999999, last):
            assert strategy[choose(strategy, part)] > 0


def test_chunks_sample_from_the_strategies():
    from wts_fast._bridge import state_words
    from wts_fast._flat_jit import play_chunk

    position = Position(FOUR)
    squares = np.array(position.legal, dtype=np.int32)
    k = len(squares)
    black, white = np.zeros(k), np.zeros(k)
    black[3], black[7], white[5] = 0.25, 0.75, 1.0
    cells, results = np.empty(40_000, np.int32), np.empty(40_000, np.int8)
    args = (squares, black, white, np.uint64(1), np.uint64(2), 1000, cells, results)
    play_chunk(state_words(position), *args)
    followed = cells[cells >= k * k] - k * k
    assert set(followed.tolist()) == {3 * k + 5, 7 * k + 5}
    assert len(followed) / len(cells) == pytest.approx(0.75**2, abs=0.02)
    assert (followed == 7 * k + 5).mean() == pytest.approx(0.75, abs=0.02)
    both = cells[cells < k * k]
    assert len(set((both // k).tolist())) == len(set((both % k).tolist())) == k
    assert set(results.tolist()) <= {-1, 0, 1}


def test_cut_off_games_are_counted_as_unfinished():
    from wts_fast._bridge import state_words
    from wts_fast._flat_jit import merge, play_chunk

    squares = np.arange(81, dtype=np.int32)
    uniform = np.full(81, 1 / 81)
    cells, results = np.empty(200, np.int32), np.empty(200, np.int8)
    play_chunk(state_words(Position()), squares, uniform, uniform, np.uint64(1), np.uint64(0), 3, cells, results)
    assert (results == 2).all()
    games, wins, tally = np.zeros((81, 81), np.int64), np.zeros((81, 81), np.int64), np.zeros(4, np.int64)
    merge(cells, results, games, wins, tally)
    assert games.sum() == tally[3] == 200
    assert not wins.any()


def test_regret_matching_finds_the_equilibrium():
    from wts_fast import matrix
    from wts_fast._flat_jit import match_regrets

    payoff = np.random.default_rng(1).uniform(-1, 1, (20, 20))
    memory = np.zeros((5, 20))
    match_regrets(payoff, memory, 20_000)
    black, white = memory[2] / memory[2].sum(), memory[3] / memory[3].sum()
    assert (payoff @ white).max() - (black @ payoff).min() < 2e-3
    assert black @ payoff @ white == pytest.approx(matrix.solve(payoff).value, abs=2e-3)


def test_many_games_are_believed_and_few_are_not():
    from wts_fast._flat_jit import estimate

    rng = np.random.default_rng(2)
    true = np.clip(np.add.outer(rng.normal(0, 0.2, 12), rng.normal(0, 0.2, 12)), -0.9, 0.9)
    true[4, 4] = -0.9
    payoff = np.empty((12, 12))
    for each, error in ((200_000, 0.01), (50, 0.5)):
        games = np.full((12, 12), each)
        wins = 2 * rng.binomial(games, (1 + true) / 2) - games
        estimate(games, wins, np.zeros((2, 12)), payoff, 1.0)
        assert abs(payoff - true).max() < error
        assert ((payoff - true) ** 2).mean() <= ((wins / games - true) ** 2).mean() * 1.01
    # Pure luck: a matrix of equal cells stays nearly equal, though the means of the cells do not.
    games = np.full((12, 12), 10)
    wins = 2 * rng.binomial(games, 0.5) - games
    estimate(games, wins, np.zeros((2, 12)), payoff, 1.0)
    assert payoff.std() < 0.75 * (wins / games).std()


def test_command_prints_both_maps_and_the_value(capsys):
    assert main(["analyze", "start", "--nodes", "2000", "--seed", "1", "--ascii", "--top", "2"]) == 0
    out = capsys.readouterr()
    assert out.err == ""
    assert out.out.isascii()
    assert "Black (percent)" in out.out
    assert "White (percent)" in out.out
    assert "2,000 nodes" in out.out
    assert "seed 1" in out.out


def test_command_json_is_that_of_python(capsys):
    assert main(["analyze", FOUR, "--nodes", "900", "--seed", "7", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    expected = analyze(Position(FOUR), nodes=900, seed=7).to_dict()
    timing = {"seconds": 0, "compile_seconds": 0}
    assert {"threats", "words"} == set(data) - set(expected)
    assert {**{name: data[name] for name in expected}, **timing} == {**expected, **timing}


def test_command_writes_a_picture(tmp_path, capsys):
    target = tmp_path / "both.svg"
    assert main(["analyze", FOUR, "--nodes", "900", "--seed", "7", "--svg", str(target)]) == 0
    assert target.read_text(encoding="utf-8").startswith("<svg")
    assert main(["analyze", FOUR, "--nodes", "900", "--svg", str(tmp_path / "no" / "both.svg")]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "both.svg" in err


def test_command_says_that_a_game_is_over(capsys):
    assert main(["analyze", WON]) == 0
    assert "Black has won" in capsys.readouterr().out
    assert main(["analyze", WON, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stopped_by"] == "finished"


@pytest.mark.parametrize("extra", [["--nodes", "1.5"], ["--seconds", "0"], ["--seed", "-1"], ["--threads", "0"]])
def test_command_refuses_bad_limits(extra, capsys):
    assert main(["analyze", "start", *extra]) == 2
    assert extra[0] in capsys.readouterr().err


def test_command_keeps_what_it_has_after_ctrl_c():
    analyze(Position(), nodes=1)  # the code is in the cache from here on
    with subprocess.Popen(
        [sys.executable, "-m", "wts_fast", "analyze", "start", "--seconds", "60", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(4)  # a busy machine may take seconds to begin
        sent = time.perf_counter()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        took = time.perf_counter() - sent
    assert process.returncode == 130, err
    data = json.loads(out)
    assert data["stopped_by"] == "interrupt"
    assert data["nodes"] > 0
    assert err == ""
    # The search itself ends within 0.3 s (see above); this includes the end of the interpreter on a busy machine.
    assert took < 5


def test_the_tree_tells_what_is_likely_to_follow():
    found = analyze(Position(FOUR), method="tree", nodes=400)
    assert found.continuations
    for line in found.continuations:
        chance = found.black[line.turns[0][0]] * found.white[line.turns[0][1]]
        assert 0 < line.probability <= chance + 1e-9
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))["continuations"]
    assert [line["probability"] for line in data] == [line.probability for line in found.continuations]
    assert data[0]["turns"][0] == " ".join(SQUARE_NAMES[s] for s in found.continuations[0].turns[0])


def test_a_search_of_one_turn_tells_of_no_continuation():
    assert analyze(Position(FOUR), method="flat", nodes=400, seed=1).continuations == ()
