// The walks of DBSCAN over its tree: which rows are cores, which cores touch, whose border a row is.
#pragma once

#include <algorithm>
#include <vector>

#include "cluster/dbscan_tree.hpp"

#define LEARNT_LOOPS "cluster/dbscan_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

template <Norm norm, class Real>
struct DensityWalk {
    DensityTree<Real> &all;
    std::vector<int64_t> near;  // leaves
    double inside;              // weight of nodes that lie within eps of the box altogether
    Buffer<double> q;
    double slack;
    Level level;

    explicit DensityWalk(DensityTree<Real> &tree)
        : all(tree), inside(0), q(tree.tree.p), slack(norm == Norm::lp ? 1e-11 * tree.measure.power : 0.0),
          level(current_level()) {}

    struct Box {
        const double *low, *high;
    };
    Box box(int64_t node) const { return {all.low_of(node), all.high_of(node)}; }
    Box here() const { return {q.data(), q.data()}; }

    // Whether no row of one box is within eps of any of the other, or all are of all. Rounding keeps the order of
    // numbers, so that both agree with the distances themselves.
    bool apart(Box a, Box b) const {
        double sum = 0;
        for (int64_t j = 0; j < all.tree.p; ++j) {
            const double away = std::max({b.low[j] - a.high[j], a.low[j] - b.high[j], 0.0});
            const double term = unfused(term_of<norm>(all.measure, away, all.measure.weight(j)));
            sum = norm == Norm::max ? std::max(sum, term) : sum + term;
        }
        return sum * (1 - slack) > all.bar;
    }
    bool together(Box a, Box b) const {
        double sum = 0;
        for (int64_t j = 0; j < all.tree.p; ++j) {
            const double away = std::max(b.high[j] - a.low[j], a.high[j] - b.low[j]);
            const double term = unfused(term_of<norm>(all.measure, away, all.measure.weight(j)));
            sum = norm == Norm::max ? std::max(sum, term) : sum + term;
            if (sum * (1 + slack) > all.bar) return false;
        }
        return true;
    }

    void stand_at(int64_t slot) {
        const int64_t width = all.width;
        for (int64_t j = 0; j < all.tree.p; ++j)
            q[j] = static_cast<double>(all.tree.cells[(slot / width * all.tree.p + j) * width + slot % width]);
    }

    // The rows of a leaf within eps of q, a bit each.
    uint32_t hits(int64_t leaf) const {
        uint32_t found = 0;
        LEARNT_AT(level, find_hits<norm>(all, leaf, q.data(), found));
        return found;
    }

    // Tight nodes, as high up as they are, and the leaves that are in none.
    void part(int64_t node, int64_t first, int64_t last) {
        const bool tight = all.total[node] >= all.least && together(box(node), box(node));
        if (tight || last - first == 1) {
            all.parts.push_back({node, first, last, tight});
            all.tight[static_cast<size_t>(node)] = tight;
            return;
        }
        const int64_t middle = kd_middle(first, last);
        part(node + 1, first, middle);
        part(node + 2 * (middle - first), middle, last);
    }

    // Leaves that may hold rows within eps of those of node `own`; what lies within eps altogether counts at once.
    void gather(int64_t own, int64_t node, int64_t first, int64_t last) {
        if (apart(box(own), box(node))) return;
        if (together(box(own), box(node))) {
            inside += all.total[node];
        } else if (last - first == 1) {
            near.push_back(first);
        } else {
            const int64_t middle = kd_middle(first, last);
            gather(own, node + 1, first, middle);
            gather(own, node + 2 * (middle - first), middle, last);
        }
    }

    void cores_of(const DensityPart &part) {
        if (part.tight) {
            const auto top = static_cast<int32_t>(part.first * all.width);
            for (int64_t leaf = part.first; leaf < part.last; ++leaf) {
                all.cores[leaf] = all.all_rows(leaf);
                for (int64_t i = 0; i < all.rows_of(leaf); ++i)
                    all.sets.unite(top, static_cast<int32_t>(leaf * all.width + i));
            }
            return;
        }
        const int64_t leaf = part.first;
        near.clear();
        inside = 0;
        gather(part.node, 0, 0, all.tree.leaves);
        const auto own = std::find(near.begin(), near.end(), leaf);
        if (own != near.end()) std::swap(*own, near.front());  // most neighbours are there
        uint32_t found = 0;
        for (int64_t i = 0; i < all.rows_of(leaf); ++i) {
            double weight = inside;
            stand_at(leaf * all.width + i);
            LEARNT_AT(level, weigh_near<norm>(all, near, q.data(), weight));
            if (weight >= all.least) found |= 1u << i;
        }
        all.cores[leaf] = found;
    }

    int32_t set_of(int64_t leaf, int bit) const { return all.sets.find(static_cast<int32_t>(leaf * all.width + bit)); }
    int32_t set_of(const DensityPart &part) const { return set_of(part.first, __builtin_ctz(all.cores[part.first])); }

    // Unites the cores of a part with those of all parts that do not come before it.
    void unite(const DensityPart &a, int64_t node, int64_t first, int64_t last) {
        if (last <= a.first || apart(box(a.node), box(node))) return;
        const bool tight = all.tight[static_cast<size_t>(node)];
        if (tight || last - first == 1) {
            if (first > a.first || !tight) unite_parts(a, {node, first, last, tight});
            return;
        }
        const int64_t middle = kd_middle(first, last);
        unite(a, node + 1, first, middle);
        unite(a, node + 2 * (middle - first), middle, last);
    }

    void unite_parts(const DensityPart &a, const DensityPart &b) {
        if (!all.cores[a.first] || !all.cores[b.first] || (a.first != b.first && same_set(a, b))) return;
        if (a.tight && b.tight) {
            if (touch(a.node, a.first, a.last, b.node, b.first, b.last)) all.sets.unite(set_of(a), set_of(b));
        } else if (a.tight || b.tight) {
            const DensityPart &whole = a.tight ? a : b, &leaf = a.tight ? b : a;
            for (uint32_t rest = all.cores[leaf.first]; rest; rest &= rest - 1) {
                const int i = __builtin_ctz(rest);
                if (set_of(leaf.first, i) == set_of(whole)) continue;
                stand_at(leaf.first * all.width + i);
                if (reaches(whole.node, whole.first, whole.last)) all.sets.unite(set_of(leaf.first, i), set_of(whole));
            }
        } else {
            for (uint32_t rest = all.cores[a.first]; rest; rest &= rest - 1) {
                const int64_t i = a.first * all.width + __builtin_ctz(rest);
                stand_at(i);
                for (uint32_t found = hits(b.first) & all.cores[b.first]; found; found &= found - 1)
                    all.sets.unite(static_cast<int32_t>(i), static_cast<int32_t>(b.first * all.width + __builtin_ctz(found)));
            }
        }
    }

    // Whether all cores of two parts are of one set already; those of a tight one are, and one stands for them.
    bool same_set(const DensityPart &a, const DensityPart &b) const {
        const int32_t one = set_of(a);
        for (const DensityPart *part : {&a, &b}) {
            const uint32_t cores = all.cores[part->first];
            for (uint32_t rest = part->tight ? cores & (~cores + 1) : cores; rest; rest &= rest - 1)
                if (set_of(part->first, __builtin_ctz(rest)) != one) return false;
        }
        return true;
    }

    // Whether a core below a node lies within eps of q.
    bool reaches(int64_t node, int64_t first, int64_t last) const {
        if (apart(here(), box(node))) return false;
        if (last - first == 1) return (hits(first) & all.cores[first]) != 0;
        const int64_t middle = kd_middle(first, last);
        return reaches(node + 1, first, middle) || reaches(node + 2 * (middle - first), middle, last);
    }

    // Whether a row below one tight node lies within eps of one below another; they take turns in being halved.
    bool touch(int64_t a, int64_t first_a, int64_t last_a, int64_t b, int64_t first_b, int64_t last_b) {
        if (apart(box(a), box(b))) return false;
        if (together(box(a), box(b))) return true;
        if (last_a - first_a == 1) {
            for (int64_t i = 0; i < all.rows_of(first_a); ++i) {
                stand_at(first_a * all.width + i);
                if (reaches(b, first_b, last_b)) return true;
            }
            return false;
        }
        const int64_t middle = kd_middle(first_a, last_a);
        return touch(b, first_b, last_b, a + 1, first_a, middle) ||
               touch(b, first_b, last_b, a + 2 * (middle - first_a), middle, last_a);
    }

    // The least order of the cores within eps of q.
    void least_order(int64_t node, int64_t first, int64_t last, int32_t &best) const {
        if (all.first_order[node] >= best || apart(here(), box(node))) return;
        if (last - first == 1) {
            for (uint32_t found = hits(first) & all.cores[first]; found; found &= found - 1)
                best = std::min(best, all.order[first * all.width + __builtin_ctz(found)]);
            return;
        }
        const int64_t middle = kd_middle(first, last);
        least_order(node + 1, first, middle, best);
        least_order(node + 2 * (middle - first), middle, last, best);
    }

    void borders_of(const DensityPart &part, int32_t *labels) {
        if (part.tight) return;
        for (uint32_t rest = all.all_rows(part.first) & ~all.cores[part.first]; rest; rest &= rest - 1) {
            const int64_t s = part.first * all.width + __builtin_ctz(rest);
            int32_t best = std::numeric_limits<int32_t>::max();
            stand_at(s);
            least_order(0, 0, all.tree.leaves, best);
            if (best != std::numeric_limits<int32_t>::max()) labels[all.tree.rows[s]] = best;
        }
    }
};

template <class Real, class Step>
void walk_density(DensityTree<Real> &all, Step step) {
    with_norm(all.measure.norm, [&](auto norm) {
        DensityWalk<norm(), Real> walk(all);
        step(walk);
    });
}
template <class Real, class Step>
void walk_parts(DensityTree<Real> &all, Range parts, Job &job, Step step) {
    walk_density(all, [&](auto &walk) {
        for (int64_t k = parts.first; k < parts.last; ++k) {
            job.check();
            step(walk, all.parts[static_cast<size_t>(k)]);
        }
    });
}

template <class Real>
void part_tree(DensityTree<Real> &all) {
    walk_density(all, [&](auto &walk) { walk.part(0, 0, all.tree.leaves); });
}
template <class Real>
void find_cores(DensityTree<Real> &all, Range parts, Job &job) {
    walk_parts(all, parts, job, [&](auto &walk, const DensityPart &part) { walk.cores_of(part); });
}
template <class Real>
void unite_cores(DensityTree<Real> &all, Range parts, Job &job) {
    walk_parts(all, parts, job, [&](auto &walk, const DensityPart &part) { walk.unite(part, 0, 0, all.tree.leaves); });
}
template <class Real>
void find_borders(DensityTree<Real> &all, Range parts, int32_t *labels, Job &job) {
    walk_parts(all, parts, job, [&](auto &walk, const DensityPart &part) { walk.borders_of(part, labels); });
}

}  // namespace learnt
