// Walks along sequences of a hidden Markov chain: forward, backward, and the most probable path.
//
//   α_t = (α_{t−1} A) ∘ b_t · scale_t,   β_{t−1} ∝ A (b_t ∘ β_t),   log p = Σ_t (top_t − log scale_t)
//
// where scale_t makes Σ_k α_tk = 1 in every row, or, with β, at least in every fourth and in the last.
//
// Nothing is a logarithm inside: b and top are those of graphical/hmm_evidence.hpp. A long sequence keeps two threads
// busy, one with each direction. Where A or the start has zeros, a state can become so improbable that its number is
// lost, and be needed later. Such sequences are found and walked again in logarithms, by `log_walk`, if l is given.
#pragma once

#include <vector>

#include "graphical/hmm_evidence.hpp"
#include "graphical/hmm_logs.hpp"

namespace learnt {

// Below these an entry of the chain, or a share of a state, could be lost in a product.
inline constexpr double faint_entry = 1e-15, lost_entry = 1e-100, faint_share = 1e-150;

struct StateChain {
    int64_t states, padded;
    Buffer<double> start, forward, backward;  // A and its transpose, rows filled up with 0
    const double *start_given, *transition_given;
    bool guarded = false, lost = false;  // whether shares must be watched; whether numbers cannot do at all

    StateChain(int64_t k, const double *starts, const double *transition)
        : states(k),
          padded(round_up(k, 8)),
          start(padded, 0.0),
          forward(k * padded, 0.0),
          backward(k * padded, 0.0),
          start_given(starts),
          transition_given(transition) {
        for (int64_t i = 0; i < k; ++i) {
            start[i] = starts[i];
            lost = lost || (starts[i] > 0 && starts[i] < lost_entry);
            for (int64_t j = 0; j < k; ++j) {
                const double a = transition[i * k + j];
                forward[i * padded + j] = a;
                backward[j * padded + i] = a;
                guarded = guarded || a < faint_entry;
                lost = lost || (a > 0 && a < lost_entry);
            }
        }
    }
};

// What is walked: rows [offsets[s], offsets[s + 1]) are sequence s.
struct StateWalk {
    const double *b, *top, *l;  // l may be null
    const int64_t *offsets;
    int64_t sequences;
    const double *weights;  // of sequences, or null
};

struct StateShares {
    double *alpha, *beta, *scale;       // n × padded, n × padded or null, n
    double *log_likelihood;             // of each sequence
    int64_t *impossible;                // of each, the row that no path can reach, or −1
};

}  // namespace learnt

#define LEARNT_LOOPS "graphical/hmm_chain_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Sequences cut into runs of at least so many rows, whatever the number of threads.
inline std::vector<int64_t> runs_of_sequences(const int64_t *offsets, int64_t sequences, int64_t rows_at_least = 2048) {
    std::vector<int64_t> cuts{0};
    for (int64_t s = 0; s < sequences; ++s)
        if (offsets[s + 1] - offsets[cuts.back()] >= rows_at_least || s + 1 == sequences) cuts.push_back(s + 1);
    return cuts;
}

// Fills the shares. `pairs` (k × k) gets the weighted sums of neighbouring states of those sequences that were walked in
// logarithms; their alpha is then the posterior, their beta 1 and their scale 0. False: l is needed, call again with it.
inline bool walk_sequences(const StateWalk &walk, const StateChain &chain, const StateShares &out, double *pairs) {
    const Level level = current_level();
    const auto cuts = runs_of_sequences(walk.offsets, walk.sequences);
    const int64_t runs = static_cast<int64_t>(cuts.size()) - 1, ways = out.beta ? 2 : 1;
    std::vector<uint8_t> faint(static_cast<size_t>(2 * walk.sequences), chain.lost);
    std::fill_n(out.impossible, walk.sequences, int64_t{-1});
    if (!chain.lost) {
        run_blocks(runs * ways, [&](int64_t task, Job &job) {
            const bool onwards = task % ways == 0;
            for (int64_t s = cuts[static_cast<size_t>(task / ways)]; s < cuts[static_cast<size_t>(task / ways + 1)]; ++s) {
                uint8_t *lost = &faint[static_cast<size_t>(2 * s + !onwards)];
                if (onwards)
                    LEARNT_AT(level, walk_forward(walk, chain, s, out, lost, job));
                else
                    LEARNT_AT(level, walk_backward(walk, chain, s, out, lost, job));
            }
        });
    }
    std::vector<int64_t> again;
    for (int64_t s = 0; s < walk.sequences; ++s) {
        if (walk.offsets[s] == walk.offsets[s + 1])
            out.log_likelihood[s] = 0;
        else if (out.impossible[s] < 0 && (faint[static_cast<size_t>(2 * s)] || faint[static_cast<size_t>(2 * s + 1)]))
            again.push_back(s);
    }
    if (again.empty()) return true;
    if (!walk.l) return false;
    const int64_t k = chain.states, square = k * k, count = static_cast<int64_t>(again.size());
    const Buffer<double> slots(count * square, 0.0);
    run_blocks(count, [&](int64_t e, Job &job) {
        const int64_t s = again[static_cast<size_t>(e)], first = walk.offsets[s];
        const LogWalk found = log_walk(walk.l + first * chain.padded, walk.offsets[s + 1] - first, k, chain.padded,
                                       chain.start_given, chain.transition_given, walk.weights ? walk.weights[s] : 1.0,
                                       out.alpha + first * chain.padded,
                                       out.beta ? out.beta + first * chain.padded : nullptr, out.scale + first,
                                       slots.data() + e * square, job);
        out.log_likelihood[s] = found.log_likelihood;
        out.impossible[s] = found.impossible < 0 ? -1 : first + found.impossible;
    });
    if (pairs)
        for (int64_t e = 0; e < count * square; ++e) pairs[e % square] += slots[e];
    return true;
}

// The most probable path of each sequence (of equal ones that of the first states), from l, which it overwrites:
//   δ_t(j) = l_t(j) + max_i (δ_{t−1}(i) + log A_ij)
// log_probability is −inf where no path is possible; the path then means nothing.
inline void best_paths(double *l, const int64_t *offsets, int64_t sequences, const StateChain &chain, int32_t *path,
                       double *log_probability) {
    const Level level = current_level();
    const int64_t k = chain.states, padded = chain.padded;
    const Buffer<double> start(padded, -std::numeric_limits<double>::infinity());
    const Buffer<double> onwards(k * padded, -std::numeric_limits<double>::infinity());
    const Buffer<double> back(k * padded, -std::numeric_limits<double>::infinity());
    for (int64_t i = 0; i < k; ++i) {
        start[i] = std::log(chain.start_given[i]);
        for (int64_t j = 0; j < k; ++j)
            onwards[i * padded + j] = back[j * padded + i] = std::log(chain.transition_given[i * k + j]);
    }
    const auto cuts = runs_of_sequences(offsets, sequences);
    run_blocks(static_cast<int64_t>(cuts.size()) - 1, [&](int64_t r, Job &job) {
        for (int64_t s = cuts[static_cast<size_t>(r)]; s < cuts[static_cast<size_t>(r + 1)]; ++s) {
            const int64_t first = offsets[s], n = offsets[s + 1] - first;
            LEARNT_AT(level, best_path(l + first * padded, n, k, padded, start.data(), onwards.data(), back.data(),
                                       path + first, log_probability + s, job));
        }
    });
}

}  // namespace learnt
