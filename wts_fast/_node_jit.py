"""The nodes of the matrix tree as flat arrays, jitted: what a node holds, and how one is opened and solved.

A node is a position; its matrix is the evaluation of every joint turn, corrected by what the search has found
behind some of them. All numbers are Black's. Rows and columns are the empty squares, ascending.

A matrix can be filled anew at any time, so only nodes that are in use have room for theirs, a *slot*.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _bridge
from ._double_jit import double_oracle
from ._jit import jit

__all__ = [
    "KEPT",
    "NODE",
    "PARAMETERS",
    "SLOT",
    "cell_bounds",
    "estimates",
    "fill",
    "open_leaves",
    "settle",
    "squares_of",
]

Array = Any  # numba arrays; what each holds stands in the docstrings
Work = Any  # what `_double_jit.new_work` makes, one for each thread

_turn: Any = _bridge.turn
_evaluate_matrix: Any = _bridge.evaluate_matrix
_bounds: Any = _bridge.bounds

#: Squares of each player's strategy that a node remembers to start its next solve from.
KEPT = 12

#: A node. `child` is its youngest child, `sibling` the next older child of its parent, `cell` where it stands in the
#: parent's matrix, `guess` the evaluation of that cell, `size` the number of empty squares (0 before it is opened),
#: `mix` how much of the search each square of Black and of White gets; below 0 for squares that the root is denied.
NODE = np.dtype(
    [
        ("state", np.uint64, (_bridge.STATE_WORDS,)),
        ("value", np.float64),
        ("lower", np.float64),
        ("upper", np.float64),
        ("guess", np.float64),
        ("parent", np.int32),
        ("child", np.int32),
        ("sibling", np.int32),
        ("cell", np.int32),
        ("depth", np.int32),
        ("visits", np.int32),
        ("slot", np.int32),
        ("size", np.int32),
        ("mix", np.float32, (2, 81)),
        ("kept", np.uint8, (2, KEPT)),
        ("num_kept", np.uint8, (2,)),
    ],
    align=True,
)

#: Room for a matrix: the evaluation of every cell, whose it is (0: nobody's, or the root's), and the round in which it
#: was last needed.
SLOT = np.dtype([("cells", np.float32, (81 * 81,)), ("owner", np.int32), ("used", np.int64)], align=True)

#: What steers the search: the share of exploration at the root and elsewhere, the loss at which it has fallen to 1/e,
#: how many cells the common error of the evaluation, and that of a row, weigh against, and whether errors are carried
#: over.
PARAMETERS = np.array([0.2, 0.1, 0.1, 4.0, 4.0, 1.0])

_GAP = 1e-7  # cells of estimates are float32
_PROVED_GAP = 1e-12
_SURE = 0.999  # estimates keep this far from what only an ended game is worth


@jit
def squares_of(words: Array, squares: Array) -> int:
    """Write the empty squares of a position, ascending; return how many."""
    low = ~(words[0] | words[2] | words[4])
    high = ~(words[1] | words[3] | words[5])
    n = 0
    for s in range(81):
        word = low if s < 64 else high
        if (word >> np.uint64(s & 63)) & np.uint64(1):
            squares[n] = s
            n += 1
    return n


@jit
def fill(nodes: Array, slots: Array, node: int, weights: Array) -> int:
    """Evaluate every joint turn of a node into its slot; return the number of empty squares.

    Afterwards a cell is exact if and only if it is 1 or -1, or, where so few squares are left that a turn can fill
    the board, 0.
    """
    words = nodes[node].state
    cells = slots[nodes[node].slot].cells
    n = int(_evaluate_matrix(words.ctypes, weights.ctypes, cells.ctypes))
    if n <= 2:
        squares = np.empty(81, np.int64)
        squares_of(words, squares)
        trial = np.empty_like(words)
        for i in range(n):
            for j in range(n):
                trial[:] = words
                _turn(trial.ctypes, np.int32(squares[i]), np.int32(squares[j]))
                if trial.view(np.uint8)[130] == 0 and cells[i * n + j] == 0.0:
                    cells[i * n + j] = 1e-7
    return n


@jit
def denied(mix: Array, n: int) -> bool:
    """Tell whether a player may not choose some of his squares."""
    least = np.float32(0.0)
    for i in range(n):
        least = min(least, mix[i])
    return bool(least < 0.0)


@jit
def keep_allowed(mix: Array, n: int, working: Array, count: int, kept: Array) -> int:
    """Write the squares that a player may choose, and number his working set among them; return how many they are."""
    place = np.empty(81, np.int64)
    size = 0
    for k in range(n):
        if mix[k] >= 0.0:
            kept[size] = k
            place[k] = size
            size += 1
    for k in range(count):
        working[k] = place[working[k]]
    return size


@jit
def narrow(
    cells: Array, n: int, row_mix: Array, column_mix: Array, rows: Array, columns: Array, counts: Array
) -> tuple[Array, int, int]:
    """Return the part of a matrix that is not denied, and its size; number both working sets as there."""
    row_of = np.empty(81, np.int64)
    column_of = np.empty(81, np.int64)
    p = keep_allowed(row_mix, n, rows, counts[0], row_of)
    q = keep_allowed(column_mix, n, columns, counts[1], column_of)
    part = np.empty(p * q, cells.dtype)
    for i in range(p):
        for j in range(q):
            part[i * q + j] = cells[row_of[i] * n + column_of[j]]
    return part, p, q


@jit
def widen(mix: Array, n: int, strategy: Array, working_set: Array, count: int) -> None:
    """Number what `narrow` has numbered for one player as before; what is denied gets exactly 0."""
    place = np.empty(81, np.int64)
    p = 0
    for i in range(n):
        if mix[i] >= 0.0:
            place[p] = i
            p += 1
    for k in range(count):
        working_set[k] = place[working_set[k]]
    # From the end: nothing moves to where something still has to be read.
    for i in range(n - 1, -1, -1):
        if mix[i] >= 0.0:
            p -= 1
            strategy[i] = strategy[p]
        else:
            strategy[i] = 0.0


@jit
def open_leaves(nodes: Array, slots: Array, params: Array, weights: Array, first: int, last: int, work: Work) -> None:
    """Play the turns that lead to new nodes, which have slots, and solve their matrices for the first time.

    Touches nothing but these nodes and their slots: several calls can run at once.
    """
    squares = np.empty(81, np.int64)
    x = np.empty(81)
    y = np.empty(81)
    proved = np.empty(2, np.float32)
    for k in range(first, last):
        node = nodes[k]
        words = node.state
        if node.parent >= 0:
            origin = nodes[node.parent].state
            n = squares_of(origin, squares)
            for i in range(words.size):
                words[i] = origin[i]
            _turn(words.ctypes, np.int32(squares[node.cell // n]), np.int32(squares[node.cell % n]))
        node.child = -1
        node.num_kept[0] = 0
        node.num_kept[1] = 0
        _bounds(words.ctypes, proved[0:1].ctypes, proved[1:2].ctypes)
        node.lower = proved[0]
        node.upper = proved[1]
        node.size = fill(nodes, slots, k, weights)
        # A player is not sure of what he would need a square for that he is denied.
        if node.parent < 0 and denied(node.mix[0], node.size):
            node.lower = -1.0
        if node.parent < 0 and denied(node.mix[1], node.size):
            node.upper = 1.0
        settle(nodes, slots, k, params, work, x, y)


@jit
def correct(nodes: Array, top: int, n: int, payoff: Array, params: Array) -> None:
    """Bring what was found behind some cells to the others: errors of the evaluation run in rows and in columns."""
    rows = np.zeros(n)
    columns = np.zeros(n)
    row_seen = np.zeros(n)
    column_seen = np.zeros(n)
    total = 0.0
    seen = 0.0
    c = nodes[top].child
    while c >= 0:
        child = nodes[c]
        if child.size > 0:
            total += child.value - child.guess
            seen += 1.0
            row_seen[child.cell // n] += 1.0
            column_seen[child.cell % n] += 1.0
        c = child.sibling
    if seen == 0.0:
        return
    base = total / (seen + params[3])
    for turn in range(4):
        side = turn & 1
        own = rows if side == 0 else columns
        other = columns if side == 0 else rows
        count = row_seen if side == 0 else column_seen
        for i in range(n):
            own[i] = 0.0
        c = nodes[top].child
        while c >= 0:
            child = nodes[c]
            if child.size > 0:
                i = child.cell // n
                j = child.cell % n
                if side == 1:
                    i, j = j, i
                own[i] += child.value - child.guess - base - other[j]
            c = child.sibling
        for i in range(n):
            own[i] /= count[i] + params[4]
    shift = np.empty(n, np.float32)
    for j in range(n):
        shift[j] = base + columns[j]
    for i in range(n):
        more = np.float32(rows[i])
        for j in range(n):
            v = payoff[i * n + j]
            moved = min(np.float32(_SURE), max(np.float32(-_SURE), v + more + shift[j]))
            payoff[i * n + j] = moved if abs(v) < np.float32(1.0) else v


@jit
def estimates(nodes: Array, slots: Array, top: int, params: Array, payoff: Array) -> None:
    """Write the matrix of a node with all that is known by now; `payoff` has room for its cells, row after row."""
    node = nodes[top]
    n = int(node.size)
    static = slots[node.slot].cells
    for k in range(n * n):
        payoff[k] = static[k]
    if node.child >= 0:
        if params[5] > 0.0:
            correct(nodes, top, n, payoff, params)
        c = node.child
        while c >= 0:
            child = nodes[c]
            if child.size > 0:
                payoff[child.cell] = child.value
            c = child.sibling


@jit
def settle(nodes: Array, slots: Array, top: int, params: Array, work: Work, x: Array, y: Array) -> float:
    """Solve a node's matrix with all that is known by now: value, bounds, and what to search next.

    Writes the equilibrium of its matrix to x and y, and returns its gap.
    """
    node = nodes[top]
    n = int(node.size)
    payoff = np.empty(n * n, np.float32)
    estimates(nodes, slots, top, params, payoff)

    sets = np.empty((2, 81), np.int64)
    counts = np.zeros(4, np.int64)
    for side in range(2):
        counts[side] = node.num_kept[side]
        for k in range(counts[side]):
            sets[side, k] = node.kept[side, k]
    limited = node.parent < 0 and (denied(node.mix[0], n) or denied(node.mix[1], n))
    game, height, width = payoff, n, n
    if limited:
        game, height, width = narrow(payoff, n, node.mix[0], node.mix[1], sets[0], sets[1], counts)
    value, gap, _status = double_oracle(game, height, width, x, y, sets[0], sets[1], counts, work, _GAP)
    if limited:
        widen(node.mix[0], n, x, sets[0], counts[0])
        widen(node.mix[1], n, y, sets[1], counts[1])
    for side in range(2):
        node.num_kept[side] = min(counts[side], KEPT)
        for k in range(node.num_kept[side]):
            node.kept[side, k] = sets[side, k]
    bound(nodes, slots, top, n, work)
    node.value = min(node.upper, max(node.lower, value))

    # How much of the search each square gets: most goes by the strategies, the rest to squares that lose little.
    payoffs = np.zeros(n, np.float32)
    explore = params[0] if node.parent < 0 else params[1]
    for side in range(2):
        for i in range(n):
            payoffs[i] = 0.0
        for k in range(counts[1 - side]):
            j = sets[1 - side, k]
            p = np.float32(y[j] if side == 0 else x[j])
            if side == 0:
                for i in range(n):
                    payoffs[i] += p * payoff[i * n + j]
            else:
                for i in range(n):
                    payoffs[i] += p * payoff[j * n + i]
        total = 0.0
        for i in range(n):
            if limited and node.mix[side, i] < 0.0:
                continue
            regret = value - payoffs[i] if side == 0 else payoffs[i] - value
            payoffs[i] = np.exp(-max(0.0, regret) / params[2])
            total += payoffs[i]
        for i in range(n):
            if limited and node.mix[side, i] < 0.0:
                continue
            node.mix[side, i] = (1.0 - explore) * (x[i] if side == 0 else y[i]) + explore * payoffs[i] / total
    return gap


@jit
def bound(nodes: Array, slots: Array, top: int, n: int, work: Work) -> None:
    """Tighten both bounds of a node by the matrices of its cells' bounds."""
    node = nodes[top]
    static = slots[node.slot].cells
    draws = n <= 2
    best = np.empty(n)
    limited = node.parent < 0 and (denied(node.mix[0], n) or denied(node.mix[1], n))
    # What the player whom a bound protects is sure of in each cell, in his own eyes, his squares as rows.
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        have = node.lower if side == 0 else -node.upper
        # Each square of the other needs an answer, or nothing is proved: mostly the first that is looked at has none.
        for j in range(n):
            best[j] = -1.0
        c = node.child
        while c >= 0:
            child = nodes[c]
            if child.size > 0:
                j = child.cell % n if side == 0 else child.cell // n
                best[j] = max(best[j], child.lower if side == 0 else -child.upper)
            c = child.sibling
        answered = True
        for j in range(n):
            if limited and node.mix[1 - side, j] < 0.0:
                continue
            i = 0
            while best[j] <= have and i < n:
                v = static[i * n + j] if side == 0 else static[j * n + i]
                if abs(v) >= np.float32(1.0) or (draws and v == np.float32(0.0)):
                    best[j] = max(best[j], sign * v)
                i += 1
            if best[j] <= have:
                answered = False
                break
        if not answered:
            continue
        proved = np.empty(n * n)
        sets = np.empty((2, 81), np.int64)
        counts = np.zeros(4, np.int64)
        x = np.empty(n)
        y = np.empty(n)
        across = n if side == 0 else 1
        down = 1 if side == 0 else n
        for i in range(n):
            for j in range(n):
                v = static[i * n + j]
                known = abs(v) >= np.float32(1.0) or (draws and v == np.float32(0.0))
                proved[i * across + j * down] = sign * v if known else -1.0
        c = node.child
        while c >= 0:
            child = nodes[c]
            if child.size > 0:
                i = child.cell // n
                j = child.cell % n
                proved[i * across + j * down] = child.lower if side == 0 else -child.upper
            c = child.sibling
        game, height, width = proved, n, n
        if limited:
            game, height, width = narrow(proved, n, node.mix[side], node.mix[1 - side], sets[0], sets[1], counts)
        value, gap, _status = double_oracle(game, height, width, x, y, sets[0], sets[1], counts, work, _PROVED_GAP)
        sure = value - 0.5 * gap
        if sure > have:
            if side == 0:
                node.lower = min(sure, node.upper)
            else:
                node.upper = max(-sure, node.lower)


@jit
def cell_bounds(nodes: Array, slots: Array, top: int, lower: Array, upper: Array) -> None:
    """Write what is proved about each cell of a node, row after row; each array has room for its cells."""
    node = nodes[top]
    n = int(node.size)
    static = slots[node.slot].cells
    draws = n <= 2
    for k in range(n * n):
        v = static[k]
        known = abs(v) >= np.float32(1.0) or (draws and v == np.float32(0.0))
        lower[k] = v if known else -1.0
        upper[k] = v if known else 1.0
    c = node.child
    while c >= 0:
        child = nodes[c]
        if child.size > 0:
            lower[child.cell] = child.lower
            upper[child.cell] = child.upper
        c = child.sibling
