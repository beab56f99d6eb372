"""Boards as text and as SVG, and the story of a turn: pure strings, no dependency.

Everything here takes a `State` or anything that has one as ``.state``. The functions `svg` and
`story` hide the modules of the same name; ``from wts_fast.draw.svg import ...`` reaches those.
"""

from .story import Frame, story, story_svg, story_text
from .svg import Svg, svg, svg_pair
from .text import board, side_by_side

__all__ = ["Frame", "Svg", "board", "side_by_side", "story", "story_svg", "story_text", "svg", "svg_pair"]
