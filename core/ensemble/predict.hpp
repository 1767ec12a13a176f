// Rows sent down many trees.
//
// Rows are taken in blocks, which stay in the cache while one tree after another is asked; a block is made of
// tiles of 64 rows. Trees of at most 64 leaves look at all their tests, since a comparison of many rows at once
// costs less than a step down (as QuickScorer does; Lucchese and others, 2015). In larger ones rows walk, a step
// of each in turn: while one waits for memory, others go on.
#pragma once

#include <bit>

#include "base/pool.hpp"
#include "ensemble/pack.hpp"
#include "simd/levels.hpp"
#include "tree/problem.hpp"

namespace learnt::baseline {
using ensemble::MaskTest, ensemble::tile_rows;
}
namespace learnt::avx2 {
using ensemble::MaskTest, ensemble::tile_rows;
}
namespace learnt::avx512 {
using ensemble::MaskTest, ensemble::tile_rows;
}

#define LEARNT_LOOPS "ensemble/predict_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt::ensemble {

inline constexpr int few_rows = 8;  // so few walk, even in small trees

// The cells of `count` rows of one column, in a tile; `count` is at most tile_rows.
template <class Real, class T>
void copy_cells(const T *from, int64_t stride, int64_t count, const UsedColumn &column, Real *to) {
    if (!column.nominal && std::is_floating_point_v<T>) {
        for (int64_t r = 0; r < count; ++r) to[r] = static_cast<Real>(from[r * stride]);
    } else if (!column.nominal) {
        for (int64_t r = 0; r < count; ++r)
            to[r] = from[r * stride] < 0 ? std::numeric_limits<Real>::quiet_NaN() : static_cast<Real>(from[r * stride]);
    } else {
        const Real unknown = static_cast<Real>(column.n_categories);
        for (int64_t r = 0; r < count; ++r) {
            const Real code = static_cast<Real>(from[r * stride]);
            to[r] = code >= 0 && code < unknown ? std::floor(code) : unknown;
        }
    }
}

template <class T>
struct MatrixRows {
    Matrix<const T> x;
    int64_t rows() const { return x.rows; }

    template <class Real>
    void copy(const UsedColumn &used, int64_t first, int64_t count, Real *to) const {
        copy_cells(x.row(first) + used.column * x.column_stride, x.row_stride, count, used, to);
    }
};

struct ColumnRows {
    const std::vector<tree::Column> &columns;
    int64_t n;
    int64_t rows() const { return n; }

    template <class Real>
    void copy(const UsedColumn &used, int64_t first, int64_t count, Real *to) const {
        const tree::Column &column = columns[static_cast<size_t>(used.column)];
        const auto typed = [&](auto *data) {
            copy_cells(data + first * column.stride, column.stride, count, used, to);
        };
        switch (column.cells) {
            case tree::Column::Cells::float64: return typed(static_cast<const double *>(column.data));
            case tree::Column::Cells::float32: return typed(static_cast<const float *>(column.data));
            default: return typed(static_cast<const int32_t *>(column.data));
        }
    }
};

// The leaves that the rows of a tile reach in one tree, by their numbers from the left.
template <class Real>
class LeafFinder {
    const PackedForest<Real> &f_;
    const Level level_;

  public:
    explicit LeafFinder(const PackedForest<Real> &forest) : f_(forest), level_(current_level()) {}

    // `gaps`: some cell of a number is missing.
    void find(int64_t tree, const Real *tile, int count, bool gaps, int32_t *leaf) const {
        const int32_t place = f_.mask_place[static_cast<size_t>(tree)];
        if (place >= 0 && count > few_rows && level_ != Level::baseline)
            by_masks(f_.mask_trees[static_cast<size_t>(place)], tile, leaf);
        else if (!f_.walk_simple[static_cast<size_t>(tree)])
            by_walk<false, true>(tree, tile, count, leaf);
        else if (gaps)
            by_walk<true, true>(tree, tile, count, leaf);
        else
            by_walk<true, false>(tree, tile, count, leaf);
    }

  private:
    void by_masks(const MaskTree &tree, const Real *tile, int32_t *leaf) const {
        alignas(64) uint64_t bits[tile_rows];
        const MaskTest<Real> *const tests = f_.mask_tests.data();
        LEARNT_AT(level_, keep_bits(tile, tests + tree.first, tests + tree.left_from, tests + tree.last, bits));
        for (int64_t t = tree.tables_first; t < tree.tables_last; ++t) {
            const MaskTable &table = f_.mask_tables[static_cast<size_t>(t)];
            const uint64_t *const masks = f_.masks.data() + table.start;
            const Real *const codes = tile + table.cells;
            for (int r = 0; r < tile_rows; ++r) bits[r] &= masks[static_cast<int32_t>(codes[r])];
        }
        for (int r = 0; r < tile_rows; ++r) leaf[r] = std::countr_zero(bits[r]);
    }

    template <bool simple, bool gaps>
    void by_walk(int64_t tree, const Real *tile, int count, int32_t *leaf) const {
        const int64_t start = f_.walk_start[static_cast<size_t>(tree)];
        const WalkNode<Real> *const nodes = f_.walk.data() + start;
        const int32_t *const nominal = simple ? nullptr : f_.walk_nominal.data() + start;
        int32_t place[tile_rows];
        const auto step = [&](int r) {
            const int32_t here = place[r];
            const WalkNode<Real> node = nodes[here];
            const Real cell = tile[node.cells() + r];
            bool right = cell > node.threshold;
            if (!simple && nominal[here] >= 0)
                right = routed(f_.walk_routes[static_cast<size_t>(nominal[here])], static_cast<int32_t>(cell));
            else if (gaps)
                right |= (cell != cell) & node.missing_right();
            place[r] = node.first() + right;
            return place[r] != here;
        };
        uint8_t active[tile_rows];  // the rows that are not known to have arrived
        for (int r = 0; r < count; ++r) place[r] = 0, active[r] = static_cast<uint8_t>(r);
        for (int32_t s = f_.walk_steps[static_cast<size_t>(tree)]; s > 0; --s)
            for (int r = 0; r < count; ++r) step(r);
        for (int n = count; n > 0;) {
            for (int k = 0; k < n; ++k) step(active[k]);
            int left = 0;
            for (int k = 0; k < n; ++k) {
                const uint8_t r = active[k];
                active[left] = r;
                left += step(r);
            }
            n = left;
        }
        for (int r = 0; r < count; ++r) leaf[r] = nodes[place[r]].leaf();
    }

    // The last code, which no table of routes holds, stands for unknown ones.
    bool routed(const WalkRoutes &routes, int32_t code) const {
        if (code == routes.unknown) return routes.missing_right;
        const uint32_t place = static_cast<uint32_t>(code) - static_cast<uint32_t>(routes.low);
        if (place >= static_cast<uint32_t>(routes.span)) return routes.right;
        if (routes.bits >= 0)
            return routes.right ^ (f_.walk_bits[static_cast<size_t>(routes.bits + place / 64)] >> place % 64 & 1);
        const uint64_t *const list = f_.walk_bits.data() - 1 - routes.bits;
        return routes.right ^ std::binary_search(list + 1, list + 1 + *list, static_cast<uint64_t>(code));
    }
};

// Calls found(tree, first row, count, leaves) for every tile and each tree of the range, trees rising for each row.
template <class Real, class Rows, class Found>
void find_leaves(const PackedForest<Real> &forest, const Rows &x, Range trees, const Found &found) {
    const LeafFinder<Real> finder(forest);
    const int64_t used = static_cast<int64_t>(forest.used.size()), tile = std::max<int64_t>(used, 1) * tile_rows;
    const int64_t fitting = std::clamp<int64_t>((int64_t{1} << 20) / static_cast<int64_t>(sizeof(Real)) / tile, 1, 128);
    // Rows do not depend on each other, so blocks may be cut for the threads at hand: equal shares of work.
    const int64_t rows = x.rows(), tiles = (rows + tile_rows - 1) / tile_rows, threads = thread_count().load();
    const int64_t least = std::max((tiles + fitting - 1) / fitting, std::min(threads, tiles / 4));
    const Blocks blocks{tiles, std::min(tiles, round_up(least, least > 1 ? threads : 1))};
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const int64_t first = blocks[b].first * tile_rows, last = std::min(rows, blocks[b].last * tile_rows);
        Buffer<Real> cells(tile * blocks[b].size());
        std::vector<uint8_t> gaps(static_cast<size_t>(blocks[b].size()), 0);
        for (int64_t i = first; i < last; i += tile_rows) {
            const int64_t count = std::min<int64_t>(tile_rows, last - i);
            Real *to = cells.data() + (i - first) / tile_rows * tile;
            for (int64_t u = 0; u < std::max<int64_t>(used, 1); ++u, to += tile_rows) {
                if (used) x.copy(forest.used[static_cast<size_t>(u)], i, count, to);
                std::fill(to + (used ? count : 0), to + tile_rows, Real{});  // rows that are not there go anywhere
                bool gap = false;
                for (int r = 0; r < tile_rows; ++r) gap |= to[r] != to[r];
                gaps[static_cast<size_t>((i - first) / tile_rows)] |= gap;
            }
        }
        for (int64_t t = trees.first; t < trees.last; ++t) {
            job.check();
            for (int64_t i = first; i < last; i += tile_rows) {
                const int count = static_cast<int>(std::min<int64_t>(tile_rows, last - i));
                int32_t leaf[tile_rows];
                const int64_t place = (i - first) / tile_rows;
                finder.find(t, cells.data() + place * tile, count, gaps[static_cast<size_t>(place)], leaf);
                found(t, i, count, leaf);
            }
        }
    });
}

// out[i, t mod group or all outputs] += answers[leaf of row i in tree t], tree after tree.
//
//   answers  leaves of all trees × outputs     read
//   out      rows × (group > 1 ? group : outputs)   updated, never cleared
template <class Real, class Rows>
void add_answers(const PackedForest<Real> &forest, const Rows &x, Range trees, const double *answers, int64_t outputs,
                 int64_t group, double *out) {
    find_leaves(forest, x, trees, [&](int64_t t, int64_t i, int count, const int32_t *leaf) {
        const double *const from = answers + forest.leaf_start[static_cast<size_t>(t)] * outputs;
        if (outputs == 1) {
            double *const to = out + i * group + t % group;
            for (int r = 0; r < count; ++r) to[r * group] += from[leaf[r]];
        } else {
            double *to = out + i * outputs;
            for (int r = 0; r < count; ++r, to += outputs)
                for (int64_t c = 0; c < outputs; ++c) to[c] += from[leaf[r] * outputs + c];
        }
    });
}

// out[i, t − trees.first] = the leaf of row i in tree t, by its number there.
template <class Real, class Rows>
void find_leaf_nodes(const PackedForest<Real> &forest, const Rows &x, Range trees, int32_t *out) {
    find_leaves(forest, x, trees, [&](int64_t t, int64_t i, int count, const int32_t *leaf) {
        const int32_t *const node = forest.leaf_node.data() + forest.leaf_start[static_cast<size_t>(t)];
        int32_t *const to = out + i * trees.size() + (t - trees.first);
        for (int r = 0; r < count; ++r) to[r * trees.size()] = node[leaf[r]];
    });
}

}  // namespace learnt::ensemble
