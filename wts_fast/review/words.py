"""A review in sentences: of one turn, and of the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..draw.captions import listed
from ..squares import COLOURS, Colour, square_name
from ..state import Capture, Dissolve, EggLaid, Event, Hatch, Outcome, Verdict
from .missed import LEAST, Missed

if TYPE_CHECKING:
    from .model import Review, TurnReview

__all__ = ["amount", "happened", "sentences", "signed", "summary", "verdict"]

_OFTEN = 0.1  # a square with so much of the mixture is one of its main squares


def signed(value: float, digits: int = 3) -> str:
    """Return a number with its sign, which 0 has not.

    Examples
    --------
    >>> signed(0.25), signed(-0.0001), signed(-1)
    ('+0.250', '0.000', '-1.000')
    """
    rounded = round(value, digits) + 0.0
    return f"{rounded:+.{digits}f}" if rounded else f"{0:.{digits}f}"


def amount(value: float) -> str:
    """Return a part of a game in words' precision: two digits behind the point."""
    return f"{abs(value):.2f}"


def happened(turn: TurnReview) -> tuple[str, ...]:
    """Tell what the turn did on the board beside placing two turtles."""
    events: Sequence[Event] = turn.position.explain(*turn.squares).events
    said: list[str] = []
    for colour in COLOURS:
        taken = [e.victims for e in events if isinstance(e, Capture) and e.colour == colour]
        if taken:
            names = [square_name(s) for s in dict.fromkeys(s for pair in taken for s in sorted(pair))]
            said.append(f"{colour.capitalize()} captures {listed(names, 'and')}.")
    for event in events:
        if isinstance(event, EggLaid):
            said.insert(0, f"A collision: an egg lies on {square_name(event.square)}.")
        elif isinstance(event, Hatch):
            said.append(f"The egg on {square_name(event.square)} hatches for {event.colour.capitalize()}.")
        elif isinstance(event, Dissolve):
            said.append(f"The egg on {square_name(event.square)} dissolves.")
        elif isinstance(event, Verdict):
            said += _decided(event, turn)
    return tuple(said)


def _decided(event: Verdict, turn: TurnReview) -> list[str]:
    if event.outcome is Outcome.DRAW:
        return ["The board is full: a draw."]
    if event.outcome is not None:
        player = "Black" if event.outcome is Outcome.BLACK else "White"
        counts = sorted((event.black, event.white), reverse=True)
        return [f"{player} wins with {counts[0]} winning turtles to {counts[1]}."]
    if event.black and not turn.sudden_death:
        return [f"Both have rows, {event.black} winning turtles each: sudden death."]
    return []


def sentences(turn: TurnReview) -> tuple[str, ...]:
    """Explain a turn: what happened, what was lost by whom, and what was luck."""
    said = list(happened(turn))
    said += [_choice(turn, colour) for colour in COLOURS]
    said += [_missed(turn, one) for one in turn.missed]
    if abs(turn.luck) >= LEAST:
        player = "Black" if turn.luck > 0 else "White"
        said.append(f"The coincidence of the two gave {player} {amount(turn.luck)}.")
    return tuple(said)


def _choice(turn: TurnReview, colour: Colour) -> str:
    choice, player = turn.choice(colour), colour.capitalize()
    name = square_name(choice.square)
    better = [(s, share) for s, share, loss in choice.best(3) if loss < choice.loss and s != choice.square]
    if choice.loss >= LEAST and better:
        square, share = better[0]
        often = "" if share >= 0.995 else f", {100 * share:.0f} % of the mixture,"
        return f"{player}'s {name} gave away {amount(choice.loss)}; {square_name(square)}{often} was better."
    if len(turn.position.legal) == 1:
        return f"{player}'s {name} was the only square."
    if choice.probability >= 0.995:
        return f"{player}'s {name} was the right square."
    if choice.probability >= _OFTEN:
        return f"{player}'s {name} was one of the right squares, {100 * choice.probability:.0f} % of the mixture."
    if choice.loss >= LEAST:
        return f"{player}'s {name} gave away {amount(choice.loss)}."
    return f"{player}'s {name} gave away next to nothing."


def _missed(turn: TurnReview, one: Missed) -> str:
    player, names = one.colour.capitalize(), listed([square_name(s) for s in one.squares[:4]], "or")
    other = "White" if one.colour == "black" else "Black"
    theirs = square_name(turn.choice("white" if one.colour == "black" else "black").square)
    if one.kind == "win" and not one.at_once:
        return f"{player} let a {'proved' if one.proved else 'likely'} win slip: {names} kept it."
    if one.kind == "win":
        return f"{player} could have won at once on {names}, which {other}'s {theirs} did not stop."
    certain = f", and {other}'s win was then certain" if one.proved and not one.at_once else ""
    return f"{player} should have kept {other} from winning, on {names}{certain}."


def summary(review: Review) -> tuple[str, ...]:
    """Tell in a few sentences how the game went."""
    if review.start_value is None or review.end is None:
        return ("Nothing was reviewed.",)
    if not review.turns:
        return (f"No turn was played. Black's value is {signed(review.end)}.",)
    black, white = (review.side(colour) for colour in COLOURS)
    said = []
    if not review.complete:
        said.append(f"The review was interrupted: turns {review.turns[0].number} to {review.length} are there.")
    if abs(black.loss - white.loss) < LEAST:
        said.append(f"Both players gave away as much by their choices, {amount(black.loss)} in all.")
    else:
        better, loser = (("Black", white), ("White", black))[black.loss > white.loss]
        rest = black if better == "Black" else white
        said.append(
            f"{better} chose better: the squares of {'White' if better == 'Black' else 'Black'} gave away "
            f"{amount(loser.loss)} in all, {better}'s {amount(rest.loss)}."
        )
    if abs(black.luck) < LEAST:
        said.append("Luck favoured nobody.")
    else:
        said.append(f"Luck gave {'Black' if black.luck > 0 else 'White'} {amount(black.luck)}.")
    if review.outcome is None:
        said.append(f"The board decides nothing; Black's value in the end is {signed(review.end)}, by estimate.")
    return tuple(said)


def verdict(review: Review) -> str:
    """Return the result in words: ``1-0 after 11 turns``."""
    turns = f"{review.length} turn{'' if review.length == 1 else 's'}"
    if review.result == "*":
        return f"unfinished after {turns}"
    if review.outcome is None:
        return f"{review.result}, agreed or given up after {turns}"
    return f"{review.result} after {turns}"
