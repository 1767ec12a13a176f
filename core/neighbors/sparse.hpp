// Neighbours of sparse rows, by Euclid's distance: rows that store their cells, columns in ascending order.
//
// Cells that neither row stores add nothing, so the two rows' cells, met in the order of columns, give the very bits of the
// definition (distance/measure.hpp). Before that a guess turns most rows away: the products a·b of a row with a vector of
// queries at a time, whose cells stand side by side for every column that one of them stores. Its error bound is that
// of neighbors/brute.hpp without a shift, with as many columns as the fullest row stores cells.
#pragma once

#include "base/csr.hpp"
#include "base/pool.hpp"
#include "distance/measure.hpp"
#include "neighbors/parallel.hpp"
#include "simd/levels.hpp"
#include "simd/math.hpp"

namespace learnt {

// Σ w (x − q)² over the cells of either, and its root.
template <class Real>
double sparse_distance(const Csr<Real> &x, int64_t i, const Csr<double> &q, int64_t k, const double *weights) {
    int64_t a = x.offset(i), b = q.offset(k);
    const int64_t last_a = x.offset(i + 1), last_b = q.offset(k + 1);
    double sum = 0;
    const auto add = [&](double d, int32_t column) { sum += unfused(unfused(d * d) * (weights ? weights[column] : 1.0)); };
    while (a < last_a && b < last_b) {
        const int32_t left = x.column[a], right = q.column[b];
        const double mine = left <= right ? static_cast<double>(x.value[a]) : 0.0, other = right <= left ? q.value[b] : 0.0;
        add(mine - other, std::min(left, right));
        a += left <= right, b += right <= left;
    }
    for (; a < last_a; ++a) add(static_cast<double>(x.value[a]), x.column[a]);
    for (; b < last_b; ++b) add(q.value[b], q.column[b]);
    return std::sqrt(sum);
}

// Throws if a row points outside the matrix or its columns do not ascend.
template <class Real>
void check_ascending(const Csr<Real> &x) {
    for (int64_t i = 0; i < x.rows; ++i) {
        const Range row = x.row(i);
        for (int64_t e = row.first + 1; e < row.last; ++e)
            if (x.column[e] <= x.column[e - 1])
                throw std::invalid_argument("The columns of row " + std::to_string(i) + " of the sparse matrix do not ascend.");
    }
}

template <class Real>
struct IndexedCsr {
    Csr<Real> x;
    const double *weights;  // one per column, or null for ones
    double unit;            // a power of two: max |x| √w · unit ≤ 1
    int64_t most = 0;       // cells of the fullest row
    Buffer<double> square;  // |a|², a = x √w · unit
    Buffer<double> stretch;

    IndexedCsr(const Csr<Real> &rows, const double *column_weights)
        : x(rows), weights(column_weights), unit(1), square(rows.rows), stretch(column_weights ? rows.columns : 0) {
        check_ascending(x);
        for (int64_t j = 0; weights && j < x.columns; ++j) stretch[j] = std::sqrt(weights[j]);
        double reach = 0;
        for (int64_t i = 0; i < x.rows; ++i) {
            most = std::max(most, x.offset(i + 1) - x.offset(i));
            for (int64_t e = x.offset(i); e < x.offset(i + 1); ++e)
                reach = std::max(reach, std::abs(static_cast<double>(x.value[e])) * widened(x.column[e]));
        }
        int exponent = 0;
        if (reach > 0) std::frexp(reach, &exponent);
        unit = std::ldexp(1.0, -std::clamp(exponent, -1000, 1000));
        for (int64_t i = 0; i < x.rows; ++i) {
            square[i] = 0;
            for (int64_t e = x.offset(i); e < x.offset(i + 1); ++e) {
                const double a = static_cast<double>(x.value[e]) * widened(x.column[e]) * unit;
                square[i] += a * a;
            }
        }
    }

    double widened(int64_t j) const { return weights ? stretch[j] : 1.0; }
    int64_t bytes() const { return 8 * (x.rows + (weights ? x.columns : 0)); }
};

// Queries [first, first + count) of one group, a lane each: values[place · lanes + lane] = −b, place 0 is all zeros.
template <class Guess>
struct SparseGroup {
    Range queries;
    const int32_t *place;  // of each column
    const Guess *values;
    Guess *bars;  // the greatest guess of a row that may still be wanted; −∞ of lanes without a query
    double kappa;
};

}  // namespace learnt

#define LEARNT_LOOPS "neighbors/sparse_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Some queries against some rows.
template <class Guess, class Real>
class SparseBlock {
    const IndexedCsr<Real> &in_;
    const Csr<double> &queries_;
    const int64_t *skip_;
    const Range some_;
    std::vector<Keeper> &keepers_;
    const double kappa_;
    int64_t measured_ = 0, seen_ = 0;

    Guess bar(int64_t c, double square) const {
        constexpr double unit = std::numeric_limits<Guess>::epsilon() / 2;
        constexpr Guess infinite = std::numeric_limits<Guess>::infinity();
        const double limit = keepers_[static_cast<size_t>(c)].limit();
        if (limit < 0) return -infinite;
        if (std::isnan(square)) return infinite;
        const double t = limit * in_.unit;
        double bar = (t * t * (1 + 1e-12) - square * (1 - 1.1 * kappa_)) / 2;
        bar += std::abs(bar) * 2 * unit + static_cast<double>(in_.most + 8) * static_cast<double>(std::numeric_limits<Guess>::min());
        return std::nextafter(static_cast<Guess>(bar), infinite);
    }

  public:
    SparseBlock(const IndexedCsr<Real> &in, const Csr<double> &queries, const int64_t *skip, Range some, std::vector<Keeper> &keepers)
        : in_(in), queries_(queries), skip_(skip), some_(some), keepers_(keepers),
          kappa_(1.1 * static_cast<double>(in.most + 24) * std::numeric_limits<Guess>::epsilon() / 2) {}

    // False if the guess is no good here: a twentieth of the pairs had to be measured.
    bool run(Range rows, bool may_stop, Job &job) {
        const Level level = current_level();
        int lanes = 0;
        LEARNT_AT(level, sparse_lanes<Guess>(lanes));
        const Buffer<int32_t> place(in_.x.columns, 0);
        const Buffer<Guess> bars(lanes);
        const Buffer<double> square(lanes);
        for (int64_t first = some_.first; first < some_.last; first += lanes) {
            const Range group{first, std::min(some_.last, first + lanes)};
            int32_t places = 1;
            const int64_t from = queries_.offset(group.first), to = queries_.offset(group.last);
            for (int64_t e = from; e < to; ++e)
                if (place[queries_.column[e]] == 0) place[queries_.column[e]] = places++;
            const Buffer<Guess> values(places * lanes, Guess{0});
            for (int64_t c = 0; c < lanes; ++c) {
                bars[c] = -std::numeric_limits<Guess>::infinity();
                if (first + c >= group.last) continue;
                double sum = 0, top = 0;
                for (int64_t e = queries_.offset(first + c); e < queries_.offset(first + c + 1); ++e) {
                    const double b = queries_.value[e] * in_.widened(queries_.column[e]) * in_.unit;
                    values[place[queries_.column[e]] * lanes + c] = static_cast<Guess>(-b);
                    sum += b * b, top = std::max(top, std::abs(b));
                }
                if (!(top < 0x1p40)) {  // products of farther queries might overflow: all rows pass
                    sum = std::numeric_limits<double>::quiet_NaN();
                    for (int64_t at = 0; at < places; ++at) values[at * lanes + c] = 0;
                }
                square[c] = sum;
                bars[c] = bar(first + c - some_.first, sum);
            }
            const SparseGroup<Guess> ready{group, place.data(), values.data(), bars.data(), kappa_};
            bool good = true;
            LEARNT_AT(level, sparse_panel(in_, ready, rows, [&](int64_t row, uint64_t hits) {
                for (; hits; hits &= hits - 1) {
                    const int64_t c = __builtin_ctzll(hits), query = first + c;
                    if (skip_ && skip_[query] == row) continue;
                    Keeper &keeper = keepers_[static_cast<size_t>(query - some_.first)];
                    keeper.show({sparse_distance(in_.x, row, queries_, query, in_.weights), row});
                    bars[c] = bar(query - some_.first, square[c]);
                    ++measured_;
                }
                return !may_stop || worth_it(seen_ + (row - rows.first) * group.size());
            }, good, job));
            if (!good) return false;
            seen_ += rows.size() * group.size();
            for (int64_t e = from; e < to; ++e) place[queries_.column[e]] = 0;
        }
        return true;
    }

  private:
    bool worth_it(int64_t pairs) const {
        int64_t allowed = pairs / 20;
        if (measured_ <= allowed) return true;
        for (const Keeper &keeper : keepers_) allowed += keeper.tries();
        return measured_ <= allowed;
    }
};

// Every query's neighbours among the rows; queries as check_ascending wants them, with as many columns.
template <class Real>
void sparse_search(const IndexedCsr<Real> &in, const Csr<double> &queries, const int64_t *skip, const Answers &answers) {
    const int64_t m = queries.rows, together = std::min<int64_t>(256, std::max<int64_t>(1, (32 << 20) / (answers.bytes_each() + 1)));
    const Blocks blocks = cut(m, std::min(together, std::max<int64_t>(1, m / 4)), m);
    share_search(blocks, in.x.rows, answers, [&](Range some, Range rows, std::vector<Keeper> &mine, Job &job) {
        if (SparseBlock<float, Real>(in, queries, skip, some, mine).run(rows, true, job)) return;
        for (Keeper &keeper : mine) keeper.clear();
        SparseBlock<double, Real>(in, queries, skip, some, mine).run(rows, false, job);
    });
}

}  // namespace learnt
