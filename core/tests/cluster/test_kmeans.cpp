// Rounds by bounds against plain rounds, to the bit, and the exchange of single rows against plain loops.
#include "cluster/bounds.hpp"
#include "cluster/exchange.hpp"
#include "cluster/lloyd_csr.hpp"
#include "tests/check.hpp"

namespace learnt::test {

// Three rounds in which centres move; bounds must give the labels and sums of plain rounds.
template <class Real>
static void bounds_change_nothing(Matrix<const Real> x, int64_t k, int64_t group) {
    const int64_t p = x.columns, groups = (k + group - 1) / group;
    const auto n = static_cast<size_t>(x.rows);
    std::vector<Real> centers = numbers<Real>(k * p, 5), before = centers, upper(n), norms(n), lower(n * static_cast<size_t>(groups));
    std::vector<int32_t> order(static_cast<size_t>(k)), labels(n, 0), plain(n);
    std::vector<double> shift(static_cast<size_t>(p), 0.25);
    group_centers(centers.data(), k, p, group, order.data());
    for (int round = 0; round < 3; ++round) {
        const int64_t pairs = assign_bounded(x, centers.data(), round ? before.data() : nullptr, k, shift.data(), order.data(),
                                             group, labels.data(), upper.data(), lower.data(), norms.data());
        CHECK(pairs >= 0 && pairs <= x.rows * groups);
        std::vector<double> sums(static_cast<size_t>(k * p)), weight(static_cast<size_t>(k)), sums2 = sums, weight2 = weight;
        const double wanted = assign_and_sum(x, nullptr, centers.data(), k, shift.data(), plain.data(), sums.data(), weight.data());
        const double found = sum_labelled(x, nullptr, centers.data(), k, labels.data(), sums2.data(), weight2.data());
        CHECK(labels == plain && sums == sums2 && weight == weight2 && wanted == found);
        before = centers;
        for (int64_t c = 0; c < k; ++c)
            for (int64_t j = 0; j < p; ++j) {
                const auto at = static_cast<size_t>(c * p + j);
                if (weight[static_cast<size_t>(c)] > 0) centers[at] = static_cast<Real>(sums[at] / weight[static_cast<size_t>(c)]);
            }
    }
}

template <class Real>
static double inertia_of(Matrix<const Real> x, const std::vector<int32_t> &labels, int64_t k) {
    const int64_t p = x.columns;
    std::vector<double> mean(static_cast<size_t>(k * p)), weight(static_cast<size_t>(k));
    for (int64_t i = 0; i < x.rows; ++i) {
        const auto c = static_cast<size_t>(labels[static_cast<size_t>(i)]);
        weight[c] += 1;
        for (int64_t j = 0; j < p; ++j) mean[c * static_cast<size_t>(p) + static_cast<size_t>(j)] += static_cast<double>(x(i, j));
    }
    double total = 0;
    for (int64_t i = 0; i < x.rows; ++i) {
        const auto c = static_cast<size_t>(labels[static_cast<size_t>(i)]);
        for (int64_t j = 0; j < p; ++j) {
            const double d = static_cast<double>(x(i, j)) - mean[c * static_cast<size_t>(p) + static_cast<size_t>(j)] / weight[c];
            total += d * d;
        }
    }
    return total;
}

// Sweeps until nothing moves: the inertia falls with each, and no single move of a plain loop lowers it further.
template <class Real, class Rows>
static void exchange_ends_where_no_move_helps(const Rows &rows, Matrix<const Real> x, int64_t k) {
    const int64_t p = x.columns;
    std::vector<int32_t> labels(static_cast<size_t>(x.rows));
    for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int32_t>(static_cast<int64_t>(i) % k);
    double last = inertia_of(x, labels, k);
    for (int sweep = 0; sweep < 200; ++sweep) {
        std::vector<double> sums(static_cast<size_t>(k * p)), weight(static_cast<size_t>(k));
        for (int64_t i = 0; i < x.rows; ++i) {
            const auto c = static_cast<size_t>(labels[static_cast<size_t>(i)]);
            weight[c] += 1;
            for (int64_t j = 0; j < p; ++j) sums[c * static_cast<size_t>(p) + static_cast<size_t>(j)] += static_cast<double>(x(i, j));
        }
        const int64_t moves = exchange_rows(rows, nullptr, sums.data(), weight.data(), k, labels.data());
        const double now = inertia_of(x, labels, k);
        CHECK(now <= last * (1 + 1e-9));
        last = now;
        if (moves == 0) break;
        CHECK(sweep < 199);
    }
    for (size_t i = 0; i < labels.size(); i += 7)
        for (int32_t c = 0; c < k; ++c) {
            std::vector<int32_t> other = labels;
            if (std::count(labels.begin(), labels.end(), labels[i]) < 2) continue;
            other[i] = c;
            CHECK(inertia_of(x, other, k) >= last * (1 - 1e-8));
        }
}

// So many columns that clusters are summed one by one: every stored cell is in the sums of its row's cluster.
template <class Real>
static void wide_sparse_rows_are_summed_by_cluster() {
    const int64_t n = 2100, p = 200'000, k = 3;
    CHECK(!sums_fit_blocks(n, k, p));
    std::vector<Real> value, centers(static_cast<size_t>(k * p));
    std::vector<int32_t> column, offset{0}, labels(static_cast<size_t>(n));
    for (int32_t i = 0; i < n; ++i) {
        value.insert(value.end(), {Real(1), Real(2)});
        column.insert(column.end(), {i % 3, static_cast<int32_t>(p - 1 - i)});
        offset.push_back(2 * (i + 1));
    }
    for (int64_t c = 0; c < k; ++c) centers[static_cast<size_t>(c * p + c)] = 1;
    const Csr<Real> x{value.data(), column.data(), offset.data(), nullptr, n, p, 2 * n};
    std::vector<double> sums(static_cast<size_t>(k * p)), weight(static_cast<size_t>(k));
    const double inertia = assign_and_sum(x, nullptr, centers.data(), k, labels.data(), sums.data(), weight.data());
    CHECK(close(inertia, 4.0 * n, 1e-12));
    for (int32_t i = 0; i < n; ++i) {
        CHECK(labels[static_cast<size_t>(i)] == i % 3);
        CHECK(sums[static_cast<size_t>((i % 3) * p + p - 1 - i)] == 2);
    }
    for (int64_t c = 0; c < k; ++c) CHECK(weight[static_cast<size_t>(c)] == n / 3 && sums[static_cast<size_t>(c * p + c)] == n / 3);
    std::vector<double> nearest(static_cast<size_t>(n), 100.0), potentials(static_cast<size_t>(k));
    update_nearest(x, nullptr, centers.data(), k, nearest.data(), potentials.data());
    for (const double sum : potentials) CHECK(close(sum, n / 3 * 4.0 + 2.0 * n / 3 * 6.0, 1e-12));
}

template <class Real>
static void test_kmeans_of() {
    for (const Shape shape : odd_shapes)
        for (const Layout layout : every_layout)
            for (const int64_t k : {1, 2, 7, 23}) {
                const auto t = make_table<Real>(shape.n, shape.p, layout);
                for (const int64_t group : {1, 5, 48}) bounds_change_nothing(t.view, k, group);
            }
    const auto t = make_table<Real>(90, 5, Layout::rows);
    exchange_ends_where_no_move_helps(t.view, t.view, 6);
    std::vector<Real> value(t.cells);
    std::vector<int32_t> column, offset{0};
    for (int64_t i = 0; i < 90; ++i) {
        for (int32_t j = 0; j < 5; ++j) column.push_back(j);
        offset.push_back(offset.back() + 5);
    }
    const Csr<Real> csr{value.data(), column.data(), offset.data(), nullptr, 90, 5, 450};
    exchange_ends_where_no_move_helps(csr, t.view, 6);
}

void test_kmeans() {
    everywhere([] {
        test_kmeans_of<double>();
        test_kmeans_of<float>();
        wide_sparse_rows_are_summed_by_cluster<double>();
        wide_sparse_rows_are_summed_by_cluster<float>();
    });
}

}  // namespace learnt::test
