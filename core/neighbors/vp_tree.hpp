// A vantage-point tree: rows nearer to a chosen row than the median, and rows farther, again and again (Yianilos, 1993).
//
// By the triangle inequality a row x with low ≤ d(v, x) ≤ high is at least max(d(q, v) − high, low − d(q, v)) from q.
// Every leaf but the last holds exactly `width` rows, points among them; the node over leaves [a, b) is cut at leaf
// c = (a + b + 1)/2, a number no other node has, by which it is stored. Rows at the same distance go by their number, so
// that equal rows make no leaf larger than another.
#pragma once

#include <array>
#include <numeric>

#include "base/pool.hpp"
#include "distance/measure.hpp"
#include "neighbors/kd_tree.hpp"
#include "neighbors/nearest.hpp"
#include "simd/levels.hpp"

namespace learnt {

struct VpNode {
    int64_t point;           // the row around which the others are cut
    double low[2], high[2];  // distances from it, of the near half and of the far one
};

// Which rows are in which leaf. `Distances` is called as distances(point, rows, count, out), from many threads.
struct VpShape {
    int64_t n, width, leaves;
    Buffer<int32_t> rows;  // leaf, row of the leaf; the last one is filled up with its last row
    Buffer<VpNode> nodes;  // by the leaf they are cut at; 0 is none

    template <class Distances>
    VpShape(int64_t n_rows, int64_t leaf_width, const Distances &distances)
        : n(n_rows), width(leaf_width), leaves(std::max<int64_t>(1, (n_rows + leaf_width - 1) / leaf_width)),
          rows(leaves * leaf_width), nodes(leaves) {
        const Buffer<Neighbor> all(n);
        for (int64_t i = 0; i < n; ++i) all[i] = {0, i};
        // Large parts first, all threads at the distances of one; then every part by itself.
        std::vector<Range> parts{{0, leaves}};
        while (parts.size() < 16 && leaves / static_cast<int64_t>(parts.size()) > 64) {
            std::vector<Range> halves;
            for (const Range &part : parts) {
                const Range some{part.first * width, std::min(n, part.last * width)};
                const int64_t point = farthest(distances, all.data(), some);
                const Blocks blocks = cut(some.size(), 1024, 64);
                run_blocks(blocks.count, [&](int64_t b, Job &) {
                    measure(distances, point, all.data(), {some.first + blocks[b].first, some.first + blocks[b].last});
                });
                const int64_t middle = part_node(part, point, all.data());
                halves.push_back({part.first, middle});
                halves.push_back({middle, part.last});
            }
            parts = std::move(halves);
        }
        run_blocks(static_cast<int64_t>(parts.size()),
                   [&](int64_t i, Job &job) { grow(distances, parts[static_cast<size_t>(i)], all.data(), job); });
        for (int64_t i = 0; i < leaves * width; ++i) rows[i] = static_cast<int32_t>(all[std::min(i, n - 1)].row);
    }

    int64_t bytes() const {
        return leaves * (width * static_cast<int64_t>(sizeof(int32_t)) + static_cast<int64_t>(sizeof(VpNode)));
    }

  private:
    static constexpr int64_t at_once = 256;

    template <class Distances>
    static void measure(const Distances &distances, int64_t point, Neighbor *all, Range some) {
        int64_t names[at_once];
        double away[at_once];
        for (int64_t from = some.first; from < some.last; from += at_once) {
            const int64_t count = std::min(at_once, some.last - from);
            for (int64_t i = 0; i < count; ++i) names[i] = all[from + i].row;
            distances(point, names, count, away);
            for (int64_t i = 0; i < count; ++i) all[from + i].distance = away[i];
        }
    }

    // Of some rows the one farthest from the first: it stands at the edge, where balls overlap least.
    template <class Distances>
    static int64_t farthest(const Distances &distances, const Neighbor *all, Range some) {
        const int64_t step = std::max<int64_t>(1, some.size() / at_once);
        int64_t names[at_once], count = 0;
        double away[at_once];
        for (int64_t i = some.first; i < some.last && count < at_once; i += step) names[count++] = all[i].row;
        distances(all[some.first].row, names, count, away);
        return names[std::max_element(away, away + count) - away];
    }

    int64_t part_node(Range part, int64_t point, Neighbor *all) {
        const int64_t middle = kd_middle(part.first, part.last);
        Neighbor *first = all + part.first * width, *mid = all + middle * width, *last = all + std::min(n, part.last * width);
        std::nth_element(first, mid, last);
        VpNode &node = nodes[middle];
        node.point = point;
        const auto nearer = [](const Neighbor &a, const Neighbor &b) { return a.distance < b.distance; };
        const auto [low0, high0] = std::minmax_element(first, mid, nearer);
        const auto [low1, high1] = std::minmax_element(mid, last, nearer);
        node.low[0] = low0->distance, node.high[0] = high0->distance;
        node.low[1] = low1->distance, node.high[1] = high1->distance;
        return middle;
    }

    template <class Distances>
    void grow(const Distances &distances, Range part, Neighbor *all, Job &job) {
        if (part.size() <= 1) return;
        job.check();
        const Range some{part.first * width, std::min(n, part.last * width)};
        const int64_t point = farthest(distances, all, some);
        measure(distances, point, all, some);
        const int64_t middle = part_node(part, point, all);
        grow(distances, {part.first, middle}, all, job);
        grow(distances, {middle, part.last}, all, job);
    }
};

// One query on its way down. `away(node, middle)` is its distance to a node's point, `leaf(at)` shows it the rows of a leaf,
// `limit()` is the distance beyond which none is wanted.
template <class Away, class Leaf, class Limit>
struct VpWalk {
    const VpShape &shape;
    const Away away;
    const Leaf leaf;
    const Limit limit;
    const double slack, floor;  // rounding must not lose a neighbour, nor must sums that vanish

    void visit(Range part) const {
        if (part.size() <= 1) return leaf(part.first);
        const int64_t middle = kd_middle(part.first, part.last);
        const VpNode &node = shape.nodes[middle];
        const double d = away(node, middle);
        double bound[2];
        for (int side = 0; side < 2; ++side)
            bound[side] = std::max(d - node.high[side], node.low[side] - d) - slack * (d + node.high[side]) - floor;
        const int nearer = bound[1] < bound[0];
        for (const int side : {nearer, 1 - nearer})
            if (!(bound[side] > limit()))  // of a query infinitely far away no bound is a number
                visit(side == 0 ? Range{part.first, middle} : Range{middle, part.last});
    }
};
template <class Away, class Leaf, class Limit>
void vp_walk(const VpShape &shape, double slack, double floor, Away away, Leaf leaf, Limit limit) {
    VpWalk<Away, Leaf, Limit>{shape, away, leaf, limit, slack, floor}.visit({0, shape.leaves});
}

// Rows of numbers, leaf by leaf, column by column.
template <class Real>
struct VpTree {
    Measure measure;  // its weights stay the caller's
    int64_t p;
    VpShape shape;
    Buffer<Real> cells;   // leaf, column, row of the leaf
    Buffer<Real> points;  // node, column

    VpTree(const Measure &m, const Real *x, int64_t n, int64_t columns, int64_t width)
        : measure(m), p(columns), shape(n, width, VpDistances{m, x, columns}), cells(shape.leaves * width * columns),
          points(shape.leaves * columns) {
        const Blocks blocks = cut(shape.leaves, 64, 64);
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            for (int64_t leaf = blocks[b].first; leaf < blocks[b].last; ++leaf) {
                if (leaf > 0) std::copy_n(x + shape.nodes[leaf].point * p, p, points.data() + leaf * p);
                for (int64_t i = 0; i < width; ++i)
                    for (int64_t j = 0; j < p; ++j)
                        cells[(leaf * p + j) * width + i] = x[shape.rows[leaf * width + i] * p + j];
            }
        });
    }

    int64_t bytes() const {
        return shape.bytes() + shape.leaves * (shape.width + 1) * p * static_cast<int64_t>(sizeof(Real));
    }

  private:
    struct VpDistances {
        const Measure &measure;
        const Real *x;
        int64_t p;
        void operator()(int64_t point, const int64_t *rows, int64_t count, double *out) const {
            const std::vector<double> q(x + point * p, x + (point + 1) * p);
            measure_rows(measure, x, p, q.data(), rows, count, out);
        }
    };
};

}  // namespace learnt

#define LEARNT_LOOPS "neighbors/vp_tree_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Every query's neighbours: queries m × p, row-major, in double; skip may be null. Returns how many leaves were looked at for
// all of them together.
template <class Real>
int64_t vp_search(const VpTree<Real> &tree, const double *queries, int64_t m, const int64_t *skip, const Answers &answers) {
    const Level level = current_level();
    const Blocks blocks = cut(m, 16, 1 << 12);
    std::vector<int64_t> seen(static_cast<size_t>(blocks.count), 0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        LEARNT_AT(level, vp_queries(tree, queries, blocks[b], skip, answers, seen[static_cast<size_t>(b)], job));
    });
    return std::accumulate(seen.begin(), seen.end(), int64_t{0});
}

}  // namespace learnt
