// Isolation trees: every sample is taken apart, paths and credits add up, and scoring does not leave its arrays.
#include <set>
#include <vector>

#include "novelty/isolation_growth.hpp"
#include "novelty/isolation_paths.hpp"
#include "novelty/row_keys.hpp"
#include "tests/check.hpp"

namespace learnt::test {

namespace {

struct Forest {
    std::vector<int64_t> starts{0};
    std::vector<int32_t> column, left;
    std::vector<double> threshold, rest;
    std::vector<uint8_t> missing;
};

Forest grow(const std::vector<double> &x, int64_t p, const std::vector<int32_t> &categories, int64_t trees, int64_t size) {
    std::vector<int32_t> rows;
    for (int64_t i = 0; i < trees * size; ++i) rows.push_back(static_cast<int32_t>(i % size));
    const auto room = static_cast<size_t>(trees * (2 * size - 1));
    std::vector<int32_t> column(room), left(room);
    std::vector<double> threshold(room), rest(room);
    std::vector<uint8_t> missing(room);
    std::vector<int64_t> used(static_cast<size_t>(trees));
    grow_isolation_trees({x.data(), p, categories.data(), rows.data(), nullptr, trees, size, 20, 5},
                         {column.data(), threshold.data(), left.data(), missing.data(), rest.data(), used.data()});
    Forest f;
    for (size_t t = 0; t < used.size(); ++t) {
        const size_t first = t * static_cast<size_t>(2 * size - 1);
        for (size_t v = first; v < first + static_cast<size_t>(used[t]); ++v) {
            f.column.push_back(column[v]), f.left.push_back(left[v]), f.threshold.push_back(threshold[v]);
            f.rest.push_back(rest[v]), f.missing.push_back(missing[v]);
        }
        f.starts.push_back(static_cast<int64_t>(f.column.size()));
    }
    return f;
}

IsolationTrees view(const Forest &f, const std::vector<int32_t> &categories) {
    return {static_cast<int64_t>(f.starts.size()) - 1, f.starts.data(),  f.column.data(), f.threshold.data(),
            f.left.data(), f.missing.data(), f.rest.data(), categories.data(), 5};
}

void rows_that_differ_have_leaves_of_their_own() {
    const int64_t n = 50, p = 3, trees = 4;
    std::vector<double> x = numbers<double>(n * p, 2);
    for (int64_t i = 0; i < n; ++i) x[static_cast<size_t>(i * p)] = static_cast<double>(i % 7);
    x[1] = std::numeric_limits<double>::quiet_NaN();
    const std::vector<int32_t> categories{7, 0, 0};
    everywhere([&] {
        const Forest f = grow(x, p, categories, trees, n);
        for (int64_t t = 0; t < trees; ++t) CHECK(f.starts[static_cast<size_t>(t + 1)] - f.starts[static_cast<size_t>(t)] == 2 * n - 1);
        std::vector<double> paths(static_cast<size_t>(n)), credits(static_cast<size_t>(n * p));
        add_isolation_paths(row_major<const double>(x.data(), n, p), view(f, categories), paths.data());
        add_isolation_credits(row_major<const double>(x.data(), n, p), view(f, categories), credits.data());
        for (int64_t i = 0; i < n; ++i) {
            double sum = paths[static_cast<size_t>(i)];
            for (int64_t j = 0; j < p; ++j) sum += credits[static_cast<size_t>(i * p + j)];
            CHECK(close(sum, static_cast<double>(trees) * average_path(n), 1e-10));
        }
    });
}

void tables_of_any_layout_are_scored_alike() {
    const std::vector<double> x = numbers<double>(300, 3);
    for (const Shape s : odd_shapes) {
        if (s.n == 0 || s.p > 100) continue;
        const std::vector<int32_t> categories(static_cast<size_t>(s.p), 0);
        const int64_t size = 300 / s.p;
        const Forest f = grow(x, s.p, categories, 3, size);
        for (const Layout layout : every_layout) {
            const auto t = make_table<float>(s.n, s.p, layout);
            std::vector<double> wanted;
            everywhere([&] {
                std::vector<double> paths(static_cast<size_t>(s.n));
                add_isolation_paths(t.view, view(f, categories), paths.data());
                if (wanted.empty()) wanted = paths;
                CHECK(paths == wanted);
            });
        }
    }
}

void keys_tell_rows_apart() {
    const auto t = make_table<double>(1000, 3, Layout::columns);
    std::vector<uint64_t> keys(1000, 7);
    mix_row_keys(t.view, keys.data());
    CHECK(std::set<uint64_t>(keys.begin(), keys.end()).size() == 1000);
}

}  // namespace

void test_isolation() {
    CHECK(average_path(1) == 0 && average_path(2) == 1);
    rows_that_differ_have_leaves_of_their_own();
    tables_of_any_layout_are_scored_alike();
    keys_tell_rows_apart();
}

}  // namespace learnt::test
