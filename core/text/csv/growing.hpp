// Numbers one after the other in memory that grows where it stands.
//
// Large pieces are pages of their own. They move without being copied, what a column no longer needs goes back to the
// system at once (memory from malloc stays: a stream of batches held half as much again), and from some megabytes on
// they are large pages, where the system has them: a table of 160 MB else takes 40,000 faults in a read.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

namespace learnt {

#if defined(__linux__)
class Pages {
    static constexpr size_t large_page = size_t{2} << 20;

    static void *map(size_t bytes) {
        void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        return memory;
    }

  public:
    static constexpr size_t least = size_t{1} << 17;  // below, malloc does

    static size_t small() {
        static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        return bytes;
    }
    static size_t rounded(size_t bytes, size_t page) { return (bytes + page - 1) / page * page; }
    static size_t rounded(size_t bytes) { return rounded(bytes, bytes >= large_page ? large_page : small()); }
    // So many bytes, rounded; those of large pages begin at one.
    static void *of(size_t bytes) {
        if (bytes < large_page) return map(bytes);
        const size_t more = large_page - small();
        char *memory = static_cast<char *>(map(bytes + more));
        char *first = memory + (large_page - reinterpret_cast<uintptr_t>(memory) % large_page) % large_page;
        if (first > memory) munmap(memory, static_cast<size_t>(first - memory));
        const size_t behind = static_cast<size_t>(memory + more - first);
        if (behind > 0) munmap(first + bytes, behind);
        madvise(first, bytes, MADV_HUGEPAGE);  // without them, small ones do
        return first;
    }
    static void *moved(void *memory, size_t from, size_t to) {
        if (to <= from || to < large_page) {
            memory = mremap(memory, from, to, MREMAP_MAYMOVE);
            if (memory == MAP_FAILED) throw std::bad_alloc();
            return memory;
        }
        void *larger = of(to);
        std::memcpy(larger, memory, from);
        munmap(memory, from);
        return larger;
    }
    static void free(void *memory, size_t bytes) { munmap(memory, bytes); }
};
#endif

template <class T>
class Growing {
    static_assert(std::is_trivially_copyable_v<T>);
    T *data_ = nullptr;
    int64_t size_ = 0, room_ = 0;
    size_t mapped_ = 0;  // bytes of pages; 0: from malloc

    void resize_room(int64_t room) {
        const size_t bytes = sizeof(T) * static_cast<size_t>(std::max<int64_t>(room, 1));
#if defined(__linux__)
        if (mapped_ > 0 || bytes >= Pages::least) {
            const size_t pages = bytes < mapped_ ? Pages::rounded(bytes, Pages::small()) : Pages::rounded(bytes);
            void *moved = mapped_ > 0 ? Pages::moved(data_, mapped_, pages) : Pages::of(pages);
            if (mapped_ == 0 && data_) {
                std::memcpy(moved, data_, sizeof(T) * static_cast<size_t>(size_));
                std::free(data_);
            }
            data_ = static_cast<T *>(moved), room_ = room, mapped_ = pages;
            return;
        }
#endif
        void *moved = std::realloc(data_, bytes);
        if (!moved) throw std::bad_alloc();
        data_ = static_cast<T *>(moved), room_ = room;
    }

  public:
    Growing() = default;
    Growing(Growing &&other) noexcept
        : data_(other.data_), size_(other.size_), room_(other.room_), mapped_(other.mapped_) {
        other.forget();
    }
    Growing &operator=(Growing &&other) noexcept {
        std::swap(data_, other.data_), std::swap(size_, other.size_), std::swap(room_, other.room_);
        std::swap(mapped_, other.mapped_);
        return *this;
    }
    ~Growing() {
#if defined(__linux__)
        if (mapped_ > 0) {
            Pages::free(data_, mapped_);
            return;
        }
#endif
        std::free(data_);
    }

    int64_t size() const { return size_; }
    T *data() const { return data_; }
    void reserve(int64_t room) {
        if (room > room_) resize_room(room);
    }
    // More elements, not yet set.
    T *extend(int64_t more) {
        if (size_ + more > room_) resize_room(std::max(size_ + more, room_ + room_ / 2));
        size_ += more;
        return data_ + (size_ - more);
    }
    void fit() {
        if (size_ < room_) resize_room(size_);
    }
    void clear() { size_ = 0; }
    void forget() { data_ = nullptr, size_ = room_ = 0, mapped_ = 0; }
};

}  // namespace learnt
