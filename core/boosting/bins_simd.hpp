// Loops of boosting/bins.hpp.

// code = #{edges < x} by halving, all cells of a tile step by step; `size`, a power of two, counts the edges
// padded with infinities (at least one). NaN gets the code `lost`.
template <class Real>
void bin_codes_of(const Real *x, int64_t n, const Real *edges, int64_t size, int32_t lost, int32_t *code) {
    for (int64_t i = 0; i < n; ++i) code[i] = 0;
    for (int32_t step = static_cast<int32_t>(size / 2); step > 0; step /= 2)
        for (int64_t i = 0; i < n; ++i) code[i] += edges[code[i] + step - 1] < x[i] ? step : 0;
    for (int64_t i = 0; i < n; ++i) code[i] = x[i] != x[i] ? lost : code[i];
}
