// Loops of table/finite.hpp.

// Whether a run of memory holds ±∞, or NaN unless only ±∞ are asked for. x − x is 0 for finite x alone.
template <class Real>
bool run_has_bad(const Real *x, int64_t count, bool infinite_only) {
    using V = Vector<Real>;
    constexpr int lanes = lanes_of<Real>, ways = 4;
    using Mask = decltype(V{} == V{});
    Mask bad[ways] = {};
    const Mask numbers = infinite_only ? Mask{} : ~Mask{};
    int64_t i = 0;
    for (; i + ways * lanes <= count; i += ways * lanes)
        LEARNT_UNROLL for (int h = 0; h < ways; ++h) {
            const V cells = load<V>(x + i + h * lanes);
            bad[h] |= (cells - cells != V{}) & ((cells == cells) | numbers);
        }
    const Mask any = (bad[0] | bad[1]) | (bad[2] | bad[3]);
    bool found = false;
    for (int l = 0; l < lanes; ++l) found |= any[l] != 0;
    for (; i < count; ++i) found |= is_bad(x[i], infinite_only);
    return found;
}

// The same for the cells of some rows, in the order of memory.
template <class Real>
void rows_have_bad(Matrix<const Real> x, Range rows, bool infinite_only, bool &found) {
    found = false;
    if (x.column_stride == 1) {
        for (int64_t i = rows.first; i < rows.last && !found; ++i) found = run_has_bad(x.row(i), x.columns, infinite_only);
    } else if (x.row_stride == 1) {
        for (int64_t j = 0; j < x.columns && !found; ++j)
            found = run_has_bad(&x(rows.first, j), rows.size(), infinite_only);
    } else {
        for (int64_t i = rows.first; i < rows.last; ++i)
            for (int64_t j = 0; j < x.columns; ++j) found |= is_bad(x(i, j), infinite_only);
    }
}
