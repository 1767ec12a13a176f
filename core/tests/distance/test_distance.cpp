// Distances of texts against the table of the textbook, of rows against a loop.
#include "distance/pairwise.hpp"
#include "tests/check.hpp"
#include "text/levenshtein.hpp"

namespace learnt::test {

static int64_t edits_by_table(const uint32_t *a, int64_t m, const uint32_t *b, int64_t n) {
    std::vector<int64_t> row(static_cast<size_t>(n + 1));
    for (int64_t j = 0; j <= n; ++j) row[static_cast<size_t>(j)] = j;
    for (int64_t i = 1; i <= m; ++i) {
        int64_t corner = row[0];
        row[0] = i;
        for (int64_t j = 1; j <= n; ++j) {
            const size_t at = static_cast<size_t>(j);
            const int64_t above = row[at];
            row[at] = std::min({above + 1, row[at - 1] + 1, corner + (a[i - 1] != b[j - 1])});
            corner = above;
        }
    }
    return row[static_cast<size_t>(n)];
}

static void edits_are_those_of_the_table(int64_t longest, uint32_t alphabet, uint32_t first) {
    const int64_t count = 37;
    const auto u = numbers<double>(count * (longest + 1), 11);
    std::vector<uint32_t> characters;
    std::vector<int64_t> offsets{0};
    for (int64_t i = 0; i < count; ++i) {
        const double *own = u.data() + i * (longest + 1);
        const auto size = static_cast<int64_t>(own[0] * static_cast<double>(longest + 1));
        for (int64_t c = 1; c <= size; ++c) characters.push_back(first + static_cast<uint32_t>(own[c] * alphabet));
        offsets.push_back(static_cast<int64_t>(characters.size()));
    }
    const Texts texts{characters.data(), offsets.data(), count};
    const auto copied = offsets;
    const Texts others{characters.data(), copied.data(), count};  // equal, but not known to be the same
    std::vector<double> half(count * count, -1), all(count * count, -1);
    levenshtein_pairs(texts, texts, half.data());
    levenshtein_pairs(texts, others, all.data());
    run_blocks(1, [&](int64_t, Job &job) {
        std::vector<uint8_t> carry;
        for (int64_t i = 0; i < count; ++i)
            for (int64_t j = 0; j < count; ++j) {
                const int64_t d = edits_by_table(texts.begin(i), texts.size(i), texts.begin(j), texts.size(j));
                CHECK(levenshtein_pair(texts.begin(i), texts.size(i), texts.begin(j), texts.size(j), carry, job) == d);
                CHECK(half[static_cast<size_t>(i * count + j)] == static_cast<double>(d));
                CHECK(all[static_cast<size_t>(i * count + j)] == static_cast<double>(d));
            }
    });
}

template <class Real>
static void pairs_are_those_of_a_loop(int64_t n, int64_t m, int64_t p) {
    const auto x = numbers<Real>(n * p, 3), y = numbers<Real>(m * p, 4);
    const std::vector<double> exact(y.begin(), y.end());
    const auto weights = numbers<double>(p, 5);
    for (int norm = 0; norm < 5; ++norm)
        for (const double *w : {static_cast<const double *>(nullptr), weights.data()}) {
            const Measure measure{static_cast<Norm>(norm), 3.5, w, 2.0};
            std::vector<double> out(static_cast<size_t>(n * m)), own(static_cast<size_t>(n));
            pairwise_distances(measure, x.data(), n, y.data(), m, p, out.data());
            std::vector<int64_t> rows(static_cast<size_t>(n));
            for (int64_t i = 0; i < n; ++i) rows[static_cast<size_t>(i)] = i;
            for (int64_t j = 0; j < m; ++j) {
                measure_rows(measure, x.data(), p, exact.data() + j * p, rows.data(), n, own.data());
                for (int64_t i = 0; i < n; ++i) CHECK(out[static_cast<size_t>(i * m + j)] == own[static_cast<size_t>(i)]);
            }
        }
}

void test_distance() {
    for (int l = 0; l < 3; ++l) {
        if (!supported(Level{l})) continue;
        current_level() = Level{l};
        for (const int64_t longest : {0, 5, 8, 16, 33, 64, 65, 150})
            for (const uint32_t first : {97u, 0x4e00u}) edits_are_those_of_the_table(longest, 4, first);
        edits_are_those_of_the_table(300, 500, 60);
        edits_are_those_of_the_table(9000 / 37, 20000, 60);
        pairs_are_those_of_a_loop<double>(5, 131, 3);
        pairs_are_those_of_a_loop<float>(67, 1, 9);
        pairs_are_those_of_a_loop<double>(1, 64, 1);
    }
    current_level() = starting_level();
}

}  // namespace learnt::test
