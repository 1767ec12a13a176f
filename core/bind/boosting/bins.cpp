// Bins, and the gradients of losses.
#include <nanobind/stl/tuple.h>

#include "bind/boosting/problem.hpp"

namespace learnt::bind {

namespace {

using tree::Column;
using AnyCells = nb::ndarray<nb::ro, nb::device::cpu>;

Column cells_of_column(const AnyCells &array, const std::string &name, int64_t rows) {
    if (array.ndim() != 1) refuse("'" + name + "' is not one-dimensional.");
    check_length(name.c_str(), static_cast<int64_t>(array.shape(0)), rows);
    if (reinterpret_cast<uintptr_t>(array.data()) % static_cast<size_t>(array.itemsize()) != 0)
        refuse("'" + name + "' is not aligned in memory. Pass a copy of it.");
    Column::Cells kind;
    if (array.dtype() == nb::dtype<double>())
        kind = Column::Cells::float64;
    else if (array.dtype() == nb::dtype<float>())
        kind = Column::Cells::float32;
    else if (array.dtype() == nb::dtype<int32_t>())
        kind = Column::Cells::code;
    else
        throw nb::type_error(("'" + name + "' has another type than float64, float32 or int32.").c_str());
    return {kind, array.data(), array.stride(0), 0};
}

void encode(const BoostBins &bins, nb::list columns, const Out2<uint8_t> &narrow, const Out2<uint16_t> &wide) {
    const int64_t p = bins.layout.columns(), n = size(narrow);
    check_length("columns", static_cast<int64_t>(nb::len(columns)), p);
    if (size(narrow, 1) < static_cast<int64_t>(bins.layout.narrow.size())) refuse("'narrow' has too few columns.");
    matrix("wide", wide, n, static_cast<int64_t>(bins.layout.wide.size()));
    std::vector<AnyCells> arrays;
    std::vector<Column> cells;
    std::vector<BinColumn> of;
    for (int64_t j = 0; j < p; ++j) {
        const std::string name = "columns[" + std::to_string(j) + "]";
        arrays.push_back(nb::cast<AnyCells>(columns[static_cast<size_t>(j)]));
        cells.push_back(cells_of_column(arrays.back(), name, n));
        const size_t at = static_cast<size_t>(j);
        const bool nominal = bins.layout.nominal[at];
        if (nominal && cells.back().cells != Column::Cells::code)
            throw nb::type_error(("'" + name + "' holds numbers. Expected int32 codes of categories.").c_str());
        const std::vector<int32_t> &map = bins.bin_of[at];
        static constexpr int32_t none = 0;
        of.push_back({bins.meaning.edges[at].data(), static_cast<int64_t>(bins.meaning.edges[at].size()),
                      nominal ? (map.empty() ? &none : map.data()) : nullptr, static_cast<int64_t>(map.size()),
                      bins.layout.n_bins[at]});
    }
    const nb::gil_scoped_release unlocked;
    encode_bins(cells, of, bins.layout, n, narrow.data(), size(narrow, 1), wide.data(), size(wide, 1));
}

void bind_bins(nb::module_ &m) {
    nb::class_<BoostBins>(m, "BoostBins",
        "The bins of all columns; refuses edges and categories that do not fit each other.")
        .def(nb::init<const In<int32_t> &, const In<uint8_t> &, const In<double> &, const In<int64_t> &,
                      const In<int32_t> &, const In<int64_t> &>(),
             nb::arg("n_bins").noconvert(), nb::arg("nominal").noconvert(), nb::arg("edges").noconvert(),
             nb::arg("edge_start").noconvert(), nb::arg("category_bins").noconvert(),
             nb::arg("category_start").noconvert())
        .def_prop_ro("total", [](const BoostBins &b) { return b.layout.total; })
        .def_prop_ro("n_narrow", [](const BoostBins &b) { return b.layout.narrow.size(); })
        .def_prop_ro("n_wide", [](const BoostBins &b) { return b.layout.wide.size(); });
    m.def("encode_bins", &encode, nb::arg("bins"), nb::arg("columns"), nb::arg("narrow").noconvert(),
          nb::arg("wide").noconvert(),
        "Overwrite narrow and wide with the bins of all cells, row by row.");
    m.def(
        "edges_of_sorted",
        [](const In<double> &x, const Maybe<In<double>> &weights, int64_t max_bins) {
            const double *w = vector("weights", weights, size(x));
            const double *const from = data("x", x);
            if (max_bins < 1) refuse("'max_bins' is " + std::to_string(max_bins) + ". Expected at least 1.");
            std::vector<double> edges;
            {
                const nb::gil_scoped_release unlocked;
                edges = edges_of_sorted(from, w, size(x), max_bins);
            }
            return as_array(std::move(edges));
        },
        nb::arg("x").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("max_bins"),
        "Edges of bins of nearly equal weight, between neighbours among sorted numbers.");
    m.def(
        "distinct_numbers",
        [](const AnyCells &column, const Maybe<In<double>> &weights, int64_t most) {
            if (column.ndim() != 1) refuse("'column' is not one-dimensional.");
            if (most < 0) refuse("'most' is " + std::to_string(most) + ". Expected 0 or more.");
            const int64_t n = static_cast<int64_t>(column.shape(0));
            const Column cells = cells_of_column(column, "column", n);
            const double *w = vector("weights", weights, n);
            DistinctNumbers found;
            {
                const nb::gil_scoped_release unlocked;
                found = distinct_numbers(cells, w, n, most);
            }
            const bool many = found.many;
            return nb::make_tuple(as_array(std::move(found.value)), as_array(std::move(found.weight)), many);
        },
        nb::arg("column"), nb::arg("weights").noconvert().none(), nb::arg("most"),
        "The distinct numbers of a column and their weights; True if there are more than `most`.");
}

Loss loss_named(const std::string &name) {
    static constexpr const char *names[] = {"squared", "logistic", "softmax", "poisson", "absolute", "huber", "quantile"};
    for (int l = 0; l < 7; ++l)
        if (name == names[l]) return Loss{l};
    refuse("'loss' is '" + name + "'. Expected squared, logistic, softmax, poisson, absolute, huber or quantile.");
}

template <class Real>
LossRows<Real> loss_rows_of(const std::string &loss, const In2<double> &scores, const Maybe<In<double>> &numbers,
                            const Maybe<In<int32_t>> &codes, const Maybe<In<double>> &weights, double parameter) {
    const int64_t k = size(scores), n = size(scores, 1);
    LossRows<Real> in{loss_named(loss), parameter, n, k, data("scores", scores), nullptr, nullptr, nullptr, nullptr, nullptr};
    in.numbers = vector("numbers", numbers, n), in.codes = vector("codes", codes, n), in.weights = vector("weights", weights, n);
    const bool coded = in.loss == Loss::logistic || in.loss == Loss::softmax;
    if (coded ? !in.codes || in.numbers : !in.numbers || in.codes)
        refuse("The loss '" + loss + "' has another kind of target: 'codes' for classes, 'numbers' for others.");
    if (in.loss != Loss::softmax && k != 1) refuse("The loss '" + loss + "' has one score for each row.");
    return in;
}

template <class Real>
void bind_gradients(nb::module_ &m) {
    m.def(
        "boost_gradients",
        [](const std::string &loss, const In2<double> &scores, const Maybe<In<double>> &numbers,
           const Maybe<In<int32_t>> &codes, const Maybe<In<double>> &weights, double parameter, const Out2<Real> &gradient,
           const Out2<Real> &hessian) {
            LossRows<Real> in = loss_rows_of<Real>(loss, scores, numbers, codes, weights, parameter);
            in.gradient = matrix("gradient", gradient, in.outputs, in.rows);
            in.hessian = matrix("hessian", hessian, in.outputs, in.rows);
            const nb::gil_scoped_release unlocked;
            loss_gradients(in);
        },
        nb::arg("loss"), nb::arg("scores").noconvert(), nb::arg("numbers").noconvert().none(),
        nb::arg("codes").noconvert().none(), nb::arg("weights").noconvert().none(), nb::arg("parameter"),
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert(),
        "Overwrite gradient and hessian (outputs × rows) with the derivatives of the weighted loss by the scores.");
    m.def(
        "boost_exponents",
        [](const In<Real> &x, const Maybe<In<uint8_t>> &kept) {
            const uint8_t *k = vector("kept", kept, size(x));
            return as_array(exponents_of(data("x", x), k, size(x)).count);
        },
        nb::arg("x").noconvert(), nb::arg("kept").noconvert().none(),
        "How many numbers have each binary exponent.");
    m.def(
        "boost_magnitudes",
        [](const In2<Real> &g) {
            const int64_t k = size(g), n = size(g, 1);
            std::vector<int64_t> count(65536);
            for (int64_t i = 0; i < n; ++i) ++count[magnitude_bucket(data("gradients", g), k, n, i)];
            return as_array(std::move(count));
        },
        nb::arg("gradients").noconvert(),
        "How many rows have gradients of each size, by the first 16 bits of a float.");
    m.def(
        "boost_goss",
        [](const Out2<Real> &g, const Out2<Real> &h, int64_t threshold, double share, uint64_t seed, uint64_t tree,
           int64_t first_row, const Out<uint8_t> &kept) {
            const int64_t k = size(g), n = size(g, 1);
            Real *to = matrix("hessians", h, k, n);
            uint8_t *out = vector("kept", kept, n);
            const nb::gil_scoped_release unlocked;
            keep_large_gradients(data("gradients", g), to, k, n, static_cast<uint32_t>(threshold), share, seed, tree,
                                 first_row, out);
        },
        nb::arg("gradients").noconvert(), nb::arg("hessians").noconvert(), nb::arg("threshold"), nb::arg("share"),
        nb::arg("seed"), nb::arg("tree"), nb::arg("first_row"), nb::arg("kept").noconvert(),
        "Keep rows of large gradients and a drawn share of the others, whose gradients are multiplied in place.");
}

void bind_loss(nb::module_ &m) {
    m.def(
        "boost_loss",
        [](const std::string &loss, const In2<double> &scores, const Maybe<In<double>> &numbers,
           const Maybe<In<int32_t>> &codes, const Maybe<In<double>> &weights, double parameter,
           const Maybe<In<uint8_t>> &kept) {
            const LossRows<double> in = loss_rows_of<double>(loss, scores, numbers, codes, weights, parameter);
            const uint8_t *k = vector("kept", kept, in.rows);
            double sum = 0, weight = 0;
            {
                const nb::gil_scoped_release unlocked;
                total_loss(in, k, &sum, &weight);
            }
            return std::make_tuple(sum, weight);
        },
        nb::arg("loss"), nb::arg("scores").noconvert(), nb::arg("numbers").noconvert().none(),
        nb::arg("codes").noconvert().none(), nb::arg("weights").noconvert().none(), nb::arg("parameter"),
        nb::arg("kept").noconvert().none(),
        "The sum of weighted losses and of weights.");
}

}  // namespace

void bind_boost_bins(nb::module_ &m) {
    bind_bins(m);
    bind_gradients<float>(m), bind_gradients<double>(m);
    bind_loss(m);
}

}  // namespace learnt::bind
