// A net learns to give back its inputs; see neural/reconstruction.hpp for what is given back, neural/net.hpp for the rest.
#pragma once

#include "neural/cell_batch.hpp"
#include "neural/net.hpp"
#include "neural/tied.hpp"

namespace learnt {

// As train_net, with the rows as their own targets.
template <class Real, class Source>
double train_autoencoder(const NetShape &shape, const Reconstruction &of, const NetRows<Source> &rows, const int64_t *order,
                         int64_t count, const double *weights, const NetSteps &settings, const double *rates,
                         Real *parameters, Real *speed, Real *square) {
    const int64_t batch = std::clamp<int64_t>(settings.batch_size, 1, std::max<int64_t>(count, 1));
    Backprop<Real> net(shape, batch);
    const CellBatch<Real> cells(of, shape.dense, batch);
    const Level level = current_level();
    const NetRows<Real> seen = cells.seen(batch);
    const Encoder<Real, Real> encoder(seen, net.layout());
    const int64_t size = net.layout().size;
    const Buffer<Real> gradient(of.tied ? size : 0), lined_up(size);  // see neural/skipping.hpp
    const Buffer<double> own(batch);
    std::vector<int64_t> places(static_cast<size_t>(batch));
    for (int64_t i = 0; i < batch; ++i) places[static_cast<size_t>(i)] = i;
    const auto loss_of = [&](int64_t i, const Real *f, Real *delta) { return reconstruction_loss(of, cells.clean(i), f, delta); };
    std::copy_n(parameters, size, lined_up.data());
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
            cells.take(team, rows, order, count, first, n, key);
            for (int64_t i = 0; i < n; ++i) own[i] = weights ? weights[order[first + i]] : 1.0;
            const auto take_step = [&](const auto &use) {
                loss += net.step_by(loss_of, false, [] {}, team, encoder, seen, places.data(), n, own.data(), lined_up.data(), key,
                                    settings.dropout, false, use);
            };
            if (of.tied) {
                take_step([&](const Piece<Real> &piece) { std::copy_n(piece.gradient, piece.count, gradient.data() + piece.first); });
                step_tied(net.layout(), level, factors, gradient.data(), lined_up.data(), speed, square);
                net.read(lined_up.data());
            } else {
                take_step([&](const Piece<Real> &piece) {
                    LEARNT_AT(level, step_numbers(piece.bias ? free : factors, piece.gradient, lined_up.data() + piece.first,
                                                  speed + piece.first, square + piece.first, piece.count));
                });
            }
        }
    });
    std::copy_n(lined_up.data(), size, parameters);
    return loss;
}

// Σ w L over all rows, without noise; gradient += that of Σ w L. Of tied weights, L is that of the mean of both copies, so that
// the gradient of either copy is half of that of the weight.
template <class Real, class Source>
double add_autoencoder_gradient(const NetShape &shape, Reconstruction of, const NetRows<Source> &rows, const double *weights,
                                const Real *parameters, Real *gradient) {
    constexpr int64_t batch = 1024;
    of.level = 0;
    const int64_t n = rows.x.rows;
    Backprop<Real> net(shape, std::min(batch, n));
    const CellBatch<Real> cells(of, shape.dense, std::min(batch, n));
    const int64_t size = net.layout().size;
    const Buffer<Real> shared(of.tied ? size : 0), found(size, Real{0});
    if (of.tied) {
        std::copy_n(parameters, size, shared.data());
        share_tied(net.layout(), shared.data());
        parameters = shared.data();
    }
    net.read(parameters);
    std::vector<int64_t> numbers(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) numbers[static_cast<size_t>(i)] = i;
    const auto loss_of = [&](int64_t i, const Real *f, Real *delta) { return reconstruction_loss(of, cells.clean(i), f, delta); };
    double loss = 0;
    work_as_team(net.is_large(std::min(batch, n)), [&](Team &team) {
        BetweenSteps between;
        for (int64_t first = 0; first < n; first += batch) {
            between.check();
            const int64_t count = std::min(batch, n - first);
            cells.take(team, rows, numbers.data(), n, first, count, 0);
            const NetRows<Real> seen = cells.seen(count);
            const Encoder<Real, Real> encoder(seen, net.layout());
            loss += net.step_by(loss_of, false, [] {}, team, encoder, seen, numbers.data(), count,
                                weights ? weights + first : nullptr, parameters, 0, 0.0, false, [&](const Piece<Real> &piece) {
                                    for (int64_t i = 0; i < piece.count; ++i)
                                        found[piece.first + i] += piece.gradient[i] * static_cast<Real>(count);
                                });
        }
    });
    if (of.tied) share_tied(net.layout(), found.data());
    for (int64_t i = 0; i < size; ++i) gradient[i] += found[i];
    return loss;
}

}  // namespace learnt
