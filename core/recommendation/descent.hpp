// Ratings of pairs, and one epoch of stochastic gradient descent over them.
//
// With e = t − b_u − c_i − x_u·y_i, for one rating of weight w after the other,
//   x_u += η (w e y_i − λ_u x_u),   y_i += η (w e x_u − λ_i y_i),   b_u += η (w e − λ_u b_u),   c_i += η (w e − λ_i c_i)
//
// Users and items are dealt to `parts` parts each, ratings to parts × parts cells. Cells in different rows and columns share
// nothing: those of a diagonal run beside each other, one diagonal after the other (Gemulla et al. 2011). Within a cell the
// order is that of the entries: the same bits for any number of threads.
//
//   cells     parts² + 1    where the entries of each cell begin, cell (a, b) being a · parts + b       read
//   users, items, values, weights (or null)    the entries                                             read
//   penalty_users, penalty_items    λ of one rating of each                                            read
//   x, y (count × width), b, c (or null)                                                               updated
#pragma once

#include "recommendation/rows.hpp"

namespace learnt {

template <class Real>
struct RatingEntries {
    const int32_t *users, *items;
    const Real *values, *weights;
    int64_t count;
};

template <class Real>
struct FactorPair {
    Real *x, *y, *b, *c;
    int64_t width;
};

}  // namespace learnt

#define LEARNT_LOOPS "recommendation/descent_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <class Real>
void descend_entries(const int64_t *cells, int64_t parts, const RatingEntries<Real> &entries, const Real *penalty_users,
                     const Real *penalty_items, double rate, const FactorPair<Real> &f) {
    const Level level = current_level();
    for (int64_t diagonal = 0; diagonal < parts; ++diagonal)
        run_blocks(parts, [&](int64_t a, Job &job) {
            const int64_t cell = a * parts + (a + diagonal) % parts;
            constexpr int64_t at_once = 8192;
            for (int64_t from = cells[cell]; from < cells[cell + 1]; from += at_once) {
                job.check();
                const Range range{from, std::min(from + at_once, cells[cell + 1])};
                LEARNT_AT(level, descend_range(entries, range, penalty_users, penalty_items, static_cast<Real>(rate), f));
            }
        });
}

// out, written: b_u + c_i + x_u·y_i of pairs of places; a place of −1 is unknown, and its part of the sum is 0.
template <class Real>
void rate_pairs(const int32_t *users, const int32_t *items, int64_t count, const FactorSide<Real> &user_side,
                const FactorSide<Real> &item_side, double *out) {
    const Level level = current_level();
    const Blocks blocks = cut(count, 4096, 1 << 20);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        job.check();
        LEARNT_AT(level, rate_range(users, items, blocks[b], user_side, item_side, out));
    });
}

}  // namespace learnt
