// Words of the text with the words around them.
//
// Frequent words are left out by chance, each place for itself. A window reaches 1 to `reach` of the words that stayed to
// either side, as many as its place draws, and never beyond its document.
//
// Texts come in bursts: a list, a table, the same line again. The updates of a batch of windows do not see each other, and
// those of a word that fills it would add up to far too much. A word that was there c times among as many of the last
// words as a batch has windows, c above `often`, therefore moves by (often / c)² of its update: by 2 · often in all at most.
#pragma once

#include <span>

#include "text/noise.hpp"

namespace learnt {

struct Window {
    int64_t place;         // among the known words of the epoch
    int32_t word;
    uint16_t left, right;  // neighbours that belong to it: the Windows before and after this one
    float share;           // of its updates that the word is moved by
};

struct WindowRules {
    int64_t words, reach;
    int64_t batch;  // windows whose updates do not see each other
    double often;   // how often a word may be among them
    uint64_t seed;
};

class Windows {
    const std::vector<double> keep_;  // the chance of each word to stay
    const WindowRules rules_;
    uint64_t key_;
    int64_t epoch_ = 0, place_ = 0;
    std::vector<Window> all_;  // those that wait, after as many as they may reach back to
    size_t next_ = 0;
    std::vector<int32_t> last_;   // the last words, as many as a batch has windows, in a ring; −1 is none yet
    std::vector<int32_t> there_;  // how often each word is among them
    size_t oldest_ = 0;

    // The share of a word that comes now.
    float share_of(int32_t word) {
        int32_t &oldest = last_[oldest_];
        if (oldest >= 0) --there_[static_cast<size_t>(oldest)];
        oldest = word;
        oldest_ = oldest_ + 1 == last_.size() ? 0 : oldest_ + 1;
        const double ratio = rules_.often / ++there_[static_cast<size_t>(word)];
        return ratio < 1 ? static_cast<float>(ratio * ratio) : 1.0f;
    }

  public:
    Windows(const double *keep, const WindowRules &rules)
        : keep_(keep, keep + rules.words),
          rules_(rules),
          key_(Draws::key_of(rules.seed, 0)),
          last_(static_cast<size_t>(rules.batch), -1),
          there_(static_cast<size_t>(rules.words)) {}

    Windows emptied() const { return Windows(keep_.data(), rules_); }
    int64_t reach() const { return rules_.reach; }
    int64_t epoch() const { return epoch_; }
    int64_t count() const { return static_cast<int64_t>(all_.size() - next_); }
    const Window *waiting() const { return all_.data() + next_; }
    Draws draws_of(const Window &window) const { return Draws(~key_, static_cast<uint64_t>(window.place)); }

    // One document; −1 is a word that is not known.
    void add(std::span<const int32_t> document) {
        const size_t first = all_.size();
        for (const int32_t word : document) {
            if (word < 0) continue;
            Draws draws(key_, static_cast<uint64_t>(place_));
            if (uniform_bits(draws.next()) < keep_[static_cast<size_t>(word)]) {
                const uint64_t drawn = 1 + ((draws.next() >> 32) * static_cast<uint64_t>(rules_.reach) >> 32);
                all_.push_back({place_, word, static_cast<uint16_t>(drawn), static_cast<uint16_t>(drawn), share_of(word)});
            }
            ++place_;
        }
        const size_t n = all_.size() - first;
        for (size_t i = 0; i < n; ++i) {
            Window &window = all_[first + i];
            window.left = static_cast<uint16_t>(std::min<size_t>(window.left, i));
            window.right = static_cast<uint16_t>(std::min<size_t>(window.right, n - 1 - i));
        }
    }

    void leave(int64_t n) {
        next_ += static_cast<size_t>(n);
        if (next_ < 1 << 15 && count() > 0) return;  // moved now and then, not each time
        const size_t gone = next_ - std::min(next_, static_cast<size_t>(rules_.reach));
        all_.erase(all_.begin(), all_.begin() + static_cast<int64_t>(gone));
        next_ -= gone;
    }

    void start_epoch() {
        all_.clear();
        next_ = 0, place_ = 0;
        key_ = Draws::key_of(rules_.seed, static_cast<uint64_t>(++epoch_));
    }
};

}  // namespace learnt
