// Loops of table/project.hpp.

// Rows of a register tile: 8 × 3 sums of 32 registers, 4 × 3 of 16.
inline constexpr int project_rows_at_once = Bytes == 64 ? 8 : 4;

// Rows [row, row + count) less the shift, one after the other.
template <class Real>
void shift_rows(const ProjectInput<Real> &in, int64_t row, int64_t count, double *out) {
    using V = Vector<double>;
    constexpr int L = lanes_of<double>;
    const int64_t p = in.x.columns, stride = in.x.column_stride;
    if (stride == 1) {
        for (int64_t i = 0; i < count; ++i) {
            const Real *x = in.x.row(row + i);
            double *to = out + i * p;
            int64_t j = 0;
            for (; j + L <= p; j += L) store(to + j, load_double(x + j) - load<V>(in.shift + j));
            for (; j < p; ++j) to[j] = static_cast<double>(x[j]) - in.shift[j];
        }
        return;
    }
    constexpr int64_t strip = 8;  // columns at a time: reads run down columns, writes fill whole cache lines
    for (int64_t from = 0; from < p; from += strip)
        for (int64_t i = 0; i < count; ++i)
            for (int64_t j = from; j < std::min(from + strip, p); ++j)
                out[i * p + j] = static_cast<double>(in.x(row + i, j)) - in.shift[j];
}

// `Rows` rows times `Vectors` vectors of directions.
template <int Rows, int Vectors>
LEARNT_INLINE void project_tile(const double *x, int64_t p, const double *panel, double *out, int64_t ld,
                                int64_t directions) {
    using V = Vector<double>;
    constexpr int L = lanes_of<double>;
    V sum[Rows][Vectors] = {};
    for (int64_t j = 0; j < p; ++j) {
        V weight[Vectors];
        LEARNT_UNROLL for (int v = 0; v < Vectors; ++v) weight[v] = load<V>(panel + (j * Vectors + v) * L);
        LEARNT_UNROLL for (int r = 0; r < Rows; ++r) {
            const V cell = splat<V>(x[r * p + j]);
            LEARNT_UNROLL for (int v = 0; v < Vectors; ++v) sum[r][v] += cell * weight[v];
        }
    }
    LEARNT_UNROLL for (int r = 0; r < Rows; ++r) {
        LEARNT_UNROLL for (int v = 0; v < Vectors; ++v) {
            const int64_t left = directions - v * L;
            double *to = out + r * ld + v * L;
            if (left >= L) {
                store(to, sum[r][v]);
            } else {
                double some[L];
                store(some, sum[r][v]);
                std::copy_n(some, std::max<int64_t>(left, 0), to);
            }
        }
    }
}

// One block of rows, tile by tile.
template <class Real>
void project_block(const ProjectInput<Real> &in, Range rows, int64_t tile, double *shifted, double *out, Job &job) {
    constexpr int L = lanes_of<double>, R = project_rows_at_once;
    const int64_t p = in.x.columns, k = in.directions, vectors = round_up(k, L) / L;
    for (int64_t row = rows.first; row < rows.last; row += tile) {
        job.check();
        const int64_t count = std::min(tile, rows.last - row);
        shift_rows(in, row, count, shifted);
        const double *panel = in.panels;
        for (int64_t first = 0; first < vectors; first += 3) {
            const int64_t now = std::min<int64_t>(3, vectors - first), from = first * L;
            const auto project = [&](auto wide) __attribute__((always_inline)) {
                int64_t i = 0;
                for (; i + R <= count; i += R)
                    project_tile<R, wide()>(shifted + i * p, p, panel, out + (row + i) * k + from, k, k - from);
                for (; i < count; ++i)
                    project_tile<1, wide()>(shifted + i * p, p, panel, out + (row + i) * k + from, k, k - from);
            };
            with_constant<3, 2, 1>(static_cast<int>(now), project);
            panel += p * now * L;
            if (p * now > (1 << 14)) job.check();
        }
    }
}
