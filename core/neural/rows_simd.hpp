// Loops of neural/rows.hpp.

// The numbers of row i, `inputs` places; those behind the numbers are 0.
template <class Real, class Source>
void put_numbers(const NetRows<Source> &rows, int64_t i, int64_t inputs, Real *__restrict z) {
    const int64_t p = rows.x.columns, stride = rows.x.column_stride;
    const Source *__restrict x = rows.x.row(i);
    const double *__restrict center = rows.center, *__restrict scale = rows.scale;
    // Scaled in double precision whatever the cells are: the same bits for floats and for doubles of the same value.
    const auto put = [&](int64_t j, double cell) {
        const double scaled = (cell - center[j]) * scale[j];
        z[j] = static_cast<Real>(scaled == scaled ? scaled : 0.0);
    };
    if (stride == 1)
        for (int64_t j = 0; j < p; ++j) put(j, x[j]);
    else
        for (int64_t j = 0; j < p; ++j) put(j, x[j * stride]);
    if (rows.clip > 0) {
        const Real inverse = static_cast<Real>(1 / rows.clip), far = static_cast<Real>(1e6);
        for (int64_t j = 0; j < p; ++j) {
            const Real value = z[j] > far ? far : z[j] < -far ? -far : z[j];
            z[j] = value / std::sqrt(1 + (value * inverse) * (value * inverse));
        }
    }
    for (int64_t j = p; j < inputs; ++j) z[j] = 0;
}
