// What every column looks like, in one pass over the table:
//
//   weight = Σ w,   mean = Σ w x / Σ w,   deviation = Σ w (x − mean)²,   over the finite cells;
//   minimum and maximum over the finite cells whatever their weight (NaN if there are none);
//   missing and infinite: how many cells are NaN and ±∞, rows of weight zero included.
//
//   x        n × p, any strides                                  read
//   weights  n, or null for ones                                 read
//   the seven outputs, p each; weight 0 goes with mean 0         overwritten
//
// A tile of rows in cache is read twice, for the means and then for the deviations from them, and columns so far from 0
// that the rounding of their mean shows twice more: a constant has a deviation of exactly 0. Tiles and blocks are merged in order by Chan's formula. A sum that is finite has no missing cell in it: the common case needs
// no test per cell. Whatever the layout, memory is read in its own order: rows are added to vectors of sums,
// columns are summed one by one, and only other strides are copied (turned so that columns are runs). Turning
// row-major tables as well was half as fast.
#pragma once

#include <cmath>
#include <limits>

#include "base/pool.hpp"
#include "base/tile.hpp"
#include "simd/levels.hpp"

namespace learnt {

struct ColumnMoments {
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    double weight = 0, mean = 0, deviation = 0;
    double minimum = infinity, maximum = -infinity;
    int64_t missing = 0, infinite = 0;

    // Whether the cells lie so far from 0, or so close together, that the rounding of the mean shows in the deviation.
    bool blurred() const { return mean != 0 && deviation <= weight * (mean * mean) * 1e-16; }

    void add(const ColumnMoments &other) {
        missing += other.missing;
        infinite += other.infinite;
        minimum = std::min(minimum, other.minimum);
        maximum = std::max(maximum, other.maximum);
        if (other.weight == 0) return;
        const double total = weight + other.weight, share = other.weight / total, step = other.mean - mean;
        // The step between two huge means may overflow where their average does not.
        mean = std::isfinite(step) ? mean + step * share : mean * (1 - share) + other.mean * share;
        deviation += other.deviation;
        if (weight != 0) deviation += step * step * (weight * share);
        weight = total;
    }
};

inline constexpr int64_t moments_columns = 128;  // at most, in one tile

// A tile of rows fits the second-level cache.
template <class Real>
int64_t moments_rows(int64_t columns) {
    return std::clamp<int64_t>((256 << 10) / static_cast<int64_t>(sizeof(Real)) / columns, 64, 2048) / 64 * 64;
}
// From one turned column to the next. A power of two would put the same row of all columns into one cache set.
template <class Real>
int64_t moments_stride(int64_t columns) {
    return moments_rows<Real>(columns) + 64 / static_cast<int64_t>(sizeof(Real));
}

}  // namespace learnt

#define LEARNT_LOOPS "table/moments_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <class Real>
void column_moments(Matrix<const Real> x, const double *weights, double *weight, double *mean, double *deviation,
                    double *minimum, double *maximum, int64_t *missing, int64_t *infinite) {
    constexpr int64_t together = moments_columns;
    const Level level = current_level();
    const int64_t p = x.columns, bands = (p + together - 1) / together;
    const Blocks blocks = cut(x.rows, (1 << 18) / std::clamp<int64_t>(p, 1, together),
                              std::clamp<int64_t>((1 << 20) / std::max<int64_t>(p, 1), 1, 64));
    std::vector<ColumnMoments> slots(static_cast<size_t>(blocks.count * p));
    run_blocks(blocks.count * bands, [&](int64_t b, Job &job) {
        const Range columns{b % bands * together, std::min(p, (b % bands + 1) * together)};
        const Buffer<Real> turned(columns.size() * moments_stride<Real>(columns.size()));
        ColumnMoments *slot = slots.data() + b / bands * p + columns.first;
        LEARNT_AT(level, moments_block(x, weights, blocks[b / bands], columns, slot, turned.data(), job));
    });
    for (int64_t j = 0; j < p; ++j) {
        ColumnMoments m;
        for (int64_t b = 0; b < blocks.count; ++b) m.add(slots[static_cast<size_t>(b * p + j)]);
        const bool any = m.minimum <= m.maximum;
        weight[j] = m.weight, mean[j] = m.mean, deviation[j] = m.deviation;
        minimum[j] = any ? m.minimum : std::nan(""), maximum[j] = any ? m.maximum : std::nan("");
        missing[j] = m.missing, infinite[j] = m.infinite;
    }
}

}  // namespace learnt
