// Merges of clusters, and the tree they make.
//
// A cluster is named by a row in it while merges are sought. `tree_of` puts merges in order of height (of equal
// ones the earlier first) and gives clusters numbers as SciPy does: rows are 0 … n − 1, merge k makes n + k.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace learnt {

inline constexpr const char *not_finite = "A distance is not finite. Expected numbers whose squares can be added.";

struct Merge {
    int64_t a, b;  // a row of each
    double height;
};

// Sets of rows, each named by one of them.
class RowSets {
    std::vector<int64_t> parent_;

  public:
    explicit RowSets(int64_t n) : parent_(static_cast<size_t>(n)) { std::iota(parent_.begin(), parent_.end(), 0); }

    int64_t find(int64_t i) {
        auto at = [this](int64_t k) -> int64_t & { return parent_[static_cast<size_t>(k)]; };
        while (at(i) != i) i = at(i) = at(at(i));
        return i;
    }
    void hang(int64_t root, int64_t below) { parent_[static_cast<size_t>(root)] = below; }
};

//   children  m × 2: the numbers of the two clusters, the smaller first     overwritten
//   heights, counts   m: of the merge, and the rows of the new cluster      overwritten
inline void tree_of(std::vector<Merge> &merges, int64_t n, bool sorted, int64_t *children, double *heights, int64_t *counts) {
    if (!sorted)
        std::stable_sort(merges.begin(), merges.end(), [](const Merge &l, const Merge &r) { return l.height < r.height; });
    const auto m = static_cast<int64_t>(merges.size());
    RowSets sets(n + m);
    for (int64_t k = 0; k < m; ++k) {
        const Merge &merge = merges[static_cast<size_t>(k)];
        const int64_t a = sets.find(merge.a), b = sets.find(merge.b);
        children[2 * k] = std::min(a, b);
        children[2 * k + 1] = std::max(a, b);
        heights[k] = merge.height;
        counts[k] = (a < n ? 1 : counts[a - n]) + (b < n ? 1 : counts[b - n]);
        sets.hang(a, n + k);
        sets.hang(b, n + k);
    }
}

}  // namespace learnt
