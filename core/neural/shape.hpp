// What a feed-forward net is made of, and where its parameters lie in one vector.
//
//   a₀ = the row: its numbers and, for nominal columns of many categories, a vector per category (an embedding)
//   a_l = h(b_l + a_{l−1} W_l),   scores = b_L + a_{L−1} W_L
//
// Parameters of a layer are panels of 16 outputs; a panel holds a row of 16 weights for each input and the biases as one
// row more, so that products read it from front to back. Outputs are filled up to whole panels by units whose weights
// are and stay 0. Embeddings come after the layers, one row of `dims[e]` numbers per category; then, of each hidden layer
// that is normalised, the factors γ, the offsets β and the running means and variances of its units, in whole panels.
#pragma once

#include <vector>

#include "base/matrix.hpp"

namespace learnt {

inline constexpr int64_t panel_width = 16;

enum class Activation : int { identity, sigmoid, tanh, relu, gelu };

// Of scores f and the target y, with q the probabilities that belong to f:
//   squared_error  ½(f − y)²        absolute_error  |f − y|       huber  quadratic within `width`, then linear
//   poisson  e^f − y f              logistic  log(1 + e^f) − y f, of one unit
//   softmax  −log q_y               sigmoid_squared  ½ Σ (q − t)², q = 1/(1 + e^−f), t the indicators of y
//   given    what a function says; see GivenLoss in neural/losses.hpp
enum class NetLoss : int { squared_error, absolute_error, huber, poisson, logistic, softmax, sigmoid_squared, given };

struct NetShape {
    int64_t dense = 0;                // numbers in a row
    std::vector<int64_t> categories;  // of each embedded column
    std::vector<int64_t> dims;        // how many numbers stand for a category of it
    std::vector<int64_t> units;       // of each hidden layer, then of the scores
    Activation activation = Activation::relu;
    NetLoss loss = NetLoss::squared_error;
    double width = 1;      // of huber
    bool normalised = false;  // hidden units' sums by the mean and spread of their batch; see neural/normalise.hpp
    double smoothing = 0;  // the share of a class's probability that all classes share
    int64_t linear = -1;   // a hidden layer whose units are not bent: the code of an autoencoder

    Activation unit_of(size_t l) const { return static_cast<int64_t>(l) == linear ? Activation::identity : activation; }
};

struct DenseLayer {
    int64_t inputs, outputs, offset;

    int64_t padded() const { return round_up(outputs, panel_width); }
    int64_t panels() const { return padded() / panel_width; }
    int64_t panel_stride() const { return (inputs + 1) * panel_width; }
    int64_t size() const { return panels() * panel_stride(); }
};

struct Embedding {
    int64_t categories, dim, column, offset;  // `column` is the first of its columns among the inputs
};

struct Normalisation {
    int64_t width, offset;  // of γ; β, means and variances follow

    int64_t shift() const { return offset + width; }
    int64_t mean() const { return offset + 2 * width; }
    int64_t variance() const { return offset + 3 * width; }
};

// A layout of the parameters. Embeddings begin at a whole panel of the inputs, since gradients go back to them.
struct Layout {
    std::vector<DenseLayer> layers;
    std::vector<Embedding> embeddings;
    std::vector<Normalisation> normalisations;
    int64_t inputs = 0, embedded_from = 0, size = 0;

    explicit Layout(const NetShape &shape) {
        embedded_from = inputs = shape.dense;
        if (!shape.dims.empty()) embedded_from = inputs = round_up(shape.dense, panel_width);
        for (const int64_t dim : shape.dims) inputs += dim;
        int64_t before = inputs;
        for (const int64_t units : shape.units) {
            layers.push_back({before, units, size});
            size += layers.back().size();
            before = units;
        }
        int64_t column = embedded_from;
        for (size_t e = 0; e < shape.dims.size(); ++e) {
            embeddings.push_back({shape.categories[e], shape.dims[e], column, size});
            size += shape.categories[e] * shape.dims[e];
            column += shape.dims[e];
        }
        if (shape.normalised) size = round_up(size, panel_width);
        for (size_t l = 0; shape.normalised && l + 1 < layers.size(); ++l) {
            normalisations.push_back({layers[l].padded(), size});
            size += 4 * layers[l].padded();
        }
    }
};

}  // namespace learnt
