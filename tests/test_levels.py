"""Levels: each is legal, repeatable, sees what it says it sees, and is weaker than the next."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wts_fast as wts
from wts_fast import levels, matrix
from wts_fast.errors import GameOver, LimitError, WtsError
from wts_fast.evaluation import payoffs
from wts_fast.levels import LEVELS, Choice, choose
from wts_fast.match import play_match
from wts_fast.match.players import make, specification
from wts_fast.squares import parse_square, square_name
from wts_fast.threats import threats

ROOT = Path(__file__).resolve().parents[1]
NUMBERS = tuple(range(1, len(LEVELS) + 1))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Level 8 with fewer nodes: these tests are about what it does with them."""
    small = [dataclasses.replace(level, _nodes=min(level._nodes, 400)) for level in LEVELS]
    monkeypatch.setattr(levels, "LEVELS", tuple(small))


def positions(number: int, seed: int) -> list[wts.Position]:
    """Positions of random games, none of them over."""
    rng = random.Random(seed)
    found: list[wts.Position] = []
    while len(found) < number:
        position = wts.Position()
        for _ in range(rng.randrange(40)):
            if position.outcome is None:
                position = position.play(rng.choice(position.legal), rng.choice(position.legal))
        if position.outcome is None:
            found.append(position)
    return found


def names(choice: Choice) -> set[str]:
    """The squares that a level may play."""
    return {square_name(s) for s in np.flatnonzero(choice.strategy).tolist()}


def test_there_are_eight_levels_with_a_name_and_a_sentence_each() -> None:
    assert [level.number for level in LEVELS] == [1, 2, 3, 4, 5, 6, 7, 8]
    for lang in ("en", "de"):
        assert len({level.name[lang] for level in LEVELS}) == 8
        for level in LEVELS:
            assert set(level.name) == set(level.about) == {"en", "de"}
            assert 20 < len(level.about[lang]) < 130
            assert level.about[lang].endswith(".")


def test_how_a_level_is_made_weaker_is_not_shown() -> None:
    assert "nodes" not in repr(LEVELS[0])
    assert "budget" not in repr(LEVELS[0])


@pytest.mark.parametrize("number", NUMBERS)
def test_strategies_are_legal_and_squares_come_from_them(number: int) -> None:
    for index, position in enumerate(positions(12, seed=number)):
        choice = choose(position, index % 2, number, seed=index)
        assert choice.strategy.shape == (81,)
        assert choice.strategy.min() >= 0
        assert choice.strategy.sum() == pytest.approx(1, abs=1e-9)
        assert set(np.flatnonzero(choice.strategy).tolist()) <= set(position.legal)
        assert choice.strategy[choice.square] > 0
        assert -1 <= choice.value <= 1
        assert not choice.strategy.flags.writeable


@pytest.mark.parametrize("number", NUMBERS)
def test_the_same_seed_gives_the_same_square(number: int) -> None:
    for position in positions(4, seed=100 + number):
        one, other = (choose(position, 1, number, seed=7) for _ in range(2))
        assert one.square == other.square
        assert np.array_equal(one.strategy, other.strategy)


def test_seeds_turns_colours_and_levels_draw_apart() -> None:
    """One seed for a whole game must not draw the same place of the mixture again and again."""
    position = wts.Position()
    assert len({choose(position, 0, 1, seed=seed).square for seed in range(100)}) > 20
    played = positions(60, seed=5)
    ranks = {np.searchsorted(p.legal, choose(p, 0, 1, seed=1).square) / len(p.legal) for p in played}
    assert len(ranks) > 15
    # A draw that colours shared would let a player read the engine's from its own.
    quiet = [p for p in played if choose(p, 0, 1, seed=1).square != choose(p, 1, 1, seed=1).square]
    assert len(quiet) > 20


def test_squares_follow_the_strategy() -> None:
    position = wts.Position("9/9/9/9/2bbbb3/9/9/9/w1w1w4 -")
    choice = choose(position, 1, 3, seed=0)
    drawn = [choose(position, 1, 3, seed=seed).square for seed in range(2000)]
    for square in np.flatnonzero(choice.strategy).tolist():
        assert drawn.count(square) / 2000 == pytest.approx(float(choice.strategy[square]), abs=0.05)


# ---------------------------------------------------------------- fives

OPEN_FOUR = "9/9/9/9/2bbbb3/9/9/9/w1w1w4 -"
CLOSED_FOUR = "9/9/9/9/wbbbb4/9/9/9/w1w6 -"
TWO_FOURS = "9/9/w1w6/9/wbbbb4/9/9/9/wbbbb4 -"
CAPTURE_HATCHES = "9/9/9/2w6/bbbbe4/2ww5/2w6/9/9 E5"


@pytest.mark.parametrize("number", NUMBERS[1:])
@pytest.mark.parametrize("text", [OPEN_FOUR, TWO_FOURS])
def test_from_level_2_a_five_that_cannot_be_stopped_is_taken(number: int, text: str) -> None:
    position = wts.Position(text)
    fives = {square_name(c.square) for c in threats(position).black.completions}
    assert len(fives) == 2
    assert names(choose(position, 0, number, seed=1)) <= fives


@pytest.mark.parametrize("number", NUMBERS[1:])
@pytest.mark.parametrize("text", [OPEN_FOUR, CLOSED_FOUR, TWO_FOURS])
def test_from_level_2_a_five_of_the_other_side_is_stopped(number: int, text: str) -> None:
    position = wts.Position(text)
    stops = {square_name(s) for c in threats(position).black.completions for s in c.stopped_by}
    assert names(choose(position, 1, number, seed=1)) <= stops


@pytest.mark.parametrize("number", NUMBERS[1:])
@pytest.mark.parametrize("text", [OPEN_FOUR, CLOSED_FOUR])
def test_colours_are_treated_alike(number: int, text: str) -> None:
    mirrored = text.translate(str.maketrans("bw", "wb"))
    for colour in (0, 1):
        one = choose(wts.Position(text), colour, number, seed=1)
        other = choose(wts.Position(mirrored), 1 - colour, number, seed=1)
        assert names(one) == names(other)
        assert one.value == pytest.approx(-other.value, abs=0.02)


@pytest.mark.parametrize("number", NUMBERS[1:7])
def test_sure_fives_of_random_games_are_stopped_or_raced(number: int) -> None:
    met = 0
    for position in positions(150, seed=number):
        found = threats(position)
        for colour, own, other in ((0, found.black, found.white), (1, found.white, found.black)):
            if not other.completions:
                continue
            met += 1
            answers = {s for c in other.completions for s in c.stopped_by} | {c.square for c in own.completions}
            chosen = np.flatnonzero(choose(position, colour, number, seed=1).strategy).tolist()
            assert set(chosen) <= answers, str(position)
    assert met >= 5


def test_a_five_by_capture_and_hatching_is_seen() -> None:
    position = wts.Position(CAPTURE_HATCHES)
    for number in NUMBERS[1:7]:
        assert choose(position, 0, number, seed=1).strategy[parse_square("C2")] > 0.49
        assert names(choose(position, 1, number, seed=1)) == {"C2"}


def test_level_1_overlooks_a_five_at_times_and_not_as_a_rule() -> None:
    missed = 1 - float(choose(wts.Position(CLOSED_FOUR), 1, 1, seed=1).strategy[41])
    assert 0.05 < missed < 0.4


@pytest.mark.parametrize("number", NUMBERS[:6])
def test_little_is_given_away_on_average(number: int) -> None:
    """By what this turn leads to, against the other side's equilibrium: at most the budget, which shrinks by level."""
    lost = []
    for position in positions(40, seed=300):
        cells = payoffs(position).astype(np.float64)
        solution = matrix.solve(cells)
        choice = choose(position, 0, number, seed=1)
        lost.append(solution.value - float(choice.strategy[list(position.legal)] @ (cells @ solution.white)))
    # A level that sees fives stops a single one at once, which the equilibrium may leave for a turn.
    assert np.mean(lost) < (0.2, 0.3, 0.2, 0.12, 0.05, 0.01)[number - 1] + 0.02
    assert np.max(lost) < 0.5


@pytest.mark.parametrize("number", NUMBERS[1:])
def test_no_square_that_throws_the_game_away_is_played(number: int) -> None:
    position = wts.Position(CLOSED_FOUR)
    for square in np.flatnonzero(choose(position, 1, number, seed=1).strategy).tolist():
        assert min(payoffs(position)[:, position.legal.index(square)]) > -1
        assert max(payoffs(position)[:, position.legal.index(square)]) < 1


# ---------------------------------------------------------------- the ladder


@pytest.mark.parametrize("number", range(1, 7))
def test_each_level_beats_the_one_before(number: int) -> None:
    """The measured ladder, with fewer games; level 7 and 8 take longer and stand in docs/levels.md."""
    other = f"level:{number - 1}" if number > 1 else "random"
    found = play_match(f"level:{number}", other, games=40, seed=11).adjusted
    assert found is not None
    assert found.score > 0.55


def test_the_page_shows_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of docs/levels.md are those that bench/levels.py makes of the saved games, and they are monotone."""
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    import ladder
    import levels as script

    saved = ladder.Ladder(script.RESULTS)
    text = script.PAGE.read_text(encoding="utf-8")
    assert script.page(text, saved) == text
    for step in script.STEPS:
        games, _plain, less = saved.found(step)
        assert games >= 20
        assert less.score > 0.5, f"level {step.name}"


def test_a_level_plays_matches_by_its_own_mixture() -> None:
    position = wts.Position(CLOSED_FOUR)
    player = make(specification("level:3"))
    answer = player.ask(position, 1, 5, lambda: False)
    assert dict(answer.white) == {41: 1.0}
    assert answer.black == {}


@pytest.mark.parametrize("text", ["level", "level:", "level:0", "level:9", "level:03", "level:3,nodes=5", "level:３"])
def test_players_that_are_no_level_are_refused(text: str) -> None:
    with pytest.raises(WtsError) as caught:
        specification(text)
    assert caught.value.code == "player-setting"


# ---------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("colour", {"colour": 2}),
        ("colour", {"colour": True}),
        ("colour", {"colour": "black"}),
        ("level", {"level": 0}),
        ("level", {"level": 9}),
        ("level", {"level": 1.0}),
        ("seed", {"seed": -1}),
        ("seed", {"seed": 2**64}),
        ("seed", {"seed": None}),
    ],
)
def test_arguments_out_of_range_are_named(field: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(LimitError) as caught:
        choose(wts.Position(), **{"colour": 0, "level": 1, "seed": 1, **arguments})
    assert caught.value.field == field


def test_where_the_game_is_over_nothing_is_chosen() -> None:
    over = wts.Position("8w/8w/7ww/9/bbbbb4/9/9/9/b2b5 -")
    with pytest.raises(GameOver):
        choose(over, 0, 3, seed=1)
    with pytest.raises(WtsError):
        choose("start", 0, 3, seed=1)


def test_an_oracle_position_will_do() -> None:
    assert choose(wts.oracle.Position(CLOSED_FOUR), 1, 4, seed=1).square == 41


@pytest.mark.parametrize("number", NUMBERS)
def test_the_last_square_is_played(number: int) -> None:
    text = "wwbwwwwbb/wbwwbwbbb/bbwbbwbwb/bbbbwbwww/wwbbwbwbb/bbwwbwwbb/wwbwbwbwb/ebwwbbwbw/bbwbwwww1 A2"
    position = wts.Position(text)
    if position.outcome is None:
        assert names(choose(position, 0, number, seed=1)) == {"I1"}


def test_a_search_that_is_stopped_still_gives_a_legal_square() -> None:
    choice = choose(wts.Position(), 0, 8, seed=1, should_stop=lambda: True)
    assert choice.strategy.sum() == pytest.approx(1)
