// Numbers as whole ones, whatever they are: casting a number that is too large, or none, is undefined.
#pragma once

#include <algorithm>
#include <cstdint>

namespace learnt {

// The whole part of x, cut off to [low, high]; `low` where x is NaN.
inline int64_t whole_within(double x, int64_t low, int64_t high) {
    if (!(x > static_cast<double>(low))) return low;
    return x < static_cast<double>(high) ? std::min(static_cast<int64_t>(x), high) : high;
}

}  // namespace learnt
