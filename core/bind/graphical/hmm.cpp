// Hidden Markov models: evidence of rows, walks along sequences, sums for learning, and best paths.
#include "bind/arrays.hpp"
#include "graphical/hmm_sums.hpp"

namespace learnt::bind {
namespace {

using OutCube = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto *cube(const char *name, const Array &a, int64_t first, int64_t second, int64_t third) {
    if (size(a, 0) != first || size(a, 1) != second || size(a, 2) != third)
        refuse("'" + std::string(name) + "' has another shape than " + std::to_string(first) + " × " +
               std::to_string(second) + " × " + std::to_string(third) + ".");
    return data(name, a);
}

constexpr int64_t most_states = 1 << 20;

StateCells cells(const Table<double> &x, const Table<double> &y, const In2<int32_t> &codes) {
    const auto t = table(x), u = table(y);
    if (u.rows != t.rows || size(codes) != t.rows) refuse("'x', 'y' and 'codes' have different numbers of rows.");
    return {t, u, data("codes", codes), t.rows};
}

StateColumns columns(int64_t k, const In2<double> &mean, const In2<double> &variance, const In2<double> &rate,
                     const In<int64_t> &levels, const In2<double> &tables, const StateCells &in, const In2<int32_t> &codes) {
    if (k < 1 || k > most_states) refuse("There are " + std::to_string(k) + " states. Expected 1 to 1048576.");
    int64_t rows = 0;
    for (int64_t m = 0; m < size(levels); ++m) {
        const int64_t here = data("levels", levels)[m];
        if (here < 0 || here >= int64_t{1} << 31) refuse("'levels' has a number below 0, or of 2**31 or more.");
        rows += here;
    }
    check_length("levels", size(levels), size(codes, 1));
    return {k,
            in.x.columns,
            in.y.columns,
            size(levels),
            levels.data(),
            matrix("mean", mean, in.x.columns, k),
            matrix("variance", variance, in.x.columns, k),
            matrix("rate", rate, in.y.columns, k),
            matrix("tables", tables, rows, k)};
}

StateChain chain(const In<double> &start, const In2<double> &transition) {
    const int64_t k = size(start);
    if (k < 1) refuse("'start' is empty. Expected one number per state, of which there is at least one.");
    return {k, data("start", start), matrix("transition", transition, k, k)};
}

// Offsets that rise from 0 to the number of rows.
const int64_t *checked_offsets(const In<int64_t> &offsets, int64_t rows) {
    const int64_t count = size(offsets) - 1;
    if (count < 0) refuse("'offsets' is empty. Expected one number more than there are sequences.");
    const int64_t *at = data("offsets", offsets);
    bool rising = at[0] == 0 && at[count] == rows;
    for (int64_t s = 0; s < count; ++s) rising = rising && at[s] <= at[s + 1];
    if (!rising) refuse("'offsets' does not rise from 0 to the number of rows, " + std::to_string(rows) + ".");
    return at;
}

#define LEARNT_HMM_CELLS nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("codes").noconvert()
#define LEARNT_HMM_COLUMNS                                                                                \
    nb::arg("mean").noconvert(), nb::arg("variance").noconvert(), nb::arg("rate").noconvert(), \
        nb::arg("levels").noconvert(), nb::arg("tables").noconvert()
#define LEARNT_HMM_WALK                                                                                   \
    nb::arg("b").noconvert(), nb::arg("offsets").noconvert(), nb::arg("weights").noconvert().none(), \
        nb::arg("start").noconvert(), nb::arg("transition").noconvert()

}  // namespace

void bind_hmm(nb::module_ &m) {
    m.def(
        "hmm_evidence",
        [](const Table<double> &x, const Table<double> &y, const In2<int32_t> &codes, int64_t states,
           const In2<double> &mean, const In2<double> &variance, const In2<double> &rate, const In<int64_t> &levels,
           const In2<double> &tables, bool add, const Out2<double> &out, const Maybe<Out<double>> &top) {
            const StateCells in = cells(x, y, codes);
            const StateColumns all = columns(states, mean, variance, rate, levels, tables, in, codes);
            double *to = matrix("out", out, in.rows, all.padded), *tops = vector("top", top, in.rows);
            const nb::gil_scoped_release unlocked;
            state_evidence(in, all, add, to, tops);
        },
        LEARNT_HMM_CELLS, nb::arg("states"), LEARNT_HMM_COLUMNS, nb::arg("add"), nb::arg("out").noconvert(),
        nb::arg("top").noconvert().none(),
        "Log-likelihoods of rows by state, in columns filled up to a multiple of 8; with top: exp(l − top).");
    m.def(
        "hmm_scale",
        [](const In2<double> &l, const Out2<double> &b, const Out<double> &top) {
            const int64_t rows = size(l), padded = size(l, 1);
            if (padded == 0 || padded % 8 != 0) refuse("'logs' has a number of columns that is not a multiple of 8.");
            const double *from = data("logs", l);
            double *to = matrix("b", b, rows, padded), *tops = vector("top", top, rows);
            const nb::gil_scoped_release unlocked;
            scale_evidence(from, rows, padded, to, tops);
        },
        nb::arg("logs").noconvert(), nb::arg("b").noconvert(), nb::arg("top").noconvert(), "exp(l − top) of each row.");
    m.def(
        "hmm_walk",
        [](const In2<double> &b, const In<int64_t> &offsets, const Maybe<In<double>> &weights, const In<double> &start,
           const In2<double> &transition, const In<double> &top, const Maybe<In2<double>> &l, const Out2<double> &alpha,
           const Maybe<Out2<double>> &beta, const Out<double> &scale, const Out<double> &log_likelihood,
           const Out<int64_t> &impossible, const Maybe<Out2<double>> &pairs) {
            const StateChain along = chain(start, transition);
            const int64_t n = size(b), padded = along.padded, count = size(offsets) - 1, k = along.states;
            const StateWalk walk{matrix("b", b, n, padded), vector("top", top, n), l ? matrix("logs", *l, n, padded) : nullptr,
                                 checked_offsets(offsets, n), count, vector("weights", weights, count)};
            const StateShares shares{matrix("alpha", alpha, n, padded), beta ? matrix("beta", *beta, n, padded) : nullptr,
                                     vector("scale", scale, n), vector("log_likelihood", log_likelihood, count),
                                     vector("impossible", impossible, count)};
            double *to = pairs ? matrix("pairs", *pairs, k, k) : nullptr;
            const nb::gil_scoped_release unlocked;
            return walk_sequences(walk, along, shares, to);
        },
        LEARNT_HMM_WALK, nb::arg("top").noconvert(), nb::arg("logs").noconvert().none(), nb::arg("alpha").noconvert(),
        nb::arg("beta").noconvert().none(), nb::arg("scale").noconvert(), nb::arg("log_likelihood").noconvert(),
        nb::arg("impossible").noconvert(), nb::arg("pairs").noconvert().none(),
        "Forward and, with beta, backward along every sequence; False: numbers were lost, call again with l.");
    m.def(
        "hmm_sums",
        [](const Table<double> &x, const Table<double> &y, const In2<int32_t> &codes, const In2<double> &mean,
           const In2<double> &variance, const In2<double> &rate, const In<int64_t> &levels, const In2<double> &tables,
           const In2<double> &b, const In<int64_t> &offsets, const Maybe<In<double>> &weights, const In<double> &start,
           const In2<double> &transition, const In2<double> &alpha, const In2<double> &beta, const In<double> &scale,
           const Maybe<Out2<double>> &posterior, const Maybe<OutCube> &moments, const Maybe<OutCube> &counts,
           const Maybe<Out2<double>> &sums, const Maybe<Out2<double>> &pairs, const Maybe<Out<double>> &starts) {
            const StateCells in = cells(x, y, codes);
            const StateChain along = chain(start, transition);
            const int64_t n = in.rows, padded = along.padded, count = size(offsets) - 1, k = along.states;
            const StateColumns all = columns(k, mean, variance, rate, levels, tables, in, codes);
            const StateWalk walk{matrix("b", b, n, padded), nullptr, nullptr, checked_offsets(offsets, n), count,
                                 vector("weights", weights, count)};
            // The kernel reads them and writes none.
            const StateShares shares{const_cast<double *>(matrix("alpha", alpha, n, padded)),
                                     const_cast<double *>(matrix("beta", beta, n, padded)),
                                     const_cast<double *>(vector("scale", scale, n)), nullptr, nullptr};
            const bool wanted = pairs.has_value();
            if (moments.has_value() != wanted || counts.has_value() != wanted || sums.has_value() != wanted ||
                starts.has_value() != wanted)
                refuse("'moments', 'counts', 'sums', 'pairs' and 'starts' come together. Pass all or none.");
            StateSums to{};
            if (wanted)
                to = {cube("moments", *moments, 3, all.numbers, k), cube("counts", *counts, 2, all.counted, k),
                      matrix("sums", *sums, all.rows_of_tables, k), matrix("pairs", *pairs, k, k),
                      vector("starts", *starts, k)};
            double *share = posterior ? matrix("posterior", *posterior, n, k) : nullptr;
            const nb::gil_scoped_release unlocked;
            sum_states(in, all, walk, along, shares, share, to);
        },
        LEARNT_HMM_CELLS, LEARNT_HMM_COLUMNS, LEARNT_HMM_WALK, nb::arg("alpha").noconvert(), nb::arg("beta").noconvert(),
        nb::arg("scale").noconvert(), nb::arg("posterior").noconvert().none(), nb::arg("moments").noconvert().none(),
        nb::arg("counts").noconvert().none(), nb::arg("sums").noconvert().none(), nb::arg("pairs").noconvert().none(),
        nb::arg("starts").noconvert().none(),
        "The posterior of each row; and what a step of learning needs, added to moments, counts, sums, pairs, starts.");
    m.def(
        "hmm_paths",
        [](const Out2<double> &l, const In<int64_t> &offsets, const In<double> &start, const In2<double> &transition,
           const Out<int32_t> &path, const Out<double> &log_probability) {
            const StateChain along = chain(start, transition);
            const int64_t n = size(l), count = size(offsets) - 1;
            double *logs = matrix("logs", l, n, along.padded);
            const int64_t *at = checked_offsets(offsets, n);
            int32_t *to = vector("path", path, n);
            double *values = vector("log_probability", log_probability, count);
            const nb::gil_scoped_release unlocked;
            best_paths(logs, at, count, along, to, values);
        },
        nb::arg("logs").noconvert(), nb::arg("offsets").noconvert(), nb::arg("start").noconvert(),
        nb::arg("transition").noconvert(), nb::arg("path").noconvert(), nb::arg("log_probability").noconvert(),
        "The most probable path of each sequence, by Viterbi's algorithm; l is overwritten.");
}

}  // namespace learnt::bind
