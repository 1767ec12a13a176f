// Labels of k-means round after round, without comparing every row with every centre: the labels of
// cluster/lloyd.hpp, bit for bit, by bounds that the triangle inequality keeps true while centres move.
//
//   upper_i ≥ |x_i − c(label_i)|        lower_ig ≤ |x_i − c| for every other centre c of group g
//
// After centres moved by δ_c: upper_i += δ_label, lower_ig −= max of δ over g. Where u² < l², with room for
// the rounding of the scores, no centre of the group can be nearest and the group is passed over. A row is
// compared with whole groups by the same sums x·c − |c|²/2 in the same order as in cluster/lloyd.hpp, so that even
// ties and rounding fall alike.
//
//   x               n × p, any strides, finite                                          read
//   centers, before k × p, row-major: where centres are, and were one round ago; `before` null in the first
//                   round, which fills all of the following                             read
//   shift           p                                                                   read
//   order           k: centres by group, `group` to a group (the last may have fewer)   read
//   labels, upper, norms   n;  lower  n × groups                                        updated
//
// Returns how many pairs of row and group were compared.
//
// Reference: Y. Ding et al., Yinyang K-Means: A Drop-In Replacement of the Classic K-Means, 2015.
#pragma once

#include <atomic>
#include <numeric>

#include "cluster/lloyd.hpp"

namespace learnt {

// Centres of a group, turned so that vectors run across them: values[j·width + c], half[c] = |c|²/2, infinite
// for padding; index[c] the centre's own number, growing.
template <class Real>
struct BoundedGroups {
    int64_t k, p, size, count, width;  // width: size rounded up to whole vectors
    Buffer<Real> values, half, rows;   // rows: k × p, shifted, row by row
    Buffer<Real> drift, group_drift, half_of;
    Buffer<int32_t> index, group_of;
    Real largest = 0;  // norm of a centre

    BoundedGroups(const Real *centers, const Real *before, int64_t k_, int64_t p_, const Real *shift,
                  const int32_t *order, int64_t size_, int64_t unit)
        : k(k_), p(p_), size(size_), count((k_ + size_ - 1) / size_), width(round_up(size_, unit)),
          values(count * width * p), half(count * width, std::numeric_limits<Real>::infinity()), rows(k * p),
          drift(k, Real{0}), group_drift(count, Real{0}), half_of(k), index(count * width, 0), group_of(k) {
        for (int64_t c = 0; c < k; ++c) group_of[c] = -1;
        std::fill_n(values.data(), count * width * p, Real{0});
        run_blocks(count, [&](int64_t g, Job &) {
            const int64_t first = g * size, last = std::min(k, first + size);
            for (int64_t at = first; at < last; ++at) {
                const int64_t c = order[at], lane = at - first;
                group_of[c] = static_cast<int32_t>(g);
                index[g * width + lane] = static_cast<int32_t>(c);
                double square = 0, moved = 0;
                for (int64_t j = 0; j < p; ++j) {
                    const Real value = shifted(centers, c, j, shift);
                    rows[c * p + j] = values[(g * p + j) * width + lane] = value;
                    square += static_cast<double>(value) * static_cast<double>(value);
                    if (before) {
                        const double d = static_cast<double>(value) - static_cast<double>(shifted(before, c, j, shift));
                        moved += d * d;
                    }
                }
                half[g * width + lane] = half_of[c] = static_cast<Real>(square / 2);
                drift[c] = static_cast<Real>(std::sqrt(moved) * (1 + 1e-6));  // never too small, also as a float
                group_drift[g] = std::max(group_drift[g], drift[c]);
            }
        });
        for (int64_t c = 0; c < k; ++c) largest = std::max(largest, std::sqrt(2 * half_of[c]));
        largest *= Real(1 + 1e-6);
    }

    Real shifted(const Real *centers, int64_t c, int64_t j, const Real *shift) const {
        return static_cast<Real>(static_cast<double>(centers[c * p + j]) - static_cast<double>(shift[j]));
    }
};

// Puts centres that lie together into groups of `size`: halves them, again and again, along the line between
// two of them that lie far apart. order: k, overwritten; numbers grow within a group.
template <class Real>
void group_centers(const Real *centers, int64_t k, int64_t p, int64_t size, int32_t *order) {
    std::iota(order, order + k, 0);
    const auto distance = [&](int32_t a, int32_t b) {
        double sum = 0;
        for (int64_t j = 0; j < p; ++j) {
            const double d = static_cast<double>(centers[a * p + j]) - static_cast<double>(centers[b * p + j]);
            sum += d * d;
        }
        return sum;
    };
    std::vector<Range> parts{{0, k}};
    std::vector<std::pair<double, int32_t>> along;
    while (!parts.empty()) {
        const Range part = parts.back();
        parts.pop_back();
        if (part.size() <= size) {
            std::sort(order + part.first, order + part.last);
            continue;
        }
        const auto farthest = [&](int32_t from) {
            return *std::max_element(order + part.first, order + part.last, [&](int32_t a, int32_t b) {
                return distance(from, a) < distance(from, b);
            });
        };
        const int32_t a = farthest(order[part.first]), b = farthest(a);
        along.clear();
        for (int64_t at = part.first; at < part.last; ++at) {
            double dot = 0;
            for (int64_t j = 0; j < p; ++j)
                dot += static_cast<double>(centers[order[at] * p + j]) *
                       (static_cast<double>(centers[b * p + j]) - static_cast<double>(centers[a * p + j]));
            along.emplace_back(dot, order[at]);
        }
        std::sort(along.begin(), along.end());
        for (int64_t at = part.first; at < part.last; ++at)
            order[at] = along[static_cast<size_t>(at - part.first)].second;
        const int64_t groups = (part.size() + size - 1) / size, middle = part.first + (groups + 1) / 2 * size;
        parts.push_back({part.first, middle});
        parts.push_back({middle, part.last});
    }
}

template <class Real>
struct BoundedRows {
    Matrix<const Real> x;
    const Real *shift;
    bool first_round;
    int32_t *labels;
    Real *upper, *lower, *norms;
};

// Rows looked at together: what is left of them after the first check is kept side by side in cache.
inline constexpr int64_t bounded_rows = 512;

}  // namespace learnt

#define LEARNT_LOOPS "cluster/bounds_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <class Real>
int64_t assign_bounded(Matrix<const Real> x, const Real *centers, const Real *before, int64_t k, const double *shift,
                       const int32_t *order, int64_t group, int32_t *labels, Real *upper, Real *lower, Real *norms) {
    const Level level = current_level();
    const int64_t p = x.columns;
    const Buffer<Real> rounded(p);
    for (int64_t j = 0; j < p; ++j) rounded[j] = static_cast<Real>(shift[j]);
    const int64_t lanes = (level == Level::avx512 ? 64 : level == Level::avx2 ? 32 : 16) / static_cast<int64_t>(sizeof(Real));
    const BoundedGroups<Real> groups(centers, before, k, p, rounded.data(), order, group, lanes);
    const BoundedRows<Real> rows{x, rounded.data(), before == nullptr, labels, upper, lower, norms};
    const Blocks blocks = cut(x.rows, 4 * bounded_rows, 256);
    const Buffer<int64_t> compared(blocks.count, 0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<Real> cells(bounded_rows * p);
        const Buffer<int32_t> lists(groups.count * bounded_rows);
        LEARNT_AT(level, bounded_block(rows, groups, blocks[b], cells.data(), lists.data(), compared[b], job));
    });
    return std::accumulate(compared.data(), compared.data() + blocks.count, int64_t{0});
}

// Σ w·x and Σ w of rows whose labels are known, and Σ w·d² to `centers`: the second half of assign_and_sum, to
// the bit. Labels outside [0, k) raise.
template <class Real>
double sum_labelled(Matrix<const Real> x, const double *weights, const Real *centers, int64_t k, const int32_t *labels,
                    double *sums, double *cluster_weight) {
    for (int64_t i = 0; i < x.rows; ++i)
        if (labels[i] < 0 || labels[i] >= k)
            throw std::invalid_argument("Row " + std::to_string(i) + " has the label " + std::to_string(labels[i]) +
                                        ", which is none of the " + std::to_string(k) + " centres.");
    const Level level = current_level();
    const int64_t p = x.columns;
    const Buffer<Real> none(p, Real{0});
    const PackedCenters<Real> packed(centers, 0, p, nullptr, largest_group(level));
    const AssignInput<Real> in{x, weights, centers, none.data(), packed};
    return sum_in_blocks(in, k, sums, cluster_weight, [&](Range rows, double *slot, double *weight, double &inertia,
                                                          Real *, Real *scratch, Job &job) {
        LEARNT_AT(level, sum_block(in, rows, labels, slot, weight, inertia, scratch, job));
    });
}

}  // namespace learnt
