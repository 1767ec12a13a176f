// Sending rows down a tree.
#include "bind/tree/fields.hpp"
#include "bind/tree/view.hpp"
#include "tree/send.hpp"
#include "tree/walk.hpp"

namespace learnt::bind {
namespace {

nb::object as_arrays(tree::Reached &&found) {
    return nb::make_tuple(as_array(std::move(found.node)), as_array(std::move(found.row)),
                          as_array(std::move(found.weight)));
}

template <class Cells>
nb::object reached(const tree::TreeView &t, const Cells &x, const int32_t *categories, const double *weights, bool path) {
    tree::Reached found;
    {
        const nb::gil_scoped_release unlocked;
        found = tree::reach_tree(t, x, categories, weights, path);
    }
    return as_arrays(std::move(found));
}

constexpr const char *reach_words =
    "The nodes, rows and weights of the leaves that rows reach, or with path of all nodes on the way, row after row.";

template <class T>
void bind_walk_matrix(nb::module_ &m) {
    m.def(
        "tree_reach",
        [](LEARNT_TREE_PARAMS, const Maybe<In<double>> &weights, bool path, const Table<T> &x) {
            const auto cells = table(x);
            LEARNT_BOUND_TREE(cells.columns);
            return reached(t.view, tree::MatrixCells<T>{cells}, categories, vector("weights", weights, cells.rows), path);
        },
        LEARNT_TREE_ARGS, nb::arg("weights").noconvert().none(), nb::arg("path"), nb::arg("x").noconvert(), reach_words);
    m.def(
        "tree_apply",
        [](LEARNT_TREE_PARAMS, const Table<T> &x, const Out<int32_t> &out) {
            const auto cells = table(x);
            LEARNT_BOUND_TREE(cells.columns);
            int32_t *to = vector("out", out, cells.rows);
            const nb::gil_scoped_release unlocked;
            tree::apply_tree(t.view, tree::MatrixCells<T>{cells}, categories, to);
        },
        LEARNT_TREE_ARGS, nb::arg("x").noconvert(), nb::arg("out").noconvert(),
        "Overwrite out with the leaf of every row; shared rows follow the heaviest child.");
    m.def(
        "tree_predict",
        [](LEARNT_TREE_PARAMS, bool classes, const Table<T> &x, const Out2<double> &out) {
            const auto cells = table(x);
            LEARNT_BOUND_TREE(cells.columns);
            double *to = matrix("out", out, cells.rows, t.view.outputs);
            const nb::gil_scoped_release unlocked;
            tree::predict_tree(t.view, tree::MatrixCells<T>{cells}, categories, classes, to);
        },
        LEARNT_TREE_ARGS, nb::arg("classes"), nb::arg("x").noconvert(), nb::arg("out").noconvert(),
        "Overwrite out (rows × outputs) with class shares, or predictions, of the leaves each row reaches.");
}

void bind_walk_columns(nb::module_ &m) {
    m.def(
        "tree_reach",
        [](LEARNT_TREE_PARAMS, const Maybe<In<double>> &weights, bool path, nb::list columns, int64_t rows) {
            const TypedColumns typed(columns, n_categories, rows);
            LEARNT_BOUND_TREE(static_cast<int64_t>(typed.columns.size()));
            return reached(t.view, tree::ColumnCells{typed.columns, rows}, categories, vector("weights", weights, rows),
                           path);
        },
        LEARNT_TREE_ARGS, nb::arg("weights").noconvert().none(), nb::arg("path"), nb::arg("x"), nb::arg("rows"),
        reach_words);
    m.def(
        "tree_apply",
        [](LEARNT_TREE_PARAMS, nb::list columns, const Out<int32_t> &out) {
            const TypedColumns typed(columns, n_categories, size(out));
            LEARNT_BOUND_TREE(static_cast<int64_t>(typed.columns.size()));
            int32_t *to = data("out", out);
            const nb::gil_scoped_release unlocked;
            tree::apply_tree(t.view, tree::ColumnCells{typed.columns, size(out)}, categories, to);
        },
        LEARNT_TREE_ARGS, nb::arg("x"), nb::arg("out").noconvert(),
        "Overwrite out with the leaf of every row; shared rows follow the heaviest child.");
    m.def(
        "tree_predict",
        [](LEARNT_TREE_PARAMS, bool classes, nb::list columns, const Out2<double> &out) {
            const TypedColumns typed(columns, n_categories, size(out));
            LEARNT_BOUND_TREE(static_cast<int64_t>(typed.columns.size()));
            double *to = matrix("out", out, size(out), t.view.outputs);
            const nb::gil_scoped_release unlocked;
            tree::predict_tree(t.view, tree::ColumnCells{typed.columns, size(out)}, categories, classes, to);
        },
        LEARNT_TREE_ARGS, nb::arg("classes"), nb::arg("x"), nb::arg("out").noconvert(),
        "Overwrite out (rows × outputs) with class shares, or predictions, of the leaves each row reaches.");
}

// A tree, and the columns of the rows that are sent down it again and again. It keeps the arrays it reads.
struct BoundSender {
    std::tuple<LEARNT_TREE_TYPES> kept;
    int64_t rows;
    TypedColumns typed;
    const int32_t *categories;
    BoundTree tree;
    std::vector<int64_t> last;  // of the nodes below each

    BoundSender(LEARNT_TREE_PARAMS, nb::list columns, int64_t n_rows)
        : kept(LEARNT_TREE_NAMES), rows(n_rows), typed(columns, n_categories, n_rows),
          categories(vector("n_categories", n_categories, static_cast<int64_t>(typed.columns.size()))),
          tree(feature, threshold, child_start, n_children, children, route_start, n_routes, route_codes, routes,
               otherwise, missing, weight, value, static_cast<int64_t>(typed.columns.size()), categories) {
        last.resize(static_cast<size_t>(tree.view.nodes));
        for (int64_t i = tree.view.nodes - 1; i >= 0; --i) {
            int64_t &end = last[static_cast<size_t>(i)] = i;
            if (tree.view.feature[i] < 0) continue;
            for (int32_t c = 0; c < tree.view.n_children[i]; ++c)
                end = std::max(end, last[static_cast<size_t>(tree.view.child(static_cast<int32_t>(i), c))]);
        }
    }

    // Nodes from `start` down are looked at, not all. The test of a node above would lead back to where it stands.
    void check_source(const int64_t *source, int64_t start) const {
        for (int64_t i = start; i <= last[static_cast<size_t>(start)]; ++i) {
            const int64_t s = source[i], end = last[static_cast<size_t>(i)];
            if (s != -1 && (s < i || s > end || last[static_cast<size_t>(s)] > end || tree.view.feature[s] < 0))
                refuse("'source' is " + std::to_string(s) + " at node " + std::to_string(i) +
                       ". Expected -1, or an inner node of the subtree there.");
        }
    }

    nb::object send(const In<int64_t> &source, int64_t start, const In<int64_t> &row, const In<double> &weight,
                    bool own_shares, const Maybe<Out<double>> &unknown) const {
        const int64_t n = tree.view.nodes, count = size(row);
        const int64_t *from = vector("source", source, n), *sent = data("row", row);
        const double *parts = vector("weight", weight, count);
        double *lost = vector("unknown", unknown, n);
        if (start < 0 || start >= n) refuse("'start' is " + std::to_string(start) + ". Expected a node of the tree.");
        check_source(from, start);
        for (int64_t e = 0; e < count; ++e)
            if (sent[e] < 0 || sent[e] >= rows)
                refuse("'row' is " + std::to_string(sent[e]) + ". Expected 0 to " + std::to_string(rows - 1) + ".");
        tree::Reached found;
        {
            const nb::gil_scoped_release unlocked;
            tree::RowSender sender(tree.view, {typed.columns, rows}, categories, from, own_shares, lost);
            found = sender.send(static_cast<int32_t>(start), sent, parts, count);
        }
        return as_arrays(std::move(found));
    }
};

void bind_send(nb::module_ &m) {
    nb::class_<BoundSender>(m, "RowSender", "Sends rows down a tree, level by level; source says whose test stands at a node.")
        .def(nb::init<LEARNT_TREE_TYPES, nb::list, int64_t>(), LEARNT_TREE_ARGS, nb::arg("x"), nb::arg("rows"))
        .def("send", &BoundSender::send, nb::arg("source").noconvert(), nb::arg("start"), nb::arg("row").noconvert(),
             nb::arg("weight").noconvert(), nb::arg("own_shares"), nb::arg("unknown").noconvert().none(),
             "The leaves that rows reach from node start, the rows, and the part of their weight there.");
}

}  // namespace

void bind_tree_walk(nb::module_ &m) {
    bind_walk_matrix<double>(m), bind_walk_matrix<float>(m);
    bind_walk_columns(m);
    bind_send(m);
}

}  // namespace learnt::bind
