// Coordinate descent on dense columns, sparse columns and cross products: one minimum, and its conditions hold.
#include "linear/coordinate_descent.hpp"
#include "tests/check.hpp"

namespace learnt::test {

struct LassoCase {
    int64_t n, p;
    std::vector<double> x, y, mean, square, share;  // x by columns

    LassoCase(int64_t rows, int64_t columns, bool weighted) : n(rows), p(columns) {
        x = numbers<double>(n * p, 1), y = numbers<double>(n, 2);
        for (size_t e = 0; e < x.size(); ++e)
            if (x[e] < 0.4) x[e] = 0;
        const std::vector<double> w = numbers<double>(n, 3);
        double total = 0;
        for (const double v : w) total += weighted ? v : 1.0;
        for (const double v : w) share.push_back((weighted ? v : 1.0) / total);
        double target = 0;
        for (int64_t i = 0; i < n; ++i) target += at(share, i) * at(y, i);
        for (double &v : y) v -= target;
        for (int64_t j = 0; j < p; ++j) {
            double m = 0, s = 0;
            for (int64_t i = 0; i < n; ++i) m += at(share, i) * at(x, j * n + i);
            for (int64_t i = 0; i < n; ++i) s += at(share, i) * std::pow(at(x, j * n + i) - m, 2);
            mean.push_back(m), square.push_back(s);
        }
    }
    static double at(const std::vector<double> &v, int64_t e) { return v[static_cast<size_t>(e)]; }

    double cross(int64_t j, const std::vector<double> &v) const {
        double sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += at(share, i) * (at(x, j * n + i) - at(mean, j)) * at(v, i);
        return sum;
    }
    std::vector<double> left(const std::vector<double> &b) const {
        std::vector<double> r = y;
        for (int64_t j = 0; j < p; ++j)
            for (int64_t i = 0; i < n; ++i)
                r[static_cast<size_t>(i)] -= at(b, j) * (at(x, j * n + i) - at(mean, j));
        return r;
    }
};

template <class Columns>
static std::vector<double> by_rows(const LassoCase &lasso, const Columns &columns, const double *share, const Penalty &penalty) {
    std::vector<double> b(static_cast<size_t>(lasso.p)), q, seen_q(static_cast<size_t>(lasso.n) + 1), seen_c(b), c(b);
    for (int64_t i = 0; i < lasso.n; ++i) q.push_back(LassoCase::at(lasso.share, i) * LassoCase::at(lasso.y, i));
    q.push_back(0);
    RowProblem<Columns> problem{columns, share, q.data(), seen_q.data(), seen_c.data(), c.data()};
    const Descended found = descend(problem, penalty, {1e-14, 0.5, 20000}, b.data());
    CHECK(found.gap <= 1e-12);
    return b;
}

static void one_minimum(int64_t n, int64_t p, bool weighted, int64_t group) {
    const LassoCase lasso(n, p, weighted);
    std::vector<int64_t> starts;
    for (int64_t j = 0; j < p; j += group) starts.push_back(j);
    const size_t groups = starts.size();
    starts.push_back(p);
    std::vector<double> step(groups), l1(groups, 0.01), l2(groups, 0.001);
    for (size_t g = 0; g < groups; ++g)
        for (int64_t j = starts[g]; j < starts[g + 1]; ++j) step[g] += LassoCase::at(lasso.square, j);
    const Penalty penalty{{starts.data(), static_cast<int64_t>(groups)}, step.data(), l1.data(), l2.data(), false};

    const double *share = weighted ? lasso.share.data() : nullptr;
    const DenseColumns<double> dense{{lasso.x.data(), n, p, 1, n}, lasso.mean.data()};
    const std::vector<double> b = by_rows(lasso, dense, share, penalty);

    std::vector<double> values;
    std::vector<int32_t> rows;
    std::vector<int64_t> offsets{0};
    for (int64_t j = 0; j < p; ++j) {
        for (int64_t i = 0; i < n; ++i)
            if (const double v = LassoCase::at(lasso.x, j * n + i); v != 0)
                values.push_back(v), rows.push_back(static_cast<int32_t>(i));
        offsets.push_back(static_cast<int64_t>(values.size()));
    }
    const Csr<double> csc{values.data(), rows.data(), nullptr, offsets.data(), p, n, static_cast<int64_t>(values.size())};
    const std::vector<double> sparse = by_rows(lasso, SparseColumns<double>{csc, lasso.mean.data()}, share, penalty);

    std::vector<double> gram(static_cast<size_t>(p * p)), products, c;
    double target_square = 0;
    for (int64_t i = 0; i < n; ++i) target_square += LassoCase::at(lasso.share, i) * std::pow(LassoCase::at(lasso.y, i), 2);
    for (int64_t j = 0; j < p; ++j) {
        std::vector<double> column;
        for (int64_t i = 0; i < n; ++i) column.push_back(LassoCase::at(lasso.x, j * n + i) - LassoCase::at(lasso.mean, j));
        for (int64_t k = 0; k < p; ++k) gram[static_cast<size_t>(j * p + k)] = lasso.cross(k, column);
        products.push_back(lasso.cross(j, lasso.y));
    }
    c = products;
    std::vector<double> from_gram(static_cast<size_t>(p));
    GramProblem problem{gram.data(), products.data(), target_square, c.data(), from_gram.data(), p};
    descend(problem, penalty, {1e-14, 0.5, 20000}, from_gram.data());

    const std::vector<double> left = lasso.left(b);
    for (size_t g = 0; g < groups; ++g) {
        double size = 0, pull = 0;
        for (int64_t j = starts[g]; j < starts[g + 1]; ++j) size += std::pow(LassoCase::at(b, j), 2);
        size = std::sqrt(size);
        for (int64_t j = starts[g]; j < starts[g + 1]; ++j) {
            const double wanted = lasso.cross(j, left) - 0.001 * LassoCase::at(b, j);
            if (size > 0) CHECK(close(wanted, 0.01 * LassoCase::at(b, j) / size, 1e-5));
            pull += wanted * wanted;
            CHECK(close(LassoCase::at(b, j), LassoCase::at(sparse, j), 1e-4) && close(LassoCase::at(b, j), LassoCase::at(from_gram, j), 1e-4));
        }
        if (size == 0) CHECK(std::sqrt(pull) <= 0.01 * (1 + 1e-6));
    }
}

void test_penalised() {
    everywhere([] {
        for (const bool weighted : {false, true})
            for (const int64_t group : {1, 3})
                for (const Shape &shape : {Shape{30, 7}, Shape{9, 23}, Shape{1, 2}, Shape{5, 1}})
                    one_minimum(shape.n, shape.p, weighted, group);
    });
}

}  // namespace learnt::test
