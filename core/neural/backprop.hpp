// Backpropagation of a batch of rows, in two regions that all threads share:
//
//   rows      of each block of rows: inputs, activations, loss and the deltas of all layers, δ_l = ∂ loss / ∂ sums of layer l
//               δ_L = w_i/n ∂L/∂f,   δ_{l−1} = (δ_l W_lᵀ) ⊙ h′
//   weights   of each block of inputs of a layer: the gradient a_{l−1}ᵀ δ_l, handed to `use` where it is made, in a cache
//
// Each sum is made by one thread, over rows in their order: the same bits for any number of threads.
#pragma once

#include "base/pool.hpp"
#include "neural/losses.hpp"
#include "neural/product.hpp"
#include "neural/rows.hpp"
#include "neural/units.hpp"

namespace learnt {

// A piece of the gradient as `use` gets it: `count` numbers from parameter `first` on.
template <class Real>
struct Piece {
    const Real *gradient;
    int64_t first, count;
    bool bias;
};

template <class Real>
class Backprop {
    const NetShape &shape_;
    const Layout layout_;
    const Level level_ = current_level();
    const int64_t most_;  // rows of a batch at most
    std::vector<int64_t> places_, widths_, turned_at_;
    int64_t inputs_padded_;
    Buffer<Real> memory_, turned_, back_;
    Buffer<double> losses_;

    static constexpr int64_t row_block = 32, input_block = 32;
    // Work below which a second thread costs more than it brings, in products.
    static constexpr int64_t small = 1 << 21;

    // Activations, slopes and deltas of layer l, each most_ × padded.
    Real *activations(size_t l) const { return memory_.data() + places_[l]; }
    Real *slopes(size_t l) const { return activations(l) + most_ * widths_[l]; }
    Real *deltas(size_t l) const { return slopes(l) + most_ * widths_[l]; }
    Real *inputs() const { return memory_.data(); }
    const DenseLayer &layer(size_t l) const { return layout_.layers[l]; }
    bool turns(size_t l) const { return l > 0 || !layout_.embeddings.empty(); }
    int64_t turned_from(size_t l) const { return l > 0 ? 0 : layout_.embedded_from; }

    int64_t memory_needed() {
        inputs_padded_ = round_up(layout_.inputs, panel_width);
        int64_t size = most_ * inputs_padded_, turned = 0;
        for (size_t l = 0; l < layout_.layers.size(); ++l) {
            places_.push_back(size);
            widths_.push_back(layer(l).padded());
            size += 3 * most_ * widths_.back();
            turned_at_.push_back(turned);
            if (turns(l)) turned += round_up(layer(l).inputs - turned_from(l), panel_width) * layer(l).outputs;
        }
        turned_at_.push_back(turned);
        return size;
    }

    // Weights of inputs [first, last) of a layer, outputs first: panels of 16 inputs.
    void turn(size_t l, const Real *parameters, int64_t first, int64_t last) const {
        const DenseLayer &of = layer(l);
        Real *const to = turned_.data() + turned_at_[l];
        for (int64_t k = std::max(first, turned_from(l)); k < last; ++k) {
            const int64_t at = k - turned_from(l), panel = at / panel_width * of.outputs * panel_width + at % panel_width;
            for (int64_t o = 0; o < of.outputs; ++o)
                to[panel + o * panel_width] =
                    parameters[of.offset + o / panel_width * of.panel_stride() + k * panel_width + o % panel_width];
        }
    }

    Steps<Real> turned_weights(size_t l) const {
        return {turned_.data() + turned_at_[l], layer(l).outputs * panel_width, panel_width};
    }

    void forward(Range rows, const Real *parameters, uint64_t key, double dropout) const {
        const Real *from = inputs();
        int64_t stride = inputs_padded_;
        for (size_t l = 0; l < layout_.layers.size(); ++l) {
            const DenseLayer &of = layer(l);
            const int64_t width = widths_[l];
            Real *const to = activations(l) + rows.first * width;
            add_layer(level_, of, parameters, from + rows.first * stride, stride, rows.size(), to);
            if (l + 1 < layout_.layers.size()) {
                Real *const slope = slopes(l) + rows.first * width;
                LEARNT_AT(level_, apply_units(shape_.activation, to, slope, rows.size() * width));
                if (dropout > 0)
                    LEARNT_AT(level_, drop_units(mix_bits(key + l), static_cast<uint64_t>(rows.first * width), dropout,
                                                 to, slope, rows.size() * width));
            }
            from = activations(l), stride = width;
        }
    }

    void backward(Range rows) const {
        for (size_t l = layout_.layers.size(); l-- > 0;) {
            if (!turns(l)) break;
            const int64_t width = widths_[l], columns = layer(l).inputs - turned_from(l);
            const Steps<Real> delta{deltas(l) + rows.first * width, width, 1};
            const int64_t below = l > 0 ? widths_[l - 1] : round_up(columns, panel_width);
            Real *const to = (l > 0 ? deltas(l - 1) : back_.data()) + rows.first * below;
            std::fill_n(to, rows.size() * below, Real{0});
            LEARNT_AT(level_, add_product(delta, turned_weights(l), rows.size(), layer(l).outputs, columns, to, below));
            if (l == 0) break;
            const Real *const slope = slopes(l - 1) + rows.first * below;
            for (int64_t i = 0; i < rows.size() * below; ++i) to[i] *= slope[i];
        }
    }

    template <class Use>
    void layer_gradient(size_t l, Range block, int64_t n, const Use &use) const {
        const DenseLayer &of = layer(l);
        const int64_t width = widths_[l], stride = l > 0 ? widths_[l - 1] : inputs_padded_;
        const Real *const from = (l > 0 ? activations(l - 1) : inputs()) + block.first;
        const Steps<Real> a{from, 1, stride}, b{deltas(l), panel_width, width};
        Real gradient[input_block * panel_width * 2];
        for (int64_t o = 0; o < width; o += 2 * panel_width) {
            const int64_t columns = std::min(2 * panel_width, width - o);
            std::fill_n(gradient, block.size() * columns, Real{0});
            const Steps<Real> part{b.data + o, b.row, b.step};
            LEARNT_AT(level_, add_product(a, part, block.size(), n, columns, gradient, columns));
            for (int64_t k = 0; k < block.size(); ++k)
                for (int64_t panel = 0; panel < columns; panel += panel_width)
                    use(Piece<Real>{gradient + k * columns + panel,
                                    of.offset + (o + panel) / panel_width * of.panel_stride() + (block.first + k) * panel_width,
                                    panel_width, false});
        }
        if (block.last < of.inputs) return;
        for (int64_t o = 0; o < width; o += panel_width) {
            std::fill_n(gradient, panel_width, Real{0});
            for (int64_t i = 0; i < n; ++i)
                for (int64_t c = 0; c < panel_width; ++c) gradient[c] += deltas(l)[i * width + o + c];
            use(Piece<Real>{gradient, of.offset + o / panel_width * of.panel_stride() + of.inputs * panel_width, panel_width, true});
        }
    }

    template <class Use>
    void embedding_gradient(size_t e, const int32_t *codes, int64_t n, const Use &use) const {
        const Embedding &table = layout_.embeddings[e];
        const int64_t width = round_up(layout_.inputs - layout_.embedded_from, panel_width);
        const Buffer<Real> gradient(table.categories * table.dim, Real{0});
        for (int64_t i = 0; i < n; ++i) {
            const int64_t code = codes[i * static_cast<int64_t>(layout_.embeddings.size()) + static_cast<int64_t>(e)];
            if (code < 0 || code >= table.categories) continue;
            const Real *const from = back_.data() + i * width + table.column - layout_.embedded_from;
            for (int64_t d = 0; d < table.dim; ++d) gradient[code * table.dim + d] += from[d];
        }
        use(Piece<Real>{gradient.data(), table.offset, table.categories * table.dim, false});
    }

  public:
    Backprop(const NetShape &shape, int64_t most_rows)
        : shape_(shape),
          layout_(shape),
          most_(most_rows),
          inputs_padded_(0),
          memory_(memory_needed()),
          turned_(turned_at_.back(), Real{0}),
          back_(most_ * round_up(layout_.inputs - layout_.embedded_from, panel_width)),
          losses_(most_) {}

    const Layout &layout() const { return layout_; }

    static void add_layer(Level level, const DenseLayer &of, const Real *parameters, const Real *from, int64_t stride,
                          int64_t rows, Real *to) {
        const int64_t width = of.padded();
        for (int64_t o = 0; o < width; o += panel_width) {
            const Real *const bias =
                parameters + of.offset + o / panel_width * of.panel_stride() + of.inputs * panel_width;
            for (int64_t i = 0; i < rows; ++i) std::copy_n(bias, panel_width, to + i * width + o);
        }
        const Steps<Real> weights{parameters + of.offset, of.panel_stride(), panel_width};
        LEARNT_AT(level, add_product(Steps<Real>{from, stride, 1}, weights, rows, of.inputs, of.outputs, to, width));
    }

    // To be called when parameters were changed by others.
    void read(const Real *parameters) const {
        for (size_t l = 0; l < layout_.layers.size(); ++l)
            if (turns(l)) turn(l, parameters, 0, layer(l).inputs);
    }

    // Σ w L of the batch's rows `numbers`; use(piece) once for every piece of the gradient of Σ w L / n, on any thread, which
    // may change those parameters.
    template <class Source, class Use>
    double step(const NetRows<Source> &rows, const int64_t *numbers, int64_t n, const double *targets, const double *weights,
                const Real *parameters, uint64_t key, double dropout, const Use &use) const {
        const size_t last = layout_.layers.size() - 1, embeddings = layout_.embeddings.size();
        int64_t products = 0;
        for (const DenseLayer &of : layout_.layers) products += of.inputs * of.padded() * n;
        const bool alone = products < small;
        std::vector<int32_t> codes(static_cast<size_t>(n) * embeddings);
        const int64_t k = layer(last).outputs, width = widths_[last];
        const Blocks blocks{n, alone ? 1 : (n + row_block - 1) / row_block};
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            const Range part = blocks[b];
            for (int64_t i = part.first; i < part.last; ++i) {
                Real *const z = inputs() + i * inputs_padded_;
                LEARNT_AT(level_, put_numbers(rows, numbers[i], inputs_padded_, z));
                if (embeddings == 0) continue;
                const int32_t *const own = rows.codes_of(numbers[i], embeddings);
                std::copy_n(own, embeddings, codes.data() + static_cast<size_t>(i) * embeddings);
                put_embeddings(layout_, own, parameters, z);
            }
            forward(part, parameters, key, dropout);
            for (int64_t i = part.first; i < part.last; ++i) {
                Real *const delta = deltas(last) + i * width;
                const double w = weights ? weights[numbers[i]] : 1.0;
                losses_[i] = w * loss_of_row(shape_, activations(last) + i * width, k, targets[numbers[i]], delta);
                const Real share = static_cast<Real>(w / static_cast<double>(n));
                for (int64_t c = 0; c < k; ++c) delta[c] *= share;
                std::fill(delta + k, delta + width, Real{0});
            }
            backward(part);
        });
        update(codes.data(), n, alone, parameters, use);
        double loss = 0;
        for (int64_t i = 0; i < n; ++i) loss += losses_[i];
        return loss;
    }

  private:
    template <class Use>
    void update(const int32_t *codes, int64_t n, bool alone, const Real *parameters, const Use &use) const {
        std::vector<std::pair<size_t, Range>> tasks;
        for (size_t l = 0; l < layout_.layers.size(); ++l)
            for (int64_t k = 0; k < std::max<int64_t>(1, layer(l).inputs); k += input_block)
                tasks.push_back({l, {k, std::min(k + input_block, layer(l).inputs)}});
        const int64_t layers = static_cast<int64_t>(tasks.size());
        const int64_t count = layers + static_cast<int64_t>(layout_.embeddings.size());
        const auto work = [&](int64_t b) {
            if (b >= layers) {
                embedding_gradient(static_cast<size_t>(b - layers), codes, n, use);
                return;
            }
            const auto &[l, block] = tasks[static_cast<size_t>(b)];
            layer_gradient(l, block, n, use);
            if (turns(l)) turn(l, parameters, block.first, block.last);
        };
        if (alone)
            for (int64_t b = 0; b < count; ++b) work(b);
        else
            run_blocks(count, [&](int64_t b, Job &) { work(b); });
    }
};

}  // namespace learnt
