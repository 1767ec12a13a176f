// The sums of a layer: to = b + from · W, with or without the terms that are 0, whichever is quicker; bits are the same.
//
//   parameters   of the whole net, beginning at a whole cache line
//   from         rows × stride; `stride` a multiple of 16
//   to           rows × padded outputs     written
#pragma once

#include "neural/skipping.hpp"

namespace learnt {

// Terms that are not 0 among those of every eighth row.
struct TermShare {
    int64_t found = 0, seen = 0;

    void operator+=(const TermShare &more) { found += more.found, seen += more.seen; }
    bool is_low() const { return static_cast<double>(found) < skipping_share * static_cast<double>(seen); }
};

template <class Real>
TermShare share_of_terms(Level level, const Real *a, int64_t a_row, int64_t rows, int64_t steps) {
    TermShare share{0, (rows + 7) / 8 * steps};
    LEARNT_AT(level, count_terms(a, a_row, rows, steps, share.found));
    return share;
}

template <class Real>
TermShare put_sums(Level level, const DenseLayer &of, const Real *parameters, const Real *from, int64_t stride, int64_t rows,
                   Real *to) {
    const int64_t width = of.padded();
    for (int64_t o = 0; o < width; o += panel_width) {
        const Real *const bias = parameters + of.offset + o / panel_width * of.panel_stride() + of.inputs * panel_width;
        for (int64_t i = 0; i < rows; ++i) std::copy_n(bias, panel_width, to + i * width + o);
    }
    const Steps<Real> weights{parameters + of.offset, of.panel_stride(), panel_width};
    TermShare share{1, 1};
    if (of.outputs >= skipping_columns) share = share_of_terms(level, from, stride, rows, of.inputs);
    if (share.is_low())
        LEARNT_AT(level, add_skipping(from, stride, weights, rows, of.inputs, of.outputs, Sums<Real>{to, width}));
    else
        LEARNT_AT(level, add_product(Steps<Real>{from, stride, 1}, weights, rows, of.inputs, of.outputs, Sums<Real>{to, width}));
    return share;
}

}  // namespace learnt
