// A net learns and tells its gradient.
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

// Running means and variances go a part of the way to those of the last batch.
template <class Real>
void remember_moments(const Backprop<Real> &net, Real *parameters) {
    const Layout &layout = net.layout();
    for (size_t l = 0; l < layout.normalisations.size(); ++l) {
        const Normalisation &of = layout.normalisations[l];
        const auto go = [](Real &value, double to) { value += static_cast<Real>(running_share * (to - static_cast<double>(value))); };
        for (int64_t c = 0; c < of.width; ++c) {
            const double spread = net.units(l).spread[c];
            go(parameters[of.mean() + c], net.units(l).mean[c]);
            go(parameters[of.variance() + c], std::max(0.0, spread * spread - variance_floor));
        }
    }
}

// Steps of batch_size rows over the rows listed in `order`, `count` of them; rates[s] is the length of step s. Gives Σ w L,
// each L as it was before its step; ends at the first batch whose loss is no number. A batch of one row, which has no
// spread, is normalised by the running moments.
//   parameters, speed, square   updated
template <class Real, class Source>
double train_net(const NetShape &shape, const NetRows<Source> &rows, const int64_t *order, int64_t count,
                 const double *targets, const double *weights, const NetSteps &settings, const double *rates,
                 Real *parameters, Real *speed, Real *square, const GivenLoss *given = nullptr) {
    const int64_t batch = std::clamp<int64_t>(settings.batch_size, 1, std::max<int64_t>(count, 1));
    Backprop<Real> net(shape, batch, given);
    const Encoder<Real, Source> encoder(rows, net.layout());
    const Level level = current_level();
    const Buffer<Real> lined_up(net.layout().size);  // see neural/skipping.hpp
    std::copy_n(parameters, net.layout().size, lined_up.data());
    net.read(lined_up.data());
    double loss = 0;
    work_as_team(net.is_large(batch), [&](Team &team) {
        BetweenSteps between;
        for (int64_t first = 0, s = 0; first < count && std::isfinite(loss); first += batch, ++s) {
            between.check();
            const int64_t step = settings.first_step + s, n = std::min(batch, count - first);
            const StepFactors<Real> factors(settings, rates[s], static_cast<double>(step + 1)), free = factors.of_biases();
            const uint64_t key =
                mix_bits(static_cast<uint64_t>(settings.seed) * 0x9e3779b97f4a7c15u ^ static_cast<uint64_t>(step));
            loss += net.step(team, encoder, rows, order + first, n, targets, weights, lined_up.data(), key, settings.dropout,
                             n > 1, [&](const Piece<Real> &piece) {
                                 LEARNT_AT(level, step_numbers(piece.bias ? free : factors, piece.gradient,
                                                               lined_up.data() + piece.first, speed + piece.first,
                                                               square + piece.first, piece.count));
                             });
            if (n > 1) remember_moments(net, lined_up.data());
        }
    });
    std::copy_n(lined_up.data(), net.layout().size, parameters);
    return loss;
}

// Σ w L over all rows; gradient += that of Σ w L. Normalised layers take all rows as one batch.
template <class Real, class Source>
double add_net_gradient(const NetShape &shape, const NetRows<Source> &rows, const double *targets, const double *weights,
                        const Real *parameters, Real *gradient, const GivenLoss *given = nullptr) {
    const int64_t n = rows.size(), batch = shape.normalised ? std::max<int64_t>(n, 1) : 1024;
    Backprop<Real> net(shape, std::min(batch, n), given);
    const Encoder<Real, Source> encoder(rows, net.layout());
    net.read(parameters);
    std::vector<int64_t> numbers(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) numbers[static_cast<size_t>(i)] = i;
    double loss = 0;
    work_as_team(net.is_large(std::min(batch, n)), [&](Team &team) {
        BetweenSteps between;
        for (int64_t first = 0; first < n; first += batch) {
            between.check();
            const int64_t count = std::min(batch, n - first);
            loss += net.step(team, encoder, rows, numbers.data() + first, count, targets, weights, parameters, 0, 0.0, count > 1,
                             [&](const Piece<Real> &piece) {
                                 for (int64_t i = 0; i < piece.count; ++i)
                                     gradient[piece.first + i] += piece.gradient[i] * static_cast<Real>(count);
                             });
        }
    });
    return loss;
}

}  // namespace learnt
