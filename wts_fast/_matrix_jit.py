"""The simplex method for matrix games on plain arrays, jitted; `matrix` is its front.

The column player's linear program, for payoffs B in [1, 2], is: the largest sum of y with B y <= 1, y >= 0.
At the optimum the sum is 1 / value, y times the value is the column player's strategy, and the
dual prices times the value are the row player's. A condensed tableau holds it:

* `table[i, j]` for the m rows and n columns; column n is the right side, row m the prices, `table[m, n]` the sum;
* `row_label[i]` and `column_label[j]`: the variable that stands there, 0 to n - 1 for y, n + i for the slack of row i.

A caller that keeps the table and its labels can go on from them after a change (`pivots` starts anywhere).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import jit

__all__ = ["certify", "group_rows", "load", "pivots", "refine", "solve_scaled", "take"]

Array = Any  # numba arrays; what each holds stands in the docstrings

_PRICE_TOLERANCE = 1e-12  # a price counts as negative below minus this; payoffs are of size 1
_PIVOT_TOLERANCE = 1e-10  # smaller elements are rounding noise and never pivots
_RATIO_TOLERANCE = 1e-13  # ratios this near are a tie


@jit
def load(scaled: Array, table: Array, row_label: Array, column_label: Array, spread: float) -> None:
    """Fill the table with the slack basis of a game with payoffs in [0, 1].

    `spread` > 0 makes the right sides differ by up to that much, by a fixed pattern: degenerate vertices
    fall apart and cycling ends, for an error of that size which `refine` takes away.
    """
    m, n = scaled.shape
    for i in range(m):
        for j in range(n):
            table[i, j] = scaled[i, j] + 1.0
        # Multiples of the golden ratio modulo 1 are all different and evenly spread.
        table[i, n] = 1.0 + spread * ((0.6180339887498949 * (i + 1)) % 1.0)
        row_label[i] = n + i
    for j in range(n):
        table[m, j] = -1.0
        column_label[j] = j
    table[m, n] = 0.0


@jit
def exchange(table: Array, row_label: Array, column_label: Array, r: int, c: int) -> None:
    """Exchange the variables of row r and column c: one pivot."""
    m = table.shape[0] - 1
    n = table.shape[1] - 1
    inverse = 1.0 / table[r, c]
    for j in range(n + 1):
        table[r, j] *= inverse
    table[r, c] = inverse
    for i in range(m + 1):
        if i != r:
            factor = table[i, c]
            if factor != 0.0:
                table[i, c] = 0.0
                for j in range(n + 1):
                    table[i, j] -= factor * table[r, j]
    label = row_label[r]
    row_label[r] = column_label[c]
    column_label[c] = label


@jit
def pivots(table: Array, row_label: Array, column_label: Array, most: int, always_bland: bool) -> int:
    """Pivot to the optimum; return the number of pivots, or -1 where `most` of them did not get there.

    Takes the most negative price, and Bland's rule (least label in, least label out), which cannot cycle,
    once a row of pivots has brought nothing and until something is won again.
    """
    m = table.shape[0] - 1
    n = table.shape[1] - 1
    idle = 0
    for count in range(most):
        bland = always_bland or idle > 20
        c = -1
        if bland:
            for j in range(n):
                if table[m, j] < -_PRICE_TOLERANCE and (c < 0 or column_label[j] < column_label[c]):
                    c = j
        else:
            least = -_PRICE_TOLERANCE
            for j in range(n):
                if table[m, j] < least:
                    least = table[m, j]
                    c = j
        if c < 0:
            return count
        r = -1
        best = np.inf
        for i in range(m):
            element = table[i, c]
            if element > _PIVOT_TOLERANCE:
                ratio = table[i, n] / element
                if r < 0 or ratio < best - _RATIO_TOLERANCE:
                    best = ratio
                    r = i
                elif ratio <= best + _RATIO_TOLERANCE:
                    better = row_label[i] < row_label[r] if bland else element > table[r, c]
                    if better:
                        r = i
                    best = min(best, ratio)
        if r < 0:
            return -1  # unbounded: impossible for payoffs >= 1, so the table has lost its digits
        before = table[m, n]
        exchange(table, row_label, column_label, r, c)
        idle = 0 if table[m, n] > before + 1e-14 else idle + 1
    return -1


@jit
def take(table: Array, row_label: Array, column_label: Array, x: Array, y: Array) -> None:
    """Read both strategies off an optimal table."""
    m = table.shape[0] - 1
    n = table.shape[1] - 1
    x[:] = 0.0
    y[:] = 0.0
    for i in range(m):
        if row_label[i] < n:
            y[row_label[i]] = table[i, n]
    for j in range(n):
        if column_label[j] >= n:
            x[column_label[j] - n] = table[m, j]
    normalise(x)
    normalise(y)


@jit
def normalise(p: Array) -> None:
    """Make a probability vector of what rounding left: negatives to 0, sum 1; uniform if nothing is left."""
    total = 0.0
    for i in range(p.size):
        # Written so that NaN becomes 0 too: the certificate then refuses what it cannot prove.
        if not p[i] > 0.0:
            p[i] = 0.0
        total += p[i]
    if 0.0 < total < np.inf:
        for i in range(p.size):
            p[i] /= total
    else:
        p[:] = 1.0 / p.size


@jit
def certify(scaled: Array, x: Array, y: Array) -> tuple[float, float]:
    """Return what x guarantees the row player and what y concedes at most: lower <= value <= upper."""
    m, n = scaled.shape
    upper = -np.inf
    columns = np.zeros(n)
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += scaled[i, j] * y[j]
        upper = max(upper, total)
        if x[i] != 0.0:
            for j in range(n):
                columns[j] += x[i] * scaled[i, j]
    return columns.min(), upper


@jit
def refine(scaled: Array, row_label: Array, column_label: Array, x: Array, y: Array) -> bool:
    """Solve the two linear systems of the final basis afresh from the payoffs; false where they are singular.

    Rounding gathered over many pivots goes, and so does the error of a spread right side.
    """
    m, n = scaled.shape
    rows = np.empty(m, np.int64)
    columns = np.empty(n, np.int64)
    k = 0
    for j in range(n):
        if column_label[j] >= n:
            rows[k] = column_label[j] - n
            k += 1
    h = 0
    for i in range(m):
        if row_label[i] < n:
            columns[h] = row_label[i]
            h += 1
    if k != h or k == 0:
        return False
    for side in range(2):
        a = np.empty((k, k + 1))
        for p in range(k):
            for q in range(k):
                a[p, q] = 1.0 + (scaled[rows[p], columns[q]] if side == 0 else scaled[rows[q], columns[p]])
            a[p, k] = 1.0
        if not eliminate(a):
            return False
        target = y if side == 0 else x
        target[:] = 0.0
        for p in range(k):
            target[columns[p] if side == 0 else rows[p]] = a[p, k]
        normalise(target)
    return True


@jit
def eliminate(a: Array) -> bool:
    """Solve k equations in place, the right side in the last column, with row pivoting; false if singular."""
    k = a.shape[0]
    for p in range(k):
        best = p
        for q in range(p + 1, k):
            if abs(a[q, p]) > abs(a[best, p]):
                best = q
        if not abs(a[best, p]) > 1e-14:
            return False
        if best != p:
            for j in range(k + 1):
                a[p, j], a[best, j] = a[best, j], a[p, j]
        for q in range(p + 1, k):
            factor = a[q, p] / a[p, p]
            if factor != 0.0:
                for j in range(p, k + 1):
                    a[q, j] -= factor * a[p, j]
    for p in range(k - 1, -1, -1):
        total = a[p, k]
        for q in range(p + 1, k):
            total -= a[p, q] * a[q, k]
        a[p, k] = total / a[p, p]
    return True


@jit
def group_rows(matrix: Array, group: Array) -> int:
    """Number the different rows in order of appearance; `group[i]` becomes the number of row i; return how many."""
    m, n = matrix.shape
    first = np.empty(m, np.int64)
    count = 0
    for i in range(m):
        found = -1
        for g in range(count):
            same = True
            for j in range(n):
                if matrix[first[g], j] != matrix[i, j]:
                    same = False
                    break
            if same:
                found = g
                break
        if found < 0:
            first[count] = i
            found = count
            count += 1
        group[i] = found
    return count


@jit
def solve_scaled(scaled: Array, x: Array, y: Array, tolerance: float) -> tuple[float, float, int]:
    """Solve a game with payoffs in [0, 1]; return (lower, upper, pivots).

    x and y are overwritten. Equal rows get equal shares of what one of them would get, and so do equal columns.
    Each attempt is judged by its certificate alone; the next and slower one runs while the gap is
    above `tolerance`, and the best one is the answer, whatever its gap: the caller looks at it.
    """
    m, n = scaled.shape
    row_group = np.empty(m, np.int64)
    column_group = np.empty(n, np.int64)
    num_rows = group_rows(scaled, row_group)
    num_columns = group_rows(scaled.T, column_group)
    small = np.empty((num_rows, num_columns))
    row_size = np.zeros(num_rows)
    column_size = np.zeros(num_columns)
    for j in range(n):
        column_size[column_group[j]] += 1.0
    for i in range(m):
        row_size[row_group[i]] += 1.0
        for j in range(n):
            small[row_group[i], column_group[j]] = scaled[i, j]

    table = np.empty((num_rows + 1, num_columns + 1))
    row_label = np.empty(num_rows, np.int64)
    column_label = np.empty(num_columns, np.int64)
    best_x = np.full(num_rows, 1.0 / num_rows)
    best_y = np.full(num_columns, 1.0 / num_columns)
    lower, upper = certify(small, best_x, best_y)
    trial_x = np.empty(num_rows)
    trial_y = np.empty(num_columns)
    total = 0
    most = 50 * (num_rows + num_columns) + 1000
    for attempt in range(4):
        # 0 as it is, 1 and 2 with right sides made to differ, 3 by Bland's rule alone.
        spread = 0.0 if attempt == 0 or attempt == 3 else (1e-7 if attempt == 1 else 1e-4)
        load(small, table, row_label, column_label, spread)
        count = pivots(table, row_label, column_label, most, attempt == 3)
        total += most if count < 0 else count
        for pass_ in range(2):
            if pass_ == 0:
                take(table, row_label, column_label, trial_x, trial_y)
            elif not refine(small, row_label, column_label, trial_x, trial_y):
                break
            new_lower, new_upper = certify(small, trial_x, trial_y)
            if new_upper - new_lower < upper - lower:
                lower, upper = new_lower, new_upper
                best_x[:] = trial_x
                best_y[:] = trial_y
            if upper - lower <= 1e-14:
                break
        if upper - lower <= tolerance:
            break
    for i in range(m):
        x[i] = best_x[row_group[i]] / row_size[row_group[i]]
    for j in range(n):
        y[j] = best_y[column_group[j]] / column_size[column_group[j]]
    return lower, upper, total
