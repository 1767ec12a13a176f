// Steps of parameters against their gradients g, with the memory each needs (Kingma and Ba 2015; Loshchilov, Hutter 2019):
//
//   sgd       w ← w − η g                      momentum   s ← μ s + g,   w ← w − η s        nesterov   w ← w − η (g + μ s)
//   adam      s ← β₁ s + (1 − β₁) g,   q ← β₂ q + (1 − β₂) g²,   w ← w − η ŝ / (√q̂ + ε),  ŝ, q̂ without their bias to 0
//   adamw     the same after w ← w − η α w; all others add α w to g instead
//
//   w, speed, square   count numbers     updated
#pragma once

#include <cmath>

#include "simd/levels.hpp"

namespace learnt {

enum class NetOptimizer : int { sgd, momentum, nesterov, adam, adamw };

struct NetSteps {
    NetOptimizer optimizer = NetOptimizer::adam;
    double alpha = 0;  // of weights, never of biases
    double momentum = 0.9, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    double dropout = 0;
    int64_t batch_size = 128;
    int64_t seed = 0, first_step = 0;  // steps taken before
};

// What one step multiplies by; worked out once per step.
template <class Real>
struct StepFactors {
    NetOptimizer optimizer;
    Real rate, penalty, shrink, momentum, beta1, beta2, epsilon, unbias1, unbias2;

    StepFactors(const NetSteps &s, double eta, double step)
        : optimizer(s.optimizer),
          rate(static_cast<Real>(eta)),
          penalty(static_cast<Real>(s.optimizer == NetOptimizer::adamw ? 0.0 : s.alpha)),
          shrink(static_cast<Real>(s.optimizer == NetOptimizer::adamw ? 1 - eta * s.alpha : 1.0)),
          momentum(static_cast<Real>(s.momentum)),
          beta1(static_cast<Real>(s.beta1)),
          beta2(static_cast<Real>(s.beta2)),
          epsilon(static_cast<Real>(s.epsilon)),
          unbias1(static_cast<Real>(eta / (1 - std::pow(s.beta1, step)))),
          unbias2(static_cast<Real>(1 / std::sqrt(1 - std::pow(s.beta2, step)))) {}

    StepFactors of_biases() const {
        StepFactors free = *this;
        free.penalty = 0, free.shrink = 1;
        return free;
    }
};

}  // namespace learnt

#define LEARNT_LOOPS "neural/update_simd.hpp"
#include "simd/each_level.hpp"
