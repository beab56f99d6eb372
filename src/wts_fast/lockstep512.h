/* Random games in lockstep, eight to a group in AVX-512 registers; the same games as playout.h's.
 *
 * A lane is one game. Placement, the search for brackets, removal, the search for rows and the refill of
 * a lane whose game ended run for all lanes at once. Three things are done for one lane at a time: the
 * queue of a collision (about one turn in sixty), captures while eggs lie on the board, and rows of both
 * colours at once.
 *
 * Boards are kept shifted up by WTS_CENTRE bits, so that a window (see geometry.h) is one right shift.
 */
#ifndef WTS_LOCKSTEP512_H
#define WTS_LOCKSTEP512_H

#include <immintrin.h>

#include "playout.h"

#define WTS_512                                                                                         \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,"    \
                          "avx512vpopcntdq,bmi,bmi2,lzcnt,popcnt")))
#define WTS_512_INLINE WTS_512 static inline __attribute__((always_inline))

enum { WTS_LANES = 8 };

typedef __m512i wts_v; /* one word of eight games */
typedef uint64_t __attribute__((may_alias)) wts_lane_word; /* a lane of it in memory */

typedef struct {
    wts_v lo, hi;
} wts_v2; /* eight boards, shifted up */

/* Eight games under way. */
typedef struct {
    wts_v2 black, white, egg;
    wts_v rng[4], turns, game;
    __mmask8 alive;              /* lanes that hold a game */
    wts_state lanes[WTS_LANES];  /* only queue and num_eggs are kept up to date */
} wts_group;

#define WTS_V(x) _mm512_set1_epi64((long long)(x))
#define WTS_V2(x) ((wts_v2){WTS_V((uint64_t)((bits81)(x) << WTS_CENTRE)), WTS_V((uint64_t)((bits81)(x) >> (64 - WTS_CENTRE)))})
#define WTS_V2_SHR(a, n) \
    ((wts_v2){_mm512_shrdi_epi64((a).lo, (a).hi, (n)), _mm512_srli_epi64((a).hi, (n))})

WTS_512_INLINE wts_v2 wts_v2_and(wts_v2 a, wts_v2 b)
{
    return (wts_v2){_mm512_and_si512(a.lo, b.lo), _mm512_and_si512(a.hi, b.hi)};
}
WTS_512_INLINE wts_v2 wts_v2_or(wts_v2 a, wts_v2 b)
{
    return (wts_v2){_mm512_or_si512(a.lo, b.lo), _mm512_or_si512(a.hi, b.hi)};
}
WTS_512_INLINE wts_v2 wts_v2_or_in(wts_v2 a, __mmask8 lanes, wts_v2 b)
{
    return (wts_v2){_mm512_mask_or_epi64(a.lo, lanes, a.lo, b.lo), _mm512_mask_or_epi64(a.hi, lanes, a.hi, b.hi)};
}
WTS_512_INLINE wts_v2 wts_v2_without_in(wts_v2 a, __mmask8 lanes, wts_v2 b)
{
    return (wts_v2){_mm512_mask_andnot_epi64(a.lo, lanes, b.lo, a.lo), _mm512_mask_andnot_epi64(a.hi, lanes, b.hi, a.hi)};
}
WTS_512_INLINE wts_v2 wts_v2_set_in(wts_v2 a, __mmask8 lanes, wts_v2 b)
{
    return (wts_v2){_mm512_mask_mov_epi64(a.lo, lanes, b.lo), _mm512_mask_mov_epi64(a.hi, lanes, b.hi)};
}

/* One lane's board, shifted back down, and the way back. */
WTS_512_INLINE bits81 wts_v2_lane(const wts_v2 *boards, int lane)
{
    return BITS81(((const wts_lane_word *)&boards->hi)[lane], ((const wts_lane_word *)&boards->lo)[lane]) >> WTS_CENTRE;
}
WTS_512_INLINE void wts_v2_set_lane(wts_v2 *boards, int lane, bits81 set)
{
    ((wts_lane_word *)&boards->lo)[lane] = (uint64_t)(set << WTS_CENTRE);
    ((wts_lane_word *)&boards->hi)[lane] = (uint64_t)(set >> (64 - WTS_CENTRE));
}

/* Lanes whose board has a row; wts_has_row for eight boards. */
WTS_512_INLINE __mmask8 wts_v2_rows(wts_v2 set)
{
    wts_v2 all = {_mm512_setzero_si512(), _mm512_setzero_si512()};
#define WTS_ONE(step, files)                                                                \
    {                                                                                       \
        wts_v2 starts = WTS_V2(files), runs = wts_v2_and(set, WTS_V2_SHR(set, step));       \
        runs = wts_v2_and(runs, WTS_V2_SHR(runs, 2 * (step)));                              \
        runs = wts_v2_and(runs, WTS_V2_SHR(set, 4 * (step)));                               \
        all.lo = _mm512_ternarylogic_epi64(all.lo, runs.lo, starts.lo, 0xF8); /* a | (b & c) */ \
        all.hi = _mm512_ternarylogic_epi64(all.hi, runs.hi, starts.hi, 0xF8);               \
    }
    WTS_EACH_ROW_STEP(WTS_ONE)
#undef WTS_ONE
    wts_v any = _mm512_or_si512(all.lo, all.hi);
    return _mm512_test_epi64_mask(any, any);
}

/* wts_window for eight boards. Shift counts from 64 up, and below 0, give 0: so the instruction has it. */
WTS_512_INLINE wts_v wts_v2_window(wts_v2 set, wts_v square)
{
    wts_v low = _mm512_srlv_epi64(set.lo, square);
    wts_v mid = _mm512_sllv_epi64(set.hi, _mm512_sub_epi64(WTS_V(64), square));
    wts_v high = _mm512_srlv_epi64(set.hi, _mm512_sub_epi64(square, WTS_V(64)));
    return _mm512_ternarylogic_epi64(low, mid, high, 0xFE); /* a | b | c */
}
WTS_512_INLINE wts_v2 wts_v2_from_window(wts_v window, wts_v square)
{
    wts_v lo = _mm512_sllv_epi64(window, square);
    wts_v mid = _mm512_srlv_epi64(window, _mm512_sub_epi64(WTS_V(64), square));
    wts_v high = _mm512_sllv_epi64(window, _mm512_sub_epi64(square, WTS_V(64)));
    return (wts_v2){lo, _mm512_or_si512(mid, high)};
}

/* wts_closed for eight turtles: one byte of directions a lane. */
WTS_512_INLINE uint64_t wts_v_closed(wts_v own, wts_v prey, wts_v square)
{
#define WTS_AT(n, step) ((uint64_t)(WTS_CENTRE + (n) * (step)))
#define WTS_PICK(n)                                                                                  \
    WTS_V(WTS_AT(n, 9) | WTS_AT(n, 10) << 8 | WTS_AT(n, 1) << 16 | WTS_AT(n, -8) << 24 |             \
          WTS_AT(n, -9) << 32 | WTS_AT(n, -10) << 40 | WTS_AT(n, -1) << 48 | WTS_AT(n, 8) << 56)
    __mmask64 first = _mm512_bitshuffle_epi64_mask(prey, WTS_PICK(1));
    __mmask64 second = _mm512_bitshuffle_epi64_mask(prey, WTS_PICK(2));
    __mmask64 third = _mm512_bitshuffle_epi64_mask(own, WTS_PICK(3));
#undef WTS_PICK
#undef WTS_AT
    wts_v open = _mm512_permutex2var_epi8(_mm512_loadu_si512(wts_open), square, _mm512_loadu_si512(wts_open + 64));
    return first & second & third & (uint64_t)_mm_cvtsi128_si64(_mm512_cvtepi64_epi8(open));
}

/* wts_victims for eight turtles, and how the bytes of directions become words. */
WTS_512_INLINE wts_v wts_v_words(uint64_t bytes) { return _mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long)bytes)); }
WTS_512_INLINE wts_v2 wts_v_victims(wts_v directions, wts_v square)
{
    wts_v low = _mm512_permutex2var_epi64(_mm512_loadu_si512(wts_pairs_low), directions, _mm512_loadu_si512(wts_pairs_low + 8));
    wts_v high = _mm512_permutex2var_epi64(_mm512_loadu_si512(wts_pairs_high), _mm512_srli_epi64(directions, 4),
                                           _mm512_loadu_si512(wts_pairs_high + 8));
    return wts_v2_from_window(_mm512_or_si512(low, high), square);
}

/* bits81_select for eight boards: the chosen square alone as a board, and its number. */
WTS_512_INLINE wts_v2 wts_v2_select(wts_v2 set, wts_v low_count, wts_v rank, wts_v *square)
{
    __mmask8 in_high = _mm512_cmpge_epu64_mask(rank, low_count);
    wts_v word = _mm512_mask_mov_epi64(set.lo, in_high, set.hi);
    wts_v bit = _mm512_sllv_epi64(WTS_V(1), _mm512_mask_sub_epi64(rank, in_high, rank, low_count));
    uint64_t words[WTS_LANES] __attribute__((aligned(64))), bits[WTS_LANES] __attribute__((aligned(64)));
    _mm512_store_si512(words, word);
    _mm512_store_si512(bits, bit);
#define WTS_ONE(lane) (long long)_pdep_u64(bits[lane], words[lane])
    wts_v hot = _mm512_set_epi64(WTS_ONE(7), WTS_ONE(6), WTS_ONE(5), WTS_ONE(4), WTS_ONE(3), WTS_ONE(2), WTS_ONE(1), WTS_ONE(0));
#undef WTS_ONE
    wts_v below = _mm512_popcnt_epi64(_mm512_sub_epi64(hot, WTS_V(1)));
    *square = _mm512_add_epi64(below, _mm512_mask_mov_epi64(WTS_V(-WTS_CENTRE), in_high, WTS_V(64 - WTS_CENTRE)));
    return (wts_v2){_mm512_maskz_mov_epi64((__mmask8)~in_high, hot), _mm512_maskz_mov_epi64(in_high, hot)};
}

WTS_512_INLINE wts_v wts_v_mix(wts_v z)
{
    z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 30)), WTS_V(WTS_MIX1));
    z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 27)), WTS_V(WTS_MIX2));
    return _mm512_xor_si512(z, _mm512_srli_epi64(z, 31));
}

WTS_512_INLINE wts_v wts_v_draw(wts_v s[4])
{
    wts_v result = _mm512_add_epi64(_mm512_rol_epi64(_mm512_add_epi64(s[0], s[3]), 23), s[0]);
    wts_v t = _mm512_slli_epi64(s[1], 17);
    s[2] = _mm512_xor_si512(s[2], s[0]);
    s[3] = _mm512_xor_si512(s[3], s[1]);
    s[1] = _mm512_xor_si512(s[1], s[2]);
    s[0] = _mm512_xor_si512(s[0], s[3]);
    s[2] = _mm512_xor_si512(s[2], t);
    s[3] = _mm512_rol_epi64(s[3], 45);
    return result;
}

/* wts_hash_game for eight games. */
WTS_512_INLINE wts_v wts_v_fold(wts_v2 set)
{
    wts_v2 down = WTS_V2_SHR(set, WTS_CENTRE);
    return _mm512_add_epi64(down.lo, _mm512_mullo_epi64(down.hi, WTS_V(WTS_GOLDEN)));
}
WTS_512_INLINE wts_v wts_group_hash(const wts_group *group, wts_v outcome)
{
    wts_v board = _mm512_xor_si512(wts_v_fold(group->black),
                                   _mm512_xor_si512(_mm512_rol_epi64(wts_v_fold(group->white), 21),
                                                    _mm512_rol_epi64(wts_v_fold(group->egg), 42)));
    wts_v end = _mm512_add_epi64(_mm512_slli_epi64(group->turns, 2), outcome);
    return wts_v_mix(_mm512_add_epi64(_mm512_xor_si512(board, end), _mm512_mullo_epi64(group->game, WTS_V(WTS_GOLDEN))));
}

/* Puts the run's next games into `lanes`; a lane for which none is left falls idle. */
WTS_512_INLINE void wts_group_fill(wts_group *group, const wts_run *run, uint64_t *next, wts_tally *tally, __mmask8 lanes)
{
    uint64_t end = run->first + run->games, games[WTS_LANES];
    _mm512_storeu_si512(games, group->game);
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        const wts_state *start = NULL;
        for (; *next < end; ++*next) {
            start = run->starts + *next / run->games_each;
            if (start->outcome == WTS_UNDECIDED)
                break;
            wts_tally_game(tally, run, *next, start, 0);
        }
        if (*next == end) {
            group->alive &= (__mmask8)~(1u << lane);
            continue;
        }
        games[lane] = (*next)++;
        wts_v2_set_lane(&group->black, lane, bits81_load(start->black));
        wts_v2_set_lane(&group->white, lane, bits81_load(start->white));
        wts_v2_set_lane(&group->egg, lane, bits81_load(start->egg));
        group->lanes[lane].num_eggs = start->num_eggs;
        memcpy(group->lanes[lane].queue, start->queue, start->num_eggs);
    }
    group->game = _mm512_loadu_si512(games);
    group->turns = _mm512_maskz_mov_epi64((__mmask8)~lanes, group->turns);
    wts_v seeds = _mm512_add_epi64(_mm512_mullo_epi64(group->game, WTS_V(WTS_GOLDEN)), WTS_V(run->seed + WTS_GOLDEN));
    wts_v stream = wts_v_mix(seeds);
    for (int i = 0; i < 4; i++)
        group->rng[i] = _mm512_mask_mov_epi64(
            group->rng[i], lanes, wts_v_mix(_mm512_add_epi64(stream, WTS_V(WTS_GOLDEN * (uint64_t)(i + 1)))));
}

/* Counts the games that ended in `done`; `by_black` and `by_white` are the lanes each player won. */
WTS_512_INLINE void wts_group_tally(const wts_group *group, const wts_run *run, wts_tally *tally, __mmask8 done,
                                    __mmask8 by_black, __mmask8 by_white, __mmask8 full)
{
    __mmask8 drawn = (__mmask8)(done & full & ~(by_black | by_white));
    tally->by_outcome[WTS_BLACK_WINS] += (uint64_t)__builtin_popcount(by_black);
    tally->by_outcome[WTS_WHITE_WINS] += (uint64_t)__builtin_popcount(by_white);
    tally->by_outcome[WTS_DRAW] += (uint64_t)__builtin_popcount(drawn);
    tally->by_outcome[WTS_UNDECIDED] += (uint64_t)__builtin_popcount(done & ~(by_black | by_white | drawn));
    wts_v outcome = _mm512_maskz_mov_epi64(by_black, WTS_V(WTS_BLACK_WINS));
    outcome = _mm512_mask_mov_epi64(outcome, by_white, WTS_V(WTS_WHITE_WINS));
    outcome = _mm512_mask_mov_epi64(outcome, drawn, WTS_V(WTS_DRAW));
    tally->turns += (uint64_t)_mm512_mask_reduce_add_epi64(done, group->turns);
    tally->checksum += (uint64_t)_mm512_mask_reduce_add_epi64(done, wts_group_hash(group, outcome));
    if (run->outcomes) {
        uint64_t games[WTS_LANES], outcomes[WTS_LANES];
        _mm512_storeu_si512(games, group->game);
        _mm512_storeu_si512(outcomes, outcome);
        for (unsigned rest = done; rest; rest &= rest - 1)
            run->outcomes[games[__builtin_ctz(rest)]] = (int8_t)outcomes[__builtin_ctz(rest)];
    }
}

/* One turn in every lane; lanes whose games end take up the next ones. */
WTS_512_INLINE void wts_group_turn(wts_group *group, const wts_run *run, uint64_t *next, wts_tally *tally)
{
    wts_v2 black = group->black, white = group->white, egg = group->egg, all = WTS_V2(BITS81_ALL);
    wts_v2 empty = {_mm512_andnot_si512(_mm512_ternarylogic_epi64(black.lo, white.lo, egg.lo, 0xFE), all.lo),
                    _mm512_andnot_si512(_mm512_ternarylogic_epi64(black.hi, white.hi, egg.hi, 0xFE), all.hi)};
    wts_v low_count = _mm512_popcnt_epi64(empty.lo);
    wts_v num = _mm512_add_epi64(low_count, _mm512_popcnt_epi64(empty.hi));
    wts_v draw = wts_v_draw(group->rng);
    wts_v black_rank = _mm512_srli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(draw, 32), num), 32);
    wts_v white_rank = _mm512_srli_epi64(_mm512_mul_epu32(draw, num), 32);
    wts_v black_sq, white_sq;
    wts_v2 black_at = wts_v2_select(empty, low_count, black_rank, &black_sq);
    wts_v2 white_at = wts_v2_select(empty, low_count, white_rank, &white_sq);
    group->turns = _mm512_add_epi64(group->turns, WTS_V(1));

    __mmask8 collided = _mm512_mask_cmpeq_epu64_mask(group->alive, black_rank, white_rank);
    uint64_t landed = ~0ull; /* a byte a lane: 0 where no turtle landed */
    if (__builtin_expect(collided, 0)) {
        uint64_t squares[WTS_LANES];
        _mm512_storeu_si512(squares, black_sq);
        landed = ~(_pdep_u64(collided, 0x0101010101010101ull) * 255);
        egg = wts_v2_or_in(egg, collided, black_at);
        for (unsigned rest = collided; rest; rest &= rest - 1) {
            wts_state *lane = &group->lanes[__builtin_ctz(rest)];
            lane->queue[lane->num_eggs++] = (uint8_t)squares[__builtin_ctz(rest)];
        }
    }
    black = wts_v2_or_in(black, (__mmask8)~collided, black_at);
    white = wts_v2_or_in(white, (__mmask8)~collided, white_at);

    uint64_t by_black = landed & wts_v_closed(wts_v2_window(black, black_sq), wts_v2_window(wts_v2_or(white, egg), black_sq), black_sq);
    uint64_t by_white = landed & wts_v_closed(wts_v2_window(white, white_sq), wts_v2_window(wts_v2_or(black, egg), white_sq), white_sq);
    wts_v black_dirs = wts_v_words(by_black), white_dirs = wts_v_words(by_white);
    wts_v eggs = _mm512_or_si512(egg.lo, egg.hi), any_dirs = _mm512_or_si512(black_dirs, white_dirs);
    __mmask8 with_eggs = _mm512_mask_test_epi64_mask(_mm512_mask_test_epi64_mask(group->alive, eggs, eggs), any_dirs, any_dirs);
    group->egg = egg;
    if (__builtin_expect(with_eggs, 0)) {
        wts_v2 boards[2] = {black, white};
        uint64_t squares[2][WTS_LANES];
        _mm512_storeu_si512(squares[0], black_sq);
        _mm512_storeu_si512(squares[1], white_sq);
        for (unsigned rest = with_eggs; rest; rest &= rest - 1) {
            int lane = __builtin_ctz(rest);
            bits81 turtles[2] = {wts_v2_lane(&boards[0], lane), wts_v2_lane(&boards[1], lane)};
            bits81 lane_egg = wts_v2_lane(&group->egg, lane);
            wts_resolve(&group->lanes[lane], turtles, &lane_egg, (int)squares[0][lane], (int)squares[1][lane],
                        (by_black >> (8 * lane)) & 255, (by_white >> (8 * lane)) & 255, NULL);
            wts_v2_set_lane(&boards[0], lane, turtles[0]);
            wts_v2_set_lane(&boards[1], lane, turtles[1]);
            wts_v2_set_lane(&group->egg, lane, lane_egg);
        }
        black = boards[0];
        white = boards[1];
    }
    white = wts_v2_without_in(white, (__mmask8)~with_eggs, wts_v_victims(black_dirs, black_sq));
    black = wts_v2_without_in(black, (__mmask8)~with_eggs, wts_v_victims(white_dirs, white_sq));
    group->black = black;
    group->white = white;

    __mmask8 black_rows = wts_v2_rows(black), white_rows = wts_v2_rows(white);
    wts_v2 taken = wts_v2_or(black, wts_v2_or(white, group->egg));
    __mmask8 full = _mm512_mask_cmpeq_epu64_mask(_mm512_cmpeq_epu64_mask(taken.lo, all.lo), taken.hi, all.hi);
    __mmask8 over = (__mmask8)(full | _mm512_cmpge_epu64_mask(group->turns, WTS_V(run->cap)));
    __mmask8 done = (__mmask8)((black_rows | white_rows | over) & group->alive);
    if (__builtin_expect(done, 0)) {
        __mmask8 both = (__mmask8)(black_rows & white_rows & done);
        black_rows &= (__mmask8)(done & ~both);
        white_rows &= (__mmask8)(done & ~both);
        for (unsigned rest = both; rest; rest &= rest - 1) {
            int lane = __builtin_ctz(rest);
            int outcome = wts_judge(wts_v2_lane(&group->black, lane), wts_v2_lane(&group->white, lane), 0);
            black_rows |= (__mmask8)((outcome == WTS_BLACK_WINS) << lane);
            white_rows |= (__mmask8)((outcome == WTS_WHITE_WINS) << lane);
        }
        done = (__mmask8)(black_rows | white_rows | (over & done));
        wts_group_tally(group, run, tally, done, black_rows, white_rows, full);
        wts_group_fill(group, run, next, tally, done);
    }
}

WTS_512 static void wts_run_lockstep512(const wts_run *run, wts_tally *tally)
{
    enum { GROUPS = 2 }; /* two, so that one works while the other waits: +7 % here; three gain no more */
    wts_group groups[GROUPS];
    uint64_t next = run->first;
    memset(groups, 0, sizeof groups);
    for (int g = 0; g < GROUPS; g++) {
        groups[g].alive = 0xFF;
        wts_group_fill(&groups[g], run, &next, tally, 0xFF);
    }
    for (unsigned alive = 1; alive;) {
        alive = 0;
        for (int g = 0; g < GROUPS; g++) {
            wts_group_turn(&groups[g], run, &next, tally);
            alive |= groups[g].alive;
        }
    }
}

#endif
