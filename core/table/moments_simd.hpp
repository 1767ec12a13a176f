// Loops of table/moments.hpp.

// Cells of one column below each other; weights null for ones.
template <class Real>
struct ColumnCells {
    const Real *x;
    const double *weights;
    int64_t count;

    double weight(int64_t i) const { return weights ? weights[i] : 1.0; }
};

// Sums over as many cells at once as a vector has lanes.
template <bool Clean>
struct CellSums {
    using V = Vector<double>;
    using Count = Vector<int64_t>;

    V weight{}, sum{}, minimum = splat<V>(ColumnMoments::infinity), maximum = splat<V>(-ColumnMoments::infinity);
    Count missing{}, infinite{};

    LEARNT_INLINE CellSums() {}

    LEARNT_INLINE void add(V x, V w) {
        if constexpr (!Clean) {
            const Count number = x == x, finite = x - x == V{};
            missing += 1 + number;  // true is −1
            infinite += finite - number;
            weight += finite ? w : V{};
            minimum = finite ? smaller(x, minimum) : minimum;
            maximum = finite ? larger(x, maximum) : maximum;
            x = finite ? x : V{};
        } else {
            weight += w;
            minimum = smaller(x, minimum);
            maximum = larger(x, maximum);
        }
        sum += x * w;
    }
};

template <bool Clean, class Real>
LEARNT_INLINE double sum_of_squares(ColumnCells<Real> cells, double mean) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    V part[4] = {};
    int64_t i = 0;
    for (; i + 4 * lanes <= cells.count; i += 4 * lanes)
        LEARNT_UNROLL for (int h = 0; h < 4; ++h) {
            const V x = load_double(cells.x + i + h * lanes);
            V d = x - mean;
            if constexpr (!Clean) d = x - x == V{} ? d : V{};
            part[h] += d * (cells.weights ? d * load<V>(cells.weights + i + h * lanes) : d);
        }
    double total = sum_lanes((part[0] + part[1]) + (part[2] + part[3]));
    for (; i < cells.count; ++i) {
        const double x = cells.x[i], d = x - mean;
        if (Clean || x - x == 0) total += d * (d * cells.weight(i));
    }
    return total;
}

// Moments of one column's cells in cache. With Clean, the sum of a column that has NaN or ±∞ is not finite
// and nothing else is of use then.
template <bool Clean, class Real>
LEARNT_INLINE bool column_of_tile(ColumnCells<Real> cells, ColumnMoments &result) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>, ways = 2;
    CellSums<Clean> part[ways];
    int64_t i = 0;
    for (; i + ways * lanes <= cells.count; i += ways * lanes)
        LEARNT_UNROLL for (int h = 0; h < ways; ++h)
            part[h].add(load_double(cells.x + i + h * lanes),
                        cells.weights ? load<V>(cells.weights + i + h * lanes) : splat<V>(1.0));
    ColumnMoments m;
    m.weight = sum_lanes(part[0].weight + part[1].weight);
    double sum = sum_lanes(part[0].sum + part[1].sum);
    double low[lanes], high[lanes];
    store(low, smaller(part[0].minimum, part[1].minimum));
    store(high, larger(part[0].maximum, part[1].maximum));
    for (int l = 0; l < lanes; ++l) m.minimum = std::min(m.minimum, low[l]), m.maximum = std::max(m.maximum, high[l]);
    if constexpr (!Clean) {
        int64_t missing[lanes], infinite[lanes];
        store(missing, part[0].missing + part[1].missing);
        store(infinite, part[0].infinite + part[1].infinite);
        for (int l = 0; l < lanes; ++l) m.missing += missing[l], m.infinite += infinite[l];
    }
    for (; i < cells.count; ++i) {
        const double x = cells.x[i], w = cells.weight(i);
        if (Clean || x - x == 0) {
            m.weight += w;
            sum += x * w;
            m.minimum = std::min(m.minimum, x), m.maximum = std::max(m.maximum, x);
        } else {
            ++(x == x ? m.infinite : m.missing);
        }
    }
    if (Clean && sum - sum != 0) return false;
    if (m.weight != 0) m.mean = sum / m.weight;
    if (m.mean - m.mean != 0) {  // finite cells whose sum is not
        m.mean = 0;
        for (int64_t r = 0; r < cells.count; ++r)
            if (cells.x[r] - cells.x[r] == 0) m.mean += cells.weight(r) / m.weight * cells.x[r];
    }
    m.deviation = sum_of_squares<Clean>(cells, m.mean);
    if (m.weight != 0 && m.blurred()) {  // what the mean lacks is the mean of the differences from it, which are exact
        double rest = 0;
        for (int64_t r = 0; r < cells.count; ++r)
            if (Clean || cells.x[r] - cells.x[r] == 0) rest += cells.weight(r) * (cells.x[r] - m.mean);
        if (rest - rest == 0) {
            m.mean += rest / m.weight;
            m.deviation = sum_of_squares<Clean>(cells, m.mean);
        }
    }
    result.add(m);
    return true;
}

// Sums of a tile's columns while its rows are read one after the other, in the order of memory. The columns
// past the last whole vector have a vector of their own that ends with the last column.
struct TileSums {
    static constexpr int lanes = lanes_of<double>;
    alignas(64) double sum[moments_columns + lanes], minimum[moments_columns + lanes], maximum[moments_columns + lanes],
        mean[moments_columns + lanes], deviation[moments_columns + lanes];
    int64_t columns, whole, vectors;

    LEARNT_INLINE explicit TileSums(int64_t p)
        : columns(p), whole(p / lanes * lanes), vectors((p + lanes - 1) / lanes) {}

    LEARNT_INLINE int64_t from(int64_t v) const { return std::min(v * lanes, columns - lanes); }
    LEARNT_INLINE int64_t place(int64_t j) const { return j < whole ? j : whole + j - (columns - lanes); }

    // `Rows` rows at once: every sum is loaded and stored once for all of them.
    template <bool Weighted, int Rows, class Real>
    LEARNT_INLINE void add_rows(const Real *row, int64_t stride, const double *weights) {
        using V = Vector<double>;
        for (int64_t v = 0; v < vectors; ++v) {
            const int64_t at = v * lanes;
            V total = load<V>(sum + at), low = load<V>(minimum + at), high = load<V>(maximum + at);
            LEARNT_UNROLL for (int r = 0; r < Rows; ++r) {
                const V x = load_double(row + r * stride + from(v));
                total += Weighted ? x * weights[r] : x;
                low = smaller(x, low);
                high = larger(x, high);
            }
            store(sum + at, total), store(minimum + at, low), store(maximum + at, high);
        }
    }

    template <bool Weighted, int Rows, class Real>
    LEARNT_INLINE void add_deviations(const Real *row, int64_t stride, const double *weights) {
        using V = Vector<double>;
        for (int64_t v = 0; v < vectors; ++v) {
            const int64_t at = v * lanes;
            const V center = load<V>(mean + at);
            V total = load<V>(deviation + at);
            LEARNT_UNROLL for (int r = 0; r < Rows; ++r) {
                const V d = load_double(row + r * stride + from(v)) - center;
                total += d * (Weighted ? d * weights[r] : d);
            }
            store(deviation + at, total);
        }
    }
};

// One tile with contiguous rows; `column` holds its rows once, for columns with cells that are not finite or
// far from 0.
// `next` rows after the tile are fetched while it is read the second time, when memory is idle.
template <bool Weighted, class Real>
LEARNT_INLINE void add_tile(Matrix<const Real> tile, int64_t next, const double *weights, ColumnMoments *moments,
                            Real *column) {
    constexpr int64_t line = 64 / sizeof(Real), rows = 4;
    TileSums s(tile.columns);
    const int64_t size = s.vectors * TileSums::lanes, whole = tile.rows / rows * rows;
    std::fill_n(s.sum, size, 0.0);
    std::fill_n(s.deviation, size, 0.0);
    std::fill_n(s.minimum, size, ColumnMoments::infinity);
    std::fill_n(s.maximum, size, -ColumnMoments::infinity);
    double weight = Weighted ? 0.0 : static_cast<double>(tile.rows);
    if constexpr (Weighted)
        for (int64_t i = 0; i < tile.rows; ++i) weight += weights[i];
    for (int64_t i = 0; i < whole; i += rows)
        s.template add_rows<Weighted, rows>(tile.row(i), tile.row_stride, weights + (Weighted ? i : 0));
    for (int64_t i = whole; i < tile.rows; ++i)
        s.template add_rows<Weighted, 1>(tile.row(i), tile.row_stride, weights + (Weighted ? i : 0));
    for (int64_t e = 0; e < size; ++e) s.mean[e] = weight == 0 ? 0.0 : s.sum[e] / weight;
    for (int64_t i = 0; i < whole; i += rows) {
        for (int64_t ahead = i; ahead < std::min(i + rows, next); ++ahead)
            for (int64_t j = 0; j < tile.columns; j += line) __builtin_prefetch(tile.row(tile.rows + ahead) + j, 0, 2);
        s.template add_deviations<Weighted, rows>(tile.row(i), tile.row_stride, weights + (Weighted ? i : 0));
    }
    for (int64_t i = whole; i < tile.rows; ++i)
        s.template add_deviations<Weighted, 1>(tile.row(i), tile.row_stride, weights + (Weighted ? i : 0));
    for (int64_t j = 0; j < tile.columns; ++j) {
        const int64_t at = s.place(j);
        const ColumnMoments m{weight, s.mean[at], s.deviation[at], s.minimum[at], s.maximum[at], 0, 0};
        if (s.sum[at] - s.sum[at] == 0 && !m.blurred()) {
            moments[j].add(m);
        } else {
            for (int64_t i = 0; i < tile.rows; ++i) column[i] = tile(i, j);
            column_of_tile<false>(ColumnCells<Real>{column, weights, tile.rows}, moments[j]);
        }
    }
}

// Rows × columns of x into moments[0 .. columns.size()), tile by tile.
template <class Real>
void moments_block(Matrix<const Real> x, const double *weights, Range rows, Range columns, ColumnMoments *moments,
                   Real *scratch, Job &job) {
    const int64_t p = columns.size();
    const bool across = x.column_stride == 1 && p >= lanes_of<double>, down = !across && x.row_stride == 1;
    // Columns that are runs of memory are read one after the other, in runs long enough to prefetch.
    const int64_t tile = down ? (64 << 10) / static_cast<int64_t>(sizeof(Real)) : moments_rows<Real>(p);
    const int64_t stride = down ? x.column_stride : moments_stride<Real>(p);
    for (int64_t first = rows.first; first < rows.last; first += tile) {
        job.check();
        const int64_t count = std::min(tile, rows.last - first);
        const double *w = weights ? weights + first : nullptr;
        if (across) {
            const Matrix<const Real> part{&x(first, columns.first), count, p, x.row_stride, 1};
            if (w)
                add_tile<true>(part, rows.last - first - count, w, moments, scratch);
            else
                add_tile<false>(part, rows.last - first - count, w, moments, scratch);
            continue;
        }
        if (!down)
            for (int64_t i = 0; i < count; i += lanes_of<Real>)
                turn_rows<Real>(x, first + i, count - i, columns, nullptr, scratch + i, stride);
        const Real *cells = down ? &x(first, columns.first) : scratch;
        for (int64_t j = 0; j < p; ++j) {
            const ColumnCells<Real> column{cells + j * stride, w, count};
            if (!column_of_tile<true>(column, moments[j])) column_of_tile<false>(column, moments[j]);
        }
    }
}
