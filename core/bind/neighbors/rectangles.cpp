// Rectangles that grow out of rows, kept from one question to the next.
#include "bind/arrays.hpp"
#include "neighbors/rectangles.hpp"

namespace learnt::bind {
namespace {

// Codes must be those of labels that are there: they choose what is read.
static const double *rectangle_cells(const In2<double> &cells, const RectangleRows &found) {
    const double *x = matrix("cells", cells, size(cells), found.p());
    for (int64_t j = 0; j < found.p(); ++j) {
        const auto labels = static_cast<double>(found.sizes[static_cast<size_t>(j)]);
        for (int64_t i = 0; labels > 0 && i < size(cells); ++i) {
            const double code = x[i * found.p() + j];
            if (code < 0 || code >= labels) refuse("'cells' names a label that is not there.");
        }
    }
    return x;
}

}  // namespace

void bind_rectangles(nb::module_ &m) {
    nb::class_<RectangleRows>(m, "RectangleRows",
        "Rectangles that grow out of rows of numbers and codes, kept column by column.")
        .def(
            "__init__",
            [](RectangleRows *self, const In<int64_t> &sizes, const In<double> &ranges, const In<double> &weights, bool fullest) {
                const int64_t p = size(sizes);
                const int64_t *labels = data("sizes", sizes);
                int64_t all = 0;
                for (int64_t j = 0; j < p; ++j) {
                    if (labels[j] < 0) refuse("'sizes' has a number below 0.");
                    if (labels[j] >= int64_t{1} << 31 || (all += labels[j]) >= int64_t{1} << 31)
                        refuse("'sizes' has 2**31 labels or more in all.");
                }
                new (self) RectangleRows(labels, vector("ranges", ranges, p), vector("weights", weights, p), p, fullest);
            },
            nb::arg("sizes").noconvert(), nb::arg("ranges").noconvert(), nb::arg("weights").noconvert(), nb::arg("fullest"))
        .def("__len__", [](const RectangleRows &self) { return self.count; })
        .def(
            "grow",
            [](RectangleRows &self, const In2<double> &cells, const In<int32_t> &labels, const In<int64_t> &shown, int asked,
               bool apart) {
                const int64_t n = size(cells);
                const double *x = rectangle_cells(cells, self);
                const int32_t *truth = vector("labels", labels, n);
                const int64_t *order = data("shown", shown);
                for (int64_t s = 0; s < size(shown); ++s)
                    if (order[s] < 0 || order[s] >= n) refuse("'shown' names a row that is not there.");
                const nb::gil_scoped_release unlocked;
                if (apart) grow_apart(self, x, truth, n, order, size(shown), asked);
                else grow_rectangles(self, x, truth, order, size(shown), asked);
            },
            nb::arg("cells").noconvert(), nb::arg("labels").noconvert(), nb::arg("shown").noconvert(), nb::arg("asked"), nb::arg("apart"))
        .def(
            "read",
            [](RectangleRows &self, const Out2<double> &low, const Out2<double> &high, const Out2<uint8_t> &sets,
               const Out<int32_t> &label, const Out<double> &tried, const Out<double> &right) {
                const int64_t n = self.count, p = self.p(), l = self.first_label.back();
                double *to_low = matrix("low", low, n, p), *to_high = matrix("high", high, n, p);
                uint8_t *to_sets = matrix("sets", sets, n, l);
                for (int64_t h = 0; h < n; ++h) {
                    for (int64_t j = 0; j < p; ++j) to_low[h * p + j] = self.low_of(h, j), to_high[h * p + j] = self.high_of(h, j);
                    for (int64_t c = 0; c < l; ++c) to_sets[h * l + c] = self.member_of(h, c);
                }
                std::copy_n(self.label.data(), n, vector("label", label, n));
                std::copy_n(self.tried.data(), n, vector("tried", tried, n));
                std::copy_n(self.right.data(), n, vector("right", right, n));
            },
            nb::arg("low").noconvert(), nb::arg("high").noconvert(), nb::arg("sets").noconvert(), nb::arg("label").noconvert(),
            nb::arg("tried").noconvert(), nb::arg("right").noconvert())
        .def(
            "write",
            [](RectangleRows &self, const In2<double> &low, const In2<double> &high, const In2<uint8_t> &sets,
               const In<int32_t> &label, const In<double> &tried, const In<double> &right) {
                const int64_t n = size(label), p = self.p(), l = self.first_label.back();
                const double *from_low = matrix("low", low, n, p), *from_high = matrix("high", high, n, p);
                const uint8_t *from_sets = matrix("sets", sets, n, l);
                const double *asked = vector("tried", tried, n), *good = vector("right", right, n);
                self.count = 0;
                self.make_room(n);
                for (int64_t h = 0; h < n; ++h) {
                    for (int64_t j = 0; j < p; ++j) self.low_of(h, j) = from_low[h * p + j], self.high_of(h, j) = from_high[h * p + j];
                    for (int64_t c = 0; c < l; ++c) self.member_of(h, c) = from_sets[h * l + c];
                }
                std::copy_n(data("label", label), n, self.label.data());
                std::copy_n(asked, n, self.tried.data());
                std::copy_n(good, n, self.right.data());
                self.count = n;
            },
            nb::arg("low").noconvert(), nb::arg("high").noconvert(), nb::arg("sets").noconvert(), nb::arg("label").noconvert(),
            nb::arg("tried").noconvert(), nb::arg("right").noconvert())
        .def(
            "ask",
            [](const RectangleRows &self, const In2<double> &cells, const Out2<double> &by_class, const Out<int64_t> &answering) {
                const int64_t m_ = size(cells), k = size(by_class, 1);
                const double *x = rectangle_cells(cells, self);
                for (int64_t h = 0; h < self.count; ++h)
                    if (self.label[static_cast<size_t>(h)] < 0 || self.label[static_cast<size_t>(h)] >= k)
                        refuse("A rectangle is of a class that is not there.");
                double *far = matrix("by_class", by_class, m_, k);
                int64_t *to = vector("answering", answering, m_);
                const nb::gil_scoped_release unlocked;
                ask_rectangles(self, x, m_, k, far, to);
            },
            nb::arg("cells").noconvert(), nb::arg("by_class").noconvert(), nb::arg("answering").noconvert());
}

}  // namespace learnt::bind
