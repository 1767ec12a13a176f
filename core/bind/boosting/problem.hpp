// What the bindings of boosting share: bins, the rules of growing, scales of gradients.
#pragma once

#include <tuple>
#include <vector>

#include "bind/tree/fields.hpp"
#include "boosting/grow.hpp"

namespace learnt::bind {

using namespace boost;

// The bins of all columns, and what they mean. Offsets and bins are checked here, once.
struct BoostBins {
    BinLayout layout;
    BinMeaning meaning;
    std::vector<std::vector<int32_t>> bin_of;  // by column of categories

    BoostBins(const In<int32_t> &n_bins, const In<uint8_t> &nominal, const In<double> &edges, const In<int64_t> &edge_start,
              const In<int32_t> &category_bins, const In<int64_t> &category_start)
        : layout(data("n_bins", n_bins), vector("nominal", nominal, size(n_bins)), size(n_bins)) {
        const int64_t p = size(n_bins);
        const int64_t *const first_edge = vector("edge_start", edge_start, p + 1);
        const int64_t *const first_category = vector("category_start", category_start, p + 1);
        const auto check = [&](bool right) {
            if (!right) refuse("The bins do not fit their columns. Expected edges and bins as BinEdges makes them.");
        };
        const auto spans = [&](const int64_t *start, int64_t total) {
            check(start[0] == 0 && start[p] == total);
            for (int64_t j = 0; j < p; ++j) check(start[j] <= start[j + 1] && start[j + 1] <= total);
        };
        spans(first_edge, size(edges)), spans(first_category, size(category_bins));
        int64_t total = 0;
        for (int64_t j = 0; j < p; ++j) {
            const int32_t bins = n_bins.data()[j];
            const double *const e = data("edges", edges) + first_edge[j];
            const int64_t n_edges = first_edge[j + 1] - first_edge[j];
            const int32_t *const b = data("category_bins", category_bins) + first_category[j];
            const int64_t n_categories = first_category[j + 1] - first_category[j];
            total += bins;
            check(bins >= 2 && bins <= 65536 && total < (int64_t{1} << 31));
            meaning.edges.emplace_back(e, e + n_edges);
            meaning.categories.emplace_back();
            bin_of.emplace_back(b, b + n_categories);
            if (layout.nominal[static_cast<size_t>(j)]) {
                check(n_edges == 0);
                meaning.categories.back().resize(static_cast<size_t>(bins));
                for (int64_t c = 0; c < n_categories; ++c) {
                    check(b[c] >= 0 && b[c] <= bins - 2);
                    meaning.categories.back()[static_cast<size_t>(b[c])].push_back(static_cast<int32_t>(c));
                }
            } else {
                check(n_categories == 0 && bins == n_edges + 2 && bins <= 256);
                for (int64_t i = 0; i < n_edges; ++i) check(std::isfinite(e[i]) && (i == 0 || e[i - 1] < e[i]));
            }
        }
    }

    CodeRows rows(const In2<uint8_t> &narrow, const In2<uint16_t> &wide) const {
        if (size(narrow) != size(wide) || size(narrow, 1) < static_cast<int64_t>(layout.narrow.size()) ||
            size(wide, 1) != static_cast<int64_t>(layout.wide.size()))
            refuse("The codes have other columns than the bins. Expected those that encode made of the same bins.");
        if (size(narrow) >= int64_t{1} << 31) refuse("There are more than 2147483647 rows.");
        return {size(narrow), data("narrow", narrow), size(narrow, 1), data("wide", wide), size(wide, 1)};
    }
    // Codes beyond a column's bins would be counted outside of a histogram.
    CodeRows checked_rows(const In2<uint8_t> &narrow, const In2<uint16_t> &wide) const {
        const CodeRows rows = this->rows(narrow, wide);
        check_codes(rows, rows.rows, [](int64_t i) { return i; });
        return rows;
    }
    // The same of `n` rows alone.
    template <class RowOf>
    void check_codes(const CodeRows &rows, int64_t n, RowOf row_of) const {
        std::vector<uint8_t> most(static_cast<size_t>(rows.stride), 255);
        for (size_t at = 0; at < layout.narrow.size(); ++at)
            most[at] = static_cast<uint8_t>(layout.n_bins[static_cast<size_t>(layout.narrow[at])] - 1);
        const Blocks blocks = cut(n, 1 << 14, 256);
        std::atomic<bool> wrong{false};
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            std::vector<uint8_t> largest(most.size());  // by column: a loop of vectors
            uint8_t *__restrict const top = largest.data();
            bool off = false;
            for (int64_t k = blocks[b].first; k < blocks[b].last; ++k) {
                const int64_t i = row_of(k);
                const uint8_t *const row = rows.narrow + i * rows.stride;
                for (int64_t at = 0; at < rows.stride; ++at) top[at] = std::max(top[at], row[at]);
                for (size_t at = 0; at < layout.wide.size(); ++at)
                    off |= rows.wide[i * rows.wide_stride + static_cast<int64_t>(at)] >=
                           layout.n_bins[static_cast<size_t>(layout.wide[at])];
            }
            for (size_t at = 0; at < most.size(); ++at) off |= largest[at] > most[at];
            if (off) wrong = true;
        });
        if (wrong) refuse("A code lies beyond the bins of its column.");
    }
};

struct BoostRules {
    TreeRules rules;
    std::vector<int8_t> monotonic;
    int64_t n_columns;

    BoostRules(const TreeRules &options, int64_t columns, const Maybe<In<int8_t>> &order,
               const std::vector<std::vector<int32_t>> &interactions, const Maybe<In<uint64_t>> &keys)
        : rules(options), n_columns(columns) {
        rules.interactions = interactions;
        for (const auto &set : interactions)
            for (const int32_t j : set)
                if (j < 0 || j >= n_columns) refuse("'interactions' names column " + std::to_string(j) + ", which is not there.");
        if (order) {
            const int8_t *const from = vector("monotonic", *order, n_columns);
            monotonic.assign(from, from + n_columns);
            rules.split.monotonic = monotonic.data();
        }
        if (keys) {
            const uint64_t *const from = vector("column_keys", *keys, n_columns);
            rules.column_keys.assign(from, from + n_columns);
        }
    }
    BoostRules(const BoostRules &) = delete;

    const TreeRules &for_columns_of(const BoostBins &bins) const {
        if (bins.layout.columns() != n_columns) refuse("The rules speak of other columns than the bins.");
        return rules;
    }
};

using ScaleTuple = std::tuple<double, double, double, double, double, bool>;
inline GradientScale scale_from(const ScaleTuple &t) {
    const auto [g, h, exact_g, exact_h, weight, constant] = t;
    return {g, h, exact_g, exact_h, weight, constant};
}

inline Exponents exponents_from(const char *name, const In<int64_t> &count) {
    Exponents e;
    std::copy_n(vector(name, count, Exponents::size), Exponents::size, e.count.begin());
    return e;
}

}  // namespace learnt::bind
