// What many stumps say of a row, added up:
//   out[i, answer[t, b]] += amount[t, b]      for t = 0, 1, …, where b is the child of stump t that row i goes to
// With one output, answers are all 0 and amounts ±α; with several, amounts are the weights of the votes.
#pragma once

#include "tree/predict.hpp"

namespace learnt::tree {

// One test each. Numbers ≤ threshold go to child 0, greater ones to child 1; of a nominal column (start ≥ 0)
// category c goes to routes[start + c]; missing cells, and codes at or above n_routes, go to `missing`.
struct StumpTests {
    int64_t count;
    const int32_t *feature;
    const double *threshold;
    const int32_t *missing;
    const int64_t *start;
    const int32_t *n_routes;
    const uint8_t *routes;
};

inline constexpr int64_t stump_rows = 256;  // a block of rows is asked all questions while it is in the cache

template <class Cells>
void sides_of_block(const StumpTests &s, int64_t t, const Cells &x, Range rows, uint8_t *side) {
    const int32_t j = s.feature[t];
    const uint8_t lost = static_cast<uint8_t>(s.missing[t]);
    if (s.start[t] >= 0) {
        const uint8_t *const routes = s.routes + s.start[t];
        for (int64_t i = rows.first; i < rows.last; ++i) {
            const int32_t code = x.code(i, j);
            side[i - rows.first] = code >= 0 && code < s.n_routes[t] ? routes[code] : lost;
        }
        return;
    }
    const double threshold = s.threshold[t];
    if (lost)
        for (int64_t i = rows.first; i < rows.last; ++i) side[i - rows.first] = !(x.number(i, j) <= threshold);
    else
        for (int64_t i = rows.first; i < rows.last; ++i) side[i - rows.first] = x.number(i, j) > threshold;
}

//   answer, amount   count × 2                               read
//   out              rows × outputs                          updated, never cleared
template <class Cells>
void add_stump_votes(const StumpTests &s, const int32_t *answer, const double *amount, const Cells &x, int64_t outputs,
                     double *out) {
    const Blocks blocks = cut(x.rows(), stump_rows, int64_t{1} << 40);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        const Range rows = blocks[b];
        uint8_t side[2 * stump_rows];
        double *const to = out + rows.first * outputs;
        const int64_t n = rows.size();
        for (int64_t t = 0; t < s.count; ++t) {
            sides_of_block(s, t, x, rows, side);
            const double *const add = amount + 2 * t;
            const int32_t *const place = answer + 2 * t;
            if (outputs == 1) {
                const double first = add[0], second = add[1];
                for (int64_t i = 0; i < n; ++i) to[i] += side[i] ? second : first;
            } else {
                for (int64_t i = 0; i < n; ++i) to[i * outputs + place[side[i]]] += add[side[i]];
            }
        }
    });
}

}  // namespace learnt::tree
