// Kernels over whole tables: moments, cross products, finiteness, linear predictions, row hashes.
#include <nanobind/stl/pair.h>

#include <utility>

#include "base/hash.hpp"
#include "bind/csr.hpp"
#include "table/finite.hpp"
#include "table/gram.hpp"
#include "table/linear.hpp"
#include "table/moments.hpp"

namespace learnt::bind {
namespace {

template <class T>
void bind_moments(nb::module_ &m) {
    m.def(
        "column_moments",
        [](const Table<T> &x, const Maybe<In<double>> &weights, const Out<double> &weight, const Out<double> &mean,
           const Out<double> &deviation, const Out<double> &minimum, const Out<double> &maximum,
           const Out<int64_t> &missing, const Out<int64_t> &infinite) {
            const auto t = table(x);
            const int64_t p = t.columns;
            const double *w = vector("weights", weights, t.rows);
            double *to[5] = {vector("weight", weight, p), vector("mean", mean, p), vector("deviation", deviation, p),
                             vector("minimum", minimum, p), vector("maximum", maximum, p)};
            int64_t *count[2] = {vector("missing", missing, p), vector("infinite", infinite, p)};
            const nb::gil_scoped_release unlocked;
            column_moments(t, w, to[0], to[1], to[2], to[3], to[4], count[0], count[1]);
        },
        nb::arg("x").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("weight").noconvert(),
        nb::arg("mean").noconvert(), nb::arg("deviation").noconvert(), nb::arg("minimum").noconvert(),
        nb::arg("maximum").noconvert(), nb::arg("missing").noconvert(), nb::arg("infinite").noconvert(),
        "Overwrite every column's Σw, mean, Σw(x−mean)², range, and numbers of NaN and infinite cells.");
}

template <class T>
void bind_gram(nb::module_ &m) {
    m.def(
        "add_gram",
        [](const Table<T> &x, const Maybe<In<double>> &y, const Maybe<In<double>> &weights, const In<double> &shift,
           const Out2<double> &gram) {
            const auto t = table(x);
            const double *target = vector("y", y, t.rows), *w = vector("weights", weights, t.rows);
            const double *s = vector("shift", shift, t.columns + 1);
            double *g = matrix("gram", gram, t.columns + 2, t.columns + 2);
            const nb::gil_scoped_release unlocked;
            add_gram(t, target, w, s, g);
        },
        nb::arg("x").noconvert(), nb::arg("y").noconvert().none(), nb::arg("weights").noconvert().none(),
        nb::arg("shift").noconvert(), nb::arg("gram").noconvert(),
        "Add Σ w z zᵀ to gram, z = [1, x − shift[:p], y − shift[p]].");
}

template <class T>
void bind_finite(nb::module_ &m) {
    m.def(
        "all_finite",
        [](const Table<T> &x) {
            const auto t = table(x);
            const nb::gil_scoped_release unlocked;
            return all_finite(t);
        },
        nb::arg("x").noconvert(),
        "Whether no cell is NaN or infinite.");
    m.def(
        "first_nonfinite",
        [](const Table<T> &x, bool infinite_only) {
            const auto t = table(x);
            const nb::gil_scoped_release unlocked;
            const Cell cell = first_nonfinite(t, infinite_only);
            return std::pair{cell.row, cell.column};
        },
        nb::arg("x").noconvert(), nb::arg("infinite_only") = false,
        "Row and column of the first cell that is NaN or infinite, row by row, or (-1, -1).");
}

template <class T>
void bind_linear(nb::module_ &m) {
    m.def(
        "predict_linear",
        [](const Table<T> &x, const In<double> &coef, double intercept, const Out<double> &out) {
            const auto t = table(x);
            const double *c = vector("coef", coef, t.columns);
            double *to = vector("out", out, t.rows);
            const nb::gil_scoped_release unlocked;
            predict_linear(t, c, intercept, to);
        },
        nb::arg("x").noconvert(), nb::arg("coef").noconvert(), nb::arg("intercept"), nb::arg("out").noconvert(),
        "Overwrite out with intercept + x · coef.");
}

template <class T>
void bind_linear_csr(nb::module_ &m) {
    m.def(
        "predict_linear_csr",
        [](const In<T> &values, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const In<double> &coef, double intercept, const Out<double> &out) {
            const auto x = sparse(values, indices, indptr, n_columns);
            const double *c = vector("coef", coef, x.columns);
            double *to = vector("out", out, x.rows);
            const nb::gil_scoped_release unlocked;
            predict_linear(x, c, intercept, to);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("coef").noconvert(), nb::arg("intercept"), nb::arg("out").noconvert(),
        "predict_linear on sparse rows.");
}

}  // namespace

void bind_tables(nb::module_ &m) {
    bind_moments<double>(m), bind_moments<float>(m);
    bind_gram<double>(m), bind_gram<float>(m);
    bind_finite<double>(m), bind_finite<float>(m);
    bind_linear<double>(m), bind_linear<float>(m);
    bind_linear_csr<double>(m), bind_linear_csr<float>(m);
    m.def(
        "hash_uniform",
        [](uint64_t seed, int64_t first_row, const Out<double> &out) {
            double *to = data("out", out);
            const int64_t n = size(out);
            const nb::gil_scoped_release unlocked;
            hash_uniform(seed, first_row, to, n);
        },
        nb::arg("seed"), nb::arg("first_row"), nb::arg("out").noconvert(),
        "Overwrite out with numbers in (0, 1) that depend on the seed and the row number alone.");
}

}  // namespace learnt::bind
