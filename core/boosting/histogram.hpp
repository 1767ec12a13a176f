// Histograms of gradients over bins, for the rows of one node.
//
// A cell of a packed histogram is one 64-bit number, so that a row adds to a column in one addition:
//   plain     gradient · 2^32 + hessian                       any number of rows
//   counted   gradient · 2^38 + hessian · 2^12 + 1            at most 4095 rows
// The fields cannot run into each other: see boosting/gradients.hpp. A fine histogram has three cells for each bin:
// gradient, hessian and weight to 62 bits; it serves small tables and tables with weights.
//
// Rows are listed as entries: row number in the low 32 bits, its packed gradient (boosting/gradients.hpp) in the high.
//
// What was measured (28 columns of 255 bins, one thread, nanoseconds for each cell): 0.41 for all rows in turn, 0.5 for
// every tenth row with a prefetch 16 rows ahead, against 4.1 without; 0.6 if distances between columns are looked up;
// cells of 32 bits, which would fit the nearest cache, win another 0.05 and cannot hold large nodes.
#pragma once

#include "boosting/bins.hpp"

namespace learnt::boost {

enum class CellFormat { plain, counted, fine };

inline constexpr int64_t counted_rows = 4095;

inline uint32_t entry_row(uint64_t e) { return static_cast<uint32_t>(e); }
inline int64_t plain_cell(uint64_t e) {
    return (static_cast<int64_t>(e) >> 48) * (int64_t{1} << 32) + static_cast<int64_t>(e >> 32 & 0xffff);
}
inline int64_t counted_cell(uint64_t e) {
    return (static_cast<int64_t>(e) >> 48) * (int64_t{1} << 38) + static_cast<int64_t>((e >> 32 & 0xffff) << 12) + 1;
}
// A counted cell without its count.
inline int64_t uncounted(int64_t cell) {
    return (cell >> 38) * (int64_t{1} << 32) + (cell >> 12 & ((int64_t{1} << 26) - 1));
}

struct Triple {
    int64_t g, h, w;
};
// 62-bit gradients of each row: 3 numbers a row.
struct FineRows {
    const int64_t *cells = nullptr;
    Triple operator()(uint64_t e) const {
        const int64_t *const at = cells + 3 * int64_t{entry_row(e)};
        return {at[0], at[1], at[2]};
    }
};
// Packed gradients added as those are, each row with a weight of 1: for nodes of few rows.
struct SpreadRows {
    Triple operator()(uint64_t e) const { return {static_cast<int64_t>(e) >> 48, static_cast<int64_t>(e >> 32 & 0xffff), 1}; }
};

struct PlainAdder {
    int64_t operator()(uint64_t e) const { return plain_cell(e); }
};
struct CountedAdder {
    int64_t operator()(uint64_t e) const { return counted_cell(e); }
};
struct RowCounter {
    int64_t operator()(uint64_t) const { return 1; }
};

inline constexpr int64_t prefetch_rows = 16;

// The narrow columns [0, n_columns) of `codes`, `room` cells apart, added for all entries.
template <int64_t room, class Adder>
void add_narrow(const uint8_t *codes, int64_t stride, int64_t n_columns, const uint64_t *entries, int64_t n,
                const Adder &adder, int64_t *__restrict cells) {
    for (int64_t i = 0; i < n; ++i) {
        if (i + prefetch_rows < n) __builtin_prefetch(codes + entry_row(entries[i + prefetch_rows]) * stride);
        const uint8_t *row = codes + entry_row(entries[i]) * stride;
        const int64_t value = adder(entries[i]);
        int64_t *at = cells;
        int64_t j = 0;
        for (; j + 8 <= n_columns; j += 8, at += 8 * room)
            LEARNT_UNROLL for (int k = 0; k < 8; ++k) at[k * room + row[j + k]] += value;
        for (; j < n_columns; ++j, at += room) at[row[j]] += value;
    }
}
template <class Adder>
void add_wide(const uint16_t *codes, int64_t stride, int64_t n_columns, const int32_t *offset, const uint64_t *entries,
              int64_t n, const Adder &adder, int64_t *__restrict cells) {
    for (int64_t i = 0; i < n; ++i) {
        if (i + prefetch_rows < n) __builtin_prefetch(codes + entry_row(entries[i + prefetch_rows]) * stride);
        const uint16_t *const row = codes + entry_row(entries[i]) * stride;
        const int64_t value = adder(entries[i]);
        for (int64_t j = 0; j < n_columns; ++j) cells[offset[j] + row[j]] += value;
    }
}
// Columns of either kind, three cells for each bin; `offset(j)` is that of column j.
template <class Code, class Offset, class Rows>
void add_fine(const Code *codes, int64_t stride, int64_t n_columns, Offset offset, const uint64_t *entries, int64_t n,
              const Rows &rows, int64_t *__restrict cells) {
    for (int64_t i = 0; i < n; ++i) {
        if (i + prefetch_rows < n) __builtin_prefetch(codes + entry_row(entries[i + prefetch_rows]) * stride);
        const Code *const code = codes + entry_row(entries[i]) * stride;
        const auto [g, h, w] = rows(entries[i]);
        for (int64_t j = 0; j < n_columns; ++j) {
            int64_t *const cell = cells + 3 * (offset(j) + code[j]);
            cell[0] += g, cell[1] += h, cell[2] += w;
        }
    }
}

// Columns stand in groups whose cells stay in the cache while all rows pass.
inline constexpr int64_t group_cells = 64 * 256;

struct ColumnGroup {
    bool wide;
    int64_t first, last;  // places among the narrow or the wide
};

inline std::vector<ColumnGroup> column_groups(const BinLayout &layout, int64_t cells_at_most) {
    std::vector<ColumnGroup> groups;
    for (const bool wide : {false, true}) {
        const std::vector<int32_t> &columns = wide ? layout.wide : layout.narrow;
        int64_t first = 0, cells = 0;
        for (int64_t at = 0; at < static_cast<int64_t>(columns.size()); ++at) {
            const int64_t more = layout.n_bins[static_cast<size_t>(columns[static_cast<size_t>(at)])];
            if (at > first && cells + more > cells_at_most) groups.push_back({wide, first, at}), first = at, cells = 0;
            cells += more;
        }
        if (first < static_cast<int64_t>(columns.size()))
            groups.push_back({wide, first, static_cast<int64_t>(columns.size())});
    }
    return groups;
}

// Adds the rows of `entries` to the cells of one group of columns.
template <class Adder>
void add_group(const BinLayout &layout, const CodeRows &codes, const ColumnGroup &group, const uint64_t *entries,
               int64_t n, const Adder &adder, int64_t *cells) {
    const int64_t count = group.last - group.first;
    const uint8_t *const narrow = codes.narrow + group.first;
    const uint16_t *const wide = codes.wide + group.first;
    const int32_t *const wide_offset = layout.wide_offset.data() + group.first;
    const int64_t room = layout.room, start = room * group.first;
    if constexpr (std::is_same_v<decltype(adder(0)), Triple>) {
        if (group.wide)
            add_fine(wide, codes.wide_stride, count, [=](int64_t j) { return wide_offset[j]; }, entries, n, adder, cells);
        else
            add_fine(narrow, codes.stride, count, [=](int64_t j) { return start + j * room; }, entries, n, adder, cells);
    } else if (group.wide) {
        add_wide(wide, codes.wide_stride, count, wide_offset, entries, n, adder, cells);
    } else if (room == 256) {
        add_narrow<256>(narrow, codes.stride, count, entries, n, adder, cells + start);
    } else if (room == 128) {
        add_narrow<128>(narrow, codes.stride, count, entries, n, adder, cells + start);
    } else if (room == 64) {
        add_narrow<64>(narrow, codes.stride, count, entries, n, adder, cells + start);
    } else {
        add_narrow<32>(narrow, codes.stride, count, entries, n, adder, cells + start);
    }
}

inline constexpr int64_t rows_for_threads = 4096;  // smaller nodes are not worth waking others

// Whole numbers: who adds what first does not matter, so large nodes are cut by the number of threads.
struct HistogramMaker {
    const BinLayout &layout;
    const CodeRows &codes;
    std::vector<ColumnGroup> groups;
    std::vector<std::vector<int64_t>> spare;  // one histogram for each thread but the first

    HistogramMaker(const BinLayout &bins, const CodeRows &rows)
        : layout(bins), codes(rows), groups(column_groups(bins, group_cells)) {}

    template <class Adder>
    void add(const uint64_t *entries, int64_t n, const Adder &adder, int64_t width, int64_t *cells) {
        const int64_t parts = n < rows_for_threads ? 1 : std::min<int64_t>(thread_count().load(), n / (rows_for_threads / 2));
        if (parts <= 1) {
            for (const ColumnGroup &group : groups) add_group(layout, codes, group, entries, n, adder, cells);
            return;
        }
        const size_t size = static_cast<size_t>(layout.total * width);
        while (static_cast<int64_t>(spare.size()) < parts - 1) spare.emplace_back(size);
        const Blocks blocks{n, parts};
        run_blocks(parts, [&](int64_t b, Job &job) {
            int64_t *to = cells;
            if (b > 0) {
                spare[static_cast<size_t>(b - 1)].assign(size, 0);
                to = spare[static_cast<size_t>(b - 1)].data();
            }
            for (int64_t first = blocks[b].first; first < blocks[b].last; first += 1 << 17) {
                const int64_t count = std::min<int64_t>(1 << 17, blocks[b].last - first);
                for (const ColumnGroup &group : groups) add_group(layout, codes, group, entries + first, count, adder, to);
                job.check();
            }
        });
        for (int64_t b = 1; b < parts; ++b) {
            const int64_t *const from = spare[static_cast<size_t>(b - 1)].data();
            for (size_t c = 0; c < size; ++c) cells[c] += from[c];
        }
    }
};

}  // namespace learnt::boost
