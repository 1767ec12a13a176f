// Lanes of rows kept; see neighbors/instance_based.hpp.

// Distances of the rows of a tile from q; not `wanted` as soon as all of them are larger than `limit`.
inline void instance_tile(const InstanceRows &in, const double *tile, const double *q, double limit, double *sums, bool &wanted) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>, abreast = instances_abreast / lanes;
    const V one = splat<V>(1.0), zero{};
    std::fill_n(sums, instances_abreast, 0.0);
    wanted = false;
    for (int64_t j = 0; j < in.p;) {
        V sum[abreast];
        LEARNT_UNROLL for (int a = 0; a < abreast; ++a) sum[a] = load<V>(sums + a * lanes);
        for (const int64_t stop = std::min(in.p, j + 8); j < stop; ++j) {
            const double *cells = tile + j * instances_abreast;
            const V at = splat<V>(q[j]), weight = splat<V>(in.weight[j]);
            LEARNT_UNROLL for (int a = 0; a < abreast; ++a) {
                const V x = load<V>(cells + a * lanes);
                V d = x == at ? zero : one;
                if (in.range[j] > 0) {
                    d = x - at;
                    d = (d < 0 ? -d : d) / in.range[j];
                    d = d < 1 ? d : one;  // also where a cell is missing
                }
                sum[a] += weight * (in.power == 2 ? d * d : d);
            }
        }
        V least = sum[0];
        LEARNT_UNROLL for (int a = 0; a < abreast; ++a) {
            store(sums + a * lanes, sum[a]);
            least = smaller(least, sum[a]);
        }
        double lane[lanes];
        store(lane, least);
        if (*std::min_element(lane, lane + lanes) > limit) return;
    }
    wanted = true;
}
