// Kernels of learners that make fewer columns.
#include "bind/arrays.hpp"
#include "table/project.hpp"

namespace learnt::bind {
namespace {

template <class T>
void bind_project(nb::module_ &m) {
    m.def(
        "project_rows",
        [](const Table<T> &x, const In<double> &shift, const In2<double> &weights, const Out2<double> &out) {
            const auto t = table(x);
            const int64_t k = size(weights, 1);
            const double *s = vector("shift", shift, t.columns), *w = matrix("weights", weights, t.columns, k);
            double *o = matrix("out", out, t.rows, k);
            const nb::gil_scoped_release unlocked;
            project_rows(t, s, w, k, o);
        },
        nb::arg("x").noconvert(), nb::arg("shift").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("out").noconvert(),
        "Overwrite out (rows × directions) with (x − shift) @ weights.");
}

}  // namespace

void bind_reduce(nb::module_ &m) {
    bind_project<float>(m);
    bind_project<double>(m);
}

}  // namespace learnt::bind
