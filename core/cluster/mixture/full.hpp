// One round of EM for a mixture of Gaussians whose covariances are full: what each component says about each row,
// and the sums from which the components move, in one pass.
//
//   z_i = (x_i − shift) · scale,   d_ic = z_i − mean_c
//   l_ic = offset_c − ½ |root_c d_ic|²,   log p_i = log Σ_c exp l_ic,   r_ic = exp(l_ic − log p_i)
//   sums_c += Σ_i w_i r_ic [d_ic, 1] [d_ic, 1]ᵀ
//   returns Σ_i w_i log p_i
//
//   x             n × p, any strides, finite                                          read
//   weights       n, or null for ones; not negative                                   read
//   shift, scale  p                                                                   read
//   mean          k × p                                                               read
//   roots         g × p × p, lower triangles count; component c has root c mod g      read
//   offset        k                                                                   read
//   log_density   n, or null: log p_i                                                 overwritten
//   shares        n × k, or null: r_ic                                                overwritten
//   labels        n, or null: the component of the largest r_ic, the first of equals  overwritten
//   sums          k × (p + 1) × (p + 1), or null; lower triangles count               updated, never cleared
//
// Second moments are taken around the components' present means, so that nothing cancels. Rows are turned by tiles,
// vectors run across rows, and a tile's shares are used while it is in cache: memory does not grow with n · k. Rows
// of no more than a 10⁻¹⁸th share in a component are left out of its sums.
#pragma once

#include "base/pool.hpp"
#include "base/slots.hpp"
#include "base/tile.hpp"
#include "simd/levels.hpp"
#include "simd/math.hpp"

namespace learnt {

template <class Real>
struct MixtureInput {
    Matrix<const Real> x;
    const double *weights, *shift, *scale, *mean, *offset;
    int64_t components;
};

struct MixtureAnswers {
    double *log_density, *shares;
    int32_t *labels;
};

inline constexpr int64_t mixture_tile = 128;  // rows
inline constexpr int64_t mixture_group = 4;   // outputs of a register tile

// Rows of a triangle in groups of four, each column by column: what a register tile reads, one after another.
class PackedRoots {
    int64_t count_, size_;
    Buffer<double> values_;

    static int64_t packed_size(int64_t p) {
        int64_t size = 0;
        for (int64_t i = 0; i < p; i += mixture_group)
            size += std::min(mixture_group, p - i) * std::min(i + mixture_group, p);
        return size;
    }

  public:
    PackedRoots(const double *roots, int64_t count, int64_t p)
        : count_(count), size_(packed_size(p)), values_(count * size_) {
        double *to = values_.data();
        for (int64_t c = 0; c < count; ++c)
            for (int64_t i = 0; i < p; i += mixture_group)
                for (int64_t j = 0; j < std::min(i + mixture_group, p); ++j)
                    for (int64_t o = i; o < std::min(i + mixture_group, p); ++o)
                        *to++ = j <= o ? roots[(c * p + o) * p + j] : 0.0;
    }

    const double *of(int64_t component) const { return values_.data() + component % count_ * size_; }
};

// Numbers a block works with: the tile, its differences, its log densities, rows as they are turned.
inline int64_t mixture_scratch(int64_t p, int64_t k) { return (2 * p + 1 + k) * mixture_tile + p * 8; }

}  // namespace learnt

#define LEARNT_LOOPS "cluster/mixture/full_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt {

// At most 128 MB of slots, and rows enough that adding a slot is little work beside filling it.
inline Blocks mixture_blocks(int64_t rows, int64_t slot) {
    return cut(rows, 1024, std::clamp<int64_t>((128 << 20) / (8 * std::max<int64_t>(slot, 1)), 2, 64));
}

template <class Real>
double full_mixture_round(const MixtureInput<Real> &in, const double *roots, int64_t n_roots,
                          const MixtureAnswers &answers, double *sums) {
    const Level level = current_level();
    const int64_t p = in.x.columns, k = in.components, size = sums ? k * (p + 1) * (p + 1) : 0;
    const PackedRoots packed(roots, n_roots, p);
    const Blocks blocks = sums ? mixture_blocks(in.x.rows, size) : cut(in.x.rows, 1024, 1 << 12);
    const Buffer<double> slots(blocks.count * size), total(blocks.count, 0.0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Buffer<double> scratch(mixture_scratch(p, k));
        double *slot = sums ? slots.data() + b * size : nullptr;
        if (sums) std::fill_n(slot, size, 0.0);
        LEARNT_AT(level, full_mixture_block(in, packed, blocks[b], answers, slot, total[b], scratch.data(), job));
    });
    if (sums) add_slots(slots.data(), blocks.count, size, size, sums);
    double sum = 0;
    for (int64_t b = 0; b < blocks.count; ++b) sum += total[b];
    return sum;
}

}  // namespace learnt
