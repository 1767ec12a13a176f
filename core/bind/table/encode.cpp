// Typed columns into a numeric matrix.
#include <algorithm>
#include <limits>
#include <vector>

#include "bind/arrays.hpp"
#include "table/encode.hpp"

namespace learnt::bind {
namespace {

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

// The columns of one call, in order of their starts, and the arrays that keep their memory.
struct Columns {
    std::vector<AnyColumn> arrays;
    std::vector<EncodedColumn> encoded;
    int64_t rows = 0;

    Columns(nb::list columns, const In<int64_t> &starts, const In<int64_t> &widths, const In<double> &fill,
            const In<double> &center, const In<double> &scale, const In<int32_t> &dropped, int64_t n_rows)
        : rows(n_rows) {
        const int64_t m = static_cast<int64_t>(nb::len(columns));
        const int64_t *start = vector("starts", starts, m), *width = vector("widths", widths, m);
        const double *f = vector("fill", fill, m), *c = vector("center", center, m), *s = vector("scale", scale, m);
        const int32_t *drop = vector("dropped", dropped, m);
        for (int64_t i = 0; i < m; ++i) {
            AnyColumn array;
            if (!nb::try_cast(columns[static_cast<size_t>(i)], array, false))
                throw nb::type_error(("Column " + std::to_string(i) + " is not a one-dimensional array.").c_str());
            check_length(("columns[" + std::to_string(i) + "]").c_str(), size(array), rows);
            const auto cells = kind_of(array, i);
            if (reinterpret_cast<uintptr_t>(array.data()) % array.itemsize() != 0)
                refuse("Column " + std::to_string(i) + " is not aligned in memory. Pass a copy of it.");
            constexpr int64_t most = std::numeric_limits<int32_t>::max();  // columns of sparse rows are int32
            if (width[i] < 0 || width[i] > most || start[i] < 0 || start[i] > most - width[i])
                refuse("Column " + std::to_string(i) + " fills " + std::to_string(width[i]) + " output columns from " +
                       std::to_string(start[i]) + " on. Expected 0 or more, within " + std::to_string(most) + ".");
            if (width[i] > 0 && cells != EncodedColumn::Cells::code)
                throw nb::type_error(("Column " + std::to_string(i) + " holds numbers. Expected int32 codes for a width above 0.").c_str());
            encoded.push_back({cells, array.data(), array.stride(0), start[i], width[i], f[i], c[i], s[i], drop[i]});
            arrays.push_back(array);
        }
        std::stable_sort(encoded.begin(), encoded.end(),
                         [](const EncodedColumn &a, const EncodedColumn &b) { return a.start < b.start; });
    }

    static EncodedColumn::Cells kind_of(const AnyColumn &array, int64_t i) {
        if (array.dtype() == nb::dtype<double>()) return EncodedColumn::Cells::float64;
        if (array.dtype() == nb::dtype<float>()) return EncodedColumn::Cells::float32;
        if (array.dtype() == nb::dtype<int32_t>()) return EncodedColumn::Cells::code;
        throw nb::type_error(("Column " + std::to_string(i) + " has another type than float64, float32 or int32.").c_str());
    }

    // Output columns 0 .. p − 1 must each be written by exactly one column.
    void check_cover(int64_t p) const {
        int64_t next = 0;
        for (const EncodedColumn &column : encoded) {
            if (column.start != next)
                refuse("The columns leave a gap or overlap at output column " + std::to_string(next) + ".");
            next += std::max<int64_t>(1, column.width);
        }
        if (next != p)
            refuse("The columns fill " + std::to_string(next) + " output columns. Expected " + std::to_string(p) + ".");
    }
};

#define LEARNT_COLUMN_ARGS                                                                                          \
    nb::arg("columns"), nb::arg("starts").noconvert(), nb::arg("widths").noconvert(), nb::arg("fill").noconvert(), \
        nb::arg("center").noconvert(), nb::arg("scale").noconvert(), nb::arg("dropped").noconvert()

template <class T>
void bind_encoded(nb::module_ &m) {
    m.def(
        "encode_dense",
        [](nb::list columns, const In<int64_t> &starts, const In<int64_t> &widths, const In<double> &fill,
           const In<double> &center, const In<double> &scale, const In<int32_t> &dropped, const Out2<T> &out) {
            const Columns all(columns, starts, widths, fill, center, scale, dropped, size(out));
            all.check_cover(size(out, 1));
            T *to = data("out", out);
            const nb::gil_scoped_release unlocked;
            encode_dense(all.encoded, all.rows, size(out, 1), to);
        },
        LEARNT_COLUMN_ARGS, nb::arg("out").noconvert(),
        "Write typed columns into a numeric matrix: numbers, or indicators of codes where width > 0.");
    m.def(
        "encode_csr",
        [](nb::list columns, const In<int64_t> &starts, const In<int64_t> &widths, const In<double> &fill,
           const In<double> &center, const In<double> &scale, const In<int32_t> &dropped, const In<int64_t> &indptr,
           const Out<int32_t> &indices, const Out<T> &values) {
            if (size(indptr) < 1) refuse("'indptr' is empty. Expected one number more than there are rows.");
            const Columns all(columns, starts, widths, fill, center, scale, dropped, size(indptr) - 1);
            const int64_t *offsets = data("indptr", indptr);
            check_length("data", size(values), offsets[all.rows]);
            int32_t *to = vector("indices", indices, size(values));
            T *cells = data("data", values);
            const nb::gil_scoped_release unlocked;
            encode_csr(all.encoded, all.rows, offsets, to, cells, size(values));
        },
        LEARNT_COLUMN_ARGS, nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("data").noconvert(),
        "encode_dense into a sparse matrix: the cells that are not zero, columns rising in every row.");
}

}  // namespace

void bind_encode(nb::module_ &m) {
    bind_encoded<double>(m), bind_encoded<float>(m);
    m.def(
        "count_csr",
        [](nb::list columns, const In<int64_t> &starts, const In<int64_t> &widths, const In<double> &fill,
           const In<double> &center, const In<double> &scale, const In<int32_t> &dropped, const Out<int64_t> &indptr) {
            if (size(indptr) < 1) refuse("'indptr' is empty. Expected one number more than there are rows.");
            const Columns all(columns, starts, widths, fill, center, scale, dropped, size(indptr) - 1);
            int64_t *to = data("indptr", indptr);
            const nb::gil_scoped_release unlocked;
            count_csr(all.encoded, all.rows, to);
        },
        LEARNT_COLUMN_ARGS, nb::arg("indptr").noconvert(),
        "Overwrite indptr with the row offsets encode_csr needs.");
}

}  // namespace learnt::bind
