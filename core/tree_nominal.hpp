// The best test of a nominal column in a node, from a table of sums by category. The table costs what the
// node's instances and the categories among them cost, whatever number of categories is declared.
#pragma once

#include "tree_split.hpp"

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
        node_.sample.each_id(node_.plan, node_.range, [&](int64_t id) {
            const int32_t code = codes[id];
            if (code < 0) return node_.add(s_.missing, id);
            double *const at = s_.table.data() + code * (k_ + 1);
            const double w = node_.sample.weight_of(id);
            if (at[k_] == 0) s_.present.push_back(code);
            at[k_] += w;
            if (node_.problem.classes)
                at[node_.sample.label[id]] += w;
            else
                at[0] += w * (node_.sample.target[id] - node_.mean);
        });
        std::sort(s_.present.begin(), s_.present.end());
        for (const int32_t code : s_.present) s_.known.add(sums(code), weight(code));
    }

    void clear_table() {
        for (const int32_t code : s_.present) std::fill_n(s_.table.data() + code * (k_ + 1), k_ + 1, 0.0);
    }

    // Keeps the pair that was judged last if it is better: by gain, or by gain ratio where that is the criterion.
    void keep(const PairJudge<Index> &judge, const int32_t *left, size_t n) {
        const bool by_ratio = options().criterion == Criterion::gain_ratio;
        const double now = by_ratio ? judge.ratio() : judge.gain();
        if (best_.found() && !(now > (by_ratio ? best_.ratio : best_.gain) + slack(options()))) return;
        best_.column = j_, best_.gain = judge.gain(), best_.ratio = judge.ratio(), best_.missing = judge.missing;
        best_.left.assign(left, left + n);
    }

    void try_equals() {
        PairJudge<Index> judge(node_, s_, options().min_samples_leaf);
        for (const int32_t &code : s_.present) {
            s_.left.clear(k_), s_.left.add(sums(code), weight(code));
            s_.right.difference(s_.known, s_.left);
            if (s_.present.size() > 1 && judge.judge(s_.left, s_.right)) keep(judge, &code, 1);
        }
        try_missing(judge);
    }

    // Whatever is known against what is missing.
    void try_missing(PairJudge<Index> &judge) {
        if (options().missing == Missing::learned && s_.missing.weight > 0 && judge.judge_missing())
            keep(judge, s_.present.data(), s_.present.size());
    }

    // Cuts of the categories in the order of a score: exact for two classes and for squares.
    void try_in_order(const std::vector<double> &score) {
        std::vector<size_t> by(s_.present.size());
        std::iota(by.begin(), by.end(), size_t{0});
        std::stable_sort(by.begin(), by.end(), [&](size_t a, size_t b) { return score[a] < score[b]; });
        std::vector<int32_t> codes;
        for (const size_t i : by) codes.push_back(s_.present[i]);
        PairJudge<Index> judge(node_, s_, options().min_samples_leaf);
        s_.left.clear(k_);
        for (size_t i = 0; i + 1 < codes.size(); ++i) {
            s_.left.add(sums(codes[i]), weight(codes[i]));
            s_.right.difference(s_.known, s_.left);
            if (judge.judge(s_.left, s_.right)) keep(judge, codes.data(), i + 1);
        }
        try_missing(judge);
        std::sort(best_.left.begin(), best_.left.end());
    }

    // Every way to divide the categories; the last one always goes right.
    void try_all() {
        PairJudge<Index> judge(node_, s_, options().min_samples_leaf);
        std::vector<int32_t> codes;
        for (uint32_t set = 1; set < 1u << (s_.present.size() - 1); ++set) {
            codes.clear(), s_.left.clear(k_);
            for (size_t i = 0; i < s_.present.size(); ++i)
                if (set >> i & 1) codes.push_back(s_.present[i]), s_.left.add(sums(s_.present[i]), weight(s_.present[i]));
            s_.right.difference(s_.known, s_.left);
            if (judge.judge(s_.left, s_.right)) keep(judge, codes.data(), codes.size());
        }
        try_missing(judge);
    }

    // Where the class shares of the categories lie along their first principal component (Coppersmith, Hong
    // and Hosking 1999), by power iteration.
    std::vector<double> principal_scores() const {
        const size_t k = static_cast<size_t>(k_), levels = s_.present.size();
        std::vector<double> covariance(k * k), d(k), axis(k), next(k), score(levels);
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
        for (size_t i = 0; i < levels; ++i) {
            deviation(s_.present[i]);
            for (size_t a = 0; a < k; ++a) score[i] += axis[a] * d[a];
        }
        return score;
    }

    void try_subsets() {
        if (k_ > 2 && s_.present.size() > 1 && s_.present.size() <= most_levels_tried_exhaustively) return try_all();
        if (k_ > 2) return try_in_order(principal_scores());
        std::vector<double> share;
        for (const int32_t code : s_.present) share.push_back(sums(code)[k_ - 1] / weight(code));
        try_in_order(share);
    }

    // One branch per declared category, whether it has instances or not.
    void try_multiway() {
        const Missing mode = options().missing;
        const double least = options().min_samples_leaf - slack(options());
        std::vector<int32_t> present = s_.present;  // categories that have instances
        const double missing = s_.missing.weight;
        Tally whole = s_.known;
        int32_t to = 0;  // the branch of missing cells
        for (const int32_t &code : present)
            if (weight(code) > weight(present[static_cast<size_t>(to)])) to = static_cast<int32_t>(&code - present.data());
        if (missing > 0 && mode != Missing::fractional) {
            whole.add(s_.missing.sums.data(), missing);
            if (mode == Missing::learned) to = best_branch(present);
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
        const bool enough = options().min_branches ? large >= 2 : large == static_cast<int64_t>(present.size());
        if (!enough || present.size() < 2) return;
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

    // The branch in which the missing instances raise the impurity least.
    int32_t best_branch(const std::vector<int32_t> &present) {
        int32_t best = 0;
        double least = infinity;
        for (size_t b = 0; b < present.size(); ++b) {
            s_.left.clear(k_), s_.left.add(sums(present[b]), weight(present[b]));
            const double before = node_.measure(s_.left.sums.data(), s_.left.weight);
            s_.left.add(s_.missing.sums.data(), s_.missing.weight);
            const double rise = node_.measure(s_.left.sums.data(), s_.left.weight) - before;
            if (rise < least) least = rise, best = static_cast<int32_t>(b);
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
        if (!s_.present.empty()) switch (options().nominal) {
                case Nominal::multiway: try_multiway(); break;
                case Nominal::equals: try_equals(); break;
                case Nominal::subset: try_subsets(); break;
            }
        clear_table();
        return std::move(best_);
    }
};

}  // namespace learnt::tree
