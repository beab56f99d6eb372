"""One game of a match, and the openings: all of it follows from the match's seed and the game's number."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .._kernel import Position
from ..errors import WtsError
from ..game import Game
from ..note import Note
from ..record import read_games
from ..squares import Square
from .luck import Values, correction, evaluation_values
from .players import Specification, Stopped, make

__all__ = ["MOST_TURNS", "Opening", "Played", "Task", "openings", "play", "seed_of"]

#: A game still open after so many turns is a draw (R25); ordinary ones last about 30.
MOST_TURNS = 400


def seed_of(*parts: int | str) -> int:
    """Return 64 bits that depend on all the parts and on nothing else.

    Examples
    --------
    >>> seed_of(1, "opening", 0) == seed_of(1, "opening", 0) != seed_of(1, "opening", 1)
    True
    """
    text = "\0".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


@dataclass(frozen=True, slots=True)
class Opening:
    """Where the players take over.

    Attributes
    ----------
    start : str
        A position's text.
    turns : tuple of (int, int)
        Turns played from there before.
    """

    start: str
    turns: tuple[tuple[Square, Square], ...] = ()

    @property
    def position(self) -> Position:
        """The position after the turns."""
        position = Position(self.start)
        for black, white in self.turns:
            position = position.play(black, white)
        return position


def openings(source: str, seed: int) -> Callable[[int], Opening]:
    """Return the function that gives each pair of games its opening.

    Parameters
    ----------
    source : str
        ``random:K``: K uniformly random turns (0 to 20) from the empty board, others for each pair. Or a file: of
        records (``.wts``), whose turns are played, or of position texts, one a line, empty lines and those with ``#``
        left out. Pairs use a file's openings in order, and from the first again after the last.
    seed : int
        The match's.

    Raises
    ------
    WtsError
        If there is no opening, or a game is over in one of them.
    ParseError, OSError
        If the file is damaged or cannot be read.
    """
    kind, _, number = source.partition(":")
    if kind == "random" and number:
        if not (number.isascii() and number.isdigit()) or int(number[:9]) > 20:
            raise WtsError("expected random:K with K from 0 to 20", code="openings", field="openings")
        return lambda pair: _random_opening(int(number), seed_of(seed, "opening", pair))
    found = _read(source)
    return lambda pair: found[pair % len(found)]


def _random_opening(turns: int, seed: int) -> Opening:
    rng = random.Random(seed)
    while True:
        start = position = Position()
        played: list[tuple[Square, Square]] = []
        while len(played) < turns and position.outcome is None:
            played.append((_choose(position.legal, rng), _choose(position.legal, rng)))
            position = position.play(*played[-1])
        if position.outcome is None:
            return Opening(str(start), tuple(played))


def _choose(squares: Sequence[Square], rng: random.Random) -> Square:
    return squares[int(rng.random() * len(squares))]


def _read(path: str | os.PathLike[str]) -> list[Opening]:
    if str(path).endswith(".wts"):
        found = [Opening(str(record.start), tuple(record.turns)) for record in read_games(path)]
    else:
        found = []
        for number, line in enumerate(Path(path).read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                try:
                    found.append(Opening(str(Position(line.strip()))))
                except WtsError as error:
                    raise WtsError(f"{path}, line {number}: {error}", code="openings", field="openings") from None
    for number, opening in enumerate(found, 1):
        if opening.position.outcome is not None:
            raise WtsError(f"{path}: opening {number} is a finished game", code="openings", field="openings")
    if not found:
        raise WtsError(f"{path} holds no opening", code="openings", field="openings")
    return found


@dataclass(frozen=True, slots=True)
class Task:
    """A game to be played; with it a worker needs nothing else.

    Attributes
    ----------
    number : int
        From 0; games 2k and 2k + 1 are a pair.
    opening : Opening
        Where it begins.
    seed : int
        The match's.
    black, white : Specification
        The players.
    luck : str or None
        The evaluation's weights by which luck is taken out; None leaves it in.
    """

    number: int
    opening: Opening
    seed: int
    black: Specification
    white: Specification
    luck: str | None = "fitted"


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game.

    Attributes
    ----------
    number : int
        Its task's.
    result : float
        Black's: 1, 0.5 or 0.
    black_luck : (float, float) or None
        The two parts that `luck.correction` adds to Black's result, on the scale of `result`; None where it is left in.
    opening : Opening
        Where it began.
    turns : tuple of (int, int)
        All turns after the opening's.
    notes : tuple of Note
        For each of those turns, what the players said of the position before it.
    names : tuple of (str, str)
        Black's and White's.
    cut : bool
        Whether the game was cut off after `MOST_TURNS`.
    """

    number: int
    result: float
    black_luck: tuple[float, float] | None
    opening: Opening
    turns: tuple[tuple[Square, Square], ...]
    notes: tuple[Note, ...]
    names: tuple[str, str]
    cut: bool

    @property
    def score(self) -> float:
        """The first player's result: Black's in games of even number."""
        return 1 - self.result if self.number % 2 else self.result

    @property
    def luck(self) -> tuple[float, float] | None:
        """What taking luck out adds to the first player's result."""
        if self.black_luck is None or self.number % 2 == 0:
            return self.black_luck
        return -self.black_luck[0], -self.black_luck[1]

    def game(self) -> Game:
        """Return the game, with mixtures and values as notes."""
        names = dict(zip(("Black", "White"), self.names, strict=True))
        game = Game(self.opening.start, tags={**names, "Round": str(self.number + 1)})
        for turn in (*self.opening.turns, *self.turns):
            game.play(*turn)
        for index, note in enumerate(self.notes, len(self.opening.turns)):
            game.annotate(index, note)
        if self.cut:
            game.end("1/2-1/2")
        return game


def play(task: Task, should_stop: Callable[[], bool] = lambda: False, values: Values | None = None) -> Played | None:
    """Play a game; return None if it was stopped.

    Parameters
    ----------
    task : Task
        Which game.
    should_stop : callable
        Asked at least once a turn.
    values : callable, optional
        The value function by which luck is taken out; the evaluation by default, as the task says.
    """
    players = make(task.black), make(task.white)
    if values is None and task.luck is not None:
        values = evaluation_values(task.luck)
    seed = seed_of(task.seed, "game", task.number)
    position = task.opening.position
    turns: list[tuple[Square, Square]] = []
    notes: list[Note] = []
    ends = rest = 0.0
    while position.outcome is None and len(turns) < MOST_TURNS:
        if should_stop():
            return None
        number = len(turns)
        try:
            answers = [
                player.ask(position, colour, seed_of(seed, number, colour), should_stop)
                for colour, player in enumerate(players)
            ]
        except Stopped:
            return None
        black, white = answers[0].black, answers[1].white
        # The draws have a generator of their own: what a player makes of its seed cannot touch them.
        rng = random.Random(seed_of(seed, number, "draw"))
        turn = draw(black, rng), draw(white, rng)
        if values is not None:
            parts = correction(position, black, white, turn, values)
            ends, rest = ends + parts[0], rest + parts[1]
        notes.append(_note(black, white, answers[0].value, answers[1].value))
        turns.append(turn)
        position = position.play(*turn)
    outcome = position.outcome
    return Played(
        number=task.number,
        result=0.5 if outcome is None else (1 + outcome.value) / 2,
        # Values are from -1 to 1, results from 0 to 1.
        black_luck=None if values is None else (ends / 2, rest / 2),
        opening=task.opening,
        turns=tuple(turns),
        notes=tuple(notes),
        names=(task.black.text, task.white.text),
        cut=outcome is None,
    )


def draw(mixture: Mapping[Square, float], rng: random.Random) -> Square:
    """Draw a square from a mixture."""
    squares = [square for square, part in sorted(mixture.items()) if part > 0]
    left = rng.random() * sum(mixture[square] for square in squares)
    for square in squares[:-1]:
        left -= mixture[square]
        if left < 0:
            return square
    return squares[-1]


def _note(black: Mapping[Square, float], white: Mapping[Square, float], one: float | None, other: float | None) -> Note:
    said = [f"{who} {value:+.3f}" for who, value in (("Black", one), ("White", other)) if value is not None]
    known = [value for value in (one, other) if value is not None]
    mean = sum(known) / len(known) if known else None
    return Note(f"values: {', '.join(said)}" if said else "", mean, dict(black), dict(white))
