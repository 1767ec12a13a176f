// In which order variables are summed out of a product of factors: greedy orders, and the best of several.
//
//   states       how many states each variable has
//   start, scope the variables of factor f are scope[start[f]] … scope[start[f + 1] − 1]
//
// Summing a variable out makes a table of it and its neighbours, and the neighbours neighbours of each other. Finding
// the order with the smallest tables is NP-hard; three rules choose the next variable, ties fall by a hash:
//
//   fill      fewest new edges                        (min-fill)
//   weight    smallest table                          (min-weight)
//   weighted  least sum of |u|·|v| over new edges     (weighted min-fill)
#pragma once

#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "base/hash.hpp"
#include "base/pool.hpp"
#include "graphical/projection.hpp"

namespace learnt::graphical {

enum class Rule { fill, weight, weighted };

// Neighbours of each variable, sorted.
using Neighbours = std::vector<Ints>;

inline Neighbours neighbours_of(int64_t n, const int64_t *start, int64_t n_factors, const int32_t *scope) {
    Neighbours found(static_cast<size_t>(n));
    for (int64_t f = 0; f < n_factors; ++f)
        for (int64_t a = start[f]; a < start[f + 1]; ++a)
            for (int64_t b = start[f]; b < start[f + 1]; ++b)
                if (scope[a] != scope[b]) found[static_cast<size_t>(scope[a])].push_back(scope[b]);
    for (Ints &near : found) {
        std::sort(near.begin(), near.end());
        near.erase(std::unique(near.begin(), near.end()), near.end());
    }
    return found;
}

struct Elimination {
    Ints order;
    double entries = 0;   // of all tables together
    double largest = 0;   // of the largest table
    int64_t width = 0;    // neighbours of the variable with the most, when it goes
};

class Eliminator {
    const Ints &states_;
    Neighbours near_;
    Rule rule_;
    uint64_t seed_;

    double cost(int32_t v) const {
        const Ints &near = near_[static_cast<size_t>(v)];
        if (rule_ == Rule::weight) return log_size(v);
        double sum = 0;
        for (size_t i = 0; i < near.size(); ++i) {
            const Ints &other = near_[static_cast<size_t>(near[i])];
            size_t at = 0;
            for (size_t j = i + 1; j < near.size(); ++j) {
                while (at < other.size() && other[at] < near[j]) ++at;
                if (at < other.size() && other[at] == near[j]) continue;
                sum += rule_ == Rule::fill ? 1.0
                                           : static_cast<double>(states_[static_cast<size_t>(near[i])]) *
                                                 states_[static_cast<size_t>(near[j])];
            }
        }
        return sum;
    }

    double log_size(int32_t v) const {
        double sum = std::log(states_[static_cast<size_t>(v)]);
        for (const int32_t u : near_[static_cast<size_t>(v)]) sum += std::log(states_[static_cast<size_t>(u)]);
        return sum;
    }

    uint64_t tie(int32_t v) const {
        return seed_ == 0 ? static_cast<uint64_t>(v) : mix_bits(seed_ * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(v));
    }

  public:
    Eliminator(const Ints &states, Neighbours near, Rule rule, uint64_t seed)
        : states_(states), near_(std::move(near)), rule_(rule), seed_(seed) {}

    // Ends early when the tables get larger than those of a better order, `most`.
    Elimination run(double most, Job &job) {
        using Entry = std::tuple<double, uint64_t, int32_t>;
        const size_t n = states_.size();
        std::set<Entry> queue;
        std::vector<double> known(n);
        for (size_t v = 0; v < n; ++v) {
            known[v] = cost(static_cast<int32_t>(v));
            queue.emplace(known[v], tie(static_cast<int32_t>(v)), static_cast<int32_t>(v));
        }
        Elimination made;
        while (!queue.empty()) {
            job.check();
            const int32_t v = std::get<2>(*queue.begin());
            queue.erase(queue.begin());
            made.order.push_back(v);
            const double size = std::exp(log_size(v));
            made.entries += size;
            made.largest = std::max(made.largest, size);
            const Ints near = near_[static_cast<size_t>(v)];
            made.width = std::max(made.width, static_cast<int64_t>(near.size()));
            if (made.entries > most) return made;
            Ints changed = near;
            for (const int32_t u : near) {
                Ints &of_u = near_[static_cast<size_t>(u)];
                Ints joined;
                std::set_union(of_u.begin(), of_u.end(), near.begin(), near.end(), std::back_inserter(joined));
                std::erase_if(joined, [&](int32_t w) { return w == u || w == v; });
                // Where edges are new, those who know both ends have fewer edges to add now.
                if (rule_ != Rule::weight && joined.size() + 1 > of_u.size())
                    changed.insert(changed.end(), joined.begin(), joined.end());
                of_u = std::move(joined);
            }
            std::sort(changed.begin(), changed.end());
            changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
            for (const int32_t u : changed) {
                queue.erase({known[static_cast<size_t>(u)], tie(u), u});
                known[static_cast<size_t>(u)] = cost(u);
                queue.emplace(known[static_cast<size_t>(u)], tie(u), u);
            }
        }
        return made;
    }
};

// The best order that the three rules find, each with `tries` ways to break ties. Of equal ones the first.
inline Elimination best_elimination(const Ints &states, const int64_t *start, int64_t n_factors, const int32_t *scope,
                                    int64_t tries) {
    const Neighbours near = neighbours_of(static_cast<int64_t>(states.size()), start, n_factors, scope);
    Elimination best;
    best.entries = std::numeric_limits<double>::infinity();
    run_blocks(1, [&](int64_t, Job &job) {
        for (int64_t t = 0; t < tries; ++t)
            for (const Rule rule : {Rule::fill, Rule::weight, Rule::weighted}) {
                Elimination found = Eliminator(states, near, rule, static_cast<uint64_t>(t)).run(best.entries, job);
                if (found.order.size() == states.size() && (found.entries < best.entries || best.order.empty()))
                    best = std::move(found);
                if (best.width <= 1) return;  // a tree: no order has smaller tables but by chance of states
            }
    });
    return best;
}

}  // namespace learnt::graphical
