// What all indexes of neighbours share: the distances themselves, and who is nearest so far.
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
#include <vector>

#include "simd/levels.hpp"

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

// The value itself; the compiler may no longer fuse the product it came from with a sum.
inline double unfused(double product) {
#if defined(__x86_64__)
    asm("" : "+x"(product));
#elif defined(__aarch64__)
    asm("" : "+w"(product));
#endif
    return product;
}

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

struct Neighbor {
    double distance;
    int64_t row;
    bool operator<(const Neighbor &other) const {
        return distance != other.distance ? distance < other.distance : row < other.row;
    }
};

// The k nearest of the rows shown to it. Few are kept in order; many gather until there are twice as many as
// wanted, and the farther half is dropped.
class KNearest {
    static constexpr size_t few = 32;
    size_t k_;
    Neighbor last_{std::numeric_limits<double>::infinity(), std::numeric_limits<int64_t>::max()};  // the k-th, so far
    std::vector<Neighbor> kept_;

  public:
    explicit KNearest(int64_t k) : k_(static_cast<size_t>(k)) { kept_.reserve(k_ <= few ? k_ : 2 * k_); }

    // Rows farther than this are not wanted; nor are rows as far, if they come after the last one.
    double limit() const { return k_ == 0 ? -1.0 : last_.distance; }

    void show(Neighbor n) {
        if (k_ == 0 || !(n < last_)) return;
        if (k_ <= few) {
            if (kept_.size() == k_) kept_.pop_back();
            size_t at = kept_.size();
            kept_.push_back(n);
            for (; at > 0 && n < kept_[at - 1]; --at) kept_[at] = kept_[at - 1];
            kept_[at] = n;
            if (kept_.size() == k_) last_ = kept_.back();
        } else {
            kept_.push_back(n);
            if (kept_.size() == 2 * k_) drop_half();
        }
    }

    std::vector<Neighbor> &sorted() {
        std::sort(kept_.begin(), kept_.end());
        if (kept_.size() > k_) kept_.resize(k_, last_);
        return kept_;
    }
    void clear() { *this = KNearest(static_cast<int64_t>(k_)); }
    // How many rows a good guess may have to show it.
    int64_t tries() const { return 256 + 16 * static_cast<int64_t>(k_); }

  private:
    void drop_half() {
        const auto middle = kept_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
        std::nth_element(kept_.begin(), middle, kept_.end());
        last_ = *middle;
        kept_.resize(k_, last_);
    }
};

// All rows within a distance.
class Within {
    double radius_;
    std::vector<Neighbor> kept_;

  public:
    explicit Within(double radius) : radius_(radius) {}
    double limit() const { return radius_; }
    void show(Neighbor n) {
        if (n.distance <= radius_) kept_.push_back(n);
    }
    std::vector<Neighbor> &sorted() {
        std::sort(kept_.begin(), kept_.end());
        return kept_;
    }
    void clear() { kept_.clear(); }
    int64_t tries() const { return 256 + 2 * static_cast<int64_t>(kept_.size()); }
};

// The questions: as many points as queries, each with a row it is not to get (−1: none), and where answers go.
struct NearestAnswers {
    using Keeper = KNearest;
    int64_t k;
    double *distances;  // queries × k
    int64_t *rows;      // queries × k

    int64_t bytes_each() const { return 2 * k * static_cast<int64_t>(sizeof(Neighbor)); }
    KNearest keeper(int64_t) const { return KNearest(k); }
    void take(int64_t query, std::vector<Neighbor> &sorted) const {
        for (size_t r = 0; r < sorted.size(); ++r) {
            distances[query * k + static_cast<int64_t>(r)] = sorted[r].distance;
            rows[query * k + static_cast<int64_t>(r)] = sorted[r].row;
        }
    }
};
struct WithinAnswers {
    using Keeper = Within;
    const double *radius;  // one per query
    std::vector<std::vector<Neighbor>> *found;

    int64_t bytes_each() const { return 0; }
    Within keeper(int64_t query) const { return Within(radius[query]); }
    void take(int64_t query, std::vector<Neighbor> &sorted) const { (*found)[static_cast<size_t>(query)] = sorted; }
};

}  // namespace learnt

#define LEARNT_LOOPS "distance/measure_simd.hpp"
#include "simd/each_level.hpp"
