"""The rules, slowly: one function a clause group, dicts and lists, nothing clever.

This is the twin against which the fast engine is tested. It follows RULES.md clause by
clause and shares names with the kernel, but no table and no algorithm. It needs neither
numpy nor compiled code.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn

from .errors import GameOver, IllegalMove, WtsError
from .notation import START, format_state, parse_position, validate_state
from .squares import (
    COLOURS,
    DIRECTIONS,
    NUM_SQUARES,
    SYMMETRIES,
    Colour,
    Square,
    parse_colour,
    parse_square,
    square_name,
)
from .state import Capture, Dissolve, EggLaid, Event, Hatch, Outcome, Placement, Row, State, Turn, Verdict

__all__ = ["Choice", "Playout", "Position", "random_playout", "uniform_choice"]

Place = tuple[int, int]  # (file, rank), both counted from 0
Pieces = dict[Place, str]  # what the occupied squares hold: "black", "white" or "egg" (R2)

#: Chooses a joint turn: given the number n of legal squares, two indices from 0 to n - 1, Black's first.
Choice = Callable[[int], tuple[int, int]]

#: One direction for each of the four kinds of line in which a row can lie (R18).
LINES: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


def place_of(square: Square) -> Place:
    """Return file and rank of a square number (R1)."""
    return square % 9, square // 9


def square_of(place: Place) -> Square:
    """Return the square number of file and rank (R1)."""
    file, rank = place
    return rank * 9 + file


def step(place: Place, file_step: int, rank_step: int, times: int) -> Place:
    """Return the place some steps away; off the board it is in no dict of pieces."""
    return place[0] + times * file_step, place[1] + times * rank_step


def find_captures(pieces: Pieces, arrival: Place) -> list[Capture]:
    """Return the captures that the turtle which has just arrived makes on this board, by direction."""
    colour = pieces[arrival]
    captures = []
    for name, df, dr in DIRECTIONS:  # R12: each direction is a capture of its own
        near, far, end = (step(arrival, df, dr, times) for times in (1, 2, 3))
        # R7, R8: exactly two victims: the next two squares hold an enemy turtle or an egg each ...
        if near not in pieces or pieces[near] == colour:
            continue
        if far not in pieces or pieces[far] == colour:
            continue
        # ... and the third holds a turtle of the arriver's colour.
        if pieces.get(end) != colour:
            continue
        captures.append(
            Capture(
                colour="black" if colour == "black" else "white",
                arrival=square_of(arrival),
                direction=name,
                victims=(square_of(near), square_of(far)),
                end=square_of(end),
            )
        )
    return captures


def remove_victims(pieces: Pieces, eggs: list[Place], captures: list[Capture]) -> None:
    """Take the victims of all these captures off the board together, each once (R13)."""
    for victim in {place_of(square) for capture in captures for square in capture.victims}:
        if pieces.pop(victim) == "egg":
            eggs.remove(victim)  # R14: a captured egg is gone before any claim is served


def resolve(state: State, black: Square, white: Square) -> tuple[State, list[Event]]:
    """Return the settled board after a legal turn, and the events up to there in order (R5)."""
    pieces, eggs = lay_out(state), [place_of(square) for square in state.eggs]
    events: list[Event] = []

    # R6: the same square: an egg instead of a turtle, the youngest; no captures, no hatching.
    if black == white:
        pieces[place_of(black)] = "egg"
        eggs.append(place_of(black))
        return gather(pieces, eggs), [EggLaid(black)]

    # R5, placement: both turtles land.
    pieces[place_of(black)] = "black"
    pieces[place_of(white)] = "white"
    events += [Placement("black", black), Placement("white", white)]

    # R10, R11: the captures of both are found on the board that holds both, before anything is removed.
    # R9: only from the squares of the two arrivals.
    captures = find_captures(pieces, place_of(black)) + find_captures(pieces, place_of(white))
    events += captures
    remove_victims(pieces, eggs, captures)  # R13

    # R14: every capture is one claim for its player.
    claims = {colour: sum(capture.colour == colour for capture in captures) for colour in COLOURS}

    # R15: while an egg and a claim are left, take the oldest egg. R17: claims that find no egg lapse.
    while eggs and (claims["black"] or claims["white"]):
        oldest = eggs.pop(0)
        if claims["black"] and claims["white"]:
            del pieces[oldest]  # R15: it dissolves, and each side loses one claim
            claims["black"] -= 1
            claims["white"] -= 1
            events.append(Dissolve(square_of(oldest)))
            continue
        owner: Colour = "black" if claims["black"] else "white"
        claims[owner] -= 1
        pieces[oldest] = owner  # R15: it hatches for the player who holds claims
        events.append(Hatch(owner, square_of(oldest)))
        # R16: the hatched turtle captures at once, its victims leave at once, each capture adds a claim,
        # and only then is the next egg looked at.
        captures = find_captures(pieces, oldest)
        events += captures
        remove_victims(pieces, eggs, captures)
        claims[owner] += len(captures)

    return gather(pieces, eggs), events


def lay_out(state: State) -> Pieces:
    """Return what each occupied square holds (R2)."""
    pieces = {}
    for content, squares in (("black", state.black), ("white", state.white), ("egg", state.eggs)):
        for square in squares:
            pieces[place_of(square)] = content
    return pieces


def gather(pieces: Pieces, eggs: list[Place]) -> State:
    """Return pieces and egg order as a state (R2, R3)."""
    black = sorted(square_of(place) for place, content in pieces.items() if content == "black")
    white = sorted(square_of(place) for place, content in pieces.items() if content == "white")
    return State(tuple(black), tuple(white), tuple(square_of(place) for place in eggs))


def find_rows(pieces: Pieces, colour: Colour) -> list[tuple[Square, ...]]:
    """Return the rows of a colour, each as its squares ascending, in ascending order (R18)."""
    rows = []
    for place, content in pieces.items():
        if content != colour:
            continue
        for df, dr in LINES:
            # A line of turtles is looked at from its first one only, so that each is found once.
            if pieces.get(step(place, df, dr, -1)) == colour:
                continue
            line = [place]
            while pieces.get(step(line[-1], df, dr, 1)) == colour:
                line.append(step(line[-1], df, dr, 1))
            if len(line) >= 5:
                rows.append(tuple(sorted(square_of(turtle) for turtle in line)))
    return sorted(rows)


def unite(rows: list[tuple[Square, ...]]) -> tuple[Square, ...]:
    """Return the turtles in any of the rows, ascending; a shared turtle counts once (R19)."""
    return tuple(sorted({square for row in rows for square in row}))


def judge(winning_black: int, winning_white: int, num_empty: int) -> Outcome | None:
    """Return the outcome for these counts of winning turtles and empty squares."""
    if winning_black > winning_white:  # R20
        return Outcome.BLACK
    if winning_white > winning_black:  # R20
        return Outcome.WHITE
    if num_empty == 0:  # R23, whether the equal counts are zero or not
        return Outcome.DRAW
    return None  # R21 (sudden death) or R22


def map_square(square: Square, symmetry: str) -> Square:
    """Return where a symmetry of `squares.SYMMETRIES` sends a square."""
    f, r = place_of(square)
    image = {
        "identity": (f, r),
        "rotate90": (r, 8 - f),
        "rotate180": (8 - f, 8 - r),
        "rotate270": (8 - r, f),
        "mirror_files": (8 - f, r),
        "mirror_ranks": (f, 8 - r),
        "transpose": (r, f),
        "antitranspose": (8 - r, 8 - f),
    }
    return square_of(image[symmetry])


def mix(number: int) -> int:
    """Return the 64-bit word that stands for one piece on one square in `Position.key` (splitmix64)."""
    word = 2**64
    z = (number + 1) * 0x9E3779B97F4A7C15 % word
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % word
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % word
    return z ^ (z >> 31)


class Position:
    """A position of the game: a value, immutable and hashable.

    Parameters
    ----------
    text : str, optional
        A position text; without it, the empty board.

    Raises
    ------
    ParseError
        If the text is not the canonical text of a position.

    Examples
    --------
    >>> position = Position().play("E5", "D5")
    >>> str(position)
    '9/9/9/9/3wb4/9/9/9/9 -'
    >>> position.outcome is None, len(position.legal)
    (True, 79)
    """

    __slots__ = ("_pieces", "_rows", "_state")

    _pieces: Pieces
    _rows: tuple[list[tuple[Square, ...]], list[tuple[Square, ...]]]
    _state: State

    def __init__(self, text: str = START) -> None:
        self._fill(parse_position(text))

    @classmethod
    def from_state(cls, state: State) -> Position:
        """Return the position of a state.

        Raises
        ------
        InvalidPosition
            If no board can hold the state.
        """
        position = cls.__new__(cls)
        position._fill(validate_state(state))
        return position

    def _fill(self, state: State) -> None:
        pieces = lay_out(state)
        object.__setattr__(self, "_state", state)
        object.__setattr__(self, "_pieces", pieces)
        # R18: rows are looked for once, on the settled board.
        object.__setattr__(self, "_rows", (find_rows(pieces, "black"), find_rows(pieces, "white")))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Position is a value and cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a Position is a value and cannot be changed")

    @property
    def state(self) -> State:
        """The board as plain numbers."""
        return self._state

    @property
    def black(self) -> tuple[Square, ...]:
        """Black's turtles, ascending."""
        return self._state.black

    @property
    def white(self) -> tuple[Square, ...]:
        """White's turtles, ascending."""
        return self._state.white

    @property
    def eggs(self) -> tuple[Square, ...]:
        """The eggs, oldest first."""
        return self._state.eggs

    @property
    def legal(self) -> tuple[Square, ...]:
        """The empty squares, ascending, the same for both players; none if and only if the game is over (R4)."""
        if self.outcome is not None:
            return ()
        return tuple(square for square in range(NUM_SQUARES) if place_of(square) not in self._pieces)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on (R20 to R23)."""
        black, white = self._counts()
        return judge(black, white, NUM_SQUARES - len(self._pieces))

    @property
    def sudden_death(self) -> bool:
        """Whether play goes on with equal counts of winning turtles that are not zero (R21)."""
        return self.outcome is None and self._counts() != (0, 0)

    def winning(self, colour: Colour) -> tuple[Square, ...]:
        """Return the winning turtles of ``"black"`` or ``"white"``, ascending (R19)."""
        return unite(self._rows[parse_colour(colour)])

    def _counts(self) -> tuple[int, int]:
        return len(unite(self._rows[0])), len(unite(self._rows[1]))

    def play(self, black: object, white: object) -> Position:
        """Return the position after a turn; see `explain`."""
        return self.explain(black, white).position

    def explain(self, black: object, white: object) -> Turn[Position]:
        """Return the position after a turn and what happened in it, in order.

        Parameters
        ----------
        black, white : str or int
            The squares that Black and White choose, by name or number; the same square is a collision.

        Raises
        ------
        InvalidSquare
            If one of them names no square.
        GameOver
            If the game has ended.
        IllegalMove
            If one of them names an occupied square.

        Examples
        --------
        >>> turn = Position("9/9/9/9/5ww1b/9/9/9/9 -").explain("E5", "A1")
        >>> str(turn.position)
        '9/9/9/9/4bww1b/9/9/9/w8 -'
        """
        squares = parse_square(black, "black"), parse_square(white, "white")
        if self.outcome is not None:
            raise GameOver("the game is over", code="game-over")
        for colour, square in zip(COLOURS, squares, strict=True):  # R4
            if place_of(square) in self._pieces:
                content = self._pieces[place_of(square)]
                piece = "an egg" if content == "egg" else f"a {content} turtle"
                raise IllegalMove(f"{square_name(square)} holds {piece}", code="occupied", field=colour)

        state, events = resolve(self._state, *squares)
        after = Position.__new__(Position)
        after._fill(state)
        for colour, rows in zip(COLOURS, after._rows, strict=True):
            events += [Row(colour, row) for row in rows]
        events.append(Verdict(after.outcome, *after._counts()))
        return Turn(after, tuple(events))

    def transform(self, symmetry: str, swap_colours: bool = False) -> Position:
        """Return the position mapped by a symmetry of `squares.SYMMETRIES`, with colours swapped if asked for.

        Raises
        ------
        WtsError
            If no symmetry is called so.
        """
        if symmetry not in SYMMETRIES:
            raise WtsError(f"no symmetry is called {str(symmetry)[:20]!r}", code="symmetry", field="symmetry")
        black, white, eggs = (tuple(map_square(s, symmetry) for s in squares) for squares in self._state)
        if swap_colours:
            black, white = white, black
        return Position.from_state(State(tuple(sorted(black)), tuple(sorted(white)), eggs))

    def canonical(self) -> Position:
        """Return the one of the 16 symmetric positions (8 symmetries, both colourings) whose text sorts first."""
        images = [self.transform(symmetry, swap) for symmetry in SYMMETRIES for swap in (False, True)]
        return min(images, key=str)

    @property
    def key(self) -> int:
        """A 64-bit number for tables; equal positions have equal keys, different ones almost always differ."""
        key = 0
        for square in self.black:
            key ^= mix(square)
        for square in self.white:
            key ^= mix(81 + square)
        for age, square in enumerate(self.eggs):
            key ^= mix(162 + 81 * age + square)
        return key

    def __str__(self) -> str:
        return format_state(self._state)

    def __repr__(self) -> str:
        return f"Position({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._state == other._state

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[type[Position], tuple[str]]:
        return Position, (str(self),)

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Position:
        return self

    def _repr_svg_(self) -> str:
        from .draw.svg import svg  # only notebooks need pictures

        return svg(self)


@dataclass(frozen=True, slots=True)
class Playout:
    """A random game: where it stopped, how it ended (None: unfinished, R24), and how many turns it took."""

    position: Position
    outcome: Outcome | None
    turns: int


def uniform_choice(seed: int) -> Choice:
    """Return a choice of joint turns: each player's square uniform and independent of the other's."""
    generator = random.Random(seed)
    return lambda num_legal: (generator.randrange(num_legal), generator.randrange(num_legal))


def random_playout(position: Position, choose: Choice, cap: int = 1000) -> Playout:
    """Play from a position to the end of the game, or for at most `cap` turns (R24).

    Parameters
    ----------
    position : Position
        Where to begin.
    choose : callable
        Called once a turn with the number of legal squares; returns Black's and White's index into
        ``position.legal``. Any stream of numbers can drive the game: see `uniform_choice`.
    cap : int
        The most turns to play.

    Examples
    --------
    >>> random_playout(Position(), uniform_choice(1)).outcome
    <Outcome.WHITE: -1>
    """
    turns = 0
    while turns < cap and (legal := position.legal):
        black, white = choose(len(legal))
        position = position.play(legal[black], legal[white])
        turns += 1
    return Playout(position, position.outcome, turns)
