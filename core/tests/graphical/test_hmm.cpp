// Walks along chains against plain loops: likelihoods, posteriors, pairs, best paths; in numbers and in logarithms.
#include "graphical/hmm_sums.hpp"
#include "tests/check.hpp"

namespace learnt::test {

// A chain of k states with Gaussian columns, and the rows of two sequences with an empty one between them.
struct Chain {
    int64_t k, n, p;
    std::vector<double> start, transition, mean, variance, x;
    std::vector<int64_t> offsets;

    Chain(int64_t states, int64_t rows, int64_t columns, double first_step)
        : k(states),
          n(rows),
          p(columns),
          start(numbers<double>(k, 1)),
          transition(numbers<double>(k * k, 2)),
          mean(numbers<double>(p * k, 3)),
          variance(numbers<double>(p * k, 4)),
          x(numbers<double>(n * p, 5)),
          offsets{0, n / 3, n / 3, n} {
        for (double &v : variance) v += 0.5;
        if (k > 1) transition[1] = first_step;
        normalise(start.data());
        for (int64_t i = 0; i < k; ++i) normalise(transition.data() + i * k);
        if (n > 0) x[static_cast<size_t>(n * p / 2)] = std::numeric_limits<double>::quiet_NaN();
    }

    void normalise(double *row) const {
        double sum = 0;
        for (int64_t i = 0; i < k; ++i) sum += row[i];
        for (int64_t i = 0; i < k; ++i) row[i] /= sum;
    }

    double density(int64_t t, int64_t c) const {
        double found = 1;
        for (int64_t j = 0; j < p; ++j) {
            const double d = x[static_cast<size_t>(t * p + j)] - mean[static_cast<size_t>(j * k + c)];
            const double v = variance[static_cast<size_t>(j * k + c)];
            if (d == d) found *= std::exp(-0.5 * d * d / v) / std::sqrt(2 * std::numbers::pi * v);
        }
        return found;
    }
    double step(int64_t i, int64_t j) const { return transition[static_cast<size_t>(i * k + j)]; }
};

static void walks_are_those_of_plain_loops(int64_t k, int64_t n, int64_t p, double first_step) {
    const Chain c(k, n, p, first_step);
    const int64_t padded = round_up(k, 8);
    const StateCells cells{row_major(c.x.data(), n, p), row_major(c.x.data(), n, 0), nullptr, n};
    const StateColumns columns(k, p, 0, 0, nullptr, c.mean.data(), c.variance.data(), nullptr, nullptr);
    const StateChain chain(k, c.start.data(), c.transition.data());
    const auto size = static_cast<size_t>(n * padded);
    std::vector<double> b(size), l(size), top(static_cast<size_t>(n)), alpha(size), beta(size), scale(top);
    state_evidence(cells, columns, false, b.data(), top.data());
    state_evidence(cells, columns, false, l.data(), nullptr);
    double likelihood[3];
    int64_t impossible[3];
    std::vector<double> pairs(static_cast<size_t>(k * k)), starts(static_cast<size_t>(k)), wanted_pairs(pairs);
    std::vector<double> moments(static_cast<size_t>(3 * p * k)), posterior(static_cast<size_t>(n * k));
    const StateWalk walk{b.data(), top.data(), l.data(), c.offsets.data(), 3, nullptr};
    const StateShares shares{alpha.data(), beta.data(), scale.data(), likelihood, impossible};
    CHECK(walk_sequences(walk, chain, shares, pairs.data()));
    sum_states(cells, columns, walk, chain, shares, posterior.data(),
               {moments.data(), nullptr, nullptr, pairs.data(), starts.data()});

    for (int s = 0; s < 3; ++s) {
        const int64_t first = c.offsets[static_cast<size_t>(s)], last = c.offsets[static_cast<size_t>(s + 1)];
        std::vector<std::vector<double>> before, after;
        double logs = 0;
        for (int64_t t = first; t < last; ++t) {
            std::vector<double> a(static_cast<size_t>(k));
            double sum = 0;
            for (int64_t j = 0; j < k; ++j) {
                double from = t == first ? c.start[static_cast<size_t>(j)] : 0;
                for (int64_t i = 0; t > first && i < k; ++i) from += before.back()[static_cast<size_t>(i)] * c.step(i, j);
                sum += a[static_cast<size_t>(j)] = from * c.density(t, j);
            }
            for (double &v : a) v /= sum;
            logs += std::log(sum);
            before.push_back(a);
        }
        CHECK(impossible[s] == -1 && close(likelihood[s], logs, 1e-10));
        std::vector<double> z(static_cast<size_t>(k), 1.0);
        for (int64_t t = last - 1; t >= first; --t) {
            const std::vector<double> &a = before[static_cast<size_t>(t - first)];
            double sum = 0;
            for (int64_t j = 0; j < k; ++j) sum += a[static_cast<size_t>(j)] * z[static_cast<size_t>(j)];
            for (int64_t j = 0; j < k; ++j)
                CHECK(close(posterior[static_cast<size_t>(t * k + j)], a[static_cast<size_t>(j)] * z[static_cast<size_t>(j)] / sum, 1e-9));
            std::vector<double> earlier(static_cast<size_t>(k));
            double both = 0, whole = 0;
            for (int64_t i = 0; i < k; ++i)
                for (int64_t j = 0; j < k; ++j) {
                    const double way = c.step(i, j) * c.density(t, j) * z[static_cast<size_t>(j)];
                    earlier[static_cast<size_t>(i)] += way;
                    whole += way;
                    if (t > first) both += before[static_cast<size_t>(t - 1 - first)][static_cast<size_t>(i)] * way;
                }
            for (int64_t i = 0; t > first && i < k; ++i)
                for (int64_t j = 0; j < k; ++j)
                    wanted_pairs[static_cast<size_t>(i * k + j)] += before[static_cast<size_t>(t - 1 - first)][static_cast<size_t>(i)] *
                                                                    c.step(i, j) * c.density(t, j) *
                                                                    z[static_cast<size_t>(j)] / both;
            for (int64_t i = 0; i < k; ++i) z[static_cast<size_t>(i)] = earlier[static_cast<size_t>(i)] / whole;
        }
    }
    for (size_t e = 0; e < pairs.size(); ++e) CHECK(close(pairs[e], wanted_pairs[e], 1e-8));

    std::vector<int32_t> path(static_cast<size_t>(n));
    double best[3];
    best_paths(l.data(), c.offsets.data(), 3, chain, path.data(), best);
    for (int s = 0; s < 3; ++s) {
        const int64_t first = c.offsets[static_cast<size_t>(s)], last = c.offsets[static_cast<size_t>(s + 1)];
        double value = 0;
        for (int64_t t = first; t < last; ++t) {
            const int64_t j = path[static_cast<size_t>(t)];
            CHECK(j >= 0 && j < k);
            value += std::log(t == first ? c.start[static_cast<size_t>(j)] : c.step(path[static_cast<size_t>(t - 1)], j));
            value += std::log(c.density(t, j));
        }
        CHECK(close(best[s], value, 1e-9));
    }
}

void test_hmm() {
    everywhere([] {
        for (const int64_t k : {1, 2, 5, 8, 11, 33})
            for (const int64_t n : {0, 1, 3, 40, 300})
                for (const double first_step : {0.3, 0.0, 1e-200}) walks_are_those_of_plain_loops(k, n, 2, first_step);
    });
}

}  // namespace learnt::test
