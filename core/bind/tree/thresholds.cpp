// The cells beside thresholds of a column.
#include "bind/arrays.hpp"
#include "tree/thresholds.hpp"

namespace learnt::bind {
namespace {

const double *rising(const In<double> &thresholds) {
    const double *t = data("thresholds", thresholds);
    for (int64_t k = 1; k < size(thresholds); ++k)
        if (!(t[k - 1] <= t[k])) refuse("'thresholds' do not rise.");
    return t;
}

}  // namespace

void bind_thresholds(nb::module_ &m) {
    m.def(
        "cells_beside",
        [](const In<double> &cells, const In<double> &thresholds, const Out<double> &below, const Out<double> &above) {
            const int64_t n = size(cells), count = size(thresholds);
            const double *x = data("cells", cells), *t = rising(thresholds);
            double *low = vector("below", below, count), *high = vector("above", above, count);
            const nb::gil_scoped_release unlocked;
            tree::cells_beside(x, n, t, count, low, high);
        },
        nb::arg("cells").noconvert(), nb::arg("thresholds").noconvert(), nb::arg("below").noconvert(),
        nb::arg("above").noconvert(), "below and above = the cells beside each threshold, infinite where there is none.");
    m.def(
        "write_thresholds",
        [](const In<double> &below, const In<double> &above, const Out<double> &thresholds) {
            const int64_t n = size(thresholds);
            const double *low = vector("below", below, n), *high = vector("above", above, n);
            double *t = data("thresholds", thresholds);
            const nb::gil_scoped_release unlocked;
            for (int64_t k = 0; k < n; ++k) t[k] = tree::short_between(t[k], low[k], high[k]);
        },
        nb::arg("below").noconvert(), nb::arg("above").noconvert(), nb::arg("thresholds").noconvert(),
        "thresholds = themselves in the fewest digits, from six on, that keep them between the cells beside them.");
}

}  // namespace learnt::bind
