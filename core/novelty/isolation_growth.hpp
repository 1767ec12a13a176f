// Isolation trees grown from samples of rows: a column at random of those that vary in the node, a threshold at random
// between its least and largest cell, or a side at random for each category.
//
//   x          m × p, row-major; categories as their codes, NaN is missing                  read
//   samples    trees × s: rows of x                                                         read
//   weights    m, or null where each row counts once                                        read
//   out        room for trees × (2 s − 1) nodes; `used` says how many each tree has          written
//
// The order of the rows in a sample changes nothing. Trees are grown side by side, each from random numbers of its own.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "base/matrix.hpp"
#include "base/pool.hpp"
#include "novelty/isolation_tree.hpp"

namespace learnt {

struct IsolationSamples {
    const double *x;
    int64_t columns;
    const int32_t *categories;
    const int32_t *rows;
    const double *weights;
    int64_t trees, size;
    int64_t most_depth;
    uint64_t seed;
};

struct GrownIsolation {
    int32_t *column;
    double *threshold;
    int32_t *left;
    uint8_t *missing;
    double *rest;
    int64_t *used;
};

class IsolationGrower {
    struct Part {
        int64_t node, first, last, depth;
    };
    // What a column holds in a node.
    struct Cells {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        bool missing = false;
        bool varies() const { return low < high || (missing && low <= high); }
    };

    const IsolationSamples &in_;
    const int64_t tree_;
    uint64_t state_ = 0;
    std::vector<int32_t> rows_, columns_, tried_;
    std::vector<uint8_t> gaps_;  // columns with a missing cell in the sample
    std::vector<double> seen_;
    std::vector<Part> parts_;

    uint64_t next() { return mix_bits(state_ += 0x9e3779b97f4a7c15u); }
    double uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }
    int64_t below(int64_t n) { return std::min(n - 1, static_cast<int64_t>(uniform() * static_cast<double>(n))); }

    double cell(int64_t i, int32_t j) const { return in_.x[rows_[static_cast<size_t>(i)] * in_.columns + j]; }

    Cells look(const Part &part, int32_t j) const {
        Cells found;
        for (int64_t i = part.first; i < part.last; ++i) {
            const double v = cell(i, j);
            found.missing |= std::isnan(v);
            found.low = v < found.low ? v : found.low;
            found.high = v > found.high ? v : found.high;
        }
        return found;
    }

    double weight(const Part &part) const {
        if (!in_.weights) return static_cast<double>(part.last - part.first);
        // Added from the lightest on, so that the order of rows does not show in the last digit.
        std::vector<double> w;
        for (int64_t i = part.first; i < part.last; ++i) w.push_back(in_.weights[rows_[static_cast<size_t>(i)]]);
        std::sort(w.begin(), w.end());
        double sum = 0;
        for (const double v : w) sum += v;
        return sum;
    }

    // Whatever is drawn, rows must be on both sides of it; in single precision where that is fine enough, which is faster
    // to compare with.
    static double between(const Cells &cells, double drawn) {
        if (std::abs(drawn) <= std::numeric_limits<float>::max()) {
            const double single = static_cast<double>(static_cast<float>(drawn));
            if (single >= cells.low && single < cells.high) return single;
        }
        return drawn >= cells.low && drawn < cells.high ? drawn : cells.low;
    }

    // A category that has to change sides so that both have rows; −1 if both have.
    double moved_category(const Part &part, int32_t j, uint64_t key) {
        seen_.clear();
        for (int64_t i = part.first; i < part.last; ++i) seen_.push_back(std::isnan(cell(i, j)) ? -1 : cell(i, j));
        std::sort(seen_.begin(), seen_.end());
        seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
        const auto right = std::count_if(seen_.begin(), seen_.end(), [&](double c) { return coin(key, category_in(c, in_.categories[j])); });
        const int64_t first = seen_[0] < 0;  // a missing cell is not moved: its side is kept beside
        const int64_t drawn = first + below(static_cast<int64_t>(seen_.size()) - first);
        return right != 0 && right != static_cast<int64_t>(seen_.size()) ? -1 : seen_[static_cast<size_t>(drawn)];
    }

  public:
    IsolationGrower(const IsolationSamples &in, int64_t tree)
        : in_(in), tree_(tree),
          rows_(in.rows + tree * in.size, in.rows + (tree + 1) * in.size), gaps_(static_cast<size_t>(in.columns)) {
        const Part all{0, 0, in.size, 0};
        for (int32_t j = 0; j < in.columns; ++j) {
            const Cells cells = look(all, j);
            gaps_[static_cast<size_t>(j)] = cells.missing;
            if (cells.varies()) columns_.push_back(j);
        }
    }

    void grow(const GrownIsolation &out) {
        const int64_t room = std::max<int64_t>(1, 2 * in_.size - 1), start = tree_ * room;
        int64_t used = 1;
        parts_.assign(1, {0, 0, in_.size, 0});
        while (!parts_.empty()) {
            const Part part = parts_.back();
            parts_.pop_back();
            const int64_t v = start + part.node;
            const double inside = weight(part);
            out.column[v] = -1;
            out.threshold[v] = 0;
            out.left[v] = static_cast<int32_t>(part.node);
            out.missing[v] = missing_ends;
            out.rest[v] = average_path(inside);
            if (part.depth >= in_.most_depth || inside <= 1 || part.last - part.first < 2) continue;
            const uint64_t key = node_key(in_.seed, tree_, part.node);
            state_ = mix_bits(key ^ in_.seed);  // of its own, so that copies in another node, looked at in vain, change nothing
            Cells cells;
            const int32_t j = varying_column(part, cells);
            if (j < 0) continue;
            out.column[v] = j;
            const bool gaps = gaps_[static_cast<size_t>(j)];
            bool gap_right = coin(key, -1);
            if (in_.categories[j] > 0) {
                out.threshold[v] = moved_category(part, j, key);
            } else {
                const double u = uniform(), drawn = cells.low * (1 - u) + cells.high * u;
                out.threshold[v] = between(cells, drawn);
                if (cells.low == cells.high) gap_right = true;  // the test is whether the cell is there
            }
            out.missing[v] = !gaps ? missing_ends : gap_right ? missing_right : missing_left;
            const auto goes_left = [&](int32_t row) {
                const double x = in_.x[row * in_.columns + j];
                if (std::isnan(x)) return !gap_right;
                if (in_.categories[j] == 0) return x <= out.threshold[v];
                return !category_goes_right(key, category_in(x, in_.categories[j]), out.threshold[v]);
            };
            const auto begin = rows_.begin();
            const int64_t middle = std::partition(begin + part.first, begin + part.last, goes_left) - begin;
            out.left[v] = static_cast<int32_t>(used);
            parts_.push_back({used + 1, middle, part.last, part.depth + 1});
            parts_.push_back({used, part.first, middle, part.depth + 1});
            used += 2;
        }
        out.used[tree_] = used;
    }

  private:
    int32_t varying_column(const Part &part, Cells &cells) {
        tried_ = columns_;
        for (int64_t left = static_cast<int64_t>(tried_.size()); left > 0; --left) {
            const auto at = static_cast<size_t>(below(left));
            const int32_t j = tried_[at];
            cells = look(part, j);
            if (cells.varies()) return j;
            tried_[at] = tried_[static_cast<size_t>(left - 1)];
        }
        return -1;
    }
};

inline void grow_isolation_trees(const IsolationSamples &in, const GrownIsolation &out) {
    run_blocks(in.trees, [&](int64_t t, Job &job) {
        job.check();
        IsolationGrower(in, t).grow(out);
    });
}

}  // namespace learnt
