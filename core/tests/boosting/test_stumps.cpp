// Rounds of stumps give the trees of one test, and their votes are those of the trees, under the sanitizers.
#include "boosting/stump_votes.hpp"
#include "boosting/stumps.hpp"
#include "tests/check.hpp"
#include "tree/build.hpp"

namespace learnt::test {

using namespace tree;

namespace {

struct StumpTable {
    std::vector<double> a;
    std::vector<float> b;
    std::vector<int32_t> town, label;
    Problem problem;

    StumpTable(int64_t n, int64_t classes) {
        const std::vector<double> u = numbers<double>(4 * n, 7);
        for (int64_t i = 0; i < n; ++i) {
            const double *const r = u.data() + 4 * i;
            a.push_back(i % 9 == 0 ? tree::nan : r[0]);
            b.push_back(i % 7 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(std::floor(5 * r[1])));
            town.push_back(i % 11 == 0 ? -1 : std::abs(static_cast<int32_t>(40 * r[2])) % 40);
            label.push_back(static_cast<int32_t>(std::abs(r[0] + r[3]) * 100) % static_cast<int32_t>(classes));
        }
        problem.rows = n, problem.classes = classes, problem.labels = label.data();
        problem.columns = {{Column::Cells::float64, a.data(), 1, 0},
                           {Column::Cells::float32, b.data(), 1, 0},
                           {Column::Cells::code, town.data(), 1, 40}};
        problem.options.nominal = Nominal::equals;
        problem.options.max_depth = 1;
        problem.options.min_samples_leaf = problem.options.min_samples_split = 0;
    }
};

void rounds_are_trees_of_one_test(int64_t n, int64_t classes) {
    StumpTable table(n, classes);
    StumpRounds rounds(table.problem);
    std::vector<uint8_t> side(static_cast<size_t>(n));
    for (uint64_t t = 0; t < 6; ++t) {
        std::vector<double> w = numbers<double>(n, 100 + t);
        for (double &x : w) x = std::abs(x) + 1e-3;
        const TreeArrays found = rounds.next(w.data(), side.data());
        Problem p = table.problem;
        p.weights = w.data();
        const TreeArrays grown = grow_tree(p);
        CHECK(found.feature == grown.feature && found.value == grown.value && found.routes == grown.routes);
        CHECK(found.missing == grown.missing && found.weight == grown.weight);
        double right = 0;
        for (int64_t i = 0; i < n; ++i) right += side[static_cast<size_t>(i)] * w[static_cast<size_t>(i)];
        CHECK(found.feature.size() == 1 ? right == 0 : close(right, found.weight[2], 1e-12));
    }
}

void votes_are_added_once_a_row(int64_t n) {
    StumpTable table(n, 2);
    const int32_t feature[] = {0, 1, 2}, missing[] = {0, 1, 1}, counts[] = {0, 0, 30}, answer[] = {0, 1, 1, 0, 2, 0};
    const double threshold[] = {0.1, 2.0, tree::nan}, amount[] = {1, 1, 1, 1, 1, 1};
    const int64_t start[] = {-1, -1, 0};
    std::vector<uint8_t> routes(30, 1);
    routes[3] = 0;
    const StumpTests tests{3, feature, threshold, missing, start, counts, routes.data()};
    std::vector<double> out(static_cast<size_t>(3 * n));
    add_stump_votes(tests, answer, amount, ColumnCells{table.problem.columns, n}, 3, out.data());
    for (int64_t i = 0; i < n; ++i) {
        const double *const at = out.data() + 3 * i;
        CHECK(at[0] + at[1] + at[2] == 3);
        CHECK((at[2] == 1) == (table.town[static_cast<size_t>(i)] == 3));
    }
}

}  // namespace

void test_stumps() {
    for (const int64_t n : {1, 2, 9, 300, 3000})
        for (const int64_t classes : {1, 2, 4}) rounds_are_trees_of_one_test(n, classes);
    for (const int64_t n : {0, 1, 255, 511, 512, 1000}) votes_are_added_once_a_row(n);
}

}  // namespace learnt::test
