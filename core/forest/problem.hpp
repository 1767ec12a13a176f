// What a forest is grown from: columns of 16-bit codes, a target, and the rules of growing; and the flat arrays
// its trees end up in.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/matrix.hpp"

namespace learnt::forest {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr int32_t most_bins = 256;  // of a histogram, the one of missing cells included

// Codes rise with the cells they stand for; `lost`, the code of a missing cell, lies above all others and has a
// coarse bin (code >> shift) of its own. Cells of code c lie in [low[c], high[c]], or, where codes stand for
// ranges, in (low[c], high[c]]; so a threshold between codes a < b is any number from high[a] to below low[b]
// (to low[b], where a range ends).
struct CodedColumn {
    const uint16_t *codes;
    const double *low, *high;  // null for categories
    int32_t n_codes;
    int32_t shift;
    uint16_t lost;
    bool nominal;

    bool ranges() const { return low != high; }
    int32_t bins() const { return n_codes == 0 ? 0 : ((n_codes - 1) >> shift) + 1; }
};

enum class Criterion { gini, entropy, squared };

struct Options {
    Criterion criterion = Criterion::gini;
    int64_t max_depth = -1;       // −1: no limit
    double min_split = 2, min_leaf = 1;
    int64_t max_leaves = 0;       // 0: no limit
    int64_t max_features = 1;     // columns tried at each node
    bool random_cuts = false;     // of each column one cut, drawn
    bool bootstrap = true;
    double rate = 1;              // how often a row is drawn, on average; without bootstrap: its chance to be kept
    bool balance_drawn = false;   // classes weigh the same in every tree
    uint64_t seed = 0;
    double shrinkage = 0;         // λ of leaves drawn towards the nodes above them
    int64_t sorted_up_to = 1024;  // nodes of at most so many rows are searched at every cell, larger ones by bins
};

struct Problem {
    int64_t rows = 0;
    std::vector<CodedColumn> columns;
    std::vector<int32_t> varying;  // the columns that are drawn from
    // The last columns, `orders` times as many as these are, say in numbers what the cells of column stands_for[i] tell.
    // Where that is searched, tree t searches of each the (t mod orders)-th, too.
    std::vector<int32_t> stands_for;
    int64_t orders = 1;
    const int32_t *labels = nullptr;        // of a classification
    const double *targets = nullptr;        // of a regression
    int64_t classes = 0;                    // 0: regression
    const double *weights = nullptr;        // of the rows; none: ones
    const double *class_factors = nullptr;  // what weights of a class's rows are multiplied by; none: ones
    Options options;

    int64_t outputs() const { return classes ? classes : 1; }
    // Where stand-ins begin, and the column that one of them stands for.
    size_t first_stand_in() const { return columns.size() - stands_for.size() * static_cast<size_t>(orders); }
    int32_t stood_for(int32_t column) const {
        return stands_for[(static_cast<size_t>(column) - first_stand_in()) % stands_for.size()];
    }
};

// One tree in pre-order: child 0 of a test is the node after it, child 1 is `right`.
struct Tree {
    std::vector<int32_t> feature, right, n_routes, route_codes, routes, otherwise, missing;
    std::vector<int32_t> cut;  // the largest code that goes to child 0; −1 in leaves and tests of categories
    std::vector<double> threshold, weight, impurity, missing_weight, value;
    std::vector<uint32_t> drawn_rows;  // rows drawn, leaf after leaf, if asked for
    std::vector<uint8_t> drawn_times;
    std::vector<int32_t> leaf_rows;    // how many of them each leaf has; 0 for tests

    int64_t nodes() const { return static_cast<int64_t>(feature.size()); }
};

// A number between cells of two neighbouring codes, a's at most, b's above.
inline double middle(double a, double b) {
    const double m = a / 2 + b / 2;
    return m < b && m >= a ? m : a;
}

}  // namespace learnt::forest
