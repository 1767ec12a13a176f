// Cells without the white space around them, by the rule of Python's str.strip.
#pragma once

#include <cstdint>
#include <string_view>

namespace learnt {

inline bool is_plain_space(char c) { return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31); }

// Bytes of the white space that s begins with; 0 for none.
inline int64_t space_at_start(std::string_view s) {
    if (s.empty()) return 0;
    if (is_plain_space(s[0])) return 1;
    const auto byte = [&](size_t i) { return i < s.size() ? static_cast<uint8_t>(s[i]) : uint8_t{0}; };
    if (byte(0) == 0xc2) return byte(1) == 0x85 || byte(1) == 0xa0 ? 2 : 0;
    if (byte(0) == 0xe1) return byte(1) == 0x9a && byte(2) == 0x80 ? 3 : 0;
    if (byte(0) == 0xe3) return byte(1) == 0x80 && byte(2) == 0x80 ? 3 : 0;
    if (byte(0) != 0xe2) return 0;
    if (byte(1) == 0x81) return byte(2) == 0x9f ? 3 : 0;
    const uint8_t last = byte(2);
    return byte(1) == 0x80 && ((last >= 0x80 && last <= 0x8a) || last == 0xa8 || last == 0xa9 || last == 0xaf) ? 3 : 0;
}

inline int64_t space_at_end(std::string_view s) {
    if (s.empty()) return 0;
    if (is_plain_space(s.back())) return 1;
    for (size_t n : {size_t{2}, size_t{3}})
        if (s.size() >= n && space_at_start(s.substr(s.size() - n)) == static_cast<int64_t>(n)) return static_cast<int64_t>(n);
    return 0;
}

inline std::string_view trimmed(std::string_view s) {
    while (const int64_t n = space_at_start(s)) s.remove_prefix(static_cast<size_t>(n));
    while (const int64_t n = space_at_end(s)) s.remove_suffix(static_cast<size_t>(n));
    return s;
}

// Whether a text may begin or end with white space: a quick look that never overlooks any.
inline bool may_need_trimming(const char *s, const char *end) {
    const auto quiet = [](char c) { return c > ' ' && c < 0x7f; };
    return !(quiet(*s) && quiet(end[-1]));
}

}  // namespace learnt
