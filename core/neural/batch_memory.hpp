// What a net keeps of a batch of rows on their way up and down its layers, made once for all batches.
//
//   inputs                              most × inputs, filled up to whole panels
//   activations, slopes, deltas, x̂      of each layer, most × padded outputs; x̂ where layers are normalised
//   turned                              weights with outputs first, for the way down: panels of 16 inputs
//   back                                deltas of embedded inputs
#pragma once

#include "neural/layer.hpp"

namespace learnt {

template <class Real>
struct BatchMemory {
    const Layout layout;
    const int64_t most;  // rows of a batch at most, filled up to whole squares of numbers, which are turned together
    const int64_t inputs_padded = round_up(layout.inputs, panel_width);
    std::vector<int64_t> places, widths, turned_at;
    Buffer<Real> memory, turned, back;

    BatchMemory(const NetShape &shape, int64_t most_rows)
        : layout(shape),
          most(round_up(most_rows, panel_width)),
          memory(lay_out(shape.normalised ? 4 : 3), Real{0}),
          turned(turned_at.back(), Real{0}),
          back(most * round_up(layout.inputs - layout.embedded_from, panel_width)) {}

    const DenseLayer &layer(size_t l) const { return layout.layers[l]; }
    size_t last() const { return layout.layers.size() - 1; }

    Real *inputs() const { return memory.data(); }
    Real *activations(size_t l) const { return memory.data() + places[l]; }
    Real *slopes(size_t l) const { return activations(l) + most * widths[l]; }
    Real *deltas(size_t l) const { return slopes(l) + most * widths[l]; }
    Real *standard(size_t l) const { return deltas(l) + most * widths[l]; }
    const Real *inputs_of(size_t l) const { return l > 0 ? activations(l - 1) : inputs(); }
    int64_t stride_of(size_t l) const { return l > 0 ? widths[l - 1] : inputs_padded; }

    // Deltas go down to hidden units and to embedded inputs, not to numbers.
    bool turns(size_t l) const { return l > 0 || !layout.embeddings.empty(); }
    int64_t turned_from(size_t l) const { return l > 0 ? 0 : layout.embedded_from; }

    // Weights of inputs [first, end) of a layer, outputs first.
    void turn(size_t l, const Real *parameters, int64_t first, int64_t end) const {
        const DenseLayer &of = layer(l);
        Real *const to = turned.data() + turned_at[l];
        for (int64_t k = std::max(first, turned_from(l)); k < end; ++k) {
            const int64_t at = k - turned_from(l), panel = at / panel_width * of.outputs * panel_width + at % panel_width;
            for (int64_t o = 0; o < of.outputs; ++o)
                to[panel + o * panel_width] =
                    parameters[of.offset + o / panel_width * of.panel_stride() + k * panel_width + o % panel_width];
        }
    }

  private:
    // Where everything lies, `parts` numbers for each unit; the size of all.
    int64_t lay_out(int64_t parts) {
        int64_t size = most * inputs_padded, to_turn = 0;
        for (size_t l = 0; l < layout.layers.size(); ++l) {
            places.push_back(size);
            widths.push_back(layer(l).padded());
            size += parts * most * widths.back();
            turned_at.push_back(to_turn);
            if (turns(l)) to_turn += round_up(layer(l).inputs - turned_from(l), panel_width) * layer(l).outputs;
        }
        turned_at.push_back(to_turn);
        return size;
    }
};

}  // namespace learnt
