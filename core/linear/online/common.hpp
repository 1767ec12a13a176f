// What learners that take rows one after the other share: the order of the rows, losses, rates.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/hash.hpp"
#include "simd/levels.hpp"

namespace learnt {

// The i-th of n rows in an order drawn from (seed, epoch), without a list of them: a bijection of [0, 2^bits)
// made of multiplications by odd keys and shifts, repeated until it falls below n. Of tables that do not fit into a
// cache, four neighbours stay together, which halves the time that memory takes.
class Order {
    static constexpr int rounds = 4;
    static constexpr int64_t large = 1 << 14;
    uint64_t n_, mask_, key_[rounds];
    int together_, shift_;
    bool drawn_;

  public:
    Order(int64_t n, uint64_t seed, uint64_t epoch, bool drawn)
        : n_(static_cast<uint64_t>(n)),
          mask_(0),
          key_{},
          together_(n > large ? 2 : 0),
          shift_(1),
          drawn_(drawn && n > 1) {
        if (!drawn_) return;
        const int bits = std::bit_width((n_ - 1) >> together_);
        mask_ = (uint64_t{1} << bits) - 1;
        shift_ = (bits + 1) / 2;
        uint64_t state = mix_bits(seed + 0x9e3779b97f4a7c15u) ^ mix_bits(epoch + 1);
        for (uint64_t &key : key_) key = state = mix_bits(state + 0x9e3779b97f4a7c15u);
    }

    int64_t operator[](int64_t i) const {
        if (!drawn_) return i;
        uint64_t row = static_cast<uint64_t>(i);
        do {
            uint64_t z = row >> together_;
            for (const uint64_t key : key_) {
                z = (z * (key | 1) + (key >> 17)) & mask_;
                z ^= z >> shift_;
            }
            row = (z << together_) | (row & ((uint64_t{1} << together_) - 1));
        } while (row >= n_);
        return static_cast<int64_t>(row);
    }
};

// Losses of a score f against a truth y: the first four of the margin z = y·f, the others of the error r = f − y.
enum class LossKind : int { hinge, logistic, exponential, squared, squared_error, absolute_error, huber, insensitive };
inline constexpr int loss_kinds = 8;

struct Loss {
    LossKind kind;
    double width;  // of huber and insensitive

    double value(double f, double y) const {
        const double z = y * f, r = f - y, size = std::abs(r);
        switch (kind) {
            case LossKind::hinge: return std::max(0.0, 1 - z);
            case LossKind::logistic: return (z > 0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z) / M_LN2;
            case LossKind::exponential: return std::exp(std::min(-z, 700.0));
            case LossKind::squared: return (1 - z) * (1 - z);
            case LossKind::squared_error: return 0.5 * r * r;
            case LossKind::absolute_error: return size;
            case LossKind::huber: return size <= width ? 0.5 * r * r : width * (size - 0.5 * width);
            default: return std::max(0.0, size - width);
        }
    }

    // ∂ value / ∂ f. Bounded, so that one wild row cannot throw the weights out of range; the exponential's by 10,
    // without which a few steps feed on each other.
    double slope(double f, double y) const {
        const double z = y * f, r = f - y;
        double g = 0;
        switch (kind) {
            case LossKind::hinge: g = z < 1 ? -y : 0; break;
            case LossKind::logistic: g = -y / ((1 + std::exp(std::min(z, 700.0))) * M_LN2); break;
            case LossKind::exponential: g = -y * std::min(std::exp(std::min(-z, 700.0)), 10.0); break;
            case LossKind::squared: g = -2 * y * (1 - z); break;
            case LossKind::squared_error: g = r; break;
            case LossKind::absolute_error: g = (r > 0) - (r < 0); break;
            case LossKind::huber: g = std::clamp(r, -width, width); break;
            case LossKind::insensitive: g = (r > width) - (r < -width); break;
        }
        return std::clamp(g, -1e12, 1e12);
    }
};

// The length of step t = 1, 2, …:
//   constant  η₀      inverse  η₀ / t^power      optimal  1 / (α (t₀ + t − 1))
enum class RateKind : int { constant, inverse, optimal };

struct Rate {
    RateKind kind;
    double eta0, power, alpha, t0;

    double at(double t) const {
        if (kind == RateKind::constant) return eta0;
        return kind == RateKind::inverse ? eta0 / std::pow(t, power) : 1 / (alpha * (t0 + t - 1));
    }
};

// What a row should be scored: its value, or +1 for the class of the unit and −1 for all others.
struct Truth {
    const double *values;
    const int32_t *codes;

    double of(int64_t i, int32_t unit) const { return values ? values[i] : codes[i] == unit ? 1.0 : -1.0; }
};

// The rows of one visit to the table: all, or those listed, in drawn order or one after the other.
struct Course {
    const int64_t *rows;    // null: all
    int64_t count, total;   // rows of the course, of the table
    const double *weights;  // of all rows of the table; null for ones
    uint64_t seed, epoch;
    bool drawn;

    double weight(int64_t i) const { return weights ? weights[i] : 1.0; }
};

// The rows of a course one after the other, known some steps before they are met, so that memory can be asked for
// them: in drawn order it would otherwise be waited for at every row.
class Upcoming {
    static constexpr int64_t far = 32, near = 16;
    const Course &course_;
    const Order order_;
    int64_t step_, place_[far];

    int64_t place(int64_t step) const { return course_.rows ? course_.rows[order_[step]] : order_[step]; }

  public:
    explicit Upcoming(const Course &course, int64_t first = 0)
        : course_(course), order_(course.count, course.seed, course.epoch, course.drawn), step_(first), place_{} {
        for (int64_t s = first; s < std::min(first + far, course.count); ++s) place_[s % far] = place(s);
    }

    int64_t next() {
        const int64_t row = place_[step_ % far];
        if (step_ + far < course_.count) place_[step_ % far] = place(step_ + far);
        ++step_;
        return row;
    }

    // Asks for what belongs to a row beside its cells, `beside` being one array of that, then for the cells.
    template <class Rows, class T>
    int64_t next(const Rows &x, const T *beside) {
        const int64_t step = step_, row = next();
        if (step + far < course_.count) {
            x.announce(place_[step % far]);
            __builtin_prefetch(beside + place_[step % far]);
        }
        if (step + near < course_.count) x.prefetch(place_[(step + near) % far]);
        return row;
    }
};

}  // namespace learnt

#define LEARNT_LOOPS "linear/online/common_simd.hpp"
#include "simd/each_level.hpp"
