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

#define BITS81_BYTES 0x0101010101010101ull
#define BITS81_TOPS 0x8080808080808080ull

/* How many bytes of `sums`, each below 128 and not falling, are at most `rank`; rank < 128. */
static inline unsigned bits81_bytes_up_to(uint64_t sums, unsigned rank)
{
    uint64_t reached = ((rank * BITS81_BYTES) | BITS81_TOPS) - sums;
    return (unsigned)((((reached & BITS81_TOPS) >> 7) * BITS81_BYTES) >> 56);
}

/* The square that has exactly `rank` squares of the set below it; rank < bits81_count(set).
 *
 * Sums over bytes side by side (Vigna, Broadword implementation of rank/select queries, 2008): every
 * machine can do this, and without the instructions of newer ones it is the quickest way. */
static inline int bits81_select(bits81 set, int rank)
{
    uint64_t word = (uint64_t)set, counts, sums;
    unsigned left = (unsigned)rank, base = 0;
    for (;;) {
        counts = word - ((word >> 1) & 0x5555555555555555ull);
        counts = (counts & 0x3333333333333333ull) + ((counts >> 2) & 0x3333333333333333ull);
        counts = (counts + (counts >> 4)) & 0x0F0F0F0F0F0F0F0Full;
        sums = counts * BITS81_BYTES; /* byte i: members in bytes 0 to i */
        if (base || left < sums >> 56)
            break;
        left -= (unsigned)(sums >> 56);
        word = (uint64_t)(set >> 64);
        base = 64;
    }
    unsigned shift = 8 * bits81_bytes_up_to(sums, left);
    left -= (unsigned)((sums << 8) >> shift) & 255;
    /* The byte's eight bits, one to a byte, and the same once more. */
    uint64_t bits = ((word >> shift & 255) * BITS81_BYTES) & 0x8040201008040201ull;
    bits = ((bits + 0x7F7F7F7F7F7F7F7Full) | bits) >> 7 & BITS81_BYTES;
    return (int)(base + shift + bits81_bytes_up_to(bits * BITS81_BYTES, left));
}

#endif
