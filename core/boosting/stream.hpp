// The search of a growing tree whose rows come in batches: which rows are in which node stands in boosting/batch_rows.hpp,
// their histograms in boosting/node_histograms.hpp. The search and the numbers it sees are those of boosting/grow.hpp,
// so the tree is the same.
#pragma once

#include "boosting/batch_rows.hpp"
#include "boosting/node_histograms.hpp"

namespace learnt::boost {

// A tree whose histograms come from elsewhere.
class StreamedTree {
    const BinLayout &layout_;
    const BinMeaning &meaning_;
    const TreeRules &rules_;
    const GradientScale scale_;
    const bool fine_;
    const uint64_t tree_;
    struct State {
        uint64_t path = 1;
        int64_t depth = 0;
        std::vector<int32_t> used;
        Split split;
        double weight = 0;
    };
    std::vector<State> states_;

  public:
    std::vector<TestedNode> nodes;
    std::vector<int32_t> number;

    StreamedTree(const BinLayout &layout, const BinMeaning &meaning, const TreeRules &rules, const GradientScale &scale,
                 bool fine, uint64_t tree)
        : layout_(layout), meaning_(meaning), rules_(rules), scale_(scale), fine_(fine), tree_(tree), states_(1), nodes(1) {}

    // The gain of the node's best test; −1 if it has none.
    double search(int64_t node, const int64_t *planes) {
        State &state = states_[static_cast<size_t>(node)];
        state.split = Split{};
        GradientScale scale = scale_;
        if (!fine_) scale.exact_g = scale.g, scale.exact_h = scale.h, scale.weight = 1;
        const CellReader reader{CellFormat::fine, scale, nullptr, fine_ ? 0 : 1 / scale.g};
        if (layout_.columns() == 0 || (rules_.max_depth > 0 && state.depth >= rules_.max_depth)) return -1;
        const Sums sums = reader.sum(planes, layout_.offset[0], layout_.n_bins[0]);
        state.weight = sums.c;
        NodeSearch search(layout_, rules_.split, reader, planes, sums, nodes[static_cast<size_t>(node)].bounds,
                          open_columns(rules_, layout_.columns(), tree_, state.path, state.used));
        run_blocks(search.parts(), [&](int64_t part, Job &) { search.look(part); });
        state.split = search.best();
        return state.split.column < 0 ? -1 : state.split.gain;
    }
    const Split &found(int64_t node) const { return states_[static_cast<size_t>(node)].split; }

    bool lighter_left(int64_t node) const {
        return 2 * found(node).left.c <= states_[static_cast<size_t>(node)].weight;
    }

    // Makes the two children of a searched node; the number of the left one, the right one follows.
    int64_t split(int64_t node) {
        const State parent = states_[static_cast<size_t>(node)];
        TestedNode &test = nodes[static_cast<size_t>(node)];
        test.set_test(parent.split, layout_);
        test.missing_weight = std::max(parent.split.missing_weight, 0.0);
        test.left = static_cast<int32_t>(nodes.size()), test.right = test.left + 1;
        const auto [left, right] = bounds_below(test.bounds, parent.split, rules_.split);
        const int64_t first = test.left;
        for (const bool is_left : {true, false}) {
            State child{path_below(parent.path, is_left), parent.depth + 1, parent.used, {}, 0};
            if (!rules_.interactions.empty()) child.used.push_back(parent.split.column);
            states_.push_back(std::move(child));
            TestedNode fresh;
            fresh.bounds = is_left ? left : right;
            nodes.push_back(std::move(fresh));
        }
        return first;
    }

    // The tree with leaves of these exact sums. Nodes for which `inner` is 0 are leaves, whatever was grown below.
    tree::TreeArrays finish(const int64_t *sums, const uint8_t *inner) {
        const size_t n = nodes.size();
        for (size_t i = 0; i < n; ++i) std::copy_n(sums + 3 * i, 3, nodes[i].sums);
        std::vector<int32_t> up(n, -1);
        for (size_t i = 0; i < n; ++i)
            if (nodes[i].left >= 0) up[static_cast<size_t>(nodes[i].left)] = up[static_cast<size_t>(nodes[i].right)] = static_cast<int32_t>(i);
        for (size_t i = n; i-- > 1;)
            for (int f = 0; f < 3; ++f) nodes[static_cast<size_t>(up[i])].sums[f] += nodes[i].sums[f];
        std::vector<TestedNode> kept = nodes;
        for (size_t i = 0; i < n; ++i)
            if (!inner[i]) kept[i].left = kept[i].right = -1;
        const tree::TreeArrays t = finished_tree(kept, layout_, meaning_, scale_, rules_, number);
        for (size_t i = 1; i < n; ++i)  // what was cut off belongs to the leaf above it
            if (number[i] < 0) number[i] = number[static_cast<size_t>(up[i])];
        return t;
    }
};

}  // namespace learnt::boost
