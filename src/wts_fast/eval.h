/* The evaluation: a value from -1 to 1 for a position, and for every joint turn of a position at once.
 *
 * The score of a board is a sum over its 36 lines of five to nine squares; a line's part stands in a table, by what
 * the line holds (four states a square). The two oldest eggs add a part for each line through them, by what lies up
 * to four squares away, and the completion squares of both players (where one turtle makes a row) add one more.
 *
 * The weights are one block of 16-bit numbers, multiples of 1 / WTS_SCALE: sums of them are exact in any order.
 *
 *     for each phase (no egg on the board; some eggs), WTS_PLAIN_SIZE numbers, for lines without eggs: the tables of ten
 *         classes of lines, which are ranks and files 0 to 4 squares from the edge, then diagonals of 9, 8, 7, 6 and 5
 *         squares; 3^n entries for n squares, square i of them (ascending) counts 3^i: times 0 empty, 1 Black, 2 White
 *     once, WTS_MIXED_SIZE numbers, for lines with eggs: the same with 4^n entries, 3 for an egg
 *     for the oldest egg and for the one after it, 4^8 numbers: four squares below it on a line, then four above it,
 *         those off the board read as eggs
 *     for each phase, 4 x 4 numbers: by the number of Black's and of White's completion squares, 3 standing for more
 *
 * Lines without eggs have tables of their own because these are small: a search keeps them in the processor's cache.
 */
#ifndef WTS_EVAL_H
#define WTS_EVAL_H

#include "turn.h"

typedef int16_t wts_weight;

enum {
    WTS_SCALE = 4096,
    WTS_LINES = 36,
    WTS_LINE_CLASSES = 10,
    WTS_PHASES = 2,
    WTS_PLAIN_SIZE = 6 * 19683 + 6561 + 2187 + 729 + 243,
    WTS_MIXED_SIZE = 6 * 262144 + 65536 + 16384 + 4096 + 1024,
    WTS_EGG_SIZE = 65536,
    WTS_EGG_PLACES = 2,
    WTS_MIXED_START = WTS_PHASES * WTS_PLAIN_SIZE,
    WTS_EGG_START = WTS_MIXED_START + WTS_MIXED_SIZE,
    WTS_THREAT_START = WTS_EGG_START + WTS_EGG_PLACES * WTS_EGG_SIZE,
    WTS_WEIGHTS = WTS_THREAT_START + WTS_PHASES * 16
};

/* A score is cut here before it becomes a value: no unfinished game is worth a whole point. */
#define WTS_MOST_SCORE 12.0f

/* Lines: ranks 0 to 8, files 9 to 17, diagonals to the north-east 18 to 26 and to the north-west 27 to 35. Line 36
 * stands for a diagonal too short to hold a row: it is always empty and counts nowhere. */
static struct {
    uint8_t length[WTS_LINES + 1];
    uint8_t square[WTS_LINES][9];
    uint32_t plain[WTS_LINES], mixed[WTS_LINES]; /* where the tables of the line's class begin */
    uint8_t line[81][4];           /* the lines through a square, by kind */
    uint8_t place[81][4];          /* and its place in them */
    uint32_t unit[81][4];          /* 4 to the power of that, 0 for line 36 */
    bits81 open[WTS_DIRECTIONS];   /* squares with three more squares in a direction */
    uint32_t three[9], four[9];    /* powers */
    uint16_t to_three[1024];       /* five squares without eggs, from powers of 4 to powers of 3 */
} wts_geo;

static void wts_eval_prepare(void)
{
    uint32_t plain[WTS_LINE_CLASSES + 1] = {0}, mixed[WTS_LINE_CLASSES + 1] = {WTS_MIXED_START};
    memset(&wts_geo, 0, sizeof wts_geo);
    for (int i = 0; i < 9; i++) {
        wts_geo.three[i] = i ? 3 * wts_geo.three[i - 1] : 1;
        wts_geo.four[i] = 1u << (2 * i);
    }
    for (int i = 0; i < 1024; i++)
        for (int place = 0; place < 5; place++)
            wts_geo.to_three[i] += (uint16_t)((i >> (2 * place) & 3) * wts_geo.three[place]);
    for (int i = 0; i < WTS_LINE_CLASSES; i++) {
        int length = i < 6 ? 9 : 14 - i;
        plain[i + 1] = plain[i] + 3 * wts_geo.three[length - 1];
        mixed[i + 1] = mixed[i] + 4 * wts_geo.four[length - 1];
    }
    for (int square = 0; square < 81; square++) {
        int file = square % 9, rank = square / 9;
        int numbers[4] = {rank, 9 + file, 18 + file - rank + 4, 27 + file + rank - 4};
        for (int kind = 0; kind < 4; kind++) {
            int number = numbers[kind], low = 9 * kind, off = number - low - 4;
            if (number < low || number >= low + 9) {
                wts_geo.line[square][kind] = WTS_LINES;
                continue;
            }
            if (off < 0)
                off = -off;
            int place = wts_geo.length[number]++;
            wts_geo.square[number][place] = (uint8_t)square;
            wts_geo.plain[number] = plain[kind < 2 ? 4 - off : 5 + off];
            wts_geo.mixed[number] = mixed[kind < 2 ? 4 - off : 5 + off];
            wts_geo.line[square][kind] = (uint8_t)number;
            wts_geo.place[square][kind] = (uint8_t)place;
            wts_geo.unit[square][kind] = 1u << (2 * place);
        }
        for (int d = 0; d < WTS_DIRECTIONS; d++)
            if (wts_open[square] >> d & 1)
                wts_geo.open[d] |= bits81_of(square);
    }
}

/* Squares where one more own turtle makes a row (`complete`), and empty squares of windows of five that hold three own
 * turtles and two empty squares (`three`): placing there makes a completion square. */
static inline void wts_threats(bits81 own, bits81 empty, bits81 *complete, bits81 *three)
{
    bits81 fours = 0, threes = 0, clear = own | empty;
#define WTS_ONE(s, files)                                                                                    \
    {                                                                                                        \
        bits81 x1 = own >> (s), x2 = own >> (2 * (s)), x3 = own >> (3 * (s)), x4 = own >> (4 * (s));         \
        bits81 pairs = clear & clear >> (s), all = pairs & pairs >> (2 * (s)) & clear >> (4 * (s)) & (files); \
        bits81 odd = own ^ x1 ^ x2, carry = (own & x1) | (x2 & (own ^ x1));                                  \
        bits81 carry2 = (odd & x3) | (x4 & (odd ^ x3));                                                      \
        odd ^= x3 ^ x4;                                                                                      \
        bits81 four = all & ~odd & carry & carry2, three_ = all & odd & (carry ^ carry2);                    \
        fours |= four | four << (s) | four << (2 * (s)) | four << (3 * (s)) | four << (4 * (s));             \
        threes |= three_ | three_ << (s) | three_ << (2 * (s)) | three_ << (3 * (s)) | three_ << (4 * (s));  \
    }
    WTS_EACH_ROW_STEP(WTS_ONE)
#undef WTS_ONE
    *complete = fours & empty;
    *three = threes & empty;
}

/* A board as the evaluation reads it. */
typedef struct {
    bits81 turtles[2], egg, empty;
    uint32_t pattern[WTS_LINES + 1];
    int phase, eggs; /* how many of the oldest eggs are read */
    uint8_t oldest[WTS_EGG_PLACES];
} wts_view;

static inline void wts_view_add(wts_view *view, bits81 set, uint32_t code)
{
    for (; set; set &= set - 1) {
        int square = bits81_lowest(set);
        for (int kind = 0; kind < 4; kind++)
            view->pattern[wts_geo.line[square][kind]] += code * wts_geo.unit[square][kind];
    }
}

static inline void wts_view_eggs(wts_view *view, const wts_state *state)
{
    view->phase = state->num_eggs > 0;
    view->eggs = state->num_eggs < WTS_EGG_PLACES ? state->num_eggs : WTS_EGG_PLACES;
    for (int i = 0; i < view->eggs; i++)
        view->oldest[i] = state->queue[i];
}

static inline void wts_view_read(wts_view *view, const wts_state *state)
{
    view->turtles[0] = bits81_load(state->black);
    view->turtles[1] = bits81_load(state->white);
    view->egg = bits81_load(state->egg);
    view->empty = BITS81_ALL & ~(view->turtles[0] | view->turtles[1] | view->egg);
    memset(view->pattern, 0, sizeof view->pattern);
    wts_view_add(view, view->turtles[0], 1);
    wts_view_add(view, view->turtles[1], 2);
    wts_view_add(view, view->egg, 3);
    wts_view_eggs(view, state);
}

/* The same from the view of a board that differs in a few squares. */
static inline void wts_view_follow(wts_view *view, const wts_view *before, const wts_state *state)
{
    *view = *before;
    view->turtles[0] = bits81_load(state->black);
    view->turtles[1] = bits81_load(state->white);
    view->egg = bits81_load(state->egg);
    view->empty = BITS81_ALL & ~(view->turtles[0] | view->turtles[1] | view->egg);
    for (int c = 0; c < 2; c++) {
        wts_view_add(view, view->turtles[c] & ~before->turtles[c], (uint32_t)(c + 1));
        wts_view_add(view, before->turtles[c] & ~view->turtles[c], -(uint32_t)(c + 1));
    }
    wts_view_add(view, view->egg & ~before->egg, 3);
    wts_view_add(view, before->egg & ~view->egg, -(uint32_t)3);
    wts_view_eggs(view, state);
}

/* What lies around place `place` of a line that holds `pattern`: four squares below, four above. */
static inline uint32_t wts_around(uint32_t pattern, int length, int place)
{
    uint64_t padded = 0xFF | (uint64_t)pattern << 8 | 0xFFull << (8 + 2 * length);
    return (uint32_t)(padded >> (2 * place) & 0xFF) | (uint32_t)(padded >> (2 * place + 10) & 0xFF) << 8;
}

/* What the egg number `i` of the queue adds for one kind of line, if that line held `pattern`. */
static inline int wts_egg_part(const wts_weight *weights, int i, int square, int kind, uint32_t pattern)
{
    int line = wts_geo.line[square][kind];
    if (line == WTS_LINES)
        return 0;
    const wts_weight *table = weights + WTS_EGG_START + i * WTS_EGG_SIZE;
    return table[wts_around(pattern, wts_geo.length[line], wts_geo.place[square][kind])];
}

static inline int wts_has_egg(uint32_t pattern) { return (pattern & pattern >> 1 & 0x15555) != 0; }

/* A line's index in its table for lines without eggs; it has none. */
static inline uint32_t wts_plain_index(uint32_t pattern)
{
    return wts_geo.to_three[pattern & 1023] + 243u * wts_geo.to_three[pattern >> 10];
}

/* The sum over the lines, without the part of the completion squares. */
static inline int wts_lines_score(const wts_view *view, const wts_weight *weights)
{
    const wts_weight *plain = weights + view->phase * WTS_PLAIN_SIZE;
    int score = 0;
    for (int line = 0; line < WTS_LINES; line++) {
        uint32_t pattern = view->pattern[line];
        score += wts_has_egg(pattern) ? weights[wts_geo.mixed[line] + pattern]
                                      : plain[wts_geo.plain[line] + wts_plain_index(pattern)];
    }
    for (int i = 0; i < view->eggs; i++)
        for (int kind = 0; kind < 4; kind++) {
            int square = view->oldest[i];
            score += wts_egg_part(weights, i, square, kind, view->pattern[wts_geo.line[square][kind]]);
        }
    return score;
}

/* What the completion squares add. */
static inline int wts_threat_part(const wts_weight *weights, int phase, int black, int white)
{
    return weights[WTS_THREAT_START + 16 * phase + 4 * (black < 3 ? black : 3) + (white < 3 ? white : 3)];
}

/* e to the power x for |x| <= 60, to 2e-7 of it: the same on every machine. */
static inline float wts_exp(float x)
{
    float t = x * 1.44269504f, n = (float)(int)(t + (t < 0 ? -0.5f : 0.5f));
    float r = (x - n * 0.693145752f) - n * 1.42860677e-6f; /* n times the first part of ln 2 is exact */
    float p = 1.0f + r * (1.0f + r * (0.5f + r * (0.16666667f + r * (0.041666668f + r * (0.0083333338f + r * 0.0013888889f)))));
    union {
        int32_t bits;
        float power;
    } two = {((int32_t)n + 127) << 23};
    return p * two.power;
}

static inline float wts_value_of(int score)
{
    float size = (float)(score < 0 ? -score : score) * (1.0f / WTS_SCALE);
    float q = wts_exp(size < WTS_MOST_SCORE ? -size : -WTS_MOST_SCORE), value = (1.0f - q) / (1.0f + q);
    return score < 0 ? -value : value;
}

static inline float wts_result_value(int outcome)
{
    return outcome == WTS_BLACK_WINS ? 1.0f : outcome == WTS_WHITE_WINS ? -1.0f : 0.0f;
}

static inline int wts_score(const wts_view *view, const wts_weight *weights)
{
    bits81 complete[2], three;
    wts_threats(view->turtles[0], view->empty, &complete[0], &three);
    wts_threats(view->turtles[1], view->empty, &complete[1], &three);
    return wts_lines_score(view, weights) +
           wts_threat_part(weights, view->phase, bits81_count(complete[0]), bits81_count(complete[1]));
}

/* Black's value of a position: what the game came to if it is over, else strictly between -1 and 1. */
static inline float wts_evaluate(const wts_state *state, const wts_weight *weights)
{
    if (state->outcome != WTS_UNDECIDED)
        return wts_result_value(state->outcome);
    wts_view view;
    wts_view_read(&view, state);
    return wts_value_of(wts_score(&view, weights));
}

/* The value after a legal turn in `state`, which `before` shows. */
static inline float wts_evaluate_turn(const wts_state *state, const wts_view *before, const wts_weight *weights,
                                      int black_sq, int white_sq)
{
    wts_state after = *state;
    wts_play(&after, black_sq, white_sq, NULL);
    if (after.outcome != WTS_UNDECIDED)
        return wts_result_value(after.outcome);
    wts_view view;
    wts_view_follow(&view, before, &after);
    return wts_value_of(wts_score(&view, weights));
}

/* The value after a legal turn. */
static inline float wts_evaluate_cell(const wts_state *state, const wts_weight *weights, int black_sq, int white_sq)
{
    wts_state after = *state;
    wts_play(&after, black_sq, white_sq, NULL);
    return wts_evaluate(&after, weights);
}

#endif
