// Absolute error: the best threshold in O(n log n).
#pragma once

#include "tree/median.hpp"
#include "tree/random_tests.hpp"
#include "tree/split.hpp"

namespace learnt::tree {

// The search in one column; all values are Σ w·|y − median|.
template <class Index>
class AbsoluteSearch {
    const Node<Index> &node_;
    const int32_t j_;
    const TargetOrder &order_;
    const Column &column_;
    const GrowOptions &o_;
    const double least_;
    std::vector<int64_t> missing_;
    double missing_weight_ = 0;
    Split best_;

    void add(MedianSums &to, int64_t id) const {
        to.add(order_.rank[static_cast<size_t>(id)], node_.weight_of(id));
    }

    // One side of a cut: Σ w·|y − median|, and the median where it matters for more.
    struct Side {
        double deviation = 0, median = 0;
    };

    void offer(Side l, Side r, int32_t direction, double left, double right, int64_t position, int32_t missing,
               const int32_t *codes, size_t n) {
        if (left < least_ || right < least_ || !(left > 0) || !(right > 0)) return;
        if (direction && !node_.allows(l.median, r.median, direction)) return;
        const double gain = -(l.deviation + r.deviation) / node_.summary.weight;  // from nothing; see search()
        if (best_.found() && !(gain > best_.gain)) return;
        best_.column = j_, best_.gain = gain, best_.position = position, best_.missing = missing;
        best_.direction = direction;
        best_.left.assign(codes, codes + n);
    }

    // Cuts of groups of instances in a given order; `start[g]` is where group g begins in `ids`. A cut is
    // allowed before group g if may_cut(g).
    template <class MayCut>
    void try_cuts(const std::vector<int64_t> &ids, const std::vector<int64_t> &start, const std::vector<int32_t> &codes,
                  MayCut may_cut) {
        const size_t groups = start.size() - 1;
        const bool fractional = o_.missing == Missing::fractional, lost = !missing_.empty() && !fractional;
        const int32_t way = codes.empty() || codes[0] == 0 ? node_.direction(j_) : -node_.direction(j_);
        // the first g groups, and the others; with the missing cells added, too
        std::vector<Side> head(groups + 1), tail(groups + 1), head_plus(groups + 1), tail_plus(groups + 1);
        std::vector<double> weight(groups + 1);
        const auto run = [&](bool forwards, bool plus, std::vector<Side> &to) {
            MedianSums sums(order_);
            if (plus)
                for (const int64_t id : missing_) add(sums, id);
            for (size_t g = 0; g <= groups; ++g) {
                const size_t at = forwards ? g : groups - g;
                to[at] = {sums.deviation(), way && sums.weight() > 0 ? sums.median() : 0};
                if (forwards && !plus) weight[at] = sums.weight();
                if (g == groups) break;
                const size_t group = forwards ? g : groups - g - 1;
                for (int64_t i = start[group]; i < start[group + 1]; ++i) add(sums, ids[static_cast<size_t>(i)]);
            }
        };
        run(true, false, head), run(false, false, tail);
        if (lost) run(true, true, head_plus), run(false, true, tail_plus);
        for (size_t g = 1; g < groups; ++g) {
            if (!may_cut(g)) continue;
            const double l = weight[g], r = weight[groups] - weight[g];
            const bool heavier = l < r;
            const size_t n = codes.empty() ? 0 : g;
            if (!lost) {
                offer(head[g], tail[g], way, l, r, start[g], fractional ? -1 : heavier, codes.data(), n);
                continue;
            }
            if (o_.missing == Missing::learned || heavier)
                offer(head[g], tail_plus[g], way, l, r + missing_weight_, start[g], 1, codes.data(), n);
            if (o_.missing == Missing::learned || !heavier)
                offer(head_plus[g], tail[g], way, l + missing_weight_, r, start[g], 0, codes.data(), n);
        }
        if (o_.missing == Missing::learned && lost)
            offer(head[groups], tail_plus[groups], 0, weight[groups], missing_weight_, start[groups], 1, codes.data(),
                  codes.size());
    }

    void search_ordered() {
        const Entry<Index> *const list =
            node_.sample.list(node_.plan.place[static_cast<size_t>(j_)]) + node_.range.first;
        std::vector<int64_t> ids, start;
        for (int64_t i = 0; i < node_.range.size(); ++i) {
            const int64_t id = list[i].id;
            if (list[i].rank == missing_rank<Index>) {
                missing_.push_back(id), missing_weight_ += node_.weight_of(id);
                continue;
            }
            if (i == 0 || list[i].rank != list[i - 1].rank) start.push_back(i);
            ids.push_back(id);
        }
        start.push_back(static_cast<int64_t>(ids.size()));
        if (ids.empty() || (start.size() == 2 && missing_.empty())) return;
        const auto row = [&](int64_t i) { return node_.sample.row[list[i].id]; };
        const int64_t last = start.back();
        double threshold = nan;
        if (o_.random_cuts) {  // then one cut is left
            const double high = column_.number(row(last - 1));
            threshold = drawn_threshold(node_.path, j_, column_.number(row(0)), high);
            const auto below = [&](int64_t g) { return g < last && column_.number(row(g)) <= threshold; };
            start = {0, *std::partition_point(start.begin(), start.end(), below), last};
        }
        const double gap = node_.plan.gap[static_cast<size_t>(j_)];
        try_cuts(ids, start, {}, [&](size_t g) { return may_cut(column_, o_, gap, row(start[g] - 1), row(start[g])); });
        if (best_.found()) best_.threshold = best_.position == last ? infinity : threshold;
    }

    void search_nominal() {
        const int32_t *const codes = node_.sample.coded(node_.plan.place[static_cast<size_t>(j_)]);
        std::vector<std::pair<int32_t, int64_t>> cells;  // (code, instance) by rising target
        const Entry<Index> *const list = node_.sample.list(node_.plan.lists - 1);
        for (int64_t i = node_.range.first; i < node_.range.last; ++i) {
            const int64_t id = list[i].id;
            if (codes[id] >= 0)
                cells.emplace_back(codes[id], id);
            else
                missing_.push_back(id), missing_weight_ += node_.weight_of(id);
        }
        if (cells.empty()) return;
        std::stable_sort(cells.begin(), cells.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
        std::vector<Group> groups;
        for (const auto &[code, id] : cells) {
            if (groups.empty() || groups.back().code != code) groups.push_back({code, {}, 0, 0});
            groups.back().ids.push_back(id);
            groups.back().weight += node_.weight_of(id);
        }
        for (Group &g : groups) g.median = median_of_ids(g.ids);
        if (o_.nominal == Nominal::multiway) return try_multiway(groups);
        if (o_.random_cuts) return try_drawn(groups);
        if (o_.nominal == Nominal::equals) return try_equals(groups);
        std::stable_sort(groups.begin(), groups.end(),
                         [](const Group &a, const Group &b) { return a.median < b.median; });
        try_order(groups);
    }

    struct Group {
        int32_t code;
        std::vector<int64_t> ids;
        double weight, median;
    };

    double median_of_ids(const std::vector<int64_t> &ids) const {
        std::vector<double> numbers, weights;
        for (const int64_t id : ids)
            numbers.push_back(node_.sample.target[id]), weights.push_back(node_.weight_of(id));
        return median_of(numbers, weights);
    }

    // One set of categories, drawn: it comes first, and only the cut behind it is left.
    void try_drawn(std::vector<Group> &groups) {
        std::vector<int32_t> present;
        for (const Group &g : groups) present.push_back(g.code);
        const std::vector<int32_t> left = drawn_set(node_.path, j_, present, o_.nominal);
        const auto drawn = [&](const Group &g) { return std::binary_search(left.begin(), left.end(), g.code); };
        std::stable_partition(groups.begin(), groups.end(), drawn);
        try_order(groups, left.size());
    }

    // Cuts of the categories in this order; or only the one behind the first `only`.
    void try_order(const std::vector<Group> &groups, size_t only = 0) {
        std::vector<int64_t> ids, start{0};
        std::vector<int32_t> codes;
        for (const Group &g : groups) {
            ids.insert(ids.end(), g.ids.begin(), g.ids.end());
            start.push_back(static_cast<int64_t>(ids.size()));
            codes.push_back(g.code);
        }
        try_cuts(ids, start, codes, [only](size_t g) { return only == 0 || g == only; });
        std::sort(best_.left.begin(), best_.left.end());
    }

    void try_equals(const std::vector<Group> &groups) {
        if (groups.size() == 1) return try_order(groups);
        for (size_t g = 0; g < groups.size(); ++g) {  // the group, then all others as one
            std::vector<int64_t> ids = groups[g].ids;
            std::vector<int64_t> start{0, static_cast<int64_t>(ids.size())};
            for (size_t h = 0; h < groups.size(); ++h)
                if (h != g) ids.insert(ids.end(), groups[h].ids.begin(), groups[h].ids.end());
            start.push_back(static_cast<int64_t>(ids.size()));
            try_cuts(ids, start, {groups[g].code, -1}, [](size_t) { return true; });
            if (!best_.left.empty() && best_.left.back() < 0) {  // everything known against what is missing
                best_.left.clear();
                for (const Group &any : groups) best_.left.push_back(any.code);
            }
        }
    }

    // Σ w·|y − median| of instances that rise by target.
    double deviation_of(const std::vector<int64_t> &ids) const {
        const double median = median_of_ids(ids);
        double sum = 0;
        for (const int64_t id : ids)
            sum += order_.grid(node_.weight_of(id) * std::abs(node_.sample.target[id] - median));
        return sum;
    }

    void try_multiway(const std::vector<Group> &groups) {
        const bool fractional = o_.missing == Missing::fractional, lost = !missing_.empty() && !fractional;
        double value = 0;
        size_t to = 0;  // the branch of missing cells: the heaviest, or the one where they do least harm
        std::vector<double> weight, rise;
        for (const Group &g : groups) {
            const double deviation = deviation_of(g.ids);
            value += deviation;
            weight.push_back(g.weight);
            if (!lost) continue;
            std::vector<int64_t> both;
            std::merge(g.ids.begin(), g.ids.end(), missing_.begin(), missing_.end(), std::back_inserter(both),
                       [&](int64_t a, int64_t b) {
                           return order_.rank[static_cast<size_t>(a)] < order_.rank[static_cast<size_t>(b)];
                       });
            rise.push_back(deviation_of(both) - deviation);
        }
        const bool learns = lost && o_.missing == Missing::learned;
        for (size_t g = 1; g < groups.size(); ++g)
            if (learns ? rise[g] < rise[to] : weight[g] > weight[to]) to = g;
        if (lost) value += rise[to], weight[to] += missing_weight_;
        const int64_t large = std::count_if(weight.begin(), weight.end(), [&](double w) { return w >= least_; });
        if (groups.size() < 2 || (o_.min_branches ? large < 2 : large < static_cast<int64_t>(groups.size()))) return;
        best_.column = j_, best_.children = column_.n_categories;
        best_.gain = -value / node_.summary.weight;
        best_.missing = fractional ? -1 : groups[to].code;
    }

  public:
    AbsoluteSearch(const Node<Index> &node, int32_t j, const TargetOrder &order)
        : node_(node),
          j_(j),
          order_(order),
          column_(node.problem.columns[static_cast<size_t>(j)]),
          o_(node.options()),
          least_(enough(o_.min_samples_leaf, o_)) {}

    Split search() {
        if (column_.ordered())
            search_ordered();
        else
            search_nominal();
        if (!best_.found()) return {};
        // So far gains are measured from nothing: what is divided is the same for all cuts of the column.
        MedianSums all(order_);
        for (size_t i = 0; i < order_.numbers.size(); ++i) all.add(i, order_.weights[i]);
        double whole = all.deviation();
        if (o_.missing == Missing::fractional && !missing_.empty()) {
            MedianSums known(order_);
            std::vector<double> weights = order_.weights;
            for (const int64_t id : missing_) weights[order_.rank[static_cast<size_t>(id)]] -= node_.weight_of(id);
            for (size_t i = 0; i < weights.size(); ++i) known.add(i, weights[i]);
            whole = known.deviation();
        }
        best_.gain += whole / node_.summary.weight;
        return std::move(best_);
    }
};

}  // namespace learnt::tree
