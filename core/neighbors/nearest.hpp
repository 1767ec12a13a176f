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

// Of the rows shown to it the k nearest, or all within a distance: the latter is the former with a k that is never
// reached. Few are kept in order; many gather until there are twice as many as wanted, and the farther half is dropped.
class Keeper {
    static constexpr size_t few = 32, no_limit = std::numeric_limits<size_t>::max() / 2;
    size_t k_;
    Neighbor first_, last_;  // rows that are not before `last_` are not wanted: the k-th so far; `first_` is its start
    std::vector<Neighbor> kept_;

    Keeper(size_t k, Neighbor start) : k_(k), first_(start), last_(start) {}

  public:
    static Keeper nearest(int64_t k) {
        constexpr auto all = std::numeric_limits<int64_t>::max();
        Keeper made(static_cast<size_t>(k), {k == 0 ? -1.0 : std::numeric_limits<double>::infinity(), k == 0 ? -1 : all});
        made.kept_.reserve(made.k_ <= few ? made.k_ : 2 * made.k_);
        return made;
    }
    static Keeper within(double radius) { return {no_limit, {radius, std::numeric_limits<int64_t>::max()}}; }

    // Rows farther than this are not wanted; nor are rows as far, if they come after the last one.
    double limit() const { return last_.distance; }

    void show(Neighbor n) {
        if (!(n < last_)) return;
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
    void clear() {
        kept_.clear();
        last_ = first_;
    }
    // How many rows a good guess may have to show it.
    int64_t tries() const { return 256 + (k_ == no_limit ? 2 * static_cast<int64_t>(kept_.size()) : 16 * static_cast<int64_t>(k_)); }

  private:
    void drop_half() {
        const auto middle = kept_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
        std::nth_element(kept_.begin(), middle, kept_.end());
        last_ = *middle;
        kept_.resize(k_, last_);
    }
};

// What is asked of each query, and where its answer goes: the k nearest into matrices, or all within a radius into lists.
class Answers {
    int64_t k_ = 0;
    double *distances_ = nullptr;  // queries × k
    int64_t *rows_ = nullptr;      // queries × k
    const double *radius_ = nullptr;  // one per query
    std::vector<std::vector<Neighbor>> *found_ = nullptr;

  public:
    Answers(int64_t k, double *distances, int64_t *rows) : k_(k), distances_(distances), rows_(rows) {}
    Answers(const double *radius, std::vector<std::vector<Neighbor>> *found) : radius_(radius), found_(found) {}

    int64_t bytes_each() const { return found_ ? 0 : 2 * k_ * static_cast<int64_t>(sizeof(Neighbor)); }
    Keeper keeper(int64_t query) const { return found_ ? Keeper::within(radius_[query]) : Keeper::nearest(k_); }
    void take(int64_t query, std::vector<Neighbor> &sorted) const {
        if (found_) {
            (*found_)[static_cast<size_t>(query)] = sorted;
            return;
        }
        for (size_t r = 0; r < sorted.size(); ++r) {
            distances_[query * k_ + static_cast<int64_t>(r)] = sorted[r].distance;
            rows_[query * k_ + static_cast<int64_t>(r)] = sorted[r].row;
        }
    }
};

}  // namespace learnt
