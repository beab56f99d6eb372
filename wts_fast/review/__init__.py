"""A game reviewed: what each player's choices lost, kept apart from what the coincidence of two choices gave."""

from .assess import Assessment, assess
from .missed import Missed
from .model import Choice, Review, Side, TurnReview
from .run import review

__all__ = ["Assessment", "Choice", "Missed", "Review", "Side", "TurnReview", "assess", "review"]
