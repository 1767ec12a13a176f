// Values of words as values of rows.
#pragma once

#include <atomic>

#include "base/pool.hpp"
#include "base/matrix.hpp"

namespace learnt {

// out[i] ← by_word[codes[i]], or `none` where the code is −1. False, and `out` unfinished, if a code is no word.
//
//   codes    n, each −1 or in [0, words)   read
//   by_word  one per word                  read
//   out      n                             overwritten
template <class T>
bool spread_words(const int32_t *codes, int64_t n, const T *by_word, int64_t words, T none, T *out) {
    const Blocks blocks = cut(n, 1 << 15, 64);
    std::atomic<bool> good{true};
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        job.check();
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            const int64_t code = codes[i];
            if (code < -1 || code >= words) {
                good = false;
                return;
            }
            out[i] = code < 0 ? none : by_word[code];
        }
    });
    return good;
}

}  // namespace learnt
