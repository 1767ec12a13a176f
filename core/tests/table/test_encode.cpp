// Dense and sparse encodings agree, stay inside their outputs, and refuse offsets of other columns.
#include "table/encode.hpp"
#include "tests/check.hpp"

namespace learnt::test {

template <class Real>
static void dense_and_sparse_agree(int64_t n) {
    std::vector<double> number = numbers<double>(n, 1);
    std::vector<int32_t> code(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
        code[static_cast<size_t>(i)] = static_cast<int32_t>(i % 7) - 1;
        if (i % 5 == 0) number[static_cast<size_t>(i)] = std::nan("");
        if (i % 3 == 0) number[static_cast<size_t>(i)] = 0;
    }
    using Cells = EncodedColumn::Cells;
    const std::vector<EncodedColumn> columns{
        {Cells::float64, number.data(), 1, 0, 0, 0.25, 0, 1, -1},
        {Cells::code, code.data(), 1, 1, 4, -1, 0, 1, 2},  // codes up to 5, columns for 0, 1, 3, 4
        {Cells::code, code.data(), 1, 5, 0, 2, 1, 0.5, -1},
        {Cells::code, code.data(), 1, 6, 2, 1e300, 0, 1, -1},  // a fill that is no code
    };
    constexpr int64_t p = 8;
    std::vector<Real> dense(static_cast<size_t>(n * p), Real{9});
    encode_dense(columns, n, p, dense.data());
    std::vector<int64_t> indptr(static_cast<size_t>(n + 1));
    count_csr(columns, n, indptr.data());
    const int64_t stored = indptr.back();
    std::vector<int32_t> indices(static_cast<size_t>(stored));
    std::vector<Real> data(static_cast<size_t>(stored));
    encode_csr(columns, n, indptr.data(), indices.data(), data.data(), stored);
    for (int64_t i = 0; i < n; ++i) {
        std::vector<Real> row(p);
        for (int64_t e = indptr[static_cast<size_t>(i)]; e < indptr[static_cast<size_t>(i + 1)]; ++e)
            row[static_cast<size_t>(indices[static_cast<size_t>(e)])] = data[static_cast<size_t>(e)];
        for (size_t j = 0; j < p; ++j) CHECK(row[j] == dense[static_cast<size_t>(i * p) + j]);
    }
    if (n < 2) return;
    indptr[1] = 0;
    bool refused = false;
    try {
        encode_csr(columns, n, indptr.data(), indices.data(), data.data(), stored);
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    CHECK(refused);
}

void test_encode() {
    everywhere([] {
        for (const int64_t n : {0, 1, 17, 3000}) {
            dense_and_sparse_agree<float>(n);
            dense_and_sparse_agree<double>(n);
        }
    });
}

}  // namespace learnt::test
