// Isolation forests, and hashes of rows that put them in an order of their own.
#include <cmath>

#include "bind/arrays.hpp"
#include "novelty/isolation_growth.hpp"
#include "novelty/isolation_paths.hpp"
#include "novelty/row_keys.hpp"

// The arrays of a forest, as `trees_of` takes them.
#define LEARNT_ISOLATION_ARGS                                                                                   \
    nb::arg("starts").noconvert(), nb::arg("column").noconvert(), nb::arg("threshold").noconvert(),            \
        nb::arg("left").noconvert(), nb::arg("missing").noconvert(), nb::arg("rest").noconvert(),              \
        nb::arg("categories").noconvert(), nb::arg("seed")

namespace learnt::bind {

namespace {

void check_categories(const int32_t *categories, int64_t p) {
    for (int64_t j = 0; j < p; ++j)
        if (categories[j] < 0) refuse("'categories' has " + std::to_string(categories[j]) + ". Expected 0 or more.");
}

// A cell that is none of its column's categories would be on neither side of a test: a node would be cut for ever.
void check_codes(const double *x, int64_t rows, int64_t p, const int32_t *categories) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < p; ++j) {
            const double v = x[i * p + j];
            if (categories[j] > 0 && !std::isnan(v) && !(v >= 0 && v < categories[j] && v == std::floor(v)))
                refuse("'x' has " + std::to_string(v) + " in column " + std::to_string(j) + ", which is none of its categories.");
        }
}

// The arrays of trees, checked: every way down ends at a leaf of its own tree.
IsolationTrees trees_of(const In<int64_t> &starts, const In<int32_t> &column, const In<double> &threshold,
                        const In<int32_t> &left, const In<uint8_t> &missing, const In<double> &rest,
                        const In<int32_t> &categories, uint64_t seed, int64_t p) {
    const int64_t nodes = size(column), count = size(starts) - 1;
    if (count < 0) refuse("'starts' is empty. Expected one number more than there are trees.");
    const IsolationTrees trees{count,
                               data("starts", starts),
                               vector("column", column, nodes),
                               vector("threshold", threshold, nodes),
                               vector("left", left, nodes),
                               vector("missing", missing, nodes),
                               vector("rest", rest, nodes),
                               vector("categories", categories, p),
                               seed};
    check_categories(trees.categories, p);
    if (p >= (int64_t{1} << 24)) refuse("There are " + std::to_string(p) + " columns, which is too many.");
    if (trees.starts[0] != 0 || trees.starts[count] != nodes) refuse("'starts' does not fit the nodes.");
    for (int64_t t = 0; t < count; ++t) {
        const int64_t first = trees.starts[t], last = trees.starts[t + 1];
        if (first >= last || last > nodes) refuse("'starts' does not rise.");
        for (int64_t v = first; v < last; ++v) {
            if (trees.column[v] >= p) refuse("A node tests column " + std::to_string(trees.column[v]) + ", which is none.");
            if (trees.column[v] < 0) continue;
            if (trees.left[v] <= v - first || trees.left[v] >= last - first - 1)
                refuse("A node has children outside of its tree, or before itself.");
            if (trees.missing[v] > missing_ends) refuse("'missing' has " + std::to_string(trees.missing[v]) + ".");
        }
    }
    return trees;
}

template <class Real>
void bind_paths(nb::module_ &m) {
    m.def(
        "mix_row_keys",
        [](const Table<Real> &x, const Out<uint64_t> &keys) {
            const Matrix<const Real> cells = table(x);
            uint64_t *out = vector("keys", keys, cells.rows);
            const nb::gil_scoped_release unlocked;
            mix_row_keys(cells, out);
        },
        nb::arg("x").noconvert(), nb::arg("keys").noconvert(), "keys = a hash of keys and of the cells of each row.");
    m.def(
        "add_isolation_paths",
        [](const Table<Real> &x, const In<int64_t> &starts, const In<int32_t> &column, const In<double> &threshold,
           const In<int32_t> &left, const In<uint8_t> &missing, const In<double> &rest, const In<int32_t> &categories,
           uint64_t seed, const Out<double> &paths) {
            const Matrix<const Real> cells = table(x);
            const auto trees = trees_of(starts, column, threshold, left, missing, rest, categories, seed, cells.columns);
            double *out = vector("paths", paths, cells.rows);
            const nb::gil_scoped_release unlocked;
            add_isolation_paths(cells, trees, out);
        },
        nb::arg("x").noconvert(), LEARNT_ISOLATION_ARGS, nb::arg("paths").noconvert(),
        "paths[i] += the length of the path of row i in each tree.");
    m.def(
        "add_isolation_credits",
        [](const Table<Real> &x, const In<int64_t> &starts, const In<int32_t> &column, const In<double> &threshold,
           const In<int32_t> &left, const In<uint8_t> &missing, const In<double> &rest, const In<int32_t> &categories,
           uint64_t seed, const Out2<double> &credits) {
            const Matrix<const Real> cells = table(x);
            const auto trees = trees_of(starts, column, threshold, left, missing, rest, categories, seed, cells.columns);
            double *out = matrix("credits", credits, cells.rows, cells.columns);
            const nb::gil_scoped_release unlocked;
            add_isolation_credits(cells, trees, out);
        },
        nb::arg("x").noconvert(), LEARNT_ISOLATION_ARGS, nb::arg("credits").noconvert(),
        "credits[i, j] += by how much the tests of column j shorten the paths of row i.");
}

}  // namespace

void bind_isolation(nb::module_ &m) {
    m.def(
        "grow_isolation_trees",
        [](const In2<double> &x, const In<int32_t> &categories, const In2<int32_t> &samples,
           const Maybe<In<double>> &weights, int64_t most_depth, uint64_t seed, const Out2<int32_t> &column,
           const Out2<double> &threshold, const Out2<int32_t> &left, const Out2<uint8_t> &missing,
           const Out2<double> &rest, const Out<int64_t> &used) {
            const int64_t m_rows = size(x), p = size(x, 1), trees = size(samples), s = size(samples, 1);
            const int64_t room = std::max<int64_t>(1, 2 * s - 1);
            const IsolationSamples in{data("x", x), p, vector("categories", categories, p), data("samples", samples),
                                      vector("weights", weights, m_rows), trees, s, most_depth, seed};
            check_categories(in.categories, p);
            check_codes(in.x, m_rows, p, in.categories);
            for (int64_t i = 0; i < trees * s; ++i)
                if (in.rows[i] < 0 || in.rows[i] >= m_rows) refuse("'samples' has " + std::to_string(in.rows[i]) + ", which is not a row.");
            const GrownIsolation out{matrix("column", column, trees, room), matrix("threshold", threshold, trees, room),
                                     matrix("left", left, trees, room), matrix("missing", missing, trees, room),
                                     matrix("rest", rest, trees, room), vector("used", used, trees)};
            const nb::gil_scoped_release unlocked;
            grow_isolation_trees(in, out);
        },
        nb::arg("x").noconvert(), nb::arg("categories").noconvert(), nb::arg("samples").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("most_depth"), nb::arg("seed"),
        nb::arg("column").noconvert(), nb::arg("threshold").noconvert(), nb::arg("left").noconvert(),
        nb::arg("missing").noconvert(), nb::arg("rest").noconvert(), nb::arg("used").noconvert(),
        "An isolation tree of each sample of rows; `used` says how many nodes it has.");
    m.def("average_path", &average_path, nb::arg("n"), "c(n): the average path of isolation trees of n rows.");
    bind_paths<float>(m);
    bind_paths<double>(m);
}

}  // namespace learnt::bind
