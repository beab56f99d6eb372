/* Vectors of four words in AVX2 registers, for lockstep.h. Shift counts of 64 and more, or below 0, give 0. */
#include <immintrin.h>

#define WTS_TARGET __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define WTS_INLINE WTS_TARGET static inline __attribute__((always_inline))
#define WTS_LANES 4
#define WTS_N(name) name##_256
#define V __m256i

#define V_ALL(x) _mm256_set1_epi64x((long long)(x))
#define V_LOAD(words) _mm256_loadu_si256((const __m256i *)(words))
#define V_STORE(words, a) _mm256_storeu_si256((__m256i *)(words), a)
#define V_AND _mm256_and_si256
#define V_OR _mm256_or_si256
#define V_OR3(a, b, c) V_OR(V_OR(a, b), c)
#define V_OR_AND(a, b, c) V_OR(a, V_AND(b, c))
#define V_WITHOUT(a, b) _mm256_andnot_si256(b, a) /* a & ~b */
#define V_XOR _mm256_xor_si256
#define V_ADD _mm256_add_epi64
#define V_SUB _mm256_sub_epi64
#define V_SHL _mm256_slli_epi64
#define V_SHR _mm256_srli_epi64
#define V_SHLV _mm256_sllv_epi64
#define V_SHRV _mm256_srlv_epi64
#define V_SHR2(lo, hi, n) V_OR(V_SHR(lo, n), V_SHL(hi, 64 - (n))) /* the low word of a shift over two words */
#define V_ROTL(a, n) V_OR(V_SHL(a, n), V_SHR(a, 64 - (n)))
#define V_MUL64 WTS_N(v_mul)

/* Lanes as the bits of an unsigned; V_WHERE takes b in those lanes and a elsewhere. */
#define V_WHERE(lanes, a, b) _mm256_blendv_epi8(a, b, WTS_N(v_lanes)(lanes))
#define V_ONLY(lanes, a) V_AND(a, WTS_N(v_lanes)(lanes))
#define V_SIGNS(a) ((unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(a)))
#define V_NONZERO(a) (15u & ~V_SIGNS(_mm256_cmpeq_epi64(a, _mm256_setzero_si256())))
#define V_EQUAL(a, b) V_SIGNS(_mm256_cmpeq_epi64(a, b))
#define V_AT_LEAST(a, b) (15u & ~V_SIGNS(_mm256_cmpgt_epi64(b, a)))

WTS_INLINE V WTS_N(v_lanes)(unsigned lanes)
{
    V bits = _mm256_set_epi64x(8, 4, 2, 1);
    return _mm256_cmpeq_epi64(V_AND(V_ALL(lanes), bits), bits);
}

WTS_INLINE V WTS_N(v_mul)(V a, V b)
{
    V cross = V_ADD(_mm256_mul_epu32(V_SHR(a, 32), b), _mm256_mul_epu32(a, V_SHR(b, 32)));
    return V_ADD(_mm256_mul_epu32(a, b), V_SHL(cross, 32));
}

/* wts_closed for four turtles at once. */
WTS_INLINE V WTS_N(v_closed)(V own, V prey, V square)
{
    V closed = _mm256_setzero_si256();
#define WTS_ONE(d, step)                                                                              \
    {                                                                                                 \
        V seen = V_OR(V_AND(prey, V_ALL(WTS_PAIR(step))), V_AND(own, V_ALL(WTS_NTH(step, 3))));       \
        V hit = _mm256_cmpeq_epi64(seen, V_ALL(WTS_PAIR(step) | WTS_NTH(step, 3)));                   \
        closed = V_OR_AND(closed, hit, V_ALL(1 << (d)));                                              \
    }
    WTS_EACH_DIRECTION(WTS_ONE)
#undef WTS_ONE
    /* Each lane reads eight bytes of the table and keeps the first; the table has room behind square 80. */
    return V_AND(closed, _mm256_i64gather_epi64((const long long *)wts_open, square, 1));
}

/* The windows of the pairs that brackets in these directions hold. */
WTS_INLINE V WTS_N(v_pairs)(V directions)
{
    V low = _mm256_i64gather_epi64((const long long *)wts_pairs_low, V_AND(directions, V_ALL(15)), 8);
    return V_OR(low, _mm256_i64gather_epi64((const long long *)wts_pairs_high, V_SHR(directions, 4), 8));
}

/* bits81_select for four sets in two words each, for the ranks that both halves of `draw` give among their members;
 * results are the chosen members alone, and their places (counted in the two words). */
WTS_INLINE void WTS_N(v_choose)(V lo, V hi, V draw, V chosen[2][2], V place[2])
{
    uint64_t words[2][4], draws[4], hot[2][2][4], places[2][4];
    V_STORE(words[0], lo);
    V_STORE(words[1], hi);
    V_STORE(draws, draw);
    for (int lane = 0; lane < 4; lane++) {
        uint64_t low_count = (uint64_t)__builtin_popcountll(words[0][lane]);
        uint64_t count = low_count + (uint64_t)__builtin_popcountll(words[1][lane]);
        uint64_t ranks[2] = {((draws[lane] >> 32) * count) >> 32, ((draws[lane] & 0xFFFFFFFFu) * count) >> 32};
        for (int player = 0; player < 2; player++) {
            int in_high = ranks[player] >= low_count;
            uint64_t rank = ranks[player] - (in_high ? low_count : 0);
            uint64_t bit = _pdep_u64(1ull << (rank & 63), in_high ? words[1][lane] : words[0][lane]);
            places[player][lane] = _tzcnt_u64(bit) + (in_high ? 64 : 0);
            hot[player][0][lane] = in_high ? 0 : bit;
            hot[player][1][lane] = in_high ? bit : 0;
        }
    }
    /* Built from registers: a vector load of words just stored one by one would wait for all of them. */
#define WTS_ALL_LANES(words) _mm256_set_epi64x((long long)(words)[3], (long long)(words)[2], (long long)(words)[1], (long long)(words)[0])
    for (int player = 0; player < 2; player++) {
        place[player] = WTS_ALL_LANES(places[player]);
        chosen[player][0] = WTS_ALL_LANES(hot[player][0]);
        chosen[player][1] = WTS_ALL_LANES(hot[player][1]);
    }
#undef WTS_ALL_LANES
}
