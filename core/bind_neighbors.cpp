// Indexes of neighbours: brute force, k-d trees, scans of mixed tables.
#include <nanobind/stl/vector.h>

#include <memory>

#include "bind.hpp"
#include "bind_measure.hpp"
#include "neighbors_brute.hpp"
#include "neighbors_mixed.hpp"
#include "neighbors_tree.hpp"

namespace learnt::bind {

using Skip = Maybe<In<int64_t>>;

template <class T>
static nb::object neighbor_array(std::vector<T> &&from) {
    auto *kept = new std::vector<T>(std::move(from));
    const nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// (indptr, rows, distances)
static nb::object neighbor_lists(std::vector<std::vector<Neighbor>> &&found) {
    std::vector<int64_t> start{0}, rows;
    std::vector<double> distances;
    for (const auto &some : found) start.push_back(start.back() + static_cast<int64_t>(some.size()));
    rows.reserve(static_cast<size_t>(start.back()));
    distances.reserve(static_cast<size_t>(start.back()));
    for (auto &some : found) {
        for (const Neighbor &n : some) {
            rows.push_back(n.row);
            distances.push_back(n.distance);
        }
        some = {};
    }
    return nb::make_tuple(neighbor_array(std::move(start)), neighbor_array(std::move(rows)), neighbor_array(std::move(distances)));
}

// The rows each query is refused, and room for its k nearest among n.
struct NearestOut {
    const int64_t *skip;
    NearestAnswers answers;

    NearestOut(int64_t m, int64_t n, const Skip &skipped, const Out2<double> &distances, const Out2<int64_t> &rows)
        : skip(vector("skip", skipped, m)) {
        const int64_t k = size(rows, 1);
        answers = {k, matrix("distances", distances, m, k), matrix("rows", rows, m, k)};
        bool some = false;
        for (int64_t i = 0; skip && i < m; ++i) some = some || (skip[i] >= 0 && skip[i] < n);
        if (k > n - (some ? 1 : 0)) refuse("'rows' asks for " + std::to_string(k) + " neighbours of " + std::to_string(n) + " rows.");
    }
};

template <class T>
BruteRows<T> brute_rows(const In2<T> &x, const In<double> &shift, const In<double> &stretch, double unit, double reach,
                        const Measure &measure) {
    const int64_t p = size(x, 1);
    return {data("x", x), size(x), p, vector("shift", shift, p), vector("stretch", stretch, p), unit, reach, measure};
}

template <class T>
void bind_brute(nb::module_ &m) {
    m.def(
        "brute_nearest",
        [](const In2<T> &x, const std::string &norm, double power, const Maybe<In<double>> &weights, const In<double> &shift,
           const In<double> &stretch, double unit, double reach, const In2<double> &queries, const Skip &skip,
           const Out2<double> &distances, const Out2<int64_t> &rows) {
            const auto in = brute_rows(x, shift, stretch, unit, reach, measure_of(norm, power, weights, size(x, 1)));
            const double *q = matrix("queries", queries, size(queries), in.p);
            const int64_t count = size(queries);
            const NearestOut out(count, in.n, skip, distances, rows);
            const nb::gil_scoped_release unlocked;
            brute_search(in, q, count, out.skip, out.answers);
        },
        nb::arg("x").noconvert(), nb::arg("norm"), nb::arg("power"), nb::arg("weights").noconvert().none(),
        nb::arg("shift").noconvert(), nb::arg("stretch").noconvert(), nb::arg("unit"), nb::arg("reach"),
        nb::arg("queries").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("distances").noconvert(),
        nb::arg("rows").noconvert());
    m.def(
        "brute_within",
        [](const In2<T> &x, const std::string &norm, double power, const Maybe<In<double>> &weights, const In<double> &shift,
           const In<double> &stretch, double unit, double reach, const In2<double> &queries, const Skip &skip,
           const In<double> &radius) {
            const auto in = brute_rows(x, shift, stretch, unit, reach, measure_of(norm, power, weights, size(x, 1)));
            const double *q = matrix("queries", queries, size(queries), in.p);
            const int64_t count = size(queries), *skipped = vector("skip", skip, count);
            std::vector<std::vector<Neighbor>> found(static_cast<size_t>(count));
            const WithinAnswers answers{vector("radius", radius, count), &found};
            {
                const nb::gil_scoped_release unlocked;
                brute_search(in, q, count, skipped, answers);
            }
            return neighbor_lists(std::move(found));
        },
        nb::arg("x").noconvert(), nb::arg("norm"), nb::arg("power"), nb::arg("weights").noconvert().none(),
        nb::arg("shift").noconvert(), nb::arg("stretch").noconvert(), nb::arg("unit"), nb::arg("reach"),
        nb::arg("queries").noconvert(), nb::arg("skip").noconvert().none(), nb::arg("radius").noconvert());
}

template <class T>
void bind_kd_tree(nb::module_ &m, const char *name) {
    using Tree = KdTree<T>;
    nb::class_<Tree>(m, name)
        .def(
            "__init__",
            [](Tree *self, const In2<T> &x, int64_t width) {
                const int64_t n = size(x), p = size(x, 1);
                if (n < 1 || p < 1 || n >= (int64_t{1} << 31)) refuse("'x' has " + std::to_string(n) + " rows. Expected 1 to 2³¹ − 1.");
                if (width < 8 || width % 8 != 0 || width > 4096) refuse("'width' is not a multiple of 8 from 8 to 4096.");
                const T *cells = data("x", x);
                const nb::gil_scoped_release unlocked;
                new (self) Tree(cells, n, p, width);
            },
            nb::arg("x").noconvert(), nb::arg("width"))
        .def("bytes", &Tree::bytes)
        .def(
            "nearest",
            [](const Tree &tree, const std::string &norm, double power, const Maybe<In<double>> &weights,
               const In2<double> &queries, const Skip &skip, const Out2<double> &distances, const Out2<int64_t> &rows) {
                const Measure measure = measure_of(norm, power, weights, tree.p);
                if (measure.norm == Norm::hamming) refuse("A k-d tree has no boxes for 'hamming'.");
                const double *q = matrix("queries", queries, size(queries), tree.p);
                const int64_t count = size(queries);
                const NearestOut out(count, tree.n, skip, distances, rows);
                const nb::gil_scoped_release unlocked;
                kd_search(tree, measure, q, count, out.skip, out.answers);
            },
            nb::arg("norm"), nb::arg("power"), nb::arg("weights").noconvert().none(), nb::arg("queries").noconvert(),
            nb::arg("skip").noconvert().none(), nb::arg("distances").noconvert(), nb::arg("rows").noconvert())
        .def(
            "within",
            [](const Tree &tree, const std::string &norm, double power, const Maybe<In<double>> &weights,
               const In2<double> &queries, const Skip &skip, const In<double> &radius) {
                const Measure measure = measure_of(norm, power, weights, tree.p);
                if (measure.norm == Norm::hamming) refuse("A k-d tree has no boxes for 'hamming'.");
                const double *q = matrix("queries", queries, size(queries), tree.p);
                const int64_t count = size(queries), *skipped = vector("skip", skip, count);
                std::vector<std::vector<Neighbor>> found(static_cast<size_t>(count));
                const WithinAnswers answers{vector("radius", radius, count), &found};
                {
                    const nb::gil_scoped_release unlocked;
                    kd_search(tree, measure, q, count, skipped, answers);
                }
                return neighbor_lists(std::move(found));
            },
            nb::arg("norm"), nb::arg("power"), nb::arg("weights").noconvert().none(), nb::arg("queries").noconvert(),
            nb::arg("skip").noconvert().none(), nb::arg("radius").noconvert());
}

// A scan and the arrays it reads.
struct [[gnu::visibility("hidden")]] HeldScan {
    In2<double> numbers;
    In2<int32_t> codes;
    std::vector<In2<double>> tables;
    std::unique_ptr<MixedScan> scan;

    void check_codes(const In2<int32_t> &some) const {
        const int32_t *c = data("codes", some);
        for (int64_t i = 0; i < size(some); ++i)
            for (const auto &[place, most] : sizes)
                if (c[i * size(some, 1) + place] >= most)
                    refuse("Row " + std::to_string(i) + " has the code " + std::to_string(c[i * size(some, 1) + place]) +
                           ", for which column " + std::to_string(place) + " has no distances.");
    }
    std::vector<std::pair<int64_t, int64_t>> sizes;  // of columns with a table
};

static void bind_mixed(nb::module_ &m) {
    nb::class_<HeldScan>(m, "MixedScan")
        .def(
            "__init__",
            [](HeldScan *self, const In2<double> &numbers, const In2<int32_t> &codes, const In<uint8_t> &coded,
               const In<double> &weights, const In<double> &ranges, const std::vector<Maybe<In2<double>>> &tables,
               const In<int64_t> &order, int power) {
                const int64_t n = size(numbers), p = size(coded);
                if (n < 1 || size(codes) != n) refuse("'numbers' and 'codes' have different numbers of rows, or none.");
                if (power != 1 && power != 2) refuse("'power' is neither 1 nor 2.");
                const uint8_t *is_coded = data("coded", coded);
                const double *w = vector("weights", weights, p), *r = vector("ranges", ranges, p);
                const int64_t *o = vector("order", order, p);
                check_length("tables", static_cast<int64_t>(tables.size()), p);
                auto held = std::make_unique<HeldScan>();
                held->numbers = numbers;
                held->codes = codes;
                std::vector<MixedColumn> columns;
                std::vector<bool> seen(static_cast<size_t>(p), false);
                int64_t places[2] = {0, 0};
                for (int64_t j = 0; j < p; ++j) {
                    MixedColumn c{is_coded[j] != 0, places[is_coded[j] != 0]++, w[j], r[j], nullptr, 0};
                    if (!(c.weight >= 0) || !(c.range >= 0)) refuse("'weights' and 'ranges' must not be negative.");
                    const auto &table = tables[static_cast<size_t>(j)];
                    if (table && c.coded) {
                        c.size = size(*table);
                        c.table = matrix("table", *table, c.size, c.size);
                        held->tables.push_back(*table);
                        held->sizes.emplace_back(c.place, c.size);
                    }
                    columns.push_back(c);
                    if (o[j] < 0 || o[j] >= p || seen[static_cast<size_t>(o[j])]) refuse("'order' is no order of the columns.");
                    seen[static_cast<size_t>(o[j])] = true;
                }
                check_length("numbers", size(numbers, 1), places[0]);
                check_length("codes", size(codes, 1), places[1]);
                held->check_codes(codes);
                const double *x = data("numbers", numbers);
                const int32_t *c = data("codes", codes);
                {
                    const nb::gil_scoped_release unlocked;
                    held->scan = std::make_unique<MixedScan>(x, places[0], c, places[1], n, std::move(columns),
                                                             std::vector<int64_t>(o, o + p), power);
                }
                new (self) HeldScan(std::move(*held));
            },
            nb::arg("numbers").noconvert(), nb::arg("codes").noconvert(), nb::arg("coded").noconvert(),
            nb::arg("weights").noconvert(), nb::arg("ranges").noconvert(), nb::arg("tables"), nb::arg("order").noconvert(),
            nb::arg("power"))
        .def("bytes", [](const HeldScan &self) { return self.scan->bytes(); })
        .def(
            "nearest",
            [](const HeldScan &self, const In2<double> &numbers, const In2<int32_t> &codes, const Skip &skip,
               const Out2<double> &distances, const Out2<int64_t> &rows) {
                const int64_t count = size(numbers);
                const double *x = matrix("numbers", numbers, count, self.scan->numbers());
                const int32_t *c = matrix("codes", codes, count, self.scan->codes());
                self.check_codes(codes);
                const NearestOut out(count, self.scan->rows(), skip, distances, rows);
                const nb::gil_scoped_release unlocked;
                self.scan->search(x, c, count, out.skip, out.answers);
            },
            nb::arg("numbers").noconvert(), nb::arg("codes").noconvert(), nb::arg("skip").noconvert().none(),
            nb::arg("distances").noconvert(), nb::arg("rows").noconvert())
        .def(
            "within",
            [](const HeldScan &self, const In2<double> &numbers, const In2<int32_t> &codes, const Skip &skip,
               const In<double> &radius) {
                const int64_t count = size(numbers), *skipped = vector("skip", skip, count);
                const double *x = matrix("numbers", numbers, count, self.scan->numbers());
                const int32_t *c = matrix("codes", codes, count, self.scan->codes());
                self.check_codes(codes);
                std::vector<std::vector<Neighbor>> found(static_cast<size_t>(count));
                const WithinAnswers answers{vector("radius", radius, count), &found};
                {
                    const nb::gil_scoped_release unlocked;
                    self.scan->search(x, c, count, skipped, answers);
                }
                return neighbor_lists(std::move(found));
            },
            nb::arg("numbers").noconvert(), nb::arg("codes").noconvert(), nb::arg("skip").noconvert().none(),
            nb::arg("radius").noconvert())
        .def(
            "distances",
            [](const HeldScan &self, const In2<double> &numbers, const In2<int32_t> &codes, const Out2<double> &out) {
                const int64_t count = size(numbers), n = self.scan->rows();
                const double *x = matrix("numbers", numbers, count, self.scan->numbers());
                const int32_t *c = matrix("codes", codes, count, self.scan->codes());
                self.check_codes(codes);
                double *to = matrix("out", out, count, n);
                const nb::gil_scoped_release unlocked;
                const Blocks blocks = cut(count, 1, 4096);
                run_blocks(blocks.count, [&](int64_t b, Job &job) {
                    for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
                        job.check();
                        const MixedRow q{x + i * self.scan->numbers(), c + i * self.scan->codes()};
                        for (int64_t r = 0; r < n; ++r) to[i * n + r] = self.scan->distance(r, q);
                    }
                });
            },
            nb::arg("numbers").noconvert(), nb::arg("codes").noconvert(), nb::arg("out").noconvert());
}

void bind_neighbors(nb::module_ &m) {
    bind_brute<double>(m), bind_brute<float>(m);
    bind_kd_tree<double>(m, "KdTree64");
    bind_kd_tree<float>(m, "KdTree32");
    bind_mixed(m);
}

}  // namespace learnt::bind
