// A forest, a tree per thread at a time; and what trees say of the rows they did not draw.
#pragma once

#include <atomic>
#include <memory>

#include "forest/tree.hpp"

namespace learnt::forest {

// Sums over trees that did not draw the row, of the shares of the classes, or of the predicted numbers less `origin`,
// as whole multiples of `unit`: whole numbers add up to the same in any order.
struct OutOfBag {
    int64_t *sums = nullptr;   // rows × outputs, updated
    int32_t *trees = nullptr;  // rows, updated
    double origin = 0, unit = 1;
};

inline int64_t leaf_of(const Tree &t, const std::vector<int64_t> &route_start, const Problem &p, int64_t row) {
    int64_t at = 0;
    while (t.feature[static_cast<size_t>(at)] >= 0) {
        const size_t i = static_cast<size_t>(at);
        const CodedColumn &column = p.columns[static_cast<size_t>(t.feature[i])];
        const int32_t code = column.codes[row];
        bool left = code <= t.cut[i];
        if (code == column.lost) {
            left = t.missing[i] == 0;
        } else if (column.nominal) {
            const auto first = t.route_codes.begin() + route_start[i], last = first + t.n_routes[i];
            const auto found = std::lower_bound(first, last, code);
            left = (found != last && *found == code ? t.routes[static_cast<size_t>(found - t.route_codes.begin())]
                                                     : t.missing[i]) == 0;
        }
        at = left ? at + 1 : t.right[i];
    }
    return at;
}

inline void add_out_of_bag(const Tree &t, const RowDraw &draw, const Problem &p, const OutOfBag &out, Job &job) {
    const int64_t k = p.outputs();
    std::vector<int64_t> start(static_cast<size_t>(t.nodes()), 0);
    for (size_t i = 1; i < start.size(); ++i) start[i] = start[i - 1] + t.n_routes[i - 1];
    for (int64_t row = 0; row < p.rows; ++row) {
        if (row % 4096 == 0) job.check();
        if (draw(row) != 0) continue;
        const double *const value = &t.value[static_cast<size_t>(leaf_of(t, start, p, row) * k)];
        double whole = 0;
        for (int64_t c = 0; c < k; ++c) whole += p.classes ? value[c] : 0.0;
        for (int64_t c = 0; c < k; ++c) {
            const double said = p.classes ? value[c] / whole : value[c] - out.origin;
            std::atomic_ref(out.sums[row * k + c]).fetch_add(std::llround(said / out.unit), std::memory_order_relaxed);
        }
        std::atomic_ref(out.trees[row]).fetch_add(1, std::memory_order_relaxed);
    }
}

template <class Target>
void grow_trees_of(const Problem &p, int64_t first, bool keep_rows, const OutOfBag &out, std::vector<Tree> &trees) {
    // Growers keep their memory; a thread takes one that is free.
    std::mutex mutex;
    std::vector<std::unique_ptr<TreeGrower<Target>>> free;
    run_blocks(static_cast<int64_t>(trees.size()), [&](int64_t t, Job &job) {
        std::unique_ptr<TreeGrower<Target>> grower;
        {
            const std::lock_guard lock(mutex);
            if (!free.empty()) grower = std::move(free.back()), free.pop_back();
        }
        if (!grower) grower = std::make_unique<TreeGrower<Target>>(p);
        RowDraw draw(p.options, 0, 0);
        trees[static_cast<size_t>(t)] = grower->grow(first + t, keep_rows, job, draw);
        if (out.sums) add_out_of_bag(trees[static_cast<size_t>(t)], draw, p, out, job);
        const std::lock_guard lock(mutex);
        free.push_back(std::move(grower));
    });
}

// Trees first, first + 1, … of the forest.
inline std::vector<Tree> grow_forest(const Problem &p, int64_t first, int64_t count, bool keep_rows,
                                     const OutOfBag &out) {
    std::vector<Tree> trees(static_cast<size_t>(count));
    if (TwoCounts::fits(p))
        grow_trees_of<TwoCounts>(p, first, keep_rows, out, trees);
    else if (Numbers::fits(p))
        grow_trees_of<Numbers>(p, first, keep_rows, out, trees);
    else
        grow_trees_of<Classes>(p, first, keep_rows, out, trees);
    return trees;
}

}  // namespace learnt::forest
