"""The vocabulary of the board: 81 squares and their names, two colours, eight directions.

Arithmetic and names only. No masks and no tables of lines live here, because both
implementations of the rules read this file and must not share a mistake.
"""

from __future__ import annotations

import operator
from typing import Final, Literal

from .errors import InvalidSquare, WtsError

__all__ = [
    "BLACK",
    "COLOURS",
    "DIRECTIONS",
    "FILES",
    "NUM_SQUARES",
    "RANKS",
    "SQUARE_NAMES",
    "SYMMETRIES",
    "WHITE",
    "Colour",
    "Square",
    "parse_colour",
    "parse_square",
    "square_name",
]

Square = int
Colour = Literal["black", "white"]

FILES: Final = "ABCDEFGHI"
RANKS: Final = "123456789"
NUM_SQUARES: Final = 81
SQUARE_NAMES: Final = tuple(f + r for r in RANKS for f in FILES)

BLACK: Final = 0
WHITE: Final = 1
COLOURS: Final[tuple[Colour, Colour]] = ("black", "white")

#: The eight directions as (name, step in files, step in ranks), in the order in which
#: captures of one arriving turtle are told.
DIRECTIONS: Final = (
    ("N", 0, 1),
    ("NE", 1, 1),
    ("E", 1, 0),
    ("SE", 1, -1),
    ("S", 0, -1),
    ("SW", -1, -1),
    ("W", -1, 0),
    ("NW", -1, 1),
)

#: The eight symmetries of the square by name. With files and ranks counted from 0 and
#: (f, r) a square, they send it to:
#: identity (f, r); rotate90 (r, 8-f), clockwise; rotate180 (8-f, 8-r); rotate270 (8-r, f);
#: mirror_files (8-f, r); mirror_ranks (f, 8-r); transpose (r, f); antitranspose (8-r, 8-f).
SYMMETRIES: Final = (
    "identity",
    "rotate90",
    "rotate180",
    "rotate270",
    "mirror_files",
    "mirror_ranks",
    "transpose",
    "antitranspose",
)

_NUMBERS: Final = {name: i for i, name in enumerate(SQUARE_NAMES)}
_NUMBERS.update({name.lower(): i for i, name in enumerate(SQUARE_NAMES)})


def square_name(square: Square) -> str:
    """Return the name of a square, for example ``"E5"`` for 40."""
    return SQUARE_NAMES[parse_square(square)]


def parse_square(value: object, field: str = "square") -> Square:
    """Return the number of a square given by name or by number.

    Parameters
    ----------
    value : str or int
        ``"A1"`` to ``"I9"`` in either case, or an integer (numpy's too) from 0 to 80.
        Booleans, floats, blanks and digits of other scripts are refused.
    field : str
        The name that an error shall give to the value.

    Returns
    -------
    int
        0 to 80, by clause R1.

    Raises
    ------
    InvalidSquare
        If `value` names no square.

    Examples
    --------
    >>> parse_square("e5"), parse_square(80)
    (40, 80)
    """
    if isinstance(value, str):
        number = _NUMBERS.get(value)
        if number is None:
            raise InvalidSquare(
                f"no square is called {value[:20]!r}; squares are A1 to I9", code="square-name", field=field
            )
        return number
    # bool and numpy.bool_ are refused by name: True is no square, though it counts as 1.
    if type(value).__name__ in ("bool", "bool_"):
        raise InvalidSquare(f"{value} is a truth value, not a square", code="square-type", field=field)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidSquare(
            f"a square is a name or a whole number, not {type(value).__name__}", code="square-type", field=field
        ) from None
    if not 0 <= number < NUM_SQUARES:
        raise InvalidSquare(f"squares are numbered 0 to 80, not {_short(number)}", code="square-range", field=field)
    return number


def parse_colour(value: object, field: str = "colour") -> int:
    """Return `BLACK` or `WHITE` for ``"black"`` or ``"white"``.

    Raises
    ------
    WtsError
        For anything else.
    """
    if isinstance(value, str) and value in COLOURS:
        return COLOURS.index(value)
    raise WtsError(f"a colour is 'black' or 'white', not {str(value)[:20]!r}", code="colour", field=field)


def _short(number: int) -> str:
    """Return a number as text, cut where it would fill the screen (or pass Python's digit limit)."""
    return str(number) if -(10**12) < number < 10**12 else "a number of that size"
