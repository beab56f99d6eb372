"""What must hold of every position and every turn, on both engines: symmetry, round trips, conservation, keys."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wts_fast import oracle
from wts_fast._kernel import Position as Kernel
from wts_fast.fuzz.boards import splitmix64, winning_squares
from wts_fast.fuzz.check import check_engine, compare_positions, compare_turn, rebuild
from wts_fast.fuzz.generate import game_seed, make_plan
from wts_fast.notation import format_state, parse_position
from wts_fast.squares import NUM_SQUARES
from wts_fast.state import Capture, Dissolve, Hatch, Outcome, Row, State

ENGINES = [pytest.param(oracle.Position, id="oracle"), pytest.param(Kernel, id="kernel")]
SQUARES = range(NUM_SQUARES)


@st.composite
def states(draw: st.DrawFn) -> State:
    """Any state that a board can hold."""
    order = draw(st.permutations(SQUARES))
    black, white, eggs = sorted(draw(st.tuples(*[st.integers(0, NUM_SQUARES)] * 3)))
    return State(tuple(sorted(order[:black])), tuple(sorted(order[black:white])), tuple(order[white:eggs]))


@st.composite
def turns(draw: st.DrawFn) -> tuple[State, int, int]:
    """A position of the fuzzer's generators and a turn in it, planted squares preferred."""
    plan = make_plan(game_seed(draw(st.integers(0, 2**64 - 1)), 0))
    occupied = {s for squares in plan.state for s in squares}
    free = [s for s in SQUARES if s not in occupied]
    black, white = ([s for s in hot if s in free] or free for hot in plan.hot)
    return plan.state, draw(st.sampled_from(black)), draw(st.sampled_from(white))


@settings(deadline=None, max_examples=150)
@given(states())
def test_both_engines_see_the_same_in_any_state(state: State) -> None:
    fast, slow = Kernel.from_state(state), oracle.Position.from_state(state)
    assert compare_positions(fast, slow) is None
    assert rebuild(fast) is None
    assert parse_position(format_state(state)) == state
    counts = [len(winning_squares(squares)) for squares in state[:2]]
    assert (len(slow.winning("black")), len(slow.winning("white"))) == tuple(counts)
    full = sum(map(len, state)) == NUM_SQUARES
    equal = Outcome.DRAW if full else None
    assert slow.outcome is (
        Outcome.BLACK if counts[0] > counts[1] else Outcome.WHITE if counts[1] > counts[0] else equal
    )
    occupied = {s for squares in state for s in squares}
    assert slow.legal == (() if slow.outcome else tuple(s for s in SQUARES if s not in occupied))


@pytest.mark.parametrize("engine", ENGINES)
def test_t08_symmetries_and_colour_swap_of_a_turn(engine: Any) -> None:
    @settings(deadline=None, max_examples=25)
    @given(turns())
    def check(turn: tuple[State, int, int]) -> None:
        state, black, white = turn
        difference = check_engine(engine.from_state(state), black, white)
        assert difference is None, f"{difference} in {format_state(state)} {black} {white}"

    check()


@settings(deadline=None, max_examples=150)
@given(turns())
def test_a_turn_conserves_what_it_should(turn: tuple[State, int, int]) -> None:
    state, black, white = turn
    fast, slow = Kernel.from_state(state), oracle.Position.from_state(state)
    _, after, events, difference = compare_turn(fast, slow, black, white)
    assert difference is None, str(difference)
    if black == white:
        assert after.state == state._replace(eggs=(*state.eggs, black))
        return
    victims = {v for e in events if isinstance(e, Capture) for v in e.victims}
    dissolved = {e.square for e in events if isinstance(e, Dissolve)}
    hatched = {e.square for e in events if isinstance(e, Hatch)}
    before = {*state.black, *state.white, *state.eggs, black, white}
    assert {*after.black, *after.white, *after.eggs} == before - victims - dissolved
    # R3, R15: eggs keep their order; those that leave by claims are the oldest of those not captured.
    assert after.eggs == tuple(e for e in state.eggs if e not in victims | dissolved | hatched)
    served = [e.square for e in events if isinstance(e, (Hatch, Dissolve))]
    assert served == [e for e in state.eggs if e in served]
    for colour in ("black", "white"):
        rows = {s for e in events if isinstance(e, Row) and e.colour == colour for s in e.squares}
        assert rows == set(after.winning(colour))


# T14: keys and equality


def test_t14_all_words_of_the_key_are_different_and_not_zero() -> None:
    kinds = [State(black=(s,)) for s in SQUARES] + [State(white=(s,)) for s in SQUARES]
    words = [Kernel.from_state(state).key for state in kinds]
    previous: tuple[int, ...] = ()
    for rank in SQUARES:
        # The eggs below are the same for every square of the rank, so their words cancel out.
        below = Kernel.from_state(State(eggs=previous)).key
        free = [s for s in SQUARES if s not in previous]
        words += [Kernel.from_state(State(eggs=(*previous, s))).key ^ below for s in free]
        previous = (*previous, rank)
    assert words[: 3 * NUM_SQUARES] == [splitmix64(i * 0x9E3779B97F4A7C15) for i in range(3 * NUM_SQUARES)]
    assert 0 not in words
    assert len(set(words)) == len(words)
    assert Kernel().key == oracle.Position().key == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_t14_another_egg_order_is_another_position(engine: Any) -> None:
    one, two = engine("e8/9/9/9/9/9/9/9/8e A9,I1"), engine("e8/9/9/9/9/9/9/9/8e I1,A9")
    assert one != two
    assert one.key != two.key
    assert hash(one) != hash(two)


@pytest.mark.parametrize("seed", [1])
def test_t14_thirty_thousand_positions_are_equal_exactly_where_their_texts_are(seed: int) -> None:
    rng = random.Random(seed)
    texts: dict[Kernel, str] = {}
    keys: dict[int, str] = {}
    count = 0
    while count < 30_000:
        position = Kernel()
        while position.legal and count < 30_000:
            text = str(position)
            assert texts.setdefault(position, text) == text, f"seed {seed}"
            assert keys.setdefault(position.key, text) == text, f"seed {seed}"
            position = position.play(rng.choice(position.legal), rng.choice(position.legal))
            count += 1
    assert len(texts) == len(set(texts.values())) > 20_000


@pytest.mark.parametrize("module", ["wts_fast.oracle", "wts_fast._kernel"])
def test_t14_hashes_do_not_depend_on_the_process(module: str) -> None:
    code = f"from {module} import Position as P; p = P().play('E5', 'D4').play(3, 3); print(hash(p), p.key)"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


# T10: what is carried along equals what is computed afresh


@pytest.mark.parametrize("seed", range(4))
def test_t10_after_every_turn_of_a_game_nothing_is_stale(seed: int) -> None:
    plan = make_plan(game_seed(seed, 0), "start")
    position = Kernel()
    for _ in range(120):
        if not position.legal:
            break
        black = plan.rng.choice(position.legal)
        white = black if plan.rng.random() < 0.2 else plan.rng.choice(position.legal)
        position = position.play(black, white)
        fresh = Kernel(str(position))
        assert compare_positions(position, fresh) is None, f"seed {seed}"
        assert (fresh, hash(fresh)) == (position, hash(position)), f"seed {seed}"
        assert {position.explain(s, s).events for s in position.legal[:1]} == {
            fresh.explain(s, s).events for s in fresh.legal[:1]
        }
