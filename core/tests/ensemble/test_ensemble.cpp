// Packed forests find the leaves that trees walked one by one find; attributions are those of all subsets.
#include "tests/check.hpp"
#include "tree/shap.hpp"

namespace learnt::test {

using ensemble::ForestView;

// A forest of random trees over columns that alternate between numbers and `categories` categories.
struct RandomForest {
    int64_t columns;
    std::vector<int64_t> tree_start{0}, route_start;
    std::vector<int32_t> feature, right, n_routes, route_codes, routes, otherwise, missing, n_categories;
    std::vector<double> threshold, weight, value;
    std::vector<double> draws;
    size_t drawn = 0;

    double draw() { return draws[drawn++ % draws.size()]; }
    int32_t draw(int32_t below) { return static_cast<int32_t>(draw() * below); }

    RandomForest(int64_t trees, int64_t p, int32_t categories, int leaves, uint64_t seed)
        : columns(p), draws(numbers<double>(4099, seed)) {
        for (int64_t j = 0; j < p; ++j) n_categories.push_back(j % 2 ? categories : 0);
        for (int64_t t = 0; t < trees; ++t) {
            grow(static_cast<int64_t>(feature.size()), leaves);
            tree_start.push_back(static_cast<int64_t>(feature.size()));
        }
    }

    // A subtree of so many leaves; returns its weight.
    double grow(int64_t first, int leaves) {
        const size_t i = feature.size();
        const int32_t j = leaves == 1 ? -1 : draw(static_cast<int32_t>(columns));
        const bool nominal = j >= 0 && n_categories[static_cast<size_t>(j)] > 0;
        feature.push_back(j), right.push_back(-1);
        value.push_back(draw() - 0.5), weight.push_back(draw() < 0.1 ? 0 : draw());
        threshold.push_back(j >= 0 && !nominal ? draw() : tree::nan), missing.push_back(j < 0 ? -1 : draw(2));
        route_start.push_back(nominal ? static_cast<int64_t>(routes.size()) : -1);
        otherwise.push_back(nominal ? draw(3) - 1 : -1);
        int32_t count = 0;
        for (int32_t code = 0; nominal && code < n_categories[static_cast<size_t>(j)]; ++code)
            if (draw() < 0.5) route_codes.push_back(code), routes.push_back(draw(3) - 1), ++count;
        n_routes.push_back(count);
        if (leaves == 1) return weight[i];
        const int left = 1 + draw(leaves - 1);
        double below = grow(first, left);
        right[i] = static_cast<int32_t>(static_cast<int64_t>(feature.size()) - first);
        below += grow(first, leaves - left);
        return weight[i] = below;
    }

    ForestView view() const {
        ForestView f{};
        f.trees = static_cast<int64_t>(tree_start.size()) - 1, f.columns = columns;
        f.tree_start = tree_start.data(), f.route_start = route_start.data(), f.feature = feature.data();
        f.right = right.data(), f.n_routes = n_routes.data(), f.route_codes = route_codes.data();
        f.routes = routes.data(), f.otherwise = otherwise.data(), f.missing = missing.data();
        f.n_categories = n_categories.data(), f.threshold = threshold.data();
        return f;
    }
};

// Columns of numbers in [0, 1) and of codes, some of them missing.
template <class Real>
struct MixedRows {
    std::vector<std::vector<Real>> cells;
    std::vector<std::vector<int32_t>> codes;
    std::vector<tree::Column> columns;

    MixedRows(const RandomForest &forest, int64_t n) {
        const auto u = test::numbers<double>(2 * n * forest.columns, 77);
        const auto kind = sizeof(Real) == 4 ? tree::Column::Cells::float32 : tree::Column::Cells::float64;
        for (int64_t j = 0; j < forest.columns; ++j) {
            cells.emplace_back(), codes.emplace_back();
            const int32_t k = forest.n_categories[static_cast<size_t>(j)];
            for (int64_t i = 0; i < n; ++i) {
                const size_t at = static_cast<size_t>(2 * (j * n + i));
                const bool lost = u[at + 1] < 0.1;
                if (k)
                    codes.back().push_back(lost ? -1 : static_cast<int32_t>(u[at] * k));
                else
                    cells.back().push_back(lost ? std::numeric_limits<Real>::quiet_NaN() : static_cast<Real>(u[at]));
            }
        }
        for (int64_t j = 0; j < forest.columns; ++j) {
            const int32_t k = forest.n_categories[static_cast<size_t>(j)];
            const size_t at = static_cast<size_t>(j);
            columns.push_back(k ? tree::Column{tree::Column::Cells::code, codes[at].data(), 1, k}
                                : tree::Column{kind, cells[at].data(), 1, 0});
        }
    }

    // Whether row i goes right at a node, by the book.
    bool right(const ForestView &f, int64_t node, int64_t i) const {
        const tree::Column &column = columns[static_cast<size_t>(f.feature[node])];
        if (f.nominal(node)) return f.goes_right(node, column.code(i));
        const double cell = column.number(i);
        return std::isnan(cell) ? f.missing[node] == 1 : cell > f.threshold[node];
    }
    int32_t leaf(const ForestView &f, int64_t t, int64_t i) const {
        int32_t node = 0;
        while (!f.leaf(f.tree_start[t] + node))
            node = right(f, f.tree_start[t] + node, i) ? f.right[f.tree_start[t] + node] : node + 1;
        return node;
    }
};

template <class Real>
static void leaves_are_found(int64_t n, int leaves, int32_t categories) {
    const RandomForest forest(3, 4, categories, leaves, static_cast<uint64_t>(leaves + n));
    const ForestView f = forest.view();
    CHECK(ensemble::find_misplaced(f.trees, f.tree_start, f.right) == -1);
    const MixedRows<Real> rows(forest, n);
    const ensemble::PackedForest<Real> packed(f);
    std::vector<double> answers;
    for (size_t i = 0; i < forest.feature.size(); ++i)
        if (forest.feature[i] < 0) answers.push_back(forest.value[i]);
    everywhere([&] {
        const ensemble::ColumnRows x{rows.columns, n};
        std::vector<int32_t> found(static_cast<size_t>(3 * n));
        find_leaf_nodes(packed, x, {0, 3}, found.data());
        std::vector<double> sums(static_cast<size_t>(n), 1.0), expected(static_cast<size_t>(n), 1.0);
        add_answers(packed, x, {0, 3}, answers.data(), 1, 1, sums.data());
        for (int64_t i = 0; i < n; ++i)
            for (int64_t t = 0; t < 3; ++t) {
                const int32_t leaf = rows.leaf(f, t, i);
                CHECK(found[static_cast<size_t>(3 * i + t)] == leaf);
                expected[static_cast<size_t>(i)] += forest.value[static_cast<size_t>(f.tree_start[t] + leaf)];
            }
        CHECK(sums == expected);
    });
}

// A matrix of numbers alone, in any layout.
template <class Real>
static void matrices_lie_in_memory_in_any_way() {
    const RandomForest forest(4, 3, 0, 30, 5);
    const ensemble::PackedForest<Real> packed(forest.view());
    for (const Layout layout : every_layout)
        for (const int64_t n : {1, 8, 70, 200}) {
            const auto table = make_table<Real>(n, 3, layout);
            std::vector<int32_t> found(static_cast<size_t>(4 * n));
            find_leaf_nodes(packed, ensemble::MatrixRows<Real>{table.view}, {0, 4}, found.data());
            for (int64_t i = 0; i < n; ++i)
                for (int64_t t = 0; t < 4; ++t) {
                    int32_t node = 0;
                    const int64_t start = forest.tree_start[static_cast<size_t>(t)];
                    for (size_t at; forest.feature[at = static_cast<size_t>(start + node)] >= 0;)
                        node = table.view(i, forest.feature[at]) > forest.threshold[at] ? forest.right[at] : node + 1;
                    CHECK(found[static_cast<size_t>(4 * i + t)] == node);
                }
        }
}

static void nodes_out_of_order_are_noticed() {
    const int64_t start[] = {0, 5};
    const auto wrong = [&](std::vector<int32_t> right) { return ensemble::find_misplaced(1, start, right.data()) >= 0; };
    CHECK(!wrong({2, -1, 4, -1, -1}));
    CHECK(!wrong({4, 3, -1, -1, -1}));
    CHECK(wrong({3, -1, 4, -1, -1}));
    CHECK(wrong({2, -1, 9, -1, -1}));
    CHECK(wrong({2, -1, 3, -1, -1}));
    CHECK(wrong({-1, -1, -1, -1, -1}));
    CHECK(wrong({1, -1, 4, -1, -1}));
    CHECK(wrong({2, -1, 4, -1, 5}));
    CHECK(wrong({2, -1, 4, -1, -2}));
}

// Shapley values over all subsets of the columns.
struct Subsets {
    const ForestView &f;
    const RandomForest &forest;
    const MixedRows<double> &rows;

    double answer(int64_t t, int32_t node, int64_t i, uint32_t known) const {
        const int64_t at = f.tree_start[t] + node;
        if (f.leaf(at)) return forest.value[static_cast<size_t>(at)];
        const int32_t to[] = {node + 1, f.right[at]};
        if (known >> f.feature[at] & 1) return answer(t, to[rows.right(f, at, i)], i, known);
        const double left = forest.weight[static_cast<size_t>(f.tree_start[t] + to[0])];
        const double right = forest.weight[static_cast<size_t>(f.tree_start[t] + to[1])];
        const double share = left + right > 0 ? left / (left + right) : 0.5;
        return share * answer(t, to[0], i, known) + (1 - share) * answer(t, to[1], i, known);
    }

    double part(int64_t t, int64_t i, int64_t j) const {
        const auto factorial = [](int64_t n) { return std::tgamma(static_cast<double>(n) + 1); };
        const int64_t p = forest.columns;
        double sum = 0;
        for (uint32_t known = 0; known < 1u << p; ++known) {
            if (known >> j & 1) continue;
            const int64_t size = std::popcount(known);
            sum += factorial(size) * factorial(p - size - 1) / factorial(p) *
                   (answer(t, 0, i, known | 1u << j) - answer(t, 0, i, known));
        }
        return sum;
    }
};

static void attributions_are_those_of_all_subsets(int leaves) {
    const int64_t n = 21, p = 4, trees = 3;
    const RandomForest forest(trees, p, 5, leaves, static_cast<uint64_t>(leaves));
    const ForestView f = forest.view();
    const MixedRows<double> rows(forest, n);
    std::vector<tree::TreeView> views;
    std::vector<int64_t> place, child_start;
    std::vector<int32_t> children, n_children;
    for (int64_t t = 0; t < trees; ++t)
        for (int64_t i = f.tree_start[t]; i < f.tree_start[t + 1]; ++i) {
            const int32_t categories = f.leaf(i) ? 0 : f.n_categories[f.feature[i]];
            place.push_back(tree::route_place(f.route_start[i], f.n_routes[i], categories));
            child_start.push_back(2 * i), n_children.push_back(f.leaf(i) ? 0 : 2);
            children.push_back(static_cast<int32_t>(i - f.tree_start[t]) + 1), children.push_back(f.right[i]);
        }
    for (int64_t t = 0; t < trees; ++t) {
        const int64_t at = f.tree_start[t];
        views.push_back({f.tree_start[t + 1] - at, 1, f.feature + at, n_children.data() + at, children.data() + 2 * at,
                         f.n_routes + at, f.route_codes, f.routes, f.otherwise + at, f.missing + at, child_start.data(),
                         place.data() + at, f.threshold + at, forest.weight.data() + at, forest.value.data() + at});
    }
    const ensemble::ShapForest shap{views, ensemble::ShapColumns(views, f.n_categories, p), p, 1};
    double mean = 0;
    for (const tree::TreeView &view : views) ensemble::add_expected(view, &mean);
    everywhere([&] {
        std::vector<double> found(static_cast<size_t>(n * p), 0.0), pairs(static_cast<size_t>(n * p * p), 0.0);
        add_shap(shap, ensemble::ColumnRows{rows.columns, n}, false, found.data());
        add_shap(shap, ensemble::ColumnRows{rows.columns, n}, true, pairs.data());
        const Subsets subsets{f, forest, rows};
        for (int64_t i = 0; i < n; ++i) {
            double whole = mean, answer = 0;
            for (int64_t j = 0; j < p; ++j) {
                double part = 0;
                for (int64_t t = 0; t < trees; ++t) part += subsets.part(t, i, j);
                CHECK(close(found[static_cast<size_t>(i * p + j)], part, 1e-12));
                whole += found[static_cast<size_t>(i * p + j)];
                const double *const of_row = pairs.data() + i * p * p;
                for (int64_t k = 0; k < p; ++k) CHECK(of_row[j * p + k] == of_row[k * p + j]);
            }
            for (int64_t t = 0; t < trees; ++t)
                answer += forest.value[static_cast<size_t>(f.tree_start[t] + rows.leaf(f, t, i))];
            CHECK(close(whole, answer, 1e-12));
        }
    });
}

static void gauss_points_integrate_polynomials() {
    for (int64_t n = 1; n <= 40; ++n) {
        std::vector<double> point, weight;
        ensemble::gauss_rule(n, point, weight);
        for (int64_t degree = 0; degree < 2 * n; ++degree) {
            double sum = 0;
            for (size_t i = 0; i < point.size(); ++i) sum += weight[i] * std::pow(point[i], static_cast<double>(degree));
            CHECK(close(sum, 1 / static_cast<double>(degree + 1), 1e-14));
        }
    }
}

void test_ensemble() {
    for (const int64_t n : {1, 7, 9, 64, 65, 600})
        for (const int leaves : {1, 2, 63, 64, 65, 300})
            for (const int32_t categories : {0, 3, 700}) {
                leaves_are_found<float>(n, leaves, categories);
                leaves_are_found<double>(n, leaves, categories);
            }
    matrices_lie_in_memory_in_any_way<float>(), matrices_lie_in_memory_in_any_way<double>();
    nodes_out_of_order_are_noticed();
    gauss_points_integrate_polynomials();
    for (const int leaves : {1, 2, 6, 20}) attributions_are_those_of_all_subsets(leaves);
}

}  // namespace learnt::test
