// A panel of rows and a few queries; see kernel/kernel.hpp.

// Eight sums at a time hide the latency of fused products on every level.
inline constexpr int panel_vectors = 16 / lanes_of<double>;
inline constexpr int queries_abreast = panel_vectors >= 8 ? 1 : 8 / panel_vectors;

template <KernelKind kind>
LEARNT_INLINE Vector<double> kernel_value(const Kernel &kernel, Vector<double> sum, Vector<double> squares, double square) {
    using V = Vector<double>;
    if constexpr (kind == KernelKind::rbf) {
        const V distance = larger(squares + square - 2 * sum, V{});
        return exp_minus(distance * kernel.gamma);
    } else if constexpr (kind == KernelKind::laplacian || kind == KernelKind::mixed) {
        return exp_minus(sum * kernel.gamma);
    } else if constexpr (kind == KernelKind::polynomial) {
        const V base = sum * kernel.gamma + kernel.constant;
        V value = splat<V>(1.0), power = base;
        for (int64_t d = kernel.degree; d > 0; d /= 2) {
            if (d % 2) value *= power;
            power *= power;
        }
        return value;
    } else if constexpr (kind == KernelKind::sigmoid) {
        const V x = sum * kernel.gamma + kernel.constant, e = exp_minus(2 * magnitude<double>(x));
        const V t = (1 - e) / (1 + e);
        return x < 0 ? -t : t;
    } else if constexpr (kind == KernelKind::cosine) {
        double length[lanes_of<double>], out[lanes_of<double>];
        store(length, squares * square);
        store(out, sum);
        for (int l = 0; l < lanes_of<double>; ++l) out[l] = length[l] > 0 ? out[l] / std::sqrt(length[l]) : 0;
        return load<V>(out);
    } else {
        return sum;
    }
}

// Σ_j d_j of a panel and `count` queries, added to sum[a][v]; see MixedColumns.
template <int count>
LEARNT_INLINE void add_mixed_distances(const MixedColumns &columns, const double *panel, const double *const (&query)[count],
                                       Vector<double> (&sum)[count][panel_vectors]) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const V two = splat<V>(2.0);
    const auto each = [&](int64_t j, auto distance) __attribute__((always_inline)) {
        V cell[panel_vectors];
        LEARNT_UNROLL for (int v = 0; v < panel_vectors; ++v) cell[v] = load<V>(panel + j * panel_rows + v * lanes);
        LEARNT_UNROLL for (int a = 0; a < count; ++a) {
            const V q = splat<V>(query[a][j]);
            LEARNT_UNROLL for (int v = 0; v < panel_vectors; ++v) sum[a][v] += distance(cell[v], q, a, v);
        }
    };
    const auto square = [](V x, V y) __attribute__((always_inline)) { return unfused_vector((x - y) * (x - y)); };
    const auto mismatch = [&](V x, V y) __attribute__((always_inline)) { return x == y ? V{} : two; };
    const auto pair = [&](int64_t j, auto distance) __attribute__((always_inline)) {
        const double *average = panel + (j + 1) * panel_rows;
        each(j, [&](V x, V y, int a, int v) __attribute__((always_inline)) {
            const V own = load<V>(average + v * lanes), other = splat<V>(query[a][j + 1]);
            return x == missing_cell ? other : (y == missing_cell ? own : distance(x, y));
        });
    };
    int64_t j = 0;
    for (int64_t k = 0; k < columns.numbers; ++k, ++j)
        each(j, [&](V x, V y, int, int) __attribute__((always_inline)) { return square(x, y); });
    for (int64_t k = 0; k < columns.gapped_numbers; ++k, j += 2) pair(j, square);
    for (int64_t k = 0; k < columns.codes; ++k, ++j)
        each(j, [&](V x, V y, int, int) __attribute__((always_inline)) { return mismatch(x, y); });
    for (int64_t k = 0; k < columns.gapped_codes; ++k, j += 2) pair(j, mismatch);
}

// k of `count` queries from `first` and a panel, value[a][v].
template <KernelKind kind, int count>
LEARNT_INLINE void kernel_tile(const Kernel &kernel, const double *panel, const double *squares, const QueryRows &queries,
                               int64_t first, Vector<double> (&value)[count][panel_vectors]) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const double *query[count];
    LEARNT_UNROLL for (int a = 0; a < count; ++a) query[a] = queries.row(first + a);
    V sum[count][panel_vectors] = {};
    if constexpr (kind == KernelKind::mixed) add_mixed_distances<count>(kernel.mixed, panel, query, sum);
    const int64_t columns = kind == KernelKind::mixed ? 0 : queries.columns;
    for (int64_t j = 0; j < columns; ++j) {
        V cell[panel_vectors];
        LEARNT_UNROLL for (int v = 0; v < panel_vectors; ++v) cell[v] = load<V>(panel + j * panel_rows + v * lanes);
        LEARNT_UNROLL for (int a = 0; a < count; ++a) {
            const V q = splat<V>(query[a][j]);
            LEARNT_UNROLL for (int v = 0; v < panel_vectors; ++v) {
                if constexpr (kind == KernelKind::laplacian)
                    sum[a][v] += magnitude<double>(cell[v] - q);
                else
                    sum[a][v] += cell[v] * q;
            }
        }
    }
    LEARNT_UNROLL for (int a = 0; a < count; ++a)
        LEARNT_UNROLL for (int v = 0; v < panel_vectors; ++v)
            value[a][v] = kernel_value<kind>(kernel, sum[a][v], load<V>(squares + v * lanes), queries.squares[first + a]);
}

// use(a, query, values) for the queries of a panel, in their order
template <KernelKind kind, class Use>
LEARNT_INLINE void each_query(const Kernel &kernel, const double *panel, const double *squares, const QueryRows &queries,
                              Use use) {
    using V = Vector<double>;
    int64_t q = 0;
    for (; q + queries_abreast <= queries.count; q += queries_abreast) {
        V value[queries_abreast][panel_vectors];
        kernel_tile<kind, queries_abreast>(kernel, panel, squares, queries, q, value);
        LEARNT_UNROLL for (int a = 0; a < queries_abreast; ++a) use(q + a, value[a]);
    }
    for (; q < queries.count; ++q) {
        V value[1][panel_vectors];
        kernel_tile<kind, 1>(kernel, panel, squares, queries, q, value);
        use(q, value[0]);
    }
}

template <KernelKind kind>
void add_sums(const Kernel &kernel, const PackedRows &rows, Range panels, const QueryRows &queries, const double *weights,
              int64_t outputs, double *sums, Job &job) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    std::vector<double> total(static_cast<size_t>(outputs * panel_rows));
    for (int64_t k = panels.first; k < panels.last; ++k) {
        job.check();
        const int64_t first = k * panel_rows, count = std::min(panel_rows, rows.rows - first);
        if (outputs == 1) {
            V sum[panel_vectors] = {};
            each_query<kind>(kernel, rows.panel(k), rows.squares(k), queries,
                             [&](int64_t q, const V(&value)[panel_vectors]) __attribute__((always_inline)) {
                                 const V w = splat<V>(weights[q]);
                                 LEARNT_UNROLL for (int v = 0; v < panel_vectors; ++v) sum[v] += value[v] * w;
                             });
            LEARNT_UNROLL for (int v = 0; v < panel_vectors; ++v) store(total.data() + v * lanes, sum[v]);
            for (int64_t r = 0; r < count; ++r) sums[first + r] += total[static_cast<size_t>(r)];
            continue;
        }
        std::fill(total.begin(), total.end(), 0.0);
        each_query<kind>(kernel, rows.panel(k), rows.squares(k), queries,
                         [&](int64_t q, const V(&value)[panel_vectors]) __attribute__((always_inline)) {
                             for (int64_t m = 0; m < outputs; ++m) {
                                 const double weight = weights[q * outputs + m];
                                 if (weight == 0) continue;
                                 double *to = total.data() + m * panel_rows;
                                 LEARNT_UNROLL for (int v = 0; v < panel_vectors; ++v)
                                     store(to + v * lanes, load<V>(to + v * lanes) + value[v] * weight);
                             }
                         });
        for (int64_t r = 0; r < count; ++r)
            for (int64_t m = 0; m < outputs; ++m)
                sums[(first + r) * outputs + m] += total[static_cast<size_t>(m * panel_rows + r)];
    }
}

template <KernelKind kind>
void write_values(const Kernel &kernel, const PackedRows &rows, Range panels, const QueryRows &queries, double *gram,
                  int64_t stride, Job &job) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    for (int64_t k = panels.first; k < panels.last; ++k) {
        job.check();
        const int64_t first = k * panel_rows, count = std::min(panel_rows, rows.rows - first);
        each_query<kind>(kernel, rows.panel(k), rows.squares(k), queries,
                         [&](int64_t q, const V(&value)[panel_vectors]) __attribute__((always_inline)) {
                             double cells[panel_rows];
                             LEARNT_UNROLL for (int v = 0; v < panel_vectors; ++v) store(cells + v * lanes, value[v]);
                             std::copy_n(cells, count, gram + q * stride + first);
                         });
    }
}

template <class F>
LEARNT_INLINE void with_kind(KernelKind kind, F f) {
    with_constant<0, 1, 2, 3, 4, 5, 6>(static_cast<int>(kind), f);
}

inline void add_sums_of_panels(const Kernel &kernel, const PackedRows &rows, Range panels, const QueryRows &queries,
                               const double *weights, int64_t outputs, double *sums, Job &job) {
    with_kind(kernel.kind, [&](auto kind) __attribute__((always_inline)) {
        add_sums<static_cast<KernelKind>(kind())>(kernel, rows, panels, queries, weights, outputs, sums, job);
    });
}

inline void write_panels(const Kernel &kernel, const PackedRows &rows, Range panels, const QueryRows &queries, double *gram,
                         int64_t stride, Job &job) {
    with_kind(kernel.kind, [&](auto kind) __attribute__((always_inline)) {
        write_values<static_cast<KernelKind>(kind())>(kernel, rows, panels, queries, gram, stride, job);
    });
}
