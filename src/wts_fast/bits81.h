/* A set of the 81 squares in 128 bits: bit i is square i (clause R1).
 *
 * In memory it is two 64-bit words, low word first, which is what numpy and numba see.
 */
#ifndef WTS_BITS81_H
#define WTS_BITS81_H

#include <stdint.h>
#include <string.h>

typedef unsigned __int128 bits81;

_Static_assert(sizeof(bits81) == 16, "two words a board");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low word comes first in memory");

#define BITS81(hi, lo) (((bits81)(hi) << 64) | (uint64_t)(lo))
#define BITS81_ALL BITS81(0x1FFFF, ~0ull)

/* The set that holds `square` alone; 0 <= square < 81. */
static inline bits81 bits81_of(int square) { return (bits81)1 << square; }

static inline int bits81_has(bits81 set, int square) { return (int)(set >> square) & 1; }

static inline int bits81_count(bits81 set)
{
    return __builtin_popcountll((uint64_t)set) + __builtin_popcountll((uint64_t)(set >> 64));
}

/* The lowest square of a set that is not empty. */
static inline int bits81_lowest(bits81 set)
{
    uint64_t low = (uint64_t)set;
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(set >> 64));
}

static inline bits81 bits81_load(const uint64_t words[2])
{
    bits81 set;
    memcpy(&set, words, sizeof set);
    return set;
}

static inline void bits81_store(uint64_t words[2], bits81 set) { memcpy(words, &set, sizeof set); }

/* The square that has exactly `rank` squares of the set below it; rank < bits81_count(set). */
static inline int bits81_select(bits81 set, int rank)
{
    uint64_t word = (uint64_t)set;
    int base = 0, low = __builtin_popcountll(word);
    if (rank >= low) {
        rank -= low;
        word = (uint64_t)(set >> 64);
        base = 64;
    }
    /* Halve the word six times: the number of members in the lower half says which half to keep. */
    for (int width = 32; width; width >>= 1) {
        uint64_t lower = word & ((1ull << width) - 1);
        int count = __builtin_popcountll(lower);
        int above = rank >= count;
        rank -= above ? count : 0;
        word = above ? word >> width : lower;
        base += above ? width : 0;
    }
    return base;
}

#endif
