"""The slow judge of `solve`: bounds of a position's value in whole fractions, over the oracle's rules.

Plain backward induction over a number of turns, every joint turn looked at, every matrix game solved by the simplex
method in exact arithmetic. Nothing is rounded, and nothing is shared with the fast solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .oracle import Position

__all__ = ["bounds", "matrix_value"]

Bounds = tuple[Fraction, Fraction]


def bounds(position: Position, turns: int) -> Bounds:
    """Return what is certain of Black's value by looking `turns` turns ahead.

    Parameters
    ----------
    position : oracle.Position
        With few empty squares: the work grows with their number to the power of twice the turns.
    turns : int
        Games that are not over by then may end in any way.

    Returns
    -------
    tuple of Fraction
        Lower and upper bound; equal where the value is found. They hold whatever play without end is worth.

    Examples
    --------
    >>> full_but_one = "bbwwbbwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbww1bwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbwwbbwwb -"
    >>> bounds(Position(full_but_one), 1)  # both must name the last square, and an egg fills the board
    (Fraction(0, 1), Fraction(0, 1))
    """
    return _bounds(position, turns, {})


def _bounds(position: Position, turns: int, known: dict[tuple[Position, int], Bounds]) -> Bounds:
    if position.outcome is not None:
        return Fraction(position.outcome.value), Fraction(position.outcome.value)
    if turns == 0:
        return Fraction(-1), Fraction(1)
    found = known.get((position, turns))
    if found is None:
        rows = [[_bounds(position.play(b, w), turns - 1, known) for w in position.legal] for b in position.legal]
        lower = matrix_value([[low for low, _ in row] for row in rows])
        upper = matrix_value([[high for _, high in row] for row in rows])
        found = known[position, turns] = lower, upper
    return found


def matrix_value(payoff: Sequence[Sequence[Fraction]]) -> Fraction:
    """Return the value of a zero-sum matrix game exactly; rows are the player's who wins the payoffs.

    Examples
    --------
    >>> matrix_value([[Fraction(1), Fraction(-1)], [Fraction(-1), Fraction(0)]])
    Fraction(-1, 3)
    """
    # The column player's program, maximise the sum of y with B y <= 1, y >= 0, for payoffs B made positive.
    shift = 1 - min(min(row) for row in payoff)
    m, n = len(payoff), len(payoff[0])
    rows = [
        [entry + shift for entry in row] + [Fraction(int(i == k)) for k in range(m)] + [Fraction(1)]
        for i, row in enumerate(payoff)
    ]
    price = [Fraction(-1)] * n + [Fraction(0)] * (m + 1)
    basis = list(range(n, n + m))
    while True:
        # Bland's rule: the least variable whose price is negative comes in, of those that bound it the least goes out.
        c = next((j for j in range(n + m) if price[j] < 0), None)
        if c is None:
            return 1 / price[-1] - shift
        r = min((i for i in range(m) if rows[i][c] > 0), key=lambda i: (rows[i][-1] / rows[i][c], basis[i]))
        basis[r] = c
        pivot = rows[r][c]
        rows[r] = [entry / pivot for entry in rows[r]]
        for i in range(m):
            if i != r and rows[i][c]:
                factor = rows[i][c]
                rows[i] = [entry - factor * own for entry, own in zip(rows[i], rows[r], strict=True)]
        factor = price[c]
        price = [entry - factor * own for entry, own in zip(price, rows[r], strict=True)]
