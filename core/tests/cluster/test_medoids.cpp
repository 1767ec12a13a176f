// Silhouettes, medoids and kernel densities against loops.
#include "cluster/density.hpp"
#include "cluster/medoids.hpp"
#include "cluster/silhouette.hpp"
#include "tests/check.hpp"

namespace learnt::test {

static std::vector<double> all_distances(const std::vector<double> &x, int64_t n, int64_t p) {
    std::vector<double> d(static_cast<size_t>(n * n));
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (int64_t c = 0; c < p; ++c) {
                const double gap = x[static_cast<size_t>(i * p + c)] - x[static_cast<size_t>(j * p + c)];
                sum += gap * gap;
            }
            d[static_cast<size_t>(i * n + j)] = std::sqrt(sum);
        }
    return d;
}

static void silhouettes_are_those_of_a_loop(int64_t n, int64_t p, int64_t k) {
    const auto x = numbers<double>(n * p, 5), w = numbers<double>(n, 6);
    const auto d = all_distances(x, n, p);
    std::vector<int64_t> start{0}, own(static_cast<size_t>(n)), neighbour(static_cast<size_t>(n));
    for (int64_t c = 1; c <= k; ++c) start.push_back(c == k ? n : std::min(n, c * c * n / (k * k)));
    for (int64_t c = 0; c < k; ++c)
        for (int64_t i = start[static_cast<size_t>(c)]; i < start[static_cast<size_t>(c + 1)]; ++i) own[static_cast<size_t>(i)] = c;
    std::vector<double> a(static_cast<size_t>(n)), b(static_cast<size_t>(n));
    silhouette_sums(Norm::l2, x.data(), n, p, own.data(), x.data(), start.data(), k, w.data(), a.data(), b.data(), neighbour.data());
    for (int64_t i = 0; i < n; ++i) {
        double best = std::numeric_limits<double>::infinity();
        for (int64_t c = 0; c < k; ++c) {
            double sum = 0, weight = 0;
            for (int64_t j = start[static_cast<size_t>(c)]; j < start[static_cast<size_t>(c + 1)]; ++j) {
                sum += w[static_cast<size_t>(j)] * d[static_cast<size_t>(i * n + j)];
                weight += w[static_cast<size_t>(j)];
            }
            if (c == own[static_cast<size_t>(i)])
                CHECK(close(a[static_cast<size_t>(i)], sum, 1e-12));
            else if (weight > 0)
                best = std::min(best, sum / weight);
        }
        CHECK(close(b[static_cast<size_t>(i)], best, 1e-12) || (std::isinf(best) && std::isinf(b[static_cast<size_t>(i)])));
    }
}

static double loss_of(const std::vector<double> &d, int64_t n, const std::vector<int64_t> &medoids) {
    double loss = 0;
    for (int64_t o = 0; o < n; ++o) {
        double best = std::numeric_limits<double>::infinity();
        for (const int64_t m : medoids) best = std::min(best, d[static_cast<size_t>(m * n + o)]);
        loss += best;
    }
    return loss;
}

static void no_swap_is_left_that_pays(int64_t n, int64_t k, bool eager) {
    const auto d = all_distances(numbers<double>(n * 3, 9), n, 3);
    std::vector<int64_t> medoids(static_cast<size_t>(k));
    build_medoids(d.data(), nullptr, n, k, medoids.data());
    const double begun = loss_of(d, n, medoids);
    std::vector<int32_t> nearest(static_cast<size_t>(n)), second(static_cast<size_t>(n));
    std::vector<double> d1(static_cast<size_t>(n)), d2(static_cast<size_t>(n));
    const MedoidState state{d.data(), nullptr, n, k, medoids.data(), nearest.data(), second.data(), d1.data(), d2.data()};
    find_nearest_medoids(state);
    SwapReport report{0, 0, 0, 0};
    for (int round = 0; round < 100 && report.quiet < n; ++round) report = swap_medoids(state, eager, report.position, report.quiet);
    CHECK(report.quiet >= n);
    CHECK(close(report.loss, loss_of(d, n, medoids), 1e-12));
    CHECK(report.loss <= begun * (1 + 1e-12));
    for (size_t i = 0; i < medoids.size(); ++i)
        for (int64_t c = 0; c < n; ++c) {
            auto other = medoids;
            other[i] = c;
            CHECK(loss_of(d, n, other) >= report.loss * (1 - 1e-9));
        }
}

static void densities_are_those_of_a_loop(int64_t n, int64_t p) {
    const auto x = numbers<double>(n * p, 3), q = numbers<double>(17 * p, 4), w = numbers<double>(n, 5);
    const DensityTree tree(x.data(), n, p, w.data(), 32);
    std::vector<double> out(17);
    std::vector<int64_t> skip(17, -1);
    skip[3] = n - 1;
    for (const double rtol : {0.0, 1e-4}) {
        log_densities(tree, Kernel::gaussian, q.data(), 17, skip.data(), rtol, out.data());
        for (int64_t i = 0; i < 17; ++i) {
            double sum = 0;
            for (int64_t j = 0; j < n; ++j) {
                double square = 0;
                for (int64_t c = 0; c < p; ++c) {
                    const double gap = q[static_cast<size_t>(i * p + c)] - x[static_cast<size_t>(j * p + c)];
                    square += gap * gap;
                }
                if (j != skip[static_cast<size_t>(i)]) sum += w[static_cast<size_t>(j)] * std::exp(-square / 2);
            }
            if (sum > 0) CHECK(std::abs(out[static_cast<size_t>(i)] - std::log(sum)) <= rtol * 1.01 + 1e-12);
        }
    }
}

void test_medoids() {
    everywhere([] {
        for (const auto &[n, p] : {Shape{2, 1}, Shape{9, 2}, Shape{67, 5}, Shape{130, 17}})
            for (int64_t k : {1, 2, 5}) silhouettes_are_those_of_a_loop(n, p, k);
        for (bool eager : {true, false}) no_swap_is_left_that_pays(61, 4, eager), no_swap_is_left_that_pays(20, 2, eager);
        for (const auto &[n, p] : {Shape{1, 1}, Shape{33, 2}, Shape{300, 3}}) densities_are_those_of_a_loop(n, p);
    });
}

}  // namespace learnt::test
