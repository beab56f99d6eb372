/* Bounds on the value of an undecided position that are proved, and quick to find.
 *
 * A player, the attacker A, is shown to get at least some value against D, whatever D does and whatever play that
 * never ends is worth (R25). A's turtles, D's turtles and eggs are the sets A, D and E; n squares are empty. w(X) is
 * the number of turtles of X that lie in rows of five or more of X (R18, R19); w never falls when X grows. While play
 * goes on w(A) = w(D).
 *
 * Copying. A gets at least -(1 - 1/n!), and so at most 1 - 1/n!.
 * Proof. A chooses evenly among the n empty squares. Whatever D names, both name the same square with probability
 * 1/n; then an egg is laid and nothing else changes (R6), the counts stay equal, and the board is full, a draw (R23),
 * or the same holds with n - 1. So with c(n) for what is shown, c(1) = 0 and c(n) = -(n-1)/n + c(n-1)/n, which is
 * -(1 - 1/n!). []
 *
 * Completion square of X: an empty square c with four turtles of X that make a run of five with it. Just then
 * w(X + c) > w(X): c itself becomes a winning turtle, and a new run of five must hold c.
 *
 * Lemma. A plays a, D plays y, a != y, and y closes no bracket on the board that holds both. Let V be what a's
 * brackets hold on the board before the turn. Then after the turn A's turtles include A + a, and D's are among
 * D + y - V; so A wins if w(A + a) > w(D + y - V).
 * Proof. D has no capture from its placed turtle, so no claim in this turn, for claims come from captures and a
 * turtle hatches for D only against a claim of D (R14, R15). So nothing takes a turtle of A, no turtle of D arrives
 * but y, and every egg that leaves the queue hatches for A or is captured. A's brackets from before stay closed
 * with y on the board, as y was empty and belongs to none of them. Then w(A) after >= w(A + a), w(D) after
 * <= w(D + y - V), and R20 decides. []
 * w(D + y - V) > w(D - V) only if y is a completion square of D - V, hence of D.
 *
 * Lemma with hatching. Let A* and D* be what the players' turtles would be after a turn in which A plays a and D
 * places nothing. A plays a, D plays y, a != y; y closes no bracket on the board that holds both, and is not one of
 * two squares that lie between a, or a turtle that hatches in that turn, and a turtle of A* in line with it, the other
 * of which holds a turtle of D or an egg. Then A's turtles are A* after the turn, and D's are D* + y.
 * Proof. D has no claim, as before. The brackets of a, and of each turtle that hatches, are the same as without y:
 * y adds only to the prey, and every bracket in which y is prey is one that was left out. So the same is captured and
 * hatches, in the same order, and y stays. []
 *
 * Ladder. D has no completion square, A has k of them, the set C, and no bracket of D could be closed by a turtle on
 * an empty square if the squares of A, E and C all held prey. Then A gets at least 1 - (2 - 1/(n-k)!)/k!.
 * Proof by induction. k = 0 is copying, or for n = 0 a draw. Otherwise A plays a square of C, each with probability
 * 1/k. If D plays another square y, y closes no bracket (the prey is among A, E and a), w(A + a) > w(A) = w(D) =
 * w(D + y), and A wins by the lemma. If D plays the same square c, an egg is laid there and nothing else changes. The
 * board is full and the game a draw, which is what is claimed for k = n = 0, or play goes on, and the position meets
 * the conditions with C - c: no turtle has changed, so the completion squares are the old ones without c, and E + c
 * with C - c is no more prey than before. So against every square of C, A gets at least (k-1)/k + 1/k * (1 -
 * (2 - 1/(n-k)!)/(k-1)!), which is what is claimed, and 1 against the others. []
 * With many empty squares that is 1 - 2/k!.
 *
 * Where D has completion squares or brackets, the same game is played out: rows are some squares of A, columns all
 * squares of D. Cells that the lemma decides are 1, and every other cell is played by the rules; what is undecided
 * then is worth what this file proves of it, within a limit. Leaving rows out, and too low a cell, can only lower
 * what is proved. A's mix comes from a simplex whose result is not trusted: the bound is the least that the mix gets in
 * any column, less a margin for rounding. No row wins in every column: the other may always name the same square.
 */
#ifndef WTS_TACTICS_H
#define WTS_TACTICS_H

#include <math.h>

#include "turn.h"

enum {
    WTS_PROOF_ROWS = 8,      /* squares that A chooses among */
    WTS_PROOF_COLUMNS = 40,  /* squares of D at which a row may fall short of a win, all rows together */
    WTS_PROOF_SHORT = 12,    /* more squares of D that surely spoil a row make it useless */
    WTS_PROOF_DEPTH = 1,     /* turns looked ahead */
    WTS_PROOF_NODES = 12,    /* positions looked at, for one player: few and near ones prove most */
};

/* What the ladder proves with k completion squares among n empty squares; k = 0 is copying. Smaller k, and leaving
 * out the gain of copying where it is far below a float's digits, only lower it. */
static inline double wts_ladder(int k, int n)
{
    static const double factorial[10] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880};
    k = k < 9 ? k : 9;
    return 1 - (2 - (n - k < 10 ? 1 / factorial[n - k] : 0)) / factorial[k];
}

/* More than all rounding errors in a sum of WTS_PROOF_ROWS products of numbers in [-1, 1] whose weights sum to 1. */
#define WTS_PROOF_MARGIN 1e-14

/* Where three more squares lie to the east, and to the west; beyond the north and south edges no set has squares. */
#define WTS_FILES_AF BITS81(0x3F1F, 0x8FC7E3F1F8FC7E3Full)
#define WTS_FILES_DI BITS81(0x1F8FC, 0x7E3F1F8FC7E3F1F8ull)

/* What `set` holds `steps` squares further along. */
static inline bits81 wts_along(bits81 set, int steps) { return steps > 0 ? set >> steps : set << -steps; }

/* The empty squares at which four of `set` become five (R18). */
static inline bits81 wts_completions(bits81 set, bits81 empty)
{
    bits81 found = 0;
#define WTS_ONE(step, files)                                                                                      \
    {                                                                                                             \
        bits81 s1 = set >> (step), s2 = set >> (2 * (step)), s3 = set >> (3 * (step)), s4 = set >> (4 * (step));  \
        bits81 low = set & s1, high = s3 & s4;                                                                    \
        found |= (s1 & s2 & high & (files)) | (set & s2 & high & (files)) << (step) |                             \
                 (low & high & (files)) << (2 * (step)) | (low & s2 & s4 & (files)) << (3 * (step)) |             \
                 (low & s2 & s3 & (files)) << (4 * (step));                                                       \
    }
    WTS_EACH_ROW_STEP(WTS_ONE)
#undef WTS_ONE
    return found & empty;
}

/* The squares from which a turtle of `own` would close a bracket around `prey` (R7, R8). */
static inline bits81 wts_closers(bits81 own, bits81 prey)
{
    bits81 found = 0;
#define WTS_ONE(d, step)                                                                                           \
    found |= wts_along(prey, step) & wts_along(prey, 2 * (step)) & wts_along(own, 3 * (step)) &                    \
             ((WTS_EAST >> (d)) & 1 ? WTS_FILES_AF : (WTS_WEST >> (d)) & 1 ? WTS_FILES_DI : BITS81_ALL);
    WTS_EACH_DIRECTION(WTS_ONE)
#undef WTS_ONE
    return found & BITS81_ALL;
}

static inline int wts_row_count(bits81 set) { return wts_has_row(set) ? bits81_count(wts_winning(set)) : 0; }

/* Those of `squares` with which `set` holds a row. */
static inline bits81 wts_row_squares(bits81 set, bits81 squares)
{
    bits81 found = 0;
    for (; squares; squares &= squares - 1)
        if (wts_has_row(set | (squares & -squares)))
            found |= squares & -squares;
    return found;
}

/* The least that the best mix of rows gets against any column; cells[row][column] in [-1, 1], rows and columns > 0. */
static inline double wts_mix_floor(double cells[][WTS_PROOF_COLUMNS], int rows, int columns)
{
    /* The column player's program: make the sum of u greatest with (cells + 2) u <= 1, u >= 0. The prices of the
     * rows, scaled, are the row player's mix. */
    double table[WTS_PROOF_ROWS + 1][WTS_PROOF_COLUMNS + WTS_PROOF_ROWS + 1];
    double price[WTS_PROOF_ROWS], sum = 0, least = 1;
    int width = columns + rows;
    for (int i = 0; i <= rows; i++) {
        for (int j = 0; j < columns; j++)
            table[i][j] = i < rows ? cells[i][j] + 2 : -1;
        for (int j = 0; j < rows; j++)
            table[i][columns + j] = i == j;
        table[i][width] = i < rows;
    }
    for (int turn = 0; turn < 60; turn++) {
        int enter = 0, leave = -1;
        for (int j = 1; j < width; j++)
            if (table[rows][j] < table[rows][enter])
                enter = j;
        if (table[rows][enter] > -1e-12)
            break;
        for (int i = 0; i < rows; i++)
            if (table[i][enter] > 1e-12 &&
                (leave < 0 || table[i][width] * table[leave][enter] < table[leave][width] * table[i][enter]))
                leave = i;
        if (leave < 0)
            break;
        double pivot = table[leave][enter];
        for (int j = 0; j <= width; j++)
            table[leave][j] /= pivot;
        for (int i = 0; i <= rows; i++) {
            double factor = table[i][enter];
            if (i != leave && factor != 0)
                for (int j = 0; j <= width; j++)
                    table[i][j] -= factor * table[leave][j];
        }
    }
    for (int i = 0; i < rows; i++)
        sum += price[i] = table[rows][columns + i] > 0 ? table[rows][columns + i] : 0;
    if (!(sum > 0))
        return -1;
    for (int j = 0; j < columns; j++) {
        double got = 0;
        for (int i = 0; i < rows; i++)
            got += price[i] / sum * cells[i][j];
        least = got < least ? got : least;
    }
    return least - WTS_PROOF_MARGIN;
}

/* What `attacker` is proved to get at least, -1 to 1, within a depth and a number of positions. */
static double wts_prove(const wts_state *state, int attacker, int depth, int *nodes)
{
    if (state->outcome != WTS_UNDECIDED)
        return state->outcome == WTS_DRAW ? 0 : state->outcome == WTS_BLACK_WINS + attacker ? 1 : -1;
    bits81 own = bits81_load(attacker ? state->white : state->black);
    bits81 foe = bits81_load(attacker ? state->black : state->white);
    bits81 egg = bits81_load(state->egg), empty = BITS81_ALL & ~(own | foe | egg);
    int n = bits81_count(empty);
    double copying = wts_ladder(0, n);
    if (depth < 0 || --*nodes < 0)
        return copying;
    bits81 complete = wts_completions(own, empty), others = 0;
    int level = wts_row_count(own); /* of both players, as play goes on */
    if (egg || level) /* other squares win only by a turtle that hatches, or by what they take from a row */
        others = wts_closers(own, foe | egg) & empty & ~complete;
    /* Without a row on the board nobody wins but by one of his own, and all that A can have after this turn are his
     * turtles, the placed one, and eggs that hatch. Other squares prove next to nothing, and cost most. */
    if (others && !level)
        others = wts_has_row(own | egg | others) ? wts_row_squares(own | egg, others) : 0;
    if (!(complete | others))
        return copying;
    bits81 counters = wts_completions(foe, empty);
    if (!others && !counters && !(wts_closers(foe, own | egg | complete) & empty))
        return wts_ladder(bits81_count(complete), n);
    double cells[WTS_PROOF_ROWS][WTS_PROOF_COLUMNS];
    uint8_t column_of[81];
    int rows = 0, columns = 0;
    memset(column_of, 255, sizeof column_of);
    for (bits81 left = complete | others; left && rows < WTS_PROOF_ROWS;) {
        int a = bits81_lowest(complete & left ? complete & left : left);
        left &= ~bits81_of(a);
        unsigned closed = wts_closed(own, foe | egg, a);
        bits81 rest = foe & ~wts_victims(closed, a);
        bits81 hot = bits81_of(a) | (wts_closers(foe, own | egg | bits81_of(a)) & empty);
        int mine = wts_row_count(own | bits81_of(a)), theirs = wts_row_count(rest);
        if (mine <= theirs && closed) { /* with what hatches it may be more */
            wts_state alone = *state;
            bits81 turtles[2] = {bits81_load(state->black), bits81_load(state->white)}, queued = egg;
            hot |= (wts_gaps(own, foe | egg, a) | wts_play_alone(&alone, turtles, &queued, attacker, a)) & empty;
            rest = turtles[!attacker];
            mine = wts_row_count(turtles[attacker]);
            theirs = wts_row_count(rest);
        }
        if (mine > theirs) {
            for (bits81 set = counters & ~hot; set; set &= set - 1)
                if (wts_row_count(rest | (set & -set)) >= mine)
                    hot |= set & -set;
        } else if (bits81_count(empty & ~hot) > WTS_PROOF_SHORT) {
            continue; /* few cells can be wins */
        } else {
            hot = empty;
        }
        /* The columns in which this row is not yet a win. */
        wts_state after[WTS_PROOF_COLUMNS];
        int square_of[WTS_PROOF_COLUMNS], short_of = 0;
        for (; hot && short_of < WTS_PROOF_COLUMNS; hot &= hot - 1) {
            int y = bits81_lowest(hot);
            after[short_of] = *state;
            wts_play(&after[short_of], attacker ? y : a, attacker ? a : y, NULL);
            if (after[short_of].outcome != WTS_BLACK_WINS + attacker)
                square_of[short_of++] = y;
        }
        int fresh = 0;
        for (int i = 0; i < short_of; i++)
            fresh += column_of[square_of[i]] == 255;
        if (hot || columns + fresh > WTS_PROOF_COLUMNS)
            continue; /* no row of use */
        for (int i = 0; i < short_of; i++)
            if (column_of[square_of[i]] == 255) {
                for (int row = 0; row < rows; row++)
                    cells[row][columns] = 1;
                column_of[square_of[i]] = (uint8_t)columns++;
            }
        for (int j = 0; j < columns; j++)
            cells[rows][j] = 1;
        for (int i = 0; i < short_of; i++)
            cells[rows][column_of[square_of[i]]] = wts_prove(&after[i], attacker, depth - 1, nodes);
        rows++;
    }
    return rows ? fmax(copying, wts_mix_floor(cells, rows, columns)) : copying;
}

/* The greatest float that is not above x. */
static inline float wts_float_below(double x)
{
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -2.0f) : f;
}

/* The value of [[0, p], [q, 0]], which grows with p and q. */
static inline double wts_two_by_two(double p, double q)
{
    return p * q <= 0 ? 0 : p == q ? p / 2 : p * q / (p + q) - WTS_PROOF_MARGIN;
}

/* What `attacker` gets at least with two empty squares: a collision leaves one, and so a draw; the rest is played. */
static inline double wts_prove_two(const wts_state *state, int attacker)
{
    bits81 empty = BITS81_ALL & ~wts_occupied(state);
    int p = bits81_lowest(empty), q = bits81_lowest(empty & (empty - 1)), nodes = WTS_PROOF_NODES;
    double value[2];
    for (int i = 0; i < 2; i++) {
        wts_state after = *state;
        wts_play(&after, i ? q : p, i ? p : q, NULL);
        value[i] = wts_prove(&after, attacker, WTS_PROOF_DEPTH, &nodes);
    }
    return wts_two_by_two(value[0], value[1]);
}

/* Bounds on Black's value. Returns 2 if they are equal, 1 if they say more than copying does, 0 otherwise. */
static inline int wts_bound_value(const wts_state *state, float *lower, float *upper)
{
    double least[2];
    int n = bits81_count(BITS81_ALL & ~wts_occupied(state)), more = 0;
    for (int attacker = 0; attacker < 2; attacker++) {
        int nodes = WTS_PROOF_NODES;
        least[attacker] = wts_prove(state, attacker, WTS_PROOF_DEPTH, &nodes);
        if (state->outcome == WTS_UNDECIDED && n == 2)
            least[attacker] = fmax(least[attacker], wts_prove_two(state, attacker));
        more |= state->outcome != WTS_UNDECIDED || least[attacker] > wts_ladder(0, n);
    }
    *lower = wts_float_below(least[0]);
    *upper = -wts_float_below(least[1]);
    return *lower == *upper ? 2 : more;
}

#endif
