// Kernel values of sparse rows, and values that are given; see kernel/dual_solver.hpp.
#pragma once

#include "base/csr.hpp"
#include "kernel/kernel.hpp"

namespace learnt {

// `sum`: x·y, for the Laplacian Σ |x − y|.
inline double kernel_of(const Kernel &kernel, double sum, double square, double other) {
    switch (kernel.kind) {
        case KernelKind::linear: return sum;
        case KernelKind::polynomial: {
            const double base = kernel.gamma * sum + kernel.constant;
            double value = 1, power = base;
            for (int64_t d = kernel.degree; d > 0; d /= 2, power *= power)
                if (d % 2) value *= power;
            return value;
        }
        case KernelKind::rbf: return std::exp(-kernel.gamma * std::max(square + other - 2 * sum, 0.0));
        case KernelKind::sigmoid: return std::tanh(kernel.gamma * sum + kernel.constant);
        case KernelKind::laplacian: return std::exp(-kernel.gamma * sum);
        case KernelKind::cosine: return square > 0 && other > 0 ? sum / std::sqrt(square * other) : 0;
        case KernelKind::mixed: return 0;  // of dense rows only
    }
    return 0;
}

// Rows of a sparse matrix whose cells are known to lie inside; `ids` are some of them, null for all.
struct SparseRows {
    const Csr<double> &x;
    const int64_t *ids;
    int64_t count;

    Range row(int64_t k) const {
        const int64_t i = ids ? ids[k] : k;
        return {x.offset(i), x.offset(i + 1)};
    }
};

// use(q, k, value) for every query and row; for each row in the order of the queries. A query is written out, then every
// row of a block meets it.
template <class Use>
void each_sparse_value(const Kernel &kernel, const SparseRows &queries, const SparseRows &rows, Use use) {
    const Blocks blocks = cut(rows.count, 256, 256);
    const Csr<double> &x = rows.x, &y = queries.x;
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        std::vector<double> written(static_cast<size_t>(x.columns));
        for (int64_t q = 0; q < queries.count; ++q) {
            job.check();
            const Range query = queries.row(q);
            double own = 0, absolute = 0;
            for (int64_t e = query.first; e < query.last; ++e) written[static_cast<size_t>(y.column[e])] += y.value[e];
            for (int64_t e = query.first; e < query.last; ++e) own += y.value[e] * y.value[e], absolute += std::abs(y.value[e]);
            for (int64_t k = blocks[b].first; k < blocks[b].last; ++k) {
                const Range row = rows.row(k);
                double sum = 0, square = 0;
                if (kernel.kind == KernelKind::laplacian) {
                    sum = absolute;
                    for (int64_t e = row.first; e < row.last; ++e) {
                        const double v = written[static_cast<size_t>(x.column[e])];
                        sum += std::abs(x.value[e] - v) - std::abs(v);
                    }
                } else {
                    for (int64_t e = row.first; e < row.last; ++e) {
                        sum += x.value[e] * written[static_cast<size_t>(x.column[e])];
                        square += x.value[e] * x.value[e];
                    }
                }
                use(q, k, kernel_of(kernel, sum, own, square));
            }
            for (int64_t e = query.first; e < query.last; ++e) written[static_cast<size_t>(y.column[e])] = 0;
        }
    });
}

class SparseKernelRows {
    const Kernel kernel_;
    const Csr<double> &x_;
    const int64_t *const chosen_;

  public:
    using Set = std::vector<int64_t>;  // places in x

    SparseKernelRows(const Kernel &kernel, const Csr<double> &x, const int64_t *chosen) : kernel_(kernel), x_(x), chosen_(chosen) {}

    Set pack(const std::vector<int64_t> &ids) const {
        Set places(ids);
        if (chosen_)
            for (int64_t &i : places) i = chosen_[i];
        return places;
    }

    void square(const std::vector<int64_t> &ids, double *out) const {
        const Set places = pack(ids);
        const auto n = static_cast<int64_t>(places.size());
        const SparseRows rows{x_, places.data(), n};
        each_sparse_value(kernel_, rows, rows, [=](int64_t q, int64_t k, double value) { out[q * n + k] = value; });
    }

    void add(const std::vector<int64_t> &ids, const std::vector<double> &change, const Set &set, double *F) const {
        const Set places = pack(ids);
        each_sparse_value(kernel_, {x_, places.data(), static_cast<int64_t>(places.size())},
                          {x_, set.data(), static_cast<int64_t>(set.size())},
                          [&, F](int64_t q, int64_t k, double value) { F[k] += change[static_cast<size_t>(q)] * value; });
    }
};

// A Gram matrix that the caller made.
class GivenKernelRows {
    const double *const gram_;
    const int64_t n_;
    const int64_t *const chosen_;

    double at(int64_t i, int64_t k) const { return gram_[(chosen_ ? chosen_[i] : i) * n_ + (chosen_ ? chosen_[k] : k)]; }

  public:
    using Set = std::vector<int64_t>;

    GivenKernelRows(const double *gram, int64_t n, const int64_t *chosen) : gram_(gram), n_(n), chosen_(chosen) {}

    Set pack(const std::vector<int64_t> &ids) const { return ids; }

    void square(const std::vector<int64_t> &ids, double *out) const {
        const size_t n = ids.size();
        for (size_t q = 0; q < n; ++q)
            for (size_t k = 0; k < n; ++k) out[q * n + k] = at(ids[q], ids[k]);
    }

    void add(const std::vector<int64_t> &ids, const std::vector<double> &change, const Set &set, double *F) const {
        const Blocks blocks = cut(static_cast<int64_t>(set.size()), 1024, 256);
        run_blocks(blocks.count, [&](int64_t b, Job &job) {
            for (size_t q = 0; q < ids.size(); ++q) {
                job.check();
                for (int64_t k = blocks[b].first; k < blocks[b].last; ++k)
                    F[k] += change[q] * at(ids[q], set[static_cast<size_t>(k)]);
            }
        });
    }
};

}  // namespace learnt
