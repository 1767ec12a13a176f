// Everything between rows and centres, dense and sparse, against plain loops.
#include "cluster/lloyd_csr.hpp"
#include "distance/rows_to_centers.hpp"
#include "tests/check.hpp"

namespace learnt::test {

template <class Real>
static double square(Matrix<const Real> x, int64_t i, const Real *center) {
    double sum = 0;
    for (int64_t j = 0; j < x.columns; ++j) {
        const double d = static_cast<double>(x(i, j)) - static_cast<double>(center[j]);
        sum += d * d;
    }
    return sum;
}

// The rows of x as a sparse matrix that stores every second cell, and the same dense.
template <class Real>
struct HalfStored {
    std::vector<Real> value, dense;
    std::vector<int32_t> column;
    std::vector<int64_t> offset{0};
    Csr<Real> csr;
    Matrix<const Real> view;

    explicit HalfStored(Matrix<const Real> x) : dense(static_cast<size_t>(x.rows * x.columns)) {
        for (int64_t i = 0; i < x.rows; ++i) {
            for (int64_t j = i % 2; j < x.columns; j += 2) {
                value.push_back(x(i, j));
                column.push_back(static_cast<int32_t>(j));
                dense[static_cast<size_t>(i * x.columns + j)] = x(i, j);
            }
            offset.push_back(static_cast<int64_t>(value.size()));
        }
        csr = {value.data(), column.data(), nullptr, offset.data(), x.rows, x.columns, static_cast<int64_t>(value.size())};
        view = row_major<const Real>(dense.data(), x.rows, x.columns);
    }
};

// `rows` is x itself or its sparse form.
template <class Real, class Rows>
static void clusters_are_those_of_a_plain_loop(const Rows &rows, Matrix<const Real> x, const std::vector<Real> &centers,
                                               int64_t k, const double *weights) {
    const int64_t p = x.columns;
    std::vector<int32_t> labels(static_cast<size_t>(x.rows), -1);
    std::vector<double> sums(static_cast<size_t>(k * p)), wanted = sums, weight(static_cast<size_t>(k)), shift(static_cast<size_t>(p), 0.5);
    double inertia, expected = 0;
    if constexpr (std::is_same_v<Rows, Csr<Real>>)
        inertia = assign_and_sum(rows, weights, centers.data(), k, labels.data(), sums.data(), weight.data());
    else
        inertia = assign_and_sum(rows, weights, centers.data(), k, shift.data(), labels.data(), sums.data(), weight.data());
    double total = 0;
    for (int64_t i = 0; i < x.rows; ++i) {
        const int32_t label = labels[static_cast<size_t>(i)];
        CHECK(label >= 0 && label < k);
        const double own = square(x, i, centers.data() + label * p), w = weights ? weights[i] : 1.0;
        for (int64_t c = 0; c < k; ++c) CHECK(own <= square(x, i, centers.data() + c * p) + 1e-4);
        for (int64_t j = 0; j < p; ++j) wanted[static_cast<size_t>(label * p + j)] += w * x(i, j);
        expected += w * own;
        total += w;
    }
    CHECK(close(inertia, expected, 1e-10));
    for (size_t e = 0; e < sums.size(); ++e) CHECK(close(sums[e], wanted[e], 1e-10));
    for (const double w : weight) total -= w;
    CHECK(close(total, 0, 1e-9));

    if (x.rows == 0) return;
    std::vector<int64_t> far(1);
    std::vector<double> distance(1);
    farthest_rows(rows, centers.data(), k, labels.data(), 1, far.data(), distance.data());
    for (int64_t i = 0; i < x.rows; ++i) {
        const double own = square(x, i, centers.data() + labels[static_cast<size_t>(i)] * p);
        CHECK(own <= distance[0] + 1e-9);
    }
}

template <class Real, class Rows>
static void distances_are_those_of_a_plain_loop(const Rows &rows, Matrix<const Real> x, const std::vector<Real> &centers,
                                                int64_t k, const double *weights) {
    const int64_t p = x.columns;
    std::vector<double> out(static_cast<size_t>(x.rows * k)), potentials(static_cast<size_t>(k)), wanted = potentials;
    std::vector<double> nearest(static_cast<size_t>(x.rows), 0.7);
    distances_to_centers(rows, centers.data(), k, out.data());
    update_nearest(rows, weights, centers.data(), k, nearest.data(), potentials.data());
    for (int64_t i = 0; i < x.rows; ++i)
        for (int64_t c = 0; c < k; ++c) {
            const double d = square(x, i, centers.data() + c * p);
            CHECK(close(out[static_cast<size_t>(i * k + c)], std::sqrt(d), 1e-11));
            wanted[static_cast<size_t>(c)] += (weights ? weights[i] : 1.0) * std::min(0.7, d);
        }
    for (size_t c = 0; c < wanted.size(); ++c) CHECK(close(potentials[c], wanted[c], 1e-5));
    lower_nearest(rows, centers.data(), nearest.data());
    for (int64_t i = 0; i < x.rows; ++i)
        CHECK(close(nearest[static_cast<size_t>(i)], std::min(0.7, square(x, i, centers.data())), 1e-5));
}

template <class Real>
static void test_type() {
    for (const auto [n, p] : odd_shapes)
        for (const Layout layout : every_layout)
            for (const int64_t k : {1, 3, 11, 29}) {
                const OwnedTable<Real> t = make_table<Real>(n, p, layout);
                const HalfStored<Real> half(t.view);
                const std::vector<Real> centers = numbers<Real>(k * p, 9);
                const std::vector<double> weights = numbers<double>(n, 3);
                clusters_are_those_of_a_plain_loop(t.view, t.view, centers, k, weights.data());
                clusters_are_those_of_a_plain_loop(half.csr, half.view, centers, k, nullptr);
                distances_are_those_of_a_plain_loop(t.view, t.view, centers, k, nullptr);
                distances_are_those_of_a_plain_loop(half.csr, half.view, centers, k, weights.data());
            }
}

static void picks_are_those_of_a_plain_loop() {
    for (const int64_t n : {1, 5, 9000}) {
        const std::vector<double> values(static_cast<size_t>(n), 1.0);
        std::vector<double> targets;
        for (int64_t i = 0; i < n; i += 7) targets.push_back(static_cast<double>(i) + 0.5);
        std::vector<int64_t> out(targets.size());
        weighted_pick(values.data(), nullptr, n, targets.data(), static_cast<int64_t>(targets.size()), out.data());
        for (size_t t = 0; t < out.size(); ++t) CHECK(out[t] == static_cast<int64_t>(t) * 7);
    }
}

void test_centers() {
    everywhere([] {
        test_type<float>();
        test_type<double>();
        picks_are_those_of_a_plain_loop();
    });
}

}  // namespace learnt::test
