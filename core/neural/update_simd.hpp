// Loops of neural/update.hpp: plain ones, which compilers turn into vectors of the level.

template <class Real>
void step_numbers(const StepFactors<Real> &f, const Real *__restrict g, Real *__restrict w, Real *__restrict speed,
                  Real *__restrict square, int64_t count) {
    switch (f.optimizer) {
        case NetOptimizer::sgd:
            for (int64_t i = 0; i < count; ++i) w[i] -= f.rate * (g[i] + f.penalty * w[i]);
            break;
        case NetOptimizer::momentum:
            for (int64_t i = 0; i < count; ++i) {
                speed[i] = f.momentum * speed[i] + (g[i] + f.penalty * w[i]);
                w[i] -= f.rate * speed[i];
            }
            break;
        case NetOptimizer::nesterov:
            for (int64_t i = 0; i < count; ++i) {
                const Real full = g[i] + f.penalty * w[i];
                speed[i] = f.momentum * speed[i] + full;
                w[i] -= f.rate * (full + f.momentum * speed[i]);
            }
            break;
        case NetOptimizer::adam:
        case NetOptimizer::adamw:
            for (int64_t i = 0; i < count; ++i) {
                const Real full = g[i] + f.penalty * w[i];
                speed[i] = f.beta1 * speed[i] + (1 - f.beta1) * full;
                square[i] = f.beta2 * square[i] + (1 - f.beta2) * full * full;
                w[i] = f.shrink * w[i] - f.unbias1 * speed[i] / (std::sqrt(square[i]) * f.unbias2 + f.epsilon);
            }
            break;
    }
}
