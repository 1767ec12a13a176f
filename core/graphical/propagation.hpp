// Messages in a junction tree: two sweeps give the marginals of all variables, for one row of evidence or for many.
//
//   up      m_c(s) = Σ_r T_c(s, r)         T_parent *= m_c / Σ m_c         children first
//   down    T_c(s, r) *= n(s) / m_c(s)     n = the parent's table, summed onto the separator; 0/0 = 0
//
// A message is scaled to sum to 1 and a table that has become small to a maximum of 1, the logarithms added up: that
// of the probability of the evidence is what is found at the roots. With maxima for sums the sweep upwards gives the
// most probable explanation. A row's numbers do not depend on other rows, nor on threads.
//
//   evidence   n × variables, states, −1 = not seen                                             read
//   likelihood n × or 1 × all states of all variables, one after the other, or null: soft evidence, read
#pragma once

#include <cmath>
#include <cstring>
#include <limits>

#include "base/matrix.hpp"
#include "base/slots.hpp"
#include "graphical/junction_tree.hpp"

namespace learnt::graphical {

inline constexpr double small = 1e-100;

// What is known about each row.
struct Evidence {
    const int32_t *codes;      // n × variables
    const double *likelihood;  // null, or rows of all states
    int64_t likelihood_step;   // from row to row: 0 where all rows share one
    int64_t rows;
};

// The tables of all cliques while one row's messages pass.
class Messages {
    const JunctionTree &tree_;
    Buffer<double> tables_, sums_, message_;
    Sizes state_start_;
    std::vector<double> known_;

    double *table(size_t c) { return tables_.data() + tree_.cliques[c].offset; }

    // Multiplies a table; false where nothing is left of it.
    bool multiply(size_t c, const Projection &places, const double *by) {
        const double largest = places.multiply(table(c), by);
        if (!(largest > 0)) return false;
        if (largest < small) {
            double *t = table(c);
            for (int64_t e = 0; e < tree_.cliques[c].size; ++e) t[e] /= largest;
            log_evidence += std::log(largest);
        }
        return true;
    }

    bool enter(const Evidence &evidence, int64_t row) {
        std::memcpy(tables_.data(), tree_.potentials.data(), sizeof(double) * static_cast<size_t>(tree_.entries));
        const size_t n = tree_.states.size();
        const int32_t *code = evidence.codes + row * static_cast<int64_t>(n);
        for (size_t v = 0; v < n; ++v) {
            const size_t home = static_cast<size_t>(tree_.home[v]);
            if (code[v] >= 0) {
                std::fill_n(known_.begin(), tree_.states[v], 0.0);
                known_[static_cast<size_t>(code[v])] = 1;
                if (!multiply(home, tree_.of_variable[v], known_.data())) return false;
            }
            if (evidence.likelihood == nullptr) continue;
            const double *soft = evidence.likelihood + row * evidence.likelihood_step + state_start_[v];
            const bool says_something = std::any_of(soft, soft + tree_.states[v], [](double p) { return p != 1; });
            if (says_something && !multiply(home, tree_.of_variable[v], soft)) return false;
        }
        return true;
    }

  public:
    double log_evidence = 0;

    explicit Messages(const JunctionTree &tree)
        : tree_(tree), tables_(tree.entries), sums_(tree.message_entries), message_(tree.message_entries) {
        int64_t total = 0, most = 1;
        for (const int32_t k : tree.states) {
            state_start_.push_back(total);
            total += k, most = std::max<int64_t>(most, k);
        }
        known_.resize(static_cast<size_t>(most));
    }

    const double *beliefs(size_t c) const { return tables_.data() + tree_.cliques[c].offset; }

    // The sweep upwards, by sums or maxima; false where the evidence is impossible.
    template <bool maxima>
    bool collect(const Evidence &evidence, int64_t row) {
        log_evidence = 0;
        if (!enter(evidence, row)) return false;
        for (size_t c = tree_.cliques.size(); c-- > 0;) {
            const Clique &clique = tree_.cliques[c];
            const int64_t rest = clique.size / clique.separator;
            const double *t = table(c);
            double *sum = sums_.data() + clique.message_offset, *to = message_.data() + clique.message_offset;
            double total = 0;
            for (int64_t s = 0; s < clique.separator; ++s, t += rest) {
                double of_run = 0;
                for (int64_t r = 0; r < rest; ++r) of_run = maxima ? std::max(of_run, t[r]) : of_run + t[r];
                sum[s] = of_run;
                total = maxima ? std::max(total, of_run) : total + of_run;
            }
            if (!(total > 0)) return false;
            log_evidence += std::log(total);
            if (clique.parent < 0) continue;
            for (int64_t s = 0; s < clique.separator; ++s) to[s] = sum[s] / total;
            if (!multiply(static_cast<size_t>(clique.parent), clique.in_parent, to)) return false;
        }
        return true;
    }

    // The sweep downwards, to the cliques that are wanted and those above them. Tables then are marginals but for a factor.
    void distribute(const std::vector<bool> &wanted) {
        for (size_t c = 0; c < tree_.cliques.size(); ++c) {
            const Clique &clique = tree_.cliques[c];
            if (clique.parent < 0 || !wanted[c]) continue;
            double *to = message_.data() + clique.message_offset, *t = table(c);
            const double *sum = sums_.data() + clique.message_offset;
            std::fill_n(to, clique.separator, 0.0);
            clique.in_parent.add(beliefs(static_cast<size_t>(clique.parent)), 1.0, to);
            const int64_t rest = clique.size / clique.separator;
            for (int64_t s = 0; s < clique.separator; ++s, t += rest) {
                const double ratio = sum[s] > 0 ? to[s] / sum[s] : 0;
                for (int64_t r = 0; r < rest; ++r) t[r] *= ratio;
            }
        }
    }

    // The states of the most probable explanation, after a sweep of maxima: the first where several are.
    void explain(int32_t *states) const {
        for (size_t c = 0; c < tree_.cliques.size(); ++c) {
            const Clique &clique = tree_.cliques[c];
            const int64_t rest = clique.size / clique.separator;
            int64_t at = 0;  // in the separator, whose states are decided
            for (size_t i = 0; i < clique.n_shared; ++i) {
                const size_t v = static_cast<size_t>(clique.variables[i]);
                at = at * tree_.states[v] + states[v];
            }
            const double *t = beliefs(c) + at * rest;
            int64_t best = std::max_element(t, t + rest) - t;
            for (size_t i = clique.variables.size(); i-- > clique.n_shared;) {
                const size_t v = static_cast<size_t>(clique.variables[i]);
                states[v] = static_cast<int32_t>(best % tree_.states[v]);
                best /= tree_.states[v];
            }
        }
    }
};

// The cliques that hold what is asked for, and all above them.
inline std::vector<bool> with_ancestors(const JunctionTree &tree, const Ints &asked) {
    std::vector<bool> wanted(tree.cliques.size(), false);
    for (int32_t c : asked)
        for (; c >= 0 && !wanted[static_cast<size_t>(c)]; c = tree.cliques[static_cast<size_t>(c)].parent)
            wanted[static_cast<size_t>(c)] = true;
    return wanted;
}

inline Blocks blocks_of_rows(const JunctionTree &tree, int64_t rows) {
    return cut(rows, std::max<int64_t>(1, 4096 / (tree.entries + 1)), 64);
}

// The joint distribution of each target, a set of variables that one clique holds, given each row of evidence.
//   out           n × the entries of all targets; NaN in rows whose evidence is impossible     written
//   log_evidence  n; −∞ where it is impossible                                                 written
inline void posteriors(const JunctionTree &tree, const Evidence &evidence, const std::vector<Ints> &targets, double *out,
                       double *log_evidence) {
    Ints clique;
    std::vector<Projection> places(targets.size());
    Sizes start{0};
    for (size_t q = 0; q < targets.size(); ++q) {
        const bool single = targets[q].size() == 1;
        clique.push_back(single ? tree.home[static_cast<size_t>(targets[q][0])] : tree.clique_of(targets[q]));
        if (!single) places[q] = Projection(tree.cliques[static_cast<size_t>(clique[q])].variables, targets[q], tree.states);
        start.push_back(start.back() + tree.table_size(targets[q]));
    }
    const std::vector<bool> wanted = with_ancestors(tree, clique);
    const int64_t width = start.back();
    const Blocks blocks = blocks_of_rows(tree, evidence.rows);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        Messages messages(tree);
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            double *to = out + i * width;
            const bool possible = messages.collect<false>(evidence, i);
            log_evidence[i] = possible ? messages.log_evidence : -std::numeric_limits<double>::infinity();
            std::fill_n(to, width, possible ? 0.0 : std::numeric_limits<double>::quiet_NaN());
            if (!possible) continue;
            messages.distribute(wanted);
            for (size_t q = 0; q < targets.size(); ++q) {
                const bool single = targets[q].size() == 1;
                const Projection &place = single ? tree.of_variable[static_cast<size_t>(targets[q][0])] : places[q];
                place.add(messages.beliefs(static_cast<size_t>(clique[q])), 1.0, to + start[q]);
                double total = 0;
                for (int64_t e = start[q]; e < start[q + 1]; ++e) total += to[e];
                for (int64_t e = start[q]; e < start[q + 1]; ++e) to[e] /= total;
            }
        }
    });
}

// The most probable states of all variables together, given each row of evidence, and the logarithm of the product of
// factors (and likelihoods) there; −1 and −∞ where the evidence is impossible.
inline void most_probable(const JunctionTree &tree, const Evidence &evidence, int32_t *out, double *log_product) {
    const int64_t n = static_cast<int64_t>(tree.states.size());
    const Blocks blocks = blocks_of_rows(tree, evidence.rows);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        Messages messages(tree);
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            const bool possible = messages.collect<true>(evidence, i);
            log_product[i] = possible ? messages.log_evidence : -std::numeric_limits<double>::infinity();
            std::fill_n(out + i * n, n, possible ? 0 : -1);
            if (possible) messages.explain(out + i * n);
        }
    });
}

// counts += Σ_i w_i · p(states of the factor's variables | evidence of row i), in the order of the factors' entries.
// Rows whose evidence is impossible add nothing; log_evidence is −∞ there.
inline void expected_counts(const JunctionTree &tree, const Evidence &evidence, const double *weights, double *counts,
                            double *log_evidence) {
    const std::vector<bool> wanted(tree.cliques.size(), true);
    const int64_t size = tree.factor_start.back();
    const Blocks blocks = cut(evidence.rows, 64, std::clamp<int64_t>((int64_t{1} << 24) / (size + 1), 1, 32));
    std::vector<double> slots(static_cast<size_t>(blocks.count * size), 0.0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        Messages messages(tree);
        double *slot = slots.data() + b * size;
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            const bool possible = messages.collect<false>(evidence, i);
            log_evidence[i] = possible ? messages.log_evidence : -std::numeric_limits<double>::infinity();
            const double weight = weights == nullptr ? 1.0 : weights[i];
            if (!possible || weight == 0) continue;
            messages.distribute(wanted);
            std::vector<double> scale(tree.cliques.size());
            for (size_t c = 0; c < tree.cliques.size(); ++c) {
                const double *t = messages.beliefs(c);
                double total = 0;
                for (int64_t e = 0; e < tree.cliques[c].size; ++e) total += t[e];
                scale[c] = weight / total;
            }
            for (size_t f = 0; f < tree.scopes.size(); ++f) {
                const size_t c = static_cast<size_t>(tree.factor_home[f]);
                tree.of_factor[f].add(messages.beliefs(c), scale[c], slot + tree.factor_start[f]);
            }
        }
    });
    add_slots(slots.data(), blocks.count, size, size, counts);
}

}  // namespace learnt::graphical
