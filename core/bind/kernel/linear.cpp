// Linear machines: dual coordinate descent, and primal for those with few coefficients.
#include <vector>

#include "bind/csr.hpp"
#include "bind/options.hpp"
#include "kernel/linear_primal.hpp"

namespace learnt::bind {
namespace {

constexpr int64_t end_fields = 6;

// What the rows of a problem are asked, and where the answers go.
struct Asked {
    Truth truth;
    const double *cost;
    const int32_t *units;
    int64_t count;
    double *beta, *coef, *ends;
    std::vector<MachineEnd> found;

    Asked(int64_t n, int64_t p, const Maybe<In<double>> &values, const Maybe<In<int32_t>> &codes, const In<double> &costs,
          const In<int32_t> &which, const Maybe<Out2<double>> &betas, const Out2<double> &coefs, const Out2<double> &end)
        : truth{vector("values", values, n), vector("codes", codes, n)},
          cost(vector("cost", costs, n)),
          units(data("units", which)),
          count(size(which)),
          beta(betas ? matrix("beta", *betas, count, n) : nullptr),
          coef(matrix("coef", coefs, count, p)),
          ends(matrix("ends", end, count, end_fields)),
          found(static_cast<size_t>(count)) {
        if (values.has_value() == codes.has_value()) refuse("Expected either 'values' or 'codes'.");
        if (n > std::numeric_limits<int32_t>::max()) refuse("There are more rows than 32 bits can count.");
        for (int64_t i = 0; i < n; ++i)
            if (!(cost[i] >= 0) || !std::isfinite(cost[i])) refuse("'cost' is negative or not finite.");
        for (int64_t u = 0; u < count; ++u) found[static_cast<size_t>(u)].intercept = ends[u * end_fields];
    }

    void write() const {
        for (int64_t u = 0; u < count; ++u) {
            const MachineEnd &e = found[static_cast<size_t>(u)];
            const double end[end_fields] = {e.intercept, e.objective, e.gap, e.violation, static_cast<double>(e.rounds),
                                            e.converged ? 1.0 : 0.0};
            std::copy_n(end, end_fields, ends + u * end_fields);
        }
    }
};

template <class T>
Csr<T> checked(const Csr<T> &x) {
    for (int64_t i = 0; i < x.rows; ++i) x.row(i);  // throws if a cell lies outside
    return x;
}

template <class T>
void bind_sparse(nb::module_ &m) {
    m.def(
        "solve_linear_duals_csr",
        [](const In<T> &data, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const Maybe<In<double>> &values, const Maybe<In<int32_t>> &codes, const In<double> &cost,
           const MachineSettings &settings, const In<int32_t> &units, const Out2<double> &beta, const Out2<double> &coef,
           const Out2<double> &ends) {
            const SparseCells<T> x{checked(sparse(data, indices, indptr, n_columns)), n_columns};
            Asked asked(x.x.rows, n_columns, values, codes, cost, units, beta, coef, ends);
            {
                const nb::gil_scoped_release unlocked;
                solve_linear_duals(x, x.x.rows, asked.truth, asked.cost, settings, asked.units, asked.count, asked.beta,
                                   asked.coef, asked.found.data());
            }
            asked.write();
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("n_columns"),
        nb::arg("values").noconvert().none(), nb::arg("codes").noconvert().none(), nb::arg("cost").noconvert(),
        nb::arg("settings"), nb::arg("units").noconvert(), nb::arg("beta").noconvert(), nb::arg("coef").noconvert(),
        nb::arg("ends").noconvert(), "The same on sparse rows.");
}

}  // namespace

void bind_linear_machines(nb::module_ &m) {
    bind_options<MachineSettings>(m, "MachineSettings", "The loss of a linear machine, and when its solver ends.",
                                  field("classes", &MachineSettings::classes), field("squared", &MachineSettings::squared),
                                  field("epsilon", &MachineSettings::epsilon), field("tolerance", &MachineSettings::tolerance),
                                  field("rounds", &MachineSettings::rounds), field("seed", &MachineSettings::seed),
                                  field("intercept", &MachineSettings::intercept));
    m.def(
        "solve_linear_duals",
        [](const In2<double> &x, const Maybe<In<double>> &values, const Maybe<In<int32_t>> &codes, const In<double> &cost,
           const MachineSettings &settings, const In<int32_t> &units, const Out2<double> &beta, const Out2<double> &coef,
           const Out2<double> &ends) {
            const int64_t n = size(x), p = size(x, 1);
            const DenseCells cells{matrix("x", x, n, p), p};
            Asked asked(n, p, values, codes, cost, units, beta, coef, ends);
            {
                const nb::gil_scoped_release unlocked;
                solve_linear_duals(cells, n, asked.truth, asked.cost, settings, asked.units, asked.count, asked.beta,
                                   asked.coef, asked.found.data());
            }
            asked.write();
        },
        nb::arg("x").noconvert(), nb::arg("values").noconvert().none(), nb::arg("codes").noconvert().none(),
        nb::arg("cost").noconvert(), nb::arg("settings"), nb::arg("units").noconvert(), nb::arg("beta").noconvert(),
        nb::arg("coef").noconvert(), nb::arg("ends").noconvert(),
        "Minimise ½|w|² + Σ cost · loss for each unit, by its dual.\n\nA unit tells its class from all others, or fits the "
        "values.\nUpdates beta (units × rows); writes coef (units × columns), and per unit into ends:\nintercept (read as "
        "the first guess), objective, gap, violation, rounds, converged.");
    bind_sparse<float>(m);
    bind_sparse<double>(m);
    m.def(
        "solve_linear_l1",
        [](const In2<double> &columns, const In<int32_t> &codes, const In<double> &cost, const MachineSettings &settings,
           const In<int32_t> &units, const Out2<double> &coef, const Out2<double> &ends) {
            const int64_t p = size(columns), n = size(columns, 1);
            const DenseCells cells{matrix("columns", columns, p, n), n};
            Asked asked(n, p, std::nullopt, codes, cost, units, std::nullopt, coef, ends);
            {
                const nb::gil_scoped_release unlocked;
                solve_linear_l1(cells, p, asked.truth, asked.cost, settings, asked.units, asked.count, asked.coef,
                                asked.found.data());
            }
            asked.write();
        },
        nb::arg("columns").noconvert(), nb::arg("codes").noconvert(), nb::arg("cost").noconvert(), nb::arg("settings"),
        nb::arg("units").noconvert(), nb::arg("coef").noconvert(), nb::arg("ends").noconvert(),
        "Minimise |w|₁ + Σ cost · squared hinge loss for each unit; the matrix is given by columns.");
    m.def(
        "solve_linear_l1_csc",
        [](const In<double> &data, const In<int32_t> &indices, const Offsets &indptr, int64_t n_rows, const In<int32_t> &codes,
           const In<double> &cost, const MachineSettings &settings, const In<int32_t> &units, const Out2<double> &coef,
           const Out2<double> &ends) {
            const SparseCells<double> cells{checked(sparse(data, indices, indptr, n_rows)), n_rows};
            const int64_t p = cells.x.rows;
            Asked asked(n_rows, p, std::nullopt, codes, cost, units, std::nullopt, coef, ends);
            {
                const nb::gil_scoped_release unlocked;
                solve_linear_l1(cells, p, asked.truth, asked.cost, settings, asked.units, asked.count, asked.coef,
                                asked.found.data());
            }
            asked.write();
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("n_rows"),
        nb::arg("codes").noconvert(), nb::arg("cost").noconvert(), nb::arg("settings"), nb::arg("units").noconvert(),
        nb::arg("coef").noconvert(), nb::arg("ends").noconvert(), "The same on sparse columns.");
}

}  // namespace learnt::bind
