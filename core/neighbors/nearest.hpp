// Who is nearest so far, and where answers go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace learnt {

struct Neighbor {
    double distance;
    int64_t row;
    bool operator<(const Neighbor &other) const {
        return distance != other.distance ? distance < other.distance : row < other.row;
    }
};

// The k nearest of the rows shown to it. Few are kept in order; many gather until there are twice as many as
// wanted, and the farther half is dropped.
class KNearest {
    static constexpr size_t few = 32;
    size_t k_;
    Neighbor last_{std::numeric_limits<double>::infinity(), std::numeric_limits<int64_t>::max()};  // the k-th, so far
    std::vector<Neighbor> kept_;

  public:
    explicit KNearest(int64_t k) : k_(static_cast<size_t>(k)) { kept_.reserve(k_ <= few ? k_ : 2 * k_); }

    // Rows farther than this are not wanted; nor are rows as far, if they come after the last one.
    double limit() const { return k_ == 0 ? -1.0 : last_.distance; }

    void show(Neighbor n) {
        if (k_ == 0 || !(n < last_)) return;
        if (k_ <= few) {
            if (kept_.size() == k_) kept_.pop_back();
            size_t at = kept_.size();
            kept_.push_back(n);
            for (; at > 0 && n < kept_[at - 1]; --at) kept_[at] = kept_[at - 1];
            kept_[at] = n;
            if (kept_.size() == k_) last_ = kept_.back();
        } else {
            kept_.push_back(n);
            if (kept_.size() == 2 * k_) drop_half();
        }
    }

    std::vector<Neighbor> &sorted() {
        std::sort(kept_.begin(), kept_.end());
        if (kept_.size() > k_) kept_.resize(k_, last_);
        return kept_;
    }
    void clear() { *this = KNearest(static_cast<int64_t>(k_)); }
    // How many rows a good guess may have to show it.
    int64_t tries() const { return 256 + 16 * static_cast<int64_t>(k_); }

  private:
    void drop_half() {
        const auto middle = kept_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
        std::nth_element(kept_.begin(), middle, kept_.end());
        last_ = *middle;
        kept_.resize(k_, last_);
    }
};

// All rows within a distance.
class Within {
    double radius_;
    std::vector<Neighbor> kept_;

  public:
    explicit Within(double radius) : radius_(radius) {}
    double limit() const { return radius_; }
    void show(Neighbor n) {
        if (n.distance <= radius_) kept_.push_back(n);
    }
    std::vector<Neighbor> &sorted() {
        std::sort(kept_.begin(), kept_.end());
        return kept_;
    }
    void clear() { kept_.clear(); }
    int64_t tries() const { return 256 + 2 * static_cast<int64_t>(kept_.size()); }
};

// The questions: as many points as queries, each with a row it is not to get (−1: none), and where answers go.
struct NearestAnswers {
    using Keeper = KNearest;
    int64_t k;
    double *distances;  // queries × k
    int64_t *rows;      // queries × k

    int64_t bytes_each() const { return 2 * k * static_cast<int64_t>(sizeof(Neighbor)); }
    KNearest keeper(int64_t) const { return KNearest(k); }
    void take(int64_t query, std::vector<Neighbor> &sorted) const {
        for (size_t r = 0; r < sorted.size(); ++r) {
            distances[query * k + static_cast<int64_t>(r)] = sorted[r].distance;
            rows[query * k + static_cast<int64_t>(r)] = sorted[r].row;
        }
    }
};
struct WithinAnswers {
    using Keeper = Within;
    const double *radius;  // one per query
    std::vector<std::vector<Neighbor>> *found;

    int64_t bytes_each() const { return 0; }
    Within keeper(int64_t query) const { return Within(radius[query]); }
    void take(int64_t query, std::vector<Neighbor> &sorted) const { (*found)[static_cast<size_t>(query)] = sorted; }
};

}  // namespace learnt
