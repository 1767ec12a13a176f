// Whether a table holds NaN or ±∞, and where the first stands. x: n × p, any strides, read.
#pragma once

#include "pool.hpp"
#include "simd.hpp"

#define LEARNT_LOOPS "finite_simd.hpp"
#include "each_level.hpp"

namespace learnt {

template <class Real>
bool is_bad(Real x, bool infinite_only) {
    return x - x != 0 && !(infinite_only && x != x);
}

// True if every cell is finite. Stops at the first block that is not.
template <class Real>
bool all_finite(Matrix<const Real> x) {
    const Level level = current_level();
    if (x.rows == 0 || x.columns == 0) return true;
    if (x.row_stride == 1 && x.column_stride != 1) x = {x.data, x.columns, x.rows, x.column_stride, x.row_stride};
    // A table without gaps is one long row, cut into pieces of a quarter million cells.
    if (x.column_stride == 1 && x.row_stride == x.columns && x.rows > 1) {
        const int64_t cells = x.rows * x.columns, piece = std::min<int64_t>(cells, 1 << 18);
        const int64_t whole = cells / piece;
        if (cells % piece != 0 && !all_finite(Matrix<const Real>{x.data + whole * piece, 1, cells % piece, cells, 1})) return false;
        x = {x.data, whole, piece, piece, 1};
    }
    const Blocks blocks = cut(x.rows, (1 << 16) / std::max<int64_t>(1, x.columns), 1 << 20);
    std::atomic<bool> finite{true};
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last && finite.load(std::memory_order_relaxed); ++i) {
            if (i % 256 == 0) job.check();
            bool good = true;
            if (x.column_stride == 1)
                LEARNT_AT(level, runs_are_finite(x.row(i), 1, 0, x.columns, good));
            else
                for (int64_t j = 0; j < x.columns; ++j) good = good && x(i, j) - x(i, j) == 0;
            if (!good) finite.store(false, std::memory_order_relaxed);
        }
    });
    return finite;
}

struct Cell {
    int64_t row, column;
};

// The first cell in row-major order that is NaN or ±∞ (only ±∞ if so asked), or (−1, −1).
template <class Real>
Cell first_nonfinite(Matrix<const Real> x, bool infinite_only) {
    const Blocks blocks = cut(x.rows, (1 << 16) / std::max<int64_t>(1, x.columns), 256);
    std::atomic<int64_t> first_block{blocks.count};
    std::vector<Cell> slots(static_cast<size_t>(blocks.count), Cell{-1, -1});
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            if (i % 256 == 0) job.check();
            if (first_block.load(std::memory_order_relaxed) < b) return;
            for (int64_t j = 0; j < x.columns; ++j) {
                if (!is_bad(x(i, j), infinite_only)) continue;
                slots[static_cast<size_t>(b)] = {i, j};
                for (int64_t seen = first_block; b < seen && !first_block.compare_exchange_weak(seen, b);) {
                }
                return;
            }
        }
    });
    return first_block < blocks.count ? slots[static_cast<size_t>(first_block.load())] : Cell{-1, -1};
}

}  // namespace learnt
