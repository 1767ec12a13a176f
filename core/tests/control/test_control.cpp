// Sweeps over the states of a process, and episodes of it, against what is known of a small one.
#include "control/episodes.hpp"
#include "tests/check.hpp"

namespace learnt::test {

// Two states and an end: from 0 on to 1 or home; from 1 home with 2, or back to 0 by half a chance.
struct Small {
    std::vector<int64_t> first_choice{0, 2, 4, 4}, first_move{0, 1, 2, 3, 5};
    std::vector<int32_t> next{1, 2, 2, 0, 2};
    std::vector<double> chance{1, 1, 1, 0.5, 0.5}, reward{0, 1, 2, 4, 0};
    Process process{3, 4, first_choice.data(), first_move.data(), next.data(), chance.data(), reward.data(), 0.9};
};

static void value_iteration_comes_to_the_best_values() {
    const Small small;
    std::vector<double> values(3, 0.0), after(3);
    for (int i = 0; i < 500; ++i) {
        sweep(small.process, nullptr, values.data(), after.data());
        values.swap(after);
    }
    // V0 = .9 V1 and V1 = .5 (4 + .9 V0): V1 = 2 / (1 - .405)
    CHECK(std::abs(values[1] - (2 / 0.595)) <= 1e-12);
    CHECK(std::abs(values[0] - (0.9 * 2 / 0.595)) <= 1e-12);
    CHECK(values[2] == 0);
}

static void a_policy_is_worth_what_it_gains() {
    const Small small;
    const std::vector<int64_t> policy{0, 2, 4};
    std::vector<double> values(3, 0.0), after(3);
    for (int i = 0; i < 50; ++i) {
        sweep(small.process, policy.data(), values.data(), after.data());
        values.swap(after);
    }
    CHECK(std::abs(values[1] - (2.0)) <= 1e-12);
    CHECK(std::abs(values[0] - (1.8)) <= 1e-12);
}

static void q_learning_comes_near_the_worths() {
    const Small small;
    Episodes how;
    how.episodes = 20000;
    how.first = how.last = 0.5;
    std::vector<double> worth(4, 0.0), returns(static_cast<size_t>(how.episodes)), best(4);
    std::vector<int64_t> visits(4, 0), moves(returns.size());
    const std::atomic<bool> never{false};
    Job job(never);
    Life(small.process, how, 1, worth.data(), visits.data()).run({0, 1}, returns.data(), moves.data(), job);
    const std::vector<double> values{0.9 * 2 / 0.595, 2 / 0.595, 0};
    worths(small.process, values.data(), best.data());
    for (size_t c = 0; c < 4; ++c) CHECK(std::abs(worth[c] - (best[c])) <= 0.1);
}

void test_control() {
    everywhere([] {
        value_iteration_comes_to_the_best_values();
        a_policy_is_worth_what_it_gains();
        q_learning_comes_near_the_worths();
    });
}

}  // namespace learnt::test
