// Factors, orders of elimination and junction trees.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "graphical/factor.hpp"
#include "graphical/propagation.hpp"

namespace learnt::bind {
namespace {

using namespace learnt::graphical;

Ints state_counts(const In<int32_t> &states) {
    const int32_t *k = data("states", states);
    for (int64_t v = 0; v < size(states); ++v)
        if (k[v] < 1) refuse("Variable " + std::to_string(v) + " has " + std::to_string(k[v]) + " states. Expected 1 or more.");
    return Ints(k, k + size(states));
}

// Variables in range, each once.
Ints distinct_variables(const char *name, const int32_t *first, int64_t n, const Ints &states) {
    Ints found(first, first + n);
    Ints sorted = found;
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= static_cast<int32_t>(states.size())))
        refuse("'" + std::string(name) + "' names a variable that is not there.");
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        refuse("'" + std::string(name) + "' names a variable twice.");
    return found;
}

Ints distinct_variables(const char *name, const In<int32_t> &variables, const Ints &states) {
    return distinct_variables(name, data(name, variables), size(variables), states);
}

int64_t entries_of(const Ints &variables, const Ints &states) {
    double entries = 1;
    for (const int32_t v : variables) entries *= states[static_cast<size_t>(v)];
    if (entries >= static_cast<double>(most_entries)) refuse("A table of more than 2³¹ entries was asked for.");
    return static_cast<int64_t>(entries);
}

const int64_t *checked_starts(const char *name, const In<int64_t> &start, int64_t total) {
    if (size(start) < 1) refuse("'" + std::string(name) + "' is empty.");
    const int64_t *s = data(name, start);
    bool rising = s[0] == 0 && s[size(start) - 1] == total;
    for (int64_t i = 1; i < size(start); ++i) rising &= s[i - 1] <= s[i];
    if (!rising) refuse("'" + std::string(name) + "' does not rise from 0 to the number of entries.");
    return s;
}

std::vector<Ints> checked_sets(const char *name, const In<int64_t> &start, const In<int32_t> &members, const Ints &states) {
    const int64_t *s = checked_starts(name, start, size(members));
    const int32_t *m = data(name, members);
    std::vector<Ints> found;
    for (int64_t i = 0; i + 1 < size(start); ++i)
        found.push_back(distinct_variables(name, m + s[i], s[i + 1] - s[i], states));
    return found;
}

// A table of `variables` and a smaller one of some of them, with how many entries each has.
struct CheckedTables {
    Projection places;
    int64_t entries, small;
};

CheckedTables checked_tables(const In<int32_t> &states, const In<int32_t> &variables, const char *name, const In<int32_t> &some) {
    const Ints k = state_counts(states);
    const Ints from = distinct_variables("variables", variables, k), onto = distinct_variables(name, some, k);
    const int64_t entries = entries_of(from, k);
    for (const int32_t v : onto)
        if (std::find(from.begin(), from.end(), v) == from.end())
            refuse("'" + std::string(name) + "' names a variable that is not in 'variables'.");
    return {Projection(from, onto, k), entries, entries_of(onto, k)};
}

void bind_factors(nb::module_ &m) {
    m.def(
        "combine_factor",
        [](const In<int32_t> &states, const In<int32_t> &scope, const In<double> &values, const In<int32_t> &variables,
           bool logs, const Out<double> &out) {
            const CheckedTables checked = checked_tables(states, variables, "scope", scope);
            const double *small = vector("values", values, checked.small);
            double *to = vector("out", out, checked.entries);
            const nb::gil_scoped_release unlocked;
            if (logs)
                combine(checked.places, small, to, [](double a, double b) { return a + b; });
            else
                combine(checked.places, small, to, [](double a, double b) { return a * b; });
        },
        nb::arg("states").noconvert(), nb::arg("scope").noconvert(), nb::arg("values").noconvert(),
        nb::arg("variables").noconvert(), nb::arg("logs"), nb::arg("out").noconvert(),
        "Multiply out, a table of variables, by a factor of some of them; of logarithms, add it.");
    m.def(
        "reduce_factor",
        [](const In<int32_t> &states, const In<int32_t> &variables, const In<double> &values, const In<int32_t> &kept,
           int64_t how, const Out<double> &out) {
            if (how < 0 || how > 2) refuse("'how' is " + std::to_string(how) + ". Expected 0, 1 or 2.");
            const CheckedTables checked = checked_tables(states, variables, "kept", kept);
            const double *table = vector("values", values, checked.entries);
            double *to = vector("out", out, checked.small);
            const nb::gil_scoped_release unlocked;
            reduce(checked.places, table, Reduction{static_cast<int>(how)}, checked.small, to);
        },
        nb::arg("states").noconvert(), nb::arg("variables").noconvert(), nb::arg("values").noconvert(),
        nb::arg("kept").noconvert(), nb::arg("how"), nb::arg("out").noconvert(),
        "Write sums (how = 0), maxima (1) or logs of sums of exponentials (2) over all variables but the kept.");
    m.def(
        "elimination_order",
        [](const In<int32_t> &states, const In<int64_t> &start, const In<int32_t> &scopes, int64_t tries) {
            const Ints k = state_counts(states);
            checked_sets("scopes", start, scopes, k);
            if (tries < 1) refuse("'tries' is " + std::to_string(tries) + ". Expected 1 or more.");
            Elimination found;
            {
                const nb::gil_scoped_release unlocked;
                found = best_elimination(k, start.data(), size(start) - 1, scopes.data(), tries);
            }
            return std::make_tuple(found.order, found.width, found.largest, found.entries);
        },
        nb::arg("states").noconvert(), nb::arg("start").noconvert(), nb::arg("scopes").noconvert(), nb::arg("tries"),
        "The order with the smallest tables of those tried, its width, entries of the largest and of all.");
}

Evidence checked_evidence(const JunctionTree &tree, const In2<int32_t> &evidence, const Maybe<In2<double>> &likelihood) {
    const int64_t n = static_cast<int64_t>(tree.states.size()), rows = size(evidence);
    if (!tree.has_factors) refuse("The tree has no factors yet. Call set_factors.");
    const int32_t *codes = matrix("evidence", evidence, rows, n);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t v = 0; v < n; ++v)
            if (codes[i * n + v] >= tree.states[static_cast<size_t>(v)] || codes[i * n + v] < -1)
                refuse("'evidence' has the state " + std::to_string(codes[i * n + v]) + " in row " + std::to_string(i) + ".");
    int64_t total = 0;
    for (const int32_t k : tree.states) total += k;
    if (!likelihood) return {codes, nullptr, 0, rows};
    const int64_t given = size(*likelihood);
    const double *soft = matrix("likelihood", *likelihood, given == 1 ? 1 : rows, total);
    for (int64_t e = 0; e < given * total; ++e)
        if (!(soft[e] >= 0 && soft[e] <= std::numeric_limits<double>::max()))
            refuse("'likelihood' has entries below 0 or not finite.");
    return {codes, soft, given == 1 ? 0 : total, rows};
}

void bind_tree_of_cliques(nb::module_ &m) {
    nb::class_<JunctionTree>(m, "JunctionTree", "Cliques of a product of factors, and messages between them.")
        .def(
            "__init__",
            [](JunctionTree *self, const In<int32_t> &states, const In<int64_t> &start, const In<int32_t> &scopes,
               const In<int32_t> &order) {
                Ints k = state_counts(states);
                if (k.empty()) refuse("'states' is empty. Expected at least one variable.");
                checked_sets("scopes", start, scopes, k);
                if (size(order) != size(states)) check_length("order", size(order), size(states));
                distinct_variables("order", order, k);
                try {
                    new (self) JunctionTree(std::move(k), start.data(), size(start) - 1, scopes.data(), order.data());
                } catch (const std::length_error &) {
                    refuse("A clique has more than 2³¹ entries.");
                }
            },
            nb::arg("states").noconvert(), nb::arg("start").noconvert(), nb::arg("scopes").noconvert(),
            nb::arg("order").noconvert())
        .def_prop_ro("entries", [](const JunctionTree &t) { return t.entries; })
        .def(
            "cliques",
            [](const JunctionTree &tree) {
                std::vector<std::pair<Ints, int32_t>> found;
                for (const Clique &c : tree.cliques) found.emplace_back(c.variables, c.parent);
                return found;
            },
            "The variables of each clique and the number of its parent, which stands before it; −1 for roots.")
        .def(
            "holds",
            [](const JunctionTree &tree, const In<int32_t> &variables) {
                return tree.clique_of(distinct_variables("variables", variables, tree.states)) >= 0;
            },
            nb::arg("variables").noconvert(), "Whether a clique holds all of these.")
        .def(
            "set_factors",
            [](JunctionTree &tree, const In<double> &values) {
                const double *v = vector("values", values, tree.factor_start.back());
                const nb::gil_scoped_release unlocked;
                tree.set_factors(v);
            },
            nb::arg("values").noconvert(), "Take the entries of all factors, one after the other.")
        .def(
            "posteriors",
            [](const JunctionTree &tree, const In2<int32_t> &evidence, const Maybe<In2<double>> &likelihood,
               const In<int64_t> &start, const In<int32_t> &targets, const Out2<double> &out, const Out<double> &log_evidence) {
                const Evidence known = checked_evidence(tree, evidence, likelihood);
                const std::vector<Ints> sets = checked_sets("targets", start, targets, tree.states);
                int64_t width = 0;
                for (const Ints &set : sets) {
                    if (tree.clique_of(set) < 0) refuse("No clique holds all variables of a target.");
                    width += entries_of(set, tree.states);
                }
                double *to = matrix("out", out, known.rows, width);
                double *log_to = vector("log_evidence", log_evidence, known.rows);
                const nb::gil_scoped_release unlocked;
                posteriors(tree, known, sets, to, log_to);
            },
            nb::arg("evidence").noconvert(), nb::arg("likelihood").noconvert().none(), nb::arg("start").noconvert(),
            nb::arg("targets").noconvert(), nb::arg("out").noconvert(), nb::arg("log_evidence").noconvert(),
            "Write the distribution of each target given each row (−1 = not seen), NaN where it is impossible.")
        .def(
            "most_probable",
            [](const JunctionTree &tree, const In2<int32_t> &evidence, const Maybe<In2<double>> &likelihood,
               const Out2<int32_t> &out, const Out<double> &log_product) {
                const Evidence known = checked_evidence(tree, evidence, likelihood);
                int32_t *to = matrix("out", out, known.rows, static_cast<int64_t>(tree.states.size()));
                double *log_to = vector("log_product", log_product, known.rows);
                const nb::gil_scoped_release unlocked;
                most_probable(tree, known, to, log_to);
            },
            nb::arg("evidence").noconvert(), nb::arg("likelihood").noconvert().none(), nb::arg("out").noconvert(),
            nb::arg("log_product").noconvert(),
            "Write the most probable states of all variables together given each row, −1 where it is impossible.")
        .def(
            "expected_counts",
            [](const JunctionTree &tree, const In2<int32_t> &evidence, const Maybe<In<double>> &weights,
               const Out<double> &counts, const Out<double> &log_evidence) {
                const Evidence known = checked_evidence(tree, evidence, std::nullopt);
                const double *w = vector("weights", weights, known.rows);
                double *to = vector("counts", counts, tree.factor_start.back());
                double *log_to = vector("log_evidence", log_evidence, known.rows);
                const nb::gil_scoped_release unlocked;
                expected_counts(tree, known, w, to, log_to);
            },
            nb::arg("evidence").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("counts").noconvert(),
            nb::arg("log_evidence").noconvert(),
            "Add to counts the expected weight of each entry of each factor given the rows.");
}

}  // namespace

void bind_networks(nb::module_ &m) { bind_factors(m), bind_tree_of_cliques(m); }

}  // namespace learnt::bind
