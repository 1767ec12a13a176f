// How likely each state makes each row of a sequence, columns being independent given the state.
//
//   l_tk = Σ_j log N(x_tj; mean_jk, variance_jk) + Σ_m (y_tm log rate_mk − rate_mk) + Σ_m table_m[code_tm][k]
//   top_t = max_k l_tk,   b_tk = exp(l_tk − top_t)
//
//   x       n × p numbers, any strides; NaN is missing and says nothing                     read
//   y       n × r counts, any strides; NaN is missing; log y! belongs to no state and is left out   read
//   codes   n × q, row-major; outside of [0, levels_m) is missing                           read
//   out     n × padded: l or b, added to l where `add` says that other columns stand there   overwritten or updated
//   top     n, where b is wanted                                                            overwritten
//
// States lie side by side, filled up to `padded`, a multiple of 8, with l = −inf and b = 0. A row that no state
// can emit has top 0 and b 0. An exponent below −700 counts as −700: only −inf becomes 0.
#pragma once

#include <cmath>
#include <limits>

#include "base/matrix.hpp"
#include "base/pool.hpp"
#include "bayes/side_by_side.hpp"
#include "simd/levels.hpp"
#include "simd/math.hpp"

namespace learnt {

// Parameters of all columns with their states side by side.
struct StateColumns : SideBySide {
    int64_t counted;
    Buffer<double> base, rate, log_rate;

    // means, variances: p × k; rates: r × k; logs: Σ levels × k
    StateColumns(int64_t k, int64_t p, int64_t r, int64_t q, const int64_t *levels, const double *means,
                 const double *variances, const double *rates, const double *logs)
        : SideBySide(q, levels, {means, k, p, 1, k}, {variances, k, p, 1, k}, 0.0, logs),
          counted(r),
          base(padded, -std::numeric_limits<double>::infinity()),
          rate(r * padded, 0.0),
          log_rate(r * padded, 0.0) {
        for (int64_t c = 0; c < k; ++c) {
            base[c] = 0;
            for (int64_t j = 0; j < r; ++j) {
                rate[j * padded + c] = rates[j * k + c];
                log_rate[j * padded + c] = std::log(rates[j * k + c]);
            }
        }
    }
};

struct StateCells {
    Matrix<const double> x, y;
    const int32_t *codes;
    int64_t rows;
};

}  // namespace learnt

#define LEARNT_LOOPS "graphical/hmm_evidence_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

inline void state_evidence(const StateCells &in, const StateColumns &columns, bool add, double *out, double *top) {
    const Level level = current_level();
    const Blocks blocks = cut(in.rows, 1024, 1 << 12);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        LEARNT_AT(level, evidence_rows(in, columns, blocks[b], add, out, top, job));
    });
}

// b and top of l that is there already; `b` may be `l`.
inline void scale_evidence(const double *l, int64_t rows, int64_t padded, double *b, double *top) {
    const Level level = current_level();
    const Blocks blocks = cut(rows, 1024, 1 << 12);
    run_blocks(blocks.count, [&](int64_t i, Job &job) {
        LEARNT_AT(level, scale_rows(l, blocks[i], padded, b, top, job));
    });
}

}  // namespace learnt
