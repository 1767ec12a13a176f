// Kernels of k-means beside the pass of bind_centers.cpp: rounds by bounds, exchange of single rows.
#include "bind/csr.hpp"
#include "cluster/bounds.hpp"
#include "cluster/exchange.hpp"
#include "cluster/lloyd_csr.hpp"

namespace learnt::bind {
namespace {

template <class T>
void bind_bounds(nb::module_ &m) {
    m.def(
        "group_centers",
        [](const In2<T> &centers, int64_t group, const Out<int32_t> &order) {
            const T *c = center_rows(centers, size(centers, 1));
            if (group < 1) refuse("'group' is " + std::to_string(group) + ". Expected 1 or more.");
            int32_t *to = vector("order", order, size(centers));
            const nb::gil_scoped_release unlocked;
            group_centers(c, size(centers), size(centers, 1), group, to);
        },
        nb::arg("centers").noconvert(), nb::arg("group"), nb::arg("order").noconvert(),
        "Overwrite order with the centres' numbers, those that lie together in groups of `group`.");
    m.def(
        "assign_bounded",
        [](const Table<T> &x, const In2<T> &centers, const Maybe<In2<T>> &before, const In<double> &shift,
           const In<int32_t> &order, int64_t group, const Out<int32_t> &labels, const Out<T> &upper,
           const Out2<T> &lower, const Out<T> &norms) {
            const auto t = table(x);
            const int64_t k = size(centers);
            const T *c = center_rows(centers, t.columns), *b = before ? center_rows(*before, t.columns) : nullptr;
            if (before) check_length("before", size(*before), k);
            if (group < 1) refuse("'group' is " + std::to_string(group) + ". Expected 1 or more.");
            const double *s = vector("shift", shift, t.columns);
            const int32_t *o = vector("order", order, k);
            std::vector<bool> seen(static_cast<size_t>(k), false);
            for (int64_t at = 0; at < k; ++at) {
                if (o[at] < 0 || o[at] >= k || seen[static_cast<size_t>(o[at])])
                    refuse("'order' does not hold every centre once.");
                seen[static_cast<size_t>(o[at])] = true;
            }
            int32_t *l = vector("labels", labels, t.rows);
            if (before)
                for (int64_t i = 0; i < t.rows; ++i)
                    if (l[i] < 0 || l[i] >= k) refuse("'labels' holds a number that is none of the centres.");
            T *u = vector("upper", upper, t.rows), *w = matrix("lower", lower, t.rows, (k + group - 1) / group);
            T *n = vector("norms", norms, t.rows);
            const nb::gil_scoped_release unlocked;
            return assign_bounded(t, c, b, k, s, o, group, l, u, w, n);
        },
        nb::arg("x").noconvert(), nb::arg("centers").noconvert(), nb::arg("before").noconvert().none(),
        nb::arg("shift").noconvert(), nb::arg("order").noconvert(), nb::arg("group"), nb::arg("labels").noconvert(),
        nb::arg("upper").noconvert(), nb::arg("lower").noconvert(), nb::arg("norms").noconvert(),
        "The labels of assign_and_sum, by bounds kept from round to round; returns pairs of row and group compared.");
    m.def(
        "sum_labelled",
        [](const Table<T> &x, const Maybe<In<double>> &weights, const In2<T> &centers, const In<int32_t> &labels,
           const Out2<double> &sums, const Out<double> &cluster_weight) {
            const auto t = table(x);
            const int64_t k = size(centers);
            const double *w = vector("weights", weights, t.rows);
            const T *c = center_rows(centers, t.columns);
            const int32_t *l = vector("labels", labels, t.rows);
            double *to = matrix("sums", sums, k, t.columns), *weight = vector("cluster_weight", cluster_weight, k);
            const nb::gil_scoped_release unlocked;
            return sum_labelled(t, w, c, k, l, to, weight);
        },
        nb::arg("x").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("centers").noconvert(),
        nb::arg("labels").noconvert(), nb::arg("sums").noconvert(), nb::arg("cluster_weight").noconvert(),
        "Add Σ w x and Σ w per cluster of given labels, return Σ w d².");
}

template <class T>
void bind_exchange(nb::module_ &m) {
    m.def(
        "exchange_rows",
        [](const Table<T> &x, const Maybe<In<double>> &weights, const In2<double> &sums,
           const In<double> &cluster_weight, const Out<int32_t> &labels) {
            const auto t = table(x);
            const int64_t k = size(sums);
            const double *w = vector("weights", weights, t.rows), *s = matrix("sums", sums, k, t.columns);
            const double *c = vector("cluster_weight", cluster_weight, k);
            int32_t *l = vector("labels", labels, t.rows);
            const nb::gil_scoped_release unlocked;
            return exchange_rows(t, w, s, c, k, l);
        },
        nb::arg("x").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("sums").noconvert(),
        nb::arg("cluster_weight").noconvert(), nb::arg("labels").noconvert(),
        "One sweep of single rows to the cluster that lowers Σ w d² most; returns how many moved.");
}

template <class T>
void bind_sparse_exchange(nb::module_ &m) {
    m.def(
        "exchange_rows_csr",
        [](const In<T> &values, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const Maybe<In<double>> &weights, const In2<double> &sums, const In<double> &cluster_weight,
           const Out<int32_t> &labels) {
            const auto x = sparse(values, indices, indptr, n_columns);
            const int64_t k = size(sums);
            const double *w = vector("weights", weights, x.rows), *s = matrix("sums", sums, k, x.columns);
            const double *c = vector("cluster_weight", cluster_weight, k);
            int32_t *l = vector("labels", labels, x.rows);
            const nb::gil_scoped_release unlocked;
            return exchange_rows(x, w, s, c, k, l);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("weights").noconvert().none(), nb::arg("sums").noconvert(),
        nb::arg("cluster_weight").noconvert(), nb::arg("labels").noconvert(),
        "exchange_rows on sparse rows.");
    m.def(
        "sum_labelled_csr",
        [](const In<T> &values, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const Maybe<In<double>> &weights, const In2<T> &centers, const In<int32_t> &labels,
           const Out2<double> &sums, const Out<double> &cluster_weight) {
            const auto x = sparse(values, indices, indptr, n_columns);
            const int64_t k = size(centers);
            const double *w = vector("weights", weights, x.rows);
            const T *c = center_rows(centers, x.columns);
            const int32_t *l = vector("labels", labels, x.rows);
            double *to = matrix("sums", sums, k, x.columns), *weight = vector("cluster_weight", cluster_weight, k);
            const nb::gil_scoped_release unlocked;
            return sum_labelled(x, w, c, k, l, to, weight);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("weights").noconvert().none(), nb::arg("centers").noconvert(),
        nb::arg("labels").noconvert(), nb::arg("sums").noconvert(), nb::arg("cluster_weight").noconvert(),
        "sum_labelled on sparse rows.");
}

}  // namespace

void bind_kmeans(nb::module_ &m) {
    bind_bounds<double>(m), bind_bounds<float>(m);
    bind_exchange<double>(m), bind_exchange<float>(m);
    bind_sparse_exchange<double>(m), bind_sparse_exchange<float>(m);
}

}  // namespace learnt::bind
