// Products with and without the terms that are 0, turned blocks, teams of threads; nets on one thread and on several.
#include "neural/net.hpp"
#include "neural/score.hpp"
#include "tests/check.hpp"

namespace learnt::test {

// Numbers of which a share is 0, in rows of whole vectors.
template <class Real>
static Buffer<Real> with_zeros(int64_t rows, int64_t width, double share, uint64_t seed) {
    const std::vector<double> u = numbers<double>(2 * rows * width, seed);
    Buffer<Real> cells(rows * width);
    for (int64_t e = 0; e < rows * width; ++e)
        cells[e] = u[static_cast<size_t>(e)] < share ? Real{0} : static_cast<Real>(u[static_cast<size_t>(e + rows * width)] - 0.5);
    return cells;
}

template <class Real>
static void products_are_those_of_a_plain_loop() {
    const Level level = current_level();
    for (const int64_t rows : {1, 7, 33})
        for (const int64_t steps : {1, 63, 65, 130})
            for (const int64_t columns : {3, 48, 144}) {
                const int64_t wide = round_up(columns, panel_width), stride = round_up(steps, panel_width), panel = steps * panel_width;
                const Buffer<Real> a = with_zeros<Real>(rows, stride, 0.6, 1), b = with_zeros<Real>(steps, wide, 0.1, 2);
                const Buffer<Real> dense(rows * wide, Real{1}), skipped(rows * wide, Real{1});
                const Steps<Real> weights{b.data(), panel, panel_width};
                LEARNT_AT(level, add_product(Steps<Real>{a.data(), stride, 1}, weights, rows, steps, columns, Sums<Real>{dense.data(), wide}));
                LEARNT_AT(level, add_skipping(static_cast<const Real *>(a.data()), stride, weights, rows, steps, columns,
                                              Sums<Real>{skipped.data(), wide}));
                for (int64_t r = 0; r < rows; ++r)
                    for (int64_t o = 0; o < columns; ++o) {
                        double sum = 1;
                        for (int64_t t = 0; t < steps; ++t)
                            sum += static_cast<double>(a[r * stride + t]) *
                                   static_cast<double>(b[o / panel_width * panel + t * panel_width + o % panel_width]);
                        CHECK(close(static_cast<double>(dense[r * wide + o]), sum, sizeof(Real) == 4 ? 1e-5 : 1e-13));
                        CHECK(dense[r * wide + o] == skipped[r * wide + o]);
                    }
                int64_t found = 0, expected = 0;
                LEARNT_AT(level, count_terms(static_cast<const Real *>(a.data()), stride, rows, steps, found));
                for (int64_t r = 0; r < rows; r += 8)
                    for (int64_t t = 0; t < steps; ++t) expected += a[r * stride + t] != 0;
                CHECK(found == expected);
            }
}

static void blocks_are_turned() {
    const Level level = current_level();
    const Buffer<float> from = with_zeros<float>(48, 32, 0.0, 3), to(32 * 64, 0.0f);
    LEARNT_AT(level, turn_block(static_cast<const float *>(from.data()), 32, 48, 32, to.data(), 64));
    for (int64_t i = 0; i < 48; ++i)
        for (int64_t k = 0; k < 32; ++k) CHECK(to[k * 64 + i] == from[i * 32 + k]);
}

static void a_team_runs_every_block_once_and_its_errors_come_out() {
    std::vector<std::atomic<int>> runs(37);
    work_as_team(true, [&](Team &team) {
        for (int region = 0; region < 200; ++region)
            team.run(1 + region % 37, [&](int64_t b) { runs[static_cast<size_t>(b)].fetch_add(1); });
    });
    for (int b = 0; b < 37; ++b) {
        int expected = 0;
        for (int region = 0; region < 200; ++region) expected += b < 1 + region % 37;
        CHECK(runs[static_cast<size_t>(b)] == expected);
    }
    bool caught = false;
    try {
        work_as_team(true, [&](Team &team) {
            team.run(64, [](int64_t b) {
                if (b == 63) throw std::out_of_range("block 63");
            });
        });
    } catch (const std::out_of_range &) {
        caught = true;
    }
    CHECK(caught);
}

static NetShape small_net(bool normalised) {
    NetShape shape;
    shape.dense = 5, shape.units = {80, 3}, shape.activation = Activation::tanh, shape.loss = NetLoss::softmax;
    shape.normalised = normalised;
    return shape;
}

// A step of plain descent is the gradient; scores of stored cells are those of all cells.
static void steps_are_gradients_and_sparse_rows_are_rows(bool normalised) {
    const NetShape shape = small_net(normalised);
    const learnt::Layout layout(shape);
    const int64_t n = 19;
    Buffer<double> x = with_zeros<double>(n, 5, 0.7, 4), start = with_zeros<double>(1, layout.size, 0.0, 5);
    const std::vector<double> center(5, 0.1), scale(5, 2.0), eta(1, 0.01);
    std::vector<double> y(n), speed(static_cast<size_t>(layout.size)), square(speed), gradient(speed), values;
    std::vector<int64_t> order(n);
    std::vector<int32_t> columns, offsets{0};
    for (int64_t i = 0; i < n; ++i) {
        y[static_cast<size_t>(i)] = static_cast<double>(i % 3), order[static_cast<size_t>(i)] = i;
        for (int64_t j = 0; j < 5; ++j)
            if (x[i * 5 + j] != 0) values.push_back(x[i * 5 + j]), columns.push_back(static_cast<int32_t>(j));
        offsets.push_back(static_cast<int32_t>(values.size()));
    }
    const NetRows<double> rows{{x.data(), n, 5, 5, 1}, center.data(), scale.data(), 3.0, nullptr};
    const Csr<double> cells{values.data(), columns.data(), offsets.data(), nullptr, n, 5, static_cast<int64_t>(values.size())};
    const NetRows<double> stored{{x.data(), 0, 5, 5, 1}, center.data(), scale.data(), 3.0, nullptr, &cells};
    Buffer<double> moved(layout.size);
    std::copy_n(start.data(), layout.size, moved.data());
    const double loss = add_net_gradient(shape, stored, y.data(), nullptr, start.data(), gradient.data());
    NetSteps steps;
    steps.optimizer = NetOptimizer::sgd, steps.batch_size = n;
    CHECK(close(loss, train_net(shape, rows, order.data(), n, y.data(), nullptr, steps, eta.data(), moved.data(), speed.data(),
                                square.data()), 1e-12));
    const int64_t trained = normalised ? layout.normalisations[0].mean() : layout.size;
    for (int64_t e = 0; e < trained; ++e)
        CHECK(close(moved[e], start[e] - 0.01 * gradient[static_cast<size_t>(e)] / static_cast<double>(n), 1e-12));
    NetShape plain = shape;
    plain.normalised = false;
    std::vector<double> one(3 * n), two(3 * n);
    CHECK(!score_net(plain, rows, start.data(), one.data()));
    CHECK(!score_net(plain, stored, start.data(), two.data()));
    CHECK(one == two);
    x[7] = std::numeric_limits<double>::infinity();
    CHECK(score_net(plain, rows, start.data(), one.data()));
}

void test_nets() {
    everywhere([] {
        products_are_those_of_a_plain_loop<float>();
        products_are_those_of_a_plain_loop<double>();
        blocks_are_turned();
        a_team_runs_every_block_once_and_its_errors_come_out();
        steps_are_gradients_and_sparse_rows_are_rows(false);
        steps_are_gradients_and_sparse_rows_are_rows(true);
    });
}

}  // namespace learnt::test
