// Clusters judged and made by distances: silhouettes, k-medoids.
#include "bind/arrays.hpp"
#include "bind/distance/measure.hpp"
#include "cluster/medoids.hpp"
#include "cluster/silhouette.hpp"

namespace learnt::bind {
namespace {

static Norm silhouette_norm(const std::string &name) {
    const Norm norm = norm_named(name);
    if (norm == Norm::lp || norm == Norm::hamming) refuse("'norm' is '" + name + "'. Expected 'l1', 'l2' or 'max'.");
    return norm;
}

// k different rows of n.
void check_medoids(const int64_t *medoids, int64_t k, int64_t n) {
    std::vector<uint8_t> seen(static_cast<size_t>(n), 0);
    for (int64_t i = 0; i < k; ++i) {
        if (medoids[i] < 0 || medoids[i] >= n || seen[static_cast<size_t>(medoids[i])])
            refuse("'medoids' has " + std::to_string(medoids[i]) + ". Expected different rows from 0 to " +
                   std::to_string(n - 1) + ".");
        seen[static_cast<size_t>(medoids[i])] = 1;
    }
}

struct MedoidArrays {
    MedoidState state;

    MedoidArrays(const In2<double> &distances, const Maybe<In<double>> &weights, const Out<int64_t> &medoids,
                 const Out<int32_t> &nearest, const Out<int32_t> &second, const Out<double> &to_nearest,
                 const Out<double> &to_second)
        : state{nullptr, nullptr, size(distances), size(medoids), nullptr, nullptr, nullptr, nullptr, nullptr} {
        const int64_t n = state.n;
        state.distances = matrix("distances", distances, n, n);
        state.weights = vector("weights", weights, n);
        state.medoids = data("medoids", medoids);
        state.nearest = vector("nearest", nearest, n);
        state.second = vector("second", second, n);
        state.to_nearest = vector("to_nearest", to_nearest, n);
        state.to_second = vector("to_second", to_second, n);
        if (state.k < 1 || state.k > n) refuse("There are " + std::to_string(state.k) + " medoids of " + std::to_string(n) + " rows.");
        check_medoids(state.medoids, state.k, n);
    }
};

}  // namespace

void bind_medoids(nb::module_ &m) {
    m.def(
        "silhouette_sums",
        [](const std::string &norm, const In2<double> &x, const In<int64_t> &own, const In2<double> &y,
           const In<int64_t> &start, const Maybe<In<double>> &weights, const Out<double> &within,
           const Out<double> &between, const Out<int64_t> &neighbour) {
            const Norm which = silhouette_norm(norm);
            const int64_t rows = size(x), p = size(x, 1), n = size(y), k = size(start) - 1;
            const double *asked = data("x", x), *others = matrix("y", y, n, p), *w = vector("weights", weights, n);
            const int64_t *label = vector("own", own, rows), *from = data("start", start);
            if (k < 1 || from[0] != 0 || from[k] != n) refuse("'start' does not go from 0 to the number of rows of y.");
            for (int64_t c = 0; c < k; ++c)
                if (from[c] > from[c + 1]) refuse("'start' goes down at cluster " + std::to_string(c) + ".");
            for (int64_t i = 0; i < rows; ++i)
                if (label[i] < -1 || label[i] >= k) refuse("'own' names a cluster that is not there.");
            double *a = vector("within", within, rows), *b = vector("between", between, rows);
            int64_t *near = vector("neighbour", neighbour, rows);
            const nb::gil_scoped_release unlocked;
            silhouette_sums(which, asked, rows, p, label, others, from, k, w, a, b, near);
        },
        nb::arg("norm"), nb::arg("x").noconvert(), nb::arg("own").noconvert(), nb::arg("y").noconvert(),
        nb::arg("start").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("within").noconvert(),
        nb::arg("between").noconvert(), nb::arg("neighbour").noconvert(),
        "Sums of distances to the own cluster, the least mean to another one, and which that is.");
    m.def(
        "nearest_medoids",
        [](const In2<double> &distances, const Out<int64_t> &medoids, const Out<int32_t> &nearest,
           const Out<int32_t> &second, const Out<double> &to_nearest, const Out<double> &to_second) {
            const MedoidArrays arrays(distances, std::nullopt, medoids, nearest, second, to_nearest, to_second);
            const nb::gil_scoped_release unlocked;
            find_nearest_medoids(arrays.state);
        },
        nb::arg("distances").noconvert(), nb::arg("medoids").noconvert(), nb::arg("nearest").noconvert(),
        nb::arg("second").noconvert(), nb::arg("to_nearest").noconvert(), nb::arg("to_second").noconvert(),
        "The nearest and the second nearest medoid of every row.");
    m.def(
        "swap_medoids",
        [](const In2<double> &distances, const Maybe<In<double>> &weights, const Out<int64_t> &medoids,
           const Out<int32_t> &nearest, const Out<int32_t> &second, const Out<double> &to_nearest,
           const Out<double> &to_second, bool eager, int64_t position, int64_t quiet) {
            const MedoidArrays arrays(distances, weights, medoids, nearest, second, to_nearest, to_second);
            const MedoidState &s = arrays.state;
            if (s.k < 2) refuse("There is one medoid. Expected at least two: one alone is found by its total distance.");
            if (position < 0 || position >= s.n || quiet < 0) refuse("'position' or 'quiet' is no number of rows.");
            for (int64_t o = 0; o < s.n; ++o)
                if (s.nearest[o] < 0 || s.nearest[o] >= s.k || s.second[o] < 0 || s.second[o] >= s.k)
                    refuse("'nearest' and 'second' do not name medoids. Call nearest_medoids first.");
            SwapReport report;
            {
                const nb::gil_scoped_release unlocked;
                report = swap_medoids(s, eager, position, quiet);
            }
            return nb::make_tuple(report.position, report.quiet, report.swaps, report.loss);
        },
        nb::arg("distances").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("medoids").noconvert(),
        nb::arg("nearest").noconvert(), nb::arg("second").noconvert(), nb::arg("to_nearest").noconvert(),
        nb::arg("to_second").noconvert(), nb::arg("eager"), nb::arg("position"), nb::arg("quiet"),
        "Up to n candidates tried as medoids; the next position, how many since a swap, swaps, the loss.");
    m.def(
        "build_medoids",
        [](const In2<double> &distances, const Maybe<In<double>> &weights, const Out<int64_t> &medoids) {
            const int64_t n = size(distances), k = size(medoids);
            const double *d = matrix("distances", distances, n, n), *w = vector("weights", weights, n);
            int64_t *to = data("medoids", medoids);
            if (k > n) refuse("There are " + std::to_string(k) + " medoids of " + std::to_string(n) + " rows.");
            const nb::gil_scoped_release unlocked;
            build_medoids(d, w, n, k, to);
        },
        nb::arg("distances").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("medoids").noconvert(),
        "PAM's greedy start: always the row that brings all rows most nearer to a medoid.");
}

}  // namespace learnt::bind
