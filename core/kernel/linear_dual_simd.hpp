// Loops of kernel/linear_dual.hpp.

LEARNT_INLINE const double *cells_of(const DenseCells &x, int64_t i) { return x.x + i * x.columns; }
LEARNT_INLINE double times(const DenseCells &x, const double *row, const double *w) { return dot(row, w, x.columns); }
LEARNT_INLINE void add(const DenseCells &x, double factor, const double *row, double *w) {
    add_multiple(factor, row, w, x.columns);
}
LEARNT_INLINE void announce(const DenseCells &, int64_t) {}
LEARNT_INLINE void prefetch(const DenseCells &x, int64_t i) {
    prefetch_lines(cells_of(x, i), cells_of(x, i) + std::min<int64_t>(x.columns, 128));
}
LEARNT_INLINE double square(const DenseCells &x, const double *row) { return dot(row, row, x.columns); }

template <class Real>
LEARNT_INLINE Range cells_of(const SparseCells<Real> &x, int64_t i) {
    return {x.x.offset(i), x.x.offset(i + 1)};
}
template <class Real>
LEARNT_INLINE double times(const SparseCells<Real> &x, Range row, const double *w) {
    const Real *const value = x.x.value + row.first;
    const int32_t *const column = x.x.column + row.first;
    const int64_t n = row.last - row.first;
    double sum[4] = {};
    int64_t e = 0;
    for (; e + 4 <= n; e += 4)
        for (int l = 0; l < 4; ++l) sum[l] += static_cast<double>(value[e + l]) * w[column[e + l]];
    for (; e < n; ++e) sum[0] += static_cast<double>(value[e]) * w[column[e]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
template <class Real>
LEARNT_INLINE void add(const SparseCells<Real> &x, double factor, Range row, double *w) {
    for (int64_t e = row.first; e < row.last; ++e) w[x.x.column[e]] += factor * static_cast<double>(x.x.value[e]);
}
template <class Real>
LEARNT_INLINE void announce(const SparseCells<Real> &x, int64_t i) {
    __builtin_prefetch(x.x.offset64 ? static_cast<const void *>(x.x.offset64 + i) : x.x.offset32 + i);
}
template <class Real>
LEARNT_INLINE void prefetch(const SparseCells<Real> &x, int64_t i) {
    const int64_t first = x.x.offset(i), last = std::min(x.x.offset(i + 1), first + 256);
    prefetch_lines(x.x.value + first, x.x.value + last);
    prefetch_lines(x.x.column + first, x.x.column + last);
}
template <class Real>
LEARNT_INLINE double square(const SparseCells<Real> &x, Range row) {
    double sum = 0;
    for (int64_t e = row.first; e < row.last; ++e)
        sum += static_cast<double>(x.x.value[e]) * static_cast<double>(x.x.value[e]);
    return sum;
}

// What one round over the rows found: what they add to the gap and to the loss as they are met, and the largest derivative
// along which a coefficient may still move.
struct RoundSums {
    double gap = 0, loss = 0, violation = 0;
};

template <class Cells>
class DualDescent {
    const Cells &x_;
    const MachineLoss loss_;
    const MachineSettings &limits_;
    std::vector<MachineRow> rows_;
    std::vector<int32_t> place_;   // of each row in the matrix
    std::vector<int32_t> active_;  // rows that may still move
    double *const w_;
    double b_, bias_, shrink_;  // the intercept, σ², and beyond which derivative a row at its bound is set aside
    uint64_t state_;
    Job &job_;

    int64_t count() const { return static_cast<int64_t>(rows_.size()); }
    MachineRow &row(int64_t i) { return rows_[static_cast<size_t>(i)]; }
    int64_t place(int64_t i) const { return place_[static_cast<size_t>(i)]; }

    void wake_all() {
        active_.resize(rows_.size());
        for (size_t i = 0; i < rows_.size(); ++i) active_[i] = static_cast<int32_t>(i);
        shrink_ = std::numeric_limits<double>::infinity();
    }

    void shuffle() {
        for (size_t i = active_.size(); i > 1; --i) {
            state_ += 0x9e3779b97f4a7c15u;
            const uint64_t drawn = (mix_bits(state_) >> 32) * i >> 32;
            std::swap(active_[i - 1], active_[drawn]);
        }
    }

    double ridge(const MachineRow &r) const { return loss_.squared ? 0.5 / r.cost : 0.0; }
    double low(const MachineRow &r) const {
        if (loss_.classes && r.target > 0) return 0;
        return loss_.squared ? -std::numeric_limits<double>::infinity() : -r.cost;
    }
    double high(const MachineRow &r) const {
        if (loss_.classes && r.target < 0) return 0;
        return loss_.squared ? std::numeric_limits<double>::infinity() : r.cost;
    }

    void weigh() {
        std::fill_n(w_, x_.columns, 0.0);
        for (int64_t i = 0; i < count(); ++i)
            if (row(i).beta != 0) add(x_, row(i).beta, cells_of(x_, place(i)), w_);
    }

    // The least of the quadratic along one coefficient, within its bounds.
    static double least(double beta, double g, double h, double epsilon, double low, double high, double up, double down) {
        if (h <= 0) return up < 0 ? high : down > 0 ? low : beta;
        const double free = beta - g / h, away = epsilon / h;
        const double z = free > away ? free - away : free < -away ? free + away : 0.0;
        return std::clamp(z, low, high);
    }

    RoundSums round() {
        RoundSums sums;
        const double epsilon = loss_.classes ? 0.0 : loss_.epsilon;
        constexpr int64_t far = 24, near = 8;
        int64_t kept = 0;
        const int64_t n = static_cast<int64_t>(active_.size());
        shuffle();
        for (int64_t s = 0; s < n; ++s) {
            if (s % 256 == 0) job_.check();
            if (s + far < n) {
                const int32_t ahead = active_[static_cast<size_t>(s + far)];
                announce(x_, place(ahead));
                __builtin_prefetch(rows_.data() + ahead);
            }
            if (s + near < n) prefetch(x_, place(active_[static_cast<size_t>(s + near)]));
            const int32_t i = active_[static_cast<size_t>(s)];
            MachineRow &r = row(i);
            const auto cells = cells_of(x_, place(i));
            const double f = times(x_, cells, w_) + b_, d = ridge(r), beta = r.beta;
            const double lost = r.cost * loss_.value(f, r.target), g = f - r.target + d * beta;
            sums.loss += lost;
            sums.gap += lost + beta * (f - r.target + 0.5 * d * beta) + epsilon * std::abs(beta);
            const double up = g + (beta >= 0 ? epsilon : -epsilon), down = g + (beta > 0 ? epsilon : -epsilon);
            const double least_beta = low(r), most_beta = high(r);
            const bool lowest = beta <= least_beta, highest = beta >= most_beta;
            if ((lowest || down < -shrink_) && (highest || up > shrink_) && (beta == 0 || lowest || highest)) continue;
            active_[static_cast<size_t>(kept++)] = i;
            const double wrong = std::max(lowest ? 0.0 : down, highest ? 0.0 : -up);
            if (wrong <= 0) continue;
            sums.violation = std::max(sums.violation, wrong);
            const double to = least(beta, g, r.square + d + bias_, epsilon, least_beta, most_beta, up, down);
            const double moved = to - beta;
            if (moved == 0) continue;
            r.beta = to;
            add(x_, moved, cells, w_);
            b_ += bias_ * moved;
        }
        active_.resize(static_cast<size_t>(kept));
        return sums;
    }

    double total() const {
        double sum = 0;
        for (const MachineRow &r : rows_) sum += r.beta;
        return sum;
    }

    // A dual point of Σβ = 0: the side that is too heavy is scaled down. Returns the one that was there.
    std::vector<double> balance() {
        std::vector<double> before(rows_.size());
        double plus = 0, minus = 0;
        for (size_t i = 0; i < rows_.size(); ++i) {
            before[i] = rows_[i].beta;
            (before[i] > 0 ? plus : minus) += std::abs(before[i]);
        }
        const double factor = plus > minus ? minus / plus : minus > 0 ? plus / minus : 1.0;
        for (MachineRow &r : rows_)
            if ((r.beta > 0) == (plus > minus)) r.beta *= factor;
        return before;
    }

    // The objective and the gap, seen over all rows.
    std::pair<double, double> check(double &intercept) {
        weigh();
        std::vector<double> f(rows_.size());
        double dual = 0, lost = 0;
        for (int64_t i = 0; i < count(); ++i) {
            if (i % 1024 == 0) job_.check();
            f[static_cast<size_t>(i)] = times(x_, cells_of(x_, place(i)), w_);
            const MachineRow &r = row(i);
            dual += r.beta * r.target - (loss_.classes ? 0.0 : loss_.epsilon * std::abs(r.beta)) - 0.5 * ridge(r) * r.beta * r.beta;
        }
        intercept = limits_.intercept ? best_intercept(loss_, rows_.data(), count(), f, b_) : 0.0;
        for (int64_t i = 0; i < count(); ++i) lost += row(i).cost * loss_.value(f[static_cast<size_t>(i)] + intercept, row(i).target);
        const double half = 0.5 * dot(w_, w_, x_.columns), objective = half + lost;
        return {objective, std::max(0.0, objective - (dual - half))};
    }

  public:
    DualDescent(const Cells &x, int64_t n, const Truth &truth, int32_t unit, const double *cost,
                const MachineSettings &limits, const double *beta, double *w, Job &job)
        : x_(x), loss_(limits.loss()), limits_(limits), w_(w), b_(0), bias_(0), shrink_(0),
          state_(mix_bits(limits.seed + 0x9e3779b97f4a7c15u) ^ mix_bits(static_cast<uint64_t>(unit) + 1)), job_(job) {
        double squares = 0, costs = 0;
        for (int64_t i = 0; i < n; ++i) {
            if (!(cost[i] > 0)) continue;
            rows_.push_back({truth.of(i, unit), cost[i], square(x, cells_of(x, i)), 0.0});
            MachineRow &r = rows_.back();
            r.beta = std::clamp(beta[i], low(r), high(r));
            place_.push_back(static_cast<int32_t>(i));
            squares += r.square;
            costs += r.cost;
        }
        // About as large as a row; where costs are small, so large that b moves by 1 when all coefficients are off.
        if (limits.intercept && !rows_.empty()) bias_ = std::max(squares / static_cast<double>(rows_.size()), 1 / costs);
        weigh();
        wake_all();
    }

    MachineEnd solve(double start) {
        MachineEnd end{0, 0, 0, 0, 0, false};
        double before = 0, caution = 1, last_gap = std::numeric_limits<double>::infinity();
        if (limits_.intercept) {
            const bool fresh = std::all_of(rows_.begin(), rows_.end(), [](const MachineRow &r) { return r.beta == 0; });
            const std::vector<double> nothing(fresh ? rows_.size() : 0, 0.0);
            b_ = fresh ? best_intercept(loss_, rows_.data(), count(), nothing, start) : start + bias_ * total();
        }
        // Rows that are set aside cannot follow the intercept: without them Σβ may never become 0.
        constexpr int64_t asleep = 20;
        int64_t since = 0;
        while (true) {
            const RoundSums sums = round();
            ++end.rounds;
            end.violation = sums.violation;
            const double excess = limits_.intercept ? total() : 0.0;
            const double estimate = std::max(0.0, sums.gap) + std::abs(b_ * excess);
            const double objective = 0.5 * dot(w_, w_, x_.columns) + sums.loss;
            // Rows are met in the middle of a round; at its end the gap has gone on falling as fast for half a round.
            const double ahead = before > 0 && estimate < before ? estimate * std::sqrt(estimate / before) : estimate;
            before = estimate;
            const bool over = end.rounds >= limits_.rounds;
            if (over || sums.violation == 0 || ahead * caution <= limits_.tolerance * objective) {
                const double kept_b = b_;
                std::vector<double> kept;
                if (limits_.intercept) kept = balance();
                std::tie(end.objective, end.gap) = check(end.intercept);
                const bool stuck = sums.violation == 0 || end.gap > 0.99 * last_gap;
                end.converged = end.gap <= limits_.tolerance * end.objective || (stuck && end.gap <= 1e-9 * end.objective);
                if (over || end.converged) return end;
                last_gap = end.gap;
                caution = std::clamp(ahead > 0 ? end.gap / (ahead + 1e-300) : 1.0, 1.0, 10.0);
                for (size_t i = 0; i < kept.size(); ++i) rows_[i].beta = kept[i];
                if (limits_.intercept) weigh();
                b_ = kept_b;
                wake_all();
                since = 0;
            } else if (limits_.intercept && ++since >= asleep) {
                wake_all();
                since = 0;
            } else {
                shrink_ = sums.violation;
            }
            b_ += bias_ * excess;
        }
    }

    void write(double *beta, int64_t n) const {
        std::fill_n(beta, n, 0.0);
        for (size_t i = 0; i < rows_.size(); ++i) beta[place_[i]] = rows_[i].beta;
    }
};

template <class Cells>
void solve_linear_dual(const Cells &x, int64_t n, const Truth &truth, int32_t unit, const double *cost,
                       const MachineSettings &settings, double *beta, double *coef, MachineEnd &end, Job &job) {
    DualDescent<Cells> descent(x, n, truth, unit, cost, settings, beta, coef, job);
    end = descent.solve(end.intercept);
    descent.write(beta, n);
}
