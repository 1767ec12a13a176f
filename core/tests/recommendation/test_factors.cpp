// Rows of factors: solvers agree, objectives fall, at every instruction set and for widths with and without registers.
#include "recommendation/als.hpp"
#include "recommendation/descent.hpp"
#include "tests/check.hpp"

namespace learnt::test {
namespace {

struct Toy {
    int64_t rows = 37, others = 50, width;
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> indices;
    std::vector<double> values, weights, y, c, x, b, penalty, left;

    explicit Toy(int64_t width_) : width(width_) {
        y = numbers<double>(others * width, 1);
        c = numbers<double>(others, 2);
        x.assign(static_cast<size_t>(rows * width), 0.0);
        b.assign(static_cast<size_t>(rows), 0.0);
        penalty.assign(static_cast<size_t>(rows), 0.5);
        left.assign(static_cast<size_t>(rows), 0.0);
        for (int64_t u = 0; u < rows; ++u) {
            for (int64_t i = u % 3; i < others && u > 0; i += 1 + u % 4) indices.push_back(static_cast<int32_t>(i));
            offsets.push_back(static_cast<int64_t>(indices.size()));
        }
        values = numbers<double>(static_cast<int64_t>(indices.size()), 3);
        weights.assign(indices.size(), 2.0);
    }

    double solve(FactorSolver solver, int64_t steps) {
        const RatingRows<double> ratings{offsets.data(), indices.data(), values.data(), weights.data(), rows};
        const FactorSide<double> side{y.data(), c.data(), others, width};
        FactorOptions options;
        options.solver = solver;
        options.steps = steps;
        solve_factor_rows<double>(ratings, side, nullptr, penalty.data(), options, x.data(), b.data(), left.data());
        double total = 0;
        for (const double part : left) total += part;
        return total;
    }
};

void solvers_agree(int64_t width) {
    Toy steps(width), exact(width);
    const double first = steps.solve(FactorSolver::cg, 2), second = steps.solve(FactorSolver::cg, 2);
    CHECK(second <= first * (1 + 1e-12));
    const double best = exact.solve(FactorSolver::exact, 1);
    CHECK(best <= second * (1 + 1e-12));
    for (int again = 0; again < 20; ++again) steps.solve(FactorSolver::cg, 60);
    CHECK(close(steps.solve(FactorSolver::cg, 60), best, 1e-6));
    Toy bounded(width);
    CHECK(bounded.solve(FactorSolver::nonnegative, 500) >= best * (1 - 1e-9));
    for (const double part : bounded.x) CHECK(part >= 0);
    for (int64_t a = 0; a < width; ++a) CHECK(exact.x[static_cast<size_t>(a)] == 0);  // the row without ratings
}

void descent_lowers_the_errors() {
    const int64_t parts = 2, width = 16;
    std::vector<int32_t> users, items;
    std::vector<int64_t> cells{0};
    for (int32_t a = 0; a < 2; ++a)
        for (int32_t d = 0; d < 2; ++d) {
            for (int32_t u = a; u < 6; u += 2)
                for (int32_t i = d; i < 5; i += 2) {
                    users.push_back(u);
                    items.push_back(i);
                }
            cells.push_back(static_cast<int64_t>(users.size()));
        }
    const int64_t n = static_cast<int64_t>(users.size());
    std::vector<double> values = numbers<double>(n, 5), x = numbers<double>(6 * width, 6), y = numbers<double>(5 * width, 7);
    const std::vector<double> none(6, 0.0);
    const RatingEntries<double> entries{users.data(), items.data(), values.data(), nullptr, n};
    std::vector<double> rated(values.size());
    double before = 0;
    for (int epoch = 0; epoch < 50; ++epoch) {
        rate_pairs<double>(users.data(), items.data(), n, {x.data(), nullptr, 6, width}, {y.data(), nullptr, 5, width}, rated.data());
        double now = 0;
        for (size_t j = 0; j < rated.size(); ++j) now += (values[j] - rated[j]) * (values[j] - rated[j]);
        CHECK(epoch == 0 || now <= before);
        before = now;
        descend_entries<double>(cells.data(), parts, entries, none.data(), none.data(), 0.005, {x.data(), y.data(), nullptr, nullptr, width});
    }
}

}  // namespace

void test_factors() {
    everywhere([] {
        for (const int64_t width : {16, 48, 64, 160}) solvers_agree(width);
        descent_lowers_the_errors();
    });
}

}  // namespace learnt::test
