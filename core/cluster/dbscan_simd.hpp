// Loops of cluster/dbscan_walk.hpp.

// The rows of a leaf of 32 whose sums of terms are at most `bar`, a bit each.
template <Norm norm, class Real>
void leaf_hits(const Measure &measure, const Real *cells, int64_t p, const double *q, double bar, uint32_t &found) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>, vectors = 32 / lanes, abreast = vectors < 4 ? vectors : 4;
    for (int v = 0; v < vectors; v += abreast) {
        V sum[abreast] = {};
        for (int64_t j = 0; j < p; ++j)
            LEARNT_UNROLL for (int a = 0; a < abreast; ++a) {
                const V d = load_double(cells + j * 32 + (v + a) * lanes) - q[j];
                const V term = exact_vector_term<norm>(measure, d, j);
                sum[a] = norm == Norm::max ? larger(sum[a], term) : sum[a] + term;
            }
        LEARNT_UNROLL for (int a = 0; a < abreast; ++a)
            found |= static_cast<uint32_t>(lanes_at_most<double>(sum[a], splat<V>(bar))) << ((v + a) * lanes);
    }
}
