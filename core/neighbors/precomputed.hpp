// Neighbours by distances that are there already: m queries × n rows, row-major, none of them NaN.
#pragma once

#include "base/pool.hpp"
#include "neighbors/nearest.hpp"

namespace learnt {

inline void given_search(const double *distances, int64_t m, int64_t n, const int64_t *skip, const Answers &answers) {
    const Blocks blocks = cut(m, std::max<int64_t>(1, 65536 / (n + 1)), m);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            auto keeper = answers.keeper(i);
            const double *own = distances + i * n;
            double limit = keeper.limit();
            for (int64_t r = 0; r < n; ++r) {
                if (!(own[r] <= limit) || (skip && skip[i] == r)) continue;
                keeper.show({own[r], r});
                limit = keeper.limit();
            }
            answers.take(i, keeper.sorted());
        }
    });
}

}  // namespace learnt
