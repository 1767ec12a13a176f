// The products of neural/product.hpp for an `a` that has many zeros: the same sums, without the terms that are 0.
//
// Inputs that are indicators, counts or pixels, and units of "relu", are 0 half of the time or more. A row's terms that
// are not 0 are found as bits, 64 at a time, and each costs a load per vector of outputs where a tile of 8 rows would
// share the load. Measured (Zen 4, 784 × 128, all in L2): a tile runs at the peak of the multipliers, 1.0 cycles per
// vector; a term here takes 1.35, for loads end before multipliers do. So skipping pays below two thirds of terms, and
// at a half it takes 0.7 of the time, which no dense product can reach. `b` must begin at a whole cache line: a vector
// across two lines is two loads (1.5 × the time of all).
//
// Bits are those of add_product: a term that is 0 adds 0.
#pragma once

#include "neural/product.hpp"

namespace learnt {

// The share of terms that are not 0 up to which skipping pays, and the columns from which on it does.
inline constexpr double skipping_share = 0.65;
inline constexpr int64_t skipping_columns = 64;
// Terms that are looked at together.
inline constexpr int64_t term_block = 64;

}  // namespace learnt

#define LEARNT_LOOPS "neural/skipping_simd.hpp"
#include "simd/each_level.hpp"
