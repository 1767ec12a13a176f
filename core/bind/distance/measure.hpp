// A measure of distance/measure.hpp from what Python gives.
#pragma once

#include "bind/arrays.hpp"
#include "distance/measure.hpp"

namespace learnt::bind {

inline Norm norm_named(const std::string &name) {
    const char *names[] = {"l1", "l2", "max", "lp", "hamming"};
    for (int i = 0; i < 5; ++i)
        if (name == names[i]) return static_cast<Norm>(i);
    refuse("'norm' is '" + name + "'. Expected 'l1', 'l2', 'max', 'lp' or 'hamming'.");
}

inline Measure measure_of(const std::string &norm, double power, const Maybe<In<double>> &weights, int64_t p) {
    Measure m{norm_named(norm), power, vector("weights", weights, p), static_cast<double>(p)};
    if (m.norm == Norm::lp && !(power >= 1)) refuse("'power' is " + std::to_string(power) + ". Expected 1 or more.");
    if (m.norm == Norm::lp && power == std::floor(power) && power <= 16) m.whole = static_cast<int>(power);
    if (m.weights) {
        m.total = 0;
        for (int64_t j = 0; j < p; ++j) m.total += m.weights[j];
    }
    return m;
}

}  // namespace learnt::bind
