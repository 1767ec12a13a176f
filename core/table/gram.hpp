// Weighted cross products of shifted columns, the one pass behind least squares:
//
//   G += Σ_i w_i z_i z_iᵀ,   z_i = [1, x_i − s, y_i − s_p]
//
//   x        n × p, any strides                              read
//   y        n, or null: then G's last row and column stay   read
//   weights  n, or null for ones; not negative               read
//   shift    p + 1                                           read
//   gram     (p + 2) × (p + 2), row-major, symmetric         updated, never cleared
//
// Arithmetic is double throughout; NaN and infinities poison the sums they enter.
//
// Rows are copied by tiles, shifted and scaled by √w, into panels of W columns (panel, row, column), and a
// register tile of W × (up to 3 W) sums runs down a pair of panels. Only pairs on and above the diagonal
// are computed. Inside, columns are ordered x, y, 1, which leaves x aligned with its source.
#pragma once

#include <cmath>

#include "base/pool.hpp"
#include "simd/levels.hpp"

namespace learnt {

template <class Real>
struct GramInput {
    Matrix<const Real> x;
    const double *y, *weights, *shift;
};

inline int64_t gram_width(Level level) { return level == Level::avx512 ? 8 : 4; }

}  // namespace learnt

#define LEARNT_LOOPS "table/gram_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Where inner column j (x, y, 1) stands in the gram matrix (1, x, y).
inline int64_t gram_place(int64_t j, int64_t p) { return j <= p ? j + 1 : 0; }

// Adds rows [rows) × columns [columns) of a tile at inner place (rows.first, columns.first) to the upper
// triangle of gram.
template <class Real>
void add_to_gram(const GramInput<Real> &in, const double *tile, int64_t ld, Range rows, Range columns, double *gram) {
    const int64_t p = in.x.columns;
    for (int64_t i = rows.first; i < std::min(rows.last, p + 2); ++i)
        for (int64_t j = std::max(i, columns.first); j < std::min(columns.last, p + 2); ++j) {
            if (!in.y && (i == p || j == p)) continue;
            const int64_t a = gram_place(i, p), b = gram_place(j, p);
            gram[std::min(a, b) * (p + 2) + std::max(a, b)] += tile[(i - rows.first) * ld + j - columns.first];
        }
}

// Few columns: every block of rows has a sum of its own.
template <class Real>
void add_gram_by_rows(const GramInput<Real> &in, double *gram, Level level) {
    const int64_t W = gram_width(level), padded = round_up(in.x.columns + 2, W), size = padded * padded;
    // 64 KB to 512 KB of packed rows: in the second-level cache, and sums stay in registers for long.
    const int64_t tile = std::clamp<int64_t>((256 << 10) / (8 * padded), 64, 512);
    const Blocks blocks = cut(in.x.rows, 2048, std::min<int64_t>(128, (64 << 20) / (8 * size)));
    const Buffer<double> slots(blocks.count * size);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<double> packed(tile * padded);
        double *slot = slots.data() + b * size;
        std::fill_n(slot, size, 0.0);
        LEARNT_AT(level, gram_block(in, blocks[b], tile, packed.data(), slot, job));
    });
    run_blocks(padded / W, [&](int64_t panel, Job &) {
        const int64_t from = panel * W * padded, count = W * padded;
        for (int64_t b = 1; b < blocks.count; ++b)
            for (int64_t e = from; e < from + count; ++e) slots[e] += slots[b * size + e];
    });
    if (blocks.count > 0) add_to_gram(in, slots.data(), padded, {0, padded}, {0, padded}, gram);
}

// Many columns: one sum, its panels shared out among threads, the rows taken chunk by chunk.
template <class Real>
void add_gram_by_panels(const GramInput<Real> &in, double *gram, Level level) {
    constexpr int64_t tile = 256, together = 16;
    const int64_t W = gram_width(level), panels = round_up(in.x.columns + 2, W) / W;
    const int64_t groups = round_up(panels, together) / together;
    const Buffer<double> packed(tile * panels * W);
    const auto group_of = [=](int64_t g) { return Range{g * together, std::min(panels, (g + 1) * together)}; };
    for (int64_t row = 0; row < in.x.rows; row += tile) {
        const int64_t count = std::min(tile, in.x.rows - row);
        run_blocks(groups, [&](int64_t g, Job &) {
            const Range some = group_of(g);
            LEARNT_AT(level, pack_panels(in, row, count, some, packed.data() + some.first * tile * W, tile * W));
        });
        run_blocks(groups * groups, [&](int64_t pair, Job &) {
            const Range left = group_of(pair / groups), right = group_of(pair % groups);
            if (left.first > right.first) return;
            const int64_t ld = right.size() * W;
            const Buffer<double> sums(W * ld);
            for (int64_t a = left.first; a < left.last; ++a) {
                std::fill_n(sums.data(), W * ld, 0.0);
                const Range upper{std::max(a, right.first), right.last};
                LEARNT_AT(level, multiply_panels(packed.data(), tile * W, count, a, upper, sums.data() - right.first * W, ld));
                add_to_gram(in, sums.data(), ld, {a * W, (a + 1) * W}, {right.first * W, right.last * W}, gram);
            }
        });
    }
}

template <class Real>
void add_gram(Matrix<const Real> x, const double *y, const double *weights, const double *shift, double *gram) {
    const Level level = current_level();
    const GramInput<Real> in{x, y, weights, shift};
    if (x.columns <= 512)
        add_gram_by_rows(in, gram, level);
    else
        add_gram_by_panels(in, gram, level);
    const int64_t size = x.columns + 2;
    for (int64_t i = 0; i < size; ++i)
        for (int64_t j = 0; j < i; ++j) gram[i * size + j] = gram[j * size + i];
}

}  // namespace learnt
