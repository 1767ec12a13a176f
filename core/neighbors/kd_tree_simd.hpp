// Loops of neighbors/kd_tree.hpp.

template <Norm norm, class Real>
struct KdWalk {
    const KdTree<Real> &tree;
    const Measure &measure;
    const double *q;
    double *terms;  // of each column, to the box the walk is in
    Keeper &keeper;
    int64_t skip;
    double bar;    // sums above it are of no interest
    double slack;  // boxes are dropped only if farther by more than rounding
    int64_t seen = 0;  // leaves

    LEARNT_INLINE KdWalk(const KdTree<Real> &t, const Measure &m, const double *query, double *scratch, Keeper &k, int64_t s)
        : tree(t), measure(m), q(query), terms(scratch), keeper(k), skip(s), bar(sum_limit<norm>(m, k.limit())),
          slack(1 - 4e-16 * static_cast<double>(t.p + 80)) {}

    LEARNT_INLINE void show(double sum, int64_t row) {
        if (row == skip) return;
        keeper.show({root_of<norm>(measure, sum), row});
        bar = sum_limit<norm>(measure, keeper.limit());
    }

    void leaf(int64_t at) {
        ++seen;
        const int64_t first = at * tree.width, count = std::min(tree.width, tree.n - first);
        measure_leaf<norm>(measure, tree.cells.data() + first * tree.p, tree.width, count, tree.p, q, bar,
                           [&](int64_t i, double sum) __attribute__((always_inline)) { show(sum, tree.rows[first + i]); });
    }

    // `sum` is that of the terms: what the box of this node is away at least.
    void visit(int64_t node, int64_t first, int64_t last, double sum) {
        if (last - first > 1) {
            const KdNode &cut = tree.nodes[node];
            const int64_t middle = kd_middle(first, last), right = node + 2 * (middle - first);
            const double away = q[cut.column] - cut.value, former = terms[cut.column];
            const double term = term_of<norm>(measure, away, measure.weight(cut.column));
            const double beyond = norm == Norm::max ? std::max(sum, term) : sum + (term - former);
            const bool left = away < 0;
            visit(left ? node + 1 : right, left ? first : middle, left ? middle : last, sum);
            if (beyond * slack > bar) return;
            terms[cut.column] = term;
            visit(left ? right : node + 1, left ? middle : first, left ? last : middle, beyond);
            terms[cut.column] = former;
            return;
        }
        leaf(first);
    }

    void run() {
        double sum = 0;
        for (int64_t j = 0; j < tree.p; ++j) {
            const double outside = std::max({tree.low[j] - q[j], q[j] - tree.high[j], 0.0});
            terms[j] = term_of<norm>(measure, outside, measure.weight(j));
            sum = norm == Norm::max ? std::max(sum, terms[j]) : sum + terms[j];
        }
        if (!(sum * slack > bar)) visit(0, 0, tree.leaves, sum);
    }
};

template <class Real>
void kd_queries(const KdTree<Real> &tree, const Measure &measure, const double *queries, const int64_t *order, Range some,
                const int64_t *skip, const Answers &answers, int64_t &seen, Job &job) {
    const Buffer<double> terms(tree.p);
    with_constant<0, 1, 2, 3>(static_cast<int>(measure.norm), [&](auto norm) __attribute__((always_inline)) {
        for (int64_t at = some.first; at < some.last; ++at) {
            const int64_t i = order[at];
            if (at % 16 == 0) job.check();
            auto keeper = answers.keeper(i);
            KdWalk<static_cast<Norm>(norm()), Real> walk(tree, measure, queries + i * tree.p, terms.data(), keeper,
                                                         skip ? skip[i] : -1);
            walk.run();
            seen += walk.seen;
            answers.take(i, keeper.sorted());
        }
    });
}
