// Linkage by the distances of all pairs, which are overwritten.
//
// Pairs i < j stand in SciPy's order. A merge of x and y replaces their distances to every other cluster i by those
// of Lance and Williams (1967); n are sizes, d for centroid, median and Ward squares of distances:
//
//   single    min(d_xi, d_yi)                complete  max(d_xi, d_yi)
//   average   (n_x d_xi + n_y d_yi)/(n_x + n_y)
//   weighted  (d_xi + d_yi)/2
//   ward      ((n_x + n_i) d_xi + (n_y + n_i) d_yi − n_i d_xy)/(n_x + n_y + n_i)
//   centroid  (n_x d_xi + n_y d_yi − n_x n_y d_xy/(n_x + n_y))/(n_x + n_y)
//   median    (d_xi + d_yi)/2 − d_xy/4
#pragma once

#include "base/matrix.hpp"
#include "base/pool.hpp"
#include "cluster/linkage/merges.hpp"

namespace learnt {

enum class Linkage : int { single = 0, complete, average, weighted, ward, centroid, median };

struct Condensed {
    double *d;
    int64_t n;

    int64_t row(int64_t i) const { return i * n - i * (i + 1) / 2 - i - 1; }  // + j: the pair i < j
    double &operator()(int64_t i, int64_t j) const { return i < j ? d[row(i) + j] : d[row(j) + i]; }
};

template <Linkage method>
double updated_distance(double xi, double yi, double xy, double nx, double ny, double ni) {
    if constexpr (method == Linkage::single) return std::min(xi, yi);
    if constexpr (method == Linkage::complete) return std::max(xi, yi);
    if constexpr (method == Linkage::average) return (nx * xi + ny * yi) / (nx + ny);
    if constexpr (method == Linkage::weighted) return 0.5 * (xi + yi);
    if constexpr (method == Linkage::ward) return ((nx + ni) * xi + (ny + ni) * yi - ni * xy) / (nx + ny + ni);
    if constexpr (method == Linkage::centroid) return (nx * xi + ny * yi - nx * ny * xy / (nx + ny)) / (nx + ny);
    return 0.5 * (xi + yi) - 0.25 * xy;
}

// Who lives, in order of number; size 0: merged into another.
struct LivingClusters {
    std::vector<double> size;
    std::vector<int64_t> order;

    LivingClusters(int64_t n, const double *w) : size(static_cast<size_t>(n), 1.0), order(static_cast<size_t>(n)) {
        if (w) std::copy_n(w, n, size.begin());
        std::iota(order.begin(), order.end(), 0);
    }
    // x is now a part of y.
    void join(int64_t x, int64_t y) {
        size[static_cast<size_t>(y)] += size[static_cast<size_t>(x)];
        size[static_cast<size_t>(x)] = 0;
        order.erase(std::lower_bound(order.begin(), order.end(), x));
    }
};

template <Linkage method>
void merge_pair(const Condensed &d, const LivingClusters &clusters, int64_t x, int64_t y) {
    const auto size = [&](int64_t i) { return clusters.size[static_cast<size_t>(i)]; };
    const double xy = d(x, y), nx = size(x), ny = size(y);
    for (const int64_t i : clusters.order)
        if (i != x && i != y) d(i, y) = updated_distance<method>(d(i, x), d(i, y), xy, nx, ny, size(i));
}

// By chains of nearest neighbours: complete, average, weighted, ward.
template <Linkage method>
std::vector<Merge> chain_merges(Condensed d, const double *w, Job &job) {
    LivingClusters clusters(d.n, w);
    std::vector<Merge> merges;
    std::vector<int64_t> chain;
    while (clusters.order.size() > 1) {
        if (chain.empty()) chain.push_back(clusters.order.front());
        for (;;) {
            job.check();
            const int64_t x = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
            int64_t y = before;
            double least = before >= 0 ? d(x, before) : std::numeric_limits<double>::infinity();
            for (const int64_t i : clusters.order) {
                if (i == x) continue;
                const double away = d(x, i);
                if (away < least) least = away, y = i;
            }
            if (y < 0) throw std::invalid_argument(not_finite);
            if (y != before) {
                chain.push_back(y);
                continue;
            }
            const int64_t a = std::min(x, y), b = std::max(x, y);
            merges.push_back({a, b, method == Linkage::ward ? std::sqrt(std::max(0.0, least)) : least});
            chain.resize(chain.size() - 2);
            merge_pair<method>(d, clusters, a, b);
            clusters.join(a, b);
            break;
        }
    }
    return merges;
}

// Always the nearest two: centroid, median. Each cluster remembers the nearest of those after it, or a bound for it.
template <Linkage method>
std::vector<Merge> nearest_merges(Condensed d, const double *w, Job &job) {
    LivingClusters clusters(d.n, w);
    std::vector<Merge> merges;
    const auto n = static_cast<size_t>(d.n);
    std::vector<double> bound(n, std::numeric_limits<double>::infinity());
    std::vector<int64_t> nearest(n, -1);
    const auto seek = [&](int64_t x) {
        double least = std::numeric_limits<double>::infinity();
        int64_t found = -1;
        const auto &order = clusters.order;
        for (auto at = std::upper_bound(order.begin(), order.end(), x); at != order.end(); ++at)
            if (d(x, *at) < least) least = d(x, *at), found = *at;
        bound[static_cast<size_t>(x)] = least;
        nearest[static_cast<size_t>(x)] = found;
    };
    for (int64_t i = 0; i < d.n; ++i) {
        job.check();
        seek(i);
    }
    while (clusters.order.size() > 1) {
        job.check();
        int64_t x, y;
        for (;;) {
            x = clusters.order.front();
            for (const int64_t i : clusters.order)
                if (bound[static_cast<size_t>(i)] < bound[static_cast<size_t>(x)]) x = i;
            y = nearest[static_cast<size_t>(x)];
            if (y < 0) throw std::invalid_argument(not_finite);
            if (clusters.size[static_cast<size_t>(y)] > 0 && d(x, y) == bound[static_cast<size_t>(x)]) break;
            seek(x);
        }
        merges.push_back({x, y, std::sqrt(std::max(0.0, d(x, y)))});
        merge_pair<method>(d, clusters, x, y);
        clusters.join(x, y);
        seek(y);
        for (const int64_t i : clusters.order) {
            if (i >= y) break;
            const double away = d(i, y);
            if (away < bound[static_cast<size_t>(i)]) {
                bound[static_cast<size_t>(i)] = away;
                nearest[static_cast<size_t>(i)] = y;
            }
        }
    }
    return merges;
}

// The least spanning tree of all pairs (Prim), the first of equally near rows first.
inline std::vector<Merge> spanning_merges(Condensed d, Job &job) {
    std::vector<Merge> merges;
    const auto n = static_cast<size_t>(d.n);
    std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
    std::vector<int64_t> source(n, 0), outside(n > 0 ? n - 1 : 0);
    std::iota(outside.begin(), outside.end(), 1);
    for (int64_t newest = 0; !outside.empty();) {
        job.check();
        size_t best = 0;
        for (size_t k = 0; k < outside.size(); ++k) {
            const auto i = static_cast<size_t>(outside[k]);
            const double away = d(newest, outside[k]);
            if (away < nearest[i]) nearest[i] = away, source[i] = newest;
            if (nearest[i] < nearest[static_cast<size_t>(outside[best])]) best = k;
        }
        newest = outside[best];
        merges.push_back({source[static_cast<size_t>(newest)], newest, nearest[static_cast<size_t>(newest)]});
        outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(best));
    }
    return merges;
}

// Distances, squared for centroid, median and ward; heights are distances.
inline std::vector<Merge> condensed_merges(Linkage method, Condensed d, const double *w, Job &job) {
    switch (method) {
        case Linkage::single: return spanning_merges(d, job);
        case Linkage::complete: return chain_merges<Linkage::complete>(d, w, job);
        case Linkage::average: return chain_merges<Linkage::average>(d, w, job);
        case Linkage::weighted: return chain_merges<Linkage::weighted>(d, w, job);
        case Linkage::ward: return chain_merges<Linkage::ward>(d, w, job);
        case Linkage::centroid: return nearest_merges<Linkage::centroid>(d, w, job);
        default: return nearest_merges<Linkage::median>(d, w, job);
    }
}

}  // namespace learnt
