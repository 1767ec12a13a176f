// Lane by lane; see distance/measure.hpp.

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

// x^power for x ≥ 0, off by less than power_blur of itself and the least normal number: for guesses. A logarithm by
// (m − 1)/(m + 1) of the digits m, a power of two by the series of e^z; the exponents go through the digits of
// numbers that are so large that their last digit is a one.
template <class Real>
LEARNT_INLINE Vector<Real> power_guess(Vector<Real> x, Real power) {
    using V = Vector<Real>;
    using B = Bits<Real>;
    using Int = std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>;
    constexpr int digits = std::numeric_limits<Real>::digits - 1;
    constexpr Int bias = std::numeric_limits<Real>::max_exponent - 1;
    constexpr Real big = static_cast<Real>(Int{1} << digits), round = big * Real{1.5};
    const V ones = splat<V>(Real{1}), bigs = splat<V>(big), rounds = splat<V>(round);
    const B bits = reinterpret_cast<B>(x);
    const V m = reinterpret_cast<V>((bits & ((Int{1} << digits) - 1)) | reinterpret_cast<B>(ones));
    const V e = reinterpret_cast<V>((bits >> digits) | reinterpret_cast<B>(bigs)) - (big + static_cast<Real>(bias));
    const V s = (m - Real{1}) / (m + Real{1}), s2 = s * s;
    V series = splat<V>(static_cast<Real>(2.8853900817779268 / 11));
    series = series * s2 + static_cast<Real>(2.8853900817779268 / 9);
    series = series * s2 + static_cast<Real>(2.8853900817779268 / 7);
    series = series * s2 + static_cast<Real>(2.8853900817779268 / 5);
    series = series * s2 + static_cast<Real>(2.8853900817779268 / 3);
    series = series * s2 + static_cast<Real>(2.8853900817779268);
    V y = (e + series * s) * power;
    y = larger(smaller(y, splat<V>(static_cast<Real>(bias - 1))), splat<V>(static_cast<Real>(1 - bias)));
    const V turned = y + rounds;
    const V z = (y - (turned - rounds)) * static_cast<Real>(0.69314718055994531);
    V value = splat<V>(static_cast<Real>(1.0 / 720));
    value = value * z + static_cast<Real>(1.0 / 120);
    value = value * z + static_cast<Real>(1.0 / 24);
    value = value * z + static_cast<Real>(1.0 / 6);
    value = value * z + Real{0.5};
    value = value * z + Real{1};
    value = value * z + Real{1};
    const B whole = reinterpret_cast<B>(turned) - reinterpret_cast<B>(rounds);
    return reinterpret_cast<V>(reinterpret_cast<B>(value) + (whole << digits));
}

// What a column adds to the sums of a vector of rows, `d` being their differences; powers that are not whole are guessed.
template <Norm norm>
LEARNT_INLINE Vector<double> vector_term(const Measure &m, Vector<double> d) {
    using V = Vector<double>;
    V term;
    if constexpr (norm == Norm::l2) {
        term = unfused_vector(d * d);
    } else if constexpr (norm == Norm::hamming) {
        term = d != 0 ? splat<V>(1.0) : V{};
    } else {
        term = magnitude<double>(d);
    }
    if constexpr (norm == Norm::lp) {
        const V away = term;
        if (m.whole == 0) term = power_guess<double>(away, m.power);
        for (int e = 1; e < m.whole; ++e) term *= away;
        term = unfused_vector(term);
    }
    return term;
}

// The same with the weight of column j and nothing guessed: to the bit what `term_of` gives row by row.
template <Norm norm>
LEARNT_INLINE Vector<double> exact_vector_term(const Measure &m, Vector<double> d, int64_t j) {
    Vector<double> term;
    if (norm == Norm::lp && m.whole == 0) {
        for (int l = 0; l < lanes_of<double>; ++l) term[l] = std::pow(std::abs(d[l]), m.power);
    } else {
        term = vector_term<norm>(m, d);
    }
    return m.weights ? unfused_vector(term * m.weights[j]) : term;
}

// Rows of a leaf (columns × width, `count` of them there) whose sums are at most `bar`: show(place, sum), which may
// lower the bar.
template <Norm norm, class Real, class Show>
LEARNT_INLINE void measure_leaf(const Measure &m, const Real *cells, int64_t width, int64_t count, int64_t p, const double *q,
                                const double &bar, Show show) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const bool guessed = norm == Norm::lp && m.whole == 0;
    const double least = guessed ? 1 - power_blur(m) : 1.0;
    const double room = guessed ? static_cast<double>(p) * std::numeric_limits<double>::min() : 0.0;
    for (int64_t i = 0; i < count; i += lanes) {
        V sum{};
        for (int64_t j = 0; j < p; ++j) {
            V term = vector_term<norm>(m, load_double(cells + j * width + i) - q[j]);
            if (m.weights) term = unfused_vector(term * m.weights[j]);
            sum = norm == Norm::max ? larger(sum, term) : sum + term;
        }
        uint64_t hits = lanes_at_most<double>(guessed ? sum * least : sum, splat<V>(bar + room));
        if (i + lanes > count) hits &= (uint64_t{1} << (count - i)) - 1;
        if (!hits) continue;
        double sums[lanes];
        store(sums, sum);
        for (; hits; hits &= hits - 1) {
            const int l = __builtin_ctzll(hits);
            if (guessed) {
                sums[l] = 0;
                for (int64_t j = 0; j < p; ++j)
                    sums[l] += unfused(term_of<norm>(m, static_cast<double>(cells[j * width + i + l]) - q[j], m.weight(j)));
            }
            if (sums[l] <= bar) show(i + l, sums[l]);
        }
    }
}
