// Counting and scoring families of columns, and looking up what a network says of rows.
#include "bind/graphical/groups.hpp"
#include "bind/options.hpp"
#include "bind/tree/fields.hpp"
#include "graphical/counts_hashed.hpp"
#include "graphical/log_joint.hpp"
#include "graphical/structure_scores.hpp"

namespace learnt::bind {
namespace {

using namespace learnt::graphical;

int64_t all_cells(const std::vector<TablePlace> &tables) { return tables.empty() ? 0 : tables.back().start + tables.back().cells; }

template <class Code>
CodedRows<Code> coded(const In2<Code> &codes, const In<int32_t> &cells, const Maybe<In<double>> &weights) {
    return {data("codes", codes), size(codes), size(codes, 1), sizes_listed("cells", cells, size(codes)),
            vector("weights", weights, size(codes, 1))};
}

template <class Code, class Count>
void bind_counting(nb::module_ &m) {
    m.def(
        "count_tables",
        [](const In2<Code> &codes, const In<int32_t> &cells, const Maybe<In<double>> &weights, const In<int32_t> &members,
           const In<int64_t> &member_starts, const In<int32_t> &candidates, const In<int64_t> &candidate_starts,
           const Out<Count> &counts) {
            const auto x = coded(codes, cells, weights);
            const auto groups = groups_of(members, member_starts, candidates, candidate_starts, x.columns);
            const auto tables = lay_tables(groups, x.cells);
            Count *to = vector("counts", counts, all_cells(tables));
            const nb::gil_scoped_release unlocked;
            count_tables(x, groups, tables, to);
        },
        nb::arg("codes").noconvert(), nb::arg("cells").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("members").noconvert(), nb::arg("member_starts").noconvert(), nb::arg("candidates").noconvert(),
        nb::arg("candidate_starts").noconvert(), nb::arg("counts").noconvert(),
        "Add rows to the tables of groups of columns, one for each candidate, laid one after the other.");
}

template <class Code>
void bind_hashing(nb::module_ &m) {
    m.def(
        "count_hashed",
        [](const In2<Code> &codes, const In<int32_t> &cells, const Maybe<In<double>> &weights, const In<int32_t> &members,
           const In<int64_t> &member_starts) {
            const auto x = coded(codes, cells, weights);
            const auto listed = columns_listed("members", members, x.columns);
            const int64_t n = size(member_starts) - 1;
            const auto starts = starts_listed("member_starts", member_starts, n + 1, size(members));
            std::vector<std::vector<int32_t>> families;
            for (size_t f = 0; f < static_cast<size_t>(n); ++f) {
                families.emplace_back(listed.begin() + starts[f], listed.begin() + starts[f + 1]);
                if (!can_number(families.back(), x.cells)) refuse("The combinations of 'members' are too many to number.");
            }
            std::vector<SparseTable> found;
            {
                const nb::gil_scoped_release unlocked;
                found = count_hashed(x, families);
            }
            nb::list tables;
            for (auto &table : found)
                tables.append(nb::make_tuple(as_array(std::move(table.keys)), as_array(std::move(table.counts))));
            return tables;
        },
        nb::arg("codes").noconvert(), nb::arg("cells").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("members").noconvert(), nb::arg("member_starts").noconvert(),
        "Of each family of columns the combinations that occur, as rising numbers, and their weights.");
}

Scoring scoring(const std::string &score, double sample_size, double weight) {
    const auto kind = choice<Score>("score", score, {"loglik", "bic", "aic", "bdeu", "k2"});
    if (!(sample_size > 0) || !(weight > 0)) refuse("'sample_size' or 'weight' is not above 0.");
    return {kind, sample_size, weight};
}

// A table as its columns' cells, their states and shares, outermost first.
struct Shape {
    std::vector<int64_t> cells, states;
    std::vector<const double *> shares;
    bool missing = false;
};

template <class Count>
void bind_scoring(nb::module_ &m) {
    m.def(
        "score_tables",
        [](const In<Count> &counts, const In<int32_t> &cells, const In<int32_t> &states, const In<double> &shares,
           const In<int32_t> &members, const In<int64_t> &member_starts, const In<int32_t> &candidates,
           const In<int64_t> &candidate_starts, const std::string &score, double sample_size, double weight,
           const Out<double> &scores, const Maybe<Out<double>> &turned) {
            const int64_t columns = size(cells);
            const int32_t *c = sizes_listed("cells", cells, columns), *s = sizes_listed("states", states, columns);
            std::vector<int64_t> share_start(static_cast<size_t>(columns) + 1, 0);
            for (int64_t j = 0; j < columns; ++j) {
                if (c[j] < s[j] || c[j] - 1 > s[j]) refuse("'cells' are not the states, or one more.");
                share_start[static_cast<size_t>(j) + 1] = share_start[static_cast<size_t>(j)] + s[j];
            }
            const double *share = vector("shares", shares, share_start.back());
            const auto groups = groups_of(members, member_starts, candidates, candidate_starts, columns);
            const auto tables = lay_tables(groups, c);
            const Count *from = vector("counts", counts, all_cells(tables));
            const auto n = static_cast<int64_t>(tables.size());
            double *to = vector("scores", scores, n), *to_turned = vector("turned", turned, n);
            for (int64_t g = 0; g < groups.count(); ++g)
                if (groups.members_of(g).empty()) refuse("A group has no members. Expected the node as the last of them.");
            const Scoring how = scoring(score, sample_size, weight);
            const nb::gil_scoped_release unlocked;
            const Blocks blocks = cut(n, 4, 1 << 20);
            run_blocks(blocks.count, [&](int64_t b, Job &job) {
                for (int64_t t = blocks[b].first; t < blocks[b].last; ++t) {
                    job.check();
                    const TablePlace &table = tables[static_cast<size_t>(t)];
                    Shape shape;
                    const auto add = [&](int32_t j) {
                        shape.cells.push_back(c[j]), shape.states.push_back(s[j]);
                        shape.shares.push_back(share + share_start[static_cast<size_t>(j)]);
                        shape.missing = shape.missing || c[j] > s[j];
                    };
                    const auto family = groups.members_of(table.group);
                    int64_t outer = 1;
                    for (const int32_t j : family) add(j), outer *= s[j];
                    const int64_t node = s[family.back()];
                    outer /= node;
                    const int64_t inner = table.candidate < 0 ? 1 : s[table.candidate];
                    if (table.candidate >= 0) add(table.candidate);
                    const auto both = [&](const auto *cell) {
                        to[t] = score_table(cell, outer, node, inner, how);
                        if (to_turned != nullptr) to_turned[t] = score_table(cell, outer * node, inner, int64_t{1}, how);
                    };
                    if (!shape.missing) {
                        both(from + table.start);
                        continue;
                    }
                    std::vector<double> dealt(from + table.start, from + table.start + table.cells);
                    deal_missing(dealt, shape.cells, shape.states, shape.shares);
                    both(dealt.data());
                }
            });
        },
        nb::arg("counts").noconvert(), nb::arg("cells").noconvert(), nb::arg("states").noconvert(),
        nb::arg("shares").noconvert(), nb::arg("members").noconvert(), nb::arg("member_starts").noconvert(),
        nb::arg("candidates").noconvert(), nb::arg("candidate_starts").noconvert(), nb::arg("score"),
        nb::arg("sample_size"), nb::arg("weight"), nb::arg("scores").noconvert(), nb::arg("turned").noconvert().none(),
        "Score each table: the last member given the others and the candidate; turned, the candidate given those.");
}

}  // namespace

void bind_structure(nb::module_ &m) {
    bind_counting<uint8_t, int64_t>(m), bind_counting<uint8_t, double>(m);
    bind_counting<uint16_t, int64_t>(m), bind_counting<uint16_t, double>(m);
    bind_counting<uint32_t, int64_t>(m), bind_counting<uint32_t, double>(m);
    bind_hashing<uint8_t>(m), bind_hashing<uint16_t>(m), bind_hashing<uint32_t>(m);
    bind_scoring<int64_t>(m), bind_scoring<double>(m);
    m.def(
        "score_hashed",
        [](const In<uint64_t> &keys, const In<double> &counts, int64_t states, double configurations, double states_scored,
           const std::string &score, double sample_size, double weight) {
            if (states < 1) refuse("'states' is " + std::to_string(states) + ". Expected at least 1.");
            const auto n = static_cast<size_t>(size(keys));
            const double *count = vector("counts", counts, size(keys));
            return score_sparse({data("keys", keys), n}, {count, n}, static_cast<uint64_t>(states), configurations,
                                states_scored, scoring(score, sample_size, weight));
        },
        nb::arg("keys").noconvert(), nb::arg("counts").noconvert(), nb::arg("states"), nb::arg("configurations"),
        nb::arg("states_scored"), nb::arg("score"), nb::arg("sample_size"), nb::arg("weight"),
        "Score the last column of a family given the others, from count_hashed.");
    m.def(
        "add_log_joint",
        [](const In2<int32_t> &codes, const In<int32_t> &states, const In<int32_t> &members,
           const In<int64_t> &member_starts, const In<double> &tables, const Out2<double> &out) {
            const int64_t columns = size(codes), rows = size(codes, 1), classes = size(out);
            const int32_t *s = sizes_listed("states", states, columns);
            const int64_t n = size(member_starts) - 1;
            Families families{columns_listed("members", members, columns),
                              starts_listed("member_starts", member_starts, n + 1, size(members)), {}};
            std::vector<int64_t> starts;
            int64_t end = 0;
            for (size_t f = 0; f < static_cast<size_t>(n); ++f) {
                starts.push_back(end);
                int64_t cells = classes;
                for (auto i = families.member_starts[f]; i < families.member_starts[f + 1]; ++i)
                    cells = times_cells(cells, s[families.members[static_cast<size_t>(i)]]);
                end += cells;
                if (end > most_cells) refuse("'members' make tables of more than 2^31 cells.");
            }
            families.table_starts = starts;
            const double *logs = vector("tables", tables, end);
            const int32_t *code = data("codes", codes);
            double *to = matrix("out", out, classes, rows);
            const nb::gil_scoped_release unlocked;
            add_log_joint(code, rows, s, families, logs, classes, to);
        },
        nb::arg("codes").noconvert(), nb::arg("states").noconvert(), nb::arg("members").noconvert(),
        nb::arg("member_starts").noconvert(), nb::arg("tables").noconvert(), nb::arg("out").noconvert(),
        "Add to out, classes × rows, what the tables of families say of rows; families with a missing cell add nothing.");
}

}  // namespace learnt::bind
