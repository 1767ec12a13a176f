// Coordinate descent for penalised least squares: over rows, dense or sparse, and over cross products.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind/csr.hpp"
#include "linear/coordinate_descent.hpp"

namespace learnt::bind {
namespace {

using Found = std::tuple<double, double, int64_t>;  // gap, objective, epochs

static Penalty penalty_over(int64_t columns, const In<int64_t> &starts, const In<double> &step, const In<double> &l1,
                            const In<double> &l2, bool positive) {
    const int64_t groups = size(starts) - 1;
    if (groups < 0) refuse("'starts' is empty. Expected one number more than there are groups.");
    const int64_t *at = data("starts", starts);
    bool rising = at[0] == 0 && at[groups] == columns;
    for (int64_t g = 0; g < groups; ++g) rising = rising && at[g] <= at[g + 1];
    if (!rising) refuse("'starts' does not rise from 0 to the number of columns, " + std::to_string(columns) + ".");
    return {{at, groups}, vector("step", step, groups), vector("l1", l1, groups), vector("l2", l2, groups), positive};
}

static Found told(const Descended &found) { return {found.gap, found.objective, found.epochs}; }

template <class Columns>
static Found descend_rows(Columns columns, int64_t p, const double *share, double *q, double *seen_q, double *seen_c,
                          const Penalty &penalty, const Limits &limits, double *coef) {
    const nb::gil_scoped_release unlocked;
    const Buffer<double> c(p, 0.0);
    RowProblem<Columns> problem{columns, share, q, seen_q, seen_c, c.data()};
    return told(descend(problem, penalty, limits, coef));
}

template <class T>
void bind_descend_dense(nb::module_ &m) {
    m.def(
        "descend_dense",
        [](const Table<T> &x, const In<double> &mean, const Maybe<In<double>> &share, const In<int64_t> &starts,
           const In<double> &step, const In<double> &l1, const In<double> &l2, bool positive, double gap, double strong,
           int64_t epochs, const Out<double> &coef, const Out<double> &residual, const Out<double> &seen_residual,
           const Out<double> &seen_correlation) {
            const auto t = table(x);
            if (!t.columns_contiguous()) refuse("'x' is not in Fortran order. Pass np.asfortranarray(x).");
            const int64_t n = t.rows, p = t.columns;
            const DenseColumns<T> columns{t, vector("mean", mean, p)};
            const Penalty penalty = penalty_over(p, starts, step, l1, l2, positive);
            return descend_rows(columns, p, vector("share", share, n), vector("residual", residual, n + 1),
                                vector("seen_residual", seen_residual, n + 1),
                                vector("seen_correlation", seen_correlation, p), penalty, {gap, strong, epochs},
                                vector("coef", coef, p));
        },
        nb::arg("x").noconvert(), nb::arg("mean").noconvert(), nb::arg("share").noconvert().none(),
        nb::arg("starts").noconvert(), nb::arg("step").noconvert(), nb::arg("l1").noconvert(),
        nb::arg("l2").noconvert(), nb::arg("positive"), nb::arg("gap"), nb::arg("strong"), nb::arg("epochs"),
        nb::arg("coef").noconvert(), nb::arg("residual").noconvert(), nb::arg("seen_residual").noconvert(),
        nb::arg("seen_correlation").noconvert(),
        "Coordinate descent for ½ Σ s r² + Σ l1 |b_g| + ½ Σ l2 |b_g|² on a matrix in Fortran order.\n\nUpdates coef, "
        "residual (s·r and an offset) and what was seen; returns gap, objective and rounds.");
}

template <class T>
void bind_descend_csc(nb::module_ &m) {
    m.def(
        "descend_csc",
        [](const In<T> &values, const In<int32_t> &indices, const Offsets &indptr, int64_t n_rows,
           const In<double> &mean, const Maybe<In<double>> &share, const In<int64_t> &starts, const In<double> &step,
           const In<double> &l1, const In<double> &l2, bool positive, double gap, double strong, int64_t epochs,
           const Out<double> &coef, const Out<double> &residual, const Out<double> &seen_residual,
           const Out<double> &seen_correlation) {
            const Csr<T> x = sparse(values, indices, indptr, n_rows);
            for (int64_t j = 0; j < x.rows; ++j) x.row(j);  // throws if a cell lies outside
            const int64_t n = n_rows, p = x.rows;
            const SparseColumns<T> columns{x, vector("mean", mean, p)};
            const Penalty penalty = penalty_over(p, starts, step, l1, l2, positive);
            return descend_rows(columns, p, vector("share", share, n), vector("residual", residual, n + 1),
                                vector("seen_residual", seen_residual, n + 1),
                                vector("seen_correlation", seen_correlation, p), penalty, {gap, strong, epochs},
                                vector("coef", coef, p));
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("n_rows"),
        nb::arg("mean").noconvert(), nb::arg("share").noconvert().none(), nb::arg("starts").noconvert(),
        nb::arg("step").noconvert(), nb::arg("l1").noconvert(), nb::arg("l2").noconvert(), nb::arg("positive"),
        nb::arg("gap"), nb::arg("strong"), nb::arg("epochs"), nb::arg("coef").noconvert(),
        nb::arg("residual").noconvert(), nb::arg("seen_residual").noconvert(),
        nb::arg("seen_correlation").noconvert(),
        "The same on columns that store their non-zero cells.");
}

}  // namespace

void bind_penalised(nb::module_ &m) {
    bind_descend_dense<double>(m), bind_descend_dense<float>(m);
    bind_descend_csc<double>(m), bind_descend_csc<float>(m);
    m.def(
        "descend_gram",
        [](const In2<double> &gram, const In<double> &target_products, double target_square, const In<int64_t> &starts,
           const In<double> &step, const In<double> &l1, const In<double> &l2, bool positive, double gap, double strong,
           int64_t epochs, const Out<double> &coef, const Out<double> &correlation) {
            const int64_t p = size(gram);
            const Penalty penalty = penalty_over(p, starts, step, l1, l2, positive);
            double *b = vector("coef", coef, p);
            GramProblem problem{matrix("gram", gram, p, p), vector("target_products", target_products, p),
                                target_square, vector("correlation", correlation, p), b, p};
            const nb::gil_scoped_release unlocked;
            return told(descend(problem, penalty, {gap, strong, epochs}, b));
        },
        nb::arg("gram").noconvert(), nb::arg("target_products").noconvert(), nb::arg("target_square"),
        nb::arg("starts").noconvert(), nb::arg("step").noconvert(), nb::arg("l1").noconvert(),
        nb::arg("l2").noconvert(), nb::arg("positive"), nb::arg("gap"), nb::arg("strong"), nb::arg("epochs"),
        nb::arg("coef").noconvert(), nb::arg("correlation").noconvert(),
        "The same on cross products; correlation is target_products − gram @ coef, kept up to date.");
}

}  // namespace learnt::bind
