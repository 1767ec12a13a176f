// Matrix factorisation: half a sweep of least squares, an epoch of descent, ratings of pairs.
#include "bind/options.hpp"
#include "recommendation/als.hpp"
#include "recommendation/descent.hpp"

namespace learnt::bind {
namespace {

template <class Real>
FactorSide<Real> side_of(const In2<Real> &factors, const Maybe<In<Real>> &bias) {
    const int64_t count = size(factors, 0), width = size(factors, 1);
    if (width < 1 || width % factor_unit != 0) refuse("Factors are padded to a multiple of " + std::to_string(factor_unit) + ".");
    return {data("factors", factors), vector("bias", bias, count), count, width};
}

void check_places(const char *name, const int32_t *places, int64_t n, int64_t lowest, int64_t count) {
    for (int64_t j = 0; j < n; ++j)
        if (places[j] < lowest || places[j] >= count) refuse("'" + std::string(name) + "' names a place that is not there.");
}

template <class Real>
RatingRows<Real> rows_of(const In<int64_t> &offsets, const In<int32_t> &indices, const In<Real> &values,
                         const Maybe<In<Real>> &weights, int64_t others) {
    const int64_t n = size(indices), count = size(offsets) - 1;
    if (count < 0) refuse("'offsets' is empty. Expected one number more than there are rows.");
    const int64_t *starts = data("offsets", offsets);
    if (starts[0] != 0 || starts[count] != n) refuse("'offsets' does not begin at 0 and end at the number of ratings.");
    for (int64_t u = 0; u < count; ++u)
        if (starts[u + 1] < starts[u]) refuse("'offsets' falls.");
    const int32_t *places = data("indices", indices);
    check_places("indices", places, n, 0, others);
    return {starts, places, vector("values", values, n), vector("weights", weights, n), count};
}

template <class Real>
void bind_for(nb::module_ &m) {
    m.def(
        "solve_factor_rows",
        [](const In<int64_t> &offsets, const In<int32_t> &indices, const In<Real> &values, const Maybe<In<Real>> &weights,
           const In2<Real> &others, const Maybe<In<Real>> &other_bias, const Maybe<In2<Real>> &gram,
           const Maybe<In<double>> &sums, const Maybe<In<double>> &pull, double square, const In<double> &penalty,
           const FactorOptions &options, const Out2<Real> &factors, const Maybe<Out<Real>> &bias, const Out<double> &left) {
            const FactorSide<Real> side = side_of(others, other_bias);
            const RatingRows<Real> rows = rows_of(offsets, indices, values, weights, side.count);
            if (bias.has_value() != other_bias.has_value()) refuse("Either both sides have biases, or none.");
            if (gram.has_value() != sums.has_value() || gram.has_value() != pull.has_value())
                refuse("'gram', 'sums' and 'pull' come together.");
            if (options.steps < 1 || options.steps > 10'000) refuse("'steps' is out of range. Expected 1 to 10,000.");
            WholeSide<Real> whole{};
            if (gram)
                whole = {matrix("gram", *gram, side.width, side.width), vector("sums", *sums, side.width + 1),
                         vector("pull", *pull, side.width + 1), square};
            const double *lambda = vector("penalty", penalty, rows.count);
            Real *x = matrix("factors", factors, rows.count, side.width), *b = vector("bias", bias, rows.count);
            double *rest = vector("left", left, rows.count);
            const nb::gil_scoped_release unlocked;
            solve_factor_rows(rows, side, gram ? &whole : nullptr, lambda, options, x, b, rest);
        },
        nb::arg("offsets").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("others").noconvert(), nb::arg("other_bias").noconvert().none(),
        nb::arg("gram").noconvert().none(), nb::arg("sums").noconvert().none(), nb::arg("pull").noconvert().none(),
        nb::arg("square"), nb::arg("penalty").noconvert(), nb::arg("options"), nb::arg("factors").noconvert(),
        nb::arg("bias").noconvert().none(), nb::arg("left").noconvert(),
        "Half a sweep of alternating least squares: every row anew, the other side being fixed.");
    m.def(
        "sum_side",
        [](const In2<Real> &factors, const Maybe<In<Real>> &bias, const Out2<double> &out) {
            const FactorSide<Real> side = side_of(factors, bias);
            double *to = matrix("out", out, side.width + 2, side.width + 2);
            const nb::gil_scoped_release unlocked;
            sum_side(side, to);
        },
        nb::arg("factors").noconvert(), nb::arg("bias").noconvert().none(), nb::arg("out").noconvert(),
        "out += the upper triangle of Σ (y, 1, o)(y, 1, o)ᵀ over the rows of a side, o being their biases.");
    m.def(
        "descend_entries",
        [](const In<int64_t> &cells, int64_t parts, const In<int32_t> &users, const In<int32_t> &items,
           const In<Real> &values, const Maybe<In<Real>> &weights, const In<Real> &penalty_users,
           const In<Real> &penalty_items, double rate, const Out2<Real> &x, const Out2<Real> &y, const Maybe<Out<Real>> &b,
           const Maybe<Out<Real>> &c) {
            const int64_t n = size(users), n_users = size(x), n_items = size(y), width = size(x, 1);
            if (parts < 1 || parts > 4096) refuse("'parts' is out of range. Expected 1 to 4096.");
            if (width < 1 || width % factor_unit != 0) refuse("Factors are padded to a multiple of 16.");
            if (b.has_value() != c.has_value()) refuse("Either both sides have biases, or none.");
            const int64_t *starts = vector("cells", cells, parts * parts + 1);
            const int32_t *u = data("users", users), *i = vector("items", items, n);
            check_places("users", u, n, 0, n_users);
            check_places("items", i, n, 0, n_items);
            if (starts[0] != 0 || starts[parts * parts] != n) refuse("'cells' does not begin at 0 and end at the number of ratings.");
            for (int64_t cell = 0; cell < parts * parts; ++cell) {
                if (starts[cell + 1] < starts[cell]) refuse("'cells' falls.");
                for (int64_t j = starts[cell]; j < starts[cell + 1]; ++j)
                    if (u[j] % parts != cell / parts || i[j] % parts != cell % parts) refuse("A rating stands in a wrong cell.");
            }
            const RatingEntries<Real> entries{u, i, vector("values", values, n), vector("weights", weights, n), n};
            const Real *lu = vector("penalty_users", penalty_users, n_users), *li = vector("penalty_items", penalty_items, n_items);
            const FactorPair<Real> f{data("x", x), matrix("y", y, n_items, width), vector("b", b, n_users),
                                     vector("c", c, n_items), width};
            const nb::gil_scoped_release unlocked;
            descend_entries(starts, parts, entries, lu, li, rate, f);
        },
        nb::arg("cells").noconvert(), nb::arg("parts"), nb::arg("users").noconvert(), nb::arg("items").noconvert(),
        nb::arg("values").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("penalty_users").noconvert(),
        nb::arg("penalty_items").noconvert(), nb::arg("rate"), nb::arg("x").noconvert(), nb::arg("y").noconvert(),
        nb::arg("b").noconvert().none(), nb::arg("c").noconvert().none(),
        "One epoch of gradient descent. User u and item i stand in cell (u mod parts, i mod parts).");
    m.def(
        "rate_pairs",
        [](const In<int32_t> &users, const In<int32_t> &items, const In2<Real> &x, const Maybe<In<Real>> &b,
           const In2<Real> &y, const Maybe<In<Real>> &c, const Out<double> &out) {
            const FactorSide<Real> user_side = side_of(x, b), item_side = side_of(y, c);
            if (user_side.width != item_side.width) refuse("The sides have factors of different widths.");
            const int64_t n = size(users);
            const int32_t *u = data("users", users), *i = vector("items", items, n);
            check_places("users", u, n, -1, user_side.count);
            check_places("items", i, n, -1, item_side.count);
            double *to = vector("out", out, n);
            const nb::gil_scoped_release unlocked;
            rate_pairs(u, i, n, user_side, item_side, to);
        },
        nb::arg("users").noconvert(), nb::arg("items").noconvert(), nb::arg("x").noconvert(),
        nb::arg("b").noconvert().none(), nb::arg("y").noconvert(), nb::arg("c").noconvert().none(),
        nb::arg("out").noconvert(), "out = b_u + c_i + x_u·y_i of pairs; −1 is unknown, its parts are 0.");
}

}  // namespace

void bind_factors(nb::module_ &m) {
    bind_options<FactorOptions>(m, "FactorOptions", "How a row of factors is solved.",
                                field("solver", &FactorOptions::solver, {"cg", "exact", "nonnegative"}),
                                field("steps", &FactorOptions::steps));
    bind_for<float>(m);
    bind_for<double>(m);
}

}  // namespace learnt::bind
