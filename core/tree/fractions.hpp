// Missing cells shared out: an instance whose cell is missing goes to every child, in fractions.
#pragma once

#include "tree/choose.hpp"

namespace learnt::tree {

// A sample for each child that has weight: first its known instances, then all the missing ones, with their
// weight shared as the known weight is. Before that, `sizes` and `stats` tell of the known instances of each
// child, and s.side (s.branch) names their child; afterwards `stats` tells of all.
template <class Index>
std::vector<std::shared_ptr<Sample<Index>>> shared_samples(const Problem &p, const Plan &plan, bool threads,
                                                           const Sample<Index> &s, Range range,
                                                           const std::vector<int64_t> &sizes,
                                                           const std::vector<int64_t> &missing,
                                                           std::vector<Summary> &stats) {
    constexpr uint32_t is_missing = ~0u;
    double known = 0;
    for (const Summary &child : stats) known += child.weight;
    const Buffer<uint32_t> child(s.size), local(s.size);  // by instance; only the node's are ever touched
    s.each_id(plan, range,
              [&](int64_t id) { child[id] = stats.size() > 2 ? s.branch[static_cast<size_t>(id)] : s.side[id]; });
    for (size_t m = 0; m < missing.size(); ++m)
        child[missing[m]] = is_missing, local[missing[m]] = static_cast<uint32_t>(m);
    std::vector<std::shared_ptr<Sample<Index>>> samples(stats.size());
    std::vector<size_t> sharing;  // the children that get missing instances
    for (size_t c = 0; c < stats.size(); ++c) {
        if (!(stats[c].weight > 0)) continue;
        const double share = stats[c].weight / known;
        const bool shares = share > j48_slack;
        samples[c] = std::make_shared<Sample<Index>>(
            p, plan, sizes[c] + (shares ? static_cast<int64_t>(missing.size()) : 0), true);
        if (!shares) continue;
        sharing.push_back(c);
        for (size_t m = 0; m < missing.size(); ++m) {
            const double w = s.weight_of(missing[m]) * share;
            samples[c]->copy_instance(p, plan, sizes[c] + static_cast<int64_t>(m), s, missing[m], w);
            samples[c]->add_to(stats[c], p, sizes[c] + static_cast<int64_t>(m), w);
        }
        stats[c].settle();
    }
    std::vector<int64_t> next(stats.size());
    s.each_id(plan, range, [&](int64_t id) {
        const uint32_t c = child[id];
        if (c == is_missing) return;
        local[id] = static_cast<uint32_t>(next[c]);
        samples[c]->copy_instance(p, plan, next[c]++, s, id, s.weight_of(id));
    });
    if (plan.order)
        for (const auto &sample : samples)
            if (sample) std::iota(sample->order.data(), sample->order.data() + sample->size, Index{0});
    each(threads, plan.lists, plan.lists * range.size(), [&](int64_t o) {
        std::vector<int64_t> filled(stats.size());
        const Entry<Index> *const list = s.list(o);
        for (int64_t i = range.first; i < range.last; ++i) {
            const uint32_t c = child[list[i].id], at = local[list[i].id];
            if (c != is_missing)
                samples[c]->list(o)[filled[c]++] = {list[i].rank, static_cast<Index>(at)};
            else
                for (const size_t b : sharing)
                    samples[b]->list(o)[filled[b]++] = {list[i].rank, static_cast<Index>(sizes[b] + at)};
        }
    });
    return samples;
}

}  // namespace learnt::tree
