// Rows turned into columns; see base/tile.hpp.

// As many rows as a vector has lanes, turned so that vectors run across rows:
//   out[(j − columns.first)·stride + r] = x(first + r, j) − shift[j],   j in columns, r in [0, lanes)
// shift may be null. Past `count` the last row is repeated.
template <class Real>
LEARNT_INLINE void turn_rows(Matrix<const Real> x, int64_t first, int64_t count, Range columns, const Real *shift,
                             Real *out, int64_t stride) {
    using V = Vector<Real>;
    constexpr int lanes = lanes_of<Real>;
    out -= columns.first * stride;
    if (count >= lanes && x.row_stride == 1) {
        for (int64_t j = columns.first; j < columns.last; ++j)
            store(out + j * stride, shift ? load<V>(&x(first, j)) - shift[j] : load<V>(&x(first, j)));
        return;
    }
    // Squares of at most 32 bytes: with 64 (sixteen floats), distances to one centre took half as long again.
    constexpr int side = std::min(Bytes, 32) / static_cast<int>(sizeof(Real));
    using Half = Vector<Real, side * static_cast<int>(sizeof(Real))>;
    // A row shorter than a square is loaded together with the start of the next one, if there is a next one.
    const bool inside =
        columns.size() >= side ||
        (x.row_stride >= x.columns && columns.size() * 2 > side &&
         (first + lanes - 1) * x.row_stride + columns.first + side <= (x.rows - 1) * x.row_stride + x.columns);
    if (count >= lanes && x.column_stride == 1 && inside) {
        // The rows after these are fetched in the order of memory, a square's worth of lines per square: left
        // alone, the processor sees as many short runs as there are rows and fetches none of them ahead.
        constexpr int64_t line = 64 / sizeof(Real);
        for (int64_t part = 0; part < lanes; part += side) {
            const Real *next = x.row(first + part + lanes);
            for (int64_t start = columns.first; start < columns.last; start += side) {
                // The last square is moved back to end with the columns and writes some of them again.
                const int64_t j = std::max(columns.first, std::min(start, columns.last - side));
                Half square[side];
                const Real *from = x.row(first + part) + j, *ahead = next + (start - columns.first) * line;
                LEARNT_UNROLL for (int r = 0; r < side; ++r) {
                    square[r] = load<Half>(from);
                    __builtin_prefetch(ahead + r * line);
                    from += x.row_stride;
                    asm("" : "+r"(from));  // one pointer that steps, not as many as there are rows, all spilled
                }
                transpose_square(square);
                Real *to = out + j * stride + part;
                const int64_t used = columns.last - j;
                LEARNT_UNROLL for (int c = 0; c < side; ++c) {
                    if (c >= used) break;
                    store(to, shift ? square[c] - shift[j + c] : square[c]);
                    to += stride;
                    asm("" : "+r"(to));
                }
            }
        }
        return;
    }
    for (int64_t j = columns.first; j < columns.last; ++j)
        for (int64_t r = 0; r < lanes; ++r)
            out[j * stride + r] = x(first + std::min(r, count - 1), j) - (shift ? shift[j] : Real{0});
}
