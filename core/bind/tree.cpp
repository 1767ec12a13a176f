// Growing exact trees and sending rows down them.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind/tree.hpp"
#include "bind/tree_view.hpp"
#include "tree/build.hpp"
#include "tree/walk.hpp"

namespace learnt::bind {
namespace {

using tree::Problem;

nb::object grown(const Problem &p) {
    tree::TreeArrays t;
    {
        const nb::gil_scoped_release unlocked;
        t = tree::grow_tree(p);
    }
    return tree_fields(std::move(t), p.sums());
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
            if (labels) check_labels(p);
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

}  // namespace

void bind_tree(nb::module_ &m) {
    bind_grow(m);
    bind_walk_matrix<double>(m), bind_walk_matrix<float>(m);
    bind_walk_columns(m);
}

}  // namespace learnt::bind
