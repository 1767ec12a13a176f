// Sums that are the same in whatever order the rows come, so that no split is decided by rounding.
//
// A node's numbers are rounded to a grid, a power of two so coarse that every sum of them is a whole number of
// steps below 2⁵³: adding them is then exact. The grid is about as fine as the rounding of plain sums of that size
// would be. What a cut is worth becomes a function of exact sums: the same rows on both sides are worth the same,
// whichever column puts them there.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace learnt::tree {

// Rounds numbers whose absolute values add up to at most `bound`.
class Grid {
    double step_ = 0, shift_ = 0;  // shift + x has no digits below the step

  public:
    Grid() = default;
    explicit Grid(double bound) {
        const uint64_t exponent = std::bit_cast<uint64_t>(bound) >> 52;  // and the sign, which makes it large
        if (exponent > 2000 || exponent < 100) return;  // at the ends of the range numbers stay as they are
        shift_ = std::bit_cast<double>((exponent + 2) << 52 | uint64_t{1} << 51);
        step_ = std::bit_cast<double>((exponent - 50) << 52);
    }
    double operator()(double x) const { return (x + shift_) - shift_; }
    // No positive number becomes zero: a row of little weight is still a row.
    double positive(double x) const { return std::max((*this)(x), step_); }
    // The same for a number of any size.
    double far(double x) const {
        if (std::abs(x) < shift_ / 4 || step_ == 0) return (*this)(x);
        return std::nearbyint(x / step_) * step_;
    }
};

// Adds x to a sum kept as a number and what rounding has taken from it.
inline void add_exactly(double &sum, double &rest, double x) {
    const double next = sum + x, added = next - sum;
    rest += (sum - (next - added)) + (x - added);
    sum = next;
}

// Cut to 24 digits, so that numbers of few digits keep them all when it is subtracted.
inline double of_few_digits(double x) {
    if (!(std::abs(x) > 0) || !std::isfinite(x)) return x;
    int exponent = 0;
    const double digits = std::frexp(x, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(digits, 24)), exponent - 24);
}

}  // namespace learnt::tree
