// Loops of table/linear.hpp.

// Contiguous rows one after the other, in the order of memory: reading four rows side by side, which saves
// loads of the coefficients, halves what memory delivers. A row's sum is made in the same order wherever it stands.
template <class Real>
void predict_rows(RowTile<Real> x, int64_t count, int64_t p, const double *coef, double intercept, double *out) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    for (int64_t i = 0; i < count; ++i) {
        const Real *row = x.row(i);
        V sum[4] = {};
        int64_t j = 0;
        for (; j + 4 * lanes <= p; j += 4 * lanes)
            LEARNT_UNROLL for (int h = 0; h < 4; ++h)
                sum[h] += load_double(row + j + h * lanes) * load<V>(coef + j + h * lanes);
        for (; j + lanes <= p; j += lanes) sum[0] += load_double(row + j) * load<V>(coef + j);
        double total = sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3]));
        for (; j < p; ++j) total += static_cast<double>(row[j]) * coef[j];
        out[i] = intercept + total;
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
