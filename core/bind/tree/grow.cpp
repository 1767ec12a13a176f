// Growing exact trees.
#include "bind/tree/fields.hpp"
#include "tree/build.hpp"

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

void check_options(const Problem &p) {
    const tree::GrowOptions &o = p.options;
    if ((o.criterion >= tree::Criterion::mse) != (p.classes == 0))
        refuse(
            "The criterion does not fit the target. Expected 'mse' or 'mae' for numbers, another for classes.");
    if (p.classes == 0 && o.missing == tree::Missing::class_majority)
        refuse("'missing' is 'class_majority', but the target has no classes.");
    const bool entropy = o.criterion == tree::Criterion::entropy || o.criterion == tree::Criterion::gain_ratio;
    if ((o.average_gain || o.mdl_correction) && (!entropy || o.missing != tree::Missing::fractional))
        refuse(
            "'average_gain' and 'mdl_correction' are C4.5's. Expected the criterion 'entropy' or 'gain_ratio' "
            "and missing 'fractional' with them.");
}

void bind_tree_options(nb::module_ &m) {
    using O = tree::GrowOptions;
    bind_options<O>(m, "TreeOptions", "How a tree is grown; the fields are those of learnt.tree.grow.GrowOptions.",
                    field("criterion", &O::criterion, {"gini", "entropy", "gain_ratio", "misclassification", "mse", "mae"}),
                    field("nominal", &O::nominal, {"multiway", "equals", "subset"}),
                    field("missing", &O::missing, {"fractional", "majority", "class_majority", "learned"}),
                    field("max_depth", &O::max_depth), field("min_samples_split", &O::min_samples_split),
                    field("min_samples_leaf", &O::min_samples_leaf),
                    field("min_impurity_decrease", &O::min_impurity_decrease), field("max_leaf_nodes", &O::max_leaf_nodes),
                    field("max_features", &O::max_features), field("seed", &O::seed), field("random_cuts", &O::random_cuts),
                    field("min_branches", &O::min_branches), field("mdl_correction", &O::mdl_correction),
                    field("average_gain", &O::average_gain), field("j48_numeric_minimum", &O::j48_numeric_minimum),
                    field("thresholds_from_data", &O::thresholds_from_data),
                    field("n_declared_classes", &O::n_declared_classes));
}

void bind_grow(nb::module_ &m) {
    m.def(
        "grow_tree",
        [](nb::list columns, const In<int32_t> &n_categories, const Maybe<In<int32_t>> &labels, int64_t n_classes,
           const Maybe<In<double>> &targets, const Maybe<In<double>> &weights, const Maybe<In<int32_t>> &monotonic,
           const Maybe<In<double>> &feature_costs, const tree::GrowOptions &options) {
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
            p.options = options;
            check_options(p);
            p.options.monotonic = vector("monotonic", monotonic, static_cast<int64_t>(p.columns.size()));
            check_monotonic(p);
            p.options.feature_costs = vector("feature_costs", feature_costs, static_cast<int64_t>(p.columns.size()));
            return grown(p);
        },
        nb::arg("columns"), nb::arg("n_categories").noconvert(), nb::arg("labels").noconvert().none(),
        nb::arg("n_classes"), nb::arg("targets").noconvert().none(), nb::arg("weights").noconvert().none(),
        nb::arg("monotonic").noconvert().none(), nb::arg("feature_costs").noconvert().none(), nb::arg("options"),
        "The exact tree of typed columns (n_categories 0: ordered), as the fields of TreeArrays.");
}

}  // namespace

void bind_tree(nb::module_ &m) { bind_tree_options(m), bind_grow(m); }

}  // namespace learnt::bind
