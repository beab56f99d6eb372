import json
import math
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from wts_fast import oracle
from wts_fast._kernel import Position
from wts_fast.search import Budget
from wts_fast.squares import SQUARE_NAMES
from wts_fast.tree import Tree
from wts_fast.tree_search import run

ENDGAMES = json.loads((Path(__file__).parent / "data" / "endgames.json").read_text(encoding="utf-8"))
# Black's four in a row is open at both ends: White has to guess which end Black takes.
FOUR = Position("9/9/9/9/2bbbb3/9/9/9/w1w1w4 -")
MIDDLE = Position("9/9/3b1w3/2w1b4/3bb4/4ww3/2w6/9/9 -")


def square(name):
    return SQUARE_NAMES.index(name)


def numbers(found):
    return found.value, found.lower, found.upper, found.nodes, found.black.tobytes(), found.white.tobytes()


@pytest.mark.parametrize(
    "case", ENDGAMES, ids=[case["position"].split("/")[0] + str(i) for i, case in enumerate(ENDGAMES)]
)
def test_endgames_are_solved_exactly(case):
    found = run(Position(case["position"]), 0, 1, Budget(nodes=20_000))
    assert found.stopped_by == "solved"
    assert found.value == pytest.approx(case["value"], abs=1e-8)
    assert found.lower - 1e-12 <= found.value <= found.upper + 1e-12
    assert found.upper - found.lower <= 1e-9


@pytest.mark.parametrize("case", ENDGAMES[::4])
def test_solved_strategies_guarantee_the_value(case):
    """Against each reply of the opponent, by the oracle's rules and values solved anew behind every turn."""
    position = Position(case["position"])
    found = run(position, 0, 1, Budget(nodes=20_000))
    referee = oracle.Position(case["position"])
    cells = np.empty((len(position.legal),) * 2)
    for i, black in enumerate(position.legal):
        for j, white in enumerate(position.legal):
            after = referee.play(black, white)
            if after.outcome is not None:
                cells[i, j] = after.outcome.value
            else:
                cells[i, j] = run(Position.from_state(after.state), 0, 1, Budget(nodes=20_000)).value
    assert (found.black @ cells).min() >= found.value - 1e-6
    assert (cells @ found.white).max() <= found.value + 1e-6


def test_two_completions_are_a_guess():
    found = run(FOUR, 0, 1, Budget(nodes=300))
    legal = FOUR.legal
    ends = [found.white[legal.index(square(name))] for name in ("B5", "G5")]
    # White has to be on one of them. Black need not strike now: he builds as long as White must answer.
    assert sum(ends) == pytest.approx(1, abs=1e-6)
    assert min(ends) > 0.1
    # Two completion squares are worth 0 at least, whatever comes after a right guess.
    assert found.lower >= -1e-12
    assert 0.5 <= found.value <= 1


def test_the_evaluation_can_be_the_one_set_by_hand():
    hand, fitted, plain = (
        numbers(run(MIDDLE, 0, 1, Budget(nodes=100), **given))
        for given in ({"weights": "hand"}, {"weights": "fitted"}, {})
    )
    assert hand != fitted == plain


def test_looking_at_a_tree_changes_nothing():
    plain, seen = Tree(Position()), Tree(Position())
    for _ in range(10):
        plain.grow(200)
        seen.grow(200)
        seen.result(seen.nodes, 0.0, 0.0, None)
    found, other = (numbers(tree.result(tree.nodes, 0.0, 0.0, None)) for tree in (plain, seen))
    assert found == other


def test_the_start_is_worth_nothing():
    assert abs(run(Position(), 0, 1, Budget(nodes=400)).value) < 0.03


def test_a_swap_of_the_colours_turns_the_value():
    one = run(MIDDLE, 0, 1, Budget(nodes=400))
    other = run(MIDDLE.transform("identity", True), 0, 1, Budget(nodes=400))
    assert other.value == pytest.approx(-one.value, abs=0.15)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_change_nothing(threads):
    assert numbers(run(MIDDLE, 0, threads, Budget(nodes=700))) == numbers(run(MIDDLE, 0, 1, Budget(nodes=700)))


@pytest.mark.parametrize("nodes", [1, 2, 3, 33, 257])
def test_nodes_are_exact(nodes):
    found = run(MIDDLE, 0, 1, Budget(nodes=nodes))
    assert (found.nodes, found.stopped_by) == (nodes, "nodes")


def test_no_nodes_are_no_knowledge():
    found = run(MIDDLE, 0, 1, Budget(nodes=0))
    assert (found.nodes, found.value, found.lower, found.upper, found.exploitability) == (0, 0, -1, 1, 2)
    assert np.all(found.black == found.black[0])


def test_seconds_are_kept():
    run(MIDDLE, 0, 1, Budget(nodes=1))
    late = []
    for _ in range(5):
        begun = time.perf_counter()
        found = run(MIDDLE, 0, 1, Budget(seconds=0.1))
        late.append(time.perf_counter() - begun - 0.1)
        assert found.stopped_by == "seconds"
    assert min(late) >= -0.001
    assert min(late) <= 0.02


def test_bounds_only_tighten_and_hold_the_value():
    tree = Tree(FOUR)
    lower, upper = -1.0, 1.0
    for _ in range(20):
        tree.grow(40)
        low, high = tree.bounds
        assert lower <= low <= tree.result(0, 0, 0, None).value <= high <= upper
        lower, upper = low, high
    assert lower >= -1e-12


def test_a_game_keeps_its_tree():
    tree = Tree(MIDDLE)
    tree.grow(600)
    turn = tree.continuations(1)[0].turns[0]
    assert tree.advance(*turn)
    assert 1 < tree.nodes < 600
    assert tree.position == MIDDLE.play(*turn)
    kept = tree.nodes
    assert tree.grow(100) == "nodes"
    assert tree.nodes == kept + 100
    found = tree.result(0, 0, 0, None)
    assert len(found.black) == len(tree.position.legal)
    assert found.value == pytest.approx(run(tree.position, 0, 1, Budget(nodes=400)).value, abs=0.2)


def test_a_turn_without_a_node_begins_anew():
    tree = Tree(MIDDLE)
    corner = square("A9"), square("I1")
    assert not tree.advance(*corner)
    assert (tree.nodes, tree.position) == (1, MIDDLE.play(*corner))
    tree.grow(50)
    alone = Tree(tree.position)
    alone.grow(50)
    assert numbers(tree.result(0, 0, 0, None)) == numbers(alone.result(0, 0, 0, None))


def test_continuations_are_likeliest_first_and_legal():
    tree = Tree(MIDDLE)
    tree.grow(500)
    lines = tree.continuations(6, turns=3)
    assert 1 <= len(lines) <= 6
    assert [line.probability for line in lines] == sorted((line.probability for line in lines), reverse=True)
    for line in lines:
        assert 0 < line.probability <= 1
        assert -1 <= line.value <= 1
        position = MIDDLE
        for black, white in line.turns:
            position = position.play(black, white)


def test_memory_ends_growth_cleanly():
    tree = Tree(MIDDLE, memory_mb=1)
    assert tree.grow(10**6) == "memory"
    found = tree.result(0, 0, 0, None)
    assert -1 <= found.lower <= found.value <= found.upper <= 1
    assert abs(found.black.sum() - 1) < 1e-9


def test_growth_in_steps_and_matrices_given_away_change_only_the_work():
    """With room for few matrices most are filled anew: the tree stays the same."""
    few, many = Tree(MIDDLE, memory_mb=1), Tree(MIDDLE)
    few.grow(900)
    many.grow(900)
    assert numbers(few.result(0, 0, 0, None)) == numbers(many.result(0, 0, 0, None))


def test_an_interrupt_leaves_a_tree_that_goes_on(monkeypatch):
    tree = Tree(MIDDLE)
    tree.grow(200)
    opened = tree._open

    def interrupt(*args):
        monkeypatch.setattr(tree, "_open", opened)
        raise KeyboardInterrupt

    monkeypatch.setattr(tree, "_open", interrupt)
    with pytest.raises(KeyboardInterrupt):
        tree.grow(200)
    assert tree._nodes["size"][: tree.nodes].min() > 0
    assert tree.grow(100) == "nodes"


def test_a_search_stops_when_it_is_told():
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    begun = time.perf_counter()
    found = run(MIDDLE, 0, 2, Budget(seconds=30, should_stop=stop.is_set))
    assert found.stopped_by == "interrupt"
    assert time.perf_counter() - begun < 5


def test_progress_is_reported():
    seen = []
    run(MIDDLE, 0, 1, Budget(seconds=0.7, on_progress=seen.append))
    assert len(seen) >= 1
    assert all(found.stopped_by is None and math.isfinite(found.value) for found in seen)


def test_a_tree_follows_positions():
    tree = Tree(MIDDLE)
    tree.grow(600)
    here = numbers(tree.result(0, 0, 0, None))
    assert tree.follow(MIDDLE)
    assert numbers(tree.result(0, 0, 0, None)) == here
    one, other = Tree(MIDDLE), tree
    one.grow(600)
    turn = tree.continuations(1)[0].turns[0]
    assert one.advance(*turn)
    assert other.follow(MIDDLE.play(*turn))
    assert one.nodes == other.nodes > 1
    assert not tree.follow(FOUR)
    assert (tree.nodes, tree.position) == (1, FOUR)


@pytest.mark.parametrize("nodes", [1, 40, 700])
@pytest.mark.parametrize("position", [MIDDLE, FOUR], ids=["middle", "four"])
def test_exploitability_is_priced_behind_the_answer(position, nodes):
    """By more nodes than the answer had, never above what is proved, and not by the matrix that the answer solves."""
    found = run(position, 0, 1, Budget(nodes=nodes))
    assert found.nodes == nodes
    assert 1e-4 < found.exploitability <= found.proved_exploitability <= 2


def test_the_check_leaves_the_answer_as_it_was():
    tree = Tree(MIDDLE)
    tree.grow(699)
    black, white, value = tree.answer()
    found = run(MIDDLE, 0, 1, Budget(nodes=700))
    assert (found.value, found.black.tobytes(), found.white.tobytes()) == (value, black.tobytes(), white.tobytes())


def test_a_bad_strategy_is_refuted():
    """White leaves one end of Black's open four: Black wins there at once, and the proof is in the matrix."""
    tree = Tree(FOUR)
    black, white, _ = tree.answer()
    one_end = np.zeros(len(white))
    one_end[FOUR.legal.index(square("B5"))] = 1.0
    tree.refute(black, one_end, 200)
    rows, _ = tree._prices(black, one_end)
    assert rows.max() == 1.0
    assert FOUR.legal[int(rows.argmax())] == square("G5")


def test_replies_never_looked_at_are_looked_at():
    """A hopeless strategy is told so within a small check, also where the answer's tree has not been."""
    tree = Tree(MIDDLE)
    tree.grow(100)
    black, white, _ = tree.answer()
    corner = np.zeros(len(white))
    corner[MIDDLE.legal.index(square("A9"))] = 1.0
    assert tree.refute(black, corner, 60) > tree.refute(black, white, 60)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_exploitability(threads):
    one, more = (run(MIDDLE, 0, n, Budget(nodes=700)) for n in (1, threads))
    assert (one.exploitability, one.proved_exploitability) == (more.exploitability, more.proved_exploitability)


def test_what_is_proved_of_strategies_holds_them():
    """Of a solved endgame: even strategies lose what the exact matrix says, and no more is proved than 2."""
    case = ENDGAMES[0]
    position = Position(case["position"])
    tree = Tree(position)
    assert tree.grow(20_000) == "solved"
    n = len(position.legal)
    even = np.full(n, 1 / n)
    exact = np.empty((n, n))
    for i, black in enumerate(position.legal):
        for j, white in enumerate(position.legal):
            after = position.play(black, white)
            exact[i, j] = after.outcome.value if after.outcome else run(after, 0, 1, Budget(nodes=20_000)).value
    loses = (exact @ even).max() - (even @ exact).min()
    assert loses - 1e-9 <= tree.proved_exploitability(even, even) <= 2
    black, white, value = tree.answer()
    assert value == pytest.approx(case["value"], abs=1e-8)
    assert tree.proved_exploitability(black, white) <= 1e-8


def test_an_interrupt_in_the_check_keeps_the_answer(monkeypatch):
    def refute(self, *args):
        raise KeyboardInterrupt

    monkeypatch.setattr(Tree, "refute", refute)
    with pytest.raises(KeyboardInterrupt):
        run(MIDDLE, 0, 1, Budget(nodes=300))
    found = run(MIDDLE, 0, 1, Budget(nodes=300, keep_on_interrupt=True))
    assert (found.nodes, found.stopped_by) == (300, "interrupt")
    assert abs(found.black.sum() - 1) < 1e-9
    assert 0 <= found.exploitability <= found.proved_exploitability


@pytest.mark.parametrize("memory_mb", [1, 512])
def test_every_matrix_has_one_owner_for_a_whole_game(memory_mb):
    tree = Tree(MIDDLE, memory_mb=memory_mb)
    for _ in range(12):
        tree.grow(400)
        held = [node for node in range(1, tree.nodes) if tree._nodes[node]["slot"] >= 0]
        assert [int(tree._slots[tree._nodes[node]["slot"]]["owner"]) for node in held] == held
        owned = np.flatnonzero(tree._slots["owner"])
        assert [int(tree._nodes[tree._slots[slot]["owner"]]["slot"]) for slot in owned] == owned.tolist()
        turn = tree.continuations(1)[0].turns[0]
        if tree.position.play(*turn).outcome is not None:
            break
        tree.advance(*turn)
    assert tree.position != MIDDLE
