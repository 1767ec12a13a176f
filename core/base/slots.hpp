// Sums of blocks, each in a slot of its own, added in order: the same bits for any number of threads.
#pragma once

#include "base/matrix.hpp"
#include "base/pool.hpp"

namespace learnt {

// out += the first `size` numbers of every slot, slots lying `stride` apart, in the order of slots.
inline void add_slots(const double *slots, int64_t count, int64_t stride, int64_t size, double *out) {
    const Blocks parts = cut(size, 4096, 64);
    run_blocks(parts.count, [&](int64_t part, Job &) {
        for (int64_t b = 0; b < count; ++b)
            for (int64_t e = parts[part].first; e < parts[part].last; ++e) out[e] += slots[b * stride + e];
    });
}

}  // namespace learnt
