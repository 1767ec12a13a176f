// Growing an exact tree.
//
// Large nodes are searched and divided with threads over columns; a node that has become small is put aside
// with all that grows below it, and these parts are then grown side by side, each by one thread in a sample
// of its own. Neither the cut into parts nor any sum depends on the number of threads.
#pragma once

#include <array>

#include "tree/choose.hpp"
#include "tree/fractions.hpp"
#include "tree/nodes.hpp"
#include "tree/partition.hpp"
#include "tree/routes.hpp"
#include "tree/sort.hpp"

namespace learnt::tree {

// A node still to be split.
template <class Index>
struct Pending {
    int32_t node;
    std::shared_ptr<Sample<Index>> sample;
    Range range;
    int64_t depth;
    uint64_t path;  // hash of the way to it
    Summary summary;
    Bounds bounds;
    Split split;  // best-first growth only: found when the node was made
};

using ChildBounds = std::array<Bounds, 2>;  // of child 0, and of each of the others

template <class Index>
class Grower {
    const Growth &g_;
    const Problem &p_;
    const GrowOptions &o_;
    NodeList &out_;
    const bool threads_;
    SplitFinder<Index> finder_;
    Shelf<Entry<Index>> spare_entries_;
    Shelf<Index> spare_ids_;
    NodeRoutes routes_;

  public:
    std::vector<Pending<Index>> stack;

    Grower(const Growth &g, NodeList &out, bool threads)
        : g_(g), p_(g.problem), o_(g.problem.options), out_(out), threads_(threads), finder_(g, threads) {}

    void start(std::shared_ptr<Sample<Index>> sample, int64_t depth, uint64_t path, Summary summary, Bounds bounds) {
        const int64_t n = sample->size;
        const int32_t root = new_nodes(1);
        fill(root, summary, bounds);
        stack.push_back({root, std::move(sample), {0, n}, depth, path, std::move(summary), bounds, {}});
    }

    // Splits nodes until none is left. `put_aside(pending)` may take one over. `check` is called for every node.
    template <class PutAside, class Check>
    void grow(PutAside put_aside, Check check) {
        while (!stack.empty()) {
            check();
            Pending<Index> node = std::move(stack.back());
            stack.pop_back();
            const bool leaf = is_leaf(node);
            if (!leaf && put_aside(node)) continue;
            finish(node);
            if (leaf) continue;
            Split split = find_split(node);
            if (worth_it(node, split)) apply(node, split);
        }
    }

    // Splits the node that gains most, until there are max_leaf_nodes leaves.
    template <class Check>
    void grow_best_first(Check check) {
        const auto decrease = [&](const Pending<Index> &node) { return node.split.gain * node.summary.weight; };
        const auto later = [&](const Pending<Index> &a, const Pending<Index> &b) {
            return decrease(a) != decrease(b) ? decrease(a) < decrease(b) : a.node > b.node;
        };
        std::vector<Pending<Index>> heap;
        int64_t leaves = 1;
        for (;;) {
            for (; !stack.empty(); stack.pop_back()) {
                check();
                Pending<Index> &node = stack.back();
                finish(node);
                if (is_leaf(node)) continue;
                node.split = find_split(node);
                if (!worth_it(node, node.split)) continue;
                heap.push_back(std::move(node));
                std::push_heap(heap.begin(), heap.end(), later);
            }
            if (heap.empty()) return;
            std::pop_heap(heap.begin(), heap.end(), later);
            Pending<Index> node = std::move(heap.back());
            heap.pop_back();
            if (leaves + node.split.children - 1 > o_.max_leaf_nodes) continue;
            leaves += node.split.children - 1;
            apply(node, node.split);
        }
    }

  private:
    Split find_split(const Pending<Index> &node) {
        return finder_.find(*node.sample, node.range, node.summary, node.path, node.bounds);
    }

    int32_t new_nodes(int32_t n) {
        const size_t first = out_.nodes.size();
        out_.nodes.resize(first + static_cast<size_t>(n));
        out_.values.resize(out_.values.size() + static_cast<size_t>(n * p_.sums()));
        return static_cast<int32_t>(first);
    }

    void fill(int32_t number, const Summary &s, Bounds bounds) {
        GrownNode &node = out_.nodes[static_cast<size_t>(number)];
        double *const value = out_.values.data() + number * p_.sums();
        node.weight = s.weight;
        if (p_.classes) {
            std::copy(s.sums.begin(), s.sums.end(), value);
            if (const double share = s.sums.back() / s.weight; p_.classes == 2 && s.weight > 0 && !bounds.hold(share)) {
                value[1] = s.weight * std::clamp(share, bounds.low, bounds.high);
                value[0] = s.weight - value[1];
            }
            node.impurity = std::max(0.0, s.weight > 0 ? g_.measure(s.sums.data(), s.weight) / s.weight : 0.0);
        } else {
            const double mean = s.low == s.high ? s.low : s.mean();
            *value = g_.root_mean + std::clamp(mean, bounds.low, bounds.high);
            const double off = s.weight > 0 ? s.sums[0] / s.weight : 0;
            node.impurity = s.weight > 0 ? std::max(0.0, s.squares / s.weight - off * off) : 0;
            if (s.low == s.high) node.impurity = 0;
        }
    }

    // The prediction of absolute error is the median, which takes the node's list to find.
    void finish(const Pending<Index> &node) {
        if (o_.criterion != Criterion::mae) return;
        TargetOrder &order = finder_.order;
        order.fill(g_.plan, *node.sample, node.range, node.summary.weight);
        const double median = median_of(order.numbers, order.weights);
        const double value = std::clamp(median, node.bounds.low, node.bounds.high);
        double sum = 0;
        for (size_t i = 0; i < order.numbers.size(); ++i) sum += order.weights[i] * std::abs(order.numbers[i] - median);
        out_.values[static_cast<size_t>(node.node)] = g_.root_mean + value;
        out_.nodes[static_cast<size_t>(node.node)].impurity = sum / node.summary.weight;
    }

    bool is_leaf(const Pending<Index> &node) const {
        const Summary &s = node.summary;
        if (o_.max_depth >= 0 && node.depth >= o_.max_depth) return true;
        if (s.weight < enough(o_.min_samples_split, o_) || s.weight < enough(2 * o_.min_samples_leaf, o_)) return true;
        if (node.range.size() < 2) return true;
        if (!p_.classes) return s.low == s.high;
        return *std::max_element(s.sums.begin(), s.sums.end()) >= s.weight - slack(o_);
    }

    bool worth_it(const Pending<Index> &node, const Split &split) const {
        if (!split.found()) return false;
        const double decrease = split.gain * node.summary.weight / g_.root_weight;
        return decrease + std::numeric_limits<double>::epsilon() >= o_.min_impurity_decrease;
    }

    // Calls f(id, child) for the node's instances in the order of the split's column; child −1: missing cell.
    template <class F>
    void each_known_child(const Pending<Index> &node, const Split &split, F f) const {
        const Sample<Index> &s = *node.sample;
        const int64_t place = g_.plan.place[static_cast<size_t>(split.column)];
        if (p_.columns[static_cast<size_t>(split.column)].ordered()) {
            const Entry<Index> *const list = s.list(place) + node.range.first;
            for (int64_t i = 0; i < node.range.size(); ++i)
                f(static_cast<int64_t>(list[i].id), list[i].rank == missing_rank<Index> ? -1 : i >= split.position);
        } else {
            const int32_t *const codes = s.coded(place);
            s.each_id(g_.plan, node.range,
                      [&](int64_t id) { f(id, codes[id] < 0 ? -1 : routes_[codes[id]]); });
        }
    }

    // Fills `stats`, `sizes` and the sides if a list without missing cells is cut in two; false: something else is.
    bool put_numbers(const Pending<Index> &node, const Split &split, std::vector<Summary> &stats,
                     std::vector<int64_t> &sizes) {
        const Column &column = p_.columns[static_cast<size_t>(split.column)];
        const Sample<Index> &s = *node.sample;
        if (p_.classes || !column.ordered()) return false;
        const Entry<Index> *const list =
            s.list(g_.plan.place[static_cast<size_t>(split.column)]) + node.range.first;
        const int64_t n = node.range.size();
        if (list[n - 1].rank == missing_rank<Index>) return false;
        const Range parts[2] = {{0, split.position}, {split.position, n}};
        for (size_t c = 0; c < 2; ++c) {
            sizes[c] = parts[c].size();
            stats[c].add_targets([&](auto add) {
                for (int64_t i = parts[c].first; i < parts[c].last; ++i) {
                    const int64_t id = list[i].id;
                    s.side[id] = static_cast<uint8_t>(c);
                    if (s.weighted)
                        add(s.target[id], s.weight[id]);
                    else
                        add(s.target[id]);
                }
            });
        }
        return true;
    }

    // Where the missing cells of each class go when that is decided by class: to the class's heaviest branch,
    // or to the heaviest of all if none of the class is known.
    std::vector<int32_t> children_by_class(const std::vector<Summary> &stats, int32_t heaviest) const {
        std::vector<int32_t> child(static_cast<size_t>(p_.classes), heaviest);
        for (size_t c = 0; c < child.size(); ++c) {
            double most = 0;
            for (size_t b = 0; b < stats.size(); ++b)
                if (stats[b].sums[c] > most) most = stats[b].sums[c], child[c] = static_cast<int32_t>(b);
        }
        return child;
    }

    void apply(Pending<Index> &node, const Split &split) {
        const bool nominal = !p_.columns[static_cast<size_t>(split.column)].ordered();
        Sample<Index> &s = *node.sample;
        if (nominal) find_routes(p_, g_.plan, s, node.range, split, routes_);
        const int32_t children = split.children;
        const double mean = p_.classes ? 0 : node.summary.mean();
        std::vector<Summary> stats(static_cast<size_t>(children), Summary(p_.sums(), mean));
        std::vector<int64_t> sizes(static_cast<size_t>(children));
        if (children > 2 && s.branch.empty()) s.branch.resize(static_cast<size_t>(s.size));
        const auto put = [&](int64_t id, int32_t child) {
            if (children > 2)
                s.branch[static_cast<size_t>(id)] = static_cast<uint32_t>(child);
            else
                s.side[id] = static_cast<uint8_t>(child);
            ++sizes[static_cast<size_t>(child)];
            s.add_to(stats[static_cast<size_t>(child)], p_, id, s.weight_of(id));
        };
        std::vector<int64_t> missing;
        double missing_weight = 0;
        const bool whole = put_numbers(node, split, stats, sizes);
        if (!whole)
            each_known_child(node, split, [&](int64_t id, int32_t child) {
                if (child >= 0) return put(id, child);
                missing.push_back(id), missing_weight += s.weight_of(id);
            });
        for (Summary &child : stats) child.settle();

        GrownNode &grown = out_.nodes[static_cast<size_t>(node.node)];
        grown.feature = split.column, grown.children = children, grown.missing = split.missing;
        grown.missing_weight = missing_weight;
        if (nominal) {
            grown.route_start = static_cast<int64_t>(out_.routes.size());
            grown.otherwise = routes_.otherwise();
            grown.n_routes = routes_.append_to(out_.route_codes, out_.routes);
        } else {
            grown.threshold = final_threshold(split);
        }
        if (!missing.empty() && o_.missing == Missing::fractional) {
            const auto samples = shared_samples(p_, g_.plan, threads_, s, node.range, sizes, missing, stats);
            node.sample.reset();
            const int32_t first_child = new_children(node, stats, {});
            for (int32_t c = 0; c < children; ++c)
                if (const auto &own = samples[static_cast<size_t>(c)])
                    push(node, first_child, c, own, {0, own->size}, std::move(stats[static_cast<size_t>(c)]), {});
            return;
        }
        const bool by_class = o_.missing == Missing::class_majority && !missing.empty();
        const std::vector<int32_t> of_class =
            by_class ? children_by_class(stats, split.missing) : std::vector<int32_t>();
        for (const int64_t id : missing) put(id, by_class ? of_class[static_cast<size_t>(s.label[id])] : split.missing);
        for (Summary &child : stats) child.settle();
        divide_lists(node, sizes);
        int64_t first = node.range.first;
        const ChildBounds bounds = bounds_of_children(node, split, sizes, stats);
        const int32_t first_child = new_children(node, stats, bounds);
        for (int32_t c = 0; c < children; ++c) {
            const int64_t n = sizes[static_cast<size_t>(c)];
            push(node, first_child, c, node.sample, {first, first + n}, std::move(stats[static_cast<size_t>(c)]),
                 bounds[c > 0]);
            first += n;
        }
    }

    double final_threshold(const Split &split) const {
        if (!o_.thresholds_from_data || !std::isfinite(split.threshold)) return split.threshold;
        const std::vector<double> &cells = g_.levels[static_cast<size_t>(split.column)];
        return *std::prev(std::upper_bound(cells.begin(), cells.end(), split.threshold));
    }

    // Where the target rises or falls with the column, what lies below one child stays on this side of the middle
    // between both, so that no later split can turn the order round.
    ChildBounds bounds_of_children(const Pending<Index> &node, const Split &split, const std::vector<int64_t> &sizes,
                                   const std::vector<Summary> &stats) {
        ChildBounds bounds{node.bounds, node.bounds};
        if (split.direction == 0) return bounds;
        const int64_t cut = node.range.first + sizes[0];
        const auto value = [&](size_t c, Range range) {
            if (p_.classes) return stats[c].sums[1] / stats[c].weight;
            if (o_.criterion != Criterion::mae) return stats[c].mean();
            finder_.order.fill(g_.plan, *node.sample, range, stats[c].weight);
            return median_of(finder_.order.numbers, finder_.order.weights);
        };
        const double middle = value(0, {node.range.first, cut}) / 2 + value(1, {cut, node.range.last}) / 2;
        const double inside = std::clamp(middle, node.bounds.low, node.bounds.high);
        bounds[split.direction > 0].low = bounds[split.direction < 0].high = inside;
        return bounds;
    }

    // Children without instances predict what their parent does.
    int32_t new_children(const Pending<Index> &node, const std::vector<Summary> &stats,
                         const ChildBounds &bounds) {
        const int32_t first = new_nodes(static_cast<int32_t>(stats.size()));
        out_.nodes[static_cast<size_t>(node.node)].first_child = first;
        const int64_t k = p_.sums();
        for (size_t c = 0; c < stats.size(); ++c) {
            const int32_t child = first + static_cast<int32_t>(c);
            fill(child, stats[c], bounds[c > 0]);
            if (stats[c].weight > 0) continue;
            std::copy_n(out_.values.begin() + node.node * k, k, out_.values.begin() + child * k);
            out_.nodes[static_cast<size_t>(child)].impurity = out_.nodes[static_cast<size_t>(node.node)].impurity;
        }
        return first;
    }

    void push(const Pending<Index> &parent, int32_t first_child, int32_t c, std::shared_ptr<Sample<Index>> sample,
              Range range, Summary stats, Bounds bounds) {
        if (range.size() == 0) return;
        const uint64_t path = mix_bits(parent.path + 0x9e3779b97f4a7c15u * static_cast<uint64_t>(c + 1));
        stack.push_back(
            {first_child + c, std::move(sample), range, parent.depth + 1, path, std::move(stats), bounds, {}});
    }

    void divide_lists(Pending<Index> &node, const std::vector<int64_t> &sizes) {
        Sample<Index> &s = *node.sample;
        const int64_t first = node.range.first, n = node.range.size();
        std::vector<int64_t> starts(sizes.size());
        std::exclusive_scan(sizes.begin(), sizes.end(), starts.begin(), int64_t{0});
        const auto divided = [&](auto *items, auto &shelf, auto id_of) {
            auto spare = shelf.take(static_cast<size_t>(n));
            if (sizes.size() == 2)
                divide_in_two(items, n, s.side.data(), spare.data(), id_of);
            else
                divide(items, n, s.branch.data(), starts, spare.data(), id_of);
            shelf.put(std::move(spare));
        };
        each(threads_, g_.plan.lists + g_.plan.order, g_.plan.lists * n, [&](int64_t o) {
            if (o < g_.plan.lists)
                divided(s.list(o) + first, spare_entries_, [](Entry<Index> e) { return e.id; });
            else
                divided(s.order.data() + first, spare_ids_, [](Index id) { return id; });
        });
    }
};

}  // namespace learnt::tree
