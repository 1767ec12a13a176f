// One round of EM for a mixture in whose components columns are independent: Gaussians for numbers, tables of
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

#include "bayes/side_by_side.hpp"
#include "cluster/mixture/full.hpp"

namespace learnt {

// Parameters with the components of a column side by side; means, variances: k × p.
struct ColumnCurves : SideBySide {
    Buffer<double> offset, real;

    ColumnCurves(int64_t k, int64_t p, int64_t q, const int64_t *levels, const double *offsets, const double *means,
                 const double *variances, double blur, const double *logs)
        : SideBySide(q, levels, row_major(means, k, p), row_major(variances, k, p), blur, logs),
          offset(padded, 0.0),
          real(padded, 0.0) {
        for (int64_t c = 0; c < k; ++c) offset[c] = offsets[c], real[c] = 1;
    }

    int64_t slot() const { return (1 + 3 * numbers + rows_of_tables) * padded; }
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
    const int64_t n = in.x.rows, k = curves.classes, K = curves.padded, p = curves.numbers;
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
