// Exchange of single rows: one sweep over the rows in order, each moved at once to the cluster that lowers
// Σ w |x − μ|² most, if any does. μ and W are the mean and the weight of a cluster, without the moves to come:
//
//   leaving a lowers the sum by   w · W_a/(W_a − w) · |x − μ_a|²
//   joining b raises it by        w · W_b/(W_b + w) · |x − μ_b|²
//
//   x               n × p dense, or sparse; finite                             read
//   weights         n, or null for ones                                        read
//   sums            k × p, row-major: Σ w·x of the labels                      read
//   cluster_weight  k: Σ w of the labels                                       read
//   labels          n, each in [0, k)                                          updated
//
// Returns how many rows moved. The last row of a cluster stays; so do rows without weight, and rows that would
// gain less than rounding can make up (else they might move for ever). Every move changes what the next row
// sees: the sweep is one chain and runs on one thread, with vectors across clusters.
//
// Reference: J. Hartigan, Clustering Algorithms, 1975.
#pragma once

#include <cmath>
#include <vector>

#include "base/csr.hpp"
#include "base/pool.hpp"
#include "distance/rows_to_centers.hpp"
#include "simd/levels.hpp"

namespace learnt {

// The clusters, turned: values[j·width + c]; unused places have weight 0 and lie infinitely far away.
struct MovingClusters {
    int64_t k, p, width;
    Buffer<double> values, weight, square, distance;

    MovingClusters(const double *sums, const double *cluster_weight, int64_t k_, int64_t p_, bool means)
        : k(k_), p(p_), width(round_up(k_, 8)), values(p_ * width, 0.0), weight(width, 0.0), square(width, 0.0),
          distance(width) {
        std::copy_n(cluster_weight, k, weight.data());
        for (int64_t c = 0; c < k; ++c)
            for (int64_t j = 0; j < p; ++j) {
                const double sum = sums[c * p + j];
                values[j * width + c] = means ? (weight[c] > 0 ? sum / weight[c] : 0.0) : sum;
                square[c] += sum * sum;
            }
    }
};

}  // namespace learnt

#define LEARNT_LOOPS "cluster/exchange_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

inline void check_labels(const int32_t *labels, int64_t n, int64_t k) {
    for (int64_t i = 0; i < n; ++i) checked_label(labels, i, k);
}

// A sweep with `distances(i)` filling the distances of row i, `move(i, from, to, w)` keeping the clusters up to
// date, and `noise(i, c)` what rounding may do to a distance.
template <class Distances, class Move, class Noise>
int64_t exchange_sweep(MovingClusters &clusters, int64_t n, const double *weights, int32_t *labels,
                       Distances distances, Move move, Noise noise) {
    int64_t moves = 0;
    run_blocks(1, [&](int64_t, Job &job) {
        for (int64_t i = 0; i < n; ++i) {
            if (i % 64 == 0) job.check();
            const double w = weights ? weights[i] : 1.0;
            const int32_t from = labels[i];
            const double rest = clusters.weight[from] - w;
            if (!(w > 0) || rest <= 1e-12 * clusters.weight[from]) continue;
            distances(i);
            const double saved = clusters.weight[from] / rest * clusters.distance[from];
            double least = saved - 1e-10 * saved - noise(i, from);
            int32_t to = from;
            for (int32_t c = 0; c < clusters.k; ++c) {
                if (c == from) continue;
                const double cost = clusters.weight[c] / (clusters.weight[c] + w) * clusters.distance[c];
                if (cost < least) least = cost, to = c;
            }
            if (to == from) continue;
            move(i, from, to, w);
            clusters.weight[from] -= w;
            clusters.weight[to] += w;
            labels[i] = to;
            ++moves;
        }
    });
    return moves;
}

template <class Real>
int64_t exchange_rows(Matrix<const Real> x, const double *weights, const double *sums, const double *cluster_weight,
                      int64_t k, int32_t *labels) {
    check_labels(labels, x.rows, k);
    const Level level = current_level();
    const int64_t p = x.columns;
    MovingClusters clusters(sums, cluster_weight, k, p, true);
    const Buffer<double> row(p);
    return exchange_sweep(
        clusters, x.rows, weights, labels,
        [&](int64_t i) {
            for (int64_t j = 0; j < p; ++j) row[j] = static_cast<double>(x(i, j));
            LEARNT_AT(level, distances_to_means(row.data(), clusters));
        },
        [&](int64_t, int32_t from, int32_t to, double w) {
            const double out = w / (clusters.weight[from] - w), in = w / (clusters.weight[to] + w);
            for (int64_t j = 0; j < p; ++j) {
                double *mean = clusters.values.data() + j * clusters.width;
                mean[from] -= (row[j] - mean[from]) * out;
                mean[to] += (row[j] - mean[to]) * in;
            }
        },
        [](int64_t, int32_t) { return 0.0; });
}

// Sparse rows keep sums instead of means: |x − μ|² = |x|² − 2 x·S/W + |S|²/W², and a move touches stored cells alone.
template <class Real>
int64_t exchange_rows(const Csr<Real> &x, const double *weights, const double *sums, const double *cluster_weight,
                      int64_t k, int32_t *labels) {
    check_labels(labels, x.rows, k);
    const Level level = current_level();
    MovingClusters clusters(sums, cluster_weight, k, x.columns, false);
    const Buffer<double> product(clusters.width);
    double own = 0;
    Range row{0, 0};
    return exchange_sweep(
        clusters, x.rows, weights, labels,
        [&](int64_t i) {
            row = x.row(i);
            own = 0;
            for (int64_t e = row.first; e < row.last; ++e)
                own += static_cast<double>(x.value[e]) * static_cast<double>(x.value[e]);
            LEARNT_AT(level, products_with_sums(x, row, clusters, product.data()));
            for (int64_t c = 0; c < k; ++c) {
                const double weight = clusters.weight[c] > 0 ? clusters.weight[c] : 1.0;
                clusters.distance[c] =
                    std::max(0.0, own - 2 * product[c] / weight + clusters.square[c] / (weight * weight));
            }
        },
        [&](int64_t, int32_t from, int32_t to, double w) {
            clusters.square[from] = std::max(0.0, clusters.square[from] - 2 * w * product[from] + w * w * own);
            clusters.square[to] += 2 * w * product[to] + w * w * own;
            for (int64_t e = row.first; e < row.last; ++e) {
                double *sum = clusters.values.data() + x.column[e] * clusters.width;
                sum[from] -= w * static_cast<double>(x.value[e]);
                sum[to] += w * static_cast<double>(x.value[e]);
            }
        },
        [&](int64_t, int32_t c) {
            return 1e-12 * (own + clusters.square[c] / (clusters.weight[c] * clusters.weight[c]));
        });
}

}  // namespace learnt
