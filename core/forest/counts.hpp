// The best cut of sorted keys for two counted classes, in loops the compiler turns into vectors. Up to 4095 draws all
// numbers but the quotient are exact in single precision.
#pragma once

#include <bit>

#include "base/whole.hpp"
#include "forest/target.hpp"

namespace learnt::forest {

class CountScan {
    static constexpr double most = 4095;
    std::vector<float> w_, s_;  // draws up to each key, and those for class 1
    std::vector<int32_t> code_, worth_;
    double wide_w_[most_bins], wide_s_[most_bins], rows_[most_bins], quotient_[most_bins];

  public:
    static bool fits(const TwoCounts &t) { return t.weight() <= most; }

    // The place of the last key on the left; −1 if there is no cut that leaves `least` rows on both sides.
    int64_t best(const Key *keys, int64_t n, double least) {
        const size_t size = static_cast<size_t>(n);
        if (w_.size() < size) w_.resize(2 * size), s_.resize(2 * size), code_.resize(2 * size), worth_.resize(2 * size);
        float *const w = w_.data(), *const s = s_.data();
        int32_t *const code = code_.data(), *const worth = worth_.data();
        uint64_t sum = 0;
        for (int64_t i = 0; i < n; ++i) {
            sum += static_cast<uint32_t>(keys[i]);
            code[i] = static_cast<int32_t>(code_of(keys[i]));
            w[i] = static_cast<float>(static_cast<int32_t>(sum & 0x1fffff));
            s[i] = static_cast<float>(static_cast<int32_t>(sum >> 21));
        }
        const int64_t first = whole_within(std::ceil(least) - 1, 0, n);
        const int64_t last = n - 1 - first;
        const float all_w = w[n - 1], all_s = s[n - 1];
        int32_t most_worth = -1;
        for (int64_t i = first; i < last; ++i) {
            const float d = s[i] * all_w - w[i] * all_s;
            const float q = d * d / (w[i] * (all_w - w[i]));
            // The bits of numbers that are not negative order as the numbers do.
            worth[i] = code[i] == code[i + 1] ? -1 : std::bit_cast<int32_t>(q);
        }
        for (int64_t i = first; i < last; ++i) most_worth = std::max(most_worth, worth[i]);
        if (most_worth < 0) return -1;
        int64_t place = first;
        while (worth[place] != most_worth) ++place;
        return place;
    }

    // The same for coarse bins: the place of the last one on the left. Draws are summed in double precision.
    int64_t best_bin(const TwoCounts::Cell *cells, int64_t bins, double least) {
        TwoCounts::Cell sum = 0;
        for (int64_t b = 0; b < bins; ++b) {
            sum += cells[b];
            const SquareSide side = TwoCounts::side_of(sum);
            wide_w_[b] = side.w, wide_s_[b] = side.s, rows_[b] = side.m;
        }
        const double all_w = wide_w_[bins - 1], all_s = wide_s_[bins - 1], most_rows = rows_[bins - 1] - least;
        for (int64_t b = 0; b < bins; ++b) {
            const double d = wide_s_[b] * all_w - wide_w_[b] * all_s;
            const double q = d * d / (wide_w_[b] * (all_w - wide_w_[b]));
            quotient_[b] = rows_[b] >= least && rows_[b] <= most_rows ? q : -1.0;  // q of an empty side is NaN
        }
        int64_t place = -1;
        double best = -1;
        for (int64_t b = 0; b + 1 < bins; ++b)
            if (quotient_[b] > best) best = quotient_[b], place = b;
        return place;
    }
    SquareSide bin_side(int64_t place) const { return {wide_s_[place], wide_w_[place], rows_[place]}; }

    // What lies left of a cut after that place.
    SquareSide side(int64_t place) const {
        const size_t i = static_cast<size_t>(place);
        return {s_[i], w_[i], static_cast<double>(place + 1)};
    }
};

}  // namespace learnt::forest
