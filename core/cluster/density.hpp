// Sums of kernels around rows, by a k-d tree.
//
//   out_i = log Σ_j w_j K(|q_i − x_j|)
//
//   gaussian      exp(−d²/2)        exponential  exp(−d)         tophat  1 if d < 1
//   epanechnikov  1 − d²            linear       1 − d           cosine  cos(π d / 2)       tricube  (1 − d³)³
//
// the last five 0 beyond d = 1. Rows and queries come divided by the bandwidth. A node of the tree knows the box
// around its rows and their weight W, so that its kernels lie between K(far corner) and K(near corner). It is taken as
// W times their middle if that errs by no more than its share of the weight may: rtol times a lower bound of the sum,
// which grows from the nearest rows on. The error of a sum is therefore at most rtol of it (A. Gray and A. Moore, 2003).
//
//   skip   of each query the row of which one copy is left out, −1 for none; may be null
//
// The sum of a query is made by one thread, in an order that depends on the tree and the query alone.
#pragma once

#include "neighbors/kd_tree.hpp"
#include "simd/math.hpp"

namespace learnt {

enum class Kernel : int { gaussian = 0, exponential = 1, tophat = 2, epanechnikov = 3, linear = 4, cosine = 5, tricube = 6 };

// K as a function of d²; `shift` is a distance less than which none of the rows is away.
template <Kernel kernel>
double kernel_value(double square, double shift) {
    if constexpr (kernel == Kernel::gaussian) return std::exp(-std::max(0.0, square - shift * shift) / 2);
    if constexpr (kernel == Kernel::exponential) return std::exp(-std::max(0.0, std::sqrt(square) - shift));
    if (!(square < 1)) return 0.0;
    if constexpr (kernel == Kernel::tophat) return 1.0;
    if constexpr (kernel == Kernel::epanechnikov) return 1 - square;
    const double d = std::sqrt(square);
    if constexpr (kernel == Kernel::linear) return 1 - d;
    if constexpr (kernel == Kernel::cosine) return std::cos(1.5707963267948966 * d);
    const double rest = 1 - d * square;
    return rest * rest * rest;
}

inline constexpr bool endless(Kernel kernel) { return kernel == Kernel::gaussian || kernel == Kernel::exponential; }

struct DensityTree {
    KdTree<double> tree;
    Buffer<double> row_weight;    // by place in the leaves; 0 where the last leaf is filled up
    Buffer<int64_t> place;        // of each row
    Buffer<double> boxes;         // node: p lows, p highs
    Buffer<double> node_weight;

    DensityTree(const double *x, int64_t n, int64_t p, const double *weights, int64_t width)
        : tree(x, n, p, width), row_weight(tree.leaves * width), place(n), boxes((2 * tree.leaves - 1) * 2 * p),
          node_weight(2 * tree.leaves - 1) {
        for (int64_t at = 0; at < tree.leaves * width; ++at) {
            const int64_t row = tree.rows[at];
            row_weight[at] = at < n ? (weights ? weights[row] : 1.0) : 0.0;
            if (at < n) place[row] = at;
        }
        measure(0, 0, tree.leaves);
    }

    void measure(int64_t node, int64_t first, int64_t last) {
        const int64_t p = tree.p;
        double *low = boxes.data() + node * 2 * p, *high = low + p;
        if (last - first == 1) {
            const int64_t from = first * tree.width, count = std::min(tree.width, tree.n - from);
            const double *cells = tree.cells.data() + from * p;
            node_weight[node] = 0;
            for (int64_t i = 0; i < count; ++i) node_weight[node] += row_weight[from + i];
            for (int64_t j = 0; j < p; ++j) {
                const auto ends = std::minmax_element(cells + j * tree.width, cells + j * tree.width + count);
                low[j] = *ends.first;
                high[j] = *ends.second;
            }
            return;
        }
        const int64_t middle = kd_middle(first, last), left = node + 1, right = node + 2 * (middle - first);
        measure(left, first, middle);
        measure(right, middle, last);
        node_weight[node] = node_weight[left] + node_weight[right];
        for (int64_t j = 0; j < p; ++j) {
            low[j] = std::min(boxes[left * 2 * p + j], boxes[right * 2 * p + j]);
            high[j] = std::max(boxes[left * 2 * p + p + j], boxes[right * 2 * p + p + j]);
        }
    }
};

}  // namespace learnt

#define LEARNT_LOOPS "cluster/density_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

inline void log_densities(const DensityTree &density, Kernel kernel, const double *queries, int64_t m, const int64_t *skip,
                          double rtol, double *out) {
    const Level level = current_level();
    const std::vector<int64_t> order = kd_order(density.tree, queries, m);
    const Blocks blocks = cut(m, 16, 1 << 14);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        LEARNT_AT(level, density_queries(density, kernel, queries, order.data(), blocks[b], skip, rtol, out, job));
    });
}

}  // namespace learnt
