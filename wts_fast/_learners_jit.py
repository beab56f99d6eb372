"""How one player learns at one node of a tree of simultaneous moves, from his own squares and what they came to.

The rules are those compared by Bošanský, Lisý, Lanctot, Čermák and Winands, *Algorithms for computing strategies in
two-player simultaneous move games*, Artificial Intelligence 237 (2016), 4.4 and 4.5; results are in [-1, 1]:

* `DUCT`, decoupled UCT: UCB1 for each player by himself (Kocsis and Szepesvári 2006; Finnsson and Björnsson 2008), near
  ties broken at random. The strategy is how often a square was taken. It does not converge to an equilibrium: Shafiei,
  Sturtevant and Schaeffer (2009) show it for rock, paper, scissors with biased payoffs.
* `RM`, regret matching on the estimated matrix of the node (Hart and Mas-Colell 2000; Lanctot, Lisý and Winands 2013).
  The paper's X / n is not defined for a cell that was never met; here such a cell counts as the mean of the node. With
  constant exploration it ends as far from an equilibrium as the exploration takes it.
* `RM_PLUS`, the same with regrets that never fall below 0 and later strategies weighing more, the t-th t times
  (Tammelin 2014).
* `EXP3`, exponential weights over results divided by their probabilities (Auer, Cesa-Bianchi, Freund and Schapire
  2002). The exploration is left out of the average strategy.
* `OOS`, online outcome sampling: sampled counterfactual regrets, of one player in each iteration, by turns (Lisý,
  Lanctot and Bowling 2015; algorithm 6 of the first paper). The other player's strategy is what goes into his average.

A player's memory at a node of k squares is float64[width(rule) * k], zeros at first, ones for `EXP3`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import jit
from ._random_jit import next_part

__all__ = [
    "DUCT",
    "EXP3",
    "OOS",
    "RM",
    "RM_PLUS",
    "add_average",
    "first_memory",
    "learn_matrix",
    "learn_regrets",
    "learn_result",
    "learn_sample",
    "select",
    "width",
]

Array = Any  # numba arrays; what each holds stands in the docstrings
Int = Any  # whole numbers, numba's own

DUCT, RM, RM_PLUS, EXP3, OOS = range(5)

_TIE = (
    0.01  # bounds this near are a tie: in a mixed game, sizes so near say nothing, and luck keeps players out of step
)
_LARGEST = 1e100  # of a weight; its reciprocal takes them all down again
_SMALLEST = 1e-200  # as small as a weight becomes in that: never 0, so that it can come back


@jit
def width(rule: Int) -> int:
    """Return how many numbers a rule keeps for a square."""
    return 2 if rule == DUCT else 1


@jit
def first_memory(rule: Int) -> float:
    """Return what a memory is filled with at first."""
    return 1.0 if rule == EXP3 else 0.0


@jit
def _positive(regrets: Array) -> float:
    total = 0.0
    for i in range(regrets.size):
        total += max(0.0, regrets[i])
    return total


@jit
def _take(parts: Array, target: float) -> int:
    """Return the index on which `target`, from 0 to the sum of the positive parts, falls."""
    reached = 0.0
    chosen = 0
    for i in range(parts.size):
        if parts[i] > 0.0:
            reached += parts[i]
            chosen = i
            if target < reached:
                break
    return chosen


@jit
def select(rule: Int, memory: Array, k: Int, explore: float, times: Int, rng: Array) -> tuple[int, float, float]:
    """Choose a square.

    Parameters
    ----------
    explore : float
        `DUCT`: the factor of the bound; the others: how often a square is chosen at random.
    times : int
        How often a choice has been made at this node.

    Returns
    -------
    tuple[int, float, float]
        The square, its probability by the strategy, and with exploration.
    """
    if rule == DUCT:
        # Squares not taken yet have no bound: they come first.
        log = np.log(max(1.0, float(times)))
        best = -np.inf
        ties = 0
        chosen = 0
        for i in range(k):
            bound = 1e300 if memory[i] == 0.0 else memory[k + i] / memory[i] + explore * np.sqrt(log / memory[i])
            if bound > best + _TIE:
                best = bound
                ties = 1
                chosen = i
            elif bound >= best - _TIE:
                # The r-th of equals replaces the one before with chance 1 / r: each is as likely in the end.
                ties += 1
                if next_part(rng) * ties < 1.0:
                    chosen = i
        return chosen, 1.0, 1.0
    total = _positive(memory)
    if explore > 0.0 and next_part(rng) < explore:
        chosen = int(next_part(rng) * k)
    elif total > 0.0:
        chosen = _take(memory, next_part(rng) * total)
    else:
        chosen = int(next_part(rng) * k)
    own = max(0.0, memory[chosen]) / total if total > 0.0 else 1.0 / k
    return chosen, own, (1.0 - explore) * own + explore / k


@jit
def add_average(rule: Int, memory: Array, k: Int, chosen: Int, weight: float, average: Array) -> None:
    """Add the strategy of this moment, without exploration, to the sum whose share is the average strategy."""
    if rule == DUCT:
        average[chosen] += weight
        return
    total = _positive(memory)
    if total > 0.0:
        for i in range(k):
            average[i] += weight * max(0.0, memory[i]) / total
    else:
        for i in range(k):
            average[i] += weight / k


@jit
def learn_result(rule: Int, memory: Array, k: Int, chosen: Int, chance: float, explore: float, result: float) -> None:
    """Learn by `DUCT` or `EXP3` what the chosen square came to for its player, chosen with probability `chance`."""
    if rule == DUCT:
        memory[chosen] += 1.0
        memory[k + chosen] += result
        return
    memory[chosen] *= np.exp(explore / k * (0.5 + 0.5 * result) / chance)
    if memory[chosen] > _LARGEST:
        for i in range(k):
            memory[i] = max(_SMALLEST, memory[i] / _LARGEST)


@jit
def learn_regrets(rule: Int, memory: Array, chosen: Int, means: Array, result: float) -> None:
    """Learn by `RM` or `RM_PLUS`: `means[i]`, what square i comes to for the player against the other's square."""
    least = 0.0 if rule == RM_PLUS else -np.inf
    for i in range(memory.size):
        gain = 0.0 if i == chosen else means[i] - result
        memory[i] = max(least, memory[i] + gain)


@jit
def learn_sample(memory: Array, chosen: Int, tail: float, own: float, sampled: float, result: float) -> None:
    """Learn by `OOS`.

    `own` is the probability, by the player's strategy, of what he did from this node to the end, `tail` the same from
    the next node, and `sampled` that of choosing it from this node on.
    """
    weight = result / sampled
    for i in range(memory.size):
        memory[i] -= weight * own
    memory[chosen] += weight * tail


@jit
def learn_matrix(rule: Int, payoff: Array, explore: float, iterations: Int, rng: Array, averages: Array) -> None:
    """Learn one matrix game, float64[k, k]: `averages`, float64[2, k], gets the sums of both players' strategies.

    What a tree does at its root, were every turn the last: this is how the rules are tested on games of textbooks.
    """
    k = payoff.shape[0]
    memories = np.full((2, width(rule) * k), first_memory(rule))
    met = np.zeros((k, k), np.bool_)
    total = 0.0
    means = np.empty(k)
    for t in range(iterations):
        learner = t % 2
        explore_black = 0.0 if rule == OOS and learner == 1 else explore
        explore_white = 0.0 if rule == OOS and learner == 0 else explore
        a, own_a, chance_a = select(rule, memories[0], k, explore_black, t, rng)
        b, own_b, chance_b = select(rule, memories[1], k, explore_white, t, rng)
        weight = t + 1.0 if rule == RM_PLUS else 1.0
        if rule != OOS or learner == 1:
            add_average(rule, memories[0], k, a, weight, averages[0])
        if rule != OOS or learner == 0:
            add_average(rule, memories[1], k, b, weight, averages[1])
        result = payoff[a, b]
        if rule in (DUCT, EXP3):
            learn_result(rule, memories[0], k, a, chance_a, explore, result)
            learn_result(rule, memories[1], k, b, chance_b, explore, -result)
        elif rule == OOS:
            if learner == 0:
                learn_sample(memories[0], a, 1.0, own_a, chance_a, result)
            else:
                learn_sample(memories[1], b, 1.0, own_b, chance_b, -result)
        else:
            mean = total / max(1, t)
            met[a, b] = True
            for i in range(k):
                means[i] = payoff[i, b] if met[i, b] else mean
            learn_regrets(rule, memories[0], a, means, result)
            for i in range(k):
                means[i] = -payoff[a, i] if met[a, i] else -mean
            learn_regrets(rule, memories[1], b, means, -result)
        total += result
