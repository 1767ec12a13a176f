// Columns as small whole numbers: bins of numbers, bins of categories.
//
// A column of numbers has edges e_0 < e_1 < ...; a cell x has the code #{b : e_b < x}, so that x <= e_b exactly
// when its code is at most b. The last bin of every column holds the missing cells.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/pool.hpp"
#include "simd/levels.hpp"
#include "tree/problem.hpp"

#define LEARNT_LOOPS "boosting/bins_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt::boost {

// Where each column's codes and histogram cells lie. Columns of at most 256 bins are narrow (uint8 codes),
// others wide (uint16); both stand row by row, columns in their order. The cells of narrow columns come first and are
// `room` apart, a power of two, so that loops know the distance; the wide follow without gaps.
struct BinLayout {
    std::vector<int32_t> n_bins;       // with the bin of missing cells, which is the last
    std::vector<uint8_t> nominal;
    std::vector<int64_t> offset;       // of a column's cells in a histogram
    std::vector<int32_t> place;        // of a column among the narrow, or the wide
    std::vector<int32_t> narrow, wide;  // columns
    std::vector<int32_t> wide_offset;
    int64_t room = 32, total = 0;

    BinLayout(const int32_t *bins, const uint8_t *is_nominal, int64_t columns)
        : n_bins(bins, bins + columns), nominal(is_nominal, is_nominal + columns) {
        for (int64_t j = 0; j < columns; ++j) {
            std::vector<int32_t> &side = is_wide(j) ? wide : narrow;
            place.push_back(static_cast<int32_t>(side.size()));
            side.push_back(static_cast<int32_t>(j));
            while (!is_wide(j) && room < bins[j]) room *= 2;
        }
        total = room * static_cast<int64_t>(narrow.size());
        for (int64_t j = 0; j < columns; ++j) {
            offset.push_back(is_wide(j) ? total : room * place[static_cast<size_t>(j)]);
            if (!is_wide(j)) continue;
            wide_offset.push_back(static_cast<int32_t>(total));
            total += bins[j];
        }
    }

    int64_t columns() const { return static_cast<int64_t>(n_bins.size()); }
    bool is_wide(int64_t j) const { return n_bins[static_cast<size_t>(j)] > 256; }
    int32_t missing_bin(int64_t j) const { return n_bins[static_cast<size_t>(j)] - 1; }
};

// Codes of n rows; a row of narrow codes takes `stride` bytes, of which the first are used.
struct CodeRows {
    int64_t rows;
    const uint8_t *narrow;
    int64_t stride;
    const uint16_t *wide;
    int64_t wide_stride;
};

// What encoding needs of one column: its edges, or the bin of each category.
struct BinColumn {
    const double *edges;
    int64_t n_edges;
    const int32_t *bin_of;  // by category; null for columns of numbers
    int64_t n_categories;
    int32_t n_bins;
};

inline constexpr int64_t encode_tile = 256;

// The largest float not above a double, so that a float is at most one exactly when it is at most the other.
inline float rounded_down(double x) {
    const float f = static_cast<float>(x);
    return static_cast<double>(f) > x ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}

template <class Real>
std::vector<Real> padded_edges(const BinColumn &column, int64_t size) {
    std::vector<Real> edges(static_cast<size_t>(size), std::numeric_limits<Real>::infinity());
    for (int64_t b = 0; b < column.n_edges; ++b)
        edges[static_cast<size_t>(b)] =
            sizeof(Real) == 4 ? static_cast<Real>(rounded_down(column.edges[b])) : static_cast<Real>(column.edges[b]);
    return edges;
}

// Writes the codes of every cell; columns as in tree/problem.hpp (codes of ordinal columns are read as numbers).
//   narrow  n × stride, wide  n × wide_stride                                             overwritten
inline void encode_bins(const std::vector<tree::Column> &columns, const std::vector<BinColumn> &bins,
                        const BinLayout &layout, int64_t n, uint8_t *narrow, int64_t stride, uint16_t *wide,
                        int64_t wide_stride) {
    const Level level = current_level();
    const size_t p = columns.size();
    std::vector<std::vector<float>> singles(p);
    std::vector<std::vector<double>> doubles(p);
    std::vector<int64_t> size(p, 1);
    for (size_t j = 0; j < p; ++j) {
        if (bins[j].bin_of) continue;
        while (size[j] < bins[j].n_edges + 1) size[j] *= 2;
        if (columns[j].cells == tree::Column::Cells::float32)
            singles[j] = padded_edges<float>(bins[j], size[j]);
        else
            doubles[j] = padded_edges<double>(bins[j], size[j]);
    }
    const Blocks blocks = cut(n, 4096, 1 << 20);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        int32_t code[encode_tile];
        float single[encode_tile];
        double number[encode_tile];
        for (int64_t first = blocks[b].first; first < blocks[b].last; first += encode_tile) {
            const int64_t count = std::min(encode_tile, blocks[b].last - first);
            for (size_t j = 0; j < p; ++j) {
                const tree::Column &column = columns[j];
                const int32_t lost = bins[j].n_bins - 1;
                if (bins[j].bin_of) {
                    for (int64_t i = 0; i < count; ++i) {
                        const int32_t c = column.code(first + i);
                        code[i] = c < 0 ? lost : c < bins[j].n_categories ? bins[j].bin_of[c] : lost - 1;
                    }
                } else if (column.cells == tree::Column::Cells::float32) {
                    const float *const from = static_cast<const float *>(column.data) + first * column.stride;
                    for (int64_t i = 0; i < count; ++i) single[i] = from[i * column.stride];
                    LEARNT_AT(level, bin_codes_of(single, count, singles[j].data(), size[j], lost, code));
                } else {
                    for (int64_t i = 0; i < count; ++i) number[i] = column.number(first + i);
                    LEARNT_AT(level, bin_codes_of(number, count, doubles[j].data(), size[j], lost, code));
                }
                const int64_t at = layout.place[j];
                if (layout.is_wide(static_cast<int64_t>(j)))
                    for (int64_t i = 0; i < count; ++i)
                        wide[(first + i) * wide_stride + at] = static_cast<uint16_t>(code[i]);
                else
                    for (int64_t i = 0; i < count; ++i)
                        narrow[(first + i) * stride + at] = static_cast<uint8_t>(code[i]);
            }
            const int64_t used = static_cast<int64_t>(layout.narrow.size());
            for (int64_t i = 0; i < count; ++i)
                for (int64_t at = used; at < stride; ++at) narrow[(first + i) * stride + at] = 0;
            job.check();
        }
    });
}

// Edges of at most `most` bins of nearly equal weight, between neighbours among n sorted numbers (weights may be
// null: all 1). A number as heavy as a bin has one of its own; few distinct numbers have one each.
inline std::vector<double> edges_of_sorted(const double *x, const double *w, int64_t n, int64_t most) {
    most = std::clamp<int64_t>(most, 1, std::max<int64_t>(n, 1));
    std::vector<double> value, weight;
    for (int64_t i = 0; i < n; ++i) {
        if (w && w[i] == 0) continue;
        if (value.empty() || x[i] != value.back()) value.push_back(x[i]), weight.push_back(0);
        weight.back() += w ? w[i] : 1;
    }
    const auto between = [&](size_t v) {
        double middle = value[v] + (value[v + 1] - value[v]) / 2;
        return middle < value[v + 1] ? middle : value[v];
    };
    std::vector<double> edges;
    const size_t m = value.size();
    double rest = 0;
    for (double v : weight) rest += v;
    int64_t left = most;
    if (static_cast<int64_t>(m) > most) {
        const double mean = rest / static_cast<double>(most);
        for (double v : weight)
            if (v >= mean) rest -= v, --left;  // these fill a bin each; the others share what is left
    }
    const double heavy = static_cast<int64_t>(m) > most ? rest / static_cast<double>(std::max<int64_t>(left, 1)) : 0;
    double filled = 0, light = rest, slots = static_cast<double>(std::max<int64_t>(left, 1));
    for (size_t v = 0; v + 1 < m && static_cast<int64_t>(edges.size()) < most - 1; ++v) {
        filled += weight[v];
        const bool full = static_cast<int64_t>(m) <= most || filled >= light / slots || weight[v] >= heavy ||
                          weight[v + 1] >= heavy;
        if (weight[v] < heavy && filled >= light / slots) light -= filled, slots = std::max(slots - 1, 1.0);
        if (full) edges.push_back(between(v)), filled = 0;
    }
    return edges;
}

// The distinct numbers of a column and the weight of each, unless there are more than `most`.
struct DistinctNumbers {
    std::vector<double> value, weight;
    bool many = false;
};
inline DistinctNumbers distinct_numbers(const tree::Column &column, const double *w, int64_t n, int64_t most) {
    DistinctNumbers found;
    most = std::clamp<int64_t>(most, 0, n);  // there are no more than rows
    size_t size = 4;
    while (static_cast<int64_t>(size) < 4 * most) size *= 2;
    std::vector<int32_t> slot(size, -1);
    for (int64_t i = 0; i < n; ++i) {
        double x = column.number(i);
        if (std::isnan(x) || (w && w[i] == 0)) continue;
        if (x == 0) x = 0;  // minus zero is zero
        uint64_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        size_t at = static_cast<size_t>((bits * 0x9e3779b97f4a7c15u) >> 40) & (size - 1);
        while (slot[at] >= 0 && found.value[static_cast<size_t>(slot[at])] != x) at = (at + 1) & (size - 1);
        if (slot[at] < 0) {
            if (static_cast<int64_t>(found.value.size()) == most) {
                found.many = true;
                return found;
            }
            slot[at] = static_cast<int32_t>(found.value.size());
            found.value.push_back(x), found.weight.push_back(0);
        }
        found.weight[static_cast<size_t>(slot[at])] += w ? w[i] : 1;
    }
    return found;
}

}  // namespace learnt::boost
