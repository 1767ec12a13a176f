// The sample at the root: every row that has weight, every ordered column sorted (radix sort, threads over
// columns).
#pragma once

#include <array>
#include <bit>

#include "tree/sample.hpp"

namespace learnt::tree {

struct WideEntry {
    uint64_t rank;
    uint32_t id;
};

// Unsigned numbers that rise with the floats; −0 and 0 are one, NaN comes last.
inline uint32_t rising_bits(float x) {
    if (std::isnan(x)) return ~0u;
    const uint32_t u = std::bit_cast<uint32_t>(x + 0.0f);
    return u >> 31 ? ~u : u | 0x80000000u;
}
inline uint64_t rising_bits(double x) {
    if (std::isnan(x)) return ~uint64_t{0};
    const uint64_t u = std::bit_cast<uint64_t>(x + 0.0);
    return u >> 63 ? ~u : u | 0x8000000000000000u;
}

// Sorts stably by key; returns whichever of the two buffers holds the result.
template <class Keyed>
Keyed *sort_rows(Keyed *rows, Keyed *spare, int64_t n) {
    constexpr int bits = 11, passes = (8 * sizeof(Keyed::rank) + bits - 1) / bits;
    constexpr uint64_t mask = (1 << bits) - 1;
    std::vector<std::array<uint32_t, size_t{1} << bits>> count(passes);
    for (int64_t i = 0; i < n; ++i)
        for (int pass = 0; pass < passes; ++pass) ++count[pass][(rows[i].rank >> (bits * pass)) & mask];
    for (int pass = 0; pass < passes; ++pass) {
        auto &start = count[pass];
        if (n == 0 || start[(rows[0].rank >> (bits * pass)) & mask] == n) continue;  // all have this digit
        uint32_t sum = 0;
        for (uint32_t &c : start) c = std::exchange(sum, sum + c);
        for (int64_t i = 0; i < n; ++i) spare[start[(rows[i].rank >> (bits * pass)) & mask]++] = rows[i];
        std::swap(rows, spare);
    }
    return rows;
}

inline bool fits_float(const Column &column, const uint32_t *row, int64_t n) {
    if (column.cells != Column::Cells::float64) return true;
    for (int64_t i = 0; i < n; ++i) {
        const double x = column.number(row[i]);
        if (x == x && static_cast<double>(static_cast<float>(x)) != x) return false;
    }
    return true;
}

// Writes the sorted list of a column; `cell(id)` is the number in it.
template <class Cell>
void sort_list(Entry<uint32_t> *list, int64_t n, bool single, Cell cell) {
    if (single) {
        Buffer<Entry<uint32_t>> spare(n);
        for (int64_t i = 0; i < n; ++i) list[i] = {rising_bits(static_cast<float>(cell(i))), static_cast<uint32_t>(i)};
        const Entry<uint32_t> *sorted = sort_rows(list, spare.data(), n);
        if (sorted != list) std::memcpy(list, sorted, sizeof(*list) * static_cast<size_t>(n));
        return;
    }
    Buffer<WideEntry> rows(n), spare(n);
    for (int64_t i = 0; i < n; ++i) rows[i] = {rising_bits(static_cast<double>(cell(i))), static_cast<uint32_t>(i)};
    const WideEntry *sorted = sort_rows(rows.data(), spare.data(), n);
    uint32_t rank = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (i > 0 && sorted[i].rank != sorted[i - 1].rank) ++rank;
        list[i] = {sorted[i].rank == ~uint64_t{0} ? missing_rank<uint32_t> : rank, sorted[i].id};
    }
}

inline std::shared_ptr<Sample<uint32_t>> sorted_sample(const Problem &p, const Plan &plan, bool weighted,
                                                       double origin) {
    int64_t n = p.rows;
    if (p.weights) n = std::count_if(p.weights, p.weights + p.rows, [](double w) { return w > 0; });
    auto s = std::make_shared<Sample<uint32_t>>(p, plan, n, weighted);
    int64_t next = 0;
    for (int64_t i = 0; i < p.rows; ++i) {
        if (p.weights && !(p.weights[i] > 0)) continue;
        s->row[next] = static_cast<uint32_t>(i);
        if (weighted) s->weight[next] = p.weights ? p.weights[i] : 1.0;
        if (p.classes)
            s->set_label(p, next, p.labels[i]);
        else
            s->target[next] = p.targets[i] - origin;
        if (plan.order) s->order[next] = static_cast<uint32_t>(next);
        ++next;
    }
    const int64_t columns = static_cast<int64_t>(p.columns.size());
    const bool with_target = p.options.criterion == Criterion::mae;
    run_blocks(columns + with_target, [&](int64_t j, Job &) {
        if (j == columns) {
            sort_list(s->list(plan.lists - 1), n, false, [&](int64_t i) { return s->target[i]; });
            return;
        }
        const Column column = p.columns[static_cast<size_t>(j)];
        const int64_t place = plan.place[static_cast<size_t>(j)];
        if (column.ordered())
            sort_list(s->list(place), n, fits_float(column, s->row.data(), n),
                      [&](int64_t i) { return column.number(s->row[i]); });
        else
            for (int64_t i = 0; i < n; ++i) s->codes[place * n + i] = column.code(s->row[i]);
    });
    return s;
}

// The plan's gap of every column, by the range of its cells.
inline std::vector<double> close_by_range(const Problem &p, const Plan &plan, const Sample<uint32_t> &s) {
    std::vector<double> gap = plan.gap;
    for (size_t j = 0; j < p.columns.size(); ++j) {
        const Column &column = p.columns[j];
        if (!column.ordered() || gap[j] == 0) continue;
        const Entry<uint32_t> *const list = s.list(plan.place[j]);
        const auto there = [](Entry<uint32_t> e) { return e.rank != missing_rank<uint32_t>; };
        const int64_t known = std::partition_point(list, list + s.size, there) - list;
        if (known == 0) continue;
        const double range = column.number(s.row[list[known - 1].id]) - column.number(s.row[list[0].id]);
        gap[j] = close_cells(column, p.options, range);
    }
    return gap;
}

}  // namespace learnt::tree
