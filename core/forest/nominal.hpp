// The best division of a nominal column's categories in two, by cutting them in the order of their mean target (two
// classes and numbers), or of where their class shares lie along the first principal axis (Coppersmith, Hong and
// Hosking 1999).
//
// Where categories have few rows each, that order says more about these rows than about the categories: any
// column of names would separate them perfectly. There half of the rows (a hash says which) give the order, and the
// other half judges the cuts, by its own gain: half of what it would be, so that names have to be twice as good. (Ten
// nominal columns of 20 to 5000 categories, five of them noise, 16 000 rows: AUC 0.62 without this, 0.77 with it.)
//
// Where cuts are drawn (extra trees), columns of more than 32 categories are ordered so, too, whatever their rows: a drawn
// set of many categories tells next to nothing. (A town of 1000 beside two numbers, 10 000 rows: AUC 0.79 by sets, 0.85
// so, 0.83 by ordered target statistics in place of the names; random forests 0.85, 0.84 by statistics.)
//
// Columns of at most 32 categories cannot name the rows, and halves of a small node would order them by a row or two
// each. All rows order and judge there, but the best of many cuts is better than one by chance alone, and the more so
// the more ways there are: its gain counts less what chance would give. That lets in a second kind of cuts, of one
// category from all others: worth less, but found among fewer. Where columns only mean something together, the order of
// the means is noise, and mixes what must be apart. (Errors relative to those of the same forest of indicators, 6
// tables each, numbers and classes: 150 rows × 4 columns of 5 categories, interactions alone, 1.036 and 1.018 by the
// order and halves, 1.019 and 1.002 with this; 400 × 5 of 8, 1.066 and 1.021, now 1.031 and 1.012; additive, 0.873 and
// 0.977, now 0.874 and 0.946; 600 × 4 of 20, additive, 0.880 and 1.001, now 0.816 and 0.978.)
#pragma once

#include "base/hash.hpp"
#include "forest/sort.hpp"

namespace learnt::forest {

// The best test of a node so far: cells of codes up to `code` (or in `left`) go to child 0.
struct Cut {
    int32_t column = -1;
    double worth = -1;
    int32_t code = -1, next = -1;  // numbers: the last code on the left, the first one on the right (−1: unknown)
    bool missing_left = false;
    double lost = 0;         // weight of missing cells
    double threshold = nan;  // where it was drawn
    std::vector<std::pair<int32_t, bool>> left{};  // categories: those present, by code, and whether they go left
};

template <class Target>
class NominalSearch {
    using Side = typename Target::Side;
    struct Group {
        int64_t first, last;  // keys
        int32_t code;
        double score;
    };
    static constexpr int64_t many_rows = 16;       // per category
    static constexpr int32_t few_categories = 32;  // of the column, whichever of them the node has
    const Problem &p_;
    Target &target_;
    Target half_;
    std::vector<Group> groups_;
    std::vector<Key> judges_;
    std::vector<int64_t> judges_of_;
    std::vector<Entry> judging_;
    std::vector<double> axis_, next_;
    Side side_;

    void group(const Key *keys, int64_t known) {
        groups_.clear();
        for (int64_t i = 0; i < known; ++i) {
            const int32_t code = static_cast<int32_t>(code_of(keys[i]));
            if (i == 0 || groups_.back().code != code) groups_.push_back({i, i, code, 0});
            groups_.back().last = i + 1;
        }
    }

    // Scores from the groups' keys; a group without any has the mean score.
    void score(const Key *keys, uint64_t path) {
        if constexpr (Target::has_bins) {
            for (Group &g : groups_) {
                Side side;
                for (int64_t i = g.first; i < g.last; ++i) target_.move(side, keys[i]);
                g.score = side.w > 0 ? Target::score(side) : nan;
            }
        } else {
            principal_scores(keys, path);
        }
        double known = 0, sum = 0;
        for (const Group &g : groups_)
            if (g.score == g.score) ++known, sum += g.score;
        for (Group &g : groups_)
            if (g.score != g.score) g.score = known > 0 ? sum / known : 0;
    }

    // Power iteration on the covariance of the categories' class shares, row by row: no matrix is made.
    void principal_scores(const Key *keys, uint64_t path) {
        const size_t k = static_cast<size_t>(target_.classes());
        axis_.resize(k);
        for (size_t c = 0; c < k; ++c) axis_[c] = uniform_of(path, c) - 0.5;
        for (int step = 0; step < 12; ++step) {
            double all = 0, mean = 0;
            for (Group &g : groups_) {
                double w = 0, s = 0;
                for (int64_t i = g.first; i < g.last; ++i)
                    w += target_.weight(keys[i]), s += target_.weight(keys[i]) * axis_[target_.label(keys[i])];
                g.score = w > 0 ? s / w : nan;
                all += w, mean += s;
            }
            if (!(all > 0)) return;
            mean /= all;
            next_.assign(k, 0.0);
            double length = 0;
            for (const Group &g : groups_)
                for (int64_t i = g.first; i < g.last; ++i)
                    next_[target_.label(keys[i])] += target_.weight(keys[i]) * (g.score - mean);
            for (const double a : next_) length = std::max(length, std::abs(a));
            if (!(length > 0)) return;
            for (size_t c = 0; c < k; ++c) axis_[c] = next_[c] / length;
        }
    }

    void keep(int32_t j, double worth, size_t n_left, bool missing_left, double lost, Cut &best) {
        best = {j, worth, -1, -1, missing_left, lost, nan, {}};
        for (size_t g = 0; g < groups_.size(); ++g) best.left.emplace_back(groups_[g].code, g < n_left);
        std::sort(best.left.begin(), best.left.end());
    }

    // The first groups go left, one more at a time, or `only` so many; `judge` says what that is worth, by keys of its
    // own, to be multiplied by `scale`.
    void cut_groups(int32_t j, const Key *keys, int64_t known, int64_t n, double lost, Target &judge, const Key *judges,
                    Cut &best, size_t only = 0, double scale = 1) {
        const double least = p_.options.min_leaf;
        const bool honest = &judge != &target_;
        for (int way = 0; way < 1 + (known < n); ++way) {
            start_side(judge, side_);
            Side side = side_;
            double m = 0;
            if (way && !honest)
                for (int64_t i = known; i < n; ++i) judge.move(side, keys[i]);
            if (way && honest)
                for (int64_t i = judges_of_[groups_.size()]; i < static_cast<int64_t>(judges_.size()); ++i)
                    judge.move(side, judges[i]);
            for (int64_t i = known; way && i < n; ++i) m += target_.count(keys[i]);
            for (size_t g = 0; g < groups_.size(); ++g) {
                const bool last = g + 1 == groups_.size();
                if (last && (way || known == n)) break;
                const Group &group = groups_[g];
                if (honest)
                    for (int64_t i = judges_of_[g]; i < judges_of_[g + 1]; ++i) judge.move(side, judges[i]);
                else
                    for (int64_t i = group.first; i < group.last; ++i) judge.move(side, keys[i]);
                for (int64_t i = group.first; i < group.last; ++i) m += target_.count(keys[i]);
                if (m < least || target_.whole() - m < least || (only > 0 && g + 1 != only)) continue;
                const double worth = scale * judge.worth(side);
                if (worth > best.worth) keep(j, worth, g + 1, way, lost, best);
            }
        }
    }

    // All rows order the groups, and judge the cuts.
    void cut_sorted(int32_t j, const Key *keys, int64_t known, int64_t n, double lost, uint64_t path, Cut &best) {
        score(keys, path);
        std::stable_sort(groups_.begin(), groups_.end(), by_score);
        cut_groups(j, keys, known, n, lost, target_, nullptr, best);
    }

    // Each group against all others. Missing cells go with the others, then with the group.
    void cut_off_one(int32_t j, const Key *keys, int64_t known, int64_t n, double lost, Cut &best) {
        size_t alone = groups_.size();
        bool missing_left = false;
        double most = best.worth;
        for (int way = 0; way < 1 + (known < n); ++way)
            for (size_t g = 0; g < groups_.size(); ++g) {
                start_side(target_, side_);
                for (int64_t i = known; way && i < n; ++i) target_.move(side_, keys[i]);
                for (int64_t i = groups_[g].first; i < groups_[g].last; ++i) target_.move(side_, keys[i]);
                if (side_.m < p_.options.min_leaf || target_.whole() - side_.m < p_.options.min_leaf) continue;
                if (const double worth = target_.worth(side_); worth > most)
                    most = worth, alone = g, missing_left = way != 0;
            }
        if (alone == groups_.size()) return;
        const auto at = groups_.begin() + static_cast<int64_t>(alone);
        std::rotate(groups_.begin(), at, at + 1);
        keep(j, most, 1, missing_left, lost, best);
    }

    // The better of both, each less what it would find where the column means nothing (simulated for 3 to 32 groups of
    // equal size: the largest of k squares, and of the cuts of k sorted means), as far as that is more than one cut's.
    void cut_beyond_chance(int32_t j, const Key *keys, int64_t known, int64_t n, double lost, uint64_t path,
                           Cut &best) {
        const double k = static_cast<double>(groups_.size());
        double weights = 0, squares = 0;  // rows that weigh more leave more to chance
        for (int64_t i = 0; i < n; ++i) {
            const double w = target_.weight(keys[i]);
            weights += w, squares += w * w;
        }
        const double unit = weights > 0 ? target_.chance() * squares / weights : 0;
        Cut one, set;
        cut_off_one(j, keys, known, n, lost, one);
        cut_sorted(j, keys, known, n, lost, path, set);
        discount(one, unit * (1.62 * std::log(k) - 0.95));
        discount(set, unit * (0.64 * k + single_rows() - 0.9));
        Cut &better = set.worth > one.worth ? set : one;
        if (better.column >= 0 && better.worth > best.worth) best = std::move(better);
    }
    // Categories of one row each: classes they sort without an error, which equal squares do not expect.
    double single_rows() const {
        if (p_.classes == 0) return 0;
        const auto single = [](const Group &g) { return g.last - g.first == 1; };
        return static_cast<double>(std::count_if(groups_.begin(), groups_.end(), single));
    }
    // Some order is left among cuts that chance would have found too.
    static void discount(Cut &cut, double chance) {
        if (cut.column >= 0) cut.worth = std::max(cut.worth - chance, 1e-6 * cut.worth);
    }

    // Half of the rows order the groups, the others judge the cuts.
    void cut_honestly(int32_t j, const Entry *entries, int64_t n, const Key *keys, int64_t known, double lost,
                      uint64_t path, Cut &best) {
        if (order_by_half(j, entries, n, path))
            cut_groups(j, keys, known, n, lost, half_, judges_.data(), best);
    }

    // The same with one cut, drawn evenly among all: worth what the whole would gain if it were like the judging half.
    bool draw_honestly(int32_t j, const Entry *entries, int64_t n, const Key *keys, int64_t known, double lost,
                       uint64_t path, Cut &best) {
        if (!order_by_half(j, entries, n, path)) return false;
        const double u = uniform_of(mix_bits(path ^ 0xd1b54a32d192ed03u), static_cast<uint64_t>(j));
        const size_t left = 1 + static_cast<size_t>(u * static_cast<double>(groups_.size() - 1));
        cut_groups(j, keys, known, n, lost, half_, judges_.data(), best, std::min(left, groups_.size() - 1),
                   target_.weight() / half_.weight());
        return true;
    }

    // The groups in the order of one half of the rows, the other half behind one another, group by group. False: there
    // are too few rows for halves.
    bool order_by_half(int32_t j, const Entry *entries, int64_t n, uint64_t path) {
        const CodedColumn &column = p_.columns[static_cast<size_t>(j)];
        const auto orders = [&](uint32_t row) { return (mix_bits(path ^ (row * 0x9e3779b97f4a7c15u)) & 1) != 0; };
        judging_.clear();
        for (int64_t i = 0; i < n; ++i)
            if (!orders(entries[i].row)) judging_.push_back(entries[i]);
        if (judging_.empty() || static_cast<int64_t>(judging_.size()) == n) return false;
        // Keys know their entries by place, or not at all: the ordering half is sorted out once more.
        std::vector<Key> &half = judges_;
        half.clear();
        for (int64_t i = 0; i < n; ++i)
            if (orders(entries[i].row)) half.push_back(Target::key(column.codes[entries[i].row], i, entries[i]));
        std::stable_sort(half.begin(), half.end(), by_code);
        score_from(half, path);
        if (p_.options.random_cuts) shuffle_groups(j, path);
        std::stable_sort(groups_.begin(), groups_.end(), by_score);
        value_.resize(static_cast<size_t>(p_.outputs()));
        half_.load(judging_.data(), static_cast<int64_t>(judging_.size()), value_.data());
        if (!(half_.weight() > 0)) return false;
        sort_judges(column);
        return true;
    }

    // Groups of one score are cut anywhere, each time.
    void shuffle_groups(int32_t j, uint64_t path) {
        const uint64_t seed = mix_bits(path ^ mix_bits(0xd1b54a32d192ed03u * (static_cast<uint64_t>(j) + 1)));
        const auto drawn = [&](const Group &g) { return uniform_of(seed, static_cast<uint64_t>(g.code)); };
        std::sort(groups_.begin(), groups_.end(), [&](const Group &a, const Group &b) { return drawn(a) < drawn(b); });
    }

    static bool by_code(Key a, Key b) { return code_of(a) < code_of(b); }
    static bool by_score(const Group &a, const Group &b) { return a.score < b.score; }

    // Scores of the groups from sorted keys of some of their rows.
    void score_from(const std::vector<Key> &half, uint64_t path) {
        std::vector<Group> whole = groups_;
        size_t at = 0;
        for (Group &g : groups_) {
            while (at < half.size() && static_cast<int32_t>(code_of(half[at])) < g.code) ++at;
            g.first = static_cast<int64_t>(at);
            while (at < half.size() && static_cast<int32_t>(code_of(half[at])) == g.code) ++at;
            g.last = static_cast<int64_t>(at);
        }
        score(half.data(), path);
        for (size_t g = 0; g < whole.size(); ++g) whole[g].score = groups_[g].score;
        groups_.swap(whole);
    }

    // The judging rows in the order of the groups, those of missing cells last.
    void sort_judges(const CodedColumn &column) {
        const int64_t n = static_cast<int64_t>(judging_.size());
        judges_.clear();
        for (int64_t i = 0; i < n; ++i) {
            const Entry e = judging_[static_cast<size_t>(i)];
            judges_.push_back(Target::key(column.codes[e.row], i, e));
        }
        std::stable_sort(judges_.begin(), judges_.end(), by_code);
        std::vector<Key> sorted;
        sorted.reserve(judges_.size());
        judges_of_.clear();
        for (const Group &g : groups_) {
            judges_of_.push_back(static_cast<int64_t>(sorted.size()));
            const Key probe = Target::key(static_cast<uint32_t>(g.code), 0, Entry{});
            const auto range = std::equal_range(judges_.begin(), judges_.end(), probe, by_code);
            sorted.insert(sorted.end(), range.first, range.second);
        }
        judges_of_.push_back(static_cast<int64_t>(sorted.size()));
        const Key lost = Target::key(column.lost, 0, Entry{});
        const auto range = std::equal_range(judges_.begin(), judges_.end(), lost, by_code);
        sorted.insert(sorted.end(), range.first, range.second);
        judges_.swap(sorted);
    }

    // Any set of the categories present but none and all, drawn.
    void draw_groups(int32_t j, const Key *keys, int64_t known, int64_t n, double lost, uint64_t path, Cut &best) {
        const uint64_t seed = mix_bits(path ^ mix_bits(0xd1b54a32d192ed03u * (static_cast<uint64_t>(j) + 1)));
        for (Group &g : groups_) g.score = uniform_of(seed, static_cast<uint64_t>(g.code)) < 0.5 ? 0 : 1;
        std::stable_sort(groups_.begin(), groups_.end(), by_score);
        size_t left = 0;
        while (left < groups_.size() && groups_[left].score == 0) ++left;
        if (left == 0) left = 1;
        if (left == groups_.size() && known == n) --left;
        if (left == 0) return;
        for (int way = 0; way < 1 + (known < n); ++way) {
            if (way && left == groups_.size()) break;
            start_side(target_, side_);
            for (int64_t i = known; way && i < n; ++i) target_.move(side_, keys[i]);
            for (size_t g = 0; g < left; ++g)
                for (int64_t i = groups_[g].first; i < groups_[g].last; ++i) target_.move(side_, keys[i]);
            if (side_.m < p_.options.min_leaf || target_.whole() - side_.m < p_.options.min_leaf) continue;
            const double worth = target_.worth(side_);
            if (worth > best.worth) keep(j, worth, left, way, lost, best);
        }
    }

    std::vector<double> value_;

  public:
    NominalSearch(const Problem &p, Target &target) : p_(p), target_(target), half_(p) {}

    void at_tree(const std::vector<Entry> &drawn) { half_.begin(drawn); }

    // `keys` are those of all n rows by rising code, missing cells, if any, behind the first `known`.
    void search(int32_t j, const Entry *entries, int64_t n, const Key *keys, int64_t known, double lost, uint64_t path,
                Cut &best) {
        group(keys, known);
        if (p_.options.random_cuts) {
            const bool many = groups_.size() > 2 && p_.columns[static_cast<size_t>(j)].n_codes > few_categories;
            if (!many || !draw_honestly(j, entries, n, keys, known, lost, path, best))
                draw_groups(j, keys, known, n, lost, path, best);
            return;
        }
        if (groups_.size() > 2 && p_.columns[static_cast<size_t>(j)].n_codes <= few_categories)
            return cut_beyond_chance(j, keys, known, n, lost, path, best);
        if (groups_.size() > 2 && known < many_rows * static_cast<int64_t>(groups_.size()))
            return cut_honestly(j, entries, n, keys, known, lost, path, best);
        cut_sorted(j, keys, known, n, lost, path, best);
    }
};

}  // namespace learnt::forest
