// What packed forests are made of: see ensemble/pack.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace learnt::ensemble {

// The arrays of learnt.ensemble.trees.forest.Forest, checked by their owner; n_categories has one number per column.
struct ForestView {
    int64_t trees, columns;
    const int64_t *tree_start, *route_start;
    const int32_t *feature, *right, *n_routes, *route_codes, *routes, *otherwise, *missing, *n_categories;
    const double *threshold;

    bool leaf(int64_t node) const { return feature[node] < 0; }
    bool nominal(int64_t node) const { return route_start[node] >= 0; }

    // Whether a category goes to child 1; unknown ones go where missing cells do.
    bool goes_right(int64_t node, int32_t code) const {
        if (code < 0 || code >= n_categories[feature[node]]) return missing[node] == 1;
        if (!nominal(node)) return code > threshold[node];
        const int32_t *const first = route_codes + route_start[node], *const last = first + n_routes[node];
        const int32_t *const at = std::lower_bound(first, last, code);
        const int32_t child = at < last && *at == code ? routes[at - route_codes] : otherwise[node];
        return (child < 0 ? missing[node] : child) == 1;
    }
};

// The first node that is not where pre-order has it; −1 if every tree is whole. `right` is −1 in leaves.
inline int64_t find_misplaced(int64_t trees, const int64_t *tree_start, const int32_t *right) {
    std::vector<int64_t> due;  // where the second children of the tests above begin
    for (int64_t t = 0; t < trees; ++t) {
        const int64_t start = tree_start[t], last = tree_start[t + 1];
        due.clear();
        for (int64_t node = start; node < last; ++node) {
            if (right[node] >= 0) {
                due.push_back(start + right[node]);
                continue;
            }
            if (due.empty() ? node + 1 != last : due.back() != node + 1) return node;
            if (!due.empty()) due.pop_back();
            if (right[node] != -1) return node;
        }
        if (!due.empty() || start == last || right[last - 1] >= 0) return last - 1;
    }
    return -1;
}

// The largest number of its type that is not above t: cells are ≤ it as they are ≤ t.
template <class Real>
Real not_above(double t) {
    const Real near = static_cast<Real>(t);
    return static_cast<double>(near) > t ? std::nextafter(near, -std::numeric_limits<Real>::infinity()) : near;
}

// A column that some test reads. Cells of a nominal one are codes, and n_categories where the code is unknown.
struct UsedColumn {
    int32_t column, n_categories;
    bool nominal;
};

inline constexpr int tile_rows = 64;  // rows that find their leaves together; a tile has their cells column by column

// Node of a walk. Siblings lie side by side: a row steps to first + (does it go right). A leaf steps to itself, for
// no cell is greater than its threshold, a NaN that holds the leaf's number from the left.
template <class Real>
struct WalkNode;

template <>
struct WalkNode<double> {
    static constexpr int64_t most_nodes = int64_t{1} << 31, most_columns = int64_t{1} << 24;
    static constexpr uint64_t quiet = 0x7ff8'0000'0000'0000;

    double threshold;
    uint32_t column;  // its highest bit: missing cells go right
    int32_t first_;

    static WalkNode test(double threshold, int32_t column, bool missing_right, int32_t first) {
        return {threshold, static_cast<uint32_t>(column) | uint32_t{missing_right} << 31, first};
    }
    static WalkNode leaf_at(int32_t place, int32_t number) {
        return {std::bit_cast<double>(quiet | static_cast<uint64_t>(number)), 0, place};
    }
    int32_t first() const { return first_; }
    int32_t cells() const { return static_cast<int32_t>((column & 0x7fff'ffff) * tile_rows); }
    int32_t missing_right() const { return static_cast<int32_t>(column >> 31); }
    int32_t leaf() const { return static_cast<int32_t>(std::bit_cast<uint64_t>(threshold) & ~quiet); }
};

// Half as large, which is what deep trees are slow by; forests that do not fit are packed for float64.
template <>
struct WalkNode<float> {
    static constexpr int64_t most_nodes = int64_t{1} << 20, most_columns = int64_t{1} << 11;
    static constexpr uint32_t quiet = 0x7fc0'0000;

    float threshold;
    uint32_t rest;  // from the lowest bit: 20 of the first child, 11 of the column, 1 for missing cells

    static WalkNode test(float threshold, int32_t column, bool missing_right, int32_t first) {
        return {threshold, static_cast<uint32_t>(first) | static_cast<uint32_t>(column) << 20 |
                               uint32_t{missing_right} << 31};
    }
    static WalkNode leaf_at(int32_t place, int32_t number) {
        return {std::bit_cast<float>(quiet | static_cast<uint32_t>(number)), static_cast<uint32_t>(place)};
    }
    int32_t first() const { return static_cast<int32_t>(rest & 0xf'ffff); }
    int32_t cells() const { return static_cast<int32_t>(rest >> 14 & 0x7ff << 6); }
    int32_t missing_right() const { return static_cast<int32_t>(rest >> 31); }
    int32_t leaf() const { return static_cast<int32_t>(std::bit_cast<uint32_t>(threshold) & ~quiet); }
};

// A nominal test of a walk: categories in [low, low + span) that `bits` names go another way than all others.
struct WalkRoutes {
    int32_t low, span, unknown;  // the code of unknown ones
    bool right, missing_right;   // where other categories and unknown ones go
    int64_t bits;                // where they begin; −1 − that of a list, led by its length
};

// Where the bits of a tree of at most 64 leaves, one per leaf from the left, lose those a test rules out. Tests
// that send missing cells right come first, `left_from` on those that send them left.
struct MaskTree {
    int64_t first, left_from, last;     // of its tests
    int64_t tables_first, tables_last;  // of its nominal columns
};

// All bits that a category of a column leaves: masks[start + code], the last for unknown ones.
struct MaskTable {
    int32_t cells;
    int64_t start;
};

template <class Real>
struct MaskTest {
    Real threshold;
    int32_t cells;
    uint64_t left_out;  // the bits that stay when a row goes right
};

}  // namespace learnt::ensemble
