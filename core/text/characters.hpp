// Which characters make words, and what they are in lower case. ASCII is known here; the rest comes from whoever
// calls, so that a word is what Python of the same process takes for one.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace learnt {

struct Characters {
    static constexpr uint32_t most = 0x110000;

    // Ranges [first, last) of word characters; small[i] is the lower case of large[i], followed by more[i] unless 0.
    Characters(const int32_t *ranges, int64_t n_ranges, const int32_t *large, const int32_t *small, const int32_t *more,
               int64_t n_large)
        : word_(most / 64) {
        for (int64_t r = 0; r < n_ranges; ++r) {
            check(ranges[2 * r]), check(int64_t{ranges[2 * r + 1]} - 1);
            for (int32_t c = ranges[2 * r]; c < ranges[2 * r + 1]; ++c)
                word_[static_cast<size_t>(c) / 64] |= uint64_t{1} << (c % 64);
        }
        for (int64_t i = 0; i < n_large; ++i) {
            check(large[i]), check(small[i]), check(more[i]);
            if (lower_.size() <= static_cast<size_t>(large[i])) lower_.resize(static_cast<size_t>(large[i]) + 1);
            lower_[static_cast<size_t>(large[i])] = {static_cast<uint32_t>(small[i]), static_cast<uint32_t>(more[i])};
        }
    }

    struct Lower {
        uint32_t first = 0, second = 0;
    };

    bool word(uint32_t c) const { return c < most && (word_[c / 64] >> (c % 64) & 1); }
    Lower lower(uint32_t c) const {
        const Lower l = c < lower_.size() ? lower_[c] : Lower{};
        return l.first ? l : Lower{c, 0};
    }

  private:
    std::vector<uint64_t> word_;
    std::vector<Lower> lower_;

    static void check(int64_t c) {
        if (c < 0 || c >= most) throw std::invalid_argument("There is no such character.");
    }
};

// What to do with a byte: 0 ends a word, a positive one is written, −1 begins a character beyond ASCII.
inline std::array<int8_t, 256> ascii_bytes(bool lowercase) {
    std::array<int8_t, 256> to{};
    for (int b = 0; b < 256; ++b) {
        const bool large = b >= 'A' && b <= 'Z', small = b >= 'a' && b <= 'z', digit = b >= '0' && b <= '9';
        if (b >= 128)
            to[static_cast<size_t>(b)] = -1;
        else if (large || small || digit || b == '_')
            to[static_cast<size_t>(b)] = static_cast<int8_t>(large && lowercase ? b + 32 : b);
    }
    return to;
}

struct Decoded {
    uint32_t character;
    int bytes;
};

// The character beyond ASCII that begins at `p`; a byte that begins none is no word character, and one byte long.
inline Decoded decode(const uint8_t *p, const uint8_t *end) {
    const auto next = [&](int i) { return p + i < end && (p[i] & 0xc0) == 0x80; };
    const uint32_t b = p[0];
    if (b >= 0xc2 && b < 0xe0 && next(1)) return {(b & 0x1f) << 6 | (p[1] & 0x3fu), 2};
    if (b >= 0xe0 && b < 0xf0 && next(1) && next(2))
        return {(b & 0x0f) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu), 3};
    if (b >= 0xf0 && b < 0xf5 && next(1) && next(2) && next(3))
        return {(b & 0x07) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu), 4};
    return {Characters::most, 1};
}

inline char *encode(uint32_t c, char *to) {
    const auto put = [&](uint32_t byte) { *to++ = static_cast<char>(byte); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xc0 | c >> 6), put(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        put(0xe0 | c >> 12), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f));
    } else {
        put(0xf0 | c >> 18), put(0x80 | (c >> 12 & 0x3f)), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f));
    }
    return to;
}

}  // namespace learnt
