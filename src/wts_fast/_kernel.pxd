"""The C side of the kernel, for the extension itself and (through ``__pyx_capi__``) for numba."""

from libc.stdint cimport int8_t, int16_t, int64_t, uint8_t, uint64_t


cdef extern from "paths.h":
    ctypedef struct bits81:
        pass

    ctypedef struct wts_state:
        uint64_t black[2]
        uint64_t white[2]
        uint64_t egg[2]
        uint8_t queue[81]
        uint8_t num_eggs
        uint8_t outcome
        uint8_t pad[5]

    ctypedef struct wts_event:
        uint8_t kind
        uint8_t colour
        uint8_t square
        uint8_t direction

    ctypedef struct wts_log:
        int count
        wts_event events[512]

    ctypedef struct wts_rng:
        uint64_t s[4]

    ctypedef struct wts_tally:
        uint64_t by_outcome[4]
        uint64_t turns
        uint64_t checksum

    ctypedef struct wts_run:
        const wts_state *starts
        uint64_t games_each
        uint64_t first
        uint64_t games
        uint64_t seed
        uint64_t cap
        int8_t *outcomes

    enum:
        WTS_ABI
        WTS_BLACK_WINS
        WTS_CENTRE
        WTS_DRAW
        WTS_EV_CAPTURE
        WTS_EV_DISSOLVE
        WTS_EV_EGG
        WTS_EV_HATCH
        WTS_EV_PLACEMENT
        WTS_PATHS
        WTS_TEXT_MAX
        WTS_UNDECIDED
        WTS_WHITE_WINS

    ctypedef void (*wts_run_path)(const wts_run *, wts_tally *) noexcept nogil
    ctypedef int64_t (*wts_step_path)(wts_state *, int64_t, const int8_t *, const int8_t *) noexcept nogil


cdef extern from *:
    """
    /* Cython has no 128-bit integers; what it needs of a set goes through these. */
    static inline int wts_words_has(const uint64_t words[2], int square) { return bits81_has(bits81_load(words), square); }
    static inline void wts_words_add(uint64_t words[2], int square)
    {
        bits81_store(words, bits81_load(words) | bits81_of(square));
    }
    static inline int wts_words_empty(const uint64_t words[2]) { return (words[0] | words[1]) == 0; }
    static inline int wts_words_list(const uint64_t words[2], uint8_t *out)
    {
        int n = 0;
        for (bits81 set = bits81_load(words); set; set &= set - 1)
            out[n++] = (uint8_t)bits81_lowest(set);
        return n;
    }
    static inline void wts_words_legal(const wts_state *state, uint64_t words[2]) { bits81_store(words, wts_legal_set(state)); }
    static inline void wts_words_winning(const uint64_t words[2], uint64_t out[2])
    {
        bits81_store(out, wts_winning(bits81_load(words)));
    }
    /* The lowest squares of the rows along one step: where a run of five starts and the square before is not in it. */
    static inline void wts_words_rows(const uint64_t words[2], int step, uint64_t out[2])
    {
        bits81 files = step == 8 ? WTS_FILES_EI : step == 9 ? BITS81_ALL : WTS_FILES_AE;
        bits81 fives = wts_fives(bits81_load(words), step, files);
        bits81_store(out, fives & ~(fives << step));
    }
    static inline void wts_settle(wts_state *state)
    {
        state->outcome = (uint8_t)wts_judge(bits81_load(state->black), bits81_load(state->white), wts_occupied(state));
    }
    """
    bint wts_words_has(const uint64_t *words, int square) noexcept nogil
    void wts_words_add(uint64_t *words, int square) noexcept nogil
    bint wts_words_empty(const uint64_t *words) noexcept nogil
    int wts_words_list(const uint64_t *words, uint8_t *out) noexcept nogil
    void wts_words_legal(const wts_state *state, uint64_t *words) noexcept nogil
    void wts_words_winning(const uint64_t *words, uint64_t *out) noexcept nogil
    void wts_words_rows(const uint64_t *words, int step, uint64_t *out) noexcept nogil
    void wts_settle(wts_state *state) noexcept nogil
    int wts_state_illegal(const wts_state *state, int black_sq, int white_sq) noexcept nogil


cdef extern from "text.h":
    int wts_write_text(const wts_state *state, char *out) noexcept nogil
    wts_state wts_transform(const wts_state *state, int symmetry, int swap) noexcept nogil
    wts_state wts_canonical(const wts_state *state) noexcept nogil
    uint64_t wts_key(const wts_state *state) noexcept nogil


cdef extern from "paths.h":
    void wts_play(wts_state *state, int black_sq, int white_sq, wts_log *log) noexcept nogil
    uint64_t wts_play_out(wts_state *state, wts_rng *rng, uint64_t cap) noexcept nogil
    int wts_path_usable(int path) noexcept nogil
    wts_run_path wts_path(int path) noexcept nogil
    wts_step_path wts_stepper(int path) noexcept nogil


cdef extern from "eval_matrix.h":
    enum:
        WTS_WEIGHTS
    void wts_eval_prepare() noexcept nogil
    float wts_evaluate(const wts_state *state, const int16_t *weights) noexcept nogil
    float wts_evaluate_cell(const wts_state *state, const int16_t *weights, int black_sq, int white_sq) noexcept nogil
    ctypedef int (*wts_matrix_path)(const wts_state *, const int16_t *, float *) noexcept nogil
    wts_matrix_path wts_matrix(int path) noexcept nogil


cdef extern from "tactics.h":
    int wts_bound_value(const wts_state *state, float *lower, float *upper) noexcept nogil


cdef class Position:
    cdef wts_state state
    cdef int _refuse(self, int black_sq, int white_sq) except -1

# For numba, which finds these by name: `state` points to a wts_state, squares are legal, nothing is checked.
cdef void wts_turn(void *state, int black_sq, int white_sq) noexcept nogil
cdef int wts_legal(void *state, unsigned char *squares) noexcept nogil
cdef int wts_playout(void *state, unsigned long long *rng, int cap) noexcept nogil
cdef long long wts_value_sum(void *state, unsigned long long seed, int games, int cap) noexcept nogil
cdef int wts_bounds(void *state, float *lower, float *upper) noexcept nogil
cdef float wts_eval(void *state, void *weights) noexcept nogil
cdef float wts_eval_cell(void *state, void *weights, int black_sq, int white_sq) noexcept nogil
cdef int wts_eval_matrix(void *state, void *weights, float *cells) noexcept nogil
