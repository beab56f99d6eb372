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

/* One turn in every lane of a group, in steps that the groups take side by side: work that depends on itself in one
 * group waits less, and a branch that the processor guesses wrong costs once for all groups. */
typedef struct {
    V2 at[2];          /* the squares named, alone, Black's and White's */
    V square[2];       /* and their numbers */
    V by[2];           /* directions of the brackets that close */
    unsigned collided; /* lanes */
    unsigned capturing, with_eggs;
    unsigned rows[2], full, over, done;
} WTS_N(step);
#define STEP WTS_N(step)

WTS_INLINE void WTS_N(name_squares)(GROUP *group, STEP *step)
{
    V2 empty = V2_WITHOUT(V2_ALL(BITS81_ALL), V2_OR3(group->black, group->white, group->egg));
    V chosen[2][2];
    WTS_N(v_choose)(empty.lo, empty.hi, WTS_N(draw)(group->rng), chosen, step->square);
    for (int player = 0; player < 2; player++) {
        step->at[player] = (V2){chosen[player][0], chosen[player][1]};
        step->square[player] = V_SUB(step->square[player], V_ALL(WTS_CENTRE));
    }
    group->turns = V_ADD(group->turns, V_ALL(1));
    step->collided = V_EQUAL(step->square[0], step->square[1]) & group->alive;
}

/* Lays the eggs of collisions; afterwards no turtle lands in those lanes. */
WTS_INLINE void WTS_N(collide)(GROUP *group, STEP *step)
{
    uint64_t squares[WTS_LANES];
    V_STORE(squares, step->square[0]);
    group->egg = V2_OR(group->egg, V2_ONLY(step->collided, step->at[0]));
    for (unsigned rest = step->collided; rest; rest &= rest - 1) {
        wts_state *lane = &group->lanes[__builtin_ctz(rest)];
        lane->queue[lane->num_eggs++] = (uint8_t)squares[__builtin_ctz(rest)];
    }
    for (int player = 0; player < 2; player++)
        step->at[player] = V2_ONLY(~step->collided, step->at[player]);
}

WTS_INLINE void WTS_N(land)(GROUP *group, STEP *step)
{
    V2 black = V2_OR(group->black, step->at[0]), white = V2_OR(group->white, step->at[1]);
    V2 black_prey = V2_OR(white, group->egg), white_prey = V2_OR(black, group->egg);
    V *square = step->square;
    step->by[0] = WTS_N(v_closed)(WTS_N(window)(black, square[0]), WTS_N(window)(black_prey, square[0]), square[0]);
    step->by[1] = WTS_N(v_closed)(WTS_N(window)(white, square[1]), WTS_N(window)(white_prey, square[1]), square[1]);
    V landed = V_WHERE(step->collided, V_ALL(255), V_ALL(0)); /* no turtle landed, no directions */
    step->by[0] = V_AND(step->by[0], landed);
    step->by[1] = V_AND(step->by[1], landed);
    group->black = black;
    group->white = white;
    step->capturing = V_NONZERO(V_OR(step->by[0], step->by[1]));
    step->with_eggs = step->capturing & V_NONZERO(V_OR(group->egg.lo, group->egg.hi)) & group->alive;
}

/* Captures while eggs lie on the board, lane by lane. */
WTS_INLINE void WTS_N(hatch)(GROUP *group, STEP *step)
{
    WTS_N(resolve)(group, &group->black, &group->white, step->square, step->by[0], step->by[1], step->with_eggs);
    step->by[0] = V_ONLY(~step->with_eggs, step->by[0]);
    step->by[1] = V_ONLY(~step->with_eggs, step->by[1]);
}

/* Removes the victims of the other lanes and looks for rows. */
WTS_INLINE void WTS_N(settle)(GROUP *group, STEP *step, const wts_run *run)
{
    V2 all = V2_ALL(BITS81_ALL);
    if (WTS_LANES == 8 || step->capturing) { /* with eight lanes the branch would cost more than it saves */
        group->white = V2_WITHOUT(group->white, WTS_N(from_window)(WTS_N(v_pairs)(step->by[0]), step->square[0]));
        group->black = V2_WITHOUT(group->black, WTS_N(from_window)(WTS_N(v_pairs)(step->by[1]), step->square[1]));
    }
    step->rows[0] = WTS_N(rows)(group->black);
    step->rows[1] = WTS_N(rows)(group->white);
    V2 taken = V2_OR3(group->black, group->white, group->egg);
    step->full = V_EQUAL(taken.lo, all.lo) & V_EQUAL(taken.hi, all.hi);
    step->over = step->full | V_AT_LEAST(group->turns, V_ALL(run->cap));
    step->done = (step->rows[0] | step->rows[1] | step->over) & group->alive;
}

/* Counts the games that are over; their lanes take up the next ones. */
WTS_INLINE void WTS_N(finish)(GROUP *group, STEP *step, const wts_run *run, uint64_t *next, wts_tally *tally)
{
    unsigned both = step->rows[0] & step->rows[1] & step->done;
    unsigned by_black = step->rows[0] & step->done & ~both, by_white = step->rows[1] & step->done & ~both;
    for (unsigned rest = both; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        int outcome = wts_judge(WTS_N(lane_get)(&group->black, lane), WTS_N(lane_get)(&group->white, lane), 0);
        by_black |= (unsigned)(outcome == WTS_BLACK_WINS) << lane;
        by_white |= (unsigned)(outcome == WTS_WHITE_WINS) << lane;
    }
    unsigned done = by_black | by_white | (step->over & step->done); /* without those in sudden death */
    WTS_N(tally)(group, run, tally, done, by_black, by_white, step->full);
    WTS_N(fill)(group, run, next, tally, done);
}

WTS_TARGET static void WTS_N(wts_run_lockstep)(const wts_run *run, wts_tally *tally)
{
    enum { MOST = 12 }; /* with two 132 M turns/s where twelve make 174, in AVX-512; twice as many gain no more */
    GROUP groups[MOST];
    STEP steps[MOST];
    uint64_t next = run->first, wanted = (run->games + WTS_LANES - 1) / WTS_LANES;
    int num = wanted < MOST ? (int)wanted : MOST;
    unsigned alive = 0;
    memset(groups, 0, sizeof groups);
#define WTS_EACH_GROUP for (int g = 0; g < num; g++)
    WTS_EACH_GROUP
    {
        groups[g].alive = WTS_EVERY;
        WTS_N(fill)(&groups[g], run, &next, tally, WTS_EVERY);
        alive |= groups[g].alive;
    }
    while (alive) {
        unsigned collided = 0, with_eggs = 0, done = 0;
        WTS_EACH_GROUP
        {
            WTS_N(name_squares)(&groups[g], &steps[g]);
            collided |= steps[g].collided;
        }
        if (collided)
            WTS_EACH_GROUP WTS_N(collide)(&groups[g], &steps[g]);
        WTS_EACH_GROUP
        {
            WTS_N(land)(&groups[g], &steps[g]);
            with_eggs |= steps[g].with_eggs;
        }
        if (with_eggs)
            WTS_EACH_GROUP if (steps[g].with_eggs) WTS_N(hatch)(&groups[g], &steps[g]);
        WTS_EACH_GROUP
        {
            WTS_N(settle)(&groups[g], &steps[g], run);
            done |= steps[g].done;
        }
        if (!done)
            continue;
        alive = 0;
        WTS_EACH_GROUP
        {
            if (steps[g].done)
                WTS_N(finish)(&groups[g], &steps[g], run, &next, tally);
            alive |= groups[g].alive;
        }
    }
#undef WTS_EACH_GROUP
}

#undef STEP
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
