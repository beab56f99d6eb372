"""Results with the luck of both players' own dice taken out: smaller variance, the same expectation.

In every turn each player draws a square from a mixture. Where the mixtures are known, so is what the draw was worth on
average, by any value function v of the position that follows. A game's adjusted result is its result plus, for each
turn, ``E[v(after)] - v(after)``: the expectation over both mixtures less the value of what was drawn. Each term has
expectation 0 given the position, whatever v is, so the sum has the expectation of the result; the better v is, the
more of the variance is gone. Where one player's mixture is unknown, its draw is left as it was and only the other's is
averaged over, which keeps the expectation as well.

This is the part of AIVAT that a game without hidden cards leaves: N. Burch, M. Schmid, M. Moravcik, D. Morrill and
M. Bowling, *AIVAT: a new variance reduction technique for agent evaluation in imperfect information games*, AAAI 2018.
As there, v is fixed before any result is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from .._kernel import Position
from ..squares import Square

__all__ = ["Mixture", "Values", "correction", "evaluation_values"]

Floats = npt.NDArray[np.float64]

#: A mixture: squares with probabilities that are together 1; None where it is not known.
Mixture = Mapping[Square, float] | None

#: Black's value, from -1 to 1, after each joint turn: a row for each of Black's squares and a column for each of
#: White's, legal ones only, ascending.
Values = Callable[[Position], Floats]


def correction(
    position: Position, black: Mixture, white: Mixture, played: tuple[Square, Square], values: Values
) -> tuple[float, float]:
    """Return what to add to Black's result for one turn: the expected value less the realised one.

    Parameters
    ----------
    position : Position
        Before the turn.
    black, white : mapping of int to float, or None
        The mixtures from which the two squares were drawn, independently; None where it is unknown.
    played : (int, int)
        The two squares drawn.
    values : callable
        The value function. It must not know what was drawn.

    Returns
    -------
    ends, rest : float
        The part of the turns that win or lose the game, which is sure, and the part of all others. Each has
        expectation 0 by itself.
    """
    legal = position.legal
    row, column = (legal.index(square) for square in played)
    rows, columns = (_shares(mix, legal, square) for mix, square in zip((black, white), played, strict=True))
    if rows[row] == columns[column] == 1:
        return 0.0, 0.0
    table = values(position)
    ends = np.where(np.abs(table) >= 1, table, 0.0)
    expected, rest = rows @ ends @ columns, rows @ (table - ends) @ columns
    return float(expected - ends[row, column]), float(rest - (table - ends)[row, column])


def _shares(mix: Mixture, legal: tuple[Square, ...], drawn: Square) -> Floats:
    known: Mapping[Square, float] = {drawn: 1.0} if mix is None else mix
    return np.array([known.get(square, 0.0) for square in legal])


def evaluation_values(weights: str = "fitted") -> Values:
    """Return the value function that is the evaluation, softened, and exact where a turn ends the game.

    Parameters
    ----------
    weights : str
        Whose weights, as `evaluation.weights` calls them.
    """
    from ..evaluation import payoffs
    from ..evaluation import weights as block_of

    block = block_of(weights)

    def values(position: Position) -> Floats:
        table = payoffs(position, block).astype(np.float64)
        # Half the score: an evaluation for search is surer of itself than results bear out, and this much of it
        # took out most variance when it was tried. tanh(s / 2) by tanh(s); 1 stays 1.
        softened: Floats = table / (1 + np.sqrt(np.maximum(0.0, 1 - table * table)))
        return softened

    return values
