// Coordinate descent for squared errors with penalties that make coefficients zero:
//
//   P(b) = ½ Σ_i s_i (y_i − b·x_i)² + Σ_g l1_g |b_g| + ½ Σ_g l2_g |b_g|²
//
// over groups g of columns; a group of one column makes it the lasso or the elastic net.
//
//   problem   columns and residual; see linear/penalised.hpp                      updated
//   groups, step      where they begin; a bound of each group's curvature     read
//   l1, l2    groups; an infinite l1 keeps a group at zero                    read
//   coef      p, the start and the solution                                   updated
//
// Three nested sets of groups: the *live* ones are cycled through, the working *set* (what the strong rule of
// Tibshirani et al. 2012 or a violated condition brought in) is looked at every few rounds, and all groups at the
// end. Every `depth` rounds the coefficients are extrapolated (Anderson; Bertrand & Massias 2021) and kept if that
// lowers P. The end is told by the duality gap, with θ = t·r scaled into the dual's feasible set:
//
//   gap = P(b) − t (y·r) + ½ t² (|r|² + Σ l2 |b|²),   t ≤ min_g l1_g / |c_g − l2 b_g|
#pragma once

#include <limits>

#include "base/hash.hpp"
#include "linear/penalised.hpp"

namespace learnt {

struct Penalty {
    Groups groups;
    const double *step, *l1, *l2;
    bool positive;
};

// `strong`: groups with |c_g| ≥ strong · l1_g start in the working set.
struct Limits {
    double gap, strong;
    int64_t epochs;
};

struct Descended {
    double gap, objective;
    int64_t epochs;
};

template <class Problem>
class Descent {
    static constexpr int depth = 5;
    static constexpr double inside = 0.3;  // of the gap allowed, what the working set may use up

    Problem &problem_;
    const Penalty &penalty_;
    double *b_;
    Job &job_;
    int64_t epochs_ = 0;
    std::vector<int64_t> set_, live_;
    std::vector<char> in_set_;
    std::vector<double> next_;

    bool usable(int64_t g) const { return penalty_.step[g] > 0 && penalty_.l1[g] < std::numeric_limits<double>::infinity(); }

    bool active(int64_t g) const {
        const Range r = penalty_.groups[g];
        return std::any_of(b_ + r.first, b_ + r.last, [](double b) { return b != 0; });
    }

    // |c_g − l2 b_g|, of which only the positive part counts where coefficients may not be negative.
    double pull(int64_t g, const double *c) const {
        const Range r = penalty_.groups[g];
        const auto one = [&](int64_t j) {
            const double a = c[j] - penalty_.l2[g] * b_[j];
            return penalty_.positive ? std::max(a, 0.0) : std::abs(a);
        };
        if (r.size() == 1) return one(r.first);
        double sum = 0;
        for (int64_t j = r.first; j < r.last; ++j) sum += one(j) * one(j);
        return std::sqrt(sum);
    }

    void include(int64_t g) {
        if (in_set_[static_cast<size_t>(g)]) return;
        in_set_[static_cast<size_t>(g)] = 1;
        set_.push_back(g);
    }

    // One group to its best place, the others fixed (or, of several columns, a step that surely improves).
    void settle(int64_t g) {
        const Range r = penalty_.groups[g];
        const double step = penalty_.step[g], l1 = penalty_.l1[g], below = step + penalty_.l2[g];
        if (r.size() == 1) {
            const int64_t j = r.first;
            const double z = b_[j] * step + problem_.correlation(j);
            const double size = penalty_.positive ? z : std::abs(z);
            const double to = size > l1 ? std::copysign((size - l1) / below, z) : 0.0;
            if (to == b_[j]) return;
            problem_.move(j, to - b_[j]);
            b_[j] = to;
            return;
        }
        next_.resize(static_cast<size_t>(r.size()));
        double sum = 0;
        for (int64_t j = r.first; j < r.last; ++j) {
            const double z = b_[j] * step + problem_.correlation(j);
            next_[static_cast<size_t>(j - r.first)] = z;
            sum += z * z;
        }
        const double size = std::sqrt(sum), shrink = size > l1 ? (1 - l1 / size) / below : 0.0;
        for (int64_t j = r.first; j < r.last; ++j) {
            const double to = next_[static_cast<size_t>(j - r.first)] * shrink;
            if (to != b_[j]) problem_.move(j, to - b_[j]);
            b_[j] = to;
        }
    }

    void cycle() {
        ++epochs_;
        for (size_t k = 0; k < live_.size(); ++k) {
            if (k % 16 == 0) job_.check();
            settle(live_[k]);
        }
    }

    double penalty_of(int64_t g) const {
        const Range r = penalty_.groups[g];
        double square = 0;
        for (int64_t j = r.first; j < r.last; ++j) square += b_[j] * b_[j];
        return penalty_.l1[g] * std::sqrt(square) + penalty_.l2[g] / 2 * square;
    }
    double objective() const {
        double sum = problem_.loss();
        for (const int64_t g : live_) sum += penalty_of(g);
        return sum;
    }

    // `reach` is the largest pull of a group relative to its l1.
    Descended certificate(double reach) const {
        const double loss = problem_.loss();
        double primal = loss, agreement = 2 * loss, size = 2 * loss;  // y·r = |r|² + b·c
        for (const int64_t g : set_) {
            if (!active(g)) continue;
            primal += penalty_of(g);
            const Range r = penalty_.groups[g];
            for (int64_t j = r.first; j < r.last; ++j) {
                agreement += b_[j] * problem_.c[j];
                size += penalty_.l2[g] * b_[j] * b_[j];
            }
        }
        double t = reach > 0 ? 1 / reach : std::numeric_limits<double>::infinity();
        if (size > 0) t = std::min(t, agreement / size);
        if (!(t > 0) || size <= 0) t = 0;
        return {std::max(0.0, primal - t * agreement + t * t / 2 * size), primal, epochs_};
    }

    // Looks at the working set; what is not zero, or should not be, is live.
    Descended survey() {
        problem_.look(penalty_.groups, set_);
        double reach = 0;
        live_.clear();
        for (const int64_t g : set_) {
            const double ratio = pull(g, problem_.c) / penalty_.l1[g];
            reach = std::max(reach, ratio);
            if (ratio > 1 || active(g)) live_.push_back(g);
        }
        shuffle();
        return certificate(reach);
    }

    // Sparse columns are often stored by how common they are; cycling in that order can take many times as many
    // rounds as in one that means nothing. It stays the same between two looks, so that rounds extrapolate.
    void shuffle() {
        if constexpr (Problem::shuffled)
            for (size_t k = live_.size(); k > 1; --k) std::swap(live_[k - 1], live_[mix_bits(k) % k]);
    }

    // The working set alone, to a gap of `target`.
    Descended solve_set(double target, int64_t most) {
        std::vector<double> path;
        std::vector<int64_t> columns;
        for (;;) {
            const Descended now = survey();
            if (now.gap <= target || live_.empty() || epochs_ >= most) return now;
            columns.clear();
            for (const int64_t g : live_)
                for (int64_t j = penalty_.groups[g].first; j < penalty_.groups[g].last; ++j) columns.push_back(j);
            path.clear();
            const auto note = [&] {
                for (const int64_t j : columns) path.push_back(b_[j]);
            };
            note();
            int done = 0;
            for (; done < depth && epochs_ < most; ++done) cycle(), note();
            if (done < depth) continue;  // for the last look
            extrapolate(columns, path);
            cycle();  // which leaves no coefficient that extrapolation alone lifted off zero
        }
    }

    // Coefficients combined from the last rounds such that the combined change is the smallest.
    void extrapolate(const std::vector<int64_t> &columns, const std::vector<double> &path) {
        const size_t m = columns.size();
        double a[depth][depth + 1];
        double trace = 0;
        const auto change = [&](int k, size_t e) {
            return path[static_cast<size_t>(k + 1) * m + e] - path[static_cast<size_t>(k) * m + e];
        };
        for (int k = 0; k < depth; ++k)
            for (int l = k; l < depth; ++l) {
                double sum = 0;
                for (size_t e = 0; e < m; ++e) sum += change(k, e) * change(l, e);
                a[k][l] = a[l][k] = sum;
                if (k == l) trace += sum;
            }
        double weight[depth];
        if (!(trace > 0) || !solve_for_ones(a, 1e-12 * trace, weight)) return;
        const double before = objective();
        const std::vector<double> kept(path.end() - static_cast<std::ptrdiff_t>(m), path.end());
        problem_.save();
        for (size_t e = 0; e < m; ++e) {
            double to = 0;
            for (int k = 0; k < depth; ++k) to += weight[k] * path[static_cast<size_t>(k + 1) * m + e];
            if (penalty_.positive) to = std::max(to, 0.0);
            if (e % 16 == 0) job_.check();
            const int64_t j = columns[e];
            if (to != b_[j]) problem_.move(j, to - b_[j]);
            b_[j] = to;
        }
        if (objective() < before) return;
        problem_.restore();
        for (size_t e = 0; e < m; ++e) b_[columns[e]] = kept[e];
    }

    // w with (A + ridge) w ∝ 1 and Σ w = 1, by Gauss; false if there is none.
    static bool solve_for_ones(double (&a)[depth][depth + 1], double ridge, double (&weight)[depth]) {
        for (int k = 0; k < depth; ++k) a[k][k] += ridge, a[k][depth] = 1;
        for (int k = 0; k < depth; ++k) {
            if (!(a[k][k] > 0)) return false;
            for (int l = k + 1; l < depth; ++l) {
                const double f = a[l][k] / a[k][k];
                for (int e = k; e <= depth; ++e) a[l][e] -= f * a[k][e];
            }
        }
        double sum = 0;
        for (int k = depth - 1; k >= 0; --k) {
            weight[k] = a[k][depth];
            for (int e = k + 1; e < depth; ++e) weight[k] -= a[k][e] * weight[e];
            weight[k] /= a[k][k];
            sum += weight[k];
        }
        if (!(std::abs(sum) > 0) || !std::isfinite(sum)) return false;
        for (double &w : weight) w /= sum;
        return true;
    }

    // Looks at all other groups, as far as what was seen earlier leaves room for doubt, and takes in those that
    // want to move. Returns whether there were any, and the gap.
    std::pair<bool, Descended> certify() {
        const double drift = problem_.drift();
        std::vector<int64_t> doubtful;
        const double *seen = seen_c();
        for (int64_t g = 0; g < penalty_.groups.count; ++g)
            if (usable(g) && !in_set_[static_cast<size_t>(g)] &&
                pull(g, seen) + std::sqrt(penalty_.step[g]) * drift * (1 + 1e-9) > penalty_.l1[g])
                doubtful.push_back(g);
        const bool all = 2 * static_cast<int64_t>(doubtful.size()) > penalty_.groups.count;
        if (all) {
            doubtful.clear();
            for (int64_t g = 0; g < penalty_.groups.count; ++g)
                if (usable(g) && !in_set_[static_cast<size_t>(g)]) doubtful.push_back(g);
        }
        problem_.look(penalty_.groups, doubtful);
        if (all) problem_.remember(penalty_.groups.starts[penalty_.groups.count]);
        double reach = 0;
        for (const int64_t g : set_) reach = std::max(reach, pull(g, problem_.c) / penalty_.l1[g]);
        std::vector<std::pair<double, int64_t>> wanting;
        for (const int64_t g : doubtful) {
            const double ratio = pull(g, problem_.c) / penalty_.l1[g];
            reach = std::max(reach, ratio);
            if (ratio > 1) wanting.emplace_back(-ratio, g);
        }
        const size_t most = std::max<size_t>(100, 2 * set_.size());
        if (wanting.size() > most) {  // the worst first: most of the others will be explained by them
            std::nth_element(wanting.begin(), wanting.begin() + static_cast<std::ptrdiff_t>(most), wanting.end());
            wanting.resize(most);
        }
        std::sort(wanting.begin(), wanting.end(), [](auto &one, auto &two) { return one.second < two.second; });
        for (const auto &[ratio, g] : wanting) include(g);
        return {!wanting.empty(), certificate(reach)};
    }

    const double *seen_c() const {
        if constexpr (requires { problem_.seen_c; })
            return problem_.seen_c;
        else
            return problem_.c;
    }

  public:
    Descent(Problem &problem, const Penalty &penalty, double *coef, Job &job)
        : problem_(problem), penalty_(penalty), b_(coef), job_(job),
          in_set_(static_cast<size_t>(penalty.groups.count), 0) {}

    Descended run(const Limits &limits) {
        for (int64_t g = 0; g < penalty_.groups.count; ++g)
            if (usable(g) && (active(g) || pull(g, seen_c()) >= limits.strong * penalty_.l1[g])) include(g);
        for (;;) {
            solve_set(inside * limits.gap, limits.epochs);
            const auto [more, now] = certify();
            if (now.gap <= limits.gap || !more || epochs_ >= limits.epochs) return now;
        }
    }
};

template <class Problem>
Descended descend(Problem &problem, const Penalty &penalty, const Limits &limits, double *coef) {
    Descended found{};
    // One block: the threads are used inside, where many columns are looked at.
    run_blocks(1, [&](int64_t, Job &job) { found = Descent<Problem>(problem, penalty, coef, job).run(limits); });
    return found;
}

}  // namespace learnt
