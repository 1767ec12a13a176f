// How far rows go down isolation trees, and what each column does about it.
//
//   paths[i]       += Σ_t depth of the leaf of row i in tree t + c(weight in that leaf)
//   credits[i, j]  += Σ_t Σ_(tests of column j on the way) c(node) − 1 − c(child)
//
// so that the credits of a row add up to Σ_t c(root) less its paths. A missing cell that ends a path does so in a child of
// no weight. Rows come in blocks that stay in cache while all trees pass; the first levels of a tree are tested by vectors,
// in single precision where thresholds allow it, and then eight rows go down side by side, so that one waits for memory
// while others compute. Rows that may end at a missing cell go alone.
//
//   x        n × p, any strides; categories as their codes, NaN is missing     read
//   paths    n                                                                updated, never cleared
//   credits  n × p, row-major                                                 updated, never cleared
#pragma once

#include <bit>
#include <vector>

#include "base/matrix.hpp"
#include "base/pool.hpp"
#include "novelty/isolation_pack.hpp"
#include "simd/levels.hpp"

#define LEARNT_LOOPS "novelty/isolation_paths_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Where a row goes from node v of tree t: the child, or −1 if its path ends after this test.
inline int64_t isolation_step(const IsolationTrees &trees, int64_t t, int64_t v, double x) {
    const int64_t at = trees.starts[t] + v;
    const int32_t categories = trees.categories[trees.column[at]];
    const int64_t category = categories > 0 ? category_in(x, categories) : 0;
    bool right;
    if (std::isnan(x) || category < 0) {
        if (trees.missing[at] == missing_ends) return -1;
        right = trees.missing[at] == missing_right;
    } else if (categories > 0) {
        right = category_goes_right(node_key(trees.seed, t, v), category, trees.threshold[at]);
    } else {
        right = x > trees.threshold[at];
    }
    return trees.left[at] + right;
}

// Calls visit(column, c(node), c(child)) at each test on the way.
template <class Visit>
void walk_isolation_tree(const IsolationTrees &trees, int64_t t, const double *row, const Visit &visit) {
    const int64_t start = trees.starts[t];
    for (int64_t v = 0; trees.column[start + v] >= 0;) {
        const int32_t j = trees.column[start + v];
        const int64_t child = isolation_step(trees, t, v, row[j]);
        visit(j, trees.rest[start + v], child < 0 ? 0.0 : trees.rest[start + child]);
        if (child < 0) return;
        v = child;
    }
}

// The least number of the type that is not below x.
template <class Real>
Real rounded_up(double x) {
    if constexpr (sizeof(Real) == 8) return x;
    const float near = static_cast<float>(x);
    const int32_t bits = std::bit_cast<int32_t>(near);
    return std::bit_cast<float>(static_cast<double>(near) < x ? bits + (bits < 0 ? -1 : 1) : bits);
}

// The path of a row in a tree, step by step.
inline double isolation_path(const IsolationTrees &trees, int64_t t, const double *row) {
    int64_t depth = 0;
    double rest = trees.rest[trees.starts[t]];
    walk_isolation_tree(trees, t, row, [&](int32_t, double, double below) {
        ++depth;
        rest = below;
    });
    return static_cast<double>(depth) + rest;
}

// The paths of rows [first, first + n) in all trees.
template <class Real, class Cell>
void add_block_paths(Matrix<const Cell> x, int64_t first, int64_t n, const IsolationTrees &trees,
                     const PackedIsolation<Real> &packed, Level level, double *paths) {
    constexpr int64_t side = isolation_tile;
    const int64_t p = x.columns, tiles = (n + side - 1) / side;
    const Buffer<Real> cells(tiles * p * side, Real{0});  // rows that are none go down as well
    const Buffer<uint64_t> gaps(tiles * p, 0);
    const Buffer<uint8_t> any(tiles, 0);
    const Buffer<double> sums(tiles * side, 0.0), row(p), before(side);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t k = i / side, r = i % side;
        for (int64_t j = 0; j < p; ++j) {
            const double v = static_cast<double>(x(first + i, j));
            if (trees.categories[j] > 0 ? category_in(v, trees.categories[j]) >= 0 : !std::isnan(v)) {
                cells[(k * p + j) * side + r] = rounded_up<Real>(trees.categories[j] > 0 ? std::floor(v) : v);
            } else {
                gaps[k * p + j] |= uint64_t{1} << r;
                any[k] = 1;
            }
        }
    }
    for (int64_t t = 0; t < trees.count; ++t) {
        const PackedIsolationTree<Real> tree = packed[t];
        for (int64_t k = 0; k < tiles; ++k) {
            const Real *const tile = cells.data() + k * p * side;
            double *const to = sums.data() + k * side;
            if (tree.numbers && !any[k]) {
                LEARNT_AT(level, add_tile_paths<Real, true>(tree, tile, nullptr, to));
                continue;
            }
            const uint64_t *const missing = any[k] ? gaps.data() + k * p : nullptr;
            uint64_t ended = 0;  // rows whose paths may end before a leaf
            for (const int32_t *j = tree.ends_first; missing && j < tree.ends_last; ++j) ended |= missing[*j];
            std::copy_n(to, side, before.data());
            LEARNT_AT(level, add_tile_paths<Real, false>(tree, tile, missing, to));
            for (; ended; ended &= ended - 1) {
                const int64_t r = std::countr_zero(ended), i = first + k * side + r;
                for (int64_t j = 0; j < p; ++j)
                    row[j] = (missing[j] >> r) & 1 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(x(i, j));
                to[r] = before[r] + isolation_path(trees, t, row.data());
            }
        }
    }
    for (int64_t i = 0; i < n; ++i) paths[first + i] += sums[i];
}

template <class Real, class Cell>
void add_paths_in_blocks(Matrix<const Cell> x, const IsolationTrees &trees, double *paths) {
    const int64_t p = x.columns;
    const PackedIsolation<Real> packed(trees, p);
    const int64_t most = isolation_tile * std::clamp<int64_t>((1 << 14) / (isolation_tile * std::max<int64_t>(p, 1)), 1, 16);
    const Level level = current_level();
    run_blocks((x.rows + most - 1) / most, [&](int64_t b, Job &job) {
        job.check();
        add_block_paths(x, b * most, std::min(most, x.rows - b * most), trees, packed, level, paths);
    });
}

template <class Cell>
void add_isolation_paths(Matrix<const Cell> x, const IsolationTrees &trees, double *paths) {
    if (fits_single(trees, x.columns))
        add_paths_in_blocks<float>(x, trees, paths);
    else
        add_paths_in_blocks<double>(x, trees, paths);
}

template <class Real>
void add_isolation_credits(Matrix<const Real> x, const IsolationTrees &trees, double *credits) {
    const int64_t p = x.columns;
    const Blocks blocks = cut(x.rows, 64, 1 << 12);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        std::vector<double> row(static_cast<size_t>(p));
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            for (int64_t j = 0; j < p; ++j) row[static_cast<size_t>(j)] = static_cast<double>(x(i, j));
            for (int64_t t = 0; t < trees.count; ++t)
                walk_isolation_tree(trees, t, row.data(), [&](int32_t j, double here, double below) {
                    credits[i * p + j] += here - 1 - below;
                });
        }
    });
}

}  // namespace learnt
