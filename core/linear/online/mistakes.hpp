// Learners that change only when they are wrong, one unit per class (+1 its own class, −1 all others).
//
// A weight of c shows a row ⌊c⌋ times in a row and once more with the rest of a step; once it is right, showing it
// again changes nothing.
//
// perceptron_pass    wrong if y (b + w·x) ≤ 0;  then w += η y x, b += η y
//   coef, intercept            units × p, units    updated
//   late, intercept_late       the same or null: Σ time · change, so that time · w − late is the sum of w over all
//                              visits; time: units, visits so far                                  updated
//   counts, counts_late        units × n or null: steps made at each row, the dual weights; Σ time · step    updated
//   mistakes                   units                                                               updated
//   Begins at place `first` of the course and, with `one`, ends after a mistake; next[unit] is where to go on.
//   From sparse rows `mean` is taken off (null: nothing) without filling their zeros: while a pass lasts, the weights
//   are w − off · mean, and (w − off · mean)·(x − mean) = w·x − off mean·x − w·mean + off |mean|².
//
// winnow_pass        active columns J of a row; says + if Σ_J (up − down) > θ. Wrong about a +: up *= α, down /= α
//   for J. Wrong about a −: up /= α, or up = 0 if it eliminates, down *= α for J.  promotions, demotions: units.
//
// kernel_perceptron_pass    wrong if y f ≤ 0, f the row's score; then every score f_j += y K_ij
//   gram     n × n, of the rows themselves      read
//   scores, counts, counts_late   units × n     updated; counts_late, time, first, one and next as above
#pragma once

#include "base/csr.hpp"
#include "base/pool.hpp"
#include "linear/online/common.hpp"

namespace learnt {

struct PerceptronUnits {
    double *coef, *intercept, *late, *intercept_late, *time, *counts, *counts_late;
    int64_t *mistakes, *next;
};

struct KernelUnits {
    double *scores, *counts, *counts_late, *time;
    int64_t *mistakes, *next;
};

struct WinnowSettings {
    double threshold, alpha;
    bool eliminates;
};

struct WinnowUnits {
    double *up, *down;  // units × p; down null: none
    int64_t *promotions, *demotions;
};

}  // namespace learnt

#define LEARNT_LOOPS "linear/online/mistakes_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <class Real>
void perceptron_pass(Matrix<const Real> x, const double *shift, const double *scale, const int32_t *codes,
                     const Course &course, int64_t first, bool one, double eta, bool intercept, const int32_t *units,
                     int64_t count, const PerceptronUnits &to) {
    const Level level = current_level();
    run_blocks(count, [&](int64_t b, Job &job) {
        const Buffer<double> z(x.columns);
        LEARNT_AT(level, dense_perceptron(x, shift, scale, z.data(), codes, course, first, one, eta, intercept,
                                          units[b], to, job));
    });
}

template <class Real>
void perceptron_pass(const Csr<Real> &x, const double *mean, const int32_t *codes, const Course &course, int64_t first,
                     bool one, double eta, bool intercept, const int32_t *units, int64_t count,
                     const PerceptronUnits &to) {
    const Level level = current_level();
    run_blocks(count, [&](int64_t b, Job &job) {
        LEARNT_AT(level, sparse_perceptron(x, mean, codes, course, first, one, eta, intercept, units[b], to, job));
    });
}

// Only which cells are stored matters.
template <class Real>
void winnow_pass(const Csr<Real> &x, const int32_t *codes, const Course &course, const WinnowSettings &s,
                 const int32_t *units, int64_t count, const WinnowUnits &to) {
    run_blocks(count, [&](int64_t block, Job &job) {
        const int32_t unit = units[block];
        Upcoming upcoming(course);
        double *const up = to.up + unit * x.columns, *const down = to.down ? to.down + unit * x.columns : nullptr;
        for (int64_t step = 0; step < course.count; ++step) {
            if (step % 256 == 0) job.check();
            const int64_t i = upcoming.next();
            const bool truth = codes[i] == unit;
            const Range row = x.row(i);
            for (double visits = course.weight(i); visits > 0; visits -= 1) {
                double sum = 0;
                for (int64_t e = row.first; e < row.last; ++e)
                    sum += up[x.column[e]] - (down ? down[x.column[e]] : 0.0);
                if ((sum > s.threshold) == truth) break;
                ++(truth ? to.promotions : to.demotions)[unit];
                const double factor = std::pow(s.alpha, std::min(visits, 1.0));
                bool moved = false;
                for (int64_t e = row.first; e < row.last; ++e) {
                    double &above = up[x.column[e]];
                    const double before = above, below = down ? down[x.column[e]] : 0.0;
                    above = truth ? above * factor : s.eliminates ? 0.0 : above / factor;
                    if (above > 1e150 || (above < 1e-150 && above > 0)) above = before;
                    if (down) down[x.column[e]] = std::clamp(truth ? below / factor : below * factor, 1e-150, 1e150);
                    moved |= above != before || (down && down[x.column[e]] != below);
                }
                if (!moved) break;  // no active columns, or none that can change: showing it again is in vain
            }
        }
    });
}

inline void kernel_perceptron_pass(Matrix<const double> gram, const int32_t *codes, const Course &course, int64_t first,
                                   bool one, const int32_t *units, int64_t count, const KernelUnits &to) {
    const Level level = current_level();
    run_blocks(count, [&](int64_t b, Job &job) {
        LEARNT_AT(level, kernel_perceptron(gram, codes, course, first, one, units[b], to, job));
    });
}

}  // namespace learnt
