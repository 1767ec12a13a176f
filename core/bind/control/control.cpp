// Markov decision processes: sweeps, and learning from episodes.
#include "bind/options.hpp"
#include "control/episodes.hpp"

namespace learnt::bind {
namespace {

void check_starts(const char *name, const int64_t *starts, int64_t count, int64_t total) {
    bool rising = starts[0] == 0 && starts[count] == total;
    for (int64_t i = 0; i < count; ++i) rising = rising && starts[i] <= starts[i + 1];
    if (!rising) refuse("'" + std::string(name) + "' does not rise from 0 to " + std::to_string(total) + ".");
}

Process process(const In<int64_t> &first_choice, const In<int64_t> &first_move, const In<int32_t> &next, const In<double> &chance,
                const In<double> &reward, double discount) {
    if (size(first_choice) < 2 || size(first_move) < 1) refuse("A process has at least one state.");
    const int64_t states = size(first_choice) - 1, choices = size(first_move) - 1, moves = size(next);
    const Process p{states,
                    choices,
                    data("first_choice", first_choice),
                    data("first_move", first_move),
                    data("next", next),
                    vector("chance", chance, moves),
                    vector("reward", reward, moves),
                    discount};
    check_starts("first_choice", p.first_choice, states, choices);
    check_starts("first_move", p.first_move, choices, moves);
    for (int64_t c = 0; c < choices; ++c)
        if (p.first_move[c] == p.first_move[c + 1]) refuse("Choice " + std::to_string(c) + " leads nowhere.");
    for (int64_t k = 0; k < moves; ++k)
        if (p.next[k] < 0 || p.next[k] >= states)
            refuse("'next' has " + std::to_string(p.next[k]) + ", which is not the number of a state.");
    return p;
}

}  // namespace

void bind_control(nb::module_ &m) {
    bind_options<Episodes>(m, "Episodes", "How a process is learnt from episodes.",
                           field("update", &Episodes::update, {"q-learning", "sarsa", "expected sarsa", "monte carlo"}),
                           field("episodes", &Episodes::episodes), field("most_moves", &Episodes::most_moves),
                           field("rate", &Episodes::rate), field("rate_power", &Episodes::rate_power),
                           field("softmax", &Episodes::softmax), field("first", &Episodes::first), field("last", &Episodes::last),
                           field("start", &Episodes::start));
    m.def(
        "sweep_states",
        [](const In<int64_t> &first_choice, const In<int64_t> &first_move, const In<int32_t> &next, const In<double> &chance,
           const In<double> &reward, double discount, const Maybe<In<int64_t>> &policy, const In<double> &before,
           const Out<double> &after) {
            const Process p = process(first_choice, first_move, next, chance, reward, discount);
            const int64_t *chosen = vector("policy", policy, p.states);
            for (int64_t s = 0; chosen && s < p.states; ++s)
                if (p.first_choice[s] < p.first_choice[s + 1] &&
                    (chosen[s] < p.first_choice[s] || chosen[s] >= p.first_choice[s + 1]))
                    refuse("'policy' chooses " + std::to_string(chosen[s]) + " in state " + std::to_string(s) + ", which has it not.");
            const double *from = vector("before", before, p.states);
            double *to = vector("after", after, p.states);
            const nb::gil_scoped_release unlocked;
            const Change change = sweep(p, chosen, from, to);
            const nb::gil_scoped_acquire locked;
            return nb::make_tuple(change.least, change.largest);
        },
        nb::arg("first_choice").noconvert(), nb::arg("first_move").noconvert(), nb::arg("next").noconvert(),
        nb::arg("chance").noconvert(), nb::arg("reward").noconvert(), nb::arg("discount"), nb::arg("policy").noconvert().none(),
        nb::arg("before").noconvert(), nb::arg("after").noconvert(),
        "after = the largest worth of a choice in each state, or that of the policy's.\n\nGives the least and the largest change.");
    m.def(
        "choice_worths",
        [](const In<int64_t> &first_choice, const In<int64_t> &first_move, const In<int32_t> &next, const In<double> &chance,
           const In<double> &reward, double discount, const In<double> &values, const Out<double> &out) {
            const Process p = process(first_choice, first_move, next, chance, reward, discount);
            const double *from = vector("values", values, p.states);
            double *to = vector("out", out, p.choices);
            const nb::gil_scoped_release unlocked;
            worths(p, from, to);
        },
        nb::arg("first_choice").noconvert(), nb::arg("first_move").noconvert(), nb::arg("next").noconvert(),
        nb::arg("chance").noconvert(), nb::arg("reward").noconvert(), nb::arg("discount"), nb::arg("values").noconvert(),
        nb::arg("out").noconvert(), "out = what each choice is worth if states are worth `values`.");
    m.def(
        "learn_from_episodes",
        [](const In<int64_t> &first_choice, const In<int64_t> &first_move, const In<int32_t> &next, const In<double> &chance,
           const In<double> &reward, double discount, const Episodes &how, uint64_t seed, const Out2<double> &worth,
           const Out2<int64_t> &visits, const Out2<double> &returns, const Out2<int64_t> &moves) {
            const Process p = process(first_choice, first_move, next, chance, reward, discount);
            const int64_t lives = size(worth);
            double *q = matrix("worth", worth, lives, p.choices);
            int64_t *seen = matrix("visits", visits, lives, p.choices);
            if (how.episodes < 0) refuse("'episodes' is below 0.");
            double *gained = matrix("returns", returns, lives, how.episodes);
            int64_t *taken = matrix("moves", moves, lives, how.episodes);
            std::vector<int64_t> starts;
            for (int64_t s = 0; s < p.states; ++s)
                if (p.first_choice[s] < p.first_choice[s + 1] && (how.start < 0 || how.start == s)) starts.push_back(s);
            if (starts.empty()) refuse("There is no state to start in: all are ends.");
            const nb::gil_scoped_release unlocked;
            run_blocks(lives, [&](int64_t i, Job &job) {
                Life life(p, how, mix_bits(seed) + static_cast<uint64_t>(i), q + i * p.choices, seen + i * p.choices);
                life.run(starts, gained + i * how.episodes, taken + i * how.episodes, job);
            });
        },
        nb::arg("first_choice").noconvert(), nb::arg("first_move").noconvert(), nb::arg("next").noconvert(),
        nb::arg("chance").noconvert(), nb::arg("reward").noconvert(), nb::arg("discount"), nb::arg("how"), nb::arg("seed"),
        nb::arg("worth").noconvert(), nb::arg("visits").noconvert(), nb::arg("returns").noconvert(), nb::arg("moves").noconvert(),
        "Lives × choices: learn the worth of choices from episodes, each life with draws of its own.");
}

}  // namespace learnt::bind
