// What a linear model says of every row: out_i = intercept + Σ_j coef_j x_ij, in double.
//
//   x     n × p, any strides, or sparse     read
//   coef  p                                 read
//   out   n                                 overwritten
//
// The order of the sum depends on the table's layout, never on threads or on where a row stands.
#pragma once

#include "base/csr.hpp"
#include "base/pool.hpp"
#include "base/tile.hpp"

#define LEARNT_LOOPS "table/linear_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <class Real>
void predict_linear(Matrix<const Real> x, const double *coef, double intercept, double *out) {
    const Level level = current_level();
    const int64_t p = x.columns;
    const bool down = x.row_stride == 1 && !x.rows_contiguous();  // long runs of each column, to be prefetched
    const int64_t tile = down ? 4096 : std::clamp<int64_t>((64 << 10) / std::max<int64_t>(p, 1), 16, 1024);
    const Blocks blocks = cut(x.rows, std::max<int64_t>(tile, (1 << 16) / std::max<int64_t>(p, 1)), 256);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<Real> scratch(down || x.rows_contiguous() ? 0 : tile * p);
        for (int64_t first = blocks[b].first; first < blocks[b].last; first += tile) {
            job.check();
            const Range rows{first, std::min(first + tile, blocks[b].last)};
            if (down) {
                LEARNT_AT(level, predict_columns(x, rows, coef, intercept, out));
            } else {
                const RowTile<Real> some = row_tile(x, rows.first, rows.size(), scratch.data());
                LEARNT_AT(level, predict_rows(some, rows.size(), p, coef, intercept, out + first));
            }
        }
    });
}

template <class Real>
void predict_linear(const Csr<Real> &x, const double *coef, double intercept, double *out) {
    const Blocks blocks = cut(x.rows, 1024, 256);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            if (i % 1024 == 0) job.check();
            const Range row = x.row(i);
            double sum = 0;
            for (int64_t e = row.first; e < row.last; ++e) sum += coef[x.column[e]] * static_cast<double>(x.value[e]);
            out[i] = intercept + sum;
        }
    });
}

}  // namespace learnt
