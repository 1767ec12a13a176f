// Sparse rows as the bindings take them: offsets of either type, decided when they come, so that one binding takes both.
#pragma once

#include "bind/arrays.hpp"

namespace learnt::bind {

using Offsets = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Csr<T> sparse(const In<T> &values, const In<int32_t> &indices, const Offsets &indptr, int64_t n_columns) {
    const bool narrow = indptr.dtype() == nb::dtype<int32_t>();
    if (!narrow && indptr.dtype() != nb::dtype<int64_t>())
        throw nb::type_error("'indptr' has another type than int32 or int64.");
    if (reinterpret_cast<uintptr_t>(indptr.data()) % (narrow ? 4 : 8) != 0)
        refuse("'indptr' is not aligned in memory. Pass a copy of it.");
    check_length("indices", size(indices), size(values));
    if (size(indptr) < 1) refuse("'indptr' is empty. Expected one number more than there are rows.");
    if (n_columns < 0) refuse("'n_columns' is " + std::to_string(n_columns) + ". Expected 0 or more.");
    return {data("data", values),
            data("indices", indices),
            narrow ? static_cast<const int32_t *>(indptr.data()) : nullptr,
            narrow ? nullptr : static_cast<const int64_t *>(indptr.data()),
            size(indptr) - 1,
            n_columns,
            size(values)};
}

}  // namespace learnt::bind
