// What hidden units make of their sums, and how steeply.
//
//   identity z    sigmoid 1/(1 + e^−z)    tanh    relu max(0, z)    gelu z·Φ(z), Φ by its usual formula with tanh
//
//   z       count numbers, a multiple of 16     becomes h(z)
//   slope   the same; null: not wanted          h′(z)
#pragma once

#include "base/hash.hpp"
#include "neural/shape.hpp"
#include "simd/math.hpp"

#define LEARNT_LOOPS "neural/units_simd.hpp"
#include "simd/each_level.hpp"
