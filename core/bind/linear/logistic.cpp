// Passes of logistic regression.
#include "bind/csr.hpp"
#include "linear/logistic.hpp"
#include "linear/quadratic.hpp"

namespace learnt::bind {
namespace {

// Codes index the scores: those outside would read beyond them.
LogisticRows logistic_rows(const In<int32_t> &codes, const Maybe<In<double>> &weights, int64_t rows, int64_t scores) {
    const int32_t *c = vector("codes", codes, rows);
    if (scores < 1) refuse("There are no scores. Expected at least one.");
    for (int64_t i = 0; i < rows; ++i)
        if (c[i] < 0 || c[i] >= std::max<int64_t>(scores, 2))
            refuse("'codes' holds " + std::to_string(c[i]) + " in row " + std::to_string(i) + ", which is no class.");
    return {c, vector("weights", weights, rows), rows, scores};
}

template <class T>
void bind_logistic_dense(nb::module_ &m) {
    m.def(
        "add_logistic_gram",
        [](const Table<T> &x, const In<int32_t> &codes, const Maybe<In<double>> &weights, const In<double> &coef,
           double intercept, const In<double> &shift, const Out2<double> &gram) {
            const auto t = table(x);
            const auto rows = logistic_rows(codes, weights, t.rows, 1);
            const double *b = vector("coef", coef, t.columns), *s = vector("shift", shift, t.columns);
            double *g = matrix("gram", gram, t.columns + 2, t.columns + 2), loss = 0;
            {
                const nb::gil_scoped_release unlocked;
                add_logistic_gram(t, rows.codes, rows.weights, b, intercept, s, g, &loss);
            }
            return loss;
        },
        nb::arg("x").noconvert(), nb::arg("codes").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("coef").noconvert(), nb::arg("intercept"), nb::arg("shift").noconvert(), nb::arg("gram").noconvert(),
        "Returns the loss of two classes; adds Σ w p (1−p) z zᵀ to gram, z = [1, x − shift, (y−p) / (p (1−p))].");
    m.def(
        "logistic_gradient",
        [](const Table<T> &x, const In<int32_t> &codes, const Maybe<In<double>> &weights, const In2<double> &coef,
           const In<double> &intercept, const Out2<double> &shares, const Out2<double> &gradient,
           const Out<double> &gradient0) {
            const auto t = table(x);
            const int64_t k = size(coef);
            const auto rows = logistic_rows(codes, weights, t.rows, k);
            const double *b = matrix("coef", coef, k, t.columns), *b0 = vector("intercept", intercept, k);
            double *to = matrix("shares", shares, k, t.rows), *g = matrix("gradient", gradient, k, t.columns);
            double *g0 = vector("gradient0", gradient0, k), loss = 0;
            {
                const nb::gil_scoped_release unlocked;
                logistic_gradient(DenseScores<T>{t, k}, rows, b, b0, to, g, g0, &loss);
            }
            return loss;
        },
        nb::arg("x").noconvert(), nb::arg("codes").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(), nb::arg("shares").noconvert(),
        nb::arg("gradient").noconvert(), nb::arg("gradient0").noconvert(),
        "Returns the loss; overwrites shares (scores × rows), adds to the gradient by coefficients and intercepts.");
    m.def(
        "logistic_curvature",
        [](const Table<T> &x, const Maybe<In<double>> &weights, const In2<double> &shares, const In2<double> &direction,
           const In<double> &direction0, const Out2<double> &out, const Out<double> &out0) {
            const auto t = table(x);
            const int64_t k = size(direction);
            const LogisticRows rows{nullptr, vector("weights", weights, t.rows), t.rows, k};
            const double *s = matrix("shares", shares, k, t.rows), *v = matrix("direction", direction, k, t.columns);
            const double *v0 = vector("direction0", direction0, k);
            double *to = matrix("out", out, k, t.columns), *to0 = vector("out0", out0, k);
            const nb::gil_scoped_release unlocked;
            logistic_curvature(DenseScores<T>{t, k}, rows, s, v, v0, to, to0);
        },
        nb::arg("x").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("shares").noconvert(),
        nb::arg("direction").noconvert(), nb::arg("direction0").noconvert(), nb::arg("out").noconvert(),
        nb::arg("out0").noconvert(),
        "Add the second derivatives of the loss times a direction.");
}

template <class T>
void bind_logistic_csr(nb::module_ &m) {
    m.def(
        "logistic_gradient_csr",
        [](const In<T> &values, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const In<int32_t> &codes, const Maybe<In<double>> &weights, const In2<double> &coef,
           const In<double> &intercept, const Out2<double> &shares, const Out2<double> &gradient,
           const Out<double> &gradient0) {
            const auto x = sparse(values, indices, indptr, n_columns);
            const int64_t k = size(coef, 1);
            const auto rows = logistic_rows(codes, weights, x.rows, k);
            const double *b = matrix("coef", coef, x.columns, k), *b0 = vector("intercept", intercept, k);
            double *to = matrix("shares", shares, k, x.rows), *g = matrix("gradient", gradient, x.columns, k);
            double *g0 = vector("gradient0", gradient0, k), loss = 0;
            {
                const nb::gil_scoped_release unlocked;
                logistic_gradient(SparseScores<T>{x, k}, rows, b, b0, to, g, g0, &loss);
            }
            return loss;
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("codes").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(), nb::arg("shares").noconvert(),
        nb::arg("gradient").noconvert(), nb::arg("gradient0").noconvert(),
        "logistic_gradient on sparse rows; coefficients and gradient are columns × scores.");
    m.def(
        "logistic_curvature_csr",
        [](const In<T> &values, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const Maybe<In<double>> &weights, const In2<double> &shares, const In2<double> &direction,
           const In<double> &direction0, const Out2<double> &out, const Out<double> &out0) {
            const auto x = sparse(values, indices, indptr, n_columns);
            const int64_t k = size(direction, 1);
            const LogisticRows rows{nullptr, vector("weights", weights, x.rows), x.rows, k};
            const double *s = matrix("shares", shares, k, x.rows), *v = matrix("direction", direction, x.columns, k);
            const double *v0 = vector("direction0", direction0, k);
            double *to = matrix("out", out, x.columns, k), *to0 = vector("out0", out0, k);
            const nb::gil_scoped_release unlocked;
            logistic_curvature(SparseScores<T>{x, k}, rows, s, v, v0, to, to0);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("weights").noconvert().none(), nb::arg("shares").noconvert(),
        nb::arg("direction").noconvert(), nb::arg("direction0").noconvert(), nb::arg("out").noconvert(),
        nb::arg("out0").noconvert(),
        "logistic_curvature on sparse rows; directions are columns × scores.");
}

}  // namespace

void bind_logistic(nb::module_ &m) {
    bind_logistic_dense<double>(m), bind_logistic_dense<float>(m);
    bind_logistic_csr<double>(m), bind_logistic_csr<float>(m);
    m.def(
        "descend_quadratic",
        [](const In2<double> &curvature, const In<double> &penalty, double tolerance, int64_t most,
           const Out<double> &point, const Out<double> &gradient) {
            const int64_t k = size(curvature);
            const double *h = matrix("curvature", curvature, k, k), *l = vector("penalty", penalty, k);
            double *b = vector("point", point, k), *g = vector("gradient", gradient, k);
            const nb::gil_scoped_release unlocked;
            return descend_quadratic(h, l, k, tolerance, most, b, g);
        },
        nb::arg("curvature").noconvert(), nb::arg("penalty").noconvert(), nb::arg("tolerance"), nb::arg("most"),
        nb::arg("point").noconvert(), nb::arg("gradient").noconvert(),
        "Coordinate descent on a quadratic with an L1 penalty, from point; returns the sweeps made.");
}

}  // namespace learnt::bind
