// Loops of neural/product.hpp.

// Where vector v of a run of panels begins, panels lying `panel` apart.
template <class Real>
LEARNT_INLINE constexpr int64_t place_of(int v, int64_t panel) {
    return v * lanes_of<Real> / panel_width * panel + v * lanes_of<Real> % panel_width;
}

// R rows and V vectors of outputs, held in registers.
template <int R, int V, class Real>
LEARNT_INLINE void add_tile(Steps<Real> a, const Real *const (&b)[V], int64_t b_step, int64_t steps, Sums<Real> c) {
    using Vec = Vector<Real>;
    Vec sum[R][V];
    LEARNT_UNROLL for (int r = 0; r < R; ++r)
        LEARNT_UNROLL for (int v = 0; v < V; ++v) sum[r][v] = load<Vec>(c.data + r * c.row + place_of<Real>(v, c.panel));
    const Real *at = a.data;
    for (int64_t t = 0; t < steps; ++t) {
        Vec weight[V];
        LEARNT_UNROLL for (int v = 0; v < V; ++v) weight[v] = load<Vec>(b[v] + t * b_step);
        LEARNT_UNROLL for (int r = 0; r < R; ++r) {
            const Real x = at[r * a.row];
            LEARNT_UNROLL for (int v = 0; v < V; ++v) sum[r][v] += x * weight[v];
        }
        at += a.step;
    }
    LEARNT_UNROLL for (int r = 0; r < R; ++r)
        LEARNT_UNROLL for (int v = 0; v < V; ++v) store(c.data + r * c.row + place_of<Real>(v, c.panel), sum[r][v]);
}

template <int V, class Real>
LEARNT_INLINE void add_rows(Steps<Real> a, const Real *const (&b)[V], int64_t b_step, int64_t rows, int64_t steps, Sums<Real> c) {
    constexpr int most = Bytes == 64 ? 8 : 4;  // 16 of 32 registers hold sums, or 8 of 16
    int64_t r = 0;
    const auto from = [&](int64_t row) { return Steps<Real>{a.data + row * a.row, a.row, a.step}; };
    for (; r + most <= rows; r += most) add_tile<most, V>(from(r), b, b_step, steps, c.from_row(r));
    if (most > 4 && r + 4 <= rows) add_tile<4, V>(from(r), b, b_step, steps, c.from_row(r)), r += 4;
    if (r + 2 <= rows) add_tile<2, V>(from(r), b, b_step, steps, c.from_row(r)), r += 2;
    if (r < rows) add_tile<1, V>(from(r), b, b_step, steps, c.from_row(r));
}

template <class Real>
void add_product(Steps<Real> a, Steps<Real> b, int64_t rows, int64_t steps, int64_t columns, Sums<Real> c) {
    constexpr int lanes = lanes_of<Real>;
    constexpr int64_t block = 512;  // terms of two vectors of weights that stay in a cache while rows pass
    const auto weights = [&](int64_t column, int64_t first) {
        return b.data + column / panel_width * b.row + column % panel_width + first * b.step;
    };
    for (int64_t first = 0; first < steps; first += block) {
        const int64_t count = std::min(block, steps - first);
        const Steps<Real> part{a.data + first * a.step, a.row, a.step};
        for (int64_t o = 0; o < columns; o += 2 * lanes) {
            if (o + lanes < columns) {
                const Real *const two[2] = {weights(o, first), weights(o + lanes, first)};
                add_rows(part, two, b.step, rows, count, c.from_column(o));
            } else {
                const Real *const one[1] = {weights(o, first)};
                add_rows(part, one, b.step, rows, count, c.from_column(o));
            }
        }
    }
}
