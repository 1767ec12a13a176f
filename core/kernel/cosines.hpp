// Random Fourier features from projections: x ← scale · cos(x + phase), column by column.
//
//   values   n × k, row-major     updated
//   phase    k                    read
//
// Absolute error below 1e-15 up to projections of a million, beyond which the library's cosine is asked lane by lane: a
// value depends on its own cell alone.
#pragma once

#include <cmath>

#include "base/pool.hpp"
#include "simd/math.hpp"

#define LEARNT_LOOPS "kernel/cosines_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

inline void turn_to_cosines(double *values, int64_t n, int64_t k, const double *phase, double scale) {
    const Level level = current_level();
    const Blocks blocks = cut(n, std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(k, 1)), 1 << 10);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            LEARNT_AT(level, cosines_of_row(values + i * k, k, phase, scale));
        }
    });
}

}  // namespace learnt
