// Loops of finite.hpp.

// x · 0 is 0 for finite x and NaN otherwise, and a sum keeps NaN: no test per cell.
template <class Real>
bool run_is_finite(const Real *x, int64_t count) {
    using V = Vector<Real>;
    constexpr int lanes = lanes_of<Real>;
    V sum[4] = {};
    int64_t i = 0;
    for (; i + 4 * lanes <= count; i += 4 * lanes)
        LEARNT_UNROLL for (int h = 0; h < 4; ++h) sum[h] += load<V>(x + i + h * lanes) * Real{0};
    Real lane[lanes];
    store(lane, (sum[0] + sum[1]) + (sum[2] + sum[3]));
    Real total = 0;
    for (int l = 0; l < lanes; ++l) total += lane[l];
    for (; i < count; ++i) total += x[i] * Real{0};
    return total == 0;
}

template <class Real>
void runs_are_finite(const Real *x, int64_t runs, int64_t stride, int64_t count, bool &finite) {
    finite = true;
    for (int64_t r = 0; r < runs && finite; ++r) finite = run_is_finite(x + r * stride, count);
}
