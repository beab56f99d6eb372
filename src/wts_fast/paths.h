/* Which code plays the random games: chosen once, at import, by what the processor has. */
#ifndef WTS_PATHS_H
#define WTS_PATHS_H

#include "playout.h"

enum { WTS_PATH_BASE, WTS_PATH_AVX2, WTS_PATH_AVX512, WTS_PATHS };

typedef void (*wts_run_path)(const wts_run *, wts_tally *);
typedef int64_t (*wts_step_path)(wts_state *, int64_t, const int8_t *, const int8_t *);

#if defined(__x86_64__)

#include "lanes256.h"
#include "lockstep.h"

#include "lanes512.h"
#include "lockstep.h"

/* The plain code once more, compiled for processors that count and shift bits in one instruction. */
__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"), flatten)) static int64_t wts_step_avx2(
    wts_state *states, int64_t n, const int8_t *black, const int8_t *white)
{
    return wts_step_plain(states, n, black, white);
}

static inline int wts_path_usable(int path)
{
    __builtin_cpu_init();
    if (path == WTS_PATH_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
               __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq") &&
               __builtin_cpu_supports("bmi2");
    if (path == WTS_PATH_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("popcnt");
    return path == WTS_PATH_BASE;
}

static inline wts_run_path wts_path(int path)
{
    return path == WTS_PATH_AVX512 ? wts_run_lockstep_512 : path == WTS_PATH_AVX2 ? wts_run_lockstep_256 : wts_run_plain;
}
static inline wts_step_path wts_stepper(int path) { return path == WTS_PATH_BASE ? wts_step_plain : wts_step_avx2; }

#else

static inline int wts_path_usable(int path) { return path == WTS_PATH_BASE; }
static inline wts_run_path wts_path(int path)
{
    (void)path;
    return wts_run_plain;
}
static inline wts_step_path wts_stepper(int path)
{
    (void)path;
    return wts_step_plain;
}

#endif

#endif
