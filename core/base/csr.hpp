// Rows that store their non-zero cells only (compressed sparse rows).
#pragma once

#include <stdexcept>

#include "base/matrix.hpp"

namespace learnt {

// Row i holds value[e] in column[e] for e in [first(i), last(i)); `rows + 1` offsets of 32 or 64 bits.
template <class Real>
struct Csr {
    const Real *value;
    const int32_t *column;
    const int32_t *offset32;
    const int64_t *offset64;
    int64_t rows, columns, stored;

    int64_t offset(int64_t i) const { return offset64 ? offset64[i] : offset32[i]; }

    // Where row i begins and ends. Throws if that, or a column, lies outside: files and users make such rows.
    Range row(int64_t i) const {
        const Range r{offset(i), offset(i + 1)};
        bool outside = r.first < 0 || r.first > r.last || r.last > stored;
        if (!outside)
            for (int64_t e = r.first; e < r.last; ++e)
                outside |= static_cast<uint64_t>(column[e]) >= static_cast<uint64_t>(columns);
        if (outside) throw std::invalid_argument("Row " + std::to_string(i) + " of the sparse matrix points outside of it.");
        return r;
    }
};

// Squared distance of a sparse row to a dense centre, given |c|²: Σ (x − c)² over the stored cells and
// |c|² − Σ c² over the others. A row equal to the centre is at distance exactly 0.
template <class Real>
double squared_distance(const Csr<Real> &x, Range row, const Real *center, double center_square) {
    double difference = 0, shared = 0;
    for (int64_t e = row.first; e < row.last; ++e) {
        const double c = center[x.column[e]], d = static_cast<double>(x.value[e]) - c;
        difference += d * d;
        shared += c * c;
    }
    return difference + std::max(0.0, center_square - shared);
}

template <class Real>
double square_norm(const Real *center, int64_t p) {
    double sum = 0;
    for (int64_t j = 0; j < p; ++j) sum += static_cast<double>(center[j]) * static_cast<double>(center[j]);
    return sum;
}

}  // namespace learnt
