// Loops of cluster/lloyd_csr.hpp.

// The best centre of a row: scores x·c − |c|²/2 of all centres, a few vectors of them at a time.
// turned: p × k, k a multiple of the lanes; half: k.
template <class Real>
LEARNT_INLINE int32_t nearest_center(const Csr<Real> &x, Range row, const Real *turned, const Real *half, int64_t k) {
    using V = Vector<Real>;
    using Int = std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>;
    using Index = Vector<Int>;
    constexpr int lanes = lanes_of<Real>;
    V best = splat<V>(-std::numeric_limits<Real>::infinity());
    Index index{};
    for (int64_t first = 0; first < k;) {
        const int64_t rest = (k - first) / lanes;
        const int now = rest >= 8 ? 8 : rest >= 4 ? 4 : rest >= 2 ? 2 : 1;
        with_constant<8, 4, 2, 1>(now, [&](auto vectors) __attribute__((always_inline)) {
            constexpr int count = vectors();
            V sum[count];
            LEARNT_UNROLL for (int v = 0; v < count; ++v) sum[v] = -load<V>(half + first + v * lanes);
            for (int64_t e = row.first; e < row.last; ++e) {
                const V value = splat<V>(x.value[e]);
                const Real *center = turned + x.column[e] * k + first;
                LEARNT_UNROLL for (int v = 0; v < count; ++v) sum[v] += value * load<V>(center + v * lanes);
            }
            LEARNT_UNROLL for (int v = 0; v < count; ++v) {
                const Index better = sum[v] > best;
                best = better ? sum[v] : best;
                index = better ? splat<Index>(static_cast<Int>(first / lanes + v)) : index;
            }
        });
        first += now * lanes;
    }
    Real score[lanes];
    Int vector[lanes];
    store(score, best);
    store(vector, index);
    int64_t winner = vector[0] * lanes;
    Real highest = score[0];
    for (int l = 1; l < lanes; ++l) {
        const int64_t candidate = vector[l] * lanes + l;
        if (score[l] > highest || (score[l] == highest && candidate < winner)) {
            highest = score[l];
            winner = candidate;
        }
    }
    return static_cast<int32_t>(winner);
}

template <class Real>
void label_sparse_rows(const Csr<Real> &x, Range rows, const Real *turned, const Real *half, int64_t k,
                       int32_t *labels) {
    for (int64_t i = rows.first; i < rows.last; ++i)
        labels[i - rows.first] = nearest_center(x, x.row(i), turned, half, k);
}
