// Neighbours of sparse rows.
#include "bind/neighbors/index.hpp"
#include "neighbors/sparse.hpp"

namespace learnt::bind {
namespace {

// Rows and the arrays they are read from.
template <class T>
struct [[gnu::visibility("hidden")]] HeldSparse {
    In<T> values;
    In<int32_t> indices;
    In<int64_t> indptr;
    Maybe<In<double>> weights;
    std::unique_ptr<IndexedCsr<T>> rows;
};

static Csr<double> sparse_queries(const In<double> &values, const In<int32_t> &indices, const In<int64_t> &indptr, int64_t columns) {
    const Csr<double> queries = sparse(values, indices, indptr, columns);
    check_ascending(queries);
    return queries;
}

template <class T>
void bind_sparse_kind(nb::module_ &m, const char *name) {
    using Held = HeldSparse<T>;
    nb::class_<Held>(m, name)
        .def(
            "__init__",
            [](Held *self, const In<T> &values, const In<int32_t> &indices, const In<int64_t> &indptr, int64_t n_columns,
               const Maybe<In<double>> &weights) {
                const Csr<T> x = sparse(values, indices, indptr, n_columns);
                if (x.rows < 1) refuse("'indptr' has no rows. Expected at least one.");
                const double *w = vector("weights", weights, n_columns);
                std::unique_ptr<IndexedCsr<T>> rows;
                {
                    const nb::gil_scoped_release unlocked;
                    rows = std::make_unique<IndexedCsr<T>>(x, w);
                }
                new (self) Held{values, indices, indptr, weights, std::move(rows)};
            },
            nb::arg("values").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("n_columns"),
            nb::arg("weights").noconvert().none())
        .def("bytes", [](const Held &self) { return self.rows->bytes(); })
        .def(
            "nearest",
            [](const Held &self, const In<double> &values, const In<int32_t> &indices, const In<int64_t> &indptr, const Skip &skip,
               const Out2<double> &distances, const Out2<int64_t> &rows) {
                const Csr<double> queries = sparse_queries(values, indices, indptr, self.rows->x.columns);
                const NearestOut out(queries.rows, self.rows->x.rows, skip, distances, rows);
                const nb::gil_scoped_release unlocked;
                sparse_search(*self.rows, queries, out.skip, out.answers);
            },
            nb::arg("values").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
            nb::arg("skip").noconvert().none(), nb::arg("distances").noconvert(), nb::arg("rows").noconvert())
        .def(
            "within",
            [](const Held &self, const In<double> &values, const In<int32_t> &indices, const In<int64_t> &indptr, const Skip &skip,
               const In<double> &radius) {
                const Csr<double> queries = sparse_queries(values, indices, indptr, self.rows->x.columns);
                const int64_t *skipped = vector("skip", skip, queries.rows);
                return lists_within(queries.rows, radius,
                                    [&](const auto &answers) { sparse_search(*self.rows, queries, skipped, answers); });
            },
            nb::arg("values").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
            nb::arg("skip").noconvert().none(), nb::arg("radius").noconvert())
        .def(
            "distances",
            [](const Held &self, const In<double> &values, const In<int32_t> &indices, const In<int64_t> &indptr,
               const Out2<double> &out) {
                const IndexedCsr<T> &rows = *self.rows;
                const Csr<double> queries = sparse_queries(values, indices, indptr, rows.x.columns);
                double *to = matrix("out", out, queries.rows, rows.x.rows);
                const nb::gil_scoped_release unlocked;
                const Blocks blocks = cut(queries.rows, 1, 4096);
                run_blocks(blocks.count, [&](int64_t b, Job &job) {
                    for (int64_t i = blocks[b].first; i < blocks[b].last; ++i)
                        for (int64_t r = 0; r < rows.x.rows; ++r) {
                            if (r % 256 == 0) job.check();
                            to[i * rows.x.rows + r] = sparse_distance(rows.x, r, queries, i, rows.weights);
                        }
                });
            },
            nb::arg("values").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
            nb::arg("out").noconvert());
}

}  // namespace

void bind_sparse_rows(nb::module_ &m) {
    bind_sparse_kind<double>(m, "SparseRows64");
    bind_sparse_kind<float>(m, "SparseRows32");
}

}  // namespace learnt::bind
