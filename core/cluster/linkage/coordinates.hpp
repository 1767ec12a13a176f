// Linkage of rows of numbers without a matrix of distances: O(n p) memory.
//
//   ward_merges        by chains of nearest neighbours: a cluster, its nearest, that one's nearest, … down to two that
//                      are nearest to each other, which are merged. No merge undoes the rest of a chain (Bruynooghe, 1977;
//                      Murtagh, 1983), so that sorting merges by height gives the tree.
//   centroid_merges    always the two nearest centres; each cluster remembers its nearest, or a bound for it (Anderberg,
//                      1973; Müllner, 2011). A merge may bring centres nearer to each other than the two merged were.
//
// Heights of Ward's merges are sqrt(2 n_a n_b/(n_a + n_b)) |a − b|, as SciPy states them.
#pragma once

#include "cluster/linkage/centroids.hpp"
#include "cluster/linkage/merges.hpp"
#include "simd/math.hpp"

namespace learnt {

// w: weights of rows, null for ones.
inline std::vector<Merge> ward_merges(const double *x, int64_t n, int64_t p, const double *w, Job &job) {
    Centroids all(x, n, p, w);
    std::vector<Merge> merges;
    std::vector<int64_t> chain;
    const Buffer<double> q(p);
    int64_t start = 0;
    while (all.living() > 1) {
        if (chain.empty()) {
            while (!all.lives(start)) ++start;
            chain.push_back(start);
        }
        for (;;) {
            const int64_t last = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
            const double size = all.size(last);
            NearestCluster best{std::numeric_limits<double>::infinity(), -1, -1};
            // Where the one before is as near as any, the chain ends.
            if (before >= 0) best.value = unfused(all.square(last, before) * ward_factor(all.size(before), size));
            all.copy(last, q.data());
            nearest_cluster(all, true, q.data(), size, all.slot(last), best, job);
            if (best.cluster >= 0) {
                chain.push_back(best.cluster);
                continue;
            }
            if (before < 0) throw std::invalid_argument(not_finite);
            const int64_t a = std::min(last, before), b = std::max(last, before);
            merges.push_back({a, b, std::sqrt(2 * best.value)});
            chain.resize(chain.size() - 2);
            all.join(a, b, all.size(b) / (all.size(a) + all.size(b)));
            break;
        }
    }
    return merges;
}

// `median`: the centre of a merged cluster is half way between those of its parts, whatever their sizes.
inline std::vector<Merge> centroid_merges(const double *x, int64_t n, int64_t p, const double *w, bool median, Job &job) {
    struct Bound {
        double value;     // no other cluster is nearer
        int64_t cluster;  // the one that is so near, if it has not changed
        int64_t version;
    };
    Centroids all(x, n, p, w);
    std::vector<Merge> merges;
    std::vector<Bound> bounds(static_cast<size_t>(n));
    std::vector<int64_t> version(static_cast<size_t>(n), 0), living(static_cast<size_t>(n));
    std::iota(living.begin(), living.end(), 0);
    const Level level = current_level();
    const auto seek = [&](int64_t cluster, double *q, Job &own) {
        NearestCluster best{std::numeric_limits<double>::infinity(), -1, -1};
        all.copy(cluster, q);
        nearest_cluster(all, false, q, 1.0, all.slot(cluster), best, own);
        if (best.cluster < 0) throw std::invalid_argument(not_finite);
        bounds[static_cast<size_t>(cluster)] = {best.value, best.cluster, version[static_cast<size_t>(best.cluster)]};
    };
    if (n > 1) {
        const Blocks blocks = cut(n, 64, 256);
        run_blocks(blocks.count, [&](int64_t b, Job &own) {
            const Buffer<double> q(p);
            for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) seek(i, q.data(), own);
        });
    }
    const Buffer<double> q(p);
    Buffer<double> squares(all.slots());
    while (all.living() > 1) {
        job.check();
        int64_t a;
        for (;;) {  // the least bound that holds
            a = living[0];
            for (const int64_t i : living)
                if (bounds[static_cast<size_t>(i)].value < bounds[static_cast<size_t>(a)].value) a = i;
            const Bound &bound = bounds[static_cast<size_t>(a)];
            if (all.lives(bound.cluster) && version[static_cast<size_t>(bound.cluster)] == bound.version) break;
            seek(a, q.data(), job);
        }
        const double value = bounds[static_cast<size_t>(a)].value;
        int64_t b = bounds[static_cast<size_t>(a)].cluster;
        if (a > b) std::swap(a, b);
        merges.push_back({a, b, std::sqrt(value)});
        living.erase(std::lower_bound(living.begin(), living.end(), a));
        all.join(a, b, median ? 0.5 : all.size(b) / (all.size(a) + all.size(b)));
        if (all.living() == 1) break;
        ++version[static_cast<size_t>(b)];
        all.copy(b, q.data());
        const Blocks blocks = cut(all.groups(), std::max<int64_t>(1, (1 << 15) / p), 8);
        run_blocks(blocks.count, [&](int64_t k, Job &) { LEARNT_AT(level, squares_to_groups(all, blocks[k], q.data(), squares.data())); });
        Bound &own = bounds[static_cast<size_t>(b)] = {std::numeric_limits<double>::infinity(), -1, 0};
        for (int64_t s = 0; s < all.slots(); ++s) {
            const int64_t i = all.number(s);
            if (i < 0 || i == b) continue;
            if (squares[s] < own.value || (squares[s] == own.value && i < own.cluster))
                own = {squares[s], i, version[static_cast<size_t>(i)]};
            if (squares[s] < bounds[static_cast<size_t>(i)].value)
                bounds[static_cast<size_t>(i)] = {squares[s], b, version[static_cast<size_t>(b)]};
        }
    }
    return merges;
}

}  // namespace learnt
