// A forest, a tree per thread at a time; and what trees say of the rows they did not draw.
#pragma once

#include <atomic>
#include <memory>

#include "forest/shrink.hpp"
#include "forest/tree.hpp"

namespace learnt::forest {

// Sums over trees that did not draw the row, of the shares of the classes, or of the predicted numbers less `origin`,
// as whole multiples of `unit`: whole numbers add up to the same in any order. With `shrinkages` there is one sum for
// each of them instead: what a tree so shrunk would say, of classes the share of the row's own.
struct OutOfBag {
    int64_t *sums = nullptr;   // rows × outputs or shrinkages, updated
    int32_t *trees = nullptr;  // rows, updated
    double origin = 0, unit = 1;
    const double *shrinkages = nullptr;
    int64_t n_shrinkages = 0;
};

// Calls visit(node) for each node a row comes through.
template <class Visit>
void walk(const Tree &t, const std::vector<int64_t> &route_start, const Problem &p, int64_t row, Visit visit) {
    int64_t at = 0;
    visit(at);
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
        visit(at);
    }
}

inline int64_t leaf_of(const Tree &t, const std::vector<int64_t> &route_start, const Problem &p, int64_t row) {
    int64_t leaf = 0;
    walk(t, route_start, p, row, [&](int64_t node) { leaf = node; });
    return leaf;
}

// What one tree says of rows it did not draw.
class AskTree {
    const Tree &t_;
    const Problem &p_;
    const OutOfBag &out_;
    std::vector<int64_t> route_start_;
    std::vector<double> whole_, said_;

    double said_by(int64_t node, int64_t output) const {
        const double value = t_.value[static_cast<size_t>(node * p_.outputs() + output)];
        return p_.classes ? value / whole_[static_cast<size_t>(node)] : value - out_.origin;
    }
    // The way to a leaf is summed up once for all shrinkages.
    void ask_shrunk(int64_t row) {
        const int64_t own = p_.classes ? p_.labels[row] : 0;
        int64_t above = -1;
        walk(t_, route_start_, p_, row, [&](int64_t node) {
            const double more = said_by(node, own) - (above < 0 ? 0.0 : said_by(above, own));
            for (size_t s = 0; s < said_.size(); ++s) {
                if (above < 0) said_[s] = more;
                else said_[s] += more * step_from(t_.weight[static_cast<size_t>(above)], out_.shrinkages[s]);
            }
            above = node;
        });
    }
    void ask_leaf(int64_t row) {
        const int64_t leaf = leaf_of(t_, route_start_, p_, row);
        for (size_t c = 0; c < said_.size(); ++c) said_[c] = said_by(leaf, static_cast<int64_t>(c));
    }

  public:
    AskTree(const Tree &t, const Problem &p, const OutOfBag &out)
        : t_(t), p_(p), out_(out), route_start_(static_cast<size_t>(t.nodes()), 0), whole_(wholes(t, p)),
          said_(static_cast<size_t>(out.shrinkages ? out.n_shrinkages : p.outputs())) {
        for (size_t i = 1; i < route_start_.size(); ++i) route_start_[i] = route_start_[i - 1] + t.n_routes[i - 1];
    }

    const std::vector<double> &operator()(int64_t row) {
        out_.shrinkages ? ask_shrunk(row) : ask_leaf(row);
        return said_;
    }
};

inline void add_out_of_bag(const Tree &t, const RowDraw &draw, const Problem &p, const OutOfBag &out, Job &job) {
    AskTree ask(t, p, out);
    for (int64_t row = 0; row < p.rows; ++row) {
        if (row % 4096 == 0) job.check();
        if (draw(row) != 0) continue;
        const std::vector<double> &said = ask(row);
        for (size_t s = 0; s < said.size(); ++s)
            std::atomic_ref(out.sums[static_cast<size_t>(row) * said.size() + s])
                .fetch_add(std::llround(said[s] / out.unit), std::memory_order_relaxed);
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
        Tree &tree = trees[static_cast<size_t>(t)];
        tree = grower->grow(first + t, keep_rows, job, draw);
        if (p.options.shrinkage > 0) shrink(tree, p, p.options.shrinkage);
        if (out.sums) add_out_of_bag(tree, draw, p, out, job);
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
