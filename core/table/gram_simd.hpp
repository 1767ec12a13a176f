// Loops of table/gram.hpp.

// Panel width W and how many panels the register tile spans: 24 + 4 of 32 registers, 12 + 4 of 16, 8 of 16.
inline constexpr int gram_lanes = lanes_of<double>, gram_panel = Bytes == 64 ? 8 : 4, gram_span = Bytes == 16 ? 1 : 3;

// Panels [first, last) of rows [row, row + count): out[(panel − first)·stride + i·W + column].
template <class Real>
void pack_panels(const GramInput<Real> &in, int64_t row, int64_t count, Range panels, double *out, int64_t stride) {
    using V = Vector<double>;
    constexpr int W = gram_panel, L = gram_lanes;
    const int64_t p = in.x.columns;
    const int64_t whole = in.x.column_stride == 1 ? std::clamp(p / W, panels.first, panels.last) : panels.first;
    for (int64_t i = 0; i < count; ++i) {
        const double root = in.weights ? std::sqrt(in.weights[row + i]) : 1.0;
        const Real *x = in.x.row(row + i);
        double *to = out + i * W;
        for (int64_t b = panels.first; b < whole; ++b, to += stride)
            LEARNT_UNROLL for (int c = 0; c < W; c += L)
                store(to + c, (load_double(x + b * W + c) - load<V>(in.shift + b * W + c)) * root);
        for (int64_t b = whole; b < panels.last; ++b, to += stride)
            for (int c = 0; c < W; ++c) {
                const int64_t j = b * W + c;
                double z = 0;
                if (j < p)
                    z = static_cast<double>(x[j * in.x.column_stride]) - in.shift[j];
                else if (j == p)
                    z = in.y ? in.y[row + i] - in.shift[p] : 0.0;
                else if (j == p + 1)
                    z = 1;
                to[c] = z * root;
            }
    }
}

// c += aᵀ b for one panel a and `Panels` panels b of `count` rows each.
template <int Panels>
LEARNT_INLINE void multiply_tile(const double *a, const double *b, int64_t stride, int64_t count, double *c,
                                 int64_t ld) {
    using V = Vector<double>;
    constexpr int W = gram_panel, L = gram_lanes, P = W / L;
    V sum[W][Panels * P] = {};
    for (int64_t i = 0; i < count; ++i) {
        V right[Panels * P];
        LEARNT_UNROLL for (int q = 0; q < Panels * P; ++q)
            right[q] = load<V>(b + (q / P) * stride + i * W + (q % P) * L);
        LEARNT_UNROLL for (int r = 0; r < W; ++r) {
            const V left = splat<V>(a[i * W + r]);
            LEARNT_UNROLL for (int q = 0; q < Panels * P; ++q) sum[r][q] += left * right[q];
        }
    }
    LEARNT_UNROLL for (int r = 0; r < W; ++r)
        LEARNT_UNROLL for (int q = 0; q < Panels * P; ++q) {
            double *to = c + r * ld + q * L;
            store(to, load<V>(to) + sum[r][q]);
        }
}

// c += aᵀ b for panel a = left and panels b in `right`; c points at the column of panel 0.
inline void multiply_panels(const double *packed, int64_t stride, int64_t count, int64_t left, Range right, double *c,
                            int64_t ld) {
    for (int64_t b = right.first; b < right.last;) {
        const int64_t rest = right.last - b, parts = (rest + gram_span - 1) / gram_span;
        const int64_t now = (rest + parts - 1) / parts;  // 7 panels go as 3 + 2 + 2, not 3 + 3 + 1
        const auto multiply = [&](auto panels) __attribute__((always_inline)) {
            multiply_tile<panels()>(packed + left * stride, packed + b * stride, stride, count, c + b * gram_panel, ld);
        };
        if constexpr (gram_span == 3)
            with_constant<3, 2, 1>(static_cast<int>(now), multiply);
        else
            multiply(std::integral_constant<int, 1>{});
        b += now;
    }
}

// One block of rows into its slot, tile by tile.
template <class Real>
void gram_block(const GramInput<Real> &in, Range rows, int64_t tile, double *packed, double *slot, Job &job) {
    constexpr int W = gram_panel;
    const int64_t panels = round_up(in.x.columns + 2, W) / W, ld = panels * W;
    for (int64_t row = rows.first; row < rows.last; row += tile) {
        job.check();
        const int64_t count = std::min(tile, rows.last - row);
        pack_panels(in, row, count, {0, panels}, packed, tile * W);
        for (int64_t a = 0; a < panels; ++a)
            multiply_panels(packed, tile * W, count, a, {a, panels}, slot + a * W * ld, ld);
    }
}
