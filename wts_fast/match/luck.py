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

from collections.abc import Callable, Mapping, Sequence

from .._kernel import Position
from ..squares import Square

__all__ = ["Mixture", "Values", "correction", "playout_values"]

#: A mixture: squares with probabilities above 0 that are together 1; None where it is not known.
Mixture = Mapping[Square, float] | None

#: Black's value, from -1 to 1, after each joint turn of some squares of Black (rows) and of White (columns).
Values = Callable[[Position, Sequence[Square], Sequence[Square]], Sequence[Sequence[float]]]


def correction(
    position: Position, black: Mixture, white: Mixture, played: tuple[Square, Square], values: Values
) -> float:
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
    """
    mixes = [{square: 1.0} if mix is None else mix for mix, square in zip((black, white), played, strict=True)]
    rows, columns = (sorted(square for square in mix if mix[square] > 0) for mix in mixes)
    if len(rows) == len(columns) == 1:
        return 0.0
    table = values(position, rows, columns)
    expected = 0.0
    for row, cells in zip(rows, table, strict=True):
        expected += mixes[0][row] * sum(mixes[1][column] * cell for column, cell in zip(columns, cells, strict=True))
    return expected - table[rows.index(played[0])][columns.index(played[1])]


def playout_values(games: int = 16, seed: int = 1) -> Values:
    """Return a value function that plays random games: exact where the turn ends the game, a mean elsewhere.

    Parameters
    ----------
    games : int
        Random games for each joint turn.
    seed : int
        Decides them; nothing else does, so the function is fixed before any game.
    """

    def values(position: Position, rows: Sequence[Square], columns: Sequence[Square]) -> list[list[float]]:
        from ..engine import playouts

        def value(row: Square, column: Square) -> float:
            after = position.play(row, column)
            outcome = after.outcome
            return float(outcome.value) if outcome is not None else playouts(after, games, seed).value

        return [[value(row, column) for column in columns] for row in rows]

    return values
