// The normal equations A z = b of one row, solved; see recommendation/als.hpp. A is n × n, of which the upper triangle is kept.

// A = Uᵀ U in place, then z = A⁻¹ b; b is lost. A direction without curvature gets 0.
inline void solve_cholesky(double *A, int64_t n, double *b, double *z) {
    double largest = 0;
    for (int64_t i = 0; i < n; ++i) largest = std::max(largest, A[i * n + i]);
    const double least = largest * 1e-13;
    for (int64_t i = 0; i < n; ++i) {
        double *row = A + i * n;
        const double pivot = row[i] > least ? std::sqrt(row[i]) : 0.0, scale = pivot > 0 ? 1 / pivot : 0.0;
        row[i] = pivot;
        for (int64_t c = i + 1; c < n; ++c) row[c] *= scale;
        for (int64_t c = i + 1; c < n; ++c) add_scaled(-row[c], row + c, A + c * n + c, n - c);
        z[i] = b[i] * scale;
        add_scaled(-z[i], row + i + 1, b + i + 1, n - i - 1);
    }
    for (int64_t i = n - 1; i >= 0; --i) {
        const double pivot = A[i * n + i];
        z[i] = pivot > 0 ? (z[i] - dot_doubles(A + i * n + i + 1, z + i + 1, n - i - 1)) / pivot : 0.0;
    }
}

// Coordinates in turn: z_a ← z_a + (b_a − A_a z)/A_aa, not below 0 for a < bounded. A is whole.
inline void solve_nonnegative(const double *A, int64_t n, int64_t bounded, const double *b, int64_t rounds, double *z) {
    for (int64_t round = 0; round < rounds; ++round) {
        double moved = 0, large = 0;
        for (int64_t a = 0; a < n; ++a) {
            const double curve = A[a * n + a];
            double to = curve > 0 ? z[a] + (b[a] - dot_doubles(A + a * n, z, n)) / curve : 0.0;
            if (a < bounded) to = std::max(to, 0.0);
            moved = std::max(moved, std::abs(to - z[a]));
            large = std::max(large, std::abs(to));
            z[a] = to;
        }
        if (moved <= 1e-12 * large) break;
    }
}

// out (width × width, upper triangle, and all of the vectors that hold a part of it) += Σ_j s_j y_j y_jᵀ of four ratings.
template <class Real>
LEARNT_INLINE void add_four(const Real *const *y, const Real *s, int64_t k, Real *out) {
    using V = Vector<Real>;
    constexpr int lanes = lanes_of<Real>;
    for (int64_t a = 0; a < k; ++a) {
        const V p = splat<V>(s[0] * y[0][a]), q = splat<V>(s[1] * y[1][a]);
        const V r = splat<V>(s[2] * y[2][a]), t = splat<V>(s[3] * y[3][a]);
        Real *row = out + a * k;
        for (int64_t c = a / lanes * lanes; c < k; c += lanes)
            store(row + c, load<V>(row + c) + p * load<V>(y[0] + c) + q * load<V>(y[1] + c) + r * load<V>(y[2] + c) +
                               t * load<V>(y[3] + c));
    }
}

// A, b and the constant of the objective, from the ratings of a row. Sums of so many ratings are made in Real, these in double.
// `scratch` holds width² + 2 width numbers.
template <class Real>
double add_normal_equations(const RatingRows<Real> &rows, int64_t u, const FactorSide<Real> &side, bool implicit, bool biased,
                            Real *scratch, double *A, double *b) {
    using V = Vector<Real>;
    const int64_t k = side.width, n = biased ? k + 1 : k;
    Real *products = scratch, *sums = products + k * k, *pulls = sums + k;
    double constant = 0;
    for (int64_t from = rows.offsets[u]; from < rows.offsets[u + 1]; from += ratings_at_once) {
        const int64_t until = std::min(from + ratings_at_once, rows.offsets[u + 1]);
        std::fill_n(scratch, k * k + 2 * k, Real{0});
        const Real *y[4];
        Real s[4] = {0, 0, 0, 0};
        for (int64_t i = from; i < until; i += 4) {
            for (int64_t j = 0; j < 4; ++j) {
                const bool there = i + j < until;
                y[j] = side.row(rows.indices[there ? i + j : i]);
                s[j] = 0;
                if (!there) continue;
                const double o = side.bias ? static_cast<double>(side.bias[rows.indices[i + j]]) : 0.0;
                const double w = rows.weights ? static_cast<double>(rows.weights[i + j]) : 1.0;
                const double t = static_cast<double>(rows.values[i + j]) - o, curve = implicit ? w - 1 : w;
                const double pull = implicit ? w * t + o : w * t;
                constant += implicit ? w * t * t - o * o : w * t * t;
                s[j] = static_cast<Real>(curve);
                const V curves = splat<V>(s[j]), pulled = splat<V>(static_cast<Real>(pull));
                for (int64_t c = 0; c < k; c += lanes_of<Real>) {
                    store(sums + c, load<V>(sums + c) + curves * load<V>(y[j] + c));
                    store(pulls + c, load<V>(pulls + c) + pulled * load<V>(y[j] + c));
                }
                if (biased) {
                    A[k * n + k] += curve;
                    b[k] += pull;
                }
            }
            add_four(y, s, k, products);
        }
        for (int64_t a = 0; a < k; ++a) {
            for (int64_t c = a; c < k; ++c) A[a * n + c] += static_cast<double>(products[a * k + c]);
            if (biased) A[a * n + k] += static_cast<double>(sums[a]);
            b[a] += static_cast<double>(pulls[a]);
        }
    }
    return constant;
}

template <class Real>
void normal_row(const RatingRows<Real> &rows, int64_t u, const FactorSide<Real> &side, const WholeSide<Real> *whole,
                double penalty, const FactorOptions &options, double *scratch, Real *cast, Real *factors, Real *bias,
                double &left) {
    const int64_t k = side.width, n = bias ? k + 1 : k;
    double *A = scratch, *b = A + n * n, *z = b + n, *kept = z + n;
    std::fill_n(A, n * n + 3 * n, 0.0);
    double lost = 0;
    if (whole) {
        for (int64_t a = 0; a < k; ++a)
            for (int64_t c = a; c < k; ++c) A[a * n + c] = static_cast<double>(whole->gram[a * k + c]);
        for (int64_t a = 0; a < n; ++a) {
            if (bias) A[a * n + k] = whole->sums[a];
            b[a] = -whole->pull[a];
        }
        lost = whole->square;
    }
    lost += add_normal_equations(rows, u, side, whole != nullptr, bias != nullptr, cast, A, b);
    for (int64_t a = 0; a < n; ++a) A[a * n + a] += penalty;
    if (options.solver == FactorSolver::nonnegative) {
        for (int64_t a = 0; a < n; ++a)
            for (int64_t c = 0; c < a; ++c) A[a * n + c] = A[c * n + a];
        for (int64_t a = 0; a < k; ++a) z[a] = static_cast<double>(factors[a]);
        if (bias) z[k] = static_cast<double>(*bias);
        solve_nonnegative(A, n, k, b, options.steps, z);
        for (int64_t a = 0; a < n; ++a) lost += z[a] * (dot_doubles(A + a * n, z, n) - 2 * b[a]);
    } else {
        std::copy_n(b, n, kept);
        solve_cholesky(A, n, b, z);
        lost -= dot_doubles(kept, z, n);  // zᵀ A z − 2 bᵀ z where A z = b
    }
    for (int64_t a = 0; a < k; ++a) factors[a] = static_cast<Real>(z[a]);
    if (bias) *bias = static_cast<Real>(z[k]);
    left = std::max(lost, 0.0);
}
