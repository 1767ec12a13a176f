// Lanes of neighbours; see neighbors/local_fits.hpp. Arrays end with whole vectors, their last lanes weigh 0.

// Σ_i w_i a_i
inline double local_sum(const double *w, const double *a, int64_t padded) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>, abreast = 4;
    V sum[abreast] = {};
    int64_t i = 0;
    for (; i + abreast * lanes <= padded; i += abreast * lanes)
        LEARNT_UNROLL for (int s = 0; s < abreast; ++s) sum[s] += load<V>(w + i + s * lanes) * load<V>(a + i + s * lanes);
    for (; i < padded; i += lanes) sum[0] += load<V>(w + i) * load<V>(a + i);
    return sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

// f of every lane.
template <class F>
LEARNT_INLINE void local_each(double *out, int64_t padded, F f) {
    for (int64_t i = 0; i < padded; i += lanes_of<double>) store(out + i, f(i));
}

// K(u), in place.
inline void local_kernel(LocalKernel kernel, double *u, int64_t count, int64_t padded) {
    using V = Vector<double>;
    const V zero{}, one = splat<V>(1.0);
    switch (kernel) {
        case LocalKernel::uniform: return local_each(u, padded, [&](int64_t) { return one; });
        case LocalKernel::tricube:
            return local_each(u, padded, [&](int64_t i) {
                const V v = load<V>(u + i), rest = larger(one - v * v * v, zero);
                return rest * rest * rest;
            });
        case LocalKernel::epanechnikov:
            return local_each(u, padded, [&](int64_t i) { return larger(one - load<V>(u + i) * load<V>(u + i), zero); });
        case LocalKernel::gaussian:
            for (int64_t i = 0; i < count; ++i) u[i] = std::exp(-2 * u[i] * u[i]);
            return;
        case LocalKernel::inverse:
        case LocalKernel::inverse_square: {
            const double nearest = *std::min_element(u, u + count);
            for (int64_t i = 0; i < count; ++i) {
                const double ratio = nearest > 0 ? nearest / u[i] : u[i] == 0 ? 1.0 : 0.0;
                u[i] = kernel == LocalKernel::inverse ? ratio : ratio * ratio;
            }
        }
    }
}

// The neighbours of one point, side by side.
struct LocalNeighbors {
    int64_t count, padded;
    double h, unit;  // the distance of the last; what coordinates were multiplied with
    Buffer<double> u, share, robust, y, terms;
    std::vector<double> squares, scratch;
    std::vector<int64_t> who, order, last;

    LocalNeighbors(int64_t most, int64_t n_terms)
        : count(0), padded(0), h(0), unit(1), u(most), share(most), robust(most), y(most), terms(most * n_terms), squares(),
          scratch(), who(), order(), last() {}

    // Neighbours in a sorted column.
    void find_run(const LocalRows &rows, const LocalHow &how, double q) {
        const LocalRun run = nearest_run(rows, q, how.reach);
        const double *x = rows.column(0) + run.first;
        count = run.count, padded = round_up(count, lanes_of<double>), h = run.reach.h;
        std::copy_n(rows.y.data() + run.first, count, y.data());
        std::copy_n(how.robust + run.first, count, robust.data());
        if (rows.weighted())
            std::copy_n(rows.weight.data() + run.first, count, share.data());
        else
            std::fill_n(share.data(), count, 1.0);
        for (int64_t k = 0; k < count; ++k) u[k] = std::abs(x[k] - q);
        last.clear();
        int64_t low = 0, high = count;
        while (low < high && u[low] == h) last.push_back(low++);
        while (high > low && u[high - 1] == h) last.push_back(--high);
        const int64_t *number = rows.number.data() + run.first;
        std::sort(last.begin(), last.end(), [&](int64_t a, int64_t b) { return number[a] < number[b]; });
        finish(run.reach.left);
        if (how.terms(rows) > 0)
            for (int64_t k = 0; k < padded; ++k) terms[k] = k < count ? (x[k] - q) * per() : 0.0;
    }

    // Neighbours among rows of several columns.
    void find_all(const LocalRows &rows, const LocalHow &how, const double *q, LocalReach &reach) {
        double largest = 0;
        for (int64_t j = 0; j < rows.p; ++j) largest = std::max(largest, std::abs(q[j]));
        unit = largest > 1e150 ? 1 / largest : 1.0;  // squares of the far away shall not overflow
        squares.assign(static_cast<size_t>(rows.n), 0.0);
        for (int64_t j = 0; j < rows.p; ++j) {
            const double *x = rows.column(j), at = q[j] * unit;
            for (int64_t i = 0; i < rows.n; ++i) {
                const double d = x[i] * unit - at;
                squares[static_cast<size_t>(i)] += d * d;
            }
        }
        if (reach.h < 0) reach = nearest_reach(rows, squares.data(), how.reach, scratch, order);
        who.clear(), last.clear();
        for (int64_t i = 0; i < rows.n; ++i)
            if (squares[static_cast<size_t>(i)] <= reach.h) {
                if (squares[static_cast<size_t>(i)] == reach.h) last.push_back(static_cast<int64_t>(who.size()));
                who.push_back(i);
            }
        count = static_cast<int64_t>(who.size()), padded = round_up(count, lanes_of<double>), h = std::sqrt(reach.h);
        for (int64_t k = 0; k < count; ++k) {
            const auto i = who[static_cast<size_t>(k)];
            u[k] = std::sqrt(squares[static_cast<size_t>(i)]), share[k] = rows.weight_of(i);
            y[k] = rows.y[static_cast<size_t>(i)], robust[k] = how.robust[i];
        }
        finish(reach.left);
        for (size_t s = 0; s < rows.slopes.size() && how.degree > 0; ++s) {
            const double *x = rows.column(rows.slopes[s]), at = q[rows.slopes[s]] * unit;
            double *const f = term(static_cast<int64_t>(s));
            for (int64_t k = 0; k < padded; ++k) f[k] = k < count ? (x[who[static_cast<size_t>(k)]] * unit - at) * per() : 0.0;
        }
    }

    // Equally far rows, in their order, take what is left; distances in units of the last; nothing beyond the end.
    void finish(double left) {
        for (const int64_t k : last) {
            const double whole = share[k];
            share[k] = left <= 1e-9 * whole ? 0.0 : left >= (1 - 1e-9) * whole ? whole : left;
            left -= whole;
        }
        const double scale = per();
        for (int64_t k = 0; k < count; ++k) u[k] *= scale;
        for (int64_t k = count; k < padded; ++k) u[k] = share[k] = robust[k] = y[k] = 0.0;
    }

    double per() const { return h > 0 ? 1 / h : 0.0; }
    double *term(int64_t t) { return terms.data() + t * padded; }

    // Turns u into weights that add up to 1.
    void weigh(LocalKernel kernel) {
        using V = Vector<double>;
        local_kernel(kernel, u.data(), count, padded);
        if (!(local_sum(u.data(), share.data(), padded) > 0))
            std::copy_n(share.data(), padded, u.data());
        else
            local_each(u.data(), padded, [&](int64_t i) { return load<V>(u.data() + i) * load<V>(share.data() + i); });
        double total = local_sum(u.data(), robust.data(), padded);
        if (!(total > 0)) {  // outliers all around: better than nothing
            std::fill_n(robust.data(), padded, 1.0);
            total = local_sum(u.data(), robust.data(), padded);
        }
        const V scale = splat<V>(1 / total);
        local_each(u.data(), padded, [&](int64_t i) { return load<V>(u.data() + i) * load<V>(robust.data() + i) * scale; });
    }
};

inline void local_moments_block(const LocalRows &rows, const LocalHow &how, const double *points, Range some,
                                LocalReach *reaches, double *mean, double *center, double *right, double *square, int64_t t,
                                Job &job) {
    using V = Vector<double>;
    const auto slopes = static_cast<int64_t>(rows.slopes.size());
    LocalNeighbors near(round_up(rows.n, lanes_of<double>), std::max<int64_t>(1, t));
    for (int64_t i = some.first; i < some.last; ++i) {
        job.check();
        if (rows.sorted())
            near.find_run(rows, how, points[i] / 2);
        else
            near.find_all(rows, how, points + i * rows.p, reaches[i]);
        near.weigh(how.kernel);
        double *const w = near.u.data(), *const y = near.y.data(), *const product = near.share.data();
        const int64_t padded = near.padded;
        mean[i] = local_sum(w, y, padded);
        int64_t product_term = slopes;
        for (int64_t a = 0; how.degree == 2 && a < slopes; ++a)
            for (int64_t b = a; b < slopes; ++b) {
                const double *f = near.term(a), *g = near.term(b);
                local_each(near.term(product_term++), padded, [&](int64_t k) { return load<V>(f + k) * load<V>(g + k); });
            }
        const V middle = splat<V>(mean[i]);
        if (t > 0) local_each(y, padded, [&](int64_t k) { return load<V>(y + k) - middle; });
        for (int64_t a = 0; a < t; ++a) {
            double *const f = near.term(a);
            const double at = center[i * t + a] = local_sum(w, f, padded);
            local_each(f, padded, [&](int64_t k) { return load<V>(f + k) - splat<V>(at); });
            local_each(product, padded, [&](int64_t k) { return load<V>(w + k) * load<V>(f + k); });
            right[i * t + a] = local_sum(product, y, padded);
            for (int64_t b = 0; b <= a; ++b)
                square[(i * t + a) * t + b] = square[(i * t + b) * t + a] = local_sum(product, near.term(b), padded);
            if (padded * t > 1 << 16) job.check();
        }
    }
}
