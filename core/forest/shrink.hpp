// Leaves drawn towards the nodes above them, the more the fewer rows these have:
//
//     h(child) = h(parent) + (v(child) − v(parent)) · w(parent) / (w(parent) + λ)        h(root) = v(root)
//
// v are the shares of the classes or the mean in a node, w its weight, λ the shrinkage. The tests stay as they are; a
// pure leaf of one row says no longer that the other classes are impossible.
//
// A. Agarwal and others, Hierarchical shrinkage: improving the accuracy and interpretability of tree-based models, 2022.
#pragma once

#include <algorithm>
#include <vector>

#include "forest/problem.hpp"

namespace learnt::forest {

// How much of the step from a node to a child is taken.
inline double step_from(double weight, double shrinkage) { return weight / (weight + shrinkage); }

// What v is a share of, by node.
inline std::vector<double> wholes(const Tree &t, const Problem &p) {
    std::vector<double> whole(static_cast<size_t>(t.nodes()), p.classes ? 0.0 : 1.0);
    for (size_t i = 0, at = 0; p.classes && i < whole.size(); ++i)
        for (int64_t c = 0; c < p.classes; ++c) whole[i] += t.value[at++];
    return whole;
}

// Makes the values of a tree h, for classes times what they added up to before.
inline void shrink(Tree &t, const Problem &p, double shrinkage) {
    const size_t k = static_cast<size_t>(p.outputs());
    const std::vector<double> whole = wholes(t, p), grown = t.value;
    std::vector<size_t> parent(whole.size(), 0);
    for (size_t i = 0; i < whole.size(); ++i) {
        if (t.feature[i] >= 0) parent[i + 1] = parent[static_cast<size_t>(t.right[i])] = i;
        if (i == 0) continue;
        const size_t above = parent[i];
        const double step = step_from(t.weight[above], shrinkage);
        for (size_t c = 0; c < k; ++c) {
            const double h = t.value[above * k + c] / whole[above];
            const double more = grown[i * k + c] / whole[i] - grown[above * k + c] / whole[above];
            const double moved = h + more * step;
            t.value[i * k + c] = (p.classes ? std::max(0.0, moved) : moved) * whole[i];  // rounding may leave −1e-17
        }
    }
}

}  // namespace learnt::forest
