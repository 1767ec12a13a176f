// Ratings by row, and factors: what alternating least squares and descent share.
//
// A row has a factor vector x and, with biases, a number b; the other side has y and c. A rating is
//   t ≈ b + c + x·y
// Vectors are padded by zeros to `width` numbers, a multiple of factor_unit: SIMD loops have no rest.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/pool.hpp"
#include "simd/levels.hpp"

namespace learnt {

inline constexpr int64_t factor_unit = 16;

// Row u has the entries offsets[u] … offsets[u + 1]: which of the other side, what was rated, and with which weight.
// `weights` may be null: all 1.
template <class Real>
struct RatingRows {
    const int64_t *offsets;
    const int32_t *indices;
    const Real *values, *weights;
    int64_t count;
};

// The factors of one side; `bias` is null where there are none.
template <class Real>
struct FactorSide {
    const Real *factors, *bias;
    int64_t count, width;
    const Real *row(int64_t i) const { return factors + i * width; }
};

// Of implicit feedback, sums over all of the other side, rated or not: of (y, 1), with o the bias c.
//   gram    width × width    Σ y yᵀ
//   sums    width + 1        Σ (y, 1)
//   pull    width + 1        Σ o (y, 1)
//   square                   Σ o²
template <class Real>
struct WholeSide {
    const Real *gram;
    const double *sums, *pull;
    double square;
};

enum class FactorSolver : int { cg, exact, nonnegative };

struct FactorOptions {
    FactorSolver solver = FactorSolver::cg;
    int64_t steps = 3;  // of conjugate gradients; rounds of coordinates where factors are not negative
};

}  // namespace learnt

#define LEARNT_LOOPS "recommendation/rows_simd.hpp"
#include "simd/each_level.hpp"
