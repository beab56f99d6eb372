"""The jitted half of `training`: games by one-turn equilibria, and steps of logistic regression on windows of lines.

Parameters are one array of floats, in parts (`WINDOWS` and so on say where each begins):

* for each phase and slot, 4^6 of windows of six squares (of five on the shortest lines);
* for each phase and class of lines, 3^9 of whole lines without eggs;
* for each age of an egg, 4^8 of the squares around it on a line, and 4^6 of the nearer ones;
* for each phase, 4 x 4 of the counts of completion squares.

A map says which parameter a pattern has and with which sign: patterns that a mirror or a swap of the colours makes
of one another share one, so no training can tell them apart. Map entries: 0 for none, else sign * (number + 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _bridge
from ._double_jit import double_oracle, new_work, share_evenly
from ._jit import jit
from ._random_jit import begin, choose, next_part

__all__ = [
    "EGGS",
    "MOST_TURNS",
    "NUM_PARAMETERS",
    "NUM_SLOTS",
    "THREATS",
    "WHOLE",
    "WINDOWS",
    "compare",
    "egg_table",
    "features",
    "play",
    "step",
]

Array = Any  # numba arrays; what each holds stands in the docstrings
Maps = Any  # the tuple that `training.maps` makes

_matrix: Any = _bridge.evaluate_matrix
_turn: Any = _bridge.turn

NUM_SLOTS = 17
WINDOWS = 0
WHOLE = WINDOWS + 2 * NUM_SLOTS * 4096
EGGS = WHOLE + 2 * 10 * 19683
THREATS = EGGS + 2 * (65536 + 4096)
NUM_PARAMETERS = THREATS + 32

#: A game that is longer is left without a result, and worth a draw (R25).
MOST_TURNS = 120

_TOLERANCE = 1e-6  # of a turn's equilibrium: far below the error of the evaluation


@jit
def line_features(pattern: int, kind: int, phase: int, maps: Maps, found: Array, count: int) -> int:
    """Write the parameters of a line (map entries) into `found` from place `count` on; return the new count."""
    lengths, slots, mirrors, windows, whole = maps[0], maps[1], maps[2], maps[3], maps[4]
    length = lengths[kind]
    size = 5 if length == 5 else 6
    for first in range(length - size + 1):
        window = (pattern >> (2 * first)) & (4**size - 1)
        entry = windows[mirrors[kind, first], window]
        if entry != 0:
            base = WINDOWS + (phase * NUM_SLOTS + slots[kind, first]) * 4096
            found[count] = entry + base if entry > 0 else entry - base
            count += 1
    entry = whole[length - 5, pattern]
    if entry != 0:
        base = WHOLE + (phase * 10 + kind) * 19683
        found[count] = entry + base if entry > 0 else entry - base
        count += 1
    return count


@jit
def egg_features(around: int, age: int, maps: Maps, found: Array, count: int) -> int:
    """Write the parameters of what lies around an egg on a line."""
    entry = maps[5][around]
    if entry != 0:
        base = EGGS + age * 65536
        found[count] = entry + base if entry > 0 else entry - base
        count += 1
    entry = maps[6][(around >> 2) & 4095]
    if entry != 0:
        base = EGGS + 2 * 65536 + age * 4096
        found[count] = entry + base if entry > 0 else entry - base
        count += 1
    return count


@jit
def features(words: Array, maps: Maps, found: Array) -> int:
    """Write the parameters of a position into `found`; return how many."""
    board = words.view(np.uint8)
    squares, places, kinds, completing = maps[7], maps[8], maps[9], maps[10]
    num_eggs = board[129]
    phase = 1 if num_eggs > 0 else 0
    holds = np.zeros(81, np.uint8)
    for square in range(81):
        for colour in range(3):
            if (board[16 * colour + (square >> 3)] >> (square & 7)) & 1:
                holds[square] = colour + 1
    patterns = np.zeros(36, np.int64)
    marks = np.zeros(81, np.uint8)
    count = 0
    for line in range(36):
        pattern = 0
        length = maps[0][kinds[line]]
        for place in range(length):
            pattern |= int(holds[squares[line, place]]) << (2 * place)
        patterns[line] = pattern
        count = line_features(pattern, kinds[line], phase, maps, found, count)
        # A shorter line is one of nine that ends in eggs, as far as completion squares go.
        mask = completing[pattern | (0x3FFFF & ~((1 << (2 * length)) - 1))]
        if mask != 0:
            for place in range(length):
                marks[squares[line, place]] |= ((mask >> place) & 1) | (((mask >> (9 + place)) & 1) << 1)
    for age in range(min(2, num_eggs)):
        egg = board[48 + age]
        for way in range(4):
            line = places[egg, way, 0]
            if line >= 0:
                length = maps[0][kinds[line]]
                padded = 0xFF | (patterns[line] << 8) | (0xFF << (8 + 2 * length))
                at = 2 * places[egg, way, 1]
                around = ((padded >> at) & 0xFF) | (((padded >> (at + 10)) & 0xFF) << 8)
                count = egg_features(around, age, maps, found, count)
    black = 0
    white = 0
    for square in range(81):
        black += marks[square] & 1
        white += marks[square] >> 1
    black = min(black, 3)
    white = min(white, 3)
    if black > white:
        found[count] = THREATS + 16 * phase + 4 * black + white + 1
        count += 1
    elif white > black:
        found[count] = -(THREATS + 16 * phase + 4 * white + black + 1)
        count += 1
    return count


@jit
def egg_table(theta: Array, age: int, maps: Maps, table: Array) -> None:
    """Fill the table of what lies around an egg from the parameters."""
    found = np.empty(4, np.int64)
    for around in range(table.size):
        total = 0.0
        for k in range(egg_features(around, age, maps, found, 0)):
            total += theta[found[k] - 1] if found[k] > 0 else -theta[-found[k] - 1]
        table[around] = total


@jit
def step(states: Array, targets: Array, order: Array, theta: Array, gathered: Array, rate: float, maps: Maps) -> float:
    """Take one step for each position in the given order; return the mean cross-entropy before each step.

    Parameters
    ----------
    states, targets : uint64[n, STATE_WORDS], float32[n]
        Positions and the values that are to be learned.
    theta, gathered : float64[NUM_PARAMETERS]
        Parameters, and the sums of squares of their gradients (AdaGrad: each has a step size of its own).
    """
    found = np.empty(400, np.int64)
    loss = 0.0
    for n in order:
        count = features(states[n], maps, found)
        score = 0.0
        for k in range(count):
            score += theta[found[k] - 1] if found[k] > 0 else -theta[-found[k] - 1]
        score = max(-12.0, min(12.0, score))
        chance = 1.0 / (1.0 + np.exp(-score))
        wanted = 0.5 * (1.0 + targets[n])
        loss -= wanted * np.log(chance) + (1.0 - wanted) * np.log(1.0 - chance)
        slope = chance - wanted
        for k in range(count):
            at = found[k] - 1 if found[k] > 0 else -found[k] - 1
            gathered[at] += slope * slope
            change = rate * slope / np.sqrt(gathered[at])
            theta[at] -= change if found[k] > 0 else -change
    return float(loss / max(1, order.size))


@jit
def legal_squares(words: Array, squares: Array) -> int:
    """Write the empty squares, ascending; return how many."""
    n = 0
    for square in range(81):
        word = square >> 6
        if ((words[word] | words[2 + word] | words[4 + word]) >> np.uint64(square & 63)) & np.uint64(1) == 0:
            squares[n] = square
            n += 1
    return n


@jit
def play(
    block: Array, seed: Any, first: int, games: int, explore: float, trace: float, states: Array, targets: Array
) -> tuple[int, int]:
    """Play games from random openings by one-turn equilibria; return how many positions were met, and draws.

    `states` and `targets` have room for `games` * MOST_TURNS. The target of a position is the value of its
    equilibrium, mixed with the target of the next one by the weight `trace`, unless a square there was chosen to
    explore: then what followed says nothing of good play.
    """
    cells = np.empty(81 * 81, np.float32)
    x = np.empty(81)
    y = np.empty(81)
    rows = np.empty(81, np.int64)
    columns = np.empty(81, np.int64)
    counts = np.zeros(6, np.int64)
    work = new_work(81, 81)
    squares = np.empty(81, np.int32)
    values = np.empty(MOST_TURNS)
    explored = np.empty(MOST_TURNS, np.uint8)
    rng = np.empty(4, np.uint64)
    state = np.empty(states.shape[1], np.uint64)
    board = state.view(np.uint8)
    total = 0
    draws = 0
    for game in range(first, first + games):
        begin(rng, seed, np.uint64(game))
        state[:] = 0
        wild = int(next_part(rng) * 9.0)
        turns = 0
        while board[130] == 0 and turns < MOST_TURNS:
            n = _matrix(state.ctypes, block.ctypes, cells.ctypes)
            counts[:] = 0
            value, _, _ = double_oracle(cells, n, n, x, y, rows, columns, counts, work, _TOLERANCE)
            # While nothing is known all cells are equal, and always the same square would only make eggs.
            share_evenly(cells, n, n, x, y)
            legal_squares(state, squares)
            a = choose(x[:n], next_part(rng))
            b = choose(y[:n], next_part(rng))
            explored[turns] = 0
            if turns < wild or next_part(rng) < explore:
                a = int(next_part(rng) * n)
                explored[turns] = 1
            if turns < wild or next_part(rng) < explore:
                b = int(next_part(rng) * n)
                explored[turns] = 1
            states[total + turns] = state
            values[turns] = value
            turns += 1
            _turn(state.ctypes, squares[a], squares[b])
        later = 0.0
        if board[130] == 1:
            later = 1.0
        elif board[130] == 2:
            later = -1.0
        else:
            draws += 1
        for t in range(turns - 1, -1, -1):
            if explored[t] != 0:
                later = values[t]
            later = (1.0 - trace) * values[t] + trace * later
            targets[total + t] = later
        total += turns
    return total, draws


@jit
def compare(first_block: Array, second_block: Array, seed: Any, pair: int, results: Array) -> None:
    """Play two games from one random opening, each side once Black; write the first block's results, 1, 0 or -1."""
    cells = np.empty(81 * 81, np.float32)
    strategies = np.empty((2, 81))
    other = np.empty(81)
    rows = np.empty(81, np.int64)
    columns = np.empty(81, np.int64)
    counts = np.zeros(6, np.int64)
    work = new_work(81, 81)
    squares = np.empty(81, np.int32)
    rng = np.empty(4, np.uint64)
    state = np.empty(_bridge.STATE_WORDS, np.uint64)
    board = state.view(np.uint8)
    for game in range(2):
        # The same stream for both games: the opening is the same, what follows is not.
        begin(rng, seed, np.uint64(pair))
        state[:] = 0
        turns = 0
        while board[130] == 0 and turns < MOST_TURNS:
            n = legal_squares(state, squares)
            a = int(next_part(rng) * n)
            b = int(next_part(rng) * n)
            if turns >= 2:
                for side in range(2):
                    block = first_block if side == game else second_block
                    _matrix(state.ctypes, block.ctypes, cells.ctypes)
                    counts[:] = 0
                    if side == 0:
                        double_oracle(cells, n, n, strategies[0], other, rows, columns, counts, work, _TOLERANCE)
                        share_evenly(cells, n, n, strategies[0], other)
                    else:
                        double_oracle(cells, n, n, other, strategies[1], rows, columns, counts, work, _TOLERANCE)
                        share_evenly(cells, n, n, other, strategies[1])
                a = choose(strategies[0, :n], next_part(rng))
                b = choose(strategies[1, :n], next_part(rng))
            turns += 1
            _turn(state.ctypes, squares[a], squares[b])
        result = 0
        if board[130] == 1:
            result = 1
        elif board[130] == 2:
            result = -1
        results[game] = -result if game else result
