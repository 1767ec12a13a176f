// All distances between two sets of rows, by the definition of distance/measure.hpp: the same bits as its indexes give.
//
//   out_ij = distance(x_i, y_j)      n × m, row-major, overwritten
#pragma once

#include "base/pool.hpp"
#include "distance/measure.hpp"

namespace learnt {

// Rows of y compared at a time, column by column next to each other.
inline constexpr int64_t pairwise_tile = 64;

}  // namespace learnt

#define LEARNT_LOOPS "distance/pairwise_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <class Real>
void pairwise_distances(const Measure &measure, const Real *x, int64_t n, const Real *y, int64_t m, int64_t p, double *out) {
    const Level level = current_level();
    const Blocks rows = cut(n, 64, 256), tiles = cut(m, pairwise_tile, std::max<int64_t>(1, m / pairwise_tile));
    const Blocks wide = cut(tiles.count, 1, 64);
    run_blocks(rows.count * wide.count, [&](int64_t b, Job &job) {
        const Range some = wide[b % wide.count];
        for (int64_t t = some.first; t < some.last; ++t)
            LEARNT_AT(level, pairwise_block(measure, x, rows[b / wide.count], y, tiles[t], m, p, out, job));
    });
}

}  // namespace learnt
