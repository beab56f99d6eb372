"""Double oracle for matrix games at the speed a tree needs, jitted: small working sets, a certificate on all cells.

The game of some working rows and columns is solved by the simplex method in a tableau that grows. The answers are
priced against every row and every column; the best of them join until nobody gains by more than the tolerance.
Both the guaranteed and the conceded value come from that pricing, so what is returned is always proved on the
whole matrix, whatever the tableau's digits were.

The linear program is that of `_matrix_jit`, for payoffs B = cell + SHIFT > 0: the largest sum of y with B y <= 1. The
tableau holds row and column 0 for what grows with nothing: `table[0, 0]` the sum, `table[0, j]` the prices,
`table[i, 0]` the right sides. Label k >= 0 is the y of working column k, label -1 - k the slack of working row k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import jit
from ._matrix_jit import certify, solve_scaled

__all__ = ["CONVERGED", "SHIFT", "UNPROVED", "double_oracle", "new_work"]

Array = Any  # numba arrays; what each holds stands in the docstrings
Work = Any  # the tuple that `new_work` makes

#: Statuses: the gap is within the tolerance; it is not, and `gap` tells how large it is.
CONVERGED = 0
UNPROVED = 1

#: Payoffs are Black's values in [-1, 1]; with this added they are in [1, 3].
SHIFT = 2.0

_PRICE_TOLERANCE = 1e-13  # a price or right side counts as negative below minus this
_PIVOT_TOLERANCE = 1e-11  # smaller elements are rounding noise and never pivots


@jit
def new_work(num_rows: int, num_columns: int) -> Work:
    """Return room to solve games of up to that many rows and columns; one for each thread.

    The tableau; its labels, of rows and of columns; the working rows and columns; the cells of the working rows, and
    of the working columns; four vectors.
    """
    size = max(num_rows, num_columns)
    return (
        np.empty((num_rows + 1, num_columns + 1)),
        np.empty((2, size + 1), np.int64),
        np.empty((2, size), np.int64),
        np.empty((num_rows, num_columns)),
        np.empty((num_columns, num_rows)),
        np.empty((6, size + 1)),
    )


@jit
def _exchange(
    table: Array, row_label: Array, column_label: Array, pivot: Array, p: int, q: int, r: int, c: int
) -> None:
    """Exchange the variables of row r and column c in the tableau of p rows and q columns."""
    inverse = 1.0 / table[r, c]
    for j in range(q + 1):
        pivot[j] = table[r, j] * inverse
    pivot[c] = inverse
    for i in range(p + 1):
        factor = table[i, c]
        if i != r and factor != 0.0:
            table[i, c] = 0.0
            for j in range(q + 1):
                table[i, j] -= factor * pivot[j]
    for j in range(q + 1):
        table[r, j] = pivot[j]
    label = row_label[r]
    row_label[r] = column_label[c]
    column_label[c] = label


@jit
def _primal(table: Array, row_label: Array, column_label: Array, pivot: Array, p: int, q: int, most: int) -> int:
    """Pivot from right sides that are not negative to the optimum; return the pivots, or -1 if it was not reached."""
    for count in range(most):
        c = 0
        least = -_PRICE_TOLERANCE
        for j in range(1, q + 1):
            if table[0, j] < least:
                least = table[0, j]
                c = j
        if c == 0:
            return count
        r = 0
        best = np.inf
        for i in range(1, p + 1):
            element = table[i, c]
            if element > _PIVOT_TOLERANCE:
                ratio = table[i, 0] / element
                if ratio < best or (ratio == best and element > table[r, c]):
                    best = ratio
                    r = i
        if r == 0:
            return -1
        _exchange(table, row_label, column_label, pivot, p, q, r, c)
    return -1


@jit
def _dual(table: Array, row_label: Array, column_label: Array, pivot: Array, p: int, q: int, most: int) -> int:
    """Pivot from prices that are not negative to the optimum; return the pivots, or -1 where it was not reached."""
    for count in range(most):
        r = 0
        least = -_PRICE_TOLERANCE
        for i in range(1, p + 1):
            if table[i, 0] < least:
                least = table[i, 0]
                r = i
        if r == 0:
            return count
        c = 0
        best = np.inf
        for j in range(1, q + 1):
            element = -table[r, j]
            if element > _PIVOT_TOLERANCE:
                ratio = table[0, j] / element
                if ratio < best or (ratio == best and element > -table[r, c]):
                    best = ratio
                    c = j
        if c == 0:
            return -1
        _exchange(table, row_label, column_label, pivot, p, q, r, c)
    return -1


@jit
def _append_row(table: Array, row_label: Array, column_label: Array, entries: Array, p: int, q: int) -> None:
    """Add working row p to a tableau of p rows: `entries` are its payoffs against the q working columns."""
    table[p + 1, 0] = 1.0
    for j in range(1, q + 1):
        label = column_label[j]
        table[p + 1, j] = entries[label] if label >= 0 else 0.0
    for i in range(1, p + 1):
        label = row_label[i]
        if label >= 0:
            factor = entries[label]
            for j in range(q + 1):
                table[p + 1, j] -= factor * table[i, j]
    row_label[p + 1] = -1 - p


@jit
def _append_column(
    table: Array, row_label: Array, column_label: Array, entries: Array, factors: Array, p: int, q: int
) -> None:
    """Add working column q to a tableau of q columns: `entries` are the payoffs of the p working rows against it."""
    for j in range(1, q + 1):
        label = column_label[j]
        factors[j] = entries[-1 - label] if label < 0 else 0.0
    for i in range(p + 1):
        total = 0.0
        for j in range(1, q + 1):
            total += factors[j] * table[i, j]
        table[i, q + 1] = total
    table[0, q + 1] -= 1.0
    for i in range(1, p + 1):
        label = row_label[i]
        if label < 0:
            table[i, q + 1] += entries[-1 - label]
    column_label[q + 1] = q


@jit
def _take(table: Array, row_label: Array, column_label: Array, p: int, q: int, x: Array, y: Array) -> float:
    """Read both strategies of the working game off its optimal tableau; return its value."""
    for i in range(p):
        x[i] = 0.0
    for j in range(q):
        y[j] = 0.0
    sum_x = 0.0
    sum_y = 0.0
    for i in range(1, p + 1):
        label = row_label[i]
        if label >= 0 and table[i, 0] > 0.0:
            y[label] = table[i, 0]
            sum_y += table[i, 0]
    for j in range(1, q + 1):
        label = column_label[j]
        if label < 0 and table[0, j] > 0.0:
            x[-1 - label] = table[0, j]
            sum_x += table[0, j]
    # Nothing left is possible only after digits were lost; the certificate then refuses it.
    scale = 1.0 / sum_x
    for i in range(p):
        x[i] *= scale
    scale = 1.0 / sum_y
    for j in range(q):
        y[j] *= scale
    value: float = 1.0 / table[0, 0] - SHIFT
    return value


@jit
def _mix(lines: Array, weights: Array, num_lines: int, size: int, mixed: Array) -> None:
    """Write the weighted sum of lines of cells."""
    for j in range(size):
        mixed[j] = 0.0
    for k in range(num_lines):
        weight = weights[k]
        if weight != 0.0:
            line = lines[k]
            for j in range(size):
                mixed[j] += weight * line[j]


@jit
def _first_line(cells: Array, num_rows: int, num_columns: int, highest: Array) -> int:
    """Return the column whose largest payoff is least: the best pure choice of White."""
    for j in range(num_columns):
        highest[j] = cells[j]
    for i in range(1, num_rows):
        base = i * num_columns
        for j in range(num_columns):
            cell = cells[base + j]
            highest[j] = cell if cell > highest[j] else highest[j]
    best = 0
    for j in range(1, num_columns):
        if highest[j] < highest[best]:
            best = j
    return best


@jit
def _find(ids: Array, count: int, wanted: int) -> bool:
    found = False
    for k in range(count):
        found |= ids[k] == wanted
    return found


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
    prove, `gap` the width of it; `status` is CONVERGED if and only if `gap` is at most `tolerance`.
    """
    table, labels, sets, row_cells, column_cells, vectors = work
    row_label = labels[0]
    column_label = labels[1]
    row_set = sets[0]
    column_set = sets[1]
    small_x = vectors[0]
    small_y = vectors[1]
    by_row = vectors[2]
    by_column = vectors[3]
    pivot = vectors[4]
    entries = vectors[5]
    p = counts[0]
    q = counts[1]
    for k in range(p):
        row_set[k] = rows[k]
    for k in range(q):
        column_set[k] = columns[k]
    if q == 0:
        column_set[0] = _first_line(cells, num_rows, num_columns, by_column)
        q = 1
    if p == 0:
        best_row = 0
        for i in range(1, num_rows):
            if cells[i * num_columns + column_set[0]] > cells[best_row * num_columns + column_set[0]]:
                best_row = i
        row_set[0] = best_row
        p = 1
    for k in range(p):
        base = row_set[k] * num_columns
        for j in range(num_columns):
            row_cells[k, j] = cells[base + j]
    for k in range(q):
        for i in range(num_rows):
            column_cells[k, i] = cells[i * num_columns + column_set[k]]

    table[0, 0] = 0.0
    for j in range(q):
        table[0, j + 1] = -1.0
        column_label[j + 1] = j
    for i in range(p):
        table[i + 1, 0] = 1.0
        row_label[i + 1] = -1 - i
        for j in range(q):
            table[i + 1, j + 1] = row_cells[i, column_set[j]] + SHIFT
    most = 10 * (num_rows + num_columns) + 100
    pivots = _primal(table, row_label, column_label, pivot, p, q, most)
    sound = pivots >= 0
    pricings = 0
    lower = -np.inf
    upper = np.inf
    while sound:
        value = _take(table, row_label, column_label, p, q, small_x, small_y)
        _mix(column_cells, small_y, q, num_rows, by_row)
        _mix(row_cells, small_x, p, num_columns, by_column)
        pricings += 1
        best_row = 0
        upper = by_row[0]
        for i in range(1, num_rows):
            if by_row[i] > upper:
                upper = by_row[i]
                best_row = i
        best_column = 0
        lower = by_column[0]
        for j in range(1, num_columns):
            if by_column[j] < lower:
                lower = by_column[j]
                best_column = j
        if not upper - lower > tolerance:
            break
        grown = False
        if upper > value + 0.25 * tolerance and not _find(row_set, p, best_row):
            grown = True
            row_set[p] = best_row
            base = best_row * num_columns
            for j in range(num_columns):
                row_cells[p, j] = cells[base + j]
            for j in range(q):
                entries[j] = row_cells[p, column_set[j]] + SHIFT
            _append_row(table, row_label, column_label, entries, p, q)
            p += 1
            more = _dual(table, row_label, column_label, pivot, p, q, most)
            pivots += more
            sound = more >= 0
        if sound and lower < value - 0.25 * tolerance and not _find(column_set, q, best_column):
            grown = True
            column_set[q] = best_column
            for i in range(num_rows):
                column_cells[q, i] = cells[i * num_columns + best_column]
            for i in range(p):
                entries[i] = column_cells[q, row_set[i]] + SHIFT
            _append_column(table, row_label, column_label, entries, pivot, p, q)
            q += 1
            more = _primal(table, row_label, column_label, pivot, p, q, most)
            pivots += more
            sound = more >= 0
        sound = sound and grown
    for i in range(num_rows):
        x[i] = 0.0
    for j in range(num_columns):
        y[j] = 0.0
    if upper - lower <= tolerance:
        for k in range(p):
            x[row_set[k]] = small_x[k]
        for k in range(q):
            y[column_set[k]] = small_y[k]
    else:
        lower, upper, more = _solve_whole(cells, num_rows, num_columns, x, y)
        pivots += more
    counts[0] = _support(x, num_rows, rows)
    counts[1] = _support(y, num_columns, columns)
    counts[2] = pivots
    counts[3] = pricings
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
    pivots = solve_scaled(scaled, x, y, 1e-12)[2]
    lower, upper = certify(whole, x, y)
    return lower, upper, pivots


@jit
def _support(strategy: Array, size: int, ids: Array) -> int:
    """Write what has a probability, as far as there is room; return how many were written."""
    count = 0
    for i in range(size):
        if strategy[i] > 0.0 and count < ids.size:
            ids[count] = i
            count += 1
    return count
