// Lane by lane; see distance/measure.hpp.

// What a column adds to the sums of a vector of rows, `d` being their differences; powers that are not whole are guessed.
template <Norm norm>
LEARNT_INLINE Vector<double> vector_term(const Measure &m, Vector<double> d) {
    using V = Vector<double>;
    V term;
    if constexpr (norm == Norm::l2) {
        term = unfused_vector(d * d);
    } else if constexpr (norm == Norm::hamming) {
        term = d != 0 ? splat<V>(1.0) : V{};
    } else {
        term = magnitude<double>(d);
    }
    if constexpr (norm == Norm::lp) {
        const V away = term;
        if (m.whole == 0) term = power_guess<double>(away, m.power);
        for (int e = 1; e < m.whole; ++e) term *= away;
        term = unfused_vector(term);
    }
    return term;
}

// The same with the weight of column j and nothing guessed: to the bit what `term_of` gives row by row.
template <Norm norm>
LEARNT_INLINE Vector<double> exact_vector_term(const Measure &m, Vector<double> d, int64_t j) {
    Vector<double> term;
    if (norm == Norm::lp && m.whole == 0) {
        for (int l = 0; l < lanes_of<double>; ++l) term[l] = std::pow(std::abs(d[l]), m.power);
    } else {
        term = vector_term<norm>(m, d);
    }
    return m.weights ? unfused_vector(term * m.weights[j]) : term;
}

// Rows of a leaf (columns × width, `count` of them there) whose sums are at most `bar`: show(place, sum), which may
// lower the bar.
template <Norm norm, class Real, class Show>
LEARNT_INLINE void measure_leaf(const Measure &m, const Real *cells, int64_t width, int64_t count, int64_t p, const double *q,
                                const double &bar, Show show) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const bool guessed = norm == Norm::lp && m.whole == 0;
    const double least = guessed ? 1 - power_blur(m) : 1.0;
    const double room = guessed ? static_cast<double>(p) * std::numeric_limits<double>::min() : 0.0;
    for (int64_t i = 0; i < count; i += lanes) {
        V sum{};
        for (int64_t j = 0; j < p; ++j) {
            V term = vector_term<norm>(m, load_double(cells + j * width + i) - q[j]);
            if (m.weights) term = unfused_vector(term * m.weights[j]);
            sum = norm == Norm::max ? larger(sum, term) : sum + term;
        }
        uint64_t hits = lanes_at_most<double>(guessed ? sum * least : sum, splat<V>(bar + room));
        if (i + lanes > count) hits &= (uint64_t{1} << (count - i)) - 1;
        if (!hits) continue;
        double sums[lanes];
        store(sums, sum);
        for (; hits; hits &= hits - 1) {
            const int l = __builtin_ctzll(hits);
            if (guessed) {
                sums[l] = 0;
                for (int64_t j = 0; j < p; ++j)
                    sums[l] += unfused(term_of<norm>(m, static_cast<double>(cells[j * width + i + l]) - q[j], m.weight(j)));
            }
            if (sums[l] <= bar) show(i + l, sums[l]);
        }
    }
}
