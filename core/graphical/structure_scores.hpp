// How well parents explain a node, from the table of their counts. N_jk: rows of parent configuration j and state k,
// N_j their sum over k, q configurations, r states:
//
//   loglik   Σ_jk N_jk·log(N_jk / N_j)
//   bic      loglik − ½·log(N)·q·(r − 1)
//   aic      loglik − q·(r − 1)
//   bdeu     Σ_j [lnΓ(α_j) − lnΓ(α_j + N_j) + Σ_k lnΓ(α_jk + N_jk) − lnΓ(α_jk)],  α_j = s/q,  α_jk = s/(q·r)
//   k2       the same with α_jk = 1
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace learnt::graphical {

enum class Score { loglik, bic, aic, bdeu, k2 };

struct Scoring {
    Score score;
    double sample_size;  // s of bdeu
    double weight;       // N of bic
};

// ln Γ(x) for x > 0, by Stirling's series after moving x beyond 10; std::lgamma writes to a global.
inline double log_gamma(double x) {
    double product = 1;
    for (; x < 10; x += 1) product *= x;
    const double y = 1 / (x * x);
    const double series =
        (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * 691.0 / 360360))))) / x;
    return (x - 0.5) * std::log(x) - x + 0.91893853320467274178 + series - std::log(product);
}

// Adds configurations one by one.
class FamilyScore {
    const Scoring &how_;
    const double q_, r_;
    const double prior_jk_, prior_j_;
    double total_ = 0, empty_j_ = 0, empty_jk_ = 0;

  public:
    FamilyScore(const Scoring &how, double q, double r)
        : how_(how),
          q_(q),
          r_(r),
          prior_jk_(how.score == Score::k2 ? 1 : how.sample_size / (q * r)),
          prior_j_(prior_jk_ * r) {
        if (bayesian()) empty_j_ = log_gamma(prior_j_), empty_jk_ = log_gamma(prior_jk_);
    }

    bool bayesian() const { return how_.score == Score::bdeu || how_.score == Score::k2; }

    void add_state(double n) {
        if (n > 0) total_ += bayesian() ? log_gamma(prior_jk_ + n) - empty_jk_ : n * std::log(n);
    }
    void end_configuration(double n) {
        if (n > 0) total_ += bayesian() ? empty_j_ - log_gamma(prior_j_ + n) : -n * std::log(n);
    }
    double total() const {
        const double parameters = q_ * (r_ - 1);
        if (how_.score == Score::bic) return total_ - 0.5 * std::log(how_.weight) * parameters;
        return how_.score == Score::aic ? total_ - parameters : total_;
    }
};

// Of a table outer × states × inner: outer and inner together are the configurations of the parents.
template <class Count>
double score_table(const Count *table, int64_t outer, int64_t states, int64_t inner, const Scoring &how) {
    FamilyScore score(how, static_cast<double>(outer) * static_cast<double>(inner), static_cast<double>(states));
    for (int64_t o = 0; o < outer; ++o)
        for (int64_t z = 0; z < inner; ++z) {
            const Count *cell = table + o * states * inner + z;
            double sum = 0;
            for (int64_t k = 0; k < states; ++k) {
                const auto n = static_cast<double>(cell[k * inner]);
                sum += n;
                score.add_state(n);
            }
            score.end_configuration(sum);
        }
    return score.total();
}

// The same of the combinations that occur, numbered in rising order, the node's state running fastest.
inline double score_sparse(std::span<const uint64_t> keys, std::span<const double> counts, uint64_t states,
                           double configurations, double states_scored, const Scoring &how) {
    FamilyScore score(how, configurations, states_scored);
    double sum = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
        sum += counts[i];
        score.add_state(counts[i]);
        if (i + 1 == keys.size() || keys[i + 1] / states != keys[i] / states) score.end_configuration(sum), sum = 0;
    }
    return score.total();
}

// A table in which the last cell of some columns counts the rows where that cell is missing: those rows are dealt out
// to the column's states by their shares. `cells` and `states` of each column of the table, the last running fastest.
inline void deal_missing(std::vector<double> &table, std::span<const int64_t> cells, std::span<const int64_t> states,
                         std::span<const double *const> shares) {
    int64_t outer = 1;
    for (size_t d = 0; d < cells.size(); ++d) {
        int64_t inner = 1;
        for (size_t e = d + 1; e < cells.size(); ++e) inner *= cells[e];
        if (cells[d] > states[d]) {
            std::vector<double> dealt(static_cast<size_t>(outer * states[d] * inner));
            for (int64_t o = 0; o < outer; ++o) {
                const double *from = table.data() + o * cells[d] * inner, *missing = from + states[d] * inner;
                double *to = dealt.data() + o * states[d] * inner;
                for (int64_t s = 0; s < states[d]; ++s)
                    for (int64_t i = 0; i < inner; ++i)
                        to[s * inner + i] = from[s * inner + i] + shares[d][s] * missing[i];
            }
            table = std::move(dealt);
        }
        outer *= states[d];
    }
}

}  // namespace learnt::graphical
