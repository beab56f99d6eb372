"""A board as an SVG picture: a plain string that notebooks show by itself.

The palette is Okabe and Ito's, which colour-blind readers tell apart; what a colour says, a
shape, a letter or a number says too: black turtles look up and have a hexagon on the shell,
white ones look down and have rings, eggs carry their number (1 hatches first).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from ..errors import WtsError
from ..squares import FILES, NUM_SQUARES, RANKS, Colour, Square, parse_square, square_name
from ..state import Capture, State
from .marks import HasState, Marks, checked_heat, percent, pieces_of, state_of

__all__ = ["Panel", "Svg", "draw", "grid", "panel", "svg", "svg_pair", "told", "value_caption"]

_CELL = 48  # user units; every drawing below is made for this size
_EDGE = 26  # room for the coordinates
_MARGIN = 4  # room around a board without them
_CAPTION_LINE, _CAPTION_LETTERS = 21, 50  # height of a line, and what fits into it in a wide font
_BOARD = 9 * _CELL

_PAPER, _WOOD, _LINE, _INK, _FAINT = "#fffdf8", "#eddfc0", "#c9b48a", "#2b2a26", "#7a705c"
_BLUE, _VERMILLION, _GREEN = "#0072b2", "#d55e00", "#009e73"
#: Light to dark; only lightness carries the meaning.
_RAMP = ((0xED, 0xDF, 0xC0), (0x9C, 0xC9, 0xE2), (0x3A, 0x8F, 0xC4), (0x0B, 0x4A, 0x86))

_UP = '<path d="M0 -20 C4 -20 5.5 -16.5 4.5 -12 L-4.5 -12 C-5.5 -16.5 -4 -20 0 -20 Z"/>'
_LIMBS = (
    '<ellipse cx="-12" cy="-10" rx="6.8" ry="3.7" transform="rotate(40 -12 -10)"/>'
    '<ellipse cx="12" cy="-10" rx="6.8" ry="3.7" transform="rotate(-40 12 -10)"/>'
    '<ellipse cx="-10.5" cy="12" rx="5.4" ry="3.2" transform="rotate(-45 -10.5 12)"/>'
    '<ellipse cx="10.5" cy="12" rx="5.4" ry="3.2" transform="rotate(45 10.5 12)"/>'
    '<path d="M-2 14 L0 20 L2 14 Z"/>'
)
_SHELL = '<ellipse cx="0" cy="1" rx="13" ry="14.5"/>'
_HEXAGON = (
    '<path d="M-5.5 -4 L0 -7 L5.5 -4 L5.5 5 L0 8.5 L-5.5 5 Z M0 -7 L0 -13 M5.5 -4 L11 -7 M5.5 5 L11 8.5 '
    'M0 8.5 L0 15 M-5.5 5 L-11 8.5 M-5.5 -4 L-11 -7" fill="none"/>'
)
_RINGS = '<ellipse cx="0" cy="1" rx="8.6" ry="9.8" fill="none"/><ellipse cx="0" cy="1" rx="4" ry="4.8" fill="none"/>'
_TURTLES = {
    "black": f'<g fill="#4d4d4d" stroke="#111" stroke-width="1">{_UP}{_LIMBS}</g><g fill="#1c1c1c" stroke="#000" '
    f'stroke-width="1.2">{_SHELL}</g><g stroke="#9a9a9a" stroke-width="1.3">{_HEXAGON}</g>',
    "white": f'<g transform="rotate(180)"><g fill="#fff" stroke="#2a2a2a" stroke-width="1.2">{_UP}{_LIMBS}</g>'
    f'<g fill="#fff" stroke="#1c1c1c" stroke-width="1.8">{_SHELL}</g>'
    f'<g stroke="#8d8d8d" stroke-width="1.3">{_RINGS}</g></g>',
}
_EGG = (
    '<path d="M0 -16 C7.5 -16 12 -4 12 3 C12 10.5 7 15 0 15 C-7 15 -12 10.5 -12 3 C-12 -4 -7.5 -16 0 -16 Z" '
    'fill="#f9d976" stroke="#8a6100" stroke-width="1.5"/>'
)


class Panel(NamedTuple):
    """One board of a picture: the drawing, the caption below it, and its words for screen readers."""

    drawing: str
    caption: str
    told: str


class Svg(str):
    """An SVG document; notebooks show it as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return str(self)


def svg(
    position: State | HasState,
    *,
    fill: Iterable[float] | Mapping[Any, str] | None = None,
    last: Sequence[Square | str] | None = None,
    captured: Iterable[Square | str] = (),
    winning: Iterable[Square | str] = (),
    brackets: Iterable[Capture] = (),
    coordinates: bool = True,
    size: int = 480,
    title: str = "",
) -> Svg:
    """Return a board as an SVG picture, rank 9 on top.

    Parameters
    ----------
    position : State or position
        The board.
    fill : iterable of 81 floats, or mapping from squares to CSS colours, optional
        Probabilities, shaded relative to the largest with the percentages written on empty squares;
        or a colour for each of some squares.
    last : pair of squares, optional
        The last turn, Black's and White's square: framed and lettered.
    captured : iterable of squares
        Marked with a cross.
    winning : iterable of squares
        Ringed, with a star.
    brackets : iterable of Capture
        Captures drawn as a bar from the arriving turtle to the far end.
    coordinates : bool
        Whether letters and digits stand around the board.
    size : int
        Width of the picture in pixels, from 16 to 10,000.
    title : str
        A heading, also read out by screen readers.

    Returns
    -------
    Svg
        A ``str`` with ``_repr_svg_`` and ``_repr_html_``.

    Raises
    ------
    WtsError
        If the state, a square, the fill or the size is not what it should be.

    Examples
    --------
    >>> svg(State((40,), (43,), ()), last=("E5", "H5")).startswith("<svg ")
    True
    """
    return draw(position, Marks.of(last, captured, winning, brackets), fill, coordinates, size, title)


def draw(
    position: State | HasState,
    marks: Marks,
    fill: Iterable[float] | Mapping[Any, str] | None = None,
    coordinates: bool = True,
    size: int = 480,
    title: str = "",
) -> Svg:
    """Return a board as an SVG picture with `marks`; the rest as for `svg`."""
    state = state_of(position)
    panel = Panel(_board(state, marks, fill, coordinates), "", told(state, marks))
    return grid([panel], 1, coordinates=coordinates, size=size, title=title)


def svg_pair(
    position: State | HasState,
    black: Iterable[float],
    white: Iterable[float],
    *,
    value: float | None = None,
    coordinates: bool = True,
    size: int = 960,
    title: str = "",
) -> Svg:
    """Return the heat maps of both strategies side by side, Black's on the left.

    Parameters
    ----------
    position : State or position
        The board.
    black, white : iterable of 81 floats
        Both strategies.
    value : float, optional
        Black's value, from -1 to 1, written into the heading.
    coordinates : bool
        Whether letters and digits stand around the boards.
    size : int
        Width of the picture in pixels, from 16 to 10,000.
    title : str
        A heading; the value follows it.

    Returns
    -------
    Svg
        A ``str`` with ``_repr_svg_`` and ``_repr_html_``.

    Raises
    ------
    WtsError
        If the state, a strategy, the value or the size is not what it should be.
    """
    state = state_of(position)
    if value is not None:
        title = f"{title}: {value_caption(value)}" if title else f"V{value_caption(value)[1:]}"
    panels = []
    for name, heat in (("Black", black), ("White", white)):
        values = checked_heat(heat, name.lower())
        best = sorted((s for s in range(NUM_SQUARES) if percent(values[s])), key=lambda s: (-values[s], s))[:4]
        choice = f"{name}: " + ", ".join(f"{square_name(s)} {percent(values[s])} %" for s in best)
        panels.append(Panel(_board(state, Marks(), values, coordinates), choice, choice))
    return grid(panels, 2, coordinates=coordinates, size=size, title=title or "Both strategies")


def value_caption(value: float) -> str:
    """Return a value of Black's in words.

    Raises
    ------
    WtsError
        If it is not from -1 to 1.

    Examples
    --------
    >>> value_caption(0.25), value_caption(-0.5), value_caption(0.0)
    ('value +0.250, better for Black', 'value -0.500, better for White', 'value 0.000, even')
    """
    if not -1 <= value <= 1:
        raise WtsError(f"a value is from -1 to 1, not {value}", code="value", field="value")
    rounded = round(value, 3)
    if rounded == 0:
        return "value 0.000, even"
    return f"value {rounded:+.3f}, better for {'Black' if rounded > 0 else 'White'}"


def grid(panels: Sequence[Panel], columns: int, *, coordinates: bool, size: int, title: str) -> Svg:
    """Return one picture of several boards, each with its caption below, under a common heading.

    Parameters
    ----------
    panels : sequence of Panel
        The boards, row by row.
    columns : int
        Boards in a row, at least 1.
    coordinates : bool
        Whether the boards were drawn with coordinates.
    size : int
        Width of the whole picture in pixels, from 16 to 10,000.
    title : str
        The heading; none if empty.

    Returns
    -------
    Svg
        The whole document.

    Raises
    ------
    WtsError
        If the size is not what it should be.
    """
    if isinstance(size, bool) or not isinstance(size, int) or not 16 <= size <= 10_000:
        raise WtsError(f"expected a whole number of pixels from 16 to 10000, not {size!r}", code="size", field="size")
    edge = _EDGE if coordinates else _MARGIN
    side = _BOARD + 2 * edge
    columns = min(columns, len(panels))
    captions = [textwrap.wrap(p.caption, _CAPTION_LETTERS) for p in panels]
    heights = [
        side + max(len(c) for c in captions[i : i + columns]) * _CAPTION_LINE + (12 if any(captions) else 0)
        for i in range(0, len(panels), columns)
    ]
    headline = textwrap.wrap(title, 48 * columns)
    top = 32 * len(headline)
    width, height = columns * side, top + sum(heights)
    parts = [f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>']
    for i, line in enumerate(headline):
        parts.append(_text(width / 2, 30 + 30 * i, line, 21, _INK, 'font-weight="bold"'))
    y = top
    for i, height_of_row in enumerate(heights):
        for j, panel in enumerate(panels[i * columns : (i + 1) * columns]):
            parts.append(f'<g transform="translate({j * side + edge} {y + edge})">{panel.drawing}</g>')
            for k, line in enumerate(captions[i * columns + j]):
                parts.append(
                    _text(j * side + edge, y + side + 12 + k * _CAPTION_LINE, line, 16, _INK, 'text-anchor="start"')
                )
        y += height_of_row
    name = title or "A board of What the Shell"
    description = " ".join(p.told if p.told.endswith(".") else f"{p.told}." for p in panels if p.told)
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{size}" '
        f'height="{round(size * height / width)}" role="img" aria-label={quoteattr(_clean(name))} '
        f'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" text-anchor="middle">'
        f"<title>{escape(_clean(name))}</title><desc>{escape(_clean(description))}</desc>{''.join(parts)}</svg>"
    )


def panel(state: State, marks: Marks, caption: str, coordinates: bool) -> Panel:
    """Return one board for `grid`, its caption also being what is read out."""
    return Panel(_board(state, marks, None, coordinates), caption, caption)


def told(state: State, marks: Marks) -> str:
    """Return a board in words, for those who hear the picture instead of seeing it."""
    groups = [
        ("black turtles on", state.black),
        ("white turtles on", state.white),
        ("eggs, oldest first, on", state.eggs),
        ("captured on", sorted(marks.captured)),
        ("winning turtles on", sorted(marks.winning)),
    ]
    parts = [f"{name} {' '.join(map(square_name, squares))}" for name, squares in groups if squares]
    if marks.last:
        parts.append(f"last turn {square_name(marks.last[0])} {square_name(marks.last[1])}")
    return "; ".join(parts) or "empty board"


def _board(state: State, marks: Marks, fill: Iterable[float] | Mapping[Any, str] | None, coordinates: bool) -> str:
    """Return a board as a fragment with its upper left corner at (0, 0)."""
    pieces = pieces_of(state)
    parts = [f'<rect width="{_BOARD}" height="{_BOARD}" fill="{_WOOD}"/>']
    numbers = []
    if isinstance(fill, Mapping):
        for name, paint in fill.items():
            parts.append(_tile(parse_square(name, "fill"), str(paint)))
    elif fill is not None:
        heat = checked_heat(fill, "fill")
        peak = max(heat)
        for square, value in enumerate(heat):
            if value > 0:
                share = value / peak
                parts.append(_tile(square, _shade(share)))
                if square not in pieces and percent(value):
                    x, y = _centre(square)
                    numbers.append(_text(x, y + 6, percent(value), 17, "#fff" if share > 0.55 else _INK))
    for square in sorted(marks.winning):
        parts.append(_tile(square, "#bfe5d6"))
    parts.append(_lines())
    for square in sorted(marks.winning):
        x, y = _centre(square)
        parts.append(f'<circle cx="{x}" cy="{y}" r="21.5" fill="none" stroke="{_GREEN}" stroke-width="3"/>')
    parts.extend(_frames(marks, pieces))
    for capture in marks.brackets:
        (x1, y1), (x2, y2) = _centre(capture.arrival), _centre(capture.end)
        parts.append(
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{_VERMILLION}" stroke-width="8" '
            f'stroke-linecap="round"/>'
        )
        for x, y in ((x1, y1), (x2, y2)):  # on a crowded board the bar hides between the pieces
            parts.append(f'<circle cx="{x}" cy="{y}" r="21.5" fill="none" stroke="{_VERMILLION}" stroke-width="3"/>')
    for square, (colour, age) in sorted(pieces.items()):
        parts.append(_piece(square, colour, age))
    parts.extend(numbers)
    for square in sorted(marks.captured):
        parts.append(_cross(square, square in pieces))
    for square in sorted(marks.winning):
        parts.append(_star(square))
    if coordinates:
        for i in range(9):
            middle = i * _CELL + _CELL / 2
            for y in (-8, _BOARD + 18):
                parts.append(_text(middle, y, FILES[i], 14, _FAINT))
            for x in (-14, _BOARD + 14):
                parts.append(_text(x, _BOARD - middle + 5, RANKS[i], 14, _FAINT))
    return "".join(parts)


def _lines() -> str:
    path = "".join(f"M{i * _CELL} 0V{_BOARD}M0 {i * _CELL}H{_BOARD}" for i in range(10))
    return f'<path d="{path}" stroke="{_LINE}" stroke-width="1.2" stroke-linecap="square" fill="none"/>'


def _centre(square: Square) -> tuple[int, int]:
    rank, file = divmod(square, 9)
    return file * _CELL + _CELL // 2, (8 - rank) * _CELL + _CELL // 2


def _tile(square: Square, paint: str) -> str:
    x, y = _centre(square)
    half = _CELL // 2
    return f'<rect x="{x - half}" y="{y - half}" width="{_CELL}" height="{_CELL}" fill={quoteattr(_clean(paint))}/>'


def _shade(share: float) -> str:
    at = min(max(share, 0.06), 1.0) * (len(_RAMP) - 1)
    low = min(int(at), len(_RAMP) - 2)
    mixed = (round(a + (b - a) * (at - low)) for a, b in zip(_RAMP[low], _RAMP[low + 1], strict=True))
    return "#" + "".join(f"{c:02x}" for c in mixed)


def _piece(square: Square, colour: Colour | None, age: int) -> str:
    x, y = _centre(square)
    name = f"{square_name(square)}: {f'{colour} turtle' if colour else f'egg {age}'}"
    body = _TURTLES[colour] if colour else _EGG + _text(0, 8, str(age), 16, "#3d2c00", 'font-weight="bold"')
    return f'<g transform="translate({x} {y}) scale(1.06)"><title>{name}</title>{body}</g>'


def _frames(marks: Marks, pieces: Mapping[Square, tuple[Colour | None, int]]) -> list[str]:
    """Return the frames around the squares of the last turn, lettered where no turtle tells whose choice it was."""
    letters: dict[Square, str] = {}
    for square, letter in zip(marks.last or (), "BW", strict=False):
        letters[square] = letters.get(square, "") + letter
    parts = []
    for square, text in letters.items():
        x, y = _centre(square)
        parts.append(
            f'<rect x="{x - 22}" y="{y - 22}" width="44" height="44" rx="5" fill="none" stroke="{_BLUE}" '
            f'stroke-width="3.2"/>'
        )
        if pieces.get(square, (None, 0))[0] is None:
            parts.append(_text(x - 19, y - 10, text, 11, _BLUE, 'font-weight="bold" text-anchor="start"'))
    if marks.changed is not None:
        x, y = _centre(marks.changed)
        parts.append(
            f'<circle cx="{x}" cy="{y}" r="22" fill="none" stroke="#8a6100" stroke-width="2.6" '
            f'stroke-dasharray="5 3.6"/>'
        )
    return parts


def _cross(square: Square, occupied: bool) -> str:
    x, y = _centre(square)
    if occupied:  # a badge in the corner, so that the piece can still be seen
        return (
            f'<g transform="translate({x + 14} {y - 14})"><circle r="8.5" fill="{_VERMILLION}" stroke="{_PAPER}" '
            f'stroke-width="1.5"/><path d="M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5" stroke="#fff" stroke-width="2.6" '
            f'stroke-linecap="round"/></g>'
        )
    return (
        f'<path transform="translate({x} {y})" d="M-8 -8L8 8M-8 8L8 -8" stroke="{_VERMILLION}" stroke-width="4.5" '
        f'stroke-linecap="round"/>'
    )


def _star(square: Square) -> str:
    x, y = _centre(square)
    points = "0,-8 2.1,-2.9 7.6,-2.5 3.4,1.1 4.7,6.5 0,3.6 -4.7,6.5 -3.4,1.1 -7.6,-2.5 -2.1,-2.9"
    return (
        f'<polygon transform="translate({x + 15} {y - 15})" points="{points}" fill="{_GREEN}" stroke="{_PAPER}" '
        f'stroke-width="1.4"/>'
    )


def _text(x: float, y: float, text: str, size: float, paint: str, more: str = "") -> str:
    extra = f" {more}" if more else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{paint}"{extra}>{escape(_clean(text))}</text>'


def _clean(text: str) -> str:
    """Return text without what XML cannot hold, such as control characters from a record's tags."""
    return "".join(c if c.isprintable() else " " for c in text)
