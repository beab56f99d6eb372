/* Random numbers: xoshiro256++ (Blackman and Vigna, 2021), seeded through splitmix64 (Steele, Lea and Flood, 2014).
 *
 * Every game has a generator of its own, so a game depends on the seed and its number alone,
 * whatever thread or vector lane plays it.
 */
#ifndef WTS_RNG_H
#define WTS_RNG_H

#include <stdint.h>

#define WTS_GOLDEN 0x9E3779B97F4A7C15ull
#define WTS_MIX1 0xBF58476D1CE4E5B9ull
#define WTS_MIX2 0x94D049BB133111EBull

typedef struct {
    uint64_t s[4];
} wts_rng;

static inline uint64_t wts_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * WTS_MIX1;
    z = (z ^ (z >> 27)) * WTS_MIX2;
    return z ^ (z >> 31);
}

/* Game number `game` of a run: its own splitmix64 stream fills the state. */
static inline void wts_rng_seed(wts_rng *rng, uint64_t seed, uint64_t game)
{
    uint64_t stream = wts_mix(seed + WTS_GOLDEN * (game + 1));
    for (int i = 0; i < 4; i++)
        rng->s[i] = wts_mix(stream + WTS_GOLDEN * (uint64_t)(i + 1));
}

static inline uint64_t wts_rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t wts_rng_next(wts_rng *rng)
{
    uint64_t *s = rng->s, result = wts_rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = wts_rotl(s[3], 45);
    return result;
}

/* One draw gives both players' ranks among n squares, Black's from the high half and White's from
 * the low half. The bias of the multiplication is below n / 2^32, 2e-8 at most. */
static inline int wts_rank_high(uint64_t draw, int n) { return (int)(((draw >> 32) * (uint64_t)n) >> 32); }
static inline int wts_rank_low(uint64_t draw, int n) { return (int)(((draw & 0xFFFFFFFFu) * (uint64_t)n) >> 32); }

#endif
