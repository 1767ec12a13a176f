// A tree while it grows: nodes in the order they were made, tests in bins; and the flat arrays it becomes.
#pragma once

#include "boosting/split.hpp"
#include "tree/nodes.hpp"

namespace learnt::boost {

struct TreeRules {
    SplitRules split;
    int64_t max_leaf_nodes = 31, max_depth = 0;  // 0: no limit
    bool by_depth = false;                       // grow level by level instead of the best leaf first
    double learning_rate = 0.1;
    double max_features = 1, max_features_tree = 1;  // shares of the columns, drawn by node and by tree
    std::vector<std::vector<int32_t>> interactions;  // if any: a path tests columns of one set only
    std::vector<uint64_t> column_keys;  // if any: what columns are drawn by; 0: never tested
    uint64_t seed = 0;
};

struct TestedNode {
    int32_t left = -1, right = -1, column = -1, bin = -1;
    bool missing_left = false;
    std::vector<int32_t> left_bins;
    std::vector<uint32_t> left_set;  // the same as bits
    double missing_weight = 0;
    double gain = 0;
    Bounds bounds;
    int64_t sums[3] = {0, 0, 0};  // exact gradient, hessian, weight

    bool goes_left(int32_t code, int32_t missing_bin) const {
        if (left_set.empty()) return code == missing_bin ? missing_left : code <= bin;
        return left_set[static_cast<size_t>(code >> 5)] >> (code & 31) & 1;
    }
    void set_test(const Split &split, const BinLayout &layout) {
        column = split.column, bin = split.bin, missing_left = split.missing_left, left_bins = split.left_bins;
        gain = split.gain;
        if (!layout.nominal[static_cast<size_t>(column)]) return;
        left_set.assign(static_cast<size_t>(layout.n_bins[static_cast<size_t>(column)] / 32 + 1), 0);
        for (const int32_t b : left_bins) left_set[static_cast<size_t>(b >> 5)] |= 1u << (b & 31);
    }
};

inline int32_t code_at(const BinLayout &layout, const CodeRows &codes, int64_t row, int32_t column) {
    const int64_t at = layout.place[static_cast<size_t>(column)];
    return layout.is_wide(column) ? codes.wide[row * codes.wide_stride + at] : codes.narrow[row * codes.stride + at];
}

// The leaf of a row, from `node` down.
inline int32_t leaf_below(const std::vector<TestedNode> &nodes, const BinLayout &layout, const CodeRows &codes,
                          int64_t row, int32_t node) {
    while (nodes[static_cast<size_t>(node)].left >= 0) {
        const TestedNode &t = nodes[static_cast<size_t>(node)];
        node = t.goes_left(code_at(layout, codes, row, t.column), layout.missing_bin(t.column)) ? t.left : t.right;
    }
    return node;
}

// The columns with the smallest hashes, `share` of them, at least one. Hashed from their `keys`; if none, their places.
inline std::vector<int32_t> drawn_columns(const std::vector<int32_t> &from, double share, uint64_t key,
                                          const std::vector<uint64_t> &keys) {
    const int64_t n = static_cast<int64_t>(from.size());
    const int64_t wanted = std::clamp<int64_t>(std::llround(share * static_cast<double>(n)), 1, std::max<int64_t>(n, 1));
    if (wanted >= n) return from;
    std::vector<std::pair<uint64_t, int32_t>> by;
    for (const int32_t j : from) {
        const uint64_t own = keys.empty() ? static_cast<uint64_t>(j) + 1 : keys[static_cast<size_t>(j)];
        by.emplace_back(mix_bits(key ^ mix_bits(own)), j);
    }
    std::nth_element(by.begin(), by.begin() + wanted, by.end());
    std::vector<int32_t> drawn;
    for (int64_t i = 0; i < wanted; ++i) drawn.push_back(by[static_cast<size_t>(i)].second);
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

inline uint64_t path_below(uint64_t path, bool left) { return mix_bits(2 * path + (left ? 1 : 2)); }

// What a node may test: columns drawn for the tree, of the sets that hold all columns tested above (`used`), and of
// these the drawn.
inline std::vector<int32_t> open_columns(const TreeRules &rules, int64_t n_columns, uint64_t tree, uint64_t path,
                                         const std::vector<int32_t> &used) {
    std::vector<int32_t> columns(static_cast<size_t>(n_columns));
    std::iota(columns.begin(), columns.end(), 0);
    const std::vector<uint64_t> &keys = rules.column_keys;
    if (!keys.empty()) std::erase_if(columns, [&](int32_t j) { return keys[static_cast<size_t>(j)] == 0; });
    columns = drawn_columns(columns, rules.max_features_tree, tree_key(rules.seed ^ 0x74726565u, tree), keys);
    if (!rules.interactions.empty()) {
        std::vector<uint8_t> open(static_cast<size_t>(n_columns), 0);
        for (const std::vector<int32_t> &set : rules.interactions) {
            const auto holds = [&](int32_t j) { return std::find(set.begin(), set.end(), j) != set.end(); };
            if (std::all_of(used.begin(), used.end(), holds))
                for (const int32_t j : set) open[static_cast<size_t>(j)] = 1;
        }
        std::erase_if(columns, [&](int32_t j) { return !open[static_cast<size_t>(j)]; });
        if (columns.empty()) return columns;
    }
    return drawn_columns(columns, rules.max_features, tree_key(rules.seed ^ 0x6e6f6465u, tree) ^ path, keys);
}

// Thresholds and categories behind the bins.
struct BinMeaning {
    std::vector<std::vector<double>> edges;                    // by column of numbers
    std::vector<std::vector<std::vector<int32_t>>> categories;  // by column of categories and bin
};

// The value of a leaf with these exact sums, without the learning rate.
inline double leaf_value(const TestedNode &node, const GradientScale &scale, const SplitRules &rules) {
    const double g = static_cast<double>(node.sums[0]) / scale.exact_g, h = static_cast<double>(node.sums[1]) / scale.exact_h;
    const double t = std::max(std::abs(g) - rules.l1, 0.0), below = h + rules.l2;
    const double w = below > 0 ? -std::copysign(t, g) / below : 0;
    return std::clamp(w, node.bounds.low, node.bounds.high);
}

// `nodes` has exact sums in its leaves; inner nodes get theirs here. `number` tells the place of each node in pre-order.
inline tree::TreeArrays finished_tree(std::vector<TestedNode> &nodes, const BinLayout &layout, const BinMeaning &meaning,
                                      const GradientScale &scale, const TreeRules &rules, std::vector<int32_t> &number) {
    const size_t n = nodes.size();
    for (size_t i = n; i-- > 0;)  // children come after their parents
        if (nodes[i].left >= 0)
            for (int f = 0; f < 3; ++f)
                nodes[i].sums[f] = nodes[static_cast<size_t>(nodes[i].left)].sums[f] +
                                   nodes[static_cast<size_t>(nodes[i].right)].sums[f];
    std::vector<tree::NodeList> lists(1);
    tree::NodeList &list = lists[0];
    std::vector<double> score(n), mean_score(n);
    double kappa = 0;
    for (size_t i = 0; i < n; ++i) {
        const double g = static_cast<double>(nodes[i].sums[0]) / scale.exact_g;
        const double h = static_cast<double>(nodes[i].sums[1]) / scale.exact_h, w = leaf_value(nodes[i], scale, rules.split);
        const double weight = static_cast<double>(nodes[i].sums[2]) / scale.weight;
        score[i] = -(2 * g * w + (h + rules.split.l2) * w * w + 2 * rules.split.l1 * std::abs(w));
        mean_score[i] = weight > 0 ? score[i] / weight : 0;
        list.values.push_back(rules.learning_rate * w);
    }
    // Pre-order, the left child first; flattened() wants children side by side, so nodes are listed by pairs.
    std::vector<int32_t> at(n, -1), order{0};
    at[0] = 0;
    for (size_t v = 0; v < order.size(); ++v) {
        const TestedNode &node = nodes[static_cast<size_t>(order[v])];
        if (node.left < 0) continue;
        for (const int32_t child : {node.left, node.right})
            at[static_cast<size_t>(child)] = static_cast<int32_t>(order.size()), order.push_back(child);
    }
    for (const int32_t i : order) kappa = std::max(kappa, mean_score[static_cast<size_t>(i)]);
    std::vector<double> values(order.size());
    for (size_t v = 0; v < order.size(); ++v) {
        const size_t i = static_cast<size_t>(order[v]);
        const TestedNode &from = nodes[i];
        tree::GrownNode node;
        node.weight = static_cast<double>(from.sums[2]) / scale.weight;
        node.impurity = node.weight > 0 ? std::max(kappa - mean_score[i], 0.0) : 0;
        values[v] = list.values[i];
        if (from.left >= 0) {
            node.feature = from.column, node.children = 2, node.first_child = at[static_cast<size_t>(from.left)];
            node.missing_weight = from.missing_weight;
            const bool heavier = nodes[static_cast<size_t>(from.left)].sums[2] >= nodes[static_cast<size_t>(from.right)].sums[2];
            node.missing = (from.missing_weight > 0 ? from.missing_left : heavier) ? 0 : 1;
            const size_t j = static_cast<size_t>(from.column);
            if (layout.nominal[j]) {
                std::vector<int32_t> codes;
                for (const int32_t b : from.left_bins)
                    if (b < layout.n_bins[j] - 2)
                        codes.insert(codes.end(), meaning.categories[j][static_cast<size_t>(b)].begin(),
                                     meaning.categories[j][static_cast<size_t>(b)].end());
                std::sort(codes.begin(), codes.end());
                node.route_start = static_cast<int64_t>(list.routes.size());
                node.n_routes = static_cast<int32_t>(codes.size()), node.otherwise = 1;
                list.route_codes.insert(list.route_codes.end(), codes.begin(), codes.end());
                list.routes.insert(list.routes.end(), codes.size(), 0);
            } else {
                const std::vector<double> &edges = meaning.edges[j];
                node.threshold = static_cast<size_t>(from.bin) < edges.size() ? edges[static_cast<size_t>(from.bin)] : infinite;
            }
        }
        list.nodes.push_back(node);
    }
    list.values = std::move(values);
    number.assign(n, -1);
    std::vector<int32_t> stack{0};
    for (int32_t next = 0; !stack.empty(); ++next) {
        const int32_t i = stack.back();
        stack.pop_back(), number[static_cast<size_t>(i)] = next;
        if (nodes[static_cast<size_t>(i)].left >= 0)
            stack.push_back(nodes[static_cast<size_t>(i)].right), stack.push_back(nodes[static_cast<size_t>(i)].left);
    }
    return tree::flattened(lists, 1);
}

}  // namespace learnt::boost
