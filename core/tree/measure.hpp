// How mixed the target of a set of instances is. All is kept as weight × impurity, which adds over children:
//   gini               w − Σ c²/w
//   entropy            w·log₂w − Σ c·log₂c      (bits)
//   misclassification  w − max c
//   mse                −s²/w                    (up to Σ w·y², which no partition changes)
// where c are the weights of the classes and s is the sum of w·(y − mean of the node).
#pragma once

#include "base/pool.hpp"
#include "tree/problem.hpp"

namespace learnt::tree {

class Measure {
    Criterion criterion_;
    int64_t k_;
    const double *table_;  // x·log₂x of whole numbers, when all weights are ones
    double least_;         // J48 takes the logarithm of no smaller weight

  public:
    Measure(const Problem &p, const double *table)
        : criterion_(p.options.criterion), k_(p.sums()), table_(table), least_(slack(p.options)) {}

    double xlogx(double x) const {
        if (table_) return table_[static_cast<int64_t>(x)];
        return x <= least_ ? 0.0 : x * std::log2(x);
    }

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

inline Buffer<double> xlogx_table(int64_t n) {
    Buffer<double> table(n + 1);
    const Blocks blocks = cut(n + 1, 1 << 14, 64);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            const double x = static_cast<double>(i);
            table[i] = i == 0 ? 0.0 : x * std::log2(x);
        }
    });
    return table;
}

// The target of a node's instances. In a regression it is measured from `origin` (the mean of the parent),
// so that the squares do not cancel.
struct Summary {
    double weight = 0, squares = 0, origin = 0, low = infinity, high = -infinity;
    std::vector<double> sums;

    Summary() = default;
    Summary(int64_t k, double from) : origin(from), sums(static_cast<size_t>(k)) {}

    void add_label(int32_t label, double w) { weight += w, sums[static_cast<size_t>(label)] += w; }
    void add_target(double y, double w) {
        const double d = y - origin;
        weight += w, sums[0] += w * d, squares += w * d * d;
        low = std::min(low, y), high = std::max(high, y);
    }
    double mean() const { return weight > 0 ? origin + sums[0] / weight : origin; }
};

}  // namespace learnt::tree
