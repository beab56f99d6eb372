"""Games for the fuzzer: starting boards that plant what random play seldom meets, and how to play on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from ..squares import NUM_SQUARES
from ..state import State
from .boards import (
    BLACK_TURTLE,
    EGG,
    EMPTY,
    RAYS,
    WHITE_TURTLE,
    captures_from,
    splitmix64,
    to_state,
    winning_squares,
)

__all__ = ["GENERATORS", "Plan", "choose_turn", "game_seed", "make_plan"]


def game_seed(seed: int, game: int) -> int:
    """Return the 64-bit seed of game number `game` of a run."""
    return splitmix64((seed + game) & (2**64 - 1))


@dataclass
class Plan:
    """Where a fuzz game begins and how its turns are chosen.

    Attributes
    ----------
    kind : str
        The generator, a name of `GENERATORS`.
    state : State
        The first position; its game is not over.
    rng : random.Random
        Chooses the turns; consumed.
    hot : tuple of list
        Squares that Black and White prefer while they are empty.
    turns : int
        The game is left after so many turns.
    collide : float
        How often both choose the same square on purpose.
    hunt : float
        How often a player looks for a capture.
    """

    kind: str
    state: State
    rng: Random
    hot: tuple[list[int], list[int]]
    turns: int
    collide: float
    hunt: float


@dataclass
class _Canvas:
    """A board under construction: planted squares are never overwritten."""

    rng: Random
    board: list[int] = field(default_factory=lambda: [EMPTY] * NUM_SQUARES)
    eggs: list[int] = field(default_factory=list)  # those with a wanted order, oldest first
    planted: set[int] = field(default_factory=set)
    hot: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))

    def put(self, squares: list[int] | tuple[int, ...], piece_list: list[int]) -> bool:
        """Plant pieces (or `EMPTY`) where nothing else is planted; all or none."""
        for s, piece in zip(squares, piece_list, strict=True):
            if s in self.planted and self.board[s] != piece:
                return False
        for s, piece in zip(squares, piece_list, strict=True):
            self.board[s] = piece
            self.planted.add(s)
        return True

    def victim(self, own: int) -> int:
        return EGG if self.rng.random() < 0.3 else BLACK_TURTLE + WHITE_TURTLE - own

    def bracket(self, square: int, own: int, arrival: int = EMPTY, eggs: float = 0.3) -> bool:
        """Plant a bracket that a turtle of `own` arriving on `square` closes."""
        rays = [r for r in RAYS[square] if len(r) >= 3]
        self.rng.shuffle(rays)
        enemy = BLACK_TURTLE + WHITE_TURTLE - own
        for ray in rays:
            pair = [EGG if self.rng.random() < eggs else enemy for _ in range(2)]
            # What stands there already may serve as a victim: so chains and shared victims come about.
            pair = [
                self.board[s] if s in self.planted and self.board[s] not in (EMPTY, own) else piece
                for s, piece in zip(ray, pair, strict=False)
            ]
            if self.put((square, *ray[:3]), [arrival, *pair, own]):
                return True
        return False

    def line(self, length: int) -> list[int]:
        """Return `length` squares in a line somewhere."""
        while True:
            s = self.rng.randrange(NUM_SQUARES)
            ray = self.rng.choice(RAYS[s])
            if len(ray) >= length - 1:
                return [s, *ray[: length - 1]]

    def template(self, text: str, black: int = BLACK_TURTLE) -> bool:
        """Plant a line drawn as text.

        B W E . are pieces, 1 and 2 the squares that Black and White shall choose, x and y a victim of
        Black's or of White's captures; colours and names swap when `black` is `WHITE_TURTLE`.
        """
        white = BLACK_TURTLE + WHITE_TURTLE - black
        drawn = {"B": black, "W": white, "E": EGG, ".": EMPTY, "1": EMPTY, "2": EMPTY}
        squares = self.line(len(text))
        values = [self.victim(black) if c == "x" else self.victim(white) if c == "y" else drawn[c] for c in text]
        if not self.put(squares, values):
            return False
        for c, s in zip(text, squares, strict=True):
            if c in "12":
                self.hot[(c == "2") != (black == WHITE_TURTLE)].append(s)
        return True

    def noise(self, density: float, eggs: float) -> None:
        """Fill squares that are not planted at random."""
        random, board = self.rng.random, self.board
        for s in range(NUM_SQUARES):
            if s not in self.planted and random() < density:
                u = random()
                board[s] = EGG if u < eggs else BLACK_TURTLE if u < (1 + eggs) / 2 else WHITE_TURTLE

    def quilt(self, flips: float, eggs: float) -> None:
        """Fill every square that is not planted in a pattern without rows, then disturb it."""
        random, board = self.rng.random, self.board
        shift = self.rng.randrange(4)
        for s in range(NUM_SQUARES):
            if s not in self.planted:
                odd = ((s % 9 + shift) // 2 + s // 9) % 2
                if random() < flips:
                    odd ^= 1
                board[s] = EGG if random() < eggs else BLACK_TURTLE + odd

    def free(self) -> list[int]:
        return [s for s in range(NUM_SQUARES) if self.board[s] == EMPTY]

    def settle(self) -> State:
        """Return the state, rows thinned out until the game is undecided, at least one square empty."""
        rng, board = self.rng, self.board
        if EMPTY not in board:
            board[rng.randrange(NUM_SQUARES)] = EMPTY
        while True:
            rows = [
                winning_squares(s for s in range(NUM_SQUARES) if board[s] == own)
                for own in (BLACK_TURTLE, WHITE_TURTLE)
            ]
            if len(rows[0]) == len(rows[1]):
                break
            more = rows[len(rows[1]) > len(rows[0])]
            # Planted rows stay if they can, so that equal counts come about and not only none.
            pool = sorted(more - self.planted) or sorted(more)
            s = rng.choice(pool)
            board[s] = EGG if rng.random() < 0.5 else BLACK_TURTLE + WHITE_TURTLE - board[s]
        wanted = [s for s in self.eggs if board[s] == EGG]
        others = [s for s in range(NUM_SQUARES) if board[s] == EGG and s not in wanted]
        rng.shuffle(others)
        if rng.random() < 0.2:
            return to_state(board, others + wanted)
        return to_state(board, wanted + others)


def _random_colour(rng: Random) -> int:
    return BLACK_TURTLE if rng.random() < 0.5 else WHITE_TURTLE


def _start(canvas: _Canvas) -> None:
    """Leave the board empty."""


def _scattered(canvas: _Canvas) -> None:
    """Any density, any share of eggs, everything at random."""
    rng = canvas.rng
    canvas.noise(rng.uniform(0.05, 0.9), rng.uniform(0.0, 0.35))


def _brackets(canvas: _Canvas) -> None:
    """Several brackets around a few empty squares of both colours."""
    rng = canvas.rng
    for own in (BLACK_TURTLE, WHITE_TURTLE):
        for _ in range(rng.randint(1, 2)):
            square = rng.randrange(NUM_SQUARES)
            closed = [canvas.bracket(square, own) for _ in range(rng.randint(1, 4))]
            if any(closed):
                canvas.hot[own - 1].append(square)
    canvas.noise(rng.uniform(0, 0.6), rng.uniform(0.0, 0.3))


def _cascade(canvas: _Canvas) -> None:
    """Eggs that hatch into brackets of their own, the next egg sometimes among the victims."""
    rng = canvas.rng
    own = _random_colour(rng)
    square = rng.randrange(NUM_SQUARES)
    if canvas.bracket(square, own, eggs=0.1):
        canvas.hot[own - 1].append(square)
    if rng.random() < 0.3:
        canvas.bracket(square, own, eggs=0.1)
    for _ in range(rng.randint(1, 6)):
        egg = rng.randrange(NUM_SQUARES)
        if canvas.bracket(egg, own, arrival=EGG, eggs=rng.choice((0.0, 0.1, 0.5))) and egg not in canvas.eggs:
            canvas.eggs.append(egg)
    _opposed_claims(canvas, BLACK_TURTLE + WHITE_TURTLE - own, 0.35)
    canvas.noise(rng.choice((0.0, rng.uniform(0, 0.5))), rng.choice((0.0, 0.1)))


def _opposed_claims(canvas: _Canvas, own: int, chance: float) -> None:
    while canvas.rng.random() < chance:
        square = canvas.rng.randrange(NUM_SQUARES)
        if canvas.bracket(square, own, eggs=0.0):
            canvas.hot[own - 1].append(square)


_MEETINGS: Final = (
    "Wy12xB",  # each captures the other
    "W1E2B",  # so again, and the egg between counts for both
    "1xWBy2",  # both far ends are captured in the same turn
    "1x2B",  # White walks into Black's bracket
    "1xxB",
    "1EEB",
    "2xB1xxBx",
    "B2y.1xB",
)


def _meetings(canvas: _Canvas) -> None:
    """Lines in which both arrivals matter to each other."""
    rng = canvas.rng
    colour = _random_colour(rng)
    canvas.template(rng.choice(_MEETINGS), colour)
    if rng.random() < 0.5:
        for own in (BLACK_TURTLE, WHITE_TURTLE):
            for square in list(canvas.hot[own - 1]):
                canvas.bracket(square, own)
    canvas.noise(rng.uniform(0, 0.6), rng.uniform(0.0, 0.3))


def _star(canvas: _Canvas) -> None:
    """One square that closes brackets in all directions, or in most."""
    rng = canvas.rng
    own = _random_colour(rng)
    square = rng.randrange(3, 6) * 9 + rng.randrange(3, 6)
    for ray in RAYS[square]:
        if rng.random() < 0.97:
            canvas.put((square, *ray[:3]), [EMPTY, canvas.victim(own), canvas.victim(own), own])
    canvas.hot[own - 1].append(square)
    _opposed_claims(canvas, BLACK_TURTLE + WHITE_TURTLE - own, 0.3)
    canvas.noise(rng.uniform(0, 0.9), rng.uniform(0.0, 0.3))


def _plant_row(canvas: _Canvas, own: int, length: int, gaps: int) -> None:
    """Plant a row of `length` with `gaps` squares missing, where the owner shall play."""
    rng = canvas.rng
    squares = canvas.line(length)
    values = [own] * length
    missing = rng.sample(range(length), gaps)
    for i in missing:
        values[i] = EMPTY
    if canvas.put(squares, values):
        canvas.hot[own - 1].extend(squares[i] for i in missing)
        if rng.random() < 0.3:
            # The other player may break the row in the turn that makes it.
            enemy = BLACK_TURTLE + WHITE_TURTLE - own
            _break_row(canvas, squares, enemy)
        if rng.random() < 0.25 and missing:
            _cross(canvas, squares[missing[0]], own)


def _break_row(canvas: _Canvas, row: list[int], enemy: int) -> None:
    rng = canvas.rng
    middle, direction = rng.choice(row), rng.randrange(8)
    ahead, behind = RAYS[middle][direction], RAYS[middle][(direction + 4) % 8]
    if len(ahead) < 2 or not behind:
        return
    own = BLACK_TURTLE + WHITE_TURTLE - enemy
    squares = (behind[0], middle, ahead[0], ahead[1])
    # The second victim may be any, or has to be the next turtle of the row where the bracket runs along it.
    for victim in (canvas.victim(enemy), own):
        if canvas.put(squares, [EMPTY, canvas.board[middle], victim, enemy]):
            canvas.hot[enemy - 1].append(behind[0])
            return


def _cross(canvas: _Canvas, square: int, own: int) -> None:
    rays = [r for r in RAYS[square] if len(r) >= 4]
    ray = canvas.rng.choice(rays)
    canvas.put(ray[:4], [own] * 4)


def _rows(canvas: _Canvas) -> None:
    """Rows of both colours that lack one turtle, of equal lengths or not; sometimes an egg that fits in."""
    rng = canvas.rng
    length = rng.choice((5, 5, 5, 6, 7, 8, 9))
    for own in (BLACK_TURTLE, WHITE_TURTLE):
        _plant_row(canvas, own, length if rng.random() < 0.7 else rng.randint(5, 9), 1)
    if rng.random() < 0.3:
        _hatching_row(canvas)
    canvas.noise(rng.uniform(0, 0.5), rng.uniform(0.0, 0.3))


def _hatching_row(canvas: _Canvas) -> None:
    """Plant a row whose missing turtle is an egg, and a capture to hatch it."""
    rng = canvas.rng
    own = _random_colour(rng)
    squares = canvas.line(5)
    values = [own] * 5
    at = rng.randrange(5)
    values[at] = EGG
    if canvas.put(squares, values):
        canvas.eggs.append(squares[at])
        square = rng.randrange(NUM_SQUARES)
        if canvas.bracket(square, own, eggs=0.1):
            canvas.hot[own - 1].insert(0, square)


def _sudden_death(canvas: _Canvas) -> None:
    """Rows of both colours with equal counts on the board, some of them within reach of a capture."""
    rng = canvas.rng
    length = rng.choice((5, 5, 5, 6))
    for own in (BLACK_TURTLE, WHITE_TURTLE):
        _plant_row(canvas, own, length, 0)
    if rng.random() < 0.5:
        for own in (BLACK_TURTLE, WHITE_TURTLE):
            row = winning_squares(s for s in range(NUM_SQUARES) if canvas.board[s] == own)
            if row:
                _break_row(canvas, sorted(row), BLACK_TURTLE + WHITE_TURTLE - own)
    canvas.noise(rng.uniform(0, 0.5), rng.uniform(0.0, 0.2))


def _last_squares(canvas: _Canvas) -> None:
    """A board that is full but for one to four squares, often without rows, sometimes with equal ones."""
    rng = canvas.rng
    if rng.random() < 0.2:
        _last_row(canvas)
        return
    if rng.random() < 0.4:
        gaps = rng.choice((0, 0, 1))
        for own in (BLACK_TURTLE, WHITE_TURTLE):
            _plant_row(canvas, own, 5, gaps)
    empties = rng.sample(range(NUM_SQUARES), rng.choice((1, 1, 2, 2, 3, 4)))
    for s in empties:
        canvas.put([s], [EMPTY])
    if rng.random() < 0.25:
        canvas.noise(1.0, rng.uniform(0, 0.3))
    else:
        canvas.quilt(rng.uniform(0, 0.15), rng.uniform(0, 0.3))


def _last_row(canvas: _Canvas) -> None:
    """Two empty squares, one of which completes a row: full and won, unless both choose the same."""
    rng = canvas.rng
    own = _random_colour(rng)
    squares = canvas.line(rng.randint(5, 7))
    values = [own] * len(squares)
    gap = rng.randrange(len(squares))
    values[gap] = EMPTY
    canvas.put(squares, values)
    other = rng.choice([s for s in range(NUM_SQUARES) if s not in canvas.planted])
    canvas.put([other], [EMPTY])
    canvas.hot[own - 1].append(squares[gap])
    canvas.hot[2 - own].append(other)
    canvas.quilt(0.0, rng.choice((0.0, 0.1)))


#: The kinds of games with their generators and how often each is made, in percent.
GENERATORS: Final[dict[str, tuple[Callable[[_Canvas], None], int]]] = {
    "start": (_start, 5),
    "scattered": (_scattered, 10),
    "brackets": (_brackets, 15),
    "cascade": (_cascade, 20),
    "meetings": (_meetings, 13),
    "star": (_star, 5),
    "rows": (_rows, 12),
    "sudden death": (_sudden_death, 10),
    "last squares": (_last_squares, 10),
}

_KINDS: Final = tuple(GENERATORS)
_WEIGHTS: Final = tuple(weight for _, weight in GENERATORS.values())


def make_plan(seed: int, kind: str | None = None) -> Plan:
    """Make one fuzz game.

    Parameters
    ----------
    seed : int
        The game's own seed; the plan depends on nothing else.
    kind : str, optional
        A name of `GENERATORS`; chosen at random by default.

    Returns
    -------
    Plan
    """
    rng = Random(seed)
    drawn = rng.choices(_KINDS, _WEIGHTS)[0]
    kind = kind or drawn
    canvas = _Canvas(rng)
    GENERATORS[kind][0](canvas)
    state = canvas.settle()
    return Plan(
        kind=kind,
        state=state,
        rng=rng,
        hot=canvas.hot,
        turns=rng.choice((30, 60, 120)) if kind == "start" else rng.randint(2, 10),
        collide=rng.choice((0.02, 0.1, 0.4)),
        hunt=rng.choice((0.0, 0.3, 0.8)),
    )


def choose_turn(plan: Plan, legal: tuple[int, ...], board: list[int], turn: int) -> tuple[int, int]:
    """Return the squares for the next turn.

    Parameters
    ----------
    plan : Plan
        The game; its generator is consumed.
    legal : tuple of int
        The empty squares, not none.
    board : list of int
        The pieces, see `boards.pieces`.
    turn : int
        How many turns were played.
    """
    rng = plan.rng
    black = _choose(plan, legal, board, BLACK_TURTLE, turn)
    if rng.random() < (plan.collide if turn else plan.collide / 3):
        return black, black
    return black, _choose(plan, legal, board, WHITE_TURTLE, turn)


def _choose(plan: Plan, legal: tuple[int, ...], board: list[int], own: int, turn: int) -> int:
    random = plan.rng.random
    if random() < (0.85 if turn == 0 else 0.4):
        hot = [s for s in plan.hot[own - 1] if board[s] == EMPTY]
        if hot:
            return hot[int(random() * len(hot))]
    count = len(legal)
    if random() < plan.hunt:
        for _ in range(6):
            s = legal[int(random() * count)]
            if captures_from(board, s, own):
                return s
    return legal[int(random() * count)]
