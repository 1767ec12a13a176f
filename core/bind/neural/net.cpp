// Feed-forward nets: training, scores, gradients.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/csr.hpp"
#include "bind/options.hpp"
#include "neural/net.hpp"
#include "neural/score.hpp"

namespace learnt::bind {

namespace {

// Sizes that no memory could hold, and none that would overflow.
constexpr int64_t most_parameters = int64_t{1} << 40;

void check_shape(const NetShape &shape) {
    if (shape.units.empty()) refuse("'units' is empty. Expected the number of scores at least.");
    if (shape.categories.size() != shape.dims.size()) refuse("'categories' and 'dims' differ in length.");
    if (shape.dense < 0 || shape.dense > most_parameters) refuse("'dense' is out of range.");
    double size = 0, before = static_cast<double>(shape.dense) + 16;
    for (size_t e = 0; e < shape.dims.size(); ++e) {
        if (shape.dims[e] < 1 || shape.categories[e] < 1) refuse("An embedding has no categories or no numbers.");
        before += static_cast<double>(shape.dims[e]);
        size += static_cast<double>(shape.dims[e]) * static_cast<double>(shape.categories[e]);
    }
    for (const int64_t units : shape.units) {
        if (units < 1) refuse("A layer has " + std::to_string(units) + " units. Expected at least 1.");
        size += (before + 1) * (static_cast<double>(units) + 16);
        before = static_cast<double>(units);
    }
    if (size > static_cast<double>(most_parameters)) refuse("The net has too many parameters.");
}

// Stored cells of sparse rows: values, columns, and where each row begins; 'x' then has no rows.
template <class Source>
using Stored = Maybe<std::tuple<In<Source>, In<int32_t>, Offsets>>;

// Rows as the kernels take them; stays where it is, since they point into it.
template <class Source>
struct GivenRows {
    std::optional<Csr<Source>> cells;
    NetRows<Source> rows;

    GivenRows(const GivenRows &) = delete;
    GivenRows(const NetShape &shape, const Table<Source> &x, const Stored<Source> &stored, const In<double> &center,
              const In<double> &scale, double clip, const In2<int32_t> &codes) {
        check_shape(shape);
        const Matrix<const Source> matrix_of = table(x);
        const int64_t p = matrix_of.columns;
        if (p != shape.dense)
            refuse("'x' has " + std::to_string(p) + " columns. Expected " + std::to_string(shape.dense) + ".");
        if (stored) cells = sparse(std::get<0>(*stored), std::get<1>(*stored), std::get<2>(*stored), p);
        const double *c = vector("center", center, p), *s = vector("scale", scale, p);
        rows = {matrix_of, c, s, clip, nullptr, cells ? &*cells : nullptr};
        rows.codes = matrix("codes", codes, rows.size(), static_cast<int64_t>(shape.dims.size()));
    }
};

// A function of Python: (scores, targets) → (losses, deltas), arrays of doubles. Called from any thread.
class PythonLoss {
    nb::object call_;

    template <class Array>
    static void copy(const nb::object &given, const char *name, int64_t count, double *to) {
        Array found;
        if (!nb::try_cast(given, found) || static_cast<int64_t>(found.size()) != count)
            refuse(std::string("The loss gave '") + name + "' that are not " + std::to_string(count) + " doubles.");
        std::copy_n(found.data(), count, to);
    }

  public:
    explicit PythonLoss(nb::object call) : call_(std::move(call)) {}

    GivenLoss function() const {
        return [this](int64_t n, int64_t k, const double *scores, const double *targets, double *losses, double *deltas) {
            const nb::gil_scoped_acquire locked;
            const size_t rows = static_cast<size_t>(n), columns = static_cast<size_t>(k);
            const nb::ndarray<nb::numpy, const double> f(scores, {rows, columns}, nb::handle()), y(targets, {rows}, nb::handle());
            const nb::tuple found = nb::cast<nb::tuple>(call_(f, y));
            if (found.size() != 2) refuse("The loss gave something else than losses and deltas.");
            copy<In<double>>(found[0], "losses", n, losses);
            copy<In2<double>>(found[1], "deltas", n * k, deltas);
        };
    }
};

void check_loss(const NetShape &shape, const nb::object &given) {
    if ((shape.loss == NetLoss::given) == given.is_none()) refuse("'given' belongs to the loss \"given\", and to it alone.");
}

void check_targets(const NetShape &shape, const double *targets, int64_t n) {
    if (shape.loss == NetLoss::given) return;
    const bool classes = shape.loss >= NetLoss::logistic;
    const double most = static_cast<double>(std::max<int64_t>(shape.units.back(), 2));
    if (!classes && shape.units.back() != 1) refuse("A net for numbers has one score.");
    if (shape.loss == NetLoss::logistic && shape.units.back() != 1) refuse("A net of the logistic loss has one score.");
    for (int64_t i = 0; classes && i < n; ++i)
        if (!(targets[i] >= 0 && targets[i] < most)) refuse("'targets' holds what is no code of a class.");
}

template <class Real, class Source>
void bind_for(nb::module_ &m) {
    m.def(
        "train_net",
        [](const NetShape &shape, const Table<Source> &x, const Stored<Source> &stored, const In<double> &center,
           const In<double> &scale, double clip, const In2<int32_t> &codes, const In<int64_t> &order, const In<double> &targets, const Maybe<In<double>> &weights,
           const NetSteps &steps, const In<double> &rates, const Out<Real> &parameters, const Out<Real> &speed,
           const Out<Real> &square, const nb::object &given_loss) {
            check_loss(shape, given_loss);
            const GivenRows<Source> given(shape, x, stored, center, scale, clip, codes);
            const NetRows<Source> &rows = given.rows;
            const int64_t n = rows.size(), count = size(order), parts = Layout(shape).size;
            const double *y = vector("targets", targets, n), *w = vector("weights", weights, n);
            check_targets(shape, y, n);
            if (steps.batch_size < 1) refuse("'batch_size' is below 1.");
            if (!(steps.dropout >= 0 && steps.dropout < 1)) refuse("'dropout' is not in [0, 1).");
            const int64_t *rows_in_order = data("order", order);
            for (int64_t i = 0; i < count; ++i)
                if (rows_in_order[i] < 0 || rows_in_order[i] >= n) refuse("'order' names a row that is not there.");
            const int64_t batch = std::min(steps.batch_size, std::max<int64_t>(count, 1));
            const double *eta = vector("rates", rates, (count + batch - 1) / batch);
            Real *p = vector("parameters", parameters, parts), *s = vector("speed", speed, parts),
                 *q = vector("square", square, parts);
            const PythonLoss python(given_loss);
            const GivenLoss loss = python.function();
            const nb::gil_scoped_release unlocked;
            return train_net(shape, rows, rows_in_order, count, y, w, steps, eta, p, s, q, &loss);
        },
        nb::arg("shape"), nb::arg("x").noconvert(), nb::arg("stored").noconvert().none(), nb::arg("center").noconvert(),
        nb::arg("scale").noconvert(), nb::arg("clip"), nb::arg("codes").noconvert(), nb::arg("order").noconvert(), nb::arg("targets").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("steps"), nb::arg("rates").noconvert(),
        nb::arg("parameters").noconvert(), nb::arg("speed").noconvert(), nb::arg("square").noconvert(),
        nb::arg("given_loss").none() = nb::none(),
        "Steps over the rows in `order`; Σ w L, each L before its step. Parameters and their memory are updated.");
    m.def(
        "add_net_gradient",
        [](const NetShape &shape, const Table<Source> &x, const Stored<Source> &stored, const In<double> &center,
           const In<double> &scale, double clip, const In2<int32_t> &codes, const In<double> &targets, const Maybe<In<double>> &weights, const In<Real> &parameters,
           const Out<Real> &gradient, const nb::object &given_loss) {
            check_loss(shape, given_loss);
            const GivenRows<Source> given(shape, x, stored, center, scale, clip, codes);
            const NetRows<Source> &rows = given.rows;
            const int64_t n = rows.size(), parts = Layout(shape).size;
            const double *y = vector("targets", targets, n), *w = vector("weights", weights, n);
            check_targets(shape, y, n);
            const Real *p = vector("parameters", parameters, parts);
            Real *g = vector("gradient", gradient, parts);
            const PythonLoss python(given_loss);
            const GivenLoss loss = python.function();
            const nb::gil_scoped_release unlocked;
            return add_net_gradient(shape, rows, y, w, p, g, &loss);
        },
        nb::arg("shape"), nb::arg("x").noconvert(), nb::arg("stored").noconvert().none(), nb::arg("center").noconvert(),
        nb::arg("scale").noconvert(), nb::arg("clip"), nb::arg("codes").noconvert(), nb::arg("targets").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("parameters").noconvert(), nb::arg("gradient").noconvert(),
        nb::arg("given_loss").none() = nb::none(),
        "Σ w L over all rows; its gradient by the parameters is added to `gradient`.");
    m.def(
        "score_net",
        [](const NetShape &shape, const Table<Source> &x, const Stored<Source> &stored, const In<double> &center,
           const In<double> &scale, double clip, const In2<int32_t> &codes, const In<Real> &parameters, const Out2<double> &scores) {
            const GivenRows<Source> given(shape, x, stored, center, scale, clip, codes);
            const NetRows<Source> &rows = given.rows;
            const Real *p = vector("parameters", parameters, Layout(shape).size);
            double *to = matrix("scores", scores, rows.size(), shape.units.back());
            const nb::gil_scoped_release unlocked;
            return score_net(shape, rows, p, to);
        },
        nb::arg("shape"), nb::arg("x").noconvert(), nb::arg("stored").noconvert().none(), nb::arg("center").noconvert(),
        nb::arg("scale").noconvert(), nb::arg("clip"), nb::arg("codes").noconvert(), nb::arg("parameters").noconvert(), nb::arg("scores").noconvert(),
        "The scores of every row; whether a cell is infinite.");
}

}  // namespace

void bind_neural(nb::module_ &m) {
    bind_options<NetShape>(
        m, "NetShape", "Sizes, hidden units and loss of a feed-forward net.", field("dense", &NetShape::dense),
        field("categories", &NetShape::categories), field("dims", &NetShape::dims), field("units", &NetShape::units),
        field("activation", &NetShape::activation, {"identity", "sigmoid", "tanh", "relu", "gelu"}),
        field("loss", &NetShape::loss,
              {"squared_error", "absolute_error", "huber", "poisson", "logistic", "softmax", "sigmoid_squared", "given"}),
        field("width", &NetShape::width), field("normalised", &NetShape::normalised),
        field("smoothing", &NetShape::smoothing));
    bind_options<NetSteps>(
        m, "NetSteps", "How a net takes its steps.",
        field("optimizer", &NetSteps::optimizer, {"sgd", "momentum", "nesterov", "adam", "adamw"}),
        field("alpha", &NetSteps::alpha), field("momentum", &NetSteps::momentum), field("beta1", &NetSteps::beta1),
        field("beta2", &NetSteps::beta2), field("epsilon", &NetSteps::epsilon), field("dropout", &NetSteps::dropout),
        field("batch_size", &NetSteps::batch_size), field("seed", &NetSteps::seed), field("first_step", &NetSteps::first_step));
    m.def(
        "net_layout",
        [](const NetShape &shape) {
            check_shape(shape);
            const Layout layout(shape);
            std::vector<std::tuple<int64_t, int64_t, int64_t>> layers, tables;
            for (const DenseLayer &of : layout.layers) layers.emplace_back(of.offset, of.inputs, of.outputs);
            for (const Embedding &of : layout.embeddings) tables.emplace_back(of.offset, of.categories, of.dim);
            std::vector<std::pair<int64_t, int64_t>> normalisations;
            for (const Normalisation &of : layout.normalisations) normalisations.emplace_back(of.offset, of.width);
            return std::make_tuple(layout.size, layout.embedded_from, layers, tables, normalisations);
        },
        nb::arg("shape"),
        "Size; first embedded input; (offset, rows, columns) of layers and embeddings; (offset, width) of γ.");
    bind_for<float, float>(m);
    bind_for<float, double>(m);
    bind_for<double, double>(m);
}

}  // namespace learnt::bind
