// How far rows are from their own cluster and from the nearest other one, without all distances being kept.
//
//   a_i = Σ_j w_j d(x_i, y_j) over the rows j of i's own cluster
//   b_i = min over the other clusters c of  Σ_j w_j d(x_i, y_j) / W_c
//
//   x      m × p, row-major: the rows asked about; own: the cluster of each, −1 for none
//   y      n × p, row-major, the rows of cluster c at [start_c, start_{c+1});  weight: of each, or null for ones
//   within m: a_i;  between m: b_i, infinity if there is no other cluster;  neighbour m: its cluster, the first of equals
//
// A cluster without weight is nobody's neighbour. A row's numbers are added in the order of y, whatever the threads.
#pragma once

#include "base/pool.hpp"
#include "distance/measure.hpp"

namespace learnt {

// y turned: groups of `width` rows of one cluster, column by column; the last of a cluster is filled up with
// rows of no weight.
struct TurnedClusters {
    struct Segment {
        int64_t cluster, first, last;  // groups
    };
    int64_t p, width, groups = 0;
    std::vector<Segment> segments;
    Buffer<double> cells, weight;

    static int64_t count_groups(const int64_t *start, int64_t k, int64_t width) {
        int64_t count = 0;
        for (int64_t c = 0; c < k; ++c) count += (start[c + 1] - start[c] + width - 1) / width;
        return count;
    }
    TurnedClusters(const double *y, int64_t p_, const int64_t *start, int64_t k, const double *w, int64_t width_)
        : p(p_), width(width_), groups(count_groups(start, k, width_)), cells(groups * width_ * p_),
          weight(groups * width_) {
        int64_t at = 0;
        for (int64_t c = 0; c < k; ++c) {
            const int64_t from = at;
            for (int64_t first = start[c]; first < start[c + 1]; first += width, ++at)
                for (int64_t r = 0; r < width; ++r) {
                    const int64_t row = std::min(first + r, start[c + 1] - 1);
                    weight[at * width + r] = first + r < start[c + 1] ? (w ? w[row] : 1.0) : 0.0;
                    for (int64_t j = 0; j < p; ++j) cells[(at * p + j) * width + r] = y[row * p + j];
                }
            if (at > from) segments.push_back({c, from, at});
        }
    }
};

}  // namespace learnt

#define LEARNT_LOOPS "cluster/silhouette_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

inline void silhouette_sums(Norm norm, const double *x, int64_t m, int64_t p, const int64_t *own, const double *y,
                            const int64_t *start, int64_t k, const double *weight, double *within, double *between,
                            int64_t *neighbour) {
    const Level level = current_level();
    const int64_t lanes = level == Level::avx512 ? 8 : level == Level::avx2 ? 4 : 2;
    const TurnedClusters turned(y, p, start, k, weight, 2 * lanes);
    const Buffer<double> total(k, 0.0);
    for (int64_t c = 0; c < k; ++c)
        for (int64_t j = start[c]; j < start[c + 1]; ++j) total[c] += weight ? weight[j] : 1.0;
    const Blocks blocks = cut(m, 32, 1 << 20);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Range rows = blocks[b];
        const Buffer<double> sums(rows.size() * k, 0.0);
        LEARNT_AT(level, silhouette_block(norm, x, rows, p, turned, k, sums.data(), job));
        for (int64_t i = rows.first; i < rows.last; ++i) {
            const double *sum = sums.data() + (i - rows.first) * k;
            within[i] = own[i] < 0 ? 0.0 : sum[own[i]];
            between[i] = std::numeric_limits<double>::infinity();
            neighbour[i] = -1;
            for (int64_t c = 0; c < k; ++c)
                if (c != own[i] && total[c] > 0 && sum[c] / total[c] < between[i]) {
                    between[i] = sum[c] / total[c];
                    neighbour[i] = c;
                }
        }
    });
}

}  // namespace learnt
