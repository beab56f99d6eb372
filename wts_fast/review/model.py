"""What a review holds: turns taken apart, and sums over the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .._kernel import Position
from ..notation import format_turn
from ..squares import COLOURS, Colour, Square, parse_colour, square_name
from ..state import Outcome
from .missed import LEAST, Missed

__all__ = ["Choice", "Review", "Side", "TurnReview"]

Floats = npt.NDArray[np.float64]

_MATTERS = 0.05  # so much in one turn is worth a look
_LISTED = 0.0005  # shares that would not show


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One player's square of a turn, against the mixture.

    Attributes
    ----------
    square : int
        What was named.
    probability : float
        What the mixture gave it.
    loss : float
        What it gave away against the other's mixture: from 0 to 2.
    mix : ndarray of float64, shape (81,), read-only
        The mixture.
    losses : ndarray of float64, shape (81,), read-only
        The loss of each square, NaN for occupied ones.
    """

    square: Square
    probability: float
    loss: float
    mix: Floats
    losses: Floats

    def best(self, n: int = 3) -> tuple[tuple[Square, float, float], ...]:
        """Return the mixture's `n` likeliest squares, each with its probability and its loss."""
        order = sorted(np.flatnonzero(self.mix >= _LISTED).tolist(), key=lambda s: (-self.mix[s], s))
        return tuple((s, float(self.mix[s]), float(self.losses[s])) for s in order[:n])

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values: the five likeliest squares with their losses, and the whole mixture."""
        return {
            "square": square_name(self.square),
            "probability": self.probability,
            "loss": self.loss,
            "best": [{"square": square_name(s), "probability": share, "loss": loss} for s, share, loss in self.best(5)],
            "mix": {square_name(s): share for s, share, _ in self.best(81)},
        }


@dataclass(frozen=True, slots=True, eq=False)
class TurnReview:
    """A turn taken apart; ``after == before - black.loss + white.loss + luck``.

    Attributes
    ----------
    number : int
        From 1.
    position : Position
        In which it was played.
    before, after : float
        Black's value of that position, and of the one that followed.
    black, white : Choice
        What each named.
    luck : float
        What the coincidence of the two gave Black.
    lower, upper : float
        What is proved about the value of `position`.
    outcome : Outcome or None
        How the board decided the game in this turn, if it did.
    missed : tuple of Missed
        Wins and blocks that were missed.
    nodes : int
        How many nodes the analysis had.
    """

    number: int
    position: Position
    before: float
    after: float
    black: Choice
    white: Choice
    luck: float
    lower: float
    upper: float
    outcome: Outcome | None
    missed: tuple[Missed, ...]
    nodes: int

    @property
    def squares(self) -> tuple[Square, Square]:
        """Black's and White's square."""
        return self.black.square, self.white.square

    @property
    def turn(self) -> str:
        """The turn as text: ``E5 H5``."""
        return format_turn(*self.squares)

    @property
    def collision(self) -> bool:
        """Whether both named the same square."""
        return self.black.square == self.white.square

    @property
    def sudden_death(self) -> bool:
        """Whether the turn was played in sudden death."""
        return self.position.sudden_death

    @property
    def weight(self) -> float:
        """The largest of both losses and of luck, whoever had it."""
        return max(self.black.loss, self.white.loss, abs(self.luck))

    def choice(self, colour: Colour) -> Choice:
        """Return a player's choice."""
        return (self.black, self.white)[parse_colour(colour)]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        from .words import sentences

        return {
            "number": self.number,
            "turn": self.turn,
            "position": str(self.position),
            "before": self.before,
            "after": self.after,
            "lower": self.lower,
            "upper": self.upper,
            "black": self.black.to_dict(),
            "white": self.white.to_dict(),
            "luck": self.luck,
            "collision": self.collision,
            "sudden_death": self.sudden_death,
            "outcome": self.outcome.name.lower() if self.outcome else None,
            "missed": [one.to_dict() for one in self.missed],
            "nodes": self.nodes,
            "words": list(sentences(self)),
        }


@dataclass(frozen=True, slots=True)
class Side:
    """What one player's game comes to.

    Attributes
    ----------
    turns : int
        How many turns were reviewed.
    loss, mean_loss : float
        What the squares gave away, in all and per turn: the smaller, the better the play.
    without_loss : int
        In how many turns the loss is too small to count as one.
    luck : float
        What the coincidences gave this player: the other's with the other sign.
    missed_wins, missed_blocks : int
        How many.
    """

    turns: int
    loss: float
    mean_loss: float
    without_loss: int
    luck: float
    missed_wins: int
    missed_blocks: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """A game taken apart; ``end == start_value - black's loss + white's loss + luck``.

    Attributes
    ----------
    tags : mapping of str to str
        Those of the record.
    start : Position
        Where the game began.
    length : int
        How many turns the game has.
    result : str
        As the record has it.
    outcome : Outcome or None
        How the board decided the game; None while it does not.
    turns : tuple of TurnReview
        All turns; the last ones where the review was interrupted.
    start_value : float or None
        Black's value before the first of these turns; None if nothing is known.
    end : float or None
        His value after the last turn: the result, or an estimate where the board decides nothing.
    complete : bool
        Whether all turns are there.
    seconds_a_turn, nodes_a_turn, seed, threads
        With which limits it was made.
    seconds, compile_seconds : float
        Time of the review, and time beside it to load or compile code.
    """

    tags: Mapping[str, str]
    start: Position
    length: int
    result: str
    outcome: Outcome | None
    turns: tuple[TurnReview, ...]
    start_value: float | None
    end: float | None
    complete: bool
    seconds_a_turn: float | None
    nodes_a_turn: int | None
    seed: int
    threads: int
    seconds: float
    compile_seconds: float

    def side(self, colour: Colour) -> Side:
        """Return what a player's game comes to."""
        sign = 1.0 if parse_colour(colour) == 0 else -1.0
        losses = [turn.choice(colour).loss for turn in self.turns]
        missed = [one.kind for turn in self.turns for one in turn.missed if one.colour == colour]
        return Side(
            turns=len(losses),
            loss=sum(losses),
            mean_loss=sum(losses) / max(1, len(losses)),
            without_loss=sum(loss < LEAST for loss in losses),
            luck=sign * sum(turn.luck for turn in self.turns) + 0.0,
            missed_wins=missed.count("win"),
            missed_blocks=missed.count("block"),
        )

    def mattered(self, n: int = 5) -> tuple[TurnReview, ...]:
        """Return the turns, at most `n`, in which most was lost or left to luck, in the order of the game."""
        heavy = sorted((t for t in self.turns if t.weight >= _MATTERS), key=lambda t: (-t.weight, t.number))[:n]
        return tuple(sorted(heavy, key=lambda t: t.number))

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        from .words import summary

        return {
            "tags": dict(self.tags),
            "start": str(self.start),
            "length": self.length,
            "result": self.result,
            "outcome": self.outcome.name.lower() if self.outcome else None,
            "complete": self.complete,
            "start_value": self.start_value,
            "end": self.end,
            **{colour: self.side(colour).to_dict() for colour in COLOURS},
            "mattered": [turn.number for turn in self.mattered()],
            "words": list(summary(self)),
            "turns": [turn.to_dict() for turn in self.turns],
            "seconds_a_turn": self.seconds_a_turn,
            "nodes_a_turn": self.nodes_a_turn,
            "seed": self.seed,
            "threads": self.threads,
            "seconds": self.seconds,
            "compile_seconds": self.compile_seconds,
        }
