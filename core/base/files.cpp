// pread, and what Windows has in its place.
#include "base/files.hpp"

#include <algorithm>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <windows.h>

#include <cerrno>
#else
#include <unistd.h>
#endif

namespace learnt {

int64_t read_at(int file, void *to, int64_t size, int64_t offset) {
#if defined(_WIN32)
    OVERLAPPED place = {};
    place.Offset = static_cast<DWORD>(static_cast<uint64_t>(offset) & 0xffffffffu);
    place.OffsetHigh = static_cast<DWORD>(static_cast<uint64_t>(offset) >> 32);
    DWORD count = 0;
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file));
    if (ReadFile(handle, to, static_cast<DWORD>(std::min<int64_t>(size, 1 << 30)), &count, &place)) return count;
    if (GetLastError() == ERROR_HANDLE_EOF) return 0;
    errno = EIO;
    return -1;
#else
    return pread(file, to, static_cast<size_t>(size), static_cast<off_t>(offset));
#endif
}

}  // namespace learnt
