// Rows of a batch twice: as they shall be given back, and as the net sees them, with noise.
#pragma once

#include <limits>

#include "base/hash.hpp"
#include "base/pool.hpp"
#include "neural/reconstruction.hpp"
#include "neural/rows.hpp"
#include "neural/team.hpp"

namespace learnt {

template <class Real>
class CellBatch {
    const Reconstruction &of_;
    const Level level_ = current_level();
    const int64_t inputs_;
    const Buffer<Real> clean_, seen_;
    const Buffer<double> zeros_, ones_;

    // Scaled inputs, NaN where a number is missing.
    template <class Source>
    void put(const NetRows<Source> &rows, int64_t i, Real *z) const {
        bool infinite = false;  // fit has looked for them
        LEARNT_AT(level_, put_numbers(rows, i, inputs_, z, infinite));
        for (int64_t j = 0; j < of_.numbers; ++j) {
            const Source cell = rows.x(i, j);
            if (!(cell == cell)) z[j] = std::numeric_limits<Real>::quiet_NaN();
        }
    }

    // By the place in the batch and `key` alone, so that the same noise comes for any number of threads.
    void spoil(uint64_t key, int64_t place, const Real *other, Real *z) const {
        const uint64_t row = mix_bits(key + static_cast<uint64_t>(place) * 0x9e3779b97f4a7c15u);
        if (of_.noise == CellNoise::gaussian) {
            for (int64_t j = 0; j < of_.numbers; ++j) {
                const double u = uniform_of(row, 2 * static_cast<uint64_t>(j)), v = uniform_of(row, 2 * static_cast<uint64_t>(j) + 1);
                z[j] += static_cast<Real>(of_.level * std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v));
            }
            return;
        }
        of_.each_cell([&](int64_t c, int64_t first, int64_t width) {
            if (uniform_of(row, static_cast<uint64_t>(c)) >= of_.level) return;
            for (int64_t o = first; o < first + width; ++o) z[o] = of_.noise == CellNoise::swap ? other[o] : Real{0};
        });
    }

  public:
    CellBatch(const Reconstruction &of, int64_t inputs, int64_t most_rows)
        : of_(of),
          inputs_(inputs),
          clean_(most_rows * inputs),
          seen_(of.level > 0 ? most_rows * inputs : 0),
          zeros_(inputs, 0.0),
          ones_(inputs, 1.0) {}

    // Takes rows order[first] … order[first + n − 1]; others are drawn from all of `order`.
    template <class Source>
    void take(Team &team, const NetRows<Source> &rows, const int64_t *order, int64_t count, int64_t first, int64_t n, uint64_t key) const {
        const bool noisy = of_.level > 0;
        const Blocks blocks{n, n * inputs_ < (1 << 16) ? 1 : (n + 31) / 32};
        team.run(blocks.count, [&](int64_t b) {
            const Buffer<Real> other(noisy ? inputs_ : 0);
            for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
                put(rows, order[first + i], clean_.data() + i * inputs_);
                if (!noisy) continue;
                Real *const z = seen_.data() + i * inputs_;
                std::copy_n(clean_.data() + i * inputs_, inputs_, z);
                if (of_.noise == CellNoise::swap) {
                    const double u = uniform_of(mix_bits(key ^ 0x5bd1e995u), static_cast<uint64_t>(i));
                    put(rows, order[std::min(static_cast<int64_t>(u * static_cast<double>(count)), count - 1)], other.data());
                }
                spoil(key, i, other.data(), z);
            }
        });
    }

    const Real *clean(int64_t i) const { return clean_.data() + i * inputs_; }

    NetRows<Real> seen(int64_t n) const {
        const Real *const from = of_.level > 0 ? seen_.data() : clean_.data();
        return {row_major(from, n, inputs_), zeros_.data(), ones_.data(), 0.0, nullptr, nullptr};
    }
};

}  // namespace learnt
