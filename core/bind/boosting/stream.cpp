// The growing of boosted trees in parts, for rows that come in batches.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/boosting/problem.hpp"
#include "boosting/quantiles.hpp"
#include "boosting/stream.hpp"

namespace learnt::bind {

namespace {

struct BoostTree {
    nb::object bins_object, rules_object;
    StreamedTree tree;

    BoostTree(nb::object b, nb::object r, const ScaleTuple &scale, bool fine, uint64_t number)
        : bins_object(b),
          rules_object(r),
          tree(nb::cast<const BoostBins &>(b).layout, nb::cast<const BoostBins &>(b).meaning,
               nb::cast<const BoostRules &>(r).for_columns_of(nb::cast<const BoostBins &>(b)), scale_from(scale), fine,
               number) {}

    void check(int64_t node) const {
        if (node < 0 || node >= static_cast<int64_t>(tree.nodes.size()))
            refuse("The tree has no node " + std::to_string(node) + ".");
    }
};

template <class Real>
void bind_batches(nb::module_ &m) {
    m.def(
        "boost_fine_rows",
        [](const In<Real> &gradient, const Maybe<In<Real>> &hessian, const Maybe<In<double>> &weights,
           const ScaleTuple &scale, const Out2<int64_t> &out) {
            const int64_t n = size(gradient);
            const Real *g = data("gradient", gradient), *h = vector("hessian", hessian, n);
            const double *w = vector("weights", weights, n);
            int64_t *to = matrix("out", out, n, 3);
            const GradientScale s = scale_from(scale);
            const nb::gil_scoped_release unlocked;
            for (int64_t i = 0; i < n; ++i) fine_row(g, h, w, s, i, to + 3 * i);
        },
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert().none(), nb::arg("weights").noconvert().none(),
        nb::arg("scale"), nb::arg("out").noconvert(),
        "Overwrite out (rows × 3) with gradient, hessian and weight in whole numbers of 62 bits.");
    m.def(
        "boost_leaf_sums",
        [](const In<Real> &gradient, const Maybe<In<Real>> &hessian, const Maybe<In<double>> &weights,
           const In<int32_t> &node_of_row, const ScaleTuple &scale, const Out2<int64_t> &out) {
            const int64_t n = size(gradient), nodes = size(out);
            const Real *g = data("gradient", gradient), *h = vector("hessian", hessian, n);
            const double *w = vector("weights", weights, n);
            const int32_t *node = vector("node_of_row", node_of_row, n);
            int64_t *to = matrix("out", out, nodes, 3);
            for (int64_t i = 0; i < n; ++i)
                if (node[i] >= nodes) refuse("'node_of_row' names a node beyond 'out'.");
            const nb::gil_scoped_release unlocked;
            sum_by_leaf(g, h, w, node, n, nodes, scale_from(scale), to);
        },
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert().none(), nb::arg("weights").noconvert().none(),
        nb::arg("node_of_row").noconvert(), nb::arg("scale"), nb::arg("out").noconvert(),
        "Add exact sums of gradient, hessian and weight by node (nodes × 3).");
}

// The tests of a tree as arrays, for whoever moves rows elsewhere.
nb::object tests_of(const std::vector<TestedNode> &nodes) {
    std::vector<int32_t> left, column, bin, bins;
    std::vector<uint8_t> missing;
    std::vector<int64_t> start{0};
    for (const TestedNode &t : nodes) {
        left.push_back(t.left), column.push_back(t.column), bin.push_back(t.bin), missing.push_back(t.missing_left);
        bins.insert(bins.end(), t.left_bins.begin(), t.left_bins.end());
        start.push_back(static_cast<int64_t>(bins.size()));
    }
    return nb::make_tuple(as_array(std::move(left)), as_array(std::move(column)), as_array(std::move(bin)),
                          as_array(std::move(missing)), as_array(std::move(start)), as_array(std::move(bins)));
}

void bind_rounding(nb::module_ &m) {
    m.def(
        "boost_quantise",
        [](const In<float> &gradient, const Maybe<In<float>> &hessian, const ScaleTuple &scale, uint64_t seed,
           uint64_t tree, int64_t first_row, const Out<uint32_t> &out) {
            const int64_t n = size(gradient);
            const float *g = data("gradient", gradient), *h = vector("hessian", hessian, n);
            uint32_t *to = vector("out", out, n);
            const nb::gil_scoped_release unlocked;
            quantise(g, h, scale_from(scale), seed, tree, first_row, n, to);
        },
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert().none(), nb::arg("scale"), nb::arg("seed"),
        nb::arg("tree"), nb::arg("first_row"), nb::arg("out").noconvert(),
        "Overwrite out with gradients rounded by chance, gradient and hessian in 16 bits each.");
}

void bind_stream(nb::module_ &m) {
    bind_batches<float>(m), bind_batches<double>(m);
    bind_rounding(m);
    m.def(
        "boost_scale",
        [](const In<int64_t> &g, const Maybe<In<int64_t>> &h, const Maybe<In<int64_t>> &w) {
            GradientScale s;
            const Exponents sizes = exponents_from("gradient", g);
            if (h) {
                const Exponents heights = exponents_from("hessian", *h);
                s = scale_of(sizes, &heights);
            } else {
                s = scale_of(sizes, nullptr);
            }
            if (w) s.weight = leaf_scale(exponents_from("weights", *w));
            return ScaleTuple{s.g, s.h, s.exact_g, s.exact_h, s.weight, s.constant_hessian};
        },
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert().none(), nb::arg("weights").noconvert().none(),
        "The powers of two that make whole numbers of gradients, from their exponents.");
    nb::class_<BoostTree>(m, "BoostTree",
        "A tree whose histograms come from elsewhere.")
        .def(nb::init<nb::object, nb::object, const ScaleTuple &, bool, uint64_t>(), nb::arg("bins"), nb::arg("rules"),
             nb::arg("scale"), nb::arg("fine"), nb::arg("tree"))
        .def_prop_ro("n_nodes", [](const BoostTree &t) { return t.tree.nodes.size(); })
        .def(
            "search",
            [](BoostTree &t, int64_t node, const In2<int64_t> &planes) {
                t.check(node);
                const int64_t *from = matrix("planes", planes, nb::cast<const BoostBins &>(t.bins_object).layout.total, 3);
                const nb::gil_scoped_release unlocked;
                return t.tree.search(node, from);
            },
            nb::arg("node"), nb::arg("planes").noconvert())
        .def(
            "split",
            [](BoostTree &t, int64_t node) {
                t.check(node);
                if (t.tree.found(node).column < 0 || t.tree.nodes[static_cast<size_t>(node)].left >= 0)
                    refuse("Node " + std::to_string(node) + " has no test found for it, or has children already.");
                return t.tree.split(node);
            },
            nb::arg("node"))
        .def(
            "lighter_left",
            [](const BoostTree &t, int64_t node) {
                t.check(node);
                return t.tree.lighter_left(node);
            },
            nb::arg("node"))
        .def(
            "found",
            [](const BoostTree &t, int64_t node) {
                t.check(node);
                const Split &s = t.tree.found(node);
                return nb::make_tuple(s.gain, s.column, s.bin, s.missing_left, s.left_bins, s.left.g, s.left.h, s.left.c);
            },
            nb::arg("node"))
        .def("tests", [](const BoostTree &t) { return tests_of(t.tree.nodes); })
        .def(
            "finish",
            [](BoostTree &t, const In2<int64_t> &sums, const In<uint8_t> &inner) {
                const int64_t n = static_cast<int64_t>(t.tree.nodes.size());
                const int64_t *s = matrix("sums", sums, n, 3);
                const uint8_t *in = vector("inner", inner, n);
                tree::TreeArrays arrays = t.tree.finish(s, in);
                std::vector<int32_t> number = t.tree.number;
                return nb::make_tuple(tree_fields(std::move(arrays), 1), as_array(std::move(number)));
            },
            nb::arg("sums").noconvert(), nb::arg("inner").noconvert());
    m.def(
        "quantiles_by_group",
        [](const In<int32_t> &group, const In<double> &x, const Maybe<In<double>> &weights, double q,
           const Out<double> &out) {
            const int64_t n = size(group), groups = size(out);
            const int32_t *of = data("group", group);
            const double *from = vector("x", x, n), *w = vector("weights", weights, n);
            double *to = data("out", out);
            for (int64_t i = 0; i < n; ++i)
                if (of[i] >= groups) refuse("'group' is " + std::to_string(of[i]) + " in row " + std::to_string(i) +
                                            ". Expected less than " + std::to_string(groups) + ".");
            if (!(q >= 0 && q <= 1)) refuse("'q' is " + std::to_string(q) + ". Expected 0 to 1.");
            const nb::gil_scoped_release unlocked;
            quantiles_by_group(of, from, w, n, q, groups, to);
        },
        nb::arg("group").noconvert(), nb::arg("x").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("q"),
        nb::arg("out").noconvert(),
        "Overwrite out, where a group has weight, with the smallest x that reaches the share q of it.");
}

}  // namespace

void bind_boost_stream(nb::module_ &m) { bind_stream(m); }

}  // namespace learnt::bind
