// A set of terms: their bytes one after the other, found by hash. Terms are numbered in the order of their coming.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/pool.hpp"

namespace learnt {

template <class T>
T bytes_at(const char *p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

// The product of two words, its halves folded.
inline uint64_t fold(uint64_t a, uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t hash_of(const char *s, size_t n) {
    constexpr uint64_t odd = 0x9e3779b97f4a7c15u, other = 0xe7037ed1a0b428dbu;
    uint64_t h = n * odd + 1;
    for (; n > 8; s += 8, n -= 8) h = fold(h ^ bytes_at<uint64_t>(s), odd);
    uint64_t rest = 0;
    if (n >= 4)
        rest = uint64_t{bytes_at<uint32_t>(s)} << 32 | bytes_at<uint32_t>(s + n - 4);
    else if (n > 0)
        rest = uint64_t{static_cast<uint8_t>(s[0])} << 16 | uint64_t{static_cast<uint8_t>(s[n / 2])} << 8 |
               static_cast<uint8_t>(s[n - 1]);
    return fold(h ^ rest, other);
}

class Terms {
  public:
    struct Term {
        uint64_t hash;
        int64_t start;
        int64_t total = 0;       // how often it was seen
        uint32_t length;
        int32_t documents = 0;   // in how many documents
        int32_t last = -1;       // the last of them
        char head[28];           // the first bytes, so that short terms are compared within one cache line
    };
    static_assert(sizeof(Term) == 64);

    Terms() : slots_(1 << 10) {}

    int64_t size() const { return static_cast<int64_t>(terms_.size()); }
    Term &operator[](int32_t id) { return terms_[static_cast<size_t>(id)]; }
    std::string_view text(int32_t id) const {
        const Term &t = terms_[static_cast<size_t>(id)];
        return {bytes_.data() + t.start, t.length};
    }
    int64_t text_size() const { return static_cast<int64_t>(bytes_.size()); }

    // Fetches what `find` and `add` will look at: first the slot, later the term.
    void ahead(uint64_t hash, int stage) const {
        const Slot &slot = slots_[hash & (slots_.size() - 1)];
        if (stage == 0)
            __builtin_prefetch(&slot);
        else if (slot.id >= 0)
            __builtin_prefetch(&terms_[static_cast<size_t>(slot.id)]);
    }

    int32_t find(uint64_t hash, const char *s, size_t n) const {
        const size_t mask = slots_.size() - 1;
        for (size_t at = hash & mask;; at = (at + 1) & mask) {
            const Slot slot = slots_[at];
            if (slot.id < 0) return -1;
            if (slot.tag == hash >> 32 && is(slot.id, s, n)) return slot.id;
        }
    }

    int32_t add(uint64_t hash, const char *s, size_t n) {
        const size_t mask = slots_.size() - 1;
        size_t at = hash & mask;
        for (; slots_[at].id >= 0; at = (at + 1) & mask)
            if (slots_[at].tag == hash >> 32 && is(slots_[at].id, s, n)) return slots_[at].id;
        if (terms_.size() >= (size_t{1} << 31) - 1) throw std::length_error("There are more than 2³¹ different terms.");
        const int32_t id = static_cast<int32_t>(terms_.size());
        Term term{};
        term.hash = hash, term.start = text_size(), term.length = static_cast<uint32_t>(n);
        term.last = -1;
        std::memcpy(term.head, s, std::min(n, sizeof term.head));
        terms_.push_back(term);
        bytes_.insert(bytes_.end(), s, s + n);
        slots_[at] = {static_cast<uint32_t>(hash >> 32), id};
        if (2 * terms_.size() > slots_.size()) grow();
        return id;
    }
    int32_t add(std::string_view s) { return add(hash_of(s.data(), s.size()), s.data(), s.size()); }

    // The ids in the order of their bytes, which for UTF-8 is the order of their characters.
    std::vector<int32_t> sorted() const {
        std::vector<Key> keys(terms_.size());
        const Blocks blocks = cut(size(), 1 << 14, 16);
        const auto before = [this](const Key &a, const Key &b) {
            return a.prefix != b.prefix ? a.prefix < b.prefix : text(a.id) < text(b.id);
        };
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) keys[static_cast<size_t>(i)] = key(static_cast<int32_t>(i));
            std::sort(keys.begin() + blocks[b].first, keys.begin() + blocks[b].last, before);
        });
        for (int64_t width = 1; width < blocks.count; width *= 2)
            run_blocks((blocks.count + 2 * width - 1) / (2 * width), [&](int64_t pair, Job &) {
                const int64_t left = 2 * width * pair, middle = left + width;
                if (middle >= blocks.count) return;
                const int64_t last = std::min(middle + width, blocks.count) - 1;
                std::inplace_merge(keys.begin() + blocks[left].first, keys.begin() + blocks[middle].first,
                                   keys.begin() + blocks[last].last, before);
            });
        std::vector<int32_t> ids(keys.size());
        std::transform(keys.begin(), keys.end(), ids.begin(), [](const Key &k) { return k.id; });
        return ids;
    }

  private:
    struct Slot {
        uint32_t tag = 0;
        int32_t id = -1;
    };
    struct Key {
        uint64_t prefix;  // the first eight bytes, the first of them highest
        int32_t id;
    };

    std::vector<Slot> slots_;
    std::vector<Term> terms_;
    std::vector<char> bytes_;

    bool is(int32_t id, const char *s, size_t n) const {
        const Term &t = terms_[static_cast<size_t>(id)];
        if (t.length != n) return false;
        return std::memcmp(n <= sizeof t.head ? t.head : bytes_.data() + t.start, s, n) == 0;
    }

    Key key(int32_t id) const {
        uint64_t prefix = 0;
        const std::string_view s = text(id);
        for (size_t i = 0; i < 8; ++i) prefix = prefix << 8 | (i < s.size() ? static_cast<uint8_t>(s[i]) : 0);
        return {prefix, id};
    }

    void grow() {
        slots_.assign(2 * slots_.size(), {});
        const size_t mask = slots_.size() - 1;
        for (size_t id = 0; id < terms_.size(); ++id) {
            size_t at = terms_[id].hash & mask;
            while (slots_[at].id >= 0) at = (at + 1) & mask;
            slots_[at] = {static_cast<uint32_t>(terms_[id].hash >> 32), static_cast<int32_t>(id)};
        }
    }
};

}  // namespace learnt
