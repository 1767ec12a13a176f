// Moments by class and the evidence of bell curves against plain loops.
#include <limits>
#include <numbers>

#include "bayes/gaussian.hpp"
#include "table/moments_by_class.hpp"
#include "tests/check.hpp"

namespace learnt::test {

static std::vector<int32_t> classes_of(int64_t n, int32_t k) {
    std::vector<int32_t> codes(static_cast<size_t>(n));
    for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<int32_t>(i * i % 7 % static_cast<size_t>(k));
    return codes;
}

template <class Real>
static void moments_by_class_are_those_of_a_plain_loop(Matrix<const Real> x, const double *weights, int32_t k) {
    const std::vector<int32_t> codes = classes_of(x.rows, k);
    const size_t p = static_cast<size_t>(x.columns), size = static_cast<size_t>(k) * p;
    std::vector<double> weight(size), mean(size), deviation(size);
    std::vector<int64_t> infinite(p), wanted_infinite(p);
    std::vector<ColumnMoments> wanted(size);
    for (int twice = 0; twice < 2; ++twice) {  // outputs are updated, never cleared
        moments_by_class(x, codes.data(), weights, k, weight.data(), mean.data(), deviation.data(), infinite.data());
        for (int64_t i = 0; i < x.rows; ++i)
            for (size_t j = 0; j < p; ++j) {
                const double cell = x(i, static_cast<int64_t>(j));
                wanted_infinite[j] += std::isinf(cell);
                if (std::isfinite(cell))
                    wanted[static_cast<size_t>(codes[static_cast<size_t>(i)]) * p + j].add(
                        {weights ? weights[i] : 1.0, cell, 0, cell, cell, 0, 0});
            }
    }
    CHECK(infinite == wanted_infinite);
    for (size_t e = 0; e < size; ++e) {
        CHECK(close(weight[e], wanted[e].weight, 1e-12) && close(mean[e], wanted[e].mean, 1e-11));
        CHECK(close(deviation[e], wanted[e].deviation, 1e-9));
    }
}

template <class Real>
static void the_evidence_is_that_of_a_plain_loop(Matrix<const Real> x, int64_t k) {
    const std::vector<double> mean = numbers<double>(k * x.columns, 4);
    std::vector<double> variance = numbers<double>(k * x.columns, 5), out(static_cast<size_t>(k * x.rows), 1.0);
    for (double &v : variance) v += 0.1;
    gaussian_evidence(x, mean.data(), variance.data(), k, out.data());
    for (int64_t c = 0; c < k; ++c)
        for (int64_t i = 0; i < x.rows; ++i) {
            double sum = 1;
            for (int64_t j = 0; j < x.columns; ++j) {
                const size_t e = static_cast<size_t>(c * x.columns + j);
                const double d = x(i, j) - mean[e];
                if (!std::isnan(d)) sum -= 0.5 * (std::log(2 * std::numbers::pi * variance[e]) + d * d / variance[e]);
            }
            CHECK(close(out[static_cast<size_t>(c * x.rows + i)], sum, 1e-11));
        }
}

template <class Real>
static void test_type() {
    for (const auto [n, p] : odd_shapes)
        for (const Layout layout : every_layout) {
            const OwnedTable<Real> t = make_table<Real>(n, p, layout);
            const std::vector<double> weights = numbers<double>(n, 3);
            for (int round = 0; round < 2; ++round) {
                for (const int32_t k : {1, 3, 6}) {
                    moments_by_class_are_those_of_a_plain_loop(t.view, nullptr, k);
                    moments_by_class_are_those_of_a_plain_loop(t.view, weights.data(), k);
                    the_evidence_is_that_of_a_plain_loop(t.view, k);
                }
                if (n == 0) continue;
                const_cast<Real &>(t.view(n - 1, p - 1)) = std::numeric_limits<Real>::quiet_NaN();
                const_cast<Real &>(t.view(n / 2, 0)) = std::numeric_limits<Real>::quiet_NaN();
            }
        }
    const OwnedTable<Real> wide = make_table<Real>(40, 300, Layout::rows);
    moments_by_class_are_those_of_a_plain_loop<Real>(wide.view, nullptr, 2);
    const_cast<Real &>(wide.view(3, 299)) = -std::numeric_limits<Real>::infinity();
    moments_by_class_are_those_of_a_plain_loop<Real>(wide.view, nullptr, 2);
}

void test_bayes() {
    everywhere([] {
        test_type<float>();
        test_type<double>();
    });
}

}  // namespace learnt::test
