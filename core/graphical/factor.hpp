// The algebra of factors: dense tables over sets of variables, the last variable running fastest.
//
//   combine   table(x) ∘= small(x restricted to its variables)       product, or sum of logarithms
//   reduce    small(y) = ⊕ over all x that agree with y              sum, maximum, or logarithm of a sum of exponentials
#pragma once

#include <cmath>
#include <limits>

#include "graphical/projection.hpp"

namespace learnt::graphical {

enum class Reduction { sum, maximum, log_sum };

template <class Combine>
void combine(const Projection &places, const double *small, double *table, Combine of_two) {
    double *t = table;
    for (const int32_t p : places.place) {
        for (int64_t j = 0; j < places.run; ++j) t[j] = of_two(t[j], small[places.consecutive ? p + j : p]);
        t += places.run;
    }
}

template <class Visit>
void each_entry(const Projection &places, const double *table, Visit visit) {
    const double *t = table;
    for (const int32_t p : places.place) {
        for (int64_t j = 0; j < places.run; ++j) visit(t[j], places.consecutive ? p + j : p);
        t += places.run;
    }
}

// `small`, of `size` entries, is written.
inline void reduce(const Projection &places, const double *table, Reduction how, int64_t size, double *small) {
    constexpr double nothing = -std::numeric_limits<double>::infinity();
    if (how == Reduction::sum) {
        std::fill_n(small, size, 0.0);
        places.add(table, 1.0, small);
        return;
    }
    std::fill_n(small, size, nothing);
    each_entry(places, table, [&](double x, int64_t p) { small[p] = std::max(small[p], x); });
    if (how == Reduction::maximum) return;
    std::vector<double> total(static_cast<size_t>(size), 0.0);  // of exponentials, the largest of them being 1
    each_entry(places, table, [&](double x, int64_t p) {
        if (small[p] > nothing) total[static_cast<size_t>(p)] += std::exp(x - small[p]);
    });
    for (int64_t p = 0; p < size; ++p)
        if (small[p] > nothing) small[p] += std::log(total[static_cast<size_t>(p)]);
}

}  // namespace learnt::graphical
