"""What one call from Python costs: where the work is next to nothing."""

import pytest
from positions import START

from wts_fast.layers import Prepared


@pytest.mark.parametrize("layer", ["call", "text"])
def test_call(timed_layer, layer):
    timed_layer(layer)


def test_one_turn_by_names(timed):
    def run():
        for _ in range(5000):
            position = START.play("E5", "H5")
        return 5000, str(position)

    timed("play-names", "turns", Prepared(run, "9/9/9/9/4b2w1/9/9/9/9 -"))
