// A k-d tree: rows halved at the median of the widest column, down to leaves.
//
// Every leaf but the last holds exactly `width` rows, column by column, so that a leaf is measured by whole
// vectors. Nodes stand in preorder and the tree over m leaves has 2m − 1 of them: the left child of node i
// over leaves [a, b) is i + 1 over [a, c), the right one i + 2 (c − a) over [c, b), c = (a + b + 1)/2. Nothing
// need be stored but the column and the value at which a node is cut: left ≤ value ≤ right.
//
// A query walks to its own leaf first and takes a side of a cut only if the box beyond is near enough: the sum
// of the columns' terms to the box, kept up to date cut by cut (Arya and Mount, 1993). Queries are answered in
// the order of the tree's leaves, so that one finds in cache what the one before it used.
#pragma once

#include <array>
#include <numeric>

#include "base/pool.hpp"
#include "distance/measure.hpp"
#include "neighbors/nearest.hpp"
#include "simd/levels.hpp"

namespace learnt {

struct KdNode {
    double value;
    int64_t column;
};

template <class Real>
struct KdTree {
    int64_t n, p, width, leaves;
    Buffer<Real> cells;     // leaf, column, row of the leaf
    Buffer<int32_t> rows;   // leaf, row of the leaf
    Buffer<KdNode> nodes;   // preorder; a leaf's is unused
    Buffer<double> low, high;

    KdTree(const Real *x, int64_t n, int64_t p, int64_t width);

    int64_t bytes() const {
        return leaves * width * (p * static_cast<int64_t>(sizeof(Real)) + 4) + (2 * leaves - 1) * 16 + 16 * p;
    }
};

inline int64_t kd_middle(int64_t a, int64_t b) { return (a + b + 1) / 2; }

}  // namespace learnt

#define LEARNT_LOOPS "neighbors/kd_tree_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// A row on its way to its leaf: the columns that may be cut, and its number.
template <class Real, int P>
struct KdRecord {
    Real x[P];
    int32_t row;
};

template <class Real, int P>
class KdBuild {
    using Record = KdRecord<Real, P>;
    KdTree<Real> &tree_;
    const int64_t *columns_;  // which of the table's columns the P of a record are
    Record *records_;

    // The widest column of some rows, judged by at most a thousand of them.
    int widest(int64_t first, int64_t last) const {
        const int64_t step = std::max<int64_t>(1, (last - first) / 1024);
        Real low[P], high[P];
        std::copy_n(records_[first].x, P, low);
        std::copy_n(records_[first].x, P, high);
        for (int64_t i = first; i < last; i += step)
            for (int j = 0; j < P; ++j) {
                low[j] = std::min(low[j], records_[i].x[j]);
                high[j] = std::max(high[j], records_[i].x[j]);
            }
        int best = 0;
        for (int j = 1; j < P; ++j)
            if (high[j] / 2 - low[j] / 2 > high[best] / 2 - low[best] / 2) best = j;
        return best;
    }

    // Puts the median of a sample in the middle of the range sought first: std::nth_element's median of three
    // looks at every row nearly three times, this at little more than one and a half (Floyd and Rivest, 1975).
    static void select(Record *first, Record *nth, Record *last, int j) {
        while (last - first > 600) {
            const double n = static_cast<double>(last - first), i = static_cast<double>(nth - first);
            const double sample = 0.5 * std::exp(2 * std::log(n) / 3);
            const double spread = 0.5 * std::sqrt(std::log(n) * sample * (n - sample) / n) * (i < n / 2 ? -1 : 1);
            const double from = std::max(0.0, i - i * sample / n + spread);
            const double to = std::min(n - 1, i + (n - i) * sample / n + spread);
            select(first + static_cast<int64_t>(from), nth, first + static_cast<int64_t>(to) + 1, j);
            const Real pivot = nth->x[j];
            Record *a = first, *b = last - 1;
            while (a <= b) {
                while (a->x[j] < pivot) ++a;
                while (b->x[j] > pivot) --b;
                if (a <= b) std::swap(*a++, *b--);
            }
            if (nth <= b)
                last = b + 1;
            else if (nth >= a)
                first = a;
            else
                return;
        }
        std::nth_element(first, nth, last, [j](const Record &l, const Record &r) { return l.x[j] < r.x[j]; });
    }

  public:
    struct Part {
        int64_t node, first_leaf, last_leaf;
    };

    KdBuild(KdTree<Real> &tree, const int64_t *columns, Record *records)
        : tree_(tree), columns_(columns), records_(records) {}

    // Cuts a node in two.
    std::array<Part, 2> cut_node(Part part) {
        const int64_t first = part.first_leaf * tree_.width, last = std::min(tree_.n, part.last_leaf * tree_.width);
        const int64_t leaf = kd_middle(part.first_leaf, part.last_leaf), middle = leaf * tree_.width;
        const int j = widest(first, last);
        select(records_ + first, records_ + middle, records_ + last, j);
        tree_.nodes[part.node] = {static_cast<double>(records_[middle].x[j]), columns_[j]};
        return {Part{part.node + 1, part.first_leaf, leaf}, Part{part.node + 2 * (leaf - part.first_leaf), leaf, part.last_leaf}};
    }

    void grow(Part part, const Real *x, bool whole, Job &job) {
        if (part.last_leaf - part.first_leaf > 1) {
            if (part.last_leaf - part.first_leaf > 16) job.check();
            for (const Part &half : cut_node(part)) grow(half, x, whole, job);
            return;
        }
        tree_.nodes[part.node] = {0, -1};
        const int64_t width = tree_.width, first = part.first_leaf * width, count = std::min(width, tree_.n - first);
        Real *cells = tree_.cells.data() + first * tree_.p;
        for (int64_t i = 0; i < width; ++i) {
            const Record &record = records_[first + std::min(i, count - 1)];
            tree_.rows[first + i] = record.row;
            for (int64_t j = 0; j < tree_.p; ++j)
                cells[j * width + i] = whole ? record.x[std::min<int64_t>(j, P - 1)] : x[record.row * tree_.p + j];
        }
    }
};

template <class Real>
KdTree<Real>::KdTree(const Real *x, int64_t rows_, int64_t columns_, int64_t width_)
    : n(rows_), p(columns_), width(width_), leaves(std::max<int64_t>(1, (rows_ + width_ - 1) / width_)),
      cells(leaves * width_ * columns_), rows(leaves * width_), nodes(2 * leaves), low(columns_), high(columns_) {
    const Blocks blocks = cut(n, 16384, 64);
    const Buffer<Real> ends(blocks.count * 2 * p);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        Real *least = ends.data() + b * 2 * p, *most = least + p;
        std::copy_n(x + blocks[b].first * p, p, least);
        std::copy_n(x + blocks[b].first * p, p, most);
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i)
            for (int64_t j = 0; j < p; ++j) {
                least[j] = std::min(least[j], x[i * p + j]);
                most[j] = std::max(most[j], x[i * p + j]);
            }
    });
    for (int64_t b = 0; b < blocks.count; ++b)
        for (int64_t j = 0; j < p; ++j) {
            const double least = ends[b * 2 * p + j], most = ends[b * 2 * p + p + j];
            low[j] = b == 0 ? least : std::min(low[j], least);
            high[j] = b == 0 ? most : std::max(high[j], most);
        }
    // Only the widest sixteen columns are cut: more of them than a tree has levels.
    std::vector<int64_t> columns(static_cast<size_t>(p));
    std::iota(columns.begin(), columns.end(), 0);
    std::stable_sort(columns.begin(), columns.end(),
                     [&](int64_t a, int64_t b) { return p > 16 && high[a] / 2 - low[a] / 2 > high[b] / 2 - low[b] / 2; });
    const int held = static_cast<int>(std::min<int64_t>(p, 16));
    const int size = held <= 4 ? held : held <= 8 ? 8 : 16;
    baseline::with_constant<1, 2, 3, 4, 8, 16>(size, [&](auto constant) {
        constexpr int P = constant();
        using Part = typename KdBuild<Real, P>::Part;
        const Buffer<KdRecord<Real, P>> records(n);
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
                for (int j = 0; j < P; ++j)
                    records[i].x[j] = j < held ? x[i * p + columns[static_cast<size_t>(j)]] : Real{0};
                records[i].row = static_cast<int32_t>(i);
            }
        });
        columns.resize(16, 0);
        KdBuild<Real, P> build(*this, columns.data(), records.data());
        std::vector<Part> parts{{0, 0, leaves}};
        while (parts.size() < 16 && leaves / static_cast<int64_t>(parts.size()) > 64) {
            std::vector<std::array<Part, 2>> halves(parts.size());
            run_blocks(static_cast<int64_t>(parts.size()), [&](int64_t i, Job &) {
                halves[static_cast<size_t>(i)] = build.cut_node(parts[static_cast<size_t>(i)]);
            });
            parts.clear();
            for (const auto &pair : halves) parts.insert(parts.end(), pair.begin(), pair.end());
        }
        run_blocks(static_cast<int64_t>(parts.size()), [&](int64_t i, Job &job) {
            build.grow(parts[static_cast<size_t>(i)], x, p <= 16, job);
        });
    });
}

// The queries in the order of the leaves they fall into, or of inner nodes a dozen levels down.
template <class Real>
std::vector<int64_t> kd_order(const KdTree<Real> &tree, const double *queries, int64_t m) {
    const Buffer<int64_t> place(m);
    const Blocks blocks = cut(m, 2048, 64);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            int64_t node = 0, first = 0, last = tree.leaves;
            for (int level = 0; level < 12 && last - first > 1; ++level) {
                const int64_t middle = kd_middle(first, last);
                const bool left = queries[i * tree.p + tree.nodes[node].column] < tree.nodes[node].value;
                node = left ? node + 1 : node + 2 * (middle - first);
                (left ? last : first) = middle;
            }
            place[i] = first;
        }
    });
    // Leaves at twelve levels down are at most 4096 different ones: counted, not sorted.
    const int64_t shrink = std::max<int64_t>(1, tree.leaves >> 13), slots = tree.leaves / shrink + 2;
    std::vector<int64_t> next(static_cast<size_t>(slots), 0), order(static_cast<size_t>(m));
    for (int64_t i = 0; i < m; ++i) ++next[static_cast<size_t>(place[i] / shrink + 1)];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (int64_t i = 0; i < m; ++i) order[static_cast<size_t>(next[static_cast<size_t>(place[i] / shrink)]++)] = i;
    return order;
}

// Every query's neighbours, and how many leaves were looked at for all of them together.
template <class Real>
int64_t kd_search(const KdTree<Real> &tree, const Measure &measure, const double *queries, int64_t m, const int64_t *skip,
                  const Answers &answers) {
    const Level level = current_level();
    const std::vector<int64_t> order = kd_order(tree, queries, m);
    const Blocks blocks = cut(m, 64, 1 << 12);
    std::vector<int64_t> seen(static_cast<size_t>(blocks.count), 0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        LEARNT_AT(level, kd_queries(tree, measure, queries, order.data(), blocks[b], skip, answers, seen[static_cast<size_t>(b)], job));
    });
    return std::accumulate(seen.begin(), seen.end(), int64_t{0});
}

}  // namespace learnt
