// Rows on new axes: the scores of every row along k directions, centred on the way.
//
//   out(i, c) = Σ_j (x_ij − shift_j) · weights(j, c)
//
//   x        n × p, any strides                  read
//   shift    p                                   read
//   weights  p × k, row-major                    read
//   out      n × k, row-major                    overwritten
//
// Arithmetic is double throughout; a NaN or an infinite cell makes every score of its row NaN or infinite.
//
// A few rows at a time are shifted into a tile of doubles; a register tile of rows × (up to 3 vectors of) directions
// then runs along the columns. Each score is one sum in the order of columns, wherever its row stands.
#pragma once

#include "base/pool.hpp"
#include "simd/levels.hpp"

namespace learnt {

template <class Real>
struct ProjectInput {
    Matrix<const Real> x;
    const double *shift;
    const double *panels;  // groups of directions: (group, column, direction), the last ones padded by zeros
    int64_t directions;
};

// Numbers a vector holds, and directions of all groups with their padding.
inline int64_t project_lanes(Level level) { return level == Level::avx512 ? 8 : level == Level::avx2 ? 4 : 2; }

}  // namespace learnt

#define LEARNT_LOOPS "table/project_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <class Real>
void project_rows(Matrix<const Real> x, const double *shift, const double *weights, int64_t directions, double *out) {
    const Level level = current_level();
    const int64_t p = x.columns, lanes = project_lanes(level), vectors = round_up(directions, lanes) / lanes;
    const Buffer<double> panels(p * vectors * lanes, 0.0);
    double *to = panels.data();
    for (int64_t first = 0; first < vectors; first += 3) {
        const int64_t from = first * lanes, wide = std::min<int64_t>(3, vectors - first) * lanes;
        for (int64_t j = 0; j < p; ++j, to += wide)
            std::copy_n(weights + j * directions + from, std::min(wide, directions - from), to);
    }
    const ProjectInput<Real> in{x, shift, panels.data(), directions};
    // Up to 64 KB of shifted rows, a multiple of eight of them.
    const int64_t tile = std::clamp<int64_t>((64 << 10) / (8 * std::max<int64_t>(p, 1)) / 8 * 8, 8, 64);
    const int64_t work = std::max<int64_t>(1, p * std::max<int64_t>(directions, 1));
    const Blocks blocks = cut(x.rows, std::max<int64_t>(tile, (1 << 18) / work), 1 << 10);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<double> shifted(tile * p);
        LEARNT_AT(level, project_block(in, blocks[b], tile, shifted.data(), out, job));
    });
}

}  // namespace learnt
