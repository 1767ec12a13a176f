// Loops of boosting/gradients.hpp.

// One number for each lane; past the last row the last one again.
template <class T>
LEARNT_INLINE Vector<double> take_rows(const T *from, int64_t use) {
    constexpr int lanes = lanes_of<double>;
    if (use >= lanes) {
        if constexpr (std::is_same_v<T, double>)
            return load<Vector<double>>(from);
        else
            return __builtin_convertvector(load<Vector<T, lanes * static_cast<int>(sizeof(T))>>(from), Vector<double>);
    }
    double cell[lanes];
    for (int l = 0; l < lanes; ++l) cell[l] = static_cast<double>(from[std::min<int64_t>(l, use - 1)]);
    return load<Vector<double>>(cell);
}
template <class Real>
LEARNT_INLINE void put_rows(Real *to, Vector<double> v, int64_t use) {
    constexpr int lanes = lanes_of<double>;
    if (use >= lanes) {
        if constexpr (std::is_same_v<Real, double>)
            store(to, v);
        else
            store(to, __builtin_convertvector(v, Vector<Real, lanes * static_cast<int>(sizeof(Real))>));
        return;
    }
    double cell[lanes];
    store(cell, v);
    for (int64_t l = 0; l < use; ++l) to[l] = static_cast<Real>(cell[l]);
}

template <class Real>
void softmax_rows(const boost::LossRows<Real> &in, Range rows) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    for (int64_t i = rows.first; i < rows.last; i += lanes) {
        const int64_t use = std::min<int64_t>(lanes, rows.last - i);
        const auto take = [&](int64_t k) { return take_rows(in.scores + k * in.rows + i, use); };
        V most = take(0), sum = {};
        for (int64_t k = 1; k < in.outputs; ++k) most = larger(most, take(k));
        for (int64_t k = 0; k < in.outputs; ++k) sum += exp_of(take(k) - most);
        const V target = take_rows(in.codes + i, use), one = splat<V>(1.0);
        const V weight = in.weights ? take_rows(in.weights + i, use) : one;
        for (int64_t k = 0; k < in.outputs; ++k) {
            const V share = exp_of(take(k) - most) / sum;
            put_rows(in.gradient + k * in.rows + i, weight * (share - (target == static_cast<double>(k) ? one : V{})), use);
            put_rows(in.hessian + k * in.rows + i, weight * share * (1 - share), use);
        }
    }
}

template <class Real>
void gradient_rows(const boost::LossRows<Real> &in, Range rows) {
    using V = Vector<double>;
    using boost::Loss;
    constexpr int lanes = lanes_of<double>;
    if (in.loss == Loss::softmax) return softmax_rows(in, rows);
    const V one = splat<V>(1.0);
    for (int64_t i = rows.first; i < rows.last; i += lanes) {
        const int64_t use = std::min<int64_t>(lanes, rows.last - i);
        const V score = take_rows(in.scores + i, use), weight = in.weights ? take_rows(in.weights + i, use) : one;
        const V target = in.codes ? take_rows(in.codes + i, use) : take_rows(in.numbers + i, use), apart = score - target;
        V g = apart, h = splat<V>(1.0);
        if (in.loss == Loss::logistic) {
            const V p = 1 / (1 + exp_of(-score));
            g = p - target, h = p * (1 - p);
        } else if (in.loss == Loss::poisson) {
            h = exp_of(score), g = h - target;
        } else if (in.loss == Loss::absolute) {
            g = apart > 0 ? splat<V>(1.0) : apart < 0 ? splat<V>(-1.0) : V{};
        } else if (in.loss == Loss::huber) {
            g = larger(smaller(apart, splat<V>(in.parameter)), splat<V>(-in.parameter));
        } else if (in.loss == Loss::quantile) {
            g = apart > 0 ? splat<V>(1 - in.parameter) : splat<V>(-in.parameter);
        }
        put_rows(in.gradient + i, g * weight, use), put_rows(in.hessian + i, h * weight, use);
    }
}

// Adds the losses of rows that are kept (all if null).
inline void loss_rows(const boost::LossRows<double> &in, const uint8_t *kept, Range rows, double *loss, double *weight) {
    using V = Vector<double>;
    using boost::Loss;
    constexpr int lanes = lanes_of<double>;
    double cell[lanes], w[lanes];
    const V one = splat<V>(1.0);
    V total = {}, sum_of_weights = {};
    for (int64_t i = rows.first; i < rows.last; i += lanes) {
        const int64_t use = std::min<int64_t>(lanes, rows.last - i);
        const auto take = [&](int64_t k) { return take_rows(in.scores + k * in.rows + i, use); };
        const V target = in.codes ? take_rows(in.codes + i, use) : take_rows(in.numbers + i, use);
        V heavy = in.weights ? take_rows(in.weights + i, use) : one;
        if (kept || use < lanes) {
            store(w, heavy);
            for (int l = 0; l < lanes; ++l) w[l] = l < use && (!kept || kept[i + l]) ? w[l] : 0.0;
            heavy = load<V>(w);
        }
        V found;
        if (in.loss == Loss::softmax) {
            V most = take(0), sum = {}, own = {};
            for (int64_t k = 1; k < in.outputs; ++k) most = larger(most, take(k));
            for (int64_t k = 0; k < in.outputs; ++k) {
                const V s = take(k);
                sum += exp_of(s - most);
                own = target == static_cast<double>(k) ? s : own;
            }
            store(cell, sum);
            for (int l = 0; l < lanes; ++l) cell[l] = std::log(cell[l]);
            found = load<V>(cell) + most - own;
        } else {
            const V s = take(0), apart = s - target, size = apart < 0 ? -apart : apart;
            if (in.loss == Loss::logistic) {
                const V margin = target > 0.5 ? s : -s;
                found = log_one_plus(exp_minus(margin < 0 ? -margin : margin)) + (margin < 0 ? -margin : V{});
            } else if (in.loss == Loss::poisson) {
                found = exp_of(s) - target * s;
            } else if (in.loss == Loss::absolute) {
                found = size;
            } else if (in.loss == Loss::huber) {
                found = size <= in.parameter ? apart * apart * 0.5 : (size - 0.5 * in.parameter) * in.parameter;
            } else if (in.loss == Loss::quantile) {
                found = apart > 0 ? apart * (1 - in.parameter) : -apart * in.parameter;
            } else {
                found = apart * apart * 0.5;
            }
        }
        total += heavy > 0 ? heavy * found : V{};
        sum_of_weights += heavy;
    }
    *loss += sum_lanes(total), *weight += sum_lanes(sum_of_weights);
}
