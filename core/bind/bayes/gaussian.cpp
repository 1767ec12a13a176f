// Moments by class and the evidence of Gaussians.
#include "bayes/gaussian.hpp"
#include "bind/arrays.hpp"
#include "table/moments_by_class.hpp"

namespace learnt::bind {
namespace {

template <class T>
void bind_by_class(nb::module_ &m) {
    m.def(
        "moments_by_class",
        [](const Table<T> &x, const In<int32_t> &codes, const Maybe<In<double>> &weights, const Out2<double> &weight,
           const Out2<double> &mean, const Out2<double> &deviation, const Out<int64_t> &infinite) {
            const auto t = table(x);
            const int64_t k = size(weight);
            const int32_t *c = vector("codes", codes, t.rows);
            const double *w = vector("weights", weights, t.rows);
            double *to[3] = {matrix("weight", weight, k, t.columns), matrix("mean", mean, k, t.columns),
                             matrix("deviation", deviation, k, t.columns)};
            int64_t *count = vector("infinite", infinite, t.columns);
            const nb::gil_scoped_release unlocked;
            moments_by_class(t, c, w, k, to[0], to[1], to[2], count);
        },
        nb::arg("x").noconvert(), nb::arg("codes").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("weight").noconvert(), nb::arg("mean").noconvert(), nb::arg("deviation").noconvert(),
        nb::arg("infinite").noconvert(),
        "Update weight, mean and Σw(x−mean)² of every class (rows) and column, NaN left out; count infinite cells.");
    m.def(
        "gaussian_evidence",
        [](const Table<T> &x, const In2<double> &mean, const In2<double> &variance, const Out2<double> &out) {
            const auto t = table(x);
            const int64_t k = size(mean);
            const double *center = matrix("mean", mean, k, t.columns);
            const double *spread = matrix("variance", variance, k, t.columns);
            double *to = matrix("out", out, k, t.rows);
            const nb::gil_scoped_release unlocked;
            gaussian_evidence(t, center, spread, k, to);
        },
        nb::arg("x").noconvert(), nb::arg("mean").noconvert(), nb::arg("variance").noconvert(),
        nb::arg("out").noconvert(),
        "Add Σ_j log N(x_j; mean, variance) to out, classes × rows; NaN adds nothing.");
}

}  // namespace

void bind_bayes(nb::module_ &m) { bind_by_class<double>(m), bind_by_class<float>(m); }

}  // namespace learnt::bind
