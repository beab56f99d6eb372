"""What is measured: every layer's work, fixed once and for all, and the result that it must have.

The result to compare with comes from somewhere else than the code under the clock: from another path, the oracle,
or theory. So a fast wrong answer is a failure and not a record.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from . import _kernel, oracle
from ._kernel import Position
from .analysis import analyze
from .engine import Batch, Playouts, playouts
from .matrix import solve
from .signature import POSITIONS
from .squares import NUM_SQUARES
from .state import Outcome
from .tree import Tree

__all__ = ["BATCH", "Layer", "Prepared", "all_layers"]

BATCH = 4096  # positions of a batch
_STEPS = 25  # turns of it: few games from the start end sooner
_GAMES = 1 << 19  # random games of a repeat: long enough for starting two threads not to count
_GAMES_BY_PATH = 1 << 14  # and where the path is given, which can be a slow one
_FEW_GAMES = 20  # of the oracle's
_SOME_GAMES = 400  # played turn by turn from Python
_SOME_POSITIONS = 1000  # of these games
_NODES = 20_000  # of an analysis
_GROWN = 2000  # nodes of a tree

#: Positions that the tree met when it played itself, from the sixth turn to the eighteenth, and one made up: with up to
#: five eggs, and from the first captures to five turtles in danger.
_EMPTY_BOARD = ("9/9/9/9/9/9/9/9/9 -",)
_MIDDLES = (
    "9/9/3b1w3/2w1b4/3bb4/4ww3/2w6/9/9 -",
    "w8/3w5/4e4/4w4/4w4/4wbw2/9/4bbebb/8b G2,E7",
    "9/9/4w4/3w1w3/2b1w1w2/3e1e3/4bbb2/2wb5/7b1 F4,D4",
    "3w5/4e1bb1/3b4w/2b1b1w2/3wwbw2/3bw1w2/4wwe2/3bb1ww1/7e1 E8,G3,H1",
    "3w5/4w1bb1/3b1b2w/2b1bwww1/2www1wwb/3bw1wb1/4wwe2/3bb1ww1/7e1 G3,H1",
    "4w4/2b6/3e1bebw/4b2wb/2wb1bbww/1beb1weww/2wb1ebbw/1wbwbw2b/wbwwwb3 C4,F3,G4,G7,D7",
    "7b1/3b1w3/w2wb2w1/2bw5/4wbb2/3w1www1/2wb1b3/3b5/3b5 -",
    "ww5b1/3bwe1b1/b3w1bw1/wb3wb2/2b1wb3/w1e1wbeww/ww1b1b3/1bw2wwb1/bb4b2 F8,G4,C4",
)

_WORD = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Prepared:
    """A layer ready to run: `run` returns how much it did and its result, which must equal `expected`."""

    run: Callable[[], tuple[int, object]]
    expected: object


@dataclass(frozen=True, slots=True)
class Layer:
    """One thing that is measured.

    Attributes
    ----------
    name, what : str
        A word for it, and a line.
    unit : str
        What its work is counted in, as a plural.
    against : str or None
        The layer with whose speed it is compared.
    prepare : callable
        Does what must not be timed.
    """

    name: str
    what: str
    unit: str
    against: str | None
    prepare: Callable[[], Prepared]


def all_layers() -> tuple[list[Layer], dict[str, str]]:
    """Return the layers that this machine can run, lowest first, and the others' names with the reason."""
    layers = [
        Layer("oracle", "random games by the oracle, one core", "turns", None, _oracle),
        Layer("legal", f"Batch.legal of {BATCH} positions: bit sets to masks", "positions", None, _legal),
        Layer("key", "Position.key in a Python loop", "positions", None, _key),
        Layer("canonical", "Position.canonical in a Python loop: 16 images", "positions", None, _canonical),
        Layer("text", "Position(str(position)) in a Python loop", "positions", None, _text),
        Layer("play", "Position.play with two ints in a Python loop", "turns", "oracle", _play),
        Layer("explain", "Position.explain with two ints in a Python loop", "turns", "play", _explain),
        Layer("step", f"Batch.step on {BATCH} positions", "turns", "play", _step),
        Layer("call", "playouts(n=1) in a Python loop", "games", None, _call),
        Layer("playouts", "random games from the start, one core", "turns", "oracle", partial(_playouts, 1)),
    ]
    left_out = {}
    threads = "playouts-2-threads"
    if not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) > 1:
        what = "the same with two threads"
        layers.append(Layer(threads, what, "turns", "playouts", partial(_playouts, 2)))
    else:
        left_out[threads] = "this process may use one processor only"
    for path in _kernel.PATHS:
        if path in _kernel.build_info()["isa_usable"]:
            what = f"the same on the {path} path"
            layers.append(Layer(f"playouts-{path}", what, "turns", "playouts", partial(_playouts_by_path, path)))
        else:
            left_out[f"playouts-{path}"] = "this processor cannot run the path"
    layers += [
        Layer("matrix", "matrix.solve of 81x81 payoffs", "games", None, _matrix),
        Layer("analysis", "analyze from the middle of a game, one core", "nodes", None, _analysis),
        Layer(
            "tree-start",
            "the tree grows from the empty board, one core",
            "nodes",
            None,
            partial(_tree, _EMPTY_BOARD, 8 * _GROWN),
        ),
        Layer(
            "tree-middle",
            f"the same from {len(_MIDDLES)} positions of games",
            "nodes",
            "tree-start",
            partial(_tree, _MIDDLES, _GROWN),
        ),
    ]
    return layers, left_out


def _draws(seed: int, game: int) -> Iterator[int]:
    """The numbers that random game `game` of `playouts` is played by: xoshiro256++, seeded through splitmix64."""

    def mix(z: int) -> int:
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        return z ^ (z >> 31)

    def rotated(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & _WORD

    stream = mix((seed + _GOLDEN * (game + 1)) & _WORD)
    a, b, c, d = (mix((stream + _GOLDEN * (i + 1)) & _WORD) for i in range(4))
    while True:
        yield (rotated((a + d) & _WORD, 23) + a) & _WORD
        shifted = (b << 17) & _WORD
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = rotated(d, 45)


def _oracle() -> Prepared:
    """The games that the kernel plays for the same seed; their random numbers are drawn beforehand."""
    sheets = []
    for game in range(_FEW_GAMES):
        draws = _draws(1, game)
        sheets.append([next(draws) for _ in range(1000)])

    def run() -> tuple[int, object]:
        turns, ends = 0, []
        for sheet in sheets:
            draws = iter(sheet)

            def choose(n: int, draws: Iterator[int] = draws) -> tuple[int, int]:
                draw = next(draws)
                return (draw >> 32) * n >> 32, (draw & 0xFFFFFFFF) * n >> 32

            end = oracle.random_playout(oracle.Position(), choose)
            turns += end.turns
            ends.append(end.outcome)
        return turns, (turns, *(ends.count(o) for o in (Outcome.BLACK, Outcome.WHITE, Outcome.DRAW)))

    expected = playouts(n=_FEW_GAMES, seed=1)
    return Prepared(run, (expected.turns, expected.black, expected.white, expected.draws))


@cache
def _some_games() -> list[tuple[list[Position], list[tuple[int, int]]]]:
    """Random games turn by turn: the positions, and the turns played in all but the last."""
    games = []
    for number in range(_SOME_GAMES):
        draws, position = _draws(1, number), Position()
        positions, turns = [position], []
        while legal := position.legal:
            draw = next(draws)
            turn = legal[(draw >> 32) * len(legal) >> 32], legal[(draw & 0xFFFFFFFF) * len(legal) >> 32]
            position = position.play(*turn)
            turns.append(turn)
            positions.append(position)
        games.append((positions, turns))
    return games


def _some_games_positions(number: int) -> list[Position]:
    """Positions of all stages, equal on every run."""
    return [position for positions, _ in _some_games() for position in positions][:number]


def _legal() -> Prepared:
    positions = _some_games_positions(BATCH)
    batch = Batch(positions)

    def run() -> tuple[int, object]:
        for _ in range(20):
            masks = batch.legal()
        return 20 * BATCH, masks.tobytes()

    expected = np.ones((BATCH, NUM_SQUARES), np.bool_)
    for row, position in enumerate(positions):
        held = position.black + position.white + position.eggs
        expected[row, list(held) if position.outcome is None else slice(None)] = False
    return Prepared(run, expected.tobytes())


def _key() -> Prepared:
    positions = _some_games_positions(_SOME_POSITIONS)

    def run() -> tuple[int, object]:
        for _ in range(20):
            keys = [position.key for position in positions]
        return 20 * len(positions), keys

    return Prepared(run, [oracle.Position.from_state(position.state).key for position in positions])


def _canonical() -> Prepared:
    positions = _some_games_positions(_SOME_POSITIONS)
    images = [position.transform("rotate90", True) for position in positions]

    def run() -> tuple[int, object]:
        return len(positions), [position.canonical() for position in positions]

    return Prepared(run, [image.canonical() for image in images])


def _text() -> Prepared:
    positions = _some_games_positions(_SOME_POSITIONS)

    def run() -> tuple[int, object]:
        return len(positions), [Position(str(position)) for position in positions]

    return Prepared(run, positions)


def _play() -> Prepared:
    games = [turns for _, turns in _some_games()]
    work = 10 * sum(map(len, games))
    start = Position()

    def run() -> tuple[int, object]:
        for _ in range(10):
            ends = []
            for turns in games:
                position = start
                for black, white in turns:
                    position = position.play(black, white)
                ends.append(position)
        return work, (*map(str, ends[:_FEW_GAMES]), _outcomes(ends))

    # The first games by the oracle, and all outcomes by the other way to play these games.
    texts = []
    for turns in games[:_FEW_GAMES]:
        slow = oracle.Position()
        for black, white in turns:
            slow = slow.play(black, white)
        texts.append(str(slow))
    counted = playouts(n=_SOME_GAMES, seed=1)
    return Prepared(run, (*texts, (counted.black, counted.white, counted.draws)))


def _outcomes(ends: list[Position]) -> tuple[int, ...]:
    outcomes = [end.outcome for end in ends]
    return tuple(outcomes.count(o) for o in (Outcome.BLACK, Outcome.WHITE, Outcome.DRAW))


def _explain() -> Prepared:
    steps = [(p, *turn) for positions, turns in _some_games() for p, turn in zip(positions, turns, strict=False)]

    def run() -> tuple[int, object]:
        return len(steps), [position.explain(black, white).position for position, black, white in steps]

    return Prepared(run, [position.play(black, white) for position, black, white in steps])


def _step() -> Prepared:
    rng = np.random.Generator(np.random.PCG64(1))
    start, batch = Batch(BATCH), Batch(BATCH)
    turns: list[npt.NDArray[np.int8]] = []
    work = 0
    for _ in range(_STEPS):
        # The legal square of the greatest random number, for each player.
        chances = rng.random((2, BATCH, NUM_SQUARES)) * batch.legal()
        squares = np.where(batch.over, -1, chances.argmax(axis=2)).astype(np.int8)
        work += BATCH - int(batch.over.sum())
        batch.step(squares[0], squares[1])
        turns.append(squares)

    def run() -> tuple[int, object]:
        batch = start.copy()
        for black, white in turns:
            batch.step(black, white)
        return work, batch.states.tobytes()

    positions = [Position()] * BATCH
    for black, white in turns:
        for row, position in enumerate(positions):
            if black[row] >= 0:
                positions[row] = position.play(int(black[row]), int(white[row]))
    return Prepared(run, Batch(positions).states.tobytes())


def _call() -> Prepared:
    start, calls = Position(), 2000

    def run() -> tuple[int, object]:
        return calls, [playouts(start, 1, seed).turns for seed in range(calls)]

    return Prepared(run, [playouts(start, 1, seed, isa="base").turns for seed in range(calls)])


def _playouts(threads: int) -> Prepared:
    def run() -> tuple[int, object]:
        result = playouts(n=_GAMES, seed=1, threads=threads)
        return result.turns, result

    return Prepared(run, _by_the_plain_path(_GAMES))


def _playouts_by_path(isa: str) -> Prepared:
    def run() -> tuple[int, object]:
        result = playouts(n=_GAMES_BY_PATH, seed=1, isa=isa)
        return result.turns, result

    return Prepared(run, _by_the_plain_path(_GAMES_BY_PATH))


@cache
def _by_the_plain_path(games: int) -> Playouts:
    return playouts(n=games, seed=1, threads=2, isa="base")


def _matrix() -> Prepared:
    # What one player wins the other would win in his place, so the value is 0 whatever the numbers are.
    rng = np.random.Generator(np.random.PCG64(1))
    half = rng.uniform(-1, 1, (NUM_SQUARES, NUM_SQUARES))
    payoff = (half - half.T) / 2
    games = 40

    def run() -> tuple[int, object]:
        for _ in range(games):
            solution = solve(payoff)
        return games, (abs(solution.value) <= 1e-9, solution.gap <= 1e-9)

    return Prepared(run, (True, True))


def _analysis() -> Prepared:
    position = Position(POSITIONS["middle"])

    def run() -> tuple[int, object]:
        found = analyze(position, nodes=_NODES, seed=1, threads=1)
        return found.nodes, found.value

    return Prepared(run, analyze(position, nodes=_NODES, seed=1, threads=2).value)


def _tree(texts: tuple[str, ...], each: int) -> Prepared:
    """Trees one after another in the same memory, each of so many nodes; two threads must find the same."""
    positions = [Position(text) for text in texts]

    def grown(tree: Tree) -> list[float]:
        values = []
        for position in positions:
            tree.plant(position)
            tree.grow(each)
            values.append(tree.value)
        return values

    tree = Tree(positions[0])
    return Prepared(lambda: (each * len(positions), grown(tree)), grown(Tree(positions[0], threads=2)))
