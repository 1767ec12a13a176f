// The terms of one document: runs of two or more word characters, in lower case if wanted, without stop words,
// and runs of `least` to `most` of these words, joined by one space.
#pragma once

#include <array>

#include "text/characters.hpp"
#include "text/vocabulary.hpp"

namespace learnt {

struct TokenRules {
    bool lowercase = true;
    int64_t least = 1, most = 1;  // words in a term
    const Terms *stops = nullptr;
    const Characters *characters = nullptr;  // null: the documents are ASCII
};

class Tokenizer {
    struct Word {
        uint64_t hash;
        uint32_t start, end;
    };

    const TokenRules rules_;
    const std::array<int8_t, 256> ascii_;
    std::vector<char> text_;  // the words of the document with a space after each: any run of them is a piece of it
    std::vector<Word> words_;

    void scan(std::string_view document) {
        if (document.size() >= (size_t{1} << 30)) throw std::length_error("A document is longer than 1 GB.");
        if (text_.size() < 2 * document.size() + 16) text_.resize(2 * document.size() + 16);
        words_.clear();
        const auto *p = reinterpret_cast<const uint8_t *>(document.data()), *const end = p + document.size();
        char *const begin = text_.data(), *start = begin, *to = begin;
        int64_t characters = 0;
        const auto finish = [&] {
            const size_t n = static_cast<size_t>(to - start);
            if (characters >= 2) {
                const uint64_t hash = hash_of(start, n);
                if (!rules_.stops || rules_.stops->find(hash, start, n) < 0) {
                    words_.push_back({hash, static_cast<uint32_t>(start - begin), static_cast<uint32_t>(to - begin)});
                    *to++ = ' ';
                    start = to;
                }
            }
            to = start;
            characters = 0;
        };
        const auto put = [&](uint32_t c) {
            if (!rules_.characters->word(c)) return finish();
            to = encode(c, to);
            ++characters;
        };
        while (p < end) {
            const int8_t byte = ascii_[*p];
            if (byte > 0) {
                const char *const before = to;
                for (int8_t next = byte; next > 0; next = p < end ? ascii_[*p] : int8_t{0}) {
                    *to++ = static_cast<char>(next);
                    ++p;
                }
                characters += to - before;
            } else if (byte == 0 || !rules_.characters) {
                if (characters != 0) finish();
                ++p;
            } else {
                const Decoded d = decode(p, end);
                p += d.bytes;
                const Characters::Lower c =
                    rules_.lowercase ? rules_.characters->lower(d.character) : Characters::Lower{d.character, 0};
                put(c.first);
                if (c.second) put(c.second);
            }
        }
        if (characters != 0) finish();
    }

  public:
    explicit Tokenizer(const TokenRules &rules) : rules_(rules), ascii_(ascii_bytes(rules.lowercase)) {}

    // f(hash, bytes, how many) for every term, repeated ones included. `ahead(hash, stage)` is told of a term before
    // it comes, in two stages: large tables lie outside of the cache, and what is told early can be fetched early.
    template <class Ahead, class F>
    void each_term(std::string_view document, Ahead ahead, F f) {
        scan(document);
        const size_t words = words_.size();
        for (size_t more = 2; more <= std::min(static_cast<size_t>(rules_.most), words); ++more)
            for (size_t i = 0; more >= static_cast<size_t>(rules_.least) && i + more <= words; ++i) {
                const uint32_t start = words_[i].start, end = words_[i + more - 1].end;
                words_.push_back({hash_of(text_.data() + start, end - start), start, end});
            }
        const size_t n = words_.size();
        constexpr size_t far = 16, near = 8;
        for (size_t i = rules_.least > 1 ? words : 0; i < n; ++i) {
            if (i + far < n) ahead(words_[i + far].hash, 0);
            if (i + near < n) ahead(words_[i + near].hash, 1);
            f(words_[i].hash, text_.data() + words_[i].start, words_[i].end - words_[i].start);
        }
    }
};

}  // namespace learnt
