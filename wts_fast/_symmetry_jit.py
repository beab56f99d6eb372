"""Positions up to the 16 symmetries, jitted: a key for each of the 16 at once, and the image that has the least.

Eight symmetries of the board come twice, with the colours as they are and swapped. The keys are no hash of `Position`:
they exist so that one turn changes all 16 by a few words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import jit
from .squares import NUM_SQUARES, SYMMETRIES
from .symmetry import square_map

__all__ = [
    "IMAGE",
    "add_eggs",
    "change_lanes",
    "lanes_of_turtles",
    "least_lane",
    "legal_squares",
    "outcome_of",
    "transform",
]

Array = Any  # numba arrays; what each holds stands in the docstrings
Int = Any  # numba integers, numpy's to a type checker

#: Where each symmetry, numbered as in `squares.SYMMETRIES`, sends each square.
IMAGE = np.array([square_map(symmetry) for symmetry in SYMMETRIES], dtype=np.int64)


def _lanes() -> Any:
    """Return 16 random numbers for a black turtle, a white one and an egg on each square, one for each symmetry."""
    random = np.random.Generator(np.random.PCG64(81)).integers(0, 2**64, (3, NUM_SQUARES), dtype=np.uint64)
    table = np.empty((3, NUM_SQUARES, 16), np.uint64)
    for lane in range(16):
        swap = lane >= len(SYMMETRIES)
        for kind in range(3):
            seen = kind if kind == 2 or not swap else 1 - kind
            table[kind, :, lane] = random[seen, IMAGE[lane % len(SYMMETRIES)]]
    return table


_LANES = _lanes()

_QUEUE_BYTE = 48  # of a state, where the egg queue begins; its length is in byte 129, the outcome in byte 130
_LENGTH_BYTE, _OUTCOME_BYTE = 129, 130


@jit
def outcome_of(state: Array) -> Int:
    """Return the outcome code of a state."""
    return (np.int64(state[_OUTCOME_BYTE // 8]) >> (8 * (_OUTCOME_BYTE % 8))) & 255


@jit
def num_eggs_of(state: Array) -> Int:
    """Return the number of eggs of a state."""
    return (np.int64(state[_LENGTH_BYTE // 8]) >> (8 * (_LENGTH_BYTE % 8))) & 255


@jit
def egg_of(state: Array, i: Int) -> Int:
    """Return the square of egg i, the oldest being 0."""
    byte = _QUEUE_BYTE + i
    return (np.int64(state[byte // 8]) >> (8 * (byte % 8))) & 255


@jit
def has(state: Array, kind: Int, square: Int) -> bool:
    """Return whether a black turtle (kind 0), a white one (1) or an egg (2) is on a square."""
    return bool((state[2 * kind + square // 64] >> np.uint64(square % 64)) & np.uint64(1) != np.uint64(0))


@jit
def legal_squares(state: Array, squares: Array) -> Int:
    """Write the empty squares, ascending; return their number."""
    n = 0
    taken0 = state[0] | state[2] | state[4]
    taken1 = state[1] | state[3] | state[5]
    for s in range(64):
        if (taken0 >> np.uint64(s)) & np.uint64(1) == np.uint64(0):
            squares[n] = s
            n += 1
    for s in range(64, NUM_SQUARES):
        if (taken1 >> np.uint64(s - 64)) & np.uint64(1) == np.uint64(0):
            squares[n] = s
            n += 1
    return n


@jit
def lanes_of_turtles(state: Array, lanes: Array) -> None:
    """Write the part of the 16 keys that the turtles make."""
    lanes[:] = np.uint64(0)
    for kind in range(2):
        for s in range(NUM_SQUARES):
            if has(state, kind, s):
                for lane in range(16):
                    lanes[lane] ^= _LANES[kind, s, lane]


@jit
def add_eggs(state: Array, lanes: Array) -> None:
    """Add the part that the eggs make, each with its place in the queue."""
    for i in range(num_eggs_of(state)):
        s = egg_of(state, i)
        for lane in range(16):
            lanes[lane] ^= _LANES[2, s, lane] * np.uint64(2 * i + 1)


@jit
def change_lanes(before: Array, after: Array, lanes: Array) -> None:
    """Bring the turtles' part of the keys from one state to another."""
    for word in range(4):
        difference = before[word] ^ after[word]
        kind = word // 2
        s = 64 * (word % 2)
        while difference != np.uint64(0):
            # Skip empty bytes: few squares change in a turn.
            while difference & np.uint64(255) == np.uint64(0):
                difference >>= np.uint64(8)
                s += 8
            while difference & np.uint64(1) == np.uint64(0):
                difference >>= np.uint64(1)
                s += 1
            for lane in range(16):
                lanes[lane] ^= _LANES[kind, s, lane]
            difference ^= np.uint64(1)


@jit
def least_lane(lanes: Array) -> Int:
    """Return the symmetry with the least key; from 8 on the colours are swapped."""
    best = 0
    for lane in range(1, 16):
        if lanes[lane] < lanes[best]:
            best = lane
    return best


@jit
def transform(state: Array, lane: Int, image: Array) -> None:
    """Write the state as a symmetry shows it."""
    image[:] = np.uint64(0)
    swap = lane >= 8
    symmetry = lane % 8
    for kind in range(3):
        seen = 1 - kind if swap and kind < 2 else kind
        for s in range(NUM_SQUARES):
            if has(state, kind, s):
                to = IMAGE[symmetry, s]
                image[2 * seen + to // 64] |= np.uint64(1) << np.uint64(to % 64)
    n = num_eggs_of(state)
    for i in range(n):
        byte = _QUEUE_BYTE + i
        image[byte // 8] |= np.uint64(IMAGE[symmetry, egg_of(state, i)]) << np.uint64(8 * (byte % 8))
    image[_LENGTH_BYTE // 8] |= np.uint64(n) << np.uint64(8 * (_LENGTH_BYTE % 8))
