// Linear machines with few coefficients, by coordinate descent (Yuan, Chang, Hsieh and Lin 2010):
//
//   minimise   |w|₁ + Σ c_i max(0, 1 − y_i f_i)²,      f_i = w·x_i + b
//
// Along one coefficient the loss is quadratic between its kinks. A step goes to the least of the quadratic that touches it
// and of |w_j|, and is halved until the objective falls enough. The gap is that to the dual
//
//   maximise   Σ α_i − Σ α_i² / (4 c_i),      |Σ α_i y_i x_ij| ≤ 1 for all j,   Σ α_i y_i = 0,   α ≥ 0
//
// at α_i = 2 θ c_i ξ_i, ξ the slacks, θ the best factor that keeps the bounds.
#pragma once

#include "kernel/linear_dual.hpp"

namespace learnt {

// Columns are the rows of `x`, the transposed matrix: p of them.
template <class Cells>
class L1Descent {
    const Cells &x_;
    const MachineSettings &settings_;
    const int64_t n_, p_;
    std::vector<double> y_, cost_, slack_;  // slack 1 − y f, of either sign
    double *const w_;
    double b_ = 0;
    uint64_t state_;
    Job &job_;

    template <class F>
    static void each(const DenseCells &x, int64_t j, F f) {
        const double *const column = x.x + j * x.columns;
        for (int64_t i = 0; i < x.columns; ++i) f(i, column[i]);
    }
    template <class Real, class F>
    static void each(const SparseCells<Real> &x, int64_t j, F f) {
        for (int64_t e = x.x.offset(j); e < x.x.offset(j + 1); ++e) f(x.x.column[e], static_cast<double>(x.x.value[e]));
    }
    struct Ones {
        int64_t n;
    };
    template <class F>
    static void each(const Ones &ones, int64_t, F f) {
        for (int64_t i = 0; i < ones.n; ++i) f(i, 1.0);
    }

    double &slack(int64_t i) { return slack_[static_cast<size_t>(i)]; }
    double cost(int64_t i) const { return cost_[static_cast<size_t>(i)]; }
    double y(int64_t i) const { return y_[static_cast<size_t>(i)]; }

    // Gradient and curvature of the loss along a column.
    template <class Columns>
    std::pair<double, double> look(const Columns &x, int64_t j) {
        double g = 0, h = 0;
        each(x, j, [&](int64_t i, double v) {
            if (slack(i) <= 0) return;
            const double c = 2 * cost(i);
            g -= c * y(i) * v * slack(i);
            h += c * v * v;
        });
        return {g, h};
    }

    // Moves a coefficient from `w` along a column whose gradient and curvature are known; returns where it went.
    template <class Columns>
    double step(const Columns &x, int64_t j, double w, double g, double h, double l1) {
        const double curved = std::max(h, 1e-12 * std::max(1.0, std::abs(g)));
        const double free = w - g / curved, away = l1 / curved;
        double d = (free > away ? free - away : free < -away ? free + away : 0.0) - w;
        const double promised = g * d + l1 * (std::abs(w + d) - std::abs(w));
        if (!(promised < 0)) return w;
        double length = 1;
        for (int k = 0; k < 40; ++k, d /= 2, length /= 2) {
            double change = l1 * (std::abs(w + d) - std::abs(w));
            each(x, j, [&](int64_t i, double v) {
                const double before = std::max(0.0, slack(i)), after = std::max(0.0, slack(i) - y(i) * v * d);
                change += cost(i) * (after * after - before * before);
            });
            if (change > 0.01 * length * promised) continue;
            each(x, j, [&](int64_t i, double v) { slack(i) -= y(i) * v * d; });
            return w + d;
        }
        return w;
    }

    // Steps of the intercept until its derivative is 0, or as many as asked for.
    void settle_intercept(int most = 30) {
        const Ones ones{n_};
        for (int k = 0; k < most; ++k) {
            const auto [g, h] = look(ones, 0);
            const double to = step(ones, 0, b_, g, h, 0.0);
            if (to == b_ || std::abs(g) <= 1e-13 * h) return;
            b_ = to;
        }
    }

    static int64_t cells(const DenseCells &x, int64_t) { return x.columns; }
    template <class Real>
    static int64_t cells(const SparseCells<Real> &x, int64_t j) {
        return x.x.offset(j + 1) - x.x.offset(j);
    }

    void check(MachineEnd &end) {
        double worst = 0, sum = 0, squares = 0, size = 0;
        for (int64_t j = 0; j < p_; ++j) {
            if (j % 64 == 0) job_.check();
            worst = std::max(worst, std::abs(look(x_, j).first));
            size += std::abs(w_[j]);
        }
        for (int64_t i = 0; i < n_; ++i) {
            const double s = std::max(0.0, slack(i));
            sum += 2 * cost(i) * s;
            squares += cost(i) * s * s;
        }
        double factor = squares > 0 ? sum / (2 * squares) : 0.0;
        if (worst * factor > 1) factor = 1 / worst;
        end.objective = size + squares;
        end.gap = std::max(0.0, end.objective - (factor * sum - factor * factor * squares));
        end.converged = end.gap <= settings_.tolerance * end.objective;
    }

  public:
    L1Descent(const Cells &x, int64_t n, int64_t p, const Truth &truth, int32_t unit, const double *cost,
              const MachineSettings &settings, double *w, Job &job)
        : x_(x),
          settings_(settings),
          n_(n),
          p_(p),
          y_(static_cast<size_t>(n)),
          cost_(cost, cost + n),
          slack_(static_cast<size_t>(n), 1.0),
          w_(w),
          state_(mix_bits(settings.seed + 0x9e3779b97f4a7c15u) ^ mix_bits(static_cast<uint64_t>(unit) + 1)),
          job_(job) {
        for (int64_t i = 0; i < n; ++i) y_[static_cast<size_t>(i)] = truth.of(i, unit);
        std::fill_n(w, p, 0.0);
    }

    MachineEnd solve() {
        MachineEnd end{0, 0, 0, 0, 0, false};
        std::vector<int64_t> active;
        const auto wake_all = [&] {
            active.resize(static_cast<size_t>(p_));
            for (int64_t j = 0; j < p_; ++j) active[static_cast<size_t>(j)] = j;
        };
        wake_all();
        double shrink = std::numeric_limits<double>::infinity(), next = 0;
        const int64_t often = 2 * n_;
        int64_t met = 0;
        bool all = true;
        while (true) {
            if (settings_.intercept) settle_intercept(3);
            for (size_t k = active.size(); k > 1; --k) {
                state_ += 0x9e3779b97f4a7c15u;
                std::swap(active[k - 1], active[(mix_bits(state_) >> 32) * k >> 32]);
            }
            double violation = 0;
            size_t kept = 0;
            for (const int64_t j : active) {
                job_.check();
                const auto [g, h] = look(x_, j);
                const double w = w_[j];
                if (w == 0 && 1 - std::abs(g) > shrink) continue;
                active[kept++] = j;
                const double wrong = w != 0 ? std::abs(g + (w > 0 ? 1.0 : -1.0)) : std::max(0.0, std::abs(g) - 1);
                violation = std::max(violation, wrong);
                if (wrong > 0) w_[j] = step(x_, j, w, g, h, 1.0);
                // All columns have something of the intercept in them: it follows them on the way.
                met += cells(x_, j);
                if (settings_.intercept && met >= often) settle_intercept(1), met = 0;
            }
            active.resize(kept);
            ++end.rounds;
            end.violation = violation;
            shrink = violation / static_cast<double>(n_);
            const bool over = end.rounds >= settings_.rounds;
            // Columns at 0 are set aside until those left are ten times as good as all were.
            if (all) next = violation / 10;
            const bool go_on = violation > (all ? 0.0 : next);
            all = false;
            if (!over && go_on) continue;
            if (settings_.intercept) settle_intercept();
            check(end);
            end.intercept = b_;
            if (over || end.converged) return end;
            all = true;
            shrink = std::numeric_limits<double>::infinity();
            wake_all();
        }
    }
};

// One machine for each unit; see solve_linear_duals. `x` is the transposed matrix, p rows of n.
template <class Cells>
void solve_linear_l1(const Cells &x, int64_t p, const Truth &truth, const double *cost, const MachineSettings &settings,
                     const int32_t *units, int64_t count, double *coef, MachineEnd *ends) {
    run_blocks(count, [&](int64_t u, Job &job) {
        L1Descent<Cells> descent(x, x.columns, p, truth, units[u], cost, settings, coef + u * p, job);
        ends[u] = descent.solve();
    });
}

}  // namespace learnt
