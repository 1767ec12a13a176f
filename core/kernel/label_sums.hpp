// Sums of kernel values by cluster: what the distances from means in the space of a kernel are made of.
//
//   sums(i, labels[j]) += weights[j] · gram(i, j),   in the order of j
//
//   gram     n × m, row-major          read
//   labels   m, each in [0, k)         read
//   sums     n × k, row-major          updated
#pragma once

#include "base/pool.hpp"

namespace learnt {

inline void add_label_sums(const double *gram, int64_t n, int64_t m, const int32_t *labels, const double *weights, int64_t k,
                           double *sums) {
    const Blocks blocks = cut(n, 16, 1 << 10);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            const double *row = gram + i * m;
            double *to = sums + i * k;
            for (int64_t j = 0; j < m; ++j) to[labels[j]] += weights[j] * row[j];
        }
    });
}

}  // namespace learnt
