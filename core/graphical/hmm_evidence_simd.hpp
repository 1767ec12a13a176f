// Loops of graphical/hmm_evidence.hpp, compiled once per instruction set.

LEARNT_INLINE double largest_lane(Vector<double> v) {
    double lane[lanes_of<double>];
    store(lane, v);
    LEARNT_UNROLL for (int half = lanes_of<double> / 2; half > 0; half /= 2)
        LEARNT_UNROLL for (int l = 0; l < half; ++l) lane[l] = lane[l] > lane[l + half] ? lane[l] : lane[l + half];
    return lane[0];
}

// One row of l to exp(l − top); returns top.
LEARNT_INLINE double scale_row(const double *l, int64_t padded, double *b) {
    using D = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    constexpr double none = -std::numeric_limits<double>::infinity();
    D high = load<D>(l);
    for (int64_t v = lanes; v < padded; v += lanes) high = larger(high, load<D>(l + v));
    const double top = largest_lane(high);
    if (!(top > none)) {
        for (int64_t v = 0; v < padded; v += lanes) store(b + v, D{});
        return 0;
    }
    for (int64_t v = 0; v < padded; v += lanes) {
        const D here = load<D>(l + v);
        store(b + v, here > splat<D>(none) ? exp_of(here - top) : D{});
    }
    return top;
}

inline void scale_rows(const double *l, Range rows, int64_t padded, double *b, double *top, Job &job) {
    for (int64_t i = rows.first; i < rows.last; ++i) {
        if (i % 1024 == 0) job.check();
        top[i] = scale_row(l + i * padded, padded, b + i * padded);
    }
}

inline void evidence_rows(const StateCells &in, const StateColumns &c, Range rows, bool add, double *out, double *top,
                          Job &job) {
    using D = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const int64_t padded = c.padded;
    // No cell, however far off, makes a state impossible that its column allows.
    const D lowest = splat<D>(-1e290);
    for (int64_t i = rows.first; i < rows.last; ++i) {
        if (i % 1024 == 0) job.check();
        double *l = out + i * padded;
        for (int64_t v = 0; v < padded; v += lanes) {
            D sum{};
            for (int64_t j = 0; j < c.numbers; ++j) {
                const double x = in.x(i, j);
                if (!(x == x)) continue;
                const int64_t at = j * padded + v;
                const D d = x - load<D>(c.mean.data() + at);
                sum += load<D>(c.constant.data() + at) - load<D>(c.half.data() + at) * d * d;
            }
            D whole = larger(sum, lowest) + load<D>(c.base.data() + v);
            for (int64_t j = 0; j < c.counted; ++j) {
                const double y = in.y(i, j);
                if (!(y == y)) continue;
                const int64_t at = j * padded + v;
                whole -= load<D>(c.rate.data() + at);
                if (y > 0) whole += y * load<D>(c.log_rate.data() + at);
            }
            for (int64_t m = 0; m < c.coded; ++m) {
                const int64_t code = in.codes[i * c.coded + m], start = c.first[m];
                if (code < 0 || code >= c.first[m + 1] - start) continue;
                whole += load<D>(c.tables.data() + (start + code) * padded + v);
            }
            store(l + v, add ? whole + load<D>(l + v) : whole);
        }
        if (top) top[i] = scale_row(l, padded, l);
    }
}
