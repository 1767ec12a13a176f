// One round of EM for mixtures: full covariances, and columns independent within a component.
#include "bind/arrays.hpp"
#include "cluster/mixture/columns.hpp"

namespace learnt::bind {
namespace {

using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using OutCube = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto *cube(const char *name, const Array &a, int64_t first, int64_t second, int64_t third) {
    if (size(a, 0) != first || size(a, 1) != second || size(a, 2) != third)
        refuse("'" + std::string(name) + "' is " + std::to_string(size(a, 0)) + " × " + std::to_string(size(a, 1)) +
               " × " + std::to_string(size(a, 2)) + ". Expected " + std::to_string(first) + " × " +
               std::to_string(second) + " × " + std::to_string(third) + ".");
    return data(name, a);
}

MixtureAnswers mixture_answers(const Maybe<Out<double>> &log_density, const Maybe<Out2<double>> &shares,
                                      const Maybe<Out<int32_t>> &labels, int64_t rows, int64_t k) {
    return {vector("log_density", log_density, rows), shares ? matrix("shares", *shares, rows, k) : nullptr,
            vector("labels", labels, rows)};
}

int64_t checked_components(int64_t k) {
    if (k == 0) refuse("'offset' is empty. Expected one number per component, of which there is at least one.");
    return k;
}

#define LEARNT_MIXTURE_ANSWERS \
    nb::arg("log_density").noconvert().none(), nb::arg("shares").noconvert().none(), nb::arg("labels").noconvert().none()

template <class T>
void bind_mixture_rounds(nb::module_ &m) {
    m.def(
        "full_mixture_round",
        [](const Table<T> &x, const Maybe<In<double>> &weights, const In<double> &shift, const In<double> &scale,
           const In2<double> &mean, const Cube &roots, const In<double> &offset, const Maybe<Out<double>> &log_density,
           const Maybe<Out2<double>> &shares, const Maybe<Out<int32_t>> &labels, const Maybe<OutCube> &sums) {
            const auto t = table(x);
            const int64_t k = checked_components(size(offset)), p = t.columns, g = size(roots);
            if (g != 1 && g != k)
                refuse("There are " + std::to_string(g) + " roots. Expected 1 or " + std::to_string(k) + ".");
            const MixtureInput<T> in{t,
                                     vector("weights", weights, t.rows),
                                     vector("shift", shift, p),
                                     vector("scale", scale, p),
                                     matrix("mean", mean, k, p),
                                     data("offset", offset),
                                     k};
            const double *r = cube("roots", roots, g, p, p);
            const MixtureAnswers answers = mixture_answers(log_density, shares, labels, t.rows, k);
            double *to = sums ? cube("sums", *sums, k, p + 1, p + 1) : nullptr;
            const nb::gil_scoped_release unlocked;
            return full_mixture_round(in, r, g, answers, to);
        },
        nb::arg("x").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("shift").noconvert(),
        nb::arg("scale").noconvert(), nb::arg("mean").noconvert(), nb::arg("roots").noconvert(),
        nb::arg("offset").noconvert(), LEARNT_MIXTURE_ANSWERS, nb::arg("sums").noconvert().none(),
        "A round of EM with full covariances: per component Σ w r [d, 1] [d, 1]ᵀ, lower triangles, added to "
        "sums;\nreturns Σ w log p.");
    m.def(
        "column_mixture_round",
        [](const Table<T> &x, const In2<int32_t> &codes, const Maybe<In<double>> &weights, const In<double> &shift,
           const In<double> &scale, const In2<double> &mean, const In2<double> &variance, double blur,
           const In<int64_t> &levels, const In2<double> &tables, const In<double> &offset, const Maybe<Out<double>> &log_density,
           const Maybe<Out2<double>> &shares, const Maybe<Out<int32_t>> &labels, const Maybe<Out<double>> &weight,
           const Maybe<OutCube> &moments, const Maybe<Out2<double>> &counts) {
            const auto t = table(x);
            const int64_t k = checked_components(size(offset)), p = t.columns, q = size(levels);
            if (weight.has_value() != moments.has_value() || weight.has_value() != counts.has_value())
                refuse("'weight', 'moments' and 'counts' come together. Pass all or none.");
            int64_t rows = 0;
            for (int64_t j = 0; j < q; ++j) {
                const int64_t here = data("levels", levels)[j];
                if (here < 0 || here >= int64_t{1} << 31) refuse("'levels' has a number below 0, or of 2**31 or more.");
                rows += here;
            }
            const ColumnRows<T> in{t, matrix("codes", codes, t.rows, q), vector("weights", weights, t.rows),
                                   vector("shift", shift, p), vector("scale", scale, p)};
            const double *means = matrix("mean", mean, k, p), *variances = matrix("variance", variance, k, p);
            const double *logs = matrix("tables", tables, rows, k), *offsets = data("offset", offset);
            const MixtureAnswers answers = mixture_answers(log_density, shares, labels, t.rows, k);
            double *w = vector("weight", weight, k);
            double *s = moments ? cube("moments", *moments, 3, p, k) : nullptr;
            double *n = counts ? matrix("counts", *counts, rows, k) : nullptr;
            const nb::gil_scoped_release unlocked;
            const ColumnCurves curves(k, p, q, levels.data(), offsets, means, variances, blur, logs);
            return column_mixture_round(in, curves, answers, w, s, n);
        },
        nb::arg("x").noconvert(), nb::arg("codes").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("shift").noconvert(), nb::arg("scale").noconvert(), nb::arg("mean").noconvert(),
        nb::arg("variance").noconvert(), nb::arg("blur"), nb::arg("levels").noconvert(), nb::arg("tables").noconvert(),
        nb::arg("offset").noconvert(), LEARNT_MIXTURE_ANSWERS, nb::arg("weight").noconvert().none(),
        nb::arg("moments").noconvert().none(), nb::arg("counts").noconvert().none(),
        "A round of EM with independent columns; NaN and codes outside of their levels are missing; returns Σ w log "
        "p.");
}

}  // namespace

void bind_mixture(nb::module_ &m) { bind_mixture_rounds<double>(m), bind_mixture_rounds<float>(m); }

}  // namespace learnt::bind
