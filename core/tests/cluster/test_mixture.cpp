// Rounds of EM against plain loops.
#include <limits>
#include <numbers>

#include "cluster/mixture/columns.hpp"
#include "tests/check.hpp"

namespace learnt::test {

struct PlainRow {
    std::vector<double> share;
    double log_p;
};

static PlainRow shared_out(const std::vector<double> &l) {
    double most = l[0], sum = 0;
    for (double v : l) most = std::max(most, v);
    for (double v : l) sum += std::exp(v - most);
    PlainRow row{{}, most + std::log(sum)};
    for (double v : l) row.share.push_back(std::exp(v - row.log_p));
    return row;
}

template <class Real>
static void full_rounds_are_those_of_a_plain_loop(Matrix<const Real> x, const double *weights, int64_t k, int64_t g) {
    const int64_t p = x.columns, n = x.rows, size = (p + 1) * (p + 1);
    const std::vector<double> mean = numbers<double>(k * p, 4), roots = numbers<double>(g * p * p, 5);
    const std::vector<double> offset = numbers<double>(k, 6), shift = numbers<double>(p, 7);
    std::vector<double> scale = numbers<double>(p, 8), sums(static_cast<size_t>(k * size), 1.0), wanted = sums;
    for (double &s : scale) s += 0.5;
    std::vector<double> log_density(static_cast<size_t>(n)), shares(static_cast<size_t>(n * k));
    std::vector<int32_t> labels(static_cast<size_t>(n));
    const MixtureInput<Real> in{x, weights, shift.data(), scale.data(), mean.data(), offset.data(), k};
    const double total =
        full_mixture_round(in, roots.data(), g, {log_density.data(), shares.data(), labels.data()}, sums.data());
    double wanted_total = 0;
    for (int64_t i = 0; i < n; ++i) {
        std::vector<double> l, d(static_cast<size_t>(k * (p + 1)), 1.0);
        for (int64_t c = 0; c < k; ++c) {
            double *of_row = d.data() + c * (p + 1), square = 0;
            for (int64_t j = 0; j < p; ++j)
                of_row[j] = (static_cast<double>(x(i, j)) - shift[static_cast<size_t>(j)]) * scale[static_cast<size_t>(j)] -
                            mean[static_cast<size_t>(c * p + j)];
            for (int64_t a = 0; a < p; ++a) {
                double u = 0;
                for (int64_t b = 0; b <= a; ++b) u += roots[static_cast<size_t>((c % g * p + a) * p + b)] * of_row[b];
                square += u * u;
            }
            l.push_back(offset[static_cast<size_t>(c)] - 0.5 * square);
        }
        const PlainRow row = shared_out(l);
        const double w = weights ? weights[i] : 1.0;
        wanted_total += w * row.log_p;
        CHECK(close(log_density[static_cast<size_t>(i)], row.log_p, 1e-11));
        for (int64_t c = 0; c < k; ++c) {
            const double r = row.share[static_cast<size_t>(c)], *of_row = d.data() + c * (p + 1);
            CHECK(close(shares[static_cast<size_t>(i * k + c)], r, 1e-11));
            CHECK(row.share[static_cast<size_t>(labels[static_cast<size_t>(i)])] >= r - 1e-12);
            for (int64_t a = 0; a <= p; ++a)
                for (int64_t b = 0; b <= p; ++b)
                    wanted[static_cast<size_t>(c * size + a * (p + 1) + b)] += w * r * of_row[a] * of_row[b];
        }
    }
    CHECK(close(total, wanted_total, 1e-10));
    for (int64_t c = 0; c < k; ++c)
        for (int64_t a = 0; a <= p; ++a)
            for (int64_t b = 0; b <= a; ++b) {
                const size_t e = static_cast<size_t>(c * size + a * (p + 1) + b);
                CHECK(close(sums[e], wanted[e], 1e-9));
            }
}

template <class Real>
static void column_rounds_are_those_of_a_plain_loop(Matrix<const Real> x, const double *weights, int64_t k) {
    const int64_t p = x.columns, n = x.rows, q = 2, levels[] = {3, 2}, rows = 5;
    constexpr double blur = 0.01;
    const std::vector<double> mean = numbers<double>(k * p, 4), tables = numbers<double>(rows * k, 5);
    const std::vector<double> offset = numbers<double>(k, 6), shift = numbers<double>(p, 7);
    std::vector<double> scale = numbers<double>(p, 8), variance = numbers<double>(k * p, 9);
    for (double &s : scale) s += 0.5;
    for (double &v : variance) v += 0.1;
    std::vector<int32_t> codes(static_cast<size_t>(n * q));
    for (size_t e = 0; e < codes.size(); ++e) codes[e] = static_cast<int32_t>(e * e % 5) - 1;  // −1 and 3 are missing
    std::vector<double> weight(static_cast<size_t>(k), 1.0), moments(static_cast<size_t>(3 * p * k), 1.0);
    std::vector<double> counts(static_cast<size_t>(rows * k), 1.0);
    std::vector<double> wanted_weight = weight, wanted_moments = moments, wanted_counts = counts;
    std::vector<double> log_density(static_cast<size_t>(n)), shares(static_cast<size_t>(n * k));
    std::vector<int32_t> labels(static_cast<size_t>(n));
    const ColumnRows<Real> in{x, codes.data(), weights, shift.data(), scale.data()};
    const ColumnCurves curves(k, p, q, levels, offset.data(), mean.data(), variance.data(), blur, tables.data());
    const double total = column_mixture_round(in, curves, {log_density.data(), shares.data(), labels.data()},
                                              weight.data(), moments.data(), counts.data());
    double wanted_total = 0;
    for (int64_t i = 0; i < n; ++i) {
        std::vector<double> l;
        const auto cell = [&](int64_t j) {
            return (static_cast<double>(x(i, j)) - shift[static_cast<size_t>(j)]) * scale[static_cast<size_t>(j)];
        };
        const auto place = [&](int64_t m) -> int64_t {
            const int32_t code = codes[static_cast<size_t>(i * q + m)];
            return code < 0 || code >= levels[m] ? -1 : code + (m == 1 ? levels[0] : 0);
        };
        for (int64_t c = 0; c < k; ++c) {
            double sum = offset[static_cast<size_t>(c)];
            for (int64_t j = 0; j < p; ++j) {
                const size_t e = static_cast<size_t>(c * p + j);
                const double d = cell(j) - mean[e];
                if (!std::isnan(d))
                    sum -= 0.5 * (std::log(2 * std::numbers::pi * variance[e]) + (d * d + blur) / variance[e]);
            }
            for (int64_t m = 0; m < q; ++m)
                if (place(m) >= 0) sum += tables[static_cast<size_t>(place(m) * k + c)];
            l.push_back(sum);
        }
        const PlainRow row = shared_out(l);
        const double w = weights ? weights[i] : 1.0;
        wanted_total += w * row.log_p;
        CHECK(close(log_density[static_cast<size_t>(i)], row.log_p, 1e-11));
        for (int64_t c = 0; c < k; ++c) {
            const double r = row.share[static_cast<size_t>(c)];
            CHECK(close(shares[static_cast<size_t>(i * k + c)], r, 1e-11));
            CHECK(row.share[static_cast<size_t>(labels[static_cast<size_t>(i)])] >= r - 1e-12);
            wanted_weight[static_cast<size_t>(c)] += w * r;
            for (int64_t j = 0; j < p; ++j) {
                const double d = cell(j) - mean[static_cast<size_t>(c * p + j)];
                const double powers[] = {1.0, d, d * d};
                if (!std::isnan(d))
                    for (int64_t h = 0; h < 3; ++h)
                        wanted_moments[static_cast<size_t>((h * p + j) * k + c)] += w * r * powers[h];
            }
            for (int64_t m = 0; m < q; ++m)
                if (place(m) >= 0) wanted_counts[static_cast<size_t>(place(m) * k + c)] += w * r;
        }
    }
    CHECK(close(total, wanted_total, 1e-10));
    for (size_t e = 0; e < weight.size(); ++e) CHECK(close(weight[e], wanted_weight[e], 1e-10));
    for (size_t e = 0; e < moments.size(); ++e) CHECK(close(moments[e], wanted_moments[e], 1e-9));
    for (size_t e = 0; e < counts.size(); ++e) CHECK(close(counts[e], wanted_counts[e], 1e-10));
}

template <class Real>
static void all_shapes() {
    for (const Shape s : odd_shapes)
        for (const Layout layout : every_layout) {
            OwnedTable<Real> t = make_table<Real>(s.n, s.p, layout);
            const std::vector<double> weights = numbers<double>(s.n, 3);
            for (int64_t k : {1, 5}) {
                if (s.p <= 20) full_rounds_are_those_of_a_plain_loop(t.view, k > 1 ? weights.data() : nullptr, k, k);
                if (s.p <= 9) full_rounds_are_those_of_a_plain_loop<Real>(t.view, nullptr, k, 1);
            }
            if (!t.cells.empty()) t.cells[t.cells.size() / 2] = std::numeric_limits<Real>::quiet_NaN();
            for (int64_t k : {1, 9}) column_rounds_are_those_of_a_plain_loop(t.view, k > 1 ? weights.data() : nullptr, k);
        }
}

void test_mixture() {
    everywhere([] { all_shapes<double>(), all_shapes<float>(); });
}

}  // namespace learnt::test
