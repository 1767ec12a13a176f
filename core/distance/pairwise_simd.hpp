// Lanes of rows of y; see distance/pairwise.hpp.

template <Norm norm, bool weighted, class Real>
void pairwise_rows(const Measure &measure, const Real *x, Range rows, const Real *y, Range tile, int64_t m, int64_t p,
                   double *out, Job &job) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>, abreast = 4, width = abreast * lanes;
    const int64_t count = tile.size(), padded = round_up(count, width);
    const Buffer<double> turned(padded * p), row(p);
    for (int64_t r = 0; r < padded; ++r)
        for (int64_t j = 0; j < p; ++j)
            turned[j * padded + r] = static_cast<double>(y[(tile.first + std::min(r, count - 1)) * p + j]);
    int64_t work = 0;
    for (int64_t i = rows.first; i < rows.last; ++i) {
        if ((work += p * padded) > 1 << 16) job.check(), work = 0;
        for (int64_t j = 0; j < p; ++j) row[j] = static_cast<double>(x[i * p + j]);
        for (int64_t first = 0; first < count; first += width) {
            V sum[abreast] = {};
            for (int64_t j = 0; j < p; ++j) {
                const double *cells = turned.data() + j * padded + first;
                LEARNT_UNROLL for (int a = 0; a < abreast; ++a) {
                    V term = vector_term<norm>(measure, row[j] - load<V>(cells + a * lanes));
                    if constexpr (weighted) term = unfused_vector(term * measure.weights[j]);
                    sum[a] = norm == Norm::max ? larger(sum[a], term) : sum[a] + term;
                }
            }
            double sums[width];
            LEARNT_UNROLL for (int a = 0; a < abreast; ++a) store(sums + a * lanes, sum[a]);
            double *const to = out + i * m + tile.first + first;
            for (int64_t l = 0; l < std::min<int64_t>(width, count - first); ++l) to[l] = root_of<norm>(measure, sums[l]);
        }
    }
}

// Powers that are not whole, one at a time: they cost far more than to fetch what is raised.
template <class Real>
void pairwise_powers(const Measure &measure, const Real *x, Range rows, const Real *y, Range tile, int64_t m, int64_t p,
                     double *out, Job &job) {
    for (int64_t i = rows.first; i < rows.last; ++i)
        for (int64_t k = tile.first; k < tile.last; ++k) {
            if (k % 16 == 0) job.check();
            double sum = 0;
            for (int64_t j = 0; j < p; ++j) {
                const double d = static_cast<double>(x[i * p + j]) - static_cast<double>(y[k * p + j]);
                sum += unfused(term_of<Norm::lp>(measure, d, measure.weight(j)));
            }
            out[i * m + k] = root_of<Norm::lp>(measure, sum);
        }
}

template <class Real>
void pairwise_block(const Measure &measure, const Real *x, Range rows, const Real *y, Range tile, int64_t m, int64_t p,
                    double *out, Job &job) {
    if (measure.norm == Norm::lp && measure.whole == 0) return pairwise_powers(measure, x, rows, y, tile, m, p, out, job);
    with_constant<0, 1, 2, 3, 4>(static_cast<int>(measure.norm), [&](auto norm) __attribute__((always_inline)) {
        if (measure.weights)
            pairwise_rows<static_cast<Norm>(norm()), true>(measure, x, rows, y, tile, m, p, out, job);
        else
            pairwise_rows<static_cast<Norm>(norm()), false>(measure, x, rows, y, tile, m, p, out, job);
    });
}
