// Loops of neighbors/mixed.hpp.

// Sums of the probes over a panel of rows; hits has a bit for every row at or below the bar. Every four
// probes it looks whether any row still is.
template <int Power>
LEARNT_INLINE void probe_rows(const int32_t *panel, const MixedProbe *probe, const MixedProbe *end, float bar, uint64_t &hits) {
    using V = Vector<float>;
    using I = Vector<int32_t>;
    constexpr int lanes = lanes_of<float>, vectors = static_cast<int>(mixed_rows) / lanes;
    V sum[vectors] = {};
    const V bars = splat<V>(bar), one = splat<V>(1.0f);
    for (int at = 0;; ++at, ++probe) {
        if (at % 4 == 0 || probe == end) {
            uint64_t below = 0;
            LEARNT_UNROLL for (int v = 0; v < vectors; ++v) below |= lanes_at_most<float>(sum[v], bars) << (v * lanes);
            if (below == 0 || probe == end) {
                hits = below;
                return;
            }
        }
        const int32_t *cells = panel + probe->column * mixed_rows;
        if (probe->kind == MixedProbe::number) {
            const V value = splat<V>(probe->value), weight = splat<V>(probe->weight);
            LEARNT_UNROLL for (int v = 0; v < vectors; ++v) {
                V d = magnitude<float>(load<V>(cells + v * lanes) - value);
                d = d < one ? d : one;  // NaN, a missing cell, becomes 1
                sum[v] += weight * (Power == 2 ? d * d : d);
            }
        } else if (probe->kind == MixedProbe::code) {
            const I same = splat<I>(probe->same), weight = reinterpret_cast<I>(splat<V>(probe->weight));
            LEARNT_UNROLL for (int v = 0; v < vectors; ++v)
                sum[v] += reinterpret_cast<V>(weight & (load<I>(cells + v * lanes) != same));
        } else {
            float added[mixed_rows];
            for (int64_t r = 0; r < mixed_rows; ++r) added[r] = probe->entry[cells[r] + 1];
            LEARNT_UNROLL for (int v = 0; v < vectors; ++v) sum[v] += load<V>(added + v * lanes);
        }
    }
}

inline void probe_panel(const int32_t *panel, const MixedProbe *probe, const MixedProbe *end, int power, float bar, uint64_t &hits) {
    if (power == 2)
        probe_rows<2>(panel, probe, end, bar, hits);
    else
        probe_rows<1>(panel, probe, end, bar, hits);
}
