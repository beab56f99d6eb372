/* Position texts, the 16 symmetries and the 64-bit key. */
#ifndef WTS_TEXT_H
#define WTS_TEXT_H

#include "rng.h"
#include "turn.h"

enum { WTS_TEXT_MAX = 81 + 8 + 1 + 81 * 3, WTS_SYMMETRIES = 8 };

/* Writes the position text and returns its length; `out` has room for WTS_TEXT_MAX characters. */
static inline int wts_write_text(const wts_state *state, char *out)
{
    bits81 black = bits81_load(state->black), white = bits81_load(state->white), egg = bits81_load(state->egg);
    char *at = out;
    for (int rank = 8; rank >= 0; rank--) {
        int gap = 0;
        for (int square = rank * 9; square < rank * 9 + 9; square++) {
            char piece = bits81_has(black, square) ? 'b' : bits81_has(white, square) ? 'w' : bits81_has(egg, square) ? 'e' : 0;
            if (!piece) {
                gap++;
                continue;
            }
            if (gap)
                *at++ = (char)('0' + gap);
            gap = 0;
            *at++ = piece;
        }
        if (gap)
            *at++ = (char)('0' + gap);
        *at++ = rank ? '/' : ' ';
    }
    if (!state->num_eggs)
        *at++ = '-';
    for (int i = 0; i < state->num_eggs; i++) {
        if (i)
            *at++ = ',';
        *at++ = (char)('A' + state->queue[i] % 9);
        *at++ = (char)('1' + state->queue[i] / 9);
    }
    return (int)(at - out);
}

/* Where a symmetry, numbered as in squares.SYMMETRIES, sends a square. */
static inline int wts_image(int square, int symmetry)
{
    int file = square % 9, rank = square / 9;
    switch (symmetry) {
    case 1: return (8 - file) * 9 + rank;
    case 2: return (8 - rank) * 9 + (8 - file);
    case 3: return file * 9 + (8 - rank);
    case 4: return rank * 9 + (8 - file);
    case 5: return (8 - rank) * 9 + file;
    case 6: return file * 9 + rank;
    case 7: return (8 - file) * 9 + (8 - rank);
    default: return square;
    }
}

static inline bits81 wts_image_set(bits81 set, int symmetry)
{
    bits81 image = 0;
    for (; set; set &= set - 1)
        image |= bits81_of(wts_image(bits81_lowest(set), symmetry));
    return image;
}

/* The position as a symmetry shows it, with the colours swapped if `swap`; outcomes follow. */
static inline wts_state wts_transform(const wts_state *state, int symmetry, int swap)
{
    wts_state image = *state;
    bits81_store(swap ? image.white : image.black, wts_image_set(bits81_load(state->black), symmetry));
    bits81_store(swap ? image.black : image.white, wts_image_set(bits81_load(state->white), symmetry));
    bits81_store(image.egg, wts_image_set(bits81_load(state->egg), symmetry));
    for (int i = 0; i < state->num_eggs; i++)
        image.queue[i] = (uint8_t)wts_image(state->queue[i], symmetry);
    if (swap && (state->outcome == WTS_BLACK_WINS || state->outcome == WTS_WHITE_WINS))
        image.outcome = state->outcome == WTS_BLACK_WINS ? WTS_WHITE_WINS : WTS_BLACK_WINS;
    return image;
}

/* Of the 16 symmetric positions the one whose text sorts first. */
static inline wts_state wts_canonical(const wts_state *state)
{
    char texts[2][WTS_TEXT_MAX];
    int lengths[2], best = 0;
    wts_state least = *state;
    lengths[best] = wts_write_text(state, texts[best]);
    for (int i = 1; i < 2 * WTS_SYMMETRIES; i++) {
        wts_state image = wts_transform(state, i % WTS_SYMMETRIES, i / WTS_SYMMETRIES);
        int other = !best;
        lengths[other] = wts_write_text(&image, texts[other]);
        int common = lengths[0] < lengths[1] ? lengths[0] : lengths[1];
        int order = memcmp(texts[other], texts[best], (size_t)common);
        if (order < 0 || (order == 0 && lengths[other] < lengths[best])) {
            least = image;
            best = other;
        }
    }
    return least;
}

/* The 64-bit key: one splitmix64 number for each turtle and for each egg with its place in the queue. */
static inline uint64_t wts_key(const wts_state *state)
{
    uint64_t key = 0;
    bits81 black = bits81_load(state->black), white = bits81_load(state->white);
    for (; black; black &= black - 1)
        key ^= wts_mix(WTS_GOLDEN * (uint64_t)(bits81_lowest(black) + 1));
    for (; white; white &= white - 1)
        key ^= wts_mix(WTS_GOLDEN * (uint64_t)(81 + bits81_lowest(white) + 1));
    for (int i = 0; i < state->num_eggs; i++)
        key ^= wts_mix(WTS_GOLDEN * (uint64_t)(162 + 81 * i + state->queue[i] + 1));
    return key;
}

#endif
