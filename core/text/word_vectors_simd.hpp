// Loops of text/word_vectors.hpp.

// Sums of the lanes of as many vectors as each has lanes: lane l of the result is the sum of vector l.
template <int h, int... lane>
LEARNT_INLINE Vector<float> fold_two(Vector<float> a, Vector<float> b, std::integer_sequence<int, lane...>) {
    constexpr int lanes = sizeof...(lane);
    return __builtin_shufflevector(a, b, ((lane & h) ? lanes + lane - h : lane)...) +
           __builtin_shufflevector(a, b, ((lane & h) ? lanes + lane : lane + h)...);
}
template <int h = 1>
LEARNT_INLINE Vector<float> fold_lanes(Vector<float> *vectors) {
    constexpr int lanes = lanes_of<float>;
    if constexpr (h == lanes) {
        return vectors[0];
    } else {
        LEARNT_UNROLL for (int i = 0; i < lanes / h; i += 2)
            vectors[i / 2] = fold_two<h>(vectors[i], vectors[i + 1], std::make_integer_sequence<int, lanes>{});
        return fold_lanes<2 * h>(vectors);
    }
}

// scores[r·stride + k] = x_r · y_k for R inputs and O outputs, all sums held in registers.
template <int R, int O>
LEARNT_INLINE void score_tile(const float *const *x, const float *const *y, int64_t length, float *scores, int64_t stride) {
    using V = Vector<float>;
    constexpr int lanes = lanes_of<float>, padded = (R * O + lanes - 1) / lanes * lanes;
    V sum[padded];
    LEARNT_UNROLL for (int i = 0; i < padded; ++i) sum[i] = V{};
    for (int64_t d = 0; d < length; d += lanes) {
        V of[O];
        LEARNT_UNROLL for (int k = 0; k < O; ++k) of[k] = load<V>(y[k] + d);
        LEARNT_UNROLL for (int r = 0; r < R; ++r) {
            const V value = load<V>(x[r] + d);
            LEARNT_UNROLL for (int k = 0; k < O; ++k) sum[r * O + k] += value * of[k];
        }
    }
    float folded[padded];
    LEARNT_UNROLL for (int i = 0; i < padded; i += lanes) store(folded + i, fold_lanes(sum + i));
    LEARNT_UNROLL for (int r = 0; r < R; ++r)
        LEARNT_UNROLL for (int k = 0; k < O; ++k) scores[r * stride + k] = folded[r * O + k];
}

inline constexpr int outputs_held = Bytes == 64 ? 6 : 3, inputs_held = Bytes == 64 ? 4 : 2;

template <int O>
LEARNT_INLINE void score_outputs(const float *const *x, int64_t inputs, const float *const *y, int64_t length, float *scores,
                                 int64_t stride) {
    int64_t r = 0;
    for (; r + inputs_held <= inputs; r += inputs_held) score_tile<inputs_held, O>(x + r, y, length, scores + r * stride, stride);
    if (inputs_held > 2 && r + 2 <= inputs) score_tile<2, O>(x + r, y, length, scores + r * stride, stride), r += 2;
    if (r < inputs) score_tile<1, O>(x + r, y, length, scores + r * stride, stride);
}

// f(first, count) for the outputs in groups that fit into registers; the count is a constant.
template <class F>
LEARNT_INLINE void each_group(int64_t outputs, F f) {
    for (int64_t first = 0; first < outputs; first += outputs_held) {
        const int count = static_cast<int>(std::min<int64_t>(outputs_held, outputs - first));
        if constexpr (outputs_held == 6)
            with_constant<6, 5, 4, 3, 2, 1>(count, [&](auto n) { f(first, n); });
        else
            with_constant<3, 2, 1>(count, [&](auto n) { f(first, n); });
    }
}

// The rows around a window.
LEARNT_INLINE int64_t input_rows(const VectorRules &rules, const Window *window, float *input, float **rows) {
    int64_t n = 0;
    for (int64_t i = -int64_t{window->left}; i <= window->right; ++i)
        if (i != 0) rows[n++] = input + window[i].word * rules.stride;
    return n;
}

LEARNT_INLINE void fetch_row(const float *row, int64_t length) {
    for (int64_t d = 0; d < length; d += 16) __builtin_prefetch(row + d);
}

// mean ← the mean of rows
LEARNT_INLINE void average_rows(float *const *rows, int64_t n, int64_t length, float *mean) {
    using V = Vector<float>;
    const float share = 1.0f / static_cast<float>(n);
    for (int64_t d = 0; d < length; d += lanes_of<float>) {
        V sum = V{};
        for (int64_t b = 0; b < n; ++b) sum += load<V>(rows[b] + d);
        store(mean + d, sum * share);
    }
}

// The errors of one window, times the rate of learning; its loss is added where `loss` points, if it does.
inline void judge_window(const VectorRules &rules, const Window *window, const int32_t *drawn, const int32_t *soon, float rate,
                         WindowRows &at, float *errors, double *loss) {
    using V = Vector<float>;
    const int64_t outputs = rules.negatives + 1;
    if (soon)
        for (int64_t k = 0; k < outputs; ++k) fetch_row(at.output + soon[k] * rules.stride, rules.stride);
    int64_t inputs = input_rows(rules, window, at.input, at.x);
    if (inputs == 0) return;
    for (int64_t k = 0; k < outputs; ++k) at.y[k] = at.output + drawn[k] * rules.stride;
    if (rules.cbow) {
        average_rows(at.x, inputs, rules.stride, at.mean);
        at.x[0] = at.mean;
        inputs = 1;
    }
    each_group(outputs, [&](int64_t first, auto count) {
        score_outputs<decltype(count)::value>(at.x, inputs, at.y + first, rules.stride, errors + first, outputs);
    });
    const int64_t pairs = inputs * outputs;
    if (loss)
        for (int64_t i = 0; i < pairs; ++i) {
            const bool itself = i % outputs == 0;
            if (!itself && drawn[i % outputs] == drawn[0]) continue;
            const double s = itself ? -double{errors[i]} : double{errors[i]};
            *loss += std::max(s, 0.0) + std::log1p(std::exp(-std::abs(s)));
        }
    for (int64_t i = 0; i < pairs; i += lanes_of<float>)
        store(errors + i, -rate / (1.0f + exp_real<float>(-load<V>(errors + i))));
    for (int64_t b = 0; b < inputs; ++b) errors[b * outputs] += rate;
    for (int64_t k = 1; k < outputs; ++k)
        if (drawn[k] == drawn[0])
            for (int64_t b = 0; b < inputs; ++b) errors[b * outputs + k] = 0;
}

// The updates of a window along W vectors of the rows, all from the values before; `share` is that of its word.
template <int W>
LEARNT_INLINE void apply_lanes(const WindowRows &at, int64_t inputs, int64_t outputs, const float *errors, float share, int64_t d) {
    float *const *const x = at.x, *const *const y = at.y, *const moves = at.mean;
    using V = Vector<float>;
    constexpr int lanes = lanes_of<float>, wide = W * lanes;
    each_group(outputs, [&](int64_t first, auto count) {
        constexpr int n = decltype(count)::value;
        V of[n][W], move[n][W];
        LEARNT_UNROLL for (int k = 0; k < n; ++k)
            LEARNT_UNROLL for (int w = 0; w < W; ++w) of[k][w] = load<V>(y[first + k] + d + w * lanes), move[k][w] = V{};
        for (int64_t b = 0; b < inputs; ++b) {
            V value[W], own[W];
            LEARNT_UNROLL for (int w = 0; w < W; ++w) {
                value[w] = load<V>(x[b] + d + w * lanes);
                own[w] = first == 0 ? V{} : load<V>(moves + b * wide + w * lanes);
            }
            const float *g = errors + b * outputs + first;
            LEARNT_UNROLL for (int k = 0; k < n; ++k) {
                const V error = splat<V>(g[k]);
                LEARNT_UNROLL for (int w = 0; w < W; ++w) own[w] += error * of[k][w], move[k][w] += error * value[w];
            }
            LEARNT_UNROLL for (int w = 0; w < W; ++w) store(moves + b * wide + w * lanes, own[w]);
        }
        LEARNT_UNROLL for (int k = 0; k < n; ++k)
            LEARNT_UNROLL for (int w = 0; w < W; ++w) store(moves + (inputs + first + k) * wide + w * lanes, move[k][w]);
    });
    for (int64_t k = 0; k < outputs; ++k)  // loaded again: a word may have been drawn twice
        LEARNT_UNROLL for (int w = 0; w < W; ++w) {
            float *to = y[k] + d + w * lanes;
            store(to, load<V>(to) + (k == 0 ? share : 1.0f) * load<V>(moves + (inputs + k) * wide + w * lanes));
        }
    for (int64_t b = 0; b < inputs; ++b)
        LEARNT_UNROLL for (int w = 0; w < W; ++w) {
            float *to = x[b] + d + w * lanes;
            store(to, load<V>(to) + at.shares[b] * load<V>(moves + b * wide + w * lanes));
        }
}

// The same with the mean of the inputs as the one input: each of them moves as the mean shall, so that the mean does.
LEARNT_INLINE void apply_mean(const WindowRows &at, int64_t inputs, int64_t outputs, const float *errors, float share, int64_t d) {
    using V = Vector<float>;
    float *const *const x = at.x, *const *const y = at.y;
    const float each = 1.0f / static_cast<float>(inputs);
    V mean = V{}, move = V{};
    for (int64_t b = 0; b < inputs; ++b) mean += load<V>(x[b] + d);
    mean *= each;
    for (int64_t k = 0; k < outputs; ++k) move += errors[k] * load<V>(y[k] + d);
    for (int64_t k = 0; k < outputs; ++k) store(y[k] + d, load<V>(y[k] + d) + (k == 0 ? share : 1.0f) * errors[k] * mean);
    for (int64_t b = 0; b < inputs; ++b) store(x[b] + d, load<V>(x[b] + d) + at.shares[b] * move);
}

// The updates of a batch along the numbers [first, first + length) of the rows, window after window.
inline void apply_windows(const VectorRules &rules, const Window *windows, int64_t size, const int32_t *drawn, const float *errors,
                          int64_t error_stride, int64_t first, int64_t length, WindowRows &at) {
    constexpr int lanes = lanes_of<float>, W = Bytes == 64 ? 2 : 1;
    const int64_t outputs = rules.negatives + 1;
    for (int64_t i = 0; i < size; ++i) {
        if (i + 2 < size)
            for (int64_t k = 0; k < outputs; ++k)
                fetch_row(at.output + drawn[(i + 2) * outputs + k] * rules.stride + first, length);
        const int64_t inputs = input_rows(rules, windows + i, at.input, at.x);
        if (inputs == 0) continue;
        for (int64_t k = 0; k < outputs; ++k) at.y[k] = at.output + drawn[i * outputs + k] * rules.stride;
        for (int64_t b = 0, j = -int64_t{windows[i].left}; b < inputs; ++j)
            if (j != 0) at.shares[b++] = windows[i + j].share;
        const float *g = errors + i * error_stride;
        const float share = windows[i].share;
        int64_t d = first;
        if (rules.cbow) {
            for (; d < first + length; d += lanes) apply_mean(at, inputs, outputs, g, share, d);
            continue;
        }
        for (; d + W * lanes <= first + length; d += W * lanes) apply_lanes<W>(at, inputs, outputs, g, share, d);
        for (; d < first + length; d += lanes) apply_lanes<1>(at, inputs, outputs, g, share, d);
    }
}
