// Rows as a net's first layer takes them: scaled numbers, then the vectors of the categories of embedded columns.
//
//   z_j = (x_j − center_j) · scale_j, and with clip c > 0   z_j / √(1 + (z_j/c)²), which pulls in what lies far out
//
// A cell that is missing is 0. `codes` (n × embeddings, row-major) below 0 or beyond the categories have zeros. Rows are
// dense, or store their non-zero cells only: then `cells` is used, and x has no rows.
#pragma once

#include "base/csr.hpp"
#include "neural/shape.hpp"
#include "simd/levels.hpp"

namespace learnt {

template <class Source>
struct NetRows {
    Matrix<const Source> x;
    const double *center, *scale;
    double clip;
    const int32_t *codes;
    const Csr<Source> *cells = nullptr;

    int64_t size() const { return cells ? cells->rows : x.rows; }
    int64_t columns() const { return cells ? cells->columns : x.columns; }
    const int32_t *codes_of(int64_t i, size_t embeddings) const { return codes + i * static_cast<int64_t>(embeddings); }

    // Zeros stay zeros, all of them; with `scales` false, all cells stay what they are.
    bool centered() const { return std::any_of(center, center + columns(), [](double c) { return c != 0; }); }
    bool scales() const {
        return clip > 0 || centered() || std::any_of(scale, scale + columns(), [](double s) { return s != 1; });
    }
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

namespace learnt {

// Rows and what is worked out of them once.
template <class Real, class Source>
class Encoder {
    const NetRows<Source> &rows_;
    const Layout &layout_;
    const Level level_ = current_level();
    const bool scales_ = rows_.scales();
    const int64_t width_ = round_up(layout_.inputs, panel_width);
    Buffer<Real> empty_;  // a row without stored cells

  public:
    Encoder(const NetRows<Source> &rows, const Layout &layout) : rows_(rows), layout_(layout), empty_(rows.cells ? width_ : 0) {
        if (!rows.cells) return;
        const Buffer<Source> none(rows.columns(), Source{0});
        const NetRows<Source> one{{none.data(), 1, rows.columns(), rows.columns(), 1}, rows.center, rows.scale, rows.clip, nullptr};
        bool none_is = false;
        LEARNT_AT(level_, put_numbers(one, 0, width_, empty_.data(), none_is));
    }

    // Row i, `width_` places, those behind the inputs 0. Whether a cell is infinite.
    bool put(int64_t i, const Real *parameters, Real *z) const {
        bool infinite = false;
        if (rows_.cells) {
            const Range stored = rows_.cells->row(i);
            std::copy_n(empty_.data(), width_, z);
            LEARNT_AT(level_, put_stored(rows_, stored, z, infinite));
        } else if (scales_) {
            LEARNT_AT(level_, put_numbers(rows_, i, width_, z, infinite));
        } else {
            LEARNT_AT(level_, put_plain_numbers(rows_, i, width_, z, infinite));
        }
        if (!layout_.embeddings.empty())
            put_embeddings(layout_, rows_.codes_of(i, layout_.embeddings.size()), parameters, z);
        return infinite;
    }
};

}  // namespace learnt
