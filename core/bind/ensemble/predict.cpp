// Many trees at once: packing them and sending rows down.
#include "bind/tree/fields.hpp"
#include "bind/tree/view.hpp"
#include "ensemble/predict.hpp"
#include "tree/shap.hpp"

namespace learnt::bind {
namespace {

using ensemble::ForestView;
using ensemble::PackedForest;

// Checked so far as packing relies on it.
ForestView forest_view(const In<int64_t> &tree_start, const In<int32_t> &feature, const In<double> &threshold,
                       const In<int32_t> &right, const In<int64_t> &route_start, const In<int32_t> &n_routes,
                       const In<int32_t> &route_codes, const In<int32_t> &routes, const In<int32_t> &otherwise,
                       const In<int32_t> &missing, const In<int32_t> &n_categories) {
    const int64_t n = size(feature), trees = size(tree_start) - 1, columns = size(n_categories), all = size(routes);
    if (trees < 0) refuse("'tree_start' is empty. Expected one number more than there are trees.");
    ForestView f{};
    f.trees = trees, f.columns = columns;
    f.tree_start = data("tree_start", tree_start), f.feature = data("feature", feature);
    f.threshold = vector("threshold", threshold, n), f.right = vector("right", right, n);
    f.route_start = vector("route_start", route_start, n), f.n_routes = vector("n_routes", n_routes, n);
    f.route_codes = vector("route_codes", route_codes, all), f.routes = data("routes", routes);
    f.otherwise = vector("otherwise", otherwise, n), f.missing = vector("missing", missing, n);
    f.n_categories = data("n_categories", n_categories);
    if (f.tree_start[0] != 0 || f.tree_start[trees] != n) refuse("'tree_start' does not cover the nodes.");
    for (int64_t t = 0; t < trees; ++t)
        if (f.tree_start[t] >= f.tree_start[t + 1]) refuse("'tree_start' does not rise.");
    if (ensemble::find_misplaced(trees, f.tree_start, f.right) >= 0) refuse("The trees are not in pre-order.");
    for (int64_t i = 0; i < n; ++i) {
        if ((f.feature[i] < 0) != (f.right[i] < 0) || f.feature[i] >= columns)
            refuse("Node " + std::to_string(i) + " tests column " + std::to_string(f.feature[i]) + " of " +
                   std::to_string(columns) + ".");
        const int64_t from = f.route_start[i], count = f.n_routes[i];
        if (from >= 0 && (count < 0 || from > all - count))
            refuse("The routes of node " + std::to_string(i) + " lie outside of 'routes'.");
    }
    for (int64_t j = 0; j < columns; ++j)
        if (f.n_categories[j] < 0) refuse("'n_categories' is negative. Expected 0 or more.");
    for (int64_t i = 0; i < n; ++i) {
        const int32_t *const code = f.route_codes + std::max<int64_t>(f.route_start[i], 0);
        for (int64_t e = 0; f.feature[i] >= 0 && f.route_start[i] >= 0 && e < f.n_routes[i]; ++e)
            if (code[e] < 0 || code[e] == std::numeric_limits<int32_t>::max() || (e > 0 && code[e - 1] >= code[e]))
                refuse("The routes of node " + std::to_string(i) + " name categories that are not there, or in no order.");
    }
    return f;
}

Range trees_between(int64_t first, int64_t last, int64_t trees) {
    if (first < 0 || first > last || last > trees)
        refuse("The trees are " + std::to_string(first) + " to " + std::to_string(last) + " of " +
               std::to_string(trees) + ".");
    return {first, last};
}

// A matrix, or a list of columns, none of them wider than what the forest is packed for.
template <class Real, class F>
void with_rows(const std::vector<ensemble::UsedColumn> &columns_used, const In<int32_t> &n_categories, nb::handle x,
               int64_t rows, F f) {
    const auto as_matrix = [&](auto cell) {
        using T = decltype(cell);
        Table<T> given;
        if (sizeof(T) > sizeof(Real) || !nb::try_cast(x, given, false)) return false;
        check_length("columns of x", size(given, 1), size(n_categories));
        check_length("x", size(given), rows);
        f(ensemble::MatrixRows<T>{table(given)});
        return true;
    };
    if (as_matrix(float{}) || as_matrix(double{})) return;
    if (!nb::isinstance<nb::list>(x))
        throw nb::type_error("'x' is neither a matrix that the forest is packed for nor a list of columns.");
    nb::list columns = nb::borrow<nb::list>(x);
    const TypedColumns typed(columns, n_categories, rows);
    for (const auto &used : columns_used)
        if (sizeof(Real) == 4 &&
            typed.columns[static_cast<size_t>(used.column)].cells == tree::Column::Cells::float64)
            throw nb::type_error("'x' has a column of float64. Expected float32, or a forest packed for float64.");
    f(ensemble::ColumnRows{typed.columns, rows});
}

template <class Real>
struct HeldForest {
    In<int32_t> n_categories;
    PackedForest<Real> packed;
};

template <class Real>
void bind_packed(nb::module_ &m, const char *name) {
    using Held = HeldForest<Real>;
    nb::class_<Held>(m, name)
        .def(
            "__init__",
            [](Held *self, const In<int64_t> &tree_start, const In<int32_t> &feature, const In<double> &threshold,
               const In<int32_t> &right, const In<int64_t> &route_start, const In<int32_t> &n_routes,
               const In<int32_t> &route_codes, const In<int32_t> &routes, const In<int32_t> &otherwise,
               const In<int32_t> &missing, const In<int32_t> &n_categories) {
                const ForestView view = forest_view(tree_start, feature, threshold, right, route_start, n_routes,
                                                    route_codes, routes, otherwise, missing, n_categories);
                if (!PackedForest<Real>::possible(view)) refuse("The forest is too large to be packed so.");
                new (self) Held{n_categories, PackedForest<Real>(view)};
            },
            nb::arg("tree_start").noconvert(), nb::arg("feature").noconvert(), nb::arg("threshold").noconvert(),
            nb::arg("right").noconvert(), nb::arg("route_start").noconvert(), nb::arg("n_routes").noconvert(),
            nb::arg("route_codes").noconvert(), nb::arg("routes").noconvert(), nb::arg("otherwise").noconvert(),
            nb::arg("missing").noconvert(), nb::arg("n_categories").noconvert())
        .def(
            "add_answers",
            [](const Held &self, nb::handle x, int64_t first, int64_t last, const In2<double> &answers, int64_t group,
               const Out2<double> &out) {
                const Range trees = trees_between(first, last, self.packed.trees());
                const int64_t outputs = size(answers, 1);
                const double *from =
                    matrix("answers", answers, static_cast<int64_t>(self.packed.leaf_node.size()), outputs);
                if (group < 1 || (group > 1 && outputs != 1))
                    refuse("'group' is " + std::to_string(group) + ". Expected 1, or more for answers of one number.");
                with_rows<Real>(self.packed.used, self.n_categories, x, size(out), [&](const auto &rows) {
                    double *to = matrix("out", out, rows.rows(), group > 1 ? group : outputs);
                    const nb::gil_scoped_release unlocked;
                    ensemble::add_answers(self.packed, rows, trees, from, outputs, group, to);
                });
            },
            nb::arg("x"), nb::arg("first"), nb::arg("last"), nb::arg("answers").noconvert(), nb::arg("group"),
            nb::arg("out").noconvert())
        .def(
            "leaves",
            [](const Held &self, nb::handle x, int64_t first, int64_t last, const Out2<int32_t> &out) {
                const Range trees = trees_between(first, last, self.packed.trees());
                with_rows<Real>(self.packed.used, self.n_categories, x, size(out), [&](const auto &rows) {
                    int32_t *to = matrix("out", out, rows.rows(), trees.size());
                    const nb::gil_scoped_release unlocked;
                    ensemble::find_leaf_nodes(self.packed, rows, trees, to);
                });
            },
            nb::arg("x"), nb::arg("first"), nb::arg("last"), nb::arg("out").noconvert());
}

// Trees as the attribution takes them, and what of them is worked out.
struct ShapHeld {
    std::vector<int32_t> n_children, children;
    std::vector<int64_t> child_start, route_place;

    ensemble::ShapForest forest(const ForestView &f, const double *weight, const double *value, int64_t outputs,
                                int64_t group) {
        const size_t n = static_cast<size_t>(f.tree_start[f.trees]);
        n_children.reserve(n), child_start.reserve(n), children.reserve(2 * n), route_place.reserve(n);
        for (int64_t t = 0; t < f.trees; ++t)
            for (int64_t i = f.tree_start[t]; i < f.tree_start[t + 1]; ++i) {
                n_children.push_back(f.leaf(i) ? 0 : 2), child_start.push_back(2 * i);
                children.push_back(static_cast<int32_t>(i - f.tree_start[t]) + 1), children.push_back(f.right[i]);
                const int32_t categories = f.leaf(i) ? 0 : f.n_categories[f.feature[i]];
                route_place.push_back(tree::route_place(f.route_start[i], f.n_routes[i], categories));
            }
        std::vector<tree::TreeView> trees;
        for (int64_t t = 0; t < f.trees; ++t) {
            const int64_t at = f.tree_start[t];
            tree::TreeView view{};
            view.nodes = f.tree_start[t + 1] - at, view.outputs = outputs;
            view.feature = f.feature + at, view.n_children = n_children.data() + at;
            view.children = children.data() + 2 * at, view.child_start = child_start.data();
            view.n_routes = f.n_routes + at, view.route_codes = f.route_codes, view.routes = f.routes;
            view.otherwise = f.otherwise + at, view.missing = f.missing + at;
            view.route_place = route_place.data() + at, view.threshold = f.threshold + at;
            view.weight = weight + at, view.value = value + at * outputs;
            trees.push_back(view);
        }
        ensemble::ShapColumns columns(trees, f.n_categories, f.columns);
        return {std::move(trees), std::move(columns), f.columns, group};
    }
};

void bind_shap(nb::module_ &m) {
    m.def(
        "add_contributions",
        [](const In<int64_t> &tree_start, const In<int32_t> &feature, const In<double> &threshold,
           const In<int32_t> &right, const In<int64_t> &route_start, const In<int32_t> &n_routes,
           const In<int32_t> &route_codes, const In<int32_t> &routes, const In<int32_t> &otherwise,
           const In<int32_t> &missing, const In<int32_t> &n_categories, const In<double> &weight,
           const In2<double> &value, int64_t group, nb::handle x, bool pairs, const Out2<double> &out,
           const Out<double> &expected) {
            const ForestView view = forest_view(tree_start, feature, threshold, right, route_start, n_routes,
                                                route_codes, routes, otherwise, missing, n_categories);
            const int64_t n = size(feature), outputs = size(value, 1), p = view.columns;
            if (group < 1 || (group > 1 && outputs != 1))
                refuse("'group' is " + std::to_string(group) + ". Expected 1, or more for answers of one number.");
            ShapHeld held;
            const ensemble::ShapForest forest = held.forest(view, vector("weight", weight, n),
                                                            matrix("value", value, n, outputs), outputs, group);
            const int64_t all = forest.trees.empty() ? size(expected) : forest.outputs();
            double *mean = vector("expected", expected, all);
            double *to = matrix("out", out, size(out), p * (pairs ? p : 1) * all);
            with_rows<double>(forest.columns.used, n_categories, x, size(out), [&](const auto &rows) {
                const nb::gil_scoped_release unlocked;
                for (size_t t = 0; t < forest.trees.size(); ++t)
                    ensemble::add_expected(forest.trees[t], mean + static_cast<int64_t>(t) % group);
                ensemble::add_shap(forest, rows, pairs, to);
            });
        },
        nb::arg("tree_start").noconvert(), nb::arg("feature").noconvert(), nb::arg("threshold").noconvert(),
        nb::arg("right").noconvert(), nb::arg("route_start").noconvert(), nb::arg("n_routes").noconvert(),
        nb::arg("route_codes").noconvert(), nb::arg("routes").noconvert(), nb::arg("otherwise").noconvert(),
        nb::arg("missing").noconvert(), nb::arg("n_categories").noconvert(), nb::arg("weight").noconvert(),
        nb::arg("value").noconvert(), nb::arg("group"), nb::arg("x"), nb::arg("pairs"), nb::arg("out").noconvert(),
        nb::arg("expected").noconvert(),
        "Add Shapley values to out (rows × columns·outputs, or with pairs × columns·columns·outputs halves of "
        "the\ninteractions of two columns) and the answer without any column to expected.");
}

// One tree of any number of branches, whose missing cells may be shared out.
void bind_tree_shap(nb::module_ &m) {
    m.def(
        "add_tree_contributions",
        [](LEARNT_TREE_PARAMS, nb::handle x, bool pairs, const Out2<double> &out, const Out<double> &expected) {
            const int64_t p = size(n_categories);
            LEARNT_BOUND_TREE(p);
            const int64_t k = t.view.outputs;
            ensemble::ShapColumns columns({t.view}, categories, p);
            const ensemble::ShapForest forest{{t.view}, std::move(columns), p, 1};
            double *mean = vector("expected", expected, k), *to = matrix("out", out, size(out), p * (pairs ? p : 1) * k);
            with_rows<double>(forest.columns.used, n_categories, x, size(out), [&](const auto &rows) {
                const nb::gil_scoped_release unlocked;
                ensemble::add_expected(t.view, mean);
                ensemble::add_shap(forest, rows, pairs, to);
            });
        },
        LEARNT_TREE_ARGS, nb::arg("x"), nb::arg("pairs"), nb::arg("out").noconvert(), nb::arg("expected").noconvert(),
        "add_contributions for one tree of any number of branches, whose missing cells may be shared out.");
}

}  // namespace

void bind_ensemble(nb::module_ &m) {
    bind_shap(m), bind_tree_shap(m);
    m.def(
        "find_misplaced",
        [](const In<int64_t> &tree_start, const In<int32_t> &right) {
            const int64_t trees = size(tree_start) - 1, *start = data("tree_start", tree_start);
            if (trees < 0) refuse("'tree_start' is empty. Expected one number more than there are trees.");
            for (int64_t t = 0; t < trees; ++t)
                if (start[t] < 0 || start[t] >= start[t + 1] || start[t + 1] > size(right))
                    refuse("'tree_start' does not rise within the nodes.");
            return ensemble::find_misplaced(trees, start, data("right", right));
        },
        nb::arg("tree_start").noconvert(), nb::arg("right").noconvert(),
        "The first node of a forest that is not where pre-order has it; −1 if there is none.");
    bind_packed<float>(m, "PackedForest32");
    bind_packed<double>(m, "PackedForest64");
}

}  // namespace learnt::bind
