// Kernel values, sums of them, and the machines that learn such sums.
#include <cmath>
#include <vector>

#include "bind/csr.hpp"
#include "bind/options.hpp"
#include "kernel/dual_solver.hpp"
#include "kernel/other_rows.hpp"

namespace learnt::bind {
namespace {

constexpr int64_t end_fields = 8;

// Problems over rows of one table: problem b has the rows ids[starts[b]], …, and as many targets, bounds and coefficients.
struct Problems {
    const int64_t *starts, *ids;
    int64_t count;
    const double *target, *low, *high;
    double epsilon;
    double *beta, *values, *ends;

    // solve(ids, n) makes the source of one problem and hands it to the solver.
    template <class Make>
    void solve(const DualLimits &limits, const Make &make) const {
        const auto one = [&](int64_t b) {
            const int64_t first = starts[b], n = starts[b + 1] - first;
            auto source = make(ids + first, n);
            DualSolver solver(source, {target + first, low + first, high + first, epsilon}, n, limits, beta + first);
            const DualEnd e = solver.solve();
            std::copy(solver.values().begin(), solver.values().end(), values + first);
            const double end[end_fields] = {e.offset,
                                            e.violation,
                                            e.objective,
                                            e.gap,
                                            static_cast<double>(e.rounds),
                                            static_cast<double>(e.steps),
                                            static_cast<double>(e.values),
                                            e.unbounded ? 2.0 : e.converged ? 0.0 : 1.0};
            std::copy_n(end, end_fields, ends + b * end_fields);
        };
        // One problem is solved by all threads, several side by side, each by one.
        if (count == 1) return one(0);
        run_blocks(count, [&](int64_t b, Job &) { one(b); });
    }
};

Problems problems(int64_t n_rows, const In<int64_t> &starts, const In<int64_t> &ids, const In<double> &target, const In<double> &low,
                  const In<double> &high, double epsilon, const Out<double> &beta, const Out<double> &values,
                  const Out2<double> &ends) {
    const int64_t count = size(starts) - 1, total = size(ids);
    if (count < 0) refuse("'starts' is empty. Expected one number more than there are problems.");
    const int64_t *at = data("starts", starts), *id = data("ids", ids);
    bool rising = at[0] == 0 && at[count] == total;
    for (int64_t b = 0; b < count; ++b) rising = rising && at[b] <= at[b + 1];
    if (!rising) refuse("'starts' does not rise from 0 to the number of ids, " + std::to_string(total) + ".");
    for (int64_t k = 0; k < total; ++k)
        if (id[k] < 0 || id[k] >= n_rows) refuse("'ids' has " + std::to_string(id[k]) + ", which is not the number of a row.");
    const Problems p{at,
                     id,
                     count,
                     vector("target", target, total),
                     vector("low", low, total),
                     vector("high", high, total),
                     epsilon,
                     vector("beta", beta, total),
                     vector("values", values, total),
                     matrix("ends", ends, count, end_fields)};
    for (int64_t k = 0; k < total; ++k)
        if (!(p.low[k] <= p.beta[k] && p.beta[k] <= p.high[k]) || !std::isfinite(p.beta[k]) || !std::isfinite(p.target[k]))
            refuse("'beta' or 'target' is not finite or not within its bounds.");
    return p;
}

DualLimits limits_of(double tolerance, int64_t working, int64_t rounds, double most_objective, bool shrinking) {
    if (working < 2) refuse("'working' is " + std::to_string(working) + ". Expected 2 or more.");
    if (std::isnan(tolerance) || std::isnan(most_objective))  // below which nothing is: all rounds would be made
        refuse("'tolerance' or 'most_objective' is NaN. Expected a number.");
    return {tolerance, std::min<int64_t>(working, 4096), rounds, most_objective, shrinking};
}

Csr<double> checked(const Csr<double> &x) {
    for (int64_t i = 0; i < x.rows; ++i) x.row(i);  // throws if a cell lies outside
    return x;
}

struct Query {
    QueryRows rows;
    std::vector<double> squares;
    Query(const In2<double> &y, int64_t p) : squares(static_cast<size_t>(size(y))) {
        rows = {matrix("queries", y, size(y), p), nullptr, size(y), p};
        for (int64_t q = 0; q < rows.count; ++q) squares[static_cast<size_t>(q)] = square_of(rows.row(q), p);
        rows.squares = squares.data();
    }
};

// Rows of a mixed table have as many cells as its columns take, and are dense.
void check_columns(const Kernel &kernel, int64_t p) {
    if (kernel.kind != KernelKind::mixed) return;
    const MixedColumns &c = kernel.mixed;
    const int64_t least = std::min({c.numbers, c.codes, c.gapped_numbers, c.gapped_codes});
    const int64_t most = std::max({c.numbers, c.codes, c.gapped_numbers, c.gapped_codes});
    if (least < 0 || most > p || c.width() != p)
        refuse("The rows have " + std::to_string(p) + " cells, which are not those of the columns of the mixed kernel.");
}
void check_sparse(const Kernel &kernel) {
    if (kernel.kind == KernelKind::mixed) refuse("The mixed kernel takes dense rows.");
}

}  // namespace

void bind_machines(nb::module_ &m) {
    bind_options<Kernel>(m, "Kernel", "A kernel: which, and its parameters.",
                         field("kind", &Kernel::kind, {"linear", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "mixed"}),
                         field("gamma", &Kernel::gamma), field("constant", &Kernel::constant), field("degree", &Kernel::degree),
                         field("numbers", [](Kernel &k) -> int64_t & { return k.mixed.numbers; }),
                         field("codes", [](Kernel &k) -> int64_t & { return k.mixed.codes; }),
                         field("gapped_numbers", [](Kernel &k) -> int64_t & { return k.mixed.gapped_numbers; }),
                         field("gapped_codes", [](Kernel &k) -> int64_t & { return k.mixed.gapped_codes; }));
    m.def(
        "kernel_values",
        [](const Kernel &kernel, const In2<double> &x, const In2<double> &queries, const Out2<double> &out) {
            const int64_t n = size(x), p = size(x, 1);
            check_columns(kernel, p);
            const Matrix<const double> rows = row_major(matrix("x", x, n, p), n, p);
            const Query query(queries, p);
            double *to = matrix("out", out, query.rows.count, n);
            const nb::gil_scoped_release unlocked;
            const PackedRows packed(rows, nullptr, n);
            write_kernel_values(kernel, packed, query.rows, to, n);
        },
        nb::arg("kernel"), nb::arg("x").noconvert(), nb::arg("queries").noconvert(), nb::arg("out").noconvert(),
        "out[q, i] = k(query q, row i of x).");
    m.def(
        "add_kernel_sums",
        [](const Kernel &kernel, const In2<double> &x, const In2<double> &queries, const In2<double> &weights,
           const Out2<double> &sums) {
            const int64_t n = size(x), p = size(x, 1), outputs = size(weights, 1);
            check_columns(kernel, p);
            const Matrix<const double> rows = row_major(matrix("x", x, n, p), n, p);
            const Query query(queries, p);
            const double *w = matrix("weights", weights, query.rows.count, outputs);
            double *to = matrix("sums", sums, n, outputs);
            const nb::gil_scoped_release unlocked;
            const PackedRows packed(rows, nullptr, n);
            add_kernel_sums(kernel, packed, query.rows, w, outputs, to);
        },
        nb::arg("kernel"), nb::arg("x").noconvert(), nb::arg("queries").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("sums").noconvert(), "sums[i, m] += Σ_q weights[q, m] k(query q, row i of x).");
    m.def(
        "kernel_values_csr",
        [](const Kernel &kernel, const In<double> &values, const In<int32_t> &indices, const Offsets &indptr,
           const In<double> &query_values, const In<int32_t> &query_indices, const Offsets &query_indptr, int64_t n_columns,
           const Out2<double> &out) {
            check_sparse(kernel);
            const Csr<double> x = checked(sparse(values, indices, indptr, n_columns));
            const Csr<double> y = checked(sparse(query_values, query_indices, query_indptr, n_columns));
            double *to = matrix("out", out, y.rows, x.rows);
            const nb::gil_scoped_release unlocked;
            const int64_t n = x.rows;
            each_sparse_value(kernel, {y, nullptr, y.rows}, {x, nullptr, n},
                              [=](int64_t q, int64_t k, double value) { to[q * n + k] = value; });
        },
        nb::arg("kernel"), nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("query_data").noconvert(), nb::arg("query_indices").noconvert(), nb::arg("query_indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("out").noconvert(), "The same of sparse rows.");
    m.def(
        "solve_machines",
        [](const Kernel &kernel, const In2<double> &x, const In<int64_t> &starts, const In<int64_t> &ids,
           const In<double> &target, const In<double> &low, const In<double> &high, double epsilon, double tolerance,
           int64_t working, int64_t rounds, double most_objective, bool shrinking, const Out<double> &beta,
           const Out<double> &values, const Out2<double> &ends) {
            const int64_t n = size(x), p = size(x, 1);
            check_columns(kernel, p);
            const Matrix<const double> rows = row_major(matrix("x", x, n, p), n, p);
            const Problems all = problems(n, starts, ids, target, low, high, epsilon, beta, values, ends);
            const DualLimits limits = limits_of(tolerance, working, rounds, most_objective, shrinking);
            const nb::gil_scoped_release unlocked;
            all.solve(limits, [&](const int64_t *chosen, int64_t count) { return DenseKernelRows(kernel, rows, chosen, count); });
        },
        nb::arg("kernel"), nb::arg("x").noconvert(), nb::arg("starts").noconvert(), nb::arg("ids").noconvert(),
        nb::arg("target").noconvert(), nb::arg("low").noconvert(), nb::arg("high").noconvert(), nb::arg("epsilon"),
        nb::arg("tolerance"), nb::arg("working"), nb::arg("rounds"), nb::arg("most_objective"), nb::arg("shrinking"),
        nb::arg("beta").noconvert(), nb::arg("values").noconvert(), nb::arg("ends").noconvert(),
        "Minimise ½ βᵀKβ − targetᵀβ + epsilon |β| within the bounds, Σβ staying as it is, for each problem.\n\nUpdates beta; "
        "writes Kβ into values, and per problem into ends:\noffset, violation, objective, gap, rounds, steps, kernel values,\n"
        "and how it ended (0 converged, 1 not, 2 without bound).");
    m.def(
        "solve_machines_csr",
        [](const Kernel &kernel, const In<double> &data, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const In<int64_t> &starts, const In<int64_t> &ids, const In<double> &target, const In<double> &low,
           const In<double> &high, double epsilon, double tolerance, int64_t working, int64_t rounds, double most_objective,
           bool shrinking, const Out<double> &beta, const Out<double> &values, const Out2<double> &ends) {
            check_sparse(kernel);
            const Csr<double> x = checked(sparse(data, indices, indptr, n_columns));
            const Problems all = problems(x.rows, starts, ids, target, low, high, epsilon, beta, values, ends);
            const DualLimits limits = limits_of(tolerance, working, rounds, most_objective, shrinking);
            const nb::gil_scoped_release unlocked;
            all.solve(limits, [&](const int64_t *chosen, int64_t) { return SparseKernelRows(kernel, x, chosen); });
        },
        nb::arg("kernel"), nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("starts").noconvert(), nb::arg("ids").noconvert(), nb::arg("target").noconvert(),
        nb::arg("low").noconvert(), nb::arg("high").noconvert(), nb::arg("epsilon"), nb::arg("tolerance"),
        nb::arg("working"), nb::arg("rounds"), nb::arg("most_objective"), nb::arg("shrinking"), nb::arg("beta").noconvert(),
        nb::arg("values").noconvert(), nb::arg("ends").noconvert(), "The same on sparse rows.");
    m.def(
        "solve_machines_gram",
        [](const In2<double> &gram, const In<int64_t> &starts, const In<int64_t> &ids, const In<double> &target,
           const In<double> &low, const In<double> &high, double epsilon, double tolerance, int64_t working, int64_t rounds,
           double most_objective, bool shrinking, const Out<double> &beta, const Out<double> &values, const Out2<double> &ends) {
            const int64_t n = size(gram);
            const double *K = matrix("gram", gram, n, n);
            const Problems all = problems(n, starts, ids, target, low, high, epsilon, beta, values, ends);
            const DualLimits limits = limits_of(tolerance, working, rounds, most_objective, shrinking);
            const nb::gil_scoped_release unlocked;
            all.solve(limits, [&](const int64_t *chosen, int64_t) { return GivenKernelRows(K, n, chosen); });
        },
        nb::arg("gram").noconvert(), nb::arg("starts").noconvert(), nb::arg("ids").noconvert(),
        nb::arg("target").noconvert(), nb::arg("low").noconvert(), nb::arg("high").noconvert(), nb::arg("epsilon"),
        nb::arg("tolerance"), nb::arg("working"), nb::arg("rounds"), nb::arg("most_objective"), nb::arg("shrinking"),
        nb::arg("beta").noconvert(), nb::arg("values").noconvert(), nb::arg("ends").noconvert(),
        "The same on a Gram matrix.");
}

}  // namespace learnt::bind
