// Bytes of an open file at any place, from many threads at once.
#pragma once

#include <cstdint>

namespace learnt {

// As POSIX pread: up to `size` bytes from `offset` on; how many there were, 0 at the end, or −1 and errno.
int64_t read_at(int file, void *to, int64_t size, int64_t offset);

}  // namespace learnt
