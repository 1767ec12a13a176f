// Loops of moments.hpp.

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
    result.add(m);
    return true;
}

// Rows × columns of x into moments[0 .. columns.size()), tile by tile.
template <class Real>
void moments_block(Matrix<const Real> x, const double *weights, Range rows, Range columns, ColumnMoments *moments,
                   Real *turned, Job &job) {
    const int64_t tile = moments_rows<Real>(columns.size());
    const bool direct = x.row_stride == 1;
    const int64_t stride = direct ? x.column_stride : moments_stride<Real>(columns.size());
    for (int64_t first = rows.first; first < rows.last; first += tile) {
        job.check();
        const int64_t count = std::min(tile, rows.last - first);
        if (!direct)
            for (int64_t i = 0; i < count; i += lanes_of<Real>)
                turn_rows<Real>(x, first + i, count - i, columns, nullptr, turned + i, stride);
        const Real *cells = direct ? &x(first, columns.first) : turned;
        for (int64_t j = 0; j < columns.size(); ++j) {
            const ColumnCells<Real> column{cells + j * stride, weights ? weights + first : nullptr, count};
            if (!column_of_tile<true>(column, moments[j])) column_of_tile<false>(column, moments[j]);
        }
    }
}
