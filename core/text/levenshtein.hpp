// How many insertions, deletions and substitutions turn one text into another (Levenshtein, 1966).
//
//   D_ij = min(D_(i−1)j + 1, D_i(j−1) + 1, D_(i−1)(j−1) + [a_i ≠ b_j])
//
// Neighbouring cells of the table differ by −1, 0 or 1, so a whole column of it fits into two words of bits: where
// it goes up, and where it goes down (Myers, 1999; Hyyrö, 2003). The last cell is the length of the text plus the ups
// less the downs of the last column, counted once at the end. Many patterns stand side by side in the lanes of
// a vector: lanes of 8, 16, 32 or 64 bits for patterns as short as that, several words of 64 bits for longer ones.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/pool.hpp"
#include "simd/levels.hpp"

namespace learnt {

// Texts as code points, one after the other: text i is [offsets[i], offsets[i + 1]).
struct Texts {
    const uint32_t *characters;
    const int64_t *offsets;
    int64_t count;

    int64_t size(int64_t i) const { return offsets[i + 1] - offsets[i]; }
    const uint32_t *begin(int64_t i) const { return characters + offsets[i]; }
};

// Where a character stands among 64 of a pattern.
class WordCharacters {
    std::array<uint64_t, 128> low_{}, bits_{};
    std::array<uint32_t, 128> key_{};

    size_t slot(uint32_t c) const {
        size_t at = (c * 2654435761u) >> 25;
        while (bits_[at] != 0 && key_[at] != c) at = (at + 1) % 128;  // at most 64 are taken
        return at;
    }

  public:
    WordCharacters(const uint32_t *a, int64_t m) {
        for (int64_t i = 0; i < m; ++i) {
            if (a[i] < 128) {
                low_[a[i]] |= uint64_t{1} << i;
                continue;
            }
            const size_t at = slot(a[i]);
            key_[at] = a[i];
            bits_[at] |= uint64_t{1} << i;
        }
    }
    uint64_t places(uint32_t c) const { return c < 128 ? low_[c] : bits_[slot(c)]; }
};

// One pair: equal ends cost nothing, the rest goes by strips of 64 rows of the table. `carry` holds what a strip
// hands down to the next, at most as many numbers as the longer text has characters.
inline int64_t levenshtein_pair(const uint32_t *a, int64_t m, const uint32_t *b, int64_t n, std::vector<uint8_t> &carry, Job &job) {
    while (m > 0 && n > 0 && a[0] == b[0]) ++a, ++b, --m, --n;
    while (m > 0 && n > 0 && a[m - 1] == b[n - 1]) --m, --n;
    if (m > n) std::swap(a, b), std::swap(m, n);
    constexpr uint8_t rises = 1, falls = 2;
    carry.assign(static_cast<size_t>(n), rises);
    int64_t d = n;
    for (int64_t first = 0; first < m; first += 64) {
        const int64_t bits = std::min<int64_t>(64, m - first);
        const WordCharacters characters(a + first, bits);
        uint64_t up = ~uint64_t{0}, down = 0;
        for (int64_t j = 0; j < n; ++j) {
            if (j % 65536 == 65535) job.check();
            uint8_t &above = carry[static_cast<size_t>(j)];
            const uint64_t rise = above & rises, fall = above >> 1;
            const uint64_t same = characters.places(b[j]) | fall;
            const uint64_t diagonal = (((same & up) + up) ^ up) | same | down;
            const uint64_t hp = down | ~(diagonal | up), hn = up & diagonal;
            above = static_cast<uint8_t>(hp >> 63 | (hn >> 63) * falls);
            const uint64_t hp1 = hp << 1 | rise;
            up = (hn << 1 | fall) | ~(diagonal | hp1);
            down = hp1 & diagonal;
        }
        const uint64_t mask = ~uint64_t{0} >> (64 - bits);
        d += std::popcount(up & mask) - std::popcount(down & mask);
        job.check();
    }
    return d;
}

// Characters of the patterns numbered from 1; 0 is any other.
class Alphabet {
    std::array<int32_t, 128> low_{};
    std::unordered_map<uint32_t, int32_t> high_;
    int32_t count_ = 0;

  public:
    void add(uint32_t c) {
        int32_t &number = c < 128 ? low_[c] : high_[c];
        if (number == 0) number = ++count_;
    }
    int32_t number(uint32_t c) const {
        if (c < 128) return low_[c];
        const auto found = high_.find(c);
        return found == high_.end() ? 0 : found->second;
    }
    int32_t size() const { return count_ + 1; }
};

// Patterns that are compared together: all of them have lanes of `bits`, or `words` words of 64 bits.
struct PatternGroup {
    int bits;
    int64_t words, first, last;  // places in the order of patterns
};

struct LevenshteinProblem {
    Texts texts, patterns;
    const int32_t *text_numbers, *pattern_numbers;  // characters by the alphabet of the patterns
    int32_t alphabet;
    const int64_t *order;  // of patterns
    double *out;           // texts × patterns
    bool symmetric;        // texts and patterns are the same: cells below the diagonal are left out
};

}  // namespace learnt

#define LEARNT_LOOPS "text/levenshtein_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// out[i, j] = the distance of text i and pattern j; texts × patterns, row-major, overwritten.
inline void levenshtein_pairs(const Texts &texts, const Texts &patterns, double *out) {
    const Level level = current_level();
    const bool symmetric = texts.characters == patterns.characters && texts.offsets == patterns.offsets;
    if (texts.count == 0 || patterns.count == 0) return;
    Alphabet alphabet;
    for (int64_t c = patterns.offsets[0]; c < patterns.offsets[patterns.count]; ++c) alphabet.add(patterns.characters[c]);
    const auto numbered = [&](const Texts &some) {
        Buffer<int32_t> numbers(some.offsets[some.count] + 1);
        for (int64_t c = 0; c < some.offsets[some.count]; ++c) numbers[c] = alphabet.number(some.characters[c]);
        return numbers;
    };
    const Buffer<int32_t> text_numbers = numbered(texts), pattern_numbers = numbered(patterns);

    // Short ones keep their order, so that answers are written side by side; long ones are sorted by words.
    const auto words = [&](int64_t j) { return std::max<int64_t>(1, (patterns.size(j) + 63) / 64); };
    const auto bits = [&](int64_t j) {
        const int64_t m = patterns.size(j);
        return m <= 8 ? 8 : m <= 16 ? 16 : m <= 32 ? 32 : 64;
    };
    std::vector<int64_t> order(static_cast<size_t>(patterns.count));
    for (size_t j = 0; j < order.size(); ++j) order[j] = static_cast<int64_t>(j);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return words(a) != words(b) ? words(a) < words(b) : bits(a) < bits(b);
    });
    std::vector<PatternGroup> groups;
    int bytes = 0;
    LEARNT_AT(level, group_bytes(bytes));
    for (int64_t at = 0; at < patterns.count;) {
        const int own = bits(order[static_cast<size_t>(at)]);
        const int64_t w = words(order[static_cast<size_t>(at)]), room = 8 * bytes / own;
        int64_t last = at;
        while (last < patterns.count && last - at < room && bits(order[static_cast<size_t>(last)]) == own &&
               words(order[static_cast<size_t>(last)]) == w)
            ++last;
        groups.push_back({own, w, at, last});
        at = last;
    }
    const LevenshteinProblem problem{texts, patterns, text_numbers.data(), pattern_numbers.data(), alphabet.size(),
                                     order.data(), out, symmetric};
    // A group's table is made anew for each block of texts: few texts in a block would pay more for it than they gain.
    const Blocks rows = cut(texts.count, 128, 64);
    const int64_t n_groups = static_cast<int64_t>(groups.size());
    run_blocks(rows.count * n_groups, [&](int64_t b, Job &job) {
        LEARNT_AT(level, levenshtein_block(problem, groups[static_cast<size_t>(b % n_groups)], rows[b / n_groups], job));
    });
    if (!symmetric) return;
    const int64_t n = texts.count;
    const Blocks tiles = cut(n, 64, std::max<int64_t>(1, n / 64));
    run_blocks(tiles.count, [&](int64_t b, Job &job) {
        const Range some = tiles[b];
        for (int64_t from = 0; from < some.last; from += 64) {
            job.check();
            for (int64_t i = some.first; i < some.last; ++i)
                for (int64_t j = from; j < std::min(from + 64, i); ++j) out[i * n + j] = out[j * n + i];
        }
    });
}

}  // namespace learnt
