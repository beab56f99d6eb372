/* Random games in lockstep, one to a lane of vector registers; the same games as playout.h's.
 *
 * Included once for each lanes*.h, which says how wide a vector is and how its instructions are called.
 * Placement, the search for brackets, removal, the search for rows and the refill of a lane whose game
 * ended run for all lanes at once. Three things are done for one lane at a time: the queue of a collision
 * (about one turn in sixty), captures while eggs lie on the board, and rows of both colours at once.
 *
 * Boards are kept shifted up by WTS_CENTRE bits, so that a window (see geometry.h) is one right shift.
 * A lane set is an unsigned, bit i for lane i.
 */

#define WTS_EVERY ((1u << WTS_LANES) - 1)

typedef uint64_t __attribute__((may_alias)) WTS_N(lane_word); /* a lane of a vector in memory */

typedef struct {
    V lo, hi;
} WTS_N(v2); /* a board a lane, shifted up */
#define V2 WTS_N(v2)

/* A game under way in each lane. */
typedef struct {
    V2 black, white, egg;
    V rng[4], turns, game;
    unsigned alive;             /* lanes that hold a game */
    wts_state lanes[WTS_LANES]; /* only queue and num_eggs are kept up to date */
} WTS_N(group);
#define GROUP WTS_N(group)

#define V2_ALL(set) ((V2){V_ALL((uint64_t)((bits81)(set) << WTS_CENTRE)), V_ALL((uint64_t)((bits81)(set) >> (64 - WTS_CENTRE)))})
#define V2_SHR(a, n) ((V2){V_SHR2((a).lo, (a).hi, n), V_SHR((a).hi, n)})
#define V2_AND(a, b) ((V2){V_AND((a).lo, (b).lo), V_AND((a).hi, (b).hi)})
#define V2_OR(a, b) ((V2){V_OR((a).lo, (b).lo), V_OR((a).hi, (b).hi)})
#define V2_OR3(a, b, c) ((V2){V_OR3((a).lo, (b).lo, (c).lo), V_OR3((a).hi, (b).hi, (c).hi)})
#define V2_WITHOUT(a, b) ((V2){V_WITHOUT((a).lo, (b).lo), V_WITHOUT((a).hi, (b).hi)})
#define V2_ONLY(lanes, a) ((V2){V_ONLY(lanes, (a).lo), V_ONLY(lanes, (a).hi)})

/* The sum over all lanes, modulo 2^64. */
WTS_INLINE uint64_t WTS_N(sum)(V a)
{
    uint64_t words[WTS_LANES], sum = 0;
    V_STORE(words, a);
    for (int lane = 0; lane < WTS_LANES; lane++)
        sum += words[lane];
    return sum;
}

/* One lane's board, shifted back down, and the way back. */
WTS_INLINE bits81 WTS_N(lane_get)(const V2 *boards, int lane)
{
    return BITS81(((const WTS_N(lane_word) *)&boards->hi)[lane], ((const WTS_N(lane_word) *)&boards->lo)[lane]) >> WTS_CENTRE;
}
WTS_INLINE void WTS_N(lane_set)(V2 *boards, int lane, bits81 set)
{
    ((WTS_N(lane_word) *)&boards->lo)[lane] = (uint64_t)(set << WTS_CENTRE);
    ((WTS_N(lane_word) *)&boards->hi)[lane] = (uint64_t)(set >> (64 - WTS_CENTRE));
}

/* Lanes whose board has a row; wts_has_row for all lanes. */
WTS_INLINE unsigned WTS_N(rows)(V2 set)
{
    V2 all = {V_ALL(0), V_ALL(0)};
#define WTS_ONE(step, files)                                               \
    {                                                                      \
        V2 starts = V2_ALL(files), runs = V2_AND(set, V2_SHR(set, step));  \
        runs = V2_AND(runs, V2_SHR(runs, 2 * (step)));                     \
        runs = V2_AND(runs, V2_SHR(set, 4 * (step)));                      \
        all.lo = V_OR_AND(all.lo, runs.lo, starts.lo);                     \
        all.hi = V_OR_AND(all.hi, runs.hi, starts.hi);                     \
    }
    WTS_EACH_ROW_STEP(WTS_ONE)
#undef WTS_ONE
    return V_NONZERO(V_OR(all.lo, all.hi));
}

/* wts_window and wts_from_window for all lanes. */
WTS_INLINE V WTS_N(window)(V2 set, V square)
{
    V mid = V_SHLV(set.hi, V_SUB(V_ALL(64), square)), high = V_SHRV(set.hi, V_SUB(square, V_ALL(64)));
    return V_OR3(V_SHRV(set.lo, square), mid, high);
}
WTS_INLINE V2 WTS_N(from_window)(V window, V square)
{
    V mid = V_SHRV(window, V_SUB(V_ALL(64), square)), high = V_SHLV(window, V_SUB(square, V_ALL(64)));
    return (V2){V_SHLV(window, square), V_OR(mid, high)};
}

/* The generator of rng.h in every lane. */
WTS_INLINE V WTS_N(mix)(V z)
{
    z = V_MUL64(V_XOR(z, V_SHR(z, 30)), V_ALL(WTS_MIX1));
    z = V_MUL64(V_XOR(z, V_SHR(z, 27)), V_ALL(WTS_MIX2));
    return V_XOR(z, V_SHR(z, 31));
}
WTS_INLINE V WTS_N(draw)(V s[4])
{
    V result = V_ADD(V_ROTL(V_ADD(s[0], s[3]), 23), s[0]), t = V_SHL(s[1], 17);
    s[2] = V_XOR(s[2], s[0]);
    s[3] = V_XOR(s[3], s[1]);
    s[1] = V_XOR(s[1], s[2]);
    s[0] = V_XOR(s[0], s[3]);
    s[2] = V_XOR(s[2], t);
    s[3] = V_ROTL(s[3], 45);
    return result;
}

/* wts_hash_game in every lane. */
WTS_INLINE V WTS_N(fold)(V2 set)
{
    V2 down = V2_SHR(set, WTS_CENTRE);
    return V_ADD(down.lo, V_MUL64(down.hi, V_ALL(WTS_GOLDEN)));
}
WTS_INLINE V WTS_N(hash)(const GROUP *group, V outcome)
{
    V white = WTS_N(fold)(group->white), egg = WTS_N(fold)(group->egg);
    V board = V_XOR(WTS_N(fold)(group->black), V_XOR(V_ROTL(white, 21), V_ROTL(egg, 42)));
    V end = V_ADD(V_SHL(group->turns, 2), outcome);
    return WTS_N(mix)(V_ADD(V_XOR(board, end), V_MUL64(group->game, V_ALL(WTS_GOLDEN))));
}

/* Puts the run's next games into `lanes`; a lane for which none is left falls idle. */
WTS_INLINE void WTS_N(fill)(GROUP *group, const wts_run *run, uint64_t *next, wts_tally *tally, unsigned lanes)
{
    uint64_t end = run->first + run->games, games[WTS_LANES];
    V_STORE(games, group->game);
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
            group->alive &= ~(1u << lane);
            continue;
        }
        games[lane] = (*next)++;
        WTS_N(lane_set)(&group->black, lane, bits81_load(start->black));
        WTS_N(lane_set)(&group->white, lane, bits81_load(start->white));
        WTS_N(lane_set)(&group->egg, lane, bits81_load(start->egg));
        group->lanes[lane].num_eggs = start->num_eggs;
        memcpy(group->lanes[lane].queue, start->queue, start->num_eggs);
    }
    group->game = V_LOAD(games);
    group->turns = V_WHERE(lanes, group->turns, V_ALL(0));
    V stream = WTS_N(mix)(V_ADD(V_MUL64(group->game, V_ALL(WTS_GOLDEN)), V_ALL(run->seed + WTS_GOLDEN)));
    for (int i = 0; i < 4; i++) {
        V word = WTS_N(mix)(V_ADD(stream, V_ALL(WTS_GOLDEN * (uint64_t)(i + 1))));
        group->rng[i] = V_WHERE(lanes, group->rng[i], word);
    }
}

/* Counts the games that ended in `done`; `by_black` and `by_white` are the lanes each player won. */
WTS_INLINE void WTS_N(tally)(const GROUP *group, const wts_run *run, wts_tally *tally, unsigned done,
                             unsigned by_black, unsigned by_white, unsigned full)
{
    unsigned drawn = done & full & ~(by_black | by_white);
    tally->by_outcome[WTS_BLACK_WINS] += (uint64_t)__builtin_popcount(by_black);
    tally->by_outcome[WTS_WHITE_WINS] += (uint64_t)__builtin_popcount(by_white);
    tally->by_outcome[WTS_DRAW] += (uint64_t)__builtin_popcount(drawn);
    tally->by_outcome[WTS_UNDECIDED] += (uint64_t)__builtin_popcount(done & ~(by_black | by_white | drawn));
    V outcome = V_ONLY(by_black, V_ALL(WTS_BLACK_WINS));
    outcome = V_WHERE(by_white, outcome, V_ALL(WTS_WHITE_WINS));
    outcome = V_WHERE(drawn, outcome, V_ALL(WTS_DRAW));
    tally->turns += WTS_N(sum)(V_ONLY(done, group->turns));
    tally->checksum += WTS_N(sum)(V_ONLY(done, WTS_N(hash)(group, outcome)));
    if (run->outcomes) {
        uint64_t games[WTS_LANES], outcomes[WTS_LANES];
        V_STORE(games, group->game);
        V_STORE(outcomes, outcome);
        for (unsigned rest = done; rest; rest &= rest - 1)
            run->outcomes[games[__builtin_ctz(rest)]] = (int8_t)outcomes[__builtin_ctz(rest)];
    }
}

/* wts_resolve for the given lanes, one by one: captures while eggs lie on the board. */
WTS_INLINE void WTS_N(resolve)(GROUP *group, V2 *black, V2 *white, const V square[2], V by_black, V by_white, unsigned lanes)
{
    uint64_t squares[2][WTS_LANES], directions[2][WTS_LANES];
    V2 boards[2] = {*black, *white};
    V_STORE(squares[0], square[0]);
    V_STORE(squares[1], square[1]);
    V_STORE(directions[0], by_black);
    V_STORE(directions[1], by_white);
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        bits81 turtles[2] = {WTS_N(lane_get)(&boards[0], lane), WTS_N(lane_get)(&boards[1], lane)};
        bits81 egg = WTS_N(lane_get)(&group->egg, lane);
        wts_resolve(&group->lanes[lane], turtles, &egg, (int)squares[0][lane], (int)squares[1][lane],
                    (unsigned)directions[0][lane], (unsigned)directions[1][lane], NULL);
        WTS_N(lane_set)(&boards[0], lane, turtles[0]);
        WTS_N(lane_set)(&boards[1], lane, turtles[1]);
        WTS_N(lane_set)(&group->egg, lane, egg);
    }
    *black = boards[0];
    *white = boards[1];
}

/* One turn in every lane; lanes whose games end take up the next ones. */
WTS_INLINE void WTS_N(turn)(GROUP *group, const wts_run *run, uint64_t *next, wts_tally *tally)
{
    V2 black = group->black, white = group->white, all = V2_ALL(BITS81_ALL);
    V2 empty = V2_WITHOUT(all, V2_OR3(black, white, group->egg));
    V chosen[2][2], square[2];
    WTS_N(v_choose)(empty.lo, empty.hi, WTS_N(draw)(group->rng), chosen, square);
    V2 black_at = {chosen[0][0], chosen[0][1]}, white_at = {chosen[1][0], chosen[1][1]};
    square[0] = V_SUB(square[0], V_ALL(WTS_CENTRE));
    square[1] = V_SUB(square[1], V_ALL(WTS_CENTRE));
    group->turns = V_ADD(group->turns, V_ALL(1));

    unsigned collided = V_EQUAL(square[0], square[1]) & group->alive;
    V landed = V_ALL(255); /* 0 in a lane in which no turtle lands: all directions of a capture, or none */
    if (__builtin_expect(collided != 0, 0)) {
        uint64_t squares[WTS_LANES];
        V_STORE(squares, square[0]);
        group->egg = V2_OR(group->egg, V2_ONLY(collided, black_at));
        for (unsigned rest = collided; rest; rest &= rest - 1) {
            wts_state *lane = &group->lanes[__builtin_ctz(rest)];
            lane->queue[lane->num_eggs++] = (uint8_t)squares[__builtin_ctz(rest)];
        }
        landed = V_ONLY(~collided, landed);
        black_at = V2_ONLY(~collided, black_at);
        white_at = V2_ONLY(~collided, white_at);
    }
    black = V2_OR(black, black_at);
    white = V2_OR(white, white_at);

    V2 black_prey = V2_OR(white, group->egg), white_prey = V2_OR(black, group->egg);
    V by_black = WTS_N(v_closed)(WTS_N(window)(black, square[0]), WTS_N(window)(black_prey, square[0]), square[0]);
    V by_white = WTS_N(v_closed)(WTS_N(window)(white, square[1]), WTS_N(window)(white_prey, square[1]), square[1]);
    by_black = V_AND(by_black, landed);
    by_white = V_AND(by_white, landed);
    unsigned capturing = V_NONZERO(V_OR(by_black, by_white));
    unsigned with_eggs = capturing & V_NONZERO(V_OR(group->egg.lo, group->egg.hi)) & group->alive;
    if (__builtin_expect(with_eggs != 0, 0)) {
        WTS_N(resolve)(group, &black, &white, square, by_black, by_white, with_eggs);
        by_black = V_ONLY(~with_eggs, by_black);
        by_white = V_ONLY(~with_eggs, by_white);
    }
    if (WTS_LANES == 8 || capturing) { /* with eight lanes the branch would cost more than it saves */
        white = V2_WITHOUT(white, WTS_N(from_window)(WTS_N(v_pairs)(by_black), square[0]));
        black = V2_WITHOUT(black, WTS_N(from_window)(WTS_N(v_pairs)(by_white), square[1]));
    }
    group->black = black;
    group->white = white;

    unsigned black_rows = WTS_N(rows)(black), white_rows = WTS_N(rows)(white);
    V2 taken = V2_OR3(black, white, group->egg);
    unsigned full = V_EQUAL(taken.lo, all.lo) & V_EQUAL(taken.hi, all.hi);
    unsigned over = full | V_AT_LEAST(group->turns, V_ALL(run->cap));
    unsigned done = (black_rows | white_rows | over) & group->alive;
    if (__builtin_expect(done != 0, 0)) {
        unsigned both = black_rows & white_rows & done;
        black_rows &= done & ~both;
        white_rows &= done & ~both;
        for (unsigned rest = both; rest; rest &= rest - 1) {
            int lane = __builtin_ctz(rest);
            int outcome = wts_judge(WTS_N(lane_get)(&group->black, lane), WTS_N(lane_get)(&group->white, lane), 0);
            black_rows |= (unsigned)(outcome == WTS_BLACK_WINS) << lane;
            white_rows |= (unsigned)(outcome == WTS_WHITE_WINS) << lane;
        }
        done = black_rows | white_rows | (over & done); /* without those in sudden death */
        WTS_N(tally)(group, run, tally, done, black_rows, white_rows, full);
        WTS_N(fill)(group, run, next, tally, done);
    }
}

WTS_TARGET static void WTS_N(wts_run_lockstep)(const wts_run *run, wts_tally *tally)
{
    enum { GROUPS = 2 }; /* two, so that one works while the other waits: 7 % faster than one; three gain no more */
    GROUP groups[GROUPS];
    uint64_t next = run->first;
    memset(groups, 0, sizeof groups);
    for (int g = 0; g < GROUPS; g++) {
        groups[g].alive = WTS_EVERY;
        WTS_N(fill)(&groups[g], run, &next, tally, WTS_EVERY);
    }
    while (groups[0].alive | groups[1].alive)
        for (int g = 0; g < GROUPS; g++)
            WTS_N(turn)(&groups[g], run, &next, tally);
}

#undef GROUP
#undef V
#undef V2
#undef V2_ALL
#undef V2_AND
#undef V2_ONLY
#undef V2_OR
#undef V2_OR3
#undef V2_SHR
#undef V2_WITHOUT
#undef V_ADD
#undef V_ALL
#undef V_AND
#undef V_AT_LEAST
#undef V_EQUAL
#undef V_LOAD
#undef V_MUL64
#undef V_NONZERO
#undef V_ONLY
#undef V_OR
#undef V_OR3
#undef V_OR_AND
#undef V_ROTL
#undef V_SHL
#undef V_SHLV
#undef V_SHR
#undef V_SHR2
#undef V_SHRV
#undef V_SIGNS
#undef V_STORE
#undef V_SUB
#undef V_WHERE
#undef V_WITHOUT
#undef V_XOR
#undef WTS_EVERY
#undef WTS_INLINE
#undef WTS_LANES
#undef WTS_N
#undef WTS_TARGET
