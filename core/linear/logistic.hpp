// Passes of logistic regression. K scores of a row are
//
//   s_k = b0_k + b_k · x,      p_k = exp(s_k) / Σ_l exp(s_l)
//
// With one score (K = 1, two classes) the first class has the score 0, so that p = 1 / (1 + exp(−s)) is the
// share of the second. The loss is Σ_i w_i · −log p(class of i); with r_k = w (p_k − [class is k]):
//
//   gradient   Σ_i r_ik (1, x_i)
//   curvature  Σ_i w_i p_ik (u_ik − Σ_l p_il u_il) (1, x_i)  along a direction, u_ik = v0_k + v_k · x_i
//
//   x        n × p, any strides, or sparse                            read
//   codes    n, the class of each row, from 0                         read
//   weights  n, or null for ones; not negative                        read
//   shares   K × n, the p_k of each row                               overwritten by the gradient, then read
//   outputs  scores first: K × p and K; sparse: p × K and K           updated, never cleared
//
// Blocks of rows have sums of their own, added in block order: same bits for any number of threads.
#pragma once

#include "base/csr.hpp"
#include "base/pool.hpp"
#include "base/slots.hpp"
#include "base/tile.hpp"
#include "simd/math.hpp"
#include "table/gram.hpp"
#include "table/linear.hpp"

namespace learnt {

// The rows' classes and weights, and how many scores they have.
struct LogisticRows {
    const int32_t *codes;
    const double *weights;
    int64_t rows, scores;

    double weight(int64_t i) const { return weights ? weights[i] : 1.0; }
};

// Rows a tile may have at most.
inline constexpr int64_t logistic_tile = 256;

}  // namespace learnt

#define LEARNT_LOOPS "linear/logistic_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Loss, gradient and curvature of one score in one pass over few columns. The gram matrix of table/gram.hpp,
//
//   G += Σ_i h_i z_i z_iᵀ,   z_i = [1, x_i − shift, −r_i / h_i],   h = w p (1 − p)
//
// holds the curvature in its columns [1, x − shift] and minus the gradient in its last.
template <class Real>
void add_logistic_gram(Matrix<const Real> x, const int32_t *codes, const double *weights, const double *coef,
                       double intercept, const double *shift, double *gram, double *loss) {
    const Level level = current_level();
    const int64_t p = x.columns, W = gram_width(level), padded = round_up(p + 2, W), size = padded * padded;
    const Buffer<double> shifted(p + 1, 0.0);
    std::copy_n(shift, p, shifted.data());
    const int64_t tile = std::clamp<int64_t>((256 << 10) / (8 * padded), 32, logistic_tile);
    const Blocks blocks = cut(x.rows, 2048, std::clamp<int64_t>((64 << 20) / (8 * size), 4, 128));
    const Buffer<double> slots(blocks.count * size), losses(blocks.count, 0.0);
    const LogisticRows rows{codes, weights, x.rows, 1};
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        std::fill_n(slots.data() + b * size, size, 0.0);
        const Buffer<double> packed(tile * padded), curvature(tile), response(tile);
        const Buffer<Real> scratch(x.rows_contiguous() ? 0 : tile * p);
        for (int64_t row = blocks[b].first; row < blocks[b].last; row += tile) {
            const Range some{row, std::min(row + tile, blocks[b].last)};
            const RowTile<Real> cells = row_tile(x, row, some.size(), scratch.data());
            LEARNT_AT(level, predict_rows(cells, some.size(), p, coef, intercept, response.data()));
            LEARNT_AT(level, weigh_rows(rows, some, response.data(), curvature.data(), losses.data() + b));
            const Matrix<const Real> part{cells.data, some.size(), p, cells.stride, 1};
            const GramInput<Real> in{part, response.data(), curvature.data(), shifted.data()};
            LEARNT_AT(level, gram_block(in, Range{0, some.size()}, tile, packed.data(), slots.data() + b * size, job));
        }
    });
    for (int64_t b = 0; b < blocks.count; ++b) *loss += losses[b];
    const Buffer<double> sum(size, 0.0);
    add_slots(slots.data(), blocks.count, size, size, sum.data());
    // Of its input add_to_gram asks the number of columns, and whether there is a last one: any pointer says yes.
    add_to_gram(GramInput<Real>{x, shift, nullptr, nullptr}, sum.data(), padded, {0, padded}, {0, padded}, gram);
    for (int64_t i = 0; i < p + 2; ++i)
        for (int64_t j = 0; j < i; ++j) gram[i * (p + 2) + j] = gram[j * (p + 2) + i];
}

// Sums of `numbers` and of `scores` numbers over all rows, at most `most` blocks of them:
// work(rows, block, sums, sums of scores, job) adds those of one block to slots of its own.
template <class Work>
void sum_over_blocks(int64_t rows, int64_t numbers, int64_t scores, int64_t most, double *out, double *out0,
                     const Work &work) {
    const int64_t size = numbers + scores;
    const int64_t fitting = std::max<int64_t>(1, (int64_t{128} << 20) / (8 * std::max<int64_t>(size, 1)));
    const Blocks blocks = cut(rows, 1024, std::min(most, fitting));
    const Buffer<double> slots(blocks.count * size);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        double *slot = slots.data() + b * size;
        std::fill_n(slot, size, 0.0);
        work(blocks[b], b, slot, slot + numbers, job);
    });
    add_slots(slots.data(), blocks.count, size, numbers, out);
    add_slots(slots.data() + numbers, blocks.count, size, scores, out0);
}

// Dense rows: scores of a tile by dot products, sums by adding rows times factors.
template <class Real>
struct DenseScores {
    Matrix<const Real> x;
    int64_t scores;

    int64_t numbers() const { return scores * x.columns; }
    int64_t most_blocks() const { return 64; }
    int64_t tile() const { return std::clamp<int64_t>((128 << 10) / (8 * std::max<int64_t>(x.columns, 1)), 8, logistic_tile); }
    int64_t scratch() const { return x.rows_contiguous() ? 0 : tile() * x.columns; }

    void score(Level level, Range rows, const double *coef, const double *base, Real *scratch, double *s) const {
        const RowTile<Real> cells = row_tile(x, rows.first, rows.size(), scratch);
        for (int64_t k = 0; k < scores; ++k)
            LEARNT_AT(level, predict_rows(cells, rows.size(), x.columns, coef + k * x.columns, base[k], s + k * logistic_tile));
    }
    void add(Level level, Range rows, const double *factors, Real *scratch, double *slot) const {
        const RowTile<Real> cells =
            x.rows_contiguous() ? row_tile(x, rows.first, rows.size(), scratch) : RowTile<Real>{scratch, x.columns};
        for (int64_t k = 0; k < scores; ++k)
            LEARNT_AT(level, add_scaled_rows(cells, rows.size(), x.columns, factors + k * logistic_tile, slot + k * x.columns));
    }
};

// Sparse rows; coefficients and sums are columns × scores, so that a cell finds its K numbers side by side.
template <class Real>
struct SparseScores {
    Csr<Real> x;
    int64_t scores;

    int64_t numbers() const { return scores * x.columns; }
    // As many slots as cost an eighth of the work itself to clear and to add.
    int64_t most_blocks() const {
        return std::clamp<int64_t>(x.stored / (8 * std::max<int64_t>(x.columns, 1)), 8, 64);
    }
    int64_t tile() const { return 64; }
    int64_t scratch() const { return 0; }

    void score(Level, Range rows, const double *coef, const double *base, Real *, double *s) const {
        for (int64_t i = rows.first; i < rows.last; ++i) {
            const Range row = x.row(i);
            double *to = s + i - rows.first;
            if (scores == 1) {
                double sum[2] = {};
                int64_t e = row.first;
                for (; e + 2 <= row.last; e += 2) {
                    sum[0] += coef[x.column[e]] * static_cast<double>(x.value[e]);
                    sum[1] += coef[x.column[e + 1]] * static_cast<double>(x.value[e + 1]);
                }
                if (e < row.last) sum[0] += coef[x.column[e]] * static_cast<double>(x.value[e]);
                *to = base[0] + (sum[0] + sum[1]);
                continue;
            }
            for (int64_t k = 0; k < scores; ++k) to[k * logistic_tile] = base[k];
            for (int64_t e = row.first; e < row.last; ++e) {
                const double value = static_cast<double>(x.value[e]), *b = coef + x.column[e] * scores;
                for (int64_t k = 0; k < scores; ++k) to[k * logistic_tile] += value * b[k];
            }
        }
    }
    void add(Level, Range rows, const double *factors, Real *, double *slot) const {
        for (int64_t i = rows.first; i < rows.last; ++i) {
            const int64_t first = x.offset(i), last = x.offset(i + 1);  // `score` has checked the row
            const double *f = factors + i - rows.first;
            if (scores == 1) {
                const double factor = *f;
                for (int64_t e = first; e < last; ++e) slot[x.column[e]] += factor * static_cast<double>(x.value[e]);
                continue;
            }
            for (int64_t e = first; e < last; ++e) {
                const double value = static_cast<double>(x.value[e]);
                double *to = slot + x.column[e] * scores;
                for (int64_t k = 0; k < scores; ++k) to[k] += value * f[k * logistic_tile];
            }
        }
    }
};

template <template <class> class Storage, class Real>
void logistic_gradient(const Storage<Real> &x, const LogisticRows &rows, const double *coef, const double *intercept,
                       double *shares, double *gradient, double *gradient0, double *loss) {
    const Level level = current_level();
    const Buffer<double> losses(64, 0.0);  // as many as either storage has blocks
    const int64_t K = rows.scores, tile = x.tile();
    sum_over_blocks(rows.rows, x.numbers(), K, x.most_blocks(), gradient, gradient0,
                    [&](Range block, int64_t b, double *slot, double *slot0, Job &job) {
                        const Buffer<double> s(K * logistic_tile);
                        const Buffer<Real> scratch(x.scratch());
                        for (int64_t row = block.first; row < block.last; row += tile) {
                            job.check();
                            const Range some{row, std::min(row + tile, block.last)};
                            x.score(level, some, coef, intercept, scratch.data(), s.data());
                            LEARNT_AT(level, share_scores(rows, some, s.data(), shares, losses.data() + b));
                            for (int64_t k = 0; k < K; ++k)
                                for (int64_t i = 0; i < some.size(); ++i) slot0[k] += s[k * logistic_tile + i];
                            x.add(level, some, s.data(), scratch.data(), slot);
                        }
                    });
    for (int64_t b = 0; b < 64; ++b) *loss += losses[b];
}

template <template <class> class Storage, class Real>
void logistic_curvature(const Storage<Real> &x, const LogisticRows &rows, const double *shares, const double *direction,
                        const double *direction0, double *out, double *out0) {
    const Level level = current_level();
    const int64_t K = rows.scores, tile = x.tile();
    sum_over_blocks(rows.rows, x.numbers(), K, x.most_blocks(), out, out0,
                    [&](Range block, int64_t, double *slot, double *slot0, Job &job) {
                        const Buffer<double> u(K * logistic_tile), mean(logistic_tile);
                        const Buffer<Real> scratch(x.scratch());
                        for (int64_t row = block.first; row < block.last; row += tile) {
                            job.check();
                            const Range some{row, std::min(row + tile, block.last)};
                            x.score(level, some, direction, direction0, scratch.data(), u.data());
                            std::fill_n(mean.data(), some.size(), 0.0);
                            for (int64_t k = 0; k < K; ++k)
                                for (int64_t i = 0; i < some.size(); ++i)
                                    mean[i] += shares[k * rows.rows + row + i] * u[k * logistic_tile + i];
                            for (int64_t k = 0; k < K; ++k)
                                for (int64_t i = 0; i < some.size(); ++i) {
                                    double &t = u[k * logistic_tile + i];
                                    t = rows.weight(row + i) * shares[k * rows.rows + row + i] * (t - mean[i]);
                                    slot0[k] += t;
                                }
                            x.add(level, some, u.data(), scratch.data(), slot);
                        }
                    });
}

}  // namespace learnt
