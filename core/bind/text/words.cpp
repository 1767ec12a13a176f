// Documents, vocabularies, and the counting of words.
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "bind/arrays.hpp"
#include "text/sequences.hpp"

namespace learnt::bind {
namespace {

template <class T>
using Result = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// An array that owns what it shows.
template <class T, class Holder>
Result<T> given(Holder &&holder, T *(*data_of)(Holder &), int64_t n) {
    auto *kept = new Holder(std::move(holder));
    const nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<Holder *>(p); });
    return Result<T>(data_of(*kept), {static_cast<size_t>(n)}, owner);
}
template <class T>
Result<T> given(std::vector<T> &&values) {
    const int64_t n = static_cast<int64_t>(values.size());
    return given<T, std::vector<T>>(std::move(values), [](std::vector<T> &v) { return v.data(); }, n);
}
template <class T>
Result<T> given(Buffer<T> &&values, int64_t n) {
    return given<T, Buffer<T>>(std::move(values), [](Buffer<T> &v) { return v.data(); }, n);
}

// Views of texts, and what keeps their memory.
struct HeldDocuments {
    Documents documents;
    nb::object keeper;

    // A tuple of ASCII str, UTF-8 bytes, and None for no document.
    explicit HeldDocuments(nb::tuple texts) : keeper(texts) {
        const Py_ssize_t n = static_cast<Py_ssize_t>(nb::len(texts));
        documents.reserve(static_cast<size_t>(n));
        for (Py_ssize_t i = 0; i < n; ++i) {
            PyObject *cell = PyTuple_GetItem(texts.ptr(), i);
            Py_ssize_t size = 0;
            if (cell == Py_None) {
                documents.emplace_back();
            } else if (PyUnicode_Check(cell)) {
                const char *bytes = PyUnicode_AsUTF8AndSize(cell, &size);
                if (!bytes) throw nb::python_error();
                documents.emplace_back(bytes, static_cast<size_t>(size));
            } else if (PyBytes_Check(cell)) {
                char *bytes = nullptr;
                if (PyBytes_AsStringAndSize(cell, &bytes, &size) != 0) throw nb::python_error();
                documents.emplace_back(bytes, static_cast<size_t>(size));
            } else {
                throw nb::type_error(("Document " + std::to_string(i) + " is neither str nor bytes nor None.").c_str());
            }
        }
    }

    // Pieces of one run of UTF-8, as Arrow keeps them: piece i is [offsets[i], offsets[i + 1]), empty if not there[i].
    HeldDocuments(const In<uint8_t> &text, const In<int64_t> &offsets, const Maybe<In<bool>> &there)
        : keeper(nb::make_tuple(text)) {
        if (size(offsets) < 1) refuse("'offsets' is empty. Expected one number more than there are documents.");
        const int64_t n = size(offsets) - 1, *at = data("offsets", offsets);
        const char *bytes = reinterpret_cast<const char *>(text.data());
        const bool *known = vector("there", there, n);
        documents.reserve(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) {
            if (at[i] < 0 || at[i] > at[i + 1] || at[i + 1] > size(text))
                refuse("Document " + std::to_string(i) + " lies outside of the text.");
            const bool use = !known || known[i];
            documents.emplace_back(bytes + at[i], static_cast<size_t>(use ? at[i + 1] - at[i] : 0));
        }
    }
};

// Terms given as one run of bytes: term i ends before ends[i], where term i + 1 begins.
Terms terms_of(const In<uint8_t> &text, const In<int64_t> &ends) {
    Terms terms;
    int64_t from = 0;
    const int64_t *end = data("ends", ends);
    const char *bytes = reinterpret_cast<const char *>(text.data());
    for (int64_t i = 0; i < size(ends); ++i) {
        if (end[i] < from || end[i] > size(text)) refuse("Term " + std::to_string(i) + " lies outside of the text.");
        if (terms.add({bytes + from, static_cast<size_t>(end[i] - from)}) != i)
            refuse("Term " + std::to_string(i) + " stands there twice.");
        from = end[i];
    }
    return terms;
}

struct Rules {
    TokenRules rules;
    nb::object stops, characters;  // what the rules point to

    Rules(bool lowercase, int64_t least, int64_t most, nb::object stop_words, nb::object known)
        : stops(stop_words), characters(known) {
        if (least < 1 || most < least)
            refuse("The words of a term are " + std::to_string(least) + " to " + std::to_string(most) +
                   ". Expected 1 or more, the smaller number first.");
        rules = {lowercase, least, most, stop_words.is_none() ? nullptr : nb::cast<const Terms *>(stop_words),
                 known.is_none() ? nullptr : nb::cast<const Characters *>(known)};
    }
};

template <class Real>
nb::tuple rows_given(WordRows<Real> &&rows) {
    const int64_t stored = rows.offsets.back();
    return nb::make_tuple(given(std::move(rows.offsets)), given(std::move(rows.indices), stored),
                          given(std::move(rows.counts), stored));
}

nb::tuple counts_given(WordCounts &&counts) {
    return nb::make_tuple(given(std::move(counts.text)), given(std::move(counts.ends)),
                          given(std::move(counts.documents)), given(std::move(counts.totals)));
}

// f(Real{}) for the precision asked for, without the lock.
template <class F>
nb::tuple in_precision(bool single, F f) {
    return single ? f(float{}) : f(double{});
}

template <class Make>
nb::tuple rows_made(bool single, Make make) {
    return in_precision(single, [&](auto real) {
        WordRows<decltype(real)> rows;
        {
            const nb::gil_scoped_release unlocked;
            rows = make(real);
        }
        return rows_given(std::move(rows));
    });
}

template <class Real>
void bind_weighing(nb::module_ &m) {
    m.def(
        "weigh_words",
        [](const In<int64_t> &indptr, const In<int32_t> &indices, const Maybe<In<double>> &factor, bool sublinear,
           int norm, const Out<Real> &values) {
            if (size(indptr) < 1) refuse("'indptr' is empty. Expected one number more than there are rows.");
            if (norm < 0 || norm > 2) refuse("'norm' is " + std::to_string(norm) + ". Expected 0, 1 or 2.");
            const int64_t rows = size(indptr) - 1, stored = size(values), *at = data("indptr", indptr);
            const int32_t *column = vector("indices", indices, stored);
            const int64_t columns = factor ? size(*factor) : 0;
            for (int64_t i = 0; i < rows; ++i)
                if (at[i] < 0 || at[i] > at[i + 1] || at[i + 1] > stored)
                    refuse("Row " + std::to_string(i) + " of the sparse matrix points outside of it.");
            if (factor)
                for (int64_t e = 0; e < stored; ++e)
                    if (column[e] < 0 || column[e] >= columns) refuse("A column of the sparse matrix has no factor.");
            const double *f = factor ? data("factor", *factor) : nullptr;
            Real *to = data("values", values);
            const nb::gil_scoped_release unlocked;
            weigh_words(at, rows, column, to, f, sublinear, RowNorm{norm});
        },
        nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("factor").noconvert().none(),
        nb::arg("sublinear"), nb::arg("norm"), nb::arg("values").noconvert(),
        "Values ← (1 + log, if sublinear) × factor of the column; rows to sum 1 (norm 1) or length 1 (norm 2).");
}

}  // namespace

void bind_words(nb::module_ &m) {
    nb::class_<HeldDocuments>(m, "Documents",
        "Texts that kernels read: ASCII str, UTF-8 bytes or None; or pieces of one run of UTF-8, as Arrow keeps them.")
        .def(nb::init<nb::tuple>(), nb::arg("texts"))
        .def(nb::init<const In<uint8_t> &, const In<int64_t> &, const Maybe<In<bool>> &>(),
             nb::arg("text").noconvert(), nb::arg("offsets").noconvert(), nb::arg("there").noconvert().none())
        .def("__len__", [](const HeldDocuments &d) { return d.documents.size(); });
    nb::class_<Characters>(m, "Characters",
        "Ranges of word characters; the lower case of large letters, and what follows it, 0 for nothing.")
        .def(
            "__init__",
            [](Characters *self, const In2<int32_t> &ranges, const In<int32_t> &large, const In<int32_t> &small,
               const In<int32_t> &more) {
                const int64_t n = size(large);
                new (self) Characters(matrix("ranges", ranges, size(ranges), 2), size(ranges), data("large", large),
                                      vector("small", small, n), vector("more", more, n), n);
            },
            nb::arg("ranges").noconvert(), nb::arg("large").noconvert(), nb::arg("small").noconvert(),
            nb::arg("more").noconvert());
    nb::class_<Terms>(m, "Terms",
        "A vocabulary: UTF-8 one after the other, and where each term ends.")
        .def(
            "__init__",
            [](Terms *self, const In<uint8_t> &text, const In<int64_t> &ends) { new (self) Terms(terms_of(text, ends)); },
            nb::arg("text").noconvert(), nb::arg("ends").noconvert())
        .def("__len__", [](const Terms &t) { return t.size(); });
    nb::class_<Rules>(m, "TokenRules",
        "How documents are taken apart. Without characters, all that is beyond ASCII ends words.")
        .def(nb::init<bool, int64_t, int64_t, nb::object, nb::object>(), nb::arg("lowercase"), nb::arg("least"),
             nb::arg("most"), nb::arg("stops").none(), nb::arg("characters").none());

    m.def(
        "count_words",
        [](const HeldDocuments &documents, const Rules &rules) {
            WordCounts counts;
            {
                const nb::gil_scoped_release unlocked;
                counts = count_words<double>(documents.documents, rules.rules, nullptr);
            }
            return counts_given(std::move(counts));
        },
        nb::arg("documents"), nb::arg("rules"),
        "The terms in order: text and ends; for each, in how many documents it is, and how often.");
    m.def(
        "count_and_encode_words",
        [](const HeldDocuments &documents, const Rules &rules, bool single) {
            return in_precision(single, [&](auto real) {
                WordRows<decltype(real)> rows;
                WordCounts counts;
                {
                    const nb::gil_scoped_release unlocked;
                    counts = count_words(documents.documents, rules.rules, &rows);
                }
                return nb::make_tuple(counts_given(std::move(counts)), rows_given(std::move(rows)));
            });
        },
        nb::arg("documents"), nb::arg("rules"), nb::arg("single"),
        "The same, and indptr, indices and data of the counts of each document.");
    m.def(
        "encode_words",
        [](const HeldDocuments &documents, const Rules &rules, const Terms &terms, bool single) {
            return rows_made(single, [&](auto real) {
                return encode_words<decltype(real)>(documents.documents, rules.rules, terms);
            });
        },
        nb::arg("documents"), nb::arg("rules"), nb::arg("terms"), nb::arg("single"),
        "The counts of the terms of a vocabulary in each document.");
    m.def(
        "encode_sequences",
        [](const HeldDocuments &documents, const Rules &rules, const Terms &terms) {
            WordSequences made;
            {
                const nb::gil_scoped_release unlocked;
                made = encode_sequences(documents.documents, rules.rules, terms);
            }
            const int64_t words = made.offsets.back();
            return nb::make_tuple(given(std::move(made.offsets)), given(std::move(made.ids), words));
        },
        nb::arg("documents"), nb::arg("rules"), nb::arg("terms"),
        "Where the words of each document begin, and their numbers in a vocabulary, in their order; −1 is none.");
    m.def(
        "hash_words",
        [](const HeldDocuments &documents, const Rules &rules, int64_t n_columns, bool single) {
            if (n_columns < 1 || n_columns >= int64_t{1} << 31)
                refuse("'n_columns' is " + std::to_string(n_columns) + ". Expected 1 to 2³¹ − 1.");
            return rows_made(single, [&](auto real) {
                return hash_words<decltype(real)>(documents.documents, rules.rules, static_cast<int32_t>(n_columns));
            });
        },
        nb::arg("documents"), nb::arg("rules"), nb::arg("n_columns"), nb::arg("single"),
        "The counts of hashed terms in each document.");
    m.def(
        "join_terms",
        [](const In<uint8_t> &text, const In<int64_t> &ends, const In<uint8_t> &more_text, const In<int64_t> &more_ends) {
            Terms one = terms_of(text, ends), two = terms_of(more_text, more_ends);
            JoinedTerms joined;
            {
                const nb::gil_scoped_release unlocked;
                joined = join_terms({&one, &two});
            }
            return nb::make_tuple(given(std::move(joined.counts.text)), given(std::move(joined.counts.ends)),
                                  given(std::move(joined.places[0])), given(std::move(joined.places[1])));
        },
        nb::arg("text").noconvert(), nb::arg("ends").noconvert(), nb::arg("more_text").noconvert(),
        nb::arg("more_ends").noconvert(),
        "The terms of both in order, and the places of each there.");
    bind_weighing<double>(m), bind_weighing<float>(m);
}

}  // namespace learnt::bind
