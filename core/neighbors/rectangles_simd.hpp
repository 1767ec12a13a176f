// Lanes of rectangles; see neighbors/rectangles.hpp.

inline void rectangle_distances(const RectangleRows &found, const double *x, double *out) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const int64_t padded = round_up(found.count, lanes);
    const V zero{}, one = splat<V>(1.0);
    double missing = 0;
    for (int64_t j = 0; j < found.p(); ++j)
        if (std::isnan(x[j])) missing += found.weight[static_cast<size_t>(j)];
    std::fill_n(out, padded, missing);
    for (int64_t j = 0; j < found.p(); ++j) {
        const double weight = found.weight[static_cast<size_t>(j)], range = found.range[static_cast<size_t>(j)];
        if (std::isnan(x[j]) || weight == 0) continue;
        if (found.sizes[static_cast<size_t>(j)] > 0) {
            const uint8_t *inside = found.members(j, static_cast<int64_t>(x[j]));
            for (int64_t h = 0; h < padded; ++h) out[h] += inside[h] ? 0.0 : weight;
            continue;
        }
        const double *low = found.low.data() + j * found.room, *high = found.high.data() + j * found.room;
        for (int64_t h = 0; h < padded; h += lanes) {
            const V outside = larger(larger(load<V>(low + h) - x[j], x[j] - load<V>(high + h)), zero);
            V d = outside > 0 ? one : zero;
            if (range > 0) d = smaller(outside / range, one);
            store(out + h, load<V>(out + h) + weight * d * d);
        }
    }
    for (int64_t h = 0; h < found.count; ++h)
        out[h] = std::sqrt(out[h]) * found.tried[static_cast<size_t>(h)] / found.right[static_cast<size_t>(h)];
}
