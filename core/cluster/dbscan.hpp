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

#include "cluster/dbscan_walk.hpp"

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

//   labels  n: the cluster by the order of first cores, −1 for noise    overwritten
//   core    n: whether the row is a core                                overwritten
template <class Real>
void dbscan(const Real *x, int64_t n, int64_t p, const Measure &measure, double eps, double least, const double *weights,
            int32_t *labels, uint8_t *core) {
    double bar = 0;
    with_norm(measure.norm, [&](auto norm) { bar = largest_sum<norm()>(measure, eps); });
    DensityTree<Real> all(x, n, p, measure, bar, least, weights);
    part_tree(all);
    const Blocks blocks = cut(static_cast<int64_t>(all.parts.size()), 8, 1 << 12);
    run_blocks(blocks.count, [&](int64_t b, Job &job) { find_cores(all, blocks[b], job); });
    run_blocks(blocks.count, [&](int64_t b, Job &job) { unite_cores(all, blocks[b], job); });
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
    run_blocks(blocks.count, [&](int64_t b, Job &job) { find_borders(all, blocks[b], labels, job); });
}

}  // namespace learnt
