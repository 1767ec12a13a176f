// Loops of cluster/linkage/single.hpp.

// The row q, number `newest`, has joined: rows of some groups that are nearer to it than to the tree before
// remember it; `best` is the nearest of them all, the first of equal ones.
template <Norm norm>
void approach_by(const Measure &measure, OutsideRows &rows, Range groups, const double *q, int64_t newest,
                 NearestOutside &best) {
    using V = Vector<double>;
    using I = Vector<int64_t>;
    constexpr int lanes = lanes_of<double>;
    constexpr int64_t width = OutsideRows::width;
    const int64_t p = rows.p;
    V least = splat<V>(std::numeric_limits<double>::infinity());
    I place = splat<I>(std::numeric_limits<int64_t>::max());
    I at{};
    for (int l = 0; l < lanes; ++l) at[l] = groups.first * width + l;
    for (int64_t g = groups.first; g < groups.last; ++g) {
        const double *cells = rows.cells.data() + g * p * width;
        for (int64_t i = 0; i < width; i += lanes, at += lanes) {
            V sum{};
            for (int64_t j = 0; j < p; ++j) {
                const V d = load<V>(cells + j * width + i) - q[j];
                const V term = exact_vector_term<norm>(measure, d, j);
                sum = norm == Norm::max ? larger(sum, term) : sum + term;
            }
            const int64_t slot = g * width + i;
            sum += load<V>(rows.gone.data() + slot);
            V nearest = load<V>(rows.nearest.data() + slot);
            I source = load<I>(rows.source.data() + slot);
            source = sum < nearest ? splat<I>(newest) : source;
            nearest = smaller(sum, nearest);
            store(rows.nearest.data() + slot, nearest);
            store(rows.source.data() + slot, source);
            place = nearest < least ? at : place;
            least = smaller(nearest, least);
        }
    }
    for (int l = 0; l < lanes; ++l)
        if (least[l] < best.value || (least[l] == best.value && place[l] < best.slot)) best = {least[l], place[l]};
}

inline void approach(const Measure &measure, OutsideRows &rows, Range groups, const double *q, int64_t newest,
                     NearestOutside &best) {
    with_constant<0, 1, 2, 3, 4>(static_cast<int>(measure.norm), [&](auto norm) __attribute__((always_inline)) {
        approach_by<static_cast<Norm>(norm())>(measure, rows, groups, q, newest, best);
    });
}
