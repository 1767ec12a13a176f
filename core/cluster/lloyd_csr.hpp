// The k-means pass of cluster/lloyd.hpp on sparse rows: same outputs, O(stored cells × k), no shift.
//
// Centres are turned once (p × k), so that every stored cell adds a multiple of one run of memory to the
// scores of all centres, which stay in registers.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "base/csr.hpp"
#include "cluster/lloyd.hpp"

#define LEARNT_LOOPS "cluster/lloyd_csr_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Whether a slot of k × p sums for each of many blocks is little memory beside the rows.
inline bool sums_fit_blocks(int64_t rows, int64_t k, int64_t p) {
    return k * (p + 1) * cluster_blocks(rows, k, p).count <= 1 << 20;
}

// Σ w·x and Σ w of rows whose labels are known, and Σ w·d² to `centers`. Clusters are summed each by one thread,
// rows in order: no copies of the k × p sums, which are the larger part of sparse tables with many columns.
// Labels outside [0, k) raise.
template <class Real>
double sum_labelled(const Csr<Real> &x, const double *weights, const Real *centers, int64_t k, const int32_t *labels,
                    double *sums, double *cluster_weight) {
    const int64_t p = x.columns;
    std::vector<int64_t> begin(static_cast<size_t>(k) + 1, 0);
    for (int64_t i = 0; i < x.rows; ++i) {
        if (labels[i] < 0 || labels[i] >= k)
            throw std::invalid_argument("Row " + std::to_string(i) + " has the label " + std::to_string(labels[i]) +
                                        ", which is none of the " + std::to_string(k) + " centres.");
        ++begin[static_cast<size_t>(labels[i]) + 1];
    }
    for (size_t c = 0; c < static_cast<size_t>(k); ++c) begin[c + 1] += begin[c];
    const Buffer<int64_t> member(x.rows);
    std::vector<int64_t> next(begin.begin(), begin.end() - 1);
    for (int64_t i = 0; i < x.rows; ++i) member[next[static_cast<size_t>(labels[i])]++] = i;
    const Buffer<double> inertia(k, 0.0);
    run_blocks(k, [&](int64_t c, Job &job) {
        const double square = square_norm(centers + c * p, p);
        double *sum = sums + c * p;
        for (int64_t at = begin[static_cast<size_t>(c)]; at < begin[static_cast<size_t>(c) + 1]; ++at) {
            if (at % 256 == 0) job.check();
            const int64_t i = member[at];
            const double w = weights ? weights[i] : 1.0;
            const Range row = x.row(i);
            inertia[c] += w * squared_distance(x, row, centers + c * p, square);
            for (int64_t e = row.first; e < row.last; ++e) sum[x.column[e]] += w * x.value[e];
            cluster_weight[c] += w;
        }
    });
    return std::accumulate(inertia.data(), inertia.data() + k, 0.0);
}

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

    if (!sums || sums_fit_blocks(x.rows, k, p)) {
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
            add_slots(slots.data(), blocks.count, size, size, sums);
            add_slots(slot_weight.data(), blocks.count, k, k, cluster_weight);
        }
        return std::accumulate(inertia.data(), inertia.data() + blocks.count, 0.0);
    }
    const Buffer<int32_t> own(labels ? 0 : x.rows);
    int32_t *nearest = labels ? labels : own.data();
    const Blocks blocks = cut(x.rows, tile, 256);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t first = blocks[b].first; first < blocks[b].last; first += tile) {
            job.check();
            const Range rows{first, std::min(first + tile, blocks[b].last)};
            LEARNT_AT(level, label_sparse_rows(x, rows, turned.data(), half.data(), padded, nearest + first));
        }
    });
    return sum_labelled(x, weights, centers, k, nearest, sums, cluster_weight);
}

}  // namespace learnt
