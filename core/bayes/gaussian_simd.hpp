// Loops of bayes/gaussian.hpp.

// Sums of `Classes` classes from class c on for the rows in the lanes of a vector.
// With Clean, a row with a NaN gets NaN.
template <bool Clean, int Classes, class Real>
LEARNT_INLINE void sum_curves(const BellCurves &curves, int64_t c, const Real *turned, int64_t stride,
                              Vector<double> (&total)[Classes]) {
    using V = Vector<double>;
    const int64_t k = curves.classes;
    LEARNT_UNROLL for (int h = 0; h < Classes; ++h) total[h] = splat<V>(Clean ? curves.sum[c + h] : 0.0);
    for (int64_t j = 0; j < curves.columns; ++j) {
        const V x = load_double(turned + j * stride);
        const double *mean = curves.mean.data() + j * k + c, *half = curves.half.data() + j * k + c;
        LEARNT_UNROLL for (int h = 0; h < Classes; ++h) {
            const V d = x - mean[h];
            if constexpr (Clean) {
                total[h] -= d * (d * half[h]);
            } else {
                const V term = curves.constant[j * k + c + h] - d * (d * half[h]);
                total[h] += x == x ? term : V{};
            }
        }
    }
}

// Only rows with a NaN take the second sum: the bits of a row do not depend on its neighbours.
template <int Classes, class Real>
LEARNT_INLINE void add_curves(const BellCurves &curves, int64_t c, const Real *turned, int64_t stride, int64_t rows,
                              double *out, int64_t out_stride) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    V total[Classes];
    sum_curves<true>(curves, c, turned, stride, total);
    const Vector<int64_t> known = total[0] == total[0];
    bool all = true;
    LEARNT_UNROLL for (int l = 0; l < lanes; ++l) all &= known[l] != 0;
    if (!all) {
        V part[Classes];
        sum_curves<false>(curves, c, turned, stride, part);
        LEARNT_UNROLL for (int h = 0; h < Classes; ++h) total[h] = known ? total[h] : part[h];
    }
    LEARNT_UNROLL for (int h = 0; h < Classes; ++h) {
        double *const to = out + (c + h) * out_stride;
        if (rows == lanes) {
            store(to, load<V>(to) + total[h]);
        } else {
            double lane[lanes];
            store(lane, total[h]);
            for (int64_t r = 0; r < rows; ++r) to[r] += lane[r];
        }
    }
}

template <class Real>
void gaussian_block(Matrix<const Real> x, const BellCurves &curves, Range rows, Real *turned, double *out, Job &job) {
    constexpr int64_t wide = lanes_of<Real>, lanes = lanes_of<double>;
    const int64_t k = curves.classes;
    int64_t steps = 0;
    for (int64_t first = rows.first; first < rows.last; first += wide) {
        if ((++steps & 255) == 0) job.check();
        const int64_t count = std::min(wide, rows.last - first);
        turn_rows<Real>(x, first, count, Range{0, x.columns}, nullptr, turned, wide);
        for (int64_t at = 0; at < count; at += lanes) {
            const int64_t use = std::min(lanes, count - at);
            const Real *cells = turned + at;
            double *to = out + first + at;
            int64_t c = 0;
            for (; c + 4 <= k; c += 4) add_curves<4>(curves, c, cells, wide, use, to, x.rows);
            if (k - c == 3) add_curves<3>(curves, c, cells, wide, use, to, x.rows);
            if (k - c == 2) add_curves<2>(curves, c, cells, wide, use, to, x.rows);
            if (k - c == 1) add_curves<1>(curves, c, cells, wide, use, to, x.rows);
        }
    }
}
