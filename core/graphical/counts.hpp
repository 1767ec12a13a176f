// Contingency tables of coded columns.
//
// A group is a list of members (the parents of a node, then the node itself) and a list of candidates. Without
// candidates it has one table, over its members; with them one for each, over its members and that candidate. The last
// member, or the candidate, runs fastest. So the place of a row among the members is found once for many tables.
//
//   codes   columns × rows; a code beyond the last cell of its column counts as that cell, so that none is out of bounds
//   cells   of each column, its states and one more if cells are missing, whose code is the last
//
// Each table is counted by one thread in the order of rows: the same bits for any number of threads, also of weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/matrix.hpp"
#include "base/pool.hpp"

namespace learnt::graphical {

template <class Code>
struct CodedRows {
    const Code *codes;
    int64_t columns, rows;
    const int32_t *cells;
    const double *weights;  // or null

    const Code *column(int32_t j) const { return codes + j * rows; }
    uint32_t last_cell(int32_t j) const { return static_cast<uint32_t>(cells[j]) - 1; }
};

struct Groups {
    std::span<const int32_t> members;
    std::span<const int64_t> member_starts;
    std::span<const int32_t> candidates;
    std::span<const int64_t> candidate_starts;

    int64_t count() const { return static_cast<int64_t>(member_starts.size()) - 1; }
    std::span<const int32_t> members_of(int64_t g) const { return part(members, member_starts, g); }
    std::span<const int32_t> candidates_of(int64_t g) const { return part(candidates, candidate_starts, g); }

  private:
    static std::span<const int32_t> part(std::span<const int32_t> all, std::span<const int64_t> starts, int64_t g) {
        const auto i = static_cast<size_t>(g);
        return all.subspan(static_cast<size_t>(starts[i]), static_cast<size_t>(starts[i + 1] - starts[i]));
    }
};

// One table: its group, its candidate (or −1), how many cells the members have, and where it begins.
struct TablePlace {
    int64_t group;
    int32_t candidate;
    int64_t base_cells, cells, start;
};

// No table, nor all of them together, has more cells.
inline constexpr int64_t most_cells = int64_t{1} << 31;

inline int64_t times_cells(int64_t a, int64_t b) {
    if (b > 0 && a > most_cells / b) throw std::invalid_argument("A table of counts has more than 2^31 cells.");
    return a * b;
}

inline std::vector<TablePlace> lay_tables(const Groups &groups, const int32_t *cells) {
    std::vector<TablePlace> found;
    int64_t start = 0;
    for (int64_t g = 0; g < groups.count(); ++g) {
        int64_t base = 1;
        for (const int32_t j : groups.members_of(g)) base = times_cells(base, cells[j]);
        const auto lay = [&](int32_t candidate, int64_t size) {
            found.push_back({g, candidate, base, size, start});
            start += size;
            if (start > most_cells) throw std::invalid_argument("The tables of counts have more than 2^31 cells.");
        };
        if (groups.candidates_of(g).empty()) lay(-1, base);
        for (const int32_t z : groups.candidates_of(g)) lay(z, times_cells(base, cells[z]));
    }
    return found;
}

namespace detail {

inline constexpr int64_t block_rows = 2048;
inline constexpr int together = 4;  // tables whose increments do not wait for each other

template <class Code>
void place_rows(const CodedRows<Code> &x, std::span<const int32_t> members, int64_t first, int64_t n, uint32_t *place) {
    std::fill_n(place, n, 0u);
    for (const int32_t j : members) {
        const Code *code = x.column(j) + first;
        const uint32_t size = static_cast<uint32_t>(x.cells[j]), last = x.last_cell(j);
        for (int64_t i = 0; i < n; ++i) place[i] = place[i] * size + std::min<uint32_t>(static_cast<uint32_t>(code[i]), last);
    }
}

template <int Tables, bool Weighted, class Code, class Count>
void count_rows(const uint32_t *place, const Code *const *code, const uint32_t *size, const double *weight, int64_t n,
                Count *const *out) {
    for (int64_t i = 0; i < n; ++i)
        for (int t = 0; t < Tables; ++t) {
            const uint32_t c = std::min<uint32_t>(static_cast<uint32_t>(code[t][i]), size[t] - 1);
            Count &cell = out[t][static_cast<size_t>(place[i]) * size[t] + c];
            if constexpr (Weighted)
                cell += static_cast<Count>(weight[i]);
            else
                ++cell;
        }
}

// Up to four tables of one group, all rows.
template <bool Weighted, class Code, class Count>
void count_some(const CodedRows<Code> &x, const Groups &groups, std::span<const TablePlace> tables, Count *counts, Job &job) {
    uint32_t place[block_rows];
    const auto members = groups.members_of(tables[0].group);
    for (int64_t first = 0; first < x.rows; first += block_rows) {
        job.check();
        const int64_t n = std::min(block_rows, x.rows - first);
        place_rows(x, members, first, n, place);
        const double *weight = Weighted ? x.weights + first : nullptr;
        if (tables[0].candidate < 0) {
            Count *out = counts + tables[0].start;
            for (int64_t i = 0; i < n; ++i)
                if constexpr (Weighted)
                    out[place[i]] += static_cast<Count>(weight[i]);
                else
                    ++out[place[i]];
            continue;
        }
        const Code *code[together];
        uint32_t size[together];
        Count *out[together];
        for (size_t t = 0; t < tables.size(); ++t) {
            code[t] = x.column(tables[t].candidate) + first;
            size[t] = static_cast<uint32_t>(x.cells[tables[t].candidate]);
            out[t] = counts + tables[t].start;
        }
        switch (tables.size()) {
            case 1: count_rows<1, Weighted>(place, code, size, weight, n, out); break;
            case 2: count_rows<2, Weighted>(place, code, size, weight, n, out); break;
            case 3: count_rows<3, Weighted>(place, code, size, weight, n, out); break;
            default: count_rows<together, Weighted>(place, code, size, weight, n, out);
        }
    }
}

}  // namespace detail

// Add every row to every table; `counts` is updated, never cleared.
template <class Code, class Count>
void count_tables(const CodedRows<Code> &x, const Groups &groups, std::span<const TablePlace> tables, Count *counts) {
    std::vector<Range> tasks;
    const auto n = static_cast<int64_t>(tables.size());
    for (int64_t first = 0; first < n;) {
        int64_t last = first + 1;
        const auto &group = tables[static_cast<size_t>(first)].group;
        while (last < n && last - first < detail::together && tables[static_cast<size_t>(last)].group == group) ++last;
        tasks.push_back({first, last});
        first = last;
    }
    run_blocks(static_cast<int64_t>(tasks.size()), [&](int64_t b, Job &job) {
        const Range task = tasks[static_cast<size_t>(b)];
        const auto some = tables.subspan(static_cast<size_t>(task.first), static_cast<size_t>(task.size()));
        if (x.weights == nullptr)
            detail::count_some<false>(x, groups, some, counts, job);
        else
            detail::count_some<true>(x, groups, some, counts, job);
    });
}

}  // namespace learnt::graphical
