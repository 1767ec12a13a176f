// What each row says about each class, if every column of a class is a bell curve of its own:
//
//   out(c, i) += Σ_j −½ (log 2π σ²_cj + (x_ij − μ_cj)² / σ²_cj)
//
//   x               n × p, any strides; NaN is missing and its term is left out     read
//   mean, variance  k × p, variances above 0                                        read
//   out             k × n                                                           updated, never cleared
//
// Rows are turned so that vectors run across them; a column is loaded once for four classes, whose sums stay in
// registers. The logarithms are one number per class: only rows with a NaN need them per column.
#pragma once

#include <cmath>
#include <numbers>

#include "base/pool.hpp"
#include "base/tile.hpp"
#include "simd/levels.hpp"

namespace learnt {

// Means, halves of the inverse variances and −½ log 2πσ²: p × k, so that the classes of a column are neighbours.
struct BellCurves {
    int64_t classes, columns;
    Buffer<double> mean, half, constant, sum;

    BellCurves(const double *means, const double *variances, int64_t k, int64_t p)
        : classes(k), columns(p), mean(p * k), half(p * k), constant(p * k), sum(k, 0.0) {
        for (int64_t c = 0; c < k; ++c)
            for (int64_t j = 0; j < p; ++j) {
                const double v = variances[c * p + j];
                mean[j * k + c] = means[c * p + j];
                half[j * k + c] = 0.5 / v;
                constant[j * k + c] = -0.5 * std::log(2 * std::numbers::pi * v);
                sum[c] += constant[j * k + c];
            }
    }
};

}  // namespace learnt

#define LEARNT_LOOPS "bayes/gaussian_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <class Real>
void gaussian_evidence(Matrix<const Real> x, const double *mean, const double *variance, int64_t classes, double *out) {
    const Level level = current_level();
    const BellCurves curves(mean, variance, classes, x.columns);
    const int64_t work = std::max<int64_t>(1, x.columns * (classes + 2));
    const Blocks blocks = cut(x.rows, (1 << 18) / work, 1 << 12);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<Real> turned(x.columns * 64);
        LEARNT_AT(level, gaussian_block(x, curves, blocks[b], turned.data(), out, job));
    });
}

}  // namespace learnt
