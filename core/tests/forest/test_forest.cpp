// Forests grown from codes of every kind, under the sanitizers: nodes that add up, rows that end where growing put
// them, the same trees for any number of threads.
#include <set>

#include "forest/codes.hpp"
#include "forest/grow.hpp"
#include "forest/quantiles.hpp"
#include "tests/check.hpp"

namespace learnt::test {

using namespace forest;

// Numbers of few and of many codes (of which the last stand for ranges), categories few and many, a column of nothing;
// a tenth of the cells missing.
struct ForestTable {
    int64_t n;
    std::vector<std::vector<uint16_t>> codes;
    std::vector<std::vector<double>> bounds;
    std::vector<double> target, weights, factors{1.0, 2.0, 0.5, 1.5};
    std::vector<int32_t> label;
    Problem problem;

    void add(int32_t n_codes, bool nominal, bool ranges, const std::vector<double> &u, size_t offset) {
        int32_t shift = 0;
        while (!nominal && ((n_codes - 1) >> shift) + 1 > 255) ++shift;
        const int32_t lost = n_codes == 0 ? 0 : nominal ? n_codes : (((n_codes - 1) >> shift) + 1) << shift;
        std::vector<uint16_t> column;
        for (int64_t i = 0; i < n; ++i) {
            const double v = u[offset + static_cast<size_t>(i)];
            const bool gone = n_codes == 0 || std::fmod(v * 1000, 1.0) < 0.1;
            column.push_back(static_cast<uint16_t>(gone ? lost : static_cast<int32_t>(v * n_codes)));
        }
        std::vector<double> ends;
        for (int32_t c = 0; !nominal && c < n_codes + (ranges && n_codes > 0); ++c) ends.push_back(0.5 * c);
        codes.push_back(std::move(column)), bounds.push_back(std::move(ends));
        const double *low = bounds.back().empty() ? nullptr : bounds.back().data();
        problem.columns.push_back({codes.back().data(), low, low ? low + (ranges ? 1 : 0) : low, n_codes, shift,
                                   static_cast<uint16_t>(lost), nominal});
        problem.varying.push_back(static_cast<int32_t>(problem.varying.size()));
    }

    ForestTable(int64_t rows, int64_t classes, bool weighted) : n(rows) {
        const std::vector<double> u = numbers<double>(n * 8, static_cast<uint64_t>(classes) + 7);
        codes.reserve(10), bounds.reserve(10);
        const size_t size = static_cast<size_t>(n);
        add(7, false, false, u, 0), add(60000, false, true, u, size), add(255, false, false, u, 2 * size);
        add(5, true, false, u, 3 * size), add(3000, true, false, u, 4 * size), add(0, false, false, u, 5 * size);
        for (size_t i = 0; i < size; ++i) {
            target.push_back(u[i] + 0.3 * std::floor(u[3 * size + i] * 5) + u[6 * size + i]);
            label.push_back(static_cast<int32_t>(std::fmod(target[i] * 3, static_cast<double>(std::max<int64_t>(classes, 1)))));
        }
        if (weighted) weights = numbers<double>(n, 3), weights[0] = 0;
        problem.rows = n, problem.classes = classes;
        (classes ? (void)(problem.labels = label.data()) : (void)(problem.targets = target.data()));
        if (weighted) problem.weights = weights.data();
        problem.options.criterion = classes ? Criterion::gini : Criterion::squared;
        problem.options.max_features = 2;
    }

    // Numbers for the columns of categories, in two orders.
    void add_stand_ins() {
        const std::vector<double> u = numbers<double>(n * 4, 11);
        for (size_t i = 0; i < 4; ++i) add(200, false, false, u, i * static_cast<size_t>(n));
        problem.varying.resize(6);
        problem.stands_for = {3, 4}, problem.orders = 2;
    }
};

void check_forest_tree(const Tree &t, const Problem &p) {
    std::vector<int64_t> start(static_cast<size_t>(t.nodes()), 0);
    for (size_t i = 1; i < start.size(); ++i) start[i] = start[i - 1] + t.n_routes[i - 1];
    int64_t leaves = 0, held = 0;
    for (size_t i = 0; i < start.size(); ++i) {
        leaves += t.feature[i] < 0;
        held += t.leaf_rows[i];
        if (t.feature[i] < 0) continue;
        const size_t left = i + 1, right = static_cast<size_t>(t.right[i]);
        CHECK(right > left && right < start.size());
        CHECK(close(t.weight[i], t.weight[left] + t.weight[right], 1e-9));
        CHECK(t.weight[i] * t.impurity[i] >= t.weight[left] * t.impurity[left] + t.weight[right] * t.impurity[right] - 1e-6);
        CHECK(t.missing_weight[i] <= t.weight[i] + 1e-9);
    }
    CHECK(2 * leaves == t.nodes() + 1);
    CHECK(held == static_cast<int64_t>(t.drawn_rows.size()));
    size_t at = 0;  // rows lie in the leaves that walking leads them to
    for (int64_t i = 0; i < t.nodes(); ++i)
        for (int32_t r = 0; r < t.leaf_rows[static_cast<size_t>(i)]; ++r, ++at)
            CHECK(leaf_of(t, start, p, t.drawn_rows[at]) == i);
}

// Tree 3 and every other one search stand-ins of the second order, the others those of the first; their tests list the
// categories of their rows.
void check_stand_ins(const std::vector<Tree> &trees, const Problem &p) {
    int64_t tested = 0;
    for (size_t t = 0; t < trees.size(); ++t) {
        const Tree &tree = trees[t];
        std::set<int32_t> at_root;
        for (const uint32_t row : tree.drawn_rows) at_root.insert(p.columns[4].codes[row]);
        at_root.erase(p.columns[4].lost);
        size_t route = 0;
        for (size_t i = 0; i < tree.feature.size(); route += static_cast<size_t>(tree.n_routes[i++])) {
            const int32_t other = tree.feature[i] - 6;
            if (other < 0) continue;
            ++tested;
            CHECK(other / 2 == (t % 2 == 0 ? 1 : 0));
            CHECK(std::is_sorted(tree.route_codes.begin() + static_cast<int64_t>(route),
                                 tree.route_codes.begin() + static_cast<int64_t>(route) + tree.n_routes[i]));
            if (i == 0 && other % 2 == 1)
                CHECK(std::equal(at_root.begin(), at_root.end(), tree.route_codes.begin()) &&
                      tree.n_routes[i] == static_cast<int32_t>(at_root.size()));
        }
    }
    if (p.rows == 3000 && p.classes != 1 && !p.options.max_leaves) CHECK(tested > 0);  // of one class nothing is
}

void grow_and_check(ForestTable &table) {
    const Problem &p = table.problem;
    std::vector<int64_t> sums(static_cast<size_t>(p.rows * p.outputs())), first_sums;
    std::vector<int32_t> seen(static_cast<size_t>(p.rows));
    std::vector<Tree> before;
    for (int threads : {1, 3}) {
        thread_count() = threads;
        std::fill(sums.begin(), sums.end(), 0), std::fill(seen.begin(), seen.end(), 0);
        const OutOfBag out{sums.data(), seen.data(), 0.0, 0x1p-30, nullptr, 0};
        std::vector<Tree> trees = grow_forest(p, 3, 4, true, out);
        for (const Tree &t : trees) check_forest_tree(t, p);
        if (p.orders > 1) check_stand_ins(trees, p);
        for (size_t t = 0; t < before.size(); ++t) {
            CHECK(before[t].feature == trees[t].feature && before[t].value == trees[t].value);
            CHECK(before[t].routes == trees[t].routes && first_sums == sums);
        }
        before = std::move(trees), first_sums = sums;
    }
}

// What shrunk trees would say of a row of its own class is what trees grown so say.
void check_sums_of_shrinkages(ForestTable &table) {
    const Problem &p = table.problem;
    const double tried[] = {0, 0.5, 9};
    const size_t rows = static_cast<size_t>(p.rows), k = static_cast<size_t>(p.outputs());
    std::vector<int64_t> together(rows * 3);
    std::vector<int32_t> seen(rows);
    table.problem.options.shrinkage = 0;
    grow_forest(p, 0, 3, false, {together.data(), seen.data(), 0.0, 0x1p-30, tried, 3});
    for (size_t s = 0; s < 3; ++s) {
        std::vector<int64_t> alone(rows * k);
        std::vector<int32_t> again(rows);
        table.problem.options.shrinkage = tried[s];
        grow_forest(p, 0, 3, false, {alone.data(), again.data(), 0.0, 0x1p-30, nullptr, 0});
        CHECK(seen == again);
        for (size_t i = 0; i < rows; ++i)
            CHECK(std::abs(together[i * 3 + s] - alone[i * k + (p.classes ? static_cast<size_t>(table.label[i]) : 0)]) <= 6);
    }
}

// A root of 1 and 3 rows of two classes, a leaf of 2 rows of class 1 and a node of 1 and 1 above two pure leaves.
void shrink_by_hand() {
    Problem p;
    p.classes = 2;
    Tree t;
    t.feature = {0, -1, 0, -1, -1}, t.right = {2, -1, 4, -1, -1};
    t.weight = {4, 2, 2, 1, 1}, t.value = {1, 3, 0, 2, 1, 1, 1, 0, 0, 1};
    shrink(t, p, 4.0);  // half of the step from the root is taken, a third of that from the other node
    const double first[] = {0.25, 0.125, 0.375, 0.375 + 1.0 / 6, 0.375 - 1.0 / 6}, weight[] = {4, 2, 2, 1, 1};
    for (size_t i = 0; i < 5; ++i) {
        CHECK(close(t.value[2 * i], weight[i] * first[i], 1e-15));
        CHECK(close(t.value[2 * i + 1], weight[i] * (1 - first[i]), 1e-15));
    }
    p.classes = 0;
    t.value = {10, 12, 8, 7, 9};
    shrink(t, p, 4.0);
    const double number[] = {10, 11, 9, 9 - 1.0 / 3, 9 + 1.0 / 3};
    for (size_t i = 0; i < 5; ++i) CHECK(close(t.value[i], number[i], 1e-14));
}

void test_forest() {
    shrink_by_hand();
    for (int64_t rows : {1, 2, 40, 3000})
        for (int64_t classes : {0, 1, 2, 4})
            for (bool weighted : {false, true})
                for (bool random_cuts : {false, true}) {
                    if (weighted && rows == 1) continue;  // its one row weighs nothing
                    ForestTable table(rows, classes, weighted);
                    Options &o = table.problem.options;
                    o.random_cuts = random_cuts, o.bootstrap = !random_cuts, o.sorted_up_to = rows == 3000 ? 200 : 1024;
                    grow_and_check(table);
                    if (rows == 3000 || rows == 40) table.add_stand_ins(), grow_and_check(table);
                    o.max_leaves = 6, o.min_leaf = 3, o.max_depth = 4, o.rate = 0.4;
                    if (classes > 1) table.problem.class_factors = table.factors.data(), o.balance_drawn = weighted;
                    if (classes > 1 && random_cuts) o.criterion = Criterion::entropy;
                    o.shrinkage = 3;
                    grow_and_check(table);
                    check_sums_of_shrinkages(table);
                }
    const std::vector<double> edges{0.5, 1.5, 2.5}, cells{-1, 0.5, 0.6, nan, 2.5, 9, 1.5, 1.6, 2, 0};
    std::vector<uint16_t> codes(cells.size());
    encode_numbers(cells.data(), 1, 10, edges.data(), 3, uint16_t{4}, codes.data());
    CHECK((codes == std::vector<uint16_t>{0, 0, 1, 4, 2, 3, 1, 2, 2, 0}));
    const int64_t tree_start[] = {0, 3}, node_start[] = {0, 0, 2, 5};
    const int32_t ranks[] = {0, 1, 1, 2, 3}, leaves[] = {1, 2};
    const float shares[] = {0.5f, 0.5f, 0.25f, 0.25f, 0.5f};
    const double targets[] = {1, 2, 3, 4}, q[] = {0, 0.5, 1};
    double out[6];
    leaf_quantiles({tree_start, node_start, ranks, shares, targets}, leaves, 2, 1, q, 3, out);
    CHECK(out[0] == 1 && out[1] == 1 && out[2] == 2 && out[3] == 2 && out[4] == 3 && out[5] == 4);
}

}  // namespace learnt::test
