// Moments of local fits against a plain loop: one column and several, weights, ties, all kernels.
#include <vector>

#include "neighbors/local_fits.hpp"
#include "tests/check.hpp"

namespace learnt::test {

struct PlainMoments {
    double mean;
    std::vector<double> center, right, square;
};

// From the definition: rows sorted by distance and number, weight by weight.
static PlainMoments plain_moments(const std::vector<double> &x, int64_t n, int64_t p, const std::vector<double> &y,
                                  const std::vector<double> &weight, const std::vector<double> &robust, const double *q,
                                  LocalKernel kernel, int degree, double reach) {
    std::vector<double> away(static_cast<size_t>(n)), counted(static_cast<size_t>(n), 0.0);
    std::vector<size_t> order(static_cast<size_t>(n));
    for (size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
        double sum = 0;
        for (int64_t j = 0; j < p; ++j) {
            const double d = x[i * static_cast<size_t>(p) + static_cast<size_t>(j)] - q[j];
            sum += d * d;
        }
        away[i] = p == 1 ? std::abs(x[i] - q[0]) : std::sqrt(sum);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return away[a] < away[b]; });
    double left = reach, h = 0;
    std::vector<double> share(counted);
    for (const size_t i : order) {
        if (left <= 1e-9) break;
        share[i] = std::min(left, weight[i]), left -= weight[i], h = away[i];
    }
    double total = 0;
    for (size_t i = 0; i < share.size(); ++i) {
        const double u = h > 0 ? away[i] / h : 0.0;
        double k = 1;
        if (kernel == LocalKernel::tricube) k = std::pow(std::max(0.0, 1 - u * u * u), 3);
        if (kernel == LocalKernel::epanechnikov) k = std::max(0.0, 1 - u * u);
        if (kernel == LocalKernel::gaussian) k = std::exp(-2 * u * u);
        if (kernel == LocalKernel::inverse) k = 1 / u;
        if (kernel == LocalKernel::inverse_square) k = 1 / (u * u);
        total += counted[i] = share[i] > 0 ? share[i] * k * robust[i] : 0.0;
    }
    std::vector<std::vector<double>> f;
    for (size_t i = 0; i < share.size(); ++i) {
        std::vector<double> terms;
        for (int64_t j = 0; j < p && degree > 0; ++j)
            terms.push_back((x[i * static_cast<size_t>(p) + static_cast<size_t>(j)] - q[j]) / h);
        for (int64_t a = 0; a < p && degree == 2; ++a)
            for (int64_t b = a; b < p; ++b) terms.push_back(terms[static_cast<size_t>(a)] * terms[static_cast<size_t>(b)]);
        f.push_back(terms);
    }
    const size_t t = f[0].size();
    PlainMoments found{0, std::vector<double>(t, 0.0), std::vector<double>(t, 0.0), std::vector<double>(t * t, 0.0)};
    for (size_t i = 0; i < share.size(); ++i) {
        found.mean += counted[i] / total * y[i];
        for (size_t a = 0; a < t; ++a) found.center[a] += counted[i] / total * f[i][a];
    }
    for (size_t i = 0; i < share.size(); ++i)
        for (size_t a = 0; a < t; ++a) {
            const double own = counted[i] / total * (f[i][a] - found.center[a]);
            found.right[a] += own * (y[i] - found.mean);
            for (size_t b = 0; b < t; ++b) found.square[a * t + b] += own * (f[i][b] - found.center[b]);
        }
    return found;
}

static void moments_are_those_of_a_plain_loop(int64_t n, int64_t p, int degree, LocalKernel kernel, bool weighted, bool coarse) {
    std::vector<double> x = numbers<double>(n * p, 1), y = numbers<double>(n, 2), robust = numbers<double>(n, 3);
    std::vector<double> points = numbers<double>(7 * p, 4), weight(static_cast<size_t>(n), 1.0);
    if (coarse) {  // equal distances abound, but no point is a row
        for (double &v : x) v = std::floor(6 * v);
        for (double &v : points) v = std::floor(6 * v) + 0.5;
    }
    for (size_t i = 0; weighted && i < weight.size(); ++i) weight[i] = 1 + static_cast<double>(i % 3);
    std::vector<int64_t> slopes;
    for (int64_t j = 0; j < p; ++j) slopes.push_back(j);
    const LocalRows rows(x.data(), n, p, y.data(), weighted ? weight.data() : nullptr, slopes.data(), p);
    std::vector<double> in_order;
    for (const int64_t i : rows.number) in_order.push_back(robust[static_cast<size_t>(i)]);
    const double reach = std::floor(0.6 * rows.upto.back()) + (n > 1 ? 0 : 1);
    const LocalHow how{kernel, degree, reach, in_order.data()};
    const auto t = static_cast<size_t>(how.terms(rows));
    std::vector<LocalReach> reaches(7, LocalReach{-1, 0});
    for (int again = 0; again < 2; ++again) {  // the second time reaches are known
        std::vector<double> mean(7), center(7 * t), right(7 * t), square(7 * t * t);
        local_moments(rows, how, points.data(), 7, reaches.data(), mean.data(), center.data(), right.data(), square.data());
        for (size_t i = 0; i < 7; ++i) {
            const PlainMoments plain =
                plain_moments(x, n, p, y, weight, robust, points.data() + i * static_cast<size_t>(p), kernel, degree, reach);
            CHECK(close(mean[i], plain.mean, 1e-12));
            for (size_t a = 0; a < t; ++a) {
                CHECK(close(center[i * t + a], plain.center[a], 1e-12) && close(right[i * t + a], plain.right[a], 1e-12));
                for (size_t b = 0; b < t; ++b) CHECK(close(square[(i * t + a) * t + b], plain.square[a * t + b], 1e-12));
            }
        }
    }
}

static void rows_all_alike_or_all_outliers_still_answer() {
    const std::vector<double> x{2, 2, 2}, y{1, 2, 6}, none(3, 0.0);
    const int64_t slope = 0;
    const LocalRows rows(x.data(), 3, 1, y.data(), nullptr, &slope, 1);
    for (const double at : {2.0, 50.0}) {
        double mean, center, right, square;
        LocalReach reach{-1, 0};
        local_moments(rows, {LocalKernel::tricube, 1, 3, none.data()}, &at, 1, &reach, &mean, &center, &right, &square);
        CHECK(close(mean, 3, 1e-15) && square == 0);
    }
}

void test_local_fits() {
    for (const int64_t n : {1, 2, 9, 61})
        for (const int64_t p : {1, 2, 5})
            for (int degree = 0; degree < 3; ++degree)
                for (int kernel = 0; kernel < 6; ++kernel)
                    for (int how = 0; how < 4; ++how) {
                        if (n < 9 && kernel > 0) continue;  // of so few, kernels may leave none
                        moments_are_those_of_a_plain_loop(n, p, degree, static_cast<LocalKernel>(kernel), how % 2 == 1, how > 1 && p == 1 && n > 9);
                    }
    rows_all_alike_or_all_outliers_still_answer();
}

}  // namespace learnt::test
