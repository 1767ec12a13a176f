// Kernels: inner products of rows in spaces that are never written down.
//
//   linear       x·y                       polynomial   (γ x·y + c)^d
//   rbf          exp(−γ |x − y|²)          sigmoid      tanh(γ x·y + c)
//   laplacian    exp(−γ Σ |x_j − y_j|)     cosine       x·y / (|x| |y|), 0 where a row is all zeros
//
// Rows stand in panels of 16, column by column, so that vectors run across rows; some *queries* at a time meet a panel,
// which stays in the first cache, and each value is used where it is made: a Gram matrix is written only on request.
#pragma once

#include <vector>

#include "base/pool.hpp"
#include "simd/math.hpp"

namespace learnt {

enum class KernelKind : int { linear, polynomial, rbf, sigmoid, laplacian, cosine };

struct Kernel {
    KernelKind kind = KernelKind::rbf;
    double gamma = 1, constant = 0;
    int64_t degree = 3;
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
