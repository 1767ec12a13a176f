// Stumps for boosting: found round by round, and asked all at once.
#include <memory>

#include "bind/tree/fields.hpp"
#include "boosting/stump_votes.hpp"
#include "boosting/stumps.hpp"

namespace learnt::bind {
namespace {

// The rounds, and the arrays they read.
struct BoundRounds {
    TypedColumns typed;
    In<int32_t> labels;
    std::unique_ptr<tree::StumpRounds> rounds;

    BoundRounds(nb::list columns, const In<int32_t> &n_categories, const In<int32_t> &given, int64_t n_classes,
                const std::string &criterion, const std::string &missing, double min_samples_leaf)
        : typed(columns, n_categories, size(given)), labels(given) {
        tree::Problem p;
        p.rows = size(labels), p.classes = n_classes;
        p.labels = data("labels", labels), p.columns = typed.columns;
        typed.check_codes(p.rows);
        check_labels(p), check_weights(p);
        tree::GrowOptions &o = p.options;
        o.criterion = choice<tree::Criterion>("criterion", criterion,
                                              {"gini", "entropy", "gain_ratio", "misclassification"});
        o.missing = choice<tree::Missing>("missing", missing, {"fractional", "majority", "class_majority", "learned"});
        if (o.missing != tree::Missing::majority && o.missing != tree::Missing::learned)
            refuse("'missing' is '" + missing + "'. Expected 'majority' or 'learned'.");
        o.nominal = tree::Nominal::equals;
        o.min_samples_leaf = min_samples_leaf, o.min_samples_split = 2 * min_samples_leaf;
        const nb::gil_scoped_release unlocked;
        rounds = std::make_unique<tree::StumpRounds>(p);
    }

    nb::object next(const In<double> &weights, const Out<uint8_t> &side) {
        const double *w = vector("weights", weights, rounds->rows());
        uint8_t *to = vector("side", side, rounds->rows());
        for (int64_t i = 0; i < rounds->rows(); ++i)
            if (!(w[i] > 0) || std::isinf(w[i]))
                refuse("'weights' is " + std::to_string(w[i]) + " in row " + std::to_string(i) +
                       ". Expected more than 0.");
        tree::TreeArrays t;
        {
            const nb::gil_scoped_release unlocked;
            t = rounds->next(w, to);
        }
        return tree_fields(std::move(t), rounds->classes());
    }
};

#define LEARNT_STUMP_PARAMS                                                                                    \
    const In<int32_t> &feature, const In<double> &threshold, const In<int32_t> &missing,                       \
        const In<int64_t> &start, const In<int32_t> &n_routes, const In<uint8_t> &routes,                      \
        const In2<int32_t> &answer, const In2<double> &amount
#define LEARNT_STUMP_ARGS                                                                                      \
    nb::arg("feature").noconvert(), nb::arg("threshold").noconvert(), nb::arg("missing").noconvert(),          \
        nb::arg("start").noconvert(), nb::arg("n_routes").noconvert(), nb::arg("routes").noconvert(),          \
        nb::arg("answer").noconvert(), nb::arg("amount").noconvert()
#define LEARNT_BOUND_STUMPS(columns, outputs)                                                                  \
    const tree::StumpTests tests = stump_tests(feature, threshold, missing, start, n_routes, routes, columns); \
    const int32_t *answers = stump_answers(answer, tests.count, outputs);                                      \
    const double *amounts = matrix("amount", amount, tests.count, 2)

tree::StumpTests stump_tests(const In<int32_t> &feature, const In<double> &threshold, const In<int32_t> &missing,
                             const In<int64_t> &start, const In<int32_t> &n_routes, const In<uint8_t> &routes,
                             int64_t n_columns) {
    const int64_t n = size(feature);
    const tree::StumpTests s{n,
                             data("feature", feature),
                             vector("threshold", threshold, n),
                             vector("missing", missing, n),
                             vector("start", start, n),
                             vector("n_routes", n_routes, n),
                             data("routes", routes)};
    const int64_t all = size(routes);
    for (int64_t t = 0; t < n; ++t) {
        const bool nominal = s.start[t] >= 0;
        if (s.feature[t] < 0 || s.feature[t] >= n_columns || s.missing[t] < 0 || s.missing[t] > 1 || s.n_routes[t] < 0 ||
            (nominal && (s.start[t] > all || s.n_routes[t] > all - s.start[t])))
            refuse("Stump " + std::to_string(t) + " points outside of its arrays.");
    }
    for (int64_t i = 0; i < all; ++i)
        if (s.routes[i] > 1) refuse("'routes' is " + std::to_string(s.routes[i]) + ". Expected 0 or 1.");
    return s;
}

const int32_t *stump_answers(const In2<int32_t> &answer, int64_t n, int64_t outputs) {
    const int32_t *answers = matrix("answer", answer, n, 2);
    for (int64_t i = 0; i < 2 * n; ++i)
        if (answers[i] < 0 || answers[i] >= outputs)
            refuse("'answer' is " + std::to_string(answers[i]) + ". Expected 0 to " + std::to_string(outputs - 1) + ".");
    return answers;
}

template <class T>
void bind_stump_matrix(nb::module_ &m) {
    m.def(
        "add_stump_votes",
        [](LEARNT_STUMP_PARAMS, const Table<T> &x, const Out2<double> &out) {
            const auto cells = table(x);
            const int64_t outputs = size(out, 1);
            LEARNT_BOUND_STUMPS(cells.columns, outputs);
            double *to = matrix("out", out, cells.rows, outputs);
            const nb::gil_scoped_release unlocked;
            tree::add_stump_votes(tests, answers, amounts, tree::MatrixCells<T>{cells}, outputs, to);
        },
        LEARNT_STUMP_ARGS, nb::arg("x").noconvert(), nb::arg("out").noconvert(),
        "out[i, answer[t, b]] += amount[t, b] for every stump t, b being the child row i goes to.\n\n`x` is a "
        "matrix, or a list of columns with `n_categories`.");
}

}  // namespace

void bind_stumps(nb::module_ &m) {
    nb::class_<BoundRounds>(m, "StumpRounds",
        "Stumps of the same rows under ever new weights; columns are sorted once.")
        .def(nb::init<nb::list, const In<int32_t> &, const In<int32_t> &, int64_t, const std::string &,
                      const std::string &, double>(),
             nb::arg("columns"), nb::arg("n_categories").noconvert(), nb::arg("labels").noconvert(),
             nb::arg("n_classes"), nb::arg("criterion"), nb::arg("missing"), nb::arg("min_samples_leaf"))
        .def("next", &BoundRounds::next, nb::arg("weights").noconvert(), nb::arg("side").noconvert());
    bind_stump_matrix<double>(m), bind_stump_matrix<float>(m);
    m.def(
        "add_stump_votes",
        [](LEARNT_STUMP_PARAMS, nb::list columns, const In<int32_t> &n_categories, const Out2<double> &out) {
            const TypedColumns typed(columns, n_categories, size(out));
            const int64_t outputs = size(out, 1);
            LEARNT_BOUND_STUMPS(static_cast<int64_t>(typed.columns.size()), outputs);
            for (int64_t t = 0; t < tests.count; ++t)
                if ((tests.start[t] < 0) != typed.columns[static_cast<size_t>(tests.feature[t])].ordered())
                    refuse("Stump " + std::to_string(t) + " asks about a column of another kind.");
            double *to = data("out", out);
            const nb::gil_scoped_release unlocked;
            tree::add_stump_votes(tests, answers, amounts, tree::ColumnCells{typed.columns, size(out)}, outputs, to);
        },
        LEARNT_STUMP_ARGS, nb::arg("x"), nb::arg("n_categories").noconvert(), nb::arg("out").noconvert(),
        "out[i, answer[t, b]] += amount[t, b] for every stump t, b being the child row i goes to.\n\n`x` is a "
        "matrix, or a list of columns with `n_categories`.");
}

}  // namespace learnt::bind
