/* Uniformly random games, one at a time: the plain path that runs on every machine.
 *
 * lockstep.h plays the same games, to the last bit, in vector registers.
 */
#ifndef WTS_PLAYOUT_H
#define WTS_PLAYOUT_H

#include "rng.h"
#include "turn.h"

/* What a run of games came to. Sums, so that any split into chunks adds up to the same. */
typedef struct {
    uint64_t by_outcome[4]; /* games by outcome; WTS_UNDECIDED are those that the cap cut off (R24) */
    uint64_t turns;
    uint64_t checksum; /* sum of a hash of every game's number, last board, length and outcome */
} wts_tally;

/* Games `first` to `first + games - 1` of a run; game g begins at starts[g / games_each]. */
typedef struct {
    const wts_state *starts;
    uint64_t games_each;
    uint64_t first, games;
    uint64_t seed;
    uint64_t cap;      /* a game still open after this many turns ends as unfinished; at least 1 */
    int8_t *outcomes;  /* NULL, or room for one outcome a game */
} wts_run;

static inline uint64_t wts_hash_board(const uint64_t black[2], const uint64_t white[2], const uint64_t egg[2])
{
    uint64_t b = black[0] + WTS_GOLDEN * black[1], w = white[0] + WTS_GOLDEN * white[1];
    return b ^ wts_rotl(w, 21) ^ wts_rotl(egg[0] + WTS_GOLDEN * egg[1], 42);
}

static inline uint64_t wts_hash_game(uint64_t board, uint64_t game, uint64_t turns, uint64_t outcome)
{
    return wts_mix((board ^ (turns * 4 + outcome)) + WTS_GOLDEN * game);
}

/* Random play in place to the end or for `cap` turns; returns the number of turns played. */
static inline uint64_t wts_play_out(wts_state *state, wts_rng *rng, uint64_t cap)
{
    uint64_t turns = 0;
    while (state->outcome == WTS_UNDECIDED && turns < cap) {
        bits81 empty = BITS81_ALL & ~wts_occupied(state);
        uint64_t draw = wts_rng_next(rng);
        int n = bits81_count(empty);
        wts_play(state, bits81_select(empty, wts_rank_high(draw, n)), bits81_select(empty, wts_rank_low(draw, n)), NULL);
        turns++;
    }
    return turns;
}

static inline void wts_tally_game(wts_tally *tally, const wts_run *run, uint64_t game, const wts_state *end, uint64_t turns)
{
    tally->by_outcome[end->outcome]++;
    tally->turns += turns;
    tally->checksum += wts_hash_game(wts_hash_board(end->black, end->white, end->egg), game, turns, end->outcome);
    if (run->outcomes)
        run->outcomes[game] = (int8_t)end->outcome;
}

static inline void wts_run_plain(const wts_run *run, wts_tally *tally)
{
    for (uint64_t game = run->first; game < run->first + run->games; game++) {
        wts_state state = run->starts[game / run->games_each];
        wts_rng rng;
        wts_rng_seed(&rng, run->seed, game);
        uint64_t turns = wts_play_out(&state, &rng, run->cap);
        wts_tally_game(tally, run, game, &state, turns);
    }
}

#endif
