// Loops of cluster/exchange.hpp.

// distance[c] = |row − mean c|², a few vectors of clusters at a time.
inline void distances_to_means(const double *row, const MovingClusters &clusters) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    for (int64_t first = 0; first < clusters.width;) {
        const int64_t rest = (clusters.width - first) / lanes;
        const int now = rest >= 8 ? 8 : rest >= 4 ? 4 : rest >= 2 ? 2 : 1;
        with_constant<8, 4, 2, 1>(now, [&](auto vectors) __attribute__((always_inline)) {
            constexpr int count = vectors();
            V sum[count] = {};
            const double *mean = clusters.values.data() + first;
            for (int64_t j = 0; j < clusters.p; ++j, mean += clusters.width) {
                const V cell = splat<V>(row[j]);
                LEARNT_UNROLL for (int v = 0; v < count; ++v) {
                    const V d = cell - load<V>(mean + v * lanes);
                    sum[v] += d * d;
                }
            }
            LEARNT_UNROLL for (int v = 0; v < count; ++v) store(clusters.distance.data() + first + v * lanes, sum[v]);
        });
        first += now * lanes;
    }
}

// product[c] = row · sum c
template <class Real>
void products_with_sums(const Csr<Real> &x, Range row, const MovingClusters &clusters, double *product) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    for (int64_t first = 0; first < clusters.width;) {
        const int64_t rest = (clusters.width - first) / lanes;
        const int now = rest >= 8 ? 8 : rest >= 4 ? 4 : rest >= 2 ? 2 : 1;
        with_constant<8, 4, 2, 1>(now, [&](auto vectors) __attribute__((always_inline)) {
            constexpr int count = vectors();
            V sum[count] = {};
            for (int64_t e = row.first; e < row.last; ++e) {
                const V value = splat<V>(static_cast<double>(x.value[e]));
                const double *at = clusters.values.data() + x.column[e] * clusters.width + first;
                LEARNT_UNROLL for (int v = 0; v < count; ++v) sum[v] += value * load<V>(at + v * lanes);
            }
            LEARNT_UNROLL for (int v = 0; v < count; ++v) store(product + first + v * lanes, sum[v]);
        });
        first += now * lanes;
    }
}
