// Loops of graphical/hmm_sums.hpp, compiled once per instruction set.

// Rows [from, to) of a tile: what the states of a row and of the one before it have in common, four states at a time.
inline void add_pairs(const double *alpha, const double *ahead, int64_t rows, int64_t k, int64_t padded, double *pairs) {
    using D = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    for (int64_t i = 0; i < k; i += 4) {
        // Padded states have no share, so that reading them past k adds nothing; rows of pairs end at k.
        const int64_t last = std::min<int64_t>(4, k - i);
        for (int64_t v = 0; v < padded; v += lanes) {
            D sum[4]{};
            for (int64_t t = 0; t < rows; ++t) {
                const D z = load<D>(ahead + t * padded + v);
                LEARNT_UNROLL for (int e = 0; e < 4; ++e) sum[e] += alpha[t * padded + i + e] * z;
            }
            for (int64_t e = 0; e < last; ++e) {
                double *to = pairs + (i + e) * padded + v;
                store(to, load<D>(to) + sum[e]);
            }
        }
    }
}

// Sums of one column of numbers: 1, d and d², by state.
inline void add_moments(const StateCells &in, int64_t first, int64_t rows, int64_t j, const double *mean,
                        const double *share, int64_t padded, int64_t apart, double *to) {
    using D = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    for (int64_t v = 0; v < padded; v += lanes) {
        const D centre = load<D>(mean + v);
        D none{}, one{}, two{};
        for (int64_t t = 0; t < rows; ++t) {
            const double x = in.x(first + t, j);
            if (!(x == x)) continue;
            const D g = load<D>(share + t * padded + v), d = x - centre, gd = g * d;
            none += g;
            one += gd;
            two += gd * d;
        }
        store(to + v, load<D>(to + v) + none);
        store(to + apart + v, load<D>(to + apart + v) + one);
        store(to + 2 * apart + v, load<D>(to + 2 * apart + v) + two);
    }
}

inline void sum_block(const StateCells &in, const StateColumns &c, const StateWalk &walk, const StateChain &chain,
                      const StateShares &shares, Range block, double *posterior, double *slot, Job &job) {
    using D = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    constexpr int64_t tile = 128;
    const int64_t k = chain.states, padded = chain.padded;
    const Buffer<double> share(tile * padded), ahead(tile * padded);
    int64_t s = std::upper_bound(walk.offsets, walk.offsets + walk.sequences + 1, block.first) - walk.offsets - 1;
    double *moments = slot ? slot + k * padded : nullptr;
    double *counts = slot ? moments + 3 * c.numbers * padded : nullptr;
    double *tables = slot ? counts + 2 * c.counted * padded : nullptr;
    double *starts = slot ? tables + c.rows_of_tables * padded : nullptr;
    for (int64_t first = block.first; first < block.last; first += tile) {
        job.check();
        const int64_t rows = std::min(tile, block.last - first);
        for (int64_t t = 0; t < rows; ++t) {
            const int64_t row = first + t;
            while (row >= walk.offsets[s + 1]) ++s;
            const bool begins = row == walk.offsets[s];
            const double w = walk.weights ? walk.weights[s] : 1.0;
            const double *a = shares.alpha + row * padded, *z = shares.beta + row * padded, *b = walk.b + row * padded;
            D sum{};
            for (int64_t v = 0; v < padded; v += lanes) sum += load<D>(a + v) * load<D>(z + v);
            const double by = 1 / sum_lanes(sum), of_pair = begins ? 0.0 : by * w * shares.scale[row];
            for (int64_t v = 0; v < padded; v += lanes) {
                const D later = load<D>(z + v), g = load<D>(a + v) * later * by;
                store(share.data() + t * padded + v, g * w);
                store(ahead.data() + t * padded + v, load<D>(b + v) * later * of_pair);
                if (slot && begins) store(starts + v, load<D>(starts + v) + g * w);
            }
            if (posterior)
                for (int64_t e = 0; e < k; ++e) posterior[row * k + e] = a[e] * z[e] * by;
        }
        if (!slot) continue;
        const int64_t skipped = first == 0;  // the first row of all has none before it
        add_pairs(shares.alpha + (first + skipped - 1) * padded, ahead.data() + skipped * padded, rows - skipped, k, padded,
                  slot);
        for (int64_t j = 0; j < c.numbers; ++j)
            add_moments(in, first, rows, j, c.mean.data() + j * padded, share.data(), padded, c.numbers * padded,
                        moments + j * padded);
        for (int64_t j = 0; j < c.counted; ++j)
            for (int64_t t = 0; t < rows; ++t) {
                const double y = in.y(first + t, j);
                if (!(y == y)) continue;
                for (int64_t v = 0; v < padded; v += lanes) {
                    const D g = load<D>(share.data() + t * padded + v);
                    double *none = counts + j * padded + v, *one = none + c.counted * padded;
                    store(none, load<D>(none) + g);
                    store(one, load<D>(one) + g * y);
                }
            }
        for (int64_t m = 0; m < c.coded; ++m)
            for (int64_t t = 0; t < rows; ++t) {
                const int64_t code = in.codes[(first + t) * c.coded + m];
                if (code < 0 || code >= c.first[m + 1] - c.first[m]) continue;
                double *to = tables + (c.first[m] + code) * padded;
                for (int64_t v = 0; v < padded; v += lanes)
                    store(to + v, load<D>(to + v) + load<D>(share.data() + t * padded + v));
            }
    }
}
