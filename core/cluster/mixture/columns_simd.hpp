// Loops of cluster/mixture/columns.hpp.

// Log densities of one row, whose scaled cells are z, by component; those below −1e300 count as that.
inline void row_densities(const ColumnCurves &curves, const double *z, const int32_t *codes, double *l) {
    using V = Vector<double>;
    constexpr int64_t lanes = lanes_of<double>;
    const int64_t K = curves.padded;
    for (int64_t c = 0; c < K; c += lanes) {
        V sum = load<V>(curves.offset.data() + c);
        for (int64_t j = 0; j < curves.numbers; ++j) {
            if (std::isnan(z[j])) continue;
            const V d = z[j] - load<V>(curves.mean.data() + j * K + c);
            sum += load<V>(curves.constant.data() + j * K + c) - d * (d * load<V>(curves.half.data() + j * K + c));
        }
        for (int64_t m = 0; m < curves.coded; ++m) {
            const int64_t row = curves.first[m] + codes[m];
            if (codes[m] >= 0 && row < curves.first[m + 1]) sum += load<V>(curves.tables.data() + row * K + c);
        }
        store(l + c, larger(sum, splat<V>(-1e300)));
    }
}

// Adds a row of shares l to the sums: weights, then cells, first and second moments, then counts.
inline void add_row(const ColumnCurves &curves, const double *z, const int32_t *codes, const double *l, double *slot) {
    using V = Vector<double>;
    constexpr int64_t lanes = lanes_of<double>;
    const int64_t K = curves.padded, step = curves.numbers * K;
    const auto add = [](double *to, V value) __attribute__((always_inline)) { store(to, load<V>(to) + value); };
    for (int64_t c = 0; c < K; c += lanes) {
        const V r = load<V>(l + c);
        double *to = slot + c;
        add(to, r);
        to += K;
        for (int64_t j = 0; j < curves.numbers; ++j, to += K) {
            if (std::isnan(z[j])) continue;
            const V d = z[j] - load<V>(curves.mean.data() + j * K + c), rd = r * d;
            add(to, r);
            add(to + step, rd);
            add(to + 2 * step, rd * d);
        }
        to += 2 * step;
        for (int64_t m = 0; m < curves.coded; ++m) {
            const int64_t row = curves.first[m] + codes[m];
            if (codes[m] >= 0 && row < curves.first[m + 1]) add(to + row * K, r);
        }
    }
}

template <class Real>
void column_mixture_block(const ColumnRows<Real> &in, const ColumnCurves &curves, Range rows,
                          const MixtureAnswers &answers, double *slot, double &total, double *scratch, Job &job) {
    using V = Vector<double>;
    constexpr int64_t lanes = lanes_of<double>;
    const int64_t k = curves.classes, K = curves.padded, p = curves.numbers;
    double *z = scratch, *l = z + p;
    for (int64_t i = rows.first; i < rows.last; ++i) {
        if ((i & 63) == 0) job.check();
        for (int64_t j = 0; j < p; ++j) z[j] = (static_cast<double>(in.x(i, j)) - in.shift[j]) * in.scale[j];
        const int32_t *codes = in.codes + i * curves.coded;
        row_densities(curves, z, codes, l);
        int64_t best = 0;
        for (int64_t c = 1; c < k; ++c)
            if (l[c] > l[best]) best = c;
        const double most = l[best], w = in.weights ? in.weights[i] : 1.0;
        V sums = {};
        for (int64_t c = 0; c < K; c += lanes) {
            const V e = exp_minus(larger(most - load<V>(l + c), V{})) * load<V>(curves.real.data() + c);
            sums += e;
            store(l + c, e);
        }
        const double sum = sum_lanes(sums), log_p = most + std::log(sum);
        if (w > 0) total += w * log_p;
        if (answers.log_density) answers.log_density[i] = log_p;
        if (answers.labels) answers.labels[i] = static_cast<int32_t>(best);
        if (answers.shares)
            for (int64_t c = 0; c < k; ++c) answers.shares[i * k + c] = l[c] / sum;
        if (!slot) continue;
        const double share = w / sum;
        for (int64_t c = 0; c < K; c += lanes) store(l + c, load<V>(l + c) * share);
        add_row(curves, z, codes, l, slot);
    }
}
