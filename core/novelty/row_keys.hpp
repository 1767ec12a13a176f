// A hash of the cells of each row: copies of a row have the same, whatever their place in the table.
//
//   x      n × p, any strides; NaN is missing, −0 is 0     read
//   keys   n                                               updated: what is in them is hashed with the cells
#pragma once

#include <bit>
#include <cmath>

#include "base/hash.hpp"

namespace learnt {

template <class Real>
void mix_row_keys(Matrix<const Real> x, uint64_t *keys) {
    constexpr uint64_t golden = 0x9e3779b97f4a7c15u;
    const Blocks blocks = cut(x.rows, 1 << 12, 1 << 10);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        job.check();
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i)
            for (int64_t j = 0; j < x.columns; ++j) {
                const double v = static_cast<double>(x(i, j)) + 0.0;
                keys[i] = mix_bits((keys[i] + golden) ^ (std::isnan(v) ? ~uint64_t{0} : std::bit_cast<uint64_t>(v)));
            }
    });
}

}  // namespace learnt
