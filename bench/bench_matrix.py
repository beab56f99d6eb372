"""Matrix games: a full turn's 81x81 payoffs, and small ones, where the call counts."""

import numpy as np
import pytest

from wts_fast.layers import Prepared
from wts_fast.matrix import solve


def test_matrix_81x81(timed_layer):
    timed_layer("matrix")


@pytest.mark.parametrize("size", [3, 9, 27])
def test_cyclic_matrix(timed, size):
    """Every square beats the next half of them and loses to the others: all equally likely, value 0."""
    beats = (np.arange(size)[None, :] - np.arange(size)[:, None]) % size
    payoff = np.where(beats == 0, 0.0, np.where(beats <= size // 2, 1.0, -1.0))

    def run():
        for _ in range(50):
            found = solve(payoff)
        return 50, (abs(found.value) < 1e-12, np.abs(found.black - 1 / size).max() < 1e-9, found.gap < 1e-9)

    timed(f"matrix-{size}", "games", Prepared(run, (True, True, True)))
