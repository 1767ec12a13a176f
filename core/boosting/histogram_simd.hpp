// Loops of boosting/node_histograms.hpp.

// Adds counted cells to plain ones and to the counts behind them, and sets them to 0.
inline void take_in_counted(int64_t *__restrict counted, int64_t n, int64_t *__restrict plain, int64_t *__restrict counts) {
    constexpr uint64_t sign = uint64_t{1} << 57;
    for (int64_t c = 0; c < n; ++c) {
        const uint64_t cell = static_cast<uint64_t>(counted[c]);
        // The gradient, moved from bit 38 to bit 32 with its sign: a shift of signed numbers is no vector everywhere.
        const uint64_t g = (((cell >> 6) ^ sign) - sign) & 0xffffffff00000000u, h = cell >> 12 & 0x3ffffffu;
        plain[c] = static_cast<int64_t>(static_cast<uint64_t>(plain[c]) + g + h);
        counts[c] += static_cast<int64_t>(cell & 0xfffu);
        counted[c] = 0;
    }
}
