// Loops of graphical/hmm_evidence.hpp, compiled once per instruction set.

// Lanes change places with those `h` away. (Comparing lanes one by one became branches, which are guessed wrongly.)
template <int h, class V, int... lane>
LEARNT_INLINE V swapped_lanes(V v, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(v, v, (lane ^ h)...);
}
template <int h = lanes_of<double> / 2>
LEARNT_INLINE double largest_lane(Vector<double> v) {
    v = larger(v, swapped_lanes<h>(v, std::make_integer_sequence<int, lanes_of<double>>{}));
    if constexpr (h > 1)
        return largest_lane<h / 2>(v);
    else
        return v[0];
}

// Rows of l to exp(l − top), the tops of all first: exponentials beside each other hide each other's latency.
LEARNT_INLINE void scale_tile(const double *l, int64_t rows, int64_t padded, double *b, double *top) {
    using D = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    constexpr double none = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < rows; ++i) {
        D high = load<D>(l + i * padded);
        for (int64_t v = lanes; v < padded; v += lanes) high = larger(high, load<D>(l + i * padded + v));
        const double most = largest_lane(high);
        top[i] = most > none ? most : 0.0;
    }
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t v = i * padded; v < (i + 1) * padded; v += lanes) {
            const D here = load<D>(l + v);
            store(b + v, here > splat<D>(none) ? exp_of(here - top[i]) : D{});
        }
}

inline constexpr int64_t evidence_tile = 32;

inline void scale_rows(const double *l, Range rows, int64_t padded, double *b, double *top, Job &job) {
    for (int64_t i = rows.first; i < rows.last; i += evidence_tile) {
        if (i % 1024 == 0) job.check();
        scale_tile(l + i * padded, std::min(evidence_tile, rows.last - i), padded, b + i * padded, top + i);
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
        const int64_t done = (i - rows.first) % evidence_tile + 1;
        if (top && (done == evidence_tile || i + 1 == rows.last)) {
            double *first = out + (i + 1 - done) * padded;
            scale_tile(first, done, padded, first, top + i + 1 - done);
        }
    }
}
