// What a tree is grown from: typed columns, a target, weights, and the rules of growing.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/matrix.hpp"

namespace learnt::tree {

enum class Criterion { gini, entropy, gain_ratio, misclassification, mse, mae };
enum class Nominal { multiway, equals, subset };
enum class Missing { fractional, majority, class_majority, learned };

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

// One column as it lies in memory. Ordered ones (n_categories = 0) are floats with NaN for missing, or codes
// read as numbers; the others are codes in [0, n_categories). A negative code is missing.
struct Column {
    enum class Cells { float64, float32, code } cells;
    const void *data;
    int64_t stride;
    int32_t n_categories;

    bool ordered() const { return n_categories == 0; }
    int32_t code(int64_t row) const { return static_cast<const int32_t *>(data)[row * stride]; }
    double number(int64_t row) const {
        switch (cells) {
            case Cells::float64: return static_cast<const double *>(data)[row * stride];
            case Cells::float32: return static_cast<const float *>(data)[row * stride];
            default: return code(row) < 0 ? nan : code(row);
        }
    }
};

// The fields are those of learnt.tree.grow.exact.GrowOptions; numbers that may be absent are 0 (max_depth: −1) then.
struct GrowOptions {
    Criterion criterion = Criterion::gini;
    Nominal nominal = Nominal::subset;
    Missing missing = Missing::learned;
    int64_t max_depth = -1;
    double min_samples_split = 2, min_samples_leaf = 1, min_impurity_decrease = 0;
    int64_t max_leaf_nodes = 0, max_features = 0;
    uint64_t seed = 0;
    bool random_cuts = false;            // of each column one test, drawn
    const int32_t *monotonic = nullptr;  // by column: 1 the target rises with it, −1 falls; not if null
    const double *feature_costs = nullptr;
    bool min_branches = false, mdl_correction = false, average_gain = false;
    bool j48_numeric_minimum = false, thresholds_from_data = false;
    int64_t n_declared_classes = 0;
};

struct Problem {
    int64_t rows = 0;
    std::vector<Column> columns;
    const int32_t *labels = nullptr;  // of a classification, in [0, classes)
    const double *targets = nullptr;  // of a regression
    int64_t classes = 0;              // 0: regression
    const double *weights = nullptr;  // none: ones
    GrowOptions options;

    // The numbers a node's target is summed up by: a weight per class, or one sum.
    int64_t sums() const { return classes ? classes : 1; }
};

// J48 compares sums of fractions and gains with this slack; CART compares exactly.
inline constexpr double j48_slack = 1e-6, j48_gap = 1e-5;
inline double slack(const GrowOptions &o) { return o.average_gain ? j48_slack : 0.0; }

// A weight from which on there is enough, though sums of fractions may fall short of it by rounding.
inline double enough(double least, const GrowOptions &o) { return least - std::max(slack(o), 1e-9 * least); }

// How far apart two neighbouring cells are that are not cut between: 1e-5 in J48, 1e-7 in scikit-learn (float32
// cells), nothing otherwise. In a column whose cells all lie within 0.01 of each other it is that share of their
// range: a small unit makes no cells equal.
inline double close_cells(const Column &column, const GrowOptions &o, double range) {
    const double gap = o.average_gain ? j48_gap : column.cells == Column::Cells::float32 ? 1e-7 : 0.0;
    return range < 0.01 ? gap * range : gap;
}

inline bool may_cut(const Column &column, const GrowOptions &o, double gap, int64_t row, int64_t next_row) {
    const double a = column.number(row), b = column.number(next_row);
    if (column.cells == Column::Cells::float32 && !o.average_gain)  // in their own precision, as scikit-learn does
        return static_cast<float>(b) > static_cast<float>(a) + static_cast<float>(gap);
    return a + gap < b;
}

inline double middle(double a, double b) {
    const double m = a / 2 + b / 2;
    return m == b || !std::isfinite(m) ? a : m;
}

}  // namespace learnt::tree
