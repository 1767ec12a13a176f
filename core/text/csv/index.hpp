// Where cells and rows of delimited text end.
//
// 64 bytes at a time become words of bits: delimiters, line ends, quotes. Between an opening and a closing quote neither
// delimiters nor line ends count; the exclusive or of all quote bits before a place tells if it is inside (Langdale and
// Lemire, 2019). A quote opens a cell only as its first byte, elsewhere it is text, as Python's csv module reads it:
// where a word of bits holds such a quote, its quotes are gone through one by one.
//
// The same words of bits tell which cells are plain numbers (a sign, digits, at most one decimal sign): adding the place
// where a number begins to the bits of digits carries it to the first byte that is no digit, all cells of 64 bytes at
// once. So numbers are checked for nothing: a survey only counts them, and who reads them need not look at them again.
//
// A text is cut into blocks that are read at the same time. A row belongs to the block that holds the line end before
// it. Whether a block begins inside quotes is found beforehand, for both cases at once (Ge et al., 2019).
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/matrix.hpp"
#include "simd/levels.hpp"

namespace learnt {

struct CsvSigns {
    char delimiter = ',';
    char quote = '"';  // 0: there are none
    char decimal = '.';
};

// A text, of which `more` says that bytes follow that are not here.
struct CsvText {
    const char *data;
    int64_t size;
    bool more;
};

struct RowEnd {
    uint32_t cells;  // cells up to here
    uint32_t lines;  // line ends up to here, its own included
};

// The cells of a block: cell i is [start[i], start[i + 1] − 1).
struct CsvIndex {
    std::vector<uint32_t> start;
    std::vector<char> odd;  // 0: cell i is a plain number; 1: it is empty, a word, or a number overlooked; 8 may be
                               // looked at from any cell on
    std::vector<RowEnd> rows;
    bool quotes = false;    // whether any cell may be quoted
    bool unclosed = false;  // the text ends inside quotes

    // Empty again, with the memory it had.
    void clear() { rows.clear(), quotes = unclosed = false; }
    int64_t end() const { return rows.empty() ? -1 : int64_t{start[rows.back().cells]}; }
};

// What is known when 64 bytes begin.
struct QuoteState {
    bool inside = false;
    bool after_end = true;     // the byte before ends a cell: a quote opens one
    bool after_quote = false;  // the byte before is a closing quote: another one is half of a doubled quote
};

// Bits between quotes, the opening one included; `ends` are all delimiters and line ends. See above.
inline uint64_t bits_inside(uint64_t quotes, uint64_t ends, QuoteState &state) {
    uint64_t inside = quotes;
    for (int shift = 1; shift < 64; shift *= 2) inside ^= inside << shift;
    if (state.inside) inside = ~inside;
    const uint64_t openings = quotes & inside, closings = quotes & ~inside;
    const uint64_t may_open = ((ends & ~inside) << 1 | uint64_t{state.after_end}) | (closings << 1 | uint64_t{state.after_quote});
    uint64_t last_closing = closings;
    if (openings & ~may_open) {
        inside = state.inside ? ~uint64_t{0} : 0;
        bool within = state.inside;
        uint64_t closed = state.after_quote ? 1 : 0;  // the place right after the last closing quote
        last_closing = 0;
        for (uint64_t left = quotes; left; left &= left - 1) {
            const uint64_t bit = left & (~left + 1);
            const bool first = (bit & (ends << 1 | uint64_t{state.after_end})) || bit == closed;
            if (!within && !first) continue;
            if (within) closed = bit << 1, last_closing = bit;
            within = !within;
            inside ^= ~(bit - 1);
        }
    }
    state.inside = inside >> 63;
    state.after_end = ((ends & ~inside) >> 63) != 0;
    state.after_quote = (last_closing >> 63) != 0;
    return inside;
}

// Whether digits, signs of numbers and what parts cells are different characters, as they are in all but odd files.
inline bool has_plain_numbers(const CsvSigns &signs) {
    const auto part = [](char c) { return (c >= '0' && c <= '9') || c == '+' || c == '-'; };
    const auto apart = [&](char c) { return !part(c) && c != signs.decimal; };
    return !part(signs.decimal) && apart(signs.delimiter) && apart(signs.quote);
}

// What cells look like, a bit for each of 64 bytes.
struct NumberBits {
    uint64_t digits, zeros, points, signs;
};

// How far the cell that goes on when 64 bytes begin has come; at most one of the four is set.
struct PlainState {
    uint64_t start = 1;  // nothing of it was seen
    uint64_t sign = 0;   // its sign
    uint64_t whole = 0;  // digits
    uint64_t part = 0;   // the decimal sign
    uint64_t lone = 0;   // ... and nothing else, beside `part`
};

// Those of the cells' ends before which stands a plain number, [+-] digits [. digits] or [+-] . digits, without zeros in
// front that say nothing. Some may be overlooked.
inline uint64_t plain_ends(const NumberBits &bits, uint64_t ends, PlainState &state) {
    const uint64_t starts = ends << 1 | state.start;
    const uint64_t signs = bits.signs & starts;
    const uint64_t behind_sign = signs << 1 | state.sign;
    const uint64_t bodies = (starts & ~bits.signs) | behind_sign;
    const uint64_t idle = bits.zeros & (bits.digits >> 1 | uint64_t{1} << 63);
    uint64_t sum;
    uint64_t over = __builtin_add_overflow(bodies & ~idle, bits.digits, &sum);
    over |= static_cast<uint64_t>(__builtin_add_overflow(sum, state.whole, &sum));
    const uint64_t behind_whole = sum & ~bits.digits;
    const uint64_t points = behind_whole & bits.points;
    uint64_t over_part = __builtin_add_overflow(points << 1, bits.digits, &sum);
    over_part |= static_cast<uint64_t>(__builtin_add_overflow(sum, state.part, &sum));
    const uint64_t lone = points & bodies;
    const uint64_t empty = starts | behind_sign | lone << 1 | state.lone;
    const uint64_t found = (behind_whole | (sum & ~bits.digits)) & ends & ~empty;
    state = {ends >> 63, signs >> 63, over, points >> 63 | over_part, lone >> 63};
    return found;
}

}  // namespace learnt

#define LEARNT_LOOPS "text/csv/index_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// Blocks of about `size` bytes; none begins within a run of quotes, so that doubled ones stay together.
inline std::vector<int64_t> cut_text(const CsvText &text, const CsvSigns &signs, int64_t size) {
    std::vector<int64_t> cuts{0};
    for (int64_t at = size; at < text.size; at = std::max(at, cuts.back()) + size) {
        while (signs.quote && at < text.size && text.data[at] == signs.quote) ++at;
        if (at < text.size) cuts.push_back(at);
    }
    cuts.push_back(text.size);
    return cuts;
}

}  // namespace learnt
