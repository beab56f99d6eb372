"""Random games: single calls, one core, two threads, every code path, and from many positions."""

import pytest
from positions import DENSE, MIDDLE

from wts_fast.engine import Batch
from wts_fast.layers import Prepared, all_layers

NAMES = [layer.name for layer in all_layers()[0] if layer.name.startswith("playouts")]


@pytest.mark.parametrize("layer", ["oracle", *NAMES])
def test_playouts(timed_layer, layer):
    timed_layer(layer)


def test_playouts_of_a_batch(timed):
    batch = Batch([MIDDLE, *DENSE] * 20)

    def run():
        return len(batch) * 100, batch.playouts(100, seed=3).tobytes()

    timed("batch-playouts", "games", Prepared(run, batch.playouts(100, seed=3, threads=2, isa="base").tobytes()))
