// The parts of growing a tree, for tables that come in batches: histograms that add, and the search; which rows are in
// which node stands in boosting/batch_rows.hpp. The search and the numbers it sees are those of boosting/grow.hpp, so
// the tree is the same.
#pragma once

#include "boosting/batch_rows.hpp"

namespace learnt::boost {

// Plain cells, and the counts behind them, of all rows: by one addition for a row and column, as many rows at a time as
// a counted cell holds.
inline std::vector<int64_t> counted_sums(const HistogramMaker &maker, const uint64_t *entries, int64_t n) {
    const int64_t size = maker.layout.total;
    const int64_t parts = std::clamp<int64_t>(n / (4 * counted_rows), 1, thread_count().load());
    std::vector<std::vector<int64_t>> sums(static_cast<size_t>(parts));
    const Blocks blocks{n, parts};
    run_blocks(parts, [&](int64_t b, Job &) {
        std::vector<int64_t> sum(static_cast<size_t>(2 * size)), counted;
        int64_t *const cells = sum.data(), *const counts = cells + size;
        for (int64_t first = blocks[b].first; first < blocks[b].last; first += counted_rows) {
            counted.assign(static_cast<size_t>(size), 0);
            const int64_t count = std::min(counted_rows, blocks[b].last - first);
            for (const ColumnGroup &group : maker.groups)
                add_group(maker.layout, maker.codes, group, entries + first, count, CountedAdder{}, counted.data());
            for (int64_t c = 0; c < size; ++c) {
                const int64_t cell = counted[static_cast<size_t>(c)];
                cells[c] += uncounted(cell), counts[c] += cell & counted_rows;
            }
        }
        sums[static_cast<size_t>(b)] = std::move(sum);
    });
    for (size_t b = 1; b < sums.size(); ++b)
        for (size_t c = 0; c < sums[0].size(); ++c) sums[0][c] += sums[b][c];
    return std::move(sums[0]);
}

// Adds the rows of some nodes of a batch to their histograms.
//   entries       rows that take part, together by node (boosting/batch_rows.hpp)
//   fine_rows     rows × 3 numbers of 62 bits, or null: gradients are those packed in the entries
//   ranges        nodes × 2: of the entries
//   slot          by node: its histogram, or −1
//   planes        slots × bins × 3: gradient, hessian, weight                                          added to
inline void add_histograms(const BinLayout &layout, const CodeRows &codes, const uint64_t *entries, const int64_t *fine_rows,
                           const int64_t *ranges, const int32_t *slot, int64_t n_nodes, int64_t *planes) {
    HistogramMaker maker(layout, codes);
    std::vector<int64_t> counted;
    for (int64_t v = 0; v < n_nodes; ++v) {
        const int64_t count = ranges[2 * v + 1] - ranges[2 * v];
        if (slot[v] < 0 || count == 0) continue;
        const uint64_t *const from = entries + ranges[2 * v];
        int64_t *const to = planes + slot[v] * layout.total * 3;
        if (fine_rows) {
            maker.add(from, count, FineRows{fine_rows}, 3, to);
        } else if (count * layout.columns() < 4 * layout.total) {  // less work than to look at all cells
            maker.add(from, count, SpreadRows{}, 3, to);
        } else if (count <= counted_rows) {
            counted.assign(static_cast<size_t>(layout.total), 0);
            for (const ColumnGroup &group : maker.groups)
                add_group(layout, codes, group, from, count, CountedAdder{}, counted.data());
            for (int64_t c = 0; c < layout.total; ++c) {
                const int64_t cell = counted[static_cast<size_t>(c)];
                to[3 * c] += cell >> 38, to[3 * c + 1] += cell >> 12 & ((int64_t{1} << 26) - 1);
                to[3 * c + 2] += cell & counted_rows;
            }
        } else {
            const std::vector<int64_t> sums = counted_sums(maker, from, count);
            const int64_t *const cells = sums.data(), *const counts = cells + layout.total;
            for (int64_t c = 0; c < layout.total; ++c)
                to[3 * c] += cells[c] >> 32, to[3 * c + 1] += cells[c] & 0xffffffff, to[3 * c + 2] += counts[c];
        }
    }
}

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
