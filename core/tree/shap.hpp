// Shapley values of the columns for the answers of trees: what each adds to the mean answer of the training rows
// to make that of a row, a column being unknown to a tree if its tests are answered by training shares alone.
//
// A leaf of value v below tests of the features k asks of a row whether it goes the leaf's way (o_k, 0 or 1), and of
// a row without that feature which share of the training rows did (z_k). With each feature known with chance t,
//
//   φ_j = Σ_leaves v (o_j − z_j) ∫_0^1 Π_{k≠j} (t·o_k + (1 − t)·z_k) dt
//
// (G. Owen's multilinear extension, 1972). The integrand is a polynomial whose degree is the number of the path's
// other features, so Gauss's rule with half as many points is exact. The products over a path, and sums over the
// leaves below a node, are shared by all leaves as in Linear TreeShap (Yu and others, 2022): the cost is nodes ×
// points, not leaves × depth².
#pragma once

#include <numbers>
#include <vector>

#include "ensemble/predict.hpp"
#include "tree/predict.hpp"

namespace learnt::ensemble {

inline constexpr int shap_rows = 16;  // that go through a tree together

// Points and weights of Gauss's rule on [0, 1].
inline void gauss_rule(int64_t n, std::vector<double> &point, std::vector<double> &weight) {
    point.resize(static_cast<size_t>(n)), weight.resize(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
        double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (static_cast<double>(n) + 0.5)), slope = 1;
        for (int step = 0; step < 100; ++step) {  // Newton on the polynomial of Legendre
            double before = 1, p = x;
            for (int64_t k = 2; k <= n; ++k) {
                const double next = (static_cast<double>(2 * k - 1) * x * p - static_cast<double>(k - 1) * before) /
                                    static_cast<double>(k);
                before = p, p = next;
            }
            slope = static_cast<double>(n) * (x * p - before) / (x * x - 1);
            const double move = p / slope;
            x -= move;
            if (std::abs(move) < 1e-15) break;
        }
        point[static_cast<size_t>(i)] = (1 - x) / 2;
        weight[static_cast<size_t>(i)] = 1 / ((1 - x * x) * slope * slope);
    }
}

// The step from a parent to a node.
struct ShapEdge {
    double number, share;       // which child it is, and its part of the family's weight
    double z, z_above = 1;      // the product of the shares of all edges of its feature, down to it and above it
    int64_t slot;               // the feature
    int64_t above = -1;         // the depth of the nearest edge above of the same feature
    int64_t factors, pulls, pulls_above = -1;
};

// A tree, its nodes in pre-order, with all that does not depend on rows.
struct ShapTree {
    int64_t nodes, outputs, points, slots, deepest = 0;
    const double *value;  // nodes × outputs
    bool cuts;            // some missing cells are shared out among all children
    std::vector<int32_t> depth, slot, missing;  // by node; slot −1: a leaf
    std::vector<uint8_t> nominal;
    std::vector<double> threshold;
    std::vector<ShapEdge> edges;
    std::vector<double> point, point_weight, idle_pull, factors, pulls;
};

// The part of a family's weight that a child has; equal parts where there is none.
inline double share_of(const tree::TreeView &t, int32_t node, int32_t number) {
    double whole = 0;
    for (int32_t c = 0; c < t.n_children[node]; ++c) whole += t.weight[t.child(node, c)];
    return whole > 0 ? t.weight[t.child(node, number)] / whole : 1.0 / t.n_children[node];
}

// out += the answers of the leaves, by their shares of the training rows: what is said when no column is known.
inline void add_expected(const tree::TreeView &t, double *out) {
    std::vector<double> reach(static_cast<size_t>(t.nodes), 1.0);
    for (int32_t i = 0; i < t.nodes; ++i) {
        for (int32_t c = 0; c < t.n_children[i]; ++c)
            reach[static_cast<size_t>(t.child(i, c))] = reach[static_cast<size_t>(i)] * share_of(t, i, c);
        for (int64_t k = 0; t.feature[i] < 0 && k < t.outputs; ++k)
            out[k] += reach[static_cast<size_t>(i)] * t.value[i * t.outputs + k];
    }
}

// Where to look: which columns are tested, and their slots; −1: not at all.
struct ShapColumns {
    std::vector<UsedColumn> used;
    std::vector<int32_t> slot;

    ShapColumns(const std::vector<tree::TreeView> &trees, const int32_t *n_categories, int64_t columns)
        : slot(static_cast<size_t>(columns), -1) {
        std::vector<uint8_t> nominal(slot.size(), 0);
        for (const tree::TreeView &t : trees)
            for (int64_t i = 0; i < t.nodes; ++i)
                if (t.feature[i] >= 0) {
                    const size_t j = static_cast<size_t>(t.feature[i]);
                    slot[j] = 0, nominal[j] |= t.route_place[i] != -1;
                }
        for (size_t j = 0; j < slot.size(); ++j)
            if (slot[j] == 0) {
                slot[j] = static_cast<int32_t>(used.size());
                used.push_back({static_cast<int32_t>(j), n_categories[j], nominal[j] != 0});
            }
    }
};

inline ShapTree prepare_shap(const tree::TreeView &t, const ShapColumns &columns) {
    const size_t n = static_cast<size_t>(t.nodes);
    ShapTree to{};
    to.nodes = t.nodes, to.outputs = t.outputs, to.value = t.value;
    to.slots = static_cast<int64_t>(columns.used.size());
    to.depth.resize(n), to.slot.resize(n, -1), to.missing.resize(n), to.nominal.resize(n), to.threshold.resize(n);
    to.edges.resize(n);
    int64_t most = 1;  // features on one path
    std::vector<int32_t> path;
    std::vector<int64_t> features(n, 0);  // on the path to each node
    for (size_t i = 0; i < n; ++i) {
        const int32_t node = static_cast<int32_t>(i), depth = to.depth[i];
        path.resize(static_cast<size_t>(depth) + 1), path.back() = node;
        to.deepest = std::max<int64_t>(to.deepest, depth);
        if (depth > 0) {
            ShapEdge &edge = to.edges[i];
            edge.slot = to.slot[static_cast<size_t>(path[static_cast<size_t>(depth) - 1])];
            for (int64_t d = depth - 1; d > 0 && edge.above < 0; --d)
                if (to.edges[static_cast<size_t>(path[static_cast<size_t>(d)])].slot == edge.slot) edge.above = d;
            if (edge.above >= 0) {
                const ShapEdge &before = to.edges[static_cast<size_t>(path[static_cast<size_t>(edge.above)])];
                edge.z_above = before.z, edge.pulls_above = path[static_cast<size_t>(edge.above)];
            }
            edge.z = edge.z_above * edge.share;
            features[i] = features[static_cast<size_t>(path[static_cast<size_t>(depth) - 1])] + (edge.above < 0);
            most = std::max(most, features[i]);
        }
        if (t.feature[i] < 0) continue;
        to.slot[i] = columns.slot[static_cast<size_t>(t.feature[i])];
        to.nominal[i] = columns.used[static_cast<size_t>(to.slot[i])].nominal;
        to.missing[i] = t.missing[i], to.threshold[i] = t.threshold[i];
        to.cuts |= t.missing[i] < 0;
        for (int32_t c = 0; c < t.n_children[i]; ++c) {
            const size_t child = static_cast<size_t>(t.child(node, c));
            to.depth[child] = depth + 1;
            to.edges[child].number = c;
            to.edges[child].share = share_of(t, node, c);
        }
    }
    to.points = (most + 1) / 2;
    gauss_rule(to.points, to.point, to.point_weight);
    for (int64_t q = 0; q < to.points; ++q)
        to.idle_pull.push_back(to.point_weight[static_cast<size_t>(q)] / (1 - to.point[static_cast<size_t>(q)]));
    const auto add_factors = [&](ShapEdge &edge) {
        edge.factors = static_cast<int64_t>(to.factors.size());
        for (int part = 0; part < (edge.above < 0 ? 1 : 3); ++part)
            for (const double p : to.point) {
                const double off = (1 - p) * edge.z, on = p + off, on_above = p + (1 - p) * edge.z_above;
                const double idle = edge.z_above > 0 ? edge.z / edge.z_above : 0;
                to.factors.push_back(edge.above < 0 ? off
                                     : part == 0    ? idle
                                     : part == 1    ? off / on_above - idle
                                                    : (on - off) / on_above);
            }
    };
    for (size_t i = 1; i < n; ++i) {
        ShapEdge &edge = to.edges[i];
        add_factors(edge);
        edge.pulls = static_cast<int64_t>(to.pulls.size());
        if (edge.above >= 0) edge.pulls_above = to.edges[static_cast<size_t>(edge.pulls_above)].pulls;
        for (int64_t q = 0; q < to.points; ++q) {
            const double p = to.point[static_cast<size_t>(q)], w = to.point_weight[static_cast<size_t>(q)];
            to.pulls.push_back(w * (1 - edge.z) / (p + (1 - p) * edge.z) + to.idle_pull[static_cast<size_t>(q)]);
        }
    }
    return to;
}

// Scratch memory, by depth.
struct ShapScratch {
    Buffer<double> went, on, product, below, ratio;
    Buffer<int32_t> path;
    ShapScratch(const ShapTree &t, bool pairs)
        : went((t.deepest + 1) * shap_rows),
          on((t.deepest + 1) * shap_rows),
          product((t.deepest + 1) * t.points * shap_rows),
          below((t.deepest + 1) * t.points * t.outputs * shap_rows),
          ratio(pairs ? (t.deepest + 1) * t.points * shap_rows : 0),
          path(t.deepest + 1) {}
};

}  // namespace learnt::ensemble

namespace learnt::baseline {
using ensemble::shap_rows, ensemble::ShapEdge, ensemble::ShapScratch, ensemble::ShapTree;
}
namespace learnt::avx2 {
using ensemble::shap_rows, ensemble::ShapEdge, ensemble::ShapScratch, ensemble::ShapTree;
}
namespace learnt::avx512 {
using ensemble::shap_rows, ensemble::ShapEdge, ensemble::ShapScratch, ensemble::ShapTree;
}

#define LEARNT_LOOPS "tree/shap_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt::ensemble {

// The trees that are asked, and how their answers are put together: tree t adds to output t mod group, or to all of
// its own. Contributions are sums over the trees.
struct ShapForest {
    std::vector<tree::TreeView> trees;
    ShapColumns columns;
    int64_t n_columns, group;

    int64_t outputs() const { return group > 1 ? group : trees.empty() ? 1 : trees[0].outputs; }
};

// Contributions of all columns, rows × columns × outputs, or with `pairs` half the interaction of every two columns,
// rows × columns × columns × outputs, zero for a column with itself. `out` is updated, never cleared.
template <class Rows>
void add_shap(const ShapForest &forest, const Rows &x, bool pairs, double *out) {
    const auto &used = forest.columns.used;
    const int64_t slots = static_cast<int64_t>(used.size()), outputs = forest.outputs(), rows = x.rows();
    const int64_t own = forest.group > 1 || forest.trees.empty() ? 1 : outputs;  // of one tree
    const int64_t cells_size = slots * shap_rows, phi_size = slots * outputs * shap_rows;
    const int64_t pairs_size = pairs ? slots * slots * outputs * shap_rows : 0;
    const int64_t tiles = (rows + shap_rows - 1) / shap_rows, threads = thread_count().load();
    const int64_t tile_size = std::max<int64_t>(1, cells_size + phi_size + pairs_size);
    const int64_t fitting = std::clamp<int64_t>((int64_t{1} << 18) / tile_size, 1, 64);
    const int64_t least = std::max((tiles + fitting - 1) / fitting, std::min(threads, tiles));
    const Blocks blocks{tiles, std::min(tiles, round_up(least, least > 1 ? threads : 1))};
    const Level level = current_level();
    if (slots == 0) return;
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Range mine = blocks[b];
        Buffer<double> cells(mine.size() * cells_size), phi(mine.size() * phi_size, 0.0);
        Buffer<double> both(mine.size() * pairs_size, 0.0);
        for (int64_t tile = 0; tile < mine.size(); ++tile)
            for (int64_t s = 0; s < slots; ++s) {
                const int64_t first = (mine.first + tile) * shap_rows, count = std::min<int64_t>(shap_rows, rows - first);
                double *const to = cells.data() + tile * cells_size + s * shap_rows;
                x.copy(used[static_cast<size_t>(s)], first, count, to);
                std::fill(to + count, to + shap_rows, to[0]);
            }
        for (size_t t = 0; t < forest.trees.size(); ++t) {
            const tree::TreeView &view = forest.trees[t];
            const ShapTree tree = prepare_shap(view, forest.columns);
            ShapScratch scratch(tree, pairs);
            const auto routes = [&](int64_t node, int32_t code) -> int32_t {
                const int32_t i = static_cast<int32_t>(node);
                if (code >= used[static_cast<size_t>(tree.slot[static_cast<size_t>(node)])].n_categories)
                    return view.missing[i];
                if (view.route_place[i] == -1) return !(code <= view.threshold[i]);
                const int32_t child = view.route(i, code);
                return child >= 0 ? child : view.missing[i];
            };
            const int64_t turn = static_cast<int64_t>(t) % forest.group;
            for (int64_t tile = 0; tile < mine.size(); ++tile) {
                job.check();
                double *const to = phi.data() + tile * phi_size + turn * slots * own * shap_rows;
                double *const pairs_of_turn = both.data() + tile * pairs_size + turn * slots * slots * own * shap_rows;
                double *const two = pairs ? pairs_of_turn : nullptr;
                LEARNT_AT(level, shap_rows_in_tree(tree, routes, scratch, cells.data() + tile * cells_size, to, two));
            }
        }
        const int64_t p = forest.n_columns;
        for (int64_t tile = 0; tile < mine.size(); ++tile)
            for (int64_t r = 0; r < shap_rows; ++r) {
                const int64_t row = (mine.first + tile) * shap_rows + r;
                if (row >= rows) break;
                for (int64_t c = 0; c < outputs; ++c)
                    for (int64_t s = 0; s < slots; ++s) {
                        const int64_t j = used[static_cast<size_t>(s)].column, g = c / own, k = c % own;
                        if (!pairs) {
                            out[(row * p + j) * outputs + c] +=
                                phi[tile * phi_size + ((g * slots + s) * own + k) * shap_rows + r];
                            continue;
                        }
                        for (int64_t s2 = s + 1; s2 < slots; ++s2) {
                            const int64_t j2 = used[static_cast<size_t>(s2)].column;
                            const double half =
                                both[tile * pairs_size + (((g * slots + s) * slots + s2) * own + k) * shap_rows + r] / 2;
                            out[((row * p + j) * p + j2) * outputs + c] += half;
                            out[((row * p + j2) * p + j) * outputs + c] += half;
                        }
                    }
            }
    });
}

}  // namespace learnt::ensemble
