// Loops of novelty/isolation_paths.hpp.

// Bit r: cell r of 64 is above the threshold.
template <class Real>
LEARNT_INLINE uint64_t bits_above(const Real *cells, Real threshold) {
    uint64_t bits = 0;
#if LEARNT_BYTES == 64
    if constexpr (sizeof(Real) == 4) {
        LEARNT_UNROLL for (int v = 0; v < 4; ++v)
            bits |= uint64_t{_mm512_cmp_ps_mask(_mm512_loadu_ps(cells + 16 * v), _mm512_set1_ps(threshold), _CMP_GT_OQ)} << 16 * v;
    } else {
        LEARNT_UNROLL for (int v = 0; v < 8; ++v)
            bits |= uint64_t{_mm512_cmp_pd_mask(_mm512_loadu_pd(cells + 8 * v), _mm512_set1_pd(threshold), _CMP_GT_OQ)} << 8 * v;
    }
#elif LEARNT_BYTES == 32
    if constexpr (sizeof(Real) == 4) {
        LEARNT_UNROLL for (int v = 0; v < 8; ++v)
            bits |= uint64_t{static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(
                        _mm256_loadu_ps(cells + 8 * v), _mm256_set1_ps(threshold), _CMP_GT_OQ)))} << 8 * v;
    } else {
        LEARNT_UNROLL for (int v = 0; v < 16; ++v)
            bits |= uint64_t{static_cast<uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(
                        _mm256_loadu_pd(cells + 4 * v), _mm256_set1_pd(threshold), _CMP_GT_OQ)))} << 4 * v;
    }
#else
    for (int r = 0; r < 64; ++r) bits |= uint64_t{cells[r] > threshold} << r;
#endif
    return bits;
}

// at[r] = 2 at[r] + bit r.
LEARNT_INLINE void append_bits(uint64_t bits, int32_t *at) {
#if LEARNT_BYTES == 64
    LEARNT_UNROLL for (int v = 0; v < 4; ++v) {
        const __m512i old = _mm512_loadu_si512(at + 16 * v), twice = _mm512_add_epi32(old, old);
        const auto here = static_cast<__mmask16>(bits >> 16 * v);
        _mm512_storeu_si512(at + 16 * v, _mm512_mask_add_epi32(twice, here, twice, _mm512_set1_epi32(1)));
    }
#else
    for (int r = 0; r < 64; ++r) at[r] = 2 * at[r] + static_cast<int32_t>((bits >> r) & 1);
#endif
}

// The same of the categories in 64 cells; bit r of `gaps`: that cell is missing.
template <class Real>
LEARNT_INLINE uint64_t bits_right(const Real *cells, uint64_t gaps, const IsolationSides &sides) {
    uint64_t bits = 0;
    if (sides.few) {
        for (int r = 0; r < 64; ++r) bits |= ((sides.bits >> (static_cast<int32_t>(cells[r]) & 63)) & 1) << r;
    } else {
        for (int r = 0; r < 64; ++r) bits |= uint64_t{sides.right(static_cast<int64_t>(cells[r]))} << r;
    }
    return bits & ~gaps;
}

// paths[r] += the path of each row of a tile, columns × 64, in a tree. `gaps`: the missing cells of each column, a bit
// each, which hold 0 in the tile; null if there are none. A missing cell that ends a path is not told from others.
template <class Real, bool plain>
void add_tile_paths(const PackedIsolationTree<Real> &tree, const Real *tile, const uint64_t *gaps, double *paths) {
    constexpr int lanes = 8;
    const auto gaps_of = [&](int32_t cells) { return plain || !gaps ? 0 : gaps[cells / isolation_tile]; };
    int32_t at[isolation_tile] = {};
    uint64_t here[isolation_heap] = {0, ~uint64_t{0}};  // the rows in each node of the heap, from 1
    for (int64_t level = 0, k = 1; level < isolation_levels; ++level) {
        uint64_t right = 0;  // the rows that go right on this level
        for (const int64_t last = 2 * k; k < last; ++k) {
            const int32_t v = tree.heap[k];
            const IsolationNode<Real> &node = tree.nodes[v];
            uint64_t above;
            if (!plain && tree.sides[v] >= 0)
                above = bits_right(tile + node.cells, gaps_of(node.cells), tree.all_sides[tree.sides[v]]);
            else
                above = bits_above(tile + node.cells, node.threshold) & ~gaps_of(node.cells);
            if (!plain && tree.missing[v]) above |= gaps_of(node.cells);
            above &= here[k];
            right |= above;
            if (2 * k < isolation_heap) {
                here[2 * k] = here[k] & ~above;
                here[2 * k + 1] = above;
            }
        }
        append_bits(right, at);
    }
    for (int r = 0; r < isolation_tile; ++r) at[r] = tree.heap[isolation_heap + at[r]];
    for (int r = 0; r < isolation_tile; r += lanes) {
        int32_t node[lanes];
        LEARNT_UNROLL for (int l = 0; l < lanes; ++l) node[l] = at[r + l];
        for (int64_t s = 0; s < tree.steps; ++s) {
            LEARNT_UNROLL for (int l = 0; l < lanes; ++l) {
                const IsolationNode<Real> &n = tree.nodes[node[l]];
                const Real cell = tile[n.cells + r + l];
                bool right = cell > n.threshold;
                if constexpr (!plain) {
                    if (tree.sides[node[l]] >= 0)
                        right = tree.all_sides[tree.sides[node[l]]].right(static_cast<int64_t>(cell));
                    if ((gaps_of(n.cells) >> (r + l)) & 1) right = tree.missing[node[l]];
                }
                node[l] = n.left + right;
            }
        }
        LEARNT_UNROLL for (int l = 0; l < lanes; ++l) paths[r + l] += tree.length[node[l]];
    }
}
