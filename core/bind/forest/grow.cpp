// Coding a table for a forest, and growing one.
#include "bind/options.hpp"
#include "forest/codes.hpp"
#include "forest/grow.hpp"
#include "forest/quantiles.hpp"

namespace learnt::bind {
namespace {

using forest::Problem;
template <class T>
using AnyStride = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;

template <class T>
nb::object forest_array(std::vector<T> &&from, int64_t columns = 0) {
    auto *kept = new std::vector<T>(std::move(from));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    const size_t n = kept->size();
    if (columns == 0) return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), {n}, owner));
    const size_t k = static_cast<size_t>(columns);
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), {n / k, k}, owner));
}

// One field of all trees, one after another; the trees' own is given back.
template <class T>
std::vector<T> joined(std::vector<forest::Tree> &trees, std::vector<T> forest::Tree::*field) {
    size_t n = 0;
    for (const forest::Tree &t : trees) n += (t.*field).size();
    std::vector<T> all;
    all.reserve(n);
    for (forest::Tree &t : trees) {
        all.insert(all.end(), (t.*field).begin(), (t.*field).end());
        std::vector<T>().swap(t.*field);
    }
    return all;
}

template <class T>
void bind_forest_codes(nb::module_ &m) {
    m.def(
        "encode_for_forest",
        [](const AnyStride<T> &cells, const In<T> &edges, int64_t lost, const Out<uint16_t> &out) {
            const int64_t n = size(cells);
            if (size(edges) > 0xfffe || lost <= size(edges) - 1 || lost > 0xffff)
                refuse("There are " + std::to_string(size(edges)) + " edges, and missing cells have the code " +
                       std::to_string(lost) + ". Expected at most 65534, and a code above the others'.");
            uint16_t *to = vector("out", out, n);
            const T *from = data("cells", cells), *cuts = data("edges", edges);
            const int64_t stride = cells.stride(0);
            const nb::gil_scoped_release unlocked;
            forest::encode_numbers(from, stride, n, cuts, size(edges), static_cast<uint16_t>(lost), to);
        },
        nb::arg("cells").noconvert(), nb::arg("edges").noconvert(), nb::arg("lost"), nb::arg("out").noconvert(),
        "Overwrite out with the number of edges below each cell, and with lost where a cell is NaN.");
}

// Columns as they come, checked so far as growing relies on them.
void take_columns(Problem &p, const In2<uint16_t> &codes, const In<int32_t> &n_codes, const In<int32_t> &shift,
                  const In<int32_t> &lost, const In<uint8_t> &nominal, const In<double> &bounds,
                  const In<int64_t> &bound_start, const In<uint8_t> &ranges) {
    const int64_t columns = size(codes, 0);
    p.rows = size(codes, 1);
    if (p.rows < 1 || p.rows >= int64_t{1} << 32)
        refuse("There are " + std::to_string(p.rows) + " rows. Expected 1 to 4294967295.");
    const int32_t *n = vector("n_codes", n_codes, columns), *s = vector("shift", shift, columns);
    const int32_t *l = vector("lost", lost, columns);
    const uint8_t *is_nominal = vector("nominal", nominal, columns), *is_range = vector("ranges", ranges, columns);
    const int64_t *start = vector("bound_start", bound_start, columns + 1);
    const double *bound = data("bounds", bounds);
    for (int64_t j = 0; j < columns; ++j) {
        const std::string name = "Column " + std::to_string(j);
        const int64_t needed = is_nominal[j] || n[j] == 0 ? 0 : int64_t{n[j]} + (is_range[j] ? 1 : 0);
        if (n[j] < 0 || s[j] < 0 || s[j] > 15 || l[j] < n[j] || l[j] > 0xffff)
            refuse(name + " has " + std::to_string(n[j]) + " codes, and " + std::to_string(l[j]) +
                   " for missing cells. Expected the second above all of the first.");
        if (start[j] < 0 || start[j] > start[j + 1] || start[j + 1] > size(bounds) || start[j + 1] - start[j] != needed)
            refuse(name + " has no bounds for all of its codes.");
        forest::CodedColumn column{data("codes", codes) + j * p.rows, nullptr, nullptr, n[j], s[j],
                                   static_cast<uint16_t>(l[j]), is_nominal[j] != 0};
        if (!column.nominal && (column.bins() >= forest::most_bins || l[j] >> s[j] != column.bins()))
            refuse(name + " has more coarse bins than a histogram. Expected fewer than 256, and missing cells apart.");
        if (needed) column.low = bound + start[j], column.high = column.low + (is_range[j] ? 1 : 0);
        p.columns.push_back(column);
    }
    if (columns == 0) refuse("There are no columns. Expected at least one.");
}

// Codes outside of a column's tables would be read from elsewhere.
void check_forest_codes(const Problem &p) {
    std::atomic<int64_t> wrong{-1};
    run_blocks(static_cast<int64_t>(p.columns.size()), [&](int64_t j, Job &) {
        const forest::CodedColumn &column = p.columns[static_cast<size_t>(j)];
        const uint32_t n = static_cast<uint32_t>(column.n_codes), lost = column.lost;
        uint32_t bad = 0;
        for (int64_t i = 0; i < p.rows; ++i) bad |= (column.codes[i] >= n) & (column.codes[i] != lost);
        if (bad) wrong = j;
    });
    if (wrong >= 0) refuse("Column " + std::to_string(wrong) + " has codes it does not declare.");
}

// Columns that are searched where those they stand for are: the last ones, so many for each order.
void take_stand_ins(Problem &p, const In<int32_t> &stands_for, int64_t orders) {
    const int64_t n = size(stands_for), columns = static_cast<int64_t>(p.columns.size());
    if (orders < 1 || n > columns || orders > columns || n * orders >= columns)
        refuse("There are " + std::to_string(n) + " stand-ins in " + std::to_string(orders) +
               " orders. Expected fewer columns than " + std::to_string(columns) + ", and one order at least.");
    const int32_t *for_ = data("stands_for", stands_for);
    for (int64_t i = 0; i < n; ++i)
        if (for_[i] < 0 || for_[i] >= columns - n * orders)
            refuse("'stands_for' has the column " + std::to_string(for_[i]) + ", which is no column of the table.");
    p.stands_for.assign(for_, for_ + n), p.orders = orders;
}

void take_target(Problem &p, const Maybe<In<int32_t>> &labels, int64_t classes, const Maybe<In<double>> &targets,
                 const Maybe<In<double>> &weights, const Maybe<In<double>> &class_factors) {
    if (labels.has_value() == targets.has_value())
        refuse("Both or neither of 'labels' and 'targets' are given. Expected one.");
    p.labels = vector("labels", labels, p.rows), p.targets = vector("targets", targets, p.rows);
    p.weights = vector("weights", weights, p.rows);
    p.classes = labels ? classes : 0;
    if (labels && (classes < 1 || classes > forest::most_classes))
        refuse("There are " + std::to_string(classes) + " classes. Expected 1 to 1048576.");
    for (int64_t i = 0; labels && i < p.rows; ++i)
        if (p.labels[i] < 0 || p.labels[i] >= classes) refuse("'labels' has a class that is not there.");
    if (class_factors && !labels) refuse("There are 'class_factors' and no classes.");
    p.class_factors = vector("class_factors", class_factors, p.classes);
}

nb::object flat(std::vector<forest::Tree> &&trees, int64_t outputs, bool keep_rows) {
    std::vector<int64_t> tree_start{0}, route_start, row_start{0};
    int64_t routes = 0;
    for (const forest::Tree &t : trees) {
        for (int64_t i = 0; i < t.nodes(); ++i) {
            const size_t at = static_cast<size_t>(i);
            route_start.push_back(t.feature[at] >= 0 && std::isnan(t.threshold[at]) ? routes : -1);
            routes += t.n_routes[at];
        }
        tree_start.push_back(tree_start.back() + t.nodes());
        row_start.push_back(row_start.back() + static_cast<int64_t>(t.drawn_rows.size()));
    }
    using Tree = forest::Tree;
    nb::dict found;
    found["tree_start"] = forest_array(std::move(tree_start));
    found["feature"] = forest_array(joined(trees, &Tree::feature));
    found["threshold"] = forest_array(joined(trees, &Tree::threshold));
    found["right"] = forest_array(joined(trees, &Tree::right));
    found["route_start"] = forest_array(std::move(route_start));
    found["n_routes"] = forest_array(joined(trees, &Tree::n_routes));
    found["route_codes"] = forest_array(joined(trees, &Tree::route_codes));
    found["routes"] = forest_array(joined(trees, &Tree::routes));
    found["otherwise"] = forest_array(joined(trees, &Tree::otherwise));
    found["missing"] = forest_array(joined(trees, &Tree::missing));
    found["weight"] = forest_array(joined(trees, &Tree::weight));
    found["impurity"] = forest_array(joined(trees, &Tree::impurity));
    found["missing_weight"] = forest_array(joined(trees, &Tree::missing_weight));
    found["value"] = forest_array(joined(trees, &Tree::value), outputs);
    if (!keep_rows) return found;
    nb::dict kept;
    kept["row_start"] = forest_array(std::move(row_start));
    kept["rows"] = forest_array(joined(trees, &Tree::drawn_rows));
    kept["times"] = forest_array(joined(trees, &Tree::drawn_times));
    kept["leaf_rows"] = forest_array(joined(trees, &Tree::leaf_rows));
    found["drawn"] = kept;
    return found;
}

void check_shrinkage(double shrinkage) {
    if (!(shrinkage >= 0 && shrinkage <= std::numeric_limits<double>::max()))
        refuse("A shrinkage is " + std::to_string(shrinkage) + ". Expected a number from 0 on.");
}

void bind_forest_options(nb::module_ &m) {
    using O = forest::Options;
    bind_options<O>(m, "ForestOptions", "How trees of a forest are grown; the fields are those of learnt's Growth.",
                    field("criterion", &O::criterion, {"gini", "entropy", "squared_error"}), field("max_depth", &O::max_depth),
                    field("min_samples_split", &O::min_split), field("min_samples_leaf", &O::min_leaf),
                    field("max_leaf_nodes", &O::max_leaves), field("max_features", &O::max_features),
                    field("random_cuts", &O::random_cuts), field("bootstrap", &O::bootstrap), field("rate", &O::rate),
                    field("balance_drawn", &O::balance_drawn), field("seed", &O::seed),
                    field("shrinkage", &O::shrinkage), field("sorted_up_to", &O::sorted_up_to));
}

void bind_grow_forest(nb::module_ &m) {
    m.def(
        "grow_forest",
        [](const In2<uint16_t> &codes, const In<int32_t> &n_codes, const In<int32_t> &shift, const In<int32_t> &lost,
           const In<uint8_t> &nominal, const In<double> &bounds, const In<int64_t> &bound_start,
           const In<uint8_t> &ranges, const In<int32_t> &varying, const Maybe<In<int32_t>> &labels, int64_t n_classes,
           const Maybe<In<double>> &targets, const Maybe<In<double>> &weights, const Maybe<In<double>> &class_factors,
           int64_t first_tree, int64_t n_trees, const forest::Options &options, bool keep_rows,
           const Maybe<Out2<int64_t>> &oob_sums, const Maybe<Out<int32_t>> &oob_trees, double oob_origin, double oob_unit,
           const Maybe<In<double>> &shrinkages, const Maybe<In<int32_t>> &stands_for, int64_t orders) {
            Problem p;
            take_columns(p, codes, n_codes, shift, lost, nominal, bounds, bound_start, ranges);
            if (stands_for) take_stand_ins(p, *stands_for, orders);
            for (int64_t i = 0; i < size(varying); ++i) {
                const int32_t j = data("varying", varying)[i];
                if (j < 0 || j >= size(codes, 0))
                    refuse("'varying' has the column " + std::to_string(j) + ", which is not there.");
                p.varying.push_back(j);
            }
            take_target(p, labels, n_classes, targets, weights, class_factors);
            p.options = options;
            p.options.balance_drawn = options.balance_drawn && labels.has_value();
            if ((options.criterion == forest::Criterion::squared) == labels.has_value())
                refuse("The criterion does not fit the target. Expected 'squared_error' for numbers, another for classes.");
            if (!(options.rate > 0) || options.rate > 1)
                refuse("'rate' is " + std::to_string(options.rate) + ". Expected (0, 1].");
            constexpr int64_t most = std::numeric_limits<int32_t>::max();
            if (n_trees < 1 || first_tree < 0 || n_trees > most || first_tree > most)
                refuse("Trees " + std::to_string(first_tree) + " and " + std::to_string(n_trees) +
                       " on are asked for. Expected at least one, and fewer than 2**31.");
            check_shrinkage(options.shrinkage);
            forest::OutOfBag out{nullptr, vector("oob_trees", oob_trees, p.rows), oob_origin, oob_unit};
            if (shrinkages) {
                out.shrinkages = data("shrinkages", *shrinkages), out.n_shrinkages = size(*shrinkages);
                std::for_each(out.shrinkages, out.shrinkages + out.n_shrinkages, check_shrinkage);
            }
            if (oob_sums)
                out.sums = matrix("oob_sums", *oob_sums, p.rows, shrinkages ? out.n_shrinkages : p.outputs());
            if (oob_sums.has_value() != oob_trees.has_value())
                refuse("Only one of 'oob_sums' and 'oob_trees' is given. Expected both or neither.");
            std::vector<forest::Tree> trees;
            {
                const nb::gil_scoped_release unlocked;
                check_forest_codes(p);
                trees = forest::grow_forest(p, first_tree, n_trees, keep_rows, out);
            }
            return flat(std::move(trees), p.outputs(), keep_rows);
        },
        nb::arg("codes").noconvert(), nb::arg("n_codes").noconvert(), nb::arg("shift").noconvert(),
        nb::arg("lost").noconvert(), nb::arg("nominal").noconvert(), nb::arg("bounds").noconvert(),
        nb::arg("bound_start").noconvert(), nb::arg("ranges").noconvert(), nb::arg("varying").noconvert(),
        nb::arg("labels").noconvert().none(),
        nb::arg("n_classes"), nb::arg("targets").noconvert().none(), nb::arg("weights").noconvert().none(),
        nb::arg("class_factors").noconvert().none(), nb::arg("first_tree"), nb::arg("n_trees"), nb::arg("options"),
        nb::arg("keep_rows"),
        nb::arg("oob_sums").noconvert().none(), nb::arg("oob_trees").noconvert().none(), nb::arg("oob_origin"),
        nb::arg("oob_unit"), nb::arg("shrinkages").noconvert().none() = nb::none(),
        nb::arg("stands_for").noconvert().none() = nb::none(), nb::arg("orders") = 1,
        "The flat arrays of trees, and with keep_rows, under \"drawn\", the rows in their leaves; adds to oob_sums "
        "(rows ×\noutputs, in multiples of oob_unit from oob_origin) and oob_trees what trees say of rows they did "
        "not draw, or,\nwith shrinkages, what those shrunk by each would say (rows × shrinkages; of classes the share "
        "of the row's own).\nThe last columns, as many as stands_for in each of the orders, are searched where those they "
        "stand for\nare, by tree t those of order t mod orders.");
}

void bind_forest_quantiles(nb::module_ &m) {
    m.def(
        "forest_quantiles",
        [](const In2<int32_t> &leaves, const In<int64_t> &tree_start, const In<int64_t> &node_start,
           const In<int32_t> &ranks, const In<float> &shares, const In<double> &sorted_targets, const In<double> &q,
           const Out2<double> &out) {
            const int64_t n = size(leaves, 0), trees = size(leaves, 1), nodes = size(node_start) - 1;
            const int64_t *first = vector("tree_start", tree_start, trees + 1), *start = data("node_start", node_start);
            const int32_t *leaf = data("leaves", leaves), *rank = data("ranks", ranks);
            const float *share = vector("shares", shares, size(ranks));
            if (nodes < 0 || start[0] != 0 || start[nodes] != size(ranks)) refuse("'node_start' does not fit 'ranks'.");
            for (int64_t i = 0; i < nodes; ++i)
                if (start[i] > start[i + 1]) refuse("'node_start' does not rise.");
            for (int64_t i = 0; i < size(ranks); ++i)
                if (rank[i] < 0 || rank[i] >= size(sorted_targets)) refuse("'ranks' points outside of the targets.");
            for (int64_t i = 0; i < n; ++i)
                for (int64_t t = 0; t < trees; ++t) {
                    if (first[t] < 0 || first[t] >= nodes || leaf[i * trees + t] < 0 ||
                        leaf[i * trees + t] >= nodes - first[t])
                        refuse("'leaves' points outside of the trees.");
                }
            double *to = matrix("out", out, n, size(q));
            const forest::LeafTargets kept{first, start, rank, share, data("sorted_targets", sorted_targets)};
            const double *wanted = data("q", q);
            const nb::gil_scoped_release unlocked;
            forest::leaf_quantiles(kept, leaf, n, trees, wanted, size(q), to);
        },
        nb::arg("leaves").noconvert(), nb::arg("tree_start").noconvert(), nb::arg("node_start").noconvert(),
        nb::arg("ranks").noconvert(), nb::arg("shares").noconvert(), nb::arg("sorted_targets").noconvert(),
        nb::arg("q").noconvert(), nb::arg("out").noconvert(),
        "Overwrite out (rows × quantiles) with quantiles of the targets kept in each row's leaves (rows × trees).");
}

}  // namespace

void bind_forest(nb::module_ &m) {
    bind_forest_codes<float>(m), bind_forest_codes<double>(m);
    bind_forest_options(m), bind_grow_forest(m);
    bind_forest_quantiles(m);
}

}  // namespace learnt::bind
