// Loops of ensemble/predict.hpp.

// The bits each row of a tile keeps in a tree of at most 64 leaves, after all tests of thresholds:
//   bits[r] = AND over the tests that row r goes right of left_out
template <class Real>
void keep_bits(const Real *tile, const MaskTest<Real> *test, const MaskTest<Real> *left_from,
               const MaskTest<Real> *last, uint64_t *bits) {
    constexpr int vectors = 8, lanes = Bytes / 8, together = vectors * lanes;
    using Mask = Vector<uint64_t>;
    for (int r = 0; r < tile_rows; r += together) {
        Mask kept[vectors];
        LEARNT_UNROLL for (int v = 0; v < vectors; ++v) kept[v] = ~Mask{};
#if LEARNT_BYTES == 64
        const auto rule_out = [&](const MaskTest<Real> &one, auto unknown_right) {
            const Real *const cells = tile + one.cells + r;
            constexpr int right = unknown_right ? _CMP_NLE_UQ : _CMP_GT_OQ;
            const __m512i left_out = _mm512_set1_epi64(static_cast<int64_t>(one.left_out));
            if constexpr (sizeof(Real) == 4) {
                const __m512 threshold = _mm512_set1_ps(one.threshold);
                LEARNT_UNROLL for (int v = 0; v < vectors; v += 2) {
                    const __mmask16 k = _mm512_cmp_ps_mask(_mm512_loadu_ps(cells + v * lanes), threshold, right);
                    kept[v] = (Mask)_mm512_mask_and_epi64((__m512i)kept[v], static_cast<__mmask8>(k),
                                                          (__m512i)kept[v], left_out);
                    kept[v + 1] = (Mask)_mm512_mask_and_epi64((__m512i)kept[v + 1], static_cast<__mmask8>(k >> 8),
                                                              (__m512i)kept[v + 1], left_out);
                }
            } else {
                const __m512d threshold = _mm512_set1_pd(one.threshold);
                LEARNT_UNROLL for (int v = 0; v < vectors; ++v) {
                    const __mmask8 k = _mm512_cmp_pd_mask(_mm512_loadu_pd(cells + v * lanes), threshold, right);
                    kept[v] = (Mask)_mm512_mask_and_epi64((__m512i)kept[v], k, (__m512i)kept[v], left_out);
                }
            }
        };
#else
        const auto rule_out = [&](const MaskTest<Real> &one, auto unknown_right) {
            using Cells = Vector<Real, lanes * sizeof(Real)>;
            const Real *const cells = tile + one.cells + r;
            const Mask left_out = splat<Mask>(one.left_out);
            LEARNT_UNROLL for (int v = 0; v < vectors; ++v) {
                const Cells x = load<Cells>(cells + v * lanes);
                if constexpr (unknown_right)
                    kept[v] &= left_out | (Mask)__builtin_convertvector(x <= one.threshold, Vector<int64_t>);
                else
                    kept[v] &= left_out | ~(Mask)__builtin_convertvector(x > one.threshold, Vector<int64_t>);
            }
        };
#endif
        const MaskTest<Real> *one = test;
        for (; one < left_from; ++one) rule_out(*one, std::true_type{});
        for (; one < last; ++one) rule_out(*one, std::false_type{});
        LEARNT_UNROLL for (int v = 0; v < vectors; ++v) store(bits + r + v * lanes, kept[v]);
    }
}
