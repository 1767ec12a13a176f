// Linear machines by dual coordinate descent (Hsieh et al. 2008; Ho and Lin 2012). With f_i = w·x_i + b,
//
//   minimise   ½|w|² + Σ c_i l(f_i)
//
//   l of classes  max(0, 1 − y f), or its square;   of targets  max(0, |f − y| − ε), or its square
//
// by its dual, in which w = Σ β_i x_i and every row has a bound of its own:
//
//   minimise   ½|Σ β_i x_i|² − Σ t_i β_i + ε Σ|β_i| + ½ Σ d_i β_i²,    low_i ≤ β_i ≤ high_i
//
// with d = 1/(2c) and no upper bound for the squares, d = 0 and |β_i| ≤ c_i else; of classes β_i has the sign of y_i.
//
// An intercept that nothing penalises asks for Σβ = 0, which single coordinates cannot keep. It is reached by the method
// of multipliers: a column of the constant σ joins the rows, and after every round b moves on by σ² Σβ.
//
// What a row adds to the duality gap is known whenever it is met, so that the gap is estimated on the way; the rounds end
// when a look at all rows confirms it, with a dual point whose Σβ is 0 and the best intercept for its w.
#pragma once

#include <vector>

#include "base/csr.hpp"
#include "base/hash.hpp"
#include "base/pool.hpp"
#include "kernel/linear_cells.hpp"
#include "linear/online/common.hpp"

namespace learnt {

struct MachineLoss {
    bool classes, squared;
    double epsilon;  // of targets

    // How far a score is on the wrong side; 0: not at all.
    double slack(double f, double t) const { return std::max(0.0, classes ? 1 - t * f : std::abs(f - t) - epsilon); }
    double value(double f, double t) const {
        const double s = slack(f, t);
        return squared ? s * s : s;
    }
    double derivative(double f, double t) const {
        const double s = slack(f, t), sign = classes ? -t : f > t ? 1.0 : -1.0;
        return s > 0 ? (squared ? 2 * s * sign : sign) : 0.0;
    }
};

struct MachineSettings {
    bool classes, squared;
    double epsilon;
    double tolerance;  // of the gap, relative to the objective
    int64_t rounds;
    uint64_t seed;
    bool intercept;

    MachineLoss loss() const { return {classes, squared, epsilon}; }
};

// The intercept is where to begin, too.
struct MachineEnd {
    double intercept, objective, gap, violation;
    int64_t rounds;
    bool converged;
};

// One row of a problem: what is asked of it, what a unit of loss costs, |x|², and its coefficient.
struct MachineRow {
    double target, cost, square, beta;
};

// The b that minimises Σ c_i l(f_i + b), by bisection of the derivative, which never falls.
template <class Scores>
double best_intercept(const MachineLoss &loss, const MachineRow *rows, int64_t n, const Scores &f, double near) {
    const auto rises = [&](double b) {
        double sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += rows[i].cost * loss.derivative(f[static_cast<size_t>(i)] + b, rows[i].target);
        return sum;
    };
    double step = 1e-3 * std::max(1.0, std::abs(near)), low = near, high = near;
    const double first = rises(near);
    if (first == 0) return near;
    for (int k = 0; k < 200; ++k, step *= 2) {
        double &end = first > 0 ? low : high;
        end = first > 0 ? near - step : near + step;
        const double there = rises(end);
        if (there == 0) return end;
        if ((there > 0) != (first > 0)) break;
        (first > 0 ? high : low) = end;
    }
    for (int k = 0; k < 100 && high - low > 1e-15 * std::max(std::abs(low), std::abs(high)); ++k) {
        const double middle = low + (high - low) / 2, there = rises(middle);
        if (there == 0) return middle;
        (there > 0 ? high : low) = middle;
    }
    return low + (high - low) / 2;
}

}  // namespace learnt

#define LEARNT_LOOPS "kernel/linear_dual_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// One machine for each unit, side by side; each is sequential, so that threads change no bit.
//
//   truth    values of targets, or classes: unit u tells class u from all others             read
//   cost     n; rows of cost 0 take no part                                                   read
//   beta     units × n: where to begin                                                        updated
//   coef     units × p                                                                        overwritten
//   ends     units: how each ended                                                            updated
template <class Cells>
void solve_linear_duals(const Cells &x, int64_t n, const Truth &truth, const double *cost,
                        const MachineSettings &settings, const int32_t *units, int64_t count, double *beta, double *coef,
                        MachineEnd *ends) {
    const Level level = current_level();
    run_blocks(count, [&](int64_t u, Job &job) {
        LEARNT_AT(level, solve_linear_dual(x, n, truth, units[u], cost, settings, beta + u * n, coef + u * x.columns,
                                           ends[u], job));
    });
}

}  // namespace learnt
