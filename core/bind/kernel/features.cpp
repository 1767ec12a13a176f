// Features whose inner products are about those of a kernel, and sums of kernel values by cluster.
#include "bind/arrays.hpp"
#include "kernel/cosines.hpp"
#include "kernel/label_sums.hpp"

namespace learnt::bind {

void bind_kernel_features(nb::module_ &m) {
    m.def(
        "turn_to_cosines",
        [](const Out2<double> &values, const In<double> &phase, double scale) {
            const int64_t n = size(values), k = size(values, 1);
            double *to = matrix("values", values, n, k);
            const double *turn = vector("phase", phase, k);
            const nb::gil_scoped_release unlocked;
            turn_to_cosines(to, n, k, turn, scale);
        },
        nb::arg("values").noconvert(), nb::arg("phase").noconvert(), nb::arg("scale"),
        "values[i, c] = scale · cos(values[i, c] + phase[c]).");
    m.def(
        "add_label_sums",
        [](const In2<double> &gram, const In<int32_t> &labels, const In<double> &weights, const Out2<double> &sums) {
            const int64_t n = size(gram), count = size(gram, 1), k = size(sums, 1);
            const double *K = matrix("gram", gram, n, count), *w = vector("weights", weights, count);
            const int32_t *label = vector("labels", labels, count);
            for (int64_t j = 0; j < count; ++j)
                if (label[j] < 0 || label[j] >= k) refuse("'labels' has " + std::to_string(label[j]) + ", which is not a column of sums.");
            double *to = matrix("sums", sums, n, k);
            const nb::gil_scoped_release unlocked;
            add_label_sums(K, n, count, label, w, k, to);
        },
        nb::arg("gram").noconvert(), nb::arg("labels").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("sums").noconvert(), "sums[i, labels[j]] += weights[j] · gram[i, j].");
}

}  // namespace learnt::bind
