// Queries shared out among threads, and rows as well where queries are few.
#pragma once

#include "base/pool.hpp"
#include "distance/measure.hpp"
#include "neighbors/nearest.hpp"

namespace learnt {

// body(queries, rows, keepers, job) for every block of queries and part of the n rows; keepers are those queries' own. Parts
// are put together in their order.
template <class Body>
void share_search(Blocks blocks, int64_t n, const Answers &answers, Body body) {
    const Blocks parts = cut(n, 4096, blocks.count >= 8 ? 1 : 8);
    std::vector<std::vector<Keeper>> keepers(static_cast<size_t>(blocks.count * parts.count));
    run_blocks(blocks.count * parts.count, [&](int64_t task, Job &job) {
        const Range some = blocks[task / parts.count];
        std::vector<Keeper> &mine = keepers[static_cast<size_t>(task)];
        for (int64_t i = some.first; i < some.last; ++i) mine.push_back(answers.keeper(i));
        body(some, parts[task % parts.count], mine, job);
        if (parts.count > 1) return;
        for (int64_t i = some.first; i < some.last; ++i)
            answers.take(i, mine[static_cast<size_t>(i - some.first)].sorted());
        mine = {};
    });
    if (parts.count == 1) return;
    for (int64_t b = 0; b < blocks.count; ++b)
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            const auto at = static_cast<size_t>(i - blocks[b].first);
            Keeper &whole = keepers[static_cast<size_t>(b * parts.count)][at];
            for (int64_t part = 1; part < parts.count; ++part)
                for (const Neighbor &n : keepers[static_cast<size_t>(b * parts.count + part)][at].sorted()) whole.show(n);
            answers.take(i, whole.sorted());
        }
}

}  // namespace learnt
