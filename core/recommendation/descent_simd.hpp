// Loops of recommendation/descent.hpp.

template <class Real>
void descend_range(const RatingEntries<Real> &entries, Range range, const Real *penalty_users, const Real *penalty_items,
                   Real rate, const FactorPair<Real> &f) {
    using V = Vector<Real>;
    for (int64_t j = range.first; j < range.last; ++j) {
        const int32_t u = entries.users[j], i = entries.items[j];
        Real *x = f.x + u * f.width, *y = f.y + i * f.width;
        const Real w = entries.weights ? entries.weights[j] : Real{1};
        const Real e = entries.values[j] - dot_padded(x, y, f.width) - (f.b ? f.b[u] + f.c[i] : Real{0});
        const Real step = rate * w * e, keep_u = Real{1} - rate * penalty_users[u] * w, keep_i = Real{1} - rate * penalty_items[i] * w;
        const V steps = splat<V>(step), kept_u = splat<V>(keep_u), kept_i = splat<V>(keep_i);
        for (int64_t a = 0; a < f.width; a += lanes_of<Real>) {
            const V of_user = load<V>(x + a), of_item = load<V>(y + a);
            store(x + a, kept_u * of_user + steps * of_item);
            store(y + a, kept_i * of_item + steps * of_user);
        }
        if (f.b) {
            f.b[u] = keep_u * f.b[u] + step;
            f.c[i] = keep_i * f.c[i] + step;
        }
    }
}

template <class Real>
void rate_range(const int32_t *users, const int32_t *items, Range range, const FactorSide<Real> &user_side,
                const FactorSide<Real> &item_side, double *out) {
    for (int64_t j = range.first; j < range.last; ++j) {
        const int32_t u = users[j], i = items[j];
        double sum = 0;
        if (u >= 0 && user_side.bias) sum += static_cast<double>(user_side.bias[u]);
        if (i >= 0 && item_side.bias) sum += static_cast<double>(item_side.bias[i]);
        if (u >= 0 && i >= 0) sum += static_cast<double>(dot_padded(user_side.row(u), item_side.row(i), user_side.width));
        out[j] = sum;
    }
}
