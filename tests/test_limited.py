"""`only`: an analysis in which players may choose some of their squares is one of the game limited like that."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import wts_fast as wts
from wts_fast import matrix, oracle
from wts_fast.errors import WtsError
from wts_fast.search import Budget
from wts_fast.squares import SQUARE_NAMES
from wts_fast.tree import Tree
from wts_fast.tree_search import run

ENDGAMES = [
    case["position"]
    for case in json.loads((Path(__file__).parent / "data" / "endgames.json").read_text(encoding="utf-8"))
]
FOUR = wts.Position("9/9/9/9/2bbbb3/9/9/9/w1w1w4 -")
MIDDLE = wts.Position("9/9/3b1w3/2w1b4/3bb4/4ww3/2w6/9/9 -")


def numbers(*names):
    return tuple(SQUARE_NAMES.index(name) for name in names)


def exact_payoffs(text):
    """What each joint turn is worth: by the oracle's rules, and solved behind every turn."""
    referee = oracle.Position(text)
    legal = referee.legal
    cells = np.empty((len(legal),) * 2)
    for i, black in enumerate(legal):
        for j, white in enumerate(legal):
            after = referee.play(black, white)
            if after.outcome is not None:
                cells[i, j] = after.outcome.value
            else:
                cells[i, j] = run(wts.Position.from_state(after.state), 0, 1, Budget(nodes=20_000)).value
    return legal, cells


def some(indices):
    return itertools.chain.from_iterable(itertools.combinations(indices, n) for n in range(1, len(indices) + 1))


@pytest.mark.parametrize("text", ENDGAMES[::5], ids=lambda text: text.rpartition(" ")[2])
def test_the_answer_is_the_equilibrium_of_the_limited_game(text):
    legal, cells = exact_payoffs(text)
    every = range(len(legal))
    pairs = [(rows, columns) for rows in some(every) for columns in some(every)]
    for rows, columns in pairs[:: max(1, len(pairs) // 49)]:
        black, white = [legal[i] for i in rows], [legal[j] for j in columns]
        found = wts.analyze(wts.Position(text), nodes=20_000, only={"black": black, "white": white})
        part = cells[np.ix_(rows, columns)]
        value = matrix.solve(part).value
        assert found.value == pytest.approx(value, abs=1e-7)
        assert found.lower - 1e-9 <= value <= found.upper + 1e-9
        assert found.upper - found.lower <= 1e-7
        # Both strategies guarantee it against every reply that is left.
        assert (found.black[black] @ part).min() >= value - 1e-6
        assert (part @ found.white[white]).max() <= value + 1e-6
        assert set(np.flatnonzero(found.black)) <= set(black)
        assert set(np.flatnonzero(found.white)) <= set(white)
        assert found.black.sum() == pytest.approx(1, abs=1e-9)
        assert found.white.sum() == pytest.approx(1, abs=1e-9)


def test_a_limit_of_one_player_leaves_the_other_free():
    text = ENDGAMES[0]
    legal, cells = exact_payoffs(text)
    for i, square in enumerate(legal):
        assert wts.analyze(wts.Position(text), nodes=20_000, only={"black": [square]}).value == pytest.approx(
            cells[i].min(), abs=1e-7
        )
        assert wts.analyze(wts.Position(text), nodes=20_000, only={"white": [square]}).value == pytest.approx(
            cells[:, i].max(), abs=1e-7
        )


def test_all_squares_are_no_limit():
    free = wts.analyze(MIDDLE, nodes=200)
    limited = wts.analyze(MIDDLE, nodes=200, only={"black": MIDDLE.legal, "white": MIDDLE.legal})
    assert limited.value == free.value
    assert np.array_equal(limited.black, free.black)
    assert np.array_equal(limited.white, free.white)
    assert (limited.lower, limited.upper) == (free.lower, free.upper)


def test_what_is_proved_of_the_position_is_not_claimed_of_the_limited_game():
    # Black completes a row next turn whatever White does; without its two ends he does not.
    free = wts.analyze(FOUR, nodes=30)
    assert free.lower >= -1e-9
    ends = numbers("B5", "G5")
    others = [square for square in FOUR.legal if square not in ends]
    limited = wts.analyze(FOUR, nodes=30, only={"black": others})
    assert limited.value < free.value
    # White at neither end: Black wins at once, and that is proved though he has no choice either.
    won = wts.analyze(FOUR, nodes=30, only={"black": ["B5"], "white": ["A9", "I9"]})
    assert (won.value, won.lower, won.upper) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("nodes", [0, 1, 2, 40, 300])
def test_weight_outside_is_exactly_nothing(nodes):
    only = {"black": ["A1", "A2", "I9"], "white": ["B2", "C8", "H7", "E9"]}
    found = wts.analyze(MIDDLE, nodes=nodes, only=only, threads=2)
    for mix, names in ((found.black, only["black"]), (found.white, only["white"])):
        assert mix[[s for s in range(81) if SQUARE_NAMES[s] not in names]].tolist() == [0.0] * (81 - len(names))
        assert mix.sum() == pytest.approx(1, abs=1e-9)
    for line in found.continuations:
        black, white = line.turns[0]
        assert SQUARE_NAMES[black] in only["black"]
        assert SQUARE_NAMES[white] in only["white"]
    assert found.nodes == nodes


def test_threads_change_nothing():
    only = {"black": MIDDLE.legal[::3], "white": MIDDLE.legal[::2]}
    one, two = (wts.analyze(MIDDLE, nodes=300, only=only, threads=threads) for threads in (1, 2))
    assert (one.value, one.black.tobytes(), one.white.tobytes()) == (
        two.value,
        two.black.tobytes(),
        two.white.tobytes(),
    )


def test_a_swap_of_the_colours_turns_a_limited_game():
    legal = MIDDLE.legal
    one = wts.analyze(MIDDLE, nodes=400, only={"black": legal[::3], "white": legal[1::2]})
    swapped = MIDDLE.transform("identity", True)
    other = wts.analyze(swapped, nodes=400, only={"white": legal[::3], "black": legal[1::2]})
    assert other.value == pytest.approx(-one.value, abs=0.15)


def test_a_limit_ends_with_its_turn():
    tree = Tree(MIDDLE, only=(numbers("A1", "A2"), numbers("I9")))
    tree.grow(60)
    assert tree.advance(*numbers("A1", "I9"))
    after = tree.result(0, 0, 0, None)
    tree.grow(60)
    assert len(after.black) == len(MIDDLE.legal) - 2
    assert tree.nodes > 60
    # Nothing of it is left in a tree that begins anew either.
    tree.advance(*numbers("B1", "H9"))
    fresh = Tree(tree.position)
    if tree.nodes == 1:
        assert tree.result(0, 0, 0, None).value == fresh.result(0, 0, 0, None).value


def test_a_finished_game_has_nothing_to_limit():
    over = wts.Position("9/9/9/9/2bbbbb2/9/9/9/w1w1w4 -")
    found = wts.analyze(over, only={"black": ["A9"]})
    assert (found.value, found.nodes, found.stopped_by) == (1.0, 0, "finished")
    assert not found.black.any()


@pytest.mark.parametrize(
    ("only", "code", "field"),
    [
        ({"black": []}, "only-empty", "only.black"),
        ({"white": ["D5"]}, "only-square", "only.white"),
        ({"white": ["D10"]}, "square-name", "only.white"),
        ({"white": [81]}, "square-range", "only.white"),
        ({"white": "A1"}, "only-type", "only.white"),
        ({"red": ["A1"]}, "only-type", "only"),
        (["A1"], "only-type", "only"),
        ({"black": 3}, "only-type", "only.black"),
    ],
)
def test_limits_that_cannot_be_kept_are_refused(only, code, field):
    with pytest.raises(WtsError) as caught:
        wts.analyze(MIDDLE, nodes=1, only=only)
    assert (caught.value.code, caught.value.field) == (code, field)


@pytest.mark.parametrize("method", ["flat", "duct", "rm", "rm+", "exp3", "oos"])
def test_searches_that_take_all_squares_say_so(method):
    with pytest.raises(WtsError) as caught:
        wts.analyze(MIDDLE, method=method, nodes=1, only={"black": ["A1"]})
    assert (caught.value.code, caught.value.field) == ("only-method", "only")


def test_reports_come_as_often_as_asked():
    calls = []
    wts.analyze(MIDDLE, seconds=0.5, report_every=0.02, on_progress=calls.append)
    often = len(calls)
    calls.clear()
    wts.analyze(MIDDLE, seconds=0.5, report_every=0.4, on_progress=calls.append)
    assert often > 2 > len(calls) - 1
    with pytest.raises(WtsError) as caught:
        wts.analyze(MIDDLE, report_every=0)
    assert caught.value.field == "report_every"
