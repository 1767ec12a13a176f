// Rows as a net's first layer takes them: scaled numbers, then the vectors of the categories of embedded columns.
//
//   z_j = (x_j − center_j) · scale_j, and with clip c > 0   z_j / √(1 + (z_j/c)²), which pulls in what lies far out
//
// A cell that is missing is 0. `codes` (n × embeddings, row-major) below 0 or beyond the categories have zeros.
#pragma once

#include "neural/shape.hpp"
#include "simd/levels.hpp"

namespace learnt {

template <class Source>
struct NetRows {
    Matrix<const Source> x;
    const double *center, *scale;
    double clip;
    const int32_t *codes;

    const int32_t *codes_of(int64_t i, size_t embeddings) const { return codes + i * static_cast<int64_t>(embeddings); }
};

// The vectors of a row's categories, at their places among the inputs.
template <class Real>
void put_embeddings(const Layout &layout, const int32_t *codes, const Real *parameters, Real *z) {
    for (size_t e = 0; e < layout.embeddings.size(); ++e) {
        const Embedding &table = layout.embeddings[e];
        const bool known = codes[e] >= 0 && codes[e] < table.categories;
        for (int64_t d = 0; d < table.dim; ++d)
            z[table.column + d] = known ? parameters[table.offset + codes[e] * table.dim + d] : Real{0};
    }
}

}  // namespace learnt

#define LEARNT_LOOPS "neural/rows_simd.hpp"
#include "simd/each_level.hpp"
