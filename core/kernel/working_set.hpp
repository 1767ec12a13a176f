// The dual of support vector machines, on a few rows whose kernel values are all at hand.
//
// Every machine is one problem in the signed dual coefficients β, one a row:
//
//   minimise  ½ βᵀKβ − zᵀβ + ε |β|₁      subject to  Σβ fixed,  low ≤ β ≤ high
//
//   classes      z = y = ±1, ε = 0, 0 ≤ yβ ≤ C          regression   z the target, −C ≤ β ≤ C
//   one class    z = 0, ε = 0, 0 ≤ β ≤ C, Σβ = ν Σw
//
// With F = Kβ, β_i may go up while z_i − F_i − ε sgn⁺(β_i) is larger than the same of a β_j that may go down: the
// largest such difference is the violation of the optimality conditions (KKT).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/pool.hpp"
#include "simd/levels.hpp"

namespace learnt {

struct DualRows {
    const double *target, *low, *high;
    double epsilon;

    // How much the objective falls when β_i = b goes up, or when it goes down, a little; at 0 the two differ by 2ε.
    double up(int64_t i, double b, double f) const {
        return b < high[i] ? target[i] - f - (b >= 0 ? epsilon : -epsilon) : -std::numeric_limits<double>::infinity();
    }
    double down(int64_t i, double b, double f) const {
        return b > low[i] ? target[i] - f - (b > 0 ? epsilon : -epsilon) : std::numeric_limits<double>::infinity();
    }
    // How far β_i may go before the slope of its own term changes.
    double room_up(int64_t i, double b) const { return epsilon > 0 && b < 0 ? -b : high[i] - b; }
    double room_down(int64_t i, double b) const { return epsilon > 0 && b > 0 ? b : b - low[i]; }
};

// A coefficient that rounding alone keeps from its bound is there: a row that seems free decides the intercept alone.
inline double at_bound_if_near(double b, double bound) { return std::abs(bound - b) <= 1e-14 * std::abs(b) ? bound : b; }

// Pairs by second-order information (Fan, Chen & Lin 2005): the row that violates most, with the one that promises the
// largest fall of the objective. Ends when no pair violates by more than `tolerance`, or after `most` steps. Returns the
// steps. K: n × n, row-major.
inline int64_t solve_pairs(const DualRows &rows, int64_t n, const double *K, double tolerance, int64_t most, double *beta,
                           double *F, Job &job) {
    std::vector<double> up(static_cast<size_t>(n)), down(static_cast<size_t>(n)), diagonal(static_cast<size_t>(n));
    const auto look = [&](int64_t k) {
        up[static_cast<size_t>(k)] = rows.up(k, beta[k], F[k]);
        down[static_cast<size_t>(k)] = rows.down(k, beta[k], F[k]);
    };
    for (int64_t k = 0; k < n; ++k) look(k), diagonal[static_cast<size_t>(k)] = K[k * n + k];
    int64_t steps = 0;
    for (; steps < most; ++steps) {
        if (steps % 256 == 0) job.check();
        const int64_t i = std::max_element(up.begin(), up.end()) - up.begin();
        const double most_up = up[static_cast<size_t>(i)], own = diagonal[static_cast<size_t>(i)];
        const double *row = K + i * n;
        double best = 0, least = std::numeric_limits<double>::infinity();
        int64_t j = -1;
        for (int64_t k = 0; k < n; ++k) {
            const double difference = most_up - down[static_cast<size_t>(k)];
            least = std::min(least, down[static_cast<size_t>(k)]);
            const double bend = std::max(own + diagonal[static_cast<size_t>(k)] - 2 * row[k], 1e-12);
            const double gain = difference > 0 ? difference * difference / bend : 0;
            if (gain > best) best = gain, j = k;
        }
        if (j < 0 || most_up - least <= tolerance) break;
        const double curve = own + diagonal[static_cast<size_t>(j)] - 2 * row[j], bend = std::max(curve, 1e-12);
        const double room_i = rows.room_up(i, beta[i]), room_j = rows.room_down(j, beta[j]);
        // Where the objective does not bend it falls up to the bounds, be they 10¹⁰⁰ away; without any it is followed.
        const double wanted = (most_up - down[static_cast<size_t>(j)]) / bend, room = std::min(room_i, room_j);
        const double step = curve <= 0 && std::isfinite(room) ? room : std::min(wanted, room);
        // Ends are reached exactly, so that a row at its bound is known to be there.
        beta[i] = step < room_i ? at_bound_if_near(beta[i] + step, rows.high[i])
                                : rows.epsilon > 0 && beta[i] < 0 ? 0 : rows.high[i];
        beta[j] = step < room_j ? at_bound_if_near(beta[j] - step, rows.low[j])
                                : rows.epsilon > 0 && beta[j] > 0 ? 0 : rows.low[j];
        const double *other = K + j * n;
        for (int64_t k = 0; k < n; ++k) F[k] += step * (row[k] - other[k]);
        for (int64_t k = 0; k < n; ++k) look(k);
    }
    return steps;
}

}  // namespace learnt
