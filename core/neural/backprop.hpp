// Backpropagation of a batch of rows, in regions that all threads share:
//
//   rows      of each block of rows: inputs, activations, loss and the deltas of all layers, δ_l = ∂ loss / ∂ sums of layer l
//               δ_L = w_i/n ∂L/∂f,   δ_{l−1} = (δ_l W_lᵀ) ⊙ h′
//   weights   of each block of inputs of a layer: the gradient a_{l−1}ᵀ δ_l, handed to `use` where it is made, in a cache
//
// Where layers are normalised, rows wait for each other at every layer: the first region falls into one per layer and
// direction, and moments of units are found between them. Each sum is made by one thread, over rows in their order: the
// same bits for any number of threads.
#pragma once

#include "neural/batch_memory.hpp"
#include "neural/losses.hpp"
#include "neural/normalise.hpp"
#include "neural/rows.hpp"
#include "neural/team.hpp"
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
    const Level level_ = current_level();
    const BatchMemory<Real> batch_;
    Buffer<double> losses_, weights_;
    std::vector<UnitSums> units_;
    const GivenLoss *given_ = nullptr;
    std::vector<double> scores_, answers_;  // of a loss from outside: scores and targets; losses and deltas
    std::vector<TermShare> shares_;  // of the inputs of each layer, block by block of rows

    static constexpr int64_t row_block = 32, input_block = 32, column_block = 8 * panel_width;
    // Steps of fewer products run on one thread. Weights that one core has written and another reads go through the slowest
    // cache they share: measured (Zen 4, 784 numbers, batches of 128 and 256), two threads took longer than one up to 512
    // units, whether blocks were handed out by chance or kept by their threads.
    static constexpr int64_t small = int64_t{1} << 27;

    void put_sums_of(size_t l, Range rows, const Real *parameters, TermShare &share) const {
        const int64_t stride = batch_.stride_of(l);
        share = put_sums(level_, batch_.layer(l), parameters, batch_.inputs_of(l) + rows.first * stride, stride, rows.size(),
                         batch_.activations(l) + rows.first * batch_.widths[l]);
    }

    void activate(size_t l, Range rows, const Real *parameters, uint64_t key, double dropout) const {
        const int64_t width = batch_.widths[l], first = rows.first * width, count = rows.size() * width;
        Real *const to = batch_.activations(l) + first, *const slope = batch_.slopes(l) + first;
        if (shape_.normalised) {
            const Normalisation &of = batch_.layout.normalisations[l];
            for (int64_t i = 0; i < count; i += width)
                normalise_row(units_[l], parameters + of.offset, parameters + of.shift(), width, to + i,
                              batch_.standard(l) + first + i);
        }
        LEARNT_AT(level_, apply_units(shape_.unit_of(l), to, slope, count));
        if (dropout > 0)
            LEARNT_AT(level_, drop_units(mix_bits(key + l), static_cast<uint64_t>(first), dropout, to, slope, count));
    }

    // Asks a loss from outside about all rows of the batch.
    void ask_given(const int64_t *numbers, int64_t n, const double *targets) {
        const int64_t k = batch_.layer(batch_.last()).outputs, width = batch_.widths[batch_.last()];
        const size_t cells = static_cast<size_t>(n * k);
        scores_.resize(cells + static_cast<size_t>(n)), answers_.resize(cells + static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t c = 0; c < k; ++c)
                scores_[static_cast<size_t>(i * k + c)] = static_cast<double>(batch_.activations(batch_.last())[i * width + c]);
            scores_[cells + static_cast<size_t>(i)] = targets[numbers[i]];
        }
        (*given_)(n, k, scores_.data(), scores_.data() + cells, answers_.data(), answers_.data() + n);
    }

    double given_loss(int64_t i, int64_t n, int64_t k, Real *delta) const {
        const double *const deltas = answers_.data() + n + i * k;
        for (int64_t c = 0; c < k; ++c) delta[c] = static_cast<Real>(deltas[c]);
        return answers_[static_cast<size_t>(i)];
    }

    // Deltas of the scores.
    template <class Loss>
    void find_losses(Range rows, int64_t n, const Loss &loss_of) const {
        const int64_t k = batch_.layer(batch_.last()).outputs, width = batch_.widths[batch_.last()];
        for (int64_t i = rows.first; i < rows.last; ++i) {
            Real *const delta = batch_.deltas(batch_.last()) + i * width;
            losses_[i] = weights_[i] * loss_of(i, batch_.activations(batch_.last()) + i * width, delta);
            const Real share = static_cast<Real>(weights_[i] / static_cast<double>(n));
            for (int64_t c = 0; c < k; ++c) delta[c] *= share;
            std::fill(delta + k, delta + width, Real{0});
        }
    }

    // From the deltas of layer l to those below it, or to the embeddings; of normalised units, to ∂/∂ y.
    void send_back(size_t l, Range rows) const {
        if (!batch_.turns(l)) return;
        const int64_t width = batch_.widths[l], columns = batch_.layer(l).inputs - batch_.turned_from(l);
        const Steps<Real> delta{batch_.deltas(l) + rows.first * width, width, 1};
        const Steps<Real> weights{batch_.turned.data() + batch_.turned_at[l], batch_.layer(l).outputs * panel_width, panel_width};
        const int64_t below = l > 0 ? batch_.widths[l - 1] : round_up(columns, panel_width);
        Real *const to = (l > 0 ? batch_.deltas(l - 1) : batch_.back.data()) + rows.first * below;
        std::fill_n(to, rows.size() * below, Real{0});
        LEARNT_AT(level_, add_product(delta, weights, rows.size(), batch_.layer(l).outputs, columns, Sums<Real>{to, below}));
        if (l == 0) return;
        const Real *const slope = batch_.slopes(l - 1) + rows.first * below;
        for (int64_t i = 0; i < rows.size() * below; ++i) to[i] *= slope[i];
    }

    void send_back_units(size_t l, Range rows, const Real *parameters, double total) const {
        const int64_t width = batch_.widths[l];
        for (int64_t i = rows.first; i < rows.last; ++i)
            send_back_normalised(units_[l], parameters + batch_.layout.normalisations[l].offset, batch_.standard(l) + i * width,
                                 total > 0 ? weights_[i] / total : 0.0, width, batch_.deltas(l) + i * width);
    }

    template <class Use>
    void layer_gradient(size_t l, Range block, int64_t n, bool skips, const Use &use) const {
        const DenseLayer &of = batch_.layer(l);
        const int64_t width = batch_.widths[l], stride = batch_.stride_of(l);
        const Real *const from = batch_.inputs_of(l) + block.first;
        alignas(64) Real gradient[input_block * column_block];
        for (int64_t o = 0; o < width; o += column_block) {
            const int64_t columns = std::min(column_block, width - o);
            const Sums<Real> to{gradient, panel_width, input_block * panel_width};
            std::fill_n(gradient, columns * input_block, Real{0});
            if (skips)
                skipping_gradient(from, stride, {batch_.deltas(l) + o, panel_width, width}, block.size(), n, columns, to);
            else
                LEARNT_AT(level_, add_product(Steps<Real>{from, 1, stride}, Steps<Real>{batch_.deltas(l) + o, panel_width, width},
                                              block.size(), n, columns, to));
            for (int64_t panel = 0; panel < columns; panel += panel_width)
                use(Piece<Real>{gradient + panel * input_block,
                                of.offset + (o + panel) / panel_width * of.panel_stride() + block.first * panel_width,
                                block.size() * panel_width, false});
        }
        if (block.last < of.inputs) return;
        for (int64_t o = 0; o < width; o += panel_width) {
            std::fill_n(gradient, panel_width, Real{0});
            for (int64_t i = 0; i < n; ++i)
                for (int64_t c = 0; c < panel_width; ++c) gradient[c] += batch_.deltas(l)[i * width + o + c];
            use(Piece<Real>{gradient, of.offset + o / panel_width * of.panel_stride() + of.inputs * panel_width, panel_width, true});
        }
    }

    // Activations are turned first, so that the terms of an input lie side by side.
    void skipping_gradient(const Real *from, int64_t stride, Steps<Real> deltas, int64_t inputs, int64_t n, int64_t columns,
                           Sums<Real> to) const {
        alignas(64) Real turned[input_block * term_block];
        for (int64_t i = 0; i < n; i += term_block) {
            const int64_t rows = std::min(term_block, n - i);
            LEARNT_AT(level_, turn_block(from + i * stride, stride, rows, inputs, turned, term_block));
            const Steps<Real> part{deltas.data + i * deltas.step, deltas.row, deltas.step};
            LEARNT_AT(level_, add_skipping(static_cast<const Real *>(turned), term_block, part, inputs, rows, columns, to));
        }
    }

    template <class Use>
    void embedding_gradient(size_t e, const int32_t *codes, int64_t n, const Use &use) const {
        const Embedding &table = batch_.layout.embeddings[e];
        const int64_t width = round_up(batch_.layout.inputs - batch_.layout.embedded_from, panel_width);
        const Buffer<Real> gradient(table.categories * table.dim, Real{0});
        for (int64_t i = 0; i < n; ++i) {
            const int64_t code = codes[i * static_cast<int64_t>(batch_.layout.embeddings.size()) + static_cast<int64_t>(e)];
            if (code < 0 || code >= table.categories) continue;
            const Real *const from = batch_.back.data() + i * width + table.column - batch_.layout.embedded_from;
            for (int64_t d = 0; d < table.dim; ++d) gradient[code * table.dim + d] += from[d];
        }
        use(Piece<Real>{gradient.data(), table.offset, table.categories * table.dim, false});
    }

    template <class Use>
    void units_gradient(size_t l, const Use &use) const {
        const Normalisation &of = batch_.layout.normalisations[l];
        Real part[panel_width];
        for (int64_t o = 0; o < of.width; o += panel_width) {
            const auto hand_over = [&](const Buffer<double> &sums, int64_t first) {
                for (int64_t c = 0; c < panel_width; ++c) part[c] = static_cast<Real>(sums[o + c]);
                use(Piece<Real>{part, first + o, panel_width, true});
            };
            hand_over(units_[l].products, of.offset);
            hand_over(units_[l].gradients, of.shift());
        }
    }

  public:
    Backprop(const NetShape &shape, int64_t most_rows, const GivenLoss *given = nullptr)
        : shape_(shape),
          batch_(shape, most_rows),
          losses_(batch_.most),
          weights_(batch_.most),
          shares_(batch_.layout.layers.size() * static_cast<size_t>(batch_.most / row_block + 1)) {
        for (const Normalisation &of : batch_.layout.normalisations) units_.emplace_back(of.width);
        if (shape.loss == NetLoss::given) given_ = given;
    }

    const Layout &layout() const { return batch_.layout; }

    // Whether a batch of n rows is worth more than one thread.
    bool is_large(int64_t n) const {
        int64_t products = 0;
        for (const DenseLayer &of : batch_.layout.layers) products += of.inputs * of.padded() * n;
        return products >= small;
    }
    const UnitSums &units(size_t l) const { return units_[l]; }

    // To be called when parameters were changed by others.
    void read(const Real *parameters) const {
        for (size_t l = 0; l < batch_.layout.layers.size(); ++l)
            if (batch_.turns(l)) batch_.turn(l, parameters, 0, batch_.layer(l).inputs);
    }

    // Σ w L of the batch's rows `numbers`; use(piece) once for every piece of the gradient of Σ w L / n, on any thread, which
    // may change those parameters. Moments of normalised units come of the batch where it has `moments`, else of earlier ones.
    template <class Source, class Use>
    double step(Team &team, const Encoder<Real, Source> &encoder, const NetRows<Source> &rows, const int64_t *numbers, int64_t n,
                const double *targets, const double *weights, const Real *parameters, uint64_t key, double dropout, bool moments,
                const Use &use) {
        const int64_t k = batch_.layer(batch_.last()).outputs;
        const auto loss_of = [&](int64_t i, const Real *f, Real *delta) {
            return given_ ? given_loss(i, n, k, delta) : loss_of_row(shape_, f, k, targets[numbers[i]], delta);
        };
        const auto ask = [&] { ask_given(numbers, n, targets); };
        return step_by(loss_of, given_ != nullptr, ask, team, encoder, rows, numbers, n, weights, parameters, key, dropout, moments,
                       use);
    }

    // The same for any loss of the scores of a batch's row: loss_of(its place in the batch, scores, delta), which writes
    // ∂ loss / ∂ scores. One that must know the scores of all rows first is `late`, and asked for by `ask`.
    template <class Loss, class Ask, class Source, class Use>
    double step_by(const Loss &loss_of, bool late, const Ask &ask, Team &team, const Encoder<Real, Source> &encoder,
                   const NetRows<Source> &rows, const int64_t *numbers, int64_t n, const double *weights, const Real *parameters,
                   uint64_t key, double dropout, bool moments, const Use &use) {
        const size_t layers = batch_.layout.layers.size();
        const bool alone = !is_large(n);
        const Blocks blocks{n, alone ? 1 : (n + row_block - 1) / row_block};
        const auto each = [&](int64_t count, const auto &region) {
            if (alone)
                for (int64_t b = 0; b < count; ++b) region(b);
            else
                team.run(count, region);
        };
        const auto share = [&](size_t l, int64_t b) -> TermShare & { return shares_[static_cast<size_t>(b) * layers + l]; };
        double total = 0;
        for (int64_t i = 0; i < n; ++i) total += weights_[i] = weights ? weights[numbers[i]] : 1.0;
        if (!moments) total = 0;
        const auto begin = [&](int64_t b) {
            const Range part = blocks[b];
            for (int64_t i = part.first; i < part.last; ++i)
                encoder.put(numbers[i], parameters, batch_.inputs() + i * batch_.inputs_padded);
            put_sums_of(0, part, parameters, share(0, b));
        };
        const auto go_up = [&](size_t l, int64_t b) {
            activate(l, blocks[b], parameters, key, dropout);
            put_sums_of(l + 1, blocks[b], parameters, share(l + 1, b));
        };
        const bool whole = !shape_.normalised || batch_.last() == 0;
        const auto turn_round = [&](int64_t b) {
            find_losses(blocks[b], n, loss_of);
            send_back(batch_.last(), blocks[b]);
            if (whole)
                for (size_t l = batch_.last(); l-- > 0;) send_back(l, blocks[b]);
        };
        if (whole) {
            each(blocks.count, [&](int64_t b) {
                begin(b);
                for (size_t l = 0; l < batch_.last(); ++l) go_up(l, b);
                if (!late) turn_round(b);
            });
        } else {
            each(blocks.count, begin);
            for (size_t l = 0; l < batch_.last(); ++l) {
                find_moments(l, n, total, parameters, each);
                each(blocks.count, [&](int64_t b) {
                    go_up(l, b);
                    if (l + 1 == batch_.last() && !late) turn_round(b);
                });
            }
        }
        if (late) {
            ask();
            each(blocks.count, turn_round);
        }
        for (size_t l = batch_.last(); !whole && l-- > 0;) {
            each(batch_.widths[l] / panel_width, [&](int64_t o) {
                find_unit_gradients(batch_.deltas(l), batch_.standard(l), batch_.widths[l], n, o * panel_width, units_[l]);
            });
            each(blocks.count, [&](int64_t b) {
                send_back_units(l, blocks[b], parameters, total);
                send_back(l, blocks[b]);
            });
        }
        std::vector<bool> skips(layers, false);
        for (size_t l = 0; l < layers; ++l) {
            TermShare all;
            for (int64_t b = 0; b < blocks.count; ++b) all += share(l, b);
            skips[l] = all.is_low();
        }
        update(rows, numbers, n, skips, parameters, each, use);
        double loss = 0;
        for (int64_t i = 0; i < n; ++i) loss += losses_[i];
        return loss;
    }

  private:
    template <class Each>
    void find_moments(size_t l, int64_t n, double total, const Real *parameters, const Each &each) {
        const Normalisation &of = batch_.layout.normalisations[l];
        each(of.width / panel_width, [&](int64_t panel) {
            const int64_t o = panel * panel_width;
            if (total > 0) {
                find_unit_moments(batch_.activations(l), of.width, n, weights_.data(), total, o, units_[l]);
                return;
            }
            for (int64_t c = o; c < o + panel_width; ++c) {
                units_[l].mean[c] = static_cast<double>(parameters[of.mean() + c]);
                units_[l].spread[c] = std::sqrt(static_cast<double>(parameters[of.variance() + c]) + variance_floor);
            }
        });
    }

    template <class Source, class Each, class Use>
    void update(const NetRows<Source> &rows, const int64_t *numbers, int64_t n, const std::vector<bool> &skips,
                const Real *parameters, const Each &each, const Use &use) const {
        const size_t embeddings = batch_.layout.embeddings.size();
        std::vector<int32_t> codes(static_cast<size_t>(n) * embeddings);
        for (int64_t i = 0; embeddings > 0 && i < n; ++i)
            std::copy_n(rows.codes_of(numbers[i], embeddings), embeddings, codes.data() + static_cast<size_t>(i) * embeddings);
        std::vector<std::pair<size_t, Range>> tasks;
        for (size_t l = 0; l < batch_.layout.layers.size(); ++l)
            for (int64_t k = 0; k < std::max<int64_t>(1, batch_.layer(l).inputs); k += input_block)
                tasks.push_back({l, {k, std::min(k + input_block, batch_.layer(l).inputs)}});
        const int64_t layers = static_cast<int64_t>(tasks.size()), tables = static_cast<int64_t>(embeddings);
        each(layers + tables + static_cast<int64_t>(batch_.layout.normalisations.size()), [&](int64_t b) {
            if (b >= layers + tables) {
                units_gradient(static_cast<size_t>(b - layers - tables), use);
            } else if (b >= layers) {
                embedding_gradient(static_cast<size_t>(b - layers), codes.data(), n, use);
            } else {
                const auto &[l, block] = tasks[static_cast<size_t>(b)];
                layer_gradient(l, block, n, skips[l], use);
                if (batch_.turns(l)) batch_.turn(l, parameters, block.first, block.last);
            }
        });
    }
};

}  // namespace learnt
