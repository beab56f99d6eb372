"""The fixed positions of the benches: those of the signature."""

from wts_fast._kernel import Position
from wts_fast.signature import POSITIONS

START = Position(POSITIONS["start"])
MIDDLE = Position(POSITIONS["middle"])
DENSE = [Position(POSITIONS[name]) for name in ("brackets", "eggs", "sudden-death", "nearly-full")]
