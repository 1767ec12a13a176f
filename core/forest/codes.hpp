// Numbers into the 16-bit codes a forest is grown from: the code of a cell is the number of edges below it, found by
// halving, eight cells at a time.
#pragma once

#include "base/matrix.hpp"
#include "base/pool.hpp"

namespace learnt::forest {

//   cells   count, up to 8       edges   n_edges, rising       out   count
template <class Real>
inline void codes_of(const Real *cells, int64_t count, const Real *edges, int64_t n_edges, uint16_t *out) {
    int64_t at[8] = {};
    for (int64_t length = n_edges; length > 0;) {
        const int64_t half = (length + 1) / 2;
        for (int64_t i = 0; i < count; ++i) at[i] += edges[at[i] + half - 1] < cells[i] ? half : 0;
        length -= half;
    }
    for (int64_t i = 0; i < count; ++i) out[i] = static_cast<uint16_t>(cells[i] == cells[i] ? at[i] : 0);
}

// Codes of one column.
//   cells   n, `stride` apart; NaN is missing       edges   in the precision of the cells, so that nothing is rounded
//   out     n, `lost` where missing
template <class Real>
void encode_numbers(const Real *cells, int64_t stride, int64_t n, const Real *edges, int64_t n_edges, uint16_t lost,
                    uint16_t *out) {
    const Blocks blocks = cut(n, 1 << 13, 1 << 12);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        for (int64_t first = blocks[b].first; first < blocks[b].last; first += 8) {
            const int64_t count = std::min<int64_t>(8, blocks[b].last - first);
            Real here[8];
            for (int64_t i = 0; i < count; ++i) here[i] = cells[(first + i) * stride];
            if (count == 8)
                codes_of(here, 8, edges, n_edges, out + first);
            else
                codes_of(here, count, edges, n_edges, out + first);
            for (int64_t i = 0; i < count; ++i)
                if (here[i] != here[i]) out[first + i] = lost;
        }
    });
}

}  // namespace learnt::forest
