// Neighbours in mixed tables: scans, and trees of their panels.
#include <nanobind/stl/vector.h>

#include "bind/neighbors/index.hpp"
#include "neighbors/mixed.hpp"

namespace learnt::bind {
namespace {

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

}  // namespace

void bind_mixed(nb::module_ &m) {
    nb::class_<HeldScan>(m, "MixedScan",
        "Rows of numbers and codes, copied for a scan; the arrays given are read, not copied, where exact.")
        .def(
            "__init__",
            [](HeldScan *self, const In2<double> &numbers, const In2<int32_t> &codes, const In<uint8_t> &coded,
               const In<double> &weights, const In<double> &ranges, const std::vector<Maybe<In2<double>>> &tables,
               const In<int64_t> &order, int power, bool tree) {
                const int64_t n = size(numbers), p = size(coded);
                if (tree && n >= (int64_t{1} << 31)) refuse("'numbers' has too many rows for a tree.");
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
                    MixedRows rows{x, places[0], c, places[1], n, std::move(columns), power};
                    held->scan = std::make_unique<MixedScan>(std::move(rows), std::vector<int64_t>(o, o + p), tree);
                }
                new (self) HeldScan(std::move(*held));
            },
            nb::arg("numbers").noconvert(), nb::arg("codes").noconvert(), nb::arg("coded").noconvert(),
            nb::arg("weights").noconvert(), nb::arg("ranges").noconvert(), nb::arg("tables"), nb::arg("order").noconvert(),
            nb::arg("power"), nb::arg("tree") = false)
        .def("bytes", [](const HeldScan &self) { return self.scan->bytes(); })
        .def(
            "nearest",
            [](const HeldScan &self, const In2<double> &numbers, const In2<int32_t> &codes, const Skip &skip,
               const Out2<double> &distances, const Out2<int64_t> &rows) {
                const int64_t count = size(numbers);
                const double *x = matrix("numbers", numbers, count, self.scan->rows().n_numbers);
                const int32_t *c = matrix("codes", codes, count, self.scan->rows().n_codes);
                self.check_codes(codes);
                const NearestOut out(count, self.scan->rows().n, skip, distances, rows);
                const nb::gil_scoped_release unlocked;
                return self.scan->search(x, c, count, out.skip, out.answers);
            },
            nb::arg("numbers").noconvert(), nb::arg("codes").noconvert(), nb::arg("skip").noconvert().none(),
            nb::arg("distances").noconvert(), nb::arg("rows").noconvert())
        .def(
            "within",
            [](const HeldScan &self, const In2<double> &numbers, const In2<int32_t> &codes, const Skip &skip,
               const In<double> &radius) {
                const int64_t count = size(numbers), *skipped = vector("skip", skip, count);
                const double *x = matrix("numbers", numbers, count, self.scan->rows().n_numbers);
                const int32_t *c = matrix("codes", codes, count, self.scan->rows().n_codes);
                self.check_codes(codes);
                return lists_within(count, radius, [&](const auto &answers) { self.scan->search(x, c, count, skipped, answers); });
            },
            nb::arg("numbers").noconvert(), nb::arg("codes").noconvert(), nb::arg("skip").noconvert().none(),
            nb::arg("radius").noconvert())
        .def(
            "distances",
            [](const HeldScan &self, const In2<double> &numbers, const In2<int32_t> &codes, const Out2<double> &out) {
                const int64_t count = size(numbers), n = self.scan->rows().n;
                const double *x = matrix("numbers", numbers, count, self.scan->rows().n_numbers);
                const int32_t *c = matrix("codes", codes, count, self.scan->rows().n_codes);
                self.check_codes(codes);
                double *to = matrix("out", out, count, n);
                const nb::gil_scoped_release unlocked;
                const Blocks blocks = cut(count, 1, 4096);
                run_blocks(blocks.count, [&](int64_t b, Job &job) {
                    for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
                        job.check();
                        const MixedRows &rows = self.scan->rows();
                        const MixedRow q{x + i * rows.n_numbers, c + i * rows.n_codes};
                        for (int64_t r = 0; r < n; ++r) to[i * n + r] = rows.distance(rows.row(r), q);
                    }
                });
            },
            nb::arg("numbers").noconvert(), nb::arg("codes").noconvert(), nb::arg("out").noconvert());
}

}  // namespace learnt::bind
