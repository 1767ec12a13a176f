// Passes of logistic regression against plain loops.
#include <cmath>

#include "linear/logistic.hpp"
#include "linear/quadratic.hpp"
#include "tests/check.hpp"

namespace learnt::test {

// Loss, and the gradient by intercepts, of rows with one score.
template <class Real>
static void one_score_is_that_of_a_plain_loop(Matrix<const Real> x, const double *weights) {
    const int64_t n = x.rows, p = x.columns;
    const std::vector<double> coef = numbers<double>(p, 3), shift = numbers<double>(p, 4);
    std::vector<int32_t> codes(static_cast<size_t>(n));
    for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<int32_t>(i % 3 == 1);
    const size_t size = static_cast<size_t>((p + 2) * (p + 2));
    std::vector<double> gram(size);
    double loss = 0, wanted = 0, by_intercept = 0;
    add_logistic_gram(x, codes.data(), weights, coef.data(), 0.25, shift.data(), gram.data(), &loss);
    for (int64_t i = 0; i < n; ++i) {
        double s = 0.25;
        for (int64_t j = 0; j < p; ++j) s += coef[static_cast<size_t>(j)] * static_cast<double>(x(i, j));
        const double w = weights ? weights[i] : 1.0, share = 1 / (1 + std::exp(-s));
        const bool second = codes[static_cast<size_t>(i)] == 1;
        wanted -= w * std::log(second ? share : 1 - share);
        by_intercept += w * ((second ? 1.0 : 0.0) - share);
    }
    CHECK(close(loss, wanted, 1e-11));
    CHECK(close(gram[static_cast<size_t>(p + 1)], by_intercept, 1e-10));

    std::vector<double> shares(static_cast<size_t>(n)), gradient(static_cast<size_t>(p)), base(1), along(static_cast<size_t>(p));
    const double intercept = 0.25;
    double again = 0;
    const LogisticRows rows{codes.data(), weights, n, 1};
    logistic_gradient(DenseScores<Real>{x, 1}, rows, coef.data(), &intercept, shares.data(), gradient.data(), base.data(),
                      &again);
    CHECK(close(again, wanted, 1e-11) && close(base[0], -by_intercept, 1e-10));
    double along0 = 0;
    logistic_curvature(DenseScores<Real>{x, 1}, rows, shares.data(), coef.data(), &intercept, along.data(), &along0);
    CHECK(std::isfinite(along0));
}

static void logistic_passes_are_those_of_plain_loops() {
    for (const int64_t n : {1, 7, 300, 2500})
        for (const int64_t p : {1, 6, 33}) {
            const std::vector<double> weights = numbers<double>(n, 2);
            for (const Layout layout : every_layout) {
                one_score_is_that_of_a_plain_loop<double>(make_table<double>(n, p, layout).view, weights.data());
                one_score_is_that_of_a_plain_loop<float>(make_table<float>(n, p, layout).view, nullptr);
            }
        }
}

static void sparse_rows_give_what_dense_ones_give() {
    const int64_t n = 500, p = 9, k = 3;
    std::vector<double> cells = numbers<double>(n * p, 1), value;
    std::vector<int32_t> column, offset{0}, codes;
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < p; ++j) {
            double &cell = cells[static_cast<size_t>(i * p + j)];
            if ((i + j) % 3) cell = 0;
            if (cell != 0) value.push_back(cell), column.push_back(static_cast<int32_t>(j));
        }
        offset.push_back(static_cast<int32_t>(value.size()));
        codes.push_back(static_cast<int32_t>(i % k));
    }
    const Csr<double> sparse{value.data(), column.data(), offset.data(), nullptr, n, p, static_cast<int64_t>(value.size())};
    const std::vector<double> coef = numbers<double>(k * p, 5), base = numbers<double>(k, 6);
    std::vector<double> turned(coef.size()), shares(static_cast<size_t>(k * n)), others(shares.size());
    for (int64_t c = 0; c < k; ++c)
        for (int64_t j = 0; j < p; ++j) turned[static_cast<size_t>(j * k + c)] = coef[static_cast<size_t>(c * p + j)];
    std::vector<double> gradient(coef.size()), gradient0(static_cast<size_t>(k)), by_column(coef.size()), by_column0(gradient0);
    double one = 0, other = 0;
    const LogisticRows rows{codes.data(), nullptr, n, k};
    logistic_gradient(DenseScores<double>{row_major<const double>(cells.data(), n, p), k}, rows, coef.data(), base.data(),
                      shares.data(), gradient.data(), gradient0.data(), &one);
    logistic_gradient(SparseScores<double>{sparse, k}, rows, turned.data(), base.data(), others.data(), by_column.data(),
                      by_column0.data(), &other);
    CHECK(close(one, other, 1e-12));
    for (int64_t c = 0; c < k; ++c)
        for (int64_t j = 0; j < p; ++j)
            CHECK(close(gradient[static_cast<size_t>(c * p + j)], by_column[static_cast<size_t>(j * k + c)], 1e-10));
}

static void a_penalty_larger_than_the_gradient_keeps_coordinates_at_zero() {
    const double curvature[] = {2, 1, 1, 2}, penalty[] = {5, 0.5};
    double point[] = {0, 0}, gradient[] = {1, -3};
    descend_quadratic(curvature, penalty, 2, 0.0, 100, point, gradient);
    CHECK(point[0] == 0 && close(point[1], 1.25, 1e-12));
}

void test_logistic() {
    everywhere([] {
        logistic_passes_are_those_of_plain_loops();
        sparse_rows_give_what_dense_ones_give();
    });
    a_penalty_larger_than_the_gradient_keeps_coordinates_at_zero();
}

}  // namespace learnt::test
