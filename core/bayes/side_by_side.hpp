// Gaussians of numbers and tables of codes with their classes side by side, so that vectors run across classes.
//
//   log N(x_j; mean, variance) = constant − half · (x_j − mean)²
//
//   levels           q: how many categories each column of codes has                read
//   means, variances k × p, any strides; variances above 0                          read
//   blur             variance of the noise that every number is taken to have       read
//   logs             Σ levels × k: logarithms of probabilities                      read
//
// Rows of `mean`, `half`, `constant` are columns, and entries of codes those of `tables`; each is filled up with 0 to
// `padded` classes, whole vectors of the widest level.
#pragma once

#include <cmath>
#include <numbers>
#include <numeric>

#include "base/matrix.hpp"

namespace learnt {

struct SideBySide {
    int64_t classes, padded, numbers, coded, rows_of_tables;
    Buffer<double> mean, half, constant, tables;
    Buffer<int64_t> first;  // row of `tables` at which each column of codes begins, and the end

    SideBySide(int64_t q, const int64_t *levels, Matrix<const double> means, Matrix<const double> variances, double blur,
               const double *logs)
        : classes(means.rows),
          padded(round_up(classes, 8)),
          numbers(means.columns),
          coded(q),
          rows_of_tables(std::accumulate(levels, levels + q, int64_t{0})),
          mean(numbers * padded, 0.0),
          half(numbers * padded, 0.0),
          constant(numbers * padded, 0.0),
          tables(rows_of_tables * padded, 0.0),
          first(q + 1) {
        first[0] = 0;
        for (int64_t m = 0; m < q; ++m) first[m + 1] = first[m] + levels[m];
        for (int64_t c = 0; c < classes; ++c) {
            for (int64_t j = 0; j < numbers; ++j) {
                const double v = variances(c, j);
                mean[j * padded + c] = means(c, j);
                half[j * padded + c] = 0.5 / v;
                constant[j * padded + c] = -0.5 * (std::log(2 * std::numbers::pi * v) + blur / v);
            }
            for (int64_t e = 0; e < rows_of_tables; ++e) tables[e * padded + c] = logs[e * classes + c];
        }
    }
};

}  // namespace learnt
