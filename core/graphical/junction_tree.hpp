// A junction tree: cliques of variables, joined such that those with a variable in common are connected by cliques with
// that variable; each factor lies in one of them.
//
// Cliques stand in an order in which parents come first. The variables of a clique begin with those it shares with its
// parent (the separator, in the order in which the parent has them), so that a message upwards is a sum over runs of
// entries. A graph that falls apart gives several roots.
#pragma once

#include <stdexcept>

#include "graphical/elimination.hpp"

namespace learnt::graphical {

inline constexpr int64_t most_entries = int64_t{1} << 31;  // of one table: places are 32 bits

struct Clique {
    Ints variables;
    size_t n_shared = 0;         // the first of them are the parent's too
    int32_t parent = -1;
    int64_t size = 1;            // entries of its table
    int64_t separator = 1;       // entries of the message to its parent
    int64_t offset = 0;          // of its table among all
    int64_t message_offset = 0;  // of its message among all
    Projection in_parent;        // the parent's entries onto the separator
};

struct JunctionTree {
    Ints states;
    std::vector<Clique> cliques;
    int64_t entries = 0, message_entries = 0;
    Ints home;                            // of each variable the smallest clique that holds it
    std::vector<Projection> of_variable;  // from its home
    std::vector<Ints> scopes;             // of the factors
    Sizes factor_start;                   // of their entries, one after the other
    Ints factor_home;
    std::vector<Projection> of_factor;
    std::vector<double> potentials;       // the product of the factors of each clique
    bool has_factors = false;

    JunctionTree(Ints states_given, const int64_t *start, int64_t n_factors, const int32_t *scope, const int32_t *order)
        : states(std::move(states_given)) {
        join_cliques(neighbours_of(static_cast<int64_t>(states.size()), start, n_factors, scope), order);
        place_variables();
        factor_start.push_back(0);
        for (int64_t f = 0; f < n_factors; ++f) {
            scopes.emplace_back(scope + start[f], scope + start[f + 1]);
            const Ints &own = scopes.back();
            factor_home.push_back(clique_of(own));
            of_factor.emplace_back(cliques[static_cast<size_t>(factor_home.back())].variables, own, states);
            factor_start.push_back(factor_start.back() + table_size(own));
        }
    }

    // The smallest clique that holds all of these, or −1.
    int32_t clique_of(const Ints &variables) const {
        if (variables.empty()) return 0;
        int32_t best = -1;
        for (size_t c = 0; c < cliques.size(); ++c) {
            const Ints &there = cliques[c].variables;
            const bool all = std::all_of(variables.begin(), variables.end(), [&](int32_t v) {
                return std::find(there.begin(), there.end(), v) != there.end();
            });
            if (all && (best < 0 || cliques[c].size < cliques[static_cast<size_t>(best)].size)) best = static_cast<int32_t>(c);
        }
        return best;
    }

    // `values` are the entries of all factors, one after the other.
    void set_factors(const double *values) {
        potentials.assign(static_cast<size_t>(entries), 1.0);
        for (size_t f = 0; f < scopes.size(); ++f)
            of_factor[f].multiply(potentials.data() + cliques[static_cast<size_t>(factor_home[f])].offset,
                                  values + factor_start[f]);
        has_factors = true;
    }

    int64_t table_size(const Ints &variables) const {
        double size = 1;
        for (const int32_t v : variables) size *= states[static_cast<size_t>(v)];
        if (size >= static_cast<double>(most_entries)) throw std::length_error("A table has too many entries.");
        return static_cast<int64_t>(size);
    }

  private:
    // Each variable, when it goes, makes a clique of itself and its neighbours; its parent is that of the neighbour that
    // goes next. A clique that a child's holds is left out: the chain of them is one clique, the first of the chain.
    void join_cliques(Neighbours near, const int32_t *order) {
        const size_t n = states.size();
        std::vector<size_t> turn(n);
        for (size_t i = 0; i < n; ++i) turn[static_cast<size_t>(order[i])] = i;
        std::vector<Ints> rest(n);  // of the variable that goes at turn i: its neighbours, without itself
        std::vector<int64_t> parent(n, -1);
        for (size_t i = 0; i < n; ++i) {
            const int32_t v = order[i];
            rest[i] = near[static_cast<size_t>(v)];
            for (const int32_t u : rest[i]) {
                Ints joined;
                const Ints &of_u = near[static_cast<size_t>(u)];
                std::set_union(of_u.begin(), of_u.end(), rest[i].begin(), rest[i].end(), std::back_inserter(joined));
                std::erase_if(joined, [&](int32_t w) { return w == u || w == v; });
                near[static_cast<size_t>(u)] = std::move(joined);
                const int64_t t = static_cast<int64_t>(turn[static_cast<size_t>(u)]);
                parent[i] = parent[i] < 0 ? t : std::min(parent[i], t);
            }
        }
        std::vector<size_t> chain(n);  // the first turn of the chain that i belongs to
        std::vector<bool> taken(n, false);
        for (size_t i = 0; i < n; ++i) {
            if (!taken[i]) chain[i] = i;
            if (parent[i] < 0) continue;
            const size_t p = static_cast<size_t>(parent[i]);
            if (!taken[p] && rest[p].size() + 1 == rest[i].size()) taken[p] = true, chain[p] = chain[i];
        }
        std::vector<int32_t> number(n, -1);  // of the clique that a chain becomes
        for (size_t i = n; i-- > 0;) {       // from the end: parents first
            const bool top = parent[i] < 0 || chain[static_cast<size_t>(parent[i])] != chain[i];
            if (!top) continue;
            const size_t first = chain[i];
            const int32_t above = parent[i] < 0 ? -1 : number[chain[static_cast<size_t>(parent[i])]];
            number[first] = static_cast<int32_t>(cliques.size());
            Ints members = rest[first];
            members.push_back(order[first]);
            add_clique(members, rest[i], above);
        }
    }

    void add_clique(const Ints &members, const Ints &separator, int32_t parent) {
        Clique made;
        made.parent = parent;
        if (parent >= 0)  // in the parent's order
            for (const int32_t v : cliques[static_cast<size_t>(parent)].variables)
                if (std::find(separator.begin(), separator.end(), v) != separator.end()) made.variables.push_back(v);
        made.separator = table_size(made.variables);
        const Ints shared = made.variables;
        made.n_shared = shared.size();
        for (const int32_t v : members)
            if (std::find(shared.begin(), shared.end(), v) == shared.end()) made.variables.push_back(v);
        made.size = table_size(made.variables);
        if (parent >= 0) made.in_parent = Projection(cliques[static_cast<size_t>(parent)].variables, shared, states);
        made.offset = entries;
        made.message_offset = message_entries;
        entries += made.size;
        message_entries += made.separator;
        cliques.push_back(std::move(made));
    }

    void place_variables() {
        home.assign(states.size(), -1);
        for (size_t c = 0; c < cliques.size(); ++c)
            for (const int32_t v : cliques[c].variables) {
                int32_t &at = home[static_cast<size_t>(v)];
                if (at < 0 || cliques[c].size < cliques[static_cast<size_t>(at)].size) at = static_cast<int32_t>(c);
            }
        for (size_t v = 0; v < states.size(); ++v)
            of_variable.emplace_back(cliques[static_cast<size_t>(home[v])].variables, Ints{static_cast<int32_t>(v)}, states);
    }
};

}  // namespace learnt::graphical
