// Weighted least squares around each of many points: who its neighbours are, how much they weigh, and the moments from
// which a polynomial is fitted (lowess).
//
//   neighbours   the rows nearest to the point q (Euclid) up to a weight of `reach`; of equally far ones those that
//                come first, the last of them with what is left of the weight
//   w_i = K(d_i / h) s_i r_i,   h the distance of the last neighbour, s the weight of the row, r its robustness
//   K     uniform 1, tricube (1 − u³)³, epanechnikov 1 − u², gaussian exp(−2u²), 1/u and 1/u² (exact matches take all)
//   f     (x − q) / h in the columns that slope, with degree 2 also their squares and products
//
//   mean = Σ w y,  center_t = Σ w f_t,  right_t = Σ w (f_t − f̄_t)(y − ȳ),  square_tu = Σ w (f_t − f̄_t)(f_u − f̄_u)
//
// with w divided by Σ w. Neighbours that weigh nothing by K weigh by s alone; where r leaves none, r is left out.
// A single column is kept sorted, so that neighbours are a run of rows; of more columns every row is looked at.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/pool.hpp"
#include "base/whole.hpp"
#include "simd/levels.hpp"

namespace learnt {

enum class LocalKernel : int { uniform, tricube, epanechnikov, gaussian, inverse, inverse_square };

// Rows column by column: sorted if there is but one column, else as given.
struct LocalRows {
    int64_t n, p;
    std::vector<double> columns;          // p × n; a single one halved, so that no difference overflows
    std::vector<double> y, weight, upto;  // no weights: all 1; upto: the weight of the rows before, n + 1
    std::vector<int64_t> number, slopes;  // where each row stood; the columns of the polynomial

    LocalRows(const double *x, int64_t rows, int64_t columns_, const double *targets, const double *weights,
              const int64_t *first_slope, int64_t n_slopes)
        : n(rows), p(columns_), slopes(first_slope, first_slope + n_slopes) {
        number.resize(static_cast<size_t>(n));
        std::iota(number.begin(), number.end(), int64_t{0});
        if (sorted()) std::stable_sort(number.begin(), number.end(), [&](int64_t a, int64_t b) { return x[a] < x[b]; });
        columns.reserve(static_cast<size_t>(n * p));
        for (int64_t j = 0; j < p; ++j)
            for (const int64_t i : number) columns.push_back(sorted() ? x[i] / 2 : x[i * p + j]);
        upto.assign(1, 0.0);
        for (const int64_t i : number) {
            y.push_back(targets[i]);
            if (weights) weight.push_back(weights[i]);
            upto.push_back(upto.back() + (weights ? weights[i] : 1.0));
        }
    }

    bool sorted() const { return p == 1; }
    bool weighted() const { return !weight.empty(); }
    double weight_of(int64_t i) const { return weighted() ? weight[static_cast<size_t>(i)] : 1.0; }
    const double *column(int64_t j) const { return columns.data() + j * n; }
};

struct LocalHow {
    LocalKernel kernel;
    int degree;
    double reach;
    const double *robust;  // of each row, in the order of LocalRows

    int64_t terms(const LocalRows &rows) const {
        const auto s = static_cast<int64_t>(rows.slopes.size());
        return degree == 0 ? 0 : degree == 1 ? s : s + s * (s + 1) / 2;
    }
};

// How far the last neighbour is, and the weight left for rows exactly so far; the square of it, of more than one column.
struct LocalReach {
    double h, left;
};

// A run of rows.
struct LocalRun {
    LocalReach reach;
    int64_t first, count;
};

// Enough weight, whatever rounding made of the sum.
inline constexpr double local_rounding = 1e-11;

// One column: the rows no farther than the last neighbour.
inline LocalRun nearest_run(const LocalRows &rows, double q, double reach) {
    const double *const x = rows.column(0), *const end = x + rows.n, *const middle = std::lower_bound(x, end, q);
    const auto first_within = [&](double d) { return std::partition_point(x, middle, [&](double v) { return q - v > d; }) - x; };
    const auto last_within = [&](double d) { return std::partition_point(middle, end, [&](double v) { return v - q <= d; }) - x; };
    const auto first_nearer = [&](double d) { return std::partition_point(x, middle, [&](double v) { return q - v >= d; }) - x; };
    const auto last_nearer = [&](double d) { return std::partition_point(middle, end, [&](double v) { return v - q < d; }) - x; };
    const auto weight = [&](int64_t first, int64_t last) {
        return rows.upto[static_cast<size_t>(last)] - rows.upto[static_cast<size_t>(first)];
    };
    const double enough = std::min(reach, rows.upto.back()) * (1 - local_rounding);
    const auto suffices = [&](double d) { return weight(first_within(d), last_within(d)) >= enough; };
    double h = std::numeric_limits<double>::infinity();
    const double *const left = std::partition_point(x, middle, [&](double v) { return suffices(q - v); });
    if (left != x) h = q - left[-1];
    const double *const right = std::partition_point(middle, end, [&](double v) { return !suffices(v - q); });
    if (right != end) h = std::min(h, *right - q);
    const int64_t first = first_within(h), last = last_within(h);
    return {{h, reach - weight(first_nearer(h), last_nearer(h))}, first, last - first};
}

// More columns: the same from all squared distances.
inline LocalReach nearest_reach(const LocalRows &rows, const double *squares, double reach, std::vector<double> &scratch,
                                std::vector<int64_t> &order) {
    double h = 0;
    if (!rows.weighted()) {
        scratch.assign(squares, squares + rows.n);
        const auto place = whole_within(std::ceil(reach * (1 - local_rounding)), 1, rows.n) - 1;
        std::nth_element(scratch.begin(), scratch.begin() + place, scratch.end());
        h = scratch[static_cast<size_t>(place)];
    } else {  // the half that holds the last neighbour, and half of that, …
        order.resize(static_cast<size_t>(rows.n));
        std::iota(order.begin(), order.end(), int64_t{0});
        const double enough = std::min(reach, rows.upto.back()) * (1 - local_rounding);
        auto low = order.begin(), high = order.end();
        double before = 0;
        while (high - low > 1) {
            const auto middle = low + (high - low) / 2;
            std::nth_element(low, middle, high, [&](int64_t a, int64_t b) { return squares[a] < squares[b]; });
            double half = before;
            for (auto i = low; i != middle; ++i) half += rows.weight_of(*i);
            if (half >= enough)
                high = middle;
            else
                low = middle, before = half;
        }
        h = squares[*low];
    }
    double nearer = 0;
    for (int64_t i = 0; i < rows.n; ++i)
        if (squares[i] < h) nearer += rows.weight_of(i);
    return {h, reach - nearer};
}

}  // namespace learnt

#define LEARNT_LOOPS "neighbors/local_fits_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Moments of the fits around points.
//
//   points   m × p                                                                          read
//   reaches  m, as an earlier call with the same rows, points and reach left them; h < 0: not known      updated
//   mean m; center, right m × t; square m × t × t                                           overwritten
inline void local_moments(const LocalRows &rows, const LocalHow &how, const double *points, int64_t m, LocalReach *reaches,
                          double *mean, double *center, double *right, double *square) {
    const Level level = current_level();
    const Blocks blocks = cut(m, 4, 512);
    const int64_t t = how.terms(rows);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t i = blocks[b].first; i < blocks[b].last;) {
            const Range some{i, std::min(blocks[b].last, i + 64)};
            LEARNT_AT(level, local_moments_block(rows, how, points, some, reaches, mean, center, right, square, t, job));
            i = some.last;
        }
    });
}

}  // namespace learnt
