// DBSCAN of rows of numbers, without lists of neighbours (Ester, Kriegel, Sander and Xu, 1996).
//
// A row is a core if rows of a weight of at least `least` lie within eps of it, itself among them. Cores within eps of
// each other are of one cluster; another row within eps of a core is at the border of that core's cluster, and if
// there are several of the one whose first core comes first. All others are noise.
//
// Rows stand in a k-d tree, 32 to a leaf. A node whose box has a diameter of at most eps and which holds enough is
// *tight*: its rows are cores of one cluster without a look at a distance, and of two such nodes one pair within eps
// unites all. The other leaves are *loose*: their rows are counted around, until there are enough, and compared
// one by one, unless they are of one cluster already. Unions go on at once on all threads: which rows come together
// does not depend on their order.
//
// Distances are those of distance/measure.hpp, bit by bit.
#pragma once

#include <atomic>
#include <memory>

#include "neighbors/kd_tree.hpp"

namespace learnt {

// The largest sum of terms whose root is no more than `distance`.
template <Norm norm>
double largest_sum(const Measure &m, double distance) {
    double sum = norm == Norm::lp ? std::pow(distance, m.power) : sum_limit<norm>(m, distance);
    for (int step = 0; step < 64 && root_of<norm>(m, sum) > distance; ++step) sum = std::nextafter(sum, 0.0);
    for (int step = 0; step < 64; ++step) {
        const double more = std::nextafter(sum, std::numeric_limits<double>::infinity());
        if (!(root_of<norm>(m, more) <= distance)) break;
        sum = more;
    }
    return sum;
}

// Sets that threads may unite at the same time; each is named by its smallest member.
class SharedSets {
    std::unique_ptr<std::atomic<int32_t>[]> parent_;

  public:
    explicit SharedSets(int64_t n) : parent_(new std::atomic<int32_t>[static_cast<size_t>(n)]) {
        for (int64_t i = 0; i < n; ++i) parent_[static_cast<size_t>(i)].store(static_cast<int32_t>(i), std::memory_order_relaxed);
    }
    int32_t find(int32_t i) const {
        for (;;) {
            int32_t up = parent_[static_cast<size_t>(i)].load(std::memory_order_relaxed);
            if (up == i) return i;
            const int32_t above = parent_[static_cast<size_t>(up)].load(std::memory_order_relaxed);
            if (above != up) parent_[static_cast<size_t>(i)].compare_exchange_weak(up, above, std::memory_order_relaxed);
            i = above;
        }
    }
    void unite(int32_t a, int32_t b) const {
        for (;;) {
            a = find(a);
            b = find(b);
            if (a == b) return;
            if (a < b) std::swap(a, b);
            int32_t expected = a;
            if (parent_[static_cast<size_t>(a)].compare_exchange_strong(expected, b, std::memory_order_relaxed)) return;
        }
    }
};

// A part of the tree that is looked at as a whole: a tight node, or a loose leaf.
struct DensityPart {
    int64_t node, first, last;  // the leaves [first, last)
    bool tight;
};

// A k-d tree with the boxes and weights of its nodes, and what is known of its rows.
template <class Real>
struct DensityTree {
    static constexpr int64_t width = 32;
    KdTree<Real> tree;
    Measure measure;
    double bar;                       // the largest sum of terms that counts as near
    double least;                     // weight that makes a core
    const double *weights;            // of rows, null for ones
    Buffer<double> low, high, total;  // of nodes; × columns
    Buffer<double> weight;            // of slots; 0 for padding
    Buffer<uint32_t> cores;           // a bit for each row of a leaf
    std::vector<char> tight;          // of nodes
    Buffer<int32_t> order;            // of slots: the cluster's, cores only
    Buffer<int32_t> first_order;      // of nodes: the least of their cores
    std::vector<DensityPart> parts;   // of all leaves, in their order
    SharedSets sets;

    DensityTree(const Real *x, int64_t n, int64_t p, const Measure &m, double bar_, double least_, const double *w)
        : tree(x, n, p, width), measure(m), bar(bar_), least(least_), weights(w), low((2 * tree.leaves) * p),
          high((2 * tree.leaves) * p), total(2 * tree.leaves), weight(tree.leaves * width), cores(tree.leaves, 0u),
          tight(static_cast<size_t>(2 * tree.leaves), 0), order(tree.leaves * width, -1), first_order(2 * tree.leaves, -1),
          sets(tree.leaves * width) {
        for (int64_t s = 0; s < tree.leaves * width; ++s) weight[s] = s >= n ? 0.0 : w ? w[tree.rows[s]] : 1.0;
        measure_node(0, 0, tree.leaves);
    }

    int64_t rows_of(int64_t leaf) const { return std::min(width, tree.n - leaf * width); }
    uint32_t all_rows(int64_t leaf) const { return rows_of(leaf) == 32 ? ~0u : (1u << rows_of(leaf)) - 1; }
    const double *low_of(int64_t node) const { return low.data() + node * tree.p; }
    const double *high_of(int64_t node) const { return high.data() + node * tree.p; }

    // The least order of the cores below each node.
    int32_t put_orders(int64_t node, int64_t first, int64_t last) {
        int32_t found = std::numeric_limits<int32_t>::max();
        if (last - first == 1) {
            for (uint32_t rest = cores[first]; rest; rest &= rest - 1)
                found = std::min(found, order[first * width + __builtin_ctz(rest)]);
        } else {
            const int64_t middle = kd_middle(first, last);
            found = std::min(put_orders(node + 1, first, middle), put_orders(node + 2 * (middle - first), middle, last));
        }
        return first_order[node] = found;
    }

  private:
    void measure_node(int64_t node, int64_t first, int64_t last) {
        const int64_t p = tree.p;
        double *down = low.data() + node * p, *up = high.data() + node * p;
        if (last - first == 1) {
            total[node] = 0;
            for (int64_t i = 0; i < rows_of(first); ++i) total[node] += weight[first * width + i];
            for (int64_t j = 0; j < p; ++j) {
                const Real *cells = tree.cells.data() + (first * p + j) * width;
                const auto [a, b] = std::minmax_element(cells, cells + rows_of(first));
                down[j] = *a;
                up[j] = *b;
            }
            return;
        }
        const int64_t middle = kd_middle(first, last), right = node + 2 * (middle - first);
        measure_node(node + 1, first, middle);
        measure_node(right, middle, last);
        total[node] = total[node + 1] + total[right];
        for (int64_t j = 0; j < p; ++j) {
            down[j] = std::min(low[(node + 1) * p + j], low[right * p + j]);
            up[j] = std::max(high[(node + 1) * p + j], high[right * p + j]);
        }
    }
};

}  // namespace learnt

#define LEARNT_LOOPS "cluster/dbscan_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

//   labels  n: the cluster by the order of first cores, −1 for noise    overwritten
//   core    n: whether the row is a core                                overwritten
template <class Real>
void dbscan(const Real *x, int64_t n, int64_t p, const Measure &measure, double eps, double least, const double *weights,
            int32_t *labels, uint8_t *core) {
    const Level level = current_level();
    double bar = 0;
    with_norm(measure.norm, [&](auto norm) { bar = largest_sum<norm()>(measure, eps); });
    DensityTree<Real> all(x, n, p, measure, bar, least, weights);
    LEARNT_AT(level, part_tree(all));
    const Blocks blocks = cut(static_cast<int64_t>(all.parts.size()), 8, 1 << 12);
    run_blocks(blocks.count, [&](int64_t b, Job &job) { LEARNT_AT(level, find_cores(all, blocks[b], job)); });
    run_blocks(blocks.count, [&](int64_t b, Job &job) { LEARNT_AT(level, unite_cores(all, blocks[b], job)); });
    // Clusters in the order of their first core.
    const int64_t width = all.width;
    const Buffer<int64_t> slot(n);
    for (int64_t s = 0; s < n; ++s) slot[all.tree.rows[s]] = s;
    const Buffer<int32_t> number(all.tree.leaves * width, -1);
    int32_t clusters = 0;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t s = slot[i];
        core[i] = all.cores[s / width] >> (s % width) & 1;
        labels[i] = -1;
        if (!core[i]) continue;
        int32_t &own = number[all.sets.find(static_cast<int32_t>(s))];
        if (own < 0) own = clusters++;
        labels[i] = all.order[s] = own;
    }
    all.put_orders(0, 0, all.tree.leaves);
    run_blocks(blocks.count, [&](int64_t b, Job &job) { LEARNT_AT(level, find_borders(all, blocks[b], labels, job)); });
}

}  // namespace learnt
