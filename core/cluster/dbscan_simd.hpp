// Loops of cluster/dbscan_walk.hpp.

// The rows of a leaf within eps of q, a bit each.
template <Norm norm, class Real>
LEARNT_INLINE uint32_t leaf_hits(const DensityTree<Real> &all, int64_t leaf, const double *q) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>, vectors = 32 / lanes, abreast = vectors < 4 ? vectors : 4;
    const int64_t p = all.tree.p;
    const Real *cells = all.tree.cells.data() + leaf * p * all.width;
    uint32_t found = 0;
    for (int v = 0; v < vectors; v += abreast) {
        V sum[abreast] = {};
        for (int64_t j = 0; j < p; ++j)
            LEARNT_UNROLL for (int a = 0; a < abreast; ++a) {
                const V d = load_double(cells + j * all.width + (v + a) * lanes) - q[j];
                const V term = exact_vector_term<norm>(all.measure, d, j);
                sum[a] = norm == Norm::max ? larger(sum[a], term) : sum[a] + term;
            }
        LEARNT_UNROLL for (int a = 0; a < abreast; ++a)
            found |= static_cast<uint32_t>(lanes_at_most<double>(sum[a], splat<V>(all.bar))) << ((v + a) * lanes);
    }
    return found & all.all_rows(leaf);
}

template <Norm norm, class Real>
void find_hits(const DensityTree<Real> &all, int64_t leaf, const double *q, uint32_t &found) {
    found = leaf_hits<norm>(all, leaf, q);
}

// Adds the weight of the rows within eps of q, leaf by leaf, until there is enough for a core.
template <Norm norm, class Real>
void weigh_near(const DensityTree<Real> &all, const std::vector<int64_t> &near, const double *q, double &weight) {
    for (size_t k = 0; k < near.size() && weight < all.least; ++k)
        weight += all.weight_of(near[k], leaf_hits<norm>(all, near[k], q));
}
