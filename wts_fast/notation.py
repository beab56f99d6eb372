"""Texts of positions and turns: strict reading, canonical writing.

A position text has two fields: the nine ranks from 9 down to 1 with files A to I, and the eggs, oldest
first. One position has one text, and a text that is not that one is refused with the place and the reason.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from .errors import InvalidPosition, InvalidSquare, ParseError
from .squares import FILES, NUM_SQUARES, RANKS, SQUARE_NAMES, Square, parse_square, square_name
from .state import State

__all__ = [
    "START",
    "format_state",
    "format_turn",
    "parse_position",
    "parse_turn",
    "validate_state",
]

#: The text of the empty board, where games begin.
START: Final = "9/9/9/9/9/9/9/9/9 -"

# 81 pieces, 8 slashes, a blank, and 81 egg names with commas between: no position has a longer text.
_LONGEST: Final = 81 + 8 + 1 + 81 * 3 - 1


def parse_position(text: str) -> State:
    """Read a position text.

    Parameters
    ----------
    text : str
        For example ``"9/9/9/9/3be3w/9/2e6/9/9 E5,C3"``.

    Returns
    -------
    State

    Raises
    ------
    ParseError
        If `text` is not the canonical text of a position; with a code, the column and the reason.

    Examples
    --------
    >>> parse_position("9/9/9/9/3be3w/9/2e6/9/9 E5,C3")
    State(black=(39,), white=(44,), eggs=(40, 20))
    """
    if not isinstance(text, str):
        raise ParseError(
            f"a position is a text, not {type(text).__name__}", code="position-type", column=1, field="position"
        )
    if not text:
        _fail("the text is empty", "empty", 0)
    if len(text) > _LONGEST:
        _fail(f"no position has more than {_LONGEST} characters", "too-long", _LONGEST)
    pieces, at = _parse_board(text)
    eggs = _parse_eggs(text, at, {square: column for square, (piece, column) in pieces.items() if piece == "e"})
    return State(
        tuple(sorted(square for square, (piece, _) in pieces.items() if piece == "b")),
        tuple(sorted(square for square, (piece, _) in pieces.items() if piece == "w")),
        eggs,
    )


def _fail(reason: str, code: str, index: int) -> NoReturn:
    raise ParseError(reason, code=code, column=index + 1, field="position")


def _parse_board(text: str) -> tuple[dict[Square, tuple[str, int]], int]:
    """Return the pieces (letter and where it stands in the text) by square, and where the second field begins."""
    pieces: dict[Square, tuple[str, int]] = {}
    rank, file, after_digit = 8, 0, False
    for index, char in enumerate(text):
        name = f"rank {RANKS[rank]}"
        if char in "/ ":
            if file < 9:
                _fail(f"{name} has {file} files, not 9", "rank-short", index)
            if char == " ":
                if rank:
                    _fail(f"the board ends after {9 - rank} ranks, not 9", "ranks-few", index)
                return pieces, index + 1
            if not rank:
                _fail("a tenth rank begins", "ranks-many", index)
            rank, file, after_digit = rank - 1, 0, False
        elif char in "bwe":
            if file == 9:
                _fail(f"{name} has more than 9 files", "rank-long", index)
            pieces[rank * 9 + file] = (char, index)
            file, after_digit = file + 1, False
        elif char in RANKS:
            if after_digit:
                _fail("two digits stand side by side", "digits", index)
            if file + int(char) > 9:
                _fail(f"{name} has more than 9 files", "rank-long", index)
            file, after_digit = file + int(char), True
        else:
            _fail(
                f"{char!r} stands for nothing on a board; expected b, w, e, 1 to 9, / or a blank", "board-char", index
            )
    if file < 9:
        _fail(f"the text ends in rank {RANKS[rank]} after {file} files", "rank-short", len(text))
    if rank:
        _fail(f"the text ends after {9 - rank} ranks, not 9", "ranks-few", len(text))
    _fail("the second field, the eggs, is missing", "eggs-missing", len(text))


def _parse_eggs(text: str, at: int, on_board: dict[Square, int]) -> tuple[Square, ...]:
    """Return the eggs that the second field, from `at` on, names; they are those on the board."""
    eggs: list[Square] = []
    if at == len(text):
        _fail("the second field, the eggs, is empty; it is - where there are none", "eggs-missing", at)
    if text[at] == "-":
        at += 1
    else:
        while True:
            name = text[at : at + 2]
            if len(name) < 2 or name[0] not in FILES or name[1] not in RANKS:
                _fail(f"{name!r} names no square; expected A1 to I9 in upper case", "egg-square", at)
            square = SQUARE_NAMES.index(name)
            if square in eggs:
                _fail(f"{name} is named twice", "egg-twice", at)
            if square not in on_board:
                _fail(f"the board has no egg on {name}", "egg-not-on-board", at)
            eggs.append(square)
            at += 2
            if at == len(text) or text[at] != ",":
                break
            at += 1
    if at < len(text):
        _fail(f"nothing may follow the eggs, but {text[at]!r} does", "trailing", at)
    for square, index in on_board.items():
        if square not in eggs:
            _fail(f"the egg on {SQUARE_NAMES[square]} is missing from the second field", "egg-not-listed", index)
    return tuple(eggs)


def format_state(state: State) -> str:
    """Return the position text of a state that holds a possible board.

    Examples
    --------
    >>> format_state(State((39,), (44,), (40, 20)))
    '9/9/9/9/3be3w/9/2e6/9/9 E5,C3'
    """
    letters = dict.fromkeys(state.black, "b") | dict.fromkeys(state.white, "w") | dict.fromkeys(state.eggs, "e")
    ranks = []
    for rank in range(8, -1, -1):
        line, gap = "", 0
        for square in range(rank * 9, rank * 9 + 9):
            letter = letters.get(square)
            if letter is None:
                gap += 1
                continue
            line += (str(gap) if gap else "") + letter
            gap = 0
        ranks.append(line + (str(gap) if gap else ""))
    return "/".join(ranks) + " " + (",".join(SQUARE_NAMES[square] for square in state.eggs) or "-")


def validate_state(state: Any) -> State:
    """Return a state as tuples of plain ints, turtles ascending, if it holds a possible board.

    Parameters
    ----------
    state : State or tuple
        Black's turtles, White's turtles, and the eggs, oldest first; each any sequence of squares by number.

    Raises
    ------
    InvalidPosition
        If it is not three sequences of squares, or if a square is held twice.
    """
    try:
        black, white, eggs = state
        fields = {"black": list(black), "white": list(white), "eggs": list(eggs)}
    except TypeError:
        raise InvalidPosition("expected three sequences: black, white, eggs", code="state-type") from None
    except ValueError:
        raise InvalidPosition("expected exactly three sequences: black, white, eggs", code="state-type") from None
    held: dict[Square, str] = {}
    for field, squares in fields.items():
        if len(squares) > NUM_SQUARES:
            raise InvalidPosition("more pieces than squares", code="held-twice", field=field)
        for place, value in enumerate(squares):
            if isinstance(value, str):
                raise InvalidPosition("squares of a state are numbers, not names", code="square-type", field=field)
            try:
                square = parse_square(value, field)
            except InvalidSquare as error:
                raise InvalidPosition(error.reason, code=error.code, field=field) from None
            if square in held:
                raise InvalidPosition(
                    f"{square_name(square)} is held twice, by {held[square]} and {field}",
                    code="held-twice",
                    field=field,
                )
            held[square] = field
            squares[place] = square
    return State(tuple(sorted(fields["black"])), tuple(sorted(fields["white"])), tuple(fields["eggs"]))


def parse_turn(text: str) -> tuple[Square, Square]:
    """Read a turn: Black's square, a blank, White's square, either case.

    Raises
    ------
    ParseError
        If it is anything else.

    Examples
    --------
    >>> parse_turn("E5 h5")
    (40, 43)
    """
    if not isinstance(text, str):
        raise ParseError(f"a turn is a text, not {type(text).__name__}", code="turn-type", column=1, field="turn")
    if len(text) != 5 or text[2] != " ":
        raise ParseError(
            f"expected two squares with a blank between, as in 'E5 H5', not {text[:20]!r}",
            code="turn",
            column=min(len(text), 2) + 1,
            field="turn",
        )
    squares = []
    for column, player in ((0, "Black"), (3, "White")):
        try:
            squares.append(parse_square(text[column : column + 2]))
        except InvalidSquare as error:
            raise ParseError(
                f"{player}'s square: {error.reason}", code="turn-square", column=column + 1, field="turn"
            ) from None
    return squares[0], squares[1]


def format_turn(black: Square, white: Square) -> str:
    """Return a turn as text, for example ``"E5 H5"``."""
    return f"{square_name(black)} {square_name(white)}"
