// The different texts of a column, numbered in the order of their coming and found by hash. The same text with and
// without quotes are two words.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "simd/levels.hpp"
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

    // What `find` will look at comes nearer.
    void fetch(uint64_t hash) const {
        if (!buckets_.empty()) __builtin_prefetch(&buckets_[hash & (buckets_.size() - 1)]);
    }

    int32_t find(const WordKey &key, uint64_t hash, const char *s) const {
        if (buckets_.empty()) return -1;
        const size_t mask = buckets_.size() - 1;
        for (size_t at = hash & mask;; at = (at + 1) & mask) {
            const int32_t id = find_in(buckets_[at], tag_of(hash), key, s);
            if (id >= 0 || !buckets_[at].is_full()) return id;
        }
    }

    // The number of a word; a new one keeps `s` as it is, or a copy of its own.
    int32_t add(const WordKey &key, const char *s, int64_t place, bool copied) {
        const uint64_t hash = key.hash();
        if (const int32_t there = find(key, hash, s); there >= 0) return there;
        if (words_.size() >= (size_t{1} << 31) - 2) throw std::length_error("A column has more than 2³¹ different texts.");
        if (2 * (words_.size() + 1) > bucket_size * buckets_.size()) grow();
        const int32_t id = static_cast<int32_t>(words_.size());
        words_.push_back({copied ? kept(s, key.length) : s, key.length, key.quoted != 0, place});
        keys_.push_back(key);
        put(hash, id);
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
    // Eight words that share the last bits of their hash. All tags are compared at once: which of the eight it is costs
    // no guessing. They are filled from the first on; 0 is none.
    static constexpr size_t bucket_size = 8;
    struct alignas(64) Bucket {
        uint32_t tags[bucket_size] = {};
        int32_t ids[bucket_size] = {};

        bool is_full() const { return tags[bucket_size - 1] != 0; }
        uint32_t places_of(uint32_t tag) const {
#if LEARNT_X86
            const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag));
            const auto half = [&](const uint32_t *p) {
                return _mm_cmpeq_epi32(_mm_load_si128(reinterpret_cast<const __m128i *>(p)), wanted);
            };
            const __m128i equal = _mm_packs_epi32(half(tags), half(tags + 4));
            return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(equal, equal))) & 0xffu;
#else
            uint32_t places = 0;
            for (size_t k = 0; k < bucket_size; ++k) places |= static_cast<uint32_t>(tags[k] == tag) << k;
            return places;
#endif
        }
    };
    static constexpr size_t page = 1 << 16;

    std::vector<Bucket> buckets_;
    std::vector<WordKey> keys_;  // of the words
    std::vector<Word> words_;
    std::deque<std::vector<char>> pages_;
    char *next_ = nullptr;
    size_t room_ = 0;
    int64_t bytes_ = 0;
    bool holds_zero_ = false;

    static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32) | 1u; }

    int32_t find_in(const Bucket &bucket, uint32_t tag, const WordKey &key, const char *s) const {
        for (uint32_t left = bucket.places_of(tag); left; left &= left - 1) {
            const int32_t id = bucket.ids[__builtin_ctz(left)];
            if (is(id, key, s)) return id;
        }
        return -1;
    }

    bool is(int32_t id, const WordKey &key, const char *s) const {
        const WordKey &there = keys_[static_cast<size_t>(id)];
        if ((there.low ^ key.low) | (there.high ^ key.high) | (there.length ^ key.length) | (there.quoted ^ key.quoted)) return false;
        return key.length <= 16 || std::memcmp(words_[static_cast<size_t>(id)].text, s, key.length) == 0;
    }

    void put(uint64_t hash, int32_t id) {
        const size_t mask = buckets_.size() - 1;
        size_t at = hash & mask;
        while (buckets_[at].is_full()) at = (at + 1) & mask;
        Bucket &bucket = buckets_[at];
        size_t k = 0;
        while (bucket.tags[k] != 0) ++k;
        bucket.tags[k] = tag_of(hash), bucket.ids[k] = id;
    }

    void grow() {
        const size_t larger = buckets_.empty() ? 8 : 2 * buckets_.size();
        buckets_.clear();
        buckets_.resize(larger);
        for (size_t id = 0; id < keys_.size(); ++id) put(keys_[id].hash(), static_cast<int32_t>(id));
    }
};

}  // namespace learnt
