// Many rows of a matrix down a tree of thresholds, several at a time: while one waits for memory, others go on.
#pragma once

#include "tree/predict.hpp"

namespace learnt::tree {

// Siblings lie side by side: a row steps to first + (does its cell exceed the threshold). A leaf steps to
// itself: nothing is ≤ NaN, and `first` is the place before it.
class PackedTree {
    struct Packed {
        double threshold;
        int32_t feature;  // its highest bit: missing cells go left
        int32_t first;
    };
    static constexpr int together = 16;
    static constexpr int32_t left_bit = std::numeric_limits<int32_t>::min();

    Buffer<Packed> nodes_;
    Buffer<int32_t> number_;  // of the nodes in the tree
    bool shares_ = false;     // whether some test shares missing cells out

  public:
    explicit PackedTree(const TreeView &t) : nodes_(t.nodes), number_(t.nodes) {
        number_[0] = 0;
        int32_t next = 1;
        for (int32_t place = 0; place < t.nodes && place < next; ++place) {  // in order of levels
            const int32_t node = number_[place];
            if (t.feature[node] < 0) {
                nodes_[place] = {nan, 0, place - 1};
                continue;
            }
            nodes_[place] = {t.threshold[node], t.feature[node] | (t.missing[node] == 0 ? left_bit : 0), next};
            shares_ |= t.missing[node] < 0;
            for (int32_t c = 0; c < 2; ++c) number_[next++] = t.child(node, c);
        }
    }

    static bool possible(const TreeView &t) {
        for (int64_t i = 0; i < t.nodes; ++i)
            if (t.feature[i] >= 0 && (t.route_place[i] != -1 || t.n_children[i] != 2)) return false;
        return true;
    }

    // Calls reached(row, node) for every row of the range, or shared(row) where missing cells are shared out.
    template <class T, class Reached, class Shared>
    void walk(Matrix<const T> x, Range rows, Reached reached, Shared shared) const {
        for (int64_t i = rows.first; i < rows.last; i += together) {
            const int64_t n = std::min<int64_t>(together, rows.last - i);
            const T *row[together];
            int32_t place[together];
            for (int r = 0; r < together; ++r) row[r] = x.row(i + std::min<int64_t>(r, n - 1)), place[r] = 0;
            bool unknown[together] = {};
            if (shares_)
                descend<true>(row, x.column_stride, place, unknown);
            else
                descend<false>(row, x.column_stride, place, unknown);
            for (int64_t r = 0; r < n; ++r)
                if (unknown[r])
                    shared(i + r);
                else
                    reached(i + r, number_[place[r]]);
        }
    }

  private:
    template <bool notes_unknown, class T>
    void descend(const T *const *row, int64_t stride, int32_t *place, bool *unknown) const {
        for (int32_t moved = 1; moved;) {
            moved = 0;
            for (int r = 0; r < together; ++r) {
                const Packed node = nodes_[place[r]];
                const double cell = row[r][(node.feature & ~left_bit) * stride];
                if (notes_unknown) unknown[r] |= cell != cell;
                const bool greater = cell > node.threshold, not_less = !(cell <= node.threshold);
                const int32_t to = node.first + (greater | (not_less & (node.feature >= 0)));
                moved |= to ^ place[r];
                place[r] = to;
            }
        }
    }
};

inline Blocks row_blocks(int64_t rows) { return cut(rows, 1 << 10, 1 << 12); }

template <class T>
bool worth_packing(const TreeView &t, const MatrixCells<T> &cells) {
    return cells.x.columns > 0 && cells.x.rows * 4 >= t.nodes && PackedTree::possible(t);
}

// The leaf of every row.
template <class Cells>
void apply_tree(const TreeView &t, const Cells &x, const int32_t *n_categories, int32_t *out) {
    const Blocks blocks = row_blocks(x.rows());
    const auto one = [&](int64_t i) { out[i] = leaf_of(t, x, n_categories, i); };
    if constexpr (requires { x.x; })
        if (worth_packing(t, x)) {
            const PackedTree packed(t);
            run_blocks(blocks.count, [&](int64_t b, Job &) {
                packed.walk(x.x, blocks[b], [&](int64_t i, int32_t node) { out[i] = node; }, one);
            });
            return;
        }
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) one(i);
    });
}

// Σ over the leaves a row reaches of its share there × what the leaf says.
template <class Cells>
void predict_tree(const TreeView &t, const Cells &x, const int32_t *n_categories, bool classes, double *out) {
    const int64_t k = t.outputs;
    const Buffer<double> answer = answers(t, classes);
    const Blocks blocks = row_blocks(x.rows());
    const auto add_all = [&](int64_t i, std::vector<std::pair<int32_t, double>> &ways) {
        double *const to = out + i * k;
        std::fill_n(to, k, 0.0);
        each_node_of(t, x, n_categories, i, 1.0, false, ways, [&](int32_t node, double share) {
            if (t.feature[node] >= 0) return;
            for (int64_t c = 0; c < k; ++c) to[c] += share * answer[node * k + c];
        });
    };
    if constexpr (requires { x.x; })
        if (worth_packing(t, x)) {
            const PackedTree packed(t);
            run_blocks(blocks.count, [&](int64_t b, Job &) {
                std::vector<std::pair<int32_t, double>> ways;
                packed.walk(
                    x.x, blocks[b],
                    [&](int64_t i, int32_t node) { std::copy_n(answer.data() + node * k, k, out + i * k); },
                    [&](int64_t i) { add_all(i, ways); });
            });
            return;
        }
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        std::vector<std::pair<int32_t, double>> ways;
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) add_all(i, ways);
    });
}

// Where rows are, and how much of each: an entry per row and node.
struct Reached {
    std::vector<int32_t> node;
    std::vector<int64_t> row;
    std::vector<double> weight;
};

// The leaves that rows reach, or with `path` all nodes on the way: row after row, each one's nodes in pre-order.
// `weights` are those of the rows; null: 1.
template <class Cells>
Reached reach_tree(const TreeView &t, const Cells &x, const int32_t *n_categories, const double *weights, bool path) {
    const Blocks blocks = row_blocks(x.rows());
    std::vector<Reached> parts(static_cast<size_t>(blocks.count));
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        std::vector<std::pair<int32_t, double>> ways;
        Reached &to = parts[static_cast<size_t>(b)];
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i)
            each_node_of(t, x, n_categories, i, weights ? weights[i] : 1.0, true, ways, [&](int32_t node, double part) {
                if (path || t.feature[node] < 0)
                    to.node.push_back(node), to.row.push_back(i), to.weight.push_back(part);
            });
    });
    Reached all;
    for (const Reached &part : parts) {
        all.node.insert(all.node.end(), part.node.begin(), part.node.end());
        all.row.insert(all.row.end(), part.row.begin(), part.row.end());
        all.weight.insert(all.weight.end(), part.weight.begin(), part.weight.end());
    }
    return all;
}

}  // namespace learnt::tree
