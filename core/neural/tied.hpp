// Tied weights: those of decoder layer L − 1 − l are those of encoder layer l, turned. Both are stored, so that products
// read either from front to back.
#pragma once

#include "neural/update.hpp"
#include "neural/shape.hpp"

namespace learnt {

inline int64_t weight_place(const DenseLayer &of, int64_t input, int64_t output) {
    return of.offset + output / panel_width * of.panel_stride() + input * panel_width + output % panel_width;
}

// each(place in the encoder, place in the decoder) of every tied weight. The last layer may give back fewer inputs than
// the first one takes.
template <class Each>
void each_tied(const Layout &layout, const Each &each) {
    const size_t layers = layout.layers.size();
    for (size_t l = 0; l < layers / 2; ++l) {
        const DenseLayer &in = layout.layers[l], &out = layout.layers[layers - 1 - l];
        const int64_t inputs = std::min(in.inputs, out.outputs);
        for (int64_t k = 0; k < inputs; ++k)
            for (int64_t o = 0; o < in.outputs; ++o) each(weight_place(in, k, o), weight_place(out, o, k));
    }
}

// Both copies become their mean.
template <class Real>
void share_tied(const Layout &layout, Real *values) {
    each_tied(layout, [&](int64_t a, int64_t b) { values[a] = values[b] = (values[a] + values[b]) / 2; });
}

// One step of the encoder's weights, by the gradients of both copies, and of all biases; the decoder's weights follow.
//   gradient   that of the parameters, as if none were tied     changed
template <class Real>
void step_tied(const Layout &layout, Level level, const StepFactors<Real> &factors, Real *gradient, Real *parameters,
               Real *speed, Real *square) {
    each_tied(layout, [&](int64_t a, int64_t b) { gradient[a] += gradient[b]; });
    const StepFactors<Real> free = factors.of_biases();
    const auto step = [&](const StepFactors<Real> &by, int64_t first, int64_t count) {
        LEARNT_AT(level, step_numbers(by, gradient + first, parameters + first, speed + first, square + first, count));
    };
    for (size_t l = 0; l < layout.layers.size(); ++l) {
        const DenseLayer &of = layout.layers[l];
        for (int64_t panel = 0; panel < of.panels(); ++panel) {
            const int64_t first = of.offset + panel * of.panel_stride(), weights = of.inputs * panel_width;
            if (l < layout.layers.size() / 2) step(factors, first, weights);
            step(free, first + weights, panel_width);
        }
    }
    each_tied(layout, [&](int64_t a, int64_t b) { parameters[b] = parameters[a]; });
}

}  // namespace learnt
