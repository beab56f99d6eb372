"""Trees of simultaneous moves in flat arrays: going down, adding a node, and taking the result back up.

An iteration goes from the root by the players' choices to a turn that is not in the tree, or to an ended game; the
position there is added and valued, and the nodes on the way learn the value. Squares are indices among the empty
squares of a node, ascending. Values are Black's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _bridge
from ._jit import jit
from ._learners_jit import (
    DUCT,
    EXP3,
    OOS,
    RM,
    RM_PLUS,
    add_average,
    first_memory,
    learn_regrets,
    learn_result,
    learn_sample,
    select,
    width,
)
from ._random_jit import mix

__all__ = ["BYTES_OF_NODE", "DEEPEST", "Tree", "descend", "rehash"]

Array = Any  # numba arrays; what each holds stands in the docstrings
Int = Any  # whole numbers, numba's own

# numba takes what a global of this module is bound to; the types that Python sees are numba's own.
_turn: Any = _bridge.turn
_legal: Any = _bridge.legal
_playout: Any = _bridge.playout
_evaluate: Any = _bridge.evaluate
_OUTCOME = _bridge.OUTCOME_BYTE

#: Deeper positions are valued and not searched. Games without end exist (R24).
DEEPEST = 400

#: What a node costs in the arrays that have a place for every node, and in the hash table.
BYTES_OF_NODE = 64

_UNLIKELIEST = 1e-200

#: The counts of a tree: nodes, numbers in use in `memory` and in `heads`, iterations, random games, and how many of
#: them were cut off.
NODES, MEMORY, HEADS, ITERATIONS, PLAYOUTS, UNFINISHED = range(6)


class Tree(NamedTuple):
    """One learner's tree. Arrays of `capacity` are by node; node 0 is the root."""

    root: Array  #: uint64[STATE_WORDS], its position
    rng: Array  #: uint64[4]
    counts: Array  #: int64[6]
    limit: Array  #: int64[1], bytes that the tree may use
    key: Array  #: int64[capacity]: parent, row and column in one number
    visits: Array  #: int64[capacity]
    total: Array  #: float64[capacity], the sum of the results
    outcome: Array  #: uint8[capacity], 0 where play goes on
    size: Array  #: int32[capacity], squares, once both players have a memory here
    begin: Array  #: int64[capacity], where in `memory` theirs begins, -1 before that
    head: Array  #: int64[capacity], where in `heads` its lists begin
    next_in_row: Array  #: int32[capacity]: cells of the parent met so far, those of a row in one list
    next_in_column: Array  #: int32[capacity]
    heads: Array  #: int32[...]: the first nodes of the lists: rows, then columns
    memory: Array  #: float64[...]
    table: Array  #: int32[power of 2]: a node by the hash of its key, plus 1
    averages: Array  #: float64[2, k], at the root: sums of strategies
    games: Array  #: int64[k, k], at the root: results by cell, their number, sum and sum of squares
    wins: Array  #: float64[k, k]
    squares: Array  #: float64[k, k]


@jit
def _find(tree: Tree, key: Int) -> Int:
    """Return the node of a key, or -1 - slot with the slot of the table where it belongs."""
    mask = tree.table.size - 1
    slot = np.int64(mix(np.uint64(key)) & np.uint64(mask))
    while tree.table[slot] != 0:
        node = np.int64(tree.table[slot]) - 1
        if tree.key[node] == key:
            return node
        slot = (slot + 1) & mask
    return -1 - slot


@jit
def rehash(tree: Tree) -> None:
    """Fill an empty table with all nodes but the root."""
    for node in range(1, tree.counts[NODES]):
        slot = -1 - _find(tree, tree.key[node])
        tree.table[slot] = node + 1


@jit
def _room(tree: Tree, nodes: Int, memory: Int, heads: Int) -> Any:
    """Tell whether so much more keeps to the limit; the arrays were made large enough for that beforehand."""
    counts = tree.counts
    used = BYTES_OF_NODE * (counts[NODES] + nodes) + 8 * (counts[MEMORY] + memory) + 4 * (counts[HEADS] + heads)
    return used <= tree.limit[0]


@jit
def _add(tree: Tree, rule: Int, parent: Int, a: Int, b: Int, key: Int, slot: Int, outcome: Int) -> Int:
    """Add a node; return it, or -1 where there is no room."""
    if not _room(tree, 1, 0, 0):
        return -1
    node = tree.counts[NODES]
    tree.counts[NODES] += 1
    tree.table[slot] = node + 1
    tree.key[node] = key
    tree.visits[node] = 0
    tree.total[node] = 0.0
    tree.outcome[node] = outcome
    tree.begin[node] = -1
    if rule in (RM, RM_PLUS):
        row = tree.head[parent] + a
        column = tree.head[parent] + tree.size[parent] + b
        tree.next_in_row[node] = tree.heads[row]
        tree.next_in_column[node] = tree.heads[column]
        tree.heads[row] = node
        tree.heads[column] = node
    return node


@jit
def _open(tree: Tree, rule: Int, node: Int, k: Int) -> bool:
    """Give both players a memory at a node of k squares; false where there is no room."""
    numbers = 2 * width(rule) * k
    lists = 2 * k if rule in (RM, RM_PLUS) else 0
    if not _room(tree, 0, numbers, lists):
        return False
    begin = tree.counts[MEMORY]
    head = tree.counts[HEADS]
    tree.counts[MEMORY] += numbers
    tree.counts[HEADS] += lists
    for i in range(numbers):
        tree.memory[begin + i] = first_memory(rule)
    for i in range(lists):
        tree.heads[head + i] = -1
    tree.begin[node] = begin
    tree.head[node] = head
    tree.size[node] = k
    return True


@jit
def _learn_cells(
    tree: Tree, rule: Int, node: Int, black: Array, white: Array, a: Int, b: Int, result: float, means: Array
) -> None:
    """Regret matching at a node: both players look along the cells met in the other's column or row."""
    k = black.size
    visits = tree.visits[node]
    mean = tree.total[node] / visits if visits > 0 else 0.0
    # A row of cells by its other index stands in the key's last seven bits, a column's in the seven before.
    for i in range(k):
        means[i] = mean
    cell = np.int64(tree.heads[tree.head[node] + k + b])
    while cell >= 0:
        if tree.visits[cell] > 0:
            means[(tree.key[cell] >> 7) & 127] = tree.total[cell] / tree.visits[cell]
        cell = np.int64(tree.next_in_column[cell])
    learn_regrets(rule, black, a, means[:k], result)
    for i in range(k):
        means[i] = -mean
    cell = np.int64(tree.heads[tree.head[node] + a])
    while cell >= 0:
        if tree.visits[cell] > 0:
            means[tree.key[cell] & 127] = -tree.total[cell] / tree.visits[cell]
        cell = np.int64(tree.next_in_row[cell])
    learn_regrets(rule, white, b, means[:k], -result)


@jit
def _outcome_value(outcome: Int) -> float:
    return 1.0 if outcome == 1 else (-1.0 if outcome == 2 else 0.0)


@jit
def _leaf_value(tree: Tree, state: Array, weights: Array, cap: Int) -> float:
    """Return the value of an open position: by the evaluation, or of one random game where `weights` is empty."""
    if weights.size > 0:
        return float(_evaluate(state.ctypes, weights.ctypes))
    outcome = _playout(state.ctypes, tree.rng.ctypes, np.int32(cap))
    tree.counts[PLAYOUTS] += 1
    if outcome == 0:
        tree.counts[UNFINISHED] += 1
    return _outcome_value(outcome)


@jit
def descend(tree: Tree, rule: Int, explore: float, weights: Array, cap: Int, iterations: Int) -> None:
    """Do a number of iterations; the arrays must have room for what they can add.

    `explore` is the parameter of `_learners_jit.select`, `weights` the evaluation's or empty, `cap` the turns after
    which a random game counts as unfinished.
    """
    rng = tree.rng
    state = np.empty_like(tree.root)
    bytes_ = state.view(np.uint8)
    legal = np.empty(81, np.uint8)
    means = np.empty(81)
    nodes = np.empty(DEEPEST + 2, np.int64)
    chosen = np.empty((DEEPEST + 1, 2), np.int64)
    own = np.empty((DEEPEST + 1, 2))
    chance = np.empty((DEEPEST + 1, 2))
    for _ in range(iterations):
        learner = tree.counts[ITERATIONS] % 2
        tree.counts[ITERATIONS] += 1
        explore_black = 0.0 if rule == OOS and learner == 1 else explore
        explore_white = 0.0 if rule == OOS and learner == 0 else explore
        state[:] = tree.root
        node: Int = np.int64(0)
        nodes[0] = 0
        depth = 0
        value = 0.0
        while True:
            k = np.int64(tree.size[node])
            _legal(state.ctypes, legal.ctypes)
            begin = tree.begin[node]
            numbers = width(rule) * k
            black = tree.memory[begin : begin + numbers]
            white = tree.memory[begin + numbers : begin + 2 * numbers]
            # The first visit of any other node than the root valued it and chose nothing.
            times = tree.visits[node] - (1 if node > 0 else 0)
            a, own[depth, 0], chance[depth, 0] = select(rule, black, k, explore_black, times, rng)
            b, own[depth, 1], chance[depth, 1] = select(rule, white, k, explore_white, times, rng)
            chosen[depth, 0] = a
            chosen[depth, 1] = b
            if depth == 0:
                weight = times + 1.0 if rule == RM_PLUS else 1.0
                if rule != OOS or learner == 1:
                    add_average(rule, black, k, a, weight, tree.averages[0])
                if rule != OOS or learner == 0:
                    add_average(rule, white, k, b, weight, tree.averages[1])
            _turn(state.ctypes, np.int32(legal[a]), np.int32(legal[b]))
            depth += 1
            key = (node << 14) | (np.int64(a) << 7) | np.int64(b)
            found = _find(tree, key)
            outcome = np.int64(bytes_[_OUTCOME])
            if found < 0:
                nodes[depth] = _add(tree, rule, node, a, b, key, -1 - found, outcome)
                value = _leaf_value(tree, state, weights, cap) if outcome == 0 else _outcome_value(outcome)
                break
            nodes[depth] = found
            if outcome != 0:
                value = _outcome_value(outcome)
                break
            if depth > DEEPEST - 1 or (
                tree.begin[found] < 0 and not _open(tree, rule, found, _legal(state.ctypes, legal.ctypes))
            ):
                value = _leaf_value(tree, state, weights, cap)
                break
            node = found
        a = chosen[0, 0]
        b = chosen[0, 1]
        tree.games[a, b] += 1
        tree.wins[a, b] += value
        tree.squares[a, b] += value * value
        if nodes[depth] >= 0:
            tree.visits[nodes[depth]] += 1
            tree.total[nodes[depth]] += value
        tail = 1.0
        sampled = 1.0
        for d in range(depth - 1, -1, -1):
            node = nodes[d]
            k = np.int64(tree.size[node])
            begin = tree.begin[node]
            numbers = width(rule) * k
            black = tree.memory[begin : begin + numbers]
            white = tree.memory[begin + numbers : begin + 2 * numbers]
            a = chosen[d, 0]
            b = chosen[d, 1]
            if rule in (DUCT, EXP3):
                learn_result(rule, black, k, a, chance[d, 0], explore, value)
                learn_result(rule, white, k, b, chance[d, 1], explore, -value)
            elif rule == OOS:
                # As far as probabilities have digits; what is likelier to be a rounding error teaches nothing.
                sampled = max(_UNLIKELIEST, sampled * chance[d, learner])
                reach = tail * own[d, learner]
                if sampled > _UNLIKELIEST:
                    if learner == 0:
                        learn_sample(black, a, tail, reach, sampled, value)
                    else:
                        learn_sample(white, b, tail, reach, sampled, -value)
                tail = reach
            else:
                _learn_cells(tree, rule, node, black, white, a, b, value, means)
            tree.visits[node] += 1
            tree.total[node] += value
