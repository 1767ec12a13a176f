// Moments, cross products, finiteness and linear predictions against plain loops.
#include <limits>

#include "table/finite.hpp"
#include "table/gram.hpp"
#include "table/linear.hpp"
#include "table/moments.hpp"
#include "tests/check.hpp"

namespace learnt::test {

template <class Real>
static void moments_are_those_of_a_plain_loop(Matrix<const Real> x, const double *weights) {
    const size_t p = static_cast<size_t>(x.columns);
    std::vector<double> weight(p), mean(p), deviation(p), low(p), high(p);
    std::vector<int64_t> missing(p), infinite(p);
    column_moments(x, weights, weight.data(), mean.data(), deviation.data(), low.data(), high.data(), missing.data(),
                   infinite.data());
    for (size_t j = 0; j < p; ++j) {
        ColumnMoments m;
        for (int64_t i = 0; i < x.rows; ++i) {
            const double cell = x(i, static_cast<int64_t>(j));
            if (std::isfinite(cell))
                m.add({weights ? weights[i] : 1.0, cell, 0, cell, cell, 0, 0});
            else
                ++(std::isnan(cell) ? m.missing : m.infinite);
        }
        CHECK(close(weight[j], m.weight, 1e-12) && close(mean[j], m.mean, 1e-12));
        CHECK(close(deviation[j], m.deviation, 1e-10));
        CHECK(missing[j] == m.missing && infinite[j] == m.infinite);
        CHECK(m.minimum <= m.maximum ? low[j] == m.minimum && high[j] == m.maximum : std::isnan(low[j]));
    }
}

template <class Real>
static void the_gram_is_that_of_a_plain_loop(Matrix<const Real> x, const double *y, const double *weights) {
    const int64_t p = x.columns, size = p + 2;
    const std::vector<double> shift = numbers<double>(p + 1, 5);
    std::vector<double> gram(static_cast<size_t>(size * size)), wanted = gram, z(static_cast<size_t>(size));
    add_gram(x, y, weights, shift.data(), gram.data());
    for (int64_t i = 0; i < x.rows; ++i) {
        z[0] = 1;
        for (int64_t j = 0; j < p; ++j) z[static_cast<size_t>(j + 1)] = x(i, j) - shift[static_cast<size_t>(j)];
        z[static_cast<size_t>(p + 1)] = y ? y[i] - shift[static_cast<size_t>(p)] : 0;
        for (size_t a = 0; a < z.size(); ++a)
            for (size_t b = 0; b < z.size(); ++b) wanted[a * z.size() + b] += (weights ? weights[i] : 1.0) * z[a] * z[b];
    }
    for (size_t e = 0; e < gram.size(); ++e) CHECK(close(gram[e], wanted[e], 1e-11));
}

template <class Real>
static void predictions_are_those_of_a_plain_loop(Matrix<const Real> x) {
    const std::vector<double> coef = numbers<double>(x.columns, 6);
    std::vector<double> out(static_cast<size_t>(x.rows));
    predict_linear(x, coef.data(), 0.5, out.data());
    for (int64_t i = 0; i < x.rows; ++i) {
        double sum = 0.5;
        for (int64_t j = 0; j < x.columns; ++j) sum += coef[static_cast<size_t>(j)] * static_cast<double>(x(i, j));
        CHECK(close(out[static_cast<size_t>(i)], sum, 1e-12));
    }
}

template <class Real>
static void bad_cells_are_found(const OwnedTable<Real> &t) {
    CHECK(all_finite(t.view) && first_nonfinite(t.view, false).row == -1);
    if (t.view.rows == 0) return;
    const Cell last{t.view.rows - 1, t.view.columns - 1};
    const_cast<Real &>(t.view(last.row, last.column)) = std::numeric_limits<Real>::quiet_NaN();
    CHECK(!all_finite(t.view));
    CHECK(first_nonfinite(t.view, false).column == last.column && first_nonfinite(t.view, true).row == -1);
    const std::vector<double> weights = numbers<double>(t.view.rows, 7);
    moments_are_those_of_a_plain_loop(t.view, weights.data());
}

template <class Real>
static void test_type() {
    for (const auto [n, p] : odd_shapes)
        for (const Layout layout : every_layout) {
            const OwnedTable<Real> t = make_table<Real>(n, p, layout);
            const std::vector<double> y = numbers<double>(n, 2), weights = numbers<double>(n, 3);
            moments_are_those_of_a_plain_loop(t.view, nullptr);
            moments_are_those_of_a_plain_loop(t.view, weights.data());
            the_gram_is_that_of_a_plain_loop(t.view, y.data(), weights.data());
            the_gram_is_that_of_a_plain_loop(t.view, nullptr, nullptr);
            predictions_are_those_of_a_plain_loop(t.view);
            bad_cells_are_found(t);
        }
    const OwnedTable<Real> wide = make_table<Real>(20, 517, Layout::rows);
    the_gram_is_that_of_a_plain_loop<Real>(wide.view, nullptr, nullptr);
    moments_are_those_of_a_plain_loop<Real>(wide.view, nullptr);
}

void test_tables() {
    everywhere([] {
        test_type<float>();
        test_type<double>();
    });
}

}  // namespace learnt::test
