// Loops of cluster/linkage/centroids.hpp.

// Lowers `best` to the nearest of one group.
inline void search_group(const Centroids &all, bool ward, int64_t g, const double *q, double n, int64_t skip,
                         NearestCluster &best) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>, vectors = static_cast<int>(group_width) / lanes;
    constexpr int abreast = vectors < 4 ? vectors : 4;  // no more sums than registers
    const double *cells = all.group(g), *sizes = all.sizes(g);
    const int64_t p = all.columns();
    for (int v = 0; v < vectors; v += abreast) {
        V sum[abreast] = {};
        for (int64_t j = 0; j < p; ++j) {
            const V at = splat<V>(q[j]);
            LEARNT_UNROLL for (int a = 0; a < abreast; ++a) {
                const V d = load<V>(cells + j * group_width + (v + a) * lanes) - at;
                sum[a] += unfused_vector(d * d);
            }
        }
        LEARNT_UNROLL for (int a = 0; a < abreast; ++a) {
            const int64_t first = (v + a) * lanes;
            V left = sum[a], right = splat<V>(best.value);
            if (ward) {  // no division: it would cost more than all the rest
                const V size = load<V>(sizes + first);
                left = left * (size * n);
                right = (size + n) * (best.value * (1 + 4e-15));
            }
            uint64_t hits = lanes_at_most<double>(left, right);
            if (!hits) continue;
            double sums[lanes];
            store(sums, sum[a]);
            for (; hits; hits &= hits - 1) {
                const int l = __builtin_ctzll(hits);
                const int64_t slot = g * group_width + first + l, cluster = all.number(slot);
                if (slot == skip || cluster < 0) continue;
                const double value = ward ? unfused(sums[l] * ward_factor(sizes[first + l], n)) : sums[l];
                if (best.farther_than(value, cluster)) best = {value, cluster, slot};
            }
        }
    }
}

// Lowers `best` to the nearest of some groups, passing over those whose boxes are too far and group `own`.
// The first of them is a multiple of 8.
inline void search_groups(const Centroids &all, bool ward, Range some, int64_t own, const double *q, double n, int64_t skip,
                          NearestCluster &best) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const int64_t p = all.columns(), padded = all.padded();
    for (int64_t first = some.first; first < some.last; first += 8) {
        double away[8];
        for (int at = 0; at < 8; at += lanes) {
            V sum{};
            for (int64_t j = 0; j < p; ++j) {
                const int64_t place = j * padded + first + at;
                const V d = larger(larger(load<V>(all.low() + place) - q[j], q[j] - load<V>(all.high() + place)), V{});
                sum += unfused_vector(d * d);
            }
            store(away + at, sum);
        }
        for (int64_t g = first; g < std::min(first + 8, some.last); ++g) {
            const double factor = ward ? ward_factor(all.least()[g], n) * (1 - 4e-15) : 1.0;
            if (g == own || away[g - first] * factor > best.value) continue;
            search_group(all, ward, g, q, n, skip, best);
        }
    }
}

// Distances' squares of all slots of some groups to q; infinite for the dead.
inline void squares_to_groups(const Centroids &all, Range some, const double *q, double *out) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>, vectors = static_cast<int>(group_width) / lanes;
    constexpr int abreast = vectors < 4 ? vectors : 4;
    const int64_t p = all.columns();
    for (int64_t g = some.first; g < some.last; ++g)
        for (int v = 0; v < vectors; v += abreast) {
            V sum[abreast] = {};
            for (int64_t j = 0; j < p; ++j) {
                const V at = splat<V>(q[j]);
                LEARNT_UNROLL for (int a = 0; a < abreast; ++a) {
                    const V d = load<V>(all.group(g) + j * group_width + (v + a) * lanes) - at;
                    sum[a] += unfused_vector(d * d);
                }
            }
            LEARNT_UNROLL for (int a = 0; a < abreast; ++a) store(out + g * group_width + (v + a) * lanes, sum[a]);
        }
}
