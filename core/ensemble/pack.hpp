// Many binary trees, packed for prediction: the columns that are tested, and every tree in the form in which rows
// find their leaves soonest.
#pragma once

#include "ensemble/nodes.hpp"

namespace learnt::ensemble {

template <class Real>
class PackedForest {
    static constexpr int64_t most_masks = int64_t{1} << 23;  // of nominal tables, in all trees

  public:
    std::vector<UsedColumn> used;
    std::vector<int64_t> leaf_start;  // by tree, into the leaves of all trees
    std::vector<int32_t> leaf_node;   // their numbers in their trees

    std::vector<int64_t> walk_start;   // by tree, into the nodes of walks
    std::vector<int32_t> walk_steps;   // by tree, the depth of the shallowest leaf
    std::vector<uint8_t> walk_simple;  // by tree, whether every test is of a threshold
    std::vector<WalkNode<Real>> walk;
    std::vector<int32_t> walk_nominal;  // per node: the routes of a nominal test, else −1; none without such tests
    std::vector<WalkRoutes> walk_routes;
    std::vector<uint64_t> walk_bits;

    std::vector<int32_t> mask_place;  // by tree, into mask_trees; −1: it walks
    std::vector<MaskTree> mask_trees;
    std::vector<MaskTest<Real>> mask_tests;
    std::vector<MaskTable> mask_tables;
    std::vector<uint64_t> masks;

    // Whether nodes of walks can hold such a forest.
    static bool possible(const ForestView &f) {
        for (int64_t t = 0; t < f.trees; ++t)
            if (f.tree_start[t + 1] - f.tree_start[t] > WalkNode<Real>::most_nodes) return false;
        return f.columns <= WalkNode<Real>::most_columns;
    }

    explicit PackedForest(const ForestView &f) {
        find_columns(f);
        leaf_start.push_back(0);
        for (int64_t t = 0; t < f.trees; ++t) {
            const int64_t first = f.tree_start[t], n = f.tree_start[t + 1] - first;
            leaf_before_.assign(static_cast<size_t>(n + 1), 0);
            for (int64_t i = 0; i < n; ++i) {
                leaf_before_[static_cast<size_t>(i + 1)] = leaf_before_[static_cast<size_t>(i)] + f.leaf(first + i);
                if (f.leaf(first + i)) leaf_node.push_back(static_cast<int32_t>(i));
            }
            leaf_start.push_back(static_cast<int64_t>(leaf_node.size()));
            pack_walk(f, first, n);
            mask_place.push_back(leaf_before_.back() <= 64 && masks_fit(f, first, n) ? pack_masks(f, first, n) : -1);
        }
    }

    int64_t trees() const { return static_cast<int64_t>(walk_start.size()); }

  private:
    std::vector<int32_t> place_;        // of each column among those used
    std::vector<int32_t> leaf_before_;  // of the tree being packed: leaves before each node

    int32_t cells(const ForestView &f, int64_t node) const {
        return place_[static_cast<size_t>(f.feature[node])] * tile_rows;
    }
    const UsedColumn &column(const ForestView &f, int64_t node) const {
        return used[static_cast<size_t>(place_[static_cast<size_t>(f.feature[node])])];
    }

    void find_columns(const ForestView &f) {
        place_.assign(static_cast<size_t>(f.columns), -1);
        std::vector<uint8_t> nominal(static_cast<size_t>(f.columns), 0);
        const int64_t nodes = f.tree_start[f.trees];
        for (int64_t i = 0; i < nodes; ++i)
            if (!f.leaf(i)) {
                const size_t j = static_cast<size_t>(f.feature[i]);
                place_[j] = 0, nominal[j] |= f.nominal(i);
            }
        for (size_t j = 0; j < place_.size(); ++j)
            if (place_[j] == 0) {
                place_[j] = static_cast<int32_t>(used.size());
                used.push_back({static_cast<int32_t>(j), f.n_categories[j], nominal[j] != 0});
                any_nominal_ |= nominal[j] != 0;
            }
    }

    // In order of levels.
    void pack_walk(const ForestView &f, int64_t first, int64_t n) {
        const size_t start = walk.size();
        walk_start.push_back(static_cast<int64_t>(start));
        walk.resize(start + static_cast<size_t>(n));
        if (any_nominal_) walk_nominal.resize(walk.size(), -1);
        order_.assign(static_cast<size_t>(n), 0), level_.assign(static_cast<size_t>(n), 0);
        bool simple = true;
        int32_t next = 1, shallowest = std::numeric_limits<int32_t>::max();
        for (int32_t place = 0; place < n; ++place) {
            const int32_t i = order_[static_cast<size_t>(place)], depth = level_[static_cast<size_t>(place)];
            const int64_t node = first + i;
            WalkNode<Real> &to = walk[start + static_cast<size_t>(place)];
            if (f.leaf(node)) {
                shallowest = std::min(shallowest, depth);
                to = WalkNode<Real>::leaf_at(place, leaf_before_[static_cast<size_t>(i)]);
                continue;
            }
            to = WalkNode<Real>::test(not_above<Real>(f.threshold[node]), cells(f, node) / tile_rows,
                                      f.missing[node] == 1, next);
            if (column(f, node).nominal) {
                simple = false;
                walk_nominal[start + static_cast<size_t>(place)] = static_cast<int32_t>(walk_routes.size());
                pack_routes(f, node);
            }
            for (const int32_t child : {i + 1, f.right[node]}) {
                order_[static_cast<size_t>(next)] = child, level_[static_cast<size_t>(next)] = depth + 1;
                ++next;
            }
        }
        walk_steps.push_back(shallowest), walk_simple.push_back(simple);
    }

    void pack_routes(const ForestView &f, int64_t node) {
        const int32_t n = column(f, node).n_categories;
        const bool missing_right = f.missing[node] == 1;
        const bool right = f.nominal(node) ? (f.otherwise[node] < 0 ? missing_right : f.otherwise[node] == 1) : false;
        changed_.clear();
        if (f.nominal(node)) {
            const int64_t from = f.route_start[node];
            for (int64_t e = from; e < from + f.n_routes[node]; ++e)
                if (f.goes_right(node, f.route_codes[e]) != right) changed_.push_back(f.route_codes[e]);
        } else {
            for (int32_t code = 0; code < n; ++code)
                if (f.goes_right(node, code) != right) changed_.push_back(code);
        }
        WalkRoutes routes{0, 0, n, right, missing_right, static_cast<int64_t>(walk_bits.size())};
        if (!changed_.empty()) {
            routes.low = changed_.front(), routes.span = changed_.back() - changed_.front() + 1;
            const int64_t words = routes.span / 64 + 1, listed = static_cast<int64_t>(changed_.size());
            if (words <= 4 + 4 * listed) {
                walk_bits.resize(walk_bits.size() + static_cast<size_t>(words), 0);
                uint64_t *const bits = walk_bits.data() + routes.bits;
                for (const int32_t code : changed_)
                    bits[(code - routes.low) / 64] |= uint64_t{1} << (code - routes.low) % 64;
            } else {  // a few of very many: how many, and a sorted list
                routes.bits = -1 - routes.bits;
                walk_bits.push_back(static_cast<uint64_t>(listed));
                for (const int32_t code : changed_) walk_bits.push_back(static_cast<uint64_t>(code));
            }
        }
        walk_routes.push_back(routes);
    }

    bool masks_fit(const ForestView &f, int64_t first, int64_t n) {
        int64_t wanted = static_cast<int64_t>(masks.size());
        seen_.assign(used.size(), 0);
        for (int64_t node = first; node < first + n; ++node)
            if (!f.leaf(node) && column(f, node).nominal) {
                uint8_t &seen = seen_[static_cast<size_t>(place_[static_cast<size_t>(f.feature[node])])];
                if (!seen) wanted += int64_t{column(f, node).n_categories} + 1;
                seen = 1;
            }
        return wanted <= most_masks;
    }

    int32_t pack_masks(const ForestView &f, int64_t first, int64_t n) {
        MaskTree tree{};
        tree.first = static_cast<int64_t>(mask_tests.size()), tree.tables_first = static_cast<int64_t>(mask_tables.size());
        for (const int32_t side : {1, 0}) {
            if (side == 0) tree.left_from = static_cast<int64_t>(mask_tests.size());
            for (int64_t node = first; node < first + n; ++node)
                if (!f.leaf(node) && !column(f, node).nominal && f.missing[node] == side)
                    mask_tests.push_back({not_above<Real>(f.threshold[node]), cells(f, node), right_mask(f, first, node)});
        }
        tree.last = static_cast<int64_t>(mask_tests.size());
        seen_.assign(used.size(), 0);
        for (int64_t node = first; node < first + n; ++node)
            if (!f.leaf(node) && column(f, node).nominal) add_to_table(f, first, node, tree.tables_first);
        tree.tables_last = static_cast<int64_t>(mask_tables.size());
        mask_trees.push_back(tree);
        return static_cast<int32_t>(mask_trees.size()) - 1;
    }

    // All bits but those of the leaves below the left child.
    uint64_t right_mask(const ForestView &f, int64_t first, int64_t node) const {
        const int32_t from = leaf_before_[static_cast<size_t>(node - first + 1)];
        const int32_t to = leaf_before_[static_cast<size_t>(f.right[node])];
        return ~(((uint64_t{1} << (to - from)) - 1) << from);
    }
    void add_to_table(const ForestView &f, int64_t first, int64_t node, int64_t tables_first) {
        const int32_t n = column(f, node).n_categories, at = cells(f, node);
        uint8_t &seen = seen_[static_cast<size_t>(at / tile_rows)];
        if (!seen) {
            mask_tables.push_back({at, static_cast<int64_t>(masks.size())});
            masks.resize(masks.size() + static_cast<size_t>(n) + 1, ~uint64_t{0});
            seen = 1;
        }
        int64_t table = tables_first;
        while (mask_tables[static_cast<size_t>(table)].cells != at) ++table;
        uint64_t *const to = masks.data() + mask_tables[static_cast<size_t>(table)].start;
        const uint64_t right = right_mask(f, first, node);
        // Going left needs no mask: of the leaves that are left, the first counts.
        int64_t route = f.route_start[node];
        const int64_t last = route + f.n_routes[node];
        const bool missing_right = f.missing[node] == 1;
        if (!f.nominal(node)) {
            for (int32_t code = 0; code <= n; ++code)
                if (f.goes_right(node, code)) to[code] &= right;
            return;
        }
        const bool other = f.otherwise[node] < 0 ? missing_right : f.otherwise[node] == 1;
        for (int32_t code = 0; code < n; ++code) {
            bool goes = other;
            if (route < last && f.route_codes[route] == code) {
                goes = f.routes[route] < 0 ? missing_right : f.routes[route] == 1;
                ++route;
            }
            if (goes) to[code] &= right;
        }
        if (missing_right) to[n] &= right;
    }

    std::vector<int32_t> order_, level_, changed_;  // scratch
    std::vector<uint8_t> seen_;
    bool any_nominal_ = false;
};

}  // namespace learnt::ensemble
