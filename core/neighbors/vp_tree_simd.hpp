// Loops of neighbors/vp_tree.hpp.

// The distance of two rows up to rounding, along the columns.
template <Norm norm, class Real>
LEARNT_INLINE double rough_distance(const Measure &m, const Real *x, const double *q, int64_t p) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    V sums{};
    double sum = 0;
    int64_t j = 0;
    if (norm != Norm::lp || m.whole != 0)
        for (; j + lanes <= p; j += lanes) {
            V term = vector_term<norm>(m, load_double(x + j) - load<V>(q + j));
            if (m.weights) term *= load<V>(m.weights + j);
            sums = norm == Norm::max ? larger(sums, term) : sums + term;
        }
    double lane[lanes];
    store(lane, sums);
    for (int l = 0; l < lanes; ++l) sum = norm == Norm::max ? std::max(sum, lane[l]) : sum + lane[l];
    for (; j < p; ++j) {
        const double term = term_of<norm>(m, static_cast<double>(x[j]) - q[j], m.weight(j));
        sum = norm == Norm::max ? std::max(sum, term) : sum + term;
    }
    return root_of<norm>(m, sum);
}

template <class Real>
void vp_queries(const VpTree<Real> &tree, const double *queries, Range some, const int64_t *skip, const Answers &answers,
                int64_t &seen, Job &job) {
    const VpShape &shape = tree.shape;
    const Measure &measure = tree.measure;
    const int64_t p = tree.p, width = shape.width;
    with_constant<0, 1, 2, 3, 4>(static_cast<int>(measure.norm), [&](auto constant) __attribute__((always_inline)) {
        constexpr Norm norm = static_cast<Norm>(constant());
        const double floor = root_of<norm>(measure, static_cast<double>(p) * 1e-300);
        for (int64_t i = some.first; i < some.last; ++i) {
            job.check();
            const double *q = queries + i * p;
            const int64_t skipped = skip ? skip[i] : -1;
            auto keeper = answers.keeper(i);
            double bar = sum_limit<norm>(measure, keeper.limit());
            vp_walk(
                shape, 1e-12 + 1e-15 * static_cast<double>(p), floor,
                [&](const VpNode &, int64_t middle) { return rough_distance<norm>(measure, tree.points.data() + middle * p, q, p); },
                [&](int64_t at) {
                    ++seen;
                    const int64_t first = at * width, count = std::min(width, shape.n - first);
                    measure_leaf<norm>(measure, tree.cells.data() + first * p, width, count, p, q, bar,
                                       [&](int64_t r, double sum) __attribute__((always_inline)) {
                                           if (shape.rows[first + r] == skipped) return;
                                           keeper.show({root_of<norm>(measure, sum), shape.rows[first + r]});
                                           bar = sum_limit<norm>(measure, keeper.limit());
                                       });
                },
                [&] { return keeper.limit(); });
            answers.take(i, keeper.sorted());
        }
    });
}
