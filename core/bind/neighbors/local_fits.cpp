// Local fits: rows kept in the order the kernel wants, and the moments around points.
#include "bind/arrays.hpp"
#include "neighbors/local_fits.hpp"

namespace learnt::bind {
namespace {

static LocalKernel local_kernel_named(const std::string &name) {
    const char *names[] = {"uniform", "tricube", "epanechnikov", "gaussian", "distance", "distance2"};
    for (int i = 0; i < 6; ++i)
        if (name == names[i]) return static_cast<LocalKernel>(i);
    refuse("'kernel' is '" + name + "', which is none.");
}

}  // namespace

void bind_local_fits(nb::module_ &m) {
    nb::class_<LocalRows>(m, "LocalRows",
        "Rows to fit polynomials to, around points.")
        .def(
            "__init__",
            [](LocalRows *self, const In2<double> &rows, const In<double> &y, const Maybe<In<double>> &weights,
               const In<int64_t> &slopes) {
                const int64_t n = size(rows), p = size(rows, 1);
                if (n == 0) refuse("'rows' has none. Expected at least one.");
                const int64_t *const column = data("slopes", slopes);
                for (int64_t s = 0; s < size(slopes); ++s)
                    if (column[s] < 0 || column[s] >= p) refuse("'slopes' names a column that is not there.");
                new (self) LocalRows(data("rows", rows), n, p, vector("y", y, n), vector("weights", weights, n),
                                     column, size(slopes));
            },
            nb::arg("rows").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert().none(),
            nb::arg("slopes").noconvert())
        .def(
            "moments",
            [](const LocalRows &self, const In2<double> &points, const std::string &kernel, int degree, double reach,
               const In<double> &robust, const Out2<double> &reaches, const Out<double> &mean, const Out2<double> &center,
               const Out2<double> &right, const Out2<double> &square) {
                if (degree < 0 || degree > 2) refuse("'degree' is " + std::to_string(degree) + ". Expected 0, 1 or 2.");
                if (!(reach > 0)) refuse("'reach' is not above 0.");
                const double *r = vector("robust", robust, self.n);
                std::vector<double> in_order;
                for (const int64_t i : self.number) in_order.push_back(r[i]);
                const LocalHow how{local_kernel_named(kernel), degree, reach, in_order.data()};
                const int64_t count = size(points), t = how.terms(self);
                const double *q = matrix("points", points, count, self.p);
                auto *known = reinterpret_cast<LocalReach *>(matrix("reaches", reaches, count, 2));
                double *to_mean = vector("mean", mean, count), *to_center = matrix("center", center, count, t),
                       *to_right = matrix("right", right, count, t), *to_square = matrix("square", square, count, t * t);
                const nb::gil_scoped_release unlocked;
                local_moments(self, how, q, count, known, to_mean, to_center, to_right, to_square);
            },
            nb::arg("points").noconvert(), nb::arg("kernel"), nb::arg("degree"), nb::arg("reach"), nb::arg("robust").noconvert(),
            nb::arg("reaches").noconvert(), nb::arg("mean").noconvert(), nb::arg("center").noconvert(),
            nb::arg("right").noconvert(), nb::arg("square").noconvert());
}

}  // namespace learnt::bind
