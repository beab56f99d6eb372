"""Differential fuzzing: kernel against oracle in lock step, with a report of what was exercised.

`boards` knows the geometry, `generate` makes games, `check` compares one turn, `clauses` counts what
it exercised, `replay` keeps and shrinks what was found, `run` puts them together.
"""

from .check import Difference
from .clauses import CLAUSES, NOT_OBSERVABLE
from .replay import Replay, load_replay, run_replay, save_replay
from .run import LONG_SECONDS, LONG_TURNS, Failure, Report, fuzz, replay_command

__all__ = [
    "CLAUSES",
    "LONG_SECONDS",
    "LONG_TURNS",
    "NOT_OBSERVABLE",
    "Difference",
    "Failure",
    "Replay",
    "Report",
    "fuzz",
    "load_replay",
    "replay_command",
    "run_replay",
    "save_replay",
]
