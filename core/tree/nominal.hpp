// The best test of a nominal column in a node, from a table of sums by category. The table costs what the
// node's instances and the categories among them cost, whatever number of categories is declared.
#pragma once

#include <numbers>
#include <utility>

#include "tree/random_tests.hpp"
#include "tree/split.hpp"

namespace learnt::tree {

inline constexpr size_t most_levels_tried_exhaustively = 10;

template <class Index>
class NominalSearch {
    const Node<Index> &node_;
    const int32_t j_;
    Scratch &s_;
    const int64_t k_;
    Split best_;

    const double *sums(int32_t code) const { return s_.table.data() + code * (k_ + 1); }
    double weight(int32_t code) const { return sums(code)[k_]; }
    const GrowOptions &options() const { return node_.options(); }

    void count() {
        const Column &column = node_.problem.columns[static_cast<size_t>(j_)];
        const int32_t *const codes = node_.sample.coded(node_.plan.place[static_cast<size_t>(j_)]);
        s_.table.resize(static_cast<size_t>(column.n_categories * (k_ + 1)));
        s_.present.clear(), s_.known.clear(k_), s_.missing.clear(k_);
        if (node_.problem.classes && !node_.sample.weighted && node_.range.size() >= column.n_categories)
            return count_rows(codes, column.n_categories);
        double *const table = s_.table.data();
        const int64_t k = k_;
        const auto walk = [&](auto weight_of, auto add) {
            node_.sample.each_id(node_.plan, node_.range, [&](int64_t id) {
                const int32_t code = codes[id];
                if (code < 0) return node_.add(s_.missing, id);
                double *const at = table + code * (k + 1);
                const double w = weight_of(id);
                if (at[k] == 0) s_.present.push_back(code);
                at[k] += w;
                add(at, id, w);
            });
        };
        const Sample<Index> &sample = node_.sample;
        const auto by_class = [&](double *at, int64_t id, double w) { at[sample.label[id]] += w; };
        const auto one = [](int64_t) { return 1.0; };
        if (node_.problem.classes && !sample.weighted)
            walk(one, by_class);
        else if (node_.problem.classes)
            walk([&](int64_t id) { return sample.exact_weight[id]; }, by_class);
        else
            walk([&](int64_t id) { return node_.weight_of(id); },
                 [&](double *at, int64_t id, double) { at[0] += sample.exact_target[id]; });
        sort_present(column.n_categories);
        for (const int32_t code : s_.present) s_.known.add(sums(code), weight(code));
    }

    // The same where every row counts one and there are enough of them to pay for a look at all categories:
    // whole numbers and no branches. A missing cell, code −1, has the place before the first category.
    void count_rows(const int32_t *codes, int32_t n_categories) {
        const int64_t k = k_;
        s_.counts.assign(static_cast<size_t>((n_categories + 1) * k), 0);
        int32_t *const counts = s_.counts.data() + k;
        const Sample<Index> &sample = node_.sample;
        const auto tally = [&](const auto &label) {
            sample.each_id(node_.plan, node_.range, [&](int64_t id) { ++counts[codes[id] * k + label[id]]; });
        };
        if (k == 2)
            tally(sample.small_label);
        else
            tally(sample.label);
        for (int64_t c = 0; c < k; ++c) {
            s_.missing.sums[static_cast<size_t>(c)] = counts[c - k];
            s_.missing.weight += counts[c - k];
        }
        for (int32_t code = 0; code < n_categories; ++code) {
            const int32_t *const from = counts + code * k;
            double *const at = s_.table.data() + code * (k + 1);
            double weight = 0;
            for (int64_t c = 0; c < k; ++c) weight += at[c] = from[c];
            if (weight == 0) continue;
            at[k] = weight;
            s_.present.push_back(code);
            s_.known.add(at, weight);
        }
    }

    void sort_present(int32_t n_categories) {
        if (static_cast<int32_t>(s_.present.size()) < n_categories / 8)
            return std::sort(s_.present.begin(), s_.present.end());
        s_.present.clear();
        for (int32_t code = 0; code < n_categories; ++code)
            if (weight(code) > 0) s_.present.push_back(code);
    }

    void clear_table() {
        for (const int32_t code : s_.present) std::fill_n(s_.table.data() + code * (k_ + 1), k_ + 1, 0.0);
    }

    // Keeps the pair that was judged last if it is better: by gain, or by gain ratio where that is the criterion.
    void keep(const PairJudge<Index> &judge, const int32_t *left, size_t n) {
        const bool by_ratio = options().criterion == Criterion::gain_ratio;
        const double now = by_ratio ? judge.ratio() : judge.gain();
        if (best_.found() && !(now > (by_ratio ? best_.ratio : best_.gain) + slack(options()))) return;
        best_.column = j_, best_.gain = judge.gain(), best_.missing = judge.missing;
        best_.direction = judge.direction;
        if (by_ratio) best_.ratio = now;
        best_.left.assign(left, left + n);
    }

    void try_equals() {
        PairJudge<Index> judge(node_, s_, options().min_samples_leaf);
        for (const int32_t &code : s_.present) {
            s_.left.clear(k_), s_.left.add(sums(code), weight(code));
            s_.right.difference(s_.known, s_.left);
            judge.direction = direction(code);
            if (s_.present.size() > 1 && judge.judge(s_.left, s_.right)) keep(judge, &code, 1);
        }
        try_missing(judge);
    }

    // Of the two labels of a boolean column one goes left: which way the target shall change from there.
    int32_t direction(int32_t left) const { return left == 0 ? node_.direction(j_) : -node_.direction(j_); }

    // One set of categories, drawn.
    void try_drawn() {
        PairJudge<Index> judge(node_, s_, options().min_samples_leaf);
        const std::vector<int32_t> left = drawn_set(node_.path, j_, s_.present, options().nominal);
        s_.left.clear(k_);
        for (const int32_t code : left) s_.left.add(sums(code), weight(code));
        s_.right.difference(s_.known, s_.left);
        if (!left.empty()) judge.direction = direction(left[0]);
        if (!left.empty() && judge.judge(s_.left, s_.right)) keep(judge, left.data(), left.size());
        try_missing(judge);
    }

    // Whatever is known against what is missing.
    void try_missing(PairJudge<Index> &judge) {
        judge.direction = 0;
        if (options().missing == Missing::learned && s_.missing.weight > 0 && judge.judge_missing())
            keep(judge, s_.present.data(), s_.present.size());
    }

    // Cuts of the categories in the order of a score: exact for two classes and for squares.
    template <class Score>
    void try_in_order(Score score) {
        auto &by = s_.by_score;
        by.clear();
        for (const int32_t code : s_.present) by.emplace_back(score(code), code);
        std::sort(by.begin(), by.end());
        for (size_t i = 0; i < by.size(); ++i) s_.present[i] = by[i].second;
        PairJudge<Index> judge(node_, s_, options().min_samples_leaf);
        const size_t cuts = s_.present.size() - 1;
        judge.direction = direction(s_.present[0]);
        const bool squares = options().criterion == Criterion::gini || options().criterion == Criterion::mse;
        if (cuts > 0 && !judge.direction && squares && k_ <= 2 &&
            (s_.missing.weight == 0 || options().missing == Missing::fractional ||
             options().missing == Missing::learned)) {
            if (const size_t left = best_cut()) try_cut(judge, left);
        } else {
            s_.left.clear(k_);
            for (size_t i = 0; i < cuts; ++i) {
                s_.left.add(sums(s_.present[i]), weight(s_.present[i]));
                s_.right.difference(s_.known, s_.left);
                if (judge.judge(s_.left, s_.right)) keep(judge, s_.present.data(), i + 1);
            }
        }
        try_missing(judge);
        std::sort(best_.left.begin(), best_.left.end());
    }

    void try_cut(PairJudge<Index> &judge, size_t left) {
        s_.left.clear(k_);
        for (size_t i = 0; i < left; ++i) s_.left.add(sums(s_.present[i]), weight(s_.present[i]));
        s_.right.difference(s_.known, s_.left);
        if (judge.judge(s_.left, s_.right)) keep(judge, s_.present.data(), left);
    }

    // How many of the categories in order go left, for squares (gini of two classes is one): the cut with the
    // largest d²/(a·b), as in SquareSums. 0: none is allowed.
    size_t best_cut() const {
        const double least = enough(options().min_samples_leaf, options());
        const bool learns = s_.missing.weight > 0 && options().missing == Missing::learned;
        const double lost = learns ? s_.missing.weight : 0.0, lost_sum = learns ? s_.missing.sums.back() : 0.0;
        const double all = s_.known.weight + lost, sum = s_.known.sums.back() + lost_sum;
        double best = -infinity;
        size_t left = 0;
        for (int way = 0; way < 1 + learns; ++way) {  // missing cells on the right, then on the left
            double a = way * lost, part = way * lost_sum;
            for (size_t i = 0; i + 1 < s_.present.size(); ++i) {
                a += weight(s_.present[i]), part += sums(s_.present[i])[k_ - 1];
                const double b = all - a, d = part * all - a * sum;
                if (!(d * d > best * (a * b)) || a < least || b < least) continue;
                if (const double worth = d * d / (a * b); worth > best) best = worth, left = i + 1;
            }
        }
        return left;
    }

    // Every way to divide the categories; the last one always goes right.
    void try_all() {
        PairJudge<Index> judge(node_, s_, options().min_samples_leaf);
        std::vector<int32_t> codes;
        for (uint32_t set = 1; set < 1u << (s_.present.size() - 1); ++set) {
            codes.clear(), s_.left.clear(k_);
            for (size_t i = 0; i < s_.present.size(); ++i)
                if (set >> i & 1)
                    codes.push_back(s_.present[i]), s_.left.add(sums(s_.present[i]), weight(s_.present[i]));
            s_.right.difference(s_.known, s_.left);
            if (judge.judge(s_.left, s_.right)) keep(judge, codes.data(), codes.size());
        }
        try_missing(judge);
    }

    // Where the class shares of the categories lie along their first principal component (Coppersmith, Hong
    // and Hosking 1999), by power iteration.
    void try_principal_order() {
        const size_t k = static_cast<size_t>(k_);
        std::vector<double> covariance(k * k), d(k), axis(k), next(k);
        const auto deviation = [&](int32_t code) {
            for (size_t c = 0; c < k; ++c) d[c] = sums(code)[c] / weight(code) - s_.known.sums[c] / s_.known.weight;
        };
        for (const int32_t code : s_.present) {
            deviation(code);
            for (size_t a = 0; a < k; ++a)
                for (size_t b = 0; b < k; ++b) covariance[a * k + b] += weight(code) * d[a] * d[b];
        }
        size_t widest = 0;
        for (size_t a = 1; a < k; ++a)
            if (covariance[a * k + a] > covariance[widest * k + widest]) widest = a;
        std::copy_n(covariance.begin() + static_cast<std::ptrdiff_t>(widest * k), k, axis.begin());
        for (int step = 0; step < 64; ++step) {
            double length = 0;
            for (size_t a = 0; a < k; ++a) {
                next[a] = 0;
                for (size_t b = 0; b < k; ++b) next[a] += covariance[a * k + b] * axis[b];
                length = std::max(length, std::abs(next[a]));
            }
            if (!(length > 0)) break;
            for (size_t a = 0; a < k; ++a) axis[a] = next[a] / length;
        }
        try_in_order([&](int32_t code) {
            deviation(code);
            return std::inner_product(axis.begin(), axis.end(), d.begin(), 0.0);
        });
    }

    void try_subsets() {
        if (k_ > 2 && s_.present.size() > 1 && s_.present.size() <= most_levels_tried_exhaustively) return try_all();
        if (k_ > 2) return try_principal_order();
        try_in_order([&](int32_t code) { return sums(code)[k_ - 1] / weight(code); });
    }

    // What a column of so many names gains by chance alone, times the weight of the node; columns are compared by what
    // they gain beyond it, or a column of names would win every node. Cutting k normal means where it is best keeps 2/π of
    // their spread, and means of k categories without meaning spread as k rows do. Categories of one row each part a class
    // from all others altogether.
    // (Fuel of 280 cars from seven columns and 223 names, error on 118 others: 10.7 without this, 3.9 with it, 4.7 without
    // the names; by the mean of all 7.6.)
    double chance() const {
        double rows = -2;
        for (const int32_t code : s_.present) {
            const double w = weight(code);
            rows += node_.problem.classes && w <= 1 ? w : 2 / std::numbers::pi * std::min(w, 1.0);
        }
        double impurity = node_.measure(s_.known.sums.data(), s_.known.weight);  // as far as one cut can take it away
        if (node_.problem.classes) {
            double least = impurity;
            s_.left.sums = s_.known.sums;
            for (size_t c = 0; c < s_.left.sums.size(); ++c) {
                const double of_class = std::exchange(s_.left.sums[c], 0.0);
                least = std::min(least, node_.measure(s_.left.sums.data(), s_.known.weight - of_class));
                s_.left.sums[c] = of_class;
            }
            impurity -= least;
        } else {
            const int32_t *const codes = node_.sample.coded(node_.plan.place[static_cast<size_t>(j_)]);
            node_.sample.each_id(node_.plan, node_.range, [&](int64_t id) {
                const double y = node_.sample.exact_target[id], w = node_.weight_of(id);
                if (codes[id] >= 0 && w > 0) impurity += y * y / w;  // exact_target is weight times target
            });
        }
        return std::max(0.0, rows * impurity / s_.known.weight);
    }

    // One branch per declared category, whether it has instances or not.
    void try_multiway() {
        const Missing mode = options().missing;
        const double least = enough(options().min_samples_leaf, options());
        std::vector<int32_t> present = s_.present;  // categories that have instances
        const double missing = s_.missing.weight;
        Tally whole = s_.known;
        int32_t to = 0;  // the branch of missing cells
        for (const int32_t &code : present)
            if (weight(code) > weight(present[static_cast<size_t>(to)]))
                to = static_cast<int32_t>(&code - present.data());
        if (missing > 0 && mode != Missing::fractional) {
            whole.add(s_.missing.sums.data(), missing);
            if (mode == Missing::learned) to = best_branch(present, least);
            if (mode == Missing::class_majority)
                share_by_class(present, present[static_cast<size_t>(to)]);
            else
                add_to(present[static_cast<size_t>(to)], s_.missing.sums.data(), missing);
        }
        double value = 0;
        int64_t large = 0;
        std::vector<double> branch;
        for (const int32_t code : present) {
            value += node_.measure(sums(code), weight(code));
            branch.push_back(weight(code));
            large += weight(code) >= least;
        }
        if (!large_enough(large, present.size()) || present.size() < 2) return;
        best_.column = j_, best_.children = node_.problem.columns[static_cast<size_t>(j_)].n_categories;
        best_.missing = mode == Missing::fractional ? -1 : present[static_cast<size_t>(to)];
        best_.gain = (node_.measure(whole.sums.data(), whole.weight) - value) / node_.summary.weight;
        best_.ratio = PairJudge<Index>::gain_ratio(node_.measure, best_.gain, node_.summary.weight,
                                                   mode == Missing::fractional ? missing : 0.0, branch.data(),
                                                   static_cast<int64_t>(branch.size()));
    }

    void add_to(int32_t code, const double *more, double w) {
        double *const at = s_.table.data() + code * (k_ + 1);
        for (int64_t c = 0; c < k_; ++c) at[c] += more[c];
        at[k_] += w;
    }

    bool large_enough(int64_t large, size_t branches) const {
        return options().min_branches ? large >= 2 : large == static_cast<int64_t>(branches);
    }

    // The branch in which the missing instances raise the impurity least, if they leave no branch too light.
    int32_t best_branch(const std::vector<int32_t> &present, double least) {
        const auto large = [&](int32_t code, double more) { return weight(code) + more >= least; };
        const int64_t without =
            std::count_if(present.begin(), present.end(), [&](int32_t code) { return large(code, 0); });
        int32_t best = 0;
        double least_rise = infinity;
        for (size_t b = 0; b < present.size(); ++b) {
            const int64_t with = without - large(present[b], 0) + large(present[b], s_.missing.weight);
            if (!large_enough(with, present.size())) continue;
            s_.left.clear(k_), s_.left.add(sums(present[b]), weight(present[b]));
            const double before = node_.measure(s_.left.sums.data(), s_.left.weight);
            s_.left.add(s_.missing.sums.data(), s_.missing.weight);
            const double rise = node_.measure(s_.left.sums.data(), s_.left.weight) - before;
            if (rise < least_rise) least_rise = rise, best = static_cast<int32_t>(b);
        }
        return best;
    }

    // Every class to its heaviest branch; one without known cells to the heaviest of all.
    void share_by_class(const std::vector<int32_t> &present, int32_t heaviest) {
        for (int64_t c = 0; c < k_; ++c) {
            int32_t code = heaviest;
            double most = 0;
            for (const int32_t other : present)
                if (sums(other)[c] > most) most = sums(other)[c], code = other;
            double *const at = s_.table.data() + code * (k_ + 1);
            at[c] += s_.missing.sums[static_cast<size_t>(c)], at[k_] += s_.missing.sums[static_cast<size_t>(c)];
        }
    }

  public:
    NominalSearch(const Node<Index> &node, int32_t j, Scratch &s) : node_(node), j_(j), s_(s), k_(node.k()) {}

    Split search() {
        count();
        if (!s_.present.empty() && options().random_cuts && options().nominal != Nominal::multiway)
            try_drawn();
        else if (!s_.present.empty()) switch (options().nominal) {
                case Nominal::multiway: try_multiway(); break;
                case Nominal::equals: try_equals(); break;
                case Nominal::subset: {
                    try_subsets();
                    const bool cut = best_.left.size() < s_.present.size();  // not the missing cells against all others
                    if (cut && s_.present.size() > most_levels_tried_exhaustively)
                        best_.chance = chance() / node_.summary.weight;
                    break;
                }
            }
        clear_table();
        return std::move(best_);
    }
};

}  // namespace learnt::tree
