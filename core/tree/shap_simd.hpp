// Loops of tree/shap.hpp.

// Some rows on their way through one tree, and what the nodes of the present path hold for them.
template <bool cuts>
class ShapWalk {
    using V = Vector<double>;
    static constexpr int lanes = lanes_of<double>, vectors = shap_rows / lanes;

    const ShapTree &t_;
    const int64_t points_, outputs_;
    const double *const point_, *const weight_;
    const double *const cells_;
    double *const phi_, *const pairs_;
    // By depth: the child number taken, the part of the rows that is on the path by its feature alone, the product
    // of all factors, and the sum over the leaves below of value × product.
    double *const went_, *const on_, *const product_, *const below_;
    double *const ratio_;  // by depth, for pairs: (o − z) / factor
    int32_t *const path_;  // the node at each depth

    LEARNT_INLINE V at(const double *p, int v) const { return load<V>(p + v * lanes); }

    LEARNT_INLINE double *on(int64_t depth) const { return on_ + depth * shap_rows; }
    LEARNT_INLINE double *product(int64_t depth) const { return product_ + depth * points_ * shap_rows; }
    LEARNT_INLINE double *ratio(int64_t depth) const { return ratio_ + depth * points_ * shap_rows; }
    LEARNT_INLINE double *below(int64_t depth) const { return below_ + depth * outputs_ * points_ * shap_rows; }

  public:
    ShapWalk(const ShapTree &tree, ShapScratch &scratch, const double *cells, double *phi, double *pairs)
        : t_(tree),
          points_(tree.points),
          outputs_(tree.outputs),
          point_(tree.point.data()),
          weight_(tree.point_weight.data()),
          cells_(cells),
          phi_(phi),
          pairs_(pairs),
          went_(scratch.went.data()),
          on_(scratch.on.data()),
          product_(scratch.product.data()),
          below_(scratch.below.data()),
          ratio_(scratch.ratio.data()),
          path_(scratch.path.data()) {}

    template <class Routes>
    void run(const Routes &routes) {
        int64_t top = -1;
        for (int64_t node = 0; node < t_.nodes; ++node) {
            const int64_t depth = t_.depth[static_cast<size_t>(node)];
            for (; top >= depth; --top) close(top);
            if (depth > 0)
                enter(node, depth);
            else
                std::fill_n(product(0), points_ * shap_rows, 1.0);
            path_[depth] = static_cast<int32_t>(node);
            if (t_.slot[static_cast<size_t>(node)] < 0) {
                if (depth > 0) end(node, depth);
                continue;
            }
            ask(node, depth, routes);
            std::fill_n(below(depth), outputs_ * points_ * shap_rows, 0.0);
            top = depth;
        }
        for (; top >= 0; --top) close(top);
    }

  private:
    // Which child each row takes at an inner node.
    template <class Routes>
    void ask(int64_t node, int64_t depth, const Routes &routes) {
        double *const to = went_ + depth * shap_rows;
        const double *const cell = cells_ + t_.slot[static_cast<size_t>(node)] * shap_rows;
        const double missing = t_.missing[static_cast<size_t>(node)];
        if (t_.nominal[static_cast<size_t>(node)]) {
            for (int r = 0; r < shap_rows; ++r)
                to[r] = static_cast<double>(routes(node, static_cast<int32_t>(cell[r])));
            return;
        }
        const V threshold = splat<V>(t_.threshold[static_cast<size_t>(node)]);
        for (int v = 0; v < vectors; ++v) {
            const V x = at(cell, v);
            store(to + v * lanes, x <= threshold ? V{} : x > threshold ? splat<V>(1.0) : splat<V>(missing));
        }
    }

    // A step down: the factor of the edge's feature is multiplied in, in place of the one it had above.
    void enter(int64_t node, int64_t depth) {
        const ShapEdge &edge = t_.edges[static_cast<size_t>(node)];
        const double *const went = went_ + (depth - 1) * shap_rows;
        const double *const above = edge.above < 0 ? nullptr : on(edge.above);
        double *const here = on(depth);
        for (int v = 0; v < vectors; ++v) {
            const V number = at(went, v);
            V share = number == splat<V>(edge.number) ? splat<V>(1.0) : V{};
            if constexpr (cuts) share = number < V{} ? splat<V>(edge.share) : share;
            store(here + v * lanes, above ? share * at(above, v) : share);
        }
        const double *const from = product(depth - 1);
        double *const to = product(depth);
        const double *const factor = t_.factors.data() + edge.factors;
        for (int64_t q = 0; q < points_; ++q)
            for (int v = 0; v < vectors; ++v) {
                const V o = at(here, v), before = at(from + q * shap_rows, v);
                V f;
                if (!above) {
                    f = factor[q] + o * point_[q];
                } else if constexpr (cuts) {
                    const V old = (1 - point_[q]) * edge.z_above + at(above, v) * point_[q];
                    const V now = (1 - point_[q]) * edge.z + o * point_[q];
                    f = old > V{} ? now / old : V{};
                } else {
                    f = factor[q] + at(above, v) * factor[points_ + q] + o * factor[2 * points_ + q];
                }
                store(to + q * shap_rows + v * lanes, before * f);
            }
        if (pairs_) keep_ratios(edge, depth);
    }

    void keep_ratios(const ShapEdge &edge, int64_t depth) {
        for (int64_t q = 0; q < points_; ++q)
            for (int v = 0; v < vectors; ++v) {
                const V o = at(on(depth), v), f = (1 - point_[q]) * edge.z + o * point_[q];
                store(ratio(depth) + q * shap_rows + v * lanes, f > V{} ? (o - edge.z) / f : V{});
            }
    }

    // (o − z) · weight / factor of an edge at a point, less that of the edge of its feature above.
    LEARNT_INLINE V pull(const ShapEdge &edge, int64_t q, V o, V above) const {
        if constexpr (cuts) {
            const V f = (1 - point_[q]) * edge.z + o * point_[q];
            V found = f > V{} ? weight_[q] * (o - edge.z) / f : V{};
            if (edge.above >= 0) {
                const V old = (1 - point_[q]) * edge.z_above + above * point_[q];
                found -= old > V{} ? weight_[q] * (above - edge.z_above) / old : V{};
            }
            return found;
        } else {
            const double *const own = t_.pulls.data() + edge.pulls;
            if (edge.above < 0) return o * own[q] - t_.idle_pull[static_cast<size_t>(q)];
            return o * own[q] - above * t_.pulls[static_cast<size_t>(edge.pulls_above + q)];
        }
    }

    // A leaf: its part of every sum above, which is the node before it on the path.
    void end(int64_t node, int64_t depth) {
        const ShapEdge &edge = t_.edges[static_cast<size_t>(node)];
        const double *const value = t_.value + node * outputs_;
        const double *const above = edge.above < 0 ? on(depth) : on(edge.above);
        for (int64_t c = 0; c < outputs_; ++c) {
            double *const to = below(depth - 1) + c * points_ * shap_rows;
            double *const phi = phi_ + (edge.slot * outputs_ + c) * shap_rows;
            const V answer = splat<V>(value[c]);
            for (int v = 0; v < vectors; ++v) {
                const V o = at(on(depth), v), o_above = at(above, v);
                V sum{};
                for (int64_t q = 0; q < points_; ++q) {
                    const V part = answer * at(product(depth) + q * shap_rows, v);
                    sum += pull(edge, q, o, o_above) * part;
                    store(to + q * shap_rows + v * lanes, at(to + q * shap_rows, v) + part);
                }
                store(phi + v * lanes, at(phi, v) + sum);
            }
        }
        if (pairs_) add_pairs(value, depth);
    }

    // An inner node whose leaves are all done.
    void close(int64_t depth) {
        if (depth == 0) return;
        const int64_t node = path_[depth];
        const ShapEdge &edge = t_.edges[static_cast<size_t>(node)];
        const double *const above = edge.above < 0 ? on(depth) : on(edge.above);
        for (int64_t c = 0; c < outputs_; ++c) {
            const double *const from = below(depth) + c * points_ * shap_rows;
            double *const to = below(depth - 1) + c * points_ * shap_rows;
            double *const phi = phi_ + (edge.slot * outputs_ + c) * shap_rows;
            for (int v = 0; v < vectors; ++v) {
                const V o = at(on(depth), v), o_above = at(above, v);
                V sum{};
                for (int64_t q = 0; q < points_; ++q) {
                    const V part = at(from + q * shap_rows, v);
                    sum += pull(edge, q, o, o_above) * part;
                    store(to + q * shap_rows + v * lanes, at(to + q * shap_rows, v) + part);
                }
                store(phi + v * lanes, at(phi, v) + sum);
            }
        }
    }

    // pairs[a, b] += value · Σ weight · product · ratio of a · ratio of b, for two features of the path.
    void add_pairs(const double *value, int64_t depth) {
        std::vector<int64_t> last;  // the deepest edge of each feature
        for (int64_t d = 1; d <= depth; ++d) {
            const ShapEdge &edge = t_.edges[static_cast<size_t>(path_[d])];
            if (edge.above >= 0) std::erase(last, edge.above);
            last.push_back(d);
        }
        for (size_t i = 0; i < last.size(); ++i)
            for (size_t j = 0; j < i; ++j) {
                int64_t a = t_.edges[static_cast<size_t>(path_[last[i]])].slot;
                int64_t b = t_.edges[static_cast<size_t>(path_[last[j]])].slot;
                if (a > b) std::swap(a, b);
                for (int v = 0; v < vectors; ++v) {
                    V sum{};
                    for (int64_t q = 0; q < points_; ++q)
                        sum += weight_[q] * at(product(depth) + q * shap_rows, v) *
                               at(ratio(last[i]) + q * shap_rows, v) * at(ratio(last[j]) + q * shap_rows, v);
                    for (int64_t c = 0; c < outputs_; ++c) {
                        double *const to = pairs_ + ((a * t_.slots + b) * outputs_ + c) * shap_rows + v * lanes;
                        store(to, load<V>(to) + sum * value[c]);
                    }
                }
            }
    }
};

template <class Routes>
void shap_rows_in_tree(const ShapTree &tree, const Routes &routes, ShapScratch &scratch, const double *cells,
                       double *phi, double *pairs) {
    if (tree.cuts)
        ShapWalk<true>(tree, scratch, cells, phi, pairs).run(routes);
    else
        ShapWalk<false>(tree, scratch, cells, phi, pairs).run(routes);
}
