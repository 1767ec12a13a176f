// Learners that take rows one after the other: gradient descent, perceptrons, Winnow.
#include <nanobind/stl/tuple.h>

#include "bind/csr.hpp"
#include "linear/online/descent.hpp"
#include "linear/online/mistakes.hpp"
#include "table/column_sums.hpp"

namespace learnt::bind {
namespace {

// Many arguments, in groups; core/online*.hpp say what they are.
using CourseGiven = std::tuple<Maybe<In<int64_t>>, Maybe<In<double>>, uint64_t, uint64_t, bool>;  // rows, weights, seed, epoch, drawn
using LossAndRate = std::tuple<int, double, int, double, double, double>;   // kind, width; kind, eta0, power, t0
using Descent = std::tuple<double, double, bool, int, double, int64_t, double>;  // alpha … first_step
using Weights = std::tuple<Out2<double>, Out<double>>;
using Memory = std::tuple<Out2<double>, Out2<double>>;

static Course course_of(const CourseGiven &given, int64_t n) {
    const auto &[rows, weights, seed, epoch, drawn] = given;
    const int64_t *list = rows ? data("rows", *rows) : nullptr;
    const int64_t count = rows ? size(*rows) : n;
    for (int64_t i = 0; list && i < count; ++i)
        if (list[i] < 0 || list[i] >= n)
            refuse("'rows' holds " + std::to_string(list[i]) + ". Expected row numbers of the table.");
    return {list, count, n, vector("weights", weights, n), seed, epoch, drawn};
}

static const int32_t *units_of(const In<int32_t> &units, int64_t most) {
    const int32_t *const unit = data("units", units);
    for (int64_t i = 0; i < size(units); ++i)
        if (unit[i] < 0 || unit[i] >= most) refuse("'units' holds a unit that has no coefficients.");
    return unit;
}

// What was counted before and is counted on: a file may say any number, and one more must still be one.
static int64_t *counters(const char *name, const Out<int64_t> &a, int64_t length) {
    int64_t *const count = vector(name, a, length);
    for (int64_t i = 0; i < length; ++i)
        if (count[i] < 0 || count[i] > int64_t{1} << 53)
            refuse("'" + std::string(name) + "' holds " + std::to_string(count[i]) + ". Expected counts from 0 to 2**53.");
    return count;
}

static void check_first(int64_t first, const Course &course) {
    if (first < 0 || first > course.count) refuse("'first' is no place of the course.");
}

// Where None may stand for a pair of arrays, nanobind lets it stand for either of them, too.
template <class Pair>
void check_both(const char *name, const Maybe<Pair> &pair) {
    if (pair && !(std::get<0>(*pair).is_valid() && std::get<1>(*pair).is_valid()))
        refuse("'" + std::string(name) + "' holds None. Expected two arrays, or None alone.");
}

static DescentSettings settings_of(const LossAndRate &measures, const Descent &given) {
    const auto [loss, width, rate, eta0, power, t0] = measures;
    const auto [alpha, l1_ratio, intercept, optimizer, momentum, batch_size, first_step] = given;
    if (loss < 0 || loss >= loss_kinds || rate < 0 || rate > 2 || optimizer < 0 || optimizer > 3 || batch_size < 1)
        refuse("A loss, rate, optimizer or batch size is out of range.");
    return {{LossKind{loss}, width}, {RateKind{rate}, eta0, power, alpha, t0}, alpha, l1_ratio, intercept,
            Optimizer{optimizer}, momentum, batch_size, first_step};
}

static Units units_to(int64_t p, const Weights &weights, const Maybe<Weights> &sums, const Maybe<Memory> &memory,
                      const Out<double> &loss) {
    const int64_t k = size(std::get<0>(weights));
    check_both("sums", sums), check_both("memory", memory);
    Units to{};
    to.coef = matrix("coef", std::get<0>(weights), k, p);
    to.intercept = vector("intercept", std::get<1>(weights), k);
    to.loss = vector("loss", loss, k);
    if (sums) {
        to.coef_sum = matrix("coef_sum", std::get<0>(*sums), k, p);
        to.intercept_sum = vector("intercept_sum", std::get<1>(*sums), k);
    }
    if (memory) {
        to.speed = matrix("speed", std::get<0>(*memory), k, p + 1);
        to.scale = matrix("scale", std::get<1>(*memory), k, p + 1);
    }
    return to;
}

// One pass of gradient steps: by rows, or by batches where there is a memory. `by_rows` and `by_batches` put the
// table in front of what they are given.
template <class X, class ByRows, class ByBatches>
void descend(const X &x, const ByRows &by_rows, const ByBatches &by_batches, const Maybe<In<double>> &values,
                    const Maybe<In<int32_t>> &codes, const CourseGiven &given, int64_t first, int64_t last,
                    const DescentSettings &settings, const In<int32_t> &units, const Units &to, int64_t k) {
    if (values.has_value() == codes.has_value()) refuse("Expected either 'values' or 'codes'.");
    const Truth truth{vector("values", values, x.rows), vector("codes", codes, x.rows)};
    const Course course = course_of(given, x.rows);
    if (first < 0 || first > last || last > course.count) refuse("'first' and 'last' are no part of the course.");
    const int32_t *u = units_of(units, k);
    const int64_t count = size(units);
    const nb::gil_scoped_release unlocked;
    if (to.speed)
        by_batches(truth, course, Range{first, last}, settings, u, count, to);
    else
        by_rows(truth, course, settings, u, count, to);
}

template <class T>
void bind_descent(nb::module_ &m) {
    m.def(
        "descend",
        [](const Table<T> &x, const In<double> &shift, const In<double> &spread, const Maybe<In<double>> &values,
           const Maybe<In<int32_t>> &codes, const CourseGiven &course, int64_t first, int64_t last,
           const LossAndRate &measures, const Descent &settings, const In<int32_t> &units, const Weights &weights,
           const Maybe<Weights> &sums, const Maybe<Memory> &memory, const Out<double> &loss) {
            const auto t = table(x);
            const double *a = vector("shift", shift, t.columns), *s = vector("spread", spread, t.columns);
            descend(
                t, [&](const auto &...rest) { descend_rows(t, a, s, rest...); },
                [&](const auto &...rest) { descend_batches(t, a, s, rest...); }, values, codes, course, first, last,
                settings_of(measures, settings), units, units_to(t.columns, weights, sums, memory, loss), size(loss));
        },
        nb::arg("x").noconvert(), nb::arg("shift").noconvert(), nb::arg("spread").noconvert(),
        nb::arg("values").noconvert().none(), nb::arg("codes").noconvert().none(), nb::arg("course").noconvert(),
        nb::arg("first"), nb::arg("last"), nb::arg("measures"), nb::arg("settings"), nb::arg("units").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("sums").noconvert().none(), nb::arg("memory").noconvert().none(),
        nb::arg("loss").noconvert(),
        "Gradient steps of units b + w·(x − shift)·spread over the course; by batches if there is a memory.");
}

template <class T>
void bind_sparse_descent(nb::module_ &m) {
    m.def(
        "descend_csr",
        [](const In<T> &stored, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const Maybe<In<double>> &mean, const Maybe<In<double>> &values, const Maybe<In<int32_t>> &codes,
           const CourseGiven &course, int64_t first, int64_t last, const LossAndRate &measures, const Descent &settings,
           const In<int32_t> &units, const Weights &weights, const Maybe<Weights> &sums, const Maybe<Memory> &memory,
           const Out<double> &loss) {
            const auto x = sparse(stored, indices, indptr, n_columns);
            const double *a = vector("mean", mean, x.columns);
            descend(
                x, [&](const auto &...rest) { descend_rows(x, a, rest...); },
                [&](const auto &...rest) { descend_batches(x, a, rest...); }, values, codes, course, first, last,
                settings_of(measures, settings), units, units_to(x.columns, weights, sums, memory, loss), size(loss));
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("mean").noconvert().none(), nb::arg("values").noconvert().none(),
        nb::arg("codes").noconvert().none(), nb::arg("course").noconvert(), nb::arg("first"), nb::arg("last"),
        nb::arg("measures"), nb::arg("settings"), nb::arg("units").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("sums").noconvert().none(), nb::arg("memory").noconvert().none(), nb::arg("loss").noconvert(),
        "The same over sparse rows, from which `mean` is taken off without filling their zeros.");
}

static PerceptronUnits perceptron_to(int64_t n, int64_t p, const Weights &weights, const Maybe<Weights> &late,
                                     const Out<double> &time, const Maybe<Memory> &counts,
                                     const Out<int64_t> &mistakes, const Out<int64_t> &next) {
    const int64_t k = size(time);
    check_both("late", late), check_both("counts", counts);
    PerceptronUnits to{};
    to.coef = matrix("coef", std::get<0>(weights), k, p);
    to.intercept = vector("intercept", std::get<1>(weights), k);
    if (late) {
        to.late = matrix("late", std::get<0>(*late), k, p);
        to.intercept_late = vector("intercept_late", std::get<1>(*late), k);
    }
    to.time = data("time", time);
    if (counts) {
        to.counts = matrix("counts", std::get<0>(*counts), k, n);
        to.counts_late = matrix("counts_late", std::get<1>(*counts), k, n);
    }
    to.mistakes = counters("mistakes", mistakes, k);
    to.next = vector("next", next, k);
    return to;
}

template <class T>
void bind_perceptron(nb::module_ &m) {
    m.def(
        "perceptron_pass",
        [](const Table<T> &x, const In<double> &shift, const In<double> &spread, const In<int32_t> &codes,
           const CourseGiven &given, int64_t first, bool one, double eta, bool intercepts, const In<int32_t> &units,
           const Weights &weights, const Maybe<Weights> &late, const Out<double> &time, const Maybe<Memory> &counts,
           const Out<int64_t> &mistakes, const Out<int64_t> &next) {
            const auto t = table(x);
            const double *a = vector("shift", shift, t.columns), *s = vector("spread", spread, t.columns);
            const int32_t *c = vector("codes", codes, t.rows), *u = units_of(units, size(time));
            const Course course = course_of(given, t.rows);
            const auto to = perceptron_to(t.rows, t.columns, weights, late, time, counts, mistakes, next);
            const int64_t count = size(units);
            check_first(first, course);
            const nb::gil_scoped_release unlocked;
            perceptron_pass(t, a, s, c, course, first, one, eta, intercepts, u, count, to);
        },
        nb::arg("x").noconvert(), nb::arg("shift").noconvert(), nb::arg("spread").noconvert(),
        nb::arg("codes").noconvert(), nb::arg("course").noconvert(), nb::arg("first"), nb::arg("one"), nb::arg("eta"),
        nb::arg("intercepts"), nb::arg("units").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("late").noconvert().none(), nb::arg("time").noconvert(), nb::arg("counts").noconvert().none(),
        nb::arg("mistakes").noconvert(), nb::arg("next").noconvert(),
        "Perceptron steps over the course from place `first` on; with `one`, up to the first mistake.");
}

template <class T>
void bind_sparse_perceptron(nb::module_ &m) {
    m.def(
        "perceptron_pass_csr",
        [](const In<T> &stored, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const Maybe<In<double>> &mean, const In<int32_t> &codes, const CourseGiven &given, int64_t first, bool one,
           double eta, bool intercepts, const In<int32_t> &units, const Weights &weights, const Maybe<Weights> &late,
           const Out<double> &time, const Maybe<Memory> &counts, const Out<int64_t> &mistakes,
           const Out<int64_t> &next) {
            const auto x = sparse(stored, indices, indptr, n_columns);
            const double *a = vector("mean", mean, x.columns);
            const int32_t *c = vector("codes", codes, x.rows), *u = units_of(units, size(time));
            const Course course = course_of(given, x.rows);
            const auto to = perceptron_to(x.rows, x.columns, weights, late, time, counts, mistakes, next);
            const int64_t count = size(units);
            check_first(first, course);
            const nb::gil_scoped_release unlocked;
            perceptron_pass(x, a, c, course, first, one, eta, intercepts, u, count, to);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("mean").noconvert().none(), nb::arg("codes").noconvert(),
        nb::arg("course").noconvert(), nb::arg("first"), nb::arg("one"), nb::arg("eta"), nb::arg("intercepts"),
        nb::arg("units").noconvert(), nb::arg("weights").noconvert(), nb::arg("late").noconvert().none(),
        nb::arg("time").noconvert(), nb::arg("counts").noconvert().none(), nb::arg("mistakes").noconvert(),
        nb::arg("next").noconvert(),
        "The same over sparse rows, from which `mean` is taken off without filling their zeros.");
}

void bind_winnow(nb::module_ &m) {
    m.def(
        "winnow_pass",
        [](const In<double> &stored, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const In<int32_t> &codes, const CourseGiven &given, double threshold, double alpha, bool eliminates,
           const In<int32_t> &units, const Out2<double> &up, const Maybe<Out2<double>> &down,
           const Out<int64_t> &promotions, const Out<int64_t> &demotions) {
            const auto x = sparse(stored, indices, indptr, n_columns);
            const int64_t k = size(up);
            const int32_t *c = vector("codes", codes, x.rows), *u = units_of(units, k);
            const Course course = course_of(given, x.rows);
            const WinnowUnits to{matrix("up", up, k, x.columns), down ? matrix("down", *down, k, x.columns) : nullptr,
                                 counters("promotions", promotions, k), counters("demotions", demotions, k)};
            const int64_t count = size(units);
            const nb::gil_scoped_release unlocked;
            winnow_pass(x, c, course, {threshold, alpha, eliminates}, u, count, to);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("codes").noconvert(), nb::arg("course").noconvert(), nb::arg("threshold"),
        nb::arg("alpha"), nb::arg("eliminates"), nb::arg("units").noconvert(), nb::arg("up").noconvert(),
        nb::arg("down").noconvert().none(), nb::arg("promotions").noconvert(), nb::arg("demotions").noconvert(),
        "Winnow's steps over the course; only which cells are stored matters.");
}

template <class T>
void bind_sums(nb::module_ &m) {
    m.def(
        "add_column_sums",
        [](const In<T> &stored, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const Maybe<In<double>> &weights, const Out<double> &sums, const Out<double> &squares,
           const Out<double> &there) {
            const auto x = sparse(stored, indices, indptr, n_columns);
            const double *w = vector("weights", weights, x.rows);
            double *to[3] = {vector("sums", sums, x.columns), vector("squares", squares, x.columns),
                             vector("there", there, x.columns)};
            const nb::gil_scoped_release unlocked;
            add_column_sums(x, w, to[0], to[1], to[2]);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("weights").noconvert().none(), nb::arg("sums").noconvert(),
        nb::arg("squares").noconvert(), nb::arg("there").noconvert(),
        "Add Σ w x, Σ w x² and Σ w [x ≠ 0] of each column of sparse rows.");
}

template <class T>
void bind_scaling(nb::module_ &m) {
    m.def(
        "scale_columns",
        [](const In<T> &stored, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns,
           const In<double> &factor, const Out<double> &out) {
            const auto x = sparse(stored, indices, indptr, n_columns);
            const double *f = vector("factor", factor, x.columns);
            double *to = vector("out", out, x.stored);
            const nb::gil_scoped_release unlocked;
            scale_columns(x, f, to);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_columns"), nb::arg("factor").noconvert(), nb::arg("out").noconvert(),
        "Overwrite out with the stored cells, each times the factor of its column.");
}

}  // namespace

void bind_online(nb::module_ &m) {
    bind_scaling<double>(m), bind_scaling<float>(m);
    bind_sums<double>(m), bind_sums<float>(m);
    bind_descent<double>(m), bind_descent<float>(m);
    bind_sparse_descent<double>(m), bind_sparse_descent<float>(m);
    bind_perceptron<double>(m), bind_perceptron<float>(m);
    bind_sparse_perceptron<double>(m), bind_sparse_perceptron<float>(m);
    bind_winnow(m);
    m.def(
        "kernel_perceptron_pass",
        [](const In2<double> &gram, const In<int32_t> &codes, const CourseGiven &given, int64_t first, bool one,
           const In<int32_t> &units, const Out2<double> &scores, const Memory &counts, const Out<double> &time,
           const Out<int64_t> &mistakes, const Out<int64_t> &next) {
            const int64_t n = size(gram), k = size(scores);
            const Matrix<const double> g = row_major(matrix("gram", gram, n, n), n, n);
            const int32_t *c = vector("codes", codes, n), *u = units_of(units, k);
            const Course course = course_of(given, n);
            const KernelUnits to{matrix("scores", scores, k, n), matrix("counts", std::get<0>(counts), k, n),
                                 matrix("counts_late", std::get<1>(counts), k, n), vector("time", time, k),
                                 counters("mistakes", mistakes, k), vector("next", next, k)};
            const int64_t count = size(units);
            check_first(first, course);
            const nb::gil_scoped_release unlocked;
            kernel_perceptron_pass(g, c, course, first, one, u, count, to);
        },
        nb::arg("gram").noconvert(), nb::arg("codes").noconvert(), nb::arg("course").noconvert(), nb::arg("first"),
        nb::arg("one"), nb::arg("units").noconvert(), nb::arg("scores").noconvert(), nb::arg("counts").noconvert(),
        nb::arg("time").noconvert(), nb::arg("mistakes").noconvert(), nb::arg("next").noconvert(),
        "Perceptron steps in the space of a kernel whose products of all rows are `gram`.");
}

}  // namespace learnt::bind
