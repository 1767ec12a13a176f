// Neighbours by brute force, and of given distances.
#include "bind/arrays.hpp"
#include "bind/distance/measure.hpp"
#include "bind/neighbors/index.hpp"
#include "neighbors/brute.hpp"
#include "neighbors/precomputed.hpp"

namespace learnt::bind {
namespace {

template <class T>
BruteRows<T> brute_rows(const In2<T> &x, const In<double> &shift, const In<double> &stretch, double unit, double reach,
                        const Measure &measure) {
    const int64_t p = size(x, 1);
    return {data("x", x), size(x), p, vector("shift", shift, p), vector("stretch", stretch, p), unit, reach, measure};
}

template <class T>
void bind_brute(nb::module_ &m) {
    m.def(
        "brute_nearest",
        [](const In2<T> &x, const std::string &norm, double power, const Maybe<In<double>> &weights, const In<double> &shift,
           const In<double> &stretch, double unit, double reach, const In2<double> &queries, const Skip &skip,
           const Out2<double> &distances, const Out2<int64_t> &rows) {
            const auto in = brute_rows(x, shift, stretch, unit, reach, measure_of(norm, power, weights, size(x, 1)));
            const double *q = matrix("queries", queries, size(queries), in.p);
            const int64_t count = size(queries);
            const NearestOut out(count, in.n, skip, distances, rows);
            const nb::gil_scoped_release unlocked;
            brute_search(in, q, count, out.skip, out.answers);
        },
        nb::arg("x").noconvert(), nb::arg("norm"), nb::arg("power"), nb::arg("weights").noconvert().none(),
        nb::arg("shift").noconvert(), nb::arg("stretch").noconvert(), nb::arg("unit"), nb::arg("reach"),
        nb::arg("queries").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("distances").noconvert(),
        nb::arg("rows").noconvert(),
        "Overwrite distances and rows (queries × k) with the nearest of x: norm 'l1', 'l2', 'max', 'lp', 'hamming'.");
    m.def(
        "brute_within",
        [](const In2<T> &x, const std::string &norm, double power, const Maybe<In<double>> &weights, const In<double> &shift,
           const In<double> &stretch, double unit, double reach, const In2<double> &queries, const Skip &skip,
           const In<double> &radius) {
            const auto in = brute_rows(x, shift, stretch, unit, reach, measure_of(norm, power, weights, size(x, 1)));
            const double *q = matrix("queries", queries, size(queries), in.p);
            const int64_t count = size(queries), *skipped = vector("skip", skip, count);
            return lists_within(count, radius, [&](const auto &answers) { brute_search(in, q, count, skipped, answers); });
        },
        nb::arg("x").noconvert(), nb::arg("norm"), nb::arg("power"), nb::arg("weights").noconvert().none(),
        nb::arg("shift").noconvert(), nb::arg("stretch").noconvert(), nb::arg("unit"), nb::arg("reach"),
        nb::arg("queries").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("radius").noconvert(),
        "Where each query's neighbours within its radius start, their rows and distances.");
}

}  // namespace

void bind_neighbors(nb::module_ &m) {
    bind_brute<double>(m), bind_brute<float>(m);
    m.def(
        "given_nearest",
        [](const In2<double> &given, const Skip &skip, const Out2<double> &distances, const Out2<int64_t> &rows) {
            const int64_t count = size(given), n = size(given, 1);
            const double *d = data("given", given);
            const NearestOut out(count, n, skip, distances, rows);
            const nb::gil_scoped_release unlocked;
            given_search(d, count, n, out.skip, out.answers);
        },
        nb::arg("given").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("distances").noconvert(),
        nb::arg("rows").noconvert(),
        "Overwrite distances and rows (queries × k) with the nearest by distances that are given, queries × rows.");
    m.def(
        "given_within",
        [](const In2<double> &given, const Skip &skip, const In<double> &radius) {
            const int64_t count = size(given), n = size(given, 1), *skipped = vector("skip", skip, count);
            const double *d = data("given", given);
            return lists_within(count, radius, [&](const auto &answers) { given_search(d, count, n, skipped, answers); });
        },
        nb::arg("given").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("radius").noconvert(),
        "The same within each query's radius.");
}

}  // namespace learnt::bind
