// Hierarchies and density clusters against plain loops over all pairs.
#include <functional>
#include <map>
#include <set>

#include "cluster/dbscan.hpp"
#include "cluster/linkage/condensed.hpp"
#include "cluster/linkage/coordinates.hpp"
#include "cluster/linkage/divisive.hpp"
#include "cluster/linkage/graph.hpp"
#include "cluster/linkage/single.hpp"
#include "tests/check.hpp"

namespace learnt::test {

using Pairs = std::vector<double>;

template <class Distance>
static Pairs all_pairs(int64_t n, Distance distance) {
    Pairs d;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i + 1; j < n; ++j) d.push_back(distance(i, j));
    return d;
}

static double square_of(const std::vector<double> &x, int64_t p, int64_t a, int64_t b) {
    double sum = 0;
    for (int64_t j = 0; j < p; ++j) {
        const double d = x[static_cast<size_t>(a * p + j)] - x[static_cast<size_t>(b * p + j)];
        sum += unfused(d * d);
    }
    return sum;
}

template <class Make>
static std::vector<double> heights_of(int64_t n, bool sorted, Make make) {
    const auto m = static_cast<size_t>(n - 1);
    std::vector<int64_t> children(2 * m), counts(m);
    std::vector<double> heights(m);
    run_blocks(1, [&](int64_t, Job &job) {
        std::vector<Merge> merges = make(job);
        CHECK(merges.size() == m);
        tree_of(merges, n, sorted, children.data(), heights.data(), counts.data());
    });
    if (m) CHECK(counts.back() == n);
    std::set<int64_t> seen(children.begin(), children.end());
    CHECK(seen.size() == 2 * m);
    return heights;
}

static bool near(const std::vector<double> &a, const std::vector<double> &b) {
    for (size_t k = 0; k < a.size(); ++k)
        if (!close(a[k], b[k], 1e-10)) return false;
    return a.size() == b.size();
}

// Coordinates and pairs give the same heights, also with weights.
static void linkages_agree(Shape shape) {
    const int64_t n = shape.n, p = shape.p;
    if (n < 1 || n > 140) return;
    const auto x = numbers<double>(n * p, 3);
    auto w = numbers<double>(n, 4);
    for (double &weight : w) weight += 0.5;
    const auto squares = all_pairs(n, [&](int64_t i, int64_t j) { return square_of(x, p, i, j); });
    auto roots = squares;
    for (double &d : roots) d = std::sqrt(d);
    const Measure euclid{Norm::l2, 2.0, nullptr, static_cast<double>(p)};
    for (const double *weights : {static_cast<const double *>(nullptr), static_cast<const double *>(w.data())}) {
        auto d = squares;
        if (weights)  // two weighted rows are that far apart to Ward
            d = all_pairs(n, [&](int64_t i, int64_t j) {
                return 2 * ward_factor(w[static_cast<size_t>(i)], w[static_cast<size_t>(j)]) * square_of(x, p, i, j);
            });
        CHECK(near(heights_of(n, false, [&](Job &job) { return ward_merges(x.data(), n, p, weights, job); }),
                   heights_of(n, false, [&](Job &job) { return condensed_merges(Linkage::ward, {d.data(), n}, weights, job); })));
        d = squares;
        CHECK(near(heights_of(n, true, [&](Job &job) { return centroid_merges(x.data(), n, p, weights, false, job); }),
                   heights_of(n, true, [&](Job &job) { return condensed_merges(Linkage::centroid, {d.data(), n}, weights, job); })));
        d = squares;
        CHECK(near(heights_of(n, true, [&](Job &job) { return centroid_merges(x.data(), n, p, weights, true, job); }),
                   heights_of(n, true, [&](Job &job) { return condensed_merges(Linkage::median, {d.data(), n}, weights, job); })));
    }
    auto d = roots;
    CHECK(near(heights_of(n, false, [&](Job &job) { return single_merges(euclid, x.data(), n, p, job); }),
               heights_of(n, false, [&](Job &job) { return condensed_merges(Linkage::single, {d.data(), n}, nullptr, job); })));
}

// The complete graph restricts nothing.
static void a_complete_graph_changes_nothing(Shape shape) {
    const int64_t n = shape.n, p = shape.p;
    if (n < 1 || n > 40) return;
    const auto x = numbers<double>(n * p, 5);
    std::vector<int64_t> start{0}, ends;
    std::vector<double> length;
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j)
            if (i != j) {
                ends.push_back(j);
                length.push_back(std::sqrt(square_of(x, p, i, j)));
            }
        start.push_back(static_cast<int64_t>(ends.size()));
    }
    for (Linkage method : {Linkage::single, Linkage::complete, Linkage::average, Linkage::ward}) {
        auto d = all_pairs(n, [&](int64_t i, int64_t j) {
            return method == Linkage::ward ? square_of(x, p, i, j) : std::sqrt(square_of(x, p, i, j));
        });
        const LinkGraph graph{start.data(), ends.data(), length.data(), x.data(), nullptr, n, p};
        CHECK(near(heights_of(n, true, [&](Job &job) { return GraphMerging(method, graph).run(job); }),
                   heights_of(n, false, [&](Job &job) { return condensed_merges(method, {d.data(), n}, nullptr, job); })));
    }
}

static void divisions_go_down_to_single_rows(Shape shape) {
    const int64_t n = shape.n, p = shape.p;
    if (n < 1 || n > 140) return;
    auto x = numbers<double>(n * p, 6);
    for (double &cell : x) cell = std::floor(cell * 4);  // copies and ties
    auto d = all_pairs(n, [&](int64_t i, int64_t j) { return std::sqrt(square_of(x, p, i, j)); });
    const auto heights = heights_of(n, false, [&](Job &job) { return Diana({d.data(), n}).run(job); });
    for (size_t k = 1; k < heights.size(); ++k) CHECK(heights[k - 1] <= heights[k]);
    if (n > 1) CHECK(heights.back() == *std::max_element(d.begin(), d.end()));
}

// Cores by counting, clusters by going from core to core.
template <class Real>
static void density_clusters_are_those_of_the_definition(Shape shape) {
    const int64_t n = shape.n, p = shape.p;
    if (n < 1 || n > 140) return;
    auto x = numbers<Real>(n * p, 7);
    for (auto &cell : x) cell = std::round(cell * 8) / 8;
    auto w = numbers<double>(n, 8);
    for (double &weight : w) weight = std::ceil(weight * 3);
    for (Norm norm : {Norm::l1, Norm::l2, Norm::max, Norm::lp, Norm::hamming})
        for (const double *weights : {static_cast<const double *>(nullptr), static_cast<const double *>(w.data())}) {
            const Measure measure{norm, 3.0, nullptr, static_cast<double>(p)};
            const double eps = norm == Norm::hamming ? 0.5 : 0.3 * std::sqrt(static_cast<double>(p)), least = 6;
            std::vector<std::vector<int64_t>> around(static_cast<size_t>(n));
            std::vector<char> core(static_cast<size_t>(n));
            for (int64_t i = 0; i < n; ++i) {
                std::vector<double> q(x.begin() + i * p, x.begin() + (i + 1) * p);
                double weight = 0;
                for (int64_t k = 0; k < n; ++k) {
                    double away;
                    measure_rows(measure, x.data(), p, q.data(), &k, 1, &away);
                    if (away > eps) continue;
                    around[static_cast<size_t>(i)].push_back(k);
                    weight += weights ? weights[k] : 1.0;
                }
                core[static_cast<size_t>(i)] = weight >= least;
            }
            std::vector<int32_t> wanted(static_cast<size_t>(n), -1);
            int32_t clusters = 0;
            for (int64_t i = 0; i < n; ++i) {
                if (!core[static_cast<size_t>(i)] || wanted[static_cast<size_t>(i)] >= 0) continue;
                std::vector<int64_t> waiting{i};
                while (!waiting.empty()) {
                    const auto at = static_cast<size_t>(waiting.back());
                    waiting.pop_back();
                    if (wanted[at] >= 0) continue;
                    wanted[at] = clusters;
                    if (core[at]) waiting.insert(waiting.end(), around[at].begin(), around[at].end());
                }
                ++clusters;
            }
            std::vector<int32_t> labels(static_cast<size_t>(n));
            std::vector<uint8_t> found(static_cast<size_t>(n));
            dbscan(x.data(), n, p, measure, eps, least, weights, labels.data(), found.data());
            CHECK(labels == wanted);
            CHECK(std::equal(core.begin(), core.end(), found.begin()));
        }
}

void test_linkage() {
    everywhere([] {
        for (Shape shape : odd_shapes) {
            linkages_agree(shape);
            a_complete_graph_changes_nothing(shape);
            divisions_go_down_to_single_rows(shape);
            density_clusters_are_those_of_the_definition<float>(shape);
            density_clusters_are_those_of_the_definition<double>(shape);
        }
    });
}

}  // namespace learnt::test
