// Loops of distance/rows_to_centers.hpp.

// Squared distances of two vectors of rows to `Size` centres, by differences in Real:
//   out[c·2·lanes + r],  turned: p × 2·lanes,  values: p × Size
template <int Size, class Real>
LEARNT_INLINE void squared_differences(const Real *turned, int64_t p, const Real *values, Real *out) {
    using V = Vector<Real>;
    constexpr int lanes = lanes_of<Real>;
    V sum[Size][2] = {};
    for (int64_t j = 0; j < p; ++j) {
        const V x0 = load<V>(turned + 2 * lanes * j), x1 = load<V>(turned + 2 * lanes * j + lanes);
        LEARNT_UNROLL for (int c = 0; c < Size; ++c) {
            const V value = splat<V>(values[j * Size + c]);
            const V d0 = x0 - value, d1 = x1 - value;
            sum[c][0] += d0 * d0;
            sum[c][1] += d1 * d1;
        }
    }
    LEARNT_UNROLL for (int c = 0; c < Size; ++c) {
        store(out + c * 2 * lanes, sum[c][0]);
        store(out + c * 2 * lanes + lanes, sum[c][1]);
    }
}

// The rows' squared distances to all centres, handed on in groups: use(first row, rows, group, distances),
// distances[c·2·lanes + r]. turned: p × 2·lanes.
template <class Real, class Use>
LEARNT_INLINE void each_distance(Matrix<const Real> x, Range rows, const PackedCenters<Real> &centers, Real *turned,
                                 Job &job, Use use) {
    constexpr int lanes = lanes_of<Real>;
    const int64_t p = x.columns;
    Real distances[12 * 2 * lanes];
    for (int64_t first = rows.first; first < rows.last; first += 2 * lanes) {
        if ((first - rows.first) / (2 * lanes) % 8 == 0) job.check();
        const int64_t count = std::min<int64_t>(2 * lanes, rows.last - first);
        const int64_t second = count > lanes ? lanes : 0;
        turn_rows<Real>(x, first, count, {0, p}, nullptr, turned, 2 * lanes);
        turn_rows<Real>(x, first + second, count - second, {0, p}, nullptr, turned + lanes, 2 * lanes);
        for (const CenterGroup<Real> &group : centers) {
            with_group_size(group.size, [&](auto size) __attribute__((always_inline)) {
                squared_differences<size()>(turned, p, group.values, distances);
            });
            use(first, count, group, distances);
        }
    }
}

template <class Real>
void lower_block(Matrix<const Real> x, Range rows, const PackedCenters<Real> &center, double *nearest, Real *turned,
                 Job &job) {
    each_distance(x, rows, center, turned, job,
                  [=](int64_t first, int64_t count, const CenterGroup<Real> &, const Real *d)
                      __attribute__((always_inline)) {
                          for (int64_t i = 0; i < count; ++i)
                              nearest[first + i] = std::min(nearest[first + i], static_cast<double>(d[i]));
                      });
}

// potentials[c] += Σ w min(nearest, d²)
template <class Real>
void potential_block(Matrix<const Real> x, const double *weights, Range rows, const PackedCenters<Real> &centers,
                     int64_t m, const double *nearest, double *potentials, Real *turned, Job &job) {
    constexpr int lanes = lanes_of<Real>, wide = lanes_of<double>;
    using V = Vector<double>;
    double near[2 * lanes], weight[2 * lanes];
    each_distance(x, rows, centers, turned, job,
                  [&](int64_t first, int64_t count, const CenterGroup<Real> &group, const Real *d)
                      __attribute__((always_inline)) {
                          for (int64_t i = 0; i < 2 * lanes; ++i) {  // past the last row: nothing
                              near[i] = i < count ? nearest[first + i] : 0.0;
                              weight[i] = i < count ? (weights ? weights[first + i] : 1.0) : 0.0;
                          }
                          for (int64_t c = 0; c < std::min<int64_t>(group.size, m - group.first); ++c) {
                              V sum{};
                              for (int i = 0; i < 2 * lanes; i += wide)
                                  sum += load<V>(weight + i) *
                                         smaller(load_double(d + c * 2 * lanes + i), load<V>(near + i));
                              potentials[group.first + c] += sum_lanes(sum);
                          }
                      });
}

// Euclidean distances in double whatever the rows are stored in: out[i·k + c].
template <class Real>
void distance_block(Matrix<const Real> x, Range rows, const PackedCenters<double> &centers, int64_t k, double *out,
                    double *scratch, double *turned, Job &job) {
    constexpr int64_t tile = 4 * lanes_of<double>;
    const int64_t p = x.columns;
    for (int64_t first = rows.first; first < rows.last; first += tile) {
        const int64_t count = std::min(tile, rows.last - first);
        for (int64_t i = 0; i < count; ++i)
            for (int64_t j = 0; j < p; ++j) scratch[i * p + j] = static_cast<double>(x(first + i, j));
        const Matrix<const double> wide{scratch, count, p, p, 1};
        each_distance(wide, {0, count}, centers, turned, job,
                      [&](int64_t at, int64_t some, const CenterGroup<double> &group, const double *d)
                          __attribute__((always_inline)) {
                              for (int64_t i = 0; i < some; ++i)
                                  for (int64_t c = 0; c < std::min<int64_t>(group.size, k - group.first); ++c)
                                      out[(first + at + i) * k + group.first + c] =
                                          std::sqrt(d[c * 2 * lanes_of<double> + i]);
                          });
    }
}

// squared_distance of base/csr.hpp to all centres at once. turned: p × width, width a multiple of 8; square: |c|².
template <class Real>
void sparse_distances(const Csr<Real> &x, Range row, const double *turned, const double *square,
                      int64_t width, double *out) {
    using V = Vector<double>;
    constexpr int lanes = lanes_of<double>;
    for (int64_t first = 0; first < width; first += lanes) {
        V difference{}, shared{};
        for (int64_t e = row.first; e < row.last; ++e) {
            const V c = load<V>(turned + x.column[e] * width + first);
            const V d = splat<V>(static_cast<double>(x.value[e])) - c;
            difference += d * d;
            shared += c * c;
        }
        store(out + first, difference + larger(V{}, load<V>(square + first) - shared));
    }
}
