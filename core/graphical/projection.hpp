// Where the entries of a table lie in a table of some of its variables: the index map of all message passing.
//
// Tables are dense, the last variable runs fastest. A map holds one place for every run of entries: either all entries
// of a run go to one place (the last variables are not of the smaller table), or to places one after another (they are
// its last ones too). Loops over runs are plain, and maps shorter than tables by their length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace learnt::graphical {

using Ints = std::vector<int32_t>;
using Sizes = std::vector<int64_t>;

// How far apart the entries of neighbouring states lie.
inline Sizes strides_of(const Ints &variables, const Ints &states) {
    Sizes stride(variables.size());
    int64_t size = 1;
    for (size_t i = variables.size(); i-- > 0;) {
        stride[i] = size;
        size *= states[static_cast<size_t>(variables[i])];
    }
    return stride;
}

struct Projection {
    int64_t run = 1;
    bool consecutive = false;
    Ints place;  // of every run

    Projection() = default;

    // `from` are the variables of the large table, `onto` those of the small one, all of them in `from`, in any order.
    Projection(const Ints &from, const Ints &onto, const Ints &states) {
        const Sizes stride = strides_of(onto, states);
        const size_t d = from.size();
        Sizes step(d, 0), count(d);
        for (size_t i = 0; i < d; ++i) {
            count[i] = states[static_cast<size_t>(from[i])];
            const auto found = std::find(onto.begin(), onto.end(), from[i]);
            if (found != onto.end()) step[i] = stride[static_cast<size_t>(found - onto.begin())];
        }
        size_t outer = d;
        consecutive = d > 0 && step[d - 1] == 1;
        while (outer > 0 && step[outer - 1] == (consecutive ? run : 0)) run *= count[--outer];
        int64_t runs = 1;
        for (size_t i = 0; i < outer; ++i) runs *= count[i];
        place.resize(static_cast<size_t>(runs));
        Sizes digit(outer, 0);
        int64_t at = 0;
        for (int64_t b = 0; b < runs; ++b) {
            place[static_cast<size_t>(b)] = static_cast<int32_t>(at);
            for (size_t i = outer; i-- > 0;) {
                at += step[i];
                if (++digit[i] < count[i]) break;
                at -= step[i] * count[i];
                digit[i] = 0;
            }
        }
    }

    // table[e] *= small[place of e]; the largest of the products.
    double multiply(double *table, const double *small) const {
        double largest = 0;
        double *t = table;
        for (const int32_t p : place) {
            if (consecutive)
                for (int64_t j = 0; j < run; ++j) largest = std::max(largest, t[j] *= small[p + j]);
            else
                for (int64_t j = 0; j < run; ++j) largest = std::max(largest, t[j] *= small[p]);
            t += run;
        }
        return largest;
    }

    // small[place of e] += scale · table[e]
    void add(const double *table, double scale, double *small) const {
        const double *t = table;
        for (const int32_t p : place) {
            if (consecutive) {
                for (int64_t j = 0; j < run; ++j) small[p + j] += scale * t[j];
            } else {
                double sum = 0;
                for (int64_t j = 0; j < run; ++j) sum += t[j];
                small[p] += scale * sum;
            }
            t += run;
        }
    }
};

}  // namespace learnt::graphical
