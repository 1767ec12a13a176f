// Word vectors by skip-gram or CBOW with negative sampling (Mikolov et al. 2013).
//
// Of a window (text/windows.hpp) the inputs x_b are the vectors of the words around (CBOW: their mean, one input), the
// outputs y_0 that of the word itself and y_1 … y_K those of K words drawn from the noise, the same ones for all inputs
// of the window (Ji et al. 2016). Of its loss
//
//   Σ_b [ −log σ(x_b·y_0) − Σ_k log σ(−x_b·y_k) ]
//
// the gradients come from one small matrix of errors, g_bk = rate · ([k = 0] − σ(x_b·y_k)):
//
//   x_b += s_b Σ_k g_bk y_k,   y_0 += s_0 Σ_b g_b0 x_b,   y_k += Σ_b g_bk x_b
//
// with shares s that are 1 but for words that come in bursts (text/windows.hpp). All words of a mean move as it should, so
// that it does. Windows are taken in batches of a fixed number. First all errors of a batch, against the vectors before it:
// threads share its windows. Then its updates, in the order of the text: threads share the dimensions, so that each number
// meets the same operations in the same order whoever computes them. The bits are the same for any number of threads
// and any cut of the text into calls. A noise word that is the word itself counts for nothing.
//
//   input, output   words × stride floats, zeros beyond the dimensions     updated
#pragma once

#include "base/turns.hpp"
#include "simd/math.hpp"
#include "text/windows.hpp"

namespace learnt {

inline constexpr int64_t vector_unit = 16;  // rows are padded to a multiple of so many floats

struct VectorRules {
    int64_t words, stride;      // rows of both matrices, and how many floats apart they are
    int64_t negatives, batch;   // noise words of a window; windows in a batch
    bool cbow;
    double rate, last_rate;     // of learning: from one to the other in a straight line
    int64_t epochs, places;     // known words in an epoch
};

// Both matrices, and room for the rows of one window and what is made of them.
struct WindowRows {
    float *input, *output;
    float **x, **y, *mean, *shares;
};

}  // namespace learnt

#define LEARNT_LOOPS "text/word_vectors_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

class VectorTrainer {
    static constexpr int64_t part = 8;  // windows of one job
    static constexpr int64_t few = 1 << 17;
    static constexpr int64_t batches_timed = 32;

    const VectorRules rules_;
    const Noise noise_;
    Windows windows_;
    Pace pace_;
    // Of each part of a batch: the loss of the epoch, and the pairs of an input and its word that it was computed of.
    std::vector<double> losses_;
    std::vector<int64_t> pairs_;

    struct Room {
        std::vector<float *> rows;
        Buffer<float> moves, shares;
        explicit Room(int64_t inputs, int64_t outputs, int64_t stride)
            : rows(static_cast<size_t>(inputs + outputs)), moves(std::max(stride, (inputs + outputs) * 32)), shares(inputs) {}
        Room(Room &&) = default;
        Room &operator=(Room &&) = default;
    };

    float rate_at(int64_t place) const {
        const double all = static_cast<double>(rules_.epochs) * static_cast<double>(rules_.places);
        const double before = static_cast<double>(windows_.epoch()) * static_cast<double>(rules_.places) + static_cast<double>(place);
        return static_cast<float>(rules_.rate + (rules_.last_rate - rules_.rate) * std::min(1.0, before / all));
    }

    void draw(const Window &window, int32_t *to) const {
        Draws draws = windows_.draws_of(window);
        to[0] = window.word;
        for (int64_t k = 1; k <= rules_.negatives; ++k) to[k] = noise_.word(draws.next());
    }

    // The first `count` windows that wait: whole batches, the last one excepted.
    void learn(int64_t count, float *input, float *output) {
        using Clock = std::chrono::steady_clock;
        for (int64_t left = count; left > 0;) {
            const int64_t piece = std::min(left, batches_timed * rules_.batch);
            const auto start = Clock::now();
            learn_by(pace_.alone() ? 1 : thread_count().load(), piece, input, output);
            pace_.took(std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(piece));
            left -= piece;
        }
    }

    // The same on so many threads. Jobs are handed out in order and wait for lower ones alone.
    void learn_by(int64_t threads, int64_t count, float *input, float *output) {
        const Level level = current_level();
        const int64_t outputs = rules_.negatives + 1, inputs = 2 * windows_.reach();
        const int64_t errors_each = round_up((rules_.cbow ? 1 : inputs) * outputs, vector_unit);
        const int64_t batches = (count + rules_.batch - 1) / rules_.batch, units = rules_.stride / vector_unit;
        const int64_t judging = (rules_.batch + part - 1) / part;
        const int64_t slices = std::clamp<int64_t>(threads, 1, units), jobs = judging + slices;
        const Buffer<int32_t> drawn(rules_.batch * outputs);
        const Buffer<float> errors(rules_.batch * errors_each);
        losses_.resize(static_cast<size_t>(judging));
        pairs_.resize(static_cast<size_t>(judging));
        std::vector<Room> rooms;
        for (int64_t j = 0; j < jobs; ++j) rooms.emplace_back(inputs, outputs, rules_.stride);
        // Logarithms of all windows of a long text would take a fifth of the time.
        const int64_t judged_each = rules_.places < few ? 1 : 8;
        Turns judged, applied;
        const auto body = [&](int64_t at, Job &job) {
            job.check();
            const int64_t n = at / jobs, j = at % jobs, first = n * rules_.batch, size = std::min(rules_.batch, count - first);
            const Window *windows = windows_.waiting() + first;
            Room &room = rooms[static_cast<size_t>(j)];
            WindowRows rows{input, output, room.rows.data(), room.rows.data() + inputs, room.moves.data(), room.shares.data()};
            if (j < judging) {
                applied.wait_for(n * slices, job);
                const int64_t from = std::min(j * part, size), to = std::min(from + part, size);
                for (int64_t i = from; i < to; ++i) draw(windows[i], drawn.data() + i * outputs);
                for (int64_t i = from; i < to; ++i) {
                    const bool counted = i % judged_each == 0;
                    const int32_t *own = drawn.data() + i * outputs, *soon = i + 1 < to ? own + outputs : nullptr;
                    const int64_t around = windows[i].left + windows[i].right;
                    if (counted) pairs_[static_cast<size_t>(j)] += rules_.cbow ? around > 0 : around;
                    LEARNT_AT(level, judge_window(rules_, windows + i, own, soon, rate_at(windows[i].place), rows,
                                                  errors.data() + i * errors_each,
                                                  counted ? &losses_[static_cast<size_t>(j)] : nullptr));
                }
                judged.add();
            } else {
                judged.wait_for((n + 1) * judging, job);
                const Range slice = Blocks{units, slices}[j - judging];
                LEARNT_AT(level, apply_windows(rules_, windows, size, drawn.data(), errors.data(), errors_each,
                                               slice.first * vector_unit, slice.size() * vector_unit, rows));
                applied.add();
            }
        };
        Task task(batches * jobs, body);
        run_task(task, std::min(threads, batches * jobs) - 1);
        windows_.leave(count);
    }

  public:
    VectorTrainer(const VectorRules &rules, const double *noise, const double *keep, const WindowRules &windows)
        : rules_(rules), noise_(noise, rules.words), windows_(keep, windows) {}

    // Documents as the numbers of their words, each in [−1, words): whole batches of windows are learnt from, the rest waits.
    void learn_from(const int64_t *offsets, int64_t documents, const int32_t *ids, float *input, float *output) {
        constexpr int64_t at_once = 1 << 16;
        for (int64_t i = 0; i < documents; ++i) {
            windows_.add({ids + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])});
            if (windows_.count() >= at_once || i + 1 == documents)
                learn(windows_.count() / rules_.batch * rules_.batch, input, output);
        }
    }

    // The windows that wait, and the end of an epoch. Returns its loss for each pair of an input and its word.
    double finish_epoch(float *input, float *output) {
        learn(windows_.count(), input, output);
        double loss = 0;
        int64_t pairs = 0;
        for (size_t j = 0; j < losses_.size(); ++j) loss += losses_[j], pairs += pairs_[j];
        losses_.clear(), pairs_.clear();
        windows_.start_epoch();
        return pairs > 0 ? loss / static_cast<double>(pairs) : std::nan("");
    }

    // The noise words of a place of the text.
    std::vector<int32_t> drawn_at(int64_t place, int64_t count) const {
        Draws draws = windows_.draws_of({place, 0, 0, 0, 1});
        std::vector<int32_t> words;
        for (int64_t k = 0; k < count; ++k) words.push_back(noise_.word(draws.next()));
        return words;
    }

    // The windows of a first epoch.
    std::vector<Window> windows_of(const int64_t *offsets, int64_t documents, const int32_t *ids) const {
        Windows fresh = windows_.emptied();
        for (int64_t i = 0; i < documents; ++i) fresh.add({ids + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])});
        return {fresh.waiting(), fresh.waiting() + fresh.count()};
    }
};

}  // namespace learnt
