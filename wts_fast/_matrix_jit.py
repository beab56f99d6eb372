"""The simplex method for matrix games on plain arrays, jitted; `matrix` is its front, `_double_jit` its other user.

The column player's linear program, for payoffs B > 0, is: the largest sum of y with B y <= 1, y >= 0.
At the optimum the sum is 1 / value, y times the value is the column player's strategy, and the
dual prices times the value are the row player's. A condensed tableau of p rows and q columns holds it:

* `table[i, j]` for i from 1 to p and j from 1 to q; row and column 0 are the prices `table[0, j]`, the right sides
  `table[i, 0]` and the sum `table[0, 0]`, so that rows and columns can join at the end;
* `row_label[i]` and `column_label[j]`: the variable that stands there, k >= 0 for the y of column k of the game,
  -1 - k for the slack of row k;
* `pivot` and `square`: vectors of at least q + 1 that nothing is kept in.

A caller that keeps the table and its labels can go on from them after a change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import inlined, jit

__all__ = [
    "append_column",
    "append_row",
    "certify",
    "dual",
    "group_rows",
    "load",
    "primal",
    "refine",
    "share",
    "share_evenly",
    "solve_scaled",
    "take",
]

Array = Any  # numba arrays; what each holds stands in the docstrings

_PRICE_TOLERANCE = 1e-13  # a price or a right side counts as negative below minus this; payoffs are of size 1
_PIVOT_TOLERANCE = 1e-11  # smaller elements are rounding noise and never pivots
_RATIO_TOLERANCE = 1e-14  # ratios this near are a tie
_LEAST_WEIGHT = 1e-13  # smaller shares are rounding noise
_STEEP_FROM = 150  # tableaus of this many elements and more are worth the steepest edge
_PATIENCE = 20  # pivots without gain before the rule that cannot cycle takes over


@jit
def load(payoff: Array, table: Array, row_label: Array, column_label: Array, shift: float, spread: float) -> None:
    """Fill the table with the slack basis of a game: payoffs plus `shift`, which makes them positive.

    `spread` > 0 makes the right sides differ by up to that much, by a fixed pattern: degenerate vertices
    fall apart and cycling ends, for an error of that size which `refine` takes away.
    """
    p, q = payoff.shape
    for j in range(q):
        table[0, j + 1] = -1.0
        column_label[j + 1] = j
    for i in range(p):
        for j in range(q):
            table[i + 1, j + 1] = payoff[i, j] + shift
        # Multiples of the golden ratio modulo 1 are all different and evenly spread.
        table[i + 1, 0] = 1.0 + spread * ((0.6180339887498949 * (i + 1)) % 1.0)
        row_label[i + 1] = -1 - i
    table[0, 0] = 0.0


@inlined
def append_row(table: Array, row_label: Array, column_label: Array, entries: Array, p: int, q: int) -> None:
    """Let row p of the game join a table of p rows; `entries` are its payoffs, shifted, in the q columns."""
    new = p + 1
    table[new, 0] = 1.0
    for j in range(1, q + 1):
        label = column_label[j]
        table[new, j] = entries[label] if label >= 0 else 0.0
    for i in range(1, p + 1):
        label = row_label[i]
        if label >= 0:
            factor = entries[label]
            for j in range(q + 1):
                table[new, j] -= factor * table[i, j]
    row_label[new] = -1 - p


@inlined
def append_column(
    table: Array, row_label: Array, column_label: Array, entries: Array, pivot: Array, p: int, q: int
) -> None:
    """Let column q of the game join a table of q columns; `entries` are its payoffs, shifted, in the p rows."""
    new = q + 1
    for j in range(1, new):
        label = column_label[j]
        pivot[j] = entries[-1 - label] if label < 0 else 0.0
    for i in range(p + 1):
        total = 0.0
        for j in range(1, new):
            total += pivot[j] * table[i, j]
        table[i, new] = total
    table[0, new] -= 1.0
    for i in range(1, p + 1):
        label = row_label[i]
        if label < 0:
            table[i, new] += entries[-1 - label]
    column_label[new] = q


@inlined
def exchange(table: Array, row_label: Array, column_label: Array, pivot: Array, p: int, q: int, r: int, c: int) -> None:
    """Exchange the variables of row r and column c: one pivot."""
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


@inlined
def _lowest_price(table: Array, q: int) -> int:
    """Return the column of the most negative price, or 0 at the optimum."""
    c = 0
    least = -_PRICE_TOLERANCE
    for j in range(1, q + 1):
        if table[0, j] < least:
            least = table[0, j]
            c = j
    return c


@inlined
def _steepest_edge(table: Array, square: Array, p: int, q: int) -> int:
    """Return the column whose price is most negative for the length of its edge, or 0 at the optimum.

    That takes a pass over the table, and halves the number of pivots in large ones.
    """
    for j in range(q + 1):
        square[j] = 1.0
    for i in range(1, p + 1):
        for j in range(q + 1):
            square[j] += table[i, j] * table[i, j]
    c = 0
    most = 0.0
    for j in range(1, q + 1):
        price = table[0, j]
        if price < -_PRICE_TOLERANCE and price * price > most * square[j]:
            most = price * price / square[j]
            c = j
    return c


@inlined
def _least_label(table: Array, column_label: Array, q: int) -> int:
    """Return the column of negative price whose label is least, or 0 at the optimum."""
    c = 0
    for j in range(1, q + 1):
        if table[0, j] < -_PRICE_TOLERANCE and (c == 0 or column_label[j] < column_label[c]):
            c = j
    return c


@inlined
def _leaving_row(table: Array, row_label: Array, p: int, c: int, bland: bool) -> int:
    """Return the row whose right side bounds column c first, or 0 if none does."""
    r = 0
    best = np.inf
    for i in range(1, p + 1):
        element = table[i, c]
        if element > _PIVOT_TOLERANCE:
            ratio = table[i, 0] / element
            if ratio < best - _RATIO_TOLERANCE:
                best = ratio
                r = i
            elif ratio <= best + _RATIO_TOLERANCE:
                if row_label[i] < row_label[r] if bland else element > table[r, c]:
                    r = i
                best = min(best, ratio)
    return r


@inlined
def primal(
    table: Array,
    row_label: Array,
    column_label: Array,
    pivot: Array,
    square: Array,
    p: int,
    q: int,
    most: int,
    always_bland: bool,
) -> int:
    """Pivot from right sides that are not negative to the optimum; return the number of pivots.

    That is -1 where `most` of them did not get there. Bland's rule (least label in, least label out), which cannot
    cycle, takes over once a row of pivots has brought nothing and until something is won again.
    """
    idle = 0
    steep = p * q >= _STEEP_FROM
    for count in range(most):
        bland = always_bland or idle > _PATIENCE
        if bland:
            c = _least_label(table, column_label, q)
        elif steep:
            c = _steepest_edge(table, square, p, q)
        else:
            c = _lowest_price(table, q)
        if c == 0:
            return count
        r = _leaving_row(table, row_label, p, c, bland)
        if r == 0:
            return -1  # unbounded: impossible for positive payoffs, so the table has lost its digits
        before = table[0, 0]
        exchange(table, row_label, column_label, pivot, p, q, r, c)
        idle = 0 if table[0, 0] > before + 1e-14 else idle + 1
    return -1


@inlined
def _leaving_by_dual(table: Array, row_label: Array, p: int, bland: bool) -> int:
    """Return the row to pivot out, or 0 where no right side is negative."""
    r = 0
    least = -_PRICE_TOLERANCE
    for i in range(1, p + 1):
        if table[i, 0] < least:
            if bland:
                if r == 0 or row_label[i] < row_label[r]:
                    r = i
            else:
                least = table[i, 0]
                r = i
    return r


@inlined
def _entering_by_dual(table: Array, column_label: Array, q: int, r: int, bland: bool) -> int:
    """Return the column whose price bounds row r first, or 0 if none does."""
    c = 0
    best = np.inf
    for j in range(1, q + 1):
        element = -table[r, j]
        if element > _PIVOT_TOLERANCE:
            ratio = table[0, j] / element
            if ratio < best - _RATIO_TOLERANCE:
                best = ratio
                c = j
            elif ratio <= best + _RATIO_TOLERANCE:
                if column_label[j] < column_label[c] if bland else element > -table[r, c]:
                    c = j
                best = min(best, ratio)
    return c


@inlined
def dual(table: Array, row_label: Array, column_label: Array, pivot: Array, p: int, q: int, most: int) -> int:
    """Pivot from prices that are not negative to the optimum, as after `append_row`; return as `primal` does."""
    idle = 0
    for count in range(most):
        bland = idle > _PATIENCE
        r = _leaving_by_dual(table, row_label, p, bland)
        if r == 0:
            return count
        c = _entering_by_dual(table, column_label, q, r, bland)
        if c == 0:
            return -1  # infeasible: y = 0 always is, so the table has lost its digits
        before = table[0, 0]
        exchange(table, row_label, column_label, pivot, p, q, r, c)
        idle = 0 if table[0, 0] < before - 1e-14 else idle + 1
    return -1


@inlined
def take(table: Array, row_label: Array, column_label: Array, p: int, q: int, x: Array, y: Array) -> None:
    """Read both strategies off an optimal table into the first p of x and the first q of y."""
    for i in range(p):
        x[i] = 0.0
    for j in range(q):
        y[j] = 0.0
    for i in range(1, p + 1):
        label = row_label[i]
        if label >= 0:
            y[label] = table[i, 0]
    for j in range(1, q + 1):
        label = column_label[j]
        if label < 0:
            x[-1 - label] = table[0, j]
    normalise(x, p)
    normalise(y, q)


@inlined
def normalise(weights: Array, size: int) -> None:
    """Make a probability vector of what rounding left: noise to 0, sum 1; uniform if nothing is left."""
    total = 0.0
    for i in range(size):
        # Written so that NaN becomes 0 too: the certificate then refuses what it cannot prove.
        if not weights[i] > _LEAST_WEIGHT:
            weights[i] = 0.0
        total += weights[i]
    if 0.0 < total < np.inf:
        for i in range(size):
            weights[i] /= total
    else:
        for i in range(size):
            weights[i] = 1.0 / size


@jit
def certify(payoff: Array, x: Array, y: Array) -> tuple[float, float]:
    """Return what x guarantees the row player and what y concedes at most: lower <= value <= upper."""
    m, n = payoff.shape
    upper = -np.inf
    columns = np.empty(n)
    for j in range(n):
        columns[j] = 0.0
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += payoff[i, j] * y[j]
        upper = max(upper, total)
        if x[i] != 0.0:
            for j in range(n):
                columns[j] += x[i] * payoff[i, j]
    lower = np.inf
    for j in range(n):
        lower = min(lower, columns[j])
    return lower, upper


@jit
def refine(payoff: Array, row_label: Array, column_label: Array, shift: float, x: Array, y: Array) -> bool:
    """Solve the two linear systems of the final basis afresh from the payoffs; false where they are singular.

    Rounding gathered over many pivots goes, and so does the error of a spread right side.
    """
    p, q = payoff.shape
    rows = np.empty(p, np.int64)
    columns = np.empty(p, np.int64)
    k = 0
    for j in range(1, q + 1):
        if column_label[j] < 0:
            rows[k] = -1 - column_label[j]
            k += 1
    h = 0
    for i in range(1, p + 1):
        if row_label[i] >= 0:
            columns[h] = row_label[i]
            h += 1
    if k != h or k == 0:
        return False
    a = np.empty((k, k + 1))
    for side in range(2):
        for i in range(k):
            for j in range(k):
                a[i, j] = shift + (payoff[rows[i], columns[j]] if side == 0 else payoff[rows[j], columns[i]])
            a[i, k] = 1.0
        if not eliminate(a, k):
            return False
        if side == 0:
            _spread_out(a, columns, k, y, q)
        else:
            _spread_out(a, rows, k, x, p)
    return True


@jit
def _spread_out(a: Array, places: Array, k: int, target: Array, size: int) -> None:
    """Write the solution of k equations to its places in a strategy."""
    for i in range(size):
        target[i] = 0.0
    for i in range(k):
        target[places[i]] = a[i, k]
    normalise(target, size)


@jit
def eliminate(a: Array, k: int) -> bool:
    """Solve k equations in place, the right side in the last column, with row pivoting; false if singular."""
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
def group_rows(payoff: Array, group: Array) -> int:
    """Number the different rows in order of appearance; `group[i]` becomes the number of row i; return how many."""
    m, n = payoff.shape
    first = np.empty(m, np.int64)
    count = 0
    for i in range(m):
        found = -1
        for g in range(count):
            j = 0
            while j < n and payoff[first[g], j] == payoff[i, j]:
                j += 1
            if j == n:
                found = g
                break
        if found < 0:
            first[count] = i
            found = count
            count += 1
        group[i] = found
    return count


@jit
def share(strategy: Array, group: Array, size: int) -> None:
    """Give each of the first `size` actions the mean of its group, numbered from 0 to at most `size` - 1.

    For groups of equal rows, or of actions that symmetries of the game map to one another, what was best stays so.
    """
    total = np.empty(size)
    count = np.empty(size)
    for i in range(size):
        total[i] = 0.0
        count[i] = 0.0
    for i in range(size):
        total[group[i]] += strategy[i]
        count[group[i]] += 1.0
    for i in range(size):
        strategy[i] = total[group[i]] / count[group[i]]


@jit
def share_evenly(cells: Array, num_rows: int, num_columns: int, x: Array, y: Array) -> None:
    """Share what rows got among the rows equal to them, cell for cell, and so for columns.

    The proof of the strategies stays what it was, but for rounding. `cells` is one-dimensional, row after row.
    """
    _share_lines(cells, num_rows, num_columns, num_columns, 1, x)
    _share_lines(cells, num_columns, num_rows, 1, num_columns, y)


@jit
def _share_lines(cells: Array, num_lines: int, size: int, line_step: int, step: int, strategy: Array) -> None:
    """Share among equal lines: of `size` cells `step` apart, `line_step` from one line to the next."""
    same = np.empty(num_lines, np.int64)
    done = np.zeros(num_lines, np.uint8)
    for i in range(num_lines):
        if strategy[i] > 0.0 and done[i] == 0:
            count = 0
            total = 0.0
            for k in range(num_lines):
                j = 0
                while j < size and cells[k * line_step + j * step] == cells[i * line_step + j * step]:
                    j += 1
                if j == size:
                    same[count] = k
                    count += 1
                    total += strategy[k]
            for h in range(count):
                strategy[same[h]] = total / count
                done[same[h]] = 1


@jit
def solve_scaled(scaled: Array, x: Array, y: Array, tolerance: float) -> tuple[float, float, int]:
    """Solve a game with payoffs in [0, 1]; return (lower, upper, pivots).

    x and y are overwritten. Equal rows get equal shares of what one of them would get, and so do equal columns.
    Each attempt is judged by its certificate alone; the next and slower one runs while the gap is
    above `tolerance`, and the best one is the answer, whatever its gap: the caller looks at it.
    """
    m, n = scaled.shape
    across = np.empty((n, m))
    for i in range(m):
        for j in range(n):
            across[j, i] = scaled[i, j]
    row_group = np.empty(m, np.int64)
    column_group = np.empty(n, np.int64)
    p = group_rows(scaled, row_group)
    q = group_rows(across, column_group)
    small = np.empty((p, q))
    for i in range(m):
        for j in range(n):
            small[row_group[i], column_group[j]] = scaled[i, j]

    table = np.empty((p + 1, q + 1))
    row_label = np.empty(p + 1, np.int64)
    column_label = np.empty(q + 1, np.int64)
    pivot = np.empty(q + 1)
    square = np.empty(q + 1)
    best_x = np.empty(p)
    best_y = np.empty(q)
    trial_x = np.empty(p)
    trial_y = np.empty(q)
    # Where all alike is best, as in games of pure guessing, it is best to the last bit.
    for i in range(p):
        best_x[i] = 1.0 / p
    for j in range(q):
        best_y[j] = 1.0 / q
    lower, upper = certify(small, best_x, best_y)
    total = 0
    most = 50 * (p + q) + 1000
    for attempt in range(4):
        # 0 as it is, 1 and 2 with right sides made to differ, 3 by Bland's rule alone.
        spread = 0.0 if attempt == 0 or attempt == 3 else (1e-7 if attempt == 1 else 1e-4)
        load(small, table, row_label, column_label, 1.0, spread)
        count = primal(table, row_label, column_label, pivot, square, p, q, most, attempt == 3)
        total += most if count < 0 else count
        for pass_ in range(2):
            if pass_ == 0:
                take(table, row_label, column_label, p, q, trial_x, trial_y)
            elif not refine(small, row_label, column_label, 1.0, trial_x, trial_y):
                break
            new_lower, new_upper = certify(small, trial_x, trial_y)
            if new_upper - new_lower < upper - lower:
                lower, upper = new_lower, new_upper
                for i in range(p):
                    best_x[i] = trial_x[i]
                for j in range(q):
                    best_y[j] = trial_y[j]
            if upper - lower <= 1e-14:
                break
        if upper - lower <= tolerance:
            break
    for i in range(m):
        x[i] = best_x[row_group[i]]
    for j in range(n):
        y[j] = best_y[column_group[j]]
    _divide(x, row_group, m, p)
    _divide(y, column_group, n, q)
    return lower, upper, total


@jit
def _divide(strategy: Array, group: Array, size: int, num_groups: int) -> None:
    """Divide what each group got among its members, each of which was given all of it."""
    members = np.empty(num_groups)
    for g in range(num_groups):
        members[g] = 0.0
    for i in range(size):
        members[group[i]] += 1.0
    for i in range(size):
        strategy[i] /= members[group[i]]
