// Rows sent down a tree.
#pragma once

#include "base/pool.hpp"
#include "tree/problem.hpp"

namespace learnt::tree {

// The arrays of learnt.tree.arrays.TreeArrays, checked by their owner; every feature is below n_columns.
struct TreeView {
    int64_t nodes, outputs;
    const int32_t *feature, *n_children, *children, *n_routes, *route_codes, *routes, *otherwise, *missing;
    const int64_t *child_start, *route_place;
    const double *threshold, *weight, *value;

    int32_t child(int32_t node, int32_t number) const { return children[child_start[node] + number]; }

    // The number of the child a category goes to; −1: as if it were missing.
    int32_t route(int32_t node, int32_t code) const {
        if (route_place[node] >= 0) return routes[route_place[node] + code];
        const int32_t *const first = route_codes + (-2 - route_place[node]), *const last = first + n_routes[node];
        const int32_t *const at = std::lower_bound(first, last, code);
        return at < last && *at == code ? routes[at - route_codes] : otherwise[node];
    }
};

// What stands in route_place, where routes begin at `start`: −1 if they do not; `start` if there is one for each
// category, whose rising codes are then their places; −2 − start if some are listed.
inline int64_t route_place(int64_t start, int32_t n_routes, int32_t n_categories) {
    return start < 0 ? -1 : n_routes == n_categories ? start : -2 - start;
}

// Cells of a matrix, all of them numbers.
template <class T>
struct MatrixCells {
    Matrix<const T> x;
    int64_t rows() const { return x.rows; }
    double number(int64_t i, int32_t j) const { return x(i, j); }
    int32_t code(int64_t i, int32_t j) const {
        const double cell = number(i, j);
        return cell >= 0 && cell < 2147483647.0 ? static_cast<int32_t>(cell) : -1;
    }
};

struct ColumnCells {
    const std::vector<Column> &columns;
    int64_t n;
    int64_t rows() const { return n; }
    double number(int64_t i, int32_t j) const { return columns[static_cast<size_t>(j)].number(i); }
    int32_t code(int64_t i, int32_t j) const { return columns[static_cast<size_t>(j)].code(i); }
};

// The number of the child that a row's cell leads to; −1: it is missing. Codes that the tree has no route for count as
// missing; n_categories[j] bounds the codes of column j.
template <class Cells>
int32_t known_child(const TreeView &t, const Cells &x, const int32_t *n_categories, int64_t i, int32_t node) {
    const int32_t j = t.feature[node];
    if (t.route_place[node] == -1) {
        const double cell = x.number(i, j);
        return std::isnan(cell) ? -1 : !(cell <= t.threshold[node]);
    }
    const int32_t code = x.code(i, j);
    return code >= 0 && code < n_categories[j] ? t.route(node, code) : -1;
}

// The number of the child a row takes; −1: its cell is missing and all children share it.
template <class Cells>
int32_t step(const TreeView &t, const Cells &x, const int32_t *n_categories, int64_t i, int32_t node) {
    const int32_t child = known_child(t, x, n_categories, i, node);
    return child >= 0 ? child : t.missing[node];
}

// The leaf of a row. Where a missing cell is shared by all children, the row follows the heaviest.
template <class Cells>
int32_t leaf_of(const TreeView &t, const Cells &x, const int32_t *n_categories, int64_t i) {
    int32_t node = 0;
    while (t.feature[node] >= 0) {
        int32_t number = step(t, x, n_categories, i, node);
        if (number < 0) {
            number = 0;
            for (int32_t c = 1; c < t.n_children[node]; ++c)
                if (t.weight[t.child(node, c)] > t.weight[t.child(node, number)]) number = c;
        }
        node = t.child(node, number);
    }
    return node;
}

// Sends a row of some weight down: calls f(node, weight) for the nodes on its way, in pre-order, the leaves that it
// reaches among them. Children share a row whose missing cell nothing decides; those of no weight get none of it, and
// are passed by unless `empty`.
template <class Cells, class F>
void each_node_of(const TreeView &t, const Cells &x, const int32_t *n_categories, int64_t i, double weight, bool empty,
                  std::vector<std::pair<int32_t, double>> &ways, F f) {
    ways.assign(1, {0, weight});
    while (!ways.empty()) {
        auto [node, part] = ways.back();
        ways.pop_back();
        for (;;) {
            f(node, part);
            if (t.feature[node] < 0) break;
            const int32_t number = step(t, x, n_categories, i, node);
            if (number < 0) break;
            node = t.child(node, number);
        }
        if (t.feature[node] < 0) continue;
        double whole = 0;
        for (int32_t c = 0; c < t.n_children[node]; ++c) whole += t.weight[t.child(node, c)];
        for (int32_t c = t.n_children[node] - 1; c >= 0; --c) {
            const double share = whole > 0 ? t.weight[t.child(node, c)] / whole : 1.0 / t.n_children[node];
            if (share > 0 || empty) ways.emplace_back(t.child(node, c), part * share);
        }
    }
}

// What each node says: its class shares, or its prediction.
inline Buffer<double> answers(const TreeView &t, bool classes) {
    const int64_t k = t.outputs;
    Buffer<double> answer(t.nodes * k);
    for (int64_t node = 0; node < t.nodes; ++node) {
        const double *const value = t.value + node * k;
        double sum = 0;
        for (int64_t c = 0; c < k; ++c) sum += value[c];
        for (int64_t c = 0; c < k; ++c)
            answer[node * k + c] = !classes ? value[c] : sum > 0 ? value[c] / sum : 1.0 / static_cast<double>(k);
    }
    return answer;
}

}  // namespace learnt::tree
