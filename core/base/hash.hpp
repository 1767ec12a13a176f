// Random numbers that belong to rows: u_i in (0, 1) is a hash of (seed, first_row + i), so that any cutting
// of the rows into batches, blocks or threads draws the same.
#pragma once

#include "base/matrix.hpp"
#include "base/pool.hpp"

namespace learnt {

// Stafford's variant 13 of the MurmurHash3 finaliser, as in SplitMix64 (Steele, Lea and Flood 2014).
inline uint64_t mix_bits(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

inline double uniform_of(uint64_t mixed_seed, uint64_t row) {
    constexpr uint64_t golden = 0x9e3779b97f4a7c15u;
    const uint64_t bits = mix_bits(mix_bits((row + 1) * golden) ^ mixed_seed);
    return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;  // 52 bits and a half: never 0, never 1
}

inline void hash_uniform(uint64_t seed, int64_t first_row, double *out, int64_t n) {
    const uint64_t mixed = mix_bits(seed + 0x9e3779b97f4a7c15u);
    const Blocks blocks = cut(n, 1 << 14, 256);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i)
            out[i] = uniform_of(mixed, static_cast<uint64_t>(first_row) + static_cast<uint64_t>(i));
    });
}

}  // namespace learnt
