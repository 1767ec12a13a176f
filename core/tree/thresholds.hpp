// The cells beside thresholds, and thresholds in few digits that stay between them.
//
// Sorting a column to find the neighbours of some hundred thresholds took a third of the time of growing a tree; a search
// among the thresholds for each cell takes little.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace learnt::tree {

// Where a number lies among rising thresholds: how many of them are below it. Even cells over their range tell nearly
// all of it without a search, which would guess wrong at every step.
class Places {
    const double *t_;
    int64_t m_;
    double low_ = 0, scale_ = 0;
    std::vector<int64_t> first_;  // thresholds below the start of each cell

    int64_t cell(double x) const {
        const double at = (x - low_) * scale_, last = static_cast<double>(first_.size() - 2);
        return static_cast<int64_t>(at < last ? std::max(at, 0.0) : last);  // also where it overflows
    }

  public:
    Places(const double *thresholds, int64_t m) : t_(thresholds), m_(m), first_(static_cast<size_t>(4 * m) + 2) {
        const double width = m > 0 ? t_[m - 1] - t_[0] : 0;
        if (width > 0 && std::isfinite(width) && std::isfinite(4 * static_cast<double>(m) / width)) {
            low_ = t_[0];
            scale_ = 4 * static_cast<double>(m) / width;
        }
        for (int64_t k = 0; k < m; ++k) ++first_[static_cast<size_t>(cell(t_[k])) + 1];
        for (size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
    }
    // Cells rise with their numbers, so those of earlier cells are below, those of later ones are not.
    int64_t operator()(double x) const {
        const auto c = static_cast<size_t>(cell(x));
        int64_t from = first_[c], until = first_[c + 1];
        while (until - from > 8) {
            const int64_t middle = (from + until) / 2;
            if (t_[middle] < x)
                from = middle + 1;
            else
                until = middle;
        }
        while (from < until && t_[from] < x) ++from;
        return from;
    }
};

// Of each threshold, rising, the largest cell up to it and the smallest above it; infinite where there is none. Cells that
// are no numbers are passed over.
inline void cells_beside(const double *cells, int64_t n, const double *thresholds, int64_t m, double *below, double *above) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> most(static_cast<size_t>(m) + 1, -infinity), least(static_cast<size_t>(m) + 1, infinity);
    const Places places(thresholds, m);
    for (int64_t i = 0; i < n; ++i) {
        const double x = cells[i];
        if (!std::isfinite(x)) continue;
        const auto place = static_cast<size_t>(places(x));
        most[place] = std::max(most[place], x);
        least[place] = std::min(least[place], x);
    }
    double so_far = -infinity;
    for (int64_t k = 0; k < m; ++k) below[k] = so_far = std::max(so_far, most[static_cast<size_t>(k)]);
    so_far = infinity;
    for (int64_t k = m - 1; k >= 0; --k) above[k] = so_far = std::min(so_far, least[static_cast<size_t>(k) + 1]);
}

// The number of fewest digits, from six on, that is nearer to x than to the cells beside it.
inline double short_between(double x, double low, double high) {
    constexpr int fewest = 6, most = 17;
    const double room = std::min(x - low, high - x) / 2;
    char text[40];
    for (int digits = fewest; digits < most; ++digits) {
        const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, digits - 1).ptr;
        double written = x;
        std::from_chars(text, end, written);
        if (std::abs(written - x) <= room) return written;
    }
    return x;
}

}  // namespace learnt::tree
