// Kernel values of mixed rows, sums by label and cosines, against plain loops.
#include "kernel/cosines.hpp"
#include "kernel/kernel.hpp"
#include "kernel/label_sums.hpp"
#include "tests/check.hpp"

namespace learnt::test {

static double plain_distance(const MixedColumns &c, const double *x, const double *y) {
    double total = 0;
    int64_t j = 0;
    const auto add = [&](bool paired, bool codes, int64_t count) {
        for (int64_t k = 0; k < count; ++k, j += paired ? 2 : 1) {
            const double d = codes ? (x[j] == y[j] ? 0.0 : 2.0) : (x[j] - y[j]) * (x[j] - y[j]);
            total += paired && x[j] == missing_cell ? y[j + 1] : paired && y[j] == missing_cell ? x[j + 1] : d;
        }
    };
    add(false, false, c.numbers);
    add(true, false, c.gapped_numbers);
    add(false, true, c.codes);
    add(true, true, c.gapped_codes);
    return total;
}

static std::vector<double> mixed_rows(const MixedColumns &c, int64_t n, uint64_t seed) {
    std::vector<double> cells = numbers<double>(n * c.width(), seed);
    for (int64_t i = 0; i < n; ++i) {
        double *row = cells.data() + i * c.width();
        const int64_t codes = c.numbers + 2 * c.gapped_numbers;
        for (int64_t j = codes; j < codes + c.codes; ++j) row[j] = std::floor(3 * row[j]);
        for (int64_t j = codes + c.codes; j < c.width(); j += 2) row[j] = std::floor(3 * row[j]);
        for (int64_t k = 0; k < c.gapped_numbers + c.gapped_codes; ++k) {
            const int64_t j = k < c.gapped_numbers ? c.numbers + 2 * k : codes + c.codes + 2 * (k - c.gapped_numbers);
            if (row[j + 1] < 0.4) row[j] = missing_cell, row[j + 1] = 0.5 + static_cast<double>(k);
        }
    }
    return cells;
}

static void mixed_values_are_those_of_a_plain_loop() {
    for (const MixedColumns c : {MixedColumns{3, 0, 0, 0}, MixedColumns{0, 2, 0, 1}, MixedColumns{2, 1, 2, 1}, MixedColumns{}})
        for (const int64_t n : {1, 16, 37})
            for (const int64_t m : {1, 9}) {
                const std::vector<double> x = mixed_rows(c, n, 1), y = mixed_rows(c, m, 2), squares(static_cast<size_t>(m));
                Kernel kernel;
                kernel.kind = KernelKind::mixed, kernel.gamma = 0.3, kernel.mixed = c;
                const PackedRows packed(row_major(x.data(), n, c.width()), nullptr, n);
                std::vector<double> out(static_cast<size_t>(n * m), -7.0);
                write_kernel_values(kernel, packed, {y.data(), squares.data(), m, c.width()}, out.data(), n);
                for (int64_t q = 0; q < m; ++q)
                    for (int64_t i = 0; i < n; ++i) {
                        const double d = plain_distance(c, y.data() + q * c.width(), x.data() + i * c.width());
                        CHECK(close(out[static_cast<size_t>(q * n + i)], std::exp(-0.3 * d), 1e-14));
                    }
            }
}

static void cosines_are_the_librarys() {
    for (const int64_t k : {1, 5, 8, 19}) {
        const std::vector<double> phase = numbers<double>(k, 3);
        std::vector<double> values = numbers<double>(7 * k, 4);
        for (double &v : values) v = (v - 0.5) * 3e6;
        const std::vector<double> before = values;
        turn_to_cosines(values.data(), 7, k, phase.data(), 0.5);
        for (size_t e = 0; e < values.size(); ++e)
            CHECK(close(values[e], 0.5 * std::cos(before[e] + phase[e % static_cast<size_t>(k)]), 1e-15));
    }
}

static void label_sums_are_those_of_a_plain_loop() {
    const int64_t n = 23, m = 41, k = 3;
    const std::vector<double> gram = numbers<double>(n * m, 5), weights = numbers<double>(m, 6);
    std::vector<int32_t> labels(static_cast<size_t>(m));
    for (int64_t j = 0; j < m; ++j) labels[static_cast<size_t>(j)] = static_cast<int32_t>(j % k);
    std::vector<double> sums(static_cast<size_t>(n * k), 1.0);
    add_label_sums(gram.data(), n, m, labels.data(), weights.data(), k, sums.data());
    for (int64_t i = 0; i < n; ++i)
        for (int64_t c = 0; c < k; ++c) {
            double sum = 1;
            for (int64_t j = c; j < m; j += k) sum += weights[static_cast<size_t>(j)] * gram[static_cast<size_t>(i * m + j)];
            CHECK(close(sums[static_cast<size_t>(i * k + c)], sum, 1e-13));
        }
}

void test_kernels() {
    everywhere([] {
        mixed_values_are_those_of_a_plain_loop();
        cosines_are_the_librarys();
        label_sums_are_those_of_a_plain_loop();
    });
}

}  // namespace learnt::test
