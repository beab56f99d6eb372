"""A review written into a game, as the notes of its record."""

from __future__ import annotations

from ..game import Game
from ..note import Note
from ..squares import Square
from .model import Choice, Review
from .words import sentences

__all__ = ["annotated"]

_BEGIN = "Review:"  # what stands behind it in a comment is ours
_LISTED = 0.001


def annotated(game: Game, review: Review) -> Game:
    """Return a copy of a game with the review in its notes.

    Parameters
    ----------
    game : Game
        The game that was reviewed. Its comments stay; a review in them that this wrote earlier is replaced.
    review : Review
        A whole one, or the part that there is.

    Returns
    -------
    Game
        Each position has Black's value and both mixtures, each turn a few sentences.
    """
    told = Game.from_record(game.to_record())
    values: dict[int, float] = {}
    if review.turns and review.end is not None:
        values = {turn.number - 1: turn.before for turn in review.turns} | {review.length: review.end}
    turns = {turn.number: turn for turn in review.turns}
    for number in sorted({*values, *turns}):
        old = game.notes.get(number, Note())
        text = old.text.partition(_BEGIN)[0].strip()
        if number in turns:
            text = f"{text} {_BEGIN} {' '.join(sentences(turns[number]))}".strip()
        following = turns.get(number + 1)
        black, white = (old.black, old.white) if following is None else (_mix(following.black), _mix(following.white))
        value = old.value if number not in values else round(values[number], 4) + 0.0
        told.annotate(number, Note(text, value, black, white))
    return told


def _mix(choice: Choice) -> dict[Square, float]:
    return {square: round(share, 4) for square, share, _ in choice.best(81) if share >= _LISTED}
