"""Threats are what one turtle alone can do: against the oracle's clauses with one turtle, on all squares."""

from __future__ import annotations

from random import Random

import pytest

from wts_fast import _kernel, oracle
from wts_fast.fuzz.generate import GENERATORS, choose_turn, game_seed, make_plan
from wts_fast.squares import COLOURS, square_name
from wts_fast.state import Outcome
from wts_fast.threats import threats

WINS = {"black": Outcome.BLACK, "white": Outcome.WHITE}


def alone(state, colour, square):
    """The oracle's captures and hatching after one turtle has landed and the other player has not: takes, hatches,
    and whether `colour` has more winning turtles then."""
    pieces, eggs = oracle.lay_out(state), [oracle.place_of(s) for s in state.eggs]
    pieces[oracle.place_of(square)] = colour
    captures = oracle.find_captures(pieces, oracle.place_of(square))
    oracle.remove_victims(pieces, eggs, captures)
    takes, claims, hatches = [c.victims for c in captures], len(captures), []
    while eggs and claims:
        claims -= 1
        oldest = eggs.pop(0)
        pieces[oldest] = colour
        hatches.append(oracle.square_of(oldest))
        captures = oracle.find_captures(pieces, oldest)
        oracle.remove_victims(pieces, eggs, captures)
        claims += len(captures)
    after = oracle.Position.from_state(oracle.gather(pieces, eggs))
    counts = {c: len(after.winning(c)) for c in COLOURS}
    return takes, hatches, counts[colour] > max(n for c, n in counts.items() if c != colour)


def fuzzed(seed, kind):
    """A position some turns into a fuzz game, its game not over."""
    plan = make_plan(game_seed(seed, 0), kind)
    position = _kernel.Position.from_state(plan.state)
    for turn in range(Random(seed).randrange(12)):
        state = position.state
        board = [0] * 81
        for code, squares in ((1, state.black), (2, state.white), (3, state.eggs)):
            for s in squares:
                board[s] = code
        after = position.play(*choose_turn(plan, position.legal, board, turn))
        if after.outcome is not None:
            break
        position = after
    return position


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", GENERATORS)
def test_threats_are_what_one_turtle_alone_can_do(kind, seed):
    position = fuzzed(seed, kind)
    slow = oracle.Position.from_state(position.state)
    found = threats(position)
    for colour in COLOURS:
        side = found.side(colour)
        offers = {o.square: o for o in side.offers}
        completions = {c.square: c for c in side.completions}
        victims = set()
        for square in position.legal:
            takes, hatches, wins = alone(position.state, colour, square)
            if len(position.legal) > 8:  # else there may be no reply that takes no part
                assert (square in completions) == wins, (str(position), colour, square_name(square))
                assert not takes or offers[square].hatches == tuple(hatches), (str(position), square_name(square))
            if len(position.legal) > 1:
                assert (offers[square].takes if square in offers else ()) == tuple(takes), str(position)
                victims |= {(min(pair), max(pair), square) for pair in takes}
            if square in completions:
                stops = completions[square].stopped_by
                assert square in stops
                for reply in position.legal:
                    joint = (square, reply) if colour == "black" else (reply, square)
                    assert (slow.play(*joint).outcome is WINS[colour]) == (reply not in stops)
        other = set(position.state.white if colour == "black" else position.state.black)
        dangers = found.side("white" if colour == "black" else "black").dangers
        assert {(*d.pair, s) for d in dangers for s in d.by} == {v for v in victims if other & set(v[:2])}


def test_the_generators_make_threats_of_every_kind():
    """So that the test above has something to compare."""
    seen = {"completions": 0, "offers": 0, "hatches": 0, "dangers": 0, "stops": 0}
    for kind in GENERATORS:
        for seed in range(4):
            found = threats(fuzzed(seed, kind))
            for side in (found.black, found.white):
                seen["completions"] += len(side.completions)
                seen["offers"] += len(side.offers)
                seen["hatches"] += any(o.hatches for o in side.offers)
                seen["dangers"] += len(side.dangers)
                seen["stops"] += any(len(c.stopped_by) > 1 for c in side.completions)
    assert min(seen.values()) >= 5, seen


def test_both_engines_tell_the_same_and_colours_swap():
    text = "9/2w4b1/6w2/5w3/1bww5/9/7e1/6b2/9 H3"
    found = threats(_kernel.Position(text))
    assert found == threats(oracle.Position(text))
    swapped = threats(_kernel.Position(text).transform("identity", swap_colours=True))
    assert (swapped.black, swapped.white) == (found.white, found.black)


def test_an_offer_names_what_it_takes_and_what_hatches():
    found = threats(_kernel.Position("9/2w4b1/6w2/5w3/1bww5/9/7e1/6b2/9 H3")).to_dict()
    offer = {"square": "E5", "takes": [["F6", "G7"], ["D5", "C5"]], "hatches": ["H3"]}
    assert offer in found["black"]["offers"]
    assert {"pair": ["C5", "D5"], "by": ["E5"]} in found["white"]["dangers"]


def test_a_capture_that_breaks_the_row_is_named_as_a_stop():
    found = threats(_kernel.Position("9/9/1w7/2b6/2bbbb3/9/9/9/9 -"))
    stops = {square_name(c.square): {square_name(s) for s in c.stopped_by} for c in found.black.completions}
    assert stops == {"B5": {"B5", "E4"}, "G5": {"G5", "E4"}}


def test_nothing_is_threatened_when_the_game_is_over():
    found = threats(_kernel.Position("9/9/9/9/2bbbbb2/9/9/9/9 -"))
    assert found.black == found.white
    assert found.to_dict()["black"] == {"completions": [], "offers": [], "dangers": []}
