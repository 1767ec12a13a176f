// One half of a sweep of alternating least squares: every row of one side anew, the other side being fixed.
//
// Explicit ratings, z = (x, b), f_i = (y_i, 1) (without biases x and y_i alone):
//   minimise Σ_i w_i (t_i − c_i − z·f_i)² + λ_u |z|²
// Implicit feedback (Hu, Koren, Volinsky 2008): w_i is the confidence in t_i, and everything that is not there counts as
// t = 0 with confidence 1. Those sums are the same for all rows but for what is there:
//   minimise Σ_all (c_i + z·f_i)² + Σ_i [w_i (t_i − c_i − z·f_i)² − (c_i + z·f_i)²] + λ_u |z|²
//
// `cg`: some steps of conjugate gradients from where the row stands (Takács, Pilászy, Tikk 2011). Each step lowers the
// objective by |r|⁴ / pᵀAp, so that what is left after it is known without another look at the ratings.
// `exact`: normal equations by Cholesky's method. `nonnegative`: of those, coordinates in turn, cut off at 0.
//
//   rows, side, whole (null for explicit ratings)             read
//   penalty   one λ_u a row                                   read
//   factors, bias                                             updated
//   left      what the minimum above comes to, a row          written
//
// Rows are independent: the same bits for any number of threads.
#pragma once

#include "recommendation/rows.hpp"

#define LEARNT_LOOPS "recommendation/als_simd.hpp"
#include "simd/each_level.hpp"
#define LEARNT_LOOPS "recommendation/normal_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <class Real>
void solve_factor_rows(const RatingRows<Real> &rows, const FactorSide<Real> &side, const WholeSide<Real> *whole,
                       const double *penalty, const FactorOptions &options, Real *factors, Real *bias, double *left) {
    const Level level = current_level();
    constexpr int64_t at_once = 32;
    const bool cg = options.solver == FactorSolver::cg;
    run_blocks((rows.count + at_once - 1) / at_once, [&](int64_t block, Job &job) {
        const int64_t size = side.width + 1;
        const Buffer<double> scratch(cg ? 5 * size : (size + 5) * size, 0.0);
        const Buffer<Real> cast(cg ? 2 * side.width : side.width * side.width + 2 * side.width, Real{0});
        for (int64_t u = block * at_once; u < std::min((block + 1) * at_once, rows.count); ++u) {
            job.check();
            Real *x = factors + u * side.width, *b = bias ? bias + u : nullptr;
            if (cg)
                LEARNT_AT(level, conjugate_row(rows, u, side, whole, penalty[u], options.steps, scratch.data(),
                                               cast.data(), x, b, left[u]));
            else
                LEARNT_AT(level, normal_row(rows, u, side, whole, penalty[u], options, scratch.data(), cast.data(), x, b, left[u]));
        }
    });
}

// out (width + 2)², updated: Σ (y, 1, o)(y, 1, o)ᵀ over a side, its upper triangle.
template <class Real>
void sum_side(const FactorSide<Real> &side, double *out) {
    const Level level = current_level();
    const int64_t k = side.width, slot = k * k + 2 * k + 3;
    const Blocks blocks = cut(side.count, 1024, 64);
    const Buffer<double> slots(blocks.count * slot, 0.0);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        const Buffer<Real> scratch(k * k);
        double *to = slots.data() + b * slot, *sums = to + k * k, *pull = sums + k, *rest = pull + k;
        const Range range = blocks[b];
        LEARNT_AT(level, add_gram(side, range.first, range.last, scratch.data(), to));
        for (int64_t i = range.first; i < range.last; ++i) {
            const Real *y = side.row(i);
            const double o = side.bias ? static_cast<double>(side.bias[i]) : 0.0;
            for (int64_t a = 0; a < k; ++a) {
                sums[a] += static_cast<double>(y[a]);
                pull[a] += o * static_cast<double>(y[a]);
            }
            rest[0] += 1;
            rest[1] += o;
            rest[2] += o * o;
        }
    });
    const int64_t n = k + 2;
    for (int64_t b = 0; b < blocks.count; ++b) {
        const double *from = slots.data() + b * slot;
        for (int64_t i = 0; i < k; ++i) {
            for (int64_t j = i; j < k; ++j) out[i * n + j] += from[i * k + j];
            out[i * n + k] += from[k * k + i];
            out[i * n + k + 1] += from[k * k + k + i];
        }
        out[k * n + k] += from[k * k + 2 * k];
        out[k * n + k + 1] += from[k * k + 2 * k + 1];
        out[(k + 1) * n + k + 1] += from[k * k + 2 * k + 2];
    }
}

}  // namespace learnt
