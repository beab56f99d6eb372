"""One turn taken apart: what each player's choice lost, and what the coincidence of the two choices gave.

Pure functions on a matrix of payoffs. Let M hold Black's value of each joint turn, x and y good mixtures of both
players in it, V = x M y its value, and (a, b) the turn that was played. Then

- Black's loss is V - (M y)_a: what his square gives away against White's mixture;
- White's loss is (x M)_b - V, likewise;
- luck is M_ab - (M y)_a - (x M)_b + V: what is left, the coincidence of the two choices.

So M_ab = V - Black's loss + White's loss + luck. A loss does not depend on what the other player named. Luck has
expectation 0 as soon as one of the two draws from the mixture, whatever the other does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import matrix

__all__ = ["Assessment", "Image", "assess", "put", "symmetric", "within"]

Floats = npt.NDArray[np.float64]

#: A symmetry of the position, on its squares by their places among the legal ones: where it takes each, and whether it
#: swaps the players.
Image = tuple[npt.NDArray[np.intp], bool]

_SURE = 1.0 - 1e-9  # payoffs from here on are those of a finished or proved game


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """A turn against the equilibrium of its matrix.

    Attributes
    ----------
    value : float
        What Black can expect of the matrix: V.
    black, white : ndarray
        The mixtures x and y.
    black_losses, white_losses : ndarray
        The loss of each row for Black and of each column for White, never negative.
    black_loss, white_loss : float
        Those of what was played.
    luck : float
        What the coincidence gave Black.
    """

    value: float
    black: Floats
    white: Floats
    black_losses: Floats
    white_losses: Floats
    black_loss: float
    white_loss: float
    luck: float


def assess(payoff: Floats, row: int, column: int, images: Sequence[Image] = ()) -> Assessment:
    """Take a turn apart.

    Parameters
    ----------
    payoff : ndarray
        Black's value of each joint turn, his squares as rows.
    row, column : int
        What was played.
    images : sequence of Image
        The symmetries of the position but the identity, which the matrix has too; the mixtures then have them.

    Returns
    -------
    Assessment
        Swapping the players, with the matrix turned into its negative transpose, swaps all of it.

    Examples
    --------
    >>> import numpy as np
    >>> pennies = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> found = assess(pennies, 0, 1)
    >>> round(found.value, 9), round(found.black_loss, 9), round(found.white_loss, 9), round(found.luck, 9)
    (0.0, 0.0, 0.0, -1.0)
    """
    # Where several mixtures are good, the solver may choose one for a player as the rows and another as the columns.
    one, other = matrix.solve(payoff), matrix.solve(-payoff.T)
    black, white = (one.black + other.white) / 2, (one.white + other.black) / 2
    if images:
        mixes = [(black, white)]
        for place, swap in images:
            moved = np.empty_like(black), np.empty_like(white)
            moved[0][place], moved[1][place] = (white, black) if swap else (black, white)
            mixes.append(moved)
        black, white = (np.mean([mix[side] for mix in mixes], axis=0) for side in (0, 1))
    rows, columns = payoff @ white, black @ payoff
    value = (float(black @ rows) + float(columns @ white)) / 2
    # Mixtures are good to the last digits but few: what they lose themselves is no loss of a player's.
    black_losses, white_losses = np.maximum(0.0, value - rows), np.maximum(0.0, columns - value)
    black_loss, white_loss = float(black_losses[row]), float(white_losses[column])
    luck = float(payoff[row, column]) - value + black_loss - white_loss
    return Assessment(value, black, white, black_losses, white_losses, black_loss, white_loss, luck)


def symmetric(payoff: Floats, images: Sequence[Image]) -> Floats:
    """Return the mean of a matrix and its images under all symmetries of the position, which then are its own."""
    total = payoff.copy()
    for place, swap in images:
        moved = np.empty_like(payoff)
        moved[np.ix_(place, place)] = -payoff.T if swap else payoff
        total += moved
    total /= 1 + len(images)
    return total


def put(payoff: Floats, row: int, column: int, value: float, images: Sequence[Image]) -> None:
    """Set a cell, and what symmetries of the position make of it."""
    for place, swap in images:
        if swap:
            payoff[place[column], place[row]] = -value
        else:
            payoff[place[row], place[column]] = value
    payoff[row, column] = value


def within(payoff: Floats, lower: float, upper: float, fixed: npt.NDArray[np.bool_]) -> Floats:
    """Return a matrix whose value keeps to what is proved about it.

    Parameters
    ----------
    payoff : ndarray
        Estimates of Black's values.
    lower, upper : float
        What is proved about the value of the matrix.
    fixed : ndarray of bool
        Cells that stay as they are. So do wins and losses.

    Returns
    -------
    ndarray
        The same matrix if its value does; else all estimates are moved up or down together, as far as it takes.
    """
    value = matrix.solve(payoff).value
    if lower <= value <= upper:
        return payoff
    free = (np.abs(payoff) < _SURE) & ~fixed
    sign, bound = (1.0, lower) if value < lower else (-1.0, -upper)

    def moved(by: float) -> Floats:
        return np.where(free, np.clip(payoff + sign * by, -1.0, 1.0), payoff)

    least, most = 0.0, 2.0
    for _ in range(40):
        middle = (least + most) / 2
        if sign * matrix.solve(moved(middle)).value < bound:
            least = middle
        else:
            most = middle
    return moved(most)
