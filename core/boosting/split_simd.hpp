// Loops of boosting/split.hpp: the scores of all cuts of a column, −1 where a side is too small. Both quotients over
// one denominator: divisions are what this loop costs.
inline void score_cuts(const boost::CutRange &in, double *scores, double *most) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    V best = splat<V>(-1.0);
    const V none = splat<V>(-1.0), zero = {};
    for (int64_t i = 0; i < in.n; i += lanes) {
        const V gl = load<V>(in.g + i) + in.missing.g, hl = load<V>(in.h + i) + in.missing.h;
        const V gr = in.node.g - gl, hr = in.node.h - hl;
        const V tl = larger((gl < 0 ? -gl : gl) - in.l1, zero), tr = larger((gr < 0 ? -gr : gr) - in.l1, zero);
        const V dl = hl + in.l2, dr = hr + in.l2;
        V score = (tl * tl * dr + tr * tr * dl) / (dl * dr);
        score = hl >= in.min_h ? score : none;
        score = hr >= in.min_h ? score : none;
        if (in.c) {
            const V cl = load<V>(in.c + i) + in.missing.c;
            score = cl >= in.min_c ? score : none;
            score = in.node.c - cl >= in.min_c ? score : none;
        }
        store(scores + i, score);
        if (i + lanes > in.n)
            for (int64_t l = in.n; l < i + lanes; ++l) scores[l] = -1;
        best = larger(best, load<V>(scores + i));
    }
    double lane[lanes];
    store(lane, best);
    for (int l = 0; l < lanes; ++l) *most = std::max(*most, lane[l]);
}
