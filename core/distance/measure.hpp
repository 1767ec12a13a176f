// The distances that all indexes of neighbours share.
//
//   distance(x, q) = (Σ_j w_j |x_j − q_j|^e)^(1/e)    l1: e = 1, l2: e = 2, lp: e = power
//                  = max_j w_j |x_j − q_j|            max
//                  = Σ_j w_j [x_j ≠ q_j] / total      hamming
//
// in double, added in the order of columns, no product fused with a sum, whole powers by repeated products: every
// index gives these bits, and a loop in NumPy gives them too. Neighbours are ordered by distance, then by row. Indexes may guess with less;
// whatever they keep is measured by these functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "simd/math.hpp"

namespace learnt {

enum class Norm : int { l1 = 0, l2 = 1, max = 2, lp = 3, hamming = 4 };

struct Measure {
    Norm norm;
    double power;           // of lp
    const double *weights;  // one per column, not negative, or null for ones
    double total;           // of hamming
    int whole = 0;          // the power of lp if it is a whole number of at most 16, else 0

    double weight(int64_t j) const { return weights ? weights[j] : 1.0; }
};

// What a column adds, and how the sum becomes a distance.
template <Norm norm>
double term_of(const Measure &m, double difference, double weight) {
    if constexpr (norm == Norm::l2) return unfused(difference * difference) * weight;
    if constexpr (norm == Norm::lp) {
        const double d = std::abs(difference);
        if (m.whole == 0) return std::pow(d, m.power) * weight;
        double term = d;
        for (int e = 1; e < m.whole; ++e) term *= d;
        return unfused(term) * weight;
    }
    if constexpr (norm == Norm::hamming) return difference != 0 ? weight : 0.0;
    return std::abs(difference) * weight;
}
template <Norm norm>
double root_of(const Measure &m, double sum) {
    if constexpr (norm == Norm::l2) return std::sqrt(sum);
    if constexpr (norm == Norm::lp) return std::pow(sum, 1 / m.power);
    if constexpr (norm == Norm::hamming) return sum / m.total;
    return sum;
}
// A sum greater than this has a greater root than `distance`: room for the rounding of the root.
template <Norm norm>
double sum_limit(const Measure &m, double distance) {
    if constexpr (norm == Norm::l2) return distance * distance * (1 + 1e-15) + std::numeric_limits<double>::denorm_min();
    if constexpr (norm == Norm::lp) return std::pow(distance, m.power) * (1 + 1e-12 * m.power);
    if constexpr (norm == Norm::hamming) return distance * m.total * (1 + 1e-15);
    return distance;
}

// How far a guess of powers that are not whole may be off, relatively: see power_guess.
inline double power_blur(const Measure &m) { return 2e-5 + 1e-6 * m.power; }

// Calls f(std::integral_constant<Norm, norm>).
template <class F>
void with_norm(Norm norm, F f) {
    switch (norm) {
        case Norm::l1: return f(std::integral_constant<Norm, Norm::l1>{});
        case Norm::l2: return f(std::integral_constant<Norm, Norm::l2>{});
        case Norm::max: return f(std::integral_constant<Norm, Norm::max>{});
        case Norm::lp: return f(std::integral_constant<Norm, Norm::lp>{});
        case Norm::hamming: return f(std::integral_constant<Norm, Norm::hamming>{});
    }
}

// Distances of some rows (n × p, row-major) to q, four at a time: one sum alone waits for its own additions.
template <Norm norm, bool weighted, class Real>
void measure_rows(const Measure &m, const Real *x, int64_t p, const double *q, const int64_t *rows, int64_t count,
                  double *out) {
    for (int64_t at = 0; at < count; at += 4) {
        const Real *row[4];
        double sum[4] = {};
        for (int r = 0; r < 4; ++r) row[r] = x + rows[std::min(at + r, count - 1)] * p;
        for (int64_t j = 0; j < p; ++j)
            for (int r = 0; r < 4; ++r) {
                const double term = unfused(
                    term_of<norm>(m, static_cast<double>(row[r][j]) - q[j], weighted ? m.weights[j] : 1.0));
                sum[r] = norm == Norm::max ? std::max(sum[r], term) : sum[r] + term;
            }
        for (int r = 0; r < std::min<int64_t>(4, count - at); ++r) out[at + r] = root_of<norm>(m, sum[r]);
    }
}
template <class Real>
void measure_rows(const Measure &m, const Real *x, int64_t p, const double *q, const int64_t *rows, int64_t count,
                  double *out) {
    with_norm(m.norm, [&](auto norm) {
        if (m.weights)
            measure_rows<norm(), true>(m, x, p, q, rows, count, out);
        else
            measure_rows<norm(), false>(m, x, p, q, rows, count, out);
    });
}

}  // namespace learnt

#define LEARNT_LOOPS "distance/measure_simd.hpp"
#include "simd/each_level.hpp"
