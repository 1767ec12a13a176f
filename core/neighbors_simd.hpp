// Lane by lane; see neighbors.hpp.

// Bit l is set where a[l] <= b[l].
template <class Real>
LEARNT_INLINE uint64_t lanes_at_most(Vector<Real> a, Vector<Real> b) {
#if LEARNT_BYTES == 64
    if constexpr (sizeof(Real) == 4)
        return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
    else
        return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
#elif LEARNT_BYTES == 32
    if constexpr (sizeof(Real) == 4)
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)));
    else
        return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ)));
#else
    Real left[lanes_of<Real>], right[lanes_of<Real>];
    store(left, a);
    store(right, b);
    uint64_t bits = 0;
    for (int l = 0; l < lanes_of<Real>; ++l) bits |= static_cast<uint64_t>(left[l] <= right[l]) << l;
    return bits;
#endif
}

template <class Real>
using Bits = Vector<std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>>;

template <class Real>
LEARNT_INLINE Vector<Real> magnitude(Vector<Real> v) {
    using Int = std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>;
    return reinterpret_cast<Vector<Real>>(reinterpret_cast<Bits<Real>>(v) & std::numeric_limits<Int>::max());
}

// See unfused.
LEARNT_INLINE Vector<double> unfused_vector(Vector<double> v) {
#if defined(__x86_64__) && LEARNT_BYTES == 64
    asm("" : "+v"(v));
#elif defined(__x86_64__)
    asm("" : "+x"(v));
#elif defined(__aarch64__)
    asm("" : "+w"(v));
#endif
    return v;
}
