// The instances a part of the tree is grown from, each ordered column sorted once.
//
// A node is a range of every list. When it splits, each list is partitioned stably, so that the children's
// ranges are sorted again. An instance is a row, or a fraction of one where missing cells were shared out.
// Small parts of the tree get a sample of their own with 16-bit numbers, which stays in the cache.
#pragma once

#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

#include "tree/measure.hpp"

namespace learnt::tree {

// Equal cells have equal ranks; a missing cell's is the largest there is. Lists rise by cell, then by row.
template <class Index>
struct Entry {
    Index rank, id;
};

template <class Index>
inline constexpr Index missing_rank = std::numeric_limits<Index>::max();

// Which of the columns have lists, which have codes; the last list of an MAE tree is the target's.
struct Plan {
    std::vector<int32_t> place;  // of every column among its like
    int64_t lists = 0, coded = 0;
    bool order = false;         // whether instances are listed once more, in no column's order
    std::vector<double> gap;    // of every column: cells no farther apart are not cut between
    std::vector<uint8_t> wide;  // columns in which may_cut holds between any two different cells, if looked at

    explicit Plan(const Problem &p) {
        for (const Column &column : p.columns) {
            place.push_back(static_cast<int32_t>(column.ordered() ? lists++ : coded++));
            gap.push_back(close_cells(column, p.options, infinity));
        }
        lists += p.options.criterion == Criterion::mae;
        order = coded > 0 || lists == 0;
    }
};

template <class Index>
struct Sample {
    int64_t size;
    bool weighted;
    Buffer<uint32_t> row;
    Buffer<double> weight;        // if weighted
    Buffer<int32_t> label;        // of a classification
    Buffer<uint8_t> small_label;  // the same, if there are two classes
    Buffer<double> target;        // of a regression, from the root's mean
    Buffer<double> exact_weight;  // scratch: of the node that is searched, on its grid; if weighted
    Buffer<double> exact_target;  // scratch: weight × (target − the node's center), on its grid
    Buffer<Entry<Index>> entries;
    Buffer<int32_t> codes;
    Buffer<Index> order;
    Buffer<uint8_t> side;          // scratch: the child of every instance of the node that splits, if it has two
    std::vector<uint32_t> branch;  // if it has more
    std::vector<uint16_t> narrow;  // numbers of the instances in narrower samples

    Sample(const Problem &p, const Plan &plan, int64_t n, bool has_weights)
        : size(n),
          weighted(has_weights),
          row(n),
          weight(has_weights ? n : 0),
          label(p.classes ? n : 0),
          small_label(p.classes == 2 ? n : 0),
          target(p.classes ? 0 : n),
          exact_weight(has_weights ? n : 0),
          exact_target(p.classes || p.options.criterion == Criterion::mae ? 0 : n),
          entries(plan.lists * n),
          codes(plan.coded * n),
          order(plan.order ? n : 0),
          side(n) {}

    Entry<Index> *list(int64_t number) const { return entries.data() + number * size; }
    const int32_t *coded(int64_t number) const { return codes.data() + number * size; }
    double weight_of(int64_t id) const { return weighted ? weight[id] : 1.0; }

    template <class F>
    void each_id(const Plan &plan, Range r, F f) const {
        if (plan.order)
            for (int64_t i = r.first; i < r.last; ++i) f(static_cast<int64_t>(order[i]));
        else
            for (const Entry<Index> *e = list(0) + r.first, *end = list(0) + r.last; e < end; ++e)
                f(static_cast<int64_t>(e->id));
    }

    void add_to(Summary &summary, const Problem &p, int64_t id, double w) const {
        if (p.classes)
            weighted ? summary.add_label(label[id], w) : summary.count_label(label[id]);
        else if (weighted)
            summary.add_target(target[id], w);
        else
            summary.add_targets([&](auto add) { add(target[id]); });
    }

    void set_label(const Problem &p, int64_t id, int32_t l) {
        label[id] = l;
        if (p.classes == 2) small_label[id] = static_cast<uint8_t>(l);
    }

    // Instance `to` of this sample becomes the copy of an instance of another.
    template <class Other>
    void copy_instance(const Problem &p, const Plan &plan, int64_t to, const Sample<Other> &from, int64_t id,
                       double w) {
        row[to] = from.row[id];
        if (weighted) weight[to] = w;
        if (p.classes)
            set_label(p, to, from.label[id]);
        else
            target[to] = from.target[id];
        for (int64_t v = 0; v < plan.coded; ++v) codes[v * size + to] = from.coded(v)[id];
    }

    // Copies the entries of one list that `local(id)` gives a number (≥ 0) in this sample; ranks become dense.
    template <class Other, class Local>
    void copy_list(int64_t number, const Sample<Other> &from, Range r, Local local) {
        Entry<Index> *to = list(number);
        const Entry<Other> *const list = from.list(number);
        int64_t rank = -1;
        Other last = missing_rank<Other>;
        for (int64_t i = r.first; i < r.last; ++i) {
            const Entry<Other> e = list[i];
            const int64_t id = local(static_cast<int64_t>(e.id));
            if (id < 0) continue;
            if (e.rank != last) last = e.rank, ++rank;
            *to++ = {e.rank == missing_rank<Other> ? missing_rank<Index> : static_cast<Index>(rank),
                     static_cast<Index>(id)};
        }
    }
};

// The instances of a range as a narrower sample: for small parts of the tree. `from.narrow` has its size.
inline std::shared_ptr<Sample<uint16_t>> narrowed(const Problem &p, const Plan &plan, Sample<uint32_t> &from, Range r) {
    auto s = std::make_shared<Sample<uint16_t>>(p, plan, r.size(), from.weighted);
    int64_t next = 0;
    from.each_id(plan, r, [&](int64_t id) {
        from.narrow[static_cast<size_t>(id)] = static_cast<uint16_t>(next);
        if (plan.order) s->order[next] = static_cast<uint16_t>(next);
        s->copy_instance(p, plan, next++, from, id, from.weight_of(id));
    });
    for (int64_t o = 0; o < plan.lists; ++o)
        s->copy_list(o, from, r,
                     [&](int64_t id) { return static_cast<int64_t>(from.narrow[static_cast<size_t>(id)]); });
    return s;
}

}  // namespace learnt::tree
