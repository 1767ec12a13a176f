// The walk along one sequence in logarithms, state by state: slow, and right wherever a number would be lost.
//
//   a_t(j) = l_t(j) + log Σ_i exp(a_{t−1}(i) + log A_ij),   z_{t−1}(i) = log Σ_j exp(log A_ij + l_t(j) + z_t(j))
//   posterior_t(k) = exp(a_t(k) + z_t(k) − log p)
//
//   l                  n × padded                                                          read
//   alpha              n × padded: the posterior, or without beta the filtered shares       overwritten
//   beta, scale        n × padded, or null; n: 1 and 0, which add no pairs later            overwritten
//   pairs              k × k: weight · Σ_t p(i at t − 1, j at t)                            updated, never cleared
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "base/matrix.hpp"
#include "base/pool.hpp"

namespace learnt {

struct LogWalk {
    double log_likelihood;
    int64_t impossible;  // the first row that no path can reach, or −1
};

// log Σ exp of the terms that term(i) gives, i < k.
template <class Term>
double log_sum_exp(int64_t k, Term term) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    double top = none, sum = 0;
    for (int64_t i = 0; i < k; ++i) top = std::max(top, term(i));
    if (top == none) return none;
    for (int64_t i = 0; i < k; ++i)
        if (const double x = term(i); x > none) sum += std::exp(x - top);
    return top + std::log(sum);
}

inline LogWalk log_walk(const double *l, int64_t n, int64_t k, int64_t padded, const double *start,
                        const double *transition, double weight, double *alpha, double *beta, double *scale,
                        double *pairs, Job &job) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    std::vector<double> logs(static_cast<size_t>(k * k));
    for (int64_t e = 0; e < k * k; ++e) logs[static_cast<size_t>(e)] = std::log(transition[e]);
    const Buffer<double> a(n * k);
    for (int64_t t = 0; t < n; ++t) {
        if (t % 64 == 0) job.check();
        const double *before = a.data() + (t - 1) * k;
        bool possible = false;
        for (int64_t j = 0; j < k; ++j) {
            const double l_j = l[t * padded + j];
            double here = none;
            if (l_j > none)
                here = t == 0 ? std::log(start[j])
                              : log_sum_exp(k, [&](int64_t i) { return before[i] + logs[static_cast<size_t>(i * k + j)]; });
            a[t * k + j] = here + l_j;
            possible = possible || a[t * k + j] > none;
        }
        if (!possible) return {none, t};
    }
    if (n == 0) return {0.0, -1};
    const double whole = log_sum_exp(k, [&](int64_t j) { return a[(n - 1) * k + j]; });
    std::vector<double> z(static_cast<size_t>(k), 0.0), ahead(static_cast<size_t>(k));
    for (int64_t t = n - 1; t >= 0; --t) {
        if (t % 64 == 0) job.check();
        const double total =
            beta ? whole : log_sum_exp(k, [&](int64_t j) { return a[t * k + j]; });
        for (int64_t j = 0; j < padded; ++j) {
            const double later = beta && j < k ? z[static_cast<size_t>(j)] : 0.0;
            alpha[t * padded + j] = j < k ? std::exp(a[t * k + j] + later - total) : 0.0;
            if (beta) beta[t * padded + j] = j < k ? 1.0 : 0.0;
        }
        scale[t] = 0;
        if (!beta || t == 0) continue;
        for (int64_t j = 0; j < k; ++j) ahead[static_cast<size_t>(j)] = l[t * padded + j] + z[static_cast<size_t>(j)];
        for (int64_t i = 0; i < k; ++i) {
            const double before = a[(t - 1) * k + i];
            for (int64_t j = 0; j < k; ++j) {
                const double way = logs[static_cast<size_t>(i * k + j)] + ahead[static_cast<size_t>(j)];
                if (before > none && way > none) pairs[i * k + j] += weight * std::exp(before + way - whole);
            }
        }
        for (int64_t i = 0; i < k; ++i)
            z[static_cast<size_t>(i)] = log_sum_exp(
                k, [&](int64_t j) { return logs[static_cast<size_t>(i * k + j)] + ahead[static_cast<size_t>(j)]; });
    }
    return {whole, -1};
}

}  // namespace learnt
