// Loops of cluster/bounds.hpp.

// What is left of a row and a group once every lane has seen its share of the centres: lane by lane the two
// highest scores and where the highest is. `lanes` rows side by side.
template <class Real>
struct LaneScores {
    using Int = std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>;
    static constexpr int lanes = lanes_of<Real>;
    alignas(64) Real best[lanes * lanes], second[lanes * lanes];
    alignas(64) Int vector[lanes * lanes];
};

// x·c − |c|²/2 of `Rows` rows (row r at cells + at[r]·p) with all centres of a group. Sums run over the columns
// in order, from −|c|²/2 on, as in cluster/lloyd_simd.hpp: the same bits.
template <int Rows, class Real>
LEARNT_INLINE void score_group(const BoundedGroups<Real> &groups, int64_t g, const Real *cells, const int32_t *at,
                               LaneScores<Real> &scores, int64_t slot) {
    using V = Vector<Real>;
    using Int = typename LaneScores<Real>::Int;
    using Index = Vector<Int>;
    constexpr int lanes = lanes_of<Real>;
    const int64_t p = groups.p, width = groups.width;
    const Real *values = groups.values.data() + g * p * width, *half = groups.half.data() + g * width;
    const Real *row[Rows];
    LEARNT_UNROLL for (int r = 0; r < Rows; ++r) row[r] = cells + at[r] * p;
    V best[Rows], second[Rows];
    Index where[Rows];
    LEARNT_UNROLL for (int r = 0; r < Rows; ++r) {
        best[r] = second[r] = splat<V>(-std::numeric_limits<Real>::infinity());
        where[r] = Index{};
    }
    for (int64_t first = 0; first < width;) {
        const int64_t rest = (width - first) / lanes;
        const int now = rest >= 3 ? 3 : static_cast<int>(rest);
        with_constant<3, 2, 1>(now, [&](auto vectors) __attribute__((always_inline)) {
            constexpr int count = vectors();
            V sum[Rows][count];
            LEARNT_UNROLL for (int v = 0; v < count; ++v)
                LEARNT_UNROLL for (int r = 0; r < Rows; ++r) sum[r][v] = -load<V>(half + first + v * lanes);
            const Real *center = values + first;
            for (int64_t j = 0; j < p; ++j, center += width) {
                V c[count];
                LEARNT_UNROLL for (int v = 0; v < count; ++v) c[v] = load<V>(center + v * lanes);
                LEARNT_UNROLL for (int r = 0; r < Rows; ++r) {
                    const V cell = splat<V>(row[r][j]);
                    LEARNT_UNROLL for (int v = 0; v < count; ++v) sum[r][v] += cell * c[v];
                }
            }
            LEARNT_UNROLL for (int r = 0; r < Rows; ++r)
                LEARNT_UNROLL for (int v = 0; v < count; ++v) {
                    const Index better = sum[r][v] > best[r];
                    second[r] = larger(second[r], better ? best[r] : sum[r][v]);
                    best[r] = better ? sum[r][v] : best[r];
                    where[r] = better ? splat<Index>(static_cast<Int>(first / lanes + v)) : where[r];
                }
        });
        first += now * lanes;
    }
    LEARNT_UNROLL for (int r = 0; r < Rows; ++r) {
        store(scores.best + (slot + r) * lanes, best[r]);
        store(scores.second + (slot + r) * lanes, second[r]);
        store(scores.vector + (slot + r) * lanes, where[r]);
    }
}

// The two highest scores of each row within a group and the place of the highest in it, the first of equals:
// squares are turned, so that rows lie in lanes and lanes are compared one after another.
template <class Real>
LEARNT_INLINE void two_best(const LaneScores<Real> &scores, Real *best, Real *second,
                            typename LaneScores<Real>::Int *place) {
    using V = Vector<Real>;
    using Int = typename LaneScores<Real>::Int;
    using Index = Vector<Int>;
    constexpr int lanes = lanes_of<Real>;
    V high[lanes], next[lanes];
    Index where[lanes];
    LEARNT_UNROLL for (int l = 0; l < lanes; ++l) {
        high[l] = load<V>(scores.best + l * lanes);
        next[l] = load<V>(scores.second + l * lanes);
        where[l] = load<Index>(scores.vector + l * lanes);
    }
    transpose_square(high);
    transpose_square(next);
    transpose_square(where);
    V top = high[0], below = next[0];
    Index at = where[0] * static_cast<Int>(lanes);
    LEARNT_UNROLL for (int l = 1; l < lanes; ++l) {
        const Index candidate = where[l] * static_cast<Int>(lanes) + static_cast<Int>(l);
        const Index better = (high[l] > top) | ((high[l] == top) & (candidate < at));
        below = larger(larger(below, next[l]), better ? top : high[l]);
        top = better ? high[l] : top;
        at = better ? candidate : at;
    }
    store(best, top);
    store(second, below);
    store(place, at);
}

// What rounding may do to a squared distance |x|² − 2·score, twice over: once for each side of a comparison.
template <class Real>
LEARNT_INLINE Real score_error(Real norm, Real largest, int64_t p) {
    const Real reach = norm + largest;
    return reach * reach * (static_cast<Real>(2 * p + 16) * std::numeric_limits<Real>::epsilon());
}

// sum + a·b, rounded as the vectors' sums are: once where the level has fused operations. Said outright, for the
// compiler may otherwise multiply many at once and add them after.
template <class Real>
LEARNT_INLINE Real add_product(Real sum, Real a, Real b) {
#if LEARNT_BYTES > 16 || defined(__FP_FAST_FMA)
    return std::fma(a, b, sum);
#else
    return sum + a * b;
#endif
}

// Scores of eight rows with a centre each; as many chains of sums at once hide how long each takes.
template <class Real>
LEARNT_INLINE void score_own(const BoundedGroups<Real> &groups, const Real *cells, int64_t count, const int32_t *label,
                             Real *score) {
    const int64_t p = groups.p;
    const Real *row[8], *center[8];
    Real sum[8];
    for (int r = 0; r < 8; ++r) {
        const int64_t i = std::min<int64_t>(r, count - 1);
        row[r] = cells + i * p;
        center[r] = groups.rows.data() + label[i] * p;
        sum[r] = -groups.half_of[label[i]];
    }
    for (int64_t j = 0; j < p; ++j)
        LEARNT_UNROLL for (int r = 0; r < 8; ++r) sum[r] = add_product(sum[r], row[r][j], center[r][j]);
    for (int r = 0; r < std::min<int64_t>(count, 8); ++r) score[r] = sum[r];
}

// One chunk of rows: those whose bounds leave a doubt are collected in `cells`, listed under the groups in doubt
// and compared group by group. lists: groups × bounded_rows.
template <class Real>
void bounded_chunk(const BoundedRows<Real> &in, const BoundedGroups<Real> &groups, Range rows, Real *cells,
                   int32_t *lists, int64_t &compared) {
    const int64_t p = groups.p, t = groups.count;
    constexpr Real endless = std::numeric_limits<Real>::infinity();
    constexpr Real eps = std::numeric_limits<Real>::epsilon();
    int32_t row[bounded_rows], label[bounded_rows];
    Real score[bounded_rows], error[bounded_rows];
    int64_t open = 0;
    for (int64_t i = rows.first; i < rows.last; ++i) {
        if (!in.first_round) {
            const Real slack = 4 * eps * (in.norms[i] + groups.largest);
            const Real up = in.upper[i] = in.upper[i] + groups.drift[in.labels[i]] + slack;
            Real *low = in.lower + i * t, lowest = endless;
            for (int64_t g = 0; g < t; ++g) {
                low[g] -= groups.group_drift[g] + slack;
                lowest = smaller(lowest, low[g]);
            }
            error[open] = score_error(in.norms[i], groups.largest, p);
            if (lowest > 0 && up * up + error[open] < lowest * lowest) continue;
            label[open] = in.labels[i];
        } else {
            label[open] = 0;
        }
        row[open] = static_cast<int32_t>(i - rows.first);
        Real *to = cells + open * p;
        if (in.x.column_stride == 1) {
            const Real *from = in.x.row(i);
            for (int64_t j = 0; j < p; ++j) to[j] = from[j] - in.shift[j];
        } else {
            for (int64_t j = 0; j < p; ++j) to[j] = in.x(i, j) - in.shift[j];
        }
        if (in.first_round) {
            double square = 0;
            for (int64_t j = 0; j < p; ++j) square += static_cast<double>(to[j]) * static_cast<double>(to[j]);
            in.norms[i] = static_cast<Real>(std::sqrt(square));
            error[open] = score_error(in.norms[i], groups.largest, p);
        }
        ++open;
    }
    // |x|² − 2·score, a little more or less than it can truly be
    const auto square_of = [&](int64_t at) {
        const Real norm = in.norms[rows.first + row[at]];
        return norm * norm;
    };
    const auto above = [&](Real square, Real s, Real e) { return std::sqrt(larger(Real{0}, square - 2 * s + e)) * (1 + 2 * eps); };
    const auto below = [&](Real square, Real s, Real e) { return std::sqrt(larger(Real{0}, square - 2 * s - e)) * (1 - 2 * eps); };

    for (int64_t at = 0; at < open; at += 8) score_own(groups, cells + at * p, open - at, label + at, score + at);
    const Buffer<int32_t> filled(t, 0);
    LaneScores<Real> scores{};
    for (int64_t at = 0; at < open; ++at) {
        Real *low = in.lower + (rows.first + row[at]) * t;
        const Real up = above(square_of(at), score[at], error[at]), limit = up * up + error[at];
        if (in.first_round) {
            for (int64_t g = 0; g < t; ++g) {
                low[g] = 0;
                lists[g * bounded_rows + filled[g]++] = static_cast<int32_t>(at);
            }
        } else {
            in.upper[rows.first + row[at]] = up;
            for (int64_t g = 0; g < t; ++g)
                if (!(low[g] > 0 && limit < low[g] * low[g])) lists[g * bounded_rows + filled[g]++] = static_cast<int32_t>(at);
        }
    }
    for (int64_t g = 0; g < t; ++g) {
        const int32_t *list = lists + g * bounded_rows;
        constexpr int lanes = lanes_of<Real>;
        int32_t chosen[lanes + 3] = {};
        int64_t some = 0;
        const auto compare = [&]() __attribute__((always_inline)) {
            for (int64_t r = some; r % 4 != 0; ++r) chosen[r] = chosen[some - 1];
            if constexpr (lanes % 4 == 0)
                for (int64_t r = 0; r < some; r += 4) score_group<4>(groups, g, cells, chosen + r, scores, r);
            else
                for (int64_t r = 0; r < some; ++r) score_group<1>(groups, g, cells, chosen + r, scores, r);
            Real best[lanes], second[lanes];
            typename LaneScores<Real>::Int place[lanes];
            two_best(scores, best, second, place);
            for (int64_t r = 0; r < some; ++r) {
                const int64_t at = chosen[r], i = rows.first + row[at];
                const int32_t center = groups.index[g * groups.width + place[r]], now = label[at];
                const int32_t own = groups.group_of[now];
                const Real square = square_of(at);
                Real *low = in.lower + i * t;
                if (best[r] > score[at] || (best[r] == score[at] && center <= now)) {
                    if (own != g) low[own] = smaller(low[own], below(square, score[at], error[at]));
                    low[g] = below(square, second[r], error[at]);
                    label[at] = center;
                    score[at] = best[r];
                } else {
                    low[g] = below(square, best[r], error[at]);
                }
            }
            compared += some;
            some = 0;
        };
        for (int64_t n = 0; n < filled[g]; ++n) {
            const int64_t at = list[n];
            if (!in.first_round) {  // nearer centres of earlier groups may have settled it
                const Real low = in.lower[(rows.first + row[at]) * t + g];
                const Real up = above(square_of(at), score[at], error[at]);
                if (low > 0 && up * up + error[at] < low * low) continue;
            }
            chosen[some++] = static_cast<int32_t>(at);
            if (some == lanes) compare();
        }
        if (some > 0) compare();
    }
    for (int64_t at = 0; at < open; ++at) {
        const int64_t i = rows.first + row[at];
        in.labels[i] = label[at];
        in.upper[i] = above(square_of(at), score[at], error[at]);
    }
}

template <class Real>
void bounded_block(const BoundedRows<Real> &in, const BoundedGroups<Real> &groups, Range rows, Real *cells,
                   int32_t *lists, int64_t &compared, Job &job) {
    for (int64_t first = rows.first; first < rows.last; first += bounded_rows) {
        job.check();
        bounded_chunk(in, groups, {first, std::min(first + bounded_rows, rows.last)}, cells, lists, compared);
    }
}
