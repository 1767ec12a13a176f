// The k-means pass of centers.hpp on sparse rows: same outputs, O(stored cells × k), no shift.
//
// Centres are turned once (p × k), so that every stored cell adds a multiple of one run of memory to the
// scores of all centres, which stay in registers.
#pragma once

#include <string>

#include "centers.hpp"
#include "csr.hpp"

#define LEARNT_LOOPS "centers_csr_simd.hpp"
#include "each_level.hpp"

namespace learnt {

template <class Real>
double assign_and_sum(const Csr<Real> &x, const double *weights, const Real *centers, int64_t k, int32_t *labels,
                      double *sums, double *cluster_weight) {
    constexpr int64_t tile = 128, unit = 64 / static_cast<int64_t>(sizeof(Real));
    const Level level = current_level();
    const int64_t p = x.columns, padded = round_up(k, unit), size = k * p;
    const Buffer<Real> turned(p * padded), half(padded, std::numeric_limits<Real>::infinity());
    const Buffer<double> square(k);
    const Blocks columns = cut(p, 256, 64);
    run_blocks(columns.count, [&](int64_t b, Job &) {
        for (int64_t j = columns[b].first; j < columns[b].last; ++j)
            for (int64_t c = 0; c < padded; ++c) turned[j * padded + c] = c < k ? centers[c * p + j] : Real{0};
    });
    for (int64_t c = 0; c < k; ++c) {
        square[c] = square_norm(centers + c * p, p);
        half[c] = static_cast<Real>(square[c] / 2);
    }

    const Blocks blocks = cluster_blocks(x.rows, k, p);
    const Buffer<double> slots(sums ? blocks.count * size : 0), slot_weight(sums ? blocks.count * k : 0);
    const Buffer<double> inertia(blocks.count, 0.0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        double *slot = slots.data() + b * size, *weight = slot_weight.data() + b * k;
        if (sums) std::fill_n(slot, size, 0.0), std::fill_n(weight, k, 0.0);
        int32_t nearest[tile];
        for (int64_t first = blocks[b].first; first < blocks[b].last; first += tile) {
            job.check();
            const Range rows{first, std::min(first + tile, blocks[b].last)};
            LEARNT_AT(level, label_sparse_rows(x, rows, turned.data(), half.data(), padded, nearest));
            for (int64_t i = rows.first; i < rows.last; ++i) {
                const int32_t c = nearest[i - first];
                const double w = weights ? weights[i] : 1.0;
                const Range row = x.row(i);
                if (labels) labels[i] = c;
                inertia[b] += w * squared_distance(x, row, centers + c * p, square[c]);
                if (!sums) continue;
                for (int64_t e = row.first; e < row.last; ++e) slot[c * p + x.column[e]] += w * x.value[e];
                weight[c] += w;
            }
        }
    });
    if (sums) {
        add_slots(slots.data(), blocks.count, size, sums);
        add_slots(slot_weight.data(), blocks.count, k, cluster_weight);
    }
    double total = 0;
    for (int64_t b = 0; b < blocks.count; ++b) total += inertia[b];
    return total;
}

}  // namespace learnt
