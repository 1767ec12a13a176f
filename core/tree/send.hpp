// Rows sent down a tree together, level by level, where tests may stand in other places than they were grown in: what
// pruning needs, which moves tests about and cuts rows up by the rows that come along.
//
//   source      nodes: whose test stands at a node, and with it whose children, itself or one below; −1: a leaf   read
//   row, weight the rows to send from node `start`, and how much of each                                        read
//   unknown     nodes, or null: the weight that met a test without knowing its cell                             updated
//
// A row whose missing cell nothing decides is cut by its test's children: in proportion to their weights in the tree, or
// with `own_shares` to the weight that other rows of the same level bring them; equally where there is none. Entries come
// out leaves of fewer tests first; of those beside each other, whole rows before cut ones.
#pragma once

#include "tree/walk.hpp"

namespace learnt::tree {

class RowSender {
    struct Entry {
        int32_t node;
        int64_t row;
        double weight;
    };

    const TreeView &t_;
    const ColumnCells x_;
    const int32_t *n_categories_;
    const int64_t *source_;
    const bool own_shares_;
    double *unknown_;
    std::vector<Entry> here_, next_, cut_;
    int32_t start_ = 0;
    std::vector<double> came_;  // weight that whole rows bring to the nodes of the next level, from start_ on; 0 elsewhere

    void step_level(Reached &ended) {
        next_.clear(), cut_.clear();
        for (const Entry &e : here_) {
            const int64_t test = source_[e.node];
            if (test < 0) {
                ended.node.push_back(e.node), ended.row.push_back(e.row), ended.weight.push_back(e.weight);
                continue;
            }
            const int32_t at = static_cast<int32_t>(test), known = known_child(t_, x_, n_categories_, e.row, at);
            if (known < 0 && unknown_) unknown_[e.node] += e.weight;
            const int32_t number = known < 0 ? t_.missing[at] : known;
            if (number < 0)
                cut_.push_back({at, e.row, e.weight});
            else
                next_.push_back({t_.child(at, number), e.row, e.weight});
        }
        cut_rows();
        here_.swap(next_);
    }

    void cut_rows() {
        if (cut_.empty()) return;
        const size_t whole_rows = next_.size();
        if (own_shares_) note_arrivals();
        const auto weight = [&](int32_t node) {
            return own_shares_ ? came_[static_cast<size_t>(node - start_)] : t_.weight[node];
        };
        for (const Entry &e : cut_) {
            const int32_t n = t_.n_children[e.node];
            double total = 0;
            for (int32_t c = 0; c < n; ++c) total += weight(t_.child(e.node, c));
            for (int32_t c = 0; c < n; ++c) {
                const int32_t child = t_.child(e.node, c);
                next_.push_back({child, e.row, e.weight * (total > 0 ? weight(child) / total : 1.0 / n)});
            }
        }
        for (size_t i = 0; own_shares_ && i < whole_rows; ++i) came_[static_cast<size_t>(next_[i].node - start_)] = 0;
    }

    void note_arrivals() {
        int32_t last = start_;
        for (const Entry &e : next_) last = std::max(last, e.node);
        for (const Entry &e : cut_)
            for (int32_t c = 0; c < t_.n_children[e.node]; ++c) last = std::max(last, t_.child(e.node, c));
        const size_t wanted = static_cast<size_t>(last - start_) + 1;
        if (came_.size() < wanted) came_.resize(wanted, 0.0);
        for (const Entry &e : next_) came_[static_cast<size_t>(e.node - start_)] += e.weight;
    }

  public:
    RowSender(const TreeView &t, const ColumnCells &x, const int32_t *n_categories, const int64_t *source, bool own_shares,
              double *unknown)
        : t_(t), x_(x), n_categories_(n_categories), source_(source), own_shares_(own_shares), unknown_(unknown) {}

    Reached send(int32_t start, const int64_t *row, const double *weight, int64_t count) {
        Reached ended;
        start_ = start;
        here_.clear();
        for (int64_t e = 0; e < count; ++e) here_.push_back({start, row[e], weight[e]});
        while (!here_.empty()) step_level(ended);
        return ended;
    }
};

}  // namespace learnt::tree
