// What a net costs that gives back its own inputs, cell by cell of the user's table.
//
// A row x has its cells in this order, and behind them inputs that are not given back (which cells are missing):
//   numbers   one input each, NaN where missing                  ½(f − x)²
//   pairs     of two categories, by their sign, 0 where missing  log(1 + e^∓f)
//   groups    a category each, above 0 the one that is there     −log softmax(f)_y
// The loss of a row is the mean over the cells that are there; 0 where none is.
#pragma once

#include <cmath>

#include "neural/losses.hpp"

namespace learnt {

// Noise on the inputs, never on what shall be given back: a share `level` of the cells becomes that of another row, or
// missing; or Gaussian noise of this standard deviation is added to numbers.
enum class CellNoise : int { swap, mask, gaussian };

struct Reconstruction {
    int64_t numbers = 0, pairs = 0;
    std::vector<int64_t> groups;
    int64_t code = 0;   // the layer of linear units
    bool tied = false;  // whether weights of the decoder are those of the encoder, turned
    CellNoise noise = CellNoise::swap;
    double level = 0;

    int64_t cells() const { return numbers + pairs + static_cast<int64_t>(groups.size()); }
    int64_t outputs() const {
        int64_t found = numbers + pairs;
        for (const int64_t width : groups) found += width;
        return found;
    }
    // each(cell, first output, outputs)
    template <class Each>
    void each_cell(const Each &each) const {
        int64_t at = numbers + pairs;
        for (int64_t c = 0; c < at; ++c) each(c, c, int64_t{1});
        for (size_t g = 0; g < groups.size(); ++g) {
            each(numbers + pairs + static_cast<int64_t>(g), at, groups[g]);
            at += groups[g];
        }
    }
};

// −log softmax(f)_y of one group, and its deltas; 0 where x has no indicator.
template <class Real>
double group_loss(const Real *x, const Real *f, int64_t k, Real *delta, int64_t &there) {
    int64_t y = 0;
    while (y < k && !(x[y] > 0)) ++y;
    std::fill_n(delta, k, Real{0});
    if (y == k) return 0;
    ++there;
    double top = static_cast<double>(f[0]), sum = 0;
    for (int64_t c = 1; c < k; ++c) top = std::max(top, static_cast<double>(f[c]));
    for (int64_t c = 0; c < k; ++c) sum += std::exp(static_cast<double>(f[c]) - top);
    const double all = top + std::log(sum);
    for (int64_t c = 0; c < k; ++c) delta[c] = static_cast<Real>(std::exp(static_cast<double>(f[c]) - all) - (c == y));
    return all - static_cast<double>(f[y]);
}

// The loss of scores f against the row x; delta[o] = ∂ loss / ∂ f_o.
template <class Real>
double reconstruction_loss(const Reconstruction &of, const Real *x, const Real *f, Real *delta) {
    double loss = 0;
    int64_t there = 0;
    for (int64_t j = 0; j < of.numbers; ++j) {
        const bool known = x[j] == x[j];
        const double r = known ? static_cast<double>(f[j]) - static_cast<double>(x[j]) : 0.0;
        delta[j] = static_cast<Real>(r);
        loss += 0.5 * r * r;
        there += known;
    }
    for (int64_t j = of.numbers; j < of.numbers + of.pairs; ++j) {
        delta[j] = Real{0};
        if (x[j] == 0) continue;
        const double side = x[j] > 0 ? 1 : -1, m = side * static_cast<double>(f[j]);
        delta[j] = static_cast<Real>(-side * sigmoid_of(-m));
        loss += std::log1p(std::exp(-std::abs(m))) + std::max(-m, 0.0);
        ++there;
    }
    int64_t at = of.numbers + of.pairs;
    for (const int64_t k : of.groups) {
        loss += group_loss(x + at, f + at, k, delta + at, there);
        at += k;
    }
    if (at == 0) delta[0] = Real{0};  // a net has one score at least
    if (there == 0) return 0;
    const double share = 1 / static_cast<double>(there);
    for (int64_t o = 0; o < at; ++o) delta[o] *= static_cast<Real>(share);
    return loss * share;
}

}  // namespace learnt
