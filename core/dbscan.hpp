// DBSCAN of rows of numbers, without lists of neighbours (Ester, Kriegel, Sander and Xu, 1996).
//
// A row is a core if rows of a weight of at least `least` lie within eps of it, itself among them. Cores within eps of
// each other are of one cluster; another row within eps of a core is at the border of that core's cluster, and if
// there are several of the one whose first core comes first. All others are noise.
//
// Rows stand in the leaves of a k-d tree, 32 each, near each other. Leaves whose box has a diameter of at most eps and
// which hold enough are cores of one cluster without a look at a distance. Of two such leaves one pair within eps
// unites all; leaves that are of one cluster already are not compared. Counting ends as soon as there are enough.
// Unions go on at once on all threads: which rows come together does not depend on their order.
//
// Distances are those of neighbors.hpp, bit by bit.
#pragma once

#include <atomic>
#include <memory>

#include "neighbors_tree.hpp"

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

// A k-d tree with the boxes and weights of its nodes, and what is known of its leaves.
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
    std::vector<char> tight;          // of leaves: all cores, all within eps of each other
    Buffer<int32_t> order;            // of slots: the cluster's, cores only
    SharedSets sets;

    DensityTree(const Real *x, int64_t n, int64_t p, const Measure &m, double bar_, double least_, const double *w)
        : tree(x, n, p, width), measure(m), bar(bar_), least(least_), weights(w), low((2 * tree.leaves) * p),
          high((2 * tree.leaves) * p), total(2 * tree.leaves), weight(tree.leaves * width), cores(tree.leaves, 0u),
          tight(static_cast<size_t>(tree.leaves), 0), order(tree.leaves * width, -1), sets(tree.leaves * width) {
        for (int64_t s = 0; s < tree.leaves * width; ++s) weight[s] = s >= n ? 0.0 : w ? w[tree.rows[s]] : 1.0;
        measure_node(0, 0, tree.leaves);
    }

    int64_t rows_of(int64_t leaf) const { return std::min(width, tree.n - leaf * width); }
    uint32_t all_rows(int64_t leaf) const { return rows_of(leaf) == 32 ? ~0u : (1u << rows_of(leaf)) - 1; }
    const double *low_of(int64_t node) const { return low.data() + node * tree.p; }
    const double *high_of(int64_t node) const { return high.data() + node * tree.p; }

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

#define LEARNT_LOOPS "dbscan_simd.hpp"
#include "each_level.hpp"

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
    const int64_t leaves = all.tree.leaves, width = all.width;
    const Blocks blocks = cut(leaves, 8, 1 << 12);
    const auto each_leaf = [&](auto &&step) {
        run_blocks(blocks.count, [&](int64_t b, Job &job) { step(blocks[b], job); });
    };
    each_leaf([&](Range some, Job &job) { LEARNT_AT(level, find_cores(all, some, job)); });
    each_leaf([&](Range some, Job &job) { LEARNT_AT(level, unite_cores(all, some, job)); });
    // Clusters in the order of their first core.
    const Buffer<int64_t> slot(n);
    for (int64_t s = 0; s < n; ++s) slot[all.tree.rows[s]] = s;
    const Buffer<int32_t> number(leaves * width, -1);
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
    each_leaf([&](Range some, Job &job) { LEARNT_AT(level, find_borders(all, some, labels, job)); });
}

}  // namespace learnt
