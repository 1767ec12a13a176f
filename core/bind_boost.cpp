// Bins, gradients and the growing of boosted trees.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "bind.hpp"
#include "boost_grow.hpp"
#include "boost_quantiles.hpp"
#include "boost_stream.hpp"

namespace learnt::bind {

namespace {

using namespace boost;
using tree::Column;
using AnyCells = nb::ndarray<nb::ro, nb::device::cpu>;

template <class T>
nb::object boost_array(std::vector<T> &&from, std::initializer_list<size_t> shape) {
    auto *kept = new std::vector<T>(std::move(from));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}
template <class T>
nb::object boost_array(std::vector<T> &&from) {
    const size_t n = from.size();
    return boost_array(std::move(from), {n});
}

nb::object tree_tuple(tree::TreeArrays &&t) {
    const size_t n = t.feature.size();
    return nb::make_tuple(
        boost_array(std::move(t.feature)), boost_array(std::move(t.threshold)), boost_array(std::move(t.child_start)),
        boost_array(std::move(t.n_children)), boost_array(std::move(t.children)), boost_array(std::move(t.route_start)),
        boost_array(std::move(t.n_routes)), boost_array(std::move(t.route_codes)), boost_array(std::move(t.routes)),
        boost_array(std::move(t.otherwise)), boost_array(std::move(t.missing)), boost_array(std::move(t.weight)),
        boost_array(std::move(t.impurity)), boost_array(std::move(t.value), {n, size_t{1}}),
        boost_array(std::move(t.missing_weight)));
}

// The bins of all columns, and what they mean. Offsets and bins are checked here, once.
struct BoostBins {
    BinLayout layout;
    BinMeaning meaning;
    std::vector<std::vector<int32_t>> bin_of;  // by column of categories

    BoostBins(const In<int32_t> &n_bins, const In<uint8_t> &nominal, const In<double> &edges, const In<int64_t> &edge_start,
              const In<int32_t> &category_bins, const In<int64_t> &category_start)
        : layout(data("n_bins", n_bins), vector("nominal", nominal, size(n_bins)), size(n_bins)) {
        const int64_t p = size(n_bins);
        const int64_t *const first_edge = vector("edge_start", edge_start, p + 1);
        const int64_t *const first_category = vector("category_start", category_start, p + 1);
        const auto check = [&](bool right) {
            if (!right) refuse("The bins do not fit their columns. Expected edges and bins as BinEdges makes them.");
        };
        const auto spans = [&](const int64_t *start, int64_t total) {
            check(start[0] == 0 && start[p] == total);
            for (int64_t j = 0; j < p; ++j) check(start[j] <= start[j + 1] && start[j + 1] <= total);
        };
        spans(first_edge, size(edges)), spans(first_category, size(category_bins));
        int64_t total = 0;
        for (int64_t j = 0; j < p; ++j) {
            const int32_t bins = n_bins.data()[j];
            const double *const e = edges.data() + first_edge[j];
            const int64_t n_edges = first_edge[j + 1] - first_edge[j];
            const int32_t *const b = category_bins.data() + first_category[j];
            const int64_t n_categories = first_category[j + 1] - first_category[j];
            total += bins;
            check(bins >= 2 && bins <= 65536 && total < (int64_t{1} << 31));
            meaning.edges.emplace_back(e, e + n_edges);
            meaning.categories.emplace_back();
            bin_of.emplace_back(b, b + n_categories);
            if (layout.nominal[static_cast<size_t>(j)]) {
                check(n_edges == 0);
                meaning.categories.back().resize(static_cast<size_t>(bins));
                for (int64_t c = 0; c < n_categories; ++c) {
                    check(b[c] >= 0 && b[c] <= bins - 2);
                    meaning.categories.back()[static_cast<size_t>(b[c])].push_back(static_cast<int32_t>(c));
                }
            } else {
                check(n_categories == 0 && bins == n_edges + 2 && bins <= 256);
                for (int64_t i = 0; i < n_edges; ++i) check(std::isfinite(e[i]) && (i == 0 || e[i - 1] < e[i]));
            }
        }
    }

    CodeRows rows(const In2<uint8_t> &narrow, const In2<uint16_t> &wide) const {
        if (size(narrow) != size(wide) || size(narrow, 1) < static_cast<int64_t>(layout.narrow.size()) ||
            size(wide, 1) != static_cast<int64_t>(layout.wide.size()))
            refuse("The codes have other columns than the bins. Expected those that encode made of the same bins.");
        if (size(narrow) >= int64_t{1} << 31) refuse("There are more than 2147483647 rows.");
        return {size(narrow), data("narrow", narrow), size(narrow, 1), data("wide", wide), size(wide, 1)};
    }
    // Codes beyond a column's bins would be counted outside of a histogram.
    CodeRows checked_rows(const In2<uint8_t> &narrow, const In2<uint16_t> &wide) const {
        const CodeRows rows = this->rows(narrow, wide);
        std::vector<uint8_t> most(static_cast<size_t>(rows.stride), 255);
        for (size_t at = 0; at < layout.narrow.size(); ++at)
            most[at] = static_cast<uint8_t>(layout.n_bins[static_cast<size_t>(layout.narrow[at])] - 1);
        const Blocks blocks = cut(rows.rows, 1 << 14, 256);
        std::atomic<bool> wrong{false};
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            bool off = false;
            for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
                const uint8_t *const row = rows.narrow + i * rows.stride;
                for (int64_t at = 0; at < rows.stride; ++at) off |= row[at] > most[static_cast<size_t>(at)];
                for (size_t at = 0; at < layout.wide.size(); ++at)
                    off |= rows.wide[i * rows.wide_stride + static_cast<int64_t>(at)] >=
                           layout.n_bins[static_cast<size_t>(layout.wide[at])];
            }
            if (off) wrong = true;
        });
        if (wrong) refuse("A code lies beyond the bins of its column.");
        return rows;
    }
};

Column cells_of_column(const AnyCells &array, const std::string &name, int64_t rows) {
    if (array.ndim() != 1) refuse("'" + name + "' is not one-dimensional.");
    check_length(name.c_str(), static_cast<int64_t>(array.shape(0)), rows);
    if (reinterpret_cast<uintptr_t>(array.data()) % static_cast<size_t>(array.itemsize()) != 0)
        refuse("'" + name + "' is not aligned in memory. Pass a copy of it.");
    Column::Cells kind;
    if (array.dtype() == nb::dtype<double>())
        kind = Column::Cells::float64;
    else if (array.dtype() == nb::dtype<float>())
        kind = Column::Cells::float32;
    else if (array.dtype() == nb::dtype<int32_t>())
        kind = Column::Cells::code;
    else
        throw nb::type_error(("'" + name + "' has another type than float64, float32 or int32.").c_str());
    return {kind, array.data(), array.stride(0), 0};
}

void encode(const BoostBins &bins, nb::list columns, const Out2<uint8_t> &narrow, const Out2<uint16_t> &wide) {
    const int64_t p = bins.layout.columns(), n = size(narrow);
    check_length("columns", static_cast<int64_t>(nb::len(columns)), p);
    if (size(narrow, 1) < static_cast<int64_t>(bins.layout.narrow.size())) refuse("'narrow' has too few columns.");
    matrix("wide", wide, n, static_cast<int64_t>(bins.layout.wide.size()));
    std::vector<AnyCells> arrays;
    std::vector<Column> cells;
    std::vector<BinColumn> of;
    for (int64_t j = 0; j < p; ++j) {
        const std::string name = "columns[" + std::to_string(j) + "]";
        arrays.push_back(nb::cast<AnyCells>(columns[static_cast<size_t>(j)]));
        cells.push_back(cells_of_column(arrays.back(), name, n));
        const size_t at = static_cast<size_t>(j);
        const bool nominal = bins.layout.nominal[at];
        if (nominal && cells.back().cells != Column::Cells::code)
            throw nb::type_error(("'" + name + "' holds numbers. Expected int32 codes of categories.").c_str());
        const std::vector<int32_t> &map = bins.bin_of[at];
        static constexpr int32_t none = 0;
        of.push_back({bins.meaning.edges[at].data(), static_cast<int64_t>(bins.meaning.edges[at].size()),
                      nominal ? (map.empty() ? &none : map.data()) : nullptr, static_cast<int64_t>(map.size()),
                      bins.layout.n_bins[at]});
    }
    const nb::gil_scoped_release unlocked;
    encode_bins(cells, of, bins.layout, n, narrow.data(), size(narrow, 1), wide.data(), size(wide, 1));
}

void bind_bins(nb::module_ &m) {
    nb::class_<BoostBins>(m, "BoostBins")
        .def(nb::init<const In<int32_t> &, const In<uint8_t> &, const In<double> &, const In<int64_t> &,
                      const In<int32_t> &, const In<int64_t> &>(),
             nb::arg("n_bins").noconvert(), nb::arg("nominal").noconvert(), nb::arg("edges").noconvert(),
             nb::arg("edge_start").noconvert(), nb::arg("category_bins").noconvert(),
             nb::arg("category_start").noconvert())
        .def_prop_ro("total", [](const BoostBins &b) { return b.layout.total; })
        .def_prop_ro("n_narrow", [](const BoostBins &b) { return b.layout.narrow.size(); })
        .def_prop_ro("n_wide", [](const BoostBins &b) { return b.layout.wide.size(); });
    m.def("encode_bins", &encode, nb::arg("bins"), nb::arg("columns"), nb::arg("narrow").noconvert(),
          nb::arg("wide").noconvert());
    m.def(
        "edges_of_sorted",
        [](const In<double> &x, const Maybe<In<double>> &weights, int64_t max_bins) {
            const double *w = vector("weights", weights, size(x));
            const double *const from = data("x", x);
            std::vector<double> edges;
            {
                const nb::gil_scoped_release unlocked;
                edges = edges_of_sorted(from, w, size(x), max_bins);
            }
            return boost_array(std::move(edges));
        },
        nb::arg("x").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("max_bins"));
    m.def(
        "distinct_numbers",
        [](const AnyCells &column, const Maybe<In<double>> &weights, int64_t most) {
            const int64_t n = static_cast<int64_t>(column.shape(0));
            const Column cells = cells_of_column(column, "column", n);
            const double *w = vector("weights", weights, n);
            DistinctNumbers found;
            {
                const nb::gil_scoped_release unlocked;
                found = distinct_numbers(cells, w, n, most);
            }
            const bool many = found.many;
            return nb::make_tuple(boost_array(std::move(found.value)), boost_array(std::move(found.weight)), many);
        },
        nb::arg("column"), nb::arg("weights").noconvert().none(), nb::arg("most"));
}

// ---- gradients

Loss loss_named(const std::string &name) {
    static constexpr const char *names[] = {"squared", "logistic", "softmax", "poisson", "absolute", "huber", "quantile"};
    for (int l = 0; l < 7; ++l)
        if (name == names[l]) return Loss{l};
    refuse("'loss' is '" + name + "'. Expected squared, logistic, softmax, poisson, absolute, huber or quantile.");
}

template <class Real>
LossRows<Real> loss_rows_of(const std::string &loss, const In2<double> &scores, const Maybe<In<double>> &numbers,
                            const Maybe<In<int32_t>> &codes, const Maybe<In<double>> &weights, double parameter) {
    const int64_t k = size(scores), n = size(scores, 1);
    LossRows<Real> in{loss_named(loss), parameter, n, k, data("scores", scores), nullptr, nullptr, nullptr, nullptr, nullptr};
    in.numbers = vector("numbers", numbers, n), in.codes = vector("codes", codes, n), in.weights = vector("weights", weights, n);
    const bool coded = in.loss == Loss::logistic || in.loss == Loss::softmax;
    if (coded ? !in.codes || in.numbers : !in.numbers || in.codes)
        refuse("The loss '" + loss + "' has another kind of target: 'codes' for classes, 'numbers' for others.");
    if (in.loss != Loss::softmax && k != 1) refuse("The loss '" + loss + "' has one score for each row.");
    return in;
}

template <class Real>
void bind_gradients(nb::module_ &m) {
    m.def(
        "boost_gradients",
        [](const std::string &loss, const In2<double> &scores, const Maybe<In<double>> &numbers,
           const Maybe<In<int32_t>> &codes, const Maybe<In<double>> &weights, double parameter, const Out2<Real> &gradient,
           const Out2<Real> &hessian) {
            LossRows<Real> in = loss_rows_of<Real>(loss, scores, numbers, codes, weights, parameter);
            in.gradient = matrix("gradient", gradient, in.outputs, in.rows);
            in.hessian = matrix("hessian", hessian, in.outputs, in.rows);
            const nb::gil_scoped_release unlocked;
            loss_gradients(in);
        },
        nb::arg("loss"), nb::arg("scores").noconvert(), nb::arg("numbers").noconvert().none(),
        nb::arg("codes").noconvert().none(), nb::arg("weights").noconvert().none(), nb::arg("parameter"),
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert());
    m.def(
        "boost_exponents",
        [](const In<Real> &x, const Maybe<In<uint8_t>> &kept) {
            const uint8_t *k = vector("kept", kept, size(x));
            return boost_array(exponents_of(data("x", x), k, size(x)).count);
        },
        nb::arg("x").noconvert(), nb::arg("kept").noconvert().none());
    m.def(
        "boost_magnitudes",
        [](const In2<Real> &g) {
            const int64_t k = size(g), n = size(g, 1);
            std::vector<int64_t> count(65536);
            for (int64_t i = 0; i < n; ++i) ++count[magnitude_bucket(data("gradients", g), k, n, i)];
            return boost_array(std::move(count));
        },
        nb::arg("gradients").noconvert());
    m.def(
        "boost_goss",
        [](const Out2<Real> &g, const Out2<Real> &h, int64_t threshold, double share, uint64_t seed, uint64_t tree,
           int64_t first_row, const Out<uint8_t> &kept) {
            const int64_t k = size(g), n = size(g, 1);
            Real *to = matrix("hessians", h, k, n);
            uint8_t *out = vector("kept", kept, n);
            const nb::gil_scoped_release unlocked;
            keep_large_gradients(data("gradients", g), to, k, n, static_cast<uint32_t>(threshold), share, seed, tree,
                                 first_row, out);
        },
        nb::arg("gradients").noconvert(), nb::arg("hessians").noconvert(), nb::arg("threshold"), nb::arg("share"),
        nb::arg("seed"), nb::arg("tree"), nb::arg("first_row"), nb::arg("kept").noconvert());
}

using ScaleTuple = std::tuple<double, double, double, double, double, bool>;
GradientScale scale_from(const ScaleTuple &t) {
    const auto [g, h, exact_g, exact_h, weight, constant] = t;
    return {g, h, exact_g, exact_h, weight, constant};
}

Exponents exponents_from(const char *name, const In<int64_t> &count) {
    Exponents e;
    std::copy_n(vector(name, count, Exponents::size), Exponents::size, e.count.begin());
    return e;
}

// ---- growing

struct BoostRules {
    TreeRules rules;
    std::vector<int8_t> monotonic;

    BoostRules(int64_t n_columns, int64_t max_leaf_nodes, int64_t max_depth, bool by_depth, double min_samples_leaf,
               double min_child_weight, double l1, double l2, double min_gain, double learning_rate,
               const Maybe<In<int8_t>> &order, const std::vector<std::vector<int32_t>> &interactions, double max_features,
               double max_features_tree, double cat_smooth, double cat_l2, int64_t max_cat_subset, double min_group,
               int64_t one_hot_up_to, uint64_t seed) {
        rules.max_leaf_nodes = max_leaf_nodes, rules.max_depth = max_depth, rules.by_depth = by_depth;
        rules.learning_rate = learning_rate, rules.max_features = max_features;
        rules.max_features_tree = max_features_tree, rules.seed = seed, rules.interactions = interactions;
        for (const auto &set : interactions)
            for (const int32_t j : set)
                if (j < 0 || j >= n_columns) refuse("'interactions' names column " + std::to_string(j) + ", which is not there.");
        SplitRules &s = rules.split;
        s.min_samples_leaf = min_samples_leaf, s.min_child_weight = min_child_weight, s.l1 = l1, s.l2 = l2;
        s.min_gain = min_gain, s.cat_smooth = cat_smooth, s.cat_l2 = cat_l2, s.max_cat_subset = max_cat_subset;
        s.min_group = min_group, s.one_hot_up_to = one_hot_up_to;
        if (order) {
            const int8_t *const from = vector("monotonic", *order, n_columns);
            monotonic.assign(from, from + n_columns);
            s.monotonic = monotonic.data();
        }
    }
    BoostRules(const BoostRules &) = delete;
};

struct BoostGrower {
    nb::object bins_object, rules_object;
    const BoostBins &bins;
    const BoostRules &rules;
    In2<uint8_t> narrow;
    In2<uint16_t> wide;
    CodeRows codes;
    std::unique_ptr<Grower<float>> coarse;
    std::unique_ptr<Grower<double>> fine;
    bool last_fine = false;

    BoostGrower(nb::object b, nb::object r, const In2<uint8_t> &n, const In2<uint16_t> &w)
        : bins_object(b),
          rules_object(r),
          bins(nb::cast<const BoostBins &>(b)),
          rules(nb::cast<const BoostRules &>(r)),
          narrow(n),
          wide(w),
          codes(bins.checked_rows(n, w)) {}

    template <class Real>
    Grower<Real> &grower() {
        auto &mine = [&]() -> auto & {
            if constexpr (sizeof(Real) == 4)
                return coarse;
            else
                return fine;
        }();
        if (!mine) mine = std::make_unique<Grower<Real>>(bins.layout, codes, bins.meaning, rules.rules);
        last_fine = sizeof(Real) == 8;
        return *mine;
    }
    template <class F>
    auto with_last(F f) {
        if (!coarse && !fine) refuse("No tree was grown yet.");
        return last_fine ? f(*fine) : f(*coarse);
    }
};

template <class Real>
void bind_grow_with(nb::class_<BoostGrower> &c) {
    c.def(
        "grow",
        [](BoostGrower &self, const In<Real> &gradient, const Maybe<In<Real>> &hessian, const Maybe<In<double>> &weights,
           const Maybe<In<uint8_t>> &kept, uint64_t tree) {
            const int64_t n = self.codes.rows;
            const Real *g = vector("gradient", gradient, n), *h = vector("hessian", hessian, n);
            const double *w = vector("weights", weights, n);
            const uint8_t *k = vector("kept", kept, n);
            Grower<Real> &grower = self.grower<Real>();
            tree::TreeArrays t;
            {
                const nb::gil_scoped_release unlocked;
                t = grower.grow(g, h, w, k, tree);
            }
            return tree_tuple(std::move(t));
        },
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert().none(), nb::arg("weights").noconvert().none(),
        nb::arg("kept").noconvert().none(), nb::arg("tree"));
}

void bind_grower(nb::module_ &m) {
    nb::class_<BoostRules>(m, "BoostRules")
        .def(nb::init<int64_t, int64_t, int64_t, bool, double, double, double, double, double, double,
                      const Maybe<In<int8_t>> &, const std::vector<std::vector<int32_t>> &, double, double, double, double,
                      int64_t, double, int64_t, uint64_t>(),
             nb::arg("n_columns"), nb::arg("max_leaf_nodes"), nb::arg("max_depth"), nb::arg("by_depth"),
             nb::arg("min_samples_leaf"), nb::arg("min_child_weight"), nb::arg("l1"), nb::arg("l2"), nb::arg("min_gain"),
             nb::arg("learning_rate"), nb::arg("monotonic").noconvert().none(), nb::arg("interactions"),
             nb::arg("max_features"), nb::arg("max_features_tree"), nb::arg("cat_smooth"), nb::arg("cat_l2"),
             nb::arg("max_cat_subset"), nb::arg("min_group"), nb::arg("one_hot_up_to"), nb::arg("seed"));
    nb::class_<BoostGrower> grower(m, "BoostGrower");
    grower.def(nb::init<nb::object, nb::object, const In2<uint8_t> &, const In2<uint16_t> &>(), nb::arg("bins"),
               nb::arg("rules"), nb::arg("narrow").noconvert(), nb::arg("wide").noconvert());
    bind_grow_with<float>(grower), bind_grow_with<double>(grower);
    grower.def(
        "leaves",
        [](BoostGrower &self, const Out<int32_t> &out) {
            int32_t *to = vector("out", out, self.codes.rows);
            self.with_last([&](auto &g) {
                const nb::gil_scoped_release unlocked;
                const Blocks blocks = cut(self.codes.rows, 1 << 14, 256);
                run_blocks(blocks.count, [&](int64_t b, Job &) {
                    for (int64_t i = blocks[b].first; i < blocks[b].last; ++i)
                        to[i] = g.number[static_cast<size_t>(g.leaf_of_row()[i])];
                });
            });
        },
        nb::arg("out").noconvert());
    grower.def(
        "add",
        [](BoostGrower &self, const In<double> &values, const Out<double> &scores) {
            double *to = vector("scores", scores, self.codes.rows);
            self.with_last([&](auto &g) {
                const double *by_number = vector("values", values, g.n_nodes());
                const nb::gil_scoped_release unlocked;
                std::vector<double> value(static_cast<size_t>(g.n_nodes()));
                for (size_t i = 0; i < value.size(); ++i) value[i] = by_number[g.number[i]];
                const Blocks blocks = cut(self.codes.rows, 1 << 14, 256);
                run_blocks(blocks.count, [&](int64_t b, Job &) {
                    for (int64_t i = blocks[b].first; i < blocks[b].last; ++i)
                        to[i] += value[static_cast<size_t>(g.leaf_of_row()[i])];
                });
            });
        },
        nb::arg("values").noconvert(), nb::arg("scores").noconvert());
#ifdef LEARNT_BOOST_TIMES
    m.def("boost_times", [] {
        const PhaseTimes t = phase_times;
        phase_times = {};
        return nb::make_tuple(t.quantise, t.histogram, t.split, t.partition, t.leaves);
    });
#endif
}

// ---- streams

struct BoostTree {
    nb::object bins_object, rules_object;
    StreamedTree tree;

    BoostTree(nb::object b, nb::object r, const ScaleTuple &scale, bool fine, uint64_t number)
        : bins_object(b),
          rules_object(r),
          tree(nb::cast<const BoostBins &>(b).layout, nb::cast<const BoostBins &>(b).meaning,
               nb::cast<const BoostRules &>(r).rules, scale_from(scale), fine, number) {}

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
        nb::arg("scale"), nb::arg("out").noconvert());
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
        nb::arg("node_of_row").noconvert(), nb::arg("scale"), nb::arg("out").noconvert());
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
    return nb::make_tuple(boost_array(std::move(left)), boost_array(std::move(column)), boost_array(std::move(bin)),
                          boost_array(std::move(missing)), boost_array(std::move(start)), boost_array(std::move(bins)));
}

void move_rows(const BoostBins &bins, const In2<uint8_t> &narrow, const In2<uint16_t> &wide, const In<int32_t> &left,
               const In<int32_t> &column, const In<int32_t> &bin, const In<uint8_t> &missing_left,
               const In<int64_t> &left_start, const In<int32_t> &left_bins, const Out<int32_t> &node_of_row) {
    const CodeRows codes = bins.checked_rows(narrow, wide);
    const int64_t n = size(left);
    const int32_t *l = data("left", left), *c = vector("column", column, n), *b = vector("bin", bin, n);
    const uint8_t *missing = vector("missing_left", missing_left, n);
    const int64_t *start = vector("left_start", left_start, n + 1);
    int32_t *const node = vector("node_of_row", node_of_row, codes.rows);
    std::vector<TestedNode> nodes(static_cast<size_t>(n));
    const auto check = [](bool right) {
        if (!right) refuse("The tests are not those of a tree over these bins.");
    };
    for (int64_t i = 0; i < n; ++i) {
        TestedNode &t = nodes[static_cast<size_t>(i)];
        if (l[i] < 0) continue;
        check(l[i] > i && l[i] < n - 1 && c[i] >= 0 && c[i] < bins.layout.columns());
        check(start[i] >= 0 && start[i] <= start[i + 1] && start[i + 1] <= size(left_bins));
        Split split;
        split.column = c[i], split.bin = b[i], split.missing_left = missing[i] != 0;
        split.left_bins.assign(left_bins.data() + start[i], left_bins.data() + start[i + 1]);
        for (const int32_t v : split.left_bins) check(v >= 0 && v < bins.layout.n_bins[static_cast<size_t>(c[i])]);
        t.set_test(split, bins.layout);
        t.left = l[i], t.right = l[i] + 1;
    }
    for (int64_t i = 0; i < codes.rows; ++i) check(node[i] < n);
    const nb::gil_scoped_release unlocked;
    const Blocks blocks = cut(codes.rows, 1 << 12, 1 << 20);
    run_blocks(blocks.count, [&](int64_t k, Job &) {
        for (int64_t i = blocks[k].first; i < blocks[k].last; ++i)
            if (node[i] >= 0) node[i] = leaf_below(nodes, bins.layout, codes, i, node[i]);
    });
}

void bind_histograms(nb::module_ &m) {
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
        nb::arg("tree"), nb::arg("first_row"), nb::arg("out").noconvert());
    m.def(
        "boost_histograms",
        [](const BoostBins &bins, const In2<uint8_t> &narrow, const In2<uint16_t> &wide, const Maybe<In<uint32_t>> &packed,
           const Maybe<In2<int64_t>> &fine, const In<int32_t> &node_of_row, const In<int32_t> &slot_of_node,
           const nb::ndarray<int64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu> &out) {
            const CodeRows codes = bins.checked_rows(narrow, wide);
            const int64_t n = codes.rows, slots = size(out), nodes = size(slot_of_node);
            if (packed.has_value() == fine.has_value()) refuse("Both or neither of 'packed' and 'fine' are given. Expected one.");
            const uint32_t *coarse_rows = vector("packed", packed, n);
            const int64_t *fine_rows = fine ? matrix("fine", *fine, n, 3) : nullptr;
            const int32_t *node = vector("node_of_row", node_of_row, n), *slot = data("slot_of_node", slot_of_node);
            if (size(out, 1) != bins.layout.total || size(out, 2) != 3) refuse("'out' has another shape than slots × bins × 3.");
            for (int64_t i = 0; i < n; ++i)
                if (node[i] >= nodes) refuse("'node_of_row' names a node without a slot.");
            for (int64_t i = 0; i < nodes; ++i)
                if (slot[i] >= slots) refuse("'slot_of_node' names a slot that 'out' does not have.");
            const nb::gil_scoped_release unlocked;
            add_histograms(bins.layout, codes, coarse_rows, fine_rows, node, slot, slots, out.data());
        },
        nb::arg("bins"), nb::arg("narrow").noconvert(), nb::arg("wide").noconvert(), nb::arg("packed").noconvert().none(),
        nb::arg("fine").noconvert().none(), nb::arg("node_of_row").noconvert(), nb::arg("slot_of_node").noconvert(),
        nb::arg("out").noconvert());
}

void bind_stream(nb::module_ &m) {
    bind_batches<float>(m), bind_batches<double>(m);
    bind_histograms(m);
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
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert().none(), nb::arg("weights").noconvert().none());
    nb::class_<BoostTree>(m, "BoostTree")
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
                return nb::make_tuple(tree_tuple(std::move(arrays)), boost_array(std::move(number)));
            },
            nb::arg("sums").noconvert(), nb::arg("inner").noconvert());
    m.def("boost_move_rows", &move_rows, nb::arg("bins"), nb::arg("narrow").noconvert(), nb::arg("wide").noconvert(),
          nb::arg("left").noconvert(), nb::arg("column").noconvert(), nb::arg("bin").noconvert(),
          nb::arg("missing_left").noconvert(), nb::arg("left_start").noconvert(), nb::arg("left_bins").noconvert(),
          nb::arg("node_of_row").noconvert());
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
            const nb::gil_scoped_release unlocked;
            quantiles_by_group(of, from, w, n, q, groups, to);
        },
        nb::arg("group").noconvert(), nb::arg("x").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("q"),
        nb::arg("out").noconvert());
    m.def(
        "boost_loss",
        [](const std::string &loss, const In2<double> &scores, const Maybe<In<double>> &numbers,
           const Maybe<In<int32_t>> &codes, const Maybe<In<double>> &weights, double parameter,
           const Maybe<In<uint8_t>> &kept) {
            const LossRows<double> in = loss_rows_of<double>(loss, scores, numbers, codes, weights, parameter);
            const uint8_t *k = vector("kept", kept, in.rows);
            double sum = 0, weight = 0;
            {
                const nb::gil_scoped_release unlocked;
                total_loss(in, k, &sum, &weight);
            }
            return std::make_tuple(sum, weight);
        },
        nb::arg("loss"), nb::arg("scores").noconvert(), nb::arg("numbers").noconvert().none(),
        nb::arg("codes").noconvert().none(), nb::arg("weights").noconvert().none(), nb::arg("parameter"),
        nb::arg("kept").noconvert().none());
}

}  // namespace

void bind_boost(nb::module_ &m) {
    bind_bins(m);
    bind_gradients<float>(m), bind_gradients<double>(m);
    bind_grower(m);
    bind_stream(m);
}

}  // namespace learnt::bind
