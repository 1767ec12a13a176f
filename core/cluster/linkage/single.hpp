// Single linkage of rows of numbers: the least spanning tree by Prim's algorithm, in O(n p) memory.
//
// One row after another joins the tree, always the nearest to it; of equally near ones the first. Rows stand in
// groups of 32, column by column; when a quarter of them has joined, the rest moves together.
#pragma once

#include "base/pool.hpp"
#include "cluster/linkage/merges.hpp"
#include "distance/measure.hpp"
#include "simd/levels.hpp"

namespace learnt {

struct OutsideRows {
    static constexpr int64_t width = 32;
    int64_t p, groups;
    Buffer<double> cells;    // group, column, place
    Buffer<double> nearest;  // sum of terms to the nearest row of the tree
    Buffer<double> gone;     // 0, or infinite for rows that have joined and for padding
    Buffer<int64_t> source;  // the row of the tree that is so near
    std::vector<int64_t> row;

    OutsideRows(const double *x, int64_t n, int64_t columns)
        : p(columns), groups(round_up(n, width) / width), cells(groups * width * columns, 0.0),
          nearest(groups * width, std::numeric_limits<double>::infinity()),
          gone(groups * width, std::numeric_limits<double>::infinity()), source(groups * width, 0),
          row(static_cast<size_t>(n)) {
        std::iota(row.begin(), row.end(), 0);
        for (int64_t i = 0; i < n; ++i) {
            gone[i] = 0;
            for (int64_t j = 0; j < p; ++j) cells[(i / width * p + j) * width + i % width] = x[i * p + j];
        }
    }

    void leave(int64_t slot) {
        gone[slot] = nearest[slot] = std::numeric_limits<double>::infinity();
        row[static_cast<size_t>(slot)] = -1;
    }

    void move_together() {
        int64_t to = 0;
        for (int64_t from = 0; from < static_cast<int64_t>(row.size()); ++from) {
            if (row[static_cast<size_t>(from)] < 0) continue;
            for (int64_t j = 0; j < p; ++j)
                cells[(to / width * p + j) * width + to % width] = cells[(from / width * p + j) * width + from % width];
            nearest[to] = nearest[from];
            source[to] = source[from];
            gone[to] = 0;
            row[static_cast<size_t>(to++)] = row[static_cast<size_t>(from)];
        }
        row.resize(static_cast<size_t>(to));
        groups = round_up(to, width) / width;
        for (; to < groups * width; ++to) gone[to] = nearest[to] = std::numeric_limits<double>::infinity();
    }
};

struct NearestOutside {
    double value = std::numeric_limits<double>::infinity();
    int64_t slot = std::numeric_limits<int64_t>::max();
};

}  // namespace learnt

#define LEARNT_LOOPS "cluster/linkage/single_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

inline std::vector<Merge> single_merges(const Measure &measure, const double *x, int64_t n, int64_t p, Job &job) {
    const Level level = current_level();
    OutsideRows outside(x, n, p);
    std::vector<Merge> merges;
    int64_t newest = 0, left = n - 1;
    outside.leave(0);
    NearestOutside found[8];
    while (left > 0) {
        job.check();
        const Blocks blocks = cut(outside.groups, std::max<int64_t>(1, (1 << 14) / p), 8);
        const auto look = [&](int64_t b, Job &) {
            found[b] = NearestOutside();
            LEARNT_AT(level, approach(measure, outside, blocks[b], x + newest * p, newest, found[b]));
        };
        if (blocks.count == 1)
            look(0, job);
        else
            run_blocks(blocks.count, look);
        NearestOutside best = found[0];
        for (int64_t b = 1; b < blocks.count; ++b)
            if (found[b].value < best.value) best = found[b];
        if (!(best.value < std::numeric_limits<double>::infinity())) throw std::invalid_argument(not_finite);
        double height = 0;
        with_norm(measure.norm, [&](auto norm) { height = root_of<norm()>(measure, best.value); });
        newest = outside.row[static_cast<size_t>(best.slot)];
        merges.push_back({outside.source[best.slot], newest, height});
        outside.leave(best.slot);
        --left;
        if (4 * left < 3 * static_cast<int64_t>(outside.row.size())) outside.move_together();
    }
    return merges;
}

}  // namespace learnt
