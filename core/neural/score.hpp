// The scores of rows: a block of rows goes through all layers while it lies in a cache.
//
// Measured on 10,000 rows of 784 numbers and 128 units: the product of the first layer is 80 % of the time, the rest is
// reading the rows. Buffers are made once for many blocks: of a new one for each, the pages alone took a quarter.
#pragma once

#include "base/pool.hpp"
#include "neural/layer.hpp"
#include "neural/rows.hpp"
#include "neural/units.hpp"

namespace learnt {

// Whether a cell is infinite: found here, since a look at all cells before would take a tenth of the time.
//   scores   n × outputs, row-major     written
template <class Real, class Source>
bool score_net(const NetShape &shape, const NetRows<Source> &rows, const Real *parameters, double *scores) {
    const Layout layout(shape);
    const Level level = current_level();
    const Encoder<Real, Source> encoder(rows, layout);
    const Buffer<Real> lined_up(layout.size);  // see neural/skipping.hpp
    std::copy_n(parameters, layout.size, lined_up.data());
    constexpr int64_t block = 64, span = 1024;
    const int64_t n = rows.size(), k = layout.layers.back().outputs, inputs = round_up(layout.inputs, panel_width);
    int64_t widest = 0;
    for (const DenseLayer &of : layout.layers) widest = std::max(widest, of.padded());
    // The bits of a row do not depend on its neighbours: each sum runs over the inputs in their order.
    const int64_t many = std::clamp(round_up(n / 16, block), block, span);
    std::atomic<bool> infinite{false};
    run_blocks((n + many - 1) / many, [&](int64_t b, Job &job) {
        const Buffer<Real> one(block * std::max(inputs, widest)), other(block * widest);
        const int64_t end = std::min(n, (b + 1) * many);
        for (int64_t first = b * many; first < end; first += block) {
            job.check();
            const int64_t count = std::min(block, end - first);
            Real *from = one.data(), *to = other.data();
            for (int64_t i = 0; i < count; ++i)
                if (encoder.put(first + i, lined_up.data(), from + i * inputs)) infinite.store(true, std::memory_order_relaxed);
            int64_t stride = inputs;
            for (size_t l = 0; l < layout.layers.size(); ++l) {
                const DenseLayer &of = layout.layers[l];
                put_sums(level, of, lined_up.data(), from, stride, count, to);
                if (l + 1 < layout.layers.size())
                    LEARNT_AT(level, apply_units(shape.activation, to, static_cast<Real *>(nullptr), count * of.padded()));
                std::swap(from, to);
                stride = of.padded();
            }
            for (int64_t i = 0; i < count; ++i)
                for (int64_t c = 0; c < k; ++c) scores[(first + i) * k + c] = static_cast<double>(from[i * stride + c]);
        }
    });
    return infinite.load();
}

}  // namespace learnt
