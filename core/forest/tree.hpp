// One tree of a forest. The rows of a node lie side by side in one array; a test moves those of child 0 before those
// of child 1, both in their old order.
#pragma once

#include <queue>

#include "base/pool.hpp"
#include "forest/draws.hpp"
#include "forest/search.hpp"

namespace learnt::forest {

template <class Target>
class TreeGrower {
    struct Node {
        int64_t first, last;
        int32_t left = -1, right = -1;
        double weight = 0, impurity = 0;
        Cut cut{};
        bool missing_left = false;
    };
    // A node that can be split, with its best cut.
    struct Open {
        double worth;
        int64_t node, depth;
        uint64_t path;
        std::vector<uint64_t> constant;  // a bit per column that has one cell only from here on
        Cut cut;
    };
    struct LessUseful {
        bool operator()(const Open &a, const Open &b) const {
            return a.worth != b.worth ? a.worth < b.worth : a.node > b.node;
        }
    };

    const Problem &p_;
    const int64_t k_;
    Target target_;
    ColumnSearch<Target> search_;
    ColumnDraw columns_;
    std::vector<Entry> entries_, other_;
    std::vector<Node> nodes_;
    std::vector<double> values_;
    std::vector<Open> open_;  // a stack, or a heap where leaves are limited
    std::vector<uint8_t> side_;
    std::vector<std::vector<int32_t>> stand_ins_;  // by column; none where no column has any
    std::vector<uint16_t> codes_;

    void choose_stand_ins(int64_t number) {
        const size_t n = p_.stands_for.size();
        const size_t first = p_.first_stand_in() + n * static_cast<size_t>(number % p_.orders);
        stand_ins_.assign(n ? p_.first_stand_in() : 0, {});
        for (size_t i = 0; i < n; ++i)
            stand_ins_[static_cast<size_t>(p_.stands_for[i])].push_back(static_cast<int32_t>(first + i));
    }

    // Which categories of the column that a stand-in stands for are here.
    void list_categories(int64_t first, int64_t last, Cut &cut) {
        const CodedColumn &column = p_.columns[static_cast<size_t>(p_.stood_for(cut.column))];
        codes_.clear();
        for (int64_t i = first; i < last; ++i) {
            const uint16_t code = column.codes[entries_[static_cast<size_t>(i)].row];
            if (code != column.lost) codes_.push_back(code);
        }
        std::sort(codes_.begin(), codes_.end());
        codes_.erase(std::unique(codes_.begin(), codes_.end()), codes_.end());
        for (const uint16_t code : codes_) cut.left.emplace_back(code, true);
    }

    void add_node(int64_t first, int64_t last, int64_t depth, uint64_t path, const std::vector<uint64_t> &constant) {
        const Options &o = p_.options;
        const int64_t id = static_cast<int64_t>(nodes_.size());
        nodes_.push_back({first, last});
        values_.resize(values_.size() + static_cast<size_t>(k_));
        const Summary s = target_.load(entries_.data() + first, last - first, &values_[static_cast<size_t>(id * k_)]);
        nodes_.back().weight = s.weight, nodes_.back().impurity = s.impurity;
        if (s.pure || depth == o.max_depth || s.count < o.min_split || s.count < 2 * o.min_leaf) return;
        Open here{-1, id, depth, path, constant, {}};
        search_.at_node(entries_.data() + first, last - first, path);
        columns_.start(path);
        int64_t tried = 0;
        for (int64_t i = 0; i < columns_.size() && tried < o.max_features; ++i) {
            const int32_t j = columns_.next();
            uint64_t &bits = here.constant[static_cast<size_t>(j >> 6)];
            if (bits >> (j & 63) & 1) continue;
            if (!search_(j, here.cut)) {
                bits |= uint64_t{1} << (j & 63);
                continue;
            }
            ++tried;
            if (stand_ins_.empty()) continue;
            for (const int32_t other : stand_ins_[static_cast<size_t>(j)]) search_(other, here.cut);
        }
        if (here.cut.column < 0) return;
        here.worth = here.cut.worth;
        open_.push_back(std::move(here));
        if (o.max_leaves) std::push_heap(open_.begin(), open_.end(), LessUseful{});
    }

    // Puts the rows of child 0 first; returns where those of child 1 begin.
    int64_t divide(int64_t first, int64_t last, const Cut &cut) {
        const CodedColumn &column = p_.columns[static_cast<size_t>(cut.column)];
        if (!column.nominal) {
            const uint32_t lost = cut.missing_left ? column.lost : 0x10000;
            const uint32_t code = static_cast<uint32_t>(cut.code);
            return divide_by(first, last, [=](uint32_t row) {
                const uint32_t c = column.codes[row];
                return (c <= code) | (c == lost);
            });
        }
        for (const auto &[code, left] : cut.left) side_[static_cast<size_t>(code)] = left;
        side_[column.lost] = cut.missing_left;
        return divide_by(first, last, [&](uint32_t row) { return side_[column.codes[row]] != 0; });
    }
    template <class Left>
    int64_t divide_by(int64_t first, int64_t last, Left left) {
        Entry *to = entries_.data() + first, *other = other_.data();
        for (const Entry *e = to, *const end = entries_.data() + last; e != end; ++e) {
            const Entry moved = *e;
            const bool l = left(moved.row);
            *to = moved, *other = moved;
            to += l, other += !l;
        }
        std::copy(other_.data(), other, to);
        return to - entries_.data();
    }

    void split(Open &here) {
        const int64_t first = nodes_[static_cast<size_t>(here.node)].first;
        const int64_t last = nodes_[static_cast<size_t>(here.node)].last;
        if (static_cast<size_t>(here.cut.column) >= p_.first_stand_in()) list_categories(first, last, here.cut);
        const int64_t middle = divide(first, last, here.cut);
        const int64_t left = static_cast<int64_t>(nodes_.size());
        add_node(first, middle, here.depth + 1, mix_bits(here.path + 0x9e3779b97f4a7c15u), here.constant);
        const int64_t right = static_cast<int64_t>(nodes_.size());
        add_node(middle, last, here.depth + 1, mix_bits(here.path + 2 * 0x9e3779b97f4a7c15u), here.constant);
        Node &node = nodes_[static_cast<size_t>(here.node)];
        node.left = static_cast<int32_t>(left), node.right = static_cast<int32_t>(right);
        node.cut = std::move(here.cut);
        const double more = nodes_[static_cast<size_t>(left)].weight - nodes_[static_cast<size_t>(right)].weight;
        node.missing_left = node.cut.lost > 0 ? node.cut.missing_left : more >= 0;
    }

    Open take() {
        if (p_.options.max_leaves) std::pop_heap(open_.begin(), open_.end(), LessUseful{});
        Open here = std::move(open_.back());
        open_.pop_back();
        return here;
    }

    double threshold_of(const Cut &cut) const {
        const CodedColumn &column = p_.columns[static_cast<size_t>(cut.column)];
        if (column.nominal) return nan;
        if (cut.threshold == cut.threshold) return cut.threshold;
        if (cut.next < 0) return infinity;
        if (column.ranges()) return column.high[cut.code + (cut.next - 1 - cut.code) / 2];  // not inside of a range
        return forest::middle(column.high[cut.code], column.low[cut.next]);
    }

    // The last code whose cells are not above the threshold: rows of no such code may come here later.
    int32_t code_at(const Cut &cut, double threshold) const {
        const CodedColumn &column = p_.columns[static_cast<size_t>(cut.column)];
        if (column.nominal) return -1;
        const double *const above = std::upper_bound(column.high, column.high + column.n_codes, threshold);
        return static_cast<int32_t>(above - column.high) - 1;
    }

    Tree in_preorder(bool keep_rows) const {
        Tree t;
        const size_t n = nodes_.size();
        for (auto *ints : {&t.feature, &t.right, &t.cut, &t.missing, &t.otherwise, &t.n_routes}) ints->reserve(n);
        for (auto *reals : {&t.threshold, &t.weight, &t.impurity, &t.missing_weight}) reals->reserve(n);
        t.value.reserve(values_.size());
        std::vector<std::pair<int32_t, int32_t>> stack{{0, -1}};  // node, and whose right child it is
        while (!stack.empty()) {
            const auto [id, parent] = stack.back();
            stack.pop_back();
            const Node &node = nodes_[static_cast<size_t>(id)];
            const int32_t place = static_cast<int32_t>(t.nodes());
            if (parent >= 0) t.right[static_cast<size_t>(parent)] = place;
            const bool leaf = node.left < 0;
            t.feature.push_back(leaf ? -1 : node.cut.column);
            t.right.push_back(-1);
            const double threshold = leaf ? nan : threshold_of(node.cut);
            t.threshold.push_back(threshold);
            t.cut.push_back(leaf ? -1 : code_at(node.cut, threshold));
            t.missing.push_back(leaf ? -1 : node.missing_left ? 0 : 1);
            t.otherwise.push_back(-1);
            t.n_routes.push_back(leaf ? 0 : static_cast<int32_t>(node.cut.left.size()));
            if (!leaf)
                for (const auto &[code, left] : node.cut.left)
                    t.route_codes.push_back(code), t.routes.push_back(left ? 0 : 1);
            t.weight.push_back(node.weight), t.impurity.push_back(node.impurity);
            t.missing_weight.push_back(leaf ? 0.0 : node.cut.lost);
            const auto value = values_.begin() + static_cast<int64_t>(id) * k_;
            t.value.insert(t.value.end(), value, value + k_);
            if (keep_rows) t.leaf_rows.push_back(leaf ? static_cast<int32_t>(node.last - node.first) : 0);
            if (leaf) continue;
            stack.emplace_back(node.right, place), stack.emplace_back(node.left, -1);
        }
        for (const Entry &e : entries_)
            if (keep_rows)
                t.drawn_rows.push_back(e.row), t.drawn_times.push_back(static_cast<uint8_t>(std::min(e.times(), 255u)));
        return t;
    }

  public:
    explicit TreeGrower(const Problem &p)
        : p_(p), k_(p.outputs()), target_(p), search_(p, target_), columns_(p.varying),
          side_(0x10000) {}

    // Tree number `number` of the forest; how often each row is in it is said by `draw`.
    Tree grow(int64_t number, bool keep_rows, Job &job, RowDraw &draw) {
        nodes_.clear(), values_.clear(), open_.clear();
        draw = drawn_rows<Target>(p_, number, entries_);
        if (entries_.empty()) throw std::invalid_argument("No row has a weight above 0.");
        other_.resize(entries_.size());
        target_.begin(entries_), search_.at_tree(entries_);
        choose_stand_ins(number);
        const std::vector<uint64_t> none(p_.columns.size() / 64 + 1, 0);
        add_node(0, static_cast<int64_t>(entries_.size()), 0, mix_bits(tree_seed(p_.options.seed, number) ^ 1), none);
        const int64_t most = p_.options.max_leaves ? p_.options.max_leaves : std::numeric_limits<int64_t>::max();
        for (int64_t leaves = 1; !open_.empty() && leaves < most; ++leaves) {
            job.check();
            Open here = take();
            split(here);
        }
        return in_preorder(keep_rows);
    }
};

}  // namespace learnt::forest
