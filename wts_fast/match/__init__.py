"""Engine against engine: `play_match` plays pairs of games and says what they prove.

`players` reads who plays, `games` plays one game, `run` spreads games over workers and gathers them, `statistics` says
what the results prove, and `luck` takes out of them what the players' own dice put in.
"""

from .run import Match, cluster, play_match, processes
from .statistics import SprtTest

__all__ = ["Match", "SprtTest", "cluster", "play_match", "processes"]
