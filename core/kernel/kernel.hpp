// Kernels: inner products of rows in spaces that are never written down.
//
//   linear       x·y                       polynomial   (γ x·y + c)^d
//   rbf          exp(−γ |x − y|²)          sigmoid      tanh(γ x·y + c)
//   laplacian    exp(−γ Σ |x_j − y_j|)     cosine       x·y / (|x| |y|), 0 where a row is all zeros
//   mixed        exp(−γ Σ_j d_j), d_j by the kind of column j; see MixedColumns
//
// Rows stand in panels of 16, column by column, so that vectors run across rows; some *queries* at a time meet a panel,
// which stays in the first cache, and each value is used where it is made: a Gram matrix is written only on request.
#pragma once

#include <vector>

#include "base/pool.hpp"
#include "simd/math.hpp"

namespace learnt {

enum class KernelKind : int { linear, polynomial, rbf, sigmoid, laplacian, cosine, mixed };

// How the rows of a mixed table stand in a matrix: numbers, numbers with gaps, codes, codes with gaps.
//
//   numbers                 d = (x − y)²
//   codes                   d = 0 for the same, 2 for others
//   gapped numbers, codes   pairs (x, a): d as above where both are there; the a of the cell that is there where the other
//                           is missing; either a, which are then the same, where both are
//
// Sums run in the order of columns, so that a row without gaps gives the same bits whether it stands there in pairs or not.
struct MixedColumns {
    int64_t numbers = 0, codes = 0, gapped_numbers = 0, gapped_codes = 0;
    int64_t width() const { return numbers + codes + 2 * (gapped_numbers + gapped_codes); }
};

// Stands for a missing cell. Not NaN, so that equal rows compare as equal.
inline constexpr double missing_cell = 0x1p31;

struct Kernel {
    KernelKind kind = KernelKind::rbf;
    double gamma = 1, constant = 0;
    int64_t degree = 3;
    MixedColumns mixed = {};
};

inline constexpr int64_t panel_rows = 16;

// Rows one after the other, with their squared lengths.
struct QueryRows {
    const double *values, *squares;
    int64_t count, columns;
    const double *row(int64_t i) const { return values + i * columns; }
};

inline double square_of(const double *row, int64_t p) {
    double sum = 0;
    for (int64_t j = 0; j < p; ++j) sum += row[j] * row[j];
    return sum;
}

// Rows of a row-major matrix, copied into panels; what fills up the last panel is zero.
class PackedRows {
    Buffer<double> values_, squares_;

  public:
    const int64_t rows, columns, panels;

    // `ids`: which rows of x; null for the first `count`.
    PackedRows(Matrix<const double> x, const int64_t *ids, int64_t count)
        : values_(round_up(count, panel_rows) * x.columns),
          squares_(round_up(count, panel_rows)),
          rows(count),
          columns(x.columns),
          panels(round_up(count, panel_rows) / panel_rows) {
        const Blocks blocks = cut(panels, 64, 256);
        run_blocks(blocks.count, [&](int64_t b, Job &job) {
            for (int64_t k = blocks[b].first; k < blocks[b].last; ++k) pack(x, ids, k);
            job.check();
        });
    }

    const double *panel(int64_t k) const { return values_.data() + k * panel_rows * columns; }
    const double *squares(int64_t k) const { return squares_.data() + k * panel_rows; }

  private:
    void pack(Matrix<const double> x, const int64_t *ids, int64_t k) {
        double *to = values_.data() + k * panel_rows * columns, *square = squares_.data() + k * panel_rows;
        for (int64_t r = 0; r < panel_rows; ++r) {
            const int64_t at = k * panel_rows + r, i = at >= rows ? -1 : ids ? ids[at] : at;
            double sum = 0;
            for (int64_t j = 0; j < columns; ++j) {
                const double value = i < 0 ? 0.0 : x(i, j);
                to[j * panel_rows + r] = value;
                sum += value * value;
            }
            square[r] = sum;
        }
    }
};

}  // namespace learnt

#define LEARNT_LOOPS "kernel/kernel_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// sums[i·outputs + m] += Σ_q weights[q·outputs + m] k(query q, row i), in the order of the queries
inline void add_kernel_sums(const Kernel &kernel, const PackedRows &rows, const QueryRows &queries, const double *weights,
                            int64_t outputs, double *sums) {
    const Level level = current_level();
    const Blocks blocks = cut(rows.panels, 4, 4096);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        LEARNT_AT(level, add_sums_of_panels(kernel, rows, blocks[b], queries, weights, outputs, sums, job));
    });
}

// gram[q·stride + i] = k(query q, row i)
inline void write_kernel_values(const Kernel &kernel, const PackedRows &rows, const QueryRows &queries, double *gram,
                                int64_t stride) {
    const Level level = current_level();
    const Blocks blocks = cut(rows.panels, 4, 4096);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        LEARNT_AT(level, write_panels(kernel, rows, blocks[b], queries, gram, stride, job));
    });
}

}  // namespace learnt
