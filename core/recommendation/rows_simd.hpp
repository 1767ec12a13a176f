// Products of factor vectors; see recommendation/rows.hpp.

// The sum of all lanes.
LEARNT_INLINE float sum_of_lanes(Vector<float> v) {
#if LEARNT_BYTES >= 32
#if LEARNT_BYTES == 64  // gcc warns of the intrinsics that cut a vector in halves
    const __m256 whole = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                         __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
#else
    const __m256 whole = v;
#endif
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(whole), _mm256_extractf128_ps(whole, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
#else
    return (v[0] + v[2]) + (v[1] + v[3]);
#endif
}
LEARNT_INLINE double sum_of_lanes(Vector<double> v) { return sum_lanes(v); }

template <class Real>
LEARNT_INLINE Real dot_padded(const Real *x, const Real *y, int64_t width) {
    using V = Vector<Real>;
    V sum{};
    for (int64_t a = 0; a < width; a += lanes_of<Real>) sum += load<V>(x + a) * load<V>(y + a);
    return sum_of_lanes(sum);
}

LEARNT_INLINE double dot_doubles(const double *a, const double *b, int64_t n) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    V one{}, two{};
    int64_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        one += load<V>(a + i) * load<V>(b + i);
        two += load<V>(a + i + lanes) * load<V>(b + i + lanes);
    }
    double sum = sum_lanes(one + two);
    for (; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// y += factor · x
LEARNT_INLINE void add_scaled(double factor, const double *x, double *y, int64_t n) {
    using V = Vector<double>;
    const V all = splat<V>(factor);
    int64_t i = 0;
    for (; i + lanes_of<double> <= n; i += lanes_of<double>) store(y + i, load<V>(y + i) + all * load<V>(x + i));
    for (; i < n; ++i) y[i] += factor * x[i];
}

// out += Σ y yᵀ over rows [first, last), out width × width; float sums of few rows only are added to doubles.
template <class Real>
void add_gram(const FactorSide<Real> &side, int64_t first, int64_t last, Real *scratch, double *out) {
    using V = Vector<Real>;
    const int64_t k = side.width;
    for (int64_t from = first; from < last; from += 64) {
        std::fill_n(scratch, k * k, Real{0});
        for (int64_t i = from; i < std::min(from + 64, last); ++i) {
            const Real *y = side.row(i);
            for (int64_t a = 0; a < k; ++a) {
                const V part = splat<V>(y[a]);
                Real *to = scratch + a * k;
                for (int64_t b = a / lanes_of<Real> * lanes_of<Real>; b < k; b += lanes_of<Real>)
                    store(to + b, load<V>(to + b) + part * load<V>(y + b));
            }
        }
        for (int64_t a = 0; a < k; ++a)
            for (int64_t b = a; b < k; ++b) out[a * k + b] += static_cast<double>(scratch[a * k + b]);
    }
}
