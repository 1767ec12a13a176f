// The tree of DBSCAN: boxes and weights of its nodes, and what is known of its rows.
#pragma once

#include <atomic>
#include <memory>

#include "neighbors/kd_tree.hpp"

namespace learnt {

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
    double weight_of(int64_t leaf, uint32_t rows) const {
        if (!weights) return static_cast<double>(__builtin_popcount(rows));
        double sum = 0;
        for (; rows; rows &= rows - 1) sum += weight[leaf * width + __builtin_ctz(rows)];
        return sum;
    }
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
