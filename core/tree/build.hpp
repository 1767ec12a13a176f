// A whole tree: the root's sample, the large nodes, the small parts, the arrays.
#pragma once

#include "tree/grow.hpp"

namespace learnt::tree {

// Nodes of at most so many instances are put aside and grown by one thread each.
inline int64_t small_part(int64_t n) { return std::clamp<int64_t>(n / 16, 1024, 65535); }

inline bool any_missing(const Problem &p) {
    for (const Column &column : p.columns)
        for (int64_t i = 0; i < p.rows; ++i)
            if (column.ordered() ? std::isnan(column.number(i)) : column.code(i) < 0) return true;
    return false;
}

inline bool all_ones(const Problem &p) {
    if (p.options.missing == Missing::fractional && any_missing(p)) return false;
    return !p.weights || std::all_of(p.weights, p.weights + p.rows, [](double w) { return w == 1 || w == 0; });
}

// About the mean, for targets to be measured from.
inline double mean_target(const Problem &p) {
    double sum = 0, rest = 0, weight = 0, weight_rest = 0;
    for (int64_t i = 0; i < p.rows; ++i) {
        const double w = p.weights ? p.weights[i] : 1;
        add_exactly(sum, rest, w * p.targets[i]), add_exactly(weight, weight_rest, w);
    }
    if (std::isfinite(rest)) sum += rest;
    return of_few_digits(sum / (weight + weight_rest));
}

inline std::vector<std::vector<double>> sorted_levels(const Problem &p, const Plan &plan, const Sample<uint32_t> &s) {
    std::vector<std::vector<double>> levels(p.columns.size());
    run_blocks(static_cast<int64_t>(levels.size()), [&](int64_t j, Job &) {
        const Column &column = p.columns[static_cast<size_t>(j)];
        if (!column.ordered()) return;
        const Entry<uint32_t> *const list = s.list(plan.place[static_cast<size_t>(j)]);
        for (int64_t i = 0; i < s.size && list[i].rank != missing_rank<uint32_t>; ++i)
            levels[static_cast<size_t>(j)].push_back(column.number(s.row[list[i].id]));
    });
    return levels;
}

inline std::vector<uint8_t> wide_columns(const std::vector<std::vector<double>> &levels, const std::vector<double> &gap) {
    std::vector<uint8_t> wide;
    for (const std::vector<double> &cells : levels) {
        const auto close = [&](double a, double b) { return a < b && !(a + gap[wide.size()] < b); };
        wide.push_back(std::adjacent_find(cells.begin(), cells.end(), close) == cells.end());
    }
    return wide;
}

inline void grow_parts(const Growth &g, std::vector<Pending<uint32_t>> &aside, std::vector<NodeList> &lists) {
    for (auto &node : aside) node.sample->narrow.resize(static_cast<size_t>(node.sample->size));
    std::vector<size_t> by(aside.size());  // the largest first, so that no thread is left alone at the end
    std::iota(by.begin(), by.end(), size_t{0});
    std::stable_sort(by.begin(), by.end(),
                     [&](size_t a, size_t b) { return aside[a].range.size() > aside[b].range.size(); });
    run_blocks(static_cast<int64_t>(aside.size()), [&](int64_t b, Job &job) {
        const size_t i = by[static_cast<size_t>(b)];
        Pending<uint32_t> &node = aside[i];
        Grower<uint16_t> part(g, lists[i + 1], false);
        part.start(narrowed(g.problem, g.plan, *node.sample, node.range), node.depth, node.path,
                   std::move(node.summary), node.bounds);
        node.sample.reset();
        part.grow([](auto &) { return false; }, [&job] { job.check(); });
    });
}

// Rows without weight are left out. There must be one with weight.
inline TreeArrays grow_tree(const Problem &p) {
    const Plan plan(p);
    const bool unit = all_ones(p);
    const bool logs = p.options.criterion == Criterion::entropy || p.options.criterion == Criterion::gain_ratio;
    const std::optional<XlogxTables> tables = unit && logs ? std::optional<XlogxTables>(p.rows) : std::nullopt;
    const Measure measure(p, tables ? &*tables : nullptr);
    Growth g{p, plan, measure, p.classes ? 0.0 : mean_target(p), 0.0, {}};
    std::vector<NodeList> lists(1);
    std::vector<Pending<uint32_t>> aside;
    run_blocks(1, [&](int64_t, Job &job) {  // one block, so that one job polls for all of it
        auto sample = sorted_sample(p, plan, !unit, g.root_mean);
        if (p.options.thresholds_from_data || p.options.average_gain) g.levels = sorted_levels(p, plan, *sample);
        g.plan.gap = close_by_range(p, plan, *sample);
        if (p.options.average_gain) g.plan.wide = wide_columns(g.levels, g.plan.gap);
        Summary root(p.sums(), 0.0);
        for (int64_t id = 0; id < sample->size; ++id) sample->add_to(root, p, id, sample->weight_of(id));
        root.settle();
        g.root_weight = root.weight;
        const int64_t small = small_part(sample->size);
        Grower<uint32_t> top(g, lists[0], true);
        top.start(std::move(sample), 0, mix_bits(p.options.seed), std::move(root), {});
        const auto check = [&job] { job.check(); };
        const auto put_aside = [&](Pending<uint32_t> &node) {
            if (node.range.size() > small) return false;
            aside.push_back(std::move(node));
            return true;
        };
        if (p.options.max_leaf_nodes > 0)
            top.grow_best_first(check);
        else
            top.grow(put_aside, check);
    });
    for (size_t i = 0; i < aside.size(); ++i)
        lists[0].nodes[static_cast<size_t>(aside[i].node)].part = static_cast<int32_t>(i + 1);
    lists.resize(aside.size() + 1);
    grow_parts(g, aside, lists);
    return flattened(lists, p.sums());
}

}  // namespace learnt::tree
