// Orders, gradient steps, perceptrons, Winnow and sums of sparse columns against plain loops.
#include "linear/online/descent.hpp"
#include "linear/online/mistakes.hpp"
#include "table/column_sums.hpp"
#include "tests/check.hpp"

namespace learnt::test {

static void an_order_holds_every_row_once() {
    for (const int64_t n : {1, 2, 3, 7, 64, 1000, 16384, 16385, 70001})
        for (const uint64_t epoch : {0, 1}) {
            const Order order(n, 5, epoch, true), plain(n, 5, epoch, false);
            std::vector<int> seen(static_cast<size_t>(n));
            int64_t moved = 0;
            for (int64_t i = 0; i < n; ++i) {
                const int64_t row = order[i];
                CHECK(row >= 0 && row < n && plain[i] == i);
                ++seen[static_cast<size_t>(row)];
                moved += row != i;
            }
            for (const int count : seen) CHECK(count == 1);
            CHECK(n < 64 || moved > n / 2);
        }
}

// Cells, most of them 0, as a dense table and as sparse rows.
struct Both {
    int64_t n, p;
    std::vector<double> cells, values;
    std::vector<int32_t> columns, codes;
    std::vector<int64_t> offsets;

    Both(int64_t rows, int64_t width) : n(rows), p(width), cells(numbers<double>(rows * width, 3)), offsets{0} {
        const std::vector<double> there = numbers<double>(n * p, 4), truth = numbers<double>(n, 5);
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j < p; ++j) {
                double &cell = cells[static_cast<size_t>(i * p + j)];
                cell = there[static_cast<size_t>(i * p + j)] < 0.4 ? 2 * cell - 1 : 0;
                if (cell != 0) values.push_back(cell), columns.push_back(static_cast<int32_t>(j));
            }
            offsets.push_back(static_cast<int64_t>(values.size()));
            codes.push_back(truth[static_cast<size_t>(i)] < 0.5);
        }
    }
    Matrix<const double> dense() const { return row_major(cells.data(), n, p); }
    Csr<double> sparse() const {
        return {values.data(), columns.data(), nullptr, offsets.data(), n, p, static_cast<int64_t>(values.size())};
    }
    Course course(const double *weights = nullptr) const { return {nullptr, n, n, weights, 1, 2, true}; }
};

struct Weights {
    std::vector<double> coef, intercept, coef_sum, intercept_sum, loss, speed, scale;
    explicit Weights(int64_t p)
        : coef(static_cast<size_t>(p)), intercept(1), coef_sum(static_cast<size_t>(p)), intercept_sum(1), loss(1),
          speed(static_cast<size_t>(p + 1)), scale(static_cast<size_t>(p + 1)) {}
    Units units() {
        return {coef.data(), intercept.data(), coef_sum.data(), intercept_sum.data(), loss.data(), speed.data(), scale.data()};
    }
};

static void steps_are_those_of_a_plain_loop(const Both &rows, Loss loss, double l1_ratio) {
    const std::vector<double> mean(static_cast<size_t>(rows.p), l1_ratio > 0 ? 0.0 : 0.25), ones(mean.size(), 1.0);
    const std::vector<double> weights = numbers<double>(rows.n, 8);
    const DescentSettings s{loss, {RateKind::inverse, 0.2, 0.5, 0.01, 0}, 0.01, l1_ratio, true, Optimizer::plain, 0.9, 1, 3};
    const Truth truth{nullptr, rows.codes.data()};
    const int32_t unit = 0;
    Weights dense(rows.p), sparse(rows.p);
    for (int twice = 0; twice < 2; ++twice) {  // weights are updated, never cleared
        descend_rows(rows.dense(), mean.data(), ones.data(), truth, rows.course(weights.data()), s, &unit, 1, dense.units());
        descend_rows(rows.sparse(), l1_ratio > 0 ? nullptr : mean.data(), truth, rows.course(weights.data()), s, &unit, 1,
                     sparse.units());
    }
    for (size_t j = 0; j < dense.coef.size(); ++j) {
        CHECK(close(dense.coef[j], sparse.coef[j], 1e-9) || l1_ratio > 0);
        CHECK(close(dense.coef_sum[j], sparse.coef_sum[j], 1e-9) || l1_ratio > 0);
    }
    if (l1_ratio > 0) return;
    std::vector<double> w(mean.size());
    double b = 0;
    const Order order(rows.n, 1, 2, true);
    for (int twice = 0; twice < 2; ++twice)
        for (int64_t step = 0; step < rows.n; ++step) {
            const int64_t i = order[step];
            const double y = rows.codes[static_cast<size_t>(i)] == 0 ? 1 : -1, eta = s.rate.at(3.0 + static_cast<double>(step) + 1);
            double f = b;
            for (size_t j = 0; j < w.size(); ++j) f += w[j] * (rows.dense()(i, static_cast<int64_t>(j)) - 0.25);
            const double g = weights[static_cast<size_t>(i)] * loss.slope(f, y);
            for (size_t j = 0; j < w.size(); ++j)
                w[j] = w[j] * (1 - eta * 0.01) - eta * g * (rows.dense()(i, static_cast<int64_t>(j)) - 0.25);
            b -= eta * g;
        }
    CHECK(close(b, dense.intercept[0], 1e-9) && close(b, sparse.intercept[0], 1e-9));
    for (size_t j = 0; j < w.size(); ++j) CHECK(close(w[j], dense.coef[j], 1e-9));
}

static void one_batch_after_the_other_is_all_of_them(const Both &rows) {
    const std::vector<double> zeros(static_cast<size_t>(rows.p)), ones(zeros.size(), 1.0);
    const Truth truth{nullptr, rows.codes.data()};
    const int32_t unit = 0;
    for (const Optimizer optimizer : {Optimizer::plain, Optimizer::momentum, Optimizer::nesterov, Optimizer::adam}) {
        DescentSettings s{{LossKind::logistic, 0}, {RateKind::constant, 0.1, 0, 0.01, 0}, 0.01, 0.3, true, optimizer, 0.9, 8, 0};
        Weights whole(rows.p), parts(rows.p), sparse(rows.p);
        descend_batches(rows.dense(), zeros.data(), ones.data(), truth, rows.course(), {0, rows.n}, s, &unit, 1, whole.units());
        descend_batches(rows.sparse(), nullptr, truth, rows.course(), {0, rows.n}, s, &unit, 1, sparse.units());
        for (int64_t first = 0; first < rows.n; first += 8) {
            const Range part{first, std::min(first + 8, rows.n)};
            descend_batches(rows.dense(), zeros.data(), ones.data(), truth, rows.course(), part, s, &unit, 1, parts.units());
            s.first_step += 1;
        }
        CHECK(whole.coef == parts.coef && whole.intercept == parts.intercept);
        for (size_t j = 0; j < whole.coef.size(); ++j) CHECK(close(whole.coef[j], sparse.coef[j], 1e-10));
    }
}

static void perceptrons_agree(const Both &rows) {
    const std::vector<double> zeros(static_cast<size_t>(rows.p)), ones(zeros.size(), 1.0);
    const int32_t unit = 0;
    const size_t p = zeros.size(), n = static_cast<size_t>(rows.n);
    std::vector<double> w[4], late[4], counts[4], counts_late[4], gram(n * n), scores(n);
    double b[4] = {}, b_late[4] = {}, time[4] = {};
    int64_t mistakes[4] = {}, next[4] = {};
    for (int k = 0; k < 4; ++k) w[k].resize(p), late[k].resize(p), counts[k].resize(n), counts_late[k].resize(n);
    const auto to = [&](int k) {
        return PerceptronUnits{w[k].data(), b + k, late[k].data(), b_late + k, time + k, counts[k].data(), counts_late[k].data(),
                               mistakes + k, next + k};
    };
    perceptron_pass(rows.dense(), zeros.data(), ones.data(), rows.codes.data(), rows.course(), 0, false, 1.0, true, &unit, 1, to(0));
    while (next[1] < rows.n)  // the same, interrupted after every mistake
        perceptron_pass(rows.sparse(), nullptr, rows.codes.data(), rows.course(), next[1], true, 1.0, true, &unit, 1, to(1));
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            gram[i * n + j] = 1;
            for (size_t c = 0; c < p; ++c) gram[i * n + j] += rows.cells[i * p + c] * rows.cells[j * p + c];
        }
    while (next[2] < rows.n)
        kernel_perceptron_pass(row_major<const double>(gram.data(), rows.n, rows.n), rows.codes.data(), rows.course(), next[2],
                               true, &unit, 1,
                               {scores.data(), counts[2].data(), counts_late[2].data(), time + 2, mistakes + 2, next + 2});
    CHECK(mistakes[0] == mistakes[1] && mistakes[0] == mistakes[2] && counts[0] == counts[1] && counts[0] == counts[2]);
    CHECK(counts_late[0] == counts_late[1] && counts_late[0] == counts_late[2]);
    CHECK(time[0] == static_cast<double>(rows.n) && time[1] == time[0] && time[2] == time[0]);
    for (size_t j = 0; j < p; ++j) CHECK(close(w[0][j], w[1][j], 1e-12) && close(late[0][j], late[1][j], 1e-12));

    // A mean taken off: dense cells lose it, sparse ones keep their zeros.
    const std::vector<double> mean(p, 0.3);
    std::fill(w[0].begin(), w[0].end(), 0.0), std::fill(late[0].begin(), late[0].end(), 0.0);
    b[0] = b_late[0] = time[0] = 0, mistakes[0] = 0;
    perceptron_pass(rows.dense(), mean.data(), ones.data(), rows.codes.data(), rows.course(), 0, false, 1.0, true, &unit, 1, to(0));
    while (next[3] < rows.n)
        perceptron_pass(rows.sparse(), mean.data(), rows.codes.data(), rows.course(), next[3], true, 1.0, true, &unit, 1, to(3));
    CHECK(mistakes[0] == mistakes[3] && b[0] == b[3]);
    for (size_t j = 0; j < p; ++j) CHECK(close(w[0][j], w[3][j], 1e-9) && close(late[0][j], late[3][j], 1e-9));
}

static void winnow_is_that_of_a_plain_loop(const Both &rows, bool eliminates) {
    const int32_t unit = 0;
    std::vector<double> up(static_cast<size_t>(rows.p), 1.0), wanted = up;
    int64_t promotions = 0, demotions = 0, mistakes = 0;
    winnow_pass(rows.sparse(), rows.codes.data(), rows.course(), {1.5, 2.0, eliminates}, &unit, 1,
                {up.data(), nullptr, &promotions, &demotions});
    const Order order(rows.n, 1, 2, true);
    for (int64_t step = 0; step < rows.n; ++step) {
        const int64_t i = order[step];
        double sum = 0;
        for (int64_t j = 0; j < rows.p; ++j) sum += rows.dense()(i, j) != 0 ? wanted[static_cast<size_t>(j)] : 0;
        const bool truth = rows.codes[static_cast<size_t>(i)] == 0;
        if ((sum > 1.5) == truth) continue;
        ++mistakes;
        for (int64_t j = 0; j < rows.p; ++j)
            if (double &x = wanted[static_cast<size_t>(j)]; rows.dense()(i, j) != 0) x = truth ? 2 * x : eliminates ? 0 : x / 2;
    }
    CHECK(up == wanted && promotions + demotions == mistakes);
}

static void sums_are_those_of_a_plain_loop(const Both &rows) {
    const size_t p = static_cast<size_t>(rows.p);
    std::vector<double> sums(p), squares(p), there(p), scaled(rows.values.size()), factor = numbers<double>(rows.p, 9);
    const std::vector<double> weights = numbers<double>(rows.n, 8);
    add_column_sums(rows.sparse(), weights.data(), sums.data(), squares.data(), there.data());
    for (size_t j = 0; j < p; ++j) {
        double s = 0, q = 0, t = 0;
        for (size_t i = 0; i < weights.size(); ++i) {
            const double x = rows.cells[i * p + j];
            s += weights[i] * x, q += weights[i] * x * x, t += x != 0 ? weights[i] : 0;
        }
        CHECK(close(s, sums[j], 1e-12) && close(q, squares[j], 1e-12) && close(t, there[j], 1e-12));
    }
    scale_columns(rows.sparse(), factor.data(), scaled.data());
    for (size_t e = 0; e < scaled.size(); ++e)
        CHECK(scaled[e] == rows.values[e] * factor[static_cast<size_t>(rows.columns[e])]);
}

static void rows_that_point_outside_are_refused(Both rows) {
    if (rows.columns.empty()) return;
    rows.columns.back() = static_cast<int32_t>(rows.p);
    std::vector<double> sums(static_cast<size_t>(rows.p));
    bool refused = false;
    try {
        add_column_sums(rows.sparse(), nullptr, sums.data(), sums.data(), sums.data());
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    CHECK(refused);
}

void test_online() {
    an_order_holds_every_row_once();
    everywhere([] {
        for (const auto [n, p] : odd_shapes) {
            if (n > 300) continue;
            const Both rows(n, p);
            for (const LossKind kind : {LossKind::hinge, LossKind::logistic, LossKind::exponential, LossKind::squared})
                for (const double l1_ratio : {0.0, 0.5}) steps_are_those_of_a_plain_loop(rows, {kind, 0}, l1_ratio);
            one_batch_after_the_other_is_all_of_them(rows);
            perceptrons_agree(rows);
            winnow_is_that_of_a_plain_loop(rows, false);
            winnow_is_that_of_a_plain_loop(rows, true);
            sums_are_those_of_a_plain_loop(rows);
            rows_that_point_outside_are_refused(rows);
        }
    });
}

}  // namespace learnt::test
