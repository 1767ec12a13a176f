// Vectors of one level's width, by the compiler's vector extensions; see simd/levels.hpp.

inline constexpr int Bytes = LEARNT_BYTES;

template <class T, int Size = Bytes>
struct VectorOf {
    typedef T type __attribute__((vector_size(Size)));
};
template <class T, int Size = Bytes>
using Vector = typename VectorOf<T, Size>::type;

// How many numbers a vector holds.
template <class T>
inline constexpr int lanes_of = Bytes / static_cast<int>(sizeof(T));

template <class V, class T>
LEARNT_INLINE V load(const T *p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
template <class V, class T>
LEARNT_INLINE void store(T *p, V v) {
    __builtin_memcpy(p, &v, sizeof v);
}
// x − 0 is x for every x, which x + 0 is not: the compiler drops the subtraction.
template <class V, class T>
LEARNT_INLINE V splat(T value) {
    return value - V{};
}

// A vector of doubles from numbers stored as doubles or floats.
LEARNT_INLINE Vector<double> load_double(const double *p) { return load<Vector<double>>(p); }
LEARNT_INLINE Vector<double> load_double(const float *p) {
#if LEARNT_BYTES == 64  // gcc makes four instructions of the general form, and warns of the unmasked one
    return _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(p));
#elif LEARNT_BYTES == 32
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    return __builtin_convertvector(load<Vector<float, Bytes / 2>>(p), Vector<double>);
#endif
}

template <class V>
LEARNT_INLINE V smaller(V a, V b) {
    return a < b ? a : b;
}
template <class V>
LEARNT_INLINE V larger(V a, V b) {
    return a > b ? a : b;
}

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

// The sum of all lanes, halves added to halves.
LEARNT_INLINE double sum_lanes(Vector<double> v) {
    double lane[lanes_of<double>];
    store(lane, v);
    LEARNT_UNROLL for (int half = lanes_of<double> / 2; half > 0; half /= 2)
        LEARNT_UNROLL for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
    return lane[0];
}

// Transposes the square of numbers held by as many vectors as each has lanes: blocks of size h off the
// diagonal change places, h = 1, 2, 4, ...
template <int h, class V, int... lane>
LEARNT_INLINE void swap_blocks(V &a, V &b, std::integer_sequence<int, lane...>) {
    constexpr int lanes = sizeof...(lane);
    const V upper = __builtin_shufflevector(a, b, ((lane & h) ? lanes + lane - h : lane)...);
    b = __builtin_shufflevector(a, b, ((lane & h) ? lanes + lane : lane + h)...);
    a = upper;
}
template <int h = 1, class V, int lanes>
LEARNT_INLINE void transpose_square(V (&rows)[lanes]) {
    if constexpr (h < lanes) {
        LEARNT_UNROLL for (int i = 0; i < lanes; ++i)
            if (!(i & h)) swap_blocks<h>(rows[i], rows[i + h], std::make_integer_sequence<int, lanes>{});
        transpose_square<2 * h>(rows);
    }
}

// f(std::integral_constant<int, n>{}) for the n among the choices that equals `value`; the last if none does.
template <int choice, int... more, class F>
LEARNT_INLINE void with_constant(int value, F f) {
    if constexpr (sizeof...(more) == 0) {
        f(std::integral_constant<int, choice>{});
    } else if (value == choice) {
        f(std::integral_constant<int, choice>{});
    } else {
        with_constant<more...>(value, f);
    }
}
