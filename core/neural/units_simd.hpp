// Loops of neural/units.hpp.

template <class Real>
LEARNT_INLINE Vector<Real> tanh_of(Vector<Real> x) {
    return Real{1} - Real{2} / (exp_real<Real>(Real{2} * x) + Real{1});
}

template <class Real, class F>
LEARNT_INLINE void each_unit_sum(Real *z, Real *slope, int64_t count, F f) {
    using V = Vector<Real>;
    for (int64_t i = 0; i < count; i += lanes_of<Real>) {
        V steep;
        store(z + i, f(load<V>(z + i), steep));
        if (slope) store(slope + i, steep);
    }
}

template <class Real>
void apply_units(Activation kind, Real *z, Real *slope, int64_t count) {
    using V = Vector<Real>;
    const V one = splat<V>(Real{1});
    switch (kind) {
        case Activation::identity:
            each_unit_sum(z, slope, count, [&](V x, V &steep) { return steep = one, x; });
            break;
        case Activation::sigmoid:
            each_unit_sum(z, slope, count, [&](V x, V &steep) {
                const V a = Real{1} / (Real{1} + exp_real<Real>(-x));
                steep = a * (Real{1} - a);
                return a;
            });
            break;
        case Activation::tanh:
            each_unit_sum(z, slope, count, [&](V x, V &steep) {
                const V a = tanh_of<Real>(x);
                steep = Real{1} - a * a;
                return a;
            });
            break;
        case Activation::relu:
            each_unit_sum(z, slope, count, [&](V x, V &steep) {
                steep = x > V{} ? one : V{};
                return x > V{} ? x : V{} + (x != x ? x : V{});  // a sum that is not a number stays one
            });
            break;
        case Activation::gelu:
            each_unit_sum(z, slope, count, [&](V x, V &steep) {
                constexpr Real c = static_cast<Real>(0.7978845608028654), d = static_cast<Real>(0.044715);
                const V t = tanh_of<Real>(c * (x + d * x * x * x)), half = Real{0.5} * (Real{1} + t);
                steep = half + Real{0.5} * x * (Real{1} - t * t) * (c * (Real{1} + 3 * d * x * x));
                return x * half;
            });
            break;
    }
}

// z ← z·mask, slope ← slope·mask: what is dropped is 0, what stays grows so that sums keep their mean. Each number is
// dropped by a hash of its place and `key` alone.
template <class Real>
void drop_units(uint64_t key, uint64_t first, double share, Real *z, Real *slope, int64_t count) {
    const Real grown = static_cast<Real>(1 / (1 - share));
    const uint64_t limit = static_cast<uint64_t>(share * 65536);
    for (int64_t i = 0; i < count; i += 4) {
        uint64_t bits = mix_bits(mix_bits((first + static_cast<uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u) ^ key);
        for (int64_t k = i; k < std::min(i + 4, count); ++k, bits >>= 16) {
            const Real mask = (bits & 0xffff) < limit ? Real{0} : grown;
            z[k] *= mask, slope[k] *= mask;
        }
    }
}
