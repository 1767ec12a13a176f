// Functions of vectors, lane by lane; see simd/math.hpp.

// exp(−x) for x ≥ 0, relative error below 1e-15; x beyond 300 counts as 300, where it is 1e-130.
LEARNT_INLINE Vector<double> exp_minus(Vector<double> x) {
    using V = Vector<double>;
    using I = Vector<int64_t>;
    x = smaller(x, splat<V>(300.0));
    // x = n log 2 − r, |r| ≤ log 2 / 2: the sum with 1.5 · 2^52 rounds to a whole number and keeps it in the low bits.
    constexpr double round = 6755399441055744.0, log2 = 0.6931471805599453, high = 0.693147180369123816490, low = 1.90821492927058770002e-10;
    const V turned = x * (1 / log2) + round, n = turned - round;
    const V r = (n * high - x) + n * low;
    V sum = splat<V>(1.0 / 6227020800.0);
    constexpr double terms[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5,         1.0,
                                1.0};
    LEARNT_UNROLL for (int t = 0; t < 13; ++t) sum = sum * r + terms[t];
    I whole, base;
    const V zero = splat<V>(round);
    __builtin_memcpy(&whole, &turned, sizeof whole);
    __builtin_memcpy(&base, &zero, sizeof base);
    const I exponent = (1023 - (whole - base)) << 52;
    V power;
    __builtin_memcpy(&power, &exponent, sizeof power);
    return sum * power;
}

// exp(x) for x in [−700, 700], others are moved there; relative error below 1e-15.
LEARNT_INLINE Vector<double> exp_of(Vector<double> x) {
    using V = Vector<double>;
    using I = Vector<int64_t>;
    x = larger(smaller(x, splat<V>(700.0)), splat<V>(-700.0));
    // x = n log 2 + r: the sum with 1.5 · 2^52 rounds to a whole number and keeps it in the low bits.
    constexpr double round = 6755399441055744.0, log2 = 0.6931471805599453, high = 0.693147180369123816490,
                     low = 1.90821492927058770002e-10;
    const V turned = x * (1 / log2) + round, n = turned - round;
    const V r = (x - n * high) - n * low;
    V sum = splat<V>(1.0 / 6227020800.0);
    constexpr double terms[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5,         1.0,
                                1.0};
    LEARNT_UNROLL for (int t = 0; t < 13; ++t) sum = sum * r + terms[t];
    I whole, base;
    const V zero = splat<V>(round);
    __builtin_memcpy(&whole, &turned, sizeof whole);
    __builtin_memcpy(&base, &zero, sizeof base);
    const I exponent = (1023 + (whole - base)) << 52;
    V power;
    __builtin_memcpy(&power, &exponent, sizeof power);
    return sum * power;
}

// e^x, moved into the range of numbers that have one; relative error below 2e-7 for floats, 1e-15 for doubles.
template <class Real>
LEARNT_INLINE Vector<Real> exp_real(Vector<Real> x) {
    if constexpr (sizeof(Real) == 8) {
        return exp_of(x);
    } else {
        using V = Vector<float>;
        using I = Vector<int32_t>;
        x = larger(smaller(x, splat<V>(87.0f)), splat<V>(-87.0f));
        constexpr float round = 12582912.0f;  // 1.5 · 2^23: the sum rounds to a whole number and keeps it in the low bits
        const V turned = x * 1.44269504f + round, n = turned - round;
        const V r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
        V sum = splat<V>(1.0f / 5040);
        constexpr float terms[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
        LEARNT_UNROLL for (int t = 0; t < 7; ++t) sum = sum * r + terms[t];
        I whole, base;
        const V zero = splat<V>(round);
        __builtin_memcpy(&whole, &turned, sizeof whole);
        __builtin_memcpy(&base, &zero, sizeof base);
        const I exponent = (127 + (whole - base)) << 23;
        V power;
        __builtin_memcpy(&power, &exponent, sizeof power);
        return sum * power;
    }
}

// log(1 + e) for 0 ≤ e ≤ 1, by 2 atanh(s), s = (m − 1) / (m + 1), m = 1 + e or its half.
LEARNT_INLINE Vector<double> log_one_plus(Vector<double> e) {
    using V = Vector<double>;
    const auto large = e > 0.41421356237309503;
    const V s = large ? (e - 1) / (e + 3) : e / (e + 2), q = s * s;
    V sum = splat<V>(1.0 / 21);
    LEARNT_UNROLL for (int t = 19; t > 1; t -= 2) sum = sum * q + 1.0 / t;
    return 2 * s + 2 * s * (q * sum) + (large ? splat<V>(0.6931471805599453) : V{});
}

// log(x) for x ≥ 1 and finite.
LEARNT_INLINE Vector<double> log_from_one(Vector<double> x) {
    using V = Vector<double>;
    using I = Vector<int64_t>;
    I bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const I exponent = (bits >> 52) - 1023;
    const I mantissa = (bits & 0xfffffffffffffLL) | 0x3ff0000000000000LL;
    V m;
    __builtin_memcpy(&m, &mantissa, sizeof m);
    return log_one_plus(m - 1) + __builtin_convertvector(exponent, V) * 0.6931471805599453;
}

// x^power for x ≥ 0, off by less than 2e-5 + power · 1e-6 of itself and the least normal number: for guesses. A logarithm by
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
