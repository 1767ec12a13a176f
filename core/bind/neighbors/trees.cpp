// Trees of rows: k-d trees and vantage-point trees.
#include "bind/neighbors/kd_trees.hpp"
#include "bind/distance/measure.hpp"
#include "bind/neighbors/index.hpp"
#include "neighbors/vp_tree.hpp"

namespace learnt {

template struct KdTree<float>;
template struct KdTree<double>;

}  // namespace learnt

namespace learnt::bind {
namespace {

template <class T>
void bind_kd_tree(nb::module_ &m, const char *name) {
    using Tree = KdTree<T>;
    nb::class_<Tree>(m, name)
        .def(
            "__init__",
            [](Tree *self, const In2<T> &x, int64_t width) {
                const int64_t n = size(x), p = size(x, 1);
                if (n < 1 || p < 1 || n >= (int64_t{1} << 31)) refuse("'x' has " + std::to_string(n) + " rows. Expected 1 to 2³¹ − 1.");
                if (width < 8 || width % 8 != 0 || width > 4096) refuse("'width' is not a multiple of 8 from 8 to 4096.");
                const T *cells = data("x", x);
                const nb::gil_scoped_release unlocked;
                new (self) Tree(cells, n, p, width);
            },
            nb::arg("x").noconvert(), nb::arg("width"))
        .def("bytes", &Tree::bytes)
        .def(
            "nearest",
            [](const Tree &tree, const std::string &norm, double power, const Maybe<In<double>> &weights,
               const In2<double> &queries, const Skip &skip, const Out2<double> &distances, const Out2<int64_t> &rows) {
                const Measure measure = measure_of(norm, power, weights, tree.p);
                if (measure.norm == Norm::hamming) refuse("A k-d tree has no boxes for 'hamming'.");
                const double *q = matrix("queries", queries, size(queries), tree.p);
                const int64_t count = size(queries);
                const NearestOut out(count, tree.n, skip, distances, rows);
                const nb::gil_scoped_release unlocked;
                return kd_search(tree, measure, q, count, out.skip, out.answers);
            },
            nb::arg("norm"), nb::arg("power"), nb::arg("weights").noconvert().none(), nb::arg("queries").noconvert(),
            nb::arg("skip").noconvert().none(), nb::arg("distances").noconvert(), nb::arg("rows").noconvert())
        .def(
            "within",
            [](const Tree &tree, const std::string &norm, double power, const Maybe<In<double>> &weights,
               const In2<double> &queries, const Skip &skip, const In<double> &radius) {
                const Measure measure = measure_of(norm, power, weights, tree.p);
                if (measure.norm == Norm::hamming) refuse("A k-d tree has no boxes for 'hamming'.");
                const double *q = matrix("queries", queries, size(queries), tree.p);
                const int64_t count = size(queries), *skipped = vector("skip", skip, count);
                return lists_within(count, radius, [&](const auto &answers) { kd_search(tree, measure, q, count, skipped, answers); });
            },
            nb::arg("norm"), nb::arg("power"), nb::arg("weights").noconvert().none(), nb::arg("queries").noconvert(),
            nb::arg("skip").noconvert().none(), nb::arg("radius").noconvert());
}

// A tree and the weights it reads.
template <class T>
struct [[gnu::visibility("hidden")]] HeldVpTree {
    Maybe<In<double>> weights;
    std::unique_ptr<VpTree<T>> tree;
};

template <class T>
void bind_vp_tree(nb::module_ &m, const char *name) {
    using Held = HeldVpTree<T>;
    nb::class_<Held>(m, name)
        .def(
            "__init__",
            [](Held *self, const In2<T> &x, const std::string &norm, double power, const Maybe<In<double>> &weights, int64_t width) {
                const int64_t n = size(x), p = size(x, 1);
                if (n < 1 || p < 1 || n >= (int64_t{1} << 31)) refuse("'x' has " + std::to_string(n) + " rows. Expected 1 to 2³¹ − 1.");
                if (width < 8 || width % 8 != 0 || width > 4096) refuse("'width' is not a multiple of 8 from 8 to 4096.");
                const Measure measure = measure_of(norm, power, weights, p);
                const T *cells = data("x", x);
                std::unique_ptr<VpTree<T>> tree;
                {
                    const nb::gil_scoped_release unlocked;
                    tree = std::make_unique<VpTree<T>>(measure, cells, n, p, width);
                }
                new (self) Held{weights, std::move(tree)};
            },
            nb::arg("x").noconvert(), nb::arg("norm"), nb::arg("power"), nb::arg("weights").noconvert().none(), nb::arg("width"))
        .def("bytes", [](const Held &self) { return self.tree->bytes(); })
        .def(
            "nearest",
            [](const Held &self, const In2<double> &queries, const Skip &skip, const Out2<double> &distances,
               const Out2<int64_t> &rows) {
                const double *q = matrix("queries", queries, size(queries), self.tree->p);
                const int64_t count = size(queries);
                const NearestOut out(count, self.tree->shape.n, skip, distances, rows);
                const nb::gil_scoped_release unlocked;
                return vp_search(*self.tree, q, count, out.skip, out.answers);
            },
            nb::arg("queries").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("distances").noconvert(),
            nb::arg("rows").noconvert())
        .def(
            "within",
            [](const Held &self, const In2<double> &queries, const Skip &skip, const In<double> &radius) {
                const double *q = matrix("queries", queries, size(queries), self.tree->p);
                const int64_t count = size(queries), *skipped = vector("skip", skip, count);
                return lists_within(count, radius, [&](const auto &answers) { vp_search(*self.tree, q, count, skipped, answers); });
            },
            nb::arg("queries").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("radius").noconvert());
}

}  // namespace

void bind_neighbor_trees(nb::module_ &m) {
    bind_kd_tree<double>(m, "KdTree64"), bind_kd_tree<float>(m, "KdTree32");
    bind_vp_tree<double>(m, "VpTree64"), bind_vp_tree<float>(m, "VpTree32");
}

}  // namespace learnt::bind
