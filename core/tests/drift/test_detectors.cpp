// Detectors of drift: what their states hold, and that a long stream stays within them.
#include "drift/detectors.hpp"

#include <vector>

#include "tests/check.hpp"

namespace learnt::test {

static void a_window_holds_the_sums_of_its_values() {
    DriftOptions o;
    o.delta = 1e-12;
    o.least = 10;
    std::vector<double> state(static_cast<size_t>(AdaptiveWindow::state_size_of(o)));
    AdaptiveWindow::reset(state.data(), o);
    double sum = 0, squares = 0;
    const int n = 100'000;
    for (int i = 0; i < n; ++i) {
        const double x = (i * 7919) % 101;
        sum += x;
        squares += x * x;
        CHECK(AdaptiveWindow::step(state.data(), x, o) == Drift::none);
    }
    CHECK(state[1] == n);
    CHECK(std::abs(state[2] - sum) <= 1e-6 * sum);
    CHECK(std::abs(state[3] - (squares - sum * sum / n)) <= 1e-6 * squares);
    double held = 0;
    for (int64_t r = 0; r < AdaptiveWindow::most_rows; ++r)
        held += std::ldexp(state[static_cast<size_t>(AdaptiveWindow::head + r * AdaptiveWindow::row_size(o))], static_cast<int>(r));
    CHECK(held == n);
}

static void a_jump_is_found_and_forgotten() {
    DriftOptions o;
    o.drift = 3;
    std::vector<double> state(ErrorRate::state_size);
    ErrorRate::reset(state.data());
    for (int i = 0; i < 200; ++i) CHECK(ErrorRate::step(state.data(), i % 10 == 0, o) != Drift::drift);
    int at = -1;
    for (int i = 0; i < 100 && at < 0; ++i)
        if (ErrorRate::step(state.data(), 1, o) == Drift::drift) at = i;
    CHECK(at > 0);
    ErrorRate::step(state.data(), 1, o);
    CHECK(state[0] == 1);
}

void test_detectors() {
    a_window_holds_the_sums_of_its_values();
    a_jump_is_found_and_forgotten();
}

}  // namespace learnt::test
