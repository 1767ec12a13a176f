// The targets of a tree's rows, and what a side of a cut is worth. Three kinds, one interface:
//
//   TwoCounts   two classes, rows without weights: whole numbers, packed into one
//   Numbers     a regression, or two classes with weights: sums of w·y and w
//   Classes     any number of classes, gini or entropy: a weight per class
//
//   begin(drawn)         makes ready for a tree
//   load(entries)        makes ready for the rows of a node and sums them up
//   key(code, i, entry)  what is sorted: the code, and in the lower half what tells the row
//   start, move, worth   a Side that fills row by row (or bin by bin), and what the cut before the rest is worth
//   chance()             what a cut that means nothing is worth on average, of rows that weigh 1 each
//
// worth is weight·impurity of the node − that of both sides (gini of two classes: half of it); −1 for no cut.
#pragma once

#include <algorithm>
#include <cmath>

#include "forest/problem.hpp"

namespace learnt::forest {

// A row of the tree: how often it was drawn (at most 2047 times), and from bit 12 on its class; of two counted classes
// instead, from bit 21 on, how often it was drawn for class 1.
struct Entry {
    uint32_t row, packed;

    uint32_t times() const { return packed & 0x7ff; }
    uint32_t label() const { return packed >> 12; }
};
inline constexpr int64_t most_classes = 1 << 20;

// What a node knows of its target. `count` is what limits of rows are compared with: rows by weight, drawn once.
struct Summary {
    double weight = 0, count = 0, impurity = 0;
    bool pure = true;
};

inline double xlogx(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

inline double impurity_of(const double *sums, int64_t k, double weight, Criterion criterion) {
    if (!(weight > 0)) return 0;
    double total = 0;
    for (int64_t c = 0; c < k; ++c) {
        const double share = sums[c] / weight;
        total += criterion == Criterion::entropy ? -xlogx(share) : share * share;
    }
    return std::max(0.0, criterion == Criterion::entropy ? total : 1 - total);
}

// Sums of w·y, w and rows on one side, of squares: the node's gain is d²/(a·b·(a + b)) for weights a, b of the
// sides and d = s·(a + b) − a·S. Two classes' gini is this with y in {0, 1}, times two.
struct SquareSide {
    double s = 0, w = 0, m = 0;
};

class SquareWorth {
  protected:
    double all_s_ = 0, all_w_ = 0, all_m_ = 0, variance_ = 0;

  public:
    using Side = SquareSide;
    double chance() const { return variance_; }
    double whole() const { return all_m_; }
    double weight() const { return all_w_; }
    double worth(const Side &l) const {
        const double b = all_w_ - l.w, d = l.s * all_w_ - l.w * all_s_;
        return l.w > 0 && b > 0 ? d * d / (l.w * b * all_w_) : -1;
    }
    static double score(const Side &l) { return l.w > 0 ? l.s / l.w : 0.0; }
    static void move(Side &to, const Side &part) { to.s += part.s, to.w += part.w, to.m += part.m; }
};

using Key = uint64_t;
inline Key key_of(uint32_t code, uint32_t below) { return Key{code} << 32 | below; }
inline uint32_t code_of(Key k) { return static_cast<uint32_t>(k >> 32); }

class TwoCounts : public SquareWorth {
    int64_t rows_at_once_ = 1;  // so many surely fit into cells
    static constexpr uint64_t low21 = (1u << 21) - 1, one_row = uint64_t{1} << 42;

    static double number(uint64_t x) { return static_cast<double>(static_cast<int64_t>(x)); }

  public:
    using Cell = uint64_t;  // of a bin: times drawn, those for class 1, rows, in 21 bits each
    static constexpr bool has_bins = true;

    explicit TwoCounts(const Problem &) {}
    static bool fits(const Problem &p) {
        return p.classes == 2 && !p.weights && !p.class_factors && !p.options.balance_drawn &&
               p.options.criterion == Criterion::gini;
    }
    static Entry entry(uint32_t row, uint32_t times, uint32_t label) {
        return {row, times | (label ? times : 0) << 21};
    }
    void begin(const std::vector<Entry> &drawn) {
        uint32_t most = 1;
        for (const Entry &e : drawn) most = std::max<uint32_t>(most, e.times());
        rows_at_once_ = static_cast<int64_t>(low21) / most;
    }
    int64_t rows_at_once() const { return rows_at_once_; }

    Summary load(const Entry *e, int64_t n, double *value) {
        uint64_t times = 0, ones = 0;
        for (int64_t i = 0; i < n; ++i) times += e[i].times(), ones += e[i].packed >> 21;
        all_w_ = number(times), all_s_ = number(ones), all_m_ = static_cast<double>(n);
        variance_ = all_w_ > 0 ? all_s_ / all_w_ * (1 - all_s_ / all_w_) : 0;
        value[0] = all_w_ - all_s_, value[1] = all_s_;
        return {all_w_, all_m_, impurity_of(value, 2, all_w_, Criterion::gini), ones == 0 || ones == times};
    }

    static Key key(uint32_t code, int64_t, Entry e) { return key_of(code, e.packed); }
    static double count(Key) { return 1; }
    static double weight(Key k) { return Entry{0, static_cast<uint32_t>(k)}.times(); }
    using SquareWorth::weight;
    void move(Side &to, Key k) const { move(to, 0, Entry{0, static_cast<uint32_t>(k)}); }
    void move(Side &to, int64_t, Entry e) const { to.w += e.times(), to.s += e.packed >> 21, to.m += 1; }
    using SquareWorth::move;

    Cell cell(int64_t, Entry e) const { return e.packed + one_row; }
    static void add(Cell &to, Cell c) { to += c; }
    static Side side_of(Cell c) { return {number(c >> 21 & low21), number(c & low21), number(c >> 42)}; }
};

class Numbers : public SquareWorth {
    const Problem &p_;
    std::vector<Side> rows_;  // of the node, y measured from its mean
    std::vector<double> factor_;

  public:
    using Cell = Side;
    static constexpr bool has_bins = true;

    explicit Numbers(const Problem &p) : p_(p) {}
    static bool fits(const Problem &p) {
        return p.classes == 0 || (p.classes == 2 && p.options.criterion == Criterion::gini);
    }
    static Entry entry(uint32_t row, uint32_t times, uint32_t label) { return {row, times | label << 12}; }
    void begin(const std::vector<Entry> &drawn);

    Summary load(const Entry *e, int64_t n, double *value) {
        rows_.resize(static_cast<size_t>(n));
        const bool labelled = p_.classes > 0;
        double w = 0, s = 0, m = 0, low = infinity, high = -infinity;
        for (int64_t i = 0; i < n; ++i) {
            const double count = p_.weights ? p_.weights[e[i].row] : 1.0;
            const double y = labelled ? e[i].label() : p_.targets[e[i].row];
            Side &at = rows_[static_cast<size_t>(i)];
            at.m = count, at.w = count * e[i].times() * (labelled ? factor_[e[i].label()] : 1.0), at.s = y;
            w += at.w, m += at.m, low = std::min(low, y), high = std::max(high, y);
        }
        // The mean from differences: targets may lie far from 0.
        for (const Side &at : rows_) s += at.w * (at.s - low);
        const double mean = low == high || !(w > 0) ? low : std::min(high, low + s / w);
        double squares = 0, rest = 0;
        for (Side &at : rows_) {
            const double d = at.s - mean;
            at.s = at.w * d;
            rest += at.s, squares += at.s * d;
        }
        all_w_ = w, all_s_ = rest, all_m_ = m;
        variance_ = w > 0 ? squares / w : 0.0;
        Summary found{w, m, variance_, low == high};
        if (labelled) {
            value[1] = low == high ? (high > 0.5 ? w : 0.0) : s, value[0] = std::max(0.0, w - value[1]);
            found.impurity = impurity_of(value, 2, w, Criterion::gini);
        } else {
            value[0] = mean;
        }
        return found;
    }
    static int64_t rows_at_once() { return std::numeric_limits<int64_t>::max(); }

    static Key key(uint32_t code, int64_t i, Entry) { return key_of(code, static_cast<uint32_t>(i)); }
    void move(Side &to, Key k) const { SquareWorth::move(to, rows_[static_cast<uint32_t>(k)]); }
    void move(Side &to, int64_t i, Entry) const { SquareWorth::move(to, rows_[static_cast<size_t>(i)]); }
    using SquareWorth::move;

    double count(Key k) const { return rows_[static_cast<uint32_t>(k)].m; }
    double weight(Key k) const { return rows_[static_cast<uint32_t>(k)].w; }
    using SquareWorth::weight;

    const Cell &cell(int64_t i, Entry) const { return rows_[static_cast<size_t>(i)]; }
    static void add(Cell &to, const Cell &c) { SquareWorth::move(to, c); }
    static const Side &side_of(const Cell &c) { return c; }
};

// Factors of the classes in one tree: as given, times what makes the classes drawn weigh the same.
inline std::vector<double> tree_factors(const Problem &p, const std::vector<Entry> &drawn) {
    std::vector<double> factor(static_cast<size_t>(std::max<int64_t>(p.classes, 1)), 1.0);
    if (p.class_factors) std::copy_n(p.class_factors, p.classes, factor.begin());
    if (!p.options.balance_drawn) return factor;
    std::vector<double> weight(factor.size(), 0.0);
    for (const Entry &e : drawn) weight[e.label()] += e.times() * (p.weights ? p.weights[e.row] : 1.0);
    double all = 0, present = 0;
    for (const double w : weight) all += w, present += w > 0;
    for (size_t c = 0; c < factor.size(); ++c) factor[c] *= weight[c] > 0 ? all / (present * weight[c]) : 0.0;
    return factor;
}

inline void Numbers::begin(const std::vector<Entry> &drawn) { factor_ = tree_factors(p_, drawn); }

// Class sums of both sides are kept up to date, and with them Σ c² (or Σ c·log c), a row at a time.
class Classes {
    const Problem &p_;
    const int64_t k_;
    const bool entropy_;
    std::vector<double> factor_, weight_, count_, all_;
    std::vector<uint32_t> label_;
    double all_w_ = 0, all_m_ = 0, all_f_ = 0;

    double f(double x) const { return entropy_ ? xlogx(x) : x * x; }

  public:
    struct Side {
        std::vector<double> left, right;
        double s = 0, w = 0, m = 0, left_f = 0, right_f = 0;
    };
    static constexpr bool has_bins = false;

    explicit Classes(const Problem &p) : p_(p), k_(p.classes), entropy_(p.options.criterion == Criterion::entropy) {}
    static Entry entry(uint32_t row, uint32_t times, uint32_t label) { return {row, times | label << 12}; }
    void begin(const std::vector<Entry> &drawn) { factor_ = tree_factors(p_, drawn); }

    Summary load(const Entry *e, int64_t n, double *value) {
        const size_t size = static_cast<size_t>(n);
        weight_.resize(size), count_.resize(size), label_.resize(size);
        std::fill_n(value, k_, 0.0);
        all_w_ = all_m_ = all_f_ = 0;
        bool pure = true;
        for (int64_t i = 0; i < n; ++i) {
            const size_t at = static_cast<size_t>(i);
            count_[at] = p_.weights ? p_.weights[e[i].row] : 1.0, label_[at] = e[i].label();
            weight_[at] = count_[at] * e[i].times() * factor_[e[i].label()];
            value[e[i].label()] += weight_[at], all_w_ += weight_[at], all_m_ += count_[at];
            pure &= e[i].label() == e[0].label();
        }
        all_.assign(value, value + k_);
        for (const double c : all_) all_f_ += f(c);
        return {all_w_, all_m_, impurity_of(value, k_, all_w_, p_.options.criterion), pure};
    }
    double whole() const { return all_m_; }
    double weight() const { return all_w_; }
    double chance() const {
        if (!entropy_) return impurity_of(all_.data(), k_, all_w_, Criterion::gini);
        double present = 0;
        for (const double c : all_) present += c > 0;
        return (present - 1) / (2 * std::log(2.0));
    }

    void start(Side &s) const {
        s.left.assign(static_cast<size_t>(k_), 0.0), s.right = all_;
        s.w = s.m = s.left_f = 0, s.right_f = all_f_;
    }
    static Key key(uint32_t code, int64_t i, Entry) { return key_of(code, static_cast<uint32_t>(i)); }
    void move(Side &to, Key k) const { move(to, static_cast<int64_t>(static_cast<uint32_t>(k)), Entry{}); }
    void move(Side &to, int64_t i, Entry) const {
        const size_t at = static_cast<size_t>(i);
        double &l = to.left[label_[at]], &r = to.right[label_[at]];
        to.left_f -= f(l), to.right_f -= f(r);
        l += weight_[at], r = std::max(0.0, r - weight_[at]);
        to.left_f += f(l), to.right_f += f(r);
        to.w += weight_[at], to.m += count_[at];
    }
    double worth(const Side &l) const {
        const double a = l.w, b = all_w_ - l.w;
        if (!(a > 0) || !(b > 0)) return -1;
        const double gain = entropy_ ? l.left_f - xlogx(a) + l.right_f - xlogx(b) - (all_f_ - xlogx(all_w_))
                                     : l.left_f / a + l.right_f / b - all_f_ / all_w_;
        return std::max(gain, 0.0);
    }
    int64_t classes() const { return k_; }
    double count(Key k) const { return count_[static_cast<uint32_t>(k)]; }
    uint32_t label(Key k) const { return label_[static_cast<uint32_t>(k)]; }
    double weight(Key k) const { return weight_[static_cast<uint32_t>(k)]; }
};

inline void start_side(const SquareWorth &, SquareSide &s) { s = {}; }
inline void start_side(const Classes &t, Classes::Side &s) { t.start(s); }

}  // namespace learnt::forest
