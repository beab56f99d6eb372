"""The search: nodes a second, and the same answer for any number of threads."""

import pytest


@pytest.mark.parametrize("layer", ["analysis", "tree-start", "tree-middle"])
def test_analysis(timed_layer, layer):
    timed_layer(layer)
