// The reader of delimited text.
#include <cerrno>
#include <memory>

#include "base/files.hpp"
#include "bind/arrays.hpp"
#include "text/csv/reader.hpp"
#include "text/csv/spread.hpp"

namespace learnt::bind {
namespace {

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> given(Growing<T> &&values) {
    values.fit();
    auto kept = std::make_unique<Growing<T>>(std::move(values));
    T *data = kept->data();
    const size_t n = static_cast<size_t>(kept->size());
    const nb::capsule owner(kept.release(), [](void *p) noexcept { delete static_cast<Growing<T> *>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {n}, owner);
}

template <class T, class Value>
nb::ndarray<nb::numpy, T, nb::ndim<1>> each_word(const WordTable &words, Value value) {
    Growing<T> values;
    T *to = values.extend(words.size());
    for (int64_t w = 0; w < words.size(); ++w) to[w] = value(w);
    return given(std::move(values));
}

nb::tuple texts_of(const WordTable &words) {
    const nb::object texts = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(words.size())));
    if (!texts.is_valid()) throw nb::python_error();
    for (int64_t w = 0; w < words.size(); ++w) {
        PyObject *text = PyUnicode_DecodeUTF8(words[w].text, static_cast<Py_ssize_t>(words[w].length), nullptr);
        if (!text) throw nb::python_error();
        PyTuple_SetItem(texts.ptr(), static_cast<Py_ssize_t>(w), text);
    }
    return nb::borrow<nb::tuple>(texts);
}

char sign(const char *name, int value) {
    if (value < 0 || value > 127) refuse("'" + std::string(name) + "' is no ASCII character.");
    return static_cast<char>(value);
}

std::vector<CsvColumn> modes_of(const In<int8_t> &columns) {
    std::vector<CsvColumn> modes;
    for (int64_t j = 0; j < size(columns); ++j) {
        const int8_t mode = columns.data()[j];
        if (mode < 0 || mode > 3) refuse("A column is to be read as " + std::to_string(mode) + ". Expected 0, 1, 2 or 3.");
        modes.push_back(CsvColumn{mode});
    }
    if (modes.empty()) refuse("There are no columns. Expected at least one.");
    return modes;
}

nb::tuple bad_rows(const CsvReader &reader) {
    nb::list lines;
    for (const BadRow &row : reader.bad()) lines.append(row.line);
    return nb::tuple(lines);
}

// Bytes of an open file into memory, on all threads; how many there were.
int64_t read_file(int file, int64_t offset, uint8_t *to, int64_t size) {
    constexpr int64_t piece = 1 << 20;
    const int64_t pieces = (size + piece - 1) / piece;
    std::vector<int64_t> got(static_cast<size_t>(pieces), 0);
    std::atomic<int> error{0};
    run_blocks(pieces, [&](int64_t b, Job &) {
        const int64_t first = b * piece, last = std::min(size, first + piece);
        int64_t at = first;
        while (at < last) {
            const int64_t n = read_at(file, to + at, last - at, offset + at);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) error = errno;
            if (n <= 0) break;
            at += n;
        }
        got[static_cast<size_t>(b)] = at - first;
    });
    if (error) throw std::runtime_error(std::strerror(error));
    int64_t total = 0;
    for (int64_t b = 0; b < pieces; ++b) {
        total += got[static_cast<size_t>(b)];
        if (total < std::min(size, (b + 1) * piece)) break;  // the end of the file
    }
    return total;
}

template <class T>
void bind_spreading(nb::module_ &m, T none) {
    m.def(
        "spread_words",
        [none](const In<int32_t> &codes, const In<T> &by_word, const Out<T> &out) {
            const int32_t *from = data("codes", codes);
            T *to = vector("out", out, size(codes));
            const T *values = data("by_word", by_word);
            const int64_t n = size(codes), words = size(by_word);
            bool good = false;
            {
                const nb::gil_scoped_release unlocked;
                good = spread_words(from, n, values, words, none, to);
            }
            if (!good) refuse("A code is no word.");
        },
        nb::arg("codes").noconvert(), nb::arg("by_word").noconvert(), nb::arg("out").noconvert(),
        "out[i] ← by_word[codes[i]]; −1 or NaN where the code is −1.");
}

}  // namespace

void bind_csv(nb::module_ &m) {
    bind_spreading<double>(m, std::numeric_limits<double>::quiet_NaN());
    bind_spreading<int32_t>(m, -1);
    m.def(
        "read_file",
        [](int file, int64_t offset, const Out<uint8_t> &memory, int64_t start) {
            if (start < 0 || start > size(memory)) refuse("The memory to be filled is not in the array.");
            uint8_t *to = memory.data() + start;
            const int64_t room = size(memory) - start;
            const nb::gil_scoped_release unlocked;
            return read_file(file, offset, to, room);
        },
        nb::arg("file"), nb::arg("offset"), nb::arg("memory").noconvert(), nb::arg("start"),
        "Fill memory[start:] with the bytes of an open file from an offset on; how many there were.");
    nb::class_<CsvReader>(m, "CsvReader",
        "Delimited text, piece by piece, into columns; 0 skips one, 1 reads numbers, 2 words, 3 counts numbers.")
        .def(
            "__init__",
            [](CsvReader *self, int delimiter, int quote, int decimal, const In<int8_t> &columns, int64_t lines_before,
               int64_t block_bytes) {
                const CsvSigns signs{sign("delimiter", delimiter), sign("quote", quote), sign("decimal", decimal)};
                if (!signs.delimiter || signs.delimiter == '\n' || signs.delimiter == '\r') refuse("'delimiter' ends lines.");
                new (self) CsvReader(signs, modes_of(columns), lines_before, block_bytes);
            },
            nb::arg("delimiter"), nb::arg("quote"), nb::arg("decimal"), nb::arg("columns").noconvert(),
            nb::arg("lines_before"), nb::arg("block_bytes"))
        .def(
            "parse",
            [](CsvReader &self, const In<uint8_t> &text, int64_t start, int64_t stop, bool more) {
                if (start < 0 || start > stop || stop > size(text)) refuse("The text to be read is not in the array.");
                const CsvText given_text{reinterpret_cast<const char *>(text.data()) + start, stop - start, more};
                const nb::gil_scoped_release unlocked;
                return self.parse(given_text);
            },
            nb::arg("text").noconvert(), nb::arg("start"), nb::arg("stop"), nb::arg("more"),
            "Reads the whole rows of text[start:stop], and the last one if there is no more; how many bytes they were.")
        .def("expect", &CsvReader::expect, nb::arg("rows"))
        .def("begin_again", &CsvReader::begin_again, nb::arg("most_words") = 0,
             "Forget rows, and words of columns with more than so many, but not where in the file they ended.")
        .def("drop_rows", &CsvReader::drop_rows, "Forget rows, but neither their number nor their words.")
        .def("n_numbers", [](CsvReader &self, int64_t j) { return self.columns().at(static_cast<size_t>(j)).n_numbers; },
             nb::arg("column"))
        .def("n_words", [](CsvReader &self, int64_t j) { return self.words().at(static_cast<size_t>(j)).size(); },
             nb::arg("column"))
        .def("holds_zero", [](CsvReader &self, int64_t j) { return self.words().at(static_cast<size_t>(j)).holds_zero(); },
             nb::arg("column"), "Whether a word of the column has a zero byte in it.")
        .def_prop_ro("n_rows", &CsvReader::n_rows)
        .def_prop_ro("lines", &CsvReader::lines)
        .def_prop_ro("n_bad", &CsvReader::n_bad)
        .def_prop_ro("bad_lines", &bad_rows)
        .def_prop_ro("unclosed", &CsvReader::unclosed)
        .def(
            "take_numbers",
            [](CsvReader &self, int64_t j) {
                TableColumn &column = self.columns().at(static_cast<size_t>(j));
                return nb::make_tuple(given(std::move(column.numbers)), given(std::move(column.rows)));
            },
            nb::arg("column"))
        .def(
            "take_codes", [](CsvReader &self, int64_t j) { return given(std::move(self.columns().at(static_cast<size_t>(j)).codes)); },
            nb::arg("column"))
        .def(
            "words",
            [](CsvReader &self, int64_t j) {
                const WordTable &words = self.words().at(static_cast<size_t>(j));
                const std::vector<int64_t> &counts = self.columns().at(static_cast<size_t>(j)).counts;
                return nb::make_tuple(
                    texts_of(words), each_word<bool>(words, [&](int64_t w) { return words[w].quoted; }),
                    each_word<int64_t>(words, [&](int64_t w) { return counts[static_cast<size_t>(w)]; }),
                    each_word<int64_t>(words, [&](int64_t w) { return words[w].place; }));
            },
            nb::arg("column"), "Texts, whether quoted, how often, and the line of the first cell.");
}

}  // namespace learnt::bind
