"""A board as lines of text: letters first, colours only on request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..squares import FILES, NUM_SQUARES, RANKS, Colour, Square, square_name
from ..state import State
from .marks import HasState, Marks, checked_heat, percent, pieces_of, state_of

__all__ = ["board", "draw", "side_by_side"]

#: Letters stay readable where a terminal's black is not black: each piece brings its own background.
_INK = {"black": "\x1b[1;97;40m", "white": "\x1b[1;30;107m", None: "\x1b[30;43m"}
_PLAIN = "\x1b[0m"
#: Backgrounds for probabilities relative to the largest, light to dark, each with a readable text colour.
_SHADES = ("\x1b[30;48;5;195m", "\x1b[30;48;5;153m", "\x1b[30;48;5;111m", "\x1b[97;48;5;27m", "\x1b[97;48;5;18m")
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def board(
    position: State | HasState,
    *,
    colour: bool = False,
    ascii: bool = True,
    heat: Iterable[float] | None = None,
    last: Sequence[Square | str] | None = None,
    captured: Iterable[Square | str] = (),
    winning: Iterable[Square | str] = (),
    title: str = "",
    legend: bool = True,
) -> str:
    """Return a board as text, rank 9 on top.

    Parameters
    ----------
    position : State or position
        The board.
    colour : bool
        Whether to add ANSI colours to the letters. The command decides it from the terminal and ``NO_COLOR``.
    ascii : bool
        Whether to keep to ASCII; otherwise empty squares are centred dots and the frame is made of lines.
    heat : iterable of 81 floats, optional
        A probability a square, written in percent on the empty squares.
    last : pair of squares, optional
        The last turn, Black's and White's square: marked ``>``.
    captured : iterable of squares
        Marked ``x``.
    winning : iterable of squares
        Marked ``*``.
    title : str
        A line above the board.
    legend : bool
        Whether lines below the board list the eggs and explain the marks used.

    Returns
    -------
    str
        Lines without a final line end.

    Raises
    ------
    WtsError
        If the state, a square or the heat is not what it should be.

    Examples
    --------
    >>> print(board(State((40,), (43,), (20,)), last=("E5", "H5"), legend=False))
        A  B  C  D  E  F  G  H  I
      +---------------------------+
    9 | .  .  .  .  .  .  .  .  . | 9
    8 | .  .  .  .  .  .  .  .  . | 8
    7 | .  .  .  .  .  .  .  .  . | 7
    6 | .  .  .  .  .  .  .  .  . | 6
    5 | .  .  .  . >B  .  . >W  . | 5
    4 | .  .  .  .  .  .  .  .  . | 4
    3 | .  . e1  .  .  .  .  .  . | 3
    2 | .  .  .  .  .  .  .  .  . | 2
    1 | .  .  .  .  .  .  .  .  . | 1
      +---------------------------+
        A  B  C  D  E  F  G  H  I
    """
    marks = Marks.of(last, captured, winning)
    return draw(position, marks, colour=colour, ascii=ascii, heat=heat, title=title, legend=legend)


def draw(
    position: State | HasState,
    marks: Marks,
    *,
    colour: bool = False,
    ascii: bool = True,
    heat: Iterable[float] | None = None,
    title: str = "",
    legend: bool = True,
) -> str:
    """Return a board as text with `marks`; the rest as for `board`."""
    state = state_of(position)
    values = None if heat is None else checked_heat(heat, "heat")
    pieces = pieces_of(state)
    cells = [_cell(s, pieces.get(s), marks, values, "." if ascii else "·") for s in range(NUM_SQUARES)]
    # Two for a letter and its mark, or for a percentage: a pair of heat maps then fits into 80 columns.
    width = max(*(len(c) for c in cells), 2) + 1
    heading = ("   " + "".join(f.rjust(width - 1) + " " for f in FILES)).rstrip()
    edge = f"  +{'-' * (9 * width)}+" if ascii else f"  ┌{'─' * (9 * width)}┐"
    bottom = edge if ascii else f"  └{'─' * (9 * width)}┘"
    side = "|" if ascii else "│"
    lines = [title] if title else []
    lines += [heading, edge]
    peak = max(values) if values else 0.0
    for rank in reversed(range(9)):
        row = ""
        for square in range(9 * rank, 9 * rank + 9):
            text = cells[square].rjust(width - 1)
            if colour:
                text = _coloured(text, pieces.get(square), values[square] / peak if values and peak else 0.0)
            row += text + " "
        lines.append(f"{RANKS[rank]} {side}{row}{side} {RANKS[rank]}")
    lines += [bottom, heading]
    return "\n".join(lines + (_legend(state, marks) if legend else []))


def side_by_side(left: str, right: str, gap: int = 3) -> str:
    r"""Return two blocks of text beside each other, as for the heat maps of both strategies.

    Parameters
    ----------
    left, right : str
        Blocks of lines; colours in them take no room.
    gap : int
        Blanks between the blocks.

    Returns
    -------
    str
        As many lines as the longer block has.

    Examples
    --------
    >>> print(side_by_side("ab\nc", "1\n2\n3"))
    ab   1
    c    2
         3
    """
    first, second = left.split("\n"), right.split("\n")
    width = max(_visible(line) for line in first) + gap
    rows = max(len(first), len(second))
    first += [""] * (rows - len(first))
    second += [""] * (rows - len(second))
    return "\n".join((a + " " * (width - _visible(a)) + b).rstrip() for a, b in zip(first, second, strict=True))


def _cell(
    square: Square, piece: tuple[Colour | None, int] | None, marks: Marks, heat: Sequence[float] | None, empty: str
) -> str:
    prefix = ">" if marks.last and square in marks.last else ""
    prefix += "x" if square in marks.captured else ""
    prefix += "*" if square in marks.winning else ""
    prefix += "!" if square == marks.changed else ""
    if piece is None:
        return prefix + ((heat and percent(heat[square])) or empty)
    colour, age = piece
    return prefix + (colour[0].upper() if colour else f"e{age}")


def _coloured(text: str, piece: tuple[Colour | None, int] | None, share: float) -> str:
    if piece is not None:
        return f"{_INK[piece[0]]}{text}{_PLAIN}"
    if share > 0:
        return f"{_SHADES[min(int(share * len(_SHADES)), len(_SHADES) - 1)]}{text}{_PLAIN}"
    return text


def _legend(state: State, marks: Marks) -> list[str]:
    lines = []
    if state.eggs:
        lines.append("eggs, oldest first: " + ", ".join(square_name(s) for s in state.eggs))
    used = []
    if marks.last:
        used.append("> latest turn")
    if marks.captured:
        used.append("x captured")
    if marks.winning:
        used.append("* winning turtle")
    if marks.changed is not None:
        used.append("! hatched or dissolved")
    if used:
        lines.append("   ".join(used))
    return lines


def _visible(line: str) -> int:
    return len(_ESCAPE.sub("", line))
