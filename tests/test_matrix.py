import itertools
import pickle

import numpy as np
import pytest
from scipy.optimize import linprog

from wts_fast import matrix
from wts_fast.errors import WtsError


def checked(payoff):
    """Solve, and prove the answer by arithmetic of our own, in long doubles."""
    solution = matrix.solve(payoff)
    exact = np.asarray(payoff, dtype=np.longdouble)
    black, white = (np.asarray(s, dtype=np.longdouble) for s in (solution.black, solution.white))
    for strategy, size in ((solution.black, exact.shape[0]), (solution.white, exact.shape[1])):
        assert strategy.shape == (size,)
        assert strategy.dtype == np.float64
        assert not strategy.flags.writeable
        assert strategy.min() >= 0
        assert abs(strategy.sum() - 1) <= 1e-12
    least = exact.min()
    span = float(exact.max() - least)
    upper = (((exact - least) @ white) / white.sum()).max()
    lower = ((black @ (exact - least)) / black.sum()).min()
    assert 0 <= solution.gap <= 1e-9 * span
    assert float(upper - lower) <= 1e-9 * span
    assert abs(float(upper - lower) - solution.gap) <= 1e-12 * span
    assert solution.lower <= solution.value <= solution.upper
    assert abs(float(least + (upper + lower) / 2) - solution.value) <= 1e-9 * span + 1e-15 * float(abs(exact).max())
    return solution


def highs_value(payoff):
    payoff = np.asarray(payoff, dtype=float)
    m, n = payoff.shape
    found = linprog(
        c=np.r_[np.zeros(m), -1],
        A_ub=np.c_[-payoff.T, np.ones(n)],
        b_ub=np.zeros(n),
        A_eq=np.r_[np.ones(m), 0][None],
        b_eq=[1],
        bounds=[(0, None)] * m + [(None, None)],
        method="highs",
    )
    assert found.status == 0
    return -found.fun


RANDOM = {
    "uniform": lambda rng, m, n: rng.uniform(-1, 1, (m, n)),
    "signs": lambda rng, m, n: rng.integers(-1, 2, (m, n)),
    "integers": lambda rng, m, n: rng.integers(-5, 6, (m, n)),
    "sparse": lambda rng, m, n: (rng.random((m, n)) < 0.03) * rng.choice([-1.0, 1.0], (m, n)),
    "rank2": lambda rng, m, n: rng.standard_normal((m, 2)) @ rng.standard_normal((2, n)),
    "additive": lambda rng, m, n: np.add.outer(rng.normal(size=m), rng.normal(size=n)),
    "repeated": lambda rng, m, n: rng.uniform(-1, 1, (m, n))[rng.integers(0, m, m)][:, rng.integers(0, n, n)],
    "near_ties": lambda rng, m, n: rng.integers(-1, 2, (m, n)) + 1e-9 * rng.uniform(-1, 1, (m, n)),
    "permutation": lambda rng, m, n: np.eye(max(m, n))[rng.permutation(max(m, n))][:m, :n],
}


@pytest.mark.parametrize("kind", RANDOM)
@pytest.mark.parametrize("seed", range(12))
def test_the_value_is_that_of_highs(kind, seed):
    rng = np.random.default_rng([seed, len(kind)])
    m, n = (81, 81) if seed == 0 else rng.integers(1, 30, 2)
    payoff = RANDOM[kind](rng, m, n)
    assert checked(payoff).value == pytest.approx(highs_value(payoff), abs=1e-6 if kind == "near_ties" else 1e-7)


@pytest.mark.parametrize("kind", RANDOM)
def test_many_random_games_are_proved(kind):
    rng = np.random.default_rng(2026)
    for _ in range(60):
        checked(RANDOM[kind](rng, *rng.integers(1, 26, 2)))


TEXTBOOK = {
    "matching_pennies": ([[1, -1], [-1, 1]], 0, [1 / 2, 1 / 2], [1 / 2, 1 / 2]),
    "rock_paper_scissors": ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], 0, [1 / 3] * 3, [1 / 3] * 3),
    "paper_counts_double": ([[0, -2, 1], [2, 0, -1], [-1, 1, 0]], 0, [1 / 4, 1 / 4, 1 / 2], [1 / 4, 1 / 4, 1 / 2]),
    "morra": (
        [[0, 2, -3, 0], [-2, 0, 0, 3], [3, 0, 0, -4], [0, -3, 4, 0]],
        0,
        None,  # a segment of equilibria, from (0, 4/7, 3/7, 0) to (0, 3/5, 2/5, 0)
        None,
    ),
    "kicker_and_keeper": ([[0.58, 0.95], [0.93, 0.70]], 0.7958333333333333, [0.23 / 0.6, 0.37 / 0.6], [5 / 12, 7 / 12]),
    "saddle": ([[4, 2, 5], [1, 0, 6], [3, 1, 9]], 2, [1, 0, 0], [0, 1, 0]),
    "two_by_three": ([[2, 3, 11], [7, 5, 2]], 49 / 11, [3 / 11, 8 / 11], [0, 9 / 11, 2 / 11]),
    "three_completions": (1 - 2 * np.eye(3), 1 / 3, [1 / 3] * 3, [1 / 3] * 3),
    "diagonal": (np.diag([1.0, 2.0, 4.0]), 4 / 7, [4 / 7, 2 / 7, 1 / 7], [4 / 7, 2 / 7, 1 / 7]),
}


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_game(name):
    payoff, value, black, white = TEXTBOOK[name]
    solution = checked(payoff)
    assert solution.value == pytest.approx(value, abs=1e-12)
    if black is not None:
        assert solution.black == pytest.approx(black, abs=1e-12)
        assert solution.white == pytest.approx(white, abs=1e-12)


def test_morra_lies_on_its_segment_of_equilibria():
    black = checked(TEXTBOOK["morra"][0]).black
    assert black[0] == black[3] == 0
    assert 4 / 7 - 1e-12 <= black[1] <= 3 / 5 + 1e-12


@pytest.mark.parametrize("shape", [(1, 1), (1, 81), (81, 1), (2, 3), (81, 81)])
@pytest.mark.parametrize("constant", [0, 1, -1, 0.1, 1e-300, -1e308, 5e-324])
def test_a_constant_matrix_gives_uniform_strategies(shape, constant):
    solution = checked(np.full(shape, constant))
    assert solution.value == constant
    assert solution.gap == 0
    assert solution.black.tolist() == [1 / shape[0]] * shape[0]
    assert solution.white.tolist() == [1 / shape[1]] * shape[1]


def test_one_row_and_one_column_choose_the_best_cell():
    line = np.random.default_rng(5).permutation(81) / 7
    row, column = checked(line[None]), checked(line[:, None])
    assert (row.value, column.value) == (line.min(), line.max())
    assert row.white.argmax() == line.argmin()
    assert row.white.max() == column.black.max() == 1
    assert column.black.argmax() == line.argmax()


def test_equal_best_cells_of_one_row_share_evenly():
    assert checked([[3, 1, 2, 1, 1]]).white == pytest.approx([0, 1 / 3, 0, 1 / 3, 1 / 3])


@pytest.mark.parametrize("seed", range(6))
def test_equal_rows_and_columns_share_evenly(seed):
    rng = np.random.default_rng(seed)
    small = rng.integers(-3, 4, (6, 7)).astype(float)
    rows, columns = rng.integers(0, 6, 30), rng.integers(0, 7, 25)
    solution = checked(small[rows][:, columns])
    for i, j in itertools.combinations(range(30), 2):
        if rows[i] == rows[j]:
            assert solution.black[i] == solution.black[j]
    for i, j in itertools.combinations(range(25), 2):
        if columns[i] == columns[j]:
            assert solution.white[i] == solution.white[j]


@pytest.mark.parametrize("seed", range(6))
def test_strictly_dominated_rows_and_columns_get_nothing(seed):
    rng = np.random.default_rng(seed)
    core = rng.uniform(-1, 1, (10, 9))
    payoff = np.vstack([core, core - rng.uniform(0.01, 1, (10, 1))])
    payoff = np.hstack([payoff, payoff + rng.uniform(0.01, 1)])
    solution = checked(payoff)
    assert solution.black[10:].max() == 0
    assert solution.white[9:].max() == 0
    assert solution.value == pytest.approx(checked(core).value, abs=1e-12)


@pytest.mark.parametrize("exponent", [-300, -100, -12, -6, 0, 6, 12, 100, 300])
@pytest.mark.parametrize("kind", ["uniform", "integers", "sparse"])
def test_scale_does_not_matter(exponent, kind):
    payoff = RANDOM[kind](np.random.default_rng(7), 30, 25).astype(float)
    plain, scaled = checked(payoff), checked(payoff * 10.0**exponent)
    assert scaled.value == pytest.approx(plain.value * 10.0**exponent, rel=1e-9, abs=1e-9 * 10.0**exponent)


@pytest.mark.parametrize("power", [-900, -30, 0, 30, 900])
def test_a_power_of_two_changes_no_strategy(power):
    payoff = np.random.default_rng(8).uniform(-1, 1, (20, 20))
    plain, scaled = checked(payoff), checked(np.ldexp(payoff, power))
    assert scaled.black.tolist() == plain.black.tolist()
    assert scaled.white.tolist() == plain.white.tolist()


def test_a_small_range_on_a_large_offset():
    rng = np.random.default_rng(9)
    for offset in (1e3, -1e6, 1e12):
        checked(offset + offset * 1e-9 * rng.uniform(-1, 1, (20, 20)))


@pytest.mark.parametrize("big", [1e308, 1.7976931348623157e308])
def test_payoffs_at_the_limit_do_not_overflow(big):
    solution = checked([[big, -big], [-big, big]])
    assert abs(solution.value) <= 1e-12 * big
    assert solution.black.tolist() == [0.5, 0.5]
    assert checked([[big, -big], [big / 2, big / 4]]).value == pytest.approx(big / 4, rel=1e-12)


def test_subnormal_payoffs():
    tiny = 5e-324
    assert checked([[tiny, 3 * tiny], [4 * tiny, 2 * tiny]]).black == pytest.approx([0.5, 0.5])


def test_extremes_of_size_in_one_matrix():
    checked([[1e12, 1e-12, 0], [1e-12, -1e12, 1], [0, 1, 1e-12]])
    checked(10.0 ** np.random.default_rng(3).uniform(-12, 12, (20, 20)))


def test_swapping_the_players_negates_the_value():
    for seed in range(20):
        payoff = np.random.default_rng(seed).uniform(-1, 1, (15, 22))
        assert checked(-payoff.T).value == pytest.approx(-checked(payoff).value, abs=1e-12)


def test_the_same_payoffs_give_the_same_bits():
    payoff = np.random.default_rng(1).uniform(-1, 1, (81, 81))
    first = matrix.solve(payoff)
    for again in (matrix.solve(payoff.copy()), matrix.solve(np.asfortranarray(payoff)), matrix.solve(payoff.tolist())):
        assert again.black.tobytes() == first.black.tobytes()
        assert again.white.tobytes() == first.white.tobytes()
        assert (again.value, again.gap, again.pivots) == (first.value, first.gap, first.pivots)


def test_the_payoffs_are_left_alone():
    payoff = np.random.default_rng(1).uniform(-1, 1, (5, 6))
    before = payoff.copy()
    matrix.solve(payoff)
    assert (payoff == before).all()


def test_a_game_that_makes_the_plain_rule_cycle():
    # Beale's example, in its degenerate part; and games where every ratio ties.
    checked([[0.25, -8, -1, 9], [0.5, -12, -0.5, 3], [0, 0, 1, 0]])
    for size in (2, 9, 40, 81):
        checked(np.sign(np.subtract.outer(np.arange(size), np.arange(size))))
        checked(np.triu(np.ones((size, size))))


def test_badly_conditioned_games_are_right_or_refused():
    for size in (5, 12, 30):
        hilbert = 1 / np.add.outer(np.arange(size) + 1.0, np.arange(size))
        checked(hilbert)
        checked(np.linalg.matrix_power(np.eye(size) + np.triu(np.ones((size, size))), 3))
        checked(2.0 ** -np.abs(np.subtract.outer(np.arange(size), np.arange(size))))


@pytest.mark.parametrize(
    ("payoff", "code"),
    [
        ([[float("nan")]], "payoff-finite"),
        ([[1, float("inf")], [0, 1]], "payoff-finite"),
        ([[1, 2], [3, -float("inf")]], "payoff-finite"),
        ([], "payoff-shape"),
        ([[]], "payoff-shape"),
        (np.zeros((0, 3)), "payoff-shape"),
        (np.zeros((3, 0)), "payoff-shape"),
        (1.0, "payoff-shape"),
        ([1, 2], "payoff-shape"),
        (np.zeros((2, 2, 2)), "payoff-shape"),
        ([[1, 2], [3]], "payoff-shape"),
        ([["1", "2"]], "payoff-type"),
        ([[True, False]], "payoff-type"),
        ([[1j]], "payoff-type"),
        ([[None, 1]], "payoff-type"),
        ([[10**30, 1]], "payoff-type"),
        ([[2**53 + 1, 1]], "payoff-type"),
        (np.ma.masked_array([[1.0, 2.0]], mask=[[0, 1]]), "payoff-type"),
        (np.array([[1, 2]], dtype="m8[s]"), "payoff-type"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(payoff, code):
    with pytest.raises(WtsError) as caught:
        matrix.solve(payoff)
    assert (caught.value.code, caught.value.field) == (code, "payoff")
    assert "\n" not in str(caught.value)
    assert pickle.loads(pickle.dumps(caught.value)).code == code


def test_an_error_names_the_cell():
    payoff = np.zeros((4, 5))
    payoff[2, 3] = np.nan
    with pytest.raises(WtsError, match="row 2, column 3 is nan"):
        matrix.solve(payoff)


def test_strategies_without_proof_are_never_returned(monkeypatch):
    from wts_fast import _matrix_jit

    def wrong(scaled, black, white, tolerance):
        black[:] = 1 / black.size
        white[:] = 1 / white.size
        return 0.5, 0.5, 0

    monkeypatch.setattr(_matrix_jit, "solve_scaled", wrong)
    with pytest.raises(WtsError) as caught:
        matrix.solve([[1, 2], [3, 4]])
    assert caught.value.code == "matrix-unsolved"


def tableau(p, q):
    return np.empty((p + 1, q + 1)), np.empty(p + 1, np.int64), np.empty(q + 1, np.int64), *np.empty((2, q + 1))


def test_the_core_goes_on_from_an_old_table():
    from wts_fast import _matrix_jit as core

    scaled = np.random.default_rng(4).uniform(0, 1, (20, 15))
    table = tableau(20, 15)
    core.load(scaled, *table[:3], 1.0, 0.0)
    assert core.primal(*table, 20, 15, 10_000, False) > 0
    assert core.primal(*table, 20, 15, 10_000, False) == 0
    x, y = np.empty(20), np.empty(15)
    core.take(*table[:3], 20, 15, x, y)
    lower, upper = core.certify(scaled, x, y)
    assert upper - lower <= 1e-12


def test_rows_and_columns_can_join_later():
    from wts_fast import _matrix_jit as core

    for seed in range(20):
        rng = np.random.default_rng(seed)
        p, q = rng.integers(2, 20, 2)
        scaled = rng.uniform(0, 1, (p, q)) if seed % 2 else rng.integers(0, 2, (p, q)).astype(float)
        table = tableau(p, q)
        core.load(scaled[:1, :1].copy(), *table[:3], 1.0, 0.0)
        assert core.primal(*table, 1, 1, 10_000, False) >= 0
        rows = columns = 1
        while rows < p or columns < q:
            if rows < p:
                core.append_row(*table[:3], scaled[rows] + 1, rows, columns)
                rows += 1
                assert core.dual(*table[:4], rows, columns, 10_000) >= 0
            if columns < q:
                core.append_column(*table[:3], scaled[:, columns] + 1, table[3], rows, columns)
                columns += 1
                assert core.primal(*table, rows, columns, 10_000, False) >= 0
        x, y = np.empty(p), np.empty(q)
        core.take(*table[:3], p, q, x, y)
        lower, upper = core.certify(scaled, x, y)
        assert upper - lower <= 1e-12


def test_bland_alone_and_spread_sides_solve_too():
    from wts_fast import _matrix_jit as core

    for seed in range(20):
        scaled = np.random.default_rng(seed).integers(0, 2, (14, 12)).astype(float)
        for spread, bland in ((0.0, True), (1e-7, False), (1e-4, False)):
            table = tableau(14, 12)
            core.load(scaled, *table[:3], 1.0, spread)
            assert core.primal(*table, 14, 12, 10_000, bland) >= 0
            x, y = np.empty(14), np.empty(12)
            assert core.refine(scaled, table[1], table[2], 1.0, x, y)
            lower, upper = core.certify(scaled, x, y)
            assert upper - lower <= 1e-12


def test_a_group_shares_its_mean():
    from wts_fast import _matrix_jit as core

    strategy = np.array([0.5, 0.0, 0.25, 0.25])
    core.share(strategy, np.array([0, 0, 1, 0]), 4)
    assert strategy == pytest.approx([0.25, 0.25, 0.25, 0.25])
