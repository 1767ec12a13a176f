// What Baum and Welch's step needs of the rows, given the shares of graphical/hmm_chain.hpp, in one pass:
//
//   γ_tk = w α_tk β_tk / Σ_k α_tk β_tk,   w the weight of the sequence
//   pairs_ij  += A_ij Σ_t α_{t−1,i} b_tj β_tj scale_t w / Σ_k α_tk β_tk      within sequences
//   starts_k  += γ_tk of first rows
//   moments_jk += Σ_t γ_tk (1, d, d²),   d = x_tj − mean_jk;    counts_mk += Σ_t γ_tk (1, y_tm)
//   tables[code][k] += Σ_t γ_tk
//
//   posterior   n × k without weights, or null                                            overwritten
//   the sums    3 × p × k, 2 × r × k, Σ levels × k, k × k, k; or all null                  updated, never cleared
#pragma once

#include "base/slots.hpp"
#include "graphical/hmm_chain.hpp"

namespace learnt {

struct StateSums {
    double *moments, *counts, *tables, *pairs, *starts;
};

}  // namespace learnt

#define LEARNT_LOOPS "graphical/hmm_sums_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

inline void sum_states(const StateCells &in, const StateColumns &columns, const StateWalk &walk, const StateChain &chain,
                       const StateShares &shares, double *posterior, const StateSums &out) {
    const Level level = current_level();
    const int64_t k = chain.states, padded = chain.padded, square = k * padded;
    const int64_t rows = 3 * columns.numbers + 2 * columns.counted + columns.rows_of_tables + 1;
    const int64_t size = out.pairs ? square + rows * padded : 0;
    const Blocks blocks = cut(in.rows, 2048, std::clamp<int64_t>((int64_t{1} << 22) / std::max<int64_t>(size, 1), 4, 256));
    const Buffer<double> slots(blocks.count * size, 0.0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        LEARNT_AT(level, sum_block(in, columns, walk, chain, shares, blocks[b], posterior,
                                   size ? slots.data() + b * size : nullptr, job));
    });
    if (!size) return;
    const Buffer<double> sums(size, 0.0);
    add_slots(slots.data(), blocks.count, size, size, sums.data());
    for (int64_t i = 0; i < k; ++i)
        for (int64_t j = 0; j < k; ++j) out.pairs[i * k + j] += chain.transition_given[i * k + j] * sums[i * padded + j];
    const double *from = sums.data() + square;
    const auto move = [&](double *to, int64_t count) {
        for (int64_t e = 0; e < count; ++e, from += padded)
            for (int64_t c = 0; c < k; ++c) to[e * k + c] += from[c];
    };
    move(out.moments, 3 * columns.numbers);
    move(out.counts, 2 * columns.counted);
    move(out.tables, columns.rows_of_tables);
    move(out.starts, 1);
}

}  // namespace learnt
