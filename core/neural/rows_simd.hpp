// Loops of neural/rows.hpp.

// The numbers of row i, `inputs` places; those behind the numbers are 0.
template <class Real, class Source>
void put_numbers(const NetRows<Source> &rows, int64_t i, int64_t inputs, Real *__restrict z) {
    const int64_t p = rows.x.columns, stride = rows.x.column_stride;
    const Source *__restrict x = rows.x.row(i), *__restrict center = rows.center.data(), *__restrict scale = rows.scale.data();
    constexpr Source far = static_cast<Source>(1e6);
    const Source inverse = rows.clip > 0 ? 1 / rows.clip : Source{0};
    const auto put = [&](int64_t j, Source cell) {
        Source value = (cell - center[j]) * scale[j];
        value = value == value ? value : Source{0};
        if (inverse > 0) {
            value = value > far ? far : value < -far ? -far : value;
            value /= std::sqrt(1 + (value * inverse) * (value * inverse));
        }
        z[j] = static_cast<Real>(value);
    };
    if (stride == 1)
        for (int64_t j = 0; j < p; ++j) put(j, x[j]);
    else
        for (int64_t j = 0; j < p; ++j) put(j, x[j * stride]);
    for (int64_t j = p; j < inputs; ++j) z[j] = 0;
}
