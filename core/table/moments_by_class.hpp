// Weight, mean and squared deviation of every column, per class, in one pass:
//
//   weight = Σ w,   mean = Σ w x / Σ w,   deviation = Σ w (x − mean)²,   over the finite cells of the class;
//   infinite: how many cells of a column are ±∞, whatever their class and weight.
//
//   x        n × p, any strides; NaN is missing and skipped      read
//   codes    n, each in [0, k)                                   read
//   weights  n, or null for ones                                 read
//   weight, mean, deviation   k × p                              updated, never cleared
//   infinite                  p                                  updated, never cleared
//
// The rows of a tile in cache are listed by class, and each list is summed as column_moments sums a tile: four
// rows at a time, twice. A sum that is finite has no missing cell in it. Tiles and blocks are merged in order by
// Chan's formula, whose cost per class and column asks for longer tiles when there are many classes.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "table/moments.hpp"

namespace learnt {

// One tile's rows in the order of their classes: those of class c are order[start[c] .. start[c + 1]).
struct RowsByClass {
    std::vector<int32_t> order, start;
    int64_t classes;

    RowsByClass(int64_t rows, int64_t k)
        : order(static_cast<size_t>(rows)), start(static_cast<size_t>(k) + 2), classes(k) {}

    void sort(const int32_t *codes, int64_t first, int64_t count) {
        std::fill(start.begin(), start.end(), 0);
        for (int64_t i = 0; i < count; ++i) {
            const int32_t c = codes[first + i];
            if (static_cast<uint32_t>(c) >= static_cast<uint64_t>(classes))
                throw std::invalid_argument("The class of row " + std::to_string(first + i) + " is " + std::to_string(c) +
                                            ". Expected 0 to " + std::to_string(classes - 1) + ".");
            ++start[static_cast<size_t>(c) + 2];
        }
        for (size_t c = 2; c < start.size(); ++c) start[c] += start[c - 1];
        // start[c + 1] is where the next row of class c goes; in the end it is where class c + 1 begins.
        for (int64_t i = 0; i < count; ++i)
            order[static_cast<size_t>(start[static_cast<size_t>(codes[first + i]) + 1]++)] = static_cast<int32_t>(i);
    }

    Range of(int64_t c) const { return {start[static_cast<size_t>(c)], start[static_cast<size_t>(c) + 1]}; }
};

template <class Real>
int64_t rows_by_class_tile(int64_t columns, int64_t classes) {
    return std::max(moments_rows<Real>(columns), std::min<int64_t>(32 * classes, 1 << 14));
}

}  // namespace learnt

#define LEARNT_LOOPS "table/moments_by_class_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <class Real>
void moments_by_class(Matrix<const Real> x, const int32_t *codes, const double *weights, int64_t classes,
                      double *weight, double *mean, double *deviation, int64_t *infinite) {
    constexpr int64_t together = moments_columns;
    const Level level = current_level();
    const int64_t p = x.columns, bands = (p + together - 1) / together, size = classes * p;
    const Blocks blocks = cut(x.rows, (1 << 18) / std::clamp<int64_t>(p, 1, together),
                              std::clamp<int64_t>((1 << 20) / std::max<int64_t>(size, 1), 1, 64));
    std::vector<ColumnMoments> slots(static_cast<size_t>(blocks.count * size));
    run_blocks(blocks.count * bands, [&](int64_t b, Job &job) {
        const Range columns{b % bands * together, std::min(p, (b % bands + 1) * together)};
        const int64_t tile = rows_by_class_tile<Real>(columns.size(), classes);
        const Buffer<Real> scratch(tile * (x.column_stride == 1 ? 1 : columns.size() + 1));
        const Buffer<double> kept(tile);
        RowsByClass rows(tile, classes);
        ColumnMoments *slot = slots.data() + b / bands * size + columns.first;
        LEARNT_AT(level, moments_by_class_block(x, codes, weights, blocks[b / bands], columns, rows, slot,
                                                scratch.data(), kept.data(), job));
    });
    for (int64_t e = 0; e < size; ++e) {
        ColumnMoments m;
        m.weight = weight[e], m.mean = mean[e], m.deviation = deviation[e];
        for (int64_t b = 0; b < blocks.count; ++b) m.add(slots[static_cast<size_t>(b * size + e)]);
        weight[e] = m.weight, mean[e] = m.mean, deviation[e] = m.deviation;
        infinite[e % p] += m.infinite;
    }
}

}  // namespace learnt
