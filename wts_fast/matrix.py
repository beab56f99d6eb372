"""Zero-sum matrix games: the value, a best mixed strategy for each player, and the proof that they are right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import WtsError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["TOLERANCE", "Solution", "solve"]

#: The largest gap that counts as an answer, as a part of the range of the payoffs.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The solution of a matrix game.

    Attributes
    ----------
    value : float
        What Black can expect: between `lower` and `upper`, in the unit of the payoffs.
    black, white : ndarray of float64, read-only
        The strategies: probabilities of the rows and of the columns.
    gap : float
        ``upper - lower``, never negative: how far the strategies can be from best, the two players' shares together.
    lower, upper : float
        What `black` wins on average whatever White plays, and what `white` loses at most whatever Black plays.
    pivots : int
        Steps of the simplex method: the work done.
    """

    value: float
    black: NDArray[np.float64]
    white: NDArray[np.float64]
    gap: float
    lower: float
    upper: float
    pivots: int


def solve(payoff: ArrayLike) -> Solution:
    """Solve one zero-sum matrix game.

    Parameters
    ----------
    payoff : array-like, shape (m, n)
        What Black wins if he plays the row and White the column: finite numbers of any size.

    Returns
    -------
    Solution
        Equal rows have equal probabilities, and so have equal columns; a constant matrix gives uniform
        strategies. The same payoffs give the same bits.

    Raises
    ------
    WtsError
        If `payoff` is not a matrix of at least one row and column of finite numbers (codes ``payoff-shape``,
        ``payoff-type``, ``payoff-finite``), or if no strategies were found whose gap is at most `TOLERANCE`
        times the range of the payoffs (``matrix-unsolved``).

    Notes
    -----
    The simplex method on the payoffs brought to [0, 1]. The gap is measured afterwards, on the payoffs themselves
    less the least of them, which takes nothing from it and keeps its digits where all payoffs are large.

    Examples
    --------
    >>> game = solve([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    >>> round(game.value, 12), game.black.round(3).tolist()
    (0.0, [0.333, 0.333, 0.333])
    """
    matrix = _checked(payoff)
    # A power of two takes the digits as they are, so the range of payoffs near the limits cannot overflow
    # and differences of tiny ones cannot vanish.
    exponent = math.frexp(float(np.abs(matrix).max()))[1]
    unit = np.ldexp(matrix, -exponent)
    least = float(unit.min())
    span = float(unit.max()) - least
    above = np.ascontiguousarray(unit - least)

    from ._matrix_jit import certify, solve_scaled

    black = np.empty(matrix.shape[0])
    white = np.empty(matrix.shape[1])
    pivots = solve_scaled(above / (span or 1.0), black, white, 1e-12)[2]
    lower, upper = certify(above, black, white)
    if not upper - lower <= TOLERANCE * span:
        raise WtsError(
            f"no strategies with a gap of at most {TOLERANCE} of the payoffs' range were found, "
            f"only {(upper - lower) / span:.3g}",
            code="matrix-unsolved",
            field="payoff",
        )
    black.setflags(write=False)
    white.setflags(write=False)
    # Rounding can turn an exact 0 into -1e-17.
    upper = max(lower, upper)
    try:
        low, high = math.ldexp(least + lower, exponent), math.ldexp(least + upper, exponent)
        value = math.ldexp(least + (lower + upper) / 2, exponent)
        gap = math.ldexp(upper - lower, exponent)
    except OverflowError:  # the average of payoffs at the limit, rounded up beyond it
        raise WtsError("the payoffs are too large", code="payoff-finite", field="payoff") from None
    return Solution(value, black, white, gap, low, high, int(pivots))


def _checked(payoff: ArrayLike) -> NDArray[np.float64]:
    """Return the payoffs as a matrix of finite float64."""
    if isinstance(payoff, np.ma.MaskedArray):
        raise _bad("type", "a masked array has payoffs that are not there")
    try:
        given: NDArray[Any] = np.asarray(payoff)
    except (ValueError, TypeError, OverflowError):
        raise _bad("shape", "expected a matrix of numbers, rows of equal length") from None
    if given.dtype.kind not in "iuf":
        raise _bad("type", f"expected numbers, not {given.dtype}")
    if given.ndim != 2 or 0 in given.shape:
        raise _bad("shape", f"expected at least one row and one column, not shape {given.shape}")
    with np.errstate(over="ignore"):  # long doubles beyond float64 become infinite, and are refused as such
        matrix = given.astype(np.float64)
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        row, column = (int(i) for i in bad[0])
        raise _bad("finite", f"row {row}, column {column} is {matrix[row, column]}; payoffs are finite numbers")
    if given.dtype.kind in "iu" and float(np.abs(matrix).max()) >= 2.0**53:
        raise _bad("type", "whole numbers from 2**53 have no exact float64; give floats if rounding is meant")
    return matrix


def _bad(code: str, reason: str) -> WtsError:
    return WtsError(reason, code=f"payoff-{code}", field="payoff")
