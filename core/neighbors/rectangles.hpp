// Nested generalised exemplars: rectangles that grow out of rows shown one after another (Salzberg 1991).
//
//   distance(x, H) = (tried_H / right_H) sqrt(Σ_j w_j d_j²)
//   d_j   numbers: the way from x_j to the nearest side of H as a share of the range, at most 1; range 0: 0 inside, else 1
//         labels: 0 if x_j is in the set of H, else 1;   1 where x_j is missing (NaN)
//
// Of rectangle_equal near rectangles the smallest counts (the sum of its sides), then the one most often right, then the first.
// The nearest is asked about each row, tried_H += 1. If its class is right, right_H += 1 and it grows to take the row
// in; else the next one is asked, `asked` of them; if none is right, the row becomes a rectangle of its own.
//
// Grown in a batch (Wettschereck and Dietterich 1995), no rectangle takes in a row if it would then hold one of another
// class: the nearest of the row's own class is asked, `asked` of them. Of equally near ones, the one with most rows counts,
// then the smallest; tried_H = right_H is the number of its rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/pool.hpp"
#include "simd/levels.hpp"

namespace learnt {

// Distances and sizes are equal if they differ by less, relatively.
inline constexpr double rectangle_equal = 1 + 1e-12;

// Rectangles side by side, column by column, with room for more.
struct RectangleRows {
    std::vector<int64_t> sizes;          // of each column the number of labels; 0: it is ordered
    std::vector<double> range, weight;   // of each column
    int64_t count = 0, room = 0;
    std::vector<double> low, high;       // p × room; ∞ and −∞: nothing inside yet
    std::vector<uint8_t> member;         // all labels of all columns × room
    std::vector<int64_t> first_label;    // of each column, p + 1
    std::vector<int32_t> label;
    std::vector<double> tried, right;    // room
    bool fullest;                        // of equally near ones, whether that with most rows counts before the smallest

    RectangleRows(const int64_t *size, const double *ranges, const double *weights, int64_t p, bool most_rows)
        : sizes(size, size + p), range(ranges, ranges + p), weight(weights, weights + p), first_label(1, 0), fullest(most_rows) {
        for (const int64_t labels : sizes) first_label.push_back(first_label.back() + labels);
        make_room(64);
    }

    int64_t p() const { return static_cast<int64_t>(sizes.size()); }
    double &low_of(int64_t h, int64_t j) { return low[static_cast<size_t>(j * room + h)]; }
    double &high_of(int64_t h, int64_t j) { return high[static_cast<size_t>(j * room + h)]; }
    double low_of(int64_t h, int64_t j) const { return low[static_cast<size_t>(j * room + h)]; }
    double high_of(int64_t h, int64_t j) const { return high[static_cast<size_t>(j * room + h)]; }
    const uint8_t *members(int64_t j, int64_t code) const { return member.data() + (first_label[static_cast<size_t>(j)] + code) * room; }
    uint8_t &member_of(int64_t h, int64_t l) { return member[static_cast<size_t>(l * room + h)]; }

    // Room for so many, a multiple of 64: whole vectors may be loaded anywhere.
    void make_room(int64_t wanted) {
        const int64_t more = round_up(std::max(wanted, 2 * room), 64);
        const auto widen = [&](auto &values, int64_t rows, auto empty) {
            std::remove_reference_t<decltype(values)> wide(static_cast<size_t>(rows * more), empty);
            for (int64_t r = 0; r < rows; ++r) std::copy_n(values.begin() + r * room, count, wide.begin() + r * more);
            values.swap(wide);
        };
        widen(low, p(), std::numeric_limits<double>::infinity());
        widen(high, p(), -std::numeric_limits<double>::infinity());
        widen(member, first_label.back(), uint8_t{0});
        widen(label, 1, int32_t{-1});
        widen(tried, 1, 1.0);
        widen(right, 1, 1.0);
        room = more;
    }

    // Stretches rectangle h until the row lies inside; missing cells stretch nothing.
    void contain(int64_t h, const double *x) {
        for (int64_t j = 0; j < p(); ++j) {
            if (std::isnan(x[j])) continue;
            low_of(h, j) = std::min(low_of(h, j), x[j]), high_of(h, j) = std::max(high_of(h, j), x[j]);
            if (sizes[static_cast<size_t>(j)] > 0)
                member_of(h, first_label[static_cast<size_t>(j)] + static_cast<int64_t>(x[j])) = 1;
        }
    }

    // Whether row y lies inside rectangle h, were it to take in x as well; a missing cell lies inside of nothing.
    bool would_hold(int64_t h, const double *x, const double *y) const {
        for (int64_t j = 0; j < p(); ++j) {
            const auto column = static_cast<size_t>(j);
            if (weight[column] == 0) continue;  // as if it were not there
            if (std::isnan(y[j])) return false;
            if (sizes[column] > 0) {
                if (!members(j, static_cast<int64_t>(y[j]))[h] && y[j] != x[j]) return false;
                continue;
            }
            const double low = std::isnan(x[j]) ? low_of(h, j) : std::min(low_of(h, j), x[j]);
            const double high = std::isnan(x[j]) ? high_of(h, j) : std::max(high_of(h, j), x[j]);
            if (!(y[j] >= low && y[j] <= high)) return false;
        }
        return true;
    }

    // Whether rectangle h holds all cells of x that are there: taking it in changes nothing.
    bool holds(int64_t h, const double *x) const {
        for (int64_t j = 0; j < p(); ++j) {
            if (std::isnan(x[j])) continue;
            if (sizes[static_cast<size_t>(j)] > 0 ? !members(j, static_cast<int64_t>(x[j]))[h] : !(x[j] >= low_of(h, j) && x[j] <= high_of(h, j)))
                return false;
        }
        return true;
    }

    void add(const double *x, int32_t truth) {
        if (count == room) make_room(count + 1);
        label[static_cast<size_t>(count)] = truth;
        contain(count++, x);
    }

    // The sum of the sides, as shares of the ranges.
    double size(int64_t h) const {
        double sum = 0;
        for (int64_t j = 0; j < p(); ++j) {
            const auto column = static_cast<size_t>(j);
            double side = 0;
            if (sizes[column] > 0) {
                int64_t inside = 0;
                for (int64_t code = 0; code < sizes[column]; ++code) inside += members(j, code)[h];
                side = static_cast<double>(std::max<int64_t>(inside - 1, 0)) / static_cast<double>(std::max<int64_t>(sizes[column] - 1, 1));
            } else if (range[column] > 0 && high_of(h, j) >= low_of(h, j)) {
                side = (high_of(h, j) - low_of(h, j)) / range[column];
            }
            sum += weight[column] * side;
        }
        return sum;
    }
    double reliability(int64_t h) const { return tried[static_cast<size_t>(h)] / right[static_cast<size_t>(h)]; }

    // The rectangle that answers, by the distances of all; what differs by rounding alone is equal. −1 if there is none.
    int64_t nearest(const double *distance) const {
        if (count == 0) return -1;
        const double *const first = std::min_element(distance, distance + count);
        const double far = *first * rectangle_equal;
        int64_t best = -1;
        double least = 0;
        for (int64_t h = 0; h < count; ++h) {
            if (!(distance[h] <= far)) continue;
            const auto rows = [&](int64_t i) { return right[static_cast<size_t>(i)]; };
            if (fullest && best >= 0 && rows(h) < rows(best)) continue;
            const double own = size(h);
            if (fullest && best >= 0 && rows(h) > rows(best)) {
                best = h, least = own;
                continue;
            }
            if (best < 0 || own * rectangle_equal < least || (own <= least * rectangle_equal && reliability(h) < reliability(best)))
                best = h, least = own;
        }
        return best < 0 ? first - distance : best;  // none is as near as that where distances are no numbers
    }
};

}  // namespace learnt

#define LEARNT_LOOPS "neighbors/rectangles_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Shows rows in the given order, and lets the rectangles grow.
inline void grow_rectangles(RectangleRows &found, const double *cells, const int32_t *labels, const int64_t *shown, int64_t n_shown,
                            int asked) {
    const Level level = current_level();
    std::vector<double> distance;
    run_blocks(1, [&](int64_t, Job &job) {
        for (int64_t s = 0; s < n_shown; ++s) {
            if (s % 64 == 0 || found.count * found.p() > 1 << 16) job.check();
            const double *x = cells + shown[s] * found.p();
            const int32_t truth = labels[shown[s]];
            distance.resize(static_cast<size_t>(found.room));
            LEARNT_AT(level, rectangle_distances(found, x, distance.data()));
            bool taken = false;
            for (int a = 0; a < asked && a < found.count && !taken; ++a) {
                const int64_t h = found.nearest(distance.data());
                distance[static_cast<size_t>(h)] = std::numeric_limits<double>::infinity();
                found.tried[static_cast<size_t>(h)] += 1;
                taken = found.label[static_cast<size_t>(h)] == truth;
                if (taken) found.right[static_cast<size_t>(h)] += 1, found.contain(h, x);
            }
            if (!taken) found.add(x, truth);
        }
    });
}

// Shows rows in the given order; rectangles grow as long as they hold no row of another class, of all n rows.
inline void grow_apart(RectangleRows &found, const double *cells, const int32_t *labels, int64_t n, const int64_t *shown,
                       int64_t n_shown, int asked) {
    const Level level = current_level();
    const double far = std::numeric_limits<double>::infinity();
    std::vector<double> distance;
    run_blocks(1, [&](int64_t, Job &job) {
        for (int64_t s = 0; s < n_shown; ++s) {
            job.check();
            const double *x = cells + shown[s] * found.p();
            const int32_t truth = labels[shown[s]];
            distance.resize(static_cast<size_t>(found.room));
            LEARNT_AT(level, rectangle_distances(found, x, distance.data()));
            int64_t own = 0;
            for (int64_t h = 0; h < found.count; ++h) {
                if (found.label[static_cast<size_t>(h)] == truth) ++own;
                else distance[static_cast<size_t>(h)] = far;
            }
            bool taken = false;
            for (int a = 0; a < asked && a < own && !taken; ++a) {
                const int64_t h = found.nearest(distance.data());
                distance[static_cast<size_t>(h)] = far;
                taken = true;
                if (!found.holds(h, x))
                    for (int64_t i = 0; i < n && taken; ++i)
                        taken = labels[i] == truth || !found.would_hold(h, x, cells + i * found.p());
                if (!taken) continue;
                found.contain(h, x);
                found.tried[static_cast<size_t>(h)] += 1, found.right[static_cast<size_t>(h)] += 1;
            }
            if (!taken) found.add(x, truth);
        }
    });
}

// For each of m rows how far the nearest rectangle of each class is (m × n_classes, ∞ if there is none), and which
// rectangle answers.
inline void ask_rectangles(const RectangleRows &found, const double *cells, int64_t m, int64_t n_classes, double *by_class,
                           int64_t *answering) {
    const Level level = current_level();
    const Blocks blocks = cut(m, 16, 256);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<double> distance(found.room);
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            if (i % 64 == 0 || found.count * found.p() > 1 << 16) job.check();
            LEARNT_AT(level, rectangle_distances(found, cells + i * found.p(), distance.data()));
            double *const far = by_class + i * n_classes;
            std::fill_n(far, n_classes, std::numeric_limits<double>::infinity());
            for (int64_t h = 0; h < found.count; ++h) {
                double &own = far[found.label[static_cast<size_t>(h)]];
                own = std::min(own, distance[h]);
            }
            answering[i] = found.nearest(distance.data());
        }
    });
}

}  // namespace learnt
