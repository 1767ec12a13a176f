// Loops of table/moments_by_class.hpp.

// Sums of a tile's columns over listed rows; see TileSums of table/moments_simd.hpp. Narrow tables have one short vector.
struct ListedSums {
    static constexpr int lanes = lanes_of<double>;
    alignas(64) double sum[moments_columns + lanes], mean[moments_columns + lanes], deviation[moments_columns + lanes];
    int64_t columns, whole, vectors;

    LEARNT_INLINE explicit ListedSums(int64_t p)
        : columns(p), whole(p / lanes * lanes), vectors((p + lanes - 1) / lanes) {}

    LEARNT_INLINE int64_t from(int64_t v) const { return std::min(v * lanes, columns - lanes); }
    LEARNT_INLINE int64_t place(int64_t j) const { return j < whole || columns < lanes ? j : whole + j - (columns - lanes); }

    template <bool Weighted, int Rows, class Real>
    LEARNT_INLINE void add_rows(const Real *const *row, const double *weights) {
        using V = Vector<double>;
        for (int64_t v = 0; v < vectors; ++v) {
            V total = load<V>(sum + v * lanes);
            LEARNT_UNROLL for (int r = 0; r < Rows; ++r) {
                const V x = load_double(row[r] + from(v));
                total += Weighted ? x * weights[r] : x;
            }
            store(sum + v * lanes, total);
        }
    }

    template <bool Weighted, int Rows, class Real>
    LEARNT_INLINE void add_deviations(const Real *const *row, const double *weights) {
        using V = Vector<double>;
        for (int64_t v = 0; v < vectors; ++v) {
            const V center = load<V>(mean + v * lanes);
            V total = load<V>(deviation + v * lanes);
            LEARNT_UNROLL for (int r = 0; r < Rows; ++r) {
                const V d = load_double(row[r] + from(v)) - center;
                total += d * (Weighted ? d * weights[r] : d);
            }
            store(deviation + v * lanes, total);
        }
    }
};

// step(rows, weights, how many) over the listed rows, four at a time and then one by one.
template <bool Weighted, class Real, class Four, class One>
LEARNT_INLINE void each_listed(RowTile<Real> tile, const double *weights, const int32_t *list, int64_t count, Four four,
                               One one) {
    constexpr int64_t together = 4;
    int64_t i = 0;
    for (; i + together <= count; i += together) {
        const Real *row[together];
        double w[together];
        LEARNT_UNROLL for (int r = 0; r < together; ++r) {
            row[r] = tile.row(list[i + r]);
            w[r] = Weighted ? weights[list[i + r]] : 1.0;
        }
        four(row, w);
    }
    for (; i < count; ++i) {
        const Real *row = tile.row(list[i]);
        const double w = Weighted ? weights[list[i]] : 1.0;
        one(&row, &w);
    }
}

// The rows of one class in one tile. `column` and `kept` hold the cells and weights of a column that has cells
// which are not finite.
template <bool Weighted, class Real>
LEARNT_INLINE void add_listed(RowTile<Real> tile, int64_t p, const double *weights, const int32_t *list, int64_t count,
                              ColumnMoments *moments, Real *column, double *kept) {
    ListedSums s(p);
    const int64_t size = s.vectors * ListedSums::lanes;
    std::fill_n(s.sum, size, 0.0);
    std::fill_n(s.deviation, size, 0.0);
    double weight = Weighted ? 0.0 : static_cast<double>(count);
    if constexpr (Weighted)
        for (int64_t i = 0; i < count; ++i) weight += weights[list[i]];
    const double share = weight == 0 ? 0.0 : 1 / weight;
    if (p >= ListedSums::lanes) {
        each_listed<Weighted>(
            tile, weights, list, count,
            [&](const Real *const *row, const double *w) { s.template add_rows<Weighted, 4>(row, w); },
            [&](const Real *const *row, const double *w) { s.template add_rows<Weighted, 1>(row, w); });
        for (int64_t e = 0; e < size; ++e) s.mean[e] = s.sum[e] * share;
        each_listed<Weighted>(
            tile, weights, list, count,
            [&](const Real *const *row, const double *w) { s.template add_deviations<Weighted, 4>(row, w); },
            [&](const Real *const *row, const double *w) { s.template add_deviations<Weighted, 1>(row, w); });
    } else {
        const auto narrow = [&](auto step) {
            for (int64_t i = 0; i < count; ++i) {
                const Real *row = tile.row(list[i]);
                const double w = Weighted ? weights[list[i]] : 1.0;
                for (int64_t j = 0; j < p; ++j) step(j, static_cast<double>(row[j]), w);
            }
        };
        narrow([&](int64_t j, double x, double w) { s.sum[j] += Weighted ? x * w : x; });
        for (int64_t e = 0; e < size; ++e) s.mean[e] = s.sum[e] * share;
        narrow([&](int64_t j, double x, double w) {
            const double d = x - s.mean[j];
            s.deviation[j] += d * (Weighted ? d * w : d);
        });
    }
    for (int64_t j = 0; j < p; ++j) {
        const int64_t at = s.place(j);
        ColumnMoments m;
        m.weight = weight, m.mean = s.mean[at], m.deviation = s.deviation[at];
        if (s.sum[at] - s.sum[at] == 0 && !m.blurred()) {
            moments[j].add(m);
        } else {
            for (int64_t i = 0; i < count; ++i) {
                column[i] = tile.row(list[i])[j];
                if constexpr (Weighted) kept[i] = weights[list[i]];
            }
            column_of_tile<false>(ColumnCells<Real>{column, Weighted ? kept : nullptr, count}, moments[j]);
        }
    }
}

// Rows × columns of x into moments[c · x.columns + j], tile by tile.
template <class Real>
void moments_by_class_block(Matrix<const Real> x, const int32_t *codes, const double *weights, Range rows,
                            Range columns, RowsByClass &by_class, ColumnMoments *moments, Real *scratch, double *kept,
                            Job &job) {
    const int64_t p = columns.size(), tile = rows_by_class_tile<Real>(p, by_class.classes);
    const Matrix<const Real> part{&x(0, columns.first), x.rows, p, x.row_stride, x.column_stride};
    constexpr int64_t line = 64 / sizeof(Real);
    for (int64_t first = rows.first; first < rows.last; first += tile) {
        job.check();
        const int64_t count = std::min(tile, rows.last - first);
        by_class.sort(codes, first, count);
        // Listed rows jump about in memory: fetched in its order, the tile comes in at full speed.
        if (x.column_stride == 1)
            for (int64_t i = 0; i < count; ++i)
                for (int64_t j = 0; j < p; j += line) __builtin_prefetch(part.row(first + i) + j, 0, 2);
        const RowTile<Real> cells = row_tile(part, first, count, scratch + tile);
        const double *w = weights ? weights + first : nullptr;
        for (int64_t c = 0; c < by_class.classes; ++c) {
            const Range of = by_class.of(c);
            if (of.size() == 0) continue;
            const int32_t *list = by_class.order.data() + of.first;
            ColumnMoments *to = moments + c * x.columns;
            if (w)
                add_listed<true>(cells, p, w, list, of.size(), to, scratch, kept);
            else
                add_listed<false>(cells, p, w, list, of.size(), to, scratch, kept);
        }
    }
}
