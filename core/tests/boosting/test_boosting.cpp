// Bins, gradients and boosted trees on small tables of every kind, under the sanitizers: sums that must agree, and the
// same trees for any number of threads, in memory and by parts.
#include <limits>
#include <stdexcept>

#include "boosting/grow.hpp"
#include "boosting/stream.hpp"
#include "tests/check.hpp"

namespace learnt::test {

using namespace boost;

// Three columns of numbers, one of few and one of many categories, a tenth of the cells missing.
struct BoostTable {
    int64_t n;
    std::vector<float> a;
    std::vector<double> b;
    std::vector<int32_t> grade, town, street;
    std::vector<int32_t> n_bins{0, 0, 0, 7, 303};
    std::vector<uint8_t> nominal{0, 0, 0, 1, 1};
    BinMeaning meaning;
    std::vector<int32_t> identity;
    std::vector<uint8_t> narrow;
    std::vector<uint16_t> wide;
    std::unique_ptr<BinLayout> layout;
    static constexpr int64_t stride = 8;

    explicit BoostTable(int64_t rows, uint64_t seed = 1) : n(rows) {
        const size_t size = static_cast<size_t>(n);
        const std::vector<double> u = numbers<double>(n * 6, seed);
        a.resize(size), b.resize(size), grade.resize(size), town.resize(size), street.resize(size);
        for (size_t i = 0; i < size; ++i) {
            const double *const r = u.data() + 6 * i;
            const auto lost = [&](int c) { return std::fmod(r[c] * 1000, 1.0) < 0.1; };
            a[i] = lost(0) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(r[0]);
            b[i] = lost(1) ? tree::nan : std::floor(r[1] * 20);
            grade[i] = lost(2) ? -1 : static_cast<int32_t>(r[2] * 4);
            town[i] = lost(3) ? -1 : static_cast<int32_t>(r[3] * 5);
            street[i] = lost(4) ? -1 : static_cast<int32_t>(r[4] * r[4] * 302);
        }
        std::vector<double> sorted;
        for (float x : a)
            if (!std::isnan(x)) sorted.push_back(x);
        std::sort(sorted.begin(), sorted.end());
        meaning.edges = {edges_of_sorted(sorted.data(), nullptr, static_cast<int64_t>(sorted.size()), 254), {}, {0.5, 1.5, 2.5}, {}, {}};
        for (int v = 0; v < 19; ++v) meaning.edges[1].push_back(v + 0.5);
        for (size_t j = 0; j < 3; ++j) n_bins[j] = static_cast<int32_t>(meaning.edges[j].size()) + 2;
        meaning.categories.resize(5);
        for (size_t j : {size_t{3}, size_t{4}})
            for (int32_t c = 0; c < n_bins[j]; ++c) meaning.categories[j].push_back({c});
        for (int32_t c = 0; c < 301; ++c) identity.push_back(c);
        layout = std::make_unique<BinLayout>(n_bins.data(), nominal.data(), 5);
        narrow.resize(size * stride), wide.resize(size);
        using tree::Column;
        const std::vector<Column> columns = {{Column::Cells::float32, a.data(), 1, 0},
                                             {Column::Cells::float64, b.data(), 1, 0},
                                             {Column::Cells::code, grade.data(), 1, 0},
                                             {Column::Cells::code, town.data(), 1, 0},
                                             {Column::Cells::code, street.data(), 1, 0}};
        std::vector<BinColumn> bins;
        for (size_t j = 0; j < 5; ++j)
            bins.push_back({meaning.edges[j].data(), static_cast<int64_t>(meaning.edges[j].size()),
                            j < 3 ? nullptr : identity.data(), j == 3 ? 5 : 301, n_bins[j]});
        encode_bins(columns, bins, *layout, n, narrow.data(), stride, wide.data(), 1);
    }
    CodeRows codes() const { return {n, narrow.data(), stride, wide.data(), 1}; }
};

static void check_codes() {
    const BoostTable t(3000);
    for (int64_t i = 0; i < t.n; ++i) {
        const size_t at = static_cast<size_t>(i);
        int32_t below = 0;
        for (double e : t.meaning.edges[0]) below += e < static_cast<double>(t.a[at]);
        CHECK(t.narrow[at * 8] == (std::isnan(t.a[at]) ? t.n_bins[0] - 1 : below));
        CHECK(t.narrow[at * 8 + 1] == (std::isnan(t.b[at]) ? 20 : static_cast<int32_t>(t.b[at])));
        CHECK(t.narrow[at * 8 + 3] == (t.town[at] < 0 ? 6 : t.town[at]));
        CHECK(t.wide[at] == (t.street[at] < 0 ? 302 : t.street[at] < 301 ? t.street[at] : 301));
    }
}

static void check_edges() {
    const double few[] = {1, 1, 2, 5};
    CHECK((edges_of_sorted(few, nullptr, 4, 10) == std::vector<double>{1.5, 3.5}));
    CHECK(edges_of_sorted(few, nullptr, 0, 10).empty());
    std::vector<double> spike(1000, 0.0);  // half of the cells are equal
    for (int i = 500; i < 1000; ++i) spike[static_cast<size_t>(i)] = i;
    const std::vector<double> edges = edges_of_sorted(spike.data(), nullptr, 1000, 11);
    CHECK(edges.size() == 10 && edges[0] == 250);
    for (size_t e = 2; e < edges.size(); ++e) CHECK(std::abs(edges[e] - edges[e - 1] - 50) <= 2);
    const double close[] = {1, std::nextafter(1.0, 2.0)};
    CHECK(edges_of_sorted(close, nullptr, 2, 10)[0] == 1.0);
}

template <class Real>
void check_tree(const BoostTable &t, const std::vector<Real> &g, const std::vector<Real> &h, TreeRules rules, const uint8_t *kept) {
    std::vector<double> first;
    std::vector<int32_t> leaves;
    for (const int threads : {1, 3}) {
        thread_count() = threads;
        const CodeRows codes = t.codes();
        Grower<Real> grower(*t.layout, codes, t.meaning, rules);
        for (const uint64_t round : {0, 1}) {  // memory of one tree serves the next
            const tree::TreeArrays tree = grower.grow(g.data(), h.data(), nullptr, kept, round);
            CHECK(tree.feature.size() == static_cast<size_t>(grower.n_nodes()));
            std::vector<double> weight(tree.feature.size());
            for (int64_t i = 0; i < t.n; ++i) {
                const int32_t leaf = grower.number[static_cast<size_t>(grower.leaf_of_row()[i])];
                CHECK(tree.n_children[static_cast<size_t>(leaf)] == 0);
                weight[static_cast<size_t>(leaf)] += !kept || kept[i] ? 1 : 0;
            }
            for (size_t v = 0; v < weight.size(); ++v)
                if (tree.n_children[v] == 0) {
                    CHECK(weight[v] == tree.weight[v]);
                    CHECK(tree.feature.size() == 1 || weight[v] >= rules.split.min_samples_leaf);
                }
            if (round == 0 && threads == 1) first = tree.value;
            if (round == 0) CHECK(tree.value == first);
        }
    }
}

// Rows parted level by level, `kept` alone or all: together by node, in their order, and all of them at the leaf below
// the tests.
static void check_rows(const BoostTable &t, const std::vector<TestedNode> &nodes, const std::vector<uint64_t> &entries,
                       const std::vector<int64_t> &ranges) {
    const CodeRows codes = t.codes();
    std::vector<int32_t> node(static_cast<size_t>(t.n));
    place_rows(nodes, *t.layout, codes, entries.data(), ranges.data(), node.data());
    for (int64_t i = 0; i < t.n; ++i)
        CHECK(node[static_cast<size_t>(i)] == leaf_below(nodes, *t.layout, codes, i, 0));
    int64_t at_leaves = 0;
    for (size_t v = 0; v < nodes.size(); ++v) {
        if (nodes[v].left >= 0) continue;
        at_leaves += ranges[2 * v + 1] - ranges[2 * v];
        for (int64_t i = ranges[2 * v]; i < ranges[2 * v + 1]; ++i) {
            const uint64_t e = entries[static_cast<size_t>(i)];
            CHECK(leaf_below(nodes, *t.layout, codes, entry_row(e), 0) == static_cast<int32_t>(v));
            CHECK(i == ranges[2 * v] || entry_row(e) > entry_row(entries[static_cast<size_t>(i) - 1]));
        }
    }
    CHECK(at_leaves == static_cast<int64_t>(entries.size()));
}

template <class Real>
void check_parts(const BoostTable &t, const std::vector<Real> &g, const std::vector<Real> &h, const TreeRules &rules,
                 const uint8_t *kept) {
    const CodeRows codes = t.codes();
    Grower<Real> grower(*t.layout, codes, t.meaning, rules);
    const tree::TreeArrays whole = grower.grow(g.data(), h.data(), nullptr, kept, 4);
    const GradientScale scale = grower.scale();
    std::vector<uint32_t> packed(static_cast<size_t>(t.n));
    std::vector<int64_t> fine(static_cast<size_t>(3 * t.n));
    constexpr bool is_fine = sizeof(Real) == 8;
    if constexpr (is_fine)
        for (int64_t i = 0; i < t.n; ++i) fine_row(g.data(), h.data(), static_cast<const double *>(nullptr), scale, i, fine.data() + 3 * i);
    else
        quantise(g.data(), h.data(), scale, rules.seed, 4, 0, t.n, packed.data());
    std::vector<uint64_t> entries;
    for (size_t i = 0; i < packed.size(); ++i)
        if (!kept || kept[i]) entries.push_back(uint64_t{packed[i]} << 32 | i);
    std::vector<int64_t> ranges{0, static_cast<int64_t>(entries.size())};
    StreamedTree tree(*t.layout, t.meaning, rules, scale, is_fine, 4);
    std::vector<int64_t> level{0};
    while (!level.empty()) {
        std::vector<int32_t> slot(tree.nodes.size(), -1);
        for (size_t s = 0; s < level.size(); ++s) slot[static_cast<size_t>(level[s])] = static_cast<int32_t>(s);
        std::vector<int64_t> planes(level.size() * static_cast<size_t>(t.layout->total) * 3);
        NodeHistograms sums(*t.layout, static_cast<int64_t>(level.size()), is_fine);
        sums.add(codes, entries.data(), is_fine ? fine.data() : nullptr, ranges.data(), slot.data(), static_cast<int64_t>(slot.size()));
        sums.read(planes.data());
        CHECK(!sums.off(planes.data()));
        std::vector<int64_t> next;
        for (size_t s = 0; s < level.size(); ++s)
            if (tree.search(level[s], planes.data() + s * static_cast<size_t>(t.layout->total) * 3) > 0) {
                const int64_t left = tree.split(level[s]);
                next.push_back(left), next.push_back(left + 1);
            }
        const int64_t known = static_cast<int64_t>(ranges.size() / 2);
        ranges.resize(2 * tree.nodes.size());
        part_rows(tree.nodes, *t.layout, codes, known, entries.data(), ranges.data());
        check_rows(t, tree.nodes, entries, ranges);
        level = next;
    }
    std::vector<int32_t> node(static_cast<size_t>(t.n), -1);
    for (size_t i = 0; i < node.size(); ++i)
        if (!kept || kept[i]) node[i] = leaf_below(tree.nodes, *t.layout, codes, static_cast<int64_t>(i), 0);
    std::vector<int64_t> sums(3 * tree.nodes.size());
    sum_by_leaf(g.data(), h.data(), nullptr, node.data(), t.n, static_cast<int64_t>(tree.nodes.size()), scale, sums.data());
    const std::vector<uint8_t> inner(tree.nodes.size(), 1);
    const tree::TreeArrays parts = tree.finish(sums.data(), inner.data());
    CHECK(parts.feature == whole.feature && parts.value == whole.value && parts.route_codes == whole.route_codes);
    CHECK(parts.missing == whole.missing && parts.missing_weight == whole.missing_weight);
    // From the root at once, as a state that was never looked at between.
    std::vector<uint64_t> late;
    for (size_t i = 0; i < packed.size(); ++i)
        if (!kept || kept[i]) late.push_back(uint64_t{packed[i]} << 32 | i);
    std::vector<int64_t> late_ranges(2 * tree.nodes.size());
    late_ranges[1] = static_cast<int64_t>(late.size());
    part_rows(tree.nodes, *t.layout, codes, 1, late.data(), late_ranges.data());
    CHECK(late == entries && late_ranges == ranges);
}

static void check_scales() {
    const std::vector<float> x = {0.f, 1.f, -3.f, 0.25f, 1e-30f};
    const Exponents e = exponents_of(x.data(), nullptr, 5);
    CHECK(e.top() == 2 && e.bound() >= 4.25);
    const GradientScale s = scale_of(e, nullptr);
    CHECK(s.constant_hessian && 3 * s.g <= 8192 && 4 * s.g >= 8192);
    const std::vector<float> zeros(10, 0.f);
    CHECK(std::isfinite(scale_of(exponents_of(zeros.data(), nullptr, 10), nullptr).g));
    const std::vector<double> wild = {1.0, std::numeric_limits<double>::infinity()};
    bool refused = false;
    try {
        scale_of(exponents_of(wild.data(), nullptr, 2), nullptr);
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    CHECK(refused);
}

static void check_losses() {
    everywhere([] {
        for (const int64_t n : {1, 7, 8, 33}) {
            const std::vector<double> s = numbers<double>(3 * n, 5), y = numbers<double>(n, 6);
            std::vector<int32_t> codes(static_cast<size_t>(n));
            for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<int32_t>(i % 3);
            std::vector<float> g(static_cast<size_t>(3 * n)), h(g);
            LossRows<float> in{Loss::softmax, 0, n, 3, s.data(), nullptr, codes.data(), nullptr, g.data(), h.data()};
            loss_gradients(in);
            for (size_t i = 0; i < codes.size(); ++i) {
                const size_t m = static_cast<size_t>(n);
                CHECK(std::abs(g[i] + g[m + i] + g[2 * m + i]) < 1e-6f && h[i] > 0);
            }
            in.loss = Loss::huber, in.parameter = 0.1, in.outputs = 1, in.numbers = y.data(), in.codes = nullptr;
            loss_gradients(in);
            for (size_t i = 0; i < codes.size(); ++i)
                CHECK(close(static_cast<double>(g[i]), std::clamp(s[i] - y[i], -0.1, 0.1), 1e-6) && h[i] == 1.f);
        }
    });
}

void test_boost() {
    check_codes();
    check_edges();
    check_scales();
    check_losses();
    for (const int64_t n : {0, 1, 50, 3000, 12000}) {
        const BoostTable t(n);
        const size_t size = static_cast<size_t>(n);
        const std::vector<double> u = numbers<double>(2 * n, 77);
        std::vector<float> g(size), h(size);
        std::vector<double> g64(size), h64(size);
        std::vector<uint8_t> kept(size);
        for (size_t i = 0; i < size; ++i) {
            g64[i] = u[i] - 0.5 + (t.town[i] == 2 ? 0.2 : 0.0) - (t.street[i] > 100 ? 0.1 : 0.0), h64[i] = u[size + i];
            g[i] = static_cast<float>(g64[i]), h[i] = static_cast<float>(h64[i]), kept[i] = i % 3 != 0;
        }
        TreeRules rules;
        rules.split.min_samples_leaf = 7, rules.split.min_group = 5, rules.max_leaf_nodes = 40;
        for (const bool by_depth : {false, true}) {
            rules.by_depth = by_depth;
            check_tree(t, g, h, rules, nullptr), check_tree(t, g64, h64, rules, nullptr);
            check_tree(t, g, h, rules, kept.data()), check_tree(t, g64, h64, rules, kept.data());
        }
        if (n == 0) continue;
        static constexpr int8_t order[] = {1, -1, 0, 0, 0};
        TreeRules deep = rules;
        deep.max_leaf_nodes = 0, deep.max_depth = 4, deep.max_features = 0.6, deep.interactions = {{0, 1, 3}, {2, 3, 4}};
        for (const uint8_t *some : {static_cast<const uint8_t *>(nullptr), static_cast<const uint8_t *>(kept.data())})
            check_parts(t, g, h, deep, some), check_parts(t, g64, h64, deep, some);
        deep.split.monotonic = order, deep.split.l1 = 0.01, deep.split.l2 = 1;
        check_parts(t, g, h, deep, nullptr), check_parts(t, g64, h64, deep, nullptr);
    }
    thread_count() = 2;
}

}  // namespace learnt::test
