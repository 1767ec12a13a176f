// The rows of batches, kept together by node while a boosted tree grows, and histograms of their nodes.
#include "bind/boosting/problem.hpp"
#include "boosting/stream.hpp"

namespace learnt::bind {

namespace {

// The nodes of a growing tree from arrays of their tests.
std::vector<TestedNode> nodes_from(const BoostBins &bins, const In<int32_t> &left, const In<int32_t> &column,
                                   const In<int32_t> &bin, const In<uint8_t> &missing_left, const In<int64_t> &left_start,
                                   const In<int32_t> &left_bins) {
    const int64_t n = size(left);
    const int32_t *l = data("left", left), *c = vector("column", column, n), *b = vector("bin", bin, n);
    const uint8_t *missing = vector("missing_left", missing_left, n);
    const int64_t *start = vector("left_start", left_start, n + 1);
    std::vector<TestedNode> nodes(static_cast<size_t>(n));
    const auto check = [](bool right) {
        if (!right) refuse("The tests are not those of a tree over these bins.");
    };
    check(n > 0);
    std::vector<bool> is_child(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
        TestedNode &t = nodes[static_cast<size_t>(i)];
        if (l[i] < 0) continue;
        check(l[i] > i && l[i] < n - 1 && c[i] >= 0 && c[i] < bins.layout.columns());
        check(start[i] >= 0 && start[i] <= start[i + 1] && start[i + 1] <= size(left_bins));
        for (const int32_t child : {l[i], l[i] + 1}) {
            check(!is_child[static_cast<size_t>(child)]);
            is_child[static_cast<size_t>(child)] = true;
        }
        Split split;
        split.column = c[i], split.bin = b[i], split.missing_left = missing[i] != 0;
        split.left_bins.assign(left_bins.data() + start[i], left_bins.data() + start[i + 1]);
        for (const int32_t v : split.left_bins) check(v >= 0 && v < bins.layout.n_bins[static_cast<size_t>(c[i])]);
        t.set_test(split, bins.layout);
        t.left = l[i], t.right = l[i] + 1;
    }
    return nodes;
}

void check_entries(const uint64_t *entries, int64_t n, int64_t rows) {
    uint32_t most = 0;
    for (int64_t i = 0; i < n; ++i) most = std::max(most, entry_row(entries[i]));
    if (n > 0 && most >= rows) refuse("'entries' name row " + std::to_string(most) + " of " + std::to_string(rows) + ".");
}
void check_ranges(const int64_t *ranges, int64_t nodes, int64_t entries) {
    for (int64_t v = 0; v < nodes; ++v)
        if (ranges[2 * v] < 0 || ranges[2 * v] > ranges[2 * v + 1] || ranges[2 * v + 1] > entries)
            refuse("'ranges' of node " + std::to_string(v) + " lie outside of the " + std::to_string(entries) + " entries.");
}

struct BoostHistograms {
    nb::object bins_object;
    const BoostBins &bins;
    NodeHistograms sums;

    BoostHistograms(nb::object b, int64_t slots, bool fine)
        : bins_object(b), bins(nb::cast<const BoostBins &>(b)), sums(bins.layout, checked(slots), fine) {}

    static int64_t checked(int64_t slots) {
        if (slots < 0 || slots > int64_t{1} << 24) refuse("'n_slots' is " + std::to_string(slots) + ". Expected 0 to 16777216.");
        return slots;
    }

    void add(const In2<uint8_t> &narrow, const In2<uint16_t> &wide, const In<uint64_t> &entries,
             const Maybe<In2<int64_t>> &fine, const In2<int64_t> &ranges, const In<int32_t> &slot_of_node) {
        const CodeRows codes = bins.rows(narrow, wide);
        const int64_t nodes = size(slot_of_node);
        const uint64_t *const of = data("entries", entries);
        const int64_t *const fine_rows = fine ? matrix("fine", *fine, codes.rows, 3) : nullptr;
        const int64_t *const range = matrix("ranges", ranges, nodes, 2);
        const int32_t *const slot = data("slot_of_node", slot_of_node);
        if (sums.fine() != (fine_rows != nullptr)) refuse("'fine' is given where sums are fine, and only there.");
        check_ranges(range, nodes, size(entries));
        for (int64_t v = 0; v < nodes; ++v) {
            if (slot[v] >= sums.slots()) refuse("'slot_of_node' names a slot that is not there.");
            if (slot[v] < 0) continue;
            const uint64_t *const from = of + range[2 * v];
            const int64_t count = range[2 * v + 1] - range[2 * v];
            check_entries(from, count, codes.rows);
            // A byte cannot lead beyond 256 cells: what lies between the bins of a column and these, `read` sees.
            if (bins.layout.room < 256 || !bins.layout.wide.empty())
                bins.check_codes(codes, count, [=](int64_t i) { return int64_t{entry_row(from[i])}; });
        }
        const nb::gil_scoped_release unlocked;
        sums.add(codes, of, fine_rows, range, slot, nodes);
    }

    void read(const nb::ndarray<int64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu> &out) {
        if (size(out) != sums.slots() || size(out, 1) != bins.layout.total || size(out, 2) != 3)
            refuse("'out' has another shape than slots × bins × 3.");
        bool off = false;
        {
            const nb::gil_scoped_release unlocked;
            sums.read(out.data());
            off = sums.off(out.data());
        }
        if (off) refuse("A code lies beyond the bins of its column.");
    }
};

void bind_rows(nb::module_ &m) {
    m.def(
        "boost_entries",
        [](const Maybe<In<uint32_t>> &packed, const In<uint8_t> &kept, const Out<uint64_t> &out) {
            const int64_t n = size(kept);
            const uint8_t *const some = data("kept", kept);
            const uint32_t *const gradient = vector("packed", packed, n);
            uint64_t *to = data("out", out);
            if (n - std::count(some, some + n, 0) != size(out)) refuse("'out' has another length than rows are kept.");
            const nb::gil_scoped_release unlocked;
            for (int64_t i = 0; i < n; ++i)
                if (some[i]) *to++ = static_cast<uint64_t>(gradient ? gradient[i] : 0) << 32 | static_cast<uint64_t>(i);
        },
        nb::arg("packed").noconvert().none(), nb::arg("kept").noconvert(), nb::arg("out").noconvert(),
        "Overwrite out with the rows that are kept, beside their packed gradients.");
    m.def(
        "boost_part_rows",
        [](const BoostBins &bins, const In2<uint8_t> &narrow, const In2<uint16_t> &wide, const In<int32_t> &left,
           const In<int32_t> &column, const In<int32_t> &bin, const In<uint8_t> &missing_left, const In<int64_t> &left_start,
           const In<int32_t> &left_bins, int64_t known, const Out<uint64_t> &entries, const Out2<int64_t> &ranges) {
            const CodeRows codes = bins.rows(narrow, wide);
            const std::vector<TestedNode> nodes = nodes_from(bins, left, column, bin, missing_left, left_start, left_bins);
            const int64_t n = static_cast<int64_t>(nodes.size()), rows = size(entries);
            uint64_t *const of = data("entries", entries);
            int64_t *const range = matrix("ranges", ranges, n, 2);
            if (known < 1 || known > n) refuse("'known' is " + std::to_string(known) + ". Expected 1 to " + std::to_string(n) + ".");
            check_ranges(range, known, rows);
            for (int64_t v = 0; v < known; ++v)  // of those that are looked at
                if (nodes[static_cast<size_t>(v)].left >= known) check_entries(of + range[2 * v], range[2 * v + 1] - range[2 * v], codes.rows);
            std::fill(range + 2 * known, range + 2 * n, 0);
            const nb::gil_scoped_release unlocked;
            part_rows(nodes, bins.layout, codes, known, of, range);
        },
        nb::arg("bins"), nb::arg("narrow").noconvert(), nb::arg("wide").noconvert(), nb::arg("left").noconvert(),
        nb::arg("column").noconvert(), nb::arg("bin").noconvert(), nb::arg("missing_left").noconvert(),
        nb::arg("left_start").noconvert(), nb::arg("left_bins").noconvert(), nb::arg("known"), nb::arg("entries").noconvert(),
        nb::arg("ranges").noconvert(),
        "Part the entries of nodes with children beyond the known ones, in place; ranges of the children are written.");
    m.def(
        "boost_place_rows",
        [](const BoostBins &bins, const In2<uint8_t> &narrow, const In2<uint16_t> &wide, const In<int32_t> &left,
           const In<int32_t> &column, const In<int32_t> &bin, const In<uint8_t> &missing_left, const In<int64_t> &left_start,
           const In<int32_t> &left_bins, const In<uint64_t> &entries, const In2<int64_t> &ranges, const Out<int32_t> &out) {
            const CodeRows codes = bins.rows(narrow, wide);
            const std::vector<TestedNode> nodes = nodes_from(bins, left, column, bin, missing_left, left_start, left_bins);
            const int64_t n = static_cast<int64_t>(nodes.size());
            const uint64_t *const of = data("entries", entries);
            const int64_t *const range = matrix("ranges", ranges, n, 2);
            int32_t *const node = vector("out", out, codes.rows);
            check_entries(of, size(entries), codes.rows), check_ranges(range, n, size(entries));
            const nb::gil_scoped_release unlocked;
            place_rows(nodes, bins.layout, codes, of, range, node);
        },
        nb::arg("bins"), nb::arg("narrow").noconvert(), nb::arg("wide").noconvert(), nb::arg("left").noconvert(),
        nb::arg("column").noconvert(), nb::arg("bin").noconvert(), nb::arg("missing_left").noconvert(),
        nb::arg("left_start").noconvert(), nb::arg("left_bins").noconvert(), nb::arg("entries").noconvert(),
        nb::arg("ranges").noconvert(), nb::arg("out").noconvert(),
        "Overwrite out with the leaf of each row: by the ranges, and of rows without an entry by the tests.");
    nb::class_<BoostHistograms>(m, "BoostHistograms",
        "Histograms of the nodes of a growing tree, summed over batches.")
        .def(nb::init<nb::object, int64_t, bool>(), nb::arg("bins"), nb::arg("n_slots"), nb::arg("fine"))
        .def("add", &BoostHistograms::add, nb::arg("narrow").noconvert(), nb::arg("wide").noconvert(),
             nb::arg("entries").noconvert(), nb::arg("fine").noconvert().none(), nb::arg("ranges").noconvert(),
             nb::arg("slot_of_node").noconvert(), "Add a batch's rows to the histograms of their nodes.")
        .def("read", &BoostHistograms::read, nb::arg("out").noconvert(),
             "Overwrite out (slots × bins × 3) with the sums so far: gradient, hessian, weight.");
}

}  // namespace

void bind_boost_rows(nb::module_ &m) { bind_rows(m); }

}  // namespace learnt::bind
