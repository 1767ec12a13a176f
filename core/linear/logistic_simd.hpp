// Loops of linear/logistic.hpp.

// Of one score: `response` holds s and becomes (y − p) / (p (1 − p)); `curvature` becomes w p (1 − p).
inline void weigh_rows(const LogisticRows &in, Range rows, double *response, double *curvature, double *loss) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    double s[lanes], sign[lanes], w[lanes];
    V total = {};
    for (int64_t i = 0; i < rows.size(); i += lanes) {
        const int64_t use = std::min<int64_t>(lanes, rows.size() - i);
        for (int l = 0; l < lanes; ++l) {
            const int64_t at = i + std::min<int64_t>(l, use - 1);
            s[l] = response[at];
            sign[l] = in.codes[rows.first + at] == 1 ? 1.0 : -1.0;
            w[l] = l < use ? in.weight(rows.first + at) : 0.0;
        }
        // In the margin m = ± s: loss log(1 + exp(−m)), share of the right class 1 / (1 + exp(−m)).
        const V side = load<V>(sign), m = load<V>(s) * side, weight = load<V>(w);
        const V e = exp_minus(m < 0 ? -m : m), one = e + 1, right = m < 0 ? e / one : 1 / one;
        const V h = e / (one * one);
        total += weight > 0 ? weight * (log_one_plus(e) + (m < 0 ? -m : V{})) : V{};
        store(s, side / right);
        store(w, weight * h);
        for (int l = 0; l < use; ++l) response[i + l] = s[l], curvature[i + l] = w[l];
    }
    *loss += sum_lanes(total);
}

// Scores (K rows of a tile) become the factors r = w (p − [class]); `shares` gets p.
inline void share_scores(const LogisticRows &in, Range rows, double *s, double *shares, double *loss) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const int64_t K = in.scores;
    for (int64_t i = 0; i < rows.size(); i += lanes) {
        const int64_t use = std::min<int64_t>(lanes, rows.size() - i), row = rows.first + i;
        // Past the last row lie numbers of an earlier tile or none at all: they are set to 0, and not used.
        if (use < lanes)
            for (int64_t k = 0; k < K; ++k)
                for (int64_t l = use; l < lanes; ++l) s[k * logistic_tile + i + l] = 0;
        V most = K == 1 ? V{} : load<V>(s + i), sum = {};
        for (int64_t k = 0; k < K; ++k) most = larger(most, load<V>(s + k * logistic_tile + i));
        if (K == 1) sum = exp_minus(most);
        double top[lanes], own[lanes], total[lanes];
        store(top, most);
        for (int64_t l = 0; l < use; ++l) {
            const int32_t c = in.codes[row + l];
            own[l] = K > 1 ? s[c * logistic_tile + i + l] : c == 1 ? s[i + l] : 0.0;
        }
        for (int64_t k = 0; k < K; ++k) {
            double *to = s + k * logistic_tile + i;
            const V e = exp_minus(most - load<V>(to));
            sum += e;
            store(to, e);
        }
        store(total, sum);
        for (int64_t l = 0; l < use; ++l) {
            const double w = in.weight(row + l);
            if (w > 0) *loss += w * (std::log(total[l]) + (top[l] - own[l]));
            for (int64_t k = 0; k < K; ++k) {
                double &to = s[k * logistic_tile + i + l];
                const double share = to / total[l];
                shares[k * in.rows + row + l] = share;
                to = w * (share - (in.codes[row + l] == (K > 1 ? k : 1) ? 1.0 : 0.0));
            }
        }
    }
}

// out += Σ_i factor_i x_i, four rows at a time.
template <class Real>
void add_scaled_rows(RowTile<Real> x, int64_t count, int64_t p, const double *factor, double *out) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const Real *row[4] = {x.row(i), x.row(i + 1), x.row(i + 2), x.row(i + 3)};
        int64_t j = 0;
        for (; j + lanes <= p; j += lanes) {
            V sum = load<V>(out + j);
            LEARNT_UNROLL for (int r = 0; r < 4; ++r) sum += load_double(row[r] + j) * factor[i + r];
            store(out + j, sum);
        }
        for (; j < p; ++j)
            for (int r = 0; r < 4; ++r) out[j] += static_cast<double>(row[r][j]) * factor[i + r];
    }
    for (; i < count; ++i)
        for (int64_t j = 0; j < p; ++j) out[j] += static_cast<double>(x.row(i)[j]) * factor[i];
}
