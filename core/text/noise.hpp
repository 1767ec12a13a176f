// Draws of words: random numbers that belong to places of the text, and words by given probabilities in constant time.
//
// Every number is a hash of (seed, epoch, place, how manieth), so that any cut of the text into batches and threads
// draws the same.
#pragma once

#include <vector>

#include "base/hash.hpp"

namespace learnt {

// The numbers of one place of the text.
class Draws {
    static constexpr uint64_t golden = 0x9e3779b97f4a7c15u;
    uint64_t state_;

  public:
    Draws(uint64_t key, uint64_t place) : state_(mix_bits(key ^ mix_bits((place + 1) * golden))) {}
    static uint64_t key_of(uint64_t seed, uint64_t epoch) { return mix_bits(mix_bits(seed + golden) + (epoch + 1) * golden); }
    uint64_t next() { return mix_bits(state_ += golden); }
};

inline double uniform_bits(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// Walker's alias method (Vose 1991): each word fills a slot of its own, and what is left of the slot belongs to another.
class Noise {
    struct Slot {
        uint32_t limit;  // of 2³²: below it the word itself
        int32_t other;
    };
    std::vector<Slot> slots_;

  public:
    // `weights` are ≥ 0 with a positive sum.
    Noise(const double *weights, int64_t n) : slots_(static_cast<size_t>(n)) {
        double sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += weights[i];
        std::vector<double> share(static_cast<size_t>(n));
        std::vector<int32_t> small, large;
        for (int64_t i = 0; i < n; ++i) {
            share[static_cast<size_t>(i)] = weights[i] / sum * static_cast<double>(n);
            (share[static_cast<size_t>(i)] < 1 ? small : large).push_back(static_cast<int32_t>(i));
        }
        while (!small.empty() && !large.empty()) {
            const size_t s = static_cast<size_t>(small.back()), l = static_cast<size_t>(large.back());
            small.pop_back();
            slots_[s] = {static_cast<uint32_t>(share[s] * 4294967296.0), static_cast<int32_t>(l)};
            share[l] -= 1 - share[s];
            if (share[l] < 1) large.pop_back(), small.push_back(static_cast<int32_t>(l));
        }
        for (const auto *rest : {&small, &large})
            for (const int32_t i : *rest) slots_[static_cast<size_t>(i)] = {0xffffffffu, i};
    }

    int32_t word(uint64_t bits) const {
        const uint64_t slot = (bits >> 32) * slots_.size() >> 32;
        return static_cast<uint32_t>(bits) < slots_[slot].limit ? static_cast<int32_t>(slot) : slots_[slot].other;
    }
};

}  // namespace learnt
