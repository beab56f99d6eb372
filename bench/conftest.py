"""The fixture `timed`: one layer under pytest-benchmark, with its result checked on every round."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wts_fast.layers import Prepared, all_layers
from wts_fast.measure import machine
from wts_fast.signature import format_signature, signature

LAYERS = {layer.name: layer for layer in all_layers()[0]}
STORED = (Path(__file__).parents[1] / "tests/data/signature.txt").read_text(encoding="ascii").split("\n")[-2]


@pytest.fixture(scope="session")
def number() -> str:
    """The signature: speeds of a build that plays other games are about another program."""
    found = format_signature(signature())
    assert found == STORED
    return found


@pytest.fixture
def timed(benchmark: Any, number: str) -> Callable[[str, str, Prepared], None]:
    """Run prepared work under pytest-benchmark."""

    def run(name: str, unit: str, prepared: Prepared) -> None:
        work, result = prepared.run()  # warm: caches filled, numba's code compiled
        assert work > 0
        assert result == prepared.expected
        outcome = benchmark.pedantic(prepared.run, rounds=7)
        assert outcome == (work, prepared.expected)
        benchmark.extra_info.update(layer=name, unit=unit, work=work, signature=number, **machine())
        if benchmark.stats is not None:  # None where nothing is timed
            benchmark.extra_info["per_s"] = work / benchmark.stats.stats.median
            benchmark.extra_info["best_per_s"] = work / benchmark.stats.stats.min

    return run


@pytest.fixture
def timed_layer(timed: Callable[[str, str, Prepared], None]) -> Callable[[str], None]:
    """Run a layer of `wts-fast bench`."""
    return lambda name: timed(name, LAYERS[name].unit, LAYERS[name].prepare())
