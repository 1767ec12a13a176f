// Loops of dbscan.hpp.

template <Norm norm, class Real>
struct DensityWalk {
    const DensityTree<Real> &all;
    std::vector<int64_t> near;  // leaves
    double inside;              // weight of nodes that lie within eps of the box altogether
    Buffer<double> q;
    double slack;

    explicit DensityWalk(const DensityTree<Real> &tree)
        : all(tree), inside(0), q(tree.tree.p), slack(norm == Norm::lp ? 1e-11 * tree.measure.power : 0.0) {}

    // The least and the largest sum of terms between the boxes of two nodes.
    LEARNT_INLINE double box_sum(int64_t a, int64_t b, bool largest) const {
        const double *low_a = all.low_of(a), *high_a = all.high_of(a), *low_b = all.low_of(b), *high_b = all.high_of(b);
        double sum = 0;
        for (int64_t j = 0; j < all.tree.p; ++j) {
            const double away = largest ? std::max(high_b[j] - low_a[j], high_a[j] - low_b[j])
                                        : std::max({low_b[j] - high_a[j], low_a[j] - high_b[j], 0.0});
            const double term = unfused(term_of<norm>(all.measure, away, all.measure.weight(j)));
            sum = norm == Norm::max ? std::max(sum, term) : sum + term;
        }
        return sum;
    }
    bool apart(int64_t a, int64_t b) const { return box_sum(a, b, false) * (1 - slack) > all.bar; }
    bool together(int64_t a, int64_t b) const { return box_sum(a, b, true) * (1 + slack) <= all.bar; }

    // Leaves from `from` on that may hold rows within eps of those of node `own`. With `counting` what lies within eps
    // altogether is added to `inside` instead.
    void gather(int64_t own, int64_t from, bool counting, int64_t node, int64_t first, int64_t last) {
        if (last <= from || apart(own, node)) return;
        if (counting && together(own, node)) {
            inside += all.total[node];
            return;
        }
        if (last - first == 1) {
            near.push_back(first);
            return;
        }
        const int64_t middle = kd_middle(first, last);
        gather(own, from, counting, node + 1, first, middle);
        gather(own, from, counting, node + 2 * (middle - first), middle, last);
    }
    void gather(int64_t leaf, int64_t from, bool counting) {
        near.clear();
        inside = 0;
        gather(node_of(leaf), from, counting, 0, 0, all.tree.leaves);
    }

    int64_t node_of(int64_t leaf) const {
        int64_t node = 0, first = 0, last = all.tree.leaves;
        while (last - first > 1) {
            const int64_t middle = kd_middle(first, last);
            node = leaf < middle ? node + 1 : node + 2 * (middle - first);
            (leaf < middle ? last : first) = middle;
        }
        return node;
    }

    void stand_at(int64_t slot) {
        const int64_t width = all.width;
        for (int64_t j = 0; j < all.tree.p; ++j)
            q[j] = static_cast<double>(all.tree.cells[(slot / width * all.tree.p + j) * width + slot % width]);
    }

    // The rows of a leaf within eps of q, a bit each.
    LEARNT_INLINE uint32_t hits(int64_t leaf) const {
        using V = Vector<double>;
        constexpr int lanes = lanes_of<double>, vectors = 32 / lanes, abreast = vectors < 4 ? vectors : 4;
        const Real *cells = all.tree.cells.data() + leaf * all.tree.p * all.width;
        const Measure &measure = all.measure;
        uint32_t found = 0;
        for (int v = 0; v < vectors; v += abreast) {
            V sum[abreast] = {};
            for (int64_t j = 0; j < all.tree.p; ++j)
                LEARNT_UNROLL for (int a = 0; a < abreast; ++a) {
                    const V d = load_double(cells + j * all.width + (v + a) * lanes) - q[j];
                    V term;
                    if constexpr (norm == Norm::lp) {
                        for (int l = 0; l < lanes; ++l) term[l] = std::pow(std::abs(d[l]), measure.power);
                    } else if constexpr (norm == Norm::l2) {
                        term = unfused_vector(d * d);
                    } else if constexpr (norm == Norm::hamming) {
                        term = d != 0 ? splat<V>(1.0) : V{};
                    } else {
                        term = magnitude<double>(d);
                    }
                    if (measure.weights) term = unfused_vector(term * measure.weights[j]);
                    sum[a] = norm == Norm::max ? larger(sum[a], term) : sum[a] + term;
                }
            LEARNT_UNROLL for (int a = 0; a < abreast; ++a)
                found |= static_cast<uint32_t>(lanes_at_most<double>(sum[a], splat<V>(all.bar))) << ((v + a) * lanes);
        }
        return found & all.all_rows(leaf);
    }

    double weight_of(int64_t leaf, uint32_t rows) const {
        if (!all.weights) return static_cast<double>(__builtin_popcount(rows));
        double sum = 0;
        for (; rows; rows &= rows - 1) sum += all.weight[leaf * all.width + __builtin_ctz(rows)];
        return sum;
    }

    void cores_of(int64_t leaf, DensityTree<Real> &out) {
        const int64_t node = node_of(leaf);
        if (all.total[node] >= all.least && together(node, node)) {
            out.cores[leaf] = all.all_rows(leaf);
            out.tight[static_cast<size_t>(leaf)] = 1;
            return;
        }
        gather(leaf, 0, true);
        const auto own = std::find(near.begin(), near.end(), leaf);
        if (own != near.end()) std::swap(*own, near.front());  // most neighbours are there
        uint32_t found = 0;
        for (int64_t i = 0; i < all.rows_of(leaf); ++i) {
            double weight = inside;
            stand_at(leaf * all.width + i);
            for (size_t k = 0; k < near.size() && weight < all.least; ++k) weight += weight_of(near[k], hits(near[k]));
            if (weight >= all.least) found |= 1u << i;
        }
        out.cores[leaf] = found;
    }

    void unite_leaf(int64_t a) {
        if (!all.cores[a]) return;
        const auto slot = [&](int64_t leaf, int bit) { return static_cast<int32_t>(leaf * all.width + bit); };
        const int first_a = __builtin_ctz(all.cores[a]);
        if (all.tight[static_cast<size_t>(a)])
            for (uint32_t rest = all.cores[a] & (all.cores[a] - 1); rest; rest &= rest - 1)
                all.sets.unite(slot(a, first_a), slot(a, __builtin_ctz(rest)));
        gather(a, a, false);
        const int64_t node_a = node_of(a);
        for (const int64_t b : near) {
            const bool tight_a = all.tight[static_cast<size_t>(a)], tight_b = all.tight[static_cast<size_t>(b)];
            if (!all.cores[b] || (a == b && tight_a)) continue;
            const int first_b = __builtin_ctz(all.cores[b]);
            // Rows of a tight leaf may still be on their way to their set: their first one stands for them.
            if (tight_a && tight_b) {
                if (all.sets.find(slot(a, first_a)) == all.sets.find(slot(b, first_b))) continue;
                if (together(node_a, node_of(b)) || touches(a, b)) all.sets.unite(slot(a, first_a), slot(b, first_b));
                continue;
            }
            for (uint32_t rest = all.cores[a]; rest; rest &= rest - 1) {
                const int i = __builtin_ctz(rest);
                const int32_t one = slot(a, tight_a ? first_a : i);
                if (tight_b && all.sets.find(one) == all.sets.find(slot(b, first_b))) continue;
                stand_at(slot(a, i));
                uint32_t found = hits(b) & all.cores[b];
                if (tight_b && found) found = 1u << first_b;
                for (; found; found &= found - 1) all.sets.unite(one, slot(b, __builtin_ctz(found)));
            }
        }
    }

    // Whether a core of leaf a lies within eps of one of leaf b.
    bool touches(int64_t a, int64_t b) {
        for (uint32_t rest = all.cores[a]; rest; rest &= rest - 1) {
            stand_at(a * all.width + __builtin_ctz(rest));
            if (hits(b) & all.cores[b]) return true;
        }
        return false;
    }

    void borders_of(int64_t leaf, int32_t *labels) {
        uint32_t rest = all.all_rows(leaf) & ~all.cores[leaf];
        if (!rest) return;
        gather(leaf, 0, false);
        for (; rest; rest &= rest - 1) {
            const int64_t s = leaf * all.width + __builtin_ctz(rest);
            int32_t best = std::numeric_limits<int32_t>::max();
            stand_at(s);
            for (const int64_t b : near) {
                if (!all.cores[b]) continue;
                for (uint32_t found = hits(b) & all.cores[b]; found; found &= found - 1)
                    best = std::min(best, all.order[b * all.width + __builtin_ctz(found)]);
            }
            if (best != std::numeric_limits<int32_t>::max()) labels[all.tree.rows[s]] = best;
        }
    }
};

template <class Real, class Step>
LEARNT_INLINE void walk_leaves(const DensityTree<Real> &all, Range leaves, Job &job, Step step) {
    with_constant<0, 1, 2, 3, 4>(static_cast<int>(all.measure.norm), [&](auto norm) __attribute__((always_inline)) {
        DensityWalk<static_cast<Norm>(norm()), Real> walk(all);
        for (int64_t leaf = leaves.first; leaf < leaves.last; ++leaf) {
            job.check();
            step(walk, leaf);
        }
    });
}

template <class Real>
void find_cores(DensityTree<Real> &all, Range leaves, Job &job) {
    walk_leaves(all, leaves, job, [&](auto &walk, int64_t leaf) { walk.cores_of(leaf, all); });
}
template <class Real>
void unite_cores(const DensityTree<Real> &all, Range leaves, Job &job) {
    walk_leaves(all, leaves, job, [&](auto &walk, int64_t leaf) { walk.unite_leaf(leaf); });
}
template <class Real>
void find_borders(const DensityTree<Real> &all, Range leaves, int32_t *labels, Job &job) {
    walk_leaves(all, leaves, job, [&](auto &walk, int64_t leaf) { walk.borders_of(leaf, labels); });
}
