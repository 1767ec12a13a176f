// k-medoids by swaps (FasterPAM: E. Schubert and P. Rousseeuw, Fast and eager k-medoids clustering, 2021).
//
// Every row knows its nearest and its second nearest medoid. What it would cost to put candidate c in the place of
// medoid i is, over all rows o with distance d = d(c, o), d₁ to the nearest and d₂ to the second nearest medoid,
//
//   Σ_o w_o (min(d, d₁) − d₁)                                    c is added
//   + Σ_{o: nearest is i} w_o (d₂ − d₁)                          i is taken away
//   + Σ_{o: nearest is i} w_o (min(max(d, d₁), d₂) − d₂)         of which c makes good a part
//
// so that one look at the distances of c tells the cost for all k medoids. `swap_medoids` looks at the candidates in
// turn and swaps as soon as it pays (eager), or at all of them and takes the best (steepest).
//
//   distances  n × n, row-major, symmetric, zeros on the diagonal
//   weights    n, or null for ones
//   medoids    k different rows; nearest, second: places among them; to_nearest, to_second: distances    updated
//
// Candidates are looked at by several threads at once, and the first that pays is taken: the same swaps for any number
// of threads.
#pragma once

#include <numeric>

#include "base/pool.hpp"
#include "distance/measure.hpp"

namespace learnt {

struct MedoidState {
    const double *distances, *weights;
    int64_t n, k;
    int64_t *medoids;
    int32_t *nearest, *second;
    double *to_nearest, *to_second;

    const double *row(int64_t i) const { return distances + i * n; }
    double weight(int64_t o) const { return weights ? weights[o] : 1.0; }
};

struct MedoidSwap {
    double change;
    int64_t place;
};

}  // namespace learnt

#define LEARNT_LOOPS "cluster/medoids_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// The second nearest medoid of a row whose nearest is known.
inline void find_second_medoid(const MedoidState &s, int64_t o) {
    s.second[o] = -1;
    s.to_second[o] = std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < s.k; ++i) {
        const double d = s.row(s.medoids[i])[o];
        if (i != s.nearest[o] && d < s.to_second[o]) {
            s.second[o] = static_cast<int32_t>(i);
            s.to_second[o] = d;
        }
    }
}

inline void find_nearest_medoids(const MedoidState &s) {
    const Blocks blocks = cut(s.n, 1024, 64);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        for (int64_t o = blocks[b].first; o < blocks[b].last; ++o) {
            if (o % 64 == 0) job.check();
            s.nearest[o] = 0;
            s.to_nearest[o] = s.row(s.medoids[0])[o];
            for (int64_t i = 1; i < s.k; ++i) {
                const double d = s.row(s.medoids[i])[o];
                if (d < s.to_nearest[o]) {
                    s.nearest[o] = static_cast<int32_t>(i);
                    s.to_nearest[o] = d;
                }
            }
            find_second_medoid(s, o);
        }
    });
}

// Puts row c in the place of medoid i.
inline void swap_medoid(const MedoidState &s, int64_t i, int64_t c) {
    const int32_t place = static_cast<int32_t>(i);
    const double *row = s.row(c);
    s.medoids[i] = c;
    for (int64_t o = 0; o < s.n; ++o) {
        const double d = row[o];
        double &d1 = s.to_nearest[o], &d2 = s.to_second[o];
        if (s.nearest[o] == place) {
            if (d <= d2) {
                d1 = d;
            } else {
                s.nearest[o] = s.second[o];
                d1 = d2;
                find_second_medoid(s, o);
            }
        } else if (d < d1) {
            s.second[o] = s.nearest[o];
            d2 = d1;
            s.nearest[o] = place;
            d1 = d;
        } else if (s.second[o] == place) {
            if (d <= d2)
                d2 = d;
            else
                find_second_medoid(s, o);
        } else if (d < d2) {
            s.second[o] = place;
            d2 = d;
        }
    }
}

// What taking each medoid away would cost, and the loss.
inline double medoid_removals(const MedoidState &s, double *removal) {
    std::fill_n(removal, s.k, 0.0);
    double loss = 0;
    for (int64_t o = 0; o < s.n; ++o) {
        removal[s.nearest[o]] += s.weight(o) * (s.to_second[o] - s.to_nearest[o]);
        loss += s.weight(o) * s.to_nearest[o];
    }
    return loss;
}

struct SwapReport {
    int64_t position, quiet, swaps;  // the next candidate; how many since the last swap
    double loss;
};

// Looks at up to n candidates from `position` on, round and round, until none of n in a row pays. k ≥ 2.
inline SwapReport swap_medoids(const MedoidState &s, bool eager, int64_t position, int64_t quiet) {
    const Level level = current_level();
    const Buffer<double> removal(s.k);
    std::vector<uint8_t> taken(static_cast<size_t>(s.n), 0);
    for (int64_t i = 0; i < s.k; ++i) taken[static_cast<size_t>(s.medoids[i])] = 1;
    SwapReport report{position, quiet, 0, medoid_removals(s, removal.data())};
    // Few candidates at a time while most of them pay, many once few do.
    int64_t abreast = eager ? 2 : s.n, looked = 0;
    std::vector<MedoidSwap> found;
    while (looked < s.n && report.quiet < s.n) {
        const int64_t count = std::min({abreast, s.n - looked, s.n - report.quiet});
        found.assign(static_cast<size_t>(count), {0.0, -1});
        const Blocks blocks = cut(count, 1, 512);
        run_blocks(blocks.count, [&](int64_t b, Job &job) {
            const Buffer<double> change(s.k);
            for (int64_t t = blocks[b].first; t < blocks[b].last; ++t) {
                const int64_t c = (report.position + t) % s.n;
                job.check();
                if (taken[static_cast<size_t>(c)]) continue;
                LEARNT_AT(level, look_at_candidate(s, c, removal.data(), change.data(), found[static_cast<size_t>(t)]));
            }
        });
        // Less than rounding is no gain: swaps for it might go on for ever.
        const double least = -1e-12 * report.loss;
        int64_t take = -1;
        for (int64_t t = 0; t < count; ++t)
            if (const auto &at = found[static_cast<size_t>(t)]; at.place >= 0 && at.change < least) {
                if (take < 0 || at.change < found[static_cast<size_t>(take)].change) take = t;
                if (eager) break;
            }
        const int64_t seen = eager && take >= 0 ? take + 1 : count;
        looked += seen;
        report.quiet = take >= 0 ? 0 : report.quiet + seen;
        if (take >= 0) {
            const int64_t c = (report.position + take) % s.n, i = found[static_cast<size_t>(take)].place;
            taken[static_cast<size_t>(s.medoids[i])] = 0;
            taken[static_cast<size_t>(c)] = 1;
            swap_medoid(s, i, c);
            report.loss = medoid_removals(s, removal.data());
            ++report.swaps;
        }
        report.position = (report.position + seen) % s.n;
        abreast = !eager     ? s.n
                  : take >= 0 ? std::max<int64_t>(2, std::min(abreast, 2 * seen)) : std::min<int64_t>(512, 2 * abreast);
    }
    return report;
}

// The medoids of PAM's BUILD: the row with the least total distance, then always the row that brings all rows most
// nearer to a medoid; of equal ones the first.
//
//   gain_c = Σ_o w_o max(nearest_o − d(c, o), 0)
//
// Medoids only take gain away from the others. What a candidate would have gained before is therefore more than it
// gains now, and few candidates have to be looked at again (M. Minoux, Accelerated greedy algorithms, 1978).
inline void build_medoids(const double *distances, const double *weights, int64_t n, int64_t k, int64_t *medoids) {
    const Level level = current_level();
    const Buffer<double> gains(n), nearest(n, std::numeric_limits<double>::infinity());
    const auto look_at_all = [&](const double *near) {
        const Blocks blocks = cut(n, 16, 512);
        run_blocks(blocks.count, [&](int64_t b, Job &job) {
            for (int64_t c = blocks[b].first; c < blocks[b].last; ++c) {
                job.check();
                LEARNT_AT(level, gain_of_candidate(distances + c * n, weights, n, near, gains[c]));
            }
        });
    };
    std::vector<int64_t> order(static_cast<size_t>(n)), batch;
    std::iota(order.begin(), order.end(), 0);
    // The heap's top gains most; of equal ones it is the first.
    const auto less = [&](int64_t a, int64_t b) { return gains[a] != gains[b] ? gains[a] < gains[b] : a > b; };
    for (int64_t i = 0; i < k; ++i) {
        if (i < 2) {
            look_at_all(i == 0 ? nullptr : nearest.data());
            std::make_heap(order.begin(), order.end(), less);
        } else {
            std::vector<int64_t> fresh;
            int64_t best = -1;
            while (!order.empty() && (best < 0 || less(best, order.front()))) {
                batch.clear();
                for (int t = 0; t < 16 && !order.empty(); ++t) {
                    batch.push_back(order.front());
                    std::pop_heap(order.begin(), order.end(), less);
                    order.pop_back();
                }
                run_blocks(static_cast<int64_t>(batch.size()), [&](int64_t t, Job &) {
                    const int64_t c = batch[static_cast<size_t>(t)];
                    LEARNT_AT(level, gain_of_candidate(distances + c * n, weights, n, nearest.data(), gains[c]));
                });
                for (const int64_t c : batch) {
                    fresh.push_back(c);
                    if (best < 0 || less(best, c)) best = c;
                }
            }
            for (const int64_t c : fresh) {
                order.push_back(c);
                std::push_heap(order.begin(), order.end(), less);
            }
        }
        const int64_t c = medoids[i] = order.front();
        std::pop_heap(order.begin(), order.end(), less);
        order.pop_back();
        for (int64_t o = 0; o < n; ++o) nearest[o] = std::min(nearest[o], distances[c * n + o]);
    }
}

}  // namespace learnt
