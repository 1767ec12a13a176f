// Trees grown and walked on small tables of every kind, under the sanitizers: sums that must agree, and the
// same tree for any number of threads.
#include "tests/check.hpp"
#include "tree/build.hpp"
#include "tree/send.hpp"
#include "tree/walk.hpp"

namespace learnt::test {

using namespace tree;

// Two numeric columns (one of them single precision), one ordinal, three nominal, of which one has more
// categories than a node lists; a tenth of the cells missing.
struct TreeTable {
    static constexpr int32_t most_streets = 120;
    int64_t n;
    std::vector<double> a, target, weights;
    std::vector<float> b;
    std::vector<int32_t> grade, town, flag, street, label;
    Problem problem;

    TreeTable(int64_t rows, int64_t classes, bool weighted, uint64_t seed) : n(rows) {
        const size_t size = static_cast<size_t>(n);
        const std::vector<double> u = numbers<double>(n * 8, seed);
        a.resize(size), b.resize(size), grade.resize(size), town.resize(size), flag.resize(size), street.resize(size),
            label.resize(size), target.resize(size);
        for (size_t i = 0; i < size; ++i) {
            const double *const r = u.data() + 8 * i;
            const auto lost = [&](int c) { return std::fmod(r[c] * 1000, 1.0) < 0.1; };
            a[i] = lost(0) ? tree::nan : r[0];
            b[i] = lost(1) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(std::floor(r[1] * 7));
            grade[i] = lost(2) ? -1 : static_cast<int32_t>(r[2] * 4);
            town[i] = lost(3) ? -1 : static_cast<int32_t>(r[3] * 13);
            flag[i] = lost(4) ? -1 : static_cast<int32_t>(r[4] * 2);
            street[i] = lost(5) ? -1 : static_cast<int32_t>(r[6] * most_streets);
            target[i] = r[0] + 0.3 * std::floor(r[3] * 13) + r[5];
            label[i] =
                static_cast<int32_t>(std::fmod(target[i] * 2, static_cast<double>(std::max<int64_t>(1, classes))));
        }
        if (weighted) weights = numbers<double>(n, seed + 1);
        problem.rows = n;
        problem.columns = {{Column::Cells::float64, a.data(), 1, 0},
                           {Column::Cells::float32, b.data(), 1, 0},
                           {Column::Cells::code, grade.data(), 1, 0},
                           {Column::Cells::code, town.data(), 1, 14},
                           {Column::Cells::code, flag.data(), 1, 2},
                           {Column::Cells::code, street.data(), 1, most_streets}};
        problem.classes = classes;
        problem.labels = classes ? label.data() : nullptr;
        problem.targets = classes ? nullptr : target.data();
        problem.weights = weighted ? weights.data() : nullptr;
        problem.options.min_samples_leaf = 2;
    }
};

// `places` keeps what the view of the routes refers to.
static TreeView view_of(const TreeArrays &t, int64_t k, const int32_t *n_categories, std::vector<int64_t> &places) {
    places.clear();
    for (size_t i = 0; i < t.feature.size(); ++i) {
        const int32_t n = t.feature[i] < 0 ? 0 : n_categories[t.feature[i]];
        places.push_back(route_place(t.route_start[i], t.n_routes[i], n));
    }
    return {static_cast<int64_t>(t.feature.size()),
            k,
            t.feature.data(),
            t.n_children.data(),
            t.children.data(),
            t.n_routes.data(),
            t.route_codes.data(),
            t.routes.data(),
            t.otherwise.data(),
            t.missing.data(),
            t.child_start.data(),
            places.data(),
            t.threshold.data(),
            t.weight.data(),
            t.value.data()};
}

static void children_share_the_weight_of_their_parent(const TreeArrays &t) {
    for (size_t i = 0; i < t.feature.size(); ++i) {
        if (t.n_children[i] == 0) continue;
        double sum = 0;
        for (int32_t c = 0; c < t.n_children[i]; ++c) {
            const int32_t child = t.children[static_cast<size_t>(t.child_start[i] + c)];
            CHECK(child > static_cast<int32_t>(i));
            sum += t.weight[static_cast<size_t>(child)];
        }
        CHECK(close(sum, t.weight[i], 1e-9));
    }
}

static void training_rows_come_back_to_their_leaves(const TreeTable &table, const TreeArrays &t) {
    const Problem &p = table.problem;
    const int32_t kinds[] = {0, 0, 0, 14, 2, TreeTable::most_streets};
    std::vector<int64_t> places;
    const TreeView view = view_of(t, p.sums(), kinds, places);
    const ColumnCells cells{p.columns, p.rows};
    std::vector<int32_t> leaf(static_cast<size_t>(p.rows));
    std::vector<double> out(static_cast<size_t>(p.rows * p.sums()));
    apply_tree(view, cells, kinds, leaf.data());
    predict_tree(view, cells, kinds, p.classes > 0, out.data());
    std::vector<double> reached(t.feature.size());
    for (int64_t i = 0; i < p.rows; ++i) {
        CHECK(t.n_children[static_cast<size_t>(leaf[static_cast<size_t>(i)])] == 0);
        reached[static_cast<size_t>(leaf[static_cast<size_t>(i)])] += p.weights ? p.weights[i] : 1;
        double sum = 0;
        for (int64_t c = 0; c < p.classes; ++c) sum += out[static_cast<size_t>(i * p.sums() + c)];
        CHECK(!p.classes || close(sum, 1, 1e-12));
    }
    if (p.options.missing != Missing::majority && p.options.missing != Missing::learned) return;
    for (size_t i = 0; i < reached.size(); ++i) CHECK(t.n_children[i] > 0 || close(reached[i], t.weight[i], 1e-9));
}

// Sent down together, cut up by the rows that come along, training rows bring every leaf the weight it was grown with;
// and where the whole tree gives way to a leaf, they stay at the root.
static void sent_rows_bring_the_weight_of_their_leaves(const TreeTable &table, const TreeArrays &t) {
    const Problem &p = table.problem;
    if (p.options.missing == Missing::class_majority) return;
    const int32_t kinds[] = {0, 0, 0, 14, 2, TreeTable::most_streets};
    std::vector<int64_t> places, row(static_cast<size_t>(p.rows)), source(t.feature.size());
    const TreeView view = view_of(t, p.sums(), kinds, places);
    std::vector<double> weight(row.size(), 1.0), unknown(t.feature.size());
    for (size_t i = 0; i < row.size(); ++i) {
        row[i] = static_cast<int64_t>(i);
        if (p.weights) weight[i] = p.weights[i];
    }
    for (size_t i = 0; i < source.size(); ++i) source[i] = t.n_children[i] ? static_cast<int64_t>(i) : -1;
    RowSender sender(view, {p.columns, p.rows}, kinds, source.data(), true, unknown.data());
    const Reached found = sender.send(0, row.data(), weight.data(), p.rows);
    std::vector<double> reached(t.feature.size());
    for (size_t e = 0; e < found.node.size(); ++e) reached[static_cast<size_t>(found.node[e])] += found.weight[e];
    for (size_t i = 0; i < reached.size(); ++i) {
        CHECK(t.n_children[i] > 0 || close(reached[i], t.weight[i], 1e-9));
        CHECK(t.n_children[i] == 0 || close(unknown[i], t.missing_weight[i], 1e-9));
    }
    source[0] = -1;
    const Reached stayed = sender.send(0, row.data(), weight.data(), p.rows);
    CHECK(stayed.row == row && stayed.weight == weight);
}

static void grow_every_way(TreeTable &table) {
    GrowOptions &o = table.problem.options;
    const bool classes = table.problem.classes > 0;
    for (const Criterion criterion : {Criterion::gini, Criterion::entropy, Criterion::gain_ratio,
                                      Criterion::misclassification, Criterion::mse, Criterion::mae})
        for (const Nominal nominal : {Nominal::multiway, Nominal::equals, Nominal::subset})
            for (const Missing missing :
                 {Missing::fractional, Missing::majority, Missing::class_majority, Missing::learned})
                for (const int64_t leaves : {0, 7}) {
                    if ((criterion >= Criterion::mse) == classes || (!classes && missing == Missing::class_majority))
                        continue;
                    o.criterion = criterion, o.nominal = nominal, o.missing = missing, o.max_leaf_nodes = leaves;
                    o.max_features = leaves ? 2 : 0;
                    thread_count() = 1;
                    const TreeArrays t = grow_tree(table.problem);
                    thread_count() = 3;
                    const TreeArrays again = grow_tree(table.problem);
                    CHECK(t.feature == again.feature && t.value == again.value && t.weight == again.weight &&
                          t.routes == again.routes);
                    children_share_the_weight_of_their_parent(t);
                    training_rows_come_back_to_their_leaves(table, t);
                    sent_rows_bring_the_weight_of_their_leaves(table, t);
                }
}

static void grow_drawn_and_monotonic(TreeTable &table) {
    GrowOptions &o = table.problem.options;
    const int32_t directions[] = {1, -1, 0, 0, 1, 0};
    o.missing = Missing::learned;
    for (const Criterion criterion : {Criterion::gini, Criterion::misclassification, Criterion::mse, Criterion::mae})
        for (const Nominal nominal : {Nominal::equals, Nominal::subset})
            for (const bool drawn : {false, true})
                for (const bool bound : {false, true}) {
                    const bool classes = table.problem.classes > 0;
                    if ((criterion >= Criterion::mse) == classes || (bound && table.problem.classes > 2)) continue;
                    o.criterion = criterion, o.nominal = nominal, o.max_leaf_nodes = o.max_features = 0;
                    o.random_cuts = drawn, o.monotonic = bound ? directions : nullptr;
                    thread_count() = 1;
                    const TreeArrays t = grow_tree(table.problem);
                    thread_count() = 3;
                    const TreeArrays again = grow_tree(table.problem);
                    CHECK(t.feature == again.feature && t.value == again.value && t.routes == again.routes);
                    children_share_the_weight_of_their_parent(t);
                    training_rows_come_back_to_their_leaves(table, t);
                    sent_rows_bring_the_weight_of_their_leaves(table, t);
                }
    o.random_cuts = false, o.monotonic = nullptr;
}

static void categories_find_their_routes() {
    NodeRoutes at_node;
    std::vector<int32_t> codes, routes;
    at_node.clear(1000, -1);
    for (const int32_t code : {999, 3, 500, 3}) at_node.set(code, code == 500);
    CHECK(at_node[3] == 0 && at_node[500] == 1 && at_node[4] == -1);
    CHECK(at_node.append_to(codes, routes) == 3);
    CHECK((codes == std::vector<int32_t>{3, 500, 999}) && (routes == std::vector<int32_t>{0, 1, 0}));
    at_node.clear(few_categories, 1);  // the second node: a route for each of few categories
    at_node.set(5, 0);
    CHECK(at_node.append_to(codes, routes) == few_categories);
    at_node.clear(1000, 0);  // the third lists none
    CHECK(at_node.append_to(codes, routes) == 0);
    const std::vector<int32_t> n_routes{3, few_categories, 0}, otherwise{-1, 1, 0};
    const std::vector<int64_t> places{route_place(0, 3, 1000), route_place(3, few_categories, few_categories),
                                      route_place(3 + few_categories, 0, 1000)};
    CHECK(places[0] < -1 && places[1] == 3 && places[2] < -1 && route_place(-1, 0, 0) == -1);
    TreeView view{};
    view.n_routes = n_routes.data(), view.otherwise = otherwise.data(), view.route_place = places.data();
    view.route_codes = codes.data(), view.routes = routes.data();
    for (int32_t code = 0; code < 1000; ++code) {
        CHECK(view.route(0, code) == (code == 500 ? 1 : code == 3 || code == 999 ? 0 : -1));
        CHECK(code >= few_categories || view.route(1, code) == (code != 5));
        CHECK(view.route(2, code) == 0);
    }
}

static void grow_as_j48(TreeTable &table) {
    GrowOptions &o = table.problem.options;
    o.criterion = Criterion::gain_ratio, o.missing = Missing::fractional, o.max_leaf_nodes = o.max_features = 0;
    o.min_branches = o.mdl_correction = o.average_gain = o.j48_numeric_minimum = o.thresholds_from_data = true;
    o.n_declared_classes = table.problem.classes;
    for (const Nominal nominal : {Nominal::multiway, Nominal::equals}) {
        o.nominal = nominal;
        children_share_the_weight_of_their_parent(grow_tree(table.problem));
    }
}

template <class Real>
static void packed_rows_go_where_plain_ones_go() {
    for (const Layout layout : every_layout) {
        const OwnedTable<Real> x = make_table<Real>(203, 3, layout);
        std::vector<int32_t> y(203);
        for (size_t i = 0; i < y.size(); ++i)
            y[i] = x.view(static_cast<int64_t>(i), 0) > x.view(static_cast<int64_t>(i), 1);
        Problem p;
        p.rows = 203, p.classes = 2, p.labels = y.data();
        constexpr auto cells = sizeof(Real) == 4 ? Column::Cells::float32 : Column::Cells::float64;
        for (int64_t j = 0; j < 3; ++j) p.columns.push_back({cells, &x.view(0, j), x.view.row_stride, 0});
        const TreeArrays t = grow_tree(p);
        const int32_t kinds[] = {0, 0, 0};
        std::vector<int64_t> places;
        const TreeView view = view_of(t, 2, kinds, places);
        std::vector<int32_t> packed(203), plain(203);
        apply_tree(view, MatrixCells<Real>{x.view}, kinds, packed.data());
        apply_tree(view, ColumnCells{p.columns, 203}, kinds, plain.data());
        CHECK(packed == plain);
    }
}

void test_tree() {
    for (const int64_t n : {1, 2, 37, 1500})
        for (const int64_t classes : {0, 2, 3})
            for (const bool weighted : {false, true}) {
                TreeTable table(n, classes, weighted, static_cast<uint64_t>(n));
                grow_every_way(table);
                grow_drawn_and_monotonic(table);
                if (classes) grow_as_j48(table);
            }
    categories_find_their_routes();
    packed_rows_go_where_plain_ones_go<float>();
    packed_rows_go_where_plain_ones_go<double>();
}

}  // namespace learnt::test
