// Which rows are in which node of a growing tree.
//
// The rows of a node are a range of a list of entries; a test parts them into the same range of a second list, and so
// to and fro. In which order they stand there is up to the threads: all that is summed over them are whole numbers.
// Parting reads one column of codes: kept column by column that takes 26 ms a tree (1M × 28, 63 leaves), row by row 60.
#pragma once

#include <atomic>

#include "boosting/tree.hpp"

namespace learnt::boost {

class RowLists {
    const BinLayout &layout_;
    const int64_t rows_;
    Buffer<uint64_t> entries_[2];
    Buffer<uint8_t> narrow_;  // the codes column by column
    Buffer<uint16_t> wide_;

    template <class Code>
    static void turn(const Code *rows, int64_t stride, int64_t columns, Range range, int64_t n, Code *out) {
        for (int64_t first = range.first; first < range.last; first += 64)
            for (int64_t j = 0; j < columns; ++j)
                for (int64_t i = first; i < std::min(first + 64, range.last); ++i) out[j * n + i] = rows[i * stride + j];
    }

  public:
    struct Parted {
        int64_t left, missing;
    };

    RowLists(const BinLayout &layout, const CodeRows &codes)
        : layout_(layout),
          rows_(codes.rows),
          entries_{Buffer<uint64_t>(codes.rows), Buffer<uint64_t>(codes.rows)},
          narrow_(codes.rows * static_cast<int64_t>(layout.narrow.size())),
          wide_(codes.rows * static_cast<int64_t>(layout.wide.size())) {
        const Blocks blocks = cut(rows_, 4096, 1 << 20);
        run_blocks(blocks.count, [&](int64_t b, Job &) {
            turn(codes.narrow, codes.stride, static_cast<int64_t>(layout.narrow.size()), blocks[b], rows_, narrow_.data());
            turn(codes.wide, codes.wide_stride, static_cast<int64_t>(layout.wide.size()), blocks[b], rows_, wide_.data());
        });
    }

    uint64_t *entries(int side) const { return entries_[side].data(); }

    // Parts the rows in a range of one list by a test, into that range of the other: how many went left, and of how
    // many the cell was missing.
    Parted part(int side, Range range, const TestedNode &test) {
        const int32_t lost = layout_.missing_bin(test.column);
        std::vector<uint8_t> goes(static_cast<size_t>(lost) + 1);
        for (int32_t c = 0; c <= lost; ++c) goes[static_cast<size_t>(c)] = test.goes_left(c, lost);
        const int64_t at = layout_.place[static_cast<size_t>(test.column)] * rows_;
        const uint64_t *const from = entries(side) + range.first;
        uint64_t *const to = entries(1 - side) + range.first;
        if (layout_.is_wide(test.column))
            return part_by(from, to, range.size(), wide_.data() + at, goes.data(), static_cast<uint16_t>(lost));
        return part_by(from, to, range.size(), narrow_.data() + at, goes.data(), static_cast<uint8_t>(lost));
    }

  private:
    // Chunks are parted in the nearest cache, then copied to the next free places at either end.
    template <class Code>
    static Parted part_by(const uint64_t *from, uint64_t *to, int64_t n, const Code *codes, const uint8_t *goes, Code lost) {
        constexpr int64_t chunk = 1024;
        std::atomic<int64_t> first{0}, last{n}, missing{0};
        const auto part_rows = [&](int64_t begin, int64_t end) {
            uint64_t left[chunk], right[chunk];
            int64_t n_missing = 0;
            for (int64_t start = begin; start < end; start += chunk) {
                const int64_t count = std::min(chunk, end - start);
                int64_t l = 0, r = 0;
                for (int64_t i = start; i < start + count; ++i) {
                    const uint64_t e = from[i];
                    const Code code = codes[entry_row(e)];
                    const uint8_t to_left = goes[code];
                    left[l] = right[r] = e;
                    l += to_left, r += 1 - to_left;
                    n_missing += code == lost;
                }
                std::copy_n(left, l, to + first.fetch_add(l, std::memory_order_relaxed));
                std::copy_n(right, r, to + last.fetch_sub(r, std::memory_order_relaxed) - r);
            }
            missing += n_missing;
        };
        if (n < 2 * rows_for_threads) {
            part_rows(0, n);
        } else {
            const Blocks blocks = cut(n, rows_for_threads, 64);
            run_blocks(blocks.count, [&](int64_t b, Job &) { part_rows(blocks[b].first, blocks[b].last); });
        }
        return {first, missing};
    }
};

}  // namespace learnt::boost
