// Nets that give back their inputs: training and gradients.
#include <nanobind/stl/vector.h>

#include "bind/options.hpp"
#include "neural/autoencoder.hpp"

namespace learnt::bind {

namespace {

// Sizes that no memory could hold, and none that would overflow.
constexpr double most_parameters = 1e12;

// The shape with its linear layer; raises where layers and cells do not fit each other.
NetShape checked_shape(NetShape shape, const Reconstruction &of) {
    if (!shape.dims.empty() || !shape.categories.empty()) refuse("An autoencoder has no embeddings.");
    if (shape.normalised) refuse("An autoencoder is not normalised.");
    if (shape.dense < 0 || shape.units.empty()) refuse("'dense' is below 0, or 'units' is empty.");
    double parameters = 0, before = static_cast<double>(shape.dense);
    for (const int64_t units : shape.units) {
        if (units < 1) refuse("A layer has " + std::to_string(units) + " units. Expected at least 1.");
        parameters += (before + 1) * (static_cast<double>(units) + 16);
        before = static_cast<double>(units);
    }
    if (before > most_parameters || parameters > most_parameters) refuse("The net has too many parameters.");
    if (of.numbers < 0 || of.pairs < 0 || of.numbers > shape.dense || of.pairs > shape.dense - of.numbers)
        refuse("'numbers' or 'pairs' do not fit the inputs.");
    int64_t left = shape.dense - of.numbers - of.pairs;
    for (const int64_t width : of.groups) {
        if (width < 1 || width > left) refuse("'groups' do not fit the inputs.");
        left -= width;
    }
    if (shape.units.back() != std::max<int64_t>(of.outputs(), 1)) refuse("The last layer does not fit the cells.");
    const size_t layers = shape.units.size();
    if (of.code < 0 || of.code + 1 >= static_cast<int64_t>(layers)) refuse("'code' is not a hidden layer.");
    if (!(of.level >= 0)) refuse("'level' is below 0.");
    const Layout layout(shape);
    bool mirror = layers % 2 == 0;
    for (size_t l = 0; l < layers / 2; ++l) {
        const DenseLayer &in = layout.layers[l], &out = layout.layers[layers - 1 - l];
        mirror = mirror && in.outputs == out.inputs && (l == 0 || in.inputs == out.outputs);
    }
    if (of.tied && !mirror) refuse("Tied layers are not those of a mirror.");
    shape.linear = of.code;
    return shape;
}

template <class Source>
NetRows<Source> rows_of(const NetShape &shape, const Table<Source> &x, const In<double> &center, const In<double> &scale,
                        double clip) {
    const Matrix<const Source> cells = table(x);
    if (cells.columns != shape.dense)
        refuse("'x' has " + std::to_string(cells.columns) + " columns. Expected " + std::to_string(shape.dense) + ".");
    NetRows<Source> rows{};
    rows.x = cells, rows.clip = clip, rows.codes = nullptr;
    rows.center = vector("center", center, cells.columns), rows.scale = vector("scale", scale, cells.columns);
    return rows;
}

template <class Real, class Source>
void bind_for(nb::module_ &m) {
    m.def(
        "train_autoencoder",
        [](const NetShape &given, const Reconstruction &of, const Table<Source> &x, const In<double> &center,
           const In<double> &scale, double clip, const In<int64_t> &order, const Maybe<In<double>> &weights,
           const NetSteps &steps, const In<double> &rates, const Out<Real> &parameters, const Out<Real> &speed,
           const Out<Real> &square) {
            const NetShape shape = checked_shape(given, of);
            const NetRows<Source> rows = rows_of(shape, x, center, scale, clip);
            const int64_t n = rows.x.rows, count = size(order), parts = Layout(shape).size;
            const double *w = vector("weights", weights, n);
            if (steps.batch_size < 1) refuse("'batch_size' is below 1.");
            if (!(steps.dropout >= 0 && steps.dropout < 1)) refuse("'dropout' is not in [0, 1).");
            const int64_t *rows_in_order = data("order", order);
            if (std::any_of(rows_in_order, rows_in_order + count, [&](int64_t i) { return i < 0 || i >= n; }))
                refuse("'order' names a row that is not there.");
            const int64_t batch = std::min(steps.batch_size, std::max<int64_t>(count, 1));
            const double *eta = vector("rates", rates, (count + batch - 1) / batch);
            Real *p = vector("parameters", parameters, parts), *s = vector("speed", speed, parts),
                 *q = vector("square", square, parts);
            const nb::gil_scoped_release unlocked;
            return train_autoencoder(shape, of, rows, rows_in_order, count, w, steps, eta, p, s, q);
        },
        nb::arg("shape"), nb::arg("of"), nb::arg("x").noconvert(), nb::arg("center").noconvert(), nb::arg("scale").noconvert(),
        nb::arg("clip"), nb::arg("order").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("steps"),
        nb::arg("rates").noconvert(), nb::arg("parameters").noconvert(), nb::arg("speed").noconvert(),
        nb::arg("square").noconvert(),
        "Steps over the rows in `order`, which shall be given back; Σ w L, each L before its step.");
    m.def(
        "add_autoencoder_gradient",
        [](const NetShape &given, const Reconstruction &of, const Table<Source> &x, const In<double> &center,
           const In<double> &scale, double clip, const Maybe<In<double>> &weights, const In<Real> &parameters,
           const Out<Real> &gradient) {
            const NetShape shape = checked_shape(given, of);
            const NetRows<Source> rows = rows_of(shape, x, center, scale, clip);
            const int64_t parts = Layout(shape).size;
            const double *w = vector("weights", weights, rows.x.rows);
            const Real *p = vector("parameters", parameters, parts);
            Real *g = vector("gradient", gradient, parts);
            const nb::gil_scoped_release unlocked;
            return add_autoencoder_gradient(shape, of, rows, w, p, g);
        },
        nb::arg("shape"), nb::arg("of"), nb::arg("x").noconvert(), nb::arg("center").noconvert(), nb::arg("scale").noconvert(),
        nb::arg("clip"), nb::arg("weights").noconvert().none(), nb::arg("parameters").noconvert(),
        nb::arg("gradient").noconvert(),
        "Σ w L over all rows; its gradient is added. Of tied weights L is that of the mean of both copies.");
}

}  // namespace

void bind_autoencoder(nb::module_ &m) {
    bind_options<Reconstruction>(
        m, "Reconstruction", "Which cells a net gives back, and how it learns to.", field("numbers", &Reconstruction::numbers),
        field("pairs", &Reconstruction::pairs), field("groups", &Reconstruction::groups), field("code", &Reconstruction::code),
        field("tied", &Reconstruction::tied), field("noise", &Reconstruction::noise, {"swap", "mask", "gaussian"}),
        field("level", &Reconstruction::level));
    bind_for<float, float>(m);
    bind_for<float, double>(m);
    bind_for<double, double>(m);
}

}  // namespace learnt::bind
