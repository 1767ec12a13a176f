// What coordinate descent works on: columns and what they leave unexplained. Three kinds, one set of verbs:
//
//   c(j)               Σ_i s_i (x_ij − m_j) r_i, the correlation of a column with the residual r = y − b·x
//   move(j, delta)     b_j grew by delta: r changes, or with cross products all c do
//   loss()             ½ Σ_i s_i r_i², the shares s_i of the rows adding up to 1
//   look(groups)       bring c up to date for some groups of columns, on all threads
//   drift()            how far the residual has moved since all of c was seen
//   shuffled           whether columns are better cycled through in another order than they are stored in
//
// The residual is kept as q_i = s_i r_i. Sparse columns are not centred cell by cell: their means move an offset
// common to all rows, kept behind the residual.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "base/pool.hpp"
#include "simd/levels.hpp"

#define LEARNT_LOOPS "linear/coordinate_descent_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Columns as runs of memory.
template <class Real>
struct DenseColumns {
    static constexpr bool shuffled = false;

    Matrix<const Real> x;
    const double *mean;
    Level level = current_level();

    int64_t rows() const { return x.rows; }

    double dot(int64_t j, const double *q) const {
        double sum = 0;
        LEARNT_AT(level, column_dot(&x(0, j), mean[j], q, x.rows, &sum));
        return sum;
    }
    void off(int64_t j, double delta, const double *share, double *q) const {
        if (!share) delta /= static_cast<double>(x.rows);
        LEARNT_AT(level, column_off(&x(0, j), mean[j], delta, share, q, x.rows));
    }
};

// Columns that store their non-zero cells: row j of `x` is column j of the matrix. q[rows] is the offset o:
// with Σ_i s_i x_ij = m_j,  c_j = Σ_e x_e q_e + m_j o.
template <class Real>
struct SparseColumns {
    static constexpr bool shuffled = true;

    Csr<Real> x;
    const double *mean;

    int64_t rows() const { return x.columns; }

    double dot(int64_t j, const double *q) const {
        double sum = 0;
        for (int64_t e = x.offset(j), end = x.offset(j + 1); e < end; ++e)
            sum += static_cast<double>(x.value[e]) * q[x.column[e]];
        return sum + mean[j] * q[rows()];
    }
    void off(int64_t j, double delta, const double *share, double *q) const {
        const double each = delta / static_cast<double>(rows());
        for (int64_t e = x.offset(j), end = x.offset(j + 1); e < end; ++e)
            q[x.column[e]] -= static_cast<double>(x.value[e]) * (share ? share[x.column[e]] * delta : each);
        q[rows()] += delta * mean[j];
    }
};

// Where groups of columns begin; group g is [starts[g], starts[g + 1]).
struct Groups {
    const int64_t *starts;
    int64_t count;
    Range operator[](int64_t g) const { return {starts[g], starts[g + 1]}; }
};

// Rows: the residual is at hand, a correlation is a look at a column. `seen_c` holds those of a residual seen
// earlier, `seen_q`. Since |c_j − seen c_j| ≤ |x_j| |r − seen r|, most columns need no second look.
template <class Columns>
struct RowProblem {
    static constexpr bool shuffled = Columns::shuffled;

    Columns x;
    const double *share;  // n, or null: all rows alike
    double *q;            // n + 1
    double *seen_q;       // n + 1
    double *seen_c;       // p
    double *c;            // p
    std::vector<double> saved{};

    double residual(const double *from, int64_t i) const {
        const double s = share ? share[i] : 1 / static_cast<double>(x.rows());
        return s > 0 ? from[i] / s + from[x.rows()] : 0.0;
    }
    double loss() const {
        double sum = 0;
        for (int64_t i = 0; i < x.rows(); ++i) {
            const double r = residual(q, i);
            sum += (share ? share[i] : 1.0) * r * r;
        }
        return sum / (share ? 2.0 : 2.0 * static_cast<double>(x.rows()));
    }
    // |r − seen r|
    double drift() const {
        double sum = 0;
        for (int64_t i = 0; i < x.rows(); ++i) {
            const double d = residual(q, i) - residual(seen_q, i);
            sum += (share ? share[i] : 1.0) * d * d;
        }
        return std::sqrt(sum / (share ? 1.0 : static_cast<double>(x.rows())));
    }

    double correlation(int64_t j) { return c[j] = x.dot(j, q); }
    void move(int64_t j, double delta) { x.off(j, delta, share, q); }

    void look(const Groups &groups, std::span<const int64_t> some) {
        constexpr int64_t together = 16;
        const int64_t count = static_cast<int64_t>(some.size());
        run_blocks((count + together - 1) / together, [&](int64_t block, Job &job) {
            for (int64_t k = block * together; k < std::min(count, (block + 1) * together); ++k) {
                job.check();
                const Range g = groups[some[static_cast<size_t>(k)]];
                for (int64_t j = g.first; j < g.last; ++j) c[j] = x.dot(j, q);
            }
        });
    }
    void remember(int64_t columns) {
        std::copy_n(q, x.rows() + 1, seen_q);
        std::copy_n(c, columns, seen_c);
    }
    void save() { saved.assign(q, q + x.rows() + 1); }
    void restore() { std::copy(saved.begin(), saved.end(), q); }
};

// Cross products: G_jk = Σ s x_j x_k of centred columns, with c = Σ s x y − G b always up to date.
struct GramProblem {
    static constexpr bool shuffled = false;

    const double *gram;             // p × p
    const double *target_products;  // p: Σ s x_j y
    double target_square;           // Σ s y²
    double *c, *b;                  // p
    int64_t columns;
    Level level = current_level();
    std::vector<double> saved{};

    // Σ s r² = Σ s y² − b·(Σ s x y + c)
    double loss() const {
        double sum = target_square;
        for (int64_t j = 0; j < columns; ++j)
            if (b[j] != 0) sum -= b[j] * (target_products[j] + c[j]);
        return std::max(0.0, sum / 2);
    }
    double drift() const { return 0; }
    double correlation(int64_t j) const { return c[j]; }
    void move(int64_t j, double delta) {
        LEARNT_AT(level, column_off(gram + j * columns, 0.0, delta, nullptr, c, columns));
    }
    void look(const Groups &, std::span<const int64_t>) const {}
    void remember(int64_t) const {}
    void save() { saved.assign(c, c + columns); }
    void restore() { std::copy(saved.begin(), saved.end(), c); }
};

}  // namespace learnt
