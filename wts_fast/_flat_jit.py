"""The jitted half of `flat`: random games behind sampled turns, and regret matching on what they came to.

Rows and columns of the payoff matrix are the empty squares, ascending. All numbers are Black's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _bridge
from ._jit import jit
from ._random_jit import begin, choose, next_part

__all__ = ["learn", "play_chunk"]

Array = Any  # numba arrays; what each holds stands in the docstrings

# numba takes what a global of this module is bound to; the types that Python sees are numba's own.
_turn: Any = _bridge.turn
_playout: Any = _bridge.playout

#: How often a player tries a square at random instead of following the strategy: new cells are seen, and in the other
#: cases every reply is tried against what the opponent really plays.
_EXPLORE = 0.25

#: Bounds for the weight, in games, of what is taken for granted before a row, a column or a cell has been played. The
#: data choose it (see `prior_games`): the spread of few games is mostly luck and is not to be believed.
_LEAST_PRIOR = 4.0
_MOST_PRIOR_EFFECT = 1e5
_MOST_PRIOR_CELL = 8.0


@jit
def play_chunk(
    root: Array,
    squares: Array,
    black: Array,
    white: Array,
    seed: Any,
    chunk: Any,
    cap: int,
    cells: Array,
    results: Array,
) -> None:
    """Play `cells.size` times one sampled turn and then a random game.

    Parameters
    ----------
    root : uint64[STATE_WORDS]
        A position with at least one empty square.
    squares : int32[k]
        Its empty squares.
    black, white : float64[k]
        The strategies to sample from.
    seed, chunk : uint64
        Together they fix every random number used.
    cap : int
        Turns after which a game counts as unfinished.
    cells : int32[nodes]
        Filled: k * row + column of each turn, and k * k more than that where neither square was tried at random.
    results : int8[nodes]
        Filled: 1, -1 or 0, and 2 for an unfinished game.
    """
    k = squares.size
    rng = np.empty(4, np.uint64)
    begin(rng, seed, chunk)
    state = np.empty_like(root)
    for node in range(cells.size):
        followed = 1
        if next_part(rng) < _EXPLORE:
            a = int(next_part(rng) * k)
            followed = 0
        else:
            a = choose(black, next_part(rng))
        if next_part(rng) < _EXPLORE:
            b = int(next_part(rng) * k)
            followed = 0
        else:
            b = choose(white, next_part(rng))
        state[:] = root
        _turn(state.ctypes, squares[a], squares[b])
        code = _playout(state.ctypes, rng.ctypes, np.int32(cap))
        cells[node] = k * (k * followed + a) + b
        if code == 1:
            results[node] = 1
        elif code == 2:
            results[node] = -1
        elif code == 3:
            results[node] = 0
        else:
            results[node] = 2


@jit
def merge(cells: Array, results: Array, games: Array, wins: Array, tally: Array) -> None:
    """Add one chunk to the totals.

    `games` and `wins` (Black's less White's) are int64[k, k]; tally is int64[4]: turns in which both strategies were
    followed, the sum and the sum of squares of their results, and unfinished games among all.
    """
    k = games.shape[0]
    for node in range(cells.size):
        result = np.int64(results[node])
        if result == 2:
            tally[3] += 1
            result = np.int64(0)
        cell = np.int64(cells[node])
        if cell >= k * k:
            cell -= k * k
            tally[0] += 1
            tally[1] += result
            tally[2] += result * result
        games[cell // k, cell % k] += 1
        wins[cell // k, cell % k] += result


@jit
def prior_games(spread: float, groups: int, played: float, noise: float, least: float, most: float) -> float:
    """Return how many games of the common mean outweigh one group's own: noise per variance between the groups.

    `spread` is the sum of games times the squared deviation of the group's mean, `noise` the variance of one game. What
    luck alone would spread, noise times the number of groups, is taken off first (the method of moments).
    """
    excess = spread - noise * groups
    if excess * most <= noise * played:
        return most
    return max(least, noise * played / excess)


@jit
def estimate(games: Array, wins: Array, effects: Array, payoff: Array, share: float) -> None:
    """Fill `payoff`, float64[k, k], with the estimated payoff matrix.

    The guess for a cell is base + row's effect + column's effect, fitted to all games by turns; the estimate
    lies between it and the mean of the cell's own games. How far each is drawn back to what is more
    common is chosen by `prior_games`. `effects`, float64[2, k], keeps the fit from one call to the next. `share` is how
    far one result scatters, as a part of what a game won or lost does: 1 for random games.
    """
    k = games.shape[0]
    played = 0
    won = 0
    for a in range(k):
        for b in range(k):
            played += games[a, b]
            won += wins[a, b]
    base = won / (played + _LEAST_PRIOR)
    noise = share * (1.0 - base * base + 1e-3)  # of a game won or lost; draws are rare
    least = share * _LEAST_PRIOR
    weight = np.empty(k)
    total = np.empty(k)
    for _ in range(2):
        for side in range(2):
            spread = 0.0
            for i in range(k):
                weight[i] = 0.0
                total[i] = 0.0
                for j in range(k):
                    a, b = (i, j) if side == 0 else (j, i)
                    weight[i] += games[a, b]
                    total[i] += wins[a, b] - games[a, b] * (base + effects[1 - side, j])
                if weight[i] > 0.0:
                    spread += total[i] * total[i] / weight[i]
            prior = prior_games(spread, k, played, noise, least, _MOST_PRIOR_EFFECT)
            for i in range(k):
                effects[side, i] = total[i] / (weight[i] + prior)
    spread = 0.0
    seen = 0
    for a in range(k):
        for b in range(k):
            payoff[a, b] = min(1.0, max(-1.0, base + effects[0, a] + effects[1, b]))
            if games[a, b] > 0:
                seen += 1
                rest = wins[a, b] - games[a, b] * payoff[a, b]
                spread += rest * rest / games[a, b]
    prior = prior_games(spread, seen, played, noise, least, _MOST_PRIOR_CELL)
    for a in range(k):
        for b in range(k):
            payoff[a, b] = (wins[a, b] + prior * payoff[a, b]) / (games[a, b] + prior)


@jit
def match_regrets(payoff: Array, memory: Array, steps: int) -> None:
    """Take steps of regret matching+ with linear averaging on a payoff matrix, for both players at once.

    `memory`, float64[5, k]: regrets of Black and of White, their summed strategies, and in [4, 0] the steps so far.
    """
    k = payoff.shape[0]
    turned = np.ascontiguousarray(payoff.T)
    strategies = np.empty((2, k))
    gains = np.empty((2, k))
    for _ in range(steps):
        memory[4, 0] += 1.0
        for side in range(2):
            total = 0.0
            for i in range(k):
                total += memory[side, i]
            for i in range(k):
                strategies[side, i] = memory[side, i] / total if total > 0.0 else 1.0 / k
                memory[2 + side, i] += memory[4, 0] * strategies[side, i]
            gains[side, :] = 0.0
        for j in range(k):
            if strategies[1, j] > 0.0:
                for i in range(k):
                    gains[0, i] += turned[j, i] * strategies[1, j]
            if strategies[0, j] > 0.0:
                for i in range(k):
                    gains[1, i] -= payoff[j, i] * strategies[0, j]
        for side in range(2):
            mean = 0.0
            for i in range(k):
                mean += strategies[side, i] * gains[side, i]
            for i in range(k):
                memory[side, i] = max(0.0, memory[side, i] + gains[side, i] - mean)


@jit
def learn(
    cells: Array,
    results: Array,
    games: Array,
    wins: Array,
    tally: Array,
    effects: Array,
    memory: Array,
    steps: int,
    black: Array,
    white: Array,
) -> float:
    """Add games to the totals, go on with regret matching, and write the average strategies.

    Returns
    -------
    float
        Their exploitability on the estimated payoff matrix: what the two best replies win together.
    """
    merge(cells, results, games, wins, tally)
    payoff = np.empty(games.shape)
    estimate(games, wins, effects, payoff, 1.0)
    match_regrets(payoff, memory, steps)
    k = black.size
    for side in range(2):
        total = 0.0
        for i in range(k):
            total += memory[2 + side, i]
        for i in range(k):
            (black if side == 0 else white)[i] = memory[2 + side, i] / total if total > 0.0 else 1.0 / k
    best = -np.inf
    worst = np.inf
    for i in range(k):
        row = 0.0
        column = 0.0
        for j in range(k):
            row += payoff[i, j] * white[j]
            column += payoff[j, i] * black[j]
        best = max(best, row)
        worst = min(worst, column)
    return max(0.0, best - worst)
