// Loops of neighbors/sparse.hpp.

template <class Guess>
void sparse_lanes(int &lanes) {
    lanes = 2 * lanes_of<Guess>;
}

// The guesses of each row for a group of queries, g = |a|²/2 (1 − 3.2 κ) − a·b; pass(row, hits) for every row at or
// below the bar of any. It says whether to go on.
template <class Guess, class Real, class Pass>
void sparse_panel(const IndexedCsr<Real> &in, const SparseGroup<Guess> &group, Range rows, Pass pass, bool &good, Job &job) {
    using V = Vector<Guess>;
    constexpr int lanes = lanes_of<Guess>;
    const Csr<Real> &x = in.x;
    int64_t work = 0;
    for (int64_t i = rows.first; i < rows.last; ++i) {
        const int64_t first = x.offset(i), last = x.offset(i + 1);
        if ((work += last - first + 8) > 16384) job.check(), work = 0;
        V sum[2][2] = {};  // one alone waits for its own additions
        const auto add = [&](int64_t e, int way) __attribute__((always_inline)) {
            const Guess *values = group.values + static_cast<int64_t>(group.place[x.column[e]]) * 2 * lanes;
            const V a = splat<V>(static_cast<Guess>(static_cast<double>(x.value[e]) * in.widened(x.column[e]) * in.unit));
            sum[way][0] += a * load<V>(values);
            sum[way][1] += a * load<V>(values + lanes);
        };
        int64_t e = first;
        for (; e + 1 < last; e += 2) add(e, 0), add(e + 1, 1);
        if (e < last) add(e, 0);
        const V start = splat<V>(static_cast<Guess>(in.square[i] * 0.5 * (1 - 3.2 * group.kappa)));
        const uint64_t hits = lanes_at_most<Guess>(start + (sum[0][0] + sum[1][0]), load<V>(group.bars)) |
                              lanes_at_most<Guess>(start + (sum[0][1] + sum[1][1]), load<V>(group.bars + lanes)) << lanes;
        if (hits && !pass(i, hits)) {
            good = false;
            return;
        }
    }
}
