// Rows of a linear machine as its solvers read them; sparse ones are known to lie inside of their matrix.
#pragma once

#include "base/csr.hpp"
#include "base/matrix.hpp"

namespace learnt {

struct DenseCells {
    const double *x;
    int64_t columns;
};

template <class Real>
struct SparseCells {
    Csr<Real> x;
    int64_t columns;
};

}  // namespace learnt
