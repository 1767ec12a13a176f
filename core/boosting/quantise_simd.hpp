// Loops of boosting/gradients.hpp: packed_gradient of many rows.

inline void quantise_rows(const float *g, const float *h, const boost::GradientScale &scale, uint64_t key,
                          uint64_t first_row, Range rows, uint32_t *packed) {
    const double sg = scale.g, sh = scale.h;
    const bool constant = h == nullptr || scale.constant_hessian;
    constexpr double step = 0x1p-32, limit = 1 << boost::gradient_bits;
    // The multiplications of the hash are written out, so that they become vectors here.
    for (int64_t i = rows.first; i < rows.last; ++i) {
        uint64_t z = key + (first_row + static_cast<uint64_t>(i)) * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z = z ^ (z >> 31);
        // Rows that are not kept may have gradients beyond the scale, or none.
        double at = static_cast<double>(g[i]) * sg;
        at = at >= -limit ? at : -limit, at = at <= limit ? at : limit;
        // 2^20 makes floor a truncation.
        const double u = static_cast<double>(static_cast<int64_t>(z >> 32)) * step;
        const int32_t q = static_cast<int32_t>(at + u + 0x1p20) - (1 << 20);
        packed[i] = static_cast<uint32_t>(q) << 16;
        if (constant) {
            packed[i] |= 1u;
        } else {
            double height = static_cast<double>(h[i]) * sh;
            height = height >= 0 ? height : 0, height = height <= limit ? height : limit;
            const double v = static_cast<double>(static_cast<int64_t>(z & 0xffffffffu)) * step;
            packed[i] |= static_cast<uint32_t>(static_cast<int32_t>(height + v));
        }
    }
}
