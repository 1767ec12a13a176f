// How mixed the target of a set of instances is. All is kept as weight × impurity, which adds over children:
//   gini               w − Σ c²/w
//   entropy            w·log₂w − Σ c·log₂c      (bits)
//   misclassification  w − max c
//   mse                −s²/w                    (up to Σ w·y², which no partition changes)
// where c are the weights of the classes and s is the sum of w·(y − mean of the node).
#pragma once

#include "base/pool.hpp"
#include "tree/exact.hpp"
#include "tree/problem.hpp"

namespace learnt::tree {

// x·log₂x of whole numbers up to n, as it is and on a grid.
struct XlogxTables {
    Buffer<double> plain, rounded;

    explicit XlogxTables(int64_t n) : plain(n + 1), rounded(n + 1) {
        const Grid grid(static_cast<double>(n) * std::log2(static_cast<double>(n) + 1));
        const Blocks blocks = cut(n + 1, 1 << 14, 64);
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
                const double x = static_cast<double>(i);
                plain[i] = i == 0 ? 0.0 : x * std::log2(x);
                rounded[i] = grid(plain[i]);
            }
        });
    }
};

class Measure {
    Criterion criterion_;
    int64_t k_;
    const double *table_;    // x·log₂x of whole numbers, when all weights are ones
    const double *rounded_;  // the same on a grid on which they add up exactly
    double least_;           // J48 takes the logarithm of no smaller weight

  public:
    Measure(const Problem &p, const XlogxTables *tables)
        : criterion_(p.options.criterion),
          k_(p.sums()),
          table_(tables ? tables->plain.data() : nullptr),
          rounded_(tables ? tables->rounded.data() : nullptr),
          least_(slack(p.options)) {}

    double xlogx(double x) const {
        if (table_) return table_[static_cast<int64_t>(x)];
        return x <= least_ ? 0.0 : x * std::log2(x);
    }

    // For sums that are kept up to date by adding and taking away.
    double rounded_xlogx(double whole) const { return rounded_[static_cast<int64_t>(whole)]; }

    double operator()(const double *sums, double weight) const {
        if (!(weight > 0)) return 0;
        double total = 0;
        switch (criterion_) {
            case Criterion::gini:
                for (int64_t c = 0; c < k_; ++c) total += sums[c] * sums[c];
                return weight - total / weight;
            case Criterion::entropy:
            case Criterion::gain_ratio:
                for (int64_t c = 0; c < k_; ++c) total += xlogx(sums[c]);
                return xlogx(weight) - total;
            case Criterion::misclassification:
                for (int64_t c = 0; c < k_; ++c) total = std::max(total, sums[c]);
                return weight - total;
            default: return -sums[0] * sums[0] / weight;
        }
    }
};

// The target of a node's instances. In a regression it is measured from `origin` (the mean of the parent),
// so that the squares do not cancel. What rounding takes from the sums is kept until `settle`: then they are the
// same in any order of the rows.
struct Summary {
    double weight = 0, squares = 0, origin = 0, low = infinity, high = -infinity;
    std::vector<double> sums;

    Summary() = default;
    Summary(int64_t k, double from) : origin(from), sums(static_cast<size_t>(k)), rests_(static_cast<size_t>(k)) {}

    void count_label(int32_t label) { weight += 1, sums[static_cast<size_t>(label)] += 1; }
    void add_label(int32_t label, double w) {
        const size_t c = static_cast<size_t>(label);
        add_exactly(weight, weight_rest_, w), add_exactly(sums[c], rests_[c], w);
    }
    // Targets of instances that `each` calls its argument with, (y, w); the sums stay in registers meanwhile.
    template <class Each>
    void add_targets(Each each) {
        double w_sum = weight, w_rest = weight_rest_, sum = sums[0], rest = rests_[0];
        double of_squares = squares, of_squares_rest = squares_rest_, least = low, most = high;
        each([&, from = origin](double y, auto... weights) {  // no weight: one
            const double w = (1.0 * ... * weights), d = y - from;
            if constexpr (sizeof...(weights) == 0)
                w_sum += w;
            else
                add_exactly(w_sum, w_rest, w);
            add_exactly(sum, rest, w * d), add_exactly(of_squares, of_squares_rest, w * d * d);
            least = std::min(least, y), most = std::max(most, y);
        });
        weight = w_sum, weight_rest_ = w_rest, sums[0] = sum, rests_[0] = rest;
        squares = of_squares, squares_rest_ = of_squares_rest, low = least, high = most;
    }
    void add_target(double y, double w) {
        add_targets([&](auto add) { add(y, w); });
    }
    void settle() {
        settle(weight, weight_rest_), settle(squares, squares_rest_);
        for (size_t c = 0; c < sums.size(); ++c) settle(sums[c], rests_[c]);
    }
    double mean() const { return weight > 0 ? origin + sums[0] / weight : origin; }

    // Σ w·|y − center| is at most this.
    double most_deviation(double center) const {
        const double widest = std::max(high - center, center - low), off = mean() - origin;
        const double spread = std::max(0.0, squares - off * off * weight) + 1e-12 * squares;
        return std::min(weight * widest, std::sqrt(weight * spread) + weight * std::abs(mean() - center)) * (1 + 1e-9);
    }

  private:
    double weight_rest_ = 0, squares_rest_ = 0;
    std::vector<double> rests_;

    static void settle(double &sum, double &rest) {
        if (std::isfinite(rest)) sum += rest;  // or the sum has left the range of numbers
        rest = 0;
    }
};

}  // namespace learnt::tree
