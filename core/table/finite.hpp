// Whether a table holds NaN or ±∞, and where the first stands. x: n × p, any strides, read.
#pragma once

#include <atomic>
#include <vector>

#include "base/pool.hpp"
#include "simd/levels.hpp"

namespace learnt {

template <class Real>
bool is_bad(Real x, bool infinite_only) {
    return x - x != 0 && !(infinite_only && x != x);
}

}  // namespace learnt

#define LEARNT_LOOPS "table/finite_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Some thousand rows where columns are runs of memory, some thousand cells otherwise.
template <class Real>
Blocks finite_blocks(Matrix<const Real> x) {
    const bool down = x.row_stride == 1 && x.column_stride != 1;
    return cut(x.rows, down ? 4096 : (1 << 15) / std::max<int64_t>(1, x.columns), 1 << 20);
}

// True if every cell is finite. Ends soon after the first that is not.
template <class Real>
bool all_finite(Matrix<const Real> x) {
    const Level level = current_level();
    const bool gapless = (x.column_stride == 1 && x.row_stride == x.columns) || (x.row_stride == 1 && x.column_stride == x.rows);
    if (gapless || (x.rows == 1 && x.column_stride == 1)) x = {x.data, x.rows * x.columns, 1, 1, x.rows * x.columns};
    const Blocks blocks = finite_blocks(x);
    std::atomic<bool> finite{true};
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        if (!finite.load(std::memory_order_relaxed)) return;
        bool bad = false;
        LEARNT_AT(level, rows_have_bad(x, blocks[b], false, bad));
        if (bad) finite.store(false, std::memory_order_relaxed);
    });
    return finite;
}

struct Cell {
    int64_t row, column;
};

// The first cell in row-major order that is NaN or ±∞ (only ±∞ if so asked), or (−1, −1).
template <class Real>
Cell first_nonfinite(Matrix<const Real> x, bool infinite_only) {
    const Level level = current_level();
    const Blocks blocks = finite_blocks(x);
    std::atomic<int64_t> first{blocks.count};  // the first block that holds one
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        if (first.load(std::memory_order_relaxed) < b) return;
        bool bad = false;
        LEARNT_AT(level, rows_have_bad(x, blocks[b], infinite_only, bad));
        for (int64_t seen = first; bad && b < seen && !first.compare_exchange_weak(seen, b);) {
        }
    });
    if (first == blocks.count) return {-1, -1};
    const Range rows = blocks[first];
    for (int64_t i = rows.first; i < rows.last; ++i)
        for (int64_t j = 0; j < x.columns; ++j)
            if (is_bad(x(i, j), infinite_only)) return {i, j};
    return {-1, -1};
}

}  // namespace learnt
