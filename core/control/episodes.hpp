// Learning by doing: episodes of a process from which the worth of choices is learnt move by move.
#pragma once

#include "base/hash.hpp"
#include "control/process.hpp"

namespace learnt {

enum class Update { q_learning, sarsa, expected_sarsa, monte_carlo };

struct Episodes {
    Update update = Update::q_learning;
    int64_t episodes = 1000;
    int64_t most_moves = 1000;
    double rate = 0;          // of learning; 0: visits^-rate_power
    double rate_power = 0.7;  // between ½ and 1: sums of rates go on for ever, those of their squares do not
    bool softmax = false;     // exploring by softmax of worth / temperature, else by chance ε
    double first = 0.5, last = 0.05;  // ε or temperature, falling evenly over the episodes
    int64_t start = -1;       // state; -1: any that is no end
};

// Draws that depend on the seed and on their number only.
class Draws {
    uint64_t seed_, n_ = 0;

  public:
    explicit Draws(uint64_t seed) : seed_(mix_bits(seed + 0x9e3779b97f4a7c15u)) {}
    double operator()() { return uniform_of(seed_, n_++); }
    int64_t below(int64_t count) { return std::min<int64_t>(count - 1, static_cast<int64_t>((*this)() * static_cast<double>(count))); }
};

// One learner's life: `worth` and `visits` of each choice are updated, `returns` and `moves` written for each episode.
class Life {
    const Process &p_;
    const Episodes &how_;
    Draws draw_;
    double *const worth_;
    int64_t *const visits_;
    double explore_ = 0;
    std::vector<double> chances_;

    struct Step {
        int64_t choice;
        double reward;
    };
    std::vector<Step> steps_;

    int64_t best(int64_t s) {  // ties are broken by chance: always the first would never see the others
        const int64_t first = p_.first_choice[s], last = p_.first_choice[s + 1];
        int64_t found = first, ties = 1;
        for (int64_t c = first + 1; c < last; ++c) {
            if (worth_[c] > worth_[found]) {
                found = c;
                ties = 1;
            } else if (worth_[c] == worth_[found] && draw_.below(++ties) == 0) {
                found = c;
            }
        }
        return found;
    }

    // How likely each choice of a state is to be made.
    void set_chances(int64_t s) {
        const int64_t first = p_.first_choice[s], count = p_.first_choice[s + 1] - first;
        chances_.assign(static_cast<size_t>(count), 0.0);
        double top = worth_[first];
        int64_t ties = 0;
        for (int64_t j = 0; j < count; ++j) top = std::max(top, worth_[first + j]);
        if (how_.softmax) {
            double sum = 0;
            for (int64_t j = 0; j < count; ++j) sum += chances_[j] = std::exp((worth_[first + j] - top) / explore_);
            for (double &chance : chances_) chance /= sum;
            return;
        }
        for (int64_t j = 0; j < count; ++j) ties += worth_[first + j] == top;
        for (int64_t j = 0; j < count; ++j)
            chances_[j] = explore_ / static_cast<double>(count) + (worth_[first + j] == top ? (1 - explore_) / static_cast<double>(ties) : 0);
    }

    int64_t choose(int64_t s) {
        const int64_t first = p_.first_choice[s], count = p_.first_choice[s + 1] - first;
        if (!how_.softmax) return draw_() < explore_ ? first + draw_.below(count) : best(s);
        set_chances(s);
        double u = draw_();
        for (int64_t j = 0; j + 1 < count; ++j)
            if ((u -= chances_[j]) < 0) return first + j;
        return first + count - 1;
    }

    int64_t move(int64_t c) {
        double u = draw_();
        for (int64_t k = p_.first_move[c]; k + 1 < p_.first_move[c + 1]; ++k)
            if ((u -= p_.chance[k]) < 0) return k;
        return p_.first_move[c + 1] - 1;
    }

    // What a state is worth to the rule; `following` is the choice that will be made there.
    double value(int64_t s, int64_t following) {
        const int64_t first = p_.first_choice[s], last = p_.first_choice[s + 1];
        if (first == last) return 0;
        if (how_.update == Update::sarsa) return worth_[following];
        if (how_.update == Update::q_learning) {
            double top = worth_[first];
            for (int64_t c = first + 1; c < last; ++c) top = std::max(top, worth_[c]);
            return top;
        }
        set_chances(s);
        double sum = 0;
        for (int64_t c = first; c < last; ++c) sum += chances_[c - first] * worth_[c];
        return sum;
    }

    void learn(int64_t c, double target) {
        const double n = static_cast<double>(++visits_[c]);
        const double rate = how_.rate > 0 ? how_.rate : how_.update == Update::monte_carlo ? 1 / n : std::pow(n, -how_.rate_power);
        worth_[c] += rate * (target - worth_[c]);
    }

    // Every visit's return, from the end of an episode back to its beginning.
    void learn_from_returns() {
        double after = 0;
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
            after = step->reward + p_.discount * after;
            learn(step->choice, after);
        }
    }

  public:
    Life(const Process &p, const Episodes &how, uint64_t seed, double *worth, int64_t *visits)
        : p_(p), how_(how), draw_(seed), worth_(worth), visits_(visits) {}

    // `starts` are the states an episode may begin in.
    void run(const std::vector<int64_t> &starts, double *returns, int64_t *moves, Job &job) {
        const bool by_returns = how_.update == Update::monte_carlo;
        for (int64_t e = 0; e < how_.episodes; ++e) {
            const double left = how_.episodes > 1 ? 1 - static_cast<double>(e) / static_cast<double>(how_.episodes - 1) : 1;
            explore_ = how_.last + (how_.first - how_.last) * left;
            int64_t s = starts[static_cast<size_t>(draw_.below(static_cast<int64_t>(starts.size())))], n = 0;
            int64_t c = choose(s);
            double sum = 0, weight = 1;
            steps_.clear();
            for (; n < how_.most_moves; ++n) {
                const int64_t k = move(c), to = p_.next[k];
                sum += weight * p_.reward[k];
                weight *= p_.discount;
                const bool ends = p_.first_choice[to] == p_.first_choice[to + 1];
                const int64_t following = ends ? -1 : choose(to);
                if (by_returns)
                    steps_.push_back({c, p_.reward[k]});
                else
                    learn(c, p_.reward[k] + p_.discount * value(to, following));
                if ((n & 255) == 0) job.check();
                s = to;
                c = following;
                if (ends) {
                    ++n;
                    break;
                }
            }
            if (by_returns) learn_from_returns();
            returns[e] = sum;
            moves[e] = n;
        }
    }
};

}  // namespace learnt
