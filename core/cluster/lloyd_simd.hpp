// Loops of cluster/lloyd.hpp.

// The best centre so far of two vectors of rows.
template <class Real>
struct Nearest {
    using V = Vector<Real>;
    using Int = std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>;
    using Index = Vector<Int>;
    static constexpr int lanes = lanes_of<Real>;

    V score[2];
    Index index[2] = {};

    LEARNT_INLINE Nearest() { score[0] = score[1] = splat<V>(-std::numeric_limits<Real>::infinity()); }

    // turned: p × 2·lanes
    template <int Size>
    LEARNT_INLINE void visit(const Real *turned, int64_t p, const CenterGroup<Real> &group) {
        V sum[Size][2];
        LEARNT_UNROLL for (int c = 0; c < Size; ++c) sum[c][0] = sum[c][1] = splat<V>(-group.half[c]);
        for (int64_t j = 0; j < p; ++j) {
            const V x0 = load<V>(turned + 2 * lanes * j), x1 = load<V>(turned + 2 * lanes * j + lanes);
            LEARNT_UNROLL for (int c = 0; c < Size; ++c) {
                const V value = splat<V>(group.values[j * Size + c]);
                sum[c][0] += x0 * value;
                sum[c][1] += x1 * value;
            }
        }
        Index here = splat<Index>(static_cast<Int>(group.first));
        LEARNT_UNROLL for (int c = 0; c < Size; ++c) {
            LEARNT_UNROLL for (int v = 0; v < 2; ++v) {
                const Index better = sum[c][v] > score[v];
                score[v] = better ? sum[c][v] : score[v];
                index[v] = better ? here : index[v];
            }
            here += 1;
        }
    }
};

// Labels of up to two vectors of rows.
template <class Real>
LEARNT_INLINE void label_rows(const AssignInput<Real> &in, int64_t first, int64_t count, Real *turned,
                              int32_t *labels) {
    constexpr int lanes = lanes_of<Real>;
    const int64_t p = in.x.columns;
    turn_rows<Real>(in.x, first, count, {0, p}, in.shift, turned, 2 * lanes);
    const int64_t second = count > lanes ? lanes : 0;  // nothing left: the same rows once more
    turn_rows<Real>(in.x, first + second, count - second, {0, p}, in.shift, turned + lanes, 2 * lanes);
    if (in.x.column_stride == 1)  // the next rows arrive while these are compared: a twentieth of the time
        for (int64_t i = first + 2 * lanes; i < std::min(first + 4 * lanes, in.x.rows); ++i)
            for (int64_t j = 0; j < p; j += 64 / static_cast<int64_t>(sizeof(Real))) __builtin_prefetch(in.x.row(i) + j);
    Nearest<Real> best;
    for (const CenterGroup<Real> &group : in.packed)
        with_group_size(group.size, [&](auto size) __attribute__((always_inline)) {
            best.template visit<size()>(turned, p, group);
        });
    typename Nearest<Real>::Int index[2 * lanes];
    store(index, best.index[0]);
    store(index + lanes, best.index[1]);
    for (int64_t i = 0; i < std::min<int64_t>(count, 2 * lanes); ++i) labels[i] = static_cast<int32_t>(index[i]);
}

// Adds rows to the sums of their clusters, if there are any; returns their weighted squared distances.
template <bool Weighted, bool Summed, class Real>
LEARNT_INLINE double sum_rows(const AssignInput<Real> &in, int64_t first, int64_t count, const int32_t *labels,
                              double *sums, double *cluster_weight, Real *scratch) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    const int64_t p = in.x.columns;
    const RowTile<Real> tile = row_tile(in.x, first, count, scratch);
    V part[2] = {};
    double total = 0;
    for (int64_t i = 0; i < count; ++i) {
        const Real *x = tile.row(i), *center = in.centers + labels[i] * p;
        double *sum = Summed ? sums + labels[i] * p : nullptr;
        const double w = Weighted ? in.weights[first + i] : 1.0;
        int64_t j = 0;
        for (; j + 2 * lanes <= p; j += 2 * lanes)
            LEARNT_UNROLL for (int h = 0; h < 2; ++h) {
                const int64_t at = j + h * lanes;
                const V cells = load_double(x + at), d = cells - load_double(center + at);
                part[h] += d * (Weighted ? d * w : d);
                if constexpr (Summed) store(sum + at, load<V>(sum + at) + (Weighted ? cells * w : cells));
            }
        for (; j < p; ++j) {
            const double cell = x[j], d = cell - static_cast<double>(center[j]);
            total += d * (d * w);
            if constexpr (Summed) sum[j] += cell * w;
        }
        if constexpr (Summed) cluster_weight[labels[i]] += w;
    }
    return total + sum_lanes(part[0] + part[1]);
}

// Adds labelled rows to the sums of their clusters, a tile at a time; sums and cluster_weight may be null.
template <class Real>
LEARNT_INLINE void sum_tile(const AssignInput<Real> &in, int64_t first, int64_t count, const int32_t *labels,
                            double *sums, double *cluster_weight, double &inertia, Real *scratch) {
    with_constant<0, 1, 2, 3>((in.weights ? 2 : 0) + (sums ? 1 : 0), [&](auto kind) __attribute__((always_inline)) {
        constexpr bool weighted = kind() >= 2, summed = kind() % 2 == 1;
        inertia += sum_rows<weighted, summed>(in, first, count, labels, sums, cluster_weight, scratch);
    });
}

// labels, sums, cluster_weight may be null; scratch: assign_rows × p, turned: p × 2·lanes.
template <class Real>
void assign_block(const AssignInput<Real> &in, Range rows, int32_t *labels, double *sums, double *cluster_weight,
                  double &inertia, Real *turned, Real *scratch, Job &job) {
    int32_t nearest[assign_rows];
    for (int64_t first = rows.first; first < rows.last; first += assign_rows) {
        job.check();
        const int64_t count = std::min(assign_rows, rows.last - first);
        for (int64_t i = 0; i < count; i += 2 * lanes_of<Real>)
            label_rows(in, first + i, count - i, turned, nearest + i);
        if (labels) std::copy_n(nearest, count, labels + first);
        sum_tile(in, first, count, nearest, sums, cluster_weight, inertia, scratch);
    }
}

// The rows' labels are given.
template <class Real>
void sum_block(const AssignInput<Real> &in, Range rows, const int32_t *labels, double *sums, double *cluster_weight,
               double &inertia, Real *scratch, Job &job) {
    for (int64_t first = rows.first; first < rows.last; first += assign_rows) {
        job.check();
        const int64_t count = std::min(assign_rows, rows.last - first);
        sum_tile(in, first, count, labels + first, sums, cluster_weight, inertia, scratch);
    }
}
