// Neighbours in mixed tables, by a scan that gives rows up early.
//
//   distance(x, q) = (Σ_j w_j d_j^e)^(1/e),  e = 1 or 2;  in the order of the table's columns, in double
//   numbers        d_j = min(|x_j − q_j| / range_j, 1);  range 0: 0 if equal, else 1
//   codes          d_j = 0 if equal, else 1;  or a table's entry [code of x, code of q]
//   missing        d_j = 1, whichever side misses, or both
//
// A copy in four-byte cells, panel by panel and column by column, is what the scan reads: (x − low)/range as
// float, codes as they are. Columns that tell most come first; once all rows of a panel are farther than the
// farthest neighbour kept, the other columns are not looked at. The guess errs by at most 4u (|z_x| + |z_q| + 1)
// a column and (p + 8)u of the sum; rows within that are measured by the formula above (neighbors.hpp).
#pragma once

#include "neighbors.hpp"
#include "pool.hpp"
#include "simd.hpp"

namespace learnt {

struct MixedColumn {
    bool coded;
    int64_t place;        // among the numbers, or among the codes
    double weight;
    double range;         // numbers
    const double *table;  // codes: size × size, or null
    int64_t size;
};

struct MixedRow {
    const double *numbers;
    const int32_t *codes;
};

inline double mixed_term(const MixedColumn &c, MixedRow x, MixedRow q) {
    if (c.coded) {
        const int32_t a = x.codes[c.place], b = q.codes[c.place];
        if (a < 0 || b < 0) return 1.0;
        return c.table ? c.table[a * c.size + b] : a == b ? 0.0 : 1.0;
    }
    const double a = x.numbers[c.place], b = q.numbers[c.place];
    if (c.range == 0) return a == b ? 0.0 : 1.0;  // NaN is not equal to itself
    const double d = std::abs(a - b) / c.range;
    return d < 1 ? d : 1.0;
}

// Cells of a column in a panel, and how a query compares with them.
struct MixedProbe {
    enum Kind : int { number, code, entries } kind;
    int64_t column;  // of the panel
    float value, weight;
    int32_t same;
    const float *entry;  // entry[code + 1] × weight
};

inline constexpr int64_t mixed_rows = 64;

}  // namespace learnt

#define LEARNT_LOOPS "neighbors_mixed_simd.hpp"
#include "each_level.hpp"

namespace learnt {

class MixedScan {
    std::vector<MixedColumn> columns_;
    std::vector<int64_t> order_;  // the guess's order: what tells most first
    int power_;
    int64_t n_, n_numbers_, n_codes_;
    const double *numbers_;  // n × numbers, row-major; NaN is missing
    const int32_t *codes_;   // n × codes, row-major; −1 is missing
    std::vector<double> low_, reach_;  // of each column of numbers: the least, and the greatest |z|
    Buffer<int32_t> panels_;           // panel, column, row of the panel; floats by their bits

    MixedRow row(int64_t i) const { return {numbers_ + i * n_numbers_, codes_ + i * n_codes_}; }

  public:
    // All arrays stay the caller's; they must live as long as this does.
    MixedScan(const double *numbers, int64_t n_numbers, const int32_t *codes, int64_t n_codes, int64_t n,
              std::vector<MixedColumn> columns, std::vector<int64_t> order, int power)
        : columns_(std::move(columns)), order_(std::move(order)), power_(power), n_(n), n_numbers_(n_numbers), n_codes_(n_codes),
          numbers_(numbers), codes_(codes), low_(columns_.size(), 0.0), reach_(columns_.size(), 0.0),
          panels_(round_up(n, mixed_rows) * static_cast<int64_t>(columns_.size())) {
        const int64_t p = static_cast<int64_t>(columns_.size());
        for (int64_t j = 0; j < p; ++j) {
            const MixedColumn &c = columns_[static_cast<size_t>(j)];
            if (c.coded || c.range == 0) continue;
            double least = std::numeric_limits<double>::infinity(), most = -least;
            for (int64_t i = 0; i < n; ++i) {
                const double x = row(i).numbers[c.place];
                if (x < least) least = x;
                if (x > most) most = x;
            }
            if (least <= most) {
                low_[static_cast<size_t>(j)] = least;
                reach_[static_cast<size_t>(j)] = most / c.range - least / c.range;
            }
        }
        const Blocks blocks = cut(round_up(n, mixed_rows) / mixed_rows, 16, 256);
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            for (int64_t panel = blocks[b].first; panel < blocks[b].last; ++panel)
                for (int64_t at = 0; at < p; ++at)
                    for (int64_t r = 0; r < mixed_rows; ++r) {
                        const int64_t j = order_[static_cast<size_t>(at)];
                        const MixedColumn &c = columns_[static_cast<size_t>(j)];
                        const MixedRow x = row(std::min(panel * mixed_rows + r, n - 1));
                        int32_t cell = 0;
                        if (c.coded) {
                            cell = x.codes[c.place];
                        } else {
                            const float z = static_cast<float>(scaled(j, x.numbers[c.place]));
                            __builtin_memcpy(&cell, &z, 4);
                        }
                        panels_[(panel * p + at) * mixed_rows + r] = cell;
                    }
        });
    }

    int64_t bytes() const { return round_up(n_, mixed_rows) * static_cast<int64_t>(columns_.size()) * 4; }
    int64_t rows() const { return n_; }
    int64_t numbers() const { return n_numbers_; }
    int64_t codes() const { return n_codes_; }

    double scaled(int64_t j, double x) const {
        const double range = columns_[static_cast<size_t>(j)].range;
        return range == 0 ? 0.0 : x / range - low_[static_cast<size_t>(j)] / range;
    }

    double distance(MixedRow x, MixedRow q) const {
        double sum = 0;
        for (const MixedColumn &c : columns_) {
            const double d = mixed_term(c, x, q);
            sum += unfused(c.weight * (power_ == 2 ? unfused(d * d) : d));
        }
        return power_ == 2 ? std::sqrt(sum) : sum;
    }
    double distance(int64_t i, MixedRow q) const { return distance(row(i), q); }

    template <class Answers>
    void search(const double *numbers, const int32_t *codes, int64_t m, const int64_t *skip, const Answers &answers) const;

    friend struct MixedQuery;
};

// A query made ready: the columns worth comparing, and what the others add to every row.
struct MixedQuery {
    MixedRow q;
    std::vector<MixedProbe> probes;
    std::vector<float> entries;
    double surely = 0, blur = 0, kappa;

    MixedQuery(const MixedScan &scan, MixedRow query) : q(query) {
        constexpr double unit = std::numeric_limits<float>::epsilon() / 2;
        const int64_t p = static_cast<int64_t>(scan.columns_.size());
        kappa = unit * static_cast<double>(2 * p + 16);
        size_t total = 0;
        for (const MixedColumn &c : scan.columns_) total += static_cast<size_t>(c.table ? c.size + 1 : 0);
        entries.reserve(total);
        for (int64_t at = 0; at < p; ++at) {
            const int64_t j = scan.order_[static_cast<size_t>(at)];
            const MixedColumn &c = scan.columns_[static_cast<size_t>(j)];
            if (c.weight == 0) continue;
            const float weight = static_cast<float>(c.weight);
            if (c.coded) {
                const int32_t same = q.codes[c.place];
                if (same < 0) {
                    surely += c.weight;
                } else if (!c.table) {
                    probes.push_back({MixedProbe::code, at, 0, weight, same, nullptr});
                } else {
                    const float *entry = entries.data() + entries.size();
                    entries.push_back(weight);
                    for (int64_t a = 0; a < c.size; ++a) {
                        const double d = c.table[a * c.size + same];
                        entries.push_back(static_cast<float>(c.weight * (scan.power_ == 2 ? d * d : d)));
                    }
                    probes.push_back({MixedProbe::entries, at, 0, weight, same, entry});
                }
                continue;
            }
            const double x = q.numbers[c.place];
            if (std::isnan(x)) surely += c.weight;
            if (std::isnan(x) || c.range == 0) continue;
            const double z = scan.scaled(j, x), reach = scan.reach_[static_cast<size_t>(j)];
            if (z > reach + 1.01 || z < -1.01) {  // farther than the range from every row
                surely += c.weight;
                continue;
            }
            const double error = 4 * unit * (reach + std::abs(z) + 1);
            blur += c.weight * (scan.power_ == 2 ? 2 * error + error * error : error);
            probes.push_back({MixedProbe::number, at, static_cast<float>(z), weight, 0, nullptr});
        }
    }

    // What the probes of a row may add up to at most, if it is to be within `limit`.
    float bar(double limit, int power) const {
        const double sum = (power == 2 ? limit * limit * (1 + 1e-15) : limit) - surely * (1 - 1e-12);
        const double bar = sum + blur + (std::abs(sum) + surely + blur) * kappa + std::numeric_limits<float>::min();
        return std::nextafter(static_cast<float>(bar), std::numeric_limits<float>::infinity());
    }
};

template <class Answers>
void MixedScan::search(const double *numbers, const int32_t *codes, int64_t m, const int64_t *skip, const Answers &answers) const {
    const Level level = current_level();
    const int64_t p = static_cast<int64_t>(columns_.size()), n_panels = round_up(n_, mixed_rows) / mixed_rows;
    const Blocks blocks = cut(m, 32, std::max<int64_t>(1, m / 32));
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Range some = blocks[b];
        std::vector<MixedQuery> queries;
        std::vector<typename Answers::Keeper> keepers;
        std::vector<float> bars;
        queries.reserve(static_cast<size_t>(some.size()));
        for (int64_t i = some.first; i < some.last; ++i) {
            queries.emplace_back(*this, MixedRow{numbers + i * n_numbers_, codes + i * n_codes_});
            keepers.push_back(answers.keeper(i));
            bars.push_back(queries.back().bar(keepers.back().limit(), power_));
        }
        for (int64_t panel = 0; panel < n_panels; ++panel) {
            if (panel % 8 == 0) job.check();
            const int64_t first = panel * mixed_rows, count = std::min(mixed_rows, n_ - first);
            const uint64_t there = ~uint64_t{0} >> (64 - count);
            for (size_t c = 0; c < queries.size(); ++c) {
                const MixedQuery &query = queries[c];
                uint64_t hits = 0;
                LEARNT_AT(level, probe_panel(panels_.data() + panel * p * mixed_rows, query.probes.data(),
                                             query.probes.data() + query.probes.size(), power_, bars[c], hits));
                hits &= there;
                if (!hits) continue;
                for (; hits; hits &= hits - 1) {
                    const int64_t i = first + __builtin_ctzll(hits);
                    if (skip && skip[some.first + static_cast<int64_t>(c)] == i) continue;
                    keepers[c].show({distance(i, query.q), i});
                }
                bars[c] = query.bar(keepers[c].limit(), power_);
            }
        }
        for (size_t c = 0; c < queries.size(); ++c) answers.take(some.first + static_cast<int64_t>(c), keepers[c].sorted());
    });
}

}  // namespace learnt
