/* The values after all joint turns of a position, without playing most of them.
 *
 * A turn in which nothing is captured, no row is completed and nobody collides adds two turtles. Its score is that of
 * the board, plus what Black's turtle adds, plus what White's adds, plus a correction where both stand on one line or
 * both change the completion squares. In place of scores, q = exp(-score) is kept: factors instead of terms, and
 * a value is (1 - q) / (1 + q), so that a cell costs one division and no exponential.
 *
 * A row whose turtle captures or completes a row is a board of its own, with that turn's captures and hatching done,
 * to which the other turtle is added: a slice. The other way round for columns. What is left is played: turns in which
 * both squares are such, and those in which one turtle is the other's victim.
 */
#ifndef WTS_EVAL_MATRIX_H
#define WTS_EVAL_MATRIX_H

#include "eval.h"
#include "paths.h"

/* A factor is kept between exp(-40) and exp(40), so that three of them never multiply infinity by zero. A whole score
 * beyond is cut at WTS_MOST_SCORE anyway. */
static inline float wts_factor(int score)
{
    int cut = score < -40 * WTS_SCALE ? -40 * WTS_SCALE : score > 40 * WTS_SCALE ? 40 * WTS_SCALE : score;
    return wts_exp((float)cut * (-1.0f / WTS_SCALE));
}

/* Factors q become values (1 - q) / (1 + q), eight at a time: left to itself the compiler makes branches of the limits,
 * and a division for each cell. */
typedef float wts_floats __attribute__((vector_size(32), may_alias));
typedef int32_t wts_words __attribute__((vector_size(32)));

static inline __attribute__((always_inline)) void wts_factors_to_values(float *cells, int count)
{
    const float least = wts_exp(-WTS_MOST_SCORE), most = wts_exp(WTS_MOST_SCORE);
    const wts_floats low = least - (wts_floats){0}, high = most - (wts_floats){0};
    wts_floats q = {0};
    for (int i = 0; i < count; i += 8) {
        const int whole = i + 8 <= count;
        if (whole)
            memcpy(&q, cells + i, sizeof q);
        else
            for (int k = i; k < count; k++)
                q[k - i] = cells[k];
        wts_words below = q < low, above = q > high;
        q = (wts_floats)((below & (wts_words)low) | (above & (wts_words)high) | (~(below | above) & (wts_words)q));
        q = (1.0f - q) / (1.0f + q);
        if (whole)
            memcpy(cells + i, &q, sizeof q);
        else
            for (int k = i; k < count; k++)
                cells[k] = q[k - i];
    }
}

/* The set moved `step` squares up or down, so that what stood n steps from a square stands on it. */
static inline bits81 wts_seen(bits81 set, int distance) { return distance > 0 ? set >> distance : set << -distance; }

/* Squares where a turtle of `own` would close a bracket, and pairs (arrival, victim) where it would do so if an enemy
 * turtle arrived on the victim's square in the same turn. */
typedef struct {
    bits81 closing;
    int pairs;
    uint8_t arrival[8 * 81 * 2], victim[8 * 81 * 2];
} wts_brackets;

static inline void wts_find_brackets(wts_brackets *found, bits81 own, bits81 prey, bits81 empty)
{
    found->closing = 0;
    found->pairs = 0;
    for (int d = 0; d < WTS_DIRECTIONS; d++) {
        int step = wts_step[d];
        bits81 ends = empty & wts_geo.open[d] & wts_seen(own, 3 * step);
        if (!ends)
            continue;
        bits81 near = wts_seen(prey, step), far = wts_seen(prey, 2 * step);
        found->closing |= ends & near & far;
        for (bits81 set = ends & wts_seen(empty, step) & far; set; set &= set - 1) {
            int square = bits81_lowest(set);
            found->arrival[found->pairs] = (uint8_t)square;
            found->victim[found->pairs++] = (uint8_t)(square + step);
        }
        for (bits81 set = ends & near & wts_seen(empty, 2 * step); set; set &= set - 1) {
            int square = bits81_lowest(set);
            found->arrival[found->pairs] = (uint8_t)square;
            found->victim[found->pairs++] = (uint8_t)(square + 2 * step);
        }
    }
}

/* How to read the part of a line with more on it: table[index + code * unit[place]], and what the oldest eggs on it
 * add. A line without eggs is read by its small table, where no code for an egg exists. */
typedef struct {
    const wts_weight *table;
    const uint32_t *unit;
    uint32_t index;
    int eggs, length;
    const wts_weight *egg_table[WTS_EGG_PLACES];
    int place[WTS_EGG_PLACES];
} wts_reader;

static inline int wts_part(const wts_reader *reader, uint32_t more)
{
    int part = reader->table[reader->index + more];
    for (int i = 0; i < reader->eggs; i++)
        part += reader->egg_table[i][wts_around(reader->index + more, reader->length, reader->place[i])];
    return part;
}

/* Readers for every line of a board; `mixed` makes them all read eggs too, as after a collision. */
static inline void wts_readers(wts_reader readers[WTS_LINES], const wts_view *view, const wts_weight *weights, int mixed)
{
    for (int line = 0; line < WTS_LINES; line++) {
        wts_reader *reader = &readers[line];
        uint32_t pattern = view->pattern[line];
        reader->eggs = 0;
        if (mixed || wts_has_egg(pattern)) {
            reader->table = weights + wts_geo.mixed[line];
            reader->unit = wts_geo.four;
            reader->index = pattern;
        } else {
            reader->table = weights + view->phase * WTS_PLAIN_SIZE + wts_geo.plain[line];
            reader->unit = wts_geo.three;
            reader->index = wts_plain_index(pattern);
        }
    }
    for (int i = 0; i < view->eggs; i++)
        for (int kind = 0; kind < 4; kind++) {
            int line = wts_geo.line[view->oldest[i]][kind];
            if (line == WTS_LINES)
                continue;
            wts_reader *reader = &readers[line];
            reader->length = wts_geo.length[line];
            reader->egg_table[reader->eggs] = weights + WTS_EGG_START + i * WTS_EGG_SIZE;
            reader->place[reader->eggs++] = wts_geo.place[view->oldest[i]][kind];
        }
}

/* The empty squares of a line, as places of it. */
static inline int wts_places(const wts_view *view, int line, uint8_t places[9])
{
    int n = 0;
    uint32_t pattern = view->pattern[line], empty = ~(pattern | pattern >> 1);
    for (int place = 0; place < wts_geo.length[line]; place++) {
        places[n] = (uint8_t)place;
        n += empty >> (2 * place) & 1;
    }
    return n;
}

/* What completion squares there are, and which squares change that when a turtle lands on them. */
typedef struct {
    bits81 complete[2], hot[2];
    int count[2];
} wts_tension;

static inline void wts_find_tension(wts_tension *tension, const wts_view *view)
{
    for (int c = 0; c < 2; c++) {
        wts_threats(view->turtles[c], view->empty, &tension->complete[c], &tension->hot[c]);
        tension->count[c] = bits81_count(tension->complete[c]);
    }
    for (int c = 0; c < 2; c++)
        tension->hot[c] |= tension->complete[0] | tension->complete[1];
}

/* The completion squares of a colour after one more turtle of it. */
static inline bits81 wts_completing(const wts_view *view, int colour, int square)
{
    bits81 complete, three;
    wts_threats(view->turtles[colour] | bits81_of(square), view->empty & ~bits81_of(square), &complete, &three);
    return complete;
}

/* The values of a board with one more turtle of `colour`, for each square of `set`: values[square]. */
static inline void wts_add_one(const wts_view *view, const wts_weight *weights, int colour, bits81 set, float values[81])
{
    wts_reader readers[WTS_LINES];
    wts_tension tension;
    int base = 0, scores[81];
    wts_readers(readers, view, weights, 0);
    wts_find_tension(&tension, view);
    memset(scores, 0, sizeof scores);
    for (int line = 0; line < WTS_LINES; line++) {
        const wts_reader *reader = &readers[line];
        uint8_t places[9];
        int n = wts_places(view, line, places), part = wts_part(reader, 0);
        base += part;
        for (int i = 0; i < n; i++)
            scores[wts_geo.square[line][places[i]]] +=
                wts_part(reader, (uint32_t)(colour + 1) * reader->unit[places[i]]) - part;
    }
    int calm = wts_threat_part(weights, view->phase, tension.count[0], tension.count[1]);
    for (; set; set &= set - 1) {
        int square = bits81_lowest(set);
        int threat = calm;
        if (bits81_has(tension.hot[colour], square)) {
            int counts[2];
            counts[colour] = bits81_count(wts_completing(view, colour, square));
            counts[!colour] = tension.count[!colour] - bits81_has(tension.complete[!colour], square);
            threat = wts_threat_part(weights, view->phase, counts[0], counts[1]);
        }
        values[square] = wts_value_of(base + scores[square] + threat);
    }
}

/* The values after turns in which `colour` plays `square` and the other player one of `others`, none of which
 * captures, completes a row, or is a victim of the placed turtle: values[other square]. Returns those of `others` that
 * a hatched turtle might capture; their values are not to be used. */
static inline bits81 wts_slice(const wts_state *state, const wts_view *before, const wts_weight *weights, int colour,
                               int square, bits81 others, float values[81])
{
    wts_state after = *state;
    bits81 turtles[2] = {bits81_load(state->black), bits81_load(state->white)}, egg = bits81_load(state->egg);
    bits81 doubtful = wts_play_alone(&after, turtles, &egg, colour, square);
    others &= ~doubtful;
    int outcome = wts_judge(turtles[0], turtles[1], 0);
    if (outcome != WTS_UNDECIDED) {
        for (; others; others &= others - 1)
            values[bits81_lowest(others)] = wts_result_value(outcome);
        return doubtful;
    }
    bits81_store(after.black, turtles[0]);
    bits81_store(after.white, turtles[1]);
    bits81_store(after.egg, egg);
    wts_view view;
    wts_view_follow(&view, before, &after);
    wts_add_one(&view, weights, !colour, others, values);
    return doubtful;
}

/* Rows are Black's legal squares ascending, columns White's. Returns how many there are. */
static inline __attribute__((always_inline)) int wts_evaluate_matrix(const wts_state *state, const wts_weight *weights, float *cells)
{
    const bits81 legal = wts_legal_set(state);
    int n = 0;
    uint8_t squares[81], index[81];
    for (bits81 set = legal; set; set &= set - 1) {
        index[bits81_lowest(set)] = (uint8_t)n;
        squares[n++] = (uint8_t)bits81_lowest(set);
    }
    if (n < 3) { /* such a turn can fill the board */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                cells[i * n + j] = wts_evaluate_cell(state, weights, squares[i], squares[j]);
        return n;
    }

    wts_view view;
    wts_view_read(&view, state);
    wts_reader readers[WTS_LINES], egg_readers[WTS_LINES];
    wts_readers(readers, &view, weights, 0);
    wts_readers(egg_readers, &view, weights, 1);

    /* What one turtle, or an egg after a collision, adds to the lines; and what two on one line add beyond that. */
    int base = 0, egg_base = 0, pairs = 0;
    int added[2][81], egg_added[81], beyond[2048];
    uint16_t where[2048];
    memset(added, 0, sizeof added);
    memset(egg_added, 0, sizeof egg_added);
    for (int line = 0; line < WTS_LINES; line++) {
        const wts_reader *reader = &readers[line], *egg_reader = &egg_readers[line];
        uint8_t places[9];
        uint32_t unit[9];
        int k = wts_places(&view, line, places), at[9], black[9], white[9];
        int part = wts_part(reader, 0);
        int egg_part = view.phase ? part : reader->table[WTS_PLAIN_SIZE + reader->index]; /* the next phase's table */
        base += part;
        egg_base += egg_part;
        for (int i = 0; i < k; i++) {
            unit[i] = reader->unit[places[i]];
            at[i] = index[wts_geo.square[line][places[i]]];
            black[i] = wts_part(reader, unit[i]) - part;
            white[i] = wts_part(reader, 2 * unit[i]) - part;
            added[0][at[i]] += black[i];
            added[1][at[i]] += white[i];
            egg_added[at[i]] += wts_part(egg_reader, 3 * wts_geo.four[places[i]]) - egg_part;
        }
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++) {
                if (i == j)
                    continue;
                where[pairs] = (uint16_t)(at[i] * n + at[j]);
                beyond[pairs++] = wts_part(reader, unit[i] + 2 * unit[j]) - part - black[i] - white[j];
            }
    }

    /* What completion squares add. A turtle of the other colour takes at most its own square from them. */
    wts_tension tension;
    wts_find_tension(&tension, &view);
    const int *count = tension.count;
    int calm = wts_threat_part(weights, view.phase, count[0], count[1]);
    base += calm;
    bits81 after[2][81]; /* completion squares after a hot turtle, by its square */
    for (int c = 0; c < 2; c++)
        for (bits81 set = tension.hot[c]; set; set &= set - 1) {
            int square = bits81_lowest(set), counts[2];
            after[c][square] = wts_completing(&view, c, square);
            counts[c] = bits81_count(after[c][square]);
            counts[!c] = count[!c] - bits81_has(tension.complete[!c], square);
            added[c][index[square]] += wts_threat_part(weights, view.phase, counts[0], counts[1]) - calm;
        }

    /* Quiet turns, as factors. */
    float factor[2][81], whole = wts_factor(base);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < n; i++)
            factor[c][i] = wts_factor(added[c][i]);
    for (int i = 0; i < n; i++) {
        float row = whole * factor[0][i];
        for (int j = 0; j < n; j++)
            cells[i * n + j] = row * factor[1][j];
    }
    float factors[2048];
    for (int i = 0; i < pairs; i++)
        factors[i] = wts_factor(beyond[i]);
    for (int i = 0; i < pairs; i++)
        cells[where[i]] *= factors[i];
    /* Both hot, or one on a completion square that the other makes: the parts of the two do not add up. */
    for (bits81 set = tension.hot[0]; set; set &= set - 1) {
        int a = bits81_lowest(set);
        for (bits81 hot = (tension.hot[1] | after[0][a]) & ~bits81_of(a); hot; hot &= hot - 1) {
            int b = bits81_lowest(hot), alone[2], counts[2];
            bits81 of_white = bits81_has(tension.hot[1], b) ? after[1][b] : tension.complete[1];
            alone[0] = bits81_count(after[0][a]);
            alone[1] = bits81_count(of_white);
            counts[0] = alone[0] - bits81_has(after[0][a], b);
            counts[1] = alone[1] - bits81_has(of_white, a);
            cells[index[a] * n + index[b]] *= wts_factor(
                wts_threat_part(weights, view.phase, counts[0], counts[1]) + calm -
                wts_threat_part(weights, view.phase, alone[0], count[1] - bits81_has(tension.complete[1], a)) -
                wts_threat_part(weights, view.phase, count[0] - bits81_has(tension.complete[0], b), alone[1]));
        }
    }
    for (bits81 set = tension.hot[1]; set; set &= set - 1) {
        int b = bits81_lowest(set);
        for (bits81 hot = after[1][b] & ~(tension.hot[0] | bits81_of(b)); hot; hot &= hot - 1) {
            int a = bits81_lowest(hot), alone = bits81_count(after[1][b]);
            int left = count[0] - bits81_has(tension.complete[0], b);
            cells[index[a] * n + index[b]] *=
                wts_factor(wts_threat_part(weights, view.phase, left, alone - 1) -
                           wts_threat_part(weights, view.phase, left, alone));
        }
    }
    wts_factors_to_values(cells, n * n);

    /* Collisions. */
    for (int i = 0; i < n; i++) {
        int square = squares[i];
        int score = egg_base + egg_added[i] +
                      wts_threat_part(weights, 1, count[0] - bits81_has(tension.complete[0], square),
                                      count[1] - bits81_has(tension.complete[1], square));
        if (view.eggs < WTS_EGG_PLACES)
            for (int kind = 0; kind < 4; kind++)
                score += wts_egg_part(weights, view.eggs, square, kind, view.pattern[wts_geo.line[square][kind]]);
        cells[i * n + i] = wts_value_of(score);
    }

    /* Turns that are more than two turtles more. */
    wts_brackets brackets[2];
    bits81 loud[2];
    for (int c = 0; c < 2; c++) {
        wts_find_brackets(&brackets[c], view.turtles[c], view.turtles[!c] | view.egg, view.empty);
        loud[c] = brackets[c].closing | tension.complete[c];
    }
    for (int c = 0; c < 2; c++) {
        int stride = c ? n : 1;
        for (bits81 set = loud[c]; set; set &= set - 1) {
            int square = bits81_lowest(set);
            float values[81], *slice = cells + index[square] * (c ? 1 : n);
            bits81 others = legal & ~(loud[!c] | bits81_of(square));
            bits81 doubtful = wts_slice(state, &view, weights, c, square, others, values) & others;
            for (bits81 rest = others & ~doubtful; rest; rest &= rest - 1)
                slice[stride * index[bits81_lowest(rest)]] = values[bits81_lowest(rest)];
            if (c == 0)
                doubtful |= loud[1] & ~bits81_of(square);
            for (; doubtful; doubtful &= doubtful - 1) {
                int other = bits81_lowest(doubtful);
                slice[stride * index[other]] =
                    wts_evaluate_turn(state, &view, weights, c ? other : square, c ? square : other);
            }
        }
    }
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < brackets[c].pairs; i++) {
            int arrival = brackets[c].arrival[i], victim = brackets[c].victim[i];
            int black_sq = c ? victim : arrival, white_sq = c ? arrival : victim;
            cells[index[black_sq] * n + index[white_sq]] = wts_evaluate_turn(state, &view, weights, black_sq, white_sq);
        }
    return n;
}

/* The same, compiled once for every processor and once for those of WTS_PATH_AVX2 and later; see paths.h. */
typedef int (*wts_matrix_path)(const wts_state *, const wts_weight *, float *);

static int wts_matrix_plain(const wts_state *state, const wts_weight *weights, float *cells)
{
    return wts_evaluate_matrix(state, weights, cells);
}

#if defined(__x86_64__)
__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"), flatten)) static int wts_matrix_avx2(
    const wts_state *state, const wts_weight *weights, float *cells)
{
    return wts_evaluate_matrix(state, weights, cells);
}
static inline wts_matrix_path wts_matrix(int path) { return path == WTS_PATH_BASE ? wts_matrix_plain : wts_matrix_avx2; }
#else
static inline wts_matrix_path wts_matrix(int path)
{
    (void)path;
    return wts_matrix_plain;
}
#endif

#endif
