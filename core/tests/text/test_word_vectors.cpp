// Word vectors: the same bits for any threads and cuts, draws by their weights, no step outside of the matrices.
#include "tests/check.hpp"
#include "text/word_vectors.hpp"

namespace learnt::test {

namespace {

constexpr int64_t words = 23, documents = 200;

struct Text {
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> ids;
};

Text some_text() {
    Text text;
    for (int64_t i = 0; i < documents; ++i) {
        Draws draws(5, static_cast<uint64_t>(i));
        for (uint64_t n = draws.next() % 17; n > 0; --n) text.ids.push_back(static_cast<int32_t>(draws.next() % (words + 1)) - 1);
        text.offsets.push_back(static_cast<int64_t>(text.ids.size()));
    }
    return text;
}

struct Learnt {
    std::vector<float> input, output;
    double loss;
    bool operator==(const Learnt &) const = default;
};

Learnt learnt_from(const Text &text, int threads, int64_t cut, bool cbow, int64_t stride, int64_t negatives) {
    const std::vector<double> noise(words, 1.0), keep(words, 0.9);
    const VectorRules rules{words, stride, negatives, 16, cbow, 0.05, 0.001, 3, static_cast<int64_t>(text.ids.size())};
    VectorTrainer trainer(rules, noise.data(), keep.data(), WindowRules{words, 4, 16, 3.0, 7});
    Learnt found{std::vector<float>(static_cast<size_t>(words * stride)), std::vector<float>(static_cast<size_t>(words * stride)), 0};
    for (size_t i = 0; i < found.input.size(); ++i) found.input[i] = static_cast<float>(i % 13) * 0.02f - 0.12f;
    const int former = thread_count();
    thread_count() = threads;
    for (int epoch = 0; epoch < 3; ++epoch) {
        for (int64_t first = 0; first < documents; first += cut)
            trainer.learn_from(text.offsets.data() + first, std::min(cut, documents - first), text.ids.data(), found.input.data(),
                               found.output.data());
        found.loss = trainer.finish_epoch(found.input.data(), found.output.data());
    }
    thread_count() = former;
    return found;
}

void bits_depend_neither_on_threads_nor_on_cuts() {
    const Text text = some_text();
    for (const bool cbow : {false, true})
        for (const int64_t negatives : {1, 5, 14})
            for (const int64_t stride : {16, 48}) {
                const Learnt one = learnt_from(text, 1, documents, cbow, stride, negatives);
                CHECK(one.loss > 0 && std::isfinite(one.loss));
                CHECK(one == learnt_from(text, 2, documents, cbow, stride, negatives));
                CHECK(one == learnt_from(text, 4, 1, cbow, stride, negatives));
                CHECK(one == learnt_from(text, 3, 37, cbow, stride, negatives));
            }
}

void words_are_drawn_by_their_weights() {
    const double weights[] = {0, 1, 3, 4};
    const Noise noise(weights, 4);
    int64_t drawn[4] = {};
    Draws draws(1, 2);
    for (int i = 0; i < 80000; ++i) ++drawn[noise.word(draws.next())];
    CHECK(drawn[0] == 0);
    for (int w = 1; w < 4; ++w) CHECK(close(static_cast<double>(drawn[w]), 10000 * weights[w], 0.03));
    const double one[] = {2.0};
    CHECK(Noise(one, 1).word(~uint64_t{0}) == 0 && Noise(one, 1).word(0) == 0);
}

void who_is_faster_goes_on() {
    Pace pace;
    for (int i = 0; i < 3; ++i, pace.took(1.0)) CHECK(pace.alone());
    for (int i = 0; i < 3; ++i, pace.took(0.6)) CHECK(!pace.alone());
    CHECK(!pace.alone());
    for (int i = 0; i < 4; ++i) pace.took(pace.alone() ? 1.0 : 9.0);  // others came
    CHECK(pace.alone());
}

}  // namespace

void test_word_vectors() {
    bits_depend_neither_on_threads_nor_on_cuts();
    words_are_drawn_by_their_weights();
    who_is_faster_goes_on();
}

}  // namespace learnt::test
