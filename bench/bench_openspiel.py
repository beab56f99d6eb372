"""Where OpenSpiel is installed: its own random play of a simultaneous game beside ours.

Another game, so the ratio says what a user of either can do in a second, and no more. Goofspiel with 13 cards is the
best known simultaneous game there, and lighter than ours: at most 13 moves to choose from, and no board. It is played
in OpenSpiel's two ways: by its uniform random bots, all in C++, beside our playouts; and turn by turn from Python,
beside the same loop of ours.
"""

import random
import statistics
import time

import pytest

from wts_fast._kernel import Position
from wts_fast.engine import playouts
from wts_fast.layers import Prepared

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is optional: pip install open_spiel")

GAME = "goofspiel(imp_info=false,num_cards=13,points_order=random)"
GAMES = 1000
TURNS = 12  # the last cards play themselves


def by_its_bots():
    """OpenSpiel's fastest way from Python: one call a game, everything else in C++."""
    game = pyspiel.load_game(GAME)

    def run():
        bots = [pyspiel.make_uniform_random_bot(player, 1 + player) for player in range(2)]
        returns = [pyspiel.evaluate_bots(game.new_initial_state(), bots, seed) for seed in range(GAMES)]
        return GAMES * TURNS, [tuple(pair) for pair in returns]

    return run


def turn_by_turn():
    game = pyspiel.load_game(GAME)

    def run():
        choose, turns, returns = random.Random(1).random, 0, []
        for _ in range(GAMES):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    legal = state.legal_actions()
                    state.apply_action(legal[int(choose() * len(legal))])
                    continue
                both = [state.legal_actions(0), state.legal_actions(1)]
                state.apply_actions([legal[int(choose() * len(legal))] for legal in both])
                turns += 1
            returns.append(tuple(state.returns()))
        return turns, returns

    return run


def our_playouts():
    """Random games inside the kernel, one core."""

    def run():
        result = playouts(n=1 << 16, seed=1)
        return result.turns, result

    return run


def our_turn_by_turn():
    """The same loop as theirs."""
    start = Position()

    def run():
        choose, turns, ends = random.Random(1).random, 0, []
        for _ in range(GAMES):
            position = start
            while legal := position.legal:
                position = position.play(legal[int(choose() * len(legal))], legal[int(choose() * len(legal))])
                turns += 1
            ends.append(position)
        return turns, ends

    return run


@pytest.mark.parametrize(("theirs", "ours"), [(by_its_bots, our_playouts), (turn_by_turn, our_turn_by_turn)])
def test_openspiel_beside_ours(timed, benchmark, theirs, ours):
    run, our_run = theirs(), ours()
    work, returns = run()
    assert work == GAMES * TURNS
    assert all(black + white == 0 for black, white in returns)
    assert len(set(returns)) > 1
    timed(theirs.__name__, "turns", Prepared(run, returns))

    our_result = our_run()
    ratios = []
    for _ in range(7):
        start = time.perf_counter()
        assert our_run() == our_result
        middle = time.perf_counter()
        run()
        ratios.append((our_result[0] / (middle - start)) / (work / (time.perf_counter() - middle)))
    benchmark.extra_info.update(ratio=statistics.median(ratios), worst_ratio=min(ratios), ratio_of=ours.__name__)
    print(f"\n{ours.__name__} against {theirs.__name__}: {statistics.median(ratios):.1f} (least {min(ratios):.1f})")
