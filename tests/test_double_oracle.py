"""Double oracle: what it returns is proved on the whole matrix, wherever it starts."""

import numpy as np
import pytest

from wts_fast import _double_jit as core
from wts_fast import matrix

WORK = core.new_work(81, 81)


def solved(cells, rows=(), columns=(), tolerance=1e-9, room=81):
    """Solve, prove the answer by arithmetic of our own, and return (value, x, y, rows, columns, counts)."""
    m, n = cells.shape
    x, y = np.full(m, np.nan), np.full(n, np.nan)
    row_ids, column_ids = np.zeros(room, np.uint8), np.zeros(room, np.uint8)
    row_ids[: len(rows)], column_ids[: len(columns)] = rows, columns
    counts = np.array([len(rows), len(columns), 0, 0])
    flat = np.ascontiguousarray(cells).ravel()
    value, gap, status = core.double_oracle(flat, m, n, x, y, row_ids, column_ids, counts, WORK, tolerance)
    exact = cells.astype(np.longdouble)
    upper, lower = float((exact @ y).max()), float((x @ exact).min())
    assert status == core.CONVERGED
    assert 0 <= gap <= tolerance
    assert abs(upper - lower - gap) <= 1e-14
    assert abs((upper + lower) / 2 - value) <= 1e-14
    assert x.min() >= 0
    assert y.min() >= 0
    assert abs(x.sum() - 1) <= 1e-13
    assert abs(y.sum() - 1) <= 1e-13
    return value, x, y, row_ids[: counts[0]], column_ids[: counts[1]], counts


def like_a_turn(rng, n):
    """Additive in the two stones, with interactions, captures, collisions and completion squares, squashed."""
    worth = np.abs(rng.standard_normal(n)) ** 1.5 * rng.choice([0.05, 0.15, 0.4])
    score = np.subtract.outer(worth * rng.uniform(0.6, 1.4, n), worth * rng.uniform(0.6, 1.4, n))
    score += (rng.random((n, n)) < 0.1) * rng.normal(size=(n, n)) * 0.3
    score += (rng.random((n, n)) < 0.016) * rng.choice([-1, 1], (n, n))
    cells = np.tanh(score + rng.normal() * 0.3)
    k = rng.integers(0, 4)
    squares = rng.choice(n, min(n, k), replace=False)
    cells[squares] = 1
    cells[squares, squares] = rng.uniform(-1, 0.5)
    return cells.astype(np.float32)


RANDOM = {
    "turn": lambda rng, m, n: like_a_turn(rng, m),
    "uniform": lambda rng, m, n: rng.uniform(-1, 1, (m, n)),
    "signs": lambda rng, m, n: rng.integers(-1, 2, (m, n)).astype(np.float32),
    "rank2": lambda rng, m, n: np.tanh(rng.standard_normal((m, 2)) @ rng.standard_normal((2, n))),
    "additive": lambda rng, m, n: np.tanh(np.add.outer(rng.normal(size=m), rng.normal(size=n))),
    "repeated": lambda rng, m, n: rng.uniform(-1, 1, (m, n))[rng.integers(0, m, m)][:, rng.integers(0, n, n)],
    "near_ties": lambda rng, m, n: rng.integers(-1, 2, (m, n)) * (1 - 1e-9 * rng.random((m, n))),
    "threats": lambda rng, m, n: 1 - 2 * np.eye(m, dtype=np.float32),
    "constant": lambda rng, m, n: np.full((m, n), rng.uniform(-1, 1), np.float32),
}


@pytest.mark.parametrize("kind", RANDOM)
@pytest.mark.parametrize("seed", range(20))
def test_the_value_is_that_of_the_plain_simplex_method(kind, seed):
    rng = np.random.default_rng([seed, len(kind)])
    m, n = (81, 81) if seed == 0 else rng.integers(1, 82, 2)
    cells = RANDOM[kind](rng, m, n)
    assert solved(cells)[0] == pytest.approx(matrix.solve(cells).value, abs=2e-9)


@pytest.mark.parametrize("seed", range(20))
def test_any_start_ends_at_the_same_value(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(2, 82, 2)
    cells = rng.uniform(-1, 1, (m, n)).astype(np.float32)
    value, _, _, rows, columns, _ = solved(cells)
    for _ in range(5):
        some = rng.permutation(m)[: rng.integers(0, m + 1)], rng.permutation(n)[: rng.integers(0, n + 1)]
        assert solved(cells, *some)[0] == pytest.approx(value, abs=2e-9)
    assert solved(cells, rows, columns)[5][3] == 1  # from the answer, one pricing proves it again


@pytest.mark.parametrize("seed", range(20))
def test_after_a_changed_cell_it_goes_on_from_the_old_supports(seed):
    rng = np.random.default_rng(seed)
    cells = like_a_turn(rng, 70)
    _, x, y, rows, columns, _ = solved(cells)
    for _ in range(20):
        i, j = rng.choice(rows), rng.choice(columns)
        cells[i, j] = np.clip(cells[i, j] + rng.normal() * 0.1, -1, 1)
        value, x, y, rows, columns, _ = solved(cells, rows, columns)
        assert set(rows) == set(np.flatnonzero(x))
        assert set(columns) == set(np.flatnonzero(y))
        assert value == pytest.approx(solved(cells)[0], abs=2e-9)


def test_a_short_list_takes_as_much_of_the_support_as_fits():
    cells = 1 - 2 * np.eye(10, dtype=np.float32)
    _, x, _, rows, columns, counts = solved(cells, room=4)
    assert np.count_nonzero(x) == 10
    assert rows.tolist() == columns.tolist() == [0, 1, 2, 3]
    assert counts[:2].tolist() == [4, 4]


def test_completion_squares_are_worth_what_the_theorem_says():
    value = -1.0
    for k in range(1, 9):
        cells = np.full((k, k), 1.0)
        np.fill_diagonal(cells, value)
        value = solved(cells)[0]
        assert value == pytest.approx(1 - 2 / np.prod(np.arange(1.0, k + 1)), abs=1e-9)


def test_few_of_the_cells_of_a_turn_are_needed():
    rng = np.random.default_rng(3)
    counts = [solved(like_a_turn(rng, 70))[5] for _ in range(50)]
    assert np.mean([c[3] for c in counts]) < 9  # pricings: the working sets stay small


def extended(cells, rows, columns, room, tolerance=1e-9):
    """Solve by `extend`, with lines of cells filled in only when asked for; the rest are NaN."""
    m, n = cells.shape
    row_ids, column_ids = np.zeros(room, np.int32), np.zeros(room, np.int32)
    row_ids[: len(rows)], column_ids[: len(columns)] = rows, columns
    row_cells, column_cells = np.full((room, n), np.nan, np.float32), np.full((room, m), np.nan, np.float32)
    counts = np.array([len(rows), len(columns), 0, 0, 0, 0])
    x, y = np.zeros(room), np.zeros(room)
    filled = [0, 0]
    while True:
        for k in range(filled[0], counts[0]):
            row_cells[k] = cells[row_ids[k]]
        for k in range(filled[1], counts[1]):
            column_cells[k] = cells[:, column_ids[k]]
        filled = counts[:2].tolist()
        lower, upper, status = core.extend(
            m, n, row_ids, column_ids, row_cells, column_cells, x, y, counts, WORK, tolerance
        )
        if status != core.WANTED:
            break
    whole_x, whole_y = np.zeros(m), np.zeros(n)
    whole_x[row_ids[: counts[0]]] = x[: counts[0]]
    whole_y[column_ids[: counts[1]]] = y[: counts[1]]
    exact = cells.astype(float)
    assert abs((whole_x @ exact).min() - lower) <= 1e-14
    assert abs((exact @ whole_y).max() - upper) <= 1e-14
    return lower, upper, status, counts


@pytest.mark.parametrize("seed", range(30))
def test_cells_are_asked_for_only_where_they_matter(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 82))
    cells = like_a_turn(rng, n)
    lower, upper, status, counts = extended(cells, [rng.integers(n)], [rng.integers(n)], 81)
    assert status == core.CONVERGED
    assert upper - lower <= 1e-9
    assert (lower + upper) / 2 == pytest.approx(solved(cells)[0], abs=2e-9)
    assert counts[0] + counts[1] < n


def test_no_room_is_told_with_what_is_missing():
    cells = 1 - 2 * np.eye(10, dtype=np.float32)
    lower, upper, status, counts = extended(cells, [0], [0], 4)
    assert status == core.FULL
    assert upper - lower > 0.1
    assert counts[:2].max() <= 4


SMALL = {
    **RANDOM,
    "tiny": lambda rng, m, n: rng.integers(-2, 3, (min(m, 3), min(n, 3))) / 2,
    "two": lambda rng, m, n: rng.uniform(-1, 1, (2, 2)),
    "dominated": lambda rng, m, n: np.tanh(np.add.outer(np.arange(m) * 0.01, -np.arange(n) * 0.01)),
}


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("seed", range(15))
def test_small_games_are_proved_and_share_evenly(kind, seed):
    rng = np.random.default_rng([seed, 7])
    cells = np.ascontiguousarray(SMALL[kind](rng, *rng.integers(1, 12, 2)))
    m, n = cells.shape
    x, y, counts = np.full(m, np.nan), np.full(n, np.nan), np.zeros(4, np.int64)
    ids = np.zeros((2, 81), np.uint8)
    value, gap, status = core.solve_small(cells.ravel(), m, n, x, y, ids[0], ids[1], counts, WORK, 1e-9)
    exact = cells.astype(float)
    assert status == core.CONVERGED
    assert (exact @ y).max() - (x @ exact).min() <= gap + 1e-14
    assert value == pytest.approx(matrix.solve(exact).value, abs=2e-9)
    assert abs(x.sum() - 1) <= 1e-13
    assert abs(y.sum() - 1) <= 1e-13
    if exact.min(axis=1).max() == exact.max(axis=0).min():
        assert gap == 0
    for strategy, lines in ((x, exact), (y, exact.T)):
        for i in range(len(lines)):
            for k in range(i):
                assert strategy[i] == strategy[k] or (lines[i] != lines[k]).any()


def test_a_gap_above_the_tolerance_is_told():
    rng = np.random.default_rng(1)
    cells = rng.uniform(-1, 1, (30, 30))
    x, y, counts = np.zeros(30), np.zeros(30), np.zeros(4, np.int64)
    ids = np.zeros((2, 81), np.uint8)
    _, gap, status = core.double_oracle(cells.ravel(), 30, 30, x, y, ids[0], ids[1], counts, WORK, -1.0)
    assert status == core.UNPROVED
    assert 0 <= gap <= 1e-12
