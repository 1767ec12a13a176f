// Every index against a plain loop over all rows.
#include "neighbors/brute.hpp"
#include "neighbors/kd_tree.hpp"
#include "neighbors/mixed.hpp"
#include "neighbors/precomputed.hpp"
#include "neighbors/sparse.hpp"
#include "neighbors/vp_tree.hpp"
#include "tests/check.hpp"

namespace learnt::test {

template <class Distance>
static std::vector<Neighbor> all_neighbors(int64_t n, Distance distance) {
    std::vector<Neighbor> all;
    for (int64_t i = 0; i < n; ++i) all.push_back({distance(i), i});
    std::sort(all.begin(), all.end());
    return all;
}

static bool same(const std::vector<Neighbor> &wanted, const double *distances, const int64_t *rows, size_t k) {
    for (size_t r = 0; r < k; ++r)
        if (distances[r] != wanted[r].distance || rows[r] != wanted[r].row) return false;
    return true;
}

template <class Real>
static double plain_distance(const Measure &m, const Real *x, const double *q, int64_t p) {
    double out;
    const int64_t row = 0;
    measure_rows(m, x, p, q, &row, 1, &out);
    return out;
}

template <class Real>
static void indexes_find_what_a_plain_loop_finds(Shape shape) {
    const int64_t n = shape.n, p = shape.p, m = 7;
    auto x = numbers<Real>(n * p, 3);
    for (auto &cell : x) cell = std::floor(cell * 5) + Real{1000};  // many ties, far from the origin
    auto queries = numbers<double>(m * p, 4);
    for (auto &cell : queries) cell = cell * 5 + 1000;
    const auto weights = numbers<double>(p, 5);
    const std::vector<double> shift(static_cast<size_t>(p), 1002.0), stretch(static_cast<size_t>(p), 0.25);
    const int64_t k = std::min<int64_t>(n, 40);
    std::vector<int64_t> skip(static_cast<size_t>(m), -1);
    skip[1] = k < n ? 0 : -1;
    const KdTree<Real> tree(x.data(), n, p, 8);
    for (Norm norm : {Norm::l1, Norm::l2, Norm::max, Norm::lp, Norm::hamming})
        for (const double *w : {static_cast<const double *>(nullptr), weights.data()}) {
            // Powers by products, and powers that are not whole.
            const double power = w ? 2.5 : 3.0;
            const Measure measure{norm, power, w, static_cast<double>(p), w ? 0 : 3};
            std::vector<double> widened(stretch);
            for (size_t j = 0; w && j < widened.size(); ++j)
                widened[j] *= norm == Norm::l2 ? std::sqrt(w[j]) : norm == Norm::lp ? std::pow(w[j], 1 / power) : norm == Norm::hamming ? 1.0 : w[j];
            const BruteRows<Real> in{x.data(), n, p, shift.data(), widened.data(), 0.25, 1.0, measure};
            std::vector<double> distances(static_cast<size_t>(m * k)), radius(static_cast<size_t>(m));
            std::vector<int64_t> rows(static_cast<size_t>(m * k));
            std::vector<std::vector<Neighbor>> found(static_cast<size_t>(m));
            const auto check = [&](auto nearest, auto within) {
                nearest(Answers{k, distances.data(), rows.data()});
                for (int64_t i = 0; i < m; ++i) {
                    auto wanted = all_neighbors(n, [&](int64_t r) { return plain_distance(measure, x.data() + r * p, queries.data() + i * p, p); });
                    std::erase_if(wanted, [&](Neighbor a) { return a.row == skip[static_cast<size_t>(i)]; });
                    CHECK(same(wanted, distances.data() + i * k, rows.data() + i * k, static_cast<size_t>(k)));
                    radius[static_cast<size_t>(i)] = wanted[wanted.size() / 2].distance;
                }
                within(Answers{radius.data(), &found});
                for (int64_t i = 0; i < m; ++i)
                    for (const Neighbor &a : found[static_cast<size_t>(i)]) CHECK(a.distance <= radius[static_cast<size_t>(i)]);
                for (int64_t i = 0; i < m; ++i) CHECK(static_cast<int64_t>(found[static_cast<size_t>(i)].size()) * 2 >= n - 2);
            };
            const auto brute = [&](auto answers) { brute_search(in, queries.data(), m, skip.data(), answers); };
            check(brute, brute);
            const auto walk = [&](auto answers) { kd_search(tree, measure, queries.data(), m, skip.data(), answers); };
            if (norm != Norm::hamming) check(walk, walk);
            const VpTree<Real> balls(measure, x.data(), n, p, 8);
            const auto inside = [&](auto answers) { vp_search(balls, queries.data(), m, skip.data(), answers); };
            check(inside, inside);
            std::vector<double> given;
            for (int64_t i = 0; i < m; ++i)
                for (int64_t r = 0; r < n; ++r) given.push_back(plain_distance(measure, x.data() + r * p, queries.data() + i * p, p));
            const auto pick = [&](auto answers) { given_search(given.data(), m, n, skip.data(), answers); };
            check(pick, pick);
        }
}

static void a_scan_of_mixed_cells_finds_what_a_plain_loop_finds(int64_t n) {
    constexpr int64_t m = 5;
    const double missing = std::numeric_limits<double>::quiet_NaN();
    auto cells = numbers<double>((n + m) * 2, 6), dice = numbers<double>((n + m) * 2, 7);
    std::vector<int32_t> codes;
    for (size_t i = 0; i < cells.size(); ++i) {
        codes.push_back(static_cast<int32_t>(dice[i] * 4) - 1);
        cells[i] = dice[i] < 0.1 ? missing : std::floor(cells[i] * 6);
    }
    const double table[] = {0, 0.5, 0.25, 0.5, 0, 1, 0.25, 1, 0};
    for (int power : {1, 2})
        for (bool tree : {false, true}) {
        const std::vector<MixedColumn> columns{{true, 0, 1.0, 0, nullptr, 0}, {false, 0, 2.0, 5.0, nullptr, 0},
                                               {true, 1, 0.5, 0, table, 3}, {false, 1, 1.0, 0.0, nullptr, 0}};
        const MixedRows rows_of{cells.data(), 2, codes.data(), 2, n, columns, power};
        const MixedScan scan(rows_of, {1, 2, 0, 3}, tree);
        const int64_t k = std::min<int64_t>(n, 9);
        std::vector<double> distances(static_cast<size_t>(m * k));
        std::vector<int64_t> rows(static_cast<size_t>(m * k));
        scan.search(cells.data() + 2 * n, codes.data() + 2 * n, m, nullptr, Answers{k, distances.data(), rows.data()});
        for (int64_t i = 0; i < m; ++i) {
            const MixedRow q{cells.data() + 2 * (n + i), codes.data() + 2 * (n + i)};
            const auto wanted = all_neighbors(n, [&](int64_t r) { return rows_of.distance(rows_of.row(r), q); });
            CHECK(same(wanted, distances.data() + i * k, rows.data() + i * k, static_cast<size_t>(k)));
        }
    }
}

// Sparse rows: the bits of the dense ones, whether a guess helps or not.
template <class Real>
static void sparse_rows_find_what_dense_ones_find(int64_t n, int64_t p, double offset) {
    constexpr int64_t m = 40;
    const auto draws = numbers<double>((n + m) * p, 9), weights = numbers<double>(p, 10);
    std::vector<Real> dense;
    for (double u : draws) dense.push_back(u < 0.3 ? static_cast<Real>(std::floor(u * 10) + offset) : Real{0});
    const auto packed = [p](auto first, auto last, auto &values, auto &columns, auto &starts) {
        starts.push_back(0);
        for (int64_t j = 0; first != last; ++first, j = (j + 1) % p) {
            if (*first != 0) values.push_back(*first), columns.push_back(static_cast<int32_t>(j));
            if (j == p - 1) starts.push_back(static_cast<int64_t>(values.size()));
        }
    };
    std::vector<Real> values;
    std::vector<double> asked, queries(dense.begin() + n * p, dense.end());
    std::vector<int32_t> columns, places;
    std::vector<int64_t> starts, ends;
    packed(dense.begin(), dense.begin() + n * p, values, columns, starts);
    packed(queries.begin(), queries.end(), asked, places, ends);
    const Csr<Real> x{values.data(), columns.data(), nullptr, starts.data(), n, p, static_cast<int64_t>(values.size())};
    const Csr<double> q{asked.data(), places.data(), nullptr, ends.data(), m, p, static_cast<int64_t>(asked.size())};
    const int64_t k = std::min<int64_t>(n, 9);
    for (const double *w : {static_cast<const double *>(nullptr), weights.data()}) {
        const Measure measure{Norm::l2, 2.0, w, static_cast<double>(p)};
        const IndexedCsr<Real> rows(x, w);
        std::vector<double> distances(static_cast<size_t>(m * k));
        std::vector<int64_t> found(static_cast<size_t>(m * k));
        sparse_search(rows, q, nullptr, Answers{k, distances.data(), found.data()});
        for (int64_t i = 0; i < m; ++i) {
            const auto wanted = all_neighbors(
                n, [&](int64_t r) { return plain_distance(measure, dense.data() + r * p, queries.data() + i * p, p); });
            CHECK(same(wanted, distances.data() + i * k, found.data() + i * k, static_cast<size_t>(k)));
        }
    }
}

// Few are kept in order, many are halved now and then: the same k either way, ties by row.
static void the_nearest_kept_are_the_first_when_sorted() {
    for (int64_t k : {0, 1, 31, 32, 33, 70})
        for (int64_t n : {0, 5, 33, 140, 1000}) {
            const auto draws = numbers<double>(n, 8);
            Keeper nearest = Keeper::nearest(k);
            for (int round = 0; round < 2; ++round) {
                nearest.clear();
                std::vector<Neighbor> all;
                for (int64_t i = n - 1; i >= 0; --i) {
                    all.push_back({std::floor(draws[static_cast<size_t>(i)] * 9), i});
                    if (all.back().distance <= nearest.limit()) nearest.show(all.back());
                }
                std::sort(all.begin(), all.end());
                const auto &kept = nearest.sorted();
                CHECK(static_cast<int64_t>(kept.size()) == std::min(k, n));
                for (size_t r = 0; r < kept.size(); ++r) CHECK(kept[r].distance == all[r].distance && kept[r].row == all[r].row);
            }
        }
}

void test_neighbors() {
    the_nearest_kept_are_the_first_when_sorted();
    everywhere([] {
        for (Shape shape : odd_shapes) {
            if (shape.n == 0) continue;
            indexes_find_what_a_plain_loop_finds<double>(shape);
            indexes_find_what_a_plain_loop_finds<float>(shape);
        }
        for (int64_t n : {1, 63, 64, 65, 500}) a_scan_of_mixed_cells_finds_what_a_plain_loop_finds(n);
        for (double offset : {0.0, 1e6}) {
            sparse_rows_find_what_dense_ones_find<double>(300, 17, offset);
            sparse_rows_find_what_dense_ones_find<float>(9, 3, offset);
        }
    });
}

}  // namespace learnt::test
