// Tables of counts, laid out and hashed, scores and look-ups against plain loops.
#include <cmath>
#include <map>
#include <vector>

#include "graphical/counts_hashed.hpp"
#include "graphical/log_joint.hpp"
#include "graphical/structure_scores.hpp"
#include "tests/check.hpp"

namespace learnt::test {
namespace {

using namespace learnt::graphical;

constexpr int64_t rows = 5003;
const std::vector<int32_t> cells{3, 2, 5};

std::vector<uint8_t> codes_of_rows() {
    std::vector<uint8_t> codes;
    for (uint64_t j = 0; j < 3; ++j)
        for (uint64_t i = 0; i < rows; ++i)
            codes.push_back(static_cast<uint8_t>(mix_bits(7 * i + j) % static_cast<uint64_t>(cells[j])));
    codes[4] = 200;  // beyond the last cell: counts as that one
    return codes;
}

void tables_are_those_of_a_plain_loop(bool weighted) {
    const auto codes = codes_of_rows();
    std::vector<double> weights(rows);
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 4);
    const CodedRows<uint8_t> x{codes.data(), 3, rows, cells.data(), weighted ? weights.data() : nullptr};
    const std::vector<int32_t> members{0, 1}, candidates{2, 0};
    const std::vector<int64_t> member_starts{0, 2, 2}, candidate_starts{0, 1, 2};
    const Groups groups{members, member_starts, candidates, candidate_starts};
    const auto tables = lay_tables(groups, cells.data());
    CHECK(tables.size() == 2 && tables[0].cells == 30 && tables[1].start == 30 && tables[1].cells == 3);
    std::vector<double> counts(33), wanted(33);
    count_tables(x, groups, std::span<const TablePlace>(tables), counts.data());
    std::map<uint64_t, double> sparse;
    for (size_t i = 0; i < static_cast<size_t>(rows); ++i) {
        const auto code = [&](size_t j) { return std::min<size_t>(codes[j * rows + i], static_cast<size_t>(cells[j]) - 1); };
        const double w = weighted ? weights[i] : 1;
        wanted[(code(0) * 2 + code(1)) * 5 + code(2)] += w;
        wanted[30 + code(0)] += w;
        sparse[(code(0) * 2 + code(1)) * 5 + code(2)] += w;
    }
    CHECK(counts == wanted);
    const auto found = count_hashed(x, {{0, 1, 2}});
    size_t at = 0;
    CHECK(found[0].keys.size() == sparse.size());
    for (const auto &[key, count] : sparse) {
        CHECK(found[0].keys[at] == key && found[0].counts[at] == count);
        ++at;
    }
}

void gammas_are_those_of_the_standard_library() {
    for (const double x : {1e-8, 0.003, 0.5, 1.0, 1.5, 2.0, 3.7, 9.99, 10.0, 41.0, 1e5, 1e12})
        CHECK(close(log_gamma(x), std::lgamma(x), 1e-12) || std::abs(log_gamma(x) - std::lgamma(x)) < 1e-13);
}

void scores_agree_laid_out_and_hashed() {
    const std::vector<double> table{4, 0, 3, 7, 0, 0, 2, 5};  // two configurations × two states × two more
    for (const Score score : {Score::loglik, Score::bic, Score::aic, Score::bdeu, Score::k2}) {
        const Scoring how{score, 3, 21};
        std::vector<uint64_t> keys;
        std::vector<double> counts;
        for (uint64_t o = 0; o < 2; ++o)
            for (uint64_t z = 0; z < 2; ++z)
                for (uint64_t k = 0; k < 2; ++k) {
                    const double n = table[(o * 2 + k) * 2 + z];
                    if (n > 0) keys.push_back((o * 2 + z) * 2 + k), counts.push_back(n);
                }
        CHECK(close(score_table(table.data(), 2, 2, 2, how), score_sparse(keys, counts, 2, 4, 2, how), 1e-12));
    }
}

void missing_cells_keep_the_sum() {
    std::vector<double> table{4, 1, 2, 0, 3, 1, 2, 2, 5};
    const std::vector<int64_t> sizes{3, 3}, states{2, 2};
    const double p[] = {0.25, 0.75}, q[] = {0.4, 0.6};
    const double *const shares[] = {p, q};
    deal_missing(table, sizes, states, shares);
    CHECK(table.size() == 4);
    CHECK(close(table[0] + table[1] + table[2] + table[3], 20, 1e-14));
    CHECK(close(table[0], 4 + 0.25 * 2 + 0.4 * 2 + 0.25 * 0.4 * 5, 1e-14));
}

void look_ups_skip_missing_cells() {
    const std::vector<int32_t> codes{0, 1, -1, 2, 1, 1, 0, 9}, states{2, 3}, members{0, 1};
    const std::vector<int64_t> starts{0, 2}, table_starts{0};
    std::vector<double> tables(2 * 3 * 2), out(2 * 4, 1.0);
    for (size_t i = 0; i < tables.size(); ++i) tables[i] = static_cast<double>(i);
    add_log_joint(codes.data(), 4, states.data(), {members, starts, table_starts}, tables.data(), 2, out.data());
    CHECK((out == std::vector<double>{3, 9, 1, 1, 4, 10, 1, 1}));
}

void tables_without_end_are_refused() {
    const std::vector<int32_t> many{1 << 30, 1 << 30, 1 << 30}, members{0, 1}, none;
    const std::vector<int64_t> starts{0, 2}, no_starts{0, 0};
    bool refused = false;
    try {
        lay_tables({members, starts, none, no_starts}, many.data());
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    CHECK(refused);
    CHECK(!can_number(std::vector<int32_t>{0, 1, 2}, many.data()));
}

}  // namespace

void test_structure() {
    tables_are_those_of_a_plain_loop(false);
    tables_are_those_of_a_plain_loop(true);
    gammas_are_those_of_the_standard_library();
    scores_agree_laid_out_and_hashed();
    missing_cells_keep_the_sum();
    look_ups_skip_missing_cells();
    tables_without_end_are_refused();
}

}  // namespace learnt::test
