// Typed columns into the numeric matrix a learner computes with, dense or sparse.
//
// Column i of the table fills output columns starting at start:
//   width 0    one column: (v − center)·scale, a missing v (NaN, or a code < 0) replaced by fill first
//   width w    indicators of the categories 0, 1, ... in order, `dropped` left out (−1: none): scale in the
//              column of the row's category, 0 elsewhere. A missing code is replaced by fill (−1: none).
//              Codes of no output column (dropped, none, beyond the last) give zeros.
#pragma once

#include <cmath>
#include <vector>

#include "base/matrix.hpp"
#include "base/pool.hpp"

namespace learnt {

struct EncodedColumn {
    enum class Cells { float32, float64, code } cells;
    const void *data;
    int64_t stride;  // in cells
    int64_t start, width;
    double fill, center, scale;
    int32_t dropped;

    int32_t code(int64_t i) const { return static_cast<const int32_t *>(data)[i * stride]; }

    // The numeric cell of row i, encoded.
    double number(int64_t i) const {
        double v;
        if (cells == Cells::float64)
            v = static_cast<const double *>(data)[i * stride];
        else if (cells == Cells::float32)
            v = static_cast<const float *>(data)[i * stride];
        else
            v = code(i) < 0 ? std::nan("") : code(i);
        return ((v == v ? v : fill) - center) * scale;
    }

    // The output column, counted from start, that row i's category sets, or −1.
    int64_t indicator(int64_t i) const {
        int64_t c = code(i);
        if (c < 0) c = fill >= 0 && fill < 0x1p31 ? static_cast<int64_t>(fill) : -1;
        if (c < 0 || c == dropped) return -1;
        if (dropped >= 0 && c > dropped) --c;
        return c < width ? c : -1;
    }
};

inline Blocks encode_blocks(int64_t rows, int64_t cells_per_row) {
    return cut(rows, (1 << 15) / std::max<int64_t>(1, cells_per_row), 1 << 12);
}

// out: rows × p, row-major, every cell written if the columns cover it.
template <class Real>
void encode_dense(const std::vector<EncodedColumn> &columns, int64_t rows, int64_t p, Real *out) {
    const Blocks blocks = encode_blocks(rows, p);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        // Few rows at a time: the tile stays in cache while column after column is written into it.
        const int64_t tile = std::clamp<int64_t>((1 << 14) / std::max<int64_t>(1, p), 8, 256);
        for (int64_t first = blocks[b].first; first < blocks[b].last; first += tile) {
            job.check();
            const int64_t end = std::min(first + tile, blocks[b].last);
            for (const EncodedColumn &column : columns) {
                Real *to = out + first * p + column.start;
                if (column.width == 0) {
                    for (int64_t i = first; i < end; ++i, to += p) *to = static_cast<Real>(column.number(i));
                } else {
                    for (int64_t i = first; i < end; ++i, to += p) {
                        std::fill_n(to, column.width, Real{0});
                        const int64_t c = column.indicator(i);
                        if (c >= 0) to[c] = static_cast<Real>(column.scale);
                    }
                }
            }
        }
    });
}

// The cells of row i that are not zero, by rising output column: put(column, value). The columns are given
// in order of their starts.
template <class Put>
void each_stored(const std::vector<EncodedColumn> &columns, int64_t i, Put put) {
    for (const EncodedColumn &column : columns) {
        if (column.width == 0) {
            const double v = column.number(i);
            if (v != 0) put(column.start, v);
        } else if (const int64_t c = column.indicator(i); c >= 0 && column.scale != 0) {
            put(column.start + c, column.scale);
        }
    }
}

// indptr: rows + 1, overwritten.
inline void count_csr(const std::vector<EncodedColumn> &columns, int64_t rows, int64_t *indptr) {
    const Blocks blocks = encode_blocks(rows, static_cast<int64_t>(columns.size()));
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            if (i % 256 == 0) job.check();
            int64_t count = 0;
            each_stored(columns, i, [&](int64_t, double) { ++count; });
            indptr[i + 1] = count;
        }
    });
    indptr[0] = 0;
    for (int64_t i = 0; i < rows; ++i) indptr[i + 1] += indptr[i];
}

// indptr as count_csr left it; indices and data: indptr[rows] each, overwritten. Throws rather than write
// outside when the columns are no longer those that were counted.
template <class Real>
void encode_csr(const std::vector<EncodedColumn> &columns, int64_t rows, const int64_t *indptr, int32_t *indices,
                Real *data, int64_t stored) {
    const Blocks blocks = encode_blocks(rows, static_cast<int64_t>(columns.size()));
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            if (i % 256 == 0) job.check();
            int64_t at = indptr[i];
            const int64_t end = std::min(indptr[i + 1], stored);
            each_stored(columns, i, [&](int64_t column, double value) {
                if (at < 0 || at >= end) throw std::invalid_argument("indptr does not count these columns.");
                indices[at] = static_cast<int32_t>(column);
                data[at++] = static_cast<Real>(value);
            });
            if (at != indptr[i + 1]) throw std::invalid_argument("indptr does not count these columns.");
        }
    });
}

}  // namespace learnt
