// What the core's own tests need: a check that tells where it failed, numbers, and tables of odd layouts.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "simd/levels.hpp"

#define CHECK(condition)                                                             \
    do {                                                                             \
        if (!(condition)) {                                                          \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);     \
            std::exit(1);                                                            \
        }                                                                            \
    } while (0)

namespace learnt::test {

inline bool close(double a, double b, double tolerance) {
    return a == b || std::abs(a - b) <= tolerance * (1 + std::abs(a) + std::abs(b));
}

template <class Real>
std::vector<Real> numbers(int64_t n, uint64_t seed) {
    std::vector<double> u(static_cast<size_t>(n));
    hash_uniform(seed, 0, u.data(), n);
    return {u.begin(), u.end()};
}

// A table that owns exactly its cells, so that a sanitizer sees every step outside.
template <class Real>
struct OwnedTable {
    std::vector<Real> cells;
    Matrix<const Real> view;
};

enum class Layout { rows, columns, reversed, spaced, repeated };
inline constexpr Layout every_layout[] = {Layout::rows, Layout::columns, Layout::reversed, Layout::spaced,
                                          Layout::repeated};

template <class Real>
OwnedTable<Real> make_table(int64_t n, int64_t p, Layout layout, uint64_t seed = 1) {
    OwnedTable<Real> t;
    const int64_t size = layout == Layout::spaced ? 6 * n * p : layout == Layout::repeated ? p : n * p;
    t.cells = numbers<Real>(size, seed);
    Real *data = t.cells.data();
    switch (layout) {
        case Layout::rows: t.view = {data, n, p, p, 1}; break;
        case Layout::columns: t.view = {data, n, p, 1, n}; break;
        case Layout::reversed: t.view = {n * p > 0 ? data + n * p - 1 : data, n, p, -p, -1}; break;
        case Layout::spaced: t.view = {data, n, p, 6 * p, 3}; break;
        case Layout::repeated: t.view = {data, n, p, 0, 1}; break;
    }
    return t;
}

struct Shape {
    int64_t n, p;
};
inline constexpr Shape odd_shapes[] = {{0, 3}, {1, 1}, {1, 40}, {5, 2}, {17, 17}, {33, 9}, {130, 8}, {257, 31}, {2100, 3}};

// f at every level the processor has, with 1 and 3 threads.
template <class F>
void everywhere(F f) {
    for (int l = 0; l < 3; ++l)
        for (int threads : {1, 3}) {
            if (!supported(Level{l})) continue;
            current_level() = Level{l};
            thread_count() = threads;
            f();
        }
}

void test_bayes();
void test_extremes();
void test_kernels();
void test_pool();
void test_words();
void test_word_vectors();
void test_csv();
void test_online();
void test_logistic();
void test_penalised();
void test_neighbors();
void test_distance();
void test_instances();
void test_rectangles();
void test_local_fits();
void test_structure();
void test_tables();
void test_centers();
void test_kmeans();
void test_encode();
void test_tree();
void test_boost();
void test_stumps();
void test_linkage();
void test_reduce();
void test_ensemble();
void test_forest();
void test_machines();
void test_factors();
void test_nets();
void test_medoids();
void test_control();
void test_detectors();
void test_isolation();
void test_hmm();
void test_mixture();
void test_networks();

}  // namespace learnt::test
