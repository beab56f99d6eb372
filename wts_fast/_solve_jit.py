"""The graph of positions that `solve` grows, and the walk through it, jitted.

A node is a position up to the 16 symmetries, with a proved interval for its value. It is unexpanded, or has
a matrix of cells, one for each joint turn: an ended game, a turn not yet looked at, or another node. The lower bounds
of the cells make a matrix game whose value is a lower bound of the node, and the upper bounds one for the upper.

With x the row player's best strategy on the upper matrix and y the column player's best on the lower one, the
node's interval is no wider than the mean, by x and y, of the cells' intervals. So the walk goes into the cell that adds
most to this mean: where no cell adds anything, the node is solved.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ._bridge import STATE_WORDS
from ._bridge import bounds as _bounds
from ._bridge import turn as _turn
from ._jit import jit
from ._matrix_jit import group_rows, solve_scaled
from ._symmetry_jit import (
    add_eggs,
    change_lanes,
    lanes_of_turtles,
    least_lane,
    legal_squares,
    outcome_of,
    transform,
)
from .squares import NUM_SQUARES

__all__ = [
    "CREATED",
    "EFFORT",
    "EXPANDED",
    "FIRST_EFFORT",
    "LIMIT",
    "MATRICES",
    "OFF",
    "PAUSE",
    "ROOM",
    "SOLVED",
    "SPARE_CELLS",
    "SPARE_NODES",
    "STUCK",
    "USED_CELLS",
    "WORK",
    "Graph",
    "add_position",
    "bounds_of_cells",
    "expand_nearest",
    "has_room",
    "rehash",
    "sweep",
    "walk",
]

Array = Any  # numba arrays; what each holds stands in the docstrings
Int = Any  # numba integers, numpy's to a type checker


class Graph(NamedTuple):
    """The nodes as arrays with one entry each, the pool of their cells, and the counts."""

    state: Array  # uint64[:, STATE_WORDS]: of the 16 symmetric positions the one with the least key
    key: Array  # uint64[:]
    lower: Array  # float64[:]
    upper: Array  # float64[:]
    squares: Array  # int32[:]: number of legal squares
    start: Array  # int64[:]: where the cells begin in the pool, OFF where unexpanded
    tried: Array  # int32[:]: with this much effort left the walk has found nothing below; -1 where it may
    depth: Array  # int32[:]: place in the walk from 1, 0 where the walk is elsewhere
    table: Array  # int32[:]: hash table of node numbers + 1, its size a power of two
    pool: Array  # int32[:]: for n squares n * n cells, then 2 n float32: x on the upper and y on the lower matrix
    counts: Array  # int64[8], see the names below


# Places in `counts`.
CREATED, EXPANDED, USED_CELLS, MATRICES, WORK, EFFORT, LOST = 0, 1, 2, 3, 4, 5, 6

#: What `walk` returns: solved, a pause as wished, the limit of nodes, no room for another round, a round in vain.
SOLVED, PAUSE, LIMIT, ROOM, STUCK = 0, 1, 2, 3, 4

#: `start` of an unexpanded node.
OFF = -1

# Cells that are no node: ended games with Black's result, and a turn not looked at yet.
_BLACK, _WHITE, _DRAW, _OPEN = -1, -2, -3, -4

#: A round may use this much; there must be room for it before.
_ROUND_CELLS = 1 << 13
SPARE_CELLS = _ROUND_CELLS + NUM_SQUARES * (NUM_SQUARES + 2)
SPARE_NODES = 1 << 10
#: A node costs the logarithm of its number of legal squares, in sixteenths of a bit. A walk's nodes may cost
#: `counts[EFFORT]` together; once nothing is left to find within it, it is raised by a step.
_COST = np.array([0] + [round(16 * math.log2(n)) for n in range(1, NUM_SQUARES + 1)], dtype=np.int32)
FIRST_EFFORT, _EFFORT_STEP, _MOST_EFFORT = 48, 16, 1 << 16
_ROUND_WORK = 1 << 16  # in the unit of `WORK`: cells of matrices solved, and a little for each matrix
_WORK_MATRIX = 20
_ROUNDING = 1e-13  # bounds that move by less have not moved
_PROGRESS = 1e-6  # nor have those of a node whose width shrinks by a smaller part: cycles can go on like that for ever
_EAGER = 4  # a node of so few legal squares makes nodes of all its cells at once: what is proved of them is worth it
_DEEPEST = 512  # of the walk; what lies below is for another round


@jit
def look_up(graph: Graph, state: Array, lanes: Array, scratch: Array, create: bool) -> Int:
    """Return 2 * node + (1 if the colours are swapped there), or `_OPEN` where there is none and none is created.

    `state` is undecided, `lanes` has its 16 keys. The whole position is compared: equal keys prove nothing. A new node
    begins with the bounds that the kernel proves at a glance.
    """
    lane = least_lane(lanes)
    key = lanes[lane]
    mask = graph.table.size - 1
    place = np.int64(key & np.uint64(mask))
    written = False
    while graph.table[place] != 0:
        node = np.int64(graph.table[place]) - 1
        if graph.key[node] == key:
            if not written:
                if lane == 0:
                    scratch[:] = state
                else:
                    transform(state, lane, scratch)
                written = True
            same = True
            for word in range(STATE_WORDS):
                if graph.state[node, word] != scratch[word]:
                    same = False
                    break
            if same:
                return 2 * node + (1 if lane >= 8 else 0)
        place = (place + 1) & mask
    if not create:
        return _OPEN
    if not written:
        if lane == 0:
            scratch[:] = state
        else:
            transform(state, lane, scratch)
    node = graph.counts[CREATED]
    graph.counts[CREATED] += 1
    graph.table[place] = node + 1
    graph.state[node] = scratch
    graph.key[node] = key
    proved: Array = np.empty(2, np.float32)
    _bounds(scratch.ctypes, proved[:1].ctypes, proved[1:].ctypes)
    graph.lower[node] = proved[0]
    graph.upper[node] = proved[1]
    graph.start[node] = OFF
    graph.tried[node] = -1
    graph.depth[node] = 0
    n = 0
    for word in range(2):
        empty = ~(scratch[word] | scratch[2 + word] | scratch[4 + word])
        if word == 1:
            empty &= np.uint64((1 << (NUM_SQUARES - 64)) - 1)
        while empty != np.uint64(0):
            empty &= empty - np.uint64(1)
            n += 1
    graph.squares[node] = n
    return 2 * node + (1 if lane >= 8 else 0)


@jit
def add_position(graph: Graph, state: Array) -> Int:
    """Make sure that a position has a node; return it as `look_up` does, and its symmetry times 2 * 2^31."""
    lanes = np.empty(16, np.uint64)
    lanes_of_turtles(state, lanes)
    add_eggs(state, lanes)
    return look_up(graph, state, lanes, np.empty(STATE_WORDS, np.uint64), True) + (least_lane(lanes) << 32)


@jit
def rehash(graph: Graph) -> None:
    """Fill an empty hash table with all nodes."""
    mask = graph.table.size - 1
    for node in range(graph.counts[CREATED]):
        place = np.int64(graph.key[node] & np.uint64(mask))
        while graph.table[place] != 0:
            place = (place + 1) & mask
        graph.table[place] = node + 1


@jit
def expand(graph: Graph, node: Int) -> None:
    """Give a node its cells: play every joint turn, note the ended games and the positions that are nodes."""
    state = graph.state[node]
    n = np.int64(graph.squares[node])
    begin = graph.counts[USED_CELLS]
    squares: Array = np.empty(NUM_SQUARES, np.int32)
    legal_squares(state, squares)
    turtles = np.empty(16, np.uint64)
    lanes_of_turtles(state, turtles)
    lanes = np.empty(16, np.uint64)
    child: Array = np.empty(STATE_WORDS, np.uint64)
    scratch = np.empty(STATE_WORDS, np.uint64)
    for a in range(n):
        for b in range(n):
            child[:] = state
            _turn(child.ctypes, squares[a], squares[b])
            outcome = outcome_of(child)
            if outcome != 0:
                graph.pool[begin + n * a + b] = -outcome
            else:
                lanes[:] = turtles
                change_lanes(state, child, lanes)
                add_eggs(child, lanes)
                graph.pool[begin + n * a + b] = look_up(graph, child, lanes, scratch, bool(n <= _EAGER))
    graph.counts[USED_CELLS] = begin + n * (n + 2)
    graph.counts[EXPANDED] += 1
    graph.start[node] = begin


@jit
def child_of(graph: Graph, node: Int, a: Int, b: Int) -> Int:
    """Return the node of a cell that is not an ended game, made if need be."""
    n = np.int64(graph.squares[node])
    at = graph.start[node] + n * a + b
    if graph.pool[at] == _OPEN:
        state = graph.state[node]
        squares: Array = np.empty(NUM_SQUARES, np.int32)
        legal_squares(state, squares)
        child: Array = state.copy()
        _turn(child.ctypes, squares[a], squares[b])
        lanes = np.empty(16, np.uint64)
        lanes_of_turtles(child, lanes)
        add_eggs(child, lanes)
        graph.pool[at] = look_up(graph, child, lanes, np.empty(STATE_WORDS, np.uint64), True)
    return np.int64(graph.pool[at]) // 2


@jit
def bounds_of_cell(graph: Graph, cell: Int) -> tuple[float, float]:
    """Return what is proved of a cell."""
    if cell >= 0:
        child = cell // 2
        if cell % 2 == 0:
            return graph.lower[child], graph.upper[child]
        return -graph.upper[child], -graph.lower[child]
    if cell == _BLACK:
        return 1.0, 1.0
    if cell == _WHITE:
        return -1.0, -1.0
    if cell == _DRAW:
        return 0.0, 0.0
    return -1.0, 1.0


@jit
def bounds_of_cells(graph: Graph, node: Int, lower: Array, upper: Array) -> bool:
    """Write both matrices of an expanded node, float64[n, n]; return whether they are the same."""
    n = np.int64(graph.squares[node])
    begin = graph.start[node]
    same = True
    for a in range(n):
        for b in range(n):
            low, high = bounds_of_cell(graph, np.int64(graph.pool[begin + n * a + b]))
            lower[a, b] = low
            upper[a, b] = high
            same = same and low == high
    return same


@jit
def solve_matrix(matrix: Array, x: Array, y: Array) -> tuple[float, float]:
    """Solve a game with payoffs in [-1, 1]; return what x guarantees and what y concedes at most.

    Of equal rows the first gets all, and so of equal columns: the walk shall not split its ways.
    """
    m, n = matrix.shape
    # A saddle point needs no more than a look at the matrix.
    best_row = 0
    best_low = -2.0
    for i in range(m):
        low = matrix[i].min()
        if low > best_low:
            best_low = low
            best_row = i
    best_column = 0
    best_high = 2.0
    for j in range(n):
        high = -2.0
        for i in range(m):
            high = max(high, matrix[i, j])
        if high < best_high:
            best_high = high
            best_column = j
    x[:] = 0.0
    y[:] = 0.0
    if best_low == best_high:
        x[best_row] = 1.0
        y[best_column] = 1.0
        return best_low, best_high
    row_group = np.empty(m, np.int64)
    column_group = np.empty(n, np.int64)
    num_rows = group_rows(matrix, row_group)
    num_columns = group_rows(matrix.T, column_group)
    small = np.empty((num_rows, num_columns))
    first_row = np.empty(num_rows, np.int64)
    first_column = np.empty(num_columns, np.int64)
    for i in range(m - 1, -1, -1):
        first_row[row_group[i]] = i
    for j in range(n - 1, -1, -1):
        first_column[column_group[j]] = j
    for i in range(num_rows):
        for j in range(num_columns):
            small[i, j] = (matrix[first_row[i], first_column[j]] + 1.0) * 0.5
    small_x = np.empty(num_rows)
    small_y = np.empty(num_columns)
    low, high, _ = solve_scaled(small, small_x, small_y, 1e-14)
    low = 2.0 * low - 1.0
    high = 2.0 * high - 1.0
    # Each player's part stands for itself, and his best pure strategy holds in any case.
    if low > best_low:
        for i in range(num_rows):
            x[first_row[i]] = small_x[i]
    else:
        x[best_row] = 1.0
        low = best_low
    if high < best_high:
        for j in range(num_columns):
            y[first_column[j]] = small_y[j]
    else:
        y[best_column] = 1.0
        high = best_high
    return low, high


@jit
def update(graph: Graph, node: Int) -> bool:
    """Bring a node's bounds and strategies up to its cells; return whether that is progress."""
    n = np.int64(graph.squares[node])
    lower = np.empty((n, n))
    upper = np.empty((n, n))
    x = np.empty(n)
    y = np.empty(n)
    other = np.empty(n)
    same = bounds_of_cells(graph, node, lower, upper)
    if same:
        low, high = solve_matrix(lower, x, y)
        graph.counts[MATRICES] += 1
        graph.counts[WORK] += n * n + _WORK_MATRIX
    else:
        low, _ = solve_matrix(lower, other, y)
        _, high = solve_matrix(upper, x, other)
        graph.counts[MATRICES] += 2
        graph.counts[WORK] += 2 * (n * n + _WORK_MATRIX)
    mix = graph.pool[graph.start[node] + n * n : graph.start[node] + n * (n + 2)].view(np.float32)
    for i in range(n):
        mix[i] = x[i]
        mix[n + i] = y[i]
    width = graph.upper[node] - graph.lower[node]
    better = width - (min(high, graph.upper[node]) - max(low, graph.lower[node])) > max(_ROUNDING, _PROGRESS * width)
    if better:
        graph.tried[node] = -1
    graph.lower[node] = max(low, graph.lower[node])
    graph.upper[node] = min(high, graph.upper[node])
    if graph.lower[node] > graph.upper[node]:
        # Two proofs of one value that rounding puts in the wrong order.
        middle = 0.5 * (graph.lower[node] + graph.upper[node])
        graph.lower[node] = middle
        graph.upper[node] = middle
    return bool(better)


@jit
def choose(graph: Graph, node: Int, tolerance: float, effort: Int) -> tuple[Int, Int]:
    """Return the cell that adds most to the width of a node; (-1, -1) if none does.

    Nodes on the walk are left out, and nodes below which nothing was found with `effort` or more.
    """
    n = np.int64(graph.squares[node])
    begin = graph.start[node]
    mix = graph.pool[begin + n * n : begin + n * (n + 2)].view(np.float32)
    best = 0.0
    row = -1
    column = -1
    for a in range(n):
        if mix[a] > 0.0:
            for b in range(n):
                if mix[n + b] > 0.0:
                    cell = np.int64(graph.pool[begin + n * a + b])
                    if cell >= 0 and (graph.depth[cell // 2] != 0 or graph.tried[cell // 2] >= effort):
                        continue
                    low, high = bounds_of_cell(graph, cell)
                    if high - low > tolerance:
                        weight = mix[a] * mix[n + b] * (high - low)
                        if weight > best:
                            best = weight
                            row = a
                            column = b
    return row, column


@jit
def go_round(graph: Graph, root: Int, tolerance: float, ratio: float, most: Int) -> tuple[bool, bool]:
    """Walk from the root, expanding up to `most` nodes, and come back.

    A node is left when it is solved, when its interval has shrunk by `ratio`, when there is nothing to choose, or when
    the effort or the round's room is used up. Returns whether anything was found, and whether more effort could help.
    """
    path = np.empty(_DEEPEST, np.int64)
    target = np.empty(_DEEPEST)
    effort = np.empty(_DEEPEST, np.int64)  # what is left below
    length = 0
    node = root
    target[0] = tolerance
    effort[0] = graph.counts[EFFORT]
    used = graph.counts[USED_CELLS]
    created = graph.counts[CREATED]
    worked = graph.counts[WORK]
    expanded = 0
    found = False
    cut = False
    down = True  # the walk has just come down to `node`
    while True:
        over = (
            expanded >= most
            or graph.counts[USED_CELLS] - used >= _ROUND_CELLS
            or graph.counts[CREATED] - created >= SPARE_NODES - _EAGER * _EAGER - 1
            or graph.counts[WORK] - worked >= _ROUND_WORK
        )
        if down:
            path[length] = node
            length += 1
            graph.depth[node] = length
            if graph.start[node] == OFF and not over:
                expand(graph, node)
                expanded += 1
                update(graph, node)
                found = True
        here = length - 1
        below = effort[here] - _COST[graph.squares[node]]
        a, b = -1, -1
        wide = graph.upper[node] - graph.lower[node] > target[here]
        if wide and not over:
            if below < 0 or length == _DEEPEST:
                cut = True
            else:
                a, b = choose(graph, node, tolerance, below)
                if a < 0:
                    # The strategies may be older than the cells.
                    found = update(graph, node) or found
                    a, b = choose(graph, node, tolerance, below)
            if a < 0:
                graph.tried[node] = effort[here]
        if a >= 0:
            node = child_of(graph, node, a, b)
            if graph.depth[node] == 0:
                effort[length] = below
                target[length] = max(tolerance, ratio * (graph.upper[node] - graph.lower[node]))
                down = True
                continue
            # A turn not looked at before that leads back into the walk; it is a node from now on.
            node = path[here]
            down = False
            continue
        graph.depth[node] = 0
        length -= 1
        if length == 0:
            return found or over, cut
        node = path[length - 1]
        found = update(graph, node) or found
        down = False


@jit
def walk(graph: Graph, root: Int, tolerance: float, ratio: float, most: Int, pause: Int) -> Int:
    """Make rounds until the root is solved to `tolerance` or something else ends them; return what.

    At most `most` nodes are expanded, and after `pause` units of work the round at hand is the last.
    """
    begun = graph.counts[EXPANDED]
    worked = graph.counts[WORK]
    while graph.upper[root] - graph.lower[root] > tolerance:
        done = graph.counts[EXPANDED] - begun
        if done >= most:
            return LIMIT
        if graph.counts[WORK] - worked >= pause:
            return PAUSE
        if not has_room(graph):
            return ROOM
        found, cut = go_round(graph, root, tolerance, ratio, most - done)
        if not found:
            graph.tried[root] = -1
            if graph.counts[EFFORT] >= _MOST_EFFORT or (not cut and graph.counts[LOST] > 0):
                return STUCK
            # Where no effort was wanting, one more round looks below what the last ones have marked as tried.
            graph.counts[LOST] = 0 if cut else 1
            graph.counts[EFFORT] += max(_EFFORT_STEP, graph.counts[EFFORT] // 8)
        else:
            graph.counts[LOST] = 0
    return SOLVED


@jit
def has_room(graph: Graph) -> bool:
    """Return whether there is room for another round."""
    return bool(
        graph.counts[CREATED] + SPARE_NODES <= graph.key.size
        and graph.counts[USED_CELLS] + SPARE_CELLS <= graph.pool.size
    )


@jit
def sweep(graph: Graph, first: Int, work: Int) -> tuple[Int, bool]:
    """Update nodes from `first` down to 0 until `work` is used up; return the next one, and whether one got better.

    No node counts as tried any more.
    """
    worked = graph.counts[WORK]
    found = False
    node = first
    while node >= 0 and graph.counts[WORK] - worked < work:
        graph.tried[node] = -1
        if graph.start[node] != OFF and graph.upper[node] > graph.lower[node]:
            found = update(graph, node) or found
        node -= 1
    return node, found


@jit
def expand_nearest(graph: Graph, root: Int, tolerance: float, most: Int) -> Int:
    """Expand up to `most` nodes, the nearest to the root among those reached by wide cells alone.

    This is for graphs in which the walk has lost its way in a cycle. The caller makes sure of room for one round.
    Returns how many nodes were expanded or created: 0 if all that can matter is expanded.
    """
    seen = np.zeros(graph.key.size, np.bool_)
    queue = np.empty(graph.key.size, np.int64)
    queue[0] = root
    seen[root] = True
    first = 0
    last = 1
    used = graph.counts[USED_CELLS]
    created = graph.counts[CREATED]
    expanded = 0
    while first < last:
        if (
            expanded >= most
            or graph.counts[USED_CELLS] - used >= _ROUND_CELLS
            or graph.counts[CREATED] - created >= SPARE_NODES - NUM_SQUARES
        ):
            break
        node = np.int64(queue[first])
        first += 1
        if graph.start[node] == OFF:
            expand(graph, node)
            update(graph, node)
            expanded += 1
            continue  # what is below comes next time
        n = np.int64(graph.squares[node])
        for a in range(n):
            for b in range(n):
                cell = np.int64(graph.pool[graph.start[node] + n * a + b])
                if cell == _OPEN and graph.counts[CREATED] - created < SPARE_NODES - NUM_SQUARES:
                    child_of(graph, node, a, b)
                    cell = np.int64(graph.pool[graph.start[node] + n * a + b])
                if cell >= 0:
                    child = cell // 2
                    if not seen[child] and graph.upper[child] - graph.lower[child] > tolerance:
                        seen[child] = True
                        queue[last] = child
                        last += 1
    return expanded + graph.counts[CREATED] - created
