// Stumps of the same rows under ever new weights: boosting's weak learner.
//
// Columns are sorted once. Every round is then one walk along each of them, by the very search a tree of one
// test makes: the same stump, ties included, as growing that tree from these weights.
#pragma once

#include "tree/choose.hpp"
#include "tree/nodes.hpp"
#include "tree/routes.hpp"
#include "tree/sort.hpp"

namespace learnt::tree {

class StumpRounds {
    const Problem p_;
    const Measure measure_;
    Growth g_;
    const std::shared_ptr<Sample<uint32_t>> sample_;
    SplitFinder<uint32_t> finder_;
    NodeRoutes routes_;

    bool worth_a_test(const Summary &all) const {
        const GrowOptions &o = p_.options;
        if (all.weight < enough(o.min_samples_split, o) || all.weight < enough(2 * o.min_samples_leaf, o)) return false;
        return p_.rows > 1 && *std::max_element(all.sums.begin(), all.sums.end()) < all.weight;
    }

    void set_node(NodeList &list, size_t number, const Summary &s) const {
        GrownNode &node = list.nodes[number];
        node.weight = s.weight;
        node.impurity = s.weight > 0 ? std::max(0.0, measure_(s.sums.data(), s.weight) / s.weight) : 0.0;
        std::copy(s.sums.begin(), s.sums.end(), list.values.begin() + static_cast<std::ptrdiff_t>(number) * p_.classes);
    }

    // The sums of both children and each row's child; missing cells are added last, and the sums settled before, as
    // in a tree: the same bits.
    void divide(const Split &split, Summary *child, GrownNode &root, uint8_t *side) {
        const Sample<uint32_t> &s = *sample_;
        const auto put = [&](int64_t id, int32_t c) {
            side[id] = static_cast<uint8_t>(c);
            child[c].add_label(s.label[id], s.weight[id]);
        };
        const int64_t place = g_.plan.place[static_cast<size_t>(split.column)];
        if (p_.columns[static_cast<size_t>(split.column)].ordered()) {
            const Entry<uint32_t> *const list = s.list(place);
            int64_t i = 0;
            for (; i < s.size && list[i].rank != missing_rank<uint32_t>; ++i) put(list[i].id, i >= split.position);
            child[0].settle(), child[1].settle();
            for (; i < s.size; ++i) put(list[i].id, split.missing), root.missing_weight += s.weight[list[i].id];
            return;
        }
        const int32_t *const codes = s.coded(place);
        for (int64_t id = 0; id < s.size; ++id)
            if (codes[id] >= 0) put(id, routes_[codes[id]]);
        child[0].settle(), child[1].settle();
        for (int64_t id = 0; id < s.size; ++id)
            if (codes[id] < 0) put(id, split.missing), root.missing_weight += s.weight[id];
    }

  public:
    // A classification whose weights are all above 0; `missing` is not fractional.
    explicit StumpRounds(const Problem &p)
        : p_(p),
          measure_(p_, nullptr),
          g_{p_, Plan(p_), measure_, 0.0, 0.0, {}},
          sample_(sorted_sample(p_, g_.plan, true, 0.0)),
          finder_(g_, true) {
        g_.plan.gap = close_by_range(p_, g_.plan, *sample_);
    }

    int64_t rows() const { return p_.rows; }
    int64_t classes() const { return p_.classes; }

    // The stump of these weights, and the child every row goes to.
    TreeArrays next(const double *weights, uint8_t *side) {
        std::copy_n(weights, p_.rows, sample_->weight.data());
        Summary all(p_.classes, 0.0), child[2] = {all, all};
        for (int64_t id = 0; id < p_.rows; ++id) all.add_label(p_.labels[id], weights[id]);
        all.settle();
        g_.root_weight = all.weight;
        std::vector<NodeList> lists(1);
        NodeList &list = lists[0];
        const Split split =
            worth_a_test(all) ? finder_.find(*sample_, {0, p_.rows}, all, mix_bits(p_.options.seed), {}) : Split{};
        const size_t n = split.found() ? 3 : 1;
        list.nodes.resize(n), list.values.resize(n * static_cast<size_t>(p_.classes));
        set_node(list, 0, all);
        if (!split.found()) {
            std::fill_n(side, p_.rows, uint8_t{0});
            return flattened(lists, p_.classes);
        }
        GrownNode &root = list.nodes[0];
        root.feature = split.column, root.children = 2, root.first_child = 1, root.missing = split.missing;
        if (p_.columns[static_cast<size_t>(split.column)].ordered()) {
            root.threshold = split.threshold;
        } else {
            find_routes(p_, g_.plan, *sample_, {0, p_.rows}, split, routes_);
            root.route_start = 0, root.otherwise = routes_.otherwise();
            root.n_routes = routes_.append_to(list.route_codes, list.routes);
        }
        divide(split, child, root, side);
        child[0].settle(), child[1].settle();
        set_node(list, 1, child[0]), set_node(list, 2, child[1]);
        return flattened(lists, p_.classes);
    }
};

}  // namespace learnt::tree
