// Isolation trees laid out for rows in tiles of 64: the first levels as a heap, of which all tests are made of all rows at
// once, and the rest to be walked without a branch, since a leaf leads to itself.
#pragma once

#include <limits>
#include <vector>

#include "novelty/isolation_tree.hpp"

namespace learnt {

template <class Real>
struct IsolationNode {
    Real threshold;
    int32_t cells, left;  // where the cells of its column start in a tile; the left child, a leaf itself
};

// The sides of the categories of one test: a bit each, or the coins themselves where there are more than 64.
struct IsolationSides {
    uint64_t bits, key;
    double moved;
    bool few;

    bool right(int64_t category) const {
        return few ? (category >= 0 && ((bits >> category) & 1)) : category_goes_right(key, category, moved);
    }
};

inline constexpr int64_t isolation_tile = 64, isolation_levels = 5, isolation_heap = int64_t{1} << isolation_levels;

template <class Real>
struct PackedIsolationTree {
    const int32_t *heap;                // the nodes of the first levels and those below them, from place 1 on
    const IsolationNode<Real> *nodes;
    const double *length;               // of a path that ends in a node
    const uint8_t *missing;             // whether a missing cell goes right
    const int32_t *sides;               // of a test of a category: which of all sides; −1 of others
    const IsolationSides *all_sides;
    int64_t steps;                      // from the heap to the deepest leaf
    bool numbers;                       // whether no test is of a category
    const int32_t *ends_first, *ends_last;  // columns in which a missing cell ends a path
};

template <class Real>
class PackedIsolation {
    std::vector<int32_t> heap_, sides_, ends_;
    std::vector<IsolationNode<Real>> nodes_;
    std::vector<double> length_;
    std::vector<uint8_t> missing_, numbers_;
    std::vector<IsolationSides> all_sides_;
    std::vector<int64_t> starts_, steps_, ends_start_{0};

    IsolationSides sides_of(const IsolationTrees &trees, int64_t t, int64_t v) const {
        const int64_t at = trees.starts[t] + v;
        IsolationSides sides{0, node_key(trees.seed, t, v), trees.threshold[at], trees.categories[trees.column[at]] <= 64};
        for (int64_t c = 0; sides.few && c < trees.categories[trees.column[at]]; ++c)
            sides.bits |= uint64_t{category_goes_right(sides.key, c, sides.moved)} << c;
        return sides;
    }

  public:
    PackedIsolation(const IsolationTrees &trees, int64_t columns) {
        const auto total = static_cast<size_t>(trees.starts[trees.count]);
        nodes_.resize(total), length_.resize(total), missing_.resize(total), sides_.assign(total, -1);
        std::vector<int64_t> depth(total);
        std::vector<int32_t> heap(static_cast<size_t>(2 * isolation_heap));
        std::vector<uint8_t> ends;
        for (int64_t t = 0; t < trees.count; ++t) {
            const int64_t start = trees.starts[t];
            int64_t most = 0;
            bool numbers = true;
            ends.assign(static_cast<size_t>(columns), 0);
            for (int64_t v = 0; v < trees.starts[t + 1] - start; ++v) {
                const auto at = static_cast<size_t>(start + v);
                const int32_t column = trees.column[at], left = trees.left[at];
                length_[at] = static_cast<double>(depth[at]) + trees.rest[at];
                if (column < 0) {
                    nodes_[at] = {std::numeric_limits<Real>::infinity(), 0, static_cast<int32_t>(v)};
                    continue;
                }
                nodes_[at] = {static_cast<Real>(trees.threshold[at]), static_cast<int32_t>(column * isolation_tile), left};
                missing_[at] = trees.missing[at] == missing_right;
                ends[static_cast<size_t>(column)] |= trees.missing[at] == missing_ends;
                if (trees.categories[column] > 0) {
                    numbers = false;
                    sides_[at] = static_cast<int32_t>(all_sides_.size());
                    all_sides_.push_back(sides_of(trees, t, v));
                }
                for (int64_t child : {left, left + 1}) depth[static_cast<size_t>(start + child)] = depth[at] + 1;
                most = std::max(most, depth[at] + 1);
            }
            starts_.push_back(start), numbers_.push_back(numbers);
            steps_.push_back(std::max<int64_t>(0, most - isolation_levels));
            heap[1] = 0;
            for (size_t k = 1; k < heap.size() / 2; ++k) {  // below a leaf, the leaf again
                const IsolationNode<Real> &node = nodes_[static_cast<size_t>(start + heap[k])];
                heap[2 * k] = node.left;
                heap[2 * k + 1] = node.left + (node.left != heap[k]);
            }
            heap_.insert(heap_.end(), heap.begin(), heap.end());
            for (int32_t j = 0; j < columns; ++j)
                if (ends[static_cast<size_t>(j)]) ends_.push_back(j);
            ends_start_.push_back(static_cast<int64_t>(ends_.size()));
        }
    }

    PackedIsolationTree<Real> operator[](int64_t t) const {
        const auto at = static_cast<size_t>(t);
        const int64_t start = starts_[at];
        return {heap_.data() + 2 * t * isolation_heap, nodes_.data() + start, length_.data() + start,
                missing_.data() + start, sides_.data() + start, all_sides_.data(), steps_[at], numbers_[at] != 0,
                ends_.data() + ends_start_[at], ends_.data() + ends_start_[at + 1]};
    }
};

// Whether cells and thresholds may be compared in single precision: every threshold is such a number, so that cells rounded
// up are above the same ones, and so is every category.
inline bool fits_single(const IsolationTrees &trees, int64_t columns) {
    for (int64_t j = 0; j < columns; ++j)
        if (trees.categories[j] > (1 << 24)) return false;
    for (int64_t v = 0; v < trees.starts[trees.count]; ++v)
        if (!(std::abs(trees.threshold[v]) <= std::numeric_limits<float>::max()) ||
            static_cast<double>(static_cast<float>(trees.threshold[v])) != trees.threshold[v])
            return false;
    return true;
}

}  // namespace learnt
