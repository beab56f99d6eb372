"""Fit the evaluation's weights from games against itself: ``python -m wts_fast.training --seed 1 --minutes 10``.

In each round some hundred games are played by one-turn equilibria of the weights so far, from random openings, and a
logistic regression takes steps towards the values of those equilibria and the results of the games (TD(lambda)). What
has been learned depends on the seed and the number of rounds alone: the command that a file of weights names makes the
same file again. ``--compare hand`` tells what they are worth in games.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _bridge
from . import _training_jit as jitted
from ._jit import compiling
from .evaluation import LINE_LENGTHS, SLOTS, STEP, Weights, fitted_block, read_fitted, weights

__all__ = ["Gain", "Training", "gain", "main", "maps"]

Floats = npt.NDArray[np.float64]

_GAMES = 600  # of a round: enough for its positions to be different, few enough for the weights to follow
_CHUNK = 50
_EXPLORE = 0.05
_TRACE = 0.75
_KEEP = 4  # rounds whose positions are learned from: each is met so often
_RATE = (0.3, 0.02)  # first and last step size of a parameter, before its division by the root of its gradients
_AVERAGE = 0.9  # weight of the past in the running mean of the parameters, which is what is kept
_FORGET = 0.97  # what is left of the sums of gradients after a round: the targets move as play gets better


def _mirror(patterns: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """Return patterns of `size` squares read from the other end."""
    return np.asarray(sum(((patterns >> (2 * i)) & 3) << (2 * (size - 1 - i)) for i in range(size)), np.int64)


def _swap(patterns: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """Return patterns with the colours swapped."""
    ones = (4**size - 1) // 3
    odd = (patterns ^ (patterns >> 1)) & ones  # squares with a turtle
    return np.asarray(patterns ^ (odd | odd << 1))


def _shared(size: int, mirrored: bool) -> npt.NDArray[np.int32]:
    """Return the map of windows of `size` squares; with `mirrored`, both ways to read one share a parameter."""
    patterns = np.arange(4**size)
    images = [patterns, _mirror(patterns, size)] if mirrored else [patterns]
    swapped = [_swap(image, size) for image in images]
    plain, other = np.min(images, axis=0), np.min(swapped, axis=0)
    entries = np.where(plain < other, plain + 1, -(other + 1))
    return np.where(plain == other, 0, entries).astype(np.int32)


def maps() -> tuple[npt.NDArray[Any], ...]:
    """Return what the jitted half needs to know of lines, windows and their symmetries; see `_training_jit`."""
    lengths = np.array(LINE_LENGTHS, np.int64)
    slots, ways = np.zeros((10, 4), np.int64), np.zeros((10, 4), np.int64)
    for kind, first, slot, way in SLOTS:
        slots[kind, first], ways[kind, first] = slot, way
    # Ways to read a window: as it is, from the other end, either, and (for the shortest lines) either of five squares.
    patterns = np.arange(4096)
    direct = _shared(6, False)
    windows = np.zeros((4, 4096), np.int32)
    windows[0], windows[1], windows[2] = direct, direct[_mirror(patterns, 6)], _shared(6, True)
    windows[3, :1024] = _shared(5, True)
    whole = np.zeros((5, 4**9), np.int32)
    for n in range(5, 10):
        entries = _shared(n, True)
        digits = np.arange(4**n)[:, None] >> (2 * np.arange(n)) & 3
        numbers = np.abs(entries) - 1
        in_threes = ((numbers[:, None] >> (2 * np.arange(n)) & 3) * 3 ** np.arange(n)).sum(1)
        whole[n - 5, : 4**n] = np.where((digits == 3).any(1) | (entries == 0), 0, np.sign(entries) * (in_threes + 1))
    # Around an egg the mirror is the same as that of a line: four squares below, four above.
    around, near = _shared(8, True), _shared(6, True)
    squares, kinds, places = _lines()
    return lengths, slots, ways, windows, whole, around, near, squares, places, kinds, _completing()


def _lines() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the squares of the 36 lines, their classes, and for each square its (line, place) by kind, or -1."""
    lines: list[tuple[int, int, list[int]]] = []
    for k in range(9):
        lines.append((0, min(k, 8 - k), [9 * k + f for f in range(9)]))
        lines.append((1, min(k, 8 - k), [9 * r + k for r in range(9)]))
    for d in range(-4, 5):
        lines.append((2, 5 + abs(d), [9 * (f - d) + f for f in range(9) if 0 <= f - d < 9]))
        lines.append((3, 5 + abs(d), [9 * r + 8 + d - r for r in range(9) if 0 <= 8 + d - r < 9]))
    squares, places = np.zeros((36, 9), np.int64), np.full((81, 4, 2), -1, np.int64)
    for number, (way, _, members) in enumerate(lines):
        squares[number, : len(members)] = members
        for place, square in enumerate(members):
            places[square, way] = number, place
    return squares, np.array([kind for _, kind, _ in lines]), places


def _completing() -> npt.NDArray[np.int32]:
    """Return for each line of nine the places where Black would complete a row (nine bits), then White's."""
    patterns = np.arange(4**9)
    digits = patterns[:, None] >> (2 * np.arange(9)) & 3
    masks = np.zeros(4**9, np.int32)
    for own in (1, 2):
        for first in range(5):
            window = digits[:, first : first + 5]
            four = ((window == own).sum(1) == 4) & ((window == 0).sum(1) == 1)
            masks |= np.where(four, 1 << (first + (window == 0).argmax(1) + 9 * (own - 1)), 0).astype(np.int32)
    return masks


class Training:
    """Weights being fitted, from nothing.

    Parameters
    ----------
    seed : int
        Fixes every game.
    rounds : int, optional
        How many are planned: the step size falls until then. Without it, `run` must be given a time.
    threads : int
        For the games; they do not change with it.
    games : int, optional
        How many a round has, a multiple of 50; 600 if left out.
    """

    def __init__(self, seed: int, rounds: int | None = None, threads: int = 1, games: int | None = None) -> None:
        self.seed, self.planned, self.threads = seed, rounds, threads
        self.games = _GAMES if games is None else games
        self.rounds = self.positions = 0
        self.theta = np.zeros(jitted.NUM_PARAMETERS)
        self.mean = self.theta.copy()
        self.gathered = np.full(jitted.NUM_PARAMETERS, 1.0)
        self.maps = maps()
        self._recent: list[tuple[Any, Any]] = []

    def fitted(self) -> dict[str, npt.NDArray[np.int16]]:
        """Return what a file of weights holds, of the running mean of the parameters."""
        theta = np.rint(np.clip(self.mean / STEP, -32767, 32767)) * STEP
        sizes = {"windows": (2, jitted.NUM_SLOTS, 4096), "whole": (2, 10, 19683)}
        windows = np.zeros(sizes["windows"])
        entries = self.maps[3]
        ways = {slot: way for _, _, slot, way in SLOTS if way != 1}
        own = theta[jitted.WINDOWS : jitted.WHOLE].reshape(sizes["windows"])
        for slot in range(jitted.NUM_SLOTS):
            entry = entries[ways[slot]]
            windows[:, slot] = np.sign(entry) * own[:, slot, np.abs(entry) - 1]
        whole = np.zeros(sizes["whole"])
        own = theta[jitted.WHOLE : jitted.EGGS].reshape(sizes["whole"])
        for kind, n in enumerate(LINE_LENGTHS):
            numbers = np.arange(3**n)
            entry = self.maps[4][n - 5, sum((numbers // 3**i % 3) * 4**i for i in range(n))]
            whole[:, kind, : 3**n] = np.sign(entry) * own[:, kind, np.abs(entry) - 1]
        eggs = np.zeros((2, 4**8))
        for age in range(2):
            jitted.egg_table(theta, age, self.maps, eggs[age])
        threats = theta[jitted.THREATS :].reshape(2, 4, 4)
        threats = np.tril(threats, -1) - np.tril(threats, -1).transpose(0, 2, 1)
        parts = {"windows": windows, "whole": whole, "eggs": eggs, "threats": threats}
        return {name: np.rint(np.clip(p / STEP, -32767, 32767)).astype(np.int16) for name, p in parts.items()}

    def play(self) -> tuple[float, int]:
        """Play one round of games and learn from them; return the mean cross-entropy and the number of draws."""
        block = fitted_block(self.fitted())
        rate = self._rate()

        def chunk(first: int) -> tuple[Any, Any, int]:
            states = np.empty((_CHUNK * jitted.MOST_TURNS, _bridge.STATE_WORDS), np.uint64)
            targets = np.empty(len(states), np.float32)
            n, draws = jitted.play(block, np.uint64(self.seed), first, _CHUNK, _EXPLORE, _TRACE, states, targets)
            return states[:n].copy(), targets[:n].copy(), draws

        firsts = range(self.rounds * self.games, (self.rounds + 1) * self.games, _CHUNK)
        if self.threads > 1:
            with ThreadPoolExecutor(self.threads) as pool:
                parts = list(pool.map(chunk, firsts))
        else:
            parts = [chunk(first) for first in firsts]
        fresh = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
        self._recent = [*self._recent[1 - _KEEP :], fresh]
        states, targets = (np.concatenate(p) for p in zip(*self._recent, strict=True))
        order = np.random.default_rng((self.seed, self.rounds)).permutation(len(states))
        loss = jitted.step(states, targets, order, self.theta, self.gathered, rate, self.maps)
        self.gathered = 1.0 + _FORGET * (self.gathered - 1.0)
        # In the first rounds the mean follows at once.
        past = min(_AVERAGE, self.rounds / (self.rounds + 2))
        self.mean = past * self.mean + (1.0 - past) * self.theta
        self.rounds += 1
        self.positions += len(fresh[0])
        return loss, sum(part[2] for part in parts)

    def _rate(self) -> float:
        done = self.rounds / self.planned if self.planned else 0.0
        return float(_RATE[0] * (_RATE[1] / _RATE[0]) ** min(1.0, done))


@dataclass(frozen=True, slots=True)
class Gain:
    """What one set of weights is worth against another, in pairs of games with one-turn equilibria."""

    pairs: int
    score: float  # mean of a game, from 0 to 1
    error: float  # standard error of that mean, over pairs
    wins: int
    draws: int
    losses: int

    @property
    def elo(self) -> tuple[float, float, float]:
        """The difference in Elo and its 95 % interval."""
        low, high = self.score - 1.96 * self.error, self.score + 1.96 * self.error
        return _elo(self.score), _elo(low), _elo(high)


def _elo(score: float) -> float:
    cut = min(max(score, 1e-6), 1.0 - 1e-6)
    return 400.0 * math.log10(cut / (1.0 - cut))


def gain(first: Weights, second: Weights, pairs: int, seed: int = 1, threads: int = 1) -> Gain:
    """Play pairs of games, each pair from one random opening of two turns with both colours."""
    results = np.zeros((pairs, 2), np.int64)

    def one(pair: int) -> None:
        jitted.compare(first, second, np.uint64(seed), pair, results[pair])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(one, range(pairs)))
    means = (results.mean(1) + 1.0) / 2.0
    error = float(means.std(ddof=1) / math.sqrt(pairs)) if pairs > 1 else math.inf
    counts = [int((results == result).sum()) for result in (1, 0, -1)]
    return Gain(pairs, float(means.mean()), error, *counts)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m wts_fast.training", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, help="how many rounds; decides what comes out")
    parser.add_argument("--minutes", type=float, help="choose the number of rounds so that it takes about so long")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, help="the file of weights to write")
    parser.add_argument("--compare", nargs=2, metavar="WEIGHTS", help="play hand, fitted or a file against another")
    parser.add_argument("--pairs", type=int, default=400)
    args = parser.parse_args(arguments)
    if args.compare:
        blocks = [read_weights(name) for name in args.compare]
        found = gain(blocks[0], blocks[1], args.pairs, args.seed, args.threads)
        elo = found.elo
        print(
            f"{args.compare[0]} against {args.compare[1]}: {elo[0]:+.0f} Elo [{elo[1]:+.0f}, {elo[2]:+.0f}] in "
            f"{2 * found.pairs} games: +{found.wins} ={found.draws} -{found.losses}"
        )
        return 0
    if (args.rounds is None) == (args.minutes is None) or args.out is None:
        parser.error("give --out and one of --rounds and --minutes")
    return _fit(args)


def read_weights(name: str) -> Weights:
    """Return the weights of a name or a file."""
    return weights(name) if name in ("hand", "fitted") else read_fitted(Path(name))


def _fit(args: argparse.Namespace) -> int:
    rounds, trial = args.rounds, Training(args.seed, args.rounds, args.threads)
    with compiling():
        trial.play()
    if rounds is None:
        begin = time.monotonic()
        for _ in range(5):
            trial.play()
        # Games get a little longer than those of the first rounds, and old positions join the new.
        rounds = max(6, int(60.0 * args.minutes / ((time.monotonic() - begin) / 5 * 1.15)))
    training = Training(args.seed, rounds, args.threads)
    begin = time.monotonic()
    for number in range(rounds):
        loss, draws = training.play()
        if number % 10 == 9 or number == rounds - 1:
            print(
                f"round {number + 1} of {rounds}: {training.positions} positions, cross-entropy {loss:.4f}, "
                f"draws {draws / _GAMES:.1%}, {time.monotonic() - begin:.0f} s",
                flush=True,
            )
    about = {
        "command": f"python -m wts_fast.training --seed {args.seed} --rounds {rounds} --out weights.npz",
        "seed": args.seed,
        "rounds": rounds,
        "games": rounds * _GAMES,
        "positions": training.positions,
        "date": datetime.date.today().isoformat(),
    }
    parts: dict[str, Any] = training.fitted()
    np.savez_compressed(args.out, about=np.array(json.dumps(about)), **parts)
    print(f"{args.out}: {args.out.stat().st_size} bytes; {about['command']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
