// Gradients of losses, and gradients as small whole numbers.
//
// Sums of whole numbers do not depend on the order in which they are made. A gradient g becomes
//   q = floor(g s + u),   u in [0, 1) a hash of (seed, tree, row),   E[q] = g s,
// with s a power of two, so large that sums over all rows still fit: rows may be cut into threads and batches
// in any way. Gradients that are multiples of 1 / s lose nothing.
#pragma once

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "base/hash.hpp"
#include "base/pool.hpp"
#include "simd/levels.hpp"
#include "simd/math.hpp"

namespace learnt::boost {

enum class Loss { squared, logistic, softmax, poisson, absolute, huber, quantile };

template <class Real>
struct LossRows {
    Loss loss;
    double parameter;  // huber: where it turns linear; quantile: the share below
    int64_t rows, outputs;
    const double *scores;     // outputs × rows
    const double *numbers;    // rows, or null
    const int32_t *codes;     // rows, or null
    const double *weights;    // rows, or null
    Real *gradient, *hessian;  // outputs × rows, overwritten
    double weight(int64_t i) const { return weights ? weights[i] : 1.0; }
};

}  // namespace learnt::boost

#define LEARNT_LOOPS "boosting/gradients_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt::boost {

// First and second derivative of the weighted loss by the score.
template <class Real>
void loss_gradients(const LossRows<Real> &in) {
    const Level level = current_level();
    const Blocks blocks = cut(in.rows, 4096, 1 << 20);
    run_blocks(blocks.count, [&](int64_t b, Job &) { LEARNT_AT(level, gradient_rows(in, blocks[b])); });
}

// The weighted loss and the weight of all rows, or of those kept: blocks are added in order.
inline void total_loss(const LossRows<double> &in, const uint8_t *kept, double *loss, double *weight) {
    const Level level = current_level();
    const Blocks blocks = cut(in.rows, 1 << 13, 256);
    std::vector<double> losses(static_cast<size_t>(blocks.count)), weights(losses);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        const size_t at = static_cast<size_t>(b);
        LEARNT_AT(level, loss_rows(in, kept, blocks[b], &losses[at], &weights[at]));
    });
    for (double v : losses) *loss += v;
    for (double v : weights) *weight += v;
}

// How many rows have a gradient of each binary exponent (that of a double): it adds exactly, and bounds the
// largest and the sum.
struct Exponents {
    static constexpr int size = 2048, one = 1023;
    std::vector<int64_t> count = std::vector<int64_t>(size);

    // Infinities would make categories without an order, and steps out of bounds by sorting them.
    void check_finite() const {
        if (count[size - 1] != 0)
            throw std::invalid_argument("A gradient, hessian or weight is not finite. Expected finite derivatives of the loss.");
    }
    // |x| < 2^top() for all.
    int top() const {
        for (int e = size - 1; e > 0; --e)
            if (count[static_cast<size_t>(e)]) return e - one + 1;
        return 1 - one;
    }
    double bound() const {  // of the sum of |x|
        double sum = 0;
        for (int e = size - 1; e > 0; --e)
            sum += std::ldexp(static_cast<double>(count[static_cast<size_t>(e)]), e - one + 1);
        return sum;
    }
};

// Four counters for each exponent, so that equal ones in a row do not wait for each other.
template <class Real>
void add_exponents(const Real *x, const uint8_t *kept, Range rows, int64_t *count) {
    constexpr int n_exponents = sizeof(Real) == 4 ? 256 : Exponents::size, one = sizeof(Real) == 4 ? 127 : Exponents::one;
    uint32_t part[4][n_exponents] = {};
    const auto exponent = [&](int64_t i) {
        std::conditional_t<sizeof(Real) == 4, uint32_t, uint64_t> bits;
        std::memcpy(&bits, x + i, sizeof bits);
        return static_cast<size_t>(bits >> (sizeof(Real) == 4 ? 23 : 52) & (n_exponents - 1));
    };
    int64_t i = rows.first;
    if (kept)
        for (; i < rows.last; ++i) part[i & 3][exponent(i)] += kept[i] != 0;
    for (; i + 4 <= rows.last; i += 4)
        for (int l = 0; l < 4; ++l) ++part[l][exponent(i + l)];
    for (; i < rows.last; ++i) ++part[0][exponent(i)];
    for (int e = 1; e < n_exponents; ++e)
        count[e - one + Exponents::one] += int64_t{part[0][e]} + part[1][e] + part[2][e] + part[3][e];
}

template <class Real>
Exponents exponents_of(const Real *x, const uint8_t *kept, int64_t n) {
    const Blocks blocks = cut(n, 1 << 14, 32);
    std::vector<Exponents> slots(static_cast<size_t>(blocks.count));
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        add_exponents(x, kept, blocks[b], slots[static_cast<size_t>(b)].count.data());
    });
    Exponents sum;
    for (const Exponents &slot : slots)
        for (size_t e = 0; e < slot.count.size(); ++e) sum.count[e] += slot.count[e];
    return sum;
}

inline constexpr int gradient_bits = 13;  // |q| <= 2^13: 4095 rows of it fit the 26 bits of a counted cell

// The powers of two that gradients are multiplied by: g, h for packed histograms; exact_g, exact_h and weight for
// leaves and fine histograms, whose sums of 62 bits lose nothing worth mentioning. Of constant hessians q = 1.
struct GradientScale {
    double g = 1, h = 1, exact_g = 1, exact_h = 1, weight = 1;
    bool constant_hessian = false;
};

// The power of two that brings sums up to `bound` below 2^bits; a bound beyond all doubles is one of 2^1000.
inline int power_for(double bound, int bits) { return bits - (std::isfinite(bound) ? std::ilogb(bound) : 1000 + bits) - 1; }

inline double histogram_scale(const Exponents &sizes, int sum_bits) {
    sizes.check_finite();
    int power = gradient_bits - sizes.top();
    const double bound = sizes.bound();
    if (bound > 0) power = std::min(power, power_for(bound, sum_bits));
    return std::ldexp(1.0, std::clamp(power, -1000, 1000));
}
inline double leaf_scale(const Exponents &sizes) {
    sizes.check_finite();
    const double bound = sizes.bound();
    return bound > 0 ? std::ldexp(1.0, std::clamp(power_for(bound, 61), -1000, 1000)) : 1.0;
}
// `h` null: constant hessian 1.
inline GradientScale scale_of(const Exponents &g, const Exponents *h) {
    GradientScale s{histogram_scale(g, 30), 1, leaf_scale(g), 1, 1, h == nullptr};
    if (h) s.h = histogram_scale(*h, 31), s.exact_h = leaf_scale(*h);
    return s;
}

inline uint64_t tree_key(uint64_t seed, uint64_t tree) {
    return mix_bits(mix_bits(seed + 0x9e3779b97f4a7c15u) + tree * 0xd1342543de82ef95u);
}

}  // namespace learnt::boost

#define LEARNT_LOOPS "boosting/quantise_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt::boost {

inline void quantise(const float *g, const float *h, const GradientScale &scale, uint64_t seed, uint64_t tree,
                     int64_t first_row, int64_t n, uint32_t *packed) {
    const Level level = current_level();
    const uint64_t key = tree_key(seed, tree);
    const Blocks blocks = cut(n, 1 << 14, 1 << 20);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        LEARNT_AT(level, quantise_rows(g, h, scale, key, static_cast<uint64_t>(first_row), blocks[b], packed));
    });
}

// Gradient, hessian and weight of one row on the exact grid: three numbers.
template <class Real>
void fine_row(const Real *g, const Real *h, const double *w, const GradientScale &scale, int64_t i, int64_t *out) {
    out[0] = std::llrint(static_cast<double>(g[i]) * scale.exact_g);
    out[1] = h ? std::llrint(static_cast<double>(h[i]) * scale.exact_h) : 1;
    out[2] = w ? std::llrint(w[i] * scale.weight) : 1;
}

// Exact sums of the gradients, hessians and weights of the rows of each node; −1: none.
//   sums  n_nodes × 3: gradient, hessian, weight (rows without weights count 1)                   added to
template <class Real>
void sum_by_leaf(const Real *g, const Real *h, const double *w, const int32_t *node, int64_t n, int64_t n_nodes,
                 const GradientScale &scale, int64_t *sums) {
    const Blocks blocks = cut(n, 1 << 14, 32);
    const int64_t width = 3 * n_nodes;
    std::vector<int64_t> slots(static_cast<size_t>(blocks.count * width));
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        int64_t *const to = slots.data() + b * width;
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            if (node[i] < 0) continue;
            int64_t *const at = to + 3 * node[i], one[3];
            fine_row(g, h, w, scale, i, one);
            at[0] += one[0], at[1] += one[1], at[2] += one[2];
        }
    });
    for (int64_t b = 0; b < blocks.count; ++b)
        for (int64_t v = 0; v < width; ++v) sums[v] += slots[static_cast<size_t>(b * width + v)];
}

// How many rows have a gradient (summed over outputs, absolute) of each size, by the first 16 bits of the float.
template <class Real>
uint32_t magnitude_bucket(const Real *g, int64_t outputs, int64_t n, int64_t i) {
    float sum = 0;
    for (int64_t k = 0; k < outputs; ++k) sum += static_cast<float>(std::abs(g[k * n + i]));
    uint32_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    return bits >> 16;
}

// Keeps the rows whose bucket is at least `threshold`, and a drawn share of the others, whose gradients are
// multiplied by 1 / share so that sums stay right in expectation (gradient-based one-side sampling).
template <class Real>
void keep_large_gradients(Real *g, Real *h, int64_t outputs, int64_t n, uint32_t threshold, double share, uint64_t seed,
                          uint64_t tree, int64_t first_row, uint8_t *kept) {
    const uint64_t key = tree_key(seed ^ 0x676f7373u, tree);
    const Real factor = static_cast<Real>(1 / share);
    const Blocks blocks = cut(n, 1 << 14, 256);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            kept[i] = 1;
            if (magnitude_bucket(g, outputs, n, i) >= threshold) continue;
            kept[i] = uniform_of(key, static_cast<uint64_t>(first_row) + static_cast<uint64_t>(i)) < share;
            for (int64_t k = 0; kept[i] && k < outputs; ++k) g[k * n + i] *= factor, h[k * n + i] *= factor;
        }
    });
}

}  // namespace learnt::boost
