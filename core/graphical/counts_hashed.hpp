// Contingency tables too large to be laid out: only the combinations that occur, in rising order of their numbers.
//
// A family is a list of columns, the last of which runs fastest; the number of a combination is that of its cell in the
// table that is not laid out. Families run side by side, each in the order of rows.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/hash.hpp"
#include "graphical/counts.hpp"

namespace learnt::graphical {

struct SparseTable {
    std::vector<uint64_t> keys;
    std::vector<double> counts;
};

inline constexpr uint64_t no_key = std::numeric_limits<uint64_t>::max();

// Open addressing, doubled when two thirds are taken.
class KeyCounts {
    std::vector<uint64_t> keys_;
    std::vector<double> counts_;
    uint64_t used_ = 0;

    size_t place(uint64_t key) const {
        size_t i = mix_bits(key) & (keys_.size() - 1);
        while (keys_[i] != key && keys_[i] != no_key) i = (i + 1) & (keys_.size() - 1);
        return i;
    }
    void grow() {
        KeyCounts larger(2 * keys_.size());
        for (size_t i = 0; i < keys_.size(); ++i)
            if (keys_[i] != no_key) larger.add(keys_[i], counts_[i]);
        *this = std::move(larger);
    }

  public:
    explicit KeyCounts(size_t size = 1024) : keys_(size, no_key), counts_(size, 0.0) {}

    void add(uint64_t key, double weight) {
        if (3 * (used_ + 1) > 2 * keys_.size()) grow();
        const size_t i = place(key);
        if (keys_[i] == no_key) keys_[i] = key, ++used_;
        counts_[i] += weight;
    }

    SparseTable sorted() const {
        std::vector<size_t> taken;
        for (size_t i = 0; i < keys_.size(); ++i)
            if (keys_[i] != no_key) taken.push_back(i);
        std::sort(taken.begin(), taken.end(), [&](size_t a, size_t b) { return keys_[a] < keys_[b]; });
        SparseTable table;
        for (const size_t i : taken) table.keys.push_back(keys_[i]), table.counts.push_back(counts_[i]);
        return table;
    }
};

// Whether the combinations of a family can be numbered.
inline bool can_number(std::span<const int32_t> family, const int32_t *cells) {
    uint64_t size = 1;
    for (const int32_t j : family) {
        const auto more = static_cast<uint64_t>(cells[j]);
        if (more > 0 && size > (uint64_t{1} << 62) / more) return false;
        size *= more;
    }
    return true;
}

template <class Code>
std::vector<SparseTable> count_hashed(const CodedRows<Code> &x, const std::vector<std::vector<int32_t>> &families) {
    std::vector<SparseTable> found(families.size());
    run_blocks(static_cast<int64_t>(families.size()), [&](int64_t f, Job &job) {
        const auto &family = families[static_cast<size_t>(f)];
        KeyCounts counts;
        for (int64_t i = 0; i < x.rows; ++i) {
            if (i % 4096 == 0) job.check();
            uint64_t key = 0;
            for (const int32_t j : family)
                key = key * static_cast<uint64_t>(x.cells[j]) +
                      std::min<uint32_t>(static_cast<uint32_t>(x.column(j)[i]), x.last_cell(j));
            counts.add(key, x.weights == nullptr ? 1.0 : x.weights[i]);
        }
        found[static_cast<size_t>(f)] = counts.sorted();
    });
    return found;
}

}  // namespace learnt::graphical
