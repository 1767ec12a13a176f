// Loops of graphical/hmm_chain.hpp, compiled once per instruction set.

// out = x M for k rows of M, times `by` where it is given, by blocks of vectors that stay in registers; two sums each, to
// hide the latency.
template <int V>
LEARNT_INLINE void multiply_block(const double *x, const double *m, int64_t k, int64_t padded, const double *by,
                                  double *out) {
    using D = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    D even[V], odd[V];
    LEARNT_UNROLL for (int v = 0; v < V; ++v) even[v] = odd[v] = D{};
    int64_t i = 0;
    for (; i + 1 < k; i += 2) {
        LEARNT_UNROLL for (int v = 0; v < V; ++v) {
            even[v] += x[i] * load<D>(m + i * padded + v * lanes);
            odd[v] += x[i + 1] * load<D>(m + (i + 1) * padded + v * lanes);
        }
    }
    if (i < k) LEARNT_UNROLL for (int v = 0; v < V; ++v) even[v] += x[i] * load<D>(m + i * padded + v * lanes);
    LEARNT_UNROLL for (int v = 0; v < V; ++v) {
        const D sum = even[v] + odd[v];
        store(out + v * lanes, by ? sum * load<D>(by + v * lanes) : sum);
    }
}
LEARNT_INLINE void multiply(const double *x, const double *m, int64_t k, int64_t padded, const double *by, double *out) {
    constexpr int lanes = lanes_of<double>;
    int64_t v = 0;
    for (; v + 4 * lanes <= padded; v += 4 * lanes) multiply_block<4>(x, m + v, k, padded, by ? by + v : by, out + v);
    for (; v + 2 * lanes <= padded; v += 2 * lanes) multiply_block<2>(x, m + v, k, padded, by ? by + v : by, out + v);
    for (; v < padded; v += lanes) multiply_block<1>(x, m + v, k, padded, by ? by + v : by, out + v);
}

LEARNT_INLINE double sum_row(const double *x, int64_t padded) {
    using D = Vector<double>;
    D sum{};
    for (int64_t v = 0; v < padded; v += lanes_of<double>) sum += load<D>(x + v);
    return sum_lanes(sum);
}
LEARNT_INLINE void scale_up(double *x, int64_t padded, double by) {
    using D = Vector<double>;
    for (int64_t v = 0; v < padded; v += lanes_of<double>) store(x + v, load<D>(x + v) * by);
}

// Whether a share is lost that belongs to something possible.
LEARNT_INLINE bool any_faint(Vector<double> product, Vector<double> left, Vector<double> right) {
    using D = Vector<double>;
    const D one = splat<D>(1.0);
    const D bad = ((product < faint_share) & (left > 0.0) & (right > 0.0)) ? one : D{};
    return sum_lanes(bad) > 0;
}

inline void walk_forward(const StateWalk &walk, const StateChain &chain, int64_t s, const StateShares &out, uint8_t *lost,
                         Job &job) {
    using D = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const int64_t padded = chain.padded, begin = walk.offsets[s], end = walk.offsets[s + 1];
    // Dividing takes longer than all else: where nothing can be lost and nobody reads alpha itself, every fourth row will do.
    const int64_t period = out.beta && !chain.guarded ? 4 : 1;
    double product = 1, logs = 0;
    for (int64_t t = begin; t < end; ++t) {
        if (t % 1024 == 0) job.check();
        const double *b = walk.b + t * padded;
        double *a = out.alpha + t * padded;
        logs += walk.top[t];
        if (t > begin && !chain.guarded) {
            multiply(a - padded, chain.forward.data(), chain.states, padded, b, a);
        } else {
            if (t > begin) multiply(a - padded, chain.forward.data(), chain.states, padded, nullptr, a);
            const double *from = t > begin ? a : chain.start.data();
            for (int64_t v = 0; v < padded; v += lanes) {
                const D before = load<D>(from + v), here = load<D>(b + v), now = before * here;
                if (any_faint(now, before, here)) *lost = 1;
                store(a + v, now);
            }
            if (*lost) return;
        }
        if (t > begin && (t - begin) % period != 0 && t + 1 != end) {
            out.scale[t] = 1;
            continue;
        }
        const double total = sum_row(a, padded);
        if (!(total > 0)) {
            int64_t first = std::max(begin, t - period + 1);
            while (sum_row(out.alpha + first * padded, padded) > 0) ++first;
            out.impossible[s] = first;
            out.log_likelihood[s] = -std::numeric_limits<double>::infinity();
            return;
        }
        scale_up(a, padded, out.scale[t] = 1 / total);
        product *= total;
        if (product < 1e-100) {
            logs += std::log(product);
            product = 1;
        }
    }
    out.log_likelihood[s] = logs + std::log(product);
}

inline void walk_backward(const StateWalk &walk, const StateChain &chain, int64_t s, const StateShares &out, uint8_t *lost,
                          Job &job) {
    using D = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const int64_t padded = chain.padded, begin = walk.offsets[s], end = walk.offsets[s + 1];
    if (begin == end) return;
    const int64_t period = chain.guarded ? 1 : 4;
    const Buffer<double> ahead(padded);
    for (int64_t k = 0; k < padded; ++k) out.beta[(end - 1) * padded + k] = k < chain.states ? 1.0 : 0.0;
    for (int64_t t = end - 1; t > begin; --t) {
        if (t % 1024 == 0) job.check();
        const double *b = walk.b + t * padded;
        double *z = out.beta + t * padded;
        for (int64_t v = 0; v < padded; v += lanes) {
            const D later = load<D>(z + v), here = load<D>(b + v), now = later * here;
            if (chain.guarded && any_faint(now, later, here)) *lost = 1;
            store(ahead.data() + v, now);
        }
        if (*lost) return;
        multiply(ahead.data(), chain.backward.data(), chain.states, padded, nullptr, z - padded);
        if ((t - begin) % period != 0) continue;
        const double total = sum_row(z - padded, padded);
        if (!(total > 0)) return;  // the walk forward tells where
        scale_up(z - padded, padded, 1 / total);
        if (chain.guarded)
            for (int64_t v = 0; v < padded; v += lanes) {
                const D now = load<D>(z - padded + v);
                if (any_faint(now, now, now)) *lost = 1;
            }
    }
}

// out = max_i (x_i + M_i), as multiply with sums for products and the larger for sums.
template <int V>
LEARNT_INLINE void best_block(const double *x, const double *m, int64_t k, int64_t padded, double *out) {
    using D = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    D even[V], odd[V];
    LEARNT_UNROLL for (int v = 0; v < V; ++v) even[v] = odd[v] = x[0] + load<D>(m + v * lanes);
    int64_t i = 1;
    for (; i + 1 < k; i += 2) {
        LEARNT_UNROLL for (int v = 0; v < V; ++v) {
            even[v] = larger(even[v], x[i] + load<D>(m + i * padded + v * lanes));
            odd[v] = larger(odd[v], x[i + 1] + load<D>(m + (i + 1) * padded + v * lanes));
        }
    }
    if (i < k) LEARNT_UNROLL for (int v = 0; v < V; ++v) even[v] = larger(even[v], x[i] + load<D>(m + i * padded + v * lanes));
    LEARNT_UNROLL for (int v = 0; v < V; ++v) store(out + v * lanes, larger(even[v], odd[v]) + load<D>(out + v * lanes));
}

inline void best_path(double *l, int64_t n, int64_t k, int64_t padded, const double *start, const double *onwards,
                      const double *back, int32_t *path, double *log_probability, Job &job) {
    using D = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    *log_probability = 0;
    if (n == 0) return;
    for (int64_t v = 0; v < padded; v += lanes) store(l + v, load<D>(l + v) + load<D>(start + v));
    for (int64_t t = 1; t < n; ++t) {
        if (t % 1024 == 0) job.check();
        const double *before = l + (t - 1) * padded;
        double *here = l + t * padded;
        int64_t v = 0;
        for (; v + 4 * lanes <= padded; v += 4 * lanes) best_block<4>(before, onwards + v, k, padded, here + v);
        for (; v + 2 * lanes <= padded; v += 2 * lanes) best_block<2>(before, onwards + v, k, padded, here + v);
        for (; v < padded; v += lanes) best_block<1>(before, onwards + v, k, padded, here + v);
    }
    const double *row = nullptr;  // what leads to the state that is known already; nothing at the end
    for (int64_t t = n - 1; t >= 0; --t) {
        if (t % 1024 == 0) job.check();
        const double *here = l + t * padded;
        int32_t best = 0;
        double most = here[0] + (row ? row[0] : 0.0);
        for (int64_t i = 1; i < k; ++i) {
            const double value = here[i] + (row ? row[i] : 0.0);
            best = value > most ? static_cast<int32_t>(i) : best;
            most = value > most ? value : most;
        }
        path[t] = best;
        if (t == n - 1) *log_probability = most;
        row = back + best * padded;
    }
}
