// The nodes of isolation trees, and where a cell goes at each (Liu, Ting and Zhou 2008).
//
// A test of a number sends x ≤ threshold left. A test of a category sends it by a coin of its own, a hash of tree, node
// and category: nothing is kept for a category, so that ten thousand cost no more than two. One category of those in the
// sample may be moved to the other side, so that neither is empty. A missing cell goes to a side as a category would,
// if the sample of the tree had one in that column; else no row is like it, and its path ends after this test.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/hash.hpp"

namespace learnt {

// The trees of a forest, one after the other; the children of node v are left[v] and left[v] + 1, counted within the
// tree, whose nodes start at starts[t].
struct IsolationTrees {
    int64_t count = 0;              // of trees
    const int64_t *starts = nullptr;     // count + 1
    const int32_t *column = nullptr;     // −1 at a leaf
    const double *threshold = nullptr;   // of a category: the one that is moved, −1 for none
    const int32_t *left = nullptr;
    const uint8_t *missing = nullptr;    // where a missing cell goes
    const double *rest = nullptr;        // c(weight of the sample in the node)
    const int32_t *categories = nullptr; // of each column of the table; 0: numbers
    uint64_t seed = 0;
};

enum MissingGoes : uint8_t { missing_left, missing_right, missing_ends };

// The average length of an unsuccessful search in a binary tree of n keys, 2 H(n−1) − 2 (n−1)/n with the harmonic
// number as ln + γ; 1 for two keys and 0 for one. Between whole numbers up to 3, on the straight lines.
inline double average_path(double n) {
    constexpr double gamma = 0.57721566490153286061;
    if (n <= 1) return 0;
    if (n <= 2) return n - 1;
    const auto formula = [](double m) { return 2 * (std::log(m - 1) + gamma) - 2 * (m - 1) / m; };
    return n < 3 ? 1 + (n - 2) * (formula(3) - 1) : formula(n);
}

inline uint64_t node_key(uint64_t seed, int64_t tree, int64_t node) {
    constexpr uint64_t golden = 0x9e3779b97f4a7c15u;
    return mix_bits(mix_bits(seed + golden * static_cast<uint64_t>(tree + 1)) ^ (golden * static_cast<uint64_t>(node + 1)));
}

// The coin of a category; −1 is a missing cell.
inline bool coin(uint64_t key, int64_t category) {
    return mix_bits(key + static_cast<uint64_t>(category + 2) * 0xd1342543de82ef95u) & 1;
}

// The code in a cell of a column of so many categories; what is none of them is a missing cell.
inline int64_t category_in(double cell, int32_t categories) {
    return cell >= 0 && cell < categories ? static_cast<int64_t>(cell) : -1;
}

inline bool category_goes_right(uint64_t key, int64_t category, double moved) {
    return coin(key, category) != (static_cast<double>(category) == moved);
}

}  // namespace learnt
