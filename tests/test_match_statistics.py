"""Scores, Elo, intervals, the sequential test and the luck-adjusted score, each against something independent."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from wts_fast import Position
from wts_fast.errors import LimitError
from wts_fast.match import luck, statistics
from wts_fast.squares import parse_square

ENDGAMES = json.loads((Path(__file__).parent / "data" / "endgames.json").read_text(encoding="utf-8"))
SCORES = statistics.PAIR_SCORES


def draw_counts(rng: random.Random, parts: Sequence[float], pairs: int) -> list[int]:
    drawn = rng.choices(range(5), parts, k=pairs)
    return [drawn.count(k) for k in range(5)]


def mean(parts: Sequence[float]) -> float:
    return sum(p * a for p, a in zip(parts, SCORES, strict=True))


@pytest.mark.parametrize("elo", [-800.0, -100.0, 0.0, 35.0, 400.0])
def test_elo_and_score_are_inverse(elo: float) -> None:
    assert statistics.elo_of_score(statistics.score_of_elo(elo)) == pytest.approx(elo, abs=1e-9)
    assert statistics.score_of_elo(elo) + statistics.score_of_elo(-elo) == pytest.approx(1.0)


def test_the_pairs_are_counted_by_their_sum() -> None:
    every = list(itertools.product((0.0, 0.5, 1.0), repeat=2))
    assert statistics.pair_counts(every) == (1, 2, 3, 2, 1)


@pytest.mark.parametrize(
    "parts",
    [
        (0.05, 0.1, 0.4, 0.25, 0.2),
        (0.2, 0.0, 0.6, 0.0, 0.2),
        (0.0, 0.02, 0.1, 0.1, 0.78),
        (0.0, 0.0, 0.02, 0.0, 0.98),
        (0.0, 0.05, 0.9, 0.05, 0.0),
    ],
)
@pytest.mark.parametrize("pairs", [12, 100])
def test_the_interval_holds_the_truth_as_often_as_it_says(parts: Sequence[float], pairs: int) -> None:
    rng = random.Random(f"{parts} {pairs}")
    found = [statistics.estimate(draw_counts(rng, parts, pairs)) for _ in range(1000)]
    held = sum(e.lower <= mean(parts) <= e.upper for e in found)
    # 95 % of 1000, less four standard deviations and a little for few pairs.
    assert held >= 910, f"only {held} of 1000"


def test_the_interval_narrows_with_the_root_of_the_pairs() -> None:
    few, many = (statistics.estimate([n, 2 * n, 4 * n, 2 * n, n]) for n in (10, 1000))
    assert (few.upper - few.lower) / (many.upper - many.lower) == pytest.approx(10, rel=0.05)


def test_all_won_is_no_certainty_and_nothing_played_is_no_knowledge() -> None:
    won = statistics.estimate([0, 0, 0, 0, 10])
    assert (won.score, won.upper, won.elo, won.elo_upper) == (1.0, 1.0, math.inf, math.inf)
    assert 0.6 < won.lower < 0.8
    none = statistics.estimate([0] * 5)
    assert (none.lower, none.upper, none.elo_lower) == (0.0, 1.0, -math.inf)


def test_the_tilted_distribution_is_the_likeliest_with_its_mean() -> None:
    """Against a search among its neighbours: no step that keeps sum and mean makes the results likelier."""
    parts = (0.1, 0.2, 0.3, 0.25, 0.15)
    tilted = statistics._tilted(parts, 0.6)
    assert sum(tilted) == pytest.approx(1.0)
    assert mean(tilted) == pytest.approx(0.6)

    def likelihood(q: Sequence[float]) -> float:
        return sum(p * math.log(x) for p, x in zip(parts, q, strict=True))

    best = likelihood(tilted)
    rng = random.Random(5)
    for _ in range(300):
        i, j, k = rng.sample(range(5), 3)
        step = [0.0] * 5
        # Weights that keep both the sum and the mean.
        step[i], step[j], step[k] = (SCORES[j] - SCORES[k]), (SCORES[k] - SCORES[i]), (SCORES[i] - SCORES[j])
        size = 0.01 * rng.uniform(-1, 1)
        moved = [q + size * s for q, s in zip(tilted, step, strict=True)]
        assert min(moved) > 0
        assert likelihood(moved) <= best + 1e-12


def test_the_ratio_is_near_its_normal_form_for_many_pairs() -> None:
    counts = [100, 250, 420, 280, 130]
    number = sum(counts)
    parts = [c / number for c in counts]
    middle = mean(parts)
    variance = sum(p * (a - middle) ** 2 for p, a in zip(parts, SCORES, strict=True))
    s0, s1 = statistics.score_of_elo(0), statistics.score_of_elo(20)
    normal = number * (s1 - s0) * (2 * middle - s0 - s1) / (2 * variance)
    assert statistics.SprtTest(0, 20).state(counts).llr == pytest.approx(normal, rel=0.02)


@pytest.mark.parametrize(("elo", "accepted"), [(0.0, "H0"), (60.0, "H1")])
def test_the_test_errs_no_more_often_than_it_says(elo: float, accepted: str) -> None:
    """200 tests of H0: 0 against H1: 60 Elo at 5 %: at most 10 wrong on average, 19 within three deviations."""
    test = statistics.SprtTest(0.0, 60.0)
    parts = statistics._tilted((0.15, 0.2, 0.3, 0.2, 0.15), statistics.score_of_elo(elo))
    rng = random.Random(f"sprt {elo}")
    wrong, lengths = 0, []
    for _ in range(200):
        counts = [0] * 5
        while (state := test.state(counts)).accepted is None:
            for k in rng.choices(range(5), parts, k=4):
                counts[k] += 1
        wrong += state.accepted != accepted
        lengths.append(sum(counts))
    assert wrong <= 19
    assert max(lengths) < 2000


@pytest.mark.parametrize(
    "arguments", [(5, 5), (10, 0), (0, 10, 0), (0, 10, 0.5, 0.5), (math.nan, 1), (0, 10, 0.05, math.nan)]
)
def test_a_test_without_sense_is_refused(arguments: tuple[float, ...]) -> None:
    with pytest.raises(LimitError):
        statistics.SprtTest(*arguments)


# ---------------------------------------------------------------- luck

MOST_TURNS = 4


def junk(position: Position) -> np.ndarray:
    """A fixed value function that is wrong about everything."""
    legal = position.legal
    return np.array([[random.Random(f"{position.play(a, b)}").uniform(-1, 1) for b in legal] for a in legal])


def mixture(position: Position, colour: str) -> dict[int, float]:
    rng = random.Random(f"{position} {colour}")
    weights = [rng.random() for _ in position.legal]
    return {s: w / sum(weights) for s, w in zip(position.legal, weights, strict=True)}


def games(
    position: Position, known: tuple[bool, bool], values: luck.Values, turn: int = 0
) -> Iterator[tuple[float, float, float]]:
    """Every game from here: its probability, Black's result and what luck adds to it."""
    outcome = position.outcome
    if outcome is not None or turn == MOST_TURNS:
        yield 1.0, 0.0 if outcome is None else float(outcome.value), 0.0
        return
    black, white = mixture(position, "black"), mixture(position, "white")
    shown = [mix if told else None for mix, told in zip((black, white), known, strict=True)]
    for a, b in itertools.product(black, white):
        step = sum(luck.correction(position, *shown, (a, b), values))
        for share, result, added in games(position.play(a, b), known, values, turn + 1):
            yield black[a] * white[b] * share, result, step + added


def moments(found: list[tuple[float, float]]) -> tuple[float, float]:
    middle = math.fsum(p * x for p, x in found)
    return middle, math.fsum(p * (x - middle) ** 2 for p, x in found)


@pytest.mark.parametrize("known", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("case", ENDGAMES[:6], ids=lambda case: case["position"])
def test_luck_adjusted_results_have_the_same_expectation(case: dict[str, str], known: tuple[bool, bool]) -> None:
    """By enumeration of every game, with a value function that knows nothing."""
    every = list(games(Position(case["position"]), known, junk))
    assert math.fsum(p for p, _, _ in every) == pytest.approx(1.0)
    plain, _ = moments([(p, r) for p, r, _ in every])
    adjusted, _ = moments([(p, r + a) for p, r, a in every])
    assert adjusted == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("case", ENDGAMES[:6], ids=lambda case: case["position"])
def test_with_the_true_values_nothing_is_left_to_luck(case: dict[str, str]) -> None:
    def truth(position: Position, turn: int = 0) -> float:
        return math.fsum(p * r for p, r, _ in games(position, (False, False), junk, turn))

    # The value function does not see the turn number; boards tell it as long as nothing is captured.
    depth: dict[str, int] = {case["position"]: 0}

    def values(position: Position) -> np.ndarray:
        turn = depth[str(position)] + 1
        table = [[position.play(a, b) for b in position.legal] for a in position.legal]
        for after in itertools.chain(*table):
            assert depth.setdefault(str(after), turn) == turn
        return np.array([[truth(after, turn) for after in line] for line in table])

    every = list(games(Position(case["position"]), (True, True), values))
    assert moments([(p, r + a) for p, r, a in every])[1] < 1e-20
    assert moments([(p, r) for p, r, _ in every])[1] > 0.01


def test_values_by_the_evaluation_are_exact_where_the_game_ends() -> None:
    position = Position("9/9/9/2w6/bbbbe4/2ww5/2w6/9/9 E5")
    c2 = position.legal.index(parse_square("C2"))
    values = luck.evaluation_values()
    assert values(position)[c2, 0] == 1.0
    # Nothing was left to chance.
    assert luck.correction(position, {11: 1.0}, {0: 1.0}, (11, 0), values) == (0.0, 0.0)
    # A coin between winning and some other square, and winning came up: half of the difference is taken back.
    other = values(position)[0, 0]
    found = luck.correction(position, {11: 0.5, 0: 0.5}, {0: 1.0}, (11, 0), values)
    assert found == pytest.approx((-0.5, other / 2))


@pytest.mark.parametrize("quality", [1.0, 0.5, 0.0, -0.5])
@pytest.mark.parametrize("pairs", [3, 40])
def test_the_share_of_luck_taken_back_keeps_the_mean(quality: float, pairs: int) -> None:
    """A known truth, value functions from perfect to contrary: the mean of many matches is that truth."""
    rng = np.random.default_rng([pairs, int(10 * quality) + 10])
    means, reductions = [], []
    for _ in range(3000):
        dice = rng.choice([-0.25, 0.25], (pairs, 4), p=[0.4, 0.6]) - 0.05
        scores = 0.55 + dice[:, :2].sum(1)
        added = np.stack([-quality * dice[:, 0] - 0.3 * dice[:, 2], -quality * dice[:, 1] - 0.3 * dice[:, 3]], 1)
        found = statistics.adjusted(scores.tolist(), added.tolist())
        means.append(found.score)
        reductions.append(found.reduction or 0.0)
    error = np.std(means) / len(means) ** 0.5
    assert abs(np.mean(means) - 0.55) < 4 * error
    if pairs == 40:
        assert np.mean(reductions) > (-0.1 if quality == 0.0 else 0.4)


def test_the_summary_counts_the_games_that_are_saved() -> None:
    scores, added = [0.5, 1.0, 0.25, 0.75] * 10, [(0.1, 0.0), (-0.4, 0.2), (0.35, -0.1), (-0.15, 0.1)] * 10
    found = statistics.adjusted(scores, added)
    assert found.variance is not None
    assert found.plain_variance is not None
    assert found.variance < 0.1 * found.plain_variance
    assert found.reduction == pytest.approx(1 - found.variance / found.plain_variance)
    assert found.games_saved == pytest.approx(80 * (found.plain_variance / found.variance - 1))
    assert (found.upper - found.lower) / 2 == pytest.approx(1.96 * (found.variance / 40) ** 0.5, rel=1e-3)
