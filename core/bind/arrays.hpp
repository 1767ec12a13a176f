// Arrays as the bindings take them, and the checks that come before a kernel.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/csr.hpp"
#include "base/matrix.hpp"

namespace nb = nanobind;

namespace learnt::bind {

// A table with any strides; vectors and small matrices without gaps.
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class Array>
using Maybe = std::optional<Array>;


template <class Array>
int64_t size(const Array &a, size_t dimension = 0) {
    return static_cast<int64_t>(a.shape(dimension));
}

[[noreturn]] inline void refuse(const std::string &message) { throw nb::value_error(message.c_str()); }

inline void check_length(const char *name, int64_t found, int64_t expected) {
    if (found != expected)
        refuse("'" + std::string(name) + "' has the length " + std::to_string(found) + ". Expected " +
               std::to_string(expected) + ".");
}

// The data of an array of the expected length, where the processor can load it from.
template <class Array>
auto *data(const char *name, const Array &a) {
    using Scalar = typename Array::Scalar;
    if (reinterpret_cast<uintptr_t>(a.data()) % alignof(Scalar) != 0)
        refuse("'" + std::string(name) + "' is not aligned in memory. Pass a copy of it.");
    return a.data();
}
template <class Array>
auto *vector(const char *name, const Array &a, int64_t length) {
    check_length(name, size(a), length);
    return data(name, a);
}
template <class Array>
auto *matrix(const char *name, const Array &a, int64_t rows, int64_t columns) {
    if (size(a, 0) != rows || size(a, 1) != columns)
        refuse("'" + std::string(name) + "' is " + std::to_string(size(a, 0)) + " × " + std::to_string(size(a, 1)) +
               ". Expected " + std::to_string(rows) + " × " + std::to_string(columns) + ".");
    return data(name, a);
}
template <class Array>
typename Array::Scalar *vector(const char *name, const Maybe<Array> &a, int64_t length) {
    return a ? vector(name, *a, length) : nullptr;
}

template <class T>
Matrix<const T> table(const Table<T> &x) {
    return {data("x", x), size(x, 0), size(x, 1), x.stride(0), x.stride(1)};
}

// `Offset` is the type of indptr.
template <class T, class Offset>
Csr<T> sparse(const In<T> &values, const In<int32_t> &indices, const In<Offset> &indptr, int64_t n_columns) {
    check_length("indices", size(indices), size(values));
    if (size(indptr) < 1) refuse("'indptr' is empty. Expected one number more than there are rows.");
    if (n_columns < 0) refuse("'n_columns' is " + std::to_string(n_columns) + ". Expected 0 or more.");
    Csr<T> x{data("data", values), data("indices", indices), nullptr, nullptr, size(indptr) - 1, n_columns, size(values)};
    if constexpr (sizeof(Offset) == 4)
        x.offset32 = data("indptr", indptr);
    else
        x.offset64 = data("indptr", indptr);
    return x;
}

// A k × p matrix of centres with at least one row.
template <class T>
const T *center_rows(const In2<T> &centers, int64_t p) {
    if (size(centers) == 0) refuse("'centers' has no rows. Expected at least one.");
    return matrix("centers", centers, size(centers), p);
}


}  // namespace learnt::bind
