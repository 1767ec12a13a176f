// Quantiles of a forest of numbers (Meinshausen 2006): the training targets in the leaves a row comes to, each with
// its share of its leaf, averaged over the trees, are the distribution predicted.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "base/pool.hpp"

namespace learnt::forest {

// Entries node_start[i] … node_start[i + 1] are those of node i of all trees (tree t's from tree_start[t]).
struct LeafTargets {
    const int64_t *tree_start, *node_start;
    const int32_t *rank;   // of the entry's target, in sorted_targets
    const float *share;   // of its leaf's weight
    const double *sorted_targets;
};

//   leaves   n × trees, node numbers within their trees       q   n_q, in [0, 1]       out   n × n_q, written
// The quantile is the least target at which the weights of it and all below reach q.
inline void leaf_quantiles(const LeafTargets &kept, const int32_t *leaves, int64_t n, int64_t trees, const double *q,
                           int64_t n_q, double *out) {
    const Blocks blocks = cut(n, 16, 1 << 12);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        std::vector<std::pair<int32_t, float>> here;
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            here.clear();
            for (int64_t t = 0; t < trees; ++t) {
                const int64_t node = kept.tree_start[t] + leaves[i * trees + t];
                for (int64_t e = kept.node_start[node]; e < kept.node_start[node + 1]; ++e)
                    here.emplace_back(kept.rank[e], kept.share[e]);
            }
            std::sort(here.begin(), here.end());
            double whole = 0;
            for (const auto &entry : here) whole += entry.second;
            for (int64_t k = 0; k < n_q; ++k) {
                const double wanted = q[k] * whole * (1 - 1e-12);
                double sum = 0;
                size_t at = 0;
                for (; at < here.size(); ++at)
                    if ((sum += here[at].second) >= wanted && here[at].second > 0) break;
                out[i * n_q + k] = here.empty() ? 0.0 : kept.sorted_targets[here[std::min(at, here.size() - 1)].first];
            }
        }
    });
}

}  // namespace learnt::forest
