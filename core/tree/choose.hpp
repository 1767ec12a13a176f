// The best split of a node: every column is searched, and one is chosen.
#pragma once

#include "base/hash.hpp"
#include "tree/mae.hpp"
#include "tree/nominal.hpp"
#include "tree/ordered.hpp"

namespace learnt::tree {

// Shared by all parts of one tree.
struct Growth {
    const Problem &problem;
    Plan plan;
    const Measure &measure;
    double root_mean = 0, root_weight = 0;
    std::vector<std::vector<double>> levels;  // sorted cells of ordered columns, for C4.5's ways
};

// body(b) for b in [0, count), on all threads if that is wanted and the work is worth it.
template <class Body>
void each(bool threads, int64_t count, int64_t work, Body body) {
    if (threads && work >= 1 << 13)
        run_blocks(count, [&](int64_t b, Job &) { body(b); });
    else
        for (int64_t b = 0; b < count; ++b) body(b);
}

template <class Index>
class SplitFinder {
    const Growth &g_;
    const Problem &p_;
    const GrowOptions &o_;
    const bool threads_;
    std::vector<Scratch> scratch_;
    Totals totals_;  // of the node that is searched

  public:
    TargetOrder order;  // of the node, for absolute error: to be filled before find()

    SplitFinder(const Growth &g, bool threads)
        : g_(g), p_(g.problem), o_(g.problem.options), threads_(threads), scratch_(g.problem.columns.size()) {}

    // Reading the cells on both sides of every promising cut costs more than the rest of the search. They are
    // read for the winner; should its cells be too close to be told apart, all is done again with care.
    Split find(const Sample<Index> &sample, Range range, const Summary &summary, uint64_t path, Bounds bounds) {
        find_totals(p_, g_.plan, sample, range, summary, totals_);
        Node<Index> node{p_, g_.plan, g_.measure, sample, range, summary, totals_, path, bounds, true};
        Split split = find_in(node);
        if (cut_is_wide(node, split)) return split;
        node.trusting = false;
        split = find_in(node);
        cut_is_wide(node, split);
        return split;
    }

  private:
    Split search(const Node<Index> &node, int32_t j) {
        Scratch &s = scratch_[static_cast<size_t>(j)];
        if (o_.criterion == Criterion::mae) return AbsoluteSearch<Index>(node, j, order).search();
        return p_.columns[static_cast<size_t>(j)].ordered() ? OrderedSearch<Index>(node, j, s).search()
                                                            : NominalSearch<Index>(node, j, s).search();
    }

    // Fills in the threshold of a cut.
    bool cut_is_wide(const Node<Index> &node, Split &split) const {
        if (!split.found() || split.threshold == infinity || o_.random_cuts) return true;
        const Column &column = p_.columns[static_cast<size_t>(split.column)];
        if (!column.ordered()) return true;
        const Entry<Index> *const cut =
            node.sample.list(g_.plan.place[static_cast<size_t>(split.column)]) + node.range.first + split.position;
        const int64_t row = node.sample.row[cut[-1].id], next = node.sample.row[cut[0].id];
        split.threshold = middle(column.number(row), column.number(next));
        return may_cut(column, o_, g_.plan.gap[static_cast<size_t>(split.column)], row, next);
    }

    Split find_in(const Node<Index> &node) {
        const int64_t p = static_cast<int64_t>(p_.columns.size());
        if (o_.max_features > 0 && o_.max_features < p) return find_among_drawn(node);
        std::vector<Split> splits(static_cast<size_t>(p));
        each(threads_, p, p * node.range.size(),
             [&](int64_t j) { splits[static_cast<size_t>(j)] = search(node, static_cast<int32_t>(j)); });
        return o_.average_gain ? best_of_average(splits) : best_of(splits);
    }

    // Columns in an order drawn for the node; more than max_features only while none can be split.
    Split find_among_drawn(const Node<Index> &node) {
        const size_t p = p_.columns.size();
        std::vector<std::pair<uint64_t, int32_t>> drawn;
        for (size_t j = 0; j < p; ++j)
            drawn.emplace_back(mix_bits(node.path ^ mix_bits(o_.seed + 0x9e3779b97f4a7c15u * (j + 1))), j);
        std::sort(drawn.begin(), drawn.end());
        std::vector<Split> splits(p);
        int64_t usable = 0;
        for (size_t first = 0; first < p && usable < o_.max_features;) {
            const size_t last = std::min(p, first + static_cast<size_t>(o_.max_features - usable));
            each(threads_, static_cast<int64_t>(last - first), static_cast<int64_t>(last - first) * node.range.size(),
                 [&](int64_t i) {
                     const int32_t j = drawn[first + static_cast<size_t>(i)].second;
                     splits[static_cast<size_t>(j)] = search(node, j);
                 });
            for (; first < last; ++first) usable += splits[static_cast<size_t>(drawn[first].second)].found();
        }
        return o_.average_gain ? best_of_average(splits) : best_of(splits);
    }

    double score(const Split &split) const {
        const double gain = split.gain - split.chance;
        if (o_.feature_costs) return gain * std::abs(gain) / o_.feature_costs[split.column];
        return o_.criterion == Criterion::gain_ratio ? split.ratio : gain;
    }

    Split best_of(std::vector<Split> &splits) const {
        Split *best = nullptr;
        for (Split &split : splits)
            if (split.found() && (!best || score(split) > score(*best))) best = &split;
        return best ? std::move(*best) : Split{};
    }

    // J48: the best gain ratio among columns of at least average gain. Columns with nearly as many categories
    // as there are rows stay out of the average, unless all are like that.
    Split best_of_average(std::vector<Split> &splits) const {
        const double many = 0.3 * g_.root_weight;  // by weight, so that a row twice is a weight of two
        const auto counts = [&](const Column &c) { return c.ordered() || c.n_categories < many - j48_slack; };
        const bool all_many = std::none_of(p_.columns.begin(), p_.columns.end(), counts);
        double sum = 0, n = 0;
        for (const Split &split : splits)
            if (split.found() && (all_many || counts(p_.columns[static_cast<size_t>(split.column)])))
                sum += split.gain, ++n;
        if (n == 0) return {};
        Split *best = nullptr;
        double bar = 0;
        for (Split &split : splits) {
            if (!split.found() || split.gain < sum / n - 1e-3) continue;
            if (score(split) > bar + j48_slack) best = &split, bar = score(split);
        }
        return best ? std::move(*best) : Split{};
    }
};

}  // namespace learnt::tree
