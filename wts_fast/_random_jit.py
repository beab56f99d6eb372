"""Random numbers for jitted code: xoshiro256++, whose four words a caller keeps and the kernel's playouts share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import jit

__all__ = ["begin", "choose", "mix", "next_part", "next_word"]

Array = Any  # numba arrays; what each holds stands in the docstrings

_U = np.uint64
_GOLDEN = _U(0x9E3779B97F4A7C15)
_MIX1 = _U(0xBF58476D1CE4E5B9)
_MIX2 = _U(0x94D049BB133111EB)


@jit
def mix(z: Any) -> Any:
    """Return the output function of splitmix64."""
    z = (z ^ (z >> _U(30))) * _MIX1
    z = (z ^ (z >> _U(27))) * _MIX2
    return z ^ (z >> _U(31))


@jit
def begin(rng: Array, seed: Any, stream: Any) -> None:
    """Fill the four words of a generator; seed and stream, both uint64, together fix all that follows."""
    start = mix(seed + _GOLDEN * (stream + _U(1)))
    for i in range(4):
        rng[i] = mix(start + _GOLDEN * _U(i + 1))


@jit
def next_word(rng: Array) -> Any:
    """Return the next 64 bits of a xoshiro256++ generator, whose four words move on."""
    t = rng[0] + rng[3]
    result = ((t << _U(23)) | (t >> _U(41))) + rng[0]
    t = rng[1] << _U(17)
    rng[2] ^= rng[0]
    rng[3] ^= rng[1]
    rng[1] ^= rng[2]
    rng[0] ^= rng[3]
    rng[2] ^= t
    rng[3] = (rng[3] << _U(45)) | (rng[3] >> _U(19))
    return result


@jit
def next_part(rng: Array) -> float:
    """Return a number from 0 up to but not including 1, of 53 random bits."""
    return float(next_word(rng) >> _U(11)) * 1.1102230246251565e-16


@jit
def choose(strategy: Array, part: float) -> int:
    """Return the index that `part` of the whole probability falls on, never one of probability 0."""
    total = 0.0
    for i in range(strategy.size):
        total += strategy[i]
    target = part * total
    reached = 0.0
    chosen = -1
    for i in range(strategy.size):
        if strategy[i] > 0.0:
            reached += strategy[i]
            chosen = i
            if target < reached:
                break
    return chosen
