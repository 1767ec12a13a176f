// The rows of one block as columns: numbers at once, other texts as words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/pool.hpp"
#include "text/csv/index.hpp"
#include "text/csv/number.hpp"
#include "text/csv/trim.hpp"
#include "text/csv/word_table.hpp"

namespace learnt {

// `counted` is `numbers` without the numbers: how many there are, and the words among them.
enum class CsvColumn : int8_t { skipped = 0, numbers = 1, words = 2, counted = 3 };

// A row with too few or too many cells.
struct BadRow {
    int64_t line, cells;
};

// Shuffles that take lane l − 1 into lane l up to the decimal sign's, and leave the others: the sign is gone.
struct GapClosers {
    int8_t lane[17][16];
    constexpr GapClosers() : lane() {
        for (int point = 0; point <= 16; ++point)
            for (int l = 0; l < 16; ++l) lane[point][l] = static_cast<int8_t>(point < 16 && l <= point ? (l > 0 ? l - 1 : -128) : l);
    }
    constexpr const int8_t *operator[](int point) const { return lane[point]; }
};
inline constexpr GapClosers gap_closers;
// What a number of sixteen places is divided by if its decimal sign stands at a place; at 16 there is none.
inline constexpr double powers_behind[17] = {1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8, 1e7,
                                             1e6,  1e5,  1e4,  1e3,  1e2,  1e1,  1e0, 1e0};
inline constexpr int64_t number_rows = 96;  // read at once, at most
// From `last_lanes + n` on: n lanes of ones at the end of sixteen.
inline constexpr int8_t last_lanes[33] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, -1,
                                          -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

}  // namespace learnt

#define LEARNT_LOOPS "text/csv/cells_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// A word of the whole table is its number, one that is new in this block −2 − its number here, an empty cell −1.
struct BlockColumn {
    double *numbers = nullptr;   // one per row, of a column of numbers
    int32_t *row_codes = nullptr;  // one per row, of a column of words
    std::vector<uint32_t> rows;  // where the words of a column of numbers are
    std::vector<int32_t> codes;
    WordTable fresh;
    int64_t n_numbers = 0;
};

struct CsvBlock {
    CsvIndex index;
    std::vector<uint32_t> first;  // the first cell of each row
    std::vector<uint32_t> line;   // lines of the block before each row
    std::vector<BadRow> bad;
    std::vector<BlockColumn> columns;
    int64_t end = -1;             // behind the last row, if there is any
    int64_t lines = 0;
    bool unclosed = false;

    int64_t n_rows() const { return static_cast<int64_t>(first.size()); }
    void clear() {
        index.clear(), first.clear(), line.clear(), bad.clear();
        end = -1, lines = 0, unclosed = false;
    }
};

class BlockReader {
  public:
    BlockReader(const CsvText &text, const CsvSigns &signs, const std::vector<CsvColumn> &columns,
                const std::vector<WordTable> &known)
        : text_(text), signs_(signs), columns_(columns), known_(known), level_(current_level()) {
        for (size_t j = 0; j < columns.size(); ++j) {
            if (columns[j] != CsvColumn::counted) continue;
            counted_.resize((columns.size() + 7) / 8 * 8, 0);
            counted_[j] = 1;
        }
    }

    // Where the rows of a block and their cells are.
    void find(int64_t from, int64_t to, bool inside, CsvBlock &block, Job &job) const {
        CsvIndex &index = block.index;
        block.clear();
        LEARNT_AT(level_, index_rows(text_, from, to, signs_, inside, index));
        job.check();
        block.end = index.end();
        block.lines = index.rows.empty() ? 0 : index.rows.back().lines;
        block.unclosed = index.unclosed;
        check_rows(index, block);
        block.columns.resize(columns_.size());
    }

    // Their cells, into the memory that the columns of the block point to.
    void read(CsvBlock &block, Job &job) const {
        const CsvIndex &index = block.index;
        const int64_t rows = block.n_rows();
        // Some rows at a time, so that their bytes stay in the nearest cache while column after column is read.
        for (int64_t r = 0; r < rows; r += tile) {
            const int64_t n = std::min(tile, rows - r);
            for (size_t j = 0; j < columns_.size(); ++j) {
                if (columns_[j] == CsvColumn::numbers) numbers(index, block, r, n, j);
                if (columns_[j] == CsvColumn::words) words(index, block, r, n, j);
            }
            if (!counted_.empty()) count(index, block, r, n);
            job.check();
        }
    }

  private:
    static constexpr int64_t tile = number_rows;

    const CsvText &text_;
    const CsvSigns &signs_;
    const std::vector<CsvColumn> &columns_;
    const std::vector<WordTable> &known_;
    const Level level_;
    std::vector<char> counted_;  // 1 for each column that is, zeros up to a multiple of 8; nothing if none is

    std::string_view cell(const CsvIndex &index, size_t i) const {
        const uint32_t from = index.start[i], to = index.start[i + 1] - 1;
        return {text_.data + from, static_cast<size_t>(to - from)};
    }

    void check_rows(const CsvIndex &index, CsvBlock &block) const {
        RowEnd before{0, 0};
        const uint32_t width = static_cast<uint32_t>(columns_.size());
        block.first.reserve(index.rows.size()), block.line.reserve(index.rows.size());
        for (const RowEnd &row : index.rows) {
            const uint32_t cells = row.cells - before.cells;
            const std::string_view only = cells == 1 ? cell(index, before.cells) : std::string_view();
            const bool blank = cells == 1 && (only.empty() || only == "\r" || (width > 1 && trimmed(only).empty()));
            if (blank) {
                // not a row
            } else if (cells == width) {
                block.first.push_back(before.cells), block.line.push_back(before.lines);
            } else {
                block.bad.push_back({before.lines, cells});
            }
            before = row;
        }
    }

    void numbers(const CsvIndex &index, CsvBlock &block, int64_t row, int64_t n, size_t j) const {
        BlockColumn &column = block.columns[j];
        uint32_t others[tile];
        int64_t n_others = 0, found = 0;
        std::string scratch;
        const bool last = j + 1 == columns_.size();
        LEARNT_AT(level_, read_numbers(text_, signs_, index, block.first.data() + row, n, static_cast<int64_t>(j), last,
                                       column.numbers + row, others, n_others, found));
        column.n_numbers += found;
        for (int64_t k = 0; k < n_others; ++k) {
            const int64_t r = row + others[k];
            double value = std::numeric_limits<double>::quiet_NaN();
            number_or_word(index, block, r, j, value, scratch);
            column.numbers[r] = value;
        }
    }

    // A cell of a column of numbers that is none at first sight.
    void number_or_word(const CsvIndex &index, CsvBlock &block, int64_t r, size_t j, double &value, std::string &scratch) const {
        BlockColumn &column = block.columns[j];
        const Cell found = content(cell(index, block.first[static_cast<size_t>(r)] + j), index.quotes, scratch);
        const char *s = found.text.data(), *end = s + found.text.size();
        double number;
        if (!has_idle_zero(s, end) && read_number(s, end, signs_.decimal, number)) {
            value = number, ++column.n_numbers;
            return;
        }
        const int32_t code = code_of(found, column, known_[j], r);
        if (code != -1) column.rows.push_back(static_cast<uint32_t>(r)), column.codes.push_back(code);
    }

    // The numbers of all counted columns. Most rows hold nothing else there, which eight cells tell at a time.
    void count(const CsvIndex &index, CsvBlock &block, int64_t row, int64_t n) const {
        std::string scratch;
        for (size_t j = 0; j < columns_.size(); ++j)
            if (counted_[j]) block.columns[j].n_numbers += n;
        for (int64_t r = row; r < row + n; ++r) {
            const char *odd = index.odd.data() + block.first[static_cast<size_t>(r)];
            for (size_t j = 0; j < counted_.size(); j += 8) {
                if (!(bytes_at<uint64_t>(odd + j) & bytes_at<uint64_t>(counted_.data() + j))) continue;
                for (size_t k = j; k < std::min(j + 8, columns_.size()); ++k) {
                    if (!(odd[k] & counted_[k])) continue;
                    double value;
                    --block.columns[k].n_numbers;
                    number_or_word(index, block, r, k, value, scratch);
                }
            }
        }
    }

    // First what each word is found by, then the finding: so many places of the table are fetched at the same time.
    void words(const CsvIndex &index, CsvBlock &block, int64_t row, int64_t n, size_t j) const {
        BlockColumn &column = block.columns[j];
        const WordTable &known = known_[j];
        std::string scratch;
        Sought sought[tile];
        bool own = false;
        for (int64_t r = 0; r < n && !own; ++r) {
            const Cell found = content(cell(index, block.first[static_cast<size_t>(row + r)] + j), index.quotes, scratch);
            sought[r] = Sought(found);
            known.fetch(sought[r].hash);
            own = found.own;
        }
        if (own) {  // their texts are gone when the next is made
            for (int64_t r = row; r < row + n; ++r)
                column.row_codes[r] =
                    code_of(content(cell(index, block.first[static_cast<size_t>(r)] + j), index.quotes, scratch), column, known, r);
            return;
        }
        for (int64_t r = 0; r < n; ++r) {
            const Sought &s = sought[r];
            int32_t code = -1;
            if (s.key.length | s.key.quoted) {
                code = known.find(s.key, s.hash, s.text);
                if (code < 0) code = -2 - column.fresh.add(s.key, s.text, row + r, false);
            }
            column.row_codes[row + r] = code;
        }
    }

    struct Cell {
        std::string_view text;
        bool quoted = false;
        bool own = false;  // the text is not a run of the file, but made of one
    };

    struct Sought {
        WordKey key;
        uint64_t hash;
        const char *text;

        Sought() : key("", 0, false) {}
        explicit Sought(const Cell &cell)
            : key(cell.text.data(), cell.text.size(), cell.quoted), hash(key.hash()), text(cell.text.data()) {}
    };

    // What a cell says: quotes taken off, space around it too.
    Cell content(std::string_view raw, bool quotes, std::string &scratch) const {
        if (raw.empty()) return {raw};
        if (quotes && raw[0] == signs_.quote) return unquoted(raw, scratch);
        return {may_need_trimming(raw.data(), raw.data() + raw.size()) ? trimmed(raw) : raw};
    }

    Cell unquoted(std::string_view raw, std::string &scratch) const {
        const size_t close = raw.find(signs_.quote, 1);
        if (close == raw.npos) return {trimmed(raw.substr(1)), true};
        if (close + 1 == raw.size() || trimmed(raw.substr(close + 1)).empty()) return {trimmed(raw.substr(1, close - 1)), true};
        scratch.clear();
        size_t at = 1;
        for (size_t q = close; q != raw.npos; q = raw.find(signs_.quote, at)) {
            scratch.append(raw, at, q - at);
            at = q + 1;
            if (at >= raw.size() || raw[at] != signs_.quote) break;  // what follows the closing quote is text
            scratch += signs_.quote, ++at;
        }
        scratch.append(raw, at);
        return {trimmed(scratch), true, true};
    }

    int32_t code_of(const Cell &cell, BlockColumn &column, const WordTable &known, int64_t row) const {
        if (cell.text.empty() && !cell.quoted) return -1;
        const WordKey key(cell.text.data(), cell.text.size(), cell.quoted);
        const int32_t there = known.find(key, key.hash(), cell.text.data());
        return there >= 0 ? there : -2 - column.fresh.add(key, cell.text.data(), row, cell.own);
    }
};

}  // namespace learnt
