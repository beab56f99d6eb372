"""The native engine: `Position` over bitboards, batches of positions, random games.

The rules themselves are in the C headers beside this file (turn.h, geometry.h); here is what
Python, numpy and numba see of them. The package's one extension module.
"""

import os
import platform
import sys

cimport cython
from cpython.long cimport PyLong_AsLong, PyLong_CheckExact
from libc.string cimport memcmp, memcpy, memset

from wts_fast.errors import GameOver, IllegalMove, WtsError
from wts_fast.notation import START, parse_position, validate_state
from wts_fast.squares import BLACK, COLOURS, DIRECTIONS, SQUARE_NAMES, SYMMETRIES, parse_colour, parse_square
from wts_fast.state import Capture, Dissolve, EggLaid, Hatch, Outcome, Placement, Row, State, Turn, Verdict

__all__ = [
    "ABI",
    "NUM_WEIGHTS",
    "PATHS",
    "Position",
    "abi",
    "bound_states",
    "build_info",
    "evaluate_matrix",
    "evaluate_states",
    "legal_masks",
    "run_games",
    "step_states",
]

ABI = WTS_ABI
PATHS = ("base", "avx2", "avx512")
NUM_WEIGHTS = WTS_WEIGHTS

wts_eval_prepare()

cdef tuple _OUTCOMES = (None, Outcome.BLACK, Outcome.WHITE, Outcome.DRAW)
cdef int _STEPS[8]
for _d, (_name, _files, _ranks) in enumerate(DIRECTIONS):
    _STEPS[_d] = _files + 9 * _ranks
cdef int _ROW_STEPS[4]
_ROW_STEPS[:] = [1, 8, 9, 10]


cdef int _square(object value, str field) except -1:
    """Return the number of a square; plain ints take the short way."""
    cdef long number
    if PyLong_CheckExact(value):
        number = PyLong_AsLong(value) if -81 < value < 81 else -1
        if 0 <= number < 81:
            return <int>number
    return parse_square(value, field)


cdef tuple _squares(const uint64_t *words):
    cdef uint8_t squares[81]
    cdef int n = wts_words_list(words, squares)
    return tuple([squares[i] for i in range(n)])


cdef int _read_state(wts_state *state, object plain) except -1:
    """Fill `state` from a State that holds a possible board."""
    cdef int square
    memset(state, 0, sizeof(wts_state))
    for square in plain.black:
        wts_words_add(state.black, square)
    for square in plain.white:
        wts_words_add(state.white, square)
    for square in plain.eggs:
        wts_words_add(state.egg, square)
        state.queue[state.num_eggs] = <uint8_t>square
        state.num_eggs += 1
    wts_settle(state)
    return 0


@cython.final
@cython.freelist(64)
cdef class Position:
    """A board with its eggs' order: all that the rest of a game depends on (R21).

    A value: immutable, hashable, picklable, compared by its pieces and the eggs' order.

    Parameters
    ----------
    text : str, optional
        A position text; the start if left out.

    Raises
    ------
    ParseError
        If `text` is not the canonical text of a position.

    Examples
    --------
    >>> Position().play("E5", "E5")
    Position('9/9/9/9/4e4/9/9/9/9 E5')
    """

    def __cinit__(self, text=None):
        if text is not None:
            _read_state(&self.state, parse_position(text))

    @staticmethod
    def from_state(state):
        """Return the position that holds the pieces of a `State`.

        Raises
        ------
        InvalidPosition
            If a square is held twice, or is no square.
        """
        cdef Position position = Position.__new__(Position)
        _read_state(&position.state, validate_state(state))
        return position

    @staticmethod
    def from_bytes(data):
        """Return the position whose 136 bytes (one element of `engine.STATE_DTYPE`) are given.

        Raises
        ------
        InvalidPosition
            If they are no possible position.
        """
        cdef bytes raw = bytes(data)
        cdef Position position = Position.__new__(Position)
        cdef wts_state given
        if len(raw) != sizeof(wts_state):
            raise WtsError(f"a state has {sizeof(wts_state)} bytes, not {len(raw)}", code="state-size", field="data")
        memcpy(&given, <const char *>raw, sizeof(wts_state))
        if given.num_eggs > 81:
            raise WtsError("a board holds at most 81 eggs", code="state", field="num_eggs")
        if (given.black[1] | given.white[1] | given.egg[1]) >> 17:
            raise WtsError("a bit beyond square 80 is set", code="state", field="data")
        position = Position.from_state(
            State(_squares(given.black), _squares(given.white), tuple([given.queue[i] for i in range(given.num_eggs)]))
        )
        if memcmp(&given, &position.state, sizeof(wts_state)) != 0:
            raise WtsError("egg bits, egg queue and outcome do not agree", code="state", field="data")
        return position

    def to_bytes(self):
        """Return the 136 bytes of the position, one element of `engine.STATE_DTYPE`."""
        return (<const char *>&self.state)[:sizeof(wts_state)]

    @property
    def state(self):
        """The position as a `State`."""
        return State(_squares(self.state.black), _squares(self.state.white), self.eggs)

    @property
    def black(self):
        """Black's turtles, ascending."""
        return _squares(self.state.black)

    @property
    def white(self):
        """White's turtles, ascending."""
        return _squares(self.state.white)

    @property
    def eggs(self):
        """The eggs, oldest first (R3)."""
        return tuple([self.state.queue[i] for i in range(self.state.num_eggs)])

    @property
    def legal(self):
        """The squares that either player may name, ascending; empty if and only if the game is over (R4)."""
        cdef uint64_t words[2]
        wts_words_legal(&self.state, words)
        return _squares(words)

    cdef int _refuse(self, int black_sq, int white_sq) except -1:
        """Raise what is wrong with a turn that is not legal."""
        if self.state.outcome != WTS_UNDECIDED:
            raise GameOver("the game is over", code="game-over")
        cdef int colour = wts_state_illegal(&self.state, black_sq, white_sq)
        cdef int square = black_sq if colour == BLACK else white_sq
        if wts_words_has(self.state.egg, square):
            piece = "an egg"
        else:
            piece = "a black turtle" if wts_words_has(self.state.black, square) else "a white turtle"
        raise IllegalMove(f"{SQUARE_NAMES[square]} holds {piece}", code="occupied", field=COLOURS[colour])

    def play(self, black, white):
        """Return the position after a turn (R5).

        Parameters
        ----------
        black, white : str or int
            The squares that the players name; equal squares are a collision.

        Raises
        ------
        InvalidSquare
            If one of them is no square.
        IllegalMove
            If one of them is not empty.
        GameOver
            If the game is over.
        """
        cdef int black_sq = _square(black, "black"), white_sq = _square(white, "white")
        if wts_state_illegal(&self.state, black_sq, white_sq) >= 0:
            self._refuse(black_sq, white_sq)
        cdef Position after = Position.__new__(Position)
        after.state = self.state
        wts_play(&after.state, black_sq, white_sq, NULL)
        return after

    def explain(self, black, white):
        """Return a `Turn`: the position after a turn, and what happened in it, in order.

        Parameters and errors are those of `play`; `Turn` tells the order of events.
        """
        cdef int black_sq = _square(black, "black"), white_sq = _square(white, "white"), i
        if wts_state_illegal(&self.state, black_sq, white_sq) >= 0:
            self._refuse(black_sq, white_sq)
        cdef Position after = Position.__new__(Position)
        cdef wts_log log
        log.count = 0
        after.state = self.state
        wts_play(&after.state, black_sq, white_sq, &log)
        events = [_event(&log.events[i]) for i in range(log.count)]
        events += _rows("black", after.state.black) + _rows("white", after.state.white)
        events.append(Verdict(after.outcome, len(after.winning("black")), len(after.winning("white"))))
        return Turn(after, tuple(events))

    @property
    def outcome(self):
        """An `Outcome`, or None while play goes on (R20 to R23)."""
        return _OUTCOMES[self.state.outcome]

    @property
    def sudden_death(self):
        """Whether play goes on with rows on both sides (R21)."""
        cdef uint64_t words[2]
        wts_words_winning(self.state.black, words)
        return self.state.outcome == WTS_UNDECIDED and not wts_words_empty(words)

    def winning(self, colour):
        """Return the winning turtles of ``"black"`` or ``"white"``, ascending (R19)."""
        cdef uint64_t words[2]
        cdef const uint64_t *turtles = &self.state.black[0]
        if parse_colour(colour) != BLACK:
            turtles = &self.state.white[0]
        wts_words_winning(turtles, words)
        return _squares(words)

    @property
    def key(self):
        """A 64-bit number made from pieces and egg order, equal in every process; different positions may share it."""
        return wts_key(&self.state)

    def transform(self, symmetry, swap_colours=False):
        """Return the position as one of `squares.SYMMETRIES` shows it, colours swapped on wish."""
        if symmetry not in SYMMETRIES:
            raise WtsError(f"no symmetry is called {str(symmetry)[:20]!r}", code="symmetry", field="symmetry")
        cdef Position image = Position.__new__(Position)
        image.state = wts_transform(&self.state, SYMMETRIES.index(symmetry), bool(swap_colours))
        return image

    def canonical(self):
        """Return that of the 16 symmetric positions (8 x colour swap) whose text sorts first."""
        cdef Position least = Position.__new__(Position)
        least.state = wts_canonical(&self.state)
        return least

    def __str__(self):
        cdef char text[WTS_TEXT_MAX]
        return text[: wts_write_text(&self.state, text)].decode("ascii")

    def __repr__(self):
        return f"Position({str(self)!r})"

    def _repr_svg_(self):
        from wts_fast.draw import svg

        return str(svg(self))

    def __eq__(self, other):
        if not isinstance(other, Position):
            return NotImplemented
        return memcmp(&self.state, &(<Position>other).state, sizeof(wts_state)) == 0

    def __hash__(self):
        return <Py_hash_t>wts_key(&self.state)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return Position, (str(self),)


cdef object _event(const wts_event *event):
    cdef int square = event.square, step
    if event.kind == WTS_EV_EGG:
        return EggLaid(square)
    if event.kind == WTS_EV_DISSOLVE:
        return Dissolve(square)
    colour = COLOURS[event.colour]
    if event.kind == WTS_EV_PLACEMENT:
        return Placement(colour, square)
    if event.kind == WTS_EV_HATCH:
        return Hatch(colour, square)
    step = _STEPS[event.direction]
    return Capture(colour, square, DIRECTIONS[event.direction][0], (square + step, square + 2 * step), square + 3 * step)


cdef list _rows(str colour, const uint64_t *turtles):
    """Return the Row events of a colour, in ascending order of their squares."""
    cdef uint64_t firsts[2]
    cdef int step, end
    rows = []
    for step in _ROW_STEPS:
        wts_words_rows(turtles, step, firsts)
        for first in _squares(firsts):
            end = first + 5 * step
            # Another square follows if it is on the board, is the player's, and no edge lies between.
            while end < 81 and wts_words_has(turtles, end) and abs(end % 9 - (end - step) % 9) <= 1:
                end += step
            rows.append(Row(colour, tuple(range(first, end, step))))
    return sorted(rows, key=_row_order)


def _row_order(row):
    return row.squares


# ---- which path plays random games

cdef int _path_in_use = 0
for _p in range(WTS_PATHS):
    if wts_path_usable(_p):
        _path_in_use = _p
_forced = os.environ.get("WTS_FAST_ISA")
if _forced is not None:
    if _forced not in PATHS:
        raise WtsError(f"{_forced[:20]!r} is none of {', '.join(PATHS)}", code="isa", field="WTS_FAST_ISA")
    if not wts_path_usable(PATHS.index(_forced)):
        raise WtsError(f"this processor cannot run the {_forced} path", code="isa", field="WTS_FAST_ISA")
    _path_in_use = PATHS.index(_forced)
cdef wts_run_path _run = wts_path(_path_in_use)
cdef wts_step_path _step = wts_stepper(_path_in_use)
cdef wts_matrix_path _matrix = wts_matrix(_path_in_use)

cdef extern from *:
    """
    #ifndef WTS_BUILD_FLAGS
    #define WTS_BUILD_FLAGS "unknown"
    #endif
    """
    const char *_COMPILER "__VERSION__"
    const char *_FLAGS "WTS_BUILD_FLAGS"


def build_info():
    """Return what was built and what is used, as a dict of JSON values."""
    return {
        "compiler": _COMPILER.decode("ascii", "replace"),
        "flags": _FLAGS.decode("ascii", "replace"),
        "machine": platform.machine(),
        "python": sys.version.split()[0],
        "cython": _cython_version(),
        "abi": ABI,
        "isa": PATHS[_path_in_use],
        "isa_usable": [PATHS[p] for p in range(WTS_PATHS) if wts_path_usable(p)],
        "isa_forced": _forced is not None,
    }


cdef extern from *:
    """
    #define WTS_CYTHON CYTHON_HEX_VERSION
    """
    unsigned long _CYTHON_HEX "WTS_CYTHON"


cdef str _cython_version():
    return f"{_CYTHON_HEX >> 24}.{(_CYTHON_HEX >> 16) & 255}.{(_CYTHON_HEX >> 8) & 255}"


def abi():
    """Return the size of a state and the offsets of its fields, for `engine.STATE_DTYPE` to be checked against."""
    cdef wts_state state
    cdef char *base = <char *>&state
    return (
        sizeof(wts_state),
        <char *>&state.black - base,
        <char *>&state.white - base,
        <char *>&state.egg - base,
        <char *>&state.queue - base,
        <char *>&state.num_eggs - base,
        <char *>&state.outcome - base,
    )


# ---- arrays of states; engine.py checks what a user hands in

def run_games(const uint8_t[:, ::1] states, uint64_t games_each, uint64_t first, uint64_t games,
              uint64_t seed, uint64_t cap, int8_t[::1] outcomes=None, isa=None):
    """Play the random games ``first`` to ``first + games - 1`` of a run; game g begins at ``states[g // games_each]``.

    Returns
    -------
    tuple of int
        Unfinished games, wins of Black, wins of White, draws, turns, checksum.
    """
    if states.shape[1] != sizeof(wts_state) or games_each < 1 or cap < 1:
        raise WtsError("states are rows of 136 bytes; games_each and cap are positive", code="run", field="states")
    if games and (first + games - 1) // games_each >= <uint64_t>states.shape[0]:
        raise WtsError("a game begins beyond the last state", code="run", field="games")
    if outcomes is not None and <uint64_t>outcomes.shape[0] < first + games:
        raise WtsError("there is no room for every outcome", code="run", field="outcomes")
    cdef wts_run run
    cdef wts_tally tally
    cdef wts_run_path path = _run
    if isa is not None:
        if isa not in PATHS or not wts_path_usable(PATHS.index(isa)):
            raise WtsError(f"this processor cannot run the path {str(isa)[:20]!r}", code="isa", field="isa")
        path = wts_path(PATHS.index(isa))
    memset(&tally, 0, sizeof(tally))
    if games:
        run.starts = <const wts_state *>&states[0, 0]
        run.games_each, run.first, run.games = games_each, first, games
        run.seed, run.cap = seed, cap
        run.outcomes = &outcomes[0] if outcomes is not None else NULL
        with nogil:
            path(&run, &tally)
    return (tally.by_outcome[WTS_UNDECIDED], tally.by_outcome[WTS_BLACK_WINS], tally.by_outcome[WTS_WHITE_WINS],
            tally.by_outcome[WTS_DRAW], tally.turns, tally.checksum)


def step_states(uint8_t[:, ::1] states, const int8_t[::1] black, const int8_t[::1] white):
    """Play one turn in every state that is undecided, in place, if all of them are legal.

    Rows whose game is over must have -1 for both players and stay as they are.

    Returns
    -------
    int
        -1, or the first row whose squares are not legal; then nothing was played.
    """
    cdef int64_t n = states.shape[0], wrong
    if states.shape[1] != sizeof(wts_state) or black.shape[0] != n or white.shape[0] != n:
        raise WtsError("states, black and white differ in length", code="step", field="states")
    if n == 0:
        return -1
    with nogil:
        wrong = _step(<wts_state *>&states[0, 0], n, &black[0], &white[0])
    return wrong


@cython.boundscheck(False)
@cython.wraparound(False)
def legal_masks(const uint8_t[:, ::1] states, uint8_t[:, ::1] masks):
    """Write 1 for each legal square of each state into `masks`, of shape (n, 81), and 0 elsewhere."""
    cdef Py_ssize_t n = states.shape[0], i
    cdef int square
    cdef uint64_t words[2]
    if states.shape[1] != sizeof(wts_state) or masks.shape[0] != n or masks.shape[1] != 81:
        raise WtsError("masks have one row of 81 a state", code="masks", field="masks")
    with nogil:
        for i in range(n):
            wts_words_legal(<const wts_state *>&states[i, 0], words)
            for square in range(81):
                masks[i, square] = wts_words_has(words, square)


# ---- proved bounds; tactics.h says of what and why

def bound_states(const uint8_t[:, ::1] states, float[::1] lower, float[::1] upper):
    """Write bounds on Black's value of each state, proved by tactics alone, into `lower` and `upper`."""
    cdef Py_ssize_t n = states.shape[0], i
    if states.shape[1] != sizeof(wts_state) or lower.shape[0] != n or upper.shape[0] != n:
        raise WtsError("states, lower and upper differ in length", code="bounds", field="states")
    with nogil:
        for i in range(n):
            wts_bound_value(<const wts_state *>&states[i, 0], &lower[i], &upper[i])


# ---- the evaluation; evaluation.py checks what a user hands in

def evaluate_states(const uint8_t[:, ::1] states, const int16_t[::1] weights, float[::1] values):
    """Write Black's value of each state into `values`; `weights` is a block laid out as eval.h says."""
    cdef Py_ssize_t n = states.shape[0], i
    if states.shape[1] != sizeof(wts_state) or weights.shape[0] != WTS_WEIGHTS or values.shape[0] != n:
        raise WtsError("states, weights and values differ in size from what they must have", code="evaluate", field="states")
    with nogil:
        for i in range(n):
            values[i] = wts_evaluate(<const wts_state *>&states[i, 0], &weights[0])


def evaluate_matrix(Position position, const int16_t[::1] weights, float[::1] cells):
    """Write the values after all joint turns of a position, row by row, and return the number of rows.

    `cells` has room for 81 x 81.
    """
    cdef int n
    if weights.shape[0] != WTS_WEIGHTS or cells.shape[0] < 81 * 81:
        raise WtsError("weights and cells differ in size from what they must have", code="evaluate", field="cells")
    with nogil:
        n = _matrix(&position.state, &weights[0], &cells[0])
    return n


# ---- for numba; see _kernel.pxd

cdef void wts_turn(void *state, int black_sq, int white_sq) noexcept nogil:
    wts_play(<wts_state *>state, black_sq, white_sq, NULL)


cdef int wts_legal(void *state, unsigned char *squares) noexcept nogil:
    cdef uint64_t words[2]
    wts_words_legal(<const wts_state *>state, words)
    return wts_words_list(words, squares)


cdef int wts_playout(void *state, unsigned long long *rng, int cap) noexcept nogil:
    wts_play_out(<wts_state *>state, <wts_rng *>rng, cap)
    return (<wts_state *>state).outcome


cdef long long wts_value_sum(void *state, unsigned long long seed, int games, int cap) noexcept nogil:
    cdef wts_run run
    cdef wts_tally tally
    memset(&tally, 0, sizeof(tally))
    run.starts = <const wts_state *>state
    run.games_each = run.games = games
    run.first = 0
    run.seed = seed
    run.cap = cap
    run.outcomes = NULL
    _run(&run, &tally)
    return <long long>tally.by_outcome[WTS_BLACK_WINS] - <long long>tally.by_outcome[WTS_WHITE_WINS]


cdef int wts_bounds(void *state, float *lower, float *upper) noexcept nogil:
    return wts_bound_value(<const wts_state *>state, lower, upper)


cdef float wts_eval(void *state, void *weights) noexcept nogil:
    return wts_evaluate(<const wts_state *>state, <const int16_t *>weights)


cdef float wts_eval_cell(void *state, void *weights, int black_sq, int white_sq) noexcept nogil:
    return wts_evaluate_cell(<const wts_state *>state, <const int16_t *>weights, black_sq, white_sq)


cdef int wts_eval_matrix(void *state, void *weights, float *cells) noexcept nogil:
    return _matrix(<const wts_state *>state, <const int16_t *>weights, cells)
