// Rows as online learners meet them: their product with weights, and a multiple of them added to weights.

LEARNT_INLINE double dot(const double *a, const double *b, int64_t p) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    V sum[2] = {};
    int64_t j = 0;
    for (; j + 2 * lanes <= p; j += 2 * lanes) {
        sum[0] += load<V>(a + j) * load<V>(b + j);
        sum[1] += load<V>(a + j + lanes) * load<V>(b + j + lanes);
    }
    double total = sum_lanes(sum[0] + sum[1]);
    for (; j < p; ++j) total += a[j] * b[j];
    return total;
}

LEARNT_INLINE void add_multiple(double factor, const double *a, double *to, int64_t p) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    int64_t j = 0;
    for (; j + lanes <= p; j += lanes) store(to + j, load<V>(to + j) + factor * load<V>(a + j));
    for (; j < p; ++j) to[j] += factor * a[j];
}

// Asks for every line of memory that [first, last) touches.
template <class T>
LEARNT_INLINE void prefetch_lines(const T *first, const T *last) {
    if (first == last) return;
    const char *const end = reinterpret_cast<const char *>(last) - 1;
    for (const char *at = reinterpret_cast<const char *>(first); at < end; at += 64) __builtin_prefetch(at);
    __builtin_prefetch(end);
}

// A dense row, centred and scaled: z = (x − shift) · scale.
template <class Real>
struct DenseRows {
    static constexpr bool sparse = false;
    Matrix<const Real> x;
    const double *shift, *scale;
    double *z;  // p, of the thread that reads

    int64_t columns() const { return x.columns; }
    void announce(int64_t) const {}
    void prefetch(int64_t i) const {
        if (!x.rows_contiguous()) return;
        prefetch_lines(x.row(i), x.row(i) + std::min<int64_t>(x.columns, 1024 / static_cast<int64_t>(sizeof(Real))));
    }
    LEARNT_INLINE const double *row(int64_t i) const {
        const Real *cells = x.row(i);
        const int64_t p = x.columns;
        if (x.column_stride == 1) {
            using V = Vector<double>;
            constexpr int lanes = lanes_of<double>;
            int64_t j = 0;
            for (; j + lanes <= p; j += lanes)
                store(z + j, (load_double(cells + j) - load<V>(shift + j)) * load<V>(scale + j));
            for (; j < p; ++j) z[j] = (static_cast<double>(cells[j]) - shift[j]) * scale[j];
        } else {
            for (int64_t j = 0; j < p; ++j)
                z[j] = (static_cast<double>(cells[j * x.column_stride]) - shift[j]) * scale[j];
        }
        return z;
    }
    LEARNT_INLINE double times(const double *row, const double *w) const { return dot(row, w, x.columns); }
    LEARNT_INLINE void add(double factor, const double *row, double *w) const { add_multiple(factor, row, w, x.columns); }
    LEARNT_INLINE double square(const double *row) const { return dot(row, row, x.columns); }
    template <class F>
    LEARNT_INLINE void each(const double *, F f) const {
        for (int64_t j = 0; j < x.columns; ++j) f(j);
    }
};

// A sparse row as it is stored. What is taken off each column to centre it is the learner's business: it would
// fill the zeros.
template <class Real>
struct SparseRows {
    static constexpr bool sparse = true;
    Csr<Real> x;

    int64_t columns() const { return x.columns; }
    // Where a row begins is far away in memory too: it is asked for before the row itself.
    void announce(int64_t i) const {
        __builtin_prefetch(x.offset64 ? static_cast<const void *>(x.offset64 + i) : x.offset32 + i);
    }
    void prefetch(int64_t i) const {
        const int64_t first = x.offset(i), last = std::min(x.offset(i + 1), first + 256);
        if (first < 0 || first > last || last > x.stored) return;  // row() will say so
        prefetch_lines(x.value + first, x.value + last);
        prefetch_lines(x.column + first, x.column + last);
    }
    LEARNT_INLINE Range row(int64_t i) const { return x.row(i); }
    LEARNT_INLINE double times(Range row, const double *w) const {
        double sum[2] = {};
        int64_t e = row.first;
        for (; e + 2 <= row.last; e += 2) {
            sum[0] += static_cast<double>(x.value[e]) * w[x.column[e]];
            sum[1] += static_cast<double>(x.value[e + 1]) * w[x.column[e + 1]];
        }
        if (e < row.last) sum[0] += static_cast<double>(x.value[e]) * w[x.column[e]];
        return sum[0] + sum[1];
    }
    LEARNT_INLINE void add(double factor, Range row, double *w) const {
        for (int64_t e = row.first; e < row.last; ++e) w[x.column[e]] += factor * static_cast<double>(x.value[e]);
    }
    LEARNT_INLINE double square(Range row) const {
        double sum = 0;
        for (int64_t e = row.first; e < row.last; ++e)
            sum += static_cast<double>(x.value[e]) * static_cast<double>(x.value[e]);
        return sum;
    }
    template <class F>
    LEARNT_INLINE void each(Range row, F f) const {
        for (int64_t e = row.first; e < row.last; ++e) f(x.column[e]);
    }
};
