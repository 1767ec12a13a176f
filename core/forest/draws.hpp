// What is drawn while a forest grows. Every draw is a hash: of seed, tree and row for the rows of a tree, of the way to
// a node for its columns. Threads, batches and the order of growing change nothing.
#pragma once

#include <cmath>
#include <vector>

#include "base/hash.hpp"
#include "forest/target.hpp"

namespace learnt::forest {

inline uint64_t tree_seed(uint64_t seed, int64_t tree) {
    return mix_bits(mix_bits(seed + 0x9e3779b97f4a7c15u) ^ (static_cast<uint64_t>(tree) + 1) * 0xd6e8feb86659fd93u);
}

// How often a row is in the bootstrap of a tree: Poisson with the mean `rate`, the limit of drawing that share of the
// rows with replacement; every row on its own, so that none need be known together. Without bootstrap: once.
class RowDraw {
    double up_to_[64];
    int64_t steps_ = 0;
    uint64_t mixed_;
    bool bootstrap_;
    int64_t only_ = -1;

  public:
    RowDraw(const Options &o, int64_t tree, uint64_t round)
        : mixed_(mix_bits(tree_seed(o.seed, tree) + round)), bootstrap_(o.bootstrap) {
        double chance = std::exp(-o.rate), sum = 0;
        for (; steps_ < 64 && sum < 1 - 0x1p-52; ++steps_) {
            up_to_[steps_] = sum += chance;
            chance *= o.rate / static_cast<double>(steps_ + 1);
        }
    }
    double chance_of(int64_t row) const { return uniform_of(mixed_, static_cast<uint64_t>(row)); }
    void draw_only(int64_t row) { only_ = row; }
    uint32_t operator()(int64_t row) const {
        if (!bootstrap_) return 1;
        if (only_ >= 0) return row == only_;
        const double u = chance_of(row);
        uint32_t times = 0;
        while (times < steps_ && u >= up_to_[times]) ++times;
        return times;
    }
};

// The rows of a tree. Small tables may draw none at all: they draw again, and in the end the row whose chance was best.
template <class Target>
RowDraw drawn_rows(const Problem &p, int64_t tree, std::vector<Entry> &entries) {
    const auto label_of = [&](int64_t i) { return p.labels ? static_cast<uint32_t>(p.labels[i]) : 0u; };
    const auto counts = [&](int64_t i) {
        return !(p.weights && !(p.weights[i] > 0)) && !(p.class_factors && !(p.class_factors[label_of(i)] > 0));
    };
    const auto draw_all = [&](const RowDraw &draw) {
        entries.clear();
        for (int64_t i = 0; i < p.rows; ++i) {
            const uint32_t times = draw(i);
            if (times > 0 && counts(i)) entries.push_back(Target::entry(static_cast<uint32_t>(i), times, label_of(i)));
        }
        return !entries.empty();
    };
    for (uint64_t round = 0; round < 1000; ++round) {
        const RowDraw draw(p.options, tree, round);
        if (draw_all(draw)) return draw;
    }
    RowDraw draw(p.options, tree, 1000);
    int64_t best = -1;
    for (int64_t i = 0; i < p.rows; ++i)
        if (counts(i) && (best < 0 || draw.chance_of(i) > draw.chance_of(best))) best = i;
    draw.draw_only(best);
    draw_all(draw);
    return draw;
}

// Columns in a drawn order, one at a time, without repetition.
class ColumnDraw {
    std::vector<int32_t> order_;
    std::vector<int64_t> swapped_;
    uint64_t state_ = 0;

  public:
    explicit ColumnDraw(const std::vector<int32_t> &columns) : order_(columns) {}
    int64_t size() const { return static_cast<int64_t>(order_.size()); }

    void start(uint64_t path) {
        while (!swapped_.empty()) {  // undone backwards, so that the order never depends on earlier nodes
            const int64_t i = static_cast<int64_t>(swapped_.size()) - 1;
            std::swap(order_[static_cast<size_t>(i)], order_[static_cast<size_t>(swapped_.back())]);
            swapped_.pop_back();
        }
        state_ = path ^ 0xa0761d6478bd642fu;
    }
    int32_t next() {
        const int64_t i = static_cast<int64_t>(swapped_.size());
        state_ += 0x9e3779b97f4a7c15u;
        const uint64_t bits = mix_bits(state_) >> 32;
        const int64_t at = i + static_cast<int64_t>(bits * static_cast<uint64_t>(size() - i) >> 32);
        std::swap(order_[static_cast<size_t>(i)], order_[static_cast<size_t>(at)]);
        swapped_.push_back(at);
        return order_[static_cast<size_t>(i)];
    }
};

}  // namespace learnt::forest
