// Delimited text: every cut of a text gives the same table, numbers are exact, and no input reads outside of it.
#include <map>
#include <string>

#include "tests/check.hpp"
#include "text/csv/reader.hpp"

namespace learnt::test {

// A table by the simplest reader there is: one byte after the other.
struct PlainTable {
    std::vector<std::vector<std::string>> rows;
};

static PlainTable plain_table(const std::string &text, size_t width) {
    PlainTable table;
    std::vector<std::string> row;
    std::string cell;
    bool inside = false, started = false, blank = true;
    const auto end_cell = [&] { row.emplace_back(trimmed(cell)), cell.clear(), started = false; };
    const auto end_row = [&] {
        end_cell();
        if (!blank && row.size() == width) table.rows.push_back(row);
        row.clear(), blank = true;
    };
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inside) {
            if (c != '"') {
                cell += c;
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                cell += c, ++i;
            } else {
                inside = false;
            }
        } else if (c == '"' && !started) {
            inside = started = true, blank = false;
        } else if (c == ',') {
            end_cell(), blank = false;
        } else if (c == '\n' || (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))) {
            end_row();
        } else {
            cell += c, started = true;
            if (c != '\r' && (width == 1 || !is_plain_space(c))) blank = false;
        }
    }
    if (started || !row.empty()) end_row();
    return table;
}

// The same by the kernel, from memory that holds these bytes and no more.
static std::vector<std::vector<std::string>> parsed_table(const std::string &text, size_t width, int64_t block, int64_t window) {
    CsvReader reader({}, std::vector<CsvColumn>(width, CsvColumn::words), 0, block);
    const int64_t size = static_cast<int64_t>(text.size());
    for (int64_t at = 0, room = window;;) {
        const int64_t stop = std::min(size, at + room);
        const std::vector<char> piece(text.begin() + at, text.begin() + stop);
        const int64_t used = reader.parse({piece.data(), stop - at, stop < size});
        at += used;
        if (stop == size) break;
        room = used == 0 ? 2 * room : window;
    }
    std::vector<std::vector<std::string>> rows(static_cast<size_t>(reader.n_rows()), std::vector<std::string>(width));
    for (size_t j = 0; j < width; ++j)
        for (int64_t i = 0; i < reader.n_rows(); ++i) {
            const int32_t code = reader.columns()[j].codes.data()[i];
            if (code >= 0) rows[static_cast<size_t>(i)][j] = reader.words()[j][code].view();
        }
    return rows;
}

static void every_cut_gives_the_same_table() {
    static const char *pieces[] = {"a", "\xc3\xa9", " ", "\"", "\"", "\"\"", ",", ",", "\n", "\n", "\r\n", "\r", "\",", ",\"", "1.5", "\xe2\x80\x83", "\xff"};
    for (uint64_t seed = 0; seed < 20; ++seed) {
        std::string text;
        for (double u : numbers<double>(static_cast<int64_t>(seed) * 12, seed + 1)) text += pieces[static_cast<size_t>(u * 17)];
        for (size_t width : {size_t{1}, size_t{2}, size_t{3}}) {
            const PlainTable wanted = plain_table(text, width);
            for (int64_t block : {1, 5, 64, 65, 4096})
                for (int64_t window : {1, 13, 64, 1 << 20}) CHECK(parsed_table(text, width, block, window) == wanted.rows);
        }
    }
}

static double number_of(const std::string &text) {
    const std::vector<char> held(text.begin(), text.end());
    double value = -1;
    CHECK(read_number(held.data(), held.data() + held.size(), '.', value));
    return value;
}

static void numbers_are_exact() {
    for (const char *text : {"0", "1", "-1.5", "123456789.123456789", "9007199254740993", "1e22", "1e23", "4.9e-324", "2.4703282292062328e-324",
                             "1.7976931348623157e308", "179769313486231570000e289", ".5", "5.", "0.000000000000000000000000000001"})
        CHECK(number_of(text) == std::strtod(text, nullptr));
    CHECK(std::isinf(number_of("1e400")) && number_of("1e-400") == 0 && std::signbit(number_of("-0")));
    double value;
    for (const std::string text : {"", "-", ".", "e5", "1e", "1e+", "nan", "inf", "0x1", "1 ", "1.2.3"})
        CHECK(!read_number(text.data(), text.data() + text.size(), '.', value));
}

// Cells of all lengths at both ends of the text, where vectors must not reach.
static void numbers_at_the_edges_are_read() {
    for (int digits = 1; digits < 24; ++digits) {
        const std::string cell = std::string(static_cast<size_t>(digits), '7'), text = cell + ",-" + cell + "\n" + cell + ",." + cell;
        const std::vector<char> held(text.begin(), text.end());
        CsvReader reader({}, {CsvColumn::numbers, CsvColumn::numbers}, 0, 3);
        CHECK(reader.parse({held.data(), static_cast<int64_t>(held.size()), false}) == static_cast<int64_t>(held.size()));
        CHECK(reader.n_rows() == 2 && reader.columns()[0].n_numbers == 2 && reader.columns()[1].n_numbers == 2);
        const double whole = std::strtod(cell.c_str(), nullptr);
        CHECK(reader.columns()[0].numbers.data()[0] == whole && reader.columns()[0].numbers.data()[1] == whole);
        CHECK(reader.columns()[1].numbers.data()[0] == -whole);
    }
}

// Cells that are nearly numbers, or are, wherever 64 bytes end: counting finds the numbers and words that reading finds.
static void counting_finds_what_reading_finds() {
    static const char *pieces[] = {"0", "7", "12", "00", ".", ".", "-", "+", "e", "x", " ", ",", ",", ",", "\n", "\r\n", "\"1\"", "123456789012345678"};
    for (uint64_t seed = 0; seed < 60; ++seed) {
        std::string text;
        for (double u : numbers<double>(static_cast<int64_t>(seed) * 12, seed + 3)) text += pieces[static_cast<size_t>(u * 18)];
        const std::vector<char> held(text.begin(), text.end());
        for (size_t width : {size_t{1}, size_t{2}, size_t{9}})
            for (int64_t block : {7, 64, 4096}) {
                CsvReader read({}, std::vector<CsvColumn>(width, CsvColumn::numbers), 0, block);
                CsvReader count({}, std::vector<CsvColumn>(width, CsvColumn::counted), 0, block);
                for (CsvReader *reader : {&read, &count}) reader->parse({held.data(), static_cast<int64_t>(held.size()), seed % 3 == 0});
                for (size_t j = 0; j < width; ++j) {
                    const TableColumn &wanted = read.columns()[j], &found = count.columns()[j];
                    int64_t n = 0;
                    for (int64_t i = 0; i < wanted.numbers.size(); ++i) n += !std::isnan(wanted.numbers.data()[i]);
                    CHECK(found.n_numbers == n && wanted.n_numbers == n && found.counts == wanted.counts);
                    for (int64_t w = 0; w < read.words()[j].size(); ++w)
                        CHECK(count.words()[j][w].view() == read.words()[j][w].view() && count.words()[j][w].place == read.words()[j][w].place);
                }
            }
    }
}

static void any_bytes_are_read_without_harm() {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        std::vector<char> text;
        for (double u : numbers<double>(static_cast<int64_t>(seed) * 3, seed + 7))
            text.push_back(u < 0.2 ? ",\"\n\r"[static_cast<size_t>(u * 20)] : static_cast<char>(u * 256));
        CsvReader reader({}, {CsvColumn::numbers, CsvColumn::words}, 0, 50);
        reader.parse({text.data(), static_cast<int64_t>(text.size()), seed % 2 == 0});
        CHECK(reader.n_rows() == reader.columns()[1].codes.size() && reader.n_rows() == reader.columns()[0].numbers.size());
    }
}

void test_csv() {
    numbers_are_exact();
    everywhere([] {
        every_cut_gives_the_same_table();
        numbers_at_the_edges_are_read();
        counting_finds_what_reading_finds();
        any_bytes_are_read_without_harm();
    });
}

}  // namespace learnt::test
