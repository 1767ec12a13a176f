// Indexes of neighbours: brute force, k-d and vantage-point trees, given distances.
#include "bind/arrays.hpp"
#include "bind/measure.hpp"
#include "bind/neighbors.hpp"
#include "neighbors/brute.hpp"
#include "neighbors/kd_tree.hpp"
#include "neighbors/precomputed.hpp"
#include "neighbors/vp_tree.hpp"

namespace learnt::bind {

void bind_mixed(nb::module_ &m);
void bind_sparse_rows(nb::module_ &m);

template <class T>
BruteRows<T> brute_rows(const In2<T> &x, const In<double> &shift, const In<double> &stretch, double unit, double reach,
                        const Measure &measure) {
    const int64_t p = size(x, 1);
    return {data("x", x), size(x), p, vector("shift", shift, p), vector("stretch", stretch, p), unit, reach, measure};
}

template <class T>
void bind_brute(nb::module_ &m) {
    m.def(
        "brute_nearest",
        [](const In2<T> &x, const std::string &norm, double power, const Maybe<In<double>> &weights, const In<double> &shift,
           const In<double> &stretch, double unit, double reach, const In2<double> &queries, const Skip &skip,
           const Out2<double> &distances, const Out2<int64_t> &rows) {
            const auto in = brute_rows(x, shift, stretch, unit, reach, measure_of(norm, power, weights, size(x, 1)));
            const double *q = matrix("queries", queries, size(queries), in.p);
            const int64_t count = size(queries);
            const NearestOut out(count, in.n, skip, distances, rows);
            const nb::gil_scoped_release unlocked;
            brute_search(in, q, count, out.skip, out.answers);
        },
        nb::arg("x").noconvert(), nb::arg("norm"), nb::arg("power"), nb::arg("weights").noconvert().none(),
        nb::arg("shift").noconvert(), nb::arg("stretch").noconvert(), nb::arg("unit"), nb::arg("reach"),
        nb::arg("queries").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("distances").noconvert(),
        nb::arg("rows").noconvert());
    m.def(
        "brute_within",
        [](const In2<T> &x, const std::string &norm, double power, const Maybe<In<double>> &weights, const In<double> &shift,
           const In<double> &stretch, double unit, double reach, const In2<double> &queries, const Skip &skip,
           const In<double> &radius) {
            const auto in = brute_rows(x, shift, stretch, unit, reach, measure_of(norm, power, weights, size(x, 1)));
            const double *q = matrix("queries", queries, size(queries), in.p);
            const int64_t count = size(queries), *skipped = vector("skip", skip, count);
            return lists_within(count, radius, [&](const auto &answers) { brute_search(in, q, count, skipped, answers); });
        },
        nb::arg("x").noconvert(), nb::arg("norm"), nb::arg("power"), nb::arg("weights").noconvert().none(),
        nb::arg("shift").noconvert(), nb::arg("stretch").noconvert(), nb::arg("unit"), nb::arg("reach"),
        nb::arg("queries").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("radius").noconvert());
}

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

void bind_neighbors(nb::module_ &m) {
    bind_brute<double>(m), bind_brute<float>(m);
    bind_kd_tree<double>(m, "KdTree64");
    bind_kd_tree<float>(m, "KdTree32");
    bind_vp_tree<double>(m, "VpTree64");
    bind_vp_tree<float>(m, "VpTree32");
    m.def(
        "given_nearest",
        [](const In2<double> &given, const Skip &skip, const Out2<double> &distances, const Out2<int64_t> &rows) {
            const int64_t count = size(given), n = size(given, 1);
            const double *d = data("given", given);
            const NearestOut out(count, n, skip, distances, rows);
            const nb::gil_scoped_release unlocked;
            given_search(d, count, n, out.skip, out.answers);
        },
        nb::arg("given").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("distances").noconvert(),
        nb::arg("rows").noconvert());
    m.def(
        "given_within",
        [](const In2<double> &given, const Skip &skip, const In<double> &radius) {
            const int64_t count = size(given), n = size(given, 1), *skipped = vector("skip", skip, count);
            const double *d = data("given", given);
            return lists_within(count, radius, [&](const auto &answers) { given_search(d, count, n, skipped, answers); });
        },
        nb::arg("given").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("radius").noconvert());
    bind_mixed(m);
    bind_sparse_rows(m);
}

}  // namespace learnt::bind
