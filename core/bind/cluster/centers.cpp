// Kernels between rows and centres, dense and sparse.
#include "bind/csr.hpp"
#include "cluster/lloyd_csr.hpp"
#include "distance/rows_to_centers.hpp"

namespace learnt::bind {
namespace {

using Labels = Maybe<Out<int32_t>>;
using Sums = Maybe<Out2<double>>;
using Weights = Maybe<Out<double>>;

// sums and cluster_weight come together or not at all.
struct ClusterSums {
    double *sums = nullptr, *weight = nullptr;

    ClusterSums(const Sums &s, const Weights &w, int64_t k, int64_t p) {
        if (s.has_value() != w.has_value()) refuse("'sums' and 'cluster_weight' come together. Pass both or neither.");
        if (!s) return;
        sums = matrix("sums", *s, k, p);
        weight = vector("cluster_weight", *w, k);
    }
};

int64_t checked_count(int64_t count, int64_t rows) {
    if (count > rows)
        refuse("'rows' has the length " + std::to_string(count) + ". Expected at most " + std::to_string(rows) +
               ", the number of rows of x.");
    return count;
}

template <class T>
void bind_dense(nb::module_ &m) {
    m.def(
        "assign_and_sum",
        [](const Table<T> &x, const Maybe<In<double>> &weights, const In2<T> &centers, const In<double> &shift,
           const Labels &labels, const Sums &sums, const Weights &cluster_weight) {
            const auto t = table(x);
            const int64_t k = size(centers);
            const double *w = vector("weights", weights, t.rows), *s = vector("shift", shift, t.columns);
            const T *c = center_rows(centers, t.columns);
            int32_t *l = vector("labels", labels, t.rows);
            const ClusterSums to(sums, cluster_weight, k, t.columns);
            const nb::gil_scoped_release unlocked;
            return assign_and_sum(t, w, c, k, s, l, to.sums, to.weight);
        },
        nb::arg("x").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("centers").noconvert(),
        nb::arg("shift").noconvert(), nb::arg("labels").noconvert().none(), nb::arg("sums").noconvert().none(),
        nb::arg("cluster_weight").noconvert().none(),
        "Label rows by the nearest centre, add Σ w x and Σ w per cluster, return Σ w d².");
    m.def(
        "distances_to_centers",
        [](const Table<T> &x, const In2<T> &centers, const Out2<double> &out) {
            const auto t = table(x);
            const T *c = center_rows(centers, t.columns);
            const int64_t k = size(centers);
            double *to = matrix("out", out, t.rows, k);
            const nb::gil_scoped_release unlocked;
            distances_to_centers(t, c, k, to);
        },
        nb::arg("x").noconvert(), nb::arg("centers").noconvert(), nb::arg("out").noconvert(),
        "Overwrite out (rows × centres) with distances.");
    m.def(
        "update_nearest",
        [](const Table<T> &x, const Maybe<In<double>> &weights, const In2<T> &centers, const In<double> &nearest,
           const Out<double> &potentials) {
            const auto t = table(x);
            const double *w = vector("weights", weights, t.rows), *near = vector("nearest", nearest, t.rows);
            const T *c = center_rows(centers, t.columns);
            const int64_t k = size(centers);
            double *to = vector("potentials", potentials, k);
            const nb::gil_scoped_release unlocked;
            update_nearest(t, w, c, k, near, to);
        },
        nb::arg("x").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("centers").noconvert(),
        nb::arg("nearest").noconvert(), nb::arg("potentials").noconvert(),
        "Overwrite potentials with Σ w min(nearest, d²) for every centre.");
    m.def(
        "lower_nearest",
        [](const Table<T> &x, const In<T> &center, const Out<double> &nearest) {
            const auto t = table(x);
            const T *c = vector("center", center, t.columns);
            double *to = vector("nearest", nearest, t.rows);
            const nb::gil_scoped_release unlocked;
            lower_nearest(t, c, to);
        },
        nb::arg("x").noconvert(), nb::arg("center").noconvert(), nb::arg("nearest").noconvert(),
        "Lower nearest to d² where the centre is closer.");
    m.def(
        "farthest_rows",
        [](const Table<T> &x, const In2<T> &centers, const In<int32_t> &labels, const Out<int64_t> &rows,
           const Out<double> &distances) {
            const auto t = table(x);
            const T *c = center_rows(centers, t.columns);
            const int32_t *l = vector("labels", labels, t.rows);
            const int64_t count = checked_count(size(rows), t.rows);
            int64_t *r = data("rows", rows);
            double *d = vector("distances", distances, count);
            const int64_t k = size(centers);
            const nb::gil_scoped_release unlocked;
            farthest_rows(t, c, k, l, count, r, d);
        },
        nb::arg("x").noconvert(), nb::arg("centers").noconvert(), nb::arg("labels").noconvert(),
        nb::arg("rows").noconvert(), nb::arg("distances").noconvert(),
        "Overwrite rows and distances with the len(rows) rows of largest d² to their own centre.");
}

template <class T>
void bind_sparse(nb::module_ &m) {
    using Values = In<T>;
    using Indices = In<int32_t>;
    m.def(
        "assign_and_sum_csr",
        [](const Values &values, const Indices &indices, const Offsets &indptr, int64_t n_columns,
           const Maybe<In<double>> &weights, const In2<T> &centers, const Labels &labels, const Sums &sums,
           const Weights &cluster_weight) {
            const auto x = sparse(values, indices, indptr, n_columns);
            const int64_t k = size(centers);
            const double *w = vector("weights", weights, x.rows);
            const T *c = center_rows(centers, x.columns);
            int32_t *l = vector("labels", labels, x.rows);
            const ClusterSums to(sums, cluster_weight, k, x.columns);
            const nb::gil_scoped_release unlocked;
            return assign_and_sum(x, w, c, k, l, to.sums, to.weight);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("weights").noconvert().none(), nb::arg("centers").noconvert(),
        nb::arg("labels").noconvert().none(), nb::arg("sums").noconvert().none(),
        nb::arg("cluster_weight").noconvert().none(),
        "assign_and_sum on sparse rows.");
    m.def(
        "distances_to_centers_csr",
        [](const Values &values, const Indices &indices, const Offsets &indptr, int64_t n_columns,
           const In2<T> &centers, const Out2<double> &out) {
            const auto x = sparse(values, indices, indptr, n_columns);
            const T *c = center_rows(centers, x.columns);
            const int64_t k = size(centers);
            double *to = matrix("out", out, x.rows, k);
            const nb::gil_scoped_release unlocked;
            distances_to_centers(x, c, k, to);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("centers").noconvert(), nb::arg("out").noconvert(),
        "distances_to_centers on sparse rows.");
    m.def(
        "update_nearest_csr",
        [](const Values &values, const Indices &indices, const Offsets &indptr, int64_t n_columns,
           const Maybe<In<double>> &weights, const In2<T> &centers, const In<double> &nearest,
           const Out<double> &potentials) {
            const auto x = sparse(values, indices, indptr, n_columns);
            const double *w = vector("weights", weights, x.rows), *near = vector("nearest", nearest, x.rows);
            const T *c = center_rows(centers, x.columns);
            const int64_t k = size(centers);
            double *to = vector("potentials", potentials, k);
            const nb::gil_scoped_release unlocked;
            update_nearest(x, w, c, k, near, to);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("weights").noconvert().none(), nb::arg("centers").noconvert(),
        nb::arg("nearest").noconvert(), nb::arg("potentials").noconvert(),
        "update_nearest on sparse rows.");
    m.def(
        "lower_nearest_csr",
        [](const Values &values, const Indices &indices, const Offsets &indptr, int64_t n_columns, const In<T> &center,
           const Out<double> &nearest) {
            const auto x = sparse(values, indices, indptr, n_columns);
            const T *c = vector("center", center, x.columns);
            double *to = vector("nearest", nearest, x.rows);
            const nb::gil_scoped_release unlocked;
            lower_nearest(x, c, to);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("center").noconvert(), nb::arg("nearest").noconvert(),
        "lower_nearest on sparse rows.");
    m.def(
        "farthest_rows_csr",
        [](const Values &values, const Indices &indices, const Offsets &indptr, int64_t n_columns,
           const In2<T> &centers, const In<int32_t> &labels, const Out<int64_t> &rows,
           const Out<double> &distances) {
            const auto x = sparse(values, indices, indptr, n_columns);
            const T *c = center_rows(centers, x.columns);
            const int32_t *l = vector("labels", labels, x.rows);
            const int64_t count = checked_count(size(rows), x.rows);
            int64_t *r = data("rows", rows);
            double *d = vector("distances", distances, count);
            const int64_t k = size(centers);
            const nb::gil_scoped_release unlocked;
            farthest_rows(x, c, k, l, count, r, d);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("centers").noconvert(), nb::arg("labels").noconvert(),
        nb::arg("rows").noconvert(), nb::arg("distances").noconvert(),
        "farthest_rows on sparse rows.");
}

}  // namespace

void bind_centers(nb::module_ &m) {
    bind_dense<double>(m), bind_dense<float>(m);
    bind_sparse<double>(m), bind_sparse<float>(m);
    m.def(
        "weighted_pick",
        [](const In<double> &values, const Maybe<In<double>> &weights, const In<double> &targets,
           const Out<int64_t> &out) {
            const int64_t n = size(values);
            const double *v = data("values", values), *w = vector("weights", weights, n);
            const double *t = data("targets", targets);
            int64_t *to = vector("out", out, size(targets));
            const nb::gil_scoped_release unlocked;
            weighted_pick(v, w, n, t, size(targets), to);
        },
        nb::arg("values").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("targets").noconvert(),
        nb::arg("out").noconvert(),
        "Overwrite out with the first row at which the running sum of w · value passes each target.");
}

}  // namespace learnt::bind
