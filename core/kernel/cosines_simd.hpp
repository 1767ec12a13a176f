// Cosines of a row of numbers; see kernel/cosines.hpp.

// cos(x) for |x| up to a million: x = nπ + r, |r| ≤ π/2, and cos(x) = (−1)^n cos(r) by its series.
LEARNT_INLINE Vector<double> cos_of(Vector<double> x) {
    using V = Vector<double>;
    using I = Vector<int64_t>;
    // The sum with 1.5 · 2^52 rounds to a whole number and keeps it in the low bits. π in three parts: the products of n
    // with the first two have no rounding.
    constexpr double round = 6755399441055744.0, pi = 3.141592653589793, first = 3.14159265346825122833,
                     second = 1.21542010126079319532e-10, third = 4.04453249759190126308e-21;
    const V turned = x * (1 / pi) + round, n = turned - round;
    const V r = ((x - n * first) - n * second) - n * third, q = r * r;
    constexpr double terms[] = {-1 / 1.1240007277776077e21, 1 / 2.43290200817664e18, -1 / 6.402373705728e15, 1 / 2.0922789888e13,
                                -1 / 87178291200.0,         1 / 479001600.0,         -1 / 3628800.0,         1 / 40320.0,
                                -1 / 720.0,                 1 / 24.0,                -0.5,                   1.0};
    V sum = splat<V>(1 / 6.204484017332394e23);
    LEARNT_UNROLL for (int t = 0; t < 12; ++t) sum = sum * q + terms[t];
    I whole, bits;
    __builtin_memcpy(&whole, &turned, sizeof whole);
    __builtin_memcpy(&bits, &sum, sizeof bits);
    bits ^= whole << 63;
    __builtin_memcpy(&sum, &bits, sizeof sum);
    return sum;
}

inline void cosines_of_row(double *values, int64_t k, const double *phase, double scale) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    constexpr double large = 1e6;
    for (int64_t j = 0; j < k; j += lanes) {
        const int64_t count = std::min<int64_t>(lanes, k - j);
        double cells[lanes] = {}, found[lanes];
        for (int64_t l = 0; l < count; ++l) cells[l] = values[j + l] + phase[j + l];
        store(found, cos_of(load<V>(cells)));
        for (int64_t l = 0; l < count; ++l) {
            if (!(std::abs(cells[l]) <= large)) found[l] = std::cos(cells[l]);
            values[j + l] = scale * found[l];
        }
    }
}
