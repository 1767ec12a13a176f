// Density clusters.
#include "bind/arrays.hpp"
#include "bind/neighbors/kd_trees.hpp"
#include "bind/distance/measure.hpp"
#include "cluster/dbscan.hpp"

namespace learnt::bind {
namespace {

template <class T>
void bind_density_clusters(nb::module_ &m) {
    m.def(
        "dbscan",
        [](const In2<T> &x, const std::string &norm, double power, const Maybe<In<double>> &column_weights, double eps,
           double least, const Maybe<In<double>> &weights, const Out<int32_t> &labels, const Out<uint8_t> &core) {
            const int64_t n = size(x), p = size(x, 1);
            if (n < 1 || p < 1 || n >= (int64_t{1} << 31) - 64)
                refuse("'x' has " + std::to_string(n) + " rows. Expected 1 to 2³¹ − 65, and columns.");
            if (!(eps >= 0)) refuse("'eps' is negative.");
            const Measure measure = measure_of(norm, power, column_weights, p);
            const T *cells = data("x", x);
            const double *w = vector("weights", weights, n);
            int32_t *to = vector("labels", labels, n);
            uint8_t *is_core = vector("core", core, n);
            const nb::gil_scoped_release unlocked;
            dbscan(cells, n, p, measure, eps, least, w, to, is_core);
        },
        nb::arg("x").noconvert(), nb::arg("norm"), nb::arg("power"), nb::arg("column_weights").noconvert().none(),
        nb::arg("eps"), nb::arg("least"), nb::arg("weights").noconvert().none(), nb::arg("labels").noconvert(),
        nb::arg("core").noconvert(),
        "Density clusters by the order of their first cores, −1 for noise, and which rows are cores.");
}

}  // namespace

void bind_dbscan(nb::module_ &m) {
    bind_density_clusters<float>(m);
    bind_density_clusters<double>(m);
}

}  // namespace learnt::bind
