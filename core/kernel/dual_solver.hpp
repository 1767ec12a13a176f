// Support vector machines by working sets: a few hundred rows at a time are solved among themselves (working_set.hpp),
// then all rows hear of it through one blocked product, whose values are used where they are made.
//
//   beta   n, a feasible start and the solution        updated
//
// Rows that stay at a bound and violate nothing by far are set aside (shrinking); before the end they come back, and
// the conditions are checked on all rows. What has been set aside is brought up to date from the coefficients that
// changed meanwhile. Sums run in the order of rows and of the working set: the same bits for any number of threads.
#pragma once

#include <numeric>

#include "kernel/kernel.hpp"
#include "kernel/working_set.hpp"

namespace learnt {

struct DualLimits {
    double tolerance = 1e-3;    // of the largest violation; less than rounding leaves is not asked
    int64_t working = 512;      // rows solved among themselves
    int64_t rounds = 1 << 30;
    double most_objective = std::numeric_limits<double>::infinity();  // beyond: no margin separates the rows
    bool shrinking = true;
};

struct DualEnd {
    double offset, violation, objective, gap;
    int64_t rounds, steps, values;  // values: of the kernel, computed
    bool unbounded, converged;
};

// Where kernel values come from: rows of a dense matrix. `chosen` are those of the problem; null for all.
class DenseKernelRows {
    const Kernel kernel_;
    const Matrix<const double> x_;  // row-major
    const int64_t *const chosen_;
    std::vector<double> squares_, gathered_, gathered_squares_;

    int64_t place(int64_t i) const { return chosen_ ? chosen_[i] : i; }

    QueryRows queries(const std::vector<int64_t> &ids) {
        const int64_t p = x_.columns, count = static_cast<int64_t>(ids.size());
        gathered_.resize(static_cast<size_t>(count * p));
        gathered_squares_.resize(ids.size());
        for (size_t k = 0; k < ids.size(); ++k) {
            std::copy_n(x_.row(place(ids[k])), p, gathered_.data() + static_cast<int64_t>(k) * p);
            gathered_squares_[k] = squares_[static_cast<size_t>(ids[k])];
        }
        return {gathered_.data(), gathered_squares_.data(), count, p};
    }

  public:
    using Set = PackedRows;

    DenseKernelRows(const Kernel &kernel, Matrix<const double> x, const int64_t *chosen, int64_t n)
        : kernel_(kernel), x_(x), chosen_(chosen), squares_(static_cast<size_t>(n)) {
        for (int64_t i = 0; i < n; ++i) squares_[static_cast<size_t>(i)] = square_of(x.row(place(i)), x.columns);
    }

    Set pack(const std::vector<int64_t> &ids) const {
        std::vector<int64_t> places(ids.size());
        std::transform(ids.begin(), ids.end(), places.begin(), [&](int64_t i) { return place(i); });
        return {x_, places.data(), static_cast<int64_t>(ids.size())};
    }

    // K of some rows, all with all.
    void square(const std::vector<int64_t> &ids, double *out) {
        const PackedRows packed = pack(ids);
        write_kernel_values(kernel_, packed, queries(ids), out, packed.rows);
    }

    // F of a set of rows += Σ change · k(row of ids, ·)
    void add(const std::vector<int64_t> &ids, const std::vector<double> &change, const Set &set, double *F) {
        add_kernel_sums(kernel_, set, queries(ids), change.data(), 1, F);
    }
};

template <class Source>
class DualSolver {
    Source &source_;
    const DualRows rows_;
    const int64_t n_;
    const DualLimits limits_;
    double *const beta_;
    std::vector<double> F_;            // of all rows; up to date for the active ones
    std::vector<int64_t> active_;
    std::vector<double> active_F_;     // in the order of active_
    std::vector<double> told_;         // the β that F_ of rows set aside knows of
    std::vector<int64_t> place_;       // of a row in active_, or −1
    std::vector<int64_t> set_;         // the working set, newest first
    std::unique_ptr<typename Source::Set> packed_;
    int64_t steps_ = 0, values_ = 0;
    double largest_value_ = 0;  // of the kernel, among rows that have been in a working set
    double least_dual_ = std::numeric_limits<double>::infinity();
    int idle_ = 0;  // rounds since it fell

    struct Extremes {
        double up = -std::numeric_limits<double>::infinity(), down = std::numeric_limits<double>::infinity();
        double violation() const { return up - down; }
    };

    // No violation can be told from less than this: F is known up to rounding.
    double rounding(double times) const {
        double largest = 0;
        for (size_t k = 0; k < active_.size(); ++k)
            largest = std::max({largest, std::abs(active_F_[k]), std::abs(rows_.target[active_[k]])});
        return std::isfinite(largest) ? times * std::numeric_limits<double>::epsilon() * largest : 0;
    }
    bool holds(const Extremes &e) const { return e.violation() <= std::max(limits_.tolerance, rounding(64)); }

    Extremes extremes() const {
        Extremes e;
        for (size_t k = 0; k < active_.size(); ++k) {
            const int64_t i = active_[k];
            e.up = std::max(e.up, rows_.up(i, beta_[i], active_F_[k]));
            e.down = std::min(e.down, rows_.down(i, beta_[i], active_F_[k]));
        }
        return e;
    }

    void activate(std::vector<int64_t> ids) {
        for (size_t k = 0; k < active_.size(); ++k) F_[static_cast<size_t>(active_[k])] = active_F_[k];
        active_ = std::move(ids);
        active_F_.resize(active_.size());
        std::fill(place_.begin(), place_.end(), -1);
        for (size_t k = 0; k < active_.size(); ++k) {
            place_[static_cast<size_t>(active_[k])] = static_cast<int64_t>(k);
            active_F_[k] = F_[static_cast<size_t>(active_[k])];
        }
        packed_ = std::make_unique<typename Source::Set>(source_.pack(active_));
        least_dual_ = std::numeric_limits<double>::infinity(), idle_ = 0;  // sums over other rows compare with nothing
    }

    void add(const std::vector<int64_t> &ids, const std::vector<double> &change, const typename Source::Set &set, int64_t size,
             double *F) {
        values_ += static_cast<int64_t>(ids.size()) * size;
        source_.add(ids, change, set, F);
    }

    // Rows set aside come back.
    void restore() {
        if (static_cast<int64_t>(active_.size()) == n_) return;
        std::vector<int64_t> aside, changed;
        std::vector<double> change;
        for (int64_t i = 0; i < n_; ++i) {
            if (place_[static_cast<size_t>(i)] < 0) aside.push_back(i);
            const double d = beta_[i] - told_[static_cast<size_t>(i)];
            if (d != 0) changed.push_back(i), change.push_back(d);
        }
        std::vector<double> F(aside.size());
        for (size_t k = 0; k < aside.size(); ++k) F[k] = F_[static_cast<size_t>(aside[k])];
        add(changed, change, source_.pack(aside), static_cast<int64_t>(aside.size()), F.data());
        for (size_t k = 0; k < aside.size(); ++k) F_[static_cast<size_t>(aside[k])] = F[k];
        std::vector<int64_t> all(static_cast<size_t>(n_));
        std::iota(all.begin(), all.end(), 0);
        activate(std::move(all));
        std::copy_n(beta_, n_, told_.begin());
    }

    // Sets rows aside; true if there were enough to be worth it.
    void shrink(const Extremes &e) {
        std::vector<int64_t> kept;
        for (size_t k = 0; k < active_.size(); ++k) {
            const int64_t i = active_[k];
            const bool idle = rows_.up(i, beta_[i], active_F_[k]) < e.down && rows_.down(i, beta_[i], active_F_[k]) > e.up;
            if (!idle) kept.push_back(i);
        }
        if (kept.size() * 10 > active_.size() * 9 || kept.size() < 2) return;
        if (static_cast<int64_t>(active_.size()) == n_) {
            std::copy_n(beta_, n_, told_.begin());
        } else {
            // Rows set aside before have their F of another time: bring the rows set aside now to the same one.
            std::vector<int64_t> leaving, changed;
            std::vector<double> change, F;
            std::vector<bool> stays(static_cast<size_t>(n_));
            for (const int64_t i : kept) stays[static_cast<size_t>(i)] = true;
            for (const int64_t i : active_)
                if (!stays[static_cast<size_t>(i)]) leaving.push_back(i);
            for (int64_t i = 0; i < n_; ++i) {
                const double d = told_[static_cast<size_t>(i)] - beta_[i];
                if (d != 0) changed.push_back(i), change.push_back(d);
            }
            for (const int64_t i : leaving) F.push_back(active_F_[static_cast<size_t>(place_[static_cast<size_t>(i)])]);
            add(changed, change, source_.pack(leaving), static_cast<int64_t>(leaving.size()), F.data());
            for (size_t k = 0; k < leaving.size(); ++k)
                active_F_[static_cast<size_t>(place_[static_cast<size_t>(leaving[k])])] = F[k];
        }
        activate(std::move(kept));
    }

    // Half of the set is new: the rows that most want to go up and down; the other half are the newest of the last one.
    void choose() {
        const int64_t size = std::min<int64_t>(limits_.working, static_cast<int64_t>(active_.size()));
        std::vector<int64_t> chosen;
        std::vector<bool> taken(static_cast<size_t>(n_));
        const auto take = [&](int64_t i) {
            if (taken[static_cast<size_t>(i)]) return false;
            taken[static_cast<size_t>(i)] = true;
            chosen.push_back(i);
            return true;
        };
        std::vector<int64_t> kept;
        for (const int64_t i : set_)
            if (place_[static_cast<size_t>(i)] >= 0) kept.push_back(i);
        const int64_t fresh = kept.empty() ? size : std::max<int64_t>(2, size / 2);
        std::vector<std::pair<double, int64_t>> ups, downs;
        for (size_t k = 0; k < active_.size(); ++k) {
            const int64_t i = active_[k];
            const double u = rows_.up(i, beta_[i], active_F_[k]), d = rows_.down(i, beta_[i], active_F_[k]);
            if (u > -std::numeric_limits<double>::infinity()) ups.emplace_back(-u, i);
            if (d < std::numeric_limits<double>::infinity()) downs.emplace_back(d, i);
        }
        const auto first = [&](std::vector<std::pair<double, int64_t>> &all) {
            const auto end = all.begin() + std::min<int64_t>(fresh, static_cast<int64_t>(all.size()));
            std::nth_element(all.begin(), end == all.begin() ? end : end - 1, all.end());
            std::sort(all.begin(), end);
            all.erase(end, all.end());
        };
        first(ups), first(downs);
        for (size_t k = 0; k < std::max(ups.size(), downs.size()) && static_cast<int64_t>(chosen.size()) < fresh; ++k) {
            if (k < ups.size()) take(ups[k].second);
            if (k < downs.size() && static_cast<int64_t>(chosen.size()) < fresh) take(downs[k].second);
        }
        for (size_t k = 0; k < kept.size() && static_cast<int64_t>(chosen.size()) < size; ++k) take(kept[k]);
        set_ = std::move(chosen);
    }

    // False if nothing could be changed.
    bool improve(double violation) {
        const size_t q = set_.size();
        std::vector<double> K(q * q), beta(q), F(q), target(q), low(q), high(q);
        source_.square(set_, K.data());
        values_ += static_cast<int64_t>(q * q);
        for (size_t k = 0; k < q; ++k) {
            const int64_t i = set_[k];
            beta[k] = beta_[i], F[k] = active_F_[static_cast<size_t>(place_[static_cast<size_t>(i)])];
            target[k] = rows_.target[i], low[k] = rows_.low[i], high[k] = rows_.high[i];
        }
        for (size_t k = 0; k < q; ++k) largest_value_ = std::max(largest_value_, std::abs(K[k * q + k]));
        const DualRows few{target.data(), low.data(), high.data(), rows_.epsilon};
        // All rows at once are solved as exactly as rounding allows: it costs next to nothing, and then nothing that
        // leaves the problem as it is (order, units, copies, constant columns) moves the answer.
        const bool all = static_cast<int64_t>(q) == n_;
        const double enough = std::max(
            all ? std::min(limits_.tolerance * 0.5, 1e-11) : std::max(limits_.tolerance * 0.5, violation * 0.1), rounding(4));
        const int64_t most = (all ? 400 : 50) * static_cast<int64_t>(q);
        run_blocks(1, [&](int64_t, Job &job) {
            steps_ += solve_pairs(few, static_cast<int64_t>(q), K.data(), enough, most, beta.data(), F.data(), job);
        });
        std::vector<int64_t> changed;
        std::vector<double> change;
        for (size_t k = 0; k < q; ++k) {
            const double d = beta[k] - beta_[set_[k]];
            if (d != 0) changed.push_back(set_[k]), change.push_back(d);
            beta_[set_[k]] = beta[k];
        }
        add(changed, change, *packed_, static_cast<int64_t>(active_.size()), active_F_.data());
        return !changed.empty();
    }

    // What the dual has reached, of classes without bounds: the largest on the ray through β, (zᵀβ)² / 2βᵀKβ. F of rows
    // set aside may be of an earlier time.
    double reached() const {
        double gain = 0, square = 0;
        for (int64_t i = 0; i < n_; ++i) {
            const int64_t k = place_[static_cast<size_t>(i)];
            gain += beta_[i] * rows_.target[i];
            square += beta_[i] * (k < 0 ? F_[static_cast<size_t>(i)] : active_F_[static_cast<size_t>(k)]);
        }
        if (gain == 0) return 0;
        return square > 0 ? gain * gain / (2 * square) : std::numeric_limits<double>::infinity();
    }

    // Whether the dual has not fallen for `patience` rounds by more than rounding can feign: nothing more will be gained.
    // Where costs are large, F is what is left of much larger terms, and may be known less exactly than tol asks for.
    bool stalled() {
        double dual = 0, size = 0, largest = 0;
        for (const int64_t i : active_) largest = std::max(largest, std::abs(beta_[i]));
        for (const int64_t i : active_) {
            const double b = beta_[i], f = active_F_[static_cast<size_t>(place_[static_cast<size_t>(i)])];
            dual += b * (0.5 * f - rows_.target[i]) + rows_.epsilon * std::abs(b);
            size += std::abs(b) * (largest * largest_value_ + std::abs(rows_.target[i]) + rows_.epsilon);
        }
        if (dual < least_dual_ - 4 * std::numeric_limits<double>::epsilon() * size) {
            least_dual_ = dual, idle_ = 0;
            return false;
        }
        return ++idle_ >= patience;
    }

    double half_square() const {
        double sum = 0;
        for (int64_t i = 0; i < n_; ++i) sum += beta_[i] * F_[static_cast<size_t>(i)];
        return sum / 2;
    }

    DualEnd end(const Extremes &e, int64_t rounds, bool unbounded) const {
        double inside = 0, sum = 0, dual = half_square(), primal = dual;
        int64_t free = 0;
        for (int64_t i = 0; i < n_; ++i) {
            const double f = F_[static_cast<size_t>(i)];
            dual += rows_.epsilon * std::abs(beta_[i]) - rows_.target[i] * beta_[i];
            sum += beta_[i];
            if (beta_[i] > rows_.low[i] && beta_[i] < rows_.high[i] && (rows_.epsilon == 0 || beta_[i] != 0))
                inside += rows_.up(i, beta_[i], f), ++free;
        }
        const double offset = free ? inside / static_cast<double>(free) : (e.up + e.down) / 2;
        primal += offset * sum;
        for (int64_t i = 0; i < n_; ++i) {
            const double r = rows_.target[i] - F_[static_cast<size_t>(i)] - offset;
            if (r > rows_.epsilon && rows_.high[i] != 0) primal += rows_.high[i] * (r - rows_.epsilon);
            if (r < -rows_.epsilon && rows_.low[i] != 0) primal += rows_.low[i] * (r + rows_.epsilon);
        }
        return {offset, e.violation(), -dual, primal + dual, rounds, steps_, values_, unbounded, holds(e)};
    }

    static constexpr int64_t shrink_every = 8;  // rounds
    static constexpr int patience = 200;        // rounds

  public:
    DualSolver(Source &source, const DualRows &rows, int64_t n, const DualLimits &limits, double *beta)
        : source_(source), rows_(rows), n_(n), limits_(limits), beta_(beta), F_(static_cast<size_t>(n)),
          told_(static_cast<size_t>(n)), place_(static_cast<size_t>(n), -1) {}

    DualEnd solve() {
        std::vector<int64_t> all(static_cast<size_t>(n_)), changed;
        std::iota(all.begin(), all.end(), 0);
        activate(std::move(all));
        std::vector<double> change;
        for (int64_t i = 0; i < n_; ++i)
            if (beta_[i] != 0) changed.push_back(i), change.push_back(beta_[i]);
        if (!changed.empty()) add(changed, change, *packed_, n_, active_F_.data());
        int64_t round = 0;
        Extremes e = extremes();
        int returns = 0;
        bool unbounded = false;
        for (; round < limits_.rounds; ++round) {
            e = extremes();
            // What is no kernel may run away to where nothing is a number.
            if (std::isfinite(limits_.most_objective) && !(reached() <= limits_.most_objective)) {
                unbounded = true;
                break;
            }
            if (holds(e)) {
                if (static_cast<int64_t>(active_.size()) == n_) break;
                restore();
                ++returns;
                e = extremes();
                if (holds(e)) break;
            }
            if (stalled()) {
                if (static_cast<int64_t>(active_.size()) == n_) break;
                restore();
                ++returns;
                e = extremes();
            }
            if (limits_.shrinking && returns < 3 && round % shrink_every == shrink_every - 1) shrink(e);
            choose();
            if (!improve(e.violation())) break;
        }
        restore();
        for (size_t k = 0; k < active_.size(); ++k) F_[static_cast<size_t>(active_[k])] = active_F_[k];
        return end(extremes(), round, unbounded);
    }

    // Kβ, of all rows.
    const std::vector<double> &values() const { return F_; }
};

}  // namespace learnt
