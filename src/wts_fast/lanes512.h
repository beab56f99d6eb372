/* Vectors of eight words in AVX-512 registers, for lockstep.h. Shift counts of 64 and more, or below 0, give 0. */
#include <immintrin.h>

#define WTS_TARGET                                                                                   \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg," \
                          "avx512vpopcntdq,bmi,bmi2,lzcnt,popcnt")))
#define WTS_INLINE WTS_TARGET static inline __attribute__((always_inline))
#define WTS_LANES 8
#define WTS_N(name) name##_512
#define V __m512i

#define V_ALL(x) _mm512_set1_epi64((long long)(x))
#define V_LOAD(words) _mm512_loadu_si512(words)
#define V_STORE(words, a) _mm512_storeu_si512(words, a)
#define V_AND _mm512_and_si512
#define V_OR _mm512_or_si512
#define V_OR3(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0xFE)
#define V_OR_AND(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0xF8) /* a | (b & c) */
#define V_WITHOUT(a, b) _mm512_andnot_si512(b, a)                  /* a & ~b */
#define V_XOR _mm512_xor_si512
#define V_ADD _mm512_add_epi64
#define V_SUB _mm512_sub_epi64
#define V_SHL _mm512_slli_epi64
#define V_SHR _mm512_srli_epi64
#define V_SHLV _mm512_sllv_epi64
#define V_SHRV _mm512_srlv_epi64
#define V_SHR2(lo, hi, n) _mm512_shrdi_epi64(lo, hi, n) /* the low word of a shift over two words */
#define V_ROTL _mm512_rol_epi64
#define V_MUL64 _mm512_mullo_epi64

/* Lanes as the bits of an unsigned; V_WHERE takes b in those lanes and a elsewhere. */
#define V_WHERE(lanes, a, b) _mm512_mask_mov_epi64(a, (__mmask8)(lanes), b)
#define V_ONLY(lanes, a) _mm512_maskz_mov_epi64((__mmask8)(lanes), a)
#define V_NONZERO(a) ((unsigned)_mm512_test_epi64_mask(a, a))
#define V_EQUAL(a, b) ((unsigned)_mm512_cmpeq_epi64_mask(a, b))
#define V_AT_LEAST(a, b) ((unsigned)_mm512_cmpge_epi64_mask(a, b))

/* wts_closed for eight turtles at once. */
WTS_INLINE V WTS_N(v_closed)(V own, V prey, V square)
{
#define WTS_BIT(n, step) ((uint64_t)(WTS_CENTRE + (n) * (step)))
#define WTS_PICK(n)                                                                                \
    V_ALL(WTS_BIT(n, 9) | WTS_BIT(n, 10) << 8 | WTS_BIT(n, 1) << 16 | WTS_BIT(n, -8) << 24 |       \
          WTS_BIT(n, -9) << 32 | WTS_BIT(n, -10) << 40 | WTS_BIT(n, -1) << 48 | WTS_BIT(n, 8) << 56)
    __mmask64 first = _mm512_bitshuffle_epi64_mask(prey, WTS_PICK(1));
    __mmask64 second = _mm512_bitshuffle_epi64_mask(prey, WTS_PICK(2));
    __mmask64 third = _mm512_bitshuffle_epi64_mask(own, WTS_PICK(3));
#undef WTS_PICK
#undef WTS_BIT
    V open = _mm512_permutex2var_epi8(V_LOAD(wts_open), square, V_LOAD(wts_open + 64));
    uint64_t bytes = first & second & third & (uint64_t)_mm_cvtsi128_si64(_mm512_cvtepi64_epi8(open));
    return _mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long)bytes));
}

/* The windows of the pairs that brackets in these directions hold. */
WTS_INLINE V WTS_N(v_pairs)(V directions)
{
    V low = _mm512_permutex2var_epi64(V_LOAD(wts_pairs_low), directions, V_LOAD(wts_pairs_low + 8));
    V high = _mm512_permutex2var_epi64(V_LOAD(wts_pairs_high), V_SHR(directions, 4), V_LOAD(wts_pairs_high + 8));
    return V_OR(low, high);
}

/* bits81_select for eight sets in two words each, for the ranks that both halves of `draw` give among their members;
 * results are the chosen members alone, and their places (counted in the two words). */
WTS_INLINE void WTS_N(v_choose)(V lo, V hi, V draw, V chosen[2][2], V place[2])
{
    V low_count = _mm512_popcnt_epi64(lo), count = V_ADD(low_count, _mm512_popcnt_epi64(hi));
    V ranks[2] = {V_SHR(_mm512_mul_epu32(V_SHR(draw, 32), count), 32), V_SHR(_mm512_mul_epu32(draw, count), 32)};
    for (int player = 0; player < 2; player++) {
        V rank = ranks[player];
        __mmask8 in_high = _mm512_cmpge_epu64_mask(rank, low_count);
        V word = V_WHERE(in_high, lo, hi);
        V bit = V_SHLV(V_ALL(1), _mm512_mask_sub_epi64(rank, in_high, rank, low_count));
        uint64_t words[8] __attribute__((aligned(64))), bits[8] __attribute__((aligned(64)));
        _mm512_store_si512(words, word);
        _mm512_store_si512(bits, bit);
#define WTS_ONE(lane) (long long)_pdep_u64(bits[lane], words[lane])
        V hot = _mm512_set_epi64(WTS_ONE(7), WTS_ONE(6), WTS_ONE(5), WTS_ONE(4), WTS_ONE(3), WTS_ONE(2), WTS_ONE(1), WTS_ONE(0));
#undef WTS_ONE
        V below = _mm512_popcnt_epi64(V_SUB(hot, V_ALL(1)));
        place[player] = _mm512_mask_add_epi64(below, in_high, below, V_ALL(64));
        chosen[player][0] = V_ONLY(~in_high, hot);
        chosen[player][1] = V_ONLY(in_high, hot);
    }
}
