// Conjugate gradients for one row; see recommendation/als.hpp.
//
// Passes over the ratings of a row keep the vector and the sums in registers (`vectors` of them; 0 = any number, in
// memory). Sums of so many ratings are made in Real, these in double: an item rated a million times loses nothing.
inline constexpr int64_t ratings_at_once = 256;

// out (width + 1) += Σ_i s_i f_i: `coefficient(i, f_i·z)` is s_i.
template <int vectors, class Real, class Coefficient>
LEARNT_INLINE void add_weighted(const RatingRows<Real> &rows, Range range, const FactorSide<Real> &side, const Real *z,
                                Real z_bias, double *out, Coefficient coefficient) {
    using V = Vector<Real>;
    constexpr int lanes = lanes_of<Real>;
    V held[vectors];
    LEARNT_UNROLL for (int v = 0; v < vectors; ++v) held[v] = load<V>(z + v * lanes);
    for (int64_t from = range.first; from < range.last; from += ratings_at_once) {
        const int64_t until = std::min(from + ratings_at_once, range.last);
        V sums[vectors];
        LEARNT_UNROLL for (int v = 0; v < vectors; ++v) sums[v] = V{};
        Real total = 0;
        for (int64_t i = from; i < until; ++i) {
            if (i + 6 < range.last) {
                const char *ahead = reinterpret_cast<const char *>(side.row(rows.indices[i + 6]));
                LEARNT_UNROLL for (int v = 0; v < vectors * Bytes; v += 64) __builtin_prefetch(ahead + v);
            }
            const Real *y = side.row(rows.indices[i]);
            V part[vectors], product{};
            LEARNT_UNROLL for (int v = 0; v < vectors; ++v) {
                part[v] = load<V>(y + v * lanes);
                product += part[v] * held[v];
            }
            const Real s = coefficient(i, sum_of_lanes(product) + z_bias);
            const V all = splat<V>(s);
            LEARNT_UNROLL for (int v = 0; v < vectors; ++v) sums[v] += all * part[v];
            total += s;
        }
        Real flat[vectors * lanes];
        LEARNT_UNROLL for (int v = 0; v < vectors; ++v) store(flat + v * lanes, sums[v]);
        for (int a = 0; a < vectors * lanes; ++a) out[a] += static_cast<double>(flat[a]);
        out[side.width] += static_cast<double>(total);
    }
}

// The same for vectors of any width; `scratch` holds width numbers.
template <class Real, class Coefficient>
LEARNT_INLINE void add_weighted_wide(const RatingRows<Real> &rows, Range range, const FactorSide<Real> &side, const Real *z,
                                     Real z_bias, Real *scratch, double *out, Coefficient coefficient) {
    using V = Vector<Real>;
    const int64_t k = side.width;
    for (int64_t from = range.first; from < range.last; from += ratings_at_once) {
        std::fill_n(scratch, k, Real{0});
        Real total = 0;
        for (int64_t i = from; i < std::min(from + ratings_at_once, range.last); ++i) {
            const Real *y = side.row(rows.indices[i]);
            const Real s = coefficient(i, dot_padded(y, z, k) + z_bias);
            const V all = splat<V>(s);
            for (int64_t a = 0; a < k; a += lanes_of<Real>)
                store(scratch + a, load<V>(scratch + a) + all * load<V>(y + a));
            total += s;
        }
        for (int64_t a = 0; a < k; ++a) out[a] += static_cast<double>(scratch[a]);
        out[k] += static_cast<double>(total);
    }
}

template <class Real, class Coefficient>
LEARNT_INLINE void pass_ratings(const RatingRows<Real> &rows, int64_t u, const FactorSide<Real> &side, const Real *z,
                                Real z_bias, Real *scratch, double *out, Coefficient coefficient) {
    const Range range{rows.offsets[u], rows.offsets[u + 1]};
    with_constant<1, 2, 3, 4, 6, 8, 0>(static_cast<int>(side.width / lanes_of<Real>), [&](auto vectors) {
        if constexpr (vectors.value == 0)
            add_weighted_wide(rows, range, side, z, z_bias, scratch, out, coefficient);
        else
            add_weighted<vectors.value>(rows, range, side, z, z_bias, out, coefficient);
    });
}

// out += G z over all of the other side; z (width + 1) in doubles, and its first width as Real.
template <class Real>
LEARNT_INLINE void add_whole(const WholeSide<Real> &whole, int64_t k, const Real *z_cast, const double *z, bool biased,
                             Real *scratch, double *out) {
    using V = Vector<Real>;
    with_constant<1, 2, 3, 4, 6, 8, 0>(static_cast<int>(k / lanes_of<Real>), [&](auto vectors) {
        if constexpr (vectors.value == 0) {
            std::fill_n(scratch, k, Real{0});
            for (int64_t a = 0; a < k; ++a) {
                const V all = splat<V>(z_cast[a]);
                for (int64_t b = 0; b < k; b += lanes_of<Real>)
                    store(scratch + b, load<V>(scratch + b) + all * load<V>(whole.gram + a * k + b));
            }
        } else {
            V sums[vectors.value];
            LEARNT_UNROLL for (int v = 0; v < vectors.value; ++v) sums[v] = V{};
            for (int64_t a = 0; a < k; ++a) {
                const V all = splat<V>(z_cast[a]);
                LEARNT_UNROLL for (int v = 0; v < vectors.value; ++v)
                    sums[v] += all * load<V>(whole.gram + a * k + v * lanes_of<Real>);
            }
            LEARNT_UNROLL for (int v = 0; v < vectors.value; ++v) store(scratch + v * lanes_of<Real>, sums[v]);
        }
    });
    for (int64_t a = 0; a < k; ++a) out[a] += static_cast<double>(scratch[a]);
    if (!biased) return;
    for (int64_t a = 0; a < k; ++a) {
        out[a] += whole.sums[a] * z[k];
        out[k] += whole.sums[a] * z[a];
    }
    out[k] += whole.sums[k] * z[k];
}

template <class Real>
void conjugate_row(const RatingRows<Real> &rows, int64_t u, const FactorSide<Real> &side, const WholeSide<Real> *whole,
                   double penalty, int64_t steps, double *scratch, Real *cast, Real *factors, Real *bias, double &left) {
    const int64_t k = side.width, size = bias ? k + 1 : k;
    double *x = scratch, *r = x + k + 1, *p = r + k + 1, *q = p + k + 1, *g = q + k + 1;
    Real *wide = cast + k;
    std::fill_n(scratch, 5 * (k + 1), 0.0);
    for (int64_t a = 0; a < k; ++a) x[a] = static_cast<double>(factors[a]);
    const Real b = bias ? *bias : Real{0};
    if (bias) x[k] = static_cast<double>(b);
    // r = −½ gradient, and the objective, where the row stands.
    double lost = 0;
    pass_ratings(rows, u, side, factors, b, wide, r, [&](int64_t i, Real d) {
        const Real o = side.bias ? side.bias[rows.indices[i]] : Real{0};
        const Real e = rows.values[i] - o - d, w = rows.weights ? rows.weights[i] : Real{1};
        const double squared = static_cast<double>(e) * static_cast<double>(e) * static_cast<double>(w);
        if (!whole) {
            lost += squared;
            return w * e;
        }
        const Real unseen = o + d;
        lost += squared - static_cast<double>(unseen) * static_cast<double>(unseen);
        return w * e + unseen;
    });
    if (whole) {
        add_whole(*whole, k, factors, x, bias != nullptr, wide, g);
        for (int64_t a = 0; a < size; ++a) r[a] -= g[a] + whole->pull[a];
        lost += whole->square + 2 * dot_doubles(x, whole->pull, size) + dot_doubles(x, g, size);
    }
    if (!bias) r[k] = 0;
    for (int64_t a = 0; a < size; ++a) r[a] -= penalty * x[a];
    lost += penalty * dot_doubles(x, x, size);
    double rest = dot_doubles(r, r, size);
    const double enough = rest * 1e-14;
    for (int64_t a = 0; a < size; ++a) p[a] = r[a];
    for (int64_t step = 0; step < steps && rest > enough && rest > 1e-30; ++step) {
        for (int64_t a = 0; a < k; ++a) cast[a] = static_cast<Real>(p[a]);
        std::fill_n(q, k + 1, 0.0);
        pass_ratings(rows, u, side, cast, bias ? static_cast<Real>(p[k]) : Real{0}, wide, q, [&](int64_t i, Real d) {
            const Real w = rows.weights ? rows.weights[i] : Real{1};
            return whole ? (w - Real{1}) * d : w * d;
        });
        if (whole) add_whole(*whole, k, cast, p, bias != nullptr, wide, q);
        if (!bias) q[k] = 0;
        for (int64_t a = 0; a < size; ++a) q[a] += penalty * p[a];
        const double curve = dot_doubles(p, q, size);
        if (!(curve > 0)) break;
        const double length = rest / curve;
        lost -= length * rest;
        for (int64_t a = 0; a < size; ++a) {
            x[a] += length * p[a];
            r[a] -= length * q[a];
        }
        const double now = dot_doubles(r, r, size), share = now / rest;
        rest = now;
        for (int64_t a = 0; a < size; ++a) p[a] = r[a] + share * p[a];
    }
    for (int64_t a = 0; a < k; ++a) factors[a] = static_cast<Real>(x[a]);
    if (bias) *bias = static_cast<Real>(x[k]);
    left = std::max(lost, 0.0);  // a sum of squares, but for rounding
}
