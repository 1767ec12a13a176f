// Copies of a few rows at a time: the only copies of a table that kernels make.
#pragma once

#include "simd/levels.hpp"

namespace learnt {

// Rows one after the other, each contiguous: the table's own memory where it allows, else a copy.
template <class Real>
struct RowTile {
    const Real *data;
    int64_t stride;
    const Real *row(int64_t i) const { return data + i * stride; }
};

// Rows [first, first + count); `scratch` holds count × p numbers and is used when rows are not contiguous.
template <class Real>
RowTile<Real> row_tile(Matrix<const Real> x, int64_t first, int64_t count, Real *scratch) {
    if (x.rows_contiguous()) return {x.row(first), x.row_stride};
    constexpr int64_t strip = 8;  // columns at a time: reads run down columns, writes fill whole cache lines
    for (int64_t from = 0; from < x.columns; from += strip)
        for (int64_t i = 0; i < count; ++i)
            for (int64_t j = from; j < std::min(from + strip, x.columns); ++j)
                scratch[i * x.columns + j] = x(first + i, j);
    return {scratch, x.columns};
}

}  // namespace learnt

#define LEARNT_LOOPS "base/tile_simd.hpp"
#include "simd/each_level.hpp"
