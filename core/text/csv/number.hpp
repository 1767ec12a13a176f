// Decimal numbers in text, correctly rounded: what C's strtod would read whole, but for nan, inf and hexadecimal.
//
// Up to 19 digits and a small power of ten are exact by one division or product of doubles (Clinger, 1990); the rest is
// left to std::from_chars.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace learnt {

inline constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// 01067 and its like: digits alone, with or without a sign, the first of them a zero that says nothing about a number.
// Postcodes and identifiers are written so, which a number would not keep.
inline bool has_idle_zero(const char *s, const char *end) {
    if (s < end && (*s == '-' || *s == '+')) ++s;
    if (end - s < 2 || *s != '0') return false;
    for (; s < end; ++s)
        if (!is_digit(*s)) return false;
    return true;
}

// The same, where one double does not do: the digits with a point for the decimal sign, handed to the library.
inline double exact_number(const char *s, const char *end, char decimal, bool negative, int64_t leading) {
    std::string held;
    if (decimal != '.') {
        held.assign(s, end);
        for (char &c : held)
            if (c == decimal) c = '.';
        s = held.data(), end = s + held.size();
    }
    double value = 0;
    const auto [stop, error] = std::from_chars(s, end, value);
    // Beyond the range it leaves the value alone: the place of the first digit tells which end of it was passed.
    if (error == std::errc::result_out_of_range) value = leading > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    return negative ? -value : value;
}

// Whether [s, end) is a number, and which. No space around it.
inline bool read_number(const char *s, const char *end, char decimal, double &value) {
    if (s == end) return false;
    const bool negative = *s == '-';
    if (negative || *s == '+') ++s;
    const char *const digits = s;
    uint64_t mantissa = 0;
    int64_t exponent = 0, significant = 0, seen = 0, leading = 0;  // leading: the power of ten of the first digit but 0
    bool point = false;
    for (; s < end; ++s) {
        if (is_digit(*s)) {
            ++seen;
            if (significant > 0 || *s != '0') {
                if (++significant <= 19) mantissa = mantissa * 10 + static_cast<uint64_t>(*s - '0');
                leading += !point;
            } else {
                leading -= point;
            }
            exponent -= point;
        } else if (*s == decimal && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (seen == 0) return false;
    if (s < end) {
        if (*s != 'e' && *s != 'E') return false;
        const char *p = s + 1;
        const bool below = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) ++p;
        if (p == end) return false;
        int64_t power = 0;
        for (; p < end; ++p) {
            if (!is_digit(*p)) return false;
            if (power < 100000000) power = power * 10 + (*p - '0');
        }
        exponent += below ? -power : power;
        leading += below ? -power : power;
    }
    if (significant <= 19 && mantissa <= uint64_t{1} << 53 && exponent >= -22 && exponent <= 22) {
        const double m = static_cast<double>(mantissa);
        value = exponent < 0 ? m / exact_powers[-exponent] : m * exact_powers[exponent];
        if (negative) value = -value;
    } else if (mantissa == 0) {
        value = negative ? -0.0 : 0.0;
    } else {
        value = exact_number(digits, end, decimal, negative, leading);
    }
    return true;
}

}  // namespace learnt
