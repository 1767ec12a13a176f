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
// a column and (p + 8)u of the sum; rows within that are measured by the formula above (distance/measure.hpp).
//
// Each d_j is a truncated metric, so the triangle inequality holds if it does for the tables: panels may be the leaves of
// a vantage-point tree, of which a query sees only some.
#pragma once

#include <optional>

#include "base/pool.hpp"
#include "distance/measure.hpp"
#include "neighbors/vp_tree.hpp"
#include "simd/levels.hpp"
#include "simd/math.hpp"

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

#define LEARNT_LOOPS "neighbors/mixed_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Rows as the definition reads them. All arrays stay the caller's; they must live as long as this does.
struct MixedRows {
    const double *numbers;  // n × n_numbers, row-major; NaN is missing
    int64_t n_numbers;
    const int32_t *codes;  // n × n_codes, row-major; −1 is missing
    int64_t n_codes, n;
    std::vector<MixedColumn> columns;
    int power;

    MixedRow row(int64_t i) const { return {numbers + i * n_numbers, codes + i * n_codes}; }

    double distance(MixedRow x, MixedRow q) const {
        double sum = 0;
        for (const MixedColumn &c : columns) {
            const double d = mixed_term(c, x, q);
            sum += unfused(c.weight * (power == 2 ? unfused(d * d) : d));
        }
        return power == 2 ? std::sqrt(sum) : sum;
    }

    // From a row to some others, as a tree asks it.
    void operator()(int64_t point, const int64_t *rows, int64_t count, double *out) const {
        for (int64_t i = 0; i < count; ++i) out[i] = distance(row(rows[i]), row(point));
    }
};

class MixedScan {
    MixedRows rows_;
    std::vector<int64_t> order_;       // the guess's order: what tells most first
    std::optional<VpShape> tree_;      // whose leaves the panels are
    std::vector<double> low_, reach_;  // of each column of numbers: the least, and the greatest |z|
    Buffer<int32_t> panels_;           // panel, column, row of the panel; floats by their bits

    int64_t n_panels() const { return round_up(rows_.n, mixed_rows) / mixed_rows; }
    int64_t row_at(int64_t place) const { return tree_ ? tree_->rows[place] : place; }

  public:
    MixedScan(MixedRows rows, std::vector<int64_t> order, bool as_tree)
        : rows_(std::move(rows)), order_(std::move(order)), low_(rows_.columns.size(), 0.0), reach_(rows_.columns.size(), 0.0),
          panels_(round_up(rows_.n, mixed_rows) * static_cast<int64_t>(rows_.columns.size())) {
        if (as_tree) tree_.emplace(rows_.n, mixed_rows, rows_);
        const int64_t p = static_cast<int64_t>(rows_.columns.size());
        for (int64_t j = 0; j < p; ++j) {
            const MixedColumn &c = rows_.columns[static_cast<size_t>(j)];
            if (c.coded || c.range == 0) continue;
            double least = std::numeric_limits<double>::infinity(), most = -least;
            for (int64_t i = 0; i < rows_.n; ++i) {
                const double x = rows_.row(i).numbers[c.place];
                if (x < least) least = x;
                if (x > most) most = x;
            }
            if (least <= most) {
                low_[static_cast<size_t>(j)] = least;
                reach_[static_cast<size_t>(j)] = in_ranges(most, least, c.range);
            }
        }
        const Blocks blocks = cut(n_panels(), 16, 256);
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            for (int64_t panel = blocks[b].first; panel < blocks[b].last; ++panel)
                for (int64_t at = 0; at < p; ++at)
                    for (int64_t r = 0; r < mixed_rows; ++r) {
                        const int64_t j = order_[static_cast<size_t>(at)];
                        const MixedColumn &c = rows_.columns[static_cast<size_t>(j)];
                        const MixedRow x = rows_.row(row_at(std::min(panel * mixed_rows + r, rows_.n - 1)));
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

    int64_t bytes() const {
        return round_up(rows_.n, mixed_rows) * static_cast<int64_t>(rows_.columns.size()) * 4 + (tree_ ? tree_->bytes() : 0);
    }
    const MixedRows &rows() const { return rows_; }

    double scaled(int64_t j, double x) const {
        const double range = rows_.columns[static_cast<size_t>(j)].range;
        return range == 0 ? 0.0 : in_ranges(x, low_[static_cast<size_t>(j)], range);
    }

    // (x − low) / range. The difference comes first: that of quotients has lost its digits where cells are 10⁹ and a bit.
    static double in_ranges(double x, double low, double range) {
        const double away = x - low;
        return std::isinf(away) ? x / range - low / range : away / range;
    }

    // Every query's neighbours, and how many panels were looked at for all of them together.
    int64_t search(const double *numbers, const int32_t *codes, int64_t m, const int64_t *skip, const Answers &answers) const;

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
        const int64_t p = static_cast<int64_t>(scan.rows_.columns.size());
        kappa = unit * static_cast<double>(2 * p + 16);
        size_t total = 0;
        for (const MixedColumn &c : scan.rows_.columns) total += static_cast<size_t>(c.table ? c.size + 1 : 0);
        entries.reserve(total);
        for (int64_t at = 0; at < p; ++at) {
            const int64_t j = scan.order_[static_cast<size_t>(at)];
            const MixedColumn &c = scan.rows_.columns[static_cast<size_t>(j)];
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
                        entries.push_back(static_cast<float>(c.weight * (scan.rows_.power == 2 ? d * d : d)));
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
            blur += c.weight * (scan.rows_.power == 2 ? 2 * error + error * error : error);
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

inline int64_t MixedScan::search(const double *numbers, const int32_t *codes, int64_t m, const int64_t *skip, const Answers &answers) const {
    const Level level = current_level();
    const int64_t p = static_cast<int64_t>(rows_.columns.size());
    const int power = rows_.power;
    const auto asked = [&](int64_t i) { return MixedRow{numbers + i * rows_.n_numbers, codes + i * rows_.n_codes}; };
    // Shows query i the rows of a panel that are near enough.
    const auto probe = [&](int64_t panel, const MixedQuery &query, int64_t i, Keeper &keeper, float &bar) {
        const int64_t first = panel * mixed_rows, count = std::min(mixed_rows, rows_.n - first);
        uint64_t hits = 0;
        LEARNT_AT(level, probe_panel(panels_.data() + panel * p * mixed_rows, query.probes.data(),
                                     query.probes.data() + query.probes.size(), power, bar, hits));
        hits &= ~uint64_t{0} >> (64 - count);
        if (!hits) return;
        for (; hits; hits &= hits - 1) {
            const int64_t row = row_at(first + __builtin_ctzll(hits));
            if (skip && skip[i] == row) continue;
            keeper.show({rows_.distance(rows_.row(row), query.q), row});
        }
        bar = query.bar(keeper.limit(), power);
    };
    const Blocks blocks = tree_ ? cut(m, 16, 1 << 12) : cut(m, 32, std::max<int64_t>(1, m / 32));
    std::vector<int64_t> seen(static_cast<size_t>(blocks.count), 0);
    if (tree_)
        run_blocks(blocks.count, [&](int64_t b, Job &job) {
            for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
                job.check();
                const MixedQuery query(*this, asked(i));
                Keeper keeper = answers.keeper(i);
                float bar = query.bar(keeper.limit(), power);
                vp_walk(
                    *tree_, 1e-12 + 1e-15 * static_cast<double>(p), 1e-140,
                    [&](const VpNode &node, int64_t) { return rows_.distance(rows_.row(node.point), query.q); },
                    [&](int64_t leaf) {
                        ++seen[static_cast<size_t>(b)];
                        probe(leaf, query, i, keeper, bar);
                    },
                    [&] { return keeper.limit(); });
                answers.take(i, keeper.sorted());
            }
        });
    else
        run_blocks(blocks.count, [&](int64_t b, Job &job) {
            const Range some = blocks[b];
            std::vector<MixedQuery> queries;
            std::vector<Keeper> keepers;
            std::vector<float> bars;
            queries.reserve(static_cast<size_t>(some.size()));
            for (int64_t i = some.first; i < some.last; ++i) {
                queries.emplace_back(*this, asked(i));
                keepers.push_back(answers.keeper(i));
                bars.push_back(queries.back().bar(keepers.back().limit(), power));
            }
            for (int64_t panel = 0; panel < n_panels(); ++panel) {
                if (panel % 8 == 0) job.check();
                for (size_t c = 0; c < queries.size(); ++c)
                    probe(panel, queries[c], some.first + static_cast<int64_t>(c), keepers[c], bars[c]);
            }
            seen[static_cast<size_t>(b)] = n_panels() * some.size();
            for (size_t c = 0; c < queries.size(); ++c) answers.take(some.first + static_cast<int64_t>(c), keepers[c].sorted());
        });
    return std::accumulate(seen.begin(), seen.end(), int64_t{0});
}

}  // namespace learnt
