// A node's lists divided among its children, stably, so that each child's part is sorted again.
#pragma once

#include <mutex>

#include "tree/sample.hpp"

namespace learnt::tree {

// Temporary arrays, one for each thread that is at work.
template <class T>
class Shelf {
    std::mutex mutex_;
    std::vector<std::vector<T>> free_;

  public:
    std::vector<T> take(size_t n) {
        std::vector<T> taken;
        {
            const std::lock_guard lock(mutex_);
            if (!free_.empty()) taken = std::move(free_.back()), free_.pop_back();
        }
        if (taken.size() < n) taken.resize(n);
        return taken;
    }
    void put(std::vector<T> back) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(back));
    }
};

// Items of child 0 first, then those of child 1, both in their order.
template <class T, class IdOf>
void divide_in_two(T *items, int64_t n, const uint8_t *side, T *spare, IdOf id_of) {
    int64_t left = 0, right = 0;
    for (int64_t i = 0; i < n; ++i) {
        const T item = items[i];
        const int64_t s = side[id_of(item)];
        items[left] = item, spare[right] = item;
        left += 1 - s, right += s;
    }
    std::memcpy(items + left, spare, sizeof(T) * static_cast<size_t>(right));
}

// Items of the children one after another; starts[c] is where child c begins.
template <class T, class IdOf>
void divide(T *items, int64_t n, const uint32_t *branch, const std::vector<int64_t> &starts, T *spare, IdOf id_of) {
    std::vector<int64_t> next = starts;
    for (int64_t i = 0; i < n; ++i) spare[next[branch[id_of(items[i])]]++] = items[i];
    std::memcpy(items, spare, sizeof(T) * static_cast<size_t>(n));
}

}  // namespace learnt::tree
