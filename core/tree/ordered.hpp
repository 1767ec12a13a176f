// The best threshold of an ordered column in a node: one walk along its sorted list.
#pragma once

#include "tree/random_tests.hpp"
#include "tree/scan.hpp"

namespace learnt::tree {

// J48's least weight on either side of a threshold.
template <class Index>
double least_side(const Node<Index> &node, double known) {
    const GrowOptions &o = node.options();
    if (!o.j48_numeric_minimum) return o.min_samples_leaf;
    const double wanted = 0.1 * known / static_cast<double>(std::max<int64_t>(1, o.n_declared_classes));
    return wanted <= o.min_samples_leaf + j48_slack ? o.min_samples_leaf : std::min(wanted, 25.0);
}

// One column's search.
template <class Index>
class OrderedSearch {
    const Node<Index> &node_;
    const int32_t j_;
    Scratch &s_;
    const Column &column_;
    const GrowOptions &o_;
    const double gap_;
    const Entry<Index> *const list_;
    const int64_t n_, known_;
    Split best_;

    bool may_cut_at(int64_t i) const {
        return may_cut(column_, o_, gap_, node_.sample.row[list_[i - 1].id], node_.sample.row[list_[i].id]);
    }

    void keep(const PairJudge<Index> &judge, int64_t position) {
        best_.column = j_, best_.position = position, best_.direction = judge.direction;
        best_.gain = judge.gain(), best_.ratio = judge.ratio(), best_.missing = judge.missing;
    }

    void tally() {
        s_.missing.clear(node_.k()), s_.known.clear(node_.k()), s_.left.clear(node_.k());
        s_.try_left.clear(node_.k());
        for (int64_t i = known_; i < n_; ++i) node_.add(s_.missing, list_[i].id);
        s_.known.difference(node_.totals.all, s_.missing);
    }

    // Every cut, by the formula for all cases.
    void walk(PairJudge<Index> &judge) {
        for (int64_t i = 1; i < known_; ++i) {
            node_.add(s_.left, list_[i - 1].id);
            if (list_[i].rank == list_[i - 1].rank || !may_cut_at(i)) continue;
            s_.right.difference(s_.known, s_.left);
            if (judge.judge(s_.left, s_.right) && (!best_.found() || judge.gain() > best_.gain)) keep(judge, i);
        }
    }

    // C4.5: entropy, missing cells left out, and a price for having chosen among many cuts.
    void scan_c45(PairJudge<Index> &judge, double least) {
        const bool wide = !node_.plan.wide.empty() && node_.plan.wide[static_cast<size_t>(j_)];
        const auto may = [&](int64_t i) { return wide || may_cut_at(i); };
        const double step = slack(o_) * node_.summary.weight;
        s_.none.clear(node_.k());
        Cut cut;
        if (o_.average_gain) cut.worth = -node_.measure(s_.known.sums.data(), s_.known.weight);
        const auto with = [&](auto sums) {
            return count_cuts(list_, known_, sums, s_.none, s_.known.weight, least, step, may, cut, s_.left);
        };
        const Sample<Index> &sample = node_.sample;
        const int64_t tried =
            sample.weighted
                ? with(ClassSums<Index, true, true>(sample, node_.measure, s_.known, s_.with_left, s_.right))
                : with(ClassSums<Index, false, true>(sample, node_.measure, s_.known, s_.with_left, s_.right));
        if (cut.position < 0) return;
        s_.right.difference(s_.known, s_.left);
        if (!judge.judge(s_.left, s_.right)) return;
        keep(judge, cut.position);
        if (!o_.mdl_correction) return;
        const double before = best_.gain;
        best_.gain -= std::log2(static_cast<double>(tried)) / node_.summary.weight;
        best_.ratio *= best_.gain / before;
        if (best_.gain <= j48_slack) best_ = {};
    }

    bool quick() const {
        const bool by_class = known_ < n_ && o_.missing == Missing::class_majority;
        return !by_class && o_.criterion != Criterion::misclassification;
    }

    // Whether the cut the running sums stand at keeps to the column's direction and the node's bounds.
    template <class Sums>
    bool allowed(const Sums &sums, const Tally &all) {
        sums.save(s_.try_left);
        s_.try_right.difference(all, s_.try_left);
        return node_.allows(s_.try_left, s_.try_right, node_.direction(j_));
    }

    // A threshold drawn between the least and the greatest cell.
    void draw(PairJudge<Index> &judge) {
        const auto number = [&](Entry<Index> e) { return column_.number(node_.sample.row[e.id]); };
        const auto row = [&](int64_t i) { return node_.sample.row[list_[i].id]; };
        if (!may_cut(column_, o_, gap_, row(0), row(known_ - 1))) return;
        const double threshold = drawn_threshold(node_.path, j_, number(list_[0]), number(list_[known_ - 1]));
        const int64_t position =
            std::partition_point(list_, list_ + known_, [&](Entry<Index> e) { return number(e) <= threshold; }) - list_;
        for (int64_t i = 0; i < position; ++i) node_.add(s_.left, list_[i].id);
        s_.right.difference(s_.known, s_.left);
        if (!judge.judge(s_.left, s_.right)) return;
        keep(judge, position);
        best_.threshold = threshold;
    }

    // The first cut with at least half of the known weight on its left.
    int64_t halfway() const {
        double weight = 0;
        int64_t i = 0;
        while (weight < s_.known.weight - weight) weight += node_.weight_of(list_[i++].id);
        return std::clamp<int64_t>(i, 1, known_);
    }

    // The same by running sums. Missing cells that learn their way are tried on the right, then on the left of
    // every cut; those that follow the heavier side are on the right until the left is heavier.
    void scan(PairJudge<Index> &judge, double least) {
        Tally &all = s_.all, &none = s_.none;
        all = s_.known, none.clear(node_.k());
        const bool lost = known_ < n_ && o_.missing != Missing::fractional;
        if (lost) all.add(s_.missing.sums.data(), s_.missing.weight);
        const int64_t half = lost && o_.missing == Missing::majority ? halfway() : 0;
        Cut cut;
        const auto with = [&](auto sums, bool unit) {
            const auto may = [&](int64_t i, auto at_cut) {
                return (node_.trusting || may_cut_at(i)) && (!judge.direction || allowed(at_cut, all));
            };
            const auto walk = [&](const Tally &from, Range cuts) {
                scan_list(list_, cuts, sums, from, all.weight, least, unit, may, cut, s_.left);
            };
            walk(none, {1, half ? half : known_});
            if (!lost) return;
            const double on_the_right = cut.worth;
            walk(s_.missing, {half ? half : 1, known_});
            if (cut.worth > on_the_right) s_.left.difference(s_.left, s_.missing);
        };
        const Sample<Index> &sample = node_.sample;
        const bool entropy = o_.criterion == Criterion::entropy || o_.criterion == Criterion::gain_ratio;
        if (!node_.problem.classes && sample.weighted)
            with(SquareSums<Index, true>(sample, all), false);
        else if (!node_.problem.classes)
            with(SquareSums<Index, false>(sample, all), true);
        else if (entropy && sample.weighted)
            with(ClassSums<Index, true, true>(sample, node_.measure, all, s_.with_left, s_.right), false);
        else if (entropy)
            with(ClassSums<Index, false, true>(sample, node_.measure, all, s_.with_left, s_.right), true);
        else if (sample.weighted && node_.problem.classes == 2)
            with(TwoClassWeights<Index>(sample, all), false);
        else if (sample.weighted)
            with(ClassSums<Index, true, false>(sample, node_.measure, all, s_.with_left, s_.right), false);
        else if (node_.problem.classes == 2)
            with(TwoClassCounts<Index>(sample, all), true);
        else
            with(ClassSums<Index, false, false>(sample, node_.measure, all, s_.with_left, s_.right), true);
        if (cut.position < 0) return;
        s_.right.difference(s_.known, s_.left);
        if (judge.judge(s_.left, s_.right)) keep(judge, cut.position);
    }

  public:
    OrderedSearch(const Node<Index> &node, int32_t j, Scratch &s)
        : node_(node),
          j_(j),
          s_(s),
          column_(node.problem.columns[static_cast<size_t>(j)]),
          o_(node.options()),
          gap_(node.plan.gap[static_cast<size_t>(j)]),
          list_(node.sample.list(node.plan.place[static_cast<size_t>(j)]) + node.range.first),
          n_(node.range.size()),
          known_(std::partition_point(list_, list_ + n_, [](Entry<Index> e) { return e.rank != missing_rank<Index>; }) -
                 list_) {}

    Split search() {
        if (known_ == 0 || (known_ == n_ && list_[0].rank == list_[n_ - 1].rank)) return {};
        tally();
        const double least = least_side(node_, s_.known.weight);
        PairJudge<Index> judge(node_, s_, least);
        judge.direction = node_.direction(j_);
        if (o_.random_cuts)
            draw(judge);
        else if (o_.average_gain || o_.mdl_correction)
            scan_c45(judge, enough(least, o_));
        else if (quick())
            scan(judge, enough(least, o_));
        else
            walk(judge);
        judge.direction = 0;
        if (o_.missing == Missing::learned && known_ < n_ && judge.judge_missing() &&
            (!best_.found() || judge.gain() > best_.gain))
            keep(judge, known_);
        if (best_.found() && best_.position == known_) best_.threshold = infinity;
        return std::move(best_);
    }
};

}  // namespace learnt::tree
