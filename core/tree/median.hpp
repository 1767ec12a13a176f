// Medians of targets. A tree of running sums over the ranks of the target gives the median of what has been
// added, and the sum of distances from it, in O(log n).
#pragma once

#include <bit>
#include <numeric>

#include "tree/sample.hpp"

namespace learnt::tree {

// Of numbers in rising order: the middle of all m that minimise Σ w·|y − m|.
inline double median_of(const std::vector<double> &numbers, const std::vector<double> &weights) {
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    double sum = 0;
    size_t i = 0;
    while (i + 1 < numbers.size() && sum + weights[i] < all / 2 * (1 - 1e-12)) sum += weights[i++];
    const bool halfway = i + 1 < numbers.size() && sum + weights[i] <= all / 2 * (1 + 1e-12);
    return halfway ? numbers[i] / 2 + numbers[i + 1] / 2 : numbers[i];
}

// The different targets of a node in rising order with their weights, and every instance's place among them. Sums
// are taken of distances from the median, on a grid, so that they are exact.
struct TargetOrder {
    std::vector<double> numbers, weights, distances;
    Grid grid;
    std::vector<uint32_t> rank;  // by instance of the sample

    // Puts the weights of the instances on their grid, too; `weight` is that of all.
    template <class Index>
    void fill(const Plan &plan, const Sample<Index> &sample, Range r, double weight) {
        const Grid weight_grid(weight);
        numbers.clear(), weights.clear(), distances.clear();
        rank.resize(static_cast<size_t>(sample.size));
        const Entry<Index> *const list = sample.list(plan.lists - 1);
        for (int64_t i = r.first; i < r.last; ++i) {
            const int64_t id = list[i].id;
            const double y = sample.target[id];
            double w = 1;
            if (sample.weighted) w = sample.exact_weight[id] = weight_grid.positive(sample.weight[id]);
            if (numbers.empty() || numbers.back() != y) numbers.push_back(y), weights.push_back(0);
            weights.back() += w;
            rank[static_cast<size_t>(id)] = static_cast<uint32_t>(numbers.size() - 1);
        }
        const double median = median_of(numbers, weights);
        double most = 0;
        for (size_t i = 0; i < numbers.size(); ++i) most += weights[i] * std::abs(numbers[i] - median);
        grid = Grid(most * (1 + 1e-9));
        const double center = grid.far(median);
        for (const double y : numbers) distances.push_back(sample.weighted ? y - center : grid(y - center));
    }
};

// Weighted targets, added one by one; the targets themselves are known beforehand, in rising order.
class MedianSums {
    const TargetOrder &order_;
    std::vector<double> weight_, sum_;  // Fenwick trees
    double all_weight_ = 0, all_sum_ = 0;

  public:
    explicit MedianSums(const TargetOrder &order)
        : order_(order), weight_(order.numbers.size() + 1), sum_(order.numbers.size() + 1) {}

    void add(size_t rank, double w) {
        const double more = order_.grid(w * order_.distances[rank]);
        all_weight_ += w, all_sum_ += more;
        for (size_t i = rank + 1; i < weight_.size(); i += i & (~i + 1)) weight_[i] += w, sum_[i] += more;
    }

    double weight() const { return all_weight_; }

    // As median_of does: the middle of all m that minimise Σ w·|y − m|.
    double median() const {
        const double low = order_.numbers[place(before(all_weight_ / 2 * (1 - 1e-12)))];
        const double high = order_.numbers[place(before(all_weight_ / 2 * (1 + 1e-12)))];
        return low == high ? low : low / 2 + high / 2;
    }

    // Σ w·|y − median|
    double deviation() const {
        if (!(all_weight_ > 0)) return 0;
        const Head head = before(all_weight_ / 2);
        const auto [n, w, s] = head;
        const double median = order_.distances[place(head)];
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
    // Where the number behind them stands.
    size_t place(Head head) const { return std::min(head.n, order_.numbers.size() - 1); }
};

}  // namespace learnt::tree
