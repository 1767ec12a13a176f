// One query against the tree; see cluster/density.hpp.

template <Kernel kernel>
LEARNT_INLINE Vector<double> kernel_vector(Vector<double> square, double shift) {
    using V = Vector<double>;
    const V none{};
    if constexpr (kernel == Kernel::gaussian) return exp_minus(larger((square - shift * shift) / 2, none));
    if constexpr (kernel == Kernel::exponential || kernel == Kernel::cosine) {
        double s[lanes_of<double>];
        store(s, square);
        for (int l = 0; l < lanes_of<double>; ++l)
            s[l] = kernel == Kernel::cosine ? kernel_value<kernel>(s[l], shift) : std::sqrt(s[l]) - shift;
        return kernel == Kernel::cosine ? load<V>(s) : exp_minus(larger(load<V>(s), none));
    }
    if constexpr (kernel == Kernel::tophat) return square < 1 ? splat<V>(1.0) : none;
    if constexpr (kernel == Kernel::epanechnikov) return larger(1 - square, none);
    double s[lanes_of<double>];
    store(s, square);
    for (int l = 0; l < lanes_of<double>; ++l) s[l] = std::sqrt(s[l]);
    const V d = load<V>(s);
    if constexpr (kernel == Kernel::linear) return larger(1 - d, none);
    const V rest = larger(1 - d * square, none);
    return rest * rest * rest;
}

template <Kernel kernel>
struct DensityWalk {
    const DensityTree &density;
    const double *q;
    double shift, rtol, total;
    int64_t skip_place;  // of the row left out, −1 for none
    double skip_weight;
    double sum = 0, least = 0;  // what is added up; what the whole sum is at least

    LEARNT_INLINE DensityWalk(const DensityTree &d, const double *query, double s, double r, int64_t skip)
        : density(d), q(query), shift(s), rtol(r), total(d.node_weight[0]),
          skip_place(skip < 0 ? -1 : d.place[skip]),
          skip_weight(skip < 0 ? 0.0 : std::min(1.0, d.row_weight[d.place[skip]])) {}

    struct Bounds {
        double near, most, fewest, weight;  // squared distance; kernels at the near and at the far corner
    };

    double weight_of(int64_t node, int64_t first, int64_t last) const {
        const int64_t leaf = skip_place < 0 ? -1 : skip_place / density.tree.width;
        return density.node_weight[node] - (leaf >= first && leaf < last ? skip_weight : 0.0);
    }

    Bounds bounds(int64_t node, int64_t first, int64_t last) const {
        const int64_t p = density.tree.p;
        const double *low = density.boxes.data() + node * 2 * p, *high = low + p;
        double near = 0, far = 0;
        for (int64_t j = 0; j < p; ++j) {
            const double below = low[j] - q[j], above = q[j] - high[j];
            const double outside = std::max({below, above, 0.0}), across = std::max(-below, -above);
            near += outside * outside;
            far += across * across;
        }
        return {near, kernel_value<kernel>(near, shift), kernel_value<kernel>(far, shift), weight_of(node, first, last)};
    }

    void leaf(int64_t at, const Bounds &own) {
        using V = Vector<double>;
        constexpr int lanes = lanes_of<double>;
        const KdTree<double> &tree = density.tree;
        const int64_t width = tree.width, from = at * width;
        const double *cells = tree.cells.data() + from * tree.p, *w = density.row_weight.data() + from;
        V added{};
        for (int64_t i = 0; i < width; i += lanes) {
            V square{};
            for (int64_t j = 0; j < tree.p; ++j) {
                const V d = load<V>(cells + j * width + i) - q[j];
                square += d * d;
            }
            V weight = load<V>(w + i);
            if (skip_place >= from + i && skip_place < from + i + lanes) {
                double each[lanes];
                store(each, weight);
                each[skip_place - from - i] -= skip_weight;
                weight = load<V>(each);
            }
            added += weight * kernel_vector<kernel>(square, shift);
        }
        const double found = sum_lanes(added);
        sum += found;
        least += found - own.weight * own.fewest;
    }

    void visit(int64_t node, int64_t first, int64_t last, const Bounds &own) {
        // Beyond its end a kernel adds nothing, and rows that all add the same need no second look.
        const double error = (own.most - own.fewest) / 2;
        if (own.most == 0 || error * total <= rtol * least) {
            sum += own.weight * (own.fewest + error);
            return;
        }
        if (last - first == 1) return leaf(first, own);
        const int64_t middle = kd_middle(first, last), right = node + 2 * (middle - first);
        const Bounds a = bounds(node + 1, first, middle), b = bounds(right, middle, last);
        least += a.weight * a.fewest + b.weight * b.fewest - own.weight * own.fewest;
        if (a.near <= b.near) {
            visit(node + 1, first, middle, a);
            visit(right, middle, last, b);
        } else {
            visit(right, middle, last, b);
            visit(node + 1, first, middle, a);
        }
    }

    double run() {
        const Bounds all = bounds(0, 0, density.tree.leaves);
        sum = 0;
        least = all.weight * all.fewest;
        visit(0, 0, density.tree.leaves, all);
        return sum;
    }

    // The squared distance of the nearest row that counts.
    void nearest(int64_t node, int64_t first, int64_t last, double &best) const {
        const KdTree<double> &tree = density.tree;
        const int64_t p = tree.p;
        if (bounds_near(node) >= best || !(weight_of(node, first, last) > 0)) return;
        if (last - first == 1) {
            const int64_t width = tree.width, from = first * width;
            for (int64_t i = 0; i < std::min(width, tree.n - from); ++i) {
                if (!(density.row_weight[from + i] - (skip_place == from + i ? skip_weight : 0.0) > 0)) continue;
                double square = 0;
                for (int64_t j = 0; j < p; ++j) {
                    const double d = tree.cells[(from * p) + j * width + i] - q[j];
                    square += d * d;
                }
                best = std::min(best, square);
            }
            return;
        }
        const int64_t middle = kd_middle(first, last), right = node + 2 * (middle - first);
        if (bounds_near(node + 1) <= bounds_near(right)) {
            nearest(node + 1, first, middle, best);
            nearest(right, middle, last, best);
        } else {
            nearest(right, middle, last, best);
            nearest(node + 1, first, middle, best);
        }
    }
    double bounds_near(int64_t node) const {
        const int64_t p = density.tree.p;
        const double *low = density.boxes.data() + node * 2 * p, *high = low + p;
        double near = 0;
        for (int64_t j = 0; j < p; ++j) {
            const double outside = std::max({low[j] - q[j], q[j] - high[j], 0.0});
            near += outside * outside;
        }
        return near;
    }

    double log_sum() {
        double found = run();
        if (!endless(kernel) || found > 1e-100) return std::log(std::max(found, 0.0));
        // So far away that kernels vanish: taken relative to the nearest row's.
        double best = std::numeric_limits<double>::infinity();
        nearest(0, 0, density.tree.leaves, best);
        if (!std::isfinite(best)) return -std::numeric_limits<double>::infinity();
        shift = std::sqrt(best);
        found = run();
        return std::log(found) - (kernel == Kernel::gaussian ? best / 2 : shift);
    }
};

template <Kernel kernel>
void density_of(const DensityTree &density, const double *queries, const int64_t *order, Range some, const int64_t *skip,
                double rtol, double *out, Job &job) {
    for (int64_t at = some.first; at < some.last; ++at) {
        const int64_t i = order[at];
        job.check();
        DensityWalk<kernel> walk(density, queries + i * density.tree.p, 0.0, rtol, skip ? skip[i] : -1);
        out[i] = walk.log_sum();
    }
}

inline void density_queries(const DensityTree &density, Kernel kernel, const double *queries, const int64_t *order,
                            Range some, const int64_t *skip, double rtol, double *out, Job &job) {
    with_constant<0, 1, 2, 3, 4, 5, 6>(static_cast<int>(kernel), [&](auto which) __attribute__((always_inline)) {
        density_of<static_cast<Kernel>(which())>(density, queries, order, some, skip, rtol, out, job);
    });
}
