// Loops of cluster/mixture/full.hpp.

// Rows [first, first + count) as columns of doubles, shifted and scaled; the last row is repeated to whole vectors.
template <class Real>
LEARNT_INLINE void turn_and_scale(const MixtureInput<Real> &in, int64_t first, int64_t count, Real *turned, double *z) {
    constexpr int64_t wide = lanes_of<Real>, lanes = lanes_of<double>;
    const int64_t p = in.x.columns;
    for (int64_t r = 0; r < count; r += wide) {
        turn_rows<Real>(in.x, first + r, count - r, {0, p}, nullptr, turned, wide);
        for (int64_t j = 0; j < p; ++j)
            for (int64_t h = 0; h < wide; h += lanes)
                store(z + j * mixture_tile + r + h, (load_double(turned + j * wide + h) - in.shift[j]) * in.scale[j]);
    }
}

// How many vectors of rows a register tile takes next to four outputs: 16 + 4 of 32 registers, 8 + 2 of 16.
inline constexpr int mixture_vectors = Bytes == 64 ? 4 : 2;

// squares[v] += Σ_o (Σ_j root[o][j] d[j])² for `Outputs` outputs that need `columns` columns.
template <int Outputs>
LEARNT_INLINE void add_whitened(const double *root, const double *d, int64_t columns,
                                Vector<double> (&squares)[mixture_vectors]) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    V u[Outputs][mixture_vectors] = {};
    for (int64_t j = 0; j < columns; ++j) {
        V cell[mixture_vectors];
        LEARNT_UNROLL for (int v = 0; v < mixture_vectors; ++v) cell[v] = load<V>(d + j * mixture_tile + v * lanes);
        LEARNT_UNROLL for (int o = 0; o < Outputs; ++o) {
            const V value = splat<V>(root[j * Outputs + o]);
            LEARNT_UNROLL for (int v = 0; v < mixture_vectors; ++v) u[o][v] += value * cell[v];
        }
    }
    LEARNT_UNROLL for (int o = 0; o < Outputs; ++o)
        LEARNT_UNROLL for (int v = 0; v < mixture_vectors; ++v) squares[v] += u[o][v] * u[o][v];
}

// l[r] = offset − ½ |root d_r|² for the rows of a tile. A square beyond 1e300 counts as that.
inline void log_densities(const double *root, const double *d, int64_t p, int64_t rows, double offset, double *l) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    for (int64_t r = 0; r < rows; r += mixture_vectors * lanes) {
        V squares[mixture_vectors] = {};
        const double *values = root;
        int64_t i = 0;
        for (; i + mixture_group <= p; i += mixture_group) {
            add_whitened<4>(values, d + r, i + mixture_group, squares);
            values += mixture_group * (i + mixture_group);
        }
        if (p - i == 3) add_whitened<3>(values, d + r, p, squares);
        if (p - i == 2) add_whitened<2>(values, d + r, p, squares);
        if (p - i == 1) add_whitened<1>(values, d + r, p, squares);
        LEARNT_UNROLL for (int v = 0; v < mixture_vectors; ++v)
            store(l + r + v * lanes, offset - 0.5 * smaller(squares[v], splat<V>(1e300)));
    }
}

// Log densities (k rows of a tile) become shares; log_p gets the logarithm of their sum.
inline void share_rows(double *l, int64_t k, int64_t rows, double *log_p) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    for (int64_t r = 0; r < rows; r += lanes) {
        V most = load<V>(l + r), sum = {};
        for (int64_t c = 1; c < k; ++c) most = larger(most, load<V>(l + c * mixture_tile + r));
        for (int64_t c = 0; c < k; ++c) {
            const V e = exp_minus(most - load<V>(l + c * mixture_tile + r));
            sum += e;
            store(l + c * mixture_tile + r, e);
        }
        store(log_p + r, most + log_from_one(sum));
        const V one = 1 / sum;
        for (int64_t c = 0; c < k; ++c) store(l + c * mixture_tile + r, load<V>(l + c * mixture_tile + r) * one);
    }
}

// sums[a][b] += Σ_r left[a][r] · right[b][r], a below A, b below B, over whole vectors of rows.
template <int A, int B>
LEARNT_INLINE void add_products(const double *left, const double *right, int64_t rows, double *sums, int64_t stride) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    V part[A][B] = {};
    for (int64_t r = 0; r < rows; r += lanes) {
        V b[B];
        LEARNT_UNROLL for (int j = 0; j < B; ++j) b[j] = load<V>(right + j * mixture_tile + r);
        LEARNT_UNROLL for (int i = 0; i < A; ++i) {
            const V a = load<V>(left + i * mixture_tile + r);
            LEARNT_UNROLL for (int j = 0; j < B; ++j) part[i][j] += a * b[j];
        }
    }
    LEARNT_UNROLL for (int from = 0; from < A * B; from += lanes) {
        V square[lanes] = {};
        LEARNT_UNROLL for (int l = 0; l < lanes; ++l)
            if (from + l < A * B) square[l] = part[(from + l) / B][(from + l) % B];
        transpose_square(square);
        LEARNT_UNROLL for (int l = 1; l < lanes; ++l) square[0] += square[l];
        double sum[lanes];
        store(sum, square[0]);
        LEARNT_UNROLL for (int l = 0; l < lanes; ++l)
            if (from + l < A * B) sums[(from + l) / B * stride + (from + l) % B] += sum[l];
    }
}

// sums += the lower triangle of d dᵀ, `size` columns of a tile; some of what lies above it is added too.
inline void add_triangle(const double *d, int64_t size, int64_t rows, double *sums) {
    for (int64_t i = 0; i < size; i += mixture_group)
        with_constant<4, 3, 2, 1>(static_cast<int>(std::min(mixture_group, size - i)),
                                  [&](auto n) __attribute__((always_inline)) {
            const double *left = d + i * mixture_tile;
            for (int64_t j = 0; j < i; j += mixture_group)
                add_products<n(), 4>(left, d + j * mixture_tile, rows, sums + i * size + j, size);
            add_products<n(), n()>(left, left, rows, sums + i * size + i, size);
        });
}

// d = √(w r) [z − mean, 1] of the rows whose share counts, closed up to whole vectors; returns how many rows these are.
inline int64_t weigh_differences(const double *z, const double *mean, int64_t p, const double *share,
                                 const double *weights, int64_t count, double *d) {
    using V = Vector<double>;
    constexpr int64_t lanes = lanes_of<double>;
    constexpr double least = 1e-18;
    int32_t row[mixture_tile];
    int64_t used = 0;
    for (int64_t r = 0; r < count; ++r) {
        row[used] = static_cast<int32_t>(r);
        used += share[r] > least;
    }
    double *root = d + p * mixture_tile;
    const int64_t whole = round_up(used, lanes);
    for (int64_t t = 0; t < used; ++t) root[t] = weights ? share[row[t]] * weights[row[t]] : share[row[t]];
    for (int64_t t = used; t < whole; ++t) root[t] = 0, row[t] = 0;
    for (int64_t t = 0; t < whole; ++t) root[t] = std::sqrt(root[t]);
    const bool all = used == count;
    for (int64_t j = 0; j < p; ++j) {
        const double *from = z + j * mixture_tile;
        double *to = d + j * mixture_tile;
        if (!all)
            for (int64_t t = 0; t < whole; ++t) to[t] = from[row[t]];
        const double *cell = all ? from : to;
        for (int64_t t = 0; t < whole; t += lanes) store(to + t, (load<V>(cell + t) - mean[j]) * load<V>(root + t));
    }
    return whole;
}

// What the caller wants to know of rows [first, first + count), whose shares are l.
inline void answer_rows(const double *l, int64_t k, const double *log_p, int64_t first, int64_t count,
                        const MixtureAnswers &answers) {
    if (answers.log_density) std::copy_n(log_p, count, answers.log_density + first);
    if (answers.shares)
        for (int64_t r = 0; r < count; ++r)
            for (int64_t c = 0; c < k; ++c) answers.shares[(first + r) * k + c] = l[c * mixture_tile + r];
    if (!answers.labels) return;
    for (int64_t r = 0; r < count; ++r) {
        int64_t best = 0;
        for (int64_t c = 1; c < k; ++c)
            if (l[c * mixture_tile + r] > l[best * mixture_tile + r]) best = c;
        answers.labels[first + r] = static_cast<int32_t>(best);
    }
}

template <class Real>
void full_mixture_block(const MixtureInput<Real> &in, const PackedRoots &roots, Range rows,
                        const MixtureAnswers &answers, double *sums, double &total, double *scratch, Job &job) {
    using V = Vector<double>;
    constexpr int64_t lanes = lanes_of<double>, together = mixture_vectors * lanes;
    const int64_t p = in.x.columns, k = in.components;
    double *z = scratch, *d = z + p * mixture_tile, *l = d + (p + 1) * mixture_tile, *turned = l + k * mixture_tile;
    double log_p[mixture_tile];
    for (int64_t first = rows.first; first < rows.last; first += mixture_tile) {
        const int64_t count = std::min(mixture_tile, rows.last - first), padded = round_up(count, together);
        const double *weights = in.weights ? in.weights + first : nullptr;
        turn_and_scale(in, first, count, reinterpret_cast<Real *>(turned), z);
        for (int64_t j = 0; j < p; ++j)
            for (int64_t r = round_up(count, lanes_of<Real>); r < padded; ++r)
                z[j * mixture_tile + r] = z[j * mixture_tile];
        for (int64_t c = 0; c < k; ++c) {
            if (c % 16 == 0) job.check();
            for (int64_t j = 0; j < p; ++j)
                for (int64_t r = 0; r < padded; r += lanes)
                    store(d + j * mixture_tile + r, load<V>(z + j * mixture_tile + r) - in.mean[c * p + j]);
            log_densities(roots.of(c), d, p, padded, in.offset[c], l + c * mixture_tile);
        }
        share_rows(l, k, padded, log_p);
        for (int64_t r = 0; r < count; ++r) {
            const double w = weights ? weights[r] : 1.0;
            if (w > 0) total += w * log_p[r];
        }
        answer_rows(l, k, log_p, first, count, answers);
        if (!sums) continue;
        for (int64_t c = 0; c < k; ++c) {
            if (c % 16 == 0) job.check();
            const int64_t used = weigh_differences(z, in.mean + c * p, p, l + c * mixture_tile, weights, count, d);
            if (used > 0) add_triangle(d, p + 1, used, sums + c * (p + 1) * (p + 1));
        }
    }
}
