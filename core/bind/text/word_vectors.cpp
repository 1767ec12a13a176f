// The training of word vectors.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind/arrays.hpp"
#include "text/word_vectors.hpp"

namespace learnt::bind {
namespace {

const VectorRules &checked(const VectorRules &rules, int64_t reach, double often) {
    if (!(often >= 1)) refuse("'often' is below 1.");
    if (rules.words < 1 || rules.words >= int64_t{1} << 31) refuse("There are no words, or more than 2³¹.");
    if (rules.stride < vector_unit || rules.stride > 1 << 20 || rules.stride % vector_unit != 0)
        refuse("'stride' is " + std::to_string(rules.stride) + ". Expected a multiple of 16, at most 2²⁰.");
    if (reach < 1 || reach > 10000) refuse("'window' is " + std::to_string(reach) + ". Expected 1 to 10000.");
    if (rules.negatives < 0 || rules.negatives > 10000) refuse("'negatives' is out of range. Expected 0 to 10000.");
    if (rules.batch < 1 || rules.batch > 1 << 16) refuse("'batch' is out of range. Expected 1 to 2¹⁶.");
    if (rules.batch * (rules.negatives + 1) * reach > int64_t{1} << 30) refuse("A batch has too many errors. Lower 'window'.");
    if (rules.epochs < 1 || rules.places < 1) refuse("'epochs' or 'places' is below 1.");
    return rules;
}

struct HeldTrainer {
    VectorRules rules;
    VectorTrainer trainer;

    HeldTrainer(const In<double> &noise, const In<double> &keep, int64_t stride, int64_t window, int64_t negatives, int64_t batch,
                double often, bool cbow, double rate, double last_rate, int64_t epochs, int64_t places, uint64_t seed)
        : rules{size(noise), stride, negatives, batch, cbow, rate, last_rate, epochs, places},
          trainer(checked(rules, window, often), weights(noise), vector("keep", keep, rules.words),
                  WindowRules{rules.words, window, batch, often, seed}) {}

    static const double *weights(const In<double> &noise) {
        const double *w = data("noise", noise);
        double sum = 0;
        for (int64_t i = 0; i < size(noise); ++i) {
            if (!(w[i] >= 0 && w[i] <= 1e300)) refuse("'noise' holds what is no weight.");
            sum += w[i];
        }
        if (!(sum > 0 && sum <= 1e300)) refuse("'noise' has no positive sum.");
        return w;
    }

    std::tuple<const int64_t *, int64_t, const int32_t *> documents(const In<int64_t> &offsets, const In<int32_t> &ids) const {
        if (size(offsets) < 1) refuse("'offsets' is empty. Expected one number more than there are documents.");
        const int64_t n = size(offsets) - 1, words = size(ids), *at = data("offsets", offsets);
        const int32_t *id = data("ids", ids);
        if (at[0] < 0) refuse("Document 0 lies outside of the words.");
        for (int64_t i = 0; i < n; ++i)
            if (at[i] > at[i + 1] || at[i + 1] > words) refuse("Document " + std::to_string(i) + " lies outside of the words.");
        for (int64_t i = 0; i < words; ++i)
            if (id[i] < -1 || id[i] >= rules.words) refuse("Word " + std::to_string(i) + " is not known.");
        return {at, n, id};
    }

    float *rows(const char *name, const Out2<float> &m) const { return matrix(name, m, rules.words, rules.stride); }
};

}  // namespace

void bind_word_vectors(nb::module_ &m) {
    nb::class_<HeldTrainer>(m, "VectorTrainer",
        "Learns word vectors from documents given one after the other; see text/word_vectors.hpp.")
        .def(nb::init<const In<double> &, const In<double> &, int64_t, int64_t, int64_t, int64_t, double, bool, double, double,
                      int64_t, int64_t, uint64_t>(),
             nb::arg("noise").noconvert(), nb::arg("keep").noconvert(), nb::arg("stride"), nb::arg("window"),
             nb::arg("negatives"), nb::arg("batch"), nb::arg("often"), nb::arg("cbow"), nb::arg("rate"), nb::arg("last_rate"),
             nb::arg("epochs"), nb::arg("places"), nb::arg("seed"))
        .def(
            "learn",
            [](HeldTrainer &self, const In<int64_t> &offsets, const In<int32_t> &ids, const Out2<float> &input,
               const Out2<float> &output) {
                const auto [at, documents, id] = self.documents(offsets, ids);
                float *in = self.rows("input", input), *out = self.rows("output", output);
                const nb::gil_scoped_release unlocked;
                self.trainer.learn_from(at, documents, id, in, out);
            },
            nb::arg("offsets").noconvert(), nb::arg("ids").noconvert(), nb::arg("input").noconvert(),
            nb::arg("output").noconvert(),
            "Take documents in: whole batches of windows change the vectors, the rest waits.")
        .def(
            "finish_epoch",
            [](HeldTrainer &self, const Out2<float> &input, const Out2<float> &output) {
                float *in = self.rows("input", input), *out = self.rows("output", output);
                const nb::gil_scoped_release unlocked;
                return self.trainer.finish_epoch(in, out);
            },
            nb::arg("input").noconvert(), nb::arg("output").noconvert(),
            "Learn from what waits, end the epoch, and return its mean loss of an input and its word.")
        .def(
            "draw",
            [](const HeldTrainer &self, int64_t place, int64_t count) {
                if (count < 0 || count > 1 << 20) refuse("'count' is " + std::to_string(count) + ". Expected 0 to 2²⁰.");
                return self.trainer.drawn_at(place, count);
            },
            nb::arg("place"), nb::arg("count"), "The noise words of a place of the text in this epoch.")
        .def(
            "windows",
            [](const HeldTrainer &self, const In<int64_t> &offsets, const In<int32_t> &ids) {
                const auto [at, documents, id] = self.documents(offsets, ids);
                std::vector<std::tuple<int64_t, int64_t, int64_t, int64_t, float>> found;
                for (const Window &w : self.trainer.windows_of(at, documents, id))
                    found.emplace_back(w.place, w.word, w.left, w.right, w.share);
                return found;
            },
            nb::arg("offsets").noconvert(), nb::arg("ids").noconvert(),
            "The windows of a first epoch: place, word, neighbours to either side, and the share of the word's updates.");
}

}  // namespace learnt::bind
