// Where the categories of a nominal column go at one node, while that node is split.
#pragma once

#include "tree/split.hpp"

namespace learnt::tree {

// Up to so many categories a node keeps a route for each, which is found at once. A node of a column with more
// keeps the routes of the categories that it knows, unless they are most of them: trees grow with the rows that
// reach their nodes, not with what is declared.
inline constexpr int32_t few_categories = 32;

// One table of all categories, made once and cleaned after each node by the list of what was set.
class NodeRoutes {
    static constexpr int32_t none = -2;

    std::vector<int32_t> child_;  // by code; none: not set
    std::vector<int32_t> set_;    // the codes that are
    int32_t n_categories_ = 0, otherwise_ = -1;

  public:
    // Every category goes to the child `otherwise`; −1: as if it were missing.
    void clear(int32_t n_categories, int32_t otherwise) {
        for (const int32_t code : set_) child_[static_cast<size_t>(code)] = none;
        set_.clear();
        n_categories_ = n_categories, otherwise_ = otherwise;
        if (child_.size() < static_cast<size_t>(n_categories)) child_.resize(static_cast<size_t>(n_categories), none);
    }

    void set(int32_t code, int32_t child) {
        int32_t &to = child_[static_cast<size_t>(code)];
        if (to == none) set_.push_back(code);
        to = child;
    }

    int32_t operator[](int32_t code) const {
        const int32_t child = child_[static_cast<size_t>(code)];
        return child == none ? otherwise_ : child;
    }

    int32_t otherwise() const { return otherwise_; }

    // The routes by rising code, of all categories or of those that were set. Returns how many.
    int32_t append_to(std::vector<int32_t> &codes, std::vector<int32_t> &routes) {
        const bool all = n_categories_ <= few_categories || 2 * set_.size() >= static_cast<size_t>(n_categories_);
        const int32_t n = all ? n_categories_ : static_cast<int32_t>(set_.size());
        if (!all) std::sort(set_.begin(), set_.end());
        for (int32_t i = 0; i < n; ++i) {
            const int32_t code = all ? i : set_[static_cast<size_t>(i)];
            codes.push_back(code), routes.push_back((*this)[code]);
        }
        return n;
    }
};

// Where each category goes by a split of its column. Sets of categories say so of those that are in the node.
template <class Index>
void find_routes(const Problem &p, const Plan &plan, const Sample<Index> &sample, Range range, const Split &split,
                 NodeRoutes &routes) {
    const int32_t n_categories = p.columns[static_cast<size_t>(split.column)].n_categories;
    const Nominal nominal = p.options.nominal;
    routes.clear(n_categories, nominal == Nominal::equals ? split.left.size() == 1 : -1);
    if (nominal == Nominal::multiway)
        for (int32_t code = 0; code < n_categories; ++code) routes.set(code, code);
    if (nominal == Nominal::subset) {
        const int32_t *const codes = sample.coded(plan.place[static_cast<size_t>(split.column)]);
        sample.each_id(plan, range, [&](int64_t id) {
            if (codes[id] >= 0) routes.set(codes[id], 1);
        });
    }
    for (const int32_t code : split.left) routes.set(code, 0);
}

}  // namespace learnt::tree
