// Tests drawn instead of searched for. A draw is a hash of the way to the node (and with it of the seed) and the
// column, so that threads and the order of the search change nothing.
#pragma once

#include "base/hash.hpp"
#include "tree/problem.hpp"

namespace learnt::tree {

inline uint64_t draw_of(uint64_t path, int32_t column) {
    constexpr uint64_t salt = 0xd1b54a32d192ed03u;  // so that it is not the draw of the columns
    return mix_bits(path ^ mix_bits(salt * (static_cast<uint64_t>(column) + 1)));
}

// Uniform in [low, high).
inline double drawn_threshold(uint64_t path, int32_t column, double low, double high) {
    const double u = uniform_of(draw_of(path, column), 0);
    const double threshold = low * (1 - u) + high * u;
    return threshold >= low && threshold < high ? threshold : low;
}

// The categories of child 0: one of those present, or any set of them but none and all; nothing if there is one only.
inline std::vector<int32_t> drawn_set(uint64_t path, int32_t column, const std::vector<int32_t> &present,
                                      Nominal nominal) {
    const uint64_t seed = draw_of(path, column);
    if (present.size() < 2) return {};
    const double u = uniform_of(seed, 0) * static_cast<double>(present.size());
    if (nominal == Nominal::equals) return {present[std::min(static_cast<size_t>(u), present.size() - 1)]};
    std::vector<int32_t> left;
    for (uint64_t round = 1; left.empty() || left.size() == present.size(); ++round) {
        left.clear();
        for (const int32_t code : present)
            if (uniform_of(mix_bits(seed + round), static_cast<uint64_t>(code)) < 0.5) left.push_back(code);
    }
    return left;
}

}  // namespace learnt::tree
