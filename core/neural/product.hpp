// Blocked products of the layers: every product of a net is one of these.
//
//   c[r·c_row + (o / 16)·c_panel + o % 16] += Σ_t a[r·a_row + t·a_step] · b[(o / 16)·b_panel + t·b_step + o % 16]
//
//   forward       a = activations (rows × inputs), b = weights, steps = inputs
//   backward      a = deltas, b = weights turned, steps = outputs
//   gradient      a = activations turned (a_row = 1), b = deltas, steps = rows
//
// Each sum runs over t in order, so that its bits depend neither on the cut into blocks nor on threads.
//   c   columns up to the next whole vector are written     updated
#pragma once

#include "neural/shape.hpp"
#include "simd/levels.hpp"

namespace learnt {

// Strides of `a`: next row, next term; of `b`: next panel, next term.
template <class Real>
struct Steps {
    const Real *data;
    int64_t row, step;
};

template <class Real>
struct Sums {
    Real *data;
    int64_t row, panel = panel_width;

    Sums from_row(int64_t r) const { return {data + r * row, row, panel}; }
    Sums from_column(int64_t o) const { return {data + o / panel_width * panel + o % panel_width, row, panel}; }
};

}  // namespace learnt

#define LEARNT_LOOPS "neural/product_simd.hpp"
#include "simd/each_level.hpp"
