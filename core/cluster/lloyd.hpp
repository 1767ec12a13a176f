// The k-means pass: every row to its nearest centre, and the sums from which the centres move.
//
//   label_i = argmin_c |x_i − c|²  (the first of equals),   sums_c += Σ w_i x_i,   cluster_weight_c += Σ w_i
//   returns Σ w_i |x_i − c(label_i)|², from the differences themselves
//
//   x               n × p, any strides, finite                                read
//   weights         n, or null for ones                                       read
//   centers         k × p, row-major, finite                                  read
//   shift           p: subtracted from rows and centres before comparing      read
//   labels          n, or null                                                overwritten
//   sums            k × p, row-major, or null together with cluster_weight    updated, never cleared
//   cluster_weight  k                                                         updated, never cleared
//
// Centres are compared by x·c − |c|²/2, whose rounding errors grow with the distance from the origin: a
// shift near the mean keeps float32 honest. Vectors run across rows and centres are broadcast, so that a
// register tile of 2 vectors of rows × 12 centres is compared lane by lane: no shuffles, no n × k matrix,
// and hardly any waste for any k. (Vectors across centres waste up to 15 lanes and need a reduction per
// row.) Each tile of rows is turned once, and summed while it is still in cache.
#pragma once

#include <limits>
#include <type_traits>
#include <vector>

#include "base/pool.hpp"
#include "base/slots.hpp"
#include "base/tile.hpp"
#include "distance/packed_centers.hpp"
#include "simd/levels.hpp"

namespace learnt {

// Rows per tile: turned, compared and summed while in cache.
inline constexpr int64_t assign_rows = 128;

template <class Real>
struct AssignInput {
    Matrix<const Real> x;
    const double *weights;
    const Real *centers;
    const Real *shift;
    const PackedCenters<Real> &packed;
};

}  // namespace learnt

#define LEARNT_LOOPS "cluster/lloyd_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Blocks of rows that each hold a slot of k × (p + 1) sums: at most 128 MB of slots, and rows enough that
// adding a slot is little work beside filling it.
inline Blocks cluster_blocks(int64_t rows, int64_t k, int64_t p) {
    return cut(rows, 1024, std::clamp<int64_t>((128 << 20) / (8 * k * (p + 1)), 2, 64));
}

// Runs body(rows, slot, weight, inertia, turned, scratch, job) on blocks of rows, each with a slot for k × p sums
// and k weights (null if `sums` is) and scratch memory, and adds the slots in order. Returns the sum of inertias.
template <class Real, class Body>
double sum_in_blocks(const AssignInput<Real> &in, int64_t k, double *sums, double *cluster_weight, Body body) {
    const int64_t p = in.x.columns, size = k * p;
    const Blocks blocks = cluster_blocks(in.x.rows, k, p);
    const Buffer<double> slots(sums ? blocks.count * size : 0), slot_weight(sums ? blocks.count * k : 0);
    const Buffer<double> inertia(blocks.count, 0.0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<Real> turned(p * 2 * 64 / static_cast<int64_t>(sizeof(Real)));
        const Buffer<Real> scratch(in.x.rows_contiguous() ? 0 : assign_rows * p);
        double *slot = sums ? slots.data() + b * size : nullptr, *weight = sums ? slot_weight.data() + b * k : nullptr;
        if (sums) std::fill_n(slot, size, 0.0), std::fill_n(weight, k, 0.0);
        body(blocks[b], slot, weight, inertia[b], turned.data(), scratch.data(), job);
    });
    if (sums) {
        add_slots(slots.data(), blocks.count, size, size, sums);
        add_slots(slot_weight.data(), blocks.count, k, k, cluster_weight);
    }
    double total = 0;
    for (int64_t b = 0; b < blocks.count; ++b) total += inertia[b];
    return total;
}

template <class Real>
double assign_and_sum(Matrix<const Real> x, const double *weights, const Real *centers, int64_t k, const double *shift,
                      int32_t *labels, double *sums, double *cluster_weight) {
    const Level level = current_level();
    const int64_t p = x.columns;
    // Any shift will do as long as rows and centres share it: one that Real can hold.
    const Buffer<Real> rounded(p);
    for (int64_t j = 0; j < p; ++j) rounded[j] = static_cast<Real>(shift[j]);
    const PackedCenters<Real> packed(centers, k, p, rounded.data(), largest_group(level));
    const AssignInput<Real> in{x, weights, centers, rounded.data(), packed};
    return sum_in_blocks(in, k, sums, cluster_weight, [&](Range rows, double *slot, double *weight, double &inertia,
                                                          Real *turned, Real *scratch, Job &job) {
        LEARNT_AT(level, assign_block(in, rows, labels, slot, weight, inertia, turned, scratch, job));
    });
}

}  // namespace learnt
