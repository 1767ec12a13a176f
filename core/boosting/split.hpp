// The best test of a node, from its histogram.
//
// With gradient sum G and hessian sum H of some rows, their leaf has the value w and the score
//   w = −T(G) / (H + l2),   S = T(G)² / (H + l2),   T(G) = sign(G) max(|G| − l1, 0),
// and a test gains S_left + S_right − S_node. Where a column must keep an order, w is moved between the bounds
// its ancestors set and S = −(2 G w + (H + l2) w² + 2 l1 |w|).
//
// Missing cells are tried on both sides where the node has some. Columns of categories are tried one against the
// rest if they have few, else as a prefix of the categories sorted by G / (H + smooth), from either end (Fisher
// 1958), with limits that keep it from learning the noise of rare categories by heart.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "boosting/gradients.hpp"
#include "boosting/histogram.hpp"

namespace learnt::boost {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

struct SplitRules {
    double min_samples_leaf = 20, min_child_weight = 1e-3, l1 = 0, l2 = 0, min_gain = 0;
    const int8_t *monotonic = nullptr;  // by column
    double cat_smooth = 10, cat_l2 = 10, min_group = 100;
    int64_t max_cat_subset = 32, one_hot_up_to = 4;
};

struct Sums {
    double g = 0, h = 0, c = 0;
};
struct Bounds {
    double low = -infinite, high = infinite;
};

struct Split {
    double gain = 0;
    int32_t column = -1;             // −1: none found
    int32_t bin = -1;                // numbers: codes up to it go left
    bool missing_left = false;
    std::vector<int32_t> left_bins;  // categories: these go left, rising
    Sums left;
    double left_value = 0, right_value = 0;
    double missing_weight = -1;      // −1: not known from the histogram
};

// The cells of a histogram in the units of the loss. Counts may not be known.
struct CellReader {
    CellFormat format;
    GradientScale scale;
    const int64_t *counts = nullptr;  // beside plain cells
    double step = 0;                  // what rounded gradients may be off by

    bool knows_count() const { return format != CellFormat::plain || counts || scale.constant_hessian; }
    int width() const { return format == CellFormat::fine ? 3 : 1; }

    // Writes bins [first, first + n): each alone, or the sums up to each.
    template <bool running>
    void read(const int64_t *cells, int64_t first, int64_t n, double *g, double *h, double *c) const {
        if (format == CellFormat::fine) {
            const double sg = 1 / scale.exact_g, sh = 1 / scale.exact_h, sc = 1 / scale.weight;
            const int64_t *cell = cells + 3 * first;
            int64_t a = 0, b = 0, d = 0;
            for (int64_t i = 0; i < n; ++i, cell += 3) {
                a = running ? a + cell[0] : cell[0], b = running ? b + cell[1] : cell[1];
                d = running ? d + cell[2] : cell[2];
                g[i] = static_cast<double>(a) * sg, h[i] = static_cast<double>(b) * sh;
                c[i] = static_cast<double>(d) * sc;
            }
            return;
        }
        const double sg = 1 / scale.g, sh = 1 / scale.h;
        int64_t sum = 0, count = 0;
        if (format == CellFormat::counted) {
            for (int64_t i = 0; i < n; ++i) {
                sum = running ? sum + cells[first + i] : cells[first + i];
                g[i] = static_cast<double>(static_cast<int32_t>(sum >> 38)) * sg;
                h[i] = static_cast<double>(static_cast<int32_t>(sum >> 12 & ((1 << 26) - 1))) * sh;
                c[i] = static_cast<double>(static_cast<int32_t>(sum & 4095));
            }
            return;
        }
        for (int64_t i = 0; i < n; ++i) {
            sum = running ? sum + cells[first + i] : cells[first + i];
            g[i] = static_cast<double>(static_cast<int32_t>(sum >> 32)) * sg;
            h[i] = static_cast<double>(sum & 0xffffffff) * sh;
        }
        if (counts)
            for (int64_t i = 0; i < n; ++i) {
                count = running ? count + counts[first + i] : counts[first + i];
                c[i] = static_cast<double>(count);
            }
        else if (scale.constant_hessian)
            for (int64_t i = 0; i < n; ++i) c[i] = h[i];
    }
    Sums sum(const int64_t *cells, int64_t first, int64_t n) const {
        Sums s;
        std::vector<double> g(static_cast<size_t>(n)), h(g), c(g);
        read<true>(cells, first, n, g.data(), h.data(), c.data());
        s.g = g.back(), s.h = h.back(), s.c = knows_count() ? c.back() : 0;
        return s;
    }
};

// What a vector loop over the cuts of one column needs; see boosting/split_simd.hpp.
struct CutRange {
    const double *g, *h, *c;  // sums up to each bin; c may be null
    int64_t n;
    Sums missing, node;
    double l1, l2, min_h, min_c;
};
inline constexpr int64_t most_cuts = 256, cut_padding = 16;

}  // namespace learnt::boost

#define LEARNT_LOOPS "boosting/split_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt::boost {

class SplitSearch {
    const BinLayout &layout_;
    const SplitRules &rules_;
    const CellReader reader_;
    const int64_t *const cells_;
    const Sums node_;
    const Bounds bounds_;
    const bool bounded_;
    const double min_h_, parent_, floor_;
    const bool extreme_;  // whether a product of three sums may not fit a double
    Split best_;
    std::vector<double> g_, h_, c_;
    const Level level_ = current_level();

    double soft(double g) const { return std::copysign(std::max(std::abs(g) - rules_.l1, 0.0), g); }
    double value(double g, double h, double l2) const {
        const double w = h + l2 > 0 ? -soft(g) / (h + l2) : 0;
        return std::clamp(w, bounds_.low, bounds_.high);
    }
    double score(double g, double h, double l2, double w) const {
        return -(2 * g * w + (h + l2) * w * w + 2 * rules_.l1 * std::abs(w));
    }
    double plain_score(double g, double h, double l2) const {
        const double t = soft(g), square = t * t;
        if (!(h + l2 > 0)) return 0;
        return square > 0x1p-1000 && std::isfinite(square) ? square / (h + l2) : t * (t / (h + l2));
    }
    bool beyond_products() const {
        constexpr double large = 0x1p+330, small = 0x1p-500;
        const GradientScale &s = reader_.scale;
        return std::max({0x1p61 / s.exact_g, 0x1p61 / s.exact_h, rules_.l1, rules_.l2}) > large || node_.h + rules_.l2 < small;
    }
    bool wide_enough(const Sums &left) const {
        if (left.h < min_h_ || node_.h - left.h < min_h_) return false;
        return !reader_.knows_count() || (left.c >= rules_.min_samples_leaf && node_.c - left.c >= rules_.min_samples_leaf);
    }
    // The gain of a test, −1 if it is against the order.
    double gain(const Sums &left, double l2, int order) const {
        const double gr = node_.g - left.g, hr = node_.h - left.h;
        if (!bounded_) return plain_score(left.g, left.h, l2) + plain_score(gr, hr, l2) - parent_;
        const double wl = value(left.g, left.h, l2), wr = value(gr, hr, l2);
        if ((order > 0 && wl > wr) || (order < 0 && wl < wr)) return -1;
        return score(left.g, left.h, l2, wl) + score(gr, hr, l2, wr) - parent_;
    }
    bool better(double gain) const { return gain > floor_ && gain > best_.gain + tie(best_.gain); }
    void take(int64_t column, double gain, const Sums &left) {
        best_ = Split{};
        best_.gain = gain, best_.column = static_cast<int32_t>(column), best_.left = left;
    }

    void look_at_numbers(int64_t j) {
        const int64_t n = layout_.n_bins[static_cast<size_t>(j)], values = n - 1;
        reader_.read<true>(cells_, layout_.offset[static_cast<size_t>(j)], n, g_.data(), h_.data(), c_.data());
        const bool counted = reader_.knows_count();
        const size_t v = static_cast<size_t>(values);
        Sums missing;
        if (values > 0)
            missing = {g_[v] - g_[v - 1], h_[v] - h_[v - 1], counted ? c_[v] - c_[v - 1] : 0};
        else
            missing = {g_[v], h_[v], counted ? c_[v] : 0};
        const bool any_missing = missing.h > 0 || missing.g != 0 || missing.c > 0;
        const int order = rules_.monotonic ? rules_.monotonic[j] : 0;
        for (const bool left : {false, true}) {
            if (left && !any_missing) break;
            const int64_t cuts = !left && any_missing ? values : values - 1;
            if (bounded_ || extreme_)
                try_cuts_in_order(j, cuts, left ? missing : Sums{}, left, order);
            else
                try_cuts(j, cuts, left ? missing : Sums{}, left);
        }
        if (best_.column == j) best_.missing_weight = counted ? missing.c : -1;
    }
    Sums up_to(int64_t b, const Sums &more) const {
        const size_t at = static_cast<size_t>(b);
        return {g_[at] + more.g, h_[at] + more.h, c_[at] + more.c};
    }
    void take_cut(int64_t j, int64_t b, double gain, const Sums &more, bool missing_left) {
        take(j, gain, up_to(b, more));
        best_.bin = static_cast<int32_t>(b), best_.missing_left = missing_left;
    }
    void try_cuts(int64_t j, int64_t cuts, const Sums &more, bool missing_left) {
        if (cuts <= 0) return;
        double scores[most_cuts + cut_padding], most = -1;
        const CutRange range{g_.data(), h_.data(), reader_.knows_count() ? c_.data() : nullptr, cuts, more, node_,
                             rules_.l1, rules_.l2, min_h_, rules_.min_samples_leaf};
        LEARNT_AT(level_, score_cuts(range, scores, &most));
        if (!std::isfinite(most)) return try_cuts_in_order(j, cuts, more, missing_left, 0);
        if (most < 0 || !better(most - parent_)) return;
        int64_t b = 0;
        while (!(scores[b] >= most - tie(most - parent_))) ++b;
        take_cut(j, b, scores[b] - parent_, more, missing_left);
    }
    void try_cuts_in_order(int64_t j, int64_t cuts, const Sums &more, bool missing_left, int order) {
        for (int64_t b = 0; b < cuts; ++b) {
            const Sums left = up_to(b, more);
            if (!wide_enough(left)) continue;
            const double found = gain(left, rules_.l2, order);
            if (better(found)) take_cut(j, b, found, more, missing_left);
        }
    }

    void look_at_categories(int64_t j) {
        const int64_t n = layout_.n_bins[static_cast<size_t>(j)], other = n - 2;
        if (static_cast<int64_t>(g_.size()) < n + cut_padding)
            for (auto *v : {&g_, &h_, &c_}) v->resize(static_cast<size_t>(n + cut_padding));
        reader_.read<false>(cells_, layout_.offset[static_cast<size_t>(j)], n, g_.data(), h_.data(), c_.data());
        if (n - 2 <= rules_.one_hot_up_to)
            try_each(j, n, other);
        else
            try_subsets(j, n, other);
        if (best_.column == j && reader_.knows_count()) best_.missing_weight = c_[static_cast<size_t>(n - 1)];
    }
    Sums one(int64_t b) const {
        const size_t at = static_cast<size_t>(b);
        return {g_[at], h_[at], c_[at]};
    }
    void try_each(int64_t j, int64_t n, int64_t other) {
        for (int64_t b = 0; b < n; ++b) {
            if (b == other || !wide_enough(one(b))) continue;
            const double found = gain(one(b), rules_.l2, 0);
            if (!better(found)) continue;
            take(j, found, one(b));
            best_.left_bins = {static_cast<int32_t>(b)}, best_.missing_left = b == n - 1;
        }
    }
    // How many rows a hessian sum stands for, by the node's mean: known without counting.
    void try_subsets(int64_t j, int64_t n, int64_t other) {
        const double rows_per_h = node_.c / node_.h, enough = std::min(rules_.cat_smooth, rules_.min_group);
        struct Place {
            double ratio;
            int32_t bin;
            bool operator<(const Place &o) const { return ratio != o.ratio ? ratio < o.ratio : bin < o.bin; }
        };
        std::vector<Place> places;
        for (int64_t b = 0; b < n; ++b) {
            const size_t at = static_cast<size_t>(b);
            if (b != other && h_[at] > 0 && h_[at] * rows_per_h >= enough)
                places.push_back({g_[at] / (h_[at] + rules_.cat_smooth), static_cast<int32_t>(b)});
        }
        const int64_t used = static_cast<int64_t>(places.size()), most = std::min(rules_.max_cat_subset, (used + 1) / 2);
        if (2 * most < used) {  // only the ends are looked at
            std::nth_element(places.begin(), places.begin() + most, places.end());
            std::nth_element(places.begin() + most, places.end() - most, places.end());
            std::sort(places.begin(), places.begin() + most), std::sort(places.end() - most, places.end());
        } else {
            std::sort(places.begin(), places.end());
        }
        for (const bool down : {false, true}) {
            Sums left;
            double group = 0;
            for (int64_t i = 0; i < most; ++i) {
                const auto bin_at = [&](int64_t k) { return places[static_cast<size_t>(down ? used - 1 - k : k)].bin; };
                const Sums more = one(bin_at(i));
                left = {left.g + more.g, left.h + more.h, left.c + more.c}, group += more.h * rows_per_h;
                if ((node_.h - left.h) * rows_per_h < rules_.min_group) break;
                if (!wide_enough(left) || group < rules_.min_group) continue;
                group = 0;
                const double found = gain(left, rules_.l2 + rules_.cat_l2, 0);
                if (!better(found)) continue;
                take(j, found, left);
                for (int64_t k = 0; k <= i; ++k) best_.left_bins.push_back(bin_at(k));
                std::sort(best_.left_bins.begin(), best_.left_bins.end());
                best_.missing_left = best_.left_bins.back() == n - 1;
            }
        }
    }

  public:
    // `node` holds the sums of all its rows; its c is the number (weight) of rows, known in any case.
    SplitSearch(const BinLayout &layout, const SplitRules &rules, const CellReader &reader, const int64_t *cells,
                const Sums &node, const Bounds &bounds)
        : layout_(layout),
          rules_(rules),
          reader_(reader),
          cells_(cells),
          node_(node),
          bounds_(bounds),
          bounded_(rules.monotonic != nullptr),
          min_h_(std::max(rules.min_child_weight, 1e-300)),
          parent_(bounded_ ? score(node.g, node.h, rules.l2, value(node.g, node.h, rules.l2))
                           : plain_score(node.g, node.h, rules.l2)),
          // Rounded gradients of equal rows differ by up to 1 / scale; what that alone would gain is no gain.
          floor_(std::max({rules.min_gain, 1e-12 * std::abs(parent_),
                           node.h > 0 ? 4 * reader.step * reader.step * node.c / node.h : 0.0})),
          extreme_(beyond_products()),
          g_(most_cuts + cut_padding),
          h_(g_),
          c_(g_) {}

    // Gains that differ by less are equal but for rounding: it is that of the scores they are differences of, and where
    // the node's own score is next to nothing, that of the gain itself.
    double tie(double gain) const { return 1e-11 * std::max(std::abs(parent_), std::abs(gain)); }

    Split best(const int32_t *first, const int32_t *last) {
        for (; first < last; ++first) {
            const int32_t j = *first;
            if (layout_.nominal[static_cast<size_t>(j)])
                look_at_categories(j);
            else
                look_at_numbers(j);
        }
        if (best_.column >= 0) {
            best_.left_value = value(best_.left.g, best_.left.h, rules_.l2);
            best_.right_value = value(node_.g - best_.left.g, node_.h - best_.left.h, rules_.l2);
        }
        return std::move(best_);
    }
};

// The search of one node in parts that may run side by side: columns in order, cut where they have cells enough.
class NodeSearch {
    static constexpr int64_t cells_at_least = 4096;
    const BinLayout &layout_;
    const SplitRules &rules_;
    const CellReader reader_;
    const int64_t *const cells_;
    const Sums node_;
    const Bounds bounds_;
    const std::vector<int32_t> columns_;
    std::vector<size_t> cuts_{0};
    std::vector<Split> found_;

  public:
    NodeSearch(const BinLayout &layout, const SplitRules &rules, const CellReader &reader, const int64_t *cells,
               const Sums &node, const Bounds &bounds, std::vector<int32_t> columns)
        : layout_(layout),
          rules_(rules),
          reader_(reader),
          cells_(cells),
          node_(node),
          bounds_(bounds),
          columns_(std::move(columns)) {
        int64_t sum = 0;
        for (size_t at = 0; at < columns_.size(); ++at) {
            sum += layout.n_bins[static_cast<size_t>(columns_[at])];
            if (sum >= cells_at_least || at + 1 == columns_.size()) cuts_.push_back(at + 1), sum = 0;
        }
        found_.resize(cuts_.size() - 1);
    }

    int64_t parts() const { return static_cast<int64_t>(found_.size()); }
    void look(int64_t part) {
        const size_t at = static_cast<size_t>(part);
        found_[at] = SplitSearch(layout_, rules_, reader_, cells_, node_, bounds_)
                         .best(columns_.data() + cuts_[at], columns_.data() + cuts_[at + 1]);
    }
    // After all parts were looked at. Of equal gains the first.
    Split best() {
        Split best;
        const SplitSearch search(layout_, rules_, reader_, cells_, node_, bounds_);
        for (Split &split : found_)
            if (split.column >= 0 && (best.column < 0 || split.gain > best.gain + search.tie(best.gain)))
                best = std::move(split);
        return best;
    }
};

// The bounds of the two children of a split.
inline std::pair<Bounds, Bounds> bounds_below(const Bounds &bounds, const Split &split, const SplitRules &rules) {
    Bounds left = bounds, right = bounds;
    const int order = rules.monotonic ? rules.monotonic[split.column] : 0;
    const double middle = (split.left_value + split.right_value) / 2;
    if (order > 0) left.high = right.low = middle;
    if (order < 0) left.low = right.high = middle;
    return {left, right};
}

}  // namespace learnt::boost
