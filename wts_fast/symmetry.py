"""Symmetries that map a position to itself, and what they say of good strategies in it.

A symmetry of the board, by itself or with the colours swapped, may leave a position as it is, the ages of its eggs
included. Then it maps good strategies to good ones; so does the mean over all such symmetries, which favours no image
of a square over another. It is never easier to exploit: what the best reply to a mean of strategies wins is at most the
mean of what the best replies to each of them win.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._kernel import Position
from .squares import NUM_SQUARES, SYMMETRIES
from .state import State

__all__ = ["groups", "is_its_own_negative", "square_map", "symmetries_of"]


def square_map(symmetry: str) -> npt.NDArray[np.intp]:
    """Return where a symmetry of the board takes each square.

    Parameters
    ----------
    symmetry : str
        One of `squares.SYMMETRIES`.

    Examples
    --------
    >>> square_map("rotate180")[[0, 40]].tolist()
    [80, 40]
    """
    # Eggs keep their ages, so the queue of a board full of them tells where each square has gone.
    whole = Position.from_state(State((), (), tuple(range(NUM_SQUARES))))
    return np.array(whole.transform(symmetry).state.eggs, np.intp)


def is_its_own_negative(position: Position) -> bool:
    """Return whether a symmetry with the colours swapped maps a position to itself.

    Its value, taking play without end for a draw (R25), is then its own negative: 0.
    """
    return any(position.transform(symmetry, True) == position for symmetry in SYMMETRIES)


def symmetries_of(position: Position) -> tuple[tuple[npt.NDArray[np.intp], bool], ...]:
    """Return the symmetries but the identity that map a position to itself.

    Returns
    -------
    tuple of (ndarray, bool)
        Where each takes the squares, and whether it swaps the colours.
    """
    return tuple(
        (square_map(symmetry), swap)
        for symmetry in SYMMETRIES
        for swap in (False, True)
        if (symmetry, swap) != ("identity", False) and position.transform(symmetry, swap) == position
    )


def groups(position: Position) -> npt.NDArray[np.int64] | None:
    """Return which squares of which player symmetries of a position map to one another.

    Returns
    -------
    ndarray of int64, shape (2n,), or None
        A number for each of Black's n legal squares, ascending, and each of White's: the same for those that are images
        of one another. None where no symmetry but the identity leaves the position as it is.

    Examples
    --------
    >>> len(set(groups(Position()).tolist()))  # the squares of an eighth of the board, for both players alike
    15
    """
    keeping = symmetries_of(position)
    if not keeping:
        return None
    legal = np.array(position.legal, np.intp)
    n = len(legal)
    places = np.zeros(NUM_SQUARES, np.intp)
    places[legal] = np.arange(n)
    # The symmetries are a group: the least image of an entry stands for all of them.
    first = np.arange(2 * n)
    for squares, swap in keeping:
        images = places[squares[legal]]
        both = np.concatenate((images + n * swap, images + n * (not swap)))
        first = np.minimum(first, both)
    return np.unique(first, return_inverse=True)[1].astype(np.int64)
