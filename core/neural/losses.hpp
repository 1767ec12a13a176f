// What the scores of a row cost, and how the cost changes with each of them; see NetLoss.
#pragma once

#include <cmath>
#include <functional>

#include "neural/shape.hpp"

namespace learnt {

// A loss from outside: of scores (n × k) and targets (n), the loss of each row and ∂ loss / ∂ scores (n × k). Asked once a
// batch, on one thread.
using GivenLoss = std::function<void(int64_t n, int64_t k, const double *scores, const double *targets, double *losses,
                                     double *deltas)>;

inline double sigmoid_of(double f) { return f >= 0 ? 1 / (1 + std::exp(-f)) : std::exp(f) / (1 + std::exp(f)); }

// The loss of scores f, k of them, against y: a number, or the code of a class. delta[c] = ∂ loss / ∂ f_c.
template <class Real>
double loss_of_row(const NetShape &shape, const Real *f, int64_t k, double y, Real *delta) {
    const double f0 = static_cast<double>(f[0]), r = f0 - y, eps = shape.smoothing;
    const auto put = [&](int64_t c, double value) { delta[c] = static_cast<Real>(value); };
    switch (shape.loss) {
        case NetLoss::squared_error: put(0, r); return 0.5 * r * r;
        case NetLoss::absolute_error: put(0, (r > 0) - (r < 0)); return std::abs(r);
        case NetLoss::huber: {
            put(0, std::isnan(r) ? r : std::clamp(r, -shape.width, shape.width));
            const double size = std::abs(r);
            return size <= shape.width ? 0.5 * r * r : shape.width * (size - 0.5 * shape.width);
        }
        case NetLoss::poisson: {
            const double rate = std::exp(f0);
            put(0, rate - y);
            return rate - y * f0;
        }
        case NetLoss::logistic: {
            const double t = (1 - eps) * y + 0.5 * eps;
            put(0, sigmoid_of(f0) - t);
            return std::log1p(std::exp(-std::abs(f0))) + std::max(f0, 0.0) - t * f0;
        }
        case NetLoss::softmax: {
            double top = f0, sum = 0, loss = 0;
            for (int64_t c = 1; c < k; ++c) top = std::max(top, static_cast<double>(f[c]));
            for (int64_t c = 0; c < k; ++c) sum += std::exp(static_cast<double>(f[c]) - top);
            const double all = top + std::log(sum);
            for (int64_t c = 0; c < k; ++c) {
                const double z = static_cast<double>(f[c]) - all;
                const double t = eps / static_cast<double>(k) + (c == static_cast<int64_t>(y) ? 1 - eps : 0.0);
                put(c, std::exp(z) - t);
                if (t > 0) loss -= t * z;
            }
            return loss;
        }
        case NetLoss::sigmoid_squared: {
            double loss = 0;
            for (int64_t c = 0; c < k; ++c) {
                const double o = sigmoid_of(static_cast<double>(f[c])), t = k == 1 ? y : c == static_cast<int64_t>(y);
                put(c, (o - t) * o * (1 - o));
                loss += 0.5 * (o - t) * (o - t);
            }
            return loss;
        }
        case NetLoss::given: break;
    }
    return 0;
}

}  // namespace learnt
