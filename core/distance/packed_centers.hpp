// Centres as the loops over rows take them: by groups that fill a register tile, column by column.
#pragma once

#include <limits>
#include <vector>

#include "base/groups.hpp"
#include "base/matrix.hpp"

namespace learnt {

// Centres in groups that fill a register tile: values[j·size + c] of centre first + c.
template <class Real>
struct CenterGroup {
    int64_t first;
    int size;
    const Real *values;
    const Real *half;  // |c|²/2; infinite for padding, which is never nearest
};

template <class Real>
class PackedCenters {
    std::vector<CenterGroup<Real>> groups_;
    Buffer<Real> values_, half_;

  public:
    PackedCenters(const Real *centers, int64_t k, int64_t p, const Real *shift, int largest)
        : values_((k + 2 * largest) * p), half_(k + 2 * largest) {
        int64_t at = 0;
        for (int64_t first = 0; first < k;) {
            const int size = group_size(k - first, largest);
            Real *values = values_.data() + at * p, *half = half_.data() + at;
            for (int c = 0; c < size; ++c) {
                double square = 0;
                for (int64_t j = 0; j < p; ++j) {
                    const Real value = first + c < k ? static_cast<Real>(static_cast<double>(centers[(first + c) * p + j]) -
                                                                         (shift ? shift[j] : Real{0}))
                                                     : Real{0};
                    values[j * size + c] = value;
                    square += static_cast<double>(value) * static_cast<double>(value);
                }
                half[c] = first + c < k ? static_cast<Real>(square / 2) : std::numeric_limits<Real>::infinity();
            }
            groups_.push_back({first, size, values, half});
            first += size;
            at += size;
        }
    }

    const CenterGroup<Real> *begin() const { return groups_.data(); }
    const CenterGroup<Real> *end() const { return groups_.data() + groups_.size(); }
};

}  // namespace learnt
