// The different texts of a column, numbered in the order of their coming and found by hash. The same text with and
// without quotes are two words.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "text/vocabulary.hpp"

namespace learnt {

// What a word is found by. Up to 16 bytes, `low` and `high` hold all of them and equal keys are equal words; longer
// texts have their hash in `low` and are compared byte by byte.
struct WordKey {
    uint64_t low, high;
    uint32_t length;
    uint32_t quoted;

    WordKey(const char *s, size_t n, bool quotes) : low(0), high(0), length(static_cast<uint32_t>(n)), quoted(quotes) {
        if (n > 16) {
            low = hash_of(s, n);
        } else if (n >= 8) {
            low = bytes_at<uint64_t>(s), high = bytes_at<uint64_t>(s + n - 8);
        } else if (n >= 4) {
            low = bytes_at<uint32_t>(s), high = bytes_at<uint32_t>(s + n - 4);
        } else if (n > 0) {
            low = static_cast<uint8_t>(s[0]) | uint64_t{static_cast<uint8_t>(s[n / 2])} << 8;
            high = static_cast<uint8_t>(s[n - 1]);
        }
    }
    uint64_t hash() const {
        return fold(low ^ 0x9e3779b97f4a7c15u, high ^ (0xe7037ed1a0b428dbu + (uint64_t{length} << 1 | quoted)));
    }
};

struct Word {
    const char *text;
    uint32_t length;
    bool quoted;
    int64_t place;  // of the first cell: a row of the block, or a line of the file

    std::string_view view() const { return {text, length}; }
};

class WordTable {
  public:
    int64_t size() const { return static_cast<int64_t>(words_.size()); }
    int64_t bytes() const { return bytes_; }         // of its own copies
    bool holds_zero() const { return holds_zero_; }  // a zero byte, in any of its own copies
    const Word &operator[](int64_t id) const { return words_[static_cast<size_t>(id)]; }

    int32_t find(const WordKey &key, const char *s) const {
        if (slots_.empty()) return -1;
        const size_t mask = slots_.size() - 1;
        for (size_t at = key.hash() & mask;; at = (at + 1) & mask) {
            const Slot &slot = slots_[at];
            if (slot.id < 0) return -1;
            if (is(slot, key, s)) return slot.id;
        }
    }

    // The number of a word; a new one keeps `s` as it is, or a copy of its own.
    int32_t add(const WordKey &key, const char *s, int64_t place, bool copied) {
        if (2 * (words_.size() + 1) > slots_.size()) grow();
        const size_t mask = slots_.size() - 1;
        size_t at = key.hash() & mask;
        for (; slots_[at].id >= 0; at = (at + 1) & mask)
            if (is(slots_[at], key, s)) return slots_[at].id;
        if (words_.size() >= (size_t{1} << 31) - 2) throw std::length_error("A column has more than 2³¹ different texts.");
        const int32_t id = static_cast<int32_t>(words_.size());
        words_.push_back({copied ? kept(s, key.length) : s, key.length, key.quoted != 0, place});
        slots_[at] = {key.low, key.high, key.length, key.quoted, id};
        return id;
    }

    // A copy of some bytes that lives as long as the table.
    const char *kept(const char *s, size_t n) {
        if (n > room_) {
            room_ = n > page / 4 ? n : page;
            pages_.emplace_back(room_);
            next_ = pages_.back().data();
        }
        char *copy = next_;
        bytes_ += static_cast<int64_t>(n);
        if (n > 0) std::memcpy(copy, s, n);
        holds_zero_ = holds_zero_ || (n > 0 && std::memchr(s, 0, n));
        next_ += n, room_ -= n;
        return copy;
    }

  private:
    struct Slot {
        uint64_t low, high;
        uint32_t length, quoted;
        int32_t id;
    };
    static constexpr size_t page = 1 << 16;

    std::vector<Slot> slots_;
    std::vector<Word> words_;
    std::deque<std::vector<char>> pages_;
    char *next_ = nullptr;
    size_t room_ = 0;
    int64_t bytes_ = 0;
    bool holds_zero_ = false;

    bool is(const Slot &slot, const WordKey &key, const char *s) const {
        if (slot.low != key.low || slot.high != key.high || slot.length != key.length || slot.quoted != key.quoted) return false;
        return key.length <= 16 || std::memcmp(words_[static_cast<size_t>(slot.id)].text, s, key.length) == 0;
    }

    void grow() {
        std::vector<Slot> larger(slots_.empty() ? 64 : 2 * slots_.size(), Slot{0, 0, 0, 0, -1});
        const size_t mask = larger.size() - 1;
        for (const Slot &slot : slots_) {
            if (slot.id < 0) continue;
            WordKey key("", 0, slot.quoted != 0);
            key.low = slot.low, key.high = slot.high, key.length = slot.length;
            size_t at = key.hash() & mask;
            while (larger[at].id >= 0) at = (at + 1) & mask;
            larger[at] = slot;
        }
        slots_.swap(larger);
    }
};

}  // namespace learnt
