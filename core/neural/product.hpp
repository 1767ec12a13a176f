// Blocked products of the layers: every product of a net is one of these.
//
//   c[r, o] += Σ_t a[r·a_row + t·a_step] · b[(o / 16)·b_panel + t·b_step + o % 16]
//
//   forward       a = activations (rows × inputs), b = weights, steps = inputs
//   backward      a = deltas, b = weights turned, steps = outputs
//   gradient      a = activations turned (a_row = 1), b = deltas, steps = rows
//
// Each sum runs over t in order, so that its bits depend neither on the cut into blocks nor on threads.
//   c   rows × c_row, columns up to the next whole vector are written     updated
#pragma once

#include "neural/shape.hpp"
#include "simd/levels.hpp"

namespace learnt {

template <class Real>
struct Steps {
    const Real *data;
    int64_t row, step;  // strides of `a`: next row, next term; of `b`: next panel, next term
};

}  // namespace learnt

#define LEARNT_LOOPS "neural/product_simd.hpp"
#include "simd/each_level.hpp"
