// Of each column of sparse rows: Σ w x, Σ w x² and Σ w [x ≠ 0]. Not finite where a cell is missing or infinite.
//
//   weights                n, or null for ones     read
//   sums, squares, there   p each                  updated, never cleared
//
// Fixed blocks of rows fill slots of their own, which are added in order: the same bits for any number of threads.
#pragma once

#include <vector>

#include "base/csr.hpp"
#include "base/pool.hpp"

namespace learnt {

template <class Real>
void add_column_sums(const Csr<Real> &x, const double *weights, double *sums, double *squares, double *there) {
    const int64_t p = x.columns;
    const Blocks blocks = cut(x.rows, std::max<int64_t>(4096, p), 8);
    std::vector<Buffer<double>> slots;
    for (int64_t b = 0; b < blocks.count; ++b) slots.emplace_back(3 * p, 0.0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        double *const slot = slots[static_cast<size_t>(b)].data();
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            if (i % 256 == 0) job.check();
            const Range row = x.row(i);
            const double w = weights ? weights[i] : 1.0;
            if (w == 0) continue;
            for (int64_t e = row.first; e < row.last; ++e) {
                const double cell = static_cast<double>(x.value[e]), part = w * cell;
                double *const to = slot + 3 * x.column[e];
                to[0] += part;
                to[1] += part * cell;
                to[2] += cell != 0 ? w : 0.0;
            }
        }
    });
    for (const Buffer<double> &slot : slots)
        for (int64_t j = 0; j < p; ++j) {
            sums[j] += slot[3 * j];
            squares[j] += slot[3 * j + 1];
            there[j] += slot[3 * j + 2];
        }
}

// out = the stored cells, each times the factor of its column.
template <class Real>
void scale_columns(const Csr<Real> &x, const double *factor, double *out) {
    const Blocks blocks = cut(x.rows, 1024, 256);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            if (i % 256 == 0) job.check();
            const Range row = x.row(i);
            for (int64_t e = row.first; e < row.last; ++e) out[e] = static_cast<double>(x.value[e]) * factor[x.column[e]];
        }
    });
}

}  // namespace learnt
