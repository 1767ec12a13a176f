// Nodes as they are grown, and the flat arrays they become: pre-order, whatever order they were grown in.
#pragma once

#include "tree/split.hpp"

namespace learnt::tree {

struct GrownNode {
    int32_t feature = -1;
    int32_t children = 0;
    int32_t first_child = -1;  // in the same list; the others follow
    int32_t missing = -1;
    int32_t part = -1;  // ≥ 0: the node is the root of that other list
    int64_t route_start = -1;
    int32_t n_routes = 0;
    int32_t otherwise = -1;  // the child of categories without a route; −1: as if missing
    double threshold = nan, weight = 0, impurity = 0, missing_weight = 0;
};

struct NodeList {
    std::vector<GrownNode> nodes;
    std::vector<double> values;  // per node a number per class, or the prediction
    std::vector<int32_t> route_codes, routes;
};

struct TreeArrays {
    std::vector<int32_t> feature, n_children, children, n_routes, route_codes, routes, otherwise, missing;
    std::vector<int64_t> child_start, route_start;
    std::vector<double> threshold, weight, impurity, value, missing_weight;
};

// lists[0] begins with the root.
inline TreeArrays flattened(const std::vector<NodeList> &lists, int64_t k) {
    struct Visit {
        size_t list;
        int32_t node;
        int64_t slot;  // of `children`, to be filled with the number the node gets
    };
    TreeArrays t;
    std::vector<Visit> stack{{0, 0, -1}};
    while (!stack.empty()) {
        Visit v = stack.back();
        stack.pop_back();
        const int32_t part = lists[v.list].nodes[static_cast<size_t>(v.node)].part;
        if (part >= 0) v.list = static_cast<size_t>(part), v.node = 0;
        const NodeList &list = lists[v.list];
        const GrownNode &node = list.nodes[static_cast<size_t>(v.node)];
        if (v.slot >= 0) t.children[static_cast<size_t>(v.slot)] = static_cast<int32_t>(t.feature.size());
        t.feature.push_back(node.feature);
        t.threshold.push_back(node.threshold);
        t.n_children.push_back(node.children);
        t.child_start.push_back(static_cast<int64_t>(t.children.size()));
        t.missing.push_back(node.missing);
        t.weight.push_back(node.weight);
        t.impurity.push_back(node.impurity);
        t.missing_weight.push_back(node.missing_weight);
        const auto value = list.values.begin() + v.node * k;
        t.value.insert(t.value.end(), value, value + k);
        t.route_start.push_back(node.route_start < 0 ? -1 : static_cast<int64_t>(t.routes.size()));
        t.n_routes.push_back(node.n_routes);
        t.otherwise.push_back(node.otherwise);
        const auto copy = [&](const std::vector<int32_t> &from, std::vector<int32_t> &to) {
            const auto first = from.begin() + std::max<int64_t>(node.route_start, 0);
            to.insert(to.end(), first, first + node.n_routes);
        };
        copy(list.route_codes, t.route_codes), copy(list.routes, t.routes);
        const int64_t slot = static_cast<int64_t>(t.children.size());
        t.children.resize(t.children.size() + static_cast<size_t>(node.children));
        for (int32_t c = node.children - 1; c >= 0; --c) stack.push_back({v.list, node.first_child + c, slot + c});
    }
    return t;
}

}  // namespace learnt::tree
