// Loops of linear.hpp.

// Contiguous rows, four at a time; a row's sum is made in the same order wherever the row stands.
template <class Real>
void predict_rows(RowTile<Real> x, int64_t count, int64_t p, const double *coef, double intercept, double *out) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const int64_t whole = p / lanes * lanes;
    for (int64_t i = 0; i < count; i += 4) {
        const Real *row[4];
        LEARNT_UNROLL for (int r = 0; r < 4; ++r) row[r] = x.row(std::min(i + r, count - 1));
        V sum[4] = {};
        for (int64_t j = 0; j < whole; j += lanes) {
            const V c = load<V>(coef + j);
            LEARNT_UNROLL for (int r = 0; r < 4; ++r) sum[r] += load_double(row[r] + j) * c;
        }
        double total[4];
        LEARNT_UNROLL for (int r = 0; r < 4; ++r) total[r] = sum_lanes(sum[r]);
        for (int64_t j = whole; j < p; ++j)
            LEARNT_UNROLL for (int r = 0; r < 4; ++r) total[r] += static_cast<double>(row[r][j]) * coef[j];
        for (int r = 0; r < std::min<int64_t>(4, count - i); ++r) out[i + r] = intercept + total[r];
    }
}

// Contiguous columns: vectors of rows, columns added one after the other.
template <class Real>
void predict_columns(Matrix<const Real> x, Range rows, const double *coef, double intercept, double *out) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const int64_t whole = rows.first + rows.size() / lanes * lanes;
    std::fill(out + rows.first, out + rows.last, 0.0);
    for (int64_t j = 0; j < x.columns; ++j) {
        const Real *column = &x(0, j);
        for (int64_t i = rows.first; i < whole; i += lanes)
            store(out + i, load<V>(out + i) + load_double(column + i) * coef[j]);
        for (int64_t i = whole; i < rows.last; ++i) out[i] += static_cast<double>(column[i]) * coef[j];
    }
    for (int64_t i = rows.first; i < rows.last; ++i) out[i] += intercept;
}
