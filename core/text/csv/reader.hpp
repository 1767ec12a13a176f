// Delimited text, piece by piece, into columns.
//
//   reader.parse(text)     reads the whole rows of a text and says how many bytes they were; the caller hands over the
//                          rest again, with what follows it
//   reader.columns()       what all rows so far hold
//
// A text is cut into blocks that the threads read side by side. Words of the texts before are known to all of them;
// those that are new are numbered in the order of the file afterwards, so that the result depends neither on threads
// nor on how the text was cut.
#pragma once

#include <vector>

#include "text/csv/block.hpp"
#include "text/csv/growing.hpp"

namespace learnt {

struct TableColumn {
    Growing<double> numbers;
    Growing<int64_t> rows;
    Growing<int32_t> codes;
    std::vector<int64_t> counts;  // of each word
    int64_t n_numbers = 0;
};

class CsvReader {
  public:
    CsvReader(const CsvSigns &signs, std::vector<CsvColumn> columns, int64_t lines_before, int64_t block_bytes)
        : signs_(signs),
          modes_(std::move(columns)),
          columns_(modes_.size()),
          words_(modes_.size()),
          lines_(lines_before),
          block_bytes_(std::max<int64_t>(block_bytes, 1)) {}
    CsvReader(const CsvReader &) = delete;

    int64_t n_rows() const { return n_rows_; }
    int64_t lines() const { return lines_; }                        // before what comes next
    bool unclosed() const { return unclosed_; }                     // the file ended inside quotes
    int64_t n_bad() const { return n_bad_; }
    const std::vector<BadRow> &bad() const { return bad_; }         // the first of them
    std::vector<TableColumn> &columns() { return columns_; }
    const std::vector<WordTable> &words() const { return words_; }  // `place` is the line of the first cell
    CsvColumn mode(size_t j) const { return modes_[j]; }

    // Forget the rows, but not where in the file they ended; and the words of columns that have more than so many of
    // them, or long ones. What is kept is found again at once.
    void begin_again(int64_t most_words) {
        for (size_t j = 0; j < modes_.size(); ++j) {
            TableColumn column;
            if (words_[j].size() <= most_words && words_[j].bytes() <= bytes_kept)
                column.counts = std::move(columns_[j].counts);
            else
                words_[j] = WordTable();
            columns_[j] = std::move(column);
        }
        n_rows_ = 0;
    }

    // Forget the rows, but neither how many they were nor their words.
    void drop_rows() {
        for (TableColumn &column : columns_) column.numbers.clear(), column.rows.clear(), column.codes.clear();
    }

    // How many rows there will be, as a guess.
    void expect(int64_t rows) {
        for (size_t j = 0; j < modes_.size(); ++j) {
            if (modes_[j] == CsvColumn::numbers) columns_[j].numbers.reserve(rows);
            if (modes_[j] == CsvColumn::words) columns_[j].codes.reserve(rows);
        }
    }

    int64_t parse(CsvText text) {
        if (text.more && text.size > 0 && text.data[text.size - 1] == '\r') --text.size;  // a line feed may follow
        if (text.size >= (int64_t{1} << 32) - 128) throw std::length_error("A row is longer than 4 GB.");
        const std::vector<int64_t> cuts = cut_text(text, signs_, block_bytes_);
        const int64_t n_blocks = static_cast<int64_t>(cuts.size()) - 1;
        const std::vector<char> inside = states(text, cuts);
        std::vector<CsvBlock> &blocks = blocks_;  // with the memory of those before
        blocks.resize(static_cast<size_t>(n_blocks));
        const BlockReader reader(text, signs_, modes_, words_);
        run_blocks(n_blocks, [&](int64_t b, Job &job) {
            const size_t k = static_cast<size_t>(b);
            reader.find(cuts[k], cuts[k + 1], inside[k] != 0, blocks[k], job);
        });
        make_room(blocks);
        run_blocks(n_blocks, [&](int64_t b, Job &job) { reader.read(blocks[static_cast<size_t>(b)], job); });
        return std::min(take(blocks), text.size);  // the end of a last row without line end is counted, too
    }

  private:
    static constexpr size_t bad_kept = 1000;
    static constexpr int64_t bytes_kept = 1 << 20;

    const CsvSigns signs_;
    const std::vector<CsvColumn> modes_;
    std::vector<TableColumn> columns_;
    std::vector<WordTable> words_;
    int64_t lines_, n_rows_ = 0, n_bad_ = 0;
    const int64_t block_bytes_;
    std::vector<BadRow> bad_;
    std::vector<CsvBlock> blocks_;
    bool unclosed_ = false;

    // Whether each block begins inside quotes.
    std::vector<char> states(const CsvText &text, const std::vector<int64_t> &cuts) const {
        const size_t n = cuts.size() - 1;
        std::vector<char> inside(n, 0);
        if (!signs_.quote || n < 2) return inside;
        struct Ends {
            bool of[2];
        };
        std::vector<Ends> ends(n);
        const Level level = current_level();
        run_blocks(static_cast<int64_t>(n), [&](int64_t b, Job &job) {
            const size_t k = static_cast<size_t>(b);
            job.check();
            if (!std::memchr(text.data + cuts[k], signs_.quote, static_cast<size_t>(cuts[k + 1] - cuts[k])))
                ends[k] = {{false, true}};
            else
                LEARNT_AT(level, quotes_over(text, cuts[k], cuts[k + 1], signs_, ends[k].of));
        });
        for (size_t k = 1; k < n; ++k) inside[k] = ends[k - 1].of[inside[k - 1] ? 1 : 0];
        return inside;
    }

    // Where each block's rows and lines begin.
    struct Before {
        int64_t rows, lines;
    };

    // Each block's piece of the columns.
    void make_room(std::vector<CsvBlock> &blocks) {
        int64_t more = 0;
        for (const CsvBlock &block : blocks) more += block.n_rows();
        for (size_t j = 0; j < modes_.size(); ++j) {
            double *number = modes_[j] == CsvColumn::numbers ? columns_[j].numbers.extend(more) : nullptr;
            int32_t *code = modes_[j] == CsvColumn::words ? columns_[j].codes.extend(more) : nullptr;
            for (CsvBlock &block : blocks) {
                block.columns[j].numbers = number, block.columns[j].row_codes = code;
                if (number) number += block.n_rows();
                if (code) code += block.n_rows();
            }
        }
    }

    int64_t take(std::vector<CsvBlock> &blocks) {
        std::vector<Before> before;
        int64_t rows = n_rows_, end = 0;
        for (const CsvBlock &block : blocks) {
            before.push_back({rows, lines_});
            for (const BadRow &row : block.bad)
                if (++n_bad_, bad_.size() < bad_kept) bad_.push_back({lines_ + row.line + 1, row.cells});
            rows += block.n_rows(), lines_ += block.lines;
            if (block.end >= 0) end = block.end;
            unclosed_ = unclosed_ || block.unclosed;
        }
        run_blocks(static_cast<int64_t>(modes_.size()), [&](int64_t j, Job &job) {
            const size_t k = static_cast<size_t>(j);
            if (modes_[k] != CsvColumn::skipped) take_column(blocks, before, k, job);
        });
        n_rows_ = rows;
        return end;
    }

    void take_column(std::vector<CsvBlock> &blocks, const std::vector<Before> &before, size_t j, Job &job) {
        TableColumn &to = columns_[j];
        WordTable &words = words_[j];
        std::vector<int32_t> ids;
        for (size_t b = 0; b < blocks.size(); ++b) {
            BlockColumn &from = blocks[b].columns[j];
            ids.clear();
            for (int64_t w = 0; w < from.fresh.size(); ++w) {
                const Word &word = from.fresh[w];
                const int64_t line = before[b].lines + blocks[b].line[static_cast<size_t>(word.place)] + 1;
                ids.push_back(words.add(WordKey(word.text, word.length, word.quoted), word.text, line, true));
            }
            to.counts.resize(static_cast<size_t>(words.size()), 0);
            int32_t *code = from.row_codes;
            int64_t n = code ? blocks[b].n_rows() : static_cast<int64_t>(from.codes.size());
            if (!code && n > 0) {
                code = to.codes.extend(n);
                std::copy(from.codes.begin(), from.codes.end(), code);
                int64_t *row = to.rows.extend(n);
                for (int64_t i = 0; i < n; ++i) row[i] = before[b].rows + from.rows[static_cast<size_t>(i)];
            }
            for (int64_t i = 0; i < n; ++i) {
                const int32_t id = code[i] < -1 ? ids[static_cast<size_t>(-2 - code[i])] : code[i];
                code[i] = id;
                if (id >= 0) ++to.counts[static_cast<size_t>(id)];
            }
            to.n_numbers += from.n_numbers;
            from.rows.clear(), from.codes.clear(), from.n_numbers = 0;
            if (from.fresh.size() > 0) from.fresh = WordTable();
            job.check();
        }
    }
};

}  // namespace learnt
