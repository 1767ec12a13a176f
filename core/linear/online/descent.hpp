// Gradient descent of units f(x) = b + w·z, z the centred and scaled row, one unit per class or target:
//
//   minimise   mean_i  c_i L(f(x_i), y_i)  +  α ((1 − ρ)/2 |w|² + ρ |w|₁)
//
//   x          n × p, any strides with shift and scale (p each), or sparse with the mean to take off (p, or null)
//   units      which units take part; unit u scores class u, or the target if there are values
//   coef, intercept           units × p, units     updated
//   coef_sum, intercept_sum   the same, sums over the steps for the average; null: none      updated
//   loss                      units, Σ c_i L before each step                                updated
//
// descend_rows takes one step per row. The penalty's shrinking is a factor kept aside, and the mean taken off a
// sparse row is a multiple of one vector kept aside, so that a step touches the stored cells only. L1 is owed by
// each weight and paid when the weight is next met (Tsuruoka, Tsujii and Ananiadou 2009).
//
// descend_batches takes one step per batch of rows, by plain gradients, with momentum, Nesterov's or Adam's, which
// costs p each. `speed` and `scale` (units × (p + 1), the intercept last) are what these remember.
//
// Units run side by side; each one alone is sequential, so threads change nothing.
#pragma once

#include "base/csr.hpp"
#include "base/pool.hpp"
#include "linear/online/common.hpp"

namespace learnt {

enum class Optimizer : int { plain, momentum, nesterov, adam };

struct DescentSettings {
    Loss loss;
    Rate rate;
    double alpha, l1_ratio;
    bool intercept;
    Optimizer optimizer;
    double momentum;
    int64_t batch_size;
    double first_step;  // steps taken before
};

struct Units {
    double *coef, *intercept, *coef_sum, *intercept_sum, *loss;
    double *speed, *scale;  // of descend_batches
};

}  // namespace learnt

#define LEARNT_LOOPS "linear/online/descent_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Runs the loop on every unit. `make(z)` gives the rows of a level, z being scratch for one row.
template <class Run>
void each_unit(const int32_t *units, int64_t count, int64_t p, const Run &run) {
    run_blocks(count, [&](int64_t b, Job &job) {
        const Buffer<double> z(p);
        run(units[b], z.data(), job);
    });
}

template <class Real>
void descend_rows(Matrix<const Real> x, const double *shift, const double *scale, const Truth &truth,
                  const Course &course, const DescentSettings &settings, const int32_t *units, int64_t count,
                  const Units &to) {
    const Level level = current_level();
    each_unit(units, count, x.columns, [&](int32_t u, double *z, Job &job) {
        LEARNT_AT(level, descend_dense_rows(x, shift, scale, z, truth, course, settings, u, to, job));
    });
}

template <class Real>
void descend_rows(const Csr<Real> &x, const double *mean, const Truth &truth, const Course &course,
                  const DescentSettings &settings, const int32_t *units, int64_t count, const Units &to) {
    const Level level = current_level();
    each_unit(units, count, 0, [&](int32_t u, double *, Job &job) {
        LEARNT_AT(level, descend_sparse_rows(x, mean, truth, course, settings, u, to, job));
    });
}

template <class Real>
void descend_batches(Matrix<const Real> x, const double *shift, const double *scale, const Truth &truth,
                     const Course &course, Range part, const DescentSettings &settings, const int32_t *units,
                     int64_t count, const Units &to) {
    const Level level = current_level();
    each_unit(units, count, x.columns, [&](int32_t u, double *z, Job &job) {
        LEARNT_AT(level, descend_dense_batches(x, shift, scale, z, truth, course, part, settings, u, to, job));
    });
}

template <class Real>
void descend_batches(const Csr<Real> &x, const double *mean, const Truth &truth, const Course &course, Range part,
                     const DescentSettings &settings, const int32_t *units, int64_t count, const Units &to) {
    const Level level = current_level();
    each_unit(units, count, 0, [&](int32_t u, double *, Job &job) {
        LEARNT_AT(level, descend_sparse_batches(x, mean, truth, course, part, settings, u, to, job));
    });
}

}  // namespace learnt
