// What the bindings of all indexes of neighbours share.
#pragma once

#include <memory>

#include "bind/arrays.hpp"
#include "distance/measure.hpp"
#include "neighbors/nearest.hpp"

namespace learnt::bind {

using Skip = Maybe<In<int64_t>>;

template <class T>
nb::object neighbor_array(std::vector<T> &&from) {
    auto *kept = new std::vector<T>(std::move(from));
    const nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// (indptr, rows, distances)
inline nb::object neighbor_lists(std::vector<std::vector<Neighbor>> &&found) {
    std::vector<int64_t> start{0}, rows;
    std::vector<double> distances;
    for (const auto &some : found) start.push_back(start.back() + static_cast<int64_t>(some.size()));
    rows.reserve(static_cast<size_t>(start.back()));
    distances.reserve(static_cast<size_t>(start.back()));
    for (auto &some : found) {
        for (const Neighbor &n : some) {
            rows.push_back(n.row);
            distances.push_back(n.distance);
        }
        some = {};
    }
    return nb::make_tuple(neighbor_array(std::move(start)), neighbor_array(std::move(rows)), neighbor_array(std::move(distances)));
}

// The rows each query is refused, and room for its k nearest among n.
struct NearestOut {
    const int64_t *skip;
    Answers answers;

    NearestOut(int64_t m, int64_t n, const Skip &skipped, const Out2<double> &distances, const Out2<int64_t> &rows)
        : skip(vector("skip", skipped, m)),
          answers(size(rows, 1), matrix("distances", distances, m, size(rows, 1)), matrix("rows", rows, m, size(rows, 1))) {
        const int64_t k = size(rows, 1);
        bool some = false;
        for (int64_t i = 0; skip && i < m; ++i) some = some || (skip[i] >= 0 && skip[i] < n);
        if (k > n - (some ? 1 : 0)) refuse("'rows' asks for " + std::to_string(k) + " neighbours of " + std::to_string(n) + " rows.");
    }
};

// The lists of neighbours that search(answers) finds within each query's radius.
template <class Search>
nb::object lists_within(int64_t count, const In<double> &radius, Search search) {
    std::vector<std::vector<Neighbor>> found(static_cast<size_t>(count));
    const Answers answers{vector("radius", radius, count), &found};
    {
        const nb::gil_scoped_release unlocked;
        search(answers);
    }
    return neighbor_lists(std::move(found));
}

}  // namespace learnt::bind
