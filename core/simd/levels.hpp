// The choice of instruction set when the program runs.
//
// Loops that gain from wide vectors stand in files `*_simd.hpp`. `simd/each_level.hpp` compiles such a file once
// per level, in namespaces learnt::baseline, learnt::avx2 and learnt::avx512, with `Bytes` the width of a
// vector there. LEARNT_AT(level, f(x)) calls the f of one level:
//
//   #define LEARNT_LOOPS "table/gram_simd.hpp"
//   #include "simd/each_level.hpp"
//   ...
//   LEARNT_AT(level, gram_block(x, rows, slot, job));
//
// The whole file is compiled for its level by a pragma, templates and lambdas included, but not constructors
// the compiler writes itself: write them. (Templates over the
// width, inlined into functions with a target attribute, are simplified for the baseline before they are
// inlined: a broadcast became sixteen inserts and k-means ran six times slower.)
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/matrix.hpp"

#define LEARNT_INLINE [[gnu::always_inline]] inline
// Full unrolling turns small arrays of vectors into registers.
#if defined(__clang__)
#define LEARNT_UNROLL _Pragma("clang loop unroll(full)")
#define LEARNT_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define LEARNT_UNROLL _Pragma("GCC unroll 32")
#define LEARNT_ROLLED _Pragma("GCC unroll 1")
#endif

#if defined(__x86_64__) && !defined(LEARNT_BASELINE_ALONE)
#define LEARNT_X86 1
#define LEARNT_AT(level, ...)                                     \
    do {                                                          \
        if ((level) == ::learnt::Level::avx512)                   \
            ::learnt::avx512::__VA_ARGS__;                        \
        else if ((level) == ::learnt::Level::avx2)                \
            ::learnt::avx2::__VA_ARGS__;                          \
        else                                                      \
            ::learnt::baseline::__VA_ARGS__;                      \
    } while (0)
#else
#define LEARNT_X86 0
#define LEARNT_AT(level, ...) (static_cast<void>(level), ::learnt::baseline::__VA_ARGS__)
#endif

namespace learnt {

enum class Level : int { baseline = 0, avx2 = 1, avx512 = 2 };
inline constexpr std::string_view level_names[] = {"baseline", "avx2", "avx512"};

inline bool supported(Level level) {
#if LEARNT_X86
    __builtin_cpu_init();
    if (level == Level::avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && supported(Level::avx2);
    if (level == Level::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return level == Level::baseline;
}

// The level named LEARNT_SIMD if this machine has it, else the best it has.
inline Level starting_level() {
    const char *wanted = std::getenv("LEARNT_SIMD");
    for (int l = 2; l >= 0; --l)
        if (wanted && level_names[l] == wanted && supported(Level{l})) return Level{l};
    for (int l = 2; l > 0; --l)
        if (supported(Level{l})) return Level{l};
    return Level::baseline;
}

inline std::atomic<Level> &current_level() {
    static std::atomic<Level> level{starting_level()};
    return level;
}

}  // namespace learnt

#define LEARNT_LOOPS "simd/vectors_simd.hpp"
#include "simd/each_level.hpp"
