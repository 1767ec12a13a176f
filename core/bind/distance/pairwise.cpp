// Distances of all pairs: of rows of numbers, and of texts.
#include <vector>

#include "bind/arrays.hpp"
#include "bind/distance/measure.hpp"
#include "distance/pairwise.hpp"
#include "text/levenshtein.hpp"

namespace learnt::bind {
namespace {

// The code points of a tuple of str.
struct CodePoints {
    std::vector<uint32_t> characters;
    std::vector<int64_t> offsets{0};

    void add(nb::handle text) {
        const Py_ssize_t n = PyUnicode_GetLength(text.ptr());
        if (n < 0) throw nb::python_error();
        const size_t from = characters.size();
        characters.resize(from + static_cast<size_t>(n) + 1);  // room for the end Python may write
        if (n > 0 && !PyUnicode_AsUCS4(text.ptr(), characters.data() + from, n, 0)) throw nb::python_error();
        characters.resize(from + static_cast<size_t>(n));
        offsets.push_back(static_cast<int64_t>(characters.size()));
    }
    explicit CodePoints(const nb::tuple &texts) {
        for (size_t i = 0; i < nb::len(texts); ++i) {
            const nb::object text = texts[i];
            if (!nb::isinstance<nb::str>(text)) throw nb::type_error(("Text " + std::to_string(i) + " is not a str.").c_str());
            add(text);
        }
    }
    Texts texts() const { return {characters.data(), offsets.data(), static_cast<int64_t>(offsets.size()) - 1}; }
};

template <class T>
void bind_pairwise(nb::module_ &m) {
    m.def(
        "pairwise_distances",
        [](const In2<T> &x, const In2<T> &y, const std::string &norm, double power, const Maybe<In<double>> &weights,
           const Out2<double> &out) {
            const int64_t n = size(x), p = size(x, 1), k = size(y);
            const Measure measure = measure_of(norm, power, weights, p);
            const T *rows = data("x", x), *others = matrix("y", y, k, p);
            double *to = matrix("out", out, n, k);
            const nb::gil_scoped_release unlocked;
            pairwise_distances(measure, rows, n, others, k, p, to);
        },
        nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("norm"), nb::arg("power"),
        nb::arg("weights").noconvert().none(), nb::arg("out").noconvert(),
        "Overwrite out (rows of x × rows of y) with all distances by the norm 'l1', 'l2', 'max', 'lp' or 'hamming'.");
}

}  // namespace

void bind_distance(nb::module_ &m) {
    bind_pairwise<float>(m);
    bind_pairwise<double>(m);
    m.def("levenshtein_distance", [](const nb::str &a, const nb::str &b) {
        CodePoints both{nb::tuple()};
        both.add(a), both.add(b);
        const Texts texts = both.texts();
        int64_t d = 0;
        {
            const nb::gil_scoped_release unlocked;
            run_blocks(1, [&](int64_t, Job &job) {
                std::vector<uint8_t> carry;
                d = levenshtein_pair(texts.begin(0), texts.size(0), texts.begin(1), texts.size(1), carry, job);
            });
        }
        return d;
    }, nb::arg("a"), nb::arg("b"),
        "How many characters must be inserted, deleted or replaced to turn a into b.");
    m.def("levenshtein_distances", [](const nb::tuple &texts, const Maybe<nb::tuple> &patterns, const Out2<double> &out) {
        const CodePoints a(texts);
        const CodePoints b = patterns ? CodePoints(*patterns) : CodePoints{nb::tuple()};
        const Texts left = a.texts(), right = patterns ? b.texts() : left;
        double *to = matrix("out", out, left.count, right.count);
        const nb::gil_scoped_release unlocked;
        levenshtein_pairs(left, right, to);
    }, nb::arg("texts"), nb::arg("patterns").none(), nb::arg("out").noconvert(),
        "The same for all pairs (patterns None: of the texts themselves), into out.");
}

}  // namespace learnt::bind
