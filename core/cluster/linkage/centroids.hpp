// Clusters by their centres, and the search for the nearest one.
//
// Centres stand in groups of 32 near each other (the leaves of a k-d tree), column by column, each group with the
// box around it: a group is looked at only if its box is near enough. What is near is measured by
//
//   f(n_a, n_b) Σ_j (a_j − b_j)²,   f = n_a n_b/(n_a + n_b) for Ward (half the growth of the squared error), else 1
//
// in double, added in the order of columns, no product fused with a sum: the same bits from both sides, at every
// level and from every group. Of equally near clusters the one of the smallest number is taken. When half of the
// clusters are gone, the rest is grouped anew.
#pragma once

#include "neighbors/kd_tree.hpp"
#include "simd/math.hpp"

namespace learnt {

inline constexpr int64_t group_width = 32;

struct NearestCluster {
    double value;
    int64_t cluster;  // its number; −1: none, or the one the search began with
    int64_t slot;

    bool farther_than(double other, int64_t number) const {
        return other < value || (other == value && number < cluster);
    }
};

class Centroids {
    int64_t p_, groups_ = 0, padded_ = 0, living_ = 0;
    Buffer<double> cells_{0};                  // group, column, place in the group; column 0 of the dead is infinite
    Buffer<double> size_{0}, least_{0};        // by slot; the least of a group
    Buffer<double> low_{0}, high_{0};          // column, group
    std::vector<int64_t> number_, slot_;       // of the cluster in a slot; of a cluster

    void group_anew(const double *x, const double *sizes, const std::vector<int64_t> &numbers);

  public:
    // Rows x (n × p) of weights w (null: ones) as clusters 0 … n − 1.
    Centroids(const double *x, int64_t n, int64_t p, const double *w);

    int64_t columns() const { return p_; }
    int64_t groups() const { return groups_; }
    int64_t padded() const { return padded_; }
    int64_t living() const { return living_; }
    int64_t slots() const { return groups_ * group_width; }
    const double *group(int64_t g) const { return cells_.data() + g * p_ * group_width; }
    const double *sizes(int64_t g) const { return size_.data() + g * group_width; }
    const double *low() const { return low_.data(); }
    const double *high() const { return high_.data(); }
    const double *least() const { return least_.data(); }
    int64_t number(int64_t slot) const { return number_[static_cast<size_t>(slot)]; }
    bool lives(int64_t cluster) const { return slot_[static_cast<size_t>(cluster)] >= 0; }
    int64_t slot(int64_t cluster) const { return slot_[static_cast<size_t>(cluster)]; }
    double size(int64_t cluster) const { return size_[slot(cluster)]; }
    double cell(int64_t slot, int64_t j) const {
        return cells_[(slot / group_width * p_ + j) * group_width + slot % group_width];
    }
    void copy(int64_t cluster, double *out) const {
        for (int64_t j = 0; j < p_; ++j) out[j] = cell(slot(cluster), j);
    }

    // The square of the distance, by the sum above.
    double square(int64_t a, int64_t b) const {
        const int64_t s = slot(a), t = slot(b);
        double sum = 0;
        for (int64_t j = 0; j < p_; ++j) {
            const double d = cell(s, j) - cell(t, j);
            sum += unfused(d * d);
        }
        return sum;
    }

    // a joins b at a + share (b − a); the size is that of both. True if all have been grouped anew.
    bool join(int64_t a, int64_t b, double share);
};

inline double ward_factor(double a, double b) { return a * b / (a + b); }

}  // namespace learnt

#define LEARNT_LOOPS "cluster/linkage/centroids_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

inline Centroids::Centroids(const double *x, int64_t n, int64_t p, const double *w) : p_(p) {
    std::vector<int64_t> numbers(static_cast<size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    slot_.assign(static_cast<size_t>(n), -1);
    const Buffer<double> ones(w ? 0 : n, 1.0);
    group_anew(x, w ? w : ones.data(), numbers);
}

inline void Centroids::group_anew(const double *x, const double *sizes, const std::vector<int64_t> &numbers) {
    const auto n = static_cast<int64_t>(numbers.size());
    KdTree<double> tree(x, n, p_, group_width);
    living_ = n;
    groups_ = tree.leaves;
    padded_ = round_up(groups_, 8);
    cells_ = std::move(tree.cells);
    size_ = Buffer<double>(slots(), 1.0);
    least_ = Buffer<double>(padded_, 1.0);
    low_ = Buffer<double>(padded_ * p_, std::numeric_limits<double>::infinity());
    high_ = Buffer<double>(padded_ * p_, -std::numeric_limits<double>::infinity());
    number_.assign(static_cast<size_t>(slots()), -1);
    for (int64_t s = 0; s < slots(); ++s) {
        const int64_t g = s / group_width;
        if (s >= n) {
            cells_[(g * p_) * group_width + s % group_width] = std::numeric_limits<double>::infinity();
            continue;
        }
        const int64_t row = tree.rows[s], cluster = numbers[static_cast<size_t>(row)];
        number_[static_cast<size_t>(s)] = cluster;
        slot_[static_cast<size_t>(cluster)] = s;
        size_[s] = sizes[row];
        least_[g] = s % group_width == 0 ? size_[s] : std::min(least_[g], size_[s]);
        for (int64_t j = 0; j < p_; ++j) {
            low_[j * padded_ + g] = std::min(low_[j * padded_ + g], cell(s, j));
            high_[j * padded_ + g] = std::max(high_[j * padded_ + g], cell(s, j));
        }
    }
}

inline bool Centroids::join(int64_t a, int64_t b, double share) {
    const int64_t from = slot(a), to = slot(b), g = to / group_width;
    for (int64_t j = 0; j < p_; ++j) {
        const double one = cell(from, j), other = cell(to, j), mean = one + unfused((other - one) * share);
        cells_[(g * p_ + j) * group_width + to % group_width] = mean;
        low_[j * padded_ + g] = std::min(low_[j * padded_ + g], mean);
        high_[j * padded_ + g] = std::max(high_[j * padded_ + g], mean);
    }
    size_[to] += size_[from];
    size_[from] = 1;  // whatever it is, the infinite cell keeps it away
    cells_[(from / group_width) * p_ * group_width + from % group_width] = std::numeric_limits<double>::infinity();
    number_[static_cast<size_t>(from)] = slot_[static_cast<size_t>(a)] = -1;
    --living_;
    if (living_ < group_width || 2 * living_ > slots()) return false;
    const Buffer<double> x(living_ * p_), sizes(living_);
    std::vector<int64_t> numbers;
    for (int64_t s = 0; s < slots(); ++s) {
        if (number(s) < 0) continue;
        const auto i = static_cast<int64_t>(numbers.size());
        for (int64_t j = 0; j < p_; ++j) x[i * p_ + j] = cell(s, j);
        sizes[i] = size_[s];
        numbers.push_back(number(s));
    }
    group_anew(x.data(), sizes.data(), numbers);
    return true;
}

// Lowers `best` to the nearest cluster to q (of size n), but for the one in slot `skip`.
inline void nearest_cluster(const Centroids &all, bool ward, const double *q, double n, int64_t skip, NearestCluster &best,
                            Job &job) {
    const Level level = current_level();
    // The group of the cluster itself first: what it finds spares most of the others.
    const int64_t own = skip >= 0 ? skip / group_width : 0;
    LEARNT_AT(level, search_group(all, ward, own, q, n, skip, best));
    const int64_t work = all.groups() * all.columns();
    if (work < 1 << 15) {
        LEARNT_AT(level, search_groups(all, ward, {0, all.groups()}, own, q, n, skip, best));
        job.check();
        return;
    }
    const Blocks blocks = cut(all.padded() / 8, 32, 8);
    NearestCluster found[8];
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        found[b] = best;
        const Range some{8 * blocks[b].first, std::min(8 * blocks[b].last, all.groups())};
        LEARNT_AT(level, search_groups(all, ward, some, own, q, n, skip, found[b]));
    });
    for (int64_t b = 0; b < blocks.count; ++b)
        if (best.farther_than(found[b].value, found[b].cluster)) best = found[b];
    job.check();
}

}  // namespace learnt
