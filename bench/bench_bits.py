"""Sets of squares: masks out of them, keys and images of whole boards."""

import pytest


@pytest.mark.parametrize("layer", ["legal", "key", "canonical"])
def test_bits(timed_layer, layer):
    timed_layer(layer)
