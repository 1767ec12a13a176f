// The best cut of one column in a node: between any two of its codes in small nodes, between coarse bins of them in
// large ones, or at a drawn place. Missing cells are tried on both sides.
#pragma once

#include "forest/counts.hpp"
#include "forest/nominal.hpp"

namespace learnt::forest {

template <class Target>
class ColumnSearch {
    using Side = typename Target::Side;
    const Problem &p_;
    Target &target_;
    NominalSearch<Target> nominal_;
    KeySort sorter_;
    CountScan counts_;
    std::vector<Key> keys_;
    Side side_;

    // Of the node
    const Entry *entries_ = nullptr;
    int64_t n_ = 0;
    uint64_t path_ = 0;

    bool large_enough(double m) const {
        return m >= p_.options.min_leaf && target_.whole() - m >= p_.options.min_leaf;
    }

    // Keeps the cut after `code` if it is better than the best so far.
    void judge(const Side &side, int32_t j, int32_t code, int32_t next, bool missing_left, double lost, Cut &best) {
        if (!large_enough(side.m)) return;
        const double worth = target_.worth(side);
        if (worth > best.worth) best = {j, worth, code, next, missing_left, lost, nan, {}};
    }

    // Keys in the order of their codes, those of missing cells last. False: the column is constant here.
    bool search_sorted(int32_t j, Cut &best) {
        const CodedColumn &column = p_.columns[static_cast<size_t>(j)];
        uint32_t low = 0xffff, high = 0;
        keys_.resize(static_cast<size_t>(n_));
        for (int64_t i = 0; i < n_; ++i) {
            const uint32_t code = column.codes[entries_[i].row];
            keys_[static_cast<size_t>(i)] = Target::key(code, i, entries_[i]);
            low = std::min(low, code), high = std::max(high, code);
        }
        if (low == high) return false;
        Key *const keys = sorter_.sort(keys_.data(), n_, low, high);
        int64_t known = n_;
        while (code_of(keys[known - 1]) == column.lost) --known;
        const double lost = lost_weight(keys, known);
        if (column.nominal)
            nominal_.search(j, entries_, n_, keys, known, lost, path_, best);
        else
            scan_sorted(j, keys, known, lost, best);
        return true;
    }

    double lost_weight(const Key *keys, int64_t known) {
        if (known == n_) return 0;
        start_side(target_, side_);
        for (int64_t i = known; i < n_; ++i) target_.move(side_, keys[i]);
        return side_.w;
    }

    void scan_sorted(int32_t j, const Key *keys, int64_t known, double lost, Cut &best) {
        const bool any_lost = known < n_;
        if constexpr (std::is_same_v<Target, TwoCounts>)
            if (!any_lost && counts_.fits(target_)) return scan_counts(j, keys, best);
        for (int way = 0; way < 1 + any_lost; ++way) {  // missing cells on the right, then on the left
            start_side(target_, side_);
            for (int64_t i = known; way && i < n_; ++i) target_.move(side_, keys[i]);
            double worth = best.worth;
            int64_t place = -1;
            for (int64_t i = 0; i + 1 < known; ++i) {
                target_.move(side_, keys[i]);
                if (code_of(keys[i]) == code_of(keys[i + 1]) || !large_enough(side_.m)) continue;
                if (const double now = target_.worth(side_); now > worth) worth = now, place = i;
            }
            if (place >= 0) best = cut_between(j, worth, keys[place], keys[place + 1], way, lost);
            if (way || !any_lost) continue;  // all that is known against what is not
            target_.move(side_, keys[known - 1]);
            judge(side_, j, static_cast<int32_t>(code_of(keys[known - 1])), -1, false, lost, best);
        }
    }

    void scan_counts(int32_t j, const Key *keys, Cut &best) {
        const int64_t place = counts_.best(keys, n_, p_.options.min_leaf);
        if (place < 0) return;
        const double worth = target_.worth(counts_.side(place));
        if (worth > best.worth) best = cut_between(j, worth, keys[place], keys[place + 1], false, 0);
    }

    static Cut cut_between(int32_t j, double worth, Key left, Key right, bool missing_left, double lost) {
        return {j, worth, static_cast<int32_t>(code_of(left)), static_cast<int32_t>(code_of(right)), missing_left, lost,
                nan, {}};
    }

    // For two counted classes without missing cells.
    void search_counted(int32_t j, const uint64_t *cells, Cut &best) {
        const CodedColumn &column = p_.columns[static_cast<size_t>(j)];
        const int32_t bins = column.bins();
        const int64_t place = counts_.best_bin(cells, bins, std::max(1.0, p_.options.min_leaf));
        if (place < 0) return;
        const double worth = target_.worth(counts_.bin_side(place));
        const int32_t code = static_cast<int32_t>((place + 1) << column.shift) - 1;
        if (worth > best.worth) best = {j, worth, code, code + 1, false, 0, nan, {}};
    }

    // By coarse bins. False: too few of them are filled to tell.
    bool search_binned(int32_t j, Cut &best) {
        const CodedColumn &column = p_.columns[static_cast<size_t>(j)];
        const int32_t bins = column.bins();
        SquareSide sides[most_bins];
        typename Target::Cell cells[most_bins];
        for (int64_t first = 0; first < n_;) {
            const int64_t last = first + std::min(target_.rows_at_once(), n_ - first);
            std::fill_n(cells, bins + 1, typename Target::Cell{});
            const uint16_t *const codes = column.codes;
            const int32_t shift = column.shift;
            for (int64_t i = first; i < last; ++i)
                Target::add(cells[codes[entries_[i].row] >> shift], target_.cell(i, entries_[i]));
            if constexpr (std::is_same_v<Target, TwoCounts>)
                if (last - first == n_ && cells[bins] == 0) {
                    int32_t filled = 0;
                    for (int32_t b = 0; b < bins; ++b) filled += cells[b] != 0;
                    if (column.shift > 0 && filled < few_bins) return false;
                    search_counted(j, cells, best);
                    return true;
                }
            for (int32_t b = 0; b <= bins; ++b)
                if (first == 0)
                    sides[b] = Target::side_of(cells[b]);
                else
                    Target::move(sides[b], Target::side_of(cells[b]));
            first = last;
        }
        int32_t filled = 0;
        for (int32_t b = 0; b < bins; ++b) filled += sides[b].m > 0;
        if (column.shift > 0 && filled < few_bins) return false;
        const SquareSide &lost = sides[bins];
        const bool any_lost = lost.m > 0;
        for (int way = 0; way < 1 + any_lost; ++way) {
            SquareSide side;
            if (way) side = lost;
            double worth = best.worth;
            int32_t place = -1;
            for (int32_t b = 0; b + 1 < bins; ++b) {
                Target::move(side, sides[b]);
                if (!large_enough(side.m)) continue;
                if (const double now = target_.worth(side); now > worth && sides[b].m > 0) worth = now, place = b;
            }
            const int32_t code = ((place + 1) << column.shift) - 1;
            if (place >= 0) best = {j, worth, code, code + 1, way != 0, lost.w, nan, {}};
            if (!any_lost || way) continue;
            Target::move(side, sides[bins - 1]);
            judge(side, j, column.n_codes - 1, -1, false, lost.w, best);
        }
        return true;
    }

    // One cut, drawn evenly between the node's least and largest cell.
    bool search_drawn(int32_t j, Cut &best) {
        const CodedColumn &column = p_.columns[static_cast<size_t>(j)];
        if (column.nominal) return search_sorted(j, best);
        uint32_t low = 0xffff, high = 0;
        bool any_lost = false;
        for (int64_t i = 0; i < n_; ++i) {
            const uint32_t code = column.codes[entries_[i].row];
            low = std::min(low, code), any_lost |= code == column.lost;
            if (code != column.lost) high = std::max(high, code);
        }
        if (low == column.lost || (low == high && !any_lost)) return false;
        const double u = uniform_of(mix_bits(path_ ^ 0xd1b54a32d192ed03u), static_cast<uint64_t>(j));
        double threshold = column.low[low] * (1 - u) + column.high[high] * u;
        uint32_t cut = high;
        if (low < high) {
            const double *const place = std::upper_bound(column.high + low, column.high + high, threshold);
            const int64_t at = place - column.high - 1;
            cut = static_cast<uint32_t>(std::clamp<int64_t>(at, low, high - 1));
            if (!(threshold >= column.high[cut] && threshold < column.low[cut + 1]))
                threshold = middle(column.high[cut], column.low[cut + 1]);
        } else {
            threshold = infinity;
        }
        start_side(target_, side_);
        for (int64_t i = 0; any_lost && i < n_; ++i)
            if (column.codes[entries_[i].row] == column.lost) target_.move(side_, i, entries_[i]);
        const double lost = side_.w;
        for (int way = 0; way < 1 + (any_lost && low < high); ++way) {
            if (way == 0) start_side(target_, side_);
            else refill_lost(column);
            for (int64_t i = 0; i < n_; ++i)
                if (column.codes[entries_[i].row] <= cut) target_.move(side_, i, entries_[i]);
            const double before = best.worth;
            judge(side_, j, static_cast<int32_t>(cut), -1, way, lost, best);
            if (best.worth > before) best.threshold = threshold;
        }
        return true;
    }

    void refill_lost(const CodedColumn &column) {
        start_side(target_, side_);
        for (int64_t i = 0; i < n_; ++i)
            if (column.codes[entries_[i].row] == column.lost) target_.move(side_, i, entries_[i]);
    }

    static constexpr int32_t few_bins = 32;

  public:
    ColumnSearch(const Problem &p, Target &target) : p_(p), target_(target), nominal_(p, target) {}

    void at_tree(const std::vector<Entry> &drawn) { nominal_.at_tree(drawn); }
    void at_node(const Entry *entries, int64_t n, uint64_t path) { entries_ = entries, n_ = n, path_ = path; }

    // Improves `best` by the column's cuts. False: all rows of the node have the same cell.
    bool operator()(int32_t j, Cut &best) {
        const CodedColumn &column = p_.columns[static_cast<size_t>(j)];
        if (column.n_codes == 0) return false;
        if (p_.options.random_cuts) return search_drawn(j, best);
        if constexpr (Target::has_bins)
            if (!column.nominal && n_ > p_.options.sorted_up_to && search_binned(j, best)) return true;
        return search_sorted(j, best);
    }
};

}  // namespace learnt::forest
