/* One turn by the rules: placement, captures, hatching, verdict. Numbers R1 to R23 are RULES.md's. */
#ifndef WTS_TURN_H
#define WTS_TURN_H

#include <stddef.h>

#include "geometry.h"

enum { WTS_BLACK = 0, WTS_WHITE = 1 };

/* The outcome of a state; state.outcome holds one of these. */
enum { WTS_UNDECIDED = 0, WTS_BLACK_WINS = 1, WTS_WHITE_WINS = 2, WTS_DRAW = 3 };

/* A position, 136 bytes; numpy's STATE_DTYPE and numba's compiled code know this layout (see WTS_ABI). */
typedef struct {
    uint64_t black[2];  /* Black's turtles */
    uint64_t white[2];  /* White's turtles */
    uint64_t egg[2];    /* eggs */
    uint8_t queue[81];  /* the same eggs, oldest first (R3) */
    uint8_t num_eggs;   /* how many of the queue's places are in use */
    uint8_t outcome;    /* WTS_UNDECIDED and so on */
    uint8_t pad[5];     /* always 0, so that equal positions are equal bytes */
} wts_state;

_Static_assert(sizeof(wts_state) == 136, "numpy and numba bake this layout in");

/* Moves with every change of the layout or of a signature that numba's cached code relies on. */
#define WTS_ABI 3

/* What a turn did, for explain; see state.py for the words and the order. */
enum { WTS_EV_PLACEMENT, WTS_EV_EGG, WTS_EV_CAPTURE, WTS_EV_HATCH, WTS_EV_DISSOLVE };
typedef struct {
    uint8_t kind, colour, square, direction;
} wts_event;
typedef struct {
    int count;
    wts_event events[512]; /* two placements; each capture takes two pieces of at most 81, each egg leaves once */
} wts_log;

static inline void wts_note(wts_log *log, int kind, int colour, int square, int direction)
{
    if (log)
        log->events[log->count++] =
            (wts_event){(uint8_t)kind, (uint8_t)colour, (uint8_t)square, (uint8_t)direction};
}

/* The directions in which a turtle arriving on `square` closes a bracket (R7, R8); bit d = direction d. */
static inline unsigned wts_closed(bits81 own, bits81 prey, int square)
{
    uint64_t ends = wts_window(own, square), mid = wts_window(prey, square);
    unsigned closed = 0;
#define WTS_ONE(d, step) \
    closed |= (unsigned)((mid >> (WTS_CENTRE + (step))) & (mid >> (WTS_CENTRE + 2 * (step))) & \
                         (ends >> (WTS_CENTRE + 3 * (step))) & 1) << (d);
    WTS_EACH_DIRECTION(WTS_ONE)
#undef WTS_ONE
    return closed & wts_open[square];
}

/* The squares that the brackets in `directions` hold (R12). */
static inline bits81 wts_victims(unsigned directions, int square)
{
    return wts_from_window(wts_pairs_low[directions & 15] | wts_pairs_high[directions >> 4], square);
}

static inline void wts_note_captures(wts_log *log, int colour, int square, unsigned directions)
{
    if (log)
        for (; directions; directions &= directions - 1)
            wts_note(log, WTS_EV_CAPTURE, colour, square, __builtin_ctz(directions));
}

/* Takes captured eggs off the board and out of the queue, whose order stays (R3). */
static inline void wts_take_eggs(wts_state *state, bits81 *egg, bits81 victims)
{
    if (!(*egg & victims))
        return;
    *egg &= ~victims;
    int kept = 0;
    for (int i = 0; i < state->num_eggs; i++)
        if (bits81_has(*egg, state->queue[i]))
            state->queue[kept++] = state->queue[i];
    for (int i = kept; i < state->num_eggs; i++)
        state->queue[i] = 0;
    state->num_eggs = (uint8_t)kept;
}

/* Removes and returns the oldest egg; there is one. */
static inline int wts_oldest(wts_state *state, bits81 *egg)
{
    int square = state->queue[0];
    state->num_eggs--;
    memmove(state->queue, state->queue + 1, state->num_eggs);
    state->queue[state->num_eggs] = 0;
    *egg &= ~bits81_of(square);
    return square;
}

static inline int wts_judge(bits81 black, bits81 white, bits81 occupied)
{
    if (wts_has_row(black) | wts_has_row(white)) {
        int of_black = bits81_count(wts_winning(black)), of_white = bits81_count(wts_winning(white));
        if (of_black != of_white) /* R20 */
            return of_black > of_white ? WTS_BLACK_WINS : WTS_WHITE_WINS;
    }
    return occupied == BITS81_ALL ? WTS_DRAW : WTS_UNDECIDED; /* R21, R22, R23 */
}

/* The hatching of R14 to R17; turtles[c] and claims[c] by colour. */
static inline void wts_hatch(wts_state *state, bits81 turtles[2], bits81 *egg, int claims[2], wts_log *log)
{
    while (state->num_eggs && (claims[0] || claims[1])) { /* R15, R17 */
        int square = wts_oldest(state, egg);
        if (claims[0] && claims[1]) {
            claims[0]--;
            claims[1]--;
            wts_note(log, WTS_EV_DISSOLVE, 0, square, 0);
            continue;
        }
        int colour = claims[0] ? WTS_BLACK : WTS_WHITE;
        claims[colour]--;
        turtles[colour] |= bits81_of(square);
        wts_note(log, WTS_EV_HATCH, colour, square, 0);
        unsigned closed = wts_closed(turtles[colour], turtles[!colour] | *egg, square); /* R16 */
        bits81 victims = wts_victims(closed, square);
        wts_note_captures(log, colour, square, closed);
        turtles[!colour] &= ~victims;
        wts_take_eggs(state, egg, victims);
        claims[colour] += __builtin_popcount(closed);
    }
}

/* Captures and hatching after two placements; `by_black` and `by_white` are the directions in which each
 * placed turtle closes brackets on the board that holds both (R10). turtles, egg and the queue are updated. */
static inline void wts_resolve(wts_state *state, bits81 turtles[2], bits81 *egg, int black_sq, int white_sq,
                               unsigned by_black, unsigned by_white, wts_log *log)
{
    bits81 of_black = wts_victims(by_black, black_sq), of_white = wts_victims(by_white, white_sq);
    wts_note_captures(log, WTS_BLACK, black_sq, by_black);
    wts_note_captures(log, WTS_WHITE, white_sq, by_white);
    turtles[1] &= ~of_black; /* R13 */
    turtles[0] &= ~of_white;
    wts_take_eggs(state, egg, of_black | of_white);
    int claims[2] = {__builtin_popcount(by_black), __builtin_popcount(by_white)}; /* R14 */
    wts_hatch(state, turtles, egg, claims, log);
}

/* The squares on which prey that is not there yet would let a turtle of `own` on `square` close one more bracket. */
static inline bits81 wts_gaps(bits81 own, bits81 prey, int square)
{
    bits81 found = 0;
    for (unsigned left = wts_open[square]; left; left &= left - 1) {
        int step = wts_step[__builtin_ctz(left)];
        if (!bits81_has(own, square + 3 * step))
            continue;
        if (bits81_has(prey, square + 2 * step))
            found |= bits81_of(square + step);
        if (bits81_has(prey, square + step))
            found |= bits81_of(square + 2 * step);
    }
    return found;
}

/* Plays one player's part of a turn, as if the other had placed nothing; turtles, egg and the queue are updated, the
 * words of `state` are not. Just this happens, and y stays besides, if the other places a turtle on y, closes no
 * bracket with it, and gives none to the placed turtle (wts_gaps) nor to one that hatches: squares where it might give
 * one to the latter are returned. */
static inline bits81 wts_play_alone(wts_state *state, bits81 turtles[2], bits81 *egg, int colour, int square)
{
    bits81 prey = turtles[!colour] | *egg, found = 0;
    turtles[colour] |= bits81_of(square);
    unsigned closed = wts_closed(turtles[colour], prey, square);
    if (closed) {
        wts_log log;
        log.count = 0;
        wts_resolve(state, turtles, egg, square, square, colour ? 0 : closed, colour ? closed : 0, &log);
        for (int i = 0; i < log.count; i++)
            if (log.events[i].kind == WTS_EV_HATCH)
                found |= wts_gaps(turtles[colour], prey, log.events[i].square);
    }
    return found;
}

/* Plays a turn in place; both squares are empty and the state is undecided. `log` may be NULL. */
static inline void wts_play(wts_state *state, int black_sq, int white_sq, wts_log *log)
{
    bits81 turtles[2] = {bits81_load(state->black), bits81_load(state->white)};
    bits81 egg = bits81_load(state->egg);
    if (black_sq == white_sq) { /* R6 */
        egg |= bits81_of(black_sq);
        state->queue[state->num_eggs++] = (uint8_t)black_sq;
        wts_note(log, WTS_EV_EGG, 0, black_sq, 0);
    } else {
        turtles[0] |= bits81_of(black_sq);
        turtles[1] |= bits81_of(white_sq);
        wts_note(log, WTS_EV_PLACEMENT, WTS_BLACK, black_sq, 0);
        wts_note(log, WTS_EV_PLACEMENT, WTS_WHITE, white_sq, 0);
        unsigned by_black = wts_closed(turtles[0], turtles[1] | egg, black_sq);
        unsigned by_white = wts_closed(turtles[1], turtles[0] | egg, white_sq);
        if (by_black | by_white)
            wts_resolve(state, turtles, &egg, black_sq, white_sq, by_black, by_white, log);
    }
    bits81_store(state->black, turtles[0]);
    bits81_store(state->white, turtles[1]);
    bits81_store(state->egg, egg);
    state->outcome = (uint8_t)wts_judge(turtles[0], turtles[1], turtles[0] | turtles[1] | egg);
}

static inline bits81 wts_occupied(const wts_state *state)
{
    return bits81_load(state->black) | bits81_load(state->white) | bits81_load(state->egg);
}

/* The empty squares while play goes on, none afterwards (R4). */
static inline bits81 wts_legal_set(const wts_state *state)
{
    return state->outcome == WTS_UNDECIDED ? BITS81_ALL & ~wts_occupied(state) : 0;
}

/* The player whose square is not legal, or -1 if both are; squares are 0 to 80. */
static inline int wts_state_illegal(const wts_state *state, int black_sq, int white_sq)
{
    bits81 legal = wts_legal_set(state);
    if (!bits81_has(legal, black_sq))
        return WTS_BLACK;
    return bits81_has(legal, white_sq) ? -1 : WTS_WHITE;
}

/* One turn in each of n states, in place. A state whose game is over takes -1 for both squares and stays.
 * Returns -1, or the first state whose squares are not legal; then nothing was played. */
static inline int64_t wts_step_plain(wts_state *states, int64_t n, const int8_t *black, const int8_t *white)
{
    for (int64_t i = 0; i < n; i++) {
        if (states[i].outcome != WTS_UNDECIDED) {
            if (black[i] != -1 || white[i] != -1)
                return i;
        } else if ((uint8_t)black[i] > 80 || (uint8_t)white[i] > 80 || wts_state_illegal(&states[i], black[i], white[i]) >= 0) {
            return i;
        }
    }
    for (int64_t i = 0; i < n; i++)
        if (states[i].outcome == WTS_UNDECIDED)
            wts_play(&states[i], black[i], white[i], NULL);
    return -1;
}

#endif
