// Groups of centres or queries that fill a register tile next to two vectors of rows.
#pragma once

#include "simd/levels.hpp"

namespace learnt {

// How many members a register tile takes next to two vectors of rows: 24 + 3 of 32 registers, 12 + 3 of 16.
inline int largest_group(Level level) { return level == Level::avx512 ? 12 : 6; }

// Group sizes the register tiles exist for: 1, 2, 4, 8 and the largest. Rounds up where that costs one.
inline int group_size(int64_t rest, int largest) {
    if (rest >= largest - 1) return largest;
    int size = 1;
    while (2 * size <= rest + 1 && 2 * size < largest) size *= 2;
    return size;
}

}  // namespace learnt

#define LEARNT_LOOPS "base/groups_simd.hpp"
#include "simd/each_level.hpp"
