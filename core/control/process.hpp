// Markov decision processes: sweeps over all states, and episodes that learn from single moves.
//
// A process lies in flat arrays, states → choices → moves: choice c of state s has first_choice[s] ≤ c <
// first_choice[s + 1], and leads by move k, first_move[c] ≤ k < first_move[c + 1], to next[k] with chance[k] and
// reward[k]. A state without choices is an end; its value is 0.
#pragma once

#include <cmath>
#include <limits>

#include "base/matrix.hpp"
#include "base/pool.hpp"

namespace learnt {

struct Process {
    int64_t states, choices;
    const int64_t *first_choice, *first_move;
    const int32_t *next;
    const double *chance, *reward;
    double discount;

    // What a choice is worth if the next states are worth `values`.
    double worth(int64_t c, const double *values) const {
        double sum = 0;
        for (int64_t k = first_move[c]; k < first_move[c + 1]; ++k) sum += chance[k] * (reward[k] + discount * values[next[k]]);
        return sum;
    }
};

// Least and largest change of a value by a sweep.
struct Change {
    double least = 0, largest = 0;
};

// after[s] = the largest worth of a choice of s, or that of policy[s] where a policy is given.
//
// All states look at the values before the sweep (not at each other's new ones): so blocks of states run on all
// threads with the same bits, and the change bounds what is left, from below and from above.
inline Change sweep(const Process &p, const int64_t *policy, const double *before, double *after) {
    const Blocks blocks = cut(p.states, 1 << 12, 256);
    std::vector<Change> changes(static_cast<size_t>(blocks.count));
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        Change &own = changes[static_cast<size_t>(b)];
        own = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
        for (int64_t s = blocks[b].first; s < blocks[b].last; ++s) {
            const int64_t first = p.first_choice[s], last = p.first_choice[s + 1];
            double best = 0;
            if (first < last) {
                best = p.worth(policy ? policy[s] : first, before);
                if (!policy)
                    for (int64_t c = first + 1; c < last; ++c) best = std::max(best, p.worth(c, before));
            }
            after[s] = best;
            own.least = std::min(own.least, best - before[s]);
            own.largest = std::max(own.largest, best - before[s]);
            if ((s & 1023) == 0) job.check();
        }
    });
    Change all = changes.empty() ? Change{} : changes[0];
    for (const Change &one : changes) all = {std::min(all.least, one.least), std::max(all.largest, one.largest)};
    return all;
}

// The worth of every choice.
inline void worths(const Process &p, const double *values, double *out) {
    const Blocks blocks = cut(p.choices, 1 << 12, 256);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t c = blocks[b].first; c < blocks[b].last; ++c) {
            out[c] = p.worth(c, values);
            if ((c & 1023) == 0) job.check();
        }
    });
}

}  // namespace learnt
