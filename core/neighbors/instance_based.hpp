// Instance-based learning: rows are shown one after another, and some are kept (Aha, Kibler and Albert 1991).
//
//   distance(x, q) = Σ_j w_j d_j^e,  e = 1 or 2 (its root changes no order)
//   d_j = min(|x_j − q_j| / range_j, 1);  range 0: 0 if equal, else 1;  1 where a cell is missing (NaN)
//
//   ib1   keep every row
//   ib2   keep a row if the nearest one kept is of another class
//   ib3   the same, by the nearest that is accepted; while none is, by the i-th nearest, i drawn. All that are no
//         farther than that one are then judged by the row: right if of its class. One that is rejected is forgotten.
//
//   accepted   lower limit of its accuracy > upper limit of its class's share of the rows shown, 5 % beyond each
//   rejected   upper limit of its accuracy < lower limit of that share, 12.5 % beyond each
//
// The limits are Wilson's. Of equally near rows the one kept first counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/hash.hpp"
#include "base/pool.hpp"
#include "simd/levels.hpp"

namespace learnt {

enum class Keeping : int { all, mistakes, proven };

struct InstanceRows {
    const double *cells;  // n × p; labels by their codes, NaN is missing
    const int32_t *label;
    int64_t n, p;
    const double *range, *weight;  // p
    int power;                     // 1 or 2
};

// What is kept: the row, how often it was asked, and how often it was right.
struct Instance {
    int64_t row, tried, right;
};

inline constexpr double z_accept = 1.6448536269514722;  // 5 % beyond
inline constexpr double z_reject = 1.1503493803760079;  // 12.5 % beyond

// Wilson's limits of a share, `sign` −1 the lower and +1 the upper; nothing tried: 0 and 1.
inline double wilson_limit(double right, double tried, double z, int sign) {
    if (tried <= 0) return sign < 0 ? 0.0 : 1.0;
    const double f = right / tried, zz = z * z / tried;
    return (f + zz / 2 + sign * z * std::sqrt(f * (1 - f) / tried + zz / (4 * tried))) / (1 + zz);
}

inline bool instance_is_accepted(const Instance &one, double of_class, double seen) {
    return wilson_limit(static_cast<double>(one.right), static_cast<double>(one.tried), z_accept, -1) >
           wilson_limit(of_class, seen, z_accept, +1);
}
inline bool instance_is_rejected(const Instance &one, double of_class, double seen) {
    return wilson_limit(static_cast<double>(one.right), static_cast<double>(one.tried), z_reject, +1) <
           wilson_limit(of_class, seen, z_reject, -1);
}

// Rows kept, 64 side by side and column by column.
inline constexpr int instances_abreast = 64;

struct InstanceTiles {
    int64_t p;
    std::vector<double> cells;

    double *tile(int64_t t) { return cells.data() + t * p * instances_abreast; }
    void put(int64_t place, const double *x) {
        if (place / instances_abreast * p * instances_abreast == static_cast<int64_t>(cells.size()))
            cells.resize(cells.size() + static_cast<size_t>(p * instances_abreast), 0.0);
        double *const to = tile(place / instances_abreast) + place % instances_abreast;
        for (int64_t j = 0; j < p; ++j) to[j * instances_abreast] = x[j];
    }
};

}  // namespace learnt

#define LEARNT_LOOPS "neighbors/instance_based_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Shows rows in the given order and updates what is kept.
//
//   shown        count rows                                              read
//   mixed_seed   and `first`, the number of the first showing: what is drawn
//   class_seen   how often each class was shown so far                   updated
//   kept         in the order they were kept                             updated
inline void show_instances(const InstanceRows &in, Keeping policy, const int64_t *shown, int64_t count, uint64_t seed,
                           int64_t first, double *class_seen, int64_t n_classes, std::vector<Instance> &kept) {
    const uint64_t mixed_seed = mix_bits(seed + 0x9e3779b97f4a7c15u);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Level level = current_level();
    std::vector<double> distance;
    std::vector<int64_t> order;
    InstanceTiles tiles{in.p, {}};
    for (size_t e = 0; e < kept.size(); ++e) tiles.put(static_cast<int64_t>(e), in.cells + kept[e].row * in.p);
    double seen = std::accumulate(class_seen, class_seen + n_classes, 0.0);
    run_blocks(1, [&](int64_t, Job &job) {
        for (int64_t s = 0; s < count; ++s) {
            if (s % 64 == 0 || static_cast<int64_t>(kept.size()) * in.p > (1 << 16)) job.check();
            const int64_t row = shown[s];
            const auto size = static_cast<int64_t>(kept.size());
            const double *const x = in.cells + row * in.p;
            int64_t chosen = -1;
            double nearest = infinity;
            if (policy != Keeping::all) distance.resize(static_cast<size_t>(round_up(size, instances_abreast)));
            for (int64_t e = 0; policy != Keeping::all && e < size; e += instances_abreast) {
                const double limit = policy == Keeping::mistakes ? nearest : infinity;
                double *const away = distance.data() + e;
                bool wanted = false;
                LEARNT_AT(level, instance_tile(in, tiles.tile(e / instances_abreast), x, limit, away, wanted));
                for (int64_t k = e; wanted && k < std::min(size, e + instances_abreast); ++k) {
                    const Instance &one = kept[static_cast<size_t>(k)];
                    const double d = distance[static_cast<size_t>(k)];
                    if (d < nearest && (policy == Keeping::mistakes || instance_is_accepted(one, class_seen[in.label[one.row]], seen)))
                        nearest = d, chosen = k;
                }
            }
            if (policy == Keeping::proven && chosen < 0 && size > 0) {
                order.resize(kept.size());
                std::iota(order.begin(), order.end(), int64_t{0});
                const double u = uniform_of(mixed_seed, static_cast<uint64_t>(first) + static_cast<uint64_t>(s));
                const auto at = order.begin() + std::min(size - 1, static_cast<int64_t>(u * static_cast<double>(size)));
                std::nth_element(order.begin(), at, order.end(), [&](int64_t a, int64_t b) {
                    const double da = distance[static_cast<size_t>(a)], db = distance[static_cast<size_t>(b)];
                    return da < db || (da == db && a < b);
                });
                chosen = *at, nearest = distance[static_cast<size_t>(chosen)];
            }
            const int32_t truth = in.label[row];
            const bool right = chosen >= 0 && in.label[kept[static_cast<size_t>(chosen)].row] == truth;
            class_seen[truth] += 1, seen += 1;
            if (policy == Keeping::proven) {
                int64_t left = 0;
                for (int64_t e = 0; e < size; ++e) {
                    Instance one = kept[static_cast<size_t>(e)];
                    if (distance[static_cast<size_t>(e)] <= nearest) {
                        one.tried += 1, one.right += in.label[one.row] == truth;
                        if (instance_is_rejected(one, class_seen[in.label[one.row]], seen)) continue;
                    }
                    if (left != e) tiles.put(left, in.cells + one.row * in.p);
                    kept[static_cast<size_t>(left++)] = one;
                }
                kept.resize(static_cast<size_t>(left));
            }
            if (policy == Keeping::all || !right) {
                if (policy != Keeping::all) tiles.put(static_cast<int64_t>(kept.size()), x);
                kept.push_back({row, 0, 0});
            }
        }
    });
}

}  // namespace learnt
