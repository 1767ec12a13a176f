// Kernel values against plain loops, pairs of a working set, and machines whose optimality conditions hold.
#include "kernel/dual_solver.hpp"
#include "kernel/other_rows.hpp"
#include "tests/check.hpp"

namespace learnt::test {

static constexpr KernelKind every_kind[] = {KernelKind::linear,  KernelKind::polynomial, KernelKind::rbf,
                                            KernelKind::sigmoid, KernelKind::laplacian,  KernelKind::cosine};

static double plain_kernel(const Kernel &kernel, const double *a, const double *b, int64_t p) {
    double product = 0, square = 0, other = 0, apart = 0;
    for (int64_t j = 0; j < p; ++j) {
        product += a[j] * b[j], square += a[j] * a[j], other += b[j] * b[j], apart += std::abs(a[j] - b[j]);
    }
    return kernel_of(kernel, kernel.kind == KernelKind::laplacian ? apart : product, square, other);
}

static std::vector<double> plain_gram(const Kernel &kernel, const std::vector<double> &x, int64_t n, int64_t p) {
    std::vector<double> K;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = 0; k < n; ++k) K.push_back(plain_kernel(kernel, x.data() + i * p, x.data() + k * p, p));
    return K;
}

static std::vector<double> squares_of(const std::vector<double> &x, int64_t n, int64_t p) {
    std::vector<double> squares;
    for (int64_t i = 0; i < n; ++i) squares.push_back(square_of(x.data() + i * p, p));
    return squares;
}

static void values_and_sums_are_those_of_a_plain_loop(int64_t n, int64_t p, KernelKind kind) {
    const Kernel kernel{kind, 0.7, 0.3, 3};
    const int64_t m = n / 2 + 1, outputs = 2;
    std::vector<double> x = numbers<double>(n * p, 1), y = numbers<double>(m * p, 2);
    const std::vector<double> squares = squares_of(y, m, p), weights = numbers<double>(m * outputs, 3);
    const Matrix<const double> rows{x.data(), n, p, p, 1};
    const PackedRows packed(rows, nullptr, n);
    const QueryRows queries{y.data(), squares.data(), m, p};
    std::vector<double> gram(static_cast<size_t>(n * m)), sums(static_cast<size_t>(n * outputs), 1.0), one(static_cast<size_t>(n), 2.0);
    write_kernel_values(kernel, packed, queries, gram.data(), n);
    add_kernel_sums(kernel, packed, queries, weights.data(), outputs, sums.data());
    add_kernel_sums(kernel, packed, queries, weights.data(), 1, one.data());
    for (int64_t i = 0; i < n; ++i) {
        double wanted[3] = {1, 1, 2};
        for (int64_t q = 0; q < m; ++q) {
            const double value = plain_kernel(kernel, x.data() + i * p, y.data() + q * p, p);
            CHECK(close(gram[static_cast<size_t>(q * n + i)], value, 1e-12));
            for (int64_t o = 0; o < 2; ++o) wanted[o] += weights[static_cast<size_t>(q * outputs + o)] * value;
            wanted[2] += weights[static_cast<size_t>(q)] * value;
        }
        CHECK(close(sums[static_cast<size_t>(2 * i)], wanted[0], 1e-11) && close(sums[static_cast<size_t>(2 * i + 1)], wanted[1], 1e-11));
        CHECK(close(one[static_cast<size_t>(i)], wanted[2], 1e-11));
    }
}

// A problem of classes (epsilon 0) or of numbers, with every row its own bound.
struct Problem {
    int64_t n;
    std::vector<double> target, low, high;
    double epsilon;

    Problem(int64_t rows, double cost, double e) : n(rows), epsilon(e) {
        const std::vector<double> u = numbers<double>(n, 5), w = numbers<double>(n, 6);
        for (size_t i = 0; i < u.size(); ++i) {
            const double bound = cost * (0.5 + w[i]), y = u[i] < 0.5 ? -1 : 1;
            target.push_back(e > 0 ? 2 * u[i] - 1 : y);
            low.push_back(e > 0 || y < 0 ? -bound : 0), high.push_back(e > 0 || y > 0 ? bound : 0);
        }
    }
    DualRows rows() const { return {target.data(), low.data(), high.data(), epsilon}; }
};

// Σβ as at the start, within bounds, and no pair of rows that could lower the objective by more than the tolerance.
static void conditions_hold(const Problem &problem, const std::vector<double> &K, const std::vector<double> &beta, double tolerance) {
    double sum = 0, most = -std::numeric_limits<double>::infinity(), least = -most;
    const DualRows rows = problem.rows();
    for (int64_t i = 0; i < problem.n; ++i) {
        const double b = beta[static_cast<size_t>(i)];
        double f = 0;
        for (int64_t k = 0; k < problem.n; ++k) f += K[static_cast<size_t>(i * problem.n + k)] * beta[static_cast<size_t>(k)];
        CHECK(rows.low[i] <= b && b <= rows.high[i]);
        sum += b;
        most = std::max(most, rows.up(i, b, f)), least = std::min(least, rows.down(i, b, f));
    }
    CHECK(std::abs(sum) < 1e-9);
    CHECK(most - least <= tolerance);
}

static void pairs_reach_the_optimum(int64_t n, double cost, double epsilon) {
    const int64_t p = 4;
    const Kernel kernel{KernelKind::rbf, 0.5, 0, 3};
    const std::vector<double> x = numbers<double>(n * p, 1), K = plain_gram(kernel, x, n, p);
    const Problem problem(n, cost, epsilon);
    std::vector<double> beta(static_cast<size_t>(n)), F(static_cast<size_t>(n));
    run_blocks(1, [&](int64_t, Job &job) {
        solve_pairs(problem.rows(), n, K.data(), 1e-8, 1'000'000, beta.data(), F.data(), job);
    });
    conditions_hold(problem, K, beta, 1e-7);
}

template <class Source>
static std::vector<double> solved(Source source, const Problem &problem, const DualLimits &limits) {
    std::vector<double> beta(static_cast<size_t>(problem.n));
    DualSolver solver(source, problem.rows(), problem.n, limits, beta.data());
    const DualEnd end = solver.solve();
    CHECK(end.converged && !end.unbounded && end.violation <= limits.tolerance && end.gap >= -1e-9);
    return beta;
}

static void the_machine_does_not_depend_on_working_sets_and_storage(int64_t n, double epsilon, bool shrinking) {
    const int64_t p = 3;
    const Kernel kernel{KernelKind::rbf, 2.0, 0, 3};
    std::vector<double> x = numbers<double>(n * p, 1);
    const std::vector<double> K = plain_gram(kernel, x, n, p);
    const Problem problem(n, 1.0, epsilon);
    const DualLimits limits{1e-7, 16, 1 << 30, std::numeric_limits<double>::infinity(), shrinking};
    const Matrix<const double> rows{x.data(), n, p, p, 1};
    const std::vector<double> dense = solved(DenseKernelRows(kernel, rows, nullptr, n), problem, limits);
    conditions_hold(problem, K, dense, 2e-7);
    const std::vector<double> given = solved(GivenKernelRows(K.data(), n, nullptr), problem, limits);
    conditions_hold(problem, K, given, 2e-7);
    for (size_t i = 0; i < dense.size(); ++i) CHECK(close(dense[i], given[i], 1e-4));
}

// Two rows of opposite classes in one place: without bounds nothing separates them, and the solver says so.
static void rows_that_cannot_be_separated_end() {
    const std::vector<double> x{0, 0, 1, 1}, K = plain_gram({KernelKind::linear, 1, 0, 3}, x, 4, 1);
    const double infinite = std::numeric_limits<double>::infinity();
    const std::vector<double> target{1, -1, 1, -1}, low{0, -infinite, 0, -infinite}, high{infinite, 0, infinite, 0};
    std::vector<double> beta(4);
    GivenKernelRows source(K.data(), 4, nullptr);
    DualSolver solver(source, {target.data(), low.data(), high.data(), 0}, 4, {1e-3, 4, 50, 1e10, true}, beta.data());
    CHECK(solver.solve().unbounded);
}

void test_machines() {
    for (const Shape shape : {Shape{1, 1}, Shape{17, 5}, Shape{33, 9}, Shape{130, 8}})
        for (const KernelKind kind : every_kind)
            everywhere([&] { values_and_sums_are_those_of_a_plain_loop(shape.n, shape.p, kind); });
    for (const int64_t n : {2, 9, 61})
        for (const double cost : {0.01, 1.0, 100.0})
            for (const double epsilon : {0.0, 0.1}) pairs_reach_the_optimum(n, cost, epsilon);
    for (const double epsilon : {0.0, 0.1})
        for (const bool shrinking : {false, true})
            everywhere([&] { the_machine_does_not_depend_on_working_sets_and_storage(150, epsilon, shrinking); });
    rows_that_cannot_be_separated_end();
}

}  // namespace learnt::test
