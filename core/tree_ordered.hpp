// The best threshold of an ordered column in a node: one walk along its sorted list.
#pragma once

#include "tree_split.hpp"

namespace learnt::tree {

// J48's least weight on either side of a threshold.
template <class Index>
double least_side(const Node<Index> &node, double known) {
    const GrowOptions &o = node.options();
    if (!o.j48_numeric_minimum) return o.min_samples_leaf;
    const double wanted = 0.1 * known / static_cast<double>(std::max<int64_t>(1, o.n_declared_classes));
    return wanted <= o.min_samples_leaf + j48_slack ? o.min_samples_leaf : std::min(wanted, 25.0);
}

template <class Index>
double threshold_at(const Node<Index> &node, const Column &column, const Entry<Index> *list, int64_t position) {
    return middle(column.number(node.sample.row[list[position - 1].id]), column.number(node.sample.row[list[position].id]));
}

template <class Index>
Split best_threshold(const Node<Index> &node, int32_t j, Scratch &s) {
    const Column &column = node.problem.columns[static_cast<size_t>(j)];
    const GrowOptions &o = node.options();
    const Entry<Index> *const list = node.sample.list(node.plan.place[static_cast<size_t>(j)]) + node.range.first;
    const int64_t n = node.range.size();
    const int64_t known = std::partition_point(list, list + n, [](Entry<Index> e) { return e.rank != missing_rank<Index>; }) - list;

    Split best;
    s.known.clear(node.k()), s.missing.clear(node.k()), s.left.clear(node.k());
    if (known == 0 || (known == n && list[0].rank == list[n - 1].rank)) return best;
    for (int64_t i = 0; i < known; ++i) node.add(s.known, list[i].id);
    for (int64_t i = known; i < n; ++i) node.add(s.missing, list[i].id);

    const double least = least_side(node, s.known.weight);
    if (o.j48_numeric_minimum && static_cast<double>(known) < 2 * least - j48_slack) return best;
    PairJudge<Index> judge(node, s, least);
    int64_t tried = 0;
    const auto consider = [&](int64_t position, double threshold) {
        ++tried;
        // J48 starts from no gain and wants more by its slack; CART takes the best there is, gain or not.
        const double bar = best.found() ? best.gain + slack(o) : o.average_gain ? j48_slack : -infinity;
        if (!(judge.gain() > bar)) return;
        best.column = j, best.position = position, best.threshold = threshold;
        best.gain = judge.gain(), best.ratio = judge.ratio(), best.missing = judge.missing;
    };
    for (int64_t i = 1; i < known; ++i) {
        node.add(s.left, list[i - 1].id);
        if (list[i].rank == list[i - 1].rank) continue;
        if (!may_cut(column, o, node.sample.row[list[i - 1].id], node.sample.row[list[i].id])) continue;
        s.right.difference(s.known, s.left);
        if (judge.judge(s.left, s.right)) consider(i, nan);
    }
    if (o.missing == Missing::learned && known < n && judge.judge_missing()) consider(known, infinity);
    if (!best.found()) return best;
    if (o.mdl_correction) {
        const double before = best.gain;
        best.gain -= std::log2(static_cast<double>(tried)) / node.summary.weight;
        best.ratio *= best.gain / before;
        if (best.gain <= j48_slack) return {};
    }
    if (best.threshold != infinity) best.threshold = threshold_at(node, column, list, best.position);
    return best;
}

}  // namespace learnt::tree
