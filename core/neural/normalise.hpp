// Batch normalisation of hidden units (Ioffe and Szegedy 2015), of rows with weights w, W their sum:
//
//   μ = Σ w x / W,   v = Σ w (x − μ)² / W,   x̂ = (x − μ)/√(v + ε),   y = γ x̂ + β
//
// Of g = ∂ loss/∂ y, which has each row's weight in it:
//
//   ∂/∂β = Σ g,   ∂/∂γ = Σ g x̂,   ∂/∂x_i = γ/√(v + ε) · (g_i − w_i/W (Σ g + x̂_i Σ g x̂))
//
// All sums are made in double precision, over rows in their order, a panel of 16 units at a time.
#pragma once

#include <cmath>

#include "neural/shape.hpp"

namespace learnt {

// Added to variances, and the share of a batch in the running means and variances.
inline constexpr double variance_floor = 1e-5, running_share = 0.1;

// What a batch says of the units of one layer; each array has a number per unit.
struct UnitSums {
    Buffer<double> mean, spread, gradients, products;

    explicit UnitSums(int64_t width) : mean(width), spread(width), gradients(width), products(width) {}
};

// Mean and spread √(v + ε) of units [o, o + 16).
template <class Real>
void find_unit_moments(const Real *x, int64_t width, int64_t n, const double *weights, double total, int64_t o, UnitSums &sums) {
    double mean[panel_width] = {}, square[panel_width] = {};
    for (int64_t i = 0; i < n; ++i)
        for (int64_t c = 0; c < panel_width; ++c) mean[c] += weights[i] * static_cast<double>(x[i * width + o + c]);
    for (double &m : mean) m /= total;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t c = 0; c < panel_width; ++c) {
            const double d = static_cast<double>(x[i * width + o + c]) - mean[c];
            square[c] += weights[i] * d * d;
        }
    for (int64_t c = 0; c < panel_width; ++c) {
        sums.mean[o + c] = mean[c];
        sums.spread[o + c] = std::sqrt(square[c] / total + variance_floor);
    }
}

// Σ g and Σ g x̂ of units [o, o + 16).
template <class Real>
void find_unit_gradients(const Real *g, const Real *standard, int64_t width, int64_t n, int64_t o, UnitSums &sums) {
    double gradients[panel_width] = {}, products[panel_width] = {};
    for (int64_t i = 0; i < n; ++i)
        for (int64_t c = 0; c < panel_width; ++c) {
            const double one = static_cast<double>(g[i * width + o + c]);
            gradients[c] += one;
            products[c] += one * static_cast<double>(standard[i * width + o + c]);
        }
    std::copy_n(gradients, panel_width, sums.gradients.data() + o);
    std::copy_n(products, panel_width, sums.products.data() + o);
}

// x becomes y, x̂ is kept; one row.
template <class Real>
void normalise_row(const UnitSums &sums, const Real *factor, const Real *shift, int64_t width, Real *x, Real *standard) {
    for (int64_t c = 0; c < width; ++c) {
        standard[c] = static_cast<Real>((static_cast<double>(x[c]) - sums.mean[c]) / sums.spread[c]);
        x[c] = factor[c] * standard[c] + shift[c];
    }
}

// g = ∂/∂ y becomes ∂/∂ x; one row, whose share of all weight is w_i/W. Share 0: moments that did not come of the batch.
template <class Real>
void send_back_normalised(const UnitSums &sums, const Real *factor, const Real *standard, double share, int64_t width, Real *g) {
    for (int64_t c = 0; c < width; ++c) {
        const double common = share * (sums.gradients[c] + static_cast<double>(standard[c]) * sums.products[c]);
        g[c] = static_cast<Real>(static_cast<double>(factor[c]) / sums.spread[c] * (static_cast<double>(g[c]) - common));
    }
}

}  // namespace learnt
