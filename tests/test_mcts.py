"""Monte Carlo trees: what each rule learns on games whose answer is known, and that the trees keep their promises."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from wts_fast import matrix, methods
from wts_fast._kernel import Position
from wts_fast.analysis import Analysis, analyze
from wts_fast.cli import main
from wts_fast.errors import LimitError, WtsError
from wts_fast.mcts import EXPLORATION
from wts_fast.oracle import Position as Slow
from wts_fast.squares import NUM_SQUARES, parse_square

RULES = ("duct", "rm", "rm+", "exp3", "oos")  # in the order of their numbers
# Shafiei, Sturtevant and Schaeffer's game; its equilibrium is 1/16, 10/16, 5/16 for both, its value 0.
BIASED = np.array([[0.0, -0.25, 0.5], [0.25, 0.0, -0.05], [-0.5, 0.05, 0.0]])
EQUILIBRIUM = np.array([1, 10, 5]) / 16
FOUR = "9/9/9/9/2bbbb3/9/9/9/w1w1w4 -"
WON = "9/9/9/9/bbbbb4/9/9/9/9 -"
ENDGAMES = json.loads((Path(__file__).parent / "data" / "endgames.json").read_text(encoding="utf-8"))


def numbers(found: Analysis) -> tuple[object, ...]:
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


def check(found: Analysis, position: Position) -> Analysis:
    for strategy in (found.black, found.white):
        assert strategy.shape == (NUM_SQUARES,)
        assert strategy.min() >= 0
        assert set(np.flatnonzero(strategy).tolist()) <= set(position.legal)
        assert abs(strategy.sum() - 1) <= 1e-9
    assert -1 <= found.value <= 1
    assert 0 < found.standard_error <= 1
    assert 0 <= found.exploitability <= 2
    return found


def learn(rule: str, payoff: np.ndarray, iterations: int, seed: int, explore: float | None = None) -> list[np.ndarray]:
    from wts_fast._learners_jit import learn_matrix
    from wts_fast._random_jit import begin

    rng = np.empty(4, np.uint64)
    begin(rng, np.uint64(seed), np.uint64(0))
    sums = np.zeros((2, len(payoff)))
    learn_matrix(RULES.index(rule), payoff, EXPLORATION[rule] if explore is None else explore, iterations, rng, sums)
    return [s / s.sum() for s in sums]


def exploitability(payoff: np.ndarray, black: np.ndarray, white: np.ndarray) -> float:
    return float((payoff @ white).max() - (black @ payoff).min())


@pytest.mark.parametrize(("rule", "most"), [("rm", 0.04), ("rm+", 0.04), ("exp3", 0.08), ("oos", 0.01)])
def test_regret_finds_the_equilibrium_of_biased_rock_paper_scissors(rule: str, most: float) -> None:
    for seed in range(3):
        black, white = learn(rule, BIASED, 400_000, seed)
        assert exploitability(BIASED, black, white) < most, (rule, seed)
        assert max(abs(black - EQUILIBRIUM).max(), abs(white - EQUILIBRIUM).max()) < 0.25, (rule, seed)


@pytest.mark.parametrize("rule", ["rm", "rm+"])
def test_exploration_is_what_keeps_regret_matching_away_from_it(rule: str) -> None:
    for explore in (0.1, 0.03, 0.01):
        gap = exploitability(BIASED, *learn(rule, BIASED, 400_000, 1, explore))
        assert 0.2 * explore < gap < 0.4 * explore


@pytest.mark.parametrize("rule", ["rm", "rm+", "exp3", "oos"])
def test_regret_comes_nearer_with_time(rule: str) -> None:
    payoff = np.random.default_rng(5).uniform(-1, 1, (12, 12))
    gaps = [np.mean([exploitability(payoff, *learn(rule, payoff, n, s)) for s in range(3)]) for n in (2000, 400_000)]
    assert gaps[1] < 0.5 * gaps[0]
    black, white = learn(rule, payoff, 400_000, 9)
    assert black @ payoff @ white == pytest.approx(matrix.solve(payoff).value, abs=0.1)


def test_decoupled_uct_does_not_converge() -> None:
    """Ten times the iterations take it away again: what Shafiei and others found, and the paper found anew."""
    for seed in range(3):
        gaps = [exploitability(BIASED, *learn("duct", BIASED, n, seed)) for n in (100_000, 1_000_000)]
        assert gaps[1] > 0.08 > gaps[0]
    assert exploitability(BIASED, *learn("oos", BIASED, 1_000_000, 1)) < 0.01


@pytest.mark.parametrize("rule", RULES)
def test_a_dominant_row_and_column_are_found(rule: str) -> None:
    payoff = np.array([[0.2, 0.9, 0.8], [-0.9, 0.1, 0.0], [-0.6, -0.2, 0.3]])
    black, white = learn(rule, payoff, 100_000, 2)
    assert black[0] > 0.9
    assert white[0] > 0.9


def test_the_rules_are_those_of_the_methods() -> None:
    from wts_fast import _learners_jit as learners

    order = [learners.DUCT, learners.RM, learners.RM_PLUS, learners.EXP3, learners.OOS]
    assert order == list(range(5))
    assert tuple(EXPLORATION) == RULES
    assert set(RULES) < set(methods.METHODS)


def test_exponential_weights_never_leave_the_numbers() -> None:
    """Results of 1 for one square and -1 for the other, long beyond where the exponents would overflow."""
    payoff = np.array([[1.0, 1.0], [-1.0, -1.0]])
    black, white = learn("exp3", payoff, 300_000, 1)
    assert np.isfinite(black).all()
    assert black[0] > 0.99
    assert white.tolist() == pytest.approx([0.5, 0.5], abs=0.2)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("final", ["average", "root-matrix"])
def test_an_open_four_is_a_guess_between_its_ends(rule: str, final: str) -> None:
    position = Position(FOUR)
    found = check(analyze(position, method=rule, nodes=60_000, seed=3, final=final), position)
    ends = [parse_square("B5"), parse_square("G5")]
    assert found.black[ends].sum() > (0.5 if final == "average" else 0.9)
    assert min(found.black[ends]) > 0.15
    assert found.value > 0.4
    # Outcome sampling gives the opponent's squares too much noise to see the ends among 70 squares so soon.
    if rule != "oos":
        assert found.white[ends].sum() > 0.4


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("final", ["average", "root-matrix"])
def test_exactly_solved_endgames_are_met(rule: str, final: str) -> None:
    """Values from the oracle's solver; with few squares left a tree sees all there is to see."""
    far = [
        abs(analyze(Position(e["position"]), method=rule, nodes=30_000, seed=1, final=final).value - e["value"])
        for e in ENDGAMES[:6]
    ]
    assert max(far) < (0.25 if rule in ("duct", "exp3", "oos") else 0.12), far
    assert np.mean(far) < (0.12 if rule in ("duct", "exp3", "oos") else 0.06), far


@pytest.mark.parametrize("rule", RULES)
def test_the_same_seed_gives_the_same_bits_for_any_threads(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wts_fast.analysis.processors", lambda: 64)
    position = Position(FOUR)
    for learners, nodes in ((1, 700), (3, 5000), (4, 6143)):
        first = check(analyze(position, method=rule, nodes=nodes, seed=5, learners=learners), position)
        assert first.nodes == nodes
        for threads in (2, 3, 64):
            again = analyze(position, method=rule, nodes=nodes, seed=5, learners=learners, threads=threads)
            assert numbers(again) == numbers(first)
        assert numbers(analyze(position, method=rule, nodes=nodes, seed=6, learners=learners)) != numbers(first)


@pytest.mark.parametrize("rule", RULES)
def test_reports_of_progress_change_nothing(rule: str) -> None:
    seen: list[Analysis] = []
    plain = analyze(Position(FOUR), method=rule, nodes=150_000, seed=2)
    again = analyze(Position(FOUR), method=rule, nodes=150_000, seed=2, on_progress=seen.append)
    assert numbers(again) == numbers(plain)
    assert all(check(found, Position(FOUR)).stopped_by is None for found in seen)


@pytest.mark.parametrize("rule", RULES)
def test_positions_with_little_to_choose(rule: str) -> None:
    assert analyze(Position(WON), method=rule, seconds=9).value == 1
    ranks = ["bbww" * 3, "wwbb" * 3]
    full = [list(ranks[r % 2][:9]) for r in range(9)]
    full[4][4] = "1"
    position = Position("/".join("".join(rank) for rank in full) + " -")
    assert position.legal == (40,)
    for nodes in (0, 1, 300):
        found = check(analyze(position, method=rule, nodes=nodes, seed=1), position)
        assert found.black[40] == found.white[40] == 1
        assert found.value == 0
    full[0][0] = "1"
    position = Position("/".join("".join(rank) for rank in full) + " -")
    assert len(position.legal) == 2
    for final in ("average", "root-matrix"):
        check(analyze(position, method=rule, nodes=500, seed=1, final=final), position)


@pytest.mark.parametrize("rule", RULES)
def test_zero_nodes_are_uniform_and_one_is_enough(rule: str) -> None:
    none = check(analyze(Position(), method=rule, nodes=0), Position())
    assert (none.value, none.standard_error, none.exploitability) == (0, 1, 2)
    assert none.black.tolist() == [1 / 81] * 81
    for nodes in (1, 2):
        assert check(analyze(Position(), method=rule, nodes=nodes, seed=1), Position()).nodes == nodes


@pytest.mark.parametrize("rule", RULES)
def test_full_memory_ends_growth_and_not_the_search(rule: str) -> None:
    from wts_fast.mcts import _Learner, _Trees

    search = _Trees(Position(), 1, rule, "playouts", "fitted", "average", EXPLORATION[rule], 1, 8)
    search.load()
    for _ in range(200):
        search.play(0, 512)
    learner: _Learner = search.learners[0]
    tree = learner.tree
    assert tree.counts[3] == 102_400
    assert tree.counts[0] < 102_400  # without the limit nearly every iteration adds a node
    by_node = (tree.key, tree.visits, tree.total, tree.outcome, tree.size, tree.begin, tree.head)
    lists = (tree.next_in_row, tree.next_in_column, tree.heads, tree.memory, tree.table)
    assert sum(a.nbytes for a in (*by_node, *lists)) <= 8 * 2**20
    found = search.result("nodes")
    assert found.nodes == 102_400
    assert found.black.sum() == pytest.approx(1)
    # The same bits for any sizes of chunks: where memory ends does not depend on them.
    other = _Trees(Position(), 1, rule, "playouts", "fitted", "average", EXPLORATION[rule], 1, 8)
    other.load()
    for nodes in (1, 7, 392, 2000, 40_000, 60_000):
        other.play(0, nodes)
    assert other.result("nodes").black.tobytes() == found.black.tobytes()


def test_every_node_is_where_its_key_leads() -> None:
    """Nodes are replayed from the root by the slow rules: legal turns, the outcome, and the number of squares."""
    from wts_fast.mcts import _Trees

    position = Position(FOUR)
    search = _Trees(position, 1, "rm", "playouts", "fitted", "average", 0.1, 1, 512)
    search.load()
    search.play(0, 1500)
    tree = search.learners[0].tree
    assert tree.counts[0] > 1000
    slow: dict[int, Slow] = {0: Slow(FOUR)}
    for node in range(1, int(tree.counts[0])):
        parent, row, column = (
            int(part) for part in (tree.key[node] >> 14, tree.key[node] >> 7 & 127, tree.key[node] & 127)
        )
        above = slow[parent]
        slow[node] = above.play(above.legal[row], above.legal[column])
        outcome = slow[node].outcome
        assert int(tree.outcome[node]) == (0 if outcome is None else {1: 1, -1: 2, 0: 3}[int(outcome.value)])
        if tree.begin[node] >= 0:
            assert int(tree.size[node]) == len(slow[node].legal)
    children = np.zeros(int(tree.counts[0]), np.int64)
    np.add.at(children, tree.key[1 : tree.counts[0]] >> 14, tree.visits[1 : tree.counts[0]])
    opened = tree.begin[: tree.counts[0]] >= 0
    assert (children[opened] == tree.visits[: tree.counts[0]][opened] - (np.flatnonzero(opened) > 0)).all()
    assert int(tree.games.sum()) == 1500


def test_the_evaluation_can_stand_for_random_games() -> None:
    for rule in RULES:
        found = check(analyze(Position(FOUR), method=rule, nodes=5000, seed=1, leaf="evaluation"), Position(FOUR))
        assert found.playouts == 0
        assert found.value > 0.3


def test_weights_are_for_the_evaluation_alone() -> None:
    hand, fitted, plain = (
        numbers(analyze(Position(FOUR), method="duct", nodes=500, seed=1, leaf="evaluation", **given))
        for given in ({"weights": "hand"}, {"weights": "fitted"}, {})
    )
    assert hand != fitted == plain
    with pytest.raises(WtsError) as caught:
        analyze(Position(FOUR), method="duct", nodes=500, weights="hand")
    assert (caught.value.field, caught.value.code) == ("weights", "option-name")


@pytest.mark.parametrize(
    ("options", "field", "code"),
    [
        ({"leaf": "eval"}, "leaf", "option-value"),
        ({"final": 1}, "final", "option-value"),
        ({"exploration": -0.1}, "exploration", "option-value"),
        ({"exploration": float("nan")}, "exploration", "option-value"),
        ({"exploration": "0.1"}, "exploration", "option-value"),
        ({"learners": 0}, "learners", "option-value"),
        ({"learners": 1.0}, "learners", "option-value"),
        ({"learners": True}, "learners", "option-value"),
        ({"method": "flat", "final": "average"}, "final", "option-name"),
        ({"weights": "nobody", "leaf": "evaluation"}, "weights", "option-value"),
        ({"method": "flat", "weights": "hand"}, "weights", "option-name"),
    ],
)
def test_options_that_are_none_are_refused_by_name(options: dict[str, object], field: str, code: str) -> None:
    for position in (Position(), Position(WON)):
        with pytest.raises(WtsError) as caught:
            analyze(position, **{"method": "rm", "nodes": 1, **options})
        assert (caught.value.field, caught.value.code) == (field, code)


def test_memory_is_a_whole_number_of_mebibytes() -> None:
    for value in (0, -1, 1.5, True, "1", 2**21):
        with pytest.raises(LimitError) as caught:
            analyze(Position(), nodes=1, memory_mb=value)
        assert caught.value.field == "memory_mb"


def test_command_passes_options_on(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["analyze", FOUR, "--nodes", "900", "--seed", "7", "--json", "--method", "rm+"]
    assert main([*command, "--final", "root-matrix", "--learners", "2", "--exploration", "0.25"]) == 0
    data = json.loads(capsys.readouterr().out)
    expected = analyze(
        Position(FOUR), method="rm+", nodes=900, seed=7, final="root-matrix", learners=2, exploration=0.25
    ).to_dict()
    timing = {"seconds": 0, "compile_seconds": 0}
    assert {**{name: data[name] for name in expected}, **timing} == {**expected, **timing}
    for option, value in (("--final", "best"), ("--learners", "1_0"), ("--exploration", "x"), ("--exploration", "9")):
        assert main([*command, option, value]) == 2
        assert option[2:] in capsys.readouterr().err
