// Loops of neural/rows.hpp.

// What lies farther out is taken to be as far as this: sums over layers of single precision stay numbers.
constexpr double farthest_input = 1e18;

// Missing cells are 0.
LEARNT_INLINE double within_reach(double z) {
    return z > farthest_input ? farthest_input : z < -farthest_input ? -farthest_input : z == z ? z : 0.0;
}

// Scaled in double precision whatever the cells are: the same bits for floats and for doubles of the same value.
template <class Real>
LEARNT_INLINE Real scaled_number(double cell, double center, double scale) {
    return static_cast<Real>(within_reach((cell - center) * scale));
}

template <class Real>
LEARNT_INLINE Real pulled_in(Real z, Real inverse) {
    const Real far = static_cast<Real>(1e6), value = z > far ? far : z < -far ? -far : z;
    return value / std::sqrt(1 + (value * inverse) * (value * inverse));
}

// Whether one of the cells is infinite.
template <class Source>
LEARNT_INLINE bool has_infinity(const Source *__restrict x, int64_t count, int64_t stride) {
    constexpr Source end = std::numeric_limits<Source>::infinity();
    int found = 0;
    if (stride == 1)
        for (int64_t j = 0; j < count; ++j) found |= (x[j] == end) | (x[j] == -end);
    else
        for (int64_t j = 0; j < count; ++j) found |= (x[j * stride] == end) | (x[j * stride] == -end);
    return found != 0;
}

// The numbers of row i, `inputs` places; those behind the numbers are 0. `infinite` becomes true where a cell is.
template <class Real, class Source>
void put_numbers(const NetRows<Source> &rows, int64_t i, int64_t inputs, Real *__restrict z, bool &infinite) {
    const int64_t p = rows.x.columns, stride = rows.x.column_stride;
    const Source *__restrict x = rows.x.row(i);
    const double *__restrict center = rows.center, *__restrict scale = rows.scale;
    if (stride == 1)
        for (int64_t j = 0; j < p; ++j) z[j] = scaled_number<Real>(x[j], center[j], scale[j]);
    else
        for (int64_t j = 0; j < p; ++j) z[j] = scaled_number<Real>(x[j * stride], center[j], scale[j]);
    if (rows.clip > 0) {
        const Real inverse = static_cast<Real>(1 / rows.clip);
        for (int64_t j = 0; j < p; ++j) z[j] = pulled_in(z[j], inverse);
    }
    for (int64_t j = p; j < inputs; ++j) z[j] = 0;
    infinite |= has_infinity(x, p, stride);
}

// The same for cells that are not scaled.
template <class Real, class Source>
void put_plain_numbers(const NetRows<Source> &rows, int64_t i, int64_t inputs, Real *__restrict z, bool &infinite) {
    const int64_t p = rows.x.columns, stride = rows.x.column_stride;
    const Source *__restrict x = rows.x.row(i);
    const auto plain = [](Source cell) { return static_cast<Real>(within_reach(cell)); };
    if (stride == 1)
        for (int64_t j = 0; j < p; ++j) z[j] = plain(x[j]);
    else
        for (int64_t j = 0; j < p; ++j) z[j] = plain(x[j * stride]);
    for (int64_t j = p; j < inputs; ++j) z[j] = 0;
    infinite |= has_infinity(x, p, stride);
}

// The stored cells of a row, at their places; the others stand there already.
template <class Real, class Source>
void put_stored(const NetRows<Source> &rows, Range stored, Real *__restrict z, bool &infinite) {
    const Real inverse = rows.clip > 0 ? static_cast<Real>(1 / rows.clip) : Real{0};
    for (int64_t e = stored.first; e < stored.last; ++e) {
        const int64_t j = rows.cells->column[e];
        infinite |= std::isinf(rows.cells->value[e]);
        const Real value = scaled_number<Real>(rows.cells->value[e], rows.center[j], rows.scale[j]);
        z[j] = rows.clip > 0 ? pulled_in(value, inverse) : value;
    }
}
