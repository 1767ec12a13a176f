// Views of tables and scratch memory: what every kernel's signature is made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace learnt {

// A rows × columns view with any strides (in elements): row-major, column-major, reversed, repeated.
template <class T>
struct Matrix {
    T *data;
    int64_t rows, columns;
    int64_t row_stride, column_stride;

    T *row(int64_t i) const { return data + i * row_stride; }
    T &operator()(int64_t i, int64_t j) const { return data[i * row_stride + j * column_stride]; }

    // Each row is one run of memory, so that vectors may be loaded along it.
    bool rows_contiguous() const { return column_stride == 1 || columns == 1; }
    bool columns_contiguous() const { return row_stride == 1 || rows == 1; }
};

template <class T>
Matrix<T> row_major(T *data, int64_t rows, int64_t columns) {
    return {data, rows, columns, columns, 1};
}

// Rows [first, last).
struct Range {
    int64_t first, last;
    int64_t size() const { return last - first; }
};

// Rows cut into blocks of nearly equal size. The cut depends on sizes alone, never on threads, so that
// sums made block by block and added in block order have the same bits whoever computes them.
struct Blocks {
    int64_t rows, count;

    Range operator[](int64_t b) const {
        const int64_t base = rows / count, more = rows % count;
        const int64_t first = b * base + std::min(b, more);
        return {first, first + base + (b < more)};
    }
};

inline Blocks cut(int64_t rows, int64_t rows_at_least, int64_t blocks_at_most) {
    const int64_t wanted = rows / std::max<int64_t>(1, rows_at_least);
    return {rows, rows == 0 ? 0 : std::clamp<int64_t>(wanted, 1, std::max<int64_t>(1, blocks_at_most))};
}

inline int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

// Uninitialised memory on a cache-line boundary.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);
    struct Free {
        void operator()(T *p) const { ::operator delete[](p, std::align_val_t{64}); }
    };
    std::unique_ptr<T[], Free> memory_;

  public:
    explicit Buffer(int64_t n)
        : memory_(static_cast<T *>(::operator new[](sizeof(T) * static_cast<size_t>(std::max<int64_t>(n, 1)),
                                                    std::align_val_t{64}))) {}
    Buffer(int64_t n, T value) : Buffer(n) { std::fill_n(memory_.get(), n, value); }

    T *data() const { return memory_.get(); }
    T &operator[](int64_t i) const { return memory_[static_cast<size_t>(i)]; }
};

}  // namespace learnt
