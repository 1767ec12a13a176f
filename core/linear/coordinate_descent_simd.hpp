// Loops of linear/coordinate_descent.hpp: a column against the residual, and off it.

// Σ (x_i − mean) q_i
template <class Real>
void column_dot(const Real *x, double mean, const double *q, int64_t n, double *out) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    V sum[4] = {};
    int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes)
        LEARNT_UNROLL for (int h = 0; h < 4; ++h)
            sum[h] += (load_double(x + i + h * lanes) - mean) * load<V>(q + i + h * lanes);
    double total = sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; i < n; ++i) total += (static_cast<double>(x[i]) - mean) * q[i];
    *out = total;
}

// q_i −= delta (x_i − mean) s_i; where `share` is null, s = 1.
template <class Real>
void column_off(const Real *x, double mean, double delta, const double *share, double *q, int64_t n) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    int64_t i = 0;
    if (share) {
        for (; i + lanes <= n; i += lanes)
            store(q + i, load<V>(q + i) - (load_double(x + i) - mean) * (load<V>(share + i) * delta));
        for (; i < n; ++i) q[i] -= (static_cast<double>(x[i]) - mean) * (share[i] * delta);
    } else {
        for (; i + lanes <= n; i += lanes) store(q + i, load<V>(q + i) - (load_double(x + i) - mean) * delta);
        for (; i < n; ++i) q[i] -= (static_cast<double>(x[i]) - mean) * delta;
    }
}
