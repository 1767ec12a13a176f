// Sorting the few thousand keys of a node by their codes: spread over about as many buckets as there are keys,
// then put right within buckets. Ranks lie evenly, so that most buckets hold one or two.
#pragma once

#include <bit>

#include "forest/target.hpp"

namespace learnt::forest {

class KeySort {
    static constexpr int64_t few = 24, crowded = 48;
    std::vector<Key> other_;
    std::vector<uint32_t> place_;

    static void insert(Key *keys, int64_t n) {
        for (int64_t i = 1; i < n; ++i) {
            const Key key = keys[i];
            int64_t at = i;
            for (; at > 0 && code_of(keys[at - 1]) > code_of(key); --at) keys[at] = keys[at - 1];
            keys[at] = key;
        }
    }

    // Stable; returns the size of the fullest bucket. The keys end up in `to`.
    uint32_t spread(const Key *from, Key *to, int64_t n, uint32_t low, int shift, uint32_t buckets) {
        place_.assign(buckets, 0);
        uint32_t *const place = place_.data();
        const auto bucket = [&](Key k) { return ((code_of(k) - low) >> shift) & (buckets - 1); };
        for (int64_t i = 0; i < n; ++i) ++place[bucket(from[i])];
        uint32_t sum = 0, most = 0;
        for (uint32_t b = 0; b < buckets; ++b) {
            const uint32_t here = place[b];
            most = std::max(most, here), place[b] = sum, sum += here;
        }
        for (int64_t i = 0; i < n; ++i) to[place[bucket(from[i])]++] = from[i];
        return most;
    }

  public:
    // Codes of the keys lie in [low, high]. Returns where the sorted keys are.
    Key *sort(Key *keys, int64_t n, uint32_t low, uint32_t high) {
        if (n <= few) return insert(keys, n), keys;
        if (static_cast<int64_t>(other_.size()) < n) other_.resize(static_cast<size_t>(n));
        const int wide = static_cast<int>(std::bit_width(high - low));
        const int bits = std::min(wide, std::clamp(static_cast<int>(std::bit_width(static_cast<uint64_t>(n))), 5, 16));
        const int shift = wide - bits;
        Key *const other = other_.data();
        const uint32_t most = spread(keys, other, n, low, shift, 1u << bits);
        if (shift == 0) return other;
        if (most <= crowded) return insert(other, n), other;
        spread(keys, other, n, low, 0, 1u << 8);  // crowded: by the low digits, then by the high ones
        spread(other, keys, n, low, 8, 1u << 8);
        return keys;
    }
};

}  // namespace learnt::forest
