"""What the results of game pairs say: score, Elo with an interval, and a test that stops by itself.

A pair is two games from one opening with the colours swapped, and counts as one observation: the two games share
their opening, and the advantage it gives cancels. Elo is the logistic one throughout.

Sources
-------
- Pairs as five categories: M. Van den Bergh, *A practical introduction to the GSPRT* and *The generalized maximum
  likelihood ratio for the expectation value of a distribution* (hardy.uhasselt.be/Fishtest), as Fishtest uses them.
- The test: A. Wald, *Sequential tests of statistical hypotheses*, Ann. Math. Statist. 16 (1945), with the likelihood
  ratio generalised as by X. Li, J. Liu and Z. Ying, *Generalized sequential probability ratio test for separate
  families of hypotheses*, Sequential Analysis 33 (2014).
- The interval: E. B. Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22 (1927).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..errors import LimitError

__all__ = [
    "Adjusted",
    "Estimate",
    "SprtState",
    "SprtTest",
    "adjusted",
    "elo_of_score",
    "estimate",
    "pair_counts",
    "score_of_elo",
]

Floats = npt.NDArray[np.float64]

#: The quantile of the normal distribution for a 95 % interval with both sides open.
Z95 = 1.959963984540054

#: Scores of a pair: both games lost to both games won.
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)


def elo_of_score(score: float) -> float:
    """Return the Elo difference at which `score` (0 to 1) is expected: infinite at both ends.

    Examples
    --------
    >>> round(elo_of_score(0.75), 2)
    190.85
    """
    if score <= 0.0:
        return -math.inf
    if score >= 1.0:
        return math.inf
    return 400.0 * math.log10(score / (1.0 - score))


def score_of_elo(elo: float) -> float:
    """Return the score that is expected at an Elo difference.

    Examples
    --------
    >>> score_of_elo(0.0)
    0.5
    """
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def pair_counts(pairs: Iterable[tuple[float, float]]) -> tuple[int, int, int, int, int]:
    """Count pairs of results (0, 0.5 or 1 each) by their sum: 0, 0.5, 1, 1.5, 2.

    Examples
    --------
    >>> pair_counts([(1.0, 0.0), (0.5, 0.5), (1.0, 1.0)])
    (0, 0, 2, 0, 1)
    """
    counts = [0] * 5
    for first, second in pairs:
        counts[round(2 * (first + second))] += 1
    return (counts[0], counts[1], counts[2], counts[3], counts[4])


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score, the Elo difference it stands for, and the 95 % interval of both.

    Attributes
    ----------
    pairs : int
        Observations.
    score, lower, upper : float
        From 0 to 1, the first player's.
    elo, elo_lower, elo_upper : float
        The same as Elo; infinite where a score is 0 or 1.
    """

    pairs: int
    score: float
    lower: float
    upper: float
    elo: float
    elo_lower: float
    elo_upper: float


def estimate(counts: Sequence[int]) -> Estimate:
    """Estimate score and Elo from counts of pairs as `pair_counts` gives them.

    The interval is Wilson's with the variance of the pairs in the place of the binomial one. One more pair, won and
    lost in equal shares, counts towards that variance: a few equal results are no certainty.

    Examples
    --------
    >>> found = estimate([1, 4, 10, 15, 10])
    >>> round(found.elo), round(found.elo_lower), round(found.elo_upper)
    (132, 66, 198)
    """
    number = sum(counts)
    if number == 0:
        return Estimate(0, 0.5, 0.0, 1.0, 0.0, -math.inf, math.inf)
    mean = sum(c * a for c, a in zip(counts, PAIR_SCORES, strict=True)) / number
    squares = sum(c * (a - mean) ** 2 for c, a in zip(counts, PAIR_SCORES, strict=True))
    variance = (squares + (mean * mean + (1 - mean) ** 2) / 2) / number
    # As a part of the binomial variance, the greatest that scores from 0 to 1 with this mean can have.
    most = mean * (1 - mean)
    ratio = min(1.0, variance / most) if most > 0 else 1.0
    spread = Z95 * Z95 * ratio / number
    middle = (mean + spread / 2) / (1 + spread)
    half = math.sqrt(spread * most + spread * spread / 4) / (1 + spread)
    lower, upper = max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half))
    return Estimate(number, mean, lower, upper, *(elo_of_score(s) for s in (mean, lower, upper)))


@dataclass(frozen=True, slots=True)
class SprtState:
    """Where a sequential test stands.

    Attributes
    ----------
    llr : float
        The logarithm of the generalised likelihood ratio, H1 over H0.
    lower, upper : float
        The bounds: at or below the first H0 is accepted, at or above the second H1.
    accepted : {"H0", "H1"} or None
        None while the test goes on.
    """

    llr: float
    lower: float
    upper: float
    accepted: Literal["H0", "H1"] | None


@dataclass(frozen=True, slots=True)
class SprtTest:
    """A generalised sequential probability ratio test on pairs: H0 "Elo is `elo0`" against H1 "Elo is `elo1`".

    Parameters
    ----------
    elo0, elo1 : float
        The two hypotheses, `elo0` below `elo1`.
    alpha, beta : float
        Probabilities of accepting H1 where H0 holds, and H0 where H1 holds: each above 0, together below 1.

    Raises
    ------
    LimitError
        If they are not so (codes ``sprt-elo``, ``sprt-errors``).

    Examples
    --------
    >>> test = SprtTest(0.0, 50.0)
    >>> test.state([2, 5, 10, 5, 2]).accepted is None, test.state([0, 2, 20, 60, 60]).accepted
    (True, 'H1')
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (-2000 <= self.elo0 < self.elo1 <= 2000):
            raise LimitError("expected elo0 below elo1, both from -2000 to 2000", code="sprt-elo", field="sprt")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise LimitError("expected alpha and beta above 0 and together below 1", code="sprt-errors", field="sprt")

    def state(self, counts: Sequence[int]) -> SprtState:
        """Return where the test stands after counts of pairs as `pair_counts` gives them."""
        lower = math.log(self.beta / (1 - self.alpha))
        upper = math.log((1 - self.beta) / self.alpha)
        llr = _llr(counts, score_of_elo(self.elo0), score_of_elo(self.elo1)) if sum(counts) else 0.0
        accepted: Literal["H0", "H1"] | None = "H1" if llr >= upper else "H0" if llr <= lower else None
        return SprtState(llr, lower, upper, accepted)


def _llr(counts: Sequence[int], score0: float, score1: float) -> float:
    """Return the log of the ratio of the greatest likelihoods with the two expected scores."""
    # A category never met gets a trace of a pair, as in Fishtest: the likelihood of a mean beyond all results is not 0.
    padded = [max(float(c), 1e-3) for c in counts]
    number = sum(padded)
    parts = [c / number for c in padded]
    first, second = (_tilted(parts, score) for score in (score0, score1))
    return number * sum(p * math.log(b / a) for p, a, b in zip(parts, first, second, strict=True))


def _tilted(parts: Sequence[float], score: float) -> list[float]:
    """Return the distribution with mean `score` under which frequencies `parts` are likeliest.

    It is ``p / (1 + t * (a - score))`` with the t that solves ``sum of p * (a - score) / (1 + t * (a - score)) = 0``;
    the left side falls as t grows, so bisection finds it.
    """
    low, high = -1.0 / (1.0 - score), 1.0 / score
    for _ in range(64):
        t = (low + high) / 2
        total = sum(p * (a - score) / (1 + t * (a - score)) for p, a in zip(parts, PAIR_SCORES, strict=True))
        if total > 0:
            low = t
        else:
            high = t
    t = (low + high) / 2
    return [p / (1 + t * (a - score)) for p, a in zip(parts, PAIR_SCORES, strict=True)]


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The luck-adjusted score of the same games, and what it is worth.

    Attributes
    ----------
    score, lower, upper : float
        The mean and its 95 % interval; single results can lie outside 0 to 1, and so can these.
    elo, elo_lower, elo_upper : float
        As Elo; infinite where a score is not between 0 and 1.
    shares : tuple of float
        Which share of each part of the luck was taken back, on average over the pairs.
    variance, plain_variance : float or None
        Of a pair's mean score, adjusted and plain; None for fewer than two pairs.
    reduction : float or None
        Which part of the plain variance is gone; None where it is unknown or 0.
    games_saved : float or None
        How many more games, with plain scores, would give an interval as narrow; negative where adjusting hurt.
    """

    score: float
    lower: float
    upper: float
    elo: float
    elo_lower: float
    elo_upper: float
    shares: tuple[float, ...]
    variance: float | None
    plain_variance: float | None
    reduction: float | None
    games_saved: float | None


#: The shares to begin with, for luck by ends of the game and all other luck, and how many pairs' worth of belief
#: there is in them.
_SHARES, _BELIEF = (1.0, 0.5), 4.0


def adjusted(scores: Sequence[float], luck: Sequence[tuple[float, float]]) -> Adjusted:
    """Take the luck out of the scores of pairs.

    Parameters
    ----------
    scores : sequence of float
        Mean results of pairs, from 0 to 1.
    luck : sequence of (float, float)
        For each pair, the two parts that `luck.correction` adds to the mean result: each has expectation 0, whatever
        the players.

    Notes
    -----
    A pair's adjusted score is its score plus a share of each part of its luck. The shares are those that give the other
    pairs the least variance, so they are independent of the pair itself, and the expectation stays what it was
    (control variates with coefficients from the other observations, as in A. B. Owen, *Monte Carlo theory, methods
    and examples*, chapter 8). The interval is the normal one, with the standard error of the adjusted mean.

    Examples
    --------
    >>> found = adjusted([0.5, 1.0, 0.25, 0.75], [(0.1, 0.0), (-0.4, 0.0), (0.35, 0.0), (-0.15, 0.0)])
    >>> round(found.score, 2), found.reduction is not None and found.reduction > 0.9
    (0.6, True)
    """
    number = len(scores)
    if number == 0:
        return Adjusted(0.5, 0.0, 1.0, 0.0, -math.inf, math.inf, _SHARES, None, None, None, None)
    parts = np.asarray(luck, np.float64)
    shares = _shares(np.asarray(scores, np.float64), parts)
    mean, variance = _moments((scores + (shares * parts).sum(1)).tolist())
    plain_variance = _moments(scores)[1]
    half = math.inf if variance is None else Z95 * math.sqrt(variance / number)
    reduction = saved = None
    if variance is not None and plain_variance:
        reduction = 1 - variance / plain_variance
        saved = 2 * number * (plain_variance / variance - 1) if variance > 0 else None
    lower, upper = mean - half, mean + half
    return Adjusted(
        score=mean,
        lower=lower,
        upper=upper,
        elo=elo_of_score(mean),
        elo_lower=elo_of_score(lower),
        elo_upper=elo_of_score(upper),
        shares=tuple(shares.mean(0).tolist()),
        variance=variance,
        plain_variance=plain_variance,
        reduction=reduction,
        games_saved=saved,
    )


def _shares(scores: Floats, parts: Floats) -> Floats:
    """Return for each pair the shares of its luck to take back, by least squares over all the other pairs."""
    begin = np.array(_SHARES)
    others = len(scores) - 1
    if others == 0:
        return begin[None, :]
    # Sums over all pairs, less the pair itself. What the beginning shares leave over is what the others must explain.
    left = scores + parts @ begin
    outer = parts[:, :, None] * parts[:, None, :]
    squares = outer.sum(0) - outer
    products = (left[:, None] * parts).sum(0) - left[:, None] * parts
    products -= ((left.sum() - left) / others)[:, None] * (parts.sum(0) - parts)
    # Belief in the beginning shares: so many pairs' worth of luck. The trace keeps luck that never came solvable.
    index = np.arange(parts.shape[1])
    squares[:, index, index] *= 1 + _BELIEF / others
    squares[:, index, index] += 1e-9 * squares.trace(axis1=1, axis2=2)[:, None] + 1e-300
    return begin - np.linalg.solve(squares, products[:, :, None])[:, :, 0]


def _moments(values: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean and the variance without bias; None for a single value."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, None
    return mean, math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)
