// A fitted tree as the bindings take it.
#pragma once

#include <string>
#include <vector>

#include "bind/arrays.hpp"
#include "tree/predict.hpp"

namespace learnt::bind {

// The arrays of a tree as they come, checked so far as the walk relies on them.
struct BoundTree {
    tree::TreeView view;
    std::vector<int64_t> route_place;

    BoundTree(const In<int32_t> &feature, const In<double> &threshold, const In<int64_t> &child_start,
              const In<int32_t> &n_children, const In<int32_t> &children, const In<int64_t> &route_start,
              const In<int32_t> &n_routes, const In<int32_t> &route_codes, const In<int32_t> &routes,
              const In<int32_t> &otherwise, const In<int32_t> &missing, const In<double> &weight,
              const In2<double> &value, int64_t n_columns, const int32_t *n_categories) {
        const int64_t n = size(feature);
        if (n == 0) refuse("The tree has no nodes. Expected at least a leaf.");
        view = {n,
                size(value, 1),
                data("feature", feature),
                vector("n_children", n_children, n),
                data("children", children),
                vector("n_routes", n_routes, n),
                vector("route_codes", route_codes, size(routes)),
                data("routes", routes),
                vector("otherwise", otherwise, n),
                vector("missing", missing, n),
                vector("child_start", child_start, n),
                nullptr,
                vector("threshold", threshold, n),
                vector("weight", weight, n),
                matrix("value", value, n, size(value, 1))};
        const int64_t *const start = vector("route_start", route_start, n);
        route_place.assign(static_cast<size_t>(n), -1);
        std::vector<uint8_t> has_parent(static_cast<size_t>(n), 0);
        for (int64_t i = 0; i < n; ++i) {
            check_node(i, has_parent, n_columns, n_categories, size(children), start[i], size(routes));
            if (view.feature[i] >= 0)
                route_place[static_cast<size_t>(i)] =
                    tree::route_place(start[i], view.n_routes[i], n_categories[view.feature[i]]);
        }
        view.route_place = route_place.data();
    }

    void check_node(int64_t i, std::vector<uint8_t> &has_parent, int64_t n_columns, const int32_t *n_categories,
                    int64_t n_slots, int64_t start, int64_t n_routes) const {
        const auto wrong = [&] { refuse("Node " + std::to_string(i) + " of the tree points outside of its arrays."); };
        const int32_t j = view.feature[i], c = view.n_children[i];
        if (j < 0) return;
        if (j >= n_columns || c < 1 || view.child_start[i] < 0 || view.child_start[i] > n_slots - c) wrong();
        for (int32_t b = 0; b < c; ++b) {
            const int32_t child = view.children[view.child_start[i] + b];
            if (child <= i || child >= view.nodes) wrong();
            // Of two parents it would be laid out twice, and twice again below: beyond the room that nodes have.
            if (has_parent[static_cast<size_t>(child)]++)
                refuse("Node " + std::to_string(child) + " of the tree has two parents.");
        }
        if (view.missing[i] >= c) wrong();
        if (start < 0) return c < 2 ? wrong() : void();
        const int32_t n = view.n_routes[i];
        if (n < 0 || start > n_routes - n || view.otherwise[i] >= c) wrong();
        for (int64_t r = start; r < start + n; ++r) {  // rising, so that as many as there are categories are all
            const int32_t before = r > start ? view.route_codes[r - 1] : -1;
            if (view.routes[r] >= c || view.route_codes[r] <= before || view.route_codes[r] >= n_categories[j]) wrong();
        }
    }
};

// Arrays are taken by handles that keep them: a copy of one costs no copy of its numbers.
#define LEARNT_TREE_TYPES                                                                                         \
    In<int32_t>, In<double>, In<int64_t>, In<int32_t>, In<int32_t>, In<int64_t>, In<int32_t>, In<int32_t>,        \
        In<int32_t>, In<int32_t>, In<int32_t>, In<double>, In2<double>, In<int32_t>
#define LEARNT_TREE_NAMES                                                                                         \
    feature, threshold, child_start, n_children, children, route_start, n_routes, route_codes, routes, otherwise, \
        missing, weight, value, n_categories
#define LEARNT_TREE_PARAMS                                                                                         \
    const In<int32_t> &feature, const In<double> &threshold, const In<int64_t> &child_start,                       \
        const In<int32_t> &n_children, const In<int32_t> &children, const In<int64_t> &route_start,                \
        const In<int32_t> &n_routes, const In<int32_t> &route_codes, const In<int32_t> &routes,                    \
        const In<int32_t> &otherwise, const In<int32_t> &missing, const In<double> &weight,                        \
        const In2<double> &value, const In<int32_t> &n_categories
#define LEARNT_TREE_ARGS                                                                                        \
    nb::arg("feature").noconvert(), nb::arg("threshold").noconvert(), nb::arg("child_start").noconvert(),       \
        nb::arg("n_children").noconvert(), nb::arg("children").noconvert(), nb::arg("route_start").noconvert(), \
        nb::arg("n_routes").noconvert(), nb::arg("route_codes").noconvert(), nb::arg("routes").noconvert(),     \
        nb::arg("otherwise").noconvert(), nb::arg("missing").noconvert(), nb::arg("weight").noconvert(),        \
        nb::arg("value").noconvert(), nb::arg("n_categories").noconvert()
#define LEARNT_BOUND_TREE(p)                                                                                       \
    const int32_t *categories = vector("n_categories", n_categories, p);                                           \
    const BoundTree t(feature, threshold, child_start, n_children, children, route_start, n_routes, route_codes,   \
                      routes, otherwise, missing, weight, value, p, categories)

}  // namespace learnt::bind
