// One candidate against all rows; see cluster/medoids.hpp.

// Bit l is set where a[l] < b[l].
LEARNT_INLINE uint64_t lanes_below(Vector<double> a, Vector<double> b) {
#if LEARNT_BYTES == 64
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
#elif LEARNT_BYTES == 32
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)));
#else
    uint64_t bits = 0;
    for (int l = 0; l < lanes_of<double>; ++l) bits |= static_cast<uint64_t>(a[l] < b[l]) << l;
    return bits;
#endif
}

inline void look_at_candidate(const MedoidState &s, int64_t c, const double *removal, double *change, MedoidSwap &found) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const double *row = s.row(c);
    std::copy_n(removal, s.k, change);
    V added{};
    int64_t o = 0;
    for (; o + lanes <= s.n; o += lanes) {
        const V d = load<V>(row + o), d2 = load<V>(s.to_second + o);
        uint64_t near = lanes_below(d, d2);
        if (!near) continue;  // to rows that have two nearer medoids the candidate means nothing
        const V d1 = load<V>(s.to_nearest + o), w = s.weights ? load<V>(s.weights + o) : splat<V>(1.0);
        added += w * (smaller(d, d1) - d1);
        double part[lanes];
        store(part, w * (larger(d, d1) - d2));
        for (; near; near &= near - 1) {
            const int l = __builtin_ctzll(near);
            change[s.nearest[o + l]] += part[l];
        }
    }
    double all = sum_lanes(added);
    for (; o < s.n; ++o) {
        const double d = row[o], d1 = s.to_nearest[o], d2 = s.to_second[o], w = s.weight(o);
        if (!(d < d2)) continue;
        all += w * (std::min(d, d1) - d1);
        change[s.nearest[o]] += w * (std::max(d, d1) - d2);
    }
    const int64_t best = std::min_element(change, change + s.k) - change;
    found = {change[best] + all, best};
}

inline void gain_of_candidate(const double *row, const double *weights, int64_t n, const double *nearest, double &gain) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    V sum[2] = {};
    int64_t o = 0;
    for (; o + 2 * lanes <= n; o += 2 * lanes)
        LEARNT_UNROLL for (int h = 0; h < 2; ++h) {
            const V d = load<V>(row + o + h * lanes), w = weights ? load<V>(weights + o + h * lanes) : splat<V>(1.0);
            sum[h] += w * (nearest ? larger(load<V>(nearest + o + h * lanes) - d, V{}) : -d);
        }
    gain = sum_lanes(sum[0] + sum[1]);
    for (; o < n; ++o) gain += (weights ? weights[o] : 1.0) * (nearest ? std::max(nearest[o] - row[o], 0.0) : -row[o]);
}
