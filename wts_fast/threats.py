"""What either player can do with the next turtle: rows to complete, pieces to take, eggs to hatch.

Everything is read off turns that are played, so this module knows no rule of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from .squares import COLOURS, Colour, Square, square_name
from .state import Capture, Hatch, Outcome, Row, Turn

__all__ = ["Completion", "Danger", "Offer", "Side", "Threats", "threats"]

Pair = tuple[Square, Square]


class _Position(Protocol):
    @property
    def legal(self) -> tuple[Square, ...]: ...
    @property
    def state(self) -> Any: ...
    def play(self, black: Square, white: Square) -> Any: ...
    def explain(self, black: Square, white: Square) -> Turn[Any]: ...


@dataclass(frozen=True, slots=True)
class Completion:
    """A square that wins the game at once, unless the other player prevents it in the same turn.

    Attributes
    ----------
    square : int
        Where the turtle goes.
    stopped_by : tuple of int
        The other player's squares after which it does not win, ascending; `square` itself, where an egg would be laid,
        is always one of them.
    """

    square: Square
    stopped_by: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """A square from which pieces on the board are captured.

    Attributes
    ----------
    square : int
        Where the turtle goes.
    takes : tuple of pairs
        The victims of each bracket that it closes, nearest first.
    hatches : tuple of int
        Eggs that would hatch, in that order, if the other player's turtle takes no part in it: captures nothing, is
        not captured and stands in no row. None are named where each of that player's squares takes part.
    """

    square: Square
    takes: tuple[Pair, ...]
    hatches: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class Danger:
    """Two pieces, turtles of the player among them, which the other player can capture with one turtle.

    Attributes
    ----------
    pair : (int, int)
        The pieces, ascending.
    by : tuple of int
        The squares that close a bracket around them, ascending.
    """

    pair: Pair
    by: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """What one player can do and has to fear, ascending by square."""

    completions: tuple[Completion, ...]
    offers: tuple[Offer, ...]
    dangers: tuple[Danger, ...]


@dataclass(frozen=True, slots=True)
class Threats:
    """Both sides of a position."""

    black: Side
    white: Side

    def side(self, colour: Colour) -> Side:
        """Return one player's."""
        return self.black if colour == "black" else self.white

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values, squares by name."""
        return {colour: _side_as_json(self.side(colour)) for colour in COLOURS}


def threats(position: _Position) -> Threats:
    """Return what both players threaten.

    Parameters
    ----------
    position : Position
        Of either engine; if its game is over nothing is threatened.

    Examples
    --------
    >>> from wts_fast import Position
    >>> found = threats(Position("9/9/9/9/2bbbb3/9/9/9/9 -"))
    >>> [square_name(threat.square) for threat in found.black.completions]
    ['B5', 'G5']
    """
    found = {colour: _can_do(position, colour) for colour in COLOURS}
    state = position.state
    sides = []
    for colour, other, own in (("black", "white", state.black), ("white", "black", state.white)):
        pairs: dict[Pair, set[Square]] = {}
        for offer in found[other][1]:  # type: ignore[index]
            for takes in offer.takes:
                if not set(own).isdisjoint(takes):
                    pairs.setdefault((min(takes), max(takes)), set()).add(offer.square)
        dangers = tuple(Danger(pair, tuple(sorted(pairs[pair]))) for pair in sorted(pairs))
        sides.append(Side(*found[colour], dangers))  # type: ignore[index]
    return Threats(*sides)


def _can_do(position: _Position, colour: Colour) -> tuple[tuple[Completion, ...], tuple[Offer, ...]]:
    legal = position.legal
    wins = Outcome.BLACK if colour == "black" else Outcome.WHITE
    completions, offers = [], []
    for square in legal:
        takes: tuple[Pair, ...] = ()
        hatches: tuple[Square, ...] = ()
        for reply in legal:
            if reply == square:
                continue
            turn = position.explain(*_joint(colour, square, reply))
            # What stands on the board is taken whatever the reply; only the reply itself can be one victim more.
            takes = tuple(
                event.victims
                for event in turn.events
                if isinstance(event, Capture) and event.arrival == square and reply not in event.victims
            )
            if _takes_no_part(turn, colour, reply):
                hatches = tuple(event.square for event in turn.events if isinstance(event, Hatch))
                if turn.position.outcome is wins:
                    stops = [r for r in legal if position.play(*_joint(colour, square, r)).outcome is not wins]
                    completions.append(Completion(square, tuple(stops)))
                break
        if takes:
            offers.append(Offer(square, takes, hatches))
    return tuple(completions), tuple(offers)


def _joint(colour: Colour, square: Square, reply: Square) -> tuple[Square, Square]:
    return (square, reply) if colour == "black" else (reply, square)


def _takes_no_part(turn: Turn[Any], colour: Colour, reply: Square) -> bool:
    """Whether the other player's turtle changed nothing that `colour` did."""
    for event in turn.events:
        if isinstance(event, Capture) and (event.colour != colour or reply in event.victims):
            return False
        if isinstance(event, Row) and reply in event.squares:
            return False
    return True


def _side_as_json(side: Side) -> dict[str, Any]:
    def names(squares: tuple[Square, ...]) -> list[str]:
        return [square_name(s) for s in squares]

    return {
        "completions": [{"square": square_name(c.square), "stopped_by": names(c.stopped_by)} for c in side.completions],
        "offers": [
            {"square": square_name(o.square), "takes": [names(pair) for pair in o.takes], "hatches": names(o.hatches)}
            for o in side.offers
        ],
        "dangers": [{"pair": names(d.pair), "by": names(d.by)} for d in side.dangers],
    }
