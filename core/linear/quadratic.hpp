// The step of a proximal Newton method: coordinate descent on a quadratic with an L1 penalty,
//
//   min_b  ½ (b − a)ᵀ H (b − a) + gᵀ (b − a) + Σ_j penalty_j |b_j|
//
//   curvature  H, m × m, row-major, symmetric, positive semi-definite    read
//   penalty    m, not negative                                           read
//   point      m, a on entry, b on return                                updated
//   gradient   m, g on entry, g + H (b − a) on return                    updated
//
// Coordinates without curvature stay where they are. Sweeps over all coordinates alternate with sweeps over
// those that moved, until no coordinate moves the objective by more than `tolerance` or `most` sweeps are made.
// Returns the number of sweeps.
#pragma once

#include <cmath>
#include <vector>

#include "base/pool.hpp"

namespace learnt {

inline int64_t descend_quadratic(const double *curvature, const double *penalty, int64_t m, double tolerance, int64_t most,
                                 double *point, double *gradient) {
    std::vector<int64_t> moving;
    const auto step = [&](int64_t j) {
        const double h = curvature[j * m + j];
        if (!(h > 0)) return 0.0;
        const double before = point[j], aim = before - gradient[j] / h, slack = penalty[j] / h;
        const double after = std::copysign(std::max(0.0, std::fabs(aim) - slack), aim), moved = after - before;
        if (moved == 0) return 0.0;
        point[j] = after;
        const double *row = curvature + j * m;
        for (int64_t i = 0; i < m; ++i) gradient[i] += moved * row[i];
        return h * moved * moved;
    };
    const std::atomic<bool> never{false};
    Job job(never);
    for (int64_t sweep = 0; sweep < most;) {
        job.check();
        moving.clear();
        double largest = 0;
        for (int64_t j = 0; j < m; ++j) {
            const double gain = step(j);
            largest = std::max(largest, gain);
            if (gain > 0 || point[j] != 0) moving.push_back(j);
        }
        ++sweep;
        if (largest <= tolerance) return sweep;
        for (double gain = largest; gain > tolerance && sweep < most; ++sweep) {
            gain = 0;
            for (const int64_t j : moving) gain = std::max(gain, step(j));
        }
    }
    return most;
}

}  // namespace learnt
