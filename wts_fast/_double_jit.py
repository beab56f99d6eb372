"""Double oracle for matrix games at the speed a tree needs, jitted: small working sets, a certificate on all cells.

The game of some working rows and columns is solved by the simplex method in a tableau that grows. The answers are
priced against every row and every column; the best of them join until nobody gains by more than the tolerance.
Both the guaranteed and the conceded value come from that pricing, so what is returned is always proved on the
whole matrix, whatever the tableau's digits were. Dominated actions never become best replies and never join.

`double_oracle` and `solve_small` have the whole matrix in memory. `extend` asks for what it needs, one row or column
at a time: a caller that computes cells on demand, or keeps only the working lines of a node, fills them in and calls
again. Statuses of all three: CONVERGED if and only if the gap is at most the tolerance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import bare, inlined, jit
from ._matrix_jit import append_column, append_row, certify, dual, primal, share_evenly, solve_scaled, take

__all__ = [
    "CONVERGED",
    "FULL",
    "SHIFT",
    "UNPROVED",
    "WANTED",
    "double_oracle",
    "extend",
    "new_work",
    "share_evenly",
    "solve_small",
]

Array = Any  # numba arrays; what each holds stands in the docstrings
Work = Any  # the tuple that `new_work` makes

#: The gap is within the tolerance.
CONVERGED = 0
#: The gap is above the tolerance and nothing helps: digits were lost. The gap still tells the truth.
UNPROVED = 1
#: Only of `extend`: lines have joined the working sets, and their cells are wanted.
WANTED = 2
#: Only of `extend`: a line should join, and there is no room for it. The gap tells what is missing.
FULL = 3

#: Payoffs are Black's values in [-1, 1]; with this added they are in [1, 3].
SHIFT = 2.0

_MOST_ROUNDS = 20  # a matrix that wants more lines than this is solved as a whole


@jit
def new_work(num_rows: int, num_columns: int) -> Work:
    """Return room to solve games of up to that many rows and columns; one for each thread.

    The tableau; its labels, of rows and of columns; cells of working rows, and of working columns; vectors of numbers;
    working rows, working columns, and counts.
    """
    size = max(num_rows, num_columns)
    return (
        np.empty((num_rows + 1, num_columns + 1)),
        np.empty(num_rows + 1, np.int64),
        np.empty(num_columns + 1, np.int64),
        np.empty(num_columns + 1),
        np.empty(num_columns + 1),
        np.empty(size),
        np.empty(num_rows),
        np.empty(num_columns),
        np.empty((num_rows, num_columns)),
        np.empty((num_columns, num_rows)),
        np.empty(num_rows),
        np.empty(num_columns),
        np.empty(num_rows, np.int64),
        np.empty(num_columns, np.int64),
        np.empty(6, np.int64),
    )


@inlined
def _mix(lines: Array, weights: Array, num_lines: int, size: int, mixed: Array) -> None:
    """Write the weighted sum of lines of cells."""
    for j in range(size):
        mixed[j] = 0.0
    for k in range(num_lines):
        weight = weights[k]
        if weight != 0.0:
            for j in range(size):
                mixed[j] += weight * lines[k, j]


@inlined
def _highest(values: Array, size: int) -> int:
    """Return the place of the largest value, the first of equals."""
    # Four at a time: one after another, each comparison would wait for the last.
    a = b = c = d = values[0]
    whole = size & ~3
    for i in range(0, whole, 4):
        a = values[i] if values[i] > a else a
        b = values[i + 1] if values[i + 1] > b else b
        c = values[i + 2] if values[i + 2] > c else c
        d = values[i + 3] if values[i + 3] > d else d
    for i in range(whole, size):
        a = values[i] if values[i] > a else a
    a = b if b > a else a
    c = d if d > c else c
    a = c if c > a else a
    best = 0
    while best < size - 1 and values[best] != a:
        best += 1
    return best


@inlined
def _lowest(values: Array, size: int) -> int:
    """Return the place of the smallest value, the first of equals."""
    a = b = c = d = values[0]
    whole = size & ~3
    for i in range(0, whole, 4):
        a = values[i] if values[i] < a else a
        b = values[i + 1] if values[i + 1] < b else b
        c = values[i + 2] if values[i + 2] < c else c
        d = values[i + 3] if values[i + 3] < d else d
    for i in range(whole, size):
        a = values[i] if values[i] < a else a
    a = b if b < a else a
    c = d if d < c else c
    a = c if c < a else a
    best = 0
    while best < size - 1 and values[best] != a:
        best += 1
    return best


@inlined
def _has(ids: Array, count: int, wanted: int) -> bool:
    found = False
    for k in range(count):
        found |= ids[k] == wanted
    return found


@inlined
def _load(row_cells: Array, columns: Array, counts: Array, table: Array, row_label: Array, column_label: Array) -> None:
    """Fill the table with the slack basis of the working game."""
    p = counts[0]
    q = counts[1]
    table[0, 0] = 0.0
    for j in range(q):
        table[0, j + 1] = -1.0
        column_label[j + 1] = j
    for i in range(p):
        table[i + 1, 0] = 1.0
        row_label[i + 1] = -1 - i
        for j in range(q):
            table[i + 1, j + 1] = row_cells[i, columns[j]] + SHIFT
    counts[4] = p
    counts[5] = q


@inlined
def _optimise(
    row_cells: Array,
    column_cells: Array,
    rows: Array,
    columns: Array,
    counts: Array,
    most: int,
    table: Array,
    row_label: Array,
    column_label: Array,
    pivot: Array,
    square: Array,
    entries: Array,
) -> bool:
    """Bring the tableau to the optimum of the working game; false where it has lost its digits."""
    steps = 0
    if counts[4] == 0:
        _load(row_cells, columns, counts, table, row_label, column_label)
        steps = primal(table, row_label, column_label, pivot, square, counts[0], counts[1], most, False)
        counts[2] += steps
    else:
        if counts[4] < counts[0]:
            for k in range(counts[4], counts[0]):
                for j in range(counts[5]):
                    entries[j] = row_cells[k, columns[j]] + SHIFT
                append_row(table, row_label, column_label, entries, k, counts[5])
            counts[4] = counts[0]
            steps = dual(table, row_label, column_label, pivot, counts[4], counts[5], most)
            counts[2] += steps
        if steps >= 0 and counts[5] < counts[1]:
            for k in range(counts[5], counts[1]):
                for i in range(counts[4]):
                    entries[i] = column_cells[k, rows[i]] + SHIFT
                append_column(table, row_label, column_label, entries, pivot, counts[4], k)
            counts[5] = counts[1]
            steps = primal(table, row_label, column_label, pivot, square, counts[4], counts[5], most, False)
            counts[2] += steps
    return steps >= 0


@inlined
def _advance(
    num_rows: int,
    num_columns: int,
    rows: Array,
    columns: Array,
    row_cells: Array,
    column_cells: Array,
    x: Array,
    y: Array,
    counts: Array,
    table: Array,
    row_label: Array,
    column_label: Array,
    pivot: Array,
    square: Array,
    entries: Array,
    by_row: Array,
    by_column: Array,
    tolerance: float,
) -> tuple[float, float, int]:
    """Do what `extend` says, on the arrays of the work one by one, and all of them bare."""
    most = 10 * (num_rows + num_columns) + 100
    anew = counts[4] == 0
    status = UNPROVED
    lower = -np.inf
    upper = np.inf
    going = True
    while going:
        sound = _optimise(
            row_cells,
            column_cells,
            rows,
            columns,
            counts,
            most,
            table,
            row_label,
            column_label,
            pivot,
            square,
            entries,
        )
        p = counts[0]
        q = counts[1]
        take(table, row_label, column_label, p, q, x, y)
        _mix(column_cells, y, q, num_rows, by_row)
        _mix(row_cells, x, p, num_columns, by_column)
        counts[3] += 1
        best_row = _highest(by_row, num_rows)
        best_column = _lowest(by_column, num_columns)
        upper = by_row[best_row]
        lower = by_column[best_column]
        status = UNPROVED
        if upper - lower <= tolerance:
            status = CONVERGED
        elif sound:
            value = 1.0 / table[0, 0] - SHIFT
            more_rows = upper > value + 0.25 * tolerance and not _has(rows, p, best_row)
            more_columns = lower < value - 0.25 * tolerance and not _has(columns, q, best_column)
            if (more_rows and p == rows.size) or (more_columns and q == columns.size):
                status = FULL
            elif more_rows or more_columns:
                status = WANTED
                if more_rows:
                    rows[p] = best_row
                    counts[0] = p + 1
                if more_columns:
                    columns[q] = best_column
                    counts[1] = q + 1
        # Where nobody has a better reply that is new, the tableau has lost digits on its way: once more from the cells.
        going = status == UNPROVED and not anew
        if going:
            counts[4] = 0
            anew = True
    return lower, upper, status


@jit
def extend(
    num_rows: int,
    num_columns: int,
    rows: Array,
    columns: Array,
    row_cells: Array,
    column_cells: Array,
    x: Array,
    y: Array,
    counts: Array,
    work: Work,
    tolerance: float,
) -> tuple[float, float, int]:
    """Solve the game of the working lines and price it against all; return (lower, upper, status).

    `rows[: counts[0]]` and `columns[: counts[1]]` are the working lines, at least one of each, distinct, and
    `row_cells[k, :num_columns]` and `column_cells[k, :num_rows]` all cells of the k-th of them, in [-1, 1], the same
    in both where they cross. x and y become the strategies, one number for each working line.

    At first, and whenever a cell has changed, `counts[4]` is 0: then all lines are taken up anew. After WANTED the
    lines from `counts[4]` in rows and `counts[5]` in columns are new: fill in their cells and call again, with the
    same `work` unused in between. `counts[2]` grows by the pivots and `counts[3]` by one for each pricing.
    """
    return _advance(
        num_rows,
        num_columns,
        bare(rows),
        bare(columns),
        bare(row_cells),
        bare(column_cells),
        bare(x),
        bare(y),
        bare(counts),
        bare(work[0]),
        bare(work[1]),
        bare(work[2]),
        bare(work[3]),
        bare(work[4]),
        bare(work[5]),
        bare(work[6]),
        bare(work[7]),
        tolerance,
    )


@inlined
def _least_column(cells: Array, num_rows: int, num_columns: int, highest: Array) -> int:
    """Return the column whose largest payoff is least: the best pure choice of White."""
    for j in range(num_columns):
        highest[j] = cells[j]
    for i in range(1, num_rows):
        base = i * num_columns
        for j in range(num_columns):
            cell = cells[base + j]
            highest[j] = cell if cell > highest[j] else highest[j]
    return _lowest(highest, num_columns)


@inlined
def _best_row(cells: Array, num_rows: int, num_columns: int, column: int) -> int:
    """Return the row that is best against a column; among equals, the one whose least payoff is largest.

    With the column of `_least_column` that is a saddle wherever the game has one.
    """
    best = 0
    best_cell = cells[column]
    best_least = np.inf
    for i in range(num_rows):
        cell = cells[i * num_columns + column]
        if cell >= best_cell:
            least = np.inf
            for j in range(num_columns):
                least = min(least, cells[i * num_columns + j])
            if i == 0 or cell > best_cell or least > best_least:
                best = i
                best_cell = cell
                best_least = least
    return best


@jit
def double_oracle(
    cells: Array,
    num_rows: int,
    num_columns: int,
    x: Array,
    y: Array,
    rows: Array,
    columns: Array,
    counts: Array,
    work: Work,
    tolerance: float,
) -> tuple[float, float, int]:
    """Solve the game of a whole matrix in memory; return (value, gap, status).

    `cells` is one-dimensional, row after row, as the kernel writes them: Black's values in [-1, 1].
    `x` and `y` are overwritten with the strategies. `rows[: counts[0]]` and `columns[: counts[1]]` are where the
    working sets start (none is fine; distinct and in range); overwritten with the two supports, if there is room.
    `counts[2]` becomes the number of pivots, `counts[3]` that of pricings. `value` is the middle of what the strategies
    prove, `gap` the width of it.
    """
    cells = bare(cells)
    x = bare(x)
    y = bare(y)
    rows = bare(rows)
    columns = bare(columns)
    counts = bare(counts)
    table = bare(work[0])
    row_label = bare(work[1])
    column_label = bare(work[2])
    pivot = bare(work[3])
    square = bare(work[4])
    entries = bare(work[5])
    by_row = bare(work[6])
    by_column = bare(work[7])
    row_cells = bare(work[8])
    column_cells = bare(work[9])
    small_x = bare(work[10])
    small_y = bare(work[11])
    row_set = bare(work[12])
    column_set = bare(work[13])
    state = bare(work[14])
    p = counts[0]
    q = counts[1]
    for k in range(p):
        row_set[k] = rows[k]
    for k in range(q):
        column_set[k] = columns[k]
    if q == 0:
        column_set[0] = _least_column(cells, num_rows, num_columns, by_column)
        q = 1
    if p == 0:
        row_set[0] = _best_row(cells, num_rows, num_columns, column_set[0])
        p = 1
    state[0] = p
    state[1] = q
    for k in range(2, 6):
        state[k] = 0
    row_from = 0
    column_from = 0
    lower = -np.inf
    upper = np.inf
    status = WANTED
    while status == WANTED and state[3] < _MOST_ROUNDS:
        for k in range(row_from, state[0]):
            base = row_set[k] * num_columns
            for j in range(num_columns):
                row_cells[k, j] = cells[base + j]
        for k in range(column_from, state[1]):
            column = column_set[k]
            for i in range(num_rows):
                column_cells[k, i] = cells[i * num_columns + column]
        row_from = state[0]
        column_from = state[1]
        lower, upper, status = _advance(
            num_rows,
            num_columns,
            row_set,
            column_set,
            row_cells,
            column_cells,
            small_x,
            small_y,
            state,
            table,
            row_label,
            column_label,
            pivot,
            square,
            entries,
            by_row,
            by_column,
            tolerance,
        )
    counts[2] = state[2]
    counts[3] = state[3]
    if status == CONVERGED:
        for i in range(num_rows):
            x[i] = 0.0
        for j in range(num_columns):
            y[j] = 0.0
        for k in range(state[0]):
            x[row_set[k]] = small_x[k]
        for k in range(state[1]):
            y[column_set[k]] = small_y[k]
    else:
        lower, upper, more = _solve_whole(cells, num_rows, num_columns, x, y)
        counts[2] += more
        counts[3] += 1
    counts[0] = _support(x, num_rows, rows)
    counts[1] = _support(y, num_columns, columns)
    # Rounding can turn an exact 0 into -1e-17.
    gap = max(upper - lower, 0.0)
    return 0.5 * (lower + upper), gap, CONVERGED if gap <= tolerance else UNPROVED


@jit
def _solve_whole(cells: Array, num_rows: int, num_columns: int, x: Array, y: Array) -> tuple[float, float, int]:
    """Solve by the plain simplex method, slowly and with all its precautions; return (lower, upper, pivots)."""
    whole = np.empty((num_rows, num_columns))
    scaled = np.empty((num_rows, num_columns))
    for i in range(num_rows):
        for j in range(num_columns):
            whole[i, j] = cells[i * num_columns + j]
            scaled[i, j] = 0.5 * (whole[i, j] + 1.0)
    trial_x = np.empty(num_rows)
    trial_y = np.empty(num_columns)
    pivots = solve_scaled(scaled, trial_x, trial_y, 1e-12)[2]
    lower, upper = certify(whole, trial_x, trial_y)
    for i in range(num_rows):
        x[i] = trial_x[i]
    for j in range(num_columns):
        y[j] = trial_y[j]
    return lower, upper, pivots


@inlined
def _support(strategy: Array, size: int, ids: Array) -> int:
    """Write what has a probability, as far as there is room; return how many were written."""
    count = 0
    for i in range(size):
        if strategy[i] > 0.0 and count < ids.size:
            ids[count] = i
            count += 1
    return count


@jit
def solve_small(
    cells: Array,
    num_rows: int,
    num_columns: int,
    x: Array,
    y: Array,
    rows: Array,
    columns: Array,
    counts: Array,
    work: Work,
    tolerance: float,
) -> tuple[float, float, int]:
    """Solve a game of few cells, in closed form where there is one; arguments and answer as `double_oracle`.

    A saddle is exact, with a gap of 0. Equal rows and equal columns share evenly.
    """
    cells = bare(cells)
    x = bare(x)
    y = bare(y)
    rows = bare(rows)
    columns = bare(columns)
    counts = bare(counts)
    solved = False
    value = 0.0
    gap = 0.0
    status = CONVERGED
    if counts[0] == 0 or counts[1] == 0:
        column = _least_column(cells, num_rows, num_columns, work[7])
        row = _best_row(cells, num_rows, num_columns, column)
        value = cells[row * num_columns + column]
        least = value
        for j in range(num_columns):
            least = min(least, cells[row * num_columns + j])
        if least == value:
            solved = True
            for i in range(num_rows):
                x[i] = 0.0
            for j in range(num_columns):
                y[j] = 0.0
            x[row] = 1.0
            y[column] = 1.0
            counts[2] = 0
            counts[3] = 1
            counts[0] = _support(x, num_rows, rows)
            counts[1] = _support(y, num_columns, columns)
    if not solved and num_rows == 2 and num_columns == 2:
        solved, value, gap = _solve_2x2(cells, x, y)
        solved = solved and gap <= tolerance
        if solved:
            counts[2] = 0
            counts[3] = 1
            counts[0] = _support(x, 2, rows)
            counts[1] = _support(y, 2, columns)
    if not solved:
        value, gap, status = double_oracle(cells, num_rows, num_columns, x, y, rows, columns, counts, work, tolerance)
    share_evenly(cells, num_rows, num_columns, x, y)
    return value, gap, status


@jit
def _solve_2x2(cells: Array, x: Array, y: Array) -> tuple[bool, float, float]:
    """Solve a game of two rows and columns that has no saddle; return (whether it has none, value, gap)."""
    a = float(cells[0])
    b = float(cells[1])
    c = float(cells[2])
    d = float(cells[3])
    whole = (a - b) + (d - c)
    first_x = (d - c) / whole if whole != 0.0 else -1.0
    first_y = (d - b) / whole if whole != 0.0 else -1.0
    if not (0.0 < first_x < 1.0 and 0.0 < first_y < 1.0):
        return False, 0.0, 0.0
    x[0] = first_x
    x[1] = 1.0 - first_x
    y[0] = first_y
    y[1] = 1.0 - first_y
    lower = min(x[0] * a + x[1] * c, x[0] * b + x[1] * d)
    upper = max(y[0] * a + y[1] * b, y[0] * c + y[1] * d)
    return True, 0.5 * (lower + upper), max(upper - lower, 0.0)
