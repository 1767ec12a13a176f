// Distances between rows and centres, by differences (no expanded squares, so no shift is needed), and the
// steps of k-means++ that rest on them. Dense rows have any strides; sparse ones are in base/csr.hpp's form.
//
//   distances_to_centers   out_ic = |x_i − c|                                        n × k, row-major, overwritten
//   update_nearest         potentials_c = Σ_i w_i min(nearest_i, |x_i − c|²)         m, overwritten
//   lower_nearest          nearest_i = min(nearest_i, |x_i − c|²)                    n, updated
//   farthest_rows          the `count` rows with the largest |x_i − c(label_i)|²     the smaller row of equals first
//   weighted_pick          the first row at which the running sum of w_i v_i passes the target
//
// weights may be null for ones. Float32 rows are compared in float32 by update_nearest and lower_nearest,
// whose differences lose nothing far from the origin; the others use double.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/csr.hpp"
#include "base/pool.hpp"
#include "base/tile.hpp"
#include "distance/packed_centers.hpp"
#include "simd/levels.hpp"

#define LEARNT_LOOPS "distance/rows_to_centers_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

inline int64_t turned_size(int64_t p, size_t bytes) { return p * 2 * 64 / static_cast<int64_t>(bytes); }

template <class Real>
void distances_to_centers(Matrix<const Real> x, const Real *centers, int64_t k, double *out) {
    const Level level = current_level();
    const int64_t p = x.columns;
    const std::vector<double> exact(centers, centers + k * p);
    const PackedCenters<double> packed(exact.data(), k, p, nullptr, largest_group(level));
    const Blocks blocks = cut(x.rows, 512, 256);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<double> turned(turned_size(p, sizeof(double))), scratch(64 * p);
        LEARNT_AT(level, distance_block(x, blocks[b], packed, k, out, scratch.data(), turned.data(), job));
    });
}

template <class Real>
void distances_to_centers(const Csr<Real> &x, const Real *centers, int64_t k, double *out) {
    const Buffer<double> square(k);
    for (int64_t c = 0; c < k; ++c) square[c] = square_norm(centers + c * x.columns, x.columns);
    const Blocks blocks = cut(x.rows, 512, 256);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            const Range row = x.row(i);
            for (int64_t c = 0; c < k; ++c)
                out[i * k + c] = std::sqrt(squared_distance(x, row, centers + c * x.columns, square[c]));
        }
    });
}

template <class Real>
void update_nearest(Matrix<const Real> x, const double *weights, const Real *centers, int64_t m, const double *nearest,
                    double *potentials) {
    const Level level = current_level();
    const PackedCenters<Real> packed(centers, m, x.columns, nullptr, largest_group(level));
    const Blocks blocks = cut(x.rows, 1024, 64);
    const Buffer<double> slots(blocks.count * m, 0.0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<Real> turned(turned_size(x.columns, sizeof(Real)));
        LEARNT_AT(level, potential_block(x, weights, blocks[b], packed, m, nearest, slots.data() + b * m, turned.data(), job));
    });
    std::fill_n(potentials, m, 0.0);
    add_slots(slots.data(), blocks.count, m, m, potentials);
}

template <class Real>
void update_nearest(const Csr<Real> &x, const double *weights, const Real *centers, int64_t m, const double *nearest,
                    double *potentials) {
    const Level level = current_level();
    const int64_t width = round_up(m, 8);
    const Buffer<double> square(width, 0.0), turned(x.columns * width, 0.0);
    for (int64_t c = 0; c < m; ++c) {
        square[c] = square_norm(centers + c * x.columns, x.columns);
        for (int64_t j = 0; j < x.columns; ++j) turned[j * width + c] = centers[c * x.columns + j];
    }
    const Blocks blocks = cut(x.rows, 1024, 64);
    const Buffer<double> slots(blocks.count * m, 0.0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<double> found(width);
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            if (i % 64 == 0) job.check();
            const double w = weights ? weights[i] : 1.0;
            LEARNT_AT(level, sparse_distances(x, x.row(i), turned.data(), square.data(), width, found.data()));
            for (int64_t c = 0; c < m; ++c) slots[b * m + c] += w * std::min(nearest[i], found[c]);
        }
    });
    std::fill_n(potentials, m, 0.0);
    add_slots(slots.data(), blocks.count, m, m, potentials);
}

template <class Real>
void lower_nearest(Matrix<const Real> x, const Real *center, double *nearest) {
    const Level level = current_level();
    const PackedCenters<Real> packed(center, 1, x.columns, nullptr, largest_group(level));
    const Blocks blocks = cut(x.rows, 1024, 64);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<Real> turned(turned_size(x.columns, sizeof(Real)));
        LEARNT_AT(level, lower_block(x, blocks[b], packed, nearest, turned.data(), job));
    });
}

template <class Real>
void lower_nearest(const Csr<Real> &x, const Real *center, double *nearest) {
    const double square = square_norm(center, x.columns);
    const Blocks blocks = cut(x.rows, 1024, 64);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            if (i % 1024 == 0) job.check();
            nearest[i] = std::min(nearest[i], squared_distance(x, x.row(i), center, square));
        }
    });
}

// Keeps the `count` farthest of the rows it is shown.
class Farthest {
  public:
    struct Row {
        double distance;
        int64_t row;
        bool operator<(const Row &other) const {  // farther comes first
            return distance != other.distance ? distance > other.distance : row < other.row;
        }
    };

    explicit Farthest(int64_t count) : count_(static_cast<size_t>(count)) {}

    void show(Row row) {
        if (rows_.size() == count_) {
            if (count_ == 0 || !(row < rows_.front())) return;
            std::pop_heap(rows_.begin(), rows_.end());
            rows_.pop_back();
        }
        rows_.push_back(row);
        std::push_heap(rows_.begin(), rows_.end());
    }
    void show(const Farthest &other) {
        for (const Row &row : other.rows_) show(row);
    }
    const std::vector<Row> &sorted() {
        std::sort_heap(rows_.begin(), rows_.end());
        return rows_;
    }

  private:
    size_t count_;
    std::vector<Row> rows_;  // a heap: the nearest of the kept first
};

// distance(i) is called for the rows of one block in order.
template <class Distance>
void farthest_of(int64_t rows, int64_t count, int64_t *row, double *distance, Distance squared) {
    const Blocks blocks = cut(rows, 4096, 64);
    std::vector<Farthest> slots(static_cast<size_t>(blocks.count), Farthest(count));
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            if (i % 256 == 0) job.check();
            slots[static_cast<size_t>(b)].show({squared(i), i});
        }
    });
    Farthest all(count);
    for (const Farthest &slot : slots) all.show(slot);
    int64_t at = 0;
    for (const auto &kept : all.sorted()) {
        row[at] = kept.row;
        distance[at++] = kept.distance;
    }
}

inline int64_t checked_label(const int32_t *labels, int64_t i, int64_t k) {
    if (labels[i] < 0 || labels[i] >= k)
        throw std::invalid_argument("Row " + std::to_string(i) + " has the label " + std::to_string(labels[i]) +
                                    ", which is none of the " + std::to_string(k) + " centres.");
    return labels[i];
}

template <class Real>
void farthest_rows(Matrix<const Real> x, const Real *centers, int64_t k, const int32_t *labels, int64_t count,
                   int64_t *rows, double *distances) {
    farthest_of(x.rows, count, rows, distances, [&](int64_t i) {
        const Real *center = centers + checked_label(labels, i, k) * x.columns;
        double sum = 0;
        for (int64_t j = 0; j < x.columns; ++j) {
            const double d = static_cast<double>(x(i, j)) - static_cast<double>(center[j]);
            sum += d * d;
        }
        return sum;
    });
}

template <class Real>
void farthest_rows(const Csr<Real> &x, const Real *centers, int64_t k, const int32_t *labels, int64_t count,
                   int64_t *rows, double *distances) {
    const Buffer<double> square(k);
    for (int64_t c = 0; c < k; ++c) square[c] = square_norm(centers + c * x.columns, x.columns);
    farthest_of(x.rows, count, rows, distances, [&](int64_t i) {
        const int64_t c = checked_label(labels, i, k);
        return squared_distance(x, x.row(i), centers + c * x.columns, square[c]);
    });
}

// out_t = the smallest row whose running sum of w v is greater than targets_t; the last row with w v > 0 if
// rounding leaves none, −1 if no row has any. The running sum is made of fixed blocks, added in order.
inline void weighted_pick(const double *values, const double *weights, int64_t n, const double *targets, int64_t count,
                          int64_t *out) {
    const auto mass = [=](int64_t i) { return weights ? weights[i] * values[i] : values[i]; };
    const Blocks blocks = cut(n, 4096, 256);
    const Buffer<double> before(blocks.count + 1, 0.0);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        double sum = 0;
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) sum += mass(i);
        before[b + 1] = sum;
    });
    for (int64_t b = 0; b < blocks.count; ++b) before[b + 1] += before[b];
    for (int64_t t = 0; t < count; ++t) {
        int64_t b = 0, last = -1, found = -1;
        while (b + 1 < blocks.count && before[b + 1] <= targets[t]) ++b;
        for (; b < blocks.count && found < 0; ++b) {
            double sum = before[b];
            for (int64_t i = blocks[b].first; i < blocks[b].last && found < 0; ++i) {
                if (mass(i) > 0) last = i;
                sum += mass(i);
                if (sum > targets[t] && mass(i) > 0) found = i;
            }
        }
        if (found < 0 && last < 0)
            for (int64_t i = n - 1; i >= 0 && last < 0; --i)
                if (mass(i) > 0) last = i;
        out[t] = found >= 0 ? found : last;
    }
}

}  // namespace learnt
