// A test of one column, and what it is worth in a node.
#pragma once

#include <optional>

#include "tree/sample.hpp"

namespace learnt::tree {

struct Split {
    int32_t column = -1;   // none was found
    double gain = 0;       // decrease of impurity per weight of the node
    double ratio = 0;      // gain over the information of the branches, for gain_ratio
    double chance = 0;     // nominal: the part of the gain that categories without meaning would have, too
    int64_t position = 0;  // ordered: so many instances of the list belong to child 0
    double threshold = nan;
    int32_t children = 2;
    std::vector<int32_t> left;  // nominal with two children: the categories of child 0
    int32_t missing = 0;        // the child of missing cells; −1: all of them
    int32_t direction = 0;      // 1: child 1 shall not predict less than child 0, −1: not more

    bool found() const { return column >= 0; }
};

// What the instances of a node add up to: the weight, and a sum per class (or one).
struct Tally {
    double weight = 0;
    std::vector<double> sums;

    void clear(int64_t k) { weight = 0, sums.assign(static_cast<size_t>(k), 0.0); }
    void add(const double *more, double w) {
        weight += w;
        for (size_t c = 0; c < sums.size(); ++c) sums[c] += more[c];
    }
    // this = a − b
    void difference(const Tally &a, const Tally &b) {
        weight = a.weight - b.weight;
        sums.resize(a.sums.size());
        for (size_t c = 0; c < sums.size(); ++c) sums[c] = a.sums[c] - b.sums[c];
    }
};

// Memory for the search in one column, used again for every node.
struct Scratch {
    Tally known, missing, left, right, with_left, with_right, all, none, try_left, try_right;
    std::vector<double> table;     // nominal: sums by category, weight last; all zero between nodes
    std::vector<int32_t> present;  // the categories that are in the table
    std::vector<int32_t> counts;   // nominal, rows without weights: rows by category and class
    std::vector<std::pair<double, int32_t>> by_score;
};

// What the nodes of a part of the tree may predict, where the target rises or falls with a column: a share of
// class 1, or a number from the root's mean.
struct Bounds {
    double low = -infinity, high = infinity;

    bool hold(double value) const { return low <= value && value <= high; }
};

// What a node's instances add up to as they are searched: exactly, see tree_exact.hpp.
struct Totals {
    Tally all;
    double center = 0;  // targets are measured from here
};

// Puts the weights and targets of a node on its grids.
template <class Index>
void find_totals(const Problem &p, const Plan &plan, const Sample<Index> &s, Range range, const Summary &summary,
                 Totals &found) {
    found.all.weight = summary.weight, found.all.sums.assign(summary.sums.begin(), summary.sums.end());
    if ((p.classes && !s.weighted) || p.options.criterion == Criterion::mae) return;
    const auto each_row = [&](auto add) {
        if (range.size() == s.size)
            for (int64_t id = 0; id < s.size; ++id) add(id);
        else
            s.each_id(plan, range, add);
    };
    const Grid weights(summary.weight);
    double weight = 0, sum = 0;
    const auto weigh = [&](int64_t id) {
        const double w = s.exact_weight[id] = weights.positive(s.weight[id]);
        weight += w;
        return w;
    };
    if (p.classes) {
        found.all.clear(p.sums());
        each_row([&](int64_t id) { found.all.sums[static_cast<size_t>(s.label[id])] += weigh(id); });
        found.all.weight = weight;
        return;
    }
    const double mean = summary.mean();
    const Grid targets(summary.most_deviation(mean));
    const double center = found.center = targets.far(mean);
    if (s.weighted) {
        each_row([&](int64_t id) { sum += s.exact_target[id] = targets(weigh(id) * (s.target[id] - center)); });
        found.all.weight = weight;
    } else {
        each_row([&](int64_t id) { sum += s.exact_target[id] = targets(s.target[id] - center); });
    }
    found.all.sums[0] = sum;
}

// A node and everything that is needed to search it.
template <class Index>
struct Node {
    const Problem &problem;
    const Plan &plan;
    const Measure &measure;
    const Sample<Index> &sample;
    Range range;
    const Summary &summary;
    const Totals &totals;
    uint64_t path = 0;  // hash of the way to it
    Bounds bounds = {};
    bool trusting = false;  // cuts are not checked for being wide enough; whoever takes one checks it

    const GrowOptions &options() const { return problem.options; }
    int64_t k() const { return problem.sums(); }
    bool fractional() const { return options().missing == Missing::fractional; }

    int32_t direction(int32_t j) const { return options().monotonic ? options().monotonic[j] : 0; }
    // Whether the children of a test that has a direction may predict these numbers. Those of other tests may
    // leave the bounds: their predictions are moved to them.
    bool allows(double left, double right, int32_t direction) const {
        return bounds.hold(left) && bounds.hold(right) && (right - left) * direction >= 0;
    }
    bool allows(const Tally &left, const Tally &right, int32_t direction) const {
        const auto value = [this](const Tally &t) {
            return problem.classes ? t.sums[1] / t.weight : totals.center + t.sums[0] / t.weight;
        };
        return allows(value(left), value(right), direction);
    }

    double weight_of(int64_t id) const { return sample.weighted ? sample.exact_weight[id] : 1.0; }
    void add(Tally &tally, int64_t id) const {
        const double w = weight_of(id);
        tally.weight += w;
        if (problem.classes)
            tally.sums[static_cast<size_t>(sample.label[id])] += w;
        else
            tally.sums[0] += sample.exact_target[id];
    }
};

// The worth of two children, given their known instances and those whose cell is missing.
template <class Index>
class PairJudge {
    const Node<Index> &node_;
    Scratch &s_;
    double least_;
    double whole_ = 0;  // weight × impurity of what is divided

  public:
    double value = 0;       // weight × impurity of the children
    int32_t missing = 0;    // the child of missing cells in that best case
    double branch[3] = {};  // weights of the children, and of neither
    int32_t direction = 0;  // as in Split, of the pairs to be judged

    // s.known and s.missing are filled.
    PairJudge(const Node<Index> &node, Scratch &s, double least)
        : node_(node), s_(s), least_(enough(least, node.options())) {
        s_.with_left = s_.known;
        if (!node.fractional()) s_.with_left.add(s_.missing.sums.data(), s_.missing.weight);
        whole_ = node.measure(s_.with_left.sums.data(), s_.with_left.weight);
    }

    // Whether the children l and r, both of known cells, are large enough; fills the fields above if so.
    bool judge(const Tally &l, const Tally &r) {
        const Missing mode = node_.options().missing;
        const bool heavier = l.weight < r.weight;
        if (s_.missing.weight <= 0 || mode == Missing::fractional) {
            missing = mode == Missing::fractional ? -1 : heavier;
            return measure(l, r);
        }
        s_.with_left = l, s_.with_right = r;
        const double *m = s_.missing.sums.data();
        if (mode == Missing::majority) {
            (heavier ? s_.with_right : s_.with_left).add(m, s_.missing.weight);
            missing = heavier;
            return measure(s_.with_left, s_.with_right);
        }
        if (mode == Missing::class_majority) {
            for (size_t c = 0; c < l.sums.size(); ++c) {
                const bool unseen = l.sums[c] <= 0 && r.sums[c] <= 0;  // such a class follows the heavier branch
                Tally &to = (unseen ? heavier : l.sums[c] < r.sums[c]) ? s_.with_right : s_.with_left;
                to.sums[c] += m[c], to.weight += m[c];
            }
            missing = heavier;
            return measure(s_.with_left, s_.with_right);
        }
        s_.with_right.add(m, s_.missing.weight);
        const bool right = measure(l, s_.with_right);
        const double right_value = value, right_branch[2] = {branch[0], branch[1]};
        s_.with_left.add(m, s_.missing.weight);
        const bool left = measure(s_.with_left, r);
        missing = !(left && (!right || value < right_value));
        if (missing == 1) value = right_value, branch[0] = right_branch[0], branch[1] = right_branch[1];
        return left || right;
    }

    // All known cells against the missing ones.
    bool judge_missing() {
        missing = 1;
        return measure(s_.known, s_.missing);
    }

    double gain() const { return (whole_ - value) / node_.summary.weight; }

    double ratio() const {
        const double weight = node_.summary.weight;
        const double others = node_.fractional() ? s_.missing.weight : 0.0;
        return gain_ratio(node_.measure, gain(), weight, others, branch, 2);
    }

    static double gain_ratio(const Measure &measure, double gain, double weight, double others, const double *branch,
                             int64_t n) {
        double information = measure.xlogx(weight) - measure.xlogx(others);
        for (int64_t b = 0; b < n; ++b) information -= measure.xlogx(branch[b]);
        return std::abs(information) <= j48_slack ? 0.0 : gain / (information / weight);
    }

  private:
    bool measure(const Tally &l, const Tally &r) {
        if (l.weight < least_ || r.weight < least_ || l.weight <= 0 || r.weight <= 0) return false;
        if (direction && !node_.allows(l, r, direction)) return false;
        branch[0] = l.weight, branch[1] = r.weight;
        value = node_.measure(l.sums.data(), l.weight) + node_.measure(r.sums.data(), r.weight);
        return true;
    }
};

}  // namespace learnt::tree
