// The walk along a sorted list for the usual criteria, with what a cut is worth kept up to date entry by
// entry. The walk only finds where to cut; what the cut is worth is computed afterwards from its tallies,
// by the formula all kinds of splits share.
#pragma once

#include <bit>

#include "base/whole.hpp"
#include "tree/split.hpp"

namespace learnt::tree {

// The best cut so far: between entries position − 1 and position.
struct Cut {
    double worth = -infinity;
    int64_t position = -1;
};

// Two classes by gini, unit weights. With n instances in all, c₁ of them of class 1, a cut after i instances
// of which s are of class 1 lowers n·gini by 2·d²/(n·i·(n − i)), d = s·n − i·c₁: whole numbers, no division.
template <class Index>
class TwoClassCounts {
    const uint8_t *label_;
    int64_t n_, delta_[2], d_ = 0, i_ = 0, s_ = 0;

  public:
    TwoClassCounts(const Sample<Index> &sample, const Tally &all) : label_(sample.small_label.data()) {
        n_ = static_cast<int64_t>(all.weight);
        const int64_t ones = static_cast<int64_t>(all.sums[1]);
        delta_[0] = -ones, delta_[1] = n_ - ones;
    }
    void start(const Tally &from) {
        i_ = static_cast<int64_t>(from.weight), s_ = static_cast<int64_t>(from.sums[1]);
        d_ = i_ * delta_[0] + s_ * n_;
    }
    void add(Index id) { d_ += delta_[label_[id]], ++i_; }
    double size() const { return static_cast<double>(i_) * static_cast<double>(n_ - i_); }
    bool beats(double best) const {
        const double d = static_cast<double>(d_);
        return d * d > best * size();
    }
    double worth() const { return static_cast<double>(d_) * static_cast<double>(d_) / size(); }
    void save(Tally &left) const {
        left.weight = static_cast<double>(i_);
        left.sums[1] = static_cast<double>((d_ - i_ * delta_[0]) / n_);
        left.sums[0] = left.weight - left.sums[1];
    }
};

// Two classes by gini, any weights. With W in all, S of it of class 1, a cut with the weight a on its left, s of it
// of class 1, lowers W·gini by 2·d²/(W·a·(W − a)), d = s·W − a·S: no sum of squares that rounding wears away where one
// side is light, as it is in boosting.
template <class Index>
class TwoClassWeights {
    const double *weight_;
    const uint8_t *label_;
    double all_, ones_, a_ = 0, s_ = 0;

    double d() const { return s_ * all_ - a_ * ones_; }
    double size() const { return a_ * (all_ - a_); }

  public:
    TwoClassWeights(const Sample<Index> &sample, const Tally &all)
        : weight_(sample.exact_weight.data()), label_(sample.small_label.data()), all_(all.weight), ones_(all.sums[1]) {}
    void start(const Tally &from) { a_ = from.weight, s_ = from.sums[1]; }
    void fetch(Index id) const { __builtin_prefetch(weight_ + id), __builtin_prefetch(label_ + id); }
    void add(Index id) {
        const double w = weight_[id];
        const uint64_t one = -static_cast<uint64_t>(label_[id]);  // all bits or none: no branch to guess wrong
        a_ += w, s_ += std::bit_cast<double>(std::bit_cast<uint64_t>(w) & one);
    }
    bool beats(double best) const { return d() * d() > best * size(); }
    double worth() const { return d() * d() / size(); }
    double left_weight() const { return a_; }
    void save(Tally &left) const { left.weight = a_, left.sums[1] = s_, left.sums[0] = std::max(0.0, a_ - s_); }
};

// Squared error: a cut with weights a and b and the sum s on its left lowers it by d²/(a·b·(a + b)), where d
// is s·(a + b) − a·(sum of all).
template <class Index, bool weighted>
class SquareSums {
    const double *const weights_, *const targets_;
    const double all_, sum_;
    double weight_ = 0, s_ = 0;

  public:
    SquareSums(const Sample<Index> &sample, const Tally &all)
        : weights_(sample.exact_weight.data()),
          targets_(sample.exact_target.data()),
          all_(all.weight),
          sum_(all.sums[0]) {}
    void start(const Tally &from) { weight_ = from.weight, s_ = from.sums[0]; }
    void add(Index id) {
        weight_ += weighted ? weights_[id] : 1.0, s_ += targets_[id];
    }
    bool beats(double best) const {
        const double d = s_ * all_ - weight_ * sum_;
        return d * d > best * (weight_ * (all_ - weight_));
    }
    double worth() const {
        const double d = s_ * all_ - weight_ * sum_;
        return d * d / (weight_ * (all_ - weight_));
    }
    double left_weight() const { return weight_; }
    void save(Tally &left) const { left.weight = weight_, left.sums[0] = s_; }
};

// Any number of classes. Gini keeps Σ c² of both sides, entropy Σ c·log₂c, of terms on a grid: what is added and
// taken away again leaves nothing behind.
template <class Index, bool weighted, bool entropy>
class ClassSums {
    const Sample<Index> &sample_;
    const Measure &measure_;
    const Tally &all_;
    Tally &left_, &right_;
    Grid grid_;  // for weights that are not whole
    double of_left_ = 0, of_right_ = 0;

    double term(double c) const {
        if constexpr (!weighted) return entropy ? measure_.rounded_xlogx(c) : c * c;
        return grid_(entropy ? measure_.xlogx(c) : c * c);
    }
    // What the absolute terms of all classes, and of the weight, may add up to.
    static double most(double weight, size_t k) {
        if (!entropy) return 2 * weight * weight;
        const double log = std::log2(weight), classes = static_cast<double>(k);
        return 2 * (log > 0 ? weight * log + classes : weight * (std::log2(classes) - log) + weight);
    }
    double of(const Tally &t) const {
        double total = 0;
        for (const double c : t.sums) total += term(c);
        return total;
    }

  public:
    ClassSums(const Sample<Index> &sample, const Measure &measure, const Tally &all, Tally &left, Tally &right)
        : sample_(sample), measure_(measure), all_(all), left_(left), right_(right) {
        if (weighted) grid_ = Grid(most(all.weight, all.sums.size()));
    }
    void start(const Tally &from) {
        left_ = from, right_.difference(all_, from);
        of_left_ = of(left_), of_right_ = of(right_);
    }
    void add(Index id) {
        const double w = weighted ? sample_.exact_weight[id] : 1.0;
        const size_t c = static_cast<size_t>(sample_.label[id]);
        double &l = left_.sums[c], &r = right_.sums[c];
        of_left_ -= term(l), of_right_ -= term(r);
        l += w, r = std::max(0.0, r - w);
        of_left_ += term(l), of_right_ += term(r);
        left_.weight += w, right_.weight -= w;
    }
    bool beats(double best) const { return worth() > best; }
    double worth() const {
        if (entropy) return of_left_ - term(left_.weight) + of_right_ - term(std::max(0.0, right_.weight));
        return of_left_ / left_.weight + of_right_ / right_.weight;
    }
    double left_weight() const { return left_.weight; }
    void save(Tally &left) const { left = left_; }
};

inline constexpr int64_t ahead = 24;  // entries whose weights are asked for before they are needed

// Moves `best` to the best of the cuts before entries [first, last) of a list if it is better, and `left` to
// the tally on its left. `from` is what lies left of all cuts besides the list, `all` the weight of everything;
// both sides shall have `least`. The sums are handed on by value, or they would be kept out of the registers.
template <class Index, class Sums, class MayCut>
void scan_list(const Entry<Index> *list, Range cuts, Sums sums, const Tally &from, double all, double least, bool unit,
               MayCut may_cut, Cut &best, Tally &left) {
    auto [first, last] = cuts;
    if (unit) {  // then weights are positions
        first = whole_within(std::ceil(least - from.weight), first, last);
        last = whole_within(std::floor(all - from.weight - least) + 1, first, last);
    }
    if (first >= last) return;
    sums.start(from);
    for (int64_t i = 0; i + 1 < first; ++i) sums.add(list[i].id);
    Cut found = best;
    Index rank = list[first - 1].rank;
    for (int64_t i = first; i < last; ++i) {
        if constexpr (requires { sums.fetch(rank); })
            if (i + ahead < last) sums.fetch(list[i + ahead].id);
        sums.add(list[i - 1].id);
        const Index before = std::exchange(rank, list[i].rank);
        if (rank == before || !sums.beats(found.worth)) continue;
        if constexpr (requires { sums.left_weight(); })
            if (sums.left_weight() < least || all - sums.left_weight() < least || !(all - sums.left_weight() > 0))
                continue;
        const double worth = sums.worth();
        if (!(worth > found.worth) || !may_cut(i, sums)) continue;
        found = {worth, i};
        sums.save(left);
    }
    best = found;
}

// The same for J48, which counts the cuts it tried, begins at what the whole is worth and wants more by `step`.
template <class Index, class Sums, class MayCut>
int64_t count_cuts(const Entry<Index> *list, int64_t n, Sums &sums, const Tally &from, double all, double least,
                   double step, MayCut may_cut, Cut &best, Tally &left) {
    int64_t tried = 0;
    sums.start(from);
    for (int64_t i = 1; i < n; ++i) {
        sums.add(list[i - 1].id);
        if (list[i].rank == list[i - 1].rank || sums.left_weight() < least || !may_cut(i)) continue;
        if (all - sums.left_weight() < least) break;
        ++tried;
        const double worth = sums.worth();
        if (!(worth > best.worth + step)) continue;
        best = {worth, i};
        sums.save(left);
    }
    return tried;
}

}  // namespace learnt::tree
