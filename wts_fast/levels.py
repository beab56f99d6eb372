"""Eight levels of play, from a child's first game to full strength.

A level below the last one looks at fewer turns, and the lower ones play a mixture that gives away a little on purpose.
They begin with a part of the equilibrium and a spread over all squares that do not lose too much, and go to the nearest
mixture whose expected loss stays within the level's budget. What a square loses is counted against the other player's
equilibrium, so a square that is much worse than the best is rare at any level. From level 2 on, a player with five in
a row before him does not look elsewhere, whosever five it is.

Searches are limited by nodes: the square depends on position, colour, level and seed, and on nothing else.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import matrix
from .errors import GameOver
from .evaluation import payoffs
from .limits import kernel_position, whole
from .squares import NUM_SQUARES, Square

if TYPE_CHECKING:
    from ._kernel import Position

__all__ = ["LEVELS", "Choice", "Level", "choose"]

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

#: What a square has at least, with the others like it, that completes a row for a player who sees fives.
_FIVES = 0.5


@dataclass(frozen=True, slots=True)
class Level:
    """A strength to play against; how it is made weaker than the last one is nobody's business.

    Attributes
    ----------
    number : int
        From 1, the weakest.
    name, about : mapping of str to str
        A name and a sentence, in English (``"en"``) and German (``"de"``).
    """

    number: int
    name: Mapping[str, str]
    about: Mapping[str, str]
    _nodes: int = field(default=0, repr=False)  # of the search; 0 looks no further than this turn
    _budget: float = field(default=0.0, repr=False)  # what a turn may give away on average, of 2
    _most: float = field(default=0.0, repr=False)  # no square that gives away more
    _sound: float = field(default=1.0, repr=False)  # the equilibrium's part in the mixture
    _sees: bool = field(default=True, repr=False)  # whether fives are never overlooked


LEVELS: tuple[Level, ...] = (
    Level(
        1,
        {"en": "Hatchling", "de": "Schlüpfling"},
        {
            "en": "For a first game: knows good squares from bad ones, but at times overlooks even five in a row.",
            "de": "Für die erste Partie: kennt gute Felder, übersieht aber manchmal sogar fünf in einer Reihe.",
        },
        _budget=0.2,
        _most=2.0,
        _sound=0.4,
        _sees=False,
    ),
    Level(
        2,
        {"en": "Paddler", "de": "Paddler"},
        {
            "en": "Sees every five in a row, its own and yours, and is careless about everything else.",
            "de": "Sieht jede Fünferreihe, die eigene wie deine, und ist mit allem anderen sorglos.",
        },
        _budget=0.3,
        _most=0.8,
        _sound=0.3,
    ),
    Level(
        3,
        {"en": "Snorkeller", "de": "Schnorchler"},
        {
            "en": "Builds rows and takes what lies there to be taken, but often lets a good chance go.",
            "de": "Baut Reihen und schlägt, was sich schlagen lässt, verpasst aber noch oft eine gute Gelegenheit.",
        },
        _budget=0.2,
        _most=0.6,
        _sound=0.4,
    ),
    Level(
        4,
        {"en": "Swimmer", "de": "Schwimmer"},
        {
            "en": "Plays a solid game for one turn at a time, with a slip now and then.",
            "de": "Spielt Zug für Zug solide, mit einem Ausrutscher ab und zu.",
        },
        _budget=0.12,
        _most=0.4,
        _sound=0.5,
    ),
    Level(
        5,
        {"en": "Diver", "de": "Taucher"},
        {
            "en": "Slips rarely, and mixes its squares so that you cannot foresee them.",
            "de": "Macht selten Fehler und mischt seine Felder, sodass du sie nicht vorhersehen kannst.",
        },
        _budget=0.05,
        _most=0.2,
        _sound=0.5,
    ),
    Level(
        6,
        {"en": "Navigator", "de": "Navigator"},
        {
            "en": "Knows what every pair of squares leads to in this turn, and gives nothing away there.",
            "de": "Weiß, wohin jedes Paar von Feldern in diesem Zug führt, und verschenkt dabei nichts.",
        },
    ),
    Level(
        7,
        {"en": "Old shell", "de": "Alter Panzer"},
        {
            "en": "Looks some turns ahead: sees double threats and traps before they are set.",
            "de": "Denkt einige Züge voraus: sieht Doppeldrohungen und Fallen, bevor sie gestellt sind.",
        },
        _nodes=400,
    ),
    Level(
        8,
        {"en": "Ancient", "de": "Uralte"},
        {
            "en": "Full strength: the whole search, and the best mixture that it finds.",
            "de": "Volle Stärke: die ganze Suche und die beste Mischung, die sie findet.",
        },
        _nodes=5000,
        _sees=False,
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What a level plays.

    Attributes
    ----------
    square : int
        Drawn from `strategy`.
    strategy : ndarray of float64, shape (81,), read-only
        A probability for each square, exactly 0 on occupied ones, together 1.
    value : float
        Black's value of the position, as far as this level looks.
    """

    square: Square
    strategy: Floats
    value: float


def choose(
    position: Any,
    colour: int,
    level: int,
    *,
    seed: int,
    should_stop: Callable[[], object] | None = None,
) -> Choice:
    """Choose a square as a level does.

    Parameters
    ----------
    position : Position
        Where; an `oracle.Position` will do.
    colour : {0, 1}
        For whom: 0 is Black.
    level : int
        1 to 8.
    seed : int
        0 to 2^64 - 1. The same position, colour, level and seed give the same square.
    should_stop : callable, optional
        Asked some hundred times a second; once it returns something true, what is known by then makes the choice.

    Raises
    ------
    GameOver
        If the game is over.
    WtsError
        If something else is not what it should be.

    Examples
    --------
    >>> from wts_fast import Position
    >>> threat = Position("9/9/9/9/wbbbb4/9/9/9/w1w6 -")  # one square makes five: F5
    >>> [choose(threat, 1, level, seed=1).square for level in (2, 5)]
    [41, 41]
    """
    position = kernel_position(position)
    side = whole(colour, "colour", 0, 1)
    number = whole(level, "level", 1, len(LEVELS))
    seed = whole(seed, "seed", 0, 2**64 - 1)
    if position.outcome is not None:
        raise GameOver("the game is over", code="game-over", field="position")
    squares = position.legal
    mix, value = _mixture(position, side, LEVELS[number - 1], should_stop)
    strategy = np.zeros(NUM_SQUARES)
    strategy[list(squares)] = mix
    strategy.setflags(write=False)
    # A seed that is used for a whole game shall not draw the same number in each of its turns.
    text = f"{seed} {number} {side} {position}"
    rng = random.Random(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big"))
    return Choice(_draw(squares, mix, rng), strategy, value)


def _mixture(
    position: Position, side: int, level: Level, should_stop: Callable[[], object] | None
) -> tuple[Floats, float]:
    """Return what a level plays, over the legal squares, and Black's value."""
    near = payoffs(position).astype(np.float64)
    if level._nodes == 0:
        solution = matrix.solve(near)
        cells, black, white, value = near, solution.black, solution.white, solution.value
    else:
        from .analysis import analyze

        # Nodes alone decide the answer; the seed is for the record.
        found = analyze(position, nodes=level._nodes, seed=0, should_stop=should_stop)
        index = list(position.legal)
        cells = near if found.payoffs is None else found.payoffs[np.ix_(index, index)]
        black, white, value = found.black[index], found.white[index], found.value
    value = min(1.0, max(-1.0, float(value)))
    best, prices = (black, cells @ white) if side == 0 else (white, -(black @ cells))
    if level._budget == 0 and not level._sees:
        return np.array(best), value
    # The matrix as the player sees it: his squares are rows, 1 is a win for him.
    own = near if side == 0 else -near.T
    losses = np.maximum(0.0, prices.max() - prices)
    allowed, fives = _sight(own) if level._sees else (np.ones(len(best), np.bool_), np.zeros(len(best), np.bool_))
    losses -= losses[allowed].min()
    return _spread(np.asarray(best), losses, allowed, fives, level), value


def _sight(own: Floats) -> tuple[Flags, Flags]:
    """Return which squares a player looks at who sees fives, and which of them complete one of his own.

    `own` holds what he gets for each pair of squares, his as rows. Payoffs of 1 and -1 are results of games.
    """
    wins, losses = own == 1.0, own == -1.0
    # A five that is there wins against most replies, not only against a blunder of this turn.
    fives = wins.mean(1) > 0.5
    others = losses.mean(0) > 0.5
    if others.any():
        return fives | ~losses[:, others].all(1), fives
    if fives.any() and wins[fives].any(0).all():  # no single square stops them all
        return fives, fives
    return np.ones(len(own), np.bool_), fives


def _spread(best: Floats, losses: Floats, allowed: Flags, fives: Flags, level: Level) -> Floats:
    """Return the mixture of a level, of the squares allowed, from the best one and what each square loses."""
    sound = np.where(allowed, best, 0.0)
    if sound.sum() < 1e-6:  # the equilibrium looks elsewhere
        sound = np.where(allowed & (losses <= 1e-9), 1.0, 0.0)
    mix = sound / sound.sum()
    # Nobody who sees a five is careless in that turn.
    if level._budget > 0 and allowed.all() and not fives.any():
        wide = np.where(allowed & (losses <= level._most), 1.0, 0.0)
        mix = _within(level._sound * mix + (1 - level._sound) * wide / wide.sum(), losses, level._budget)
    hit = float(mix[fives].sum())
    if fives.any() and hit < _FIVES:
        mix = np.where(fives, 0.0, mix * (1 - _FIVES) / (1 - hit))
        mix[fives] = _FIVES / np.count_nonzero(fives)
    return np.asarray(mix / mix.sum())


def _within(mix: Floats, losses: Floats, budget: float) -> Floats:
    """Return the mixture nearest to `mix`, by relative entropy, whose expected loss is at most `budget`."""
    low, high = 0.0, 1e4
    if mix @ losses <= budget:
        return mix
    for _ in range(60):
        rate = 0.5 * (low + high)
        tilted = mix * np.exp(-rate * losses)
        tilted /= tilted.sum()
        low, high = (rate, high) if tilted @ losses > budget else (low, rate)
    tilted = mix * np.exp(-high * losses)
    return np.asarray(tilted / tilted.sum())


def _draw(squares: tuple[Square, ...], mix: Floats, rng: random.Random) -> Square:
    sums = np.cumsum(mix)
    index = int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
    # Rounding may lead beyond the last square that has a part.
    return squares[min(index, int(np.flatnonzero(mix)[-1]))]
