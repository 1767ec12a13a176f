// Loops of neighbors/brute.hpp.

// Guesses of two vectors of rows for `Size` queries; hits[c] has a bit for every row at or below the bar.
//   panel: p × 2·lanes, start: 2·lanes, values: p × Size, worth: p weights of hamming
// A function of its own: it is compiled once for all kinds of rows and answers.
template <Norm norm, int Size, class Guess>
[[gnu::noinline]] void guess_group(const Guess *panel, const Guess *start, int64_t p, const Guess *values, const Guess *bars,
                               const Guess *worth, int power, Guess exponent, uint64_t *hits) {
    using V = Vector<Guess>;
    constexpr int lanes = lanes_of<Guess>;
    V sum[Size][2];
    LEARNT_UNROLL for (int c = 0; c < Size; ++c) {
        sum[c][0] = load<V>(start);
        sum[c][1] = load<V>(start + lanes);
    }
    for (int64_t j = 0; j < p; ++j) {
        const V x[2] = {load<V>(panel + 2 * lanes * j), load<V>(panel + 2 * lanes * j + lanes)};
        // Powers are so much work that their sums may lie in memory: twenty-four copies of them would only fill the cache.
        const auto add = [&](int c) __attribute__((always_inline)) {
            const V value = splat<V>(values[j * Size + c]);
            LEARNT_UNROLL for (int v = 0; v < 2; ++v) {
                if constexpr (norm == Norm::l2) {
                    sum[c][v] += x[v] * value;
                } else if constexpr (norm == Norm::hamming) {
                    const V one = splat<V>(worth[j]);
                    sum[c][v] += reinterpret_cast<V>(reinterpret_cast<Bits<Guess>>(one) & (x[v] != value));
                } else {
                    const V d = magnitude<Guess>(x[v] - value);
                    if constexpr (norm == Norm::l1) sum[c][v] += d;
                    if constexpr (norm == Norm::max) sum[c][v] = larger(sum[c][v], d);
                    if constexpr (norm == Norm::lp) {
                        V term = d;
                        if (power == 0) term = power_guess<Guess>(d, exponent);
                        for (int e = 1; e < power; ++e) term *= d;
                        sum[c][v] += term;
                    }
                }
            }
        };
        if constexpr (norm == Norm::lp)
            LEARNT_ROLLED for (int c = 0; c < Size; ++c) add(c);
        else
            LEARNT_UNROLL for (int c = 0; c < Size; ++c) add(c);
    }
    LEARNT_UNROLL for (int c = 0; c < Size; ++c) {
        const V bar = splat<V>(bars[c]);
        hits[c] = lanes_at_most<Guess>(sum[c][0], bar) | lanes_at_most<Guess>(sum[c][1], bar) << lanes;
    }
}

// Rows [first, first + count) shifted, stretched and turned; past `count` the last row is repeated.
template <class Guess, class Real>
void pack_panel(const BruteRows<Real> &in, int64_t first, int64_t count, double kappa, Guess *__restrict flat,
                Guess *__restrict panel, Guess *__restrict start) {
    using V = Vector<Guess>;
    constexpr int lanes = lanes_of<Guess>;
    const int64_t p = in.p;
    for (int64_t i = 0; i < count; ++i) {
        const Real *x = in.x + (first + i) * p;
        for (int64_t j = 0; j < p; ++j)
            flat[i * p + j] = static_cast<Guess>((static_cast<double>(x[j]) - in.shift[j]) * in.stretch[j]);
    }
    const Matrix<const Guess> rows = row_major<const Guess>(flat, count, p);
    const int64_t second = count > lanes ? lanes : 0;
    turn_rows<Guess>(rows, 0, count, {0, p}, nullptr, panel, 2 * lanes);
    turn_rows<Guess>(rows, second, count - second, {0, p}, nullptr, panel + lanes, 2 * lanes);
    V square[2] = {};
    if (in.measure.norm == Norm::l2)
        for (int64_t j = 0; j < p; ++j)
            LEARNT_UNROLL for (int v = 0; v < 2; ++v) {
                const V a = load<V>(panel + 2 * lanes * j + v * lanes);
                square[v] += a * a;
            }
    LEARNT_UNROLL for (int v = 0; v < 2; ++v)
        store(start + v * lanes, square[v] * static_cast<Guess>(0.5 * (1 - 3.2 * kappa)));
}

template <Norm norm, class Guess>
LEARNT_INLINE void guess_rows(GuessedQueries<Guess> &block, Range rows, bool may_stop, bool &good, const Guess *worth, Guess *flat,
                              Guess *panel, Job &job) {
    constexpr int wide = 2 * lanes_of<Guess>;
    const int power = block.measure.whole;
    const Guess exponent = static_cast<Guess>(block.measure.power);
    Guess start[wide];
    uint64_t hits[12];
    for (int64_t first = rows.first; first < rows.last; first += wide) {
        job.check();
        const int64_t count = std::min<int64_t>(wide, rows.last - first);
        const uint64_t there = ~uint64_t{0} >> (64 - count);
        block.pack(first, count, flat, panel, start);
        for (const QueryGroup<Guess> &group : block.groups)
            with_group_size(group.size, [&](auto size) __attribute__((always_inline)) {
                guess_group<norm, size()>(panel, start, block.p, group.values, group.bars, worth, power, exponent, hits);
                for (int c = 0; c < size(); ++c)
                    if (const uint64_t found = hits[c] & there) [[unlikely]] block.pass(group.first + c, first, found);
            });
        if (may_stop && !block.worth_it(first + count - rows.first)) {
            good = false;
            return;
        }
    }
}

template <class Guess>
void guess_panels(GuessedQueries<Guess> &block, Range rows, bool may_stop, bool &good, Job &job) {
    constexpr int wide = 2 * lanes_of<Guess>;
    const Buffer<Guess> flat(wide * block.p), panel(wide * block.p), worth(block.p);
    for (int64_t j = 0; j < block.p; ++j) worth[j] = static_cast<Guess>(block.measure.weight(j));
    with_constant<0, 1, 2, 3, 4>(static_cast<int>(block.measure.norm), [&](auto norm) __attribute__((always_inline)) {
        guess_rows<static_cast<Norm>(norm()), Guess>(block, rows, may_stop, good, worth.data(), flat.data(), panel.data(), job);
    });
}
