// Grows the trees of a table in memory, one after another, from gradients.
//
// Of two children the smaller one's histogram is built, the other's is what remains of the parent's. Limits on the
// rows of a leaf hold exactly: where a histogram does not count, the parting of the rows does, and a test found too
// small is looked for again with counts.
//
// What a tree costs (1M × 28, 255 bins, 63 leaves; milliseconds of one processor): histograms 70, parting rows 26,
// rounding gradients 5, sums of leaves 5, search 3.
#pragma once

#include <queue>

#include "base/whole.hpp"
#include "boosting/rows.hpp"

namespace learnt::boost {

inline constexpr int64_t pool_bytes = int64_t{256} << 20;  // histograms kept for later subtraction

struct OpenNode {
    Range range;
    int64_t depth = 0;
    uint64_t path = 1;
    std::vector<int32_t> used;  // columns tested above; kept for interactions only
    Bounds bounds;
    CellFormat format = CellFormat::plain;
    int64_t *cells = nullptr;  // null: not kept
    Split split;
    bool checked = false;  // whether the split's limits on rows are known to hold
    int side = 0;          // which list of entries holds its range
};

template <class Real>
class Grower {
    const BinLayout &layout_;
    const CodeRows codes_;
    const BinMeaning &meaning_;
    const TreeRules &rules_;
    HistogramMaker maker_;
    RowLists lists_;
    Buffer<uint32_t> packed_;
    Buffer<int32_t> leaf_;
    std::vector<int64_t> fine_;
    std::vector<Buffer<int64_t>> pool_;
    std::vector<int64_t *> free_;
    GradientScale scale_;
    std::vector<TestedNode> nodes_;
    std::vector<OpenNode> open_;
    uint64_t tree_ = 0;
    static constexpr bool fine = sizeof(Real) == 8;

    int64_t width() const { return fine ? 3 : 1; }
    int64_t size() const { return layout_.total * width(); }

    const uint64_t *entries_of(const OpenNode &node) const { return lists_.entries(node.side) + node.range.first; }

    // ---- memory of histograms

    int64_t *new_cells() {
        if (free_.empty()) pool_.emplace_back(size()), free_.push_back(pool_.back().data());
        int64_t *const cells = free_.back();
        free_.pop_back();
        std::fill_n(cells, size(), 0);
        return cells;
    }
    void release(OpenNode &node) {
        if (node.cells) free_.push_back(node.cells);
        node.cells = nullptr;
    }
    bool may_keep(const OpenNode &node) const {
        if (node.split.column < 0 || node.range.size() * layout_.columns() < layout_.total) return false;
        const int64_t in_use = static_cast<int64_t>(pool_.size() - free_.size());
        return in_use * size() * 8 <= pool_bytes;
    }

    // ---- histograms

    CellFormat format_for(int64_t rows) const {
        if (fine) return CellFormat::fine;
        const bool count = rules_.split.min_samples_leaf > 1 && !scale_.constant_hessian;
        return count && rows <= counted_rows ? CellFormat::counted : CellFormat::plain;
    }
    void build(OpenNode &node) {
        node.format = format_for(node.range.size());
        node.cells = new_cells();
        const uint64_t *const from = entries_of(node);
        const int64_t n = node.range.size();
        if (node.format == CellFormat::fine)
            maker_.add(from, n, FineRows{fine_.data()}, 3, node.cells);
        else if (node.format == CellFormat::counted)
            maker_.add(from, n, CountedAdder{}, 1, node.cells);
        else
            maker_.add(from, n, PlainAdder{}, 1, node.cells);
    }
    // Both children of a parent, whose histogram becomes the larger child's if it is there.
    void build_children(OpenNode &parent, OpenNode &left, OpenNode &right) {
        OpenNode &small = left.range.size() <= right.range.size() ? left : right;
        OpenNode &large = left.range.size() <= right.range.size() ? right : left;
        const bool search_small = worth(small), search_large = worth(large);
        const bool subtract = parent.cells && search_large && format_for(large.range.size()) == parent.format;
        if (search_small || subtract) build(small);
        if (subtract) {
            large.cells = parent.cells, large.format = parent.format, parent.cells = nullptr;
            int64_t *const to = large.cells;
            const int64_t *const from = small.cells;
            if (small.format == large.format)
                for (int64_t c = 0; c < size(); ++c) to[c] -= from[c];
            else
                for (int64_t c = 0; c < size(); ++c) to[c] -= uncounted(from[c]);
        } else if (search_large) {
            build(large);
        }
        release(parent);
    }
    bool worth(const OpenNode &node) const {
        if (rules_.max_depth > 0 && node.depth >= rules_.max_depth) return false;
        return node.range.size() >= 2 && (fine || static_cast<double>(node.range.size()) >= 2 * rules_.split.min_samples_leaf);
    }

    // ---- splits

    // Finds the best tests of nodes with histograms, all parts of all nodes side by side; `counts` beside plain cells.
    void search(std::initializer_list<OpenNode *> nodes, const int64_t *counts) {
        std::vector<std::pair<OpenNode *, NodeSearch>> searches;
        std::vector<std::pair<size_t, int64_t>> parts;
        for (OpenNode *const node : nodes) {
            node->split = Split{};
            if (!node->cells || !worth(*node)) continue;
            const CellReader reader{node->format, scale_, counts, fine ? 0 : 1 / scale_.g};
            node->checked = reader.knows_count() || rules_.split.min_samples_leaf <= 1;
            Sums sums = reader.sum(node->cells, layout_.offset[0], layout_.n_bins[0]);
            if (!reader.knows_count()) sums.c = static_cast<double>(node->range.size());
            searches.emplace_back(
                std::piecewise_construct, std::forward_as_tuple(node),
                std::forward_as_tuple(layout_, rules_.split, reader, node->cells, sums, node->bounds,
                                      open_columns(rules_, layout_.columns(), tree_, node->path, node->used)));
            for (int64_t part = 0; part < searches.back().second.parts(); ++part) parts.emplace_back(searches.size() - 1, part);
        }
        run_blocks(static_cast<int64_t>(parts.size()), [&](int64_t b, Job &) {
            const auto [at, part] = parts[static_cast<size_t>(b)];
            searches[at].second.look(part);
        });
        for (auto &[node, search] : searches) node->split = search.best();
    }
    void search_again_with_counts(OpenNode &node) {
        std::vector<int64_t> counts(static_cast<size_t>(layout_.total));
        maker_.add(entries_of(node), node.range.size(), RowCounter{}, 1, counts.data());
        const bool kept = node.cells != nullptr;
        if (!kept) build(node);
        search({&node}, counts.data());
        if (!kept || node.split.column < 0) release(node);
    }
    void search_children(OpenNode &left, OpenNode &right) {
        search({&left, &right}, nullptr);
        for (OpenNode *node : {&left, &right})
            if (!may_keep(*node)) release(*node);
    }

    // ---- growth

    struct Waiting {
        double gain;
        int64_t depth, node;
        bool by_depth;
        bool operator<(const Waiting &o) const {  // std::priority_queue has the largest on top
            if (by_depth && depth != o.depth) return depth > o.depth;
            return gain != o.gain ? gain < o.gain : node > o.node;
        }
    };

    void start(const Real *g, const Real *h, const double *w, const uint8_t *kept) {
        const int64_t n = codes_.rows;
        const Exponents sizes = exponents_of(g, kept, n);
        if (h) {
            const Exponents heights = exponents_of(h, kept, n);
            scale_ = scale_of(sizes, &heights);
        } else {
            scale_ = scale_of(sizes, nullptr);
        }
        if (w) scale_.weight = leaf_scale(exponents_of(w, kept, n));
        if constexpr (fine) {
            fine_.resize(static_cast<size_t>(3 * n));
            const Blocks blocks = cut(n, 1 << 14, 256);
            run_blocks(blocks.count, [&](int64_t b, Job &) {
                for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) fine_row(g, h, w, scale_, i, fine_.data() + 3 * i);
            });
        } else {
            quantise(g, h, scale_, rules_.seed, tree_, 0, n, packed_.data());
        }
        const Blocks blocks = cut(n, 1 << 14, 256);
        std::vector<int64_t> count(static_cast<size_t>(blocks.count) + 1, 0);
        if (kept)
            run_blocks(blocks.count, [&](int64_t b, Job &) {
                for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) count[static_cast<size_t>(b) + 1] += kept[i] != 0;
            });
        else
            for (int64_t b = 0; b < blocks.count; ++b) count[static_cast<size_t>(b) + 1] = blocks[b].size();
        std::partial_sum(count.begin(), count.end(), count.begin());
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            uint64_t *to = lists_.entries(0) + count[static_cast<size_t>(b)];
            for (int64_t i = blocks[b].first; i < blocks[b].last; ++i)
                if (!kept || kept[i]) *to++ = static_cast<uint64_t>(fine ? 0 : packed_[i]) << 32 | static_cast<uint64_t>(i);
        });
        OpenNode root;
        root.range = {0, count.back()};
        nodes_.assign(1, {});
        open_.assign(1, root);
        pool_.reserve(64);
    }

    // Splits a leaf whose split is known; false if its limits did not hold and it was searched again.
    bool split_node(int64_t at) {
        OpenNode parent = std::move(open_[static_cast<size_t>(at)]);
        TestedNode test = nodes_[static_cast<size_t>(at)];
        test.set_test(parent.split, layout_);
        test.missing_weight = parent.split.missing_weight;
        const int64_t all = parent.range.size();
        const int64_t least = parent.checked ? 0 : whole_within(std::ceil(rules_.split.min_samples_leaf), 0, all + 1);
        const auto [n_left, missing] = lists_.part(parent.side, parent.range, test);
        if (test.missing_weight < 0) test.missing_weight = static_cast<double>(missing);
        if (n_left < least || all - n_left < least) {
            search_again_with_counts(parent);
            open_[static_cast<size_t>(at)] = std::move(parent);
            return false;
        }
        OpenNode left, right;
        const int64_t middle = parent.range.first + n_left;
        left.range = {parent.range.first, middle}, right.range = {middle, parent.range.last};
        left.depth = right.depth = parent.depth + 1;
        left.side = right.side = 1 - parent.side;
        left.path = path_below(parent.path, true), right.path = path_below(parent.path, false);
        std::tie(left.bounds, right.bounds) = bounds_below(parent.bounds, parent.split, rules_.split);
        if (!rules_.interactions.empty()) {
            parent.used.push_back(test.column);
            left.used = right.used = parent.used;
        }
        test.left = static_cast<int32_t>(nodes_.size()), test.right = test.left + 1;
        nodes_[static_cast<size_t>(at)] = std::move(test);
        TestedNode fresh;
        fresh.bounds = left.bounds, nodes_.push_back(fresh);
        fresh.bounds = right.bounds, nodes_.push_back(fresh);
        const int64_t leaves = static_cast<int64_t>(nodes_.size() + 1) / 2;
        if (rules_.max_leaf_nodes <= 0 || leaves < rules_.max_leaf_nodes) {
            build_children(parent, left, right);
            search_children(left, right);
        } else {
            release(parent);
        }
        open_.push_back(std::move(left)), open_.push_back(std::move(right));
        return true;
    }

    void finish(const Real *g, const Real *h, const double *w, const uint8_t *kept) {
        const int64_t n_nodes = static_cast<int64_t>(nodes_.size());
        int32_t *const leaf = leaf_.data();
        std::vector<int32_t> leaves;
        for (int32_t i = 0; i < n_nodes; ++i)
            if (nodes_[static_cast<size_t>(i)].left < 0) leaves.push_back(i);
        if (kept) std::fill_n(leaf, codes_.rows, -1);
        run_blocks(static_cast<int64_t>(leaves.size()), [&](int64_t b, Job &) {
            const int32_t node = leaves[static_cast<size_t>(b)];
            const OpenNode &at = open_[static_cast<size_t>(node)];
            const uint64_t *const from = entries_of(at);
            for (int64_t i = 0; i < at.range.size(); ++i) leaf[entry_row(from[i])] = node;
        });
        std::vector<int64_t> sums(static_cast<size_t>(3 * n_nodes));
        sum_by_leaf(g, h, w, leaf, codes_.rows, n_nodes, scale_, sums.data());
        for (int64_t i = 0; i < n_nodes; ++i)
            std::copy_n(sums.data() + 3 * i, 3, nodes_[static_cast<size_t>(i)].sums);
        if (!kept) return;
        const Blocks blocks = cut(codes_.rows, 1 << 12, 1 << 20);
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            for (int64_t i = blocks[b].first; i < blocks[b].last; ++i)
                if (leaf[i] < 0) leaf[i] = leaf_below(nodes_, layout_, codes_, i, 0);
        });
    }

  public:
    std::vector<int32_t> number;  // of each node, in pre-order

    Grower(const BinLayout &layout, const CodeRows &codes, const BinMeaning &meaning, const TreeRules &rules)
        : layout_(layout),
          codes_(codes),
          meaning_(meaning),
          rules_(rules),
          maker_(layout_, codes_),
          lists_(layout_, codes_),
          packed_(fine ? 0 : codes.rows),
          leaf_(codes.rows) {}

    // The tree of these gradients; h may be null (all 1), w (weights, for the tree's own) and kept (rows that count).
    tree::TreeArrays grow(const Real *g, const Real *h, const double *w, const uint8_t *kept, uint64_t tree) {
        tree_ = tree;
        free_.clear();
        for (const Buffer<int64_t> &cells : pool_) free_.push_back(cells.data());
        start(g, h, w, kept);
        {
            OpenNode &root = open_[0];
            if (worth(root) && layout_.columns() > 0) {
                {
                                build(root);
                }
                search({&root}, nullptr);
                if (root.split.column < 0) release(root);
            }
        }
        std::priority_queue<Waiting> waiting;
        const auto enter = [&](int64_t node) {
            const OpenNode &o = open_[static_cast<size_t>(node)];
            if (o.split.column >= 0) waiting.push({o.split.gain, o.depth, node, rules_.by_depth});
        };
        enter(0);
        for (int64_t leaves = 1; !waiting.empty() && (rules_.max_leaf_nodes <= 0 || leaves < rules_.max_leaf_nodes);) {
            const int64_t node = waiting.top().node;
            waiting.pop();
            if (!split_node(node)) {
                enter(node);
                continue;
            }
            ++leaves;
            enter(static_cast<int64_t>(open_.size()) - 2), enter(static_cast<int64_t>(open_.size()) - 1);
        }
        finish(g, h, w, kept);
        return finished_tree(nodes_, layout_, meaning_, scale_, rules_, number);
    }

    int64_t rows() const { return codes_.rows; }
    const int32_t *leaf_of_row() const { return leaf_.data(); }
    int64_t n_nodes() const { return static_cast<int64_t>(nodes_.size()); }
    const GradientScale &scale() const { return scale_; }
};

}  // namespace learnt::boost
