// Growing exact trees and sending rows down them.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind.hpp"
#include "tree_build.hpp"
#include "tree_walk.hpp"

namespace learnt::bind {

using tree::Problem;
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

// Typed columns and the arrays that keep their memory.
struct TypedColumns {
    std::vector<AnyColumn> arrays;
    std::vector<tree::Column> columns;

    TypedColumns(nb::list list, const In<int32_t> &n_categories, int64_t rows) {
        const int64_t p = static_cast<int64_t>(nb::len(list));
        const int32_t *categories = vector("n_categories", n_categories, p);
        for (int64_t j = 0; j < p; ++j) {
            const std::string name = "columns[" + std::to_string(j) + "]";
            AnyColumn array;
            if (!nb::try_cast(list[static_cast<size_t>(j)], array, false))
                throw nb::type_error(("'" + name + "' is not a one-dimensional array.").c_str());
            check_length(name.c_str(), size(array), rows);
            tree::Column column{kind_of(array, name), data_of(array, name), array.stride(0), categories[j]};
            if (categories[j] < 0) refuse("'" + name + "' has a negative number of categories. Expected 0 or more.");
            if (categories[j] > 0 && column.cells != tree::Column::Cells::code)
                throw nb::type_error(("'" + name + "' holds numbers. Expected int32 codes for categories.").c_str());
            columns.push_back(column);
            arrays.push_back(array);
        }
    }

    // Codes at or above n_categories would be read outside of the grower's tables.
    void check_codes(int64_t rows) const {
        for (size_t j = 0; j < columns.size(); ++j)
            for (int64_t i = 0; !columns[j].ordered() && i < rows; ++i)
                if (columns[j].code(i) >= columns[j].n_categories)
                    refuse("'columns[" + std::to_string(j) + "]' has the code " + std::to_string(columns[j].code(i)) +
                           " in row " + std::to_string(i) + ". Expected less than " +
                           std::to_string(columns[j].n_categories) + ".");
    }

    static tree::Column::Cells kind_of(const AnyColumn &array, const std::string &name) {
        if (array.dtype() == nb::dtype<double>()) return tree::Column::Cells::float64;
        if (array.dtype() == nb::dtype<float>()) return tree::Column::Cells::float32;
        if (array.dtype() == nb::dtype<int32_t>()) return tree::Column::Cells::code;
        throw nb::type_error(("'" + name + "' has another type than float64, float32 or int32.").c_str());
    }
    static const void *data_of(const AnyColumn &array, const std::string &name) {
        if (reinterpret_cast<uintptr_t>(array.data()) % static_cast<size_t>(array.itemsize()) != 0)
            refuse("'" + name + "' is not aligned in memory. Pass a copy of it.");
        return array.data();
    }
};

template <class T>
nb::object as_array(std::vector<T> &&from, std::initializer_list<size_t> shape) {
    auto *kept = new std::vector<T>(std::move(from));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}
template <class T>
nb::object as_array(std::vector<T> &&from) {
    const size_t n = from.size();
    return as_array(std::move(from), {n});
}

template <class E>
E choice(const char *name, const std::string &value, std::initializer_list<const char *> names) {
    int i = 0;
    std::string all;
    for (const char *n : names) {
        if (value == n) return static_cast<E>(i);
        all += std::string(i++ ? ", '" : "'") + n + "'";
    }
    refuse("'" + std::string(name) + "' is '" + value + "'. Expected one of " + all + ".");
}

nb::object grown(const Problem &p) {
    tree::TreeArrays t;
    {
        const nb::gil_scoped_release unlocked;
        t = tree::grow_tree(p);
    }
    const size_t n = t.feature.size();
    return nb::make_tuple(
        as_array(std::move(t.feature)), as_array(std::move(t.threshold)), as_array(std::move(t.child_start)),
        as_array(std::move(t.n_children)), as_array(std::move(t.children)), as_array(std::move(t.route_start)),
        as_array(std::move(t.n_routes)), as_array(std::move(t.route_codes)), as_array(std::move(t.routes)),
        as_array(std::move(t.otherwise)), as_array(std::move(t.missing)), as_array(std::move(t.weight)),
        as_array(std::move(t.impurity)), as_array(std::move(t.value), {n, static_cast<size_t>(p.sums())}),
        as_array(std::move(t.missing_weight)));
}

void check_weights(const Problem &p) {
    bool any = p.rows > 0 && !p.weights;
    for (int64_t i = 0; p.weights && i < p.rows; ++i) {
        if (!(p.weights[i] >= 0) || std::isinf(p.weights[i]))
            refuse("'weights' is " + std::to_string(p.weights[i]) + " in row " + std::to_string(i) +
                   ". Expected 0 or more.");
        any |= p.weights[i] > 0;
    }
    if (!any) refuse("No row has any weight. Expected at least one.");
    if (p.rows >= int64_t{1} << 32)
        refuse("There are " + std::to_string(p.rows) + " rows. Expected fewer than 4294967296.");
}

void check_monotonic(const Problem &p) {
    const tree::GrowOptions &o = p.options;
    if (!o.monotonic) return;
    if (p.classes > 2) refuse("'monotonic' is given for " + std::to_string(p.classes) + " classes. Expected 2.");
    if (o.missing == tree::Missing::fractional || o.nominal == tree::Nominal::multiway)
        refuse("'monotonic' does not go with missing 'fractional' or nominal 'multiway'.");
    for (size_t j = 0; j < p.columns.size(); ++j)
        if (o.monotonic[j] < -1 || o.monotonic[j] > 1 || (o.monotonic[j] && p.columns[j].n_categories > 2))
            refuse("'monotonic' is " + std::to_string(o.monotonic[j]) + " for column " + std::to_string(j) +
                   ". Expected -1, 0 or 1, and 0 for columns of more than two categories.");
}

void bind_grow(nb::module_ &m) {
    m.def(
        "grow_tree",
        [](nb::list columns, const In<int32_t> &n_categories, const Maybe<In<int32_t>> &labels, int64_t n_classes,
           const Maybe<In<double>> &targets, const Maybe<In<double>> &weights, const std::string &criterion,
           const std::string &nominal, const std::string &missing, int64_t max_depth, double min_samples_split,
           double min_samples_leaf, double min_impurity_decrease, int64_t max_leaf_nodes, int64_t max_features,
           uint64_t seed, bool random_cuts, const Maybe<In<int32_t>> &monotonic,
           const Maybe<In<double>> &feature_costs, bool min_branches, bool mdl_correction,
           bool average_gain, bool j48_numeric_minimum, bool thresholds_from_data, int64_t n_declared_classes) {
            if (labels.has_value() == targets.has_value())
                refuse("Both or neither of 'labels' and 'targets' are given. Expected one.");
            Problem p;
            p.rows = labels ? size(*labels) : size(*targets);
            const TypedColumns typed(columns, n_categories, p.rows);
            typed.check_codes(p.rows);
            p.columns = typed.columns;
            p.labels = vector("labels", labels, p.rows), p.targets = vector("targets", targets, p.rows);
            p.weights = vector("weights", weights, p.rows);
            p.classes = labels ? n_classes : 0;
            if (labels && n_classes < 1)
                refuse("'n_classes' is " + std::to_string(n_classes) + ". Expected 1 or more.");
            for (int64_t i = 0; labels && i < p.rows; ++i)
                if (p.labels[i] < 0 || p.labels[i] >= n_classes)
                    refuse("'labels' is " + std::to_string(p.labels[i]) + " in row " + std::to_string(i) +
                           ". Expected 0 to " + std::to_string(n_classes - 1) + ".");
            check_weights(p);
            tree::GrowOptions &o = p.options;
            o.criterion = choice<tree::Criterion>("criterion", criterion,
                                                  {"gini", "entropy", "gain_ratio", "misclassification", "mse", "mae"});
            o.nominal = choice<tree::Nominal>("nominal", nominal, {"multiway", "equals", "subset"});
            o.missing =
                choice<tree::Missing>("missing", missing, {"fractional", "majority", "class_majority", "learned"});
            if ((o.criterion >= tree::Criterion::mse) == labels.has_value())
                refuse("The criterion '" + criterion +
                       "' does not fit the target. Expected 'mse' or 'mae' for numbers, another for classes.");
            if (!labels && o.missing == tree::Missing::class_majority)
                refuse("'missing' is 'class_majority', but the target has no classes.");
            const bool entropy = o.criterion == tree::Criterion::entropy || o.criterion == tree::Criterion::gain_ratio;
            if ((average_gain || mdl_correction) && (!entropy || o.missing != tree::Missing::fractional))
                refuse(
                    "'average_gain' and 'mdl_correction' are C4.5's. Expected the criterion 'entropy' or 'gain_ratio' "
                    "and missing 'fractional' with them.");
            o.max_depth = max_depth, o.min_samples_split = min_samples_split, o.min_samples_leaf = min_samples_leaf;
            o.min_impurity_decrease = min_impurity_decrease, o.max_leaf_nodes = max_leaf_nodes;
            o.max_features = max_features, o.seed = seed, o.random_cuts = random_cuts;
            o.monotonic = vector("monotonic", monotonic, static_cast<int64_t>(p.columns.size()));
            check_monotonic(p);
            o.feature_costs = vector("feature_costs", feature_costs, static_cast<int64_t>(p.columns.size()));
            o.min_branches = min_branches, o.mdl_correction = mdl_correction, o.average_gain = average_gain;
            o.j48_numeric_minimum = j48_numeric_minimum, o.thresholds_from_data = thresholds_from_data;
            o.n_declared_classes = n_declared_classes;
            return grown(p);
        },
        nb::arg("columns"), nb::arg("n_categories").noconvert(), nb::arg("labels").noconvert().none(),
        nb::arg("n_classes"), nb::arg("targets").noconvert().none(), nb::arg("weights").noconvert().none(),
        nb::arg("criterion"), nb::arg("nominal"), nb::arg("missing"), nb::arg("max_depth"),
        nb::arg("min_samples_split"), nb::arg("min_samples_leaf"), nb::arg("min_impurity_decrease"),
        nb::arg("max_leaf_nodes"), nb::arg("max_features"), nb::arg("seed"), nb::arg("random_cuts"),
        nb::arg("monotonic").noconvert().none(), nb::arg("feature_costs").noconvert().none(), nb::arg("min_branches"),
        nb::arg("mdl_correction"), nb::arg("average_gain"), nb::arg("j48_numeric_minimum"),
        nb::arg("thresholds_from_data"), nb::arg("n_declared_classes"));
}

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
        for (int64_t i = 0; i < n; ++i) {
            check_node(i, n_columns, n_categories, size(children), start[i], size(routes));
            if (view.feature[i] >= 0)
                route_place[static_cast<size_t>(i)] =
                    tree::route_place(start[i], view.n_routes[i], n_categories[view.feature[i]]);
        }
        view.route_place = route_place.data();
    }

    void check_node(int64_t i, int64_t n_columns, const int32_t *n_categories, int64_t n_slots, int64_t start,
                    int64_t n_routes) const {
        const auto wrong = [&] { refuse("Node " + std::to_string(i) + " of the tree points outside of its arrays."); };
        const int32_t j = view.feature[i], c = view.n_children[i];
        if (j < 0) return;
        if (j >= n_columns || c < 1 || view.child_start[i] < 0 || view.child_start[i] > n_slots - c) wrong();
        for (int32_t b = 0; b < c; ++b) {
            const int32_t child = view.children[view.child_start[i] + b];
            if (child <= i || child >= view.nodes) wrong();
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

template <class T>
void bind_walk_matrix(nb::module_ &m) {
    m.def(
        "tree_apply",
        [](LEARNT_TREE_PARAMS, const Table<T> &x, const Out<int32_t> &out) {
            const auto cells = table(x);
            LEARNT_BOUND_TREE(cells.columns);
            int32_t *to = vector("out", out, cells.rows);
            const nb::gil_scoped_release unlocked;
            tree::apply_tree(t.view, tree::MatrixCells<T>{cells}, categories, to);
        },
        LEARNT_TREE_ARGS, nb::arg("x").noconvert(), nb::arg("out").noconvert());
    m.def(
        "tree_predict",
        [](LEARNT_TREE_PARAMS, bool classes, const Table<T> &x, const Out2<double> &out) {
            const auto cells = table(x);
            LEARNT_BOUND_TREE(cells.columns);
            double *to = matrix("out", out, cells.rows, t.view.outputs);
            const nb::gil_scoped_release unlocked;
            tree::predict_tree(t.view, tree::MatrixCells<T>{cells}, categories, classes, to);
        },
        LEARNT_TREE_ARGS, nb::arg("classes"), nb::arg("x").noconvert(), nb::arg("out").noconvert());
}

void bind_walk_columns(nb::module_ &m) {
    m.def(
        "tree_apply",
        [](LEARNT_TREE_PARAMS, nb::list columns, const Out<int32_t> &out) {
            const TypedColumns typed(columns, n_categories, size(out));
            LEARNT_BOUND_TREE(static_cast<int64_t>(typed.columns.size()));
            int32_t *to = data("out", out);
            const nb::gil_scoped_release unlocked;
            tree::apply_tree(t.view, tree::ColumnCells{typed.columns, size(out)}, categories, to);
        },
        LEARNT_TREE_ARGS, nb::arg("x"), nb::arg("out").noconvert());
    m.def(
        "tree_predict",
        [](LEARNT_TREE_PARAMS, bool classes, nb::list columns, const Out2<double> &out) {
            const TypedColumns typed(columns, n_categories, size(out));
            LEARNT_BOUND_TREE(static_cast<int64_t>(typed.columns.size()));
            double *to = matrix("out", out, size(out), t.view.outputs);
            const nb::gil_scoped_release unlocked;
            tree::predict_tree(t.view, tree::ColumnCells{typed.columns, size(out)}, categories, classes, to);
        },
        LEARNT_TREE_ARGS, nb::arg("classes"), nb::arg("x"), nb::arg("out").noconvert());
}

void bind_tree(nb::module_ &m) {
    bind_grow(m);
    bind_walk_matrix<double>(m), bind_walk_matrix<float>(m);
    bind_walk_columns(m);
}

}  // namespace learnt::bind
