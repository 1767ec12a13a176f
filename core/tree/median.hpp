// Medians of targets. A tree of running sums over the ranks of the target gives the median of what has been
// added, and the sum of distances from it, in O(log n).
#pragma once

#include <bit>
#include <numeric>

#include "tree/sample.hpp"

namespace learnt::tree {

// Weighted numbers, added one by one; the numbers themselves are known beforehand, in rising order.
class MedianSums {
    const std::vector<double> &numbers_;
    std::vector<double> weight_, sum_;  // Fenwick trees
    double all_weight_ = 0, all_sum_ = 0;

  public:
    explicit MedianSums(const std::vector<double> &numbers)
        : numbers_(numbers), weight_(numbers.size() + 1), sum_(numbers.size() + 1) {}

    void add(size_t rank, double w) {
        all_weight_ += w, all_sum_ += w * numbers_[rank];
        for (size_t i = rank + 1; i < weight_.size(); i += i & (~i + 1)) weight_[i] += w, sum_[i] += w * numbers_[rank];
    }

    double weight() const { return all_weight_; }

    // As median_of does: the middle of all m that minimise Σ w·|y − m|.
    double median() const {
        const double low = at(before(all_weight_ / 2 * (1 - 1e-12)));
        const double high = at(before(all_weight_ / 2 * (1 + 1e-12)));
        return low == high ? low : low / 2 + high / 2;
    }

    // Σ w·|y − median|
    double deviation() const {
        if (!(all_weight_ > 0)) return 0;
        const Head head = before(all_weight_ / 2);
        const auto [n, w, s] = head;
        const double median = at(head);
        return std::max(0.0, median * w - s + (all_sum_ - s) - median * (all_weight_ - w));
    }

  private:
    struct Head {
        size_t n;
        double weight, sum;
    };
    // As many of the first numbers as together weigh less than that.
    Head before(double weight) const {
        Head head{0, 0, 0};
        for (size_t step = std::bit_floor(weight_.size()); step > 0; step /= 2)
            if (head.n + step < weight_.size() && head.weight + weight_[head.n + step] < weight)
                head.n += step, head.weight += weight_[head.n], head.sum += sum_[head.n];
        return head;
    }
    // The number behind them.
    double at(Head head) const { return numbers_[std::min(head.n, numbers_.size() - 1)]; }
};

// Of numbers in rising order: the middle of all m that minimise Σ w·|y − m|.
inline double median_of(const std::vector<double> &numbers, const std::vector<double> &weights) {
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    double sum = 0;
    size_t i = 0;
    while (i + 1 < numbers.size() && sum + weights[i] < all / 2 * (1 - 1e-12)) sum += weights[i++];
    const bool halfway = i + 1 < numbers.size() && sum + weights[i] <= all / 2 * (1 + 1e-12);
    return halfway ? numbers[i] / 2 + numbers[i + 1] / 2 : numbers[i];
}

// The target of a node in rising order, and every instance's place in it.
struct TargetOrder {
    std::vector<double> numbers, weights;
    std::vector<uint32_t> rank;  // by instance of the sample

    template <class Index>
    void fill(const Plan &plan, const Sample<Index> &sample, Range r) {
        numbers.clear(), weights.clear();
        rank.resize(static_cast<size_t>(sample.size));
        const Entry<Index> *const list = sample.list(plan.lists - 1);
        for (int64_t i = r.first; i < r.last; ++i) {
            rank[list[i].id] = static_cast<uint32_t>(numbers.size());
            numbers.push_back(sample.target[list[i].id]), weights.push_back(sample.weight_of(list[i].id));
        }
    }
};

}  // namespace learnt::tree
