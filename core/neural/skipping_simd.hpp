// Loops of neural/skipping.hpp.

// Bit l is set where v[l] is not 0.
template <class Real>
LEARNT_INLINE uint64_t lanes_not_zero(Vector<Real> v) {
#if LEARNT_BYTES == 64
    if constexpr (sizeof(Real) == 4)
        return _mm512_cmp_ps_mask(v, Vector<Real>{}, _CMP_NEQ_UQ);
    else
        return _mm512_cmp_pd_mask(v, Vector<Real>{}, _CMP_NEQ_UQ);
#elif LEARNT_BYTES == 32
    if constexpr (sizeof(Real) == 4)
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(v, Vector<Real>{}, _CMP_NEQ_UQ)));
    else
        return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(v, Vector<Real>{}, _CMP_NEQ_UQ)));
#else
    uint64_t bits = 0;
    for (int l = 0; l < lanes_of<Real>; ++l) bits |= static_cast<uint64_t>(v[l] != 0) << l;
    return bits;
#endif
}

// Of up to 64 terms, those that are not 0. Reads whole vectors.
template <class Real>
LEARNT_INLINE uint64_t terms_not_zero(const Real *a, int64_t count) {
    constexpr int lanes = lanes_of<Real>;
    uint64_t bits = 0;
    for (int64_t t = 0; t < count; t += lanes) bits |= lanes_not_zero<Real>(load<Vector<Real>>(a + t)) << t;
    return count < 64 ? bits & ((uint64_t{1} << count) - 1) : bits;
}

// found += how many terms of every eighth row are not 0.
template <class Real>
void count_terms(const Real *a, int64_t a_row, int64_t rows, int64_t steps, int64_t &found) {
    for (int64_t r = 0; r < rows; r += 8)
        for (int64_t t = 0; t < steps; t += term_block)
            found += __builtin_popcountll(terms_not_zero(a + r * a_row + t, std::min(term_block, steps - t)));
}

// One row: V vectors of outputs in registers, one term after the other.
template <int V, class Real>
LEARNT_INLINE void add_terms(uint64_t bits, const Real *a, Steps<Real> b, Sums<Real> c) {
    using Vec = Vector<Real>;
    Vec sum[V];
    LEARNT_UNROLL for (int v = 0; v < V; ++v) sum[v] = load<Vec>(c.data + place_of<Real>(v, c.panel));
    for (; bits; bits &= bits - 1) {
        const int64_t t = __builtin_ctzll(bits);
        const Real x = a[t], *const from = b.data + t * b.step;
        LEARNT_UNROLL for (int v = 0; v < V; ++v) sum[v] += x * load<Vec>(from + place_of<Real>(v, b.row));
    }
    LEARNT_UNROLL for (int v = 0; v < V; ++v) store(c.data + place_of<Real>(v, c.panel), sum[v]);
}

template <class Real>
void add_skipping(const Real *a, int64_t a_row, Steps<Real> b, int64_t rows, int64_t steps, int64_t columns, Sums<Real> c) {
    constexpr int lanes = lanes_of<Real>;
    for (int64_t first = 0; first < steps; first += term_block) {
        const int64_t count = std::min(term_block, steps - first);
        const auto part = [&](auto width, int64_t o) {
            constexpr int V = decltype(width)::value;
            const Steps<Real> from{b.data + o / panel_width * b.row + o % panel_width + first * b.step, b.row, b.step};
            for (int64_t r = 0; r < rows; ++r) {
                const Real *const terms = a + r * a_row + first;
                add_terms<V>(terms_not_zero(terms, count), terms, from, c.from_row(r).from_column(o));
            }
        };
        int64_t o = 0;
        for (; o + 7 * lanes < columns; o += 8 * lanes) part(std::integral_constant<int, 8>{}, o);
        for (; o + 3 * lanes < columns; o += 4 * lanes) part(std::integral_constant<int, 4>{}, o);
        for (; o + lanes < columns; o += 2 * lanes) part(std::integral_constant<int, 2>{}, o);
        if (o < columns) part(std::integral_constant<int, 1>{}, o);
    }
}

// to[k·to_row + i] = from[i·from_row + k], whole squares of lanes × lanes: rows and columns are filled up.
template <class Real>
void turn_block(const Real *from, int64_t from_row, int64_t rows, int64_t columns, Real *to, int64_t to_row) {
    constexpr int lanes = lanes_of<Real>;
    for (int64_t i = 0; i < rows; i += lanes)
        for (int64_t k = 0; k < columns; k += lanes) {
            Vector<Real> square[lanes];
            LEARNT_UNROLL for (int r = 0; r < lanes; ++r) square[r] = load<Vector<Real>>(from + (i + r) * from_row + k);
            transpose_square(square);
            LEARNT_UNROLL for (int r = 0; r < lanes; ++r) store(to + (k + r) * to_row + i, square[r]);
        }
}
