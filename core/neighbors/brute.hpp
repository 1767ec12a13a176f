// Neighbours by comparing every query with every row.
//
// Most rows are turned away by a guess made in registers, many rows and queries at a time; those that pass
// are measured in double (distance/measure.hpp). With a = (x − shift)·stretch and b the same of the query, rounded
// to the guess's precision of unit u, p columns and κ = 1.1 (p + 24) u, the guess of l2 is
//
//   g = |a|²/2 · (1 − 3.2 κ) − a·b,     and   |x − q| ≤ t   implies   2 g ≤ t² − (1 − 1.1 κ) |b|²
//
// for: rounding a and b moves |a − b| by at most 4u (|a| + |b|), hence its square by 18 u (|a|² + |b|²); the
// sums of p + 1 products err by 1.01 (p + 1) u (3 |a|² + |b|²)/2. Others add |a − b| terms themselves, whose
// sum errs by κ of itself and, rounding of a and b, by 4 u (reach + |b|∞) a column. So no neighbour is lost,
// whatever the data; when a float guess lets too many pass (clusters far tighter than the whole), the block
// is done again by double.
//
// Rows are packed by panels of two vectors, a panel at a time per block of queries, so that the index itself
// needs no memory and no n × m matrix ever stands anywhere.
#pragma once

#include "base/groups.hpp"
#include "base/pool.hpp"
#include "base/tile.hpp"
#include "distance/measure.hpp"
#include "neighbors/parallel.hpp"
#include "simd/levels.hpp"
#include "simd/math.hpp"

namespace learnt {

template <class Real>
struct BruteRows {
    const Real *x;  // n × p, row-major, finite
    int64_t n, p;
    const double *shift;    // p
    const double *stretch;  // p: power of two × the root of the column's weight
    double unit;            // that power of two
    double reach;           // max |(x − shift)·stretch|
    Measure measure;
};

// Queries of one block, packed for the guess in groups; group g of `size` holds values[j·size + c].
template <class Guess>
struct QueryGroup {
    int64_t first;
    int size;
    const Guess *values;
    Guess *bars;  // the greatest guess of a row that may still be wanted
};

// What the loops over rows know of a block of queries. Calls are rare beside the guesses, so that one loop serves rows of
// both types.
template <class Guess>
struct GuessedQueries {
    Measure measure;
    int64_t p;
    double kappa;
    std::vector<QueryGroup<Guess>> groups;

    // Rows first + r for the bits r of `rows` passed the guess for query c.
    virtual void pass(int64_t c, int64_t first, uint64_t rows) = 0;
    // False if the guess is no good here: a twentieth of the pairs had to be measured.
    virtual bool worth_it(int64_t rows_seen) const = 0;
    // `count` rows from `first` on as columns, and the start of their sums.
    virtual void pack(int64_t first, int64_t count, Guess *flat, Guess *panel, Guess *start) const = 0;

  protected:
    GuessedQueries(const Measure &m, int64_t columns, double k) : measure(m), p(columns), kappa(k) {}
    ~GuessedQueries() = default;
};

}  // namespace learnt

#define LEARNT_LOOPS "neighbors/brute_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// One block of queries against one part of the rows.
template <class Guess, class Real>
class BruteBlock final : public GuessedQueries<Guess> {
    static constexpr int64_t waiting_most = 16;
    using GuessedQueries<Guess>::groups, GuessedQueries<Guess>::kappa;

    const BruteRows<Real> &in_;
    const Level level_;
    const double *queries_;  // m × p
    const int64_t *skip_;
    const int64_t m_;
    std::vector<Keeper> &keepers_;
    Buffer<Guess> values_, bars_;
    Buffer<double> square_, largest_;  // |b|² and |b|∞; NaN for a query too far away to be guessed
    Buffer<int64_t> waiting_, waits_;
    int64_t measured_ = 0;

    Guess bar(int64_t c) const {
        const double limit = keepers_[static_cast<size_t>(c)].limit();
        const Measure &m = in_.measure;
        constexpr double unit = std::numeric_limits<Guess>::epsilon() / 2;
        constexpr Guess infinite = std::numeric_limits<Guess>::infinity();
        if (limit < 0) return -infinite;
        if (std::isnan(square_[c])) return infinite;
        const double t = limit * in_.unit, blur = 4.4 * unit * (in_.reach + largest_[c]);
        const double least = static_cast<double>(in_.p + 8) * static_cast<double>(std::numeric_limits<Guess>::min());
        double bar = 0;
        switch (m.norm) {
            case Norm::l2: bar = (t * t * (1 + 1e-12) - square_[c] * (1 - 1.1 * kappa)) / 2; break;
            case Norm::l1: bar = t + blur * static_cast<double>(in_.p); break;
            case Norm::max: bar = t + blur; break;
            case Norm::lp:
                bar = std::pow(t + blur * std::pow(static_cast<double>(in_.p), 1 / m.power), m.power) * (1 + m.power * unit);
                break;
            case Norm::hamming: bar = limit * m.total; break;
        }
        const double powers = m.norm == Norm::lp && m.whole == 0 ? power_blur(m) : 0.0;
        bar += std::abs(bar) * 2 * (m.norm == Norm::l2 ? unit : kappa + powers) + least;
        return std::nextafter(static_cast<Guess>(bar), infinite);
    }

    void measure_waiting(int64_t c) {
        double distance[waiting_most];
        const int64_t *rows = waiting_.data() + c * waiting_most;
        measure_rows(in_.measure, in_.x, in_.p, queries_ + c * in_.p, rows, waits_[c], distance);
        Keeper &keeper = keepers_[static_cast<size_t>(c)];
        for (int64_t r = 0; r < waits_[c]; ++r) keeper.show({distance[r], rows[r]});
        measured_ += waits_[c];
        waits_[c] = 0;
        bars_[c] = bar(c);
    }

    void pack_queries() {
        const bool product = in_.measure.norm == Norm::l2;
        const int largest = largest_group(level_);
        int64_t at = 0;
        for (int64_t first = 0; first < m_;) {
            const int size = group_size(m_ - first, largest);
            Guess *values = values_.data() + at * in_.p;
            for (int c = 0; c < size; ++c) {
                const bool real = first + c < m_;
                const double *q = queries_ + (first + c) * in_.p;
                double square = 0, top = 0;
                for (int64_t j = 0; j < in_.p; ++j) {
                    const double b = real ? (q[j] - in_.shift[j]) * in_.stretch[j] : 0.0;
                    values[j * size + c] = static_cast<Guess>(product ? -b : b);
                    square += b * b;
                    top = std::max(top, std::abs(b));
                }
                // Products and powers of farther queries might overflow.
                const bool far = !(top < (in_.measure.norm == Norm::lp ? 16.0 : 0x1p40));
                if (far)
                    for (int64_t j = 0; j < in_.p; ++j) values[j * size + c] = 0;
                square_[first + c] = far ? std::numeric_limits<double>::quiet_NaN() : square;
                largest_[first + c] = top;
                waits_[first + c] = 0;
                bars_[first + c] = real ? bar(first + c) : -std::numeric_limits<Guess>::infinity();
            }
            groups.push_back({first, size, values, bars_.data() + first});
            first += size;
            at += size;
        }
    }

  public:
    BruteBlock(const BruteRows<Real> &in, const double *queries, int64_t m, const int64_t *skip, std::vector<Keeper> &keepers)
        : GuessedQueries<Guess>(in.measure, in.p,
                                1.1 * static_cast<double>(in.p + 24) * std::numeric_limits<Guess>::epsilon() / 2),
          in_(in), level_(current_level()), queries_(queries), skip_(skip), m_(m), keepers_(keepers), values_((m + 16) * in.p), bars_(m + 16), square_(m + 16), largest_(m + 16), waiting_((m + 16) * waiting_most),
          waits_(m + 16, 0) {
        pack_queries();
    }

    void pass(int64_t c, int64_t first, uint64_t rows) override {
        for (; rows; rows &= rows - 1) {
            const int64_t row = first + __builtin_ctzll(rows);
            if (skip_ && skip_[c] == row) continue;
            const char *line = reinterpret_cast<const char *>(in_.x + row * in_.p);
            for (size_t at = 0; at < std::min<size_t>(512, static_cast<size_t>(in_.p) * sizeof(Real)); at += 64)
                __builtin_prefetch(line + at);
            waiting_[c * waiting_most + waits_[c]++] = row;
            if (waits_[c] == waiting_most) measure_waiting(c);
        }
    }

    bool worth_it(int64_t rows_seen) const override {
        int64_t allowed = m_ * (rows_seen / 20);
        if (measured_ <= allowed) return true;
        for (int64_t c = 0; c < m_; ++c) allowed += keepers_[static_cast<size_t>(c)].tries();
        return measured_ <= allowed;
    }

    void pack(int64_t first, int64_t count, Guess *flat, Guess *panel, Guess *start) const override {
        LEARNT_AT(level_, pack_panel<Guess>(in_, first, count, kappa, flat, panel, start));
    }

    void finish() {
        for (int64_t c = 0; c < m_; ++c) measure_waiting(c);
    }

    bool run(Range rows, bool may_stop, Job &job) {
        bool good = true;
        LEARNT_AT(level_, guess_panels<Guess>(*this, rows, may_stop, good, job));
        if (good) finish();
        return good;
    }
};

// Every query's neighbours among the rows: queries m × p, row-major, in double; skip may be null.
template <class Real>
void brute_search(const BruteRows<Real> &in, const double *queries, int64_t m, const int64_t *skip, const Answers &answers) {
    // Packed queries stay in the second-level cache, and packing a panel of rows is paid by many queries.
    const int64_t together = std::min(std::clamp<int64_t>((160 << 10) / (4 * std::max<int64_t>(1, in.p)), 48, 512),
                                      std::max<int64_t>(1, (32 << 20) / (answers.bytes_each() + 1)));
    const Blocks blocks = cut(m, std::min(together, std::max<int64_t>(1, m / 4)), m);
    share_search(blocks, in.n, answers, [&](Range some, Range rows, std::vector<Keeper> &mine, Job &job) {
        const double *q = queries + some.first * in.p;
        const int64_t *skipped = skip ? skip + some.first : nullptr;
        // Doubles where no float guess can be good: as many columns as its digits.
        const bool narrow = in.p < (1 << 16);
        if (narrow && BruteBlock<float, Real>(in, q, some.size(), skipped, mine).run(rows, true, job)) return;
        for (Keeper &keeper : mine) keeper.clear();
        BruteBlock<double, Real>(in, q, some.size(), skipped, mine).run(rows, false, job);
    });
}

}  // namespace learnt
