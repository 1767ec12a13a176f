// Four rows at a time against two vectors of rows of a cluster; see cluster/silhouette.hpp.

LEARNT_INLINE Vector<double> root_vector(Vector<double> v) {
#if LEARNT_BYTES == 64
    return _mm512_maskz_sqrt_pd(0xff, v);
#elif LEARNT_BYTES == 32
    return _mm256_sqrt_pd(v);
#else
    for (int l = 0; l < lanes_of<double>; ++l) v[l] = std::sqrt(v[l]);
    return v;
#endif
}

template <Norm norm>
void silhouette_rows(const double *x, Range rows, int64_t p, const TurnedClusters &turned, int64_t k, double *sums,
                     Job &job) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>, abreast = 4;
    const int64_t width = 2 * lanes;
    // As many groups as stay in the nearest cache while all rows of the block meet them.
    const int64_t tile = std::max<int64_t>(1, 2048 / (p * lanes));
    const Buffer<double> four(abreast * p);
    for (int64_t from = 0; from < turned.groups; from += tile) {
        const int64_t to = std::min(turned.groups, from + tile);
        size_t at = 0;
        while (turned.segments[at].last <= from) ++at;
        for (int64_t i = rows.first; i < rows.last; i += abreast) {
            job.check();
            for (int64_t j = 0; j < p; ++j)
                for (int a = 0; a < abreast; ++a) four[j * abreast + a] = x[std::min(i + a, rows.last - 1) * p + j];
            for (size_t s = at; s < turned.segments.size() && turned.segments[s].first < to; ++s) {
                const auto &segment = turned.segments[s];
                V total[abreast] = {};
                for (int64_t g = std::max(from, segment.first); g < std::min(to, segment.last); ++g) {
                    const double *cells = turned.cells.data() + g * width * p, *w = turned.weight.data() + g * width;
                    V sum[abreast][2] = {};
                    for (int64_t j = 0; j < p; ++j, cells += width) {
                        const V y0 = load<V>(cells), y1 = load<V>(cells + lanes);
                        LEARNT_UNROLL for (int a = 0; a < abreast; ++a) {
                            const V q = splat<V>(four[j * abreast + a]);
                            const V d0 = y0 - q, d1 = y1 - q;
                            if constexpr (norm == Norm::l2) {
                                sum[a][0] += d0 * d0, sum[a][1] += d1 * d1;
                            } else if constexpr (norm == Norm::l1) {
                                sum[a][0] += magnitude<double>(d0), sum[a][1] += magnitude<double>(d1);
                            } else {
                                sum[a][0] = larger(sum[a][0], magnitude<double>(d0));
                                sum[a][1] = larger(sum[a][1], magnitude<double>(d1));
                            }
                        }
                    }
                    const V w0 = load<V>(w), w1 = load<V>(w + lanes);
                    LEARNT_UNROLL for (int a = 0; a < abreast; ++a) {
                        if constexpr (norm == Norm::l2)
                            total[a] += w0 * root_vector(sum[a][0]) + w1 * root_vector(sum[a][1]);
                        else
                            total[a] += w0 * sum[a][0] + w1 * sum[a][1];
                    }
                }
                for (int a = 0; a < std::min<int64_t>(abreast, rows.last - i); ++a)
                    sums[(i + a - rows.first) * k + segment.cluster] += sum_lanes(total[a]);
            }
        }
    }
}

inline void silhouette_block(Norm norm, const double *x, Range rows, int64_t p, const TurnedClusters &turned, int64_t k,
                             double *sums, Job &job) {
    if (norm == Norm::l1)
        silhouette_rows<Norm::l1>(x, rows, p, turned, k, sums, job);
    else if (norm == Norm::l2)
        silhouette_rows<Norm::l2>(x, rows, p, turned, k, sums, job);
    else
        silhouette_rows<Norm::max>(x, rows, p, turned, k, sums, job);
}
