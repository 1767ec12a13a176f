// A net learns, scores and tells its gradient.
//
//   rows                      n rows; see neural/rows.hpp
//   targets, weights          n; numbers or codes of classes; weights null: ones
//   parameters                see neural/shape.hpp
#pragma once

#include "neural/backprop.hpp"
#include "neural/update.hpp"

namespace learnt {

// Steps are shorter than the interval at which a job asks whether its work shall end: asked between steps instead.
class BetweenSteps {
    using Clock = std::chrono::steady_clock;
    Clock::time_point next_ = Clock::now() + poll_interval;

  public:
    void check() {
        if (stop_requested.load(std::memory_order_relaxed)) throw Stopped{};
        const auto now = Clock::now();
        if (now < next_) return;
        next_ = now + poll_interval;
        if (const auto poll = poll_hook.load()) poll();
    }
};

// Steps of batch_size rows over the rows listed in `order`, `count` of them; rates[s] is the length of step s. Gives Σ w L,
// each L as it was before its step; ends at the first batch whose loss is no number.
//   parameters, speed, square   updated
template <class Real, class Source>
double train_net(const NetShape &shape, const NetRows<Source> &rows, const int64_t *order, int64_t count,
                 const double *targets, const double *weights, const NetSteps &settings, const double *rates,
                 Real *parameters, Real *speed, Real *square) {
    const int64_t batch = std::clamp<int64_t>(settings.batch_size, 1, std::max<int64_t>(count, 1));
    const Backprop<Real> net(shape, batch);
    const Level level = current_level();
    net.read(parameters);
    double loss = 0;
    BetweenSteps between;
    for (int64_t first = 0, s = 0; first < count; first += batch, ++s) {
        between.check();
        const int64_t step = settings.first_step + s;
        const StepFactors<Real> factors(settings, rates[s], static_cast<double>(step + 1)), free = factors.of_biases();
        const uint64_t key = mix_bits(static_cast<uint64_t>(settings.seed) * 0x9e3779b97f4a7c15u ^ static_cast<uint64_t>(step));
        loss += net.step(rows, order + first, std::min(batch, count - first), targets, weights, parameters, key,
                         settings.dropout, [&](const Piece<Real> &piece) {
                             LEARNT_AT(level, step_numbers(piece.bias ? free : factors, piece.gradient, parameters + piece.first,
                                                           speed + piece.first, square + piece.first, piece.count));
                         });
        if (!std::isfinite(loss)) break;
    }
    return loss;
}

// Σ w L over all rows; gradient += that of Σ w L.
template <class Real, class Source>
double add_net_gradient(const NetShape &shape, const NetRows<Source> &rows, const double *targets, const double *weights,
                        const Real *parameters, Real *gradient) {
    constexpr int64_t batch = 1024;
    const int64_t n = rows.x.rows;
    const Backprop<Real> net(shape, std::min(batch, n));
    net.read(parameters);
    std::vector<int64_t> numbers(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) numbers[static_cast<size_t>(i)] = i;
    double loss = 0;
    BetweenSteps between;
    for (int64_t first = 0; first < n; first += batch) {
        between.check();
        const int64_t count = std::min(batch, n - first);
        loss += net.step(rows, numbers.data() + first, count, targets, weights, parameters, 0, 0.0, [&](const Piece<Real> &piece) {
            for (int64_t i = 0; i < piece.count; ++i)
                gradient[piece.first + i] += piece.gradient[i] * static_cast<Real>(count);
        });
    }
    return loss;
}

// scores   n × outputs, row-major     written
template <class Real, class Source>
void score_net(const NetShape &shape, const NetRows<Source> &rows, const Real *parameters, double *scores) {
    const Layout layout(shape);
    const Level level = current_level();
    constexpr int64_t block = 64;
    const int64_t n = rows.x.rows, k = layout.layers.back().outputs, inputs = round_up(layout.inputs, panel_width);
    int64_t widest = inputs;
    for (const DenseLayer &of : layout.layers) widest = std::max(widest, of.padded());
    // The bits of a row do not depend on its neighbours: each sum runs over the inputs in their order.
    const Blocks blocks{n, (n + block - 1) / block};
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        job.check();
        const Range part = blocks[b];
        const Buffer<Real> one(block * widest), other(block * widest);
        Real *from = one.data(), *to = other.data();
        for (int64_t i = 0; i < part.size(); ++i) {
            LEARNT_AT(level, put_numbers(rows, part.first + i, inputs, from + i * inputs));
            if (!layout.embeddings.empty())
                put_embeddings(layout, rows.codes_of(part.first + i, layout.embeddings.size()), parameters, from + i * inputs);
        }
        int64_t stride = inputs;
        for (size_t l = 0; l < layout.layers.size(); ++l) {
            const DenseLayer &of = layout.layers[l];
            Backprop<Real>::add_layer(level, of, parameters, from, stride, part.size(), to);
            if (l + 1 < layout.layers.size())
                LEARNT_AT(level, apply_units(shape.activation, to, static_cast<Real *>(nullptr), part.size() * of.padded()));
            std::swap(from, to);
            stride = of.padded();
        }
        for (int64_t i = 0; i < part.size(); ++i)
            for (int64_t c = 0; c < k; ++c) scores[(part.first + i) * k + c] = static_cast<double>(from[i * stride + c]);
    });
}

}  // namespace learnt
