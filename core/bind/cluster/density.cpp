// Kernel densities by a tree.
#include <memory>

#include "bind/arrays.hpp"
#include "bind/neighbors/kd_trees.hpp"
#include "cluster/density.hpp"

namespace learnt::bind {
namespace {

static Kernel kernel_named(const std::string &name) {
    const char *names[] = {"gaussian", "exponential", "tophat", "epanechnikov", "linear", "cosine", "tricube"};
    for (int i = 0; i < 7; ++i)
        if (name == names[i]) return static_cast<Kernel>(i);
    refuse("'kernel' is '" + name + "', which is none of the kernels.");
}

static DensityTree *grow_density_tree(const In2<double> &x, const Maybe<In<double>> &weights) {
    const int64_t n = size(x), p = size(x, 1);
    if (n == 0 || p == 0) refuse("There are no rows or no columns. Expected at least one of each.");
    if (n > std::numeric_limits<int32_t>::max()) refuse("There are more than 2147483647 rows.");
    const double *rows = data("x", x), *w = vector("weights", weights, n);
    const nb::gil_scoped_release unlocked;
    return new DensityTree(rows, n, p, w, 32);
}

}  // namespace

void bind_density(nb::module_ &m) {
    nb::class_<DensityTree>(m, "DensityTree",
        "A k-d tree of rows that knows the weight and the box of each of its parts.")
        .def(nb::new_(&grow_density_tree), nb::arg("x").noconvert(), nb::arg("weights").noconvert().none())
        .def(
            "log_densities",
            [](const DensityTree &density, const std::string &kernel, const In2<double> &queries,
               const Maybe<In<int64_t>> &skip, double rtol, const Out<double> &out) {
                const Kernel which = kernel_named(kernel);
                const int64_t m = size(queries);
                const double *q = matrix("queries", queries, m, density.tree.p);
                const int64_t *left_out = vector("skip", skip, m);
                for (int64_t i = 0; left_out && i < m; ++i)
                    if (left_out[i] < -1 || left_out[i] >= density.tree.n) refuse("'skip' names a row that is not there.");
                if (!(rtol >= 0)) refuse("'rtol' is " + std::to_string(rtol) + ". Expected 0 or more.");
                double *to = vector("out", out, m);
                const nb::gil_scoped_release unlocked;
                log_densities(density, which, q, m, left_out, rtol, to);
            },
            nb::arg("kernel"), nb::arg("queries").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("rtol"),
            nb::arg("out").noconvert());
}

}  // namespace learnt::bind
