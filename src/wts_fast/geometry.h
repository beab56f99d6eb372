/* Lines on the board: the eight directions of captures, and rows of five.
 *
 * Captures look at a *window*: 61 bits of a board with the arriving turtle's square at bit
 * 30, since the farthest square that a bracket reaches is three ranks and three files away
 * (3 * 9 + 3 = 30). In a window every direction has the same bits wherever the turtle is.
 * A window does not know the edge of the board; wts_open says which directions stay on it.
 */
#ifndef WTS_GEOMETRY_H
#define WTS_GEOMETRY_H

#include "bits81.h"

enum { WTS_CENTRE = 30, WTS_DIRECTIONS = 8 };

/* Steps of the directions N NE E SE S SW W NW, the order of squares.DIRECTIONS. */
#define WTS_EACH_DIRECTION(DO) DO(0, 9) DO(1, 10) DO(2, 1) DO(3, -8) DO(4, -9) DO(5, -10) DO(6, -1) DO(7, 8)
static const int8_t wts_step[WTS_DIRECTIONS] = {9, 10, 1, -8, -9, -10, -1, 8};

/* Directions (bit d = direction d) that lead north, south, east and west. */
#define WTS_NORTH 0x83u
#define WTS_SOUTH 0x38u
#define WTS_EAST 0x0Eu
#define WTS_WEST 0xE0u

/* For each square the directions in which three more squares lie on the board. */
#define WTS_OPEN_RANK(d)                                                                       \
    (d) & ~WTS_WEST, (d) & ~WTS_WEST, (d) & ~WTS_WEST, (d), (d), (d), (d) & ~WTS_EAST,         \
        (d) & ~WTS_EAST, (d) & ~WTS_EAST
#define WTS_OPEN_THREE(d) WTS_OPEN_RANK(d), WTS_OPEN_RANK(d), WTS_OPEN_RANK(d)
static const uint8_t wts_open[128] = {
    WTS_OPEN_THREE(0xFFu & ~WTS_SOUTH),
    WTS_OPEN_THREE(0xFFu),
    WTS_OPEN_THREE(0xFFu & ~WTS_NORTH),
};

/* The part of a board around a square, with the square at bit WTS_CENTRE. */
static inline uint64_t wts_window(bits81 set, int square) { return (uint64_t)((set << WTS_CENTRE) >> square); }

static inline bits81 wts_from_window(uint64_t window, int square)
{
    return ((bits81)window << square) >> WTS_CENTRE;
}

/* Bits of a window: the n-th square in a direction, and the two squares that a bracket holds. */
#define WTS_NTH(d, n) (1ull << (WTS_CENTRE + (n) * (d)))
#define WTS_PAIR(d) (WTS_NTH(d, 1) | WTS_NTH(d, 2))

/* The pairs of up to four directions (N NE E SE, or S SW W NW), by the directions' bits. */
#define WTS_PAIRS16(a, b, c, d)                                                                         \
    0, (a), (b), (a) | (b), (c), (a) | (c), (b) | (c), (a) | (b) | (c), (d), (a) | (d), (b) | (d),      \
        (a) | (b) | (d), (c) | (d), (a) | (c) | (d), (b) | (c) | (d), (a) | (b) | (c) | (d)
static const uint64_t wts_pairs_low[16] = {
    WTS_PAIRS16(WTS_PAIR(9), WTS_PAIR(10), WTS_PAIR(1), WTS_PAIR(-8))};
static const uint64_t wts_pairs_high[16] = {
    WTS_PAIRS16(WTS_PAIR(-9), WTS_PAIR(-10), WTS_PAIR(-1), WTS_PAIR(8))};

/* Rows run along four steps; a row of five starts (at its lowest square) only in these files. */
#define WTS_FILES_AE BITS81(0x1F0F, 0x87C3E1F0F87C3E1Full)
#define WTS_FILES_EI BITS81(0x1F0F8, 0x7C3E1F0F87C3E1F0ull)
#define WTS_EACH_ROW_STEP(DO) \
    DO(1, WTS_FILES_AE) DO(9, BITS81_ALL) DO(10, WTS_FILES_AE) DO(8, WTS_FILES_EI)

/* The lowest squares of all runs of five along `step`; `files` keeps lines from running round the edge. */
static inline bits81 wts_fives(bits81 set, int step, bits81 files)
{
    bits81 runs = set & (set >> step);
    runs &= runs >> (2 * step);
    return runs & (set >> (4 * step)) & files;
}

static inline int wts_has_row(bits81 set)
{
#define WTS_ONE(step, files) wts_fives(set, step, files) |
    return (WTS_EACH_ROW_STEP(WTS_ONE) 0) != 0;
#undef WTS_ONE
}

/* All squares that lie in a row of five or more (R18, R19). */
static inline bits81 wts_winning(bits81 set)
{
    bits81 all = 0;
#define WTS_ONE(step, files)                                                                \
    {                                                                                       \
        bits81 runs = wts_fives(set, step, files);                                          \
        all |= runs | runs << (step) | runs << (2 * (step)) | runs << (3 * (step)) | runs << (4 * (step)); \
    }
    WTS_EACH_ROW_STEP(WTS_ONE)
#undef WTS_ONE
    return all;
}

#endif
