// One round of EM for a mixture in whose components columns are independent: bell curves for numbers, tables of
// probabilities for codes. A missing cell says nothing and is counted nowhere.
//
//   z_ij = (x_ij − shift_j) · scale_j,   d_ijc = z_ij − mean_cj
//   l_ic = offset_c − ½ Σ_j (log 2π variance_cj + (d²_ijc + blur) / variance_cj) + Σ_m table_m[code_im][c]
//   log p_i = log Σ_c exp l_ic,   r_ic = exp(l_ic − log p_i)
//   weight_c += Σ_i w_i r_ic,   moments_jc += Σ_i w_i r_ic (1, d_ijc, d²_ijc),   counts_m[code][c] += Σ_i w_i r_ic
//   returns Σ_i w_i log p_i
//
//   x               n × p, any strides; NaN is missing                                    read
//   codes           n × q, row-major; outside of [0, levels_m) is missing                 read
//   weights, shift, scale, offset, answers   as in cluster/mixture/full.hpp               read, overwritten
//   mean, variance  k × p; variances above 0                                              read
//   blur            variance of the noise that every number is taken to have              read
//   levels          q: how many categories each column of codes has                       read
//   tables          Σ levels × k: logarithms of probabilities                             read
//   weight          k, or null together with the next two                                 updated, never cleared
//   moments         3 × p × k                                                             updated, never cleared
//   counts          Σ levels × k                                                          updated, never cleared
//
// Vectors run across components, which are neighbours in every table: looking up a category loads all of them.
#pragma once

#include <numbers>
#include <numeric>

#include "cluster/mixture/full.hpp"

namespace learnt {

// Parameters with the components of a column side by side, filled up to whole vectors of the widest level.
struct ColumnCurves {
    int64_t components, padded, columns, coded, rows_of_tables;
    Buffer<double> offset, real, mean, half, constant, tables;
    Buffer<int64_t> first;  // row of `tables` at which each column of codes begins, and the end

    ColumnCurves(int64_t k, int64_t p, int64_t q, const int64_t *levels, const double *offsets, const double *means,
                 const double *variances, double blur, const double *logs)
        : components(k),
          padded(round_up(k, 8)),
          columns(p),
          coded(q),
          rows_of_tables(std::accumulate(levels, levels + q, int64_t{0})),
          offset(padded, 0.0),
          real(padded, 0.0),
          mean(p * padded, 0.0),
          half(p * padded, 0.0),
          constant(p * padded, 0.0),
          tables(rows_of_tables * padded, 0.0),
          first(q + 1) {
        first[0] = 0;
        for (int64_t m = 0; m < q; ++m) first[m + 1] = first[m] + levels[m];
        for (int64_t c = 0; c < k; ++c) {
            offset[c] = offsets[c], real[c] = 1;
            for (int64_t j = 0; j < p; ++j) {
                const double v = variances[c * p + j];
                mean[j * padded + c] = means[c * p + j];
                half[j * padded + c] = 0.5 / v;
                constant[j * padded + c] = -0.5 * (std::log(2 * std::numbers::pi * v) + blur / v);
            }
            for (int64_t e = 0; e < rows_of_tables; ++e) tables[e * padded + c] = logs[e * k + c];
        }
    }

    int64_t slot() const { return (1 + 3 * columns + rows_of_tables) * padded; }
};

template <class Real>
struct ColumnRows {
    Matrix<const Real> x;
    const int32_t *codes;
    const double *weights, *shift, *scale;
};

}  // namespace learnt

#define LEARNT_LOOPS "cluster/mixture/columns_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <class Real>
double column_mixture_round(const ColumnRows<Real> &in, const ColumnCurves &curves, const MixtureAnswers &answers,
                            double *weight, double *moments, double *counts) {
    const Level level = current_level();
    const int64_t n = in.x.rows, k = curves.components, K = curves.padded, p = curves.columns;
    const int64_t size = weight ? curves.slot() : 0;
    const Blocks blocks = weight ? mixture_blocks(n, size) : cut(n, 1024, 1 << 12);
    const Buffer<double> slots(blocks.count * size), total(blocks.count, 0.0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<double> scratch(p + K);
        double *slot = weight ? slots.data() + b * size : nullptr;
        if (weight) std::fill_n(slot, size, 0.0);
        LEARNT_AT(level, column_mixture_block(in, curves, blocks[b], answers, slot, total[b], scratch.data(), job));
    });
    double sum = 0;
    for (int64_t b = 0; b < blocks.count; ++b) sum += total[b];
    if (!weight || blocks.count == 0) return sum;
    for (int64_t b = 1; b < blocks.count; ++b)
        for (int64_t e = 0; e < size; ++e) slots[e] += slots[b * size + e];
    const double *from = slots.data();
    const auto add = [&](double *to, int64_t rows) {
        for (int64_t e = 0; e < rows; ++e, from += K)
            for (int64_t c = 0; c < k; ++c) to[e * k + c] += from[c];
    };
    add(weight, 1), add(moments, 3 * p), add(counts, curves.rows_of_tables);
    return sum;
}

}  // namespace learnt
