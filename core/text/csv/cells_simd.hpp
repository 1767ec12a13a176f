// Loops of text/csv/block.hpp.

#if LEARNT_BYTES >= 32
// The digits of a plain number of up to 16 bytes, its sign aside, as a whole number: the gap of the decimal sign is
// closed by a shuffle, neighbours are multiplied by 10 and 1 and added, then by 100 and 1, then by 10000 and 1.
// `point` is where the decimal sign stands among the 16 bytes before `end`, 16 if there is none.
LEARNT_INLINE uint64_t digits_before(const char *end, int64_t length, char decimal, int &point) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(end - 16));
    const uint32_t mine = 0xffffu << (16 - length);
    const uint32_t points = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(decimal)))) & mine;
    point = __builtin_ctz(points | 0x10000u);
    const __m128i closed = _mm_shuffle_epi8(bytes, _mm_loadu_si128(reinterpret_cast<const __m128i *>(gap_closers[point])));
    const __m128i kept = _mm_loadu_si128(reinterpret_cast<const __m128i *>(last_lanes + length - (points != 0)));
    const __m128i d = _mm_and_si128(_mm_sub_epi8(closed, _mm_set1_epi8('0')), kept);
    const __m128i pairs = _mm_maddubs_epi16(d, _mm_setr_epi8(10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1));
    const __m128i fours = _mm_madd_epi16(pairs, _mm_setr_epi16(100, 1, 100, 1, 100, 1, 100, 1));
    const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_setr_epi16(10000, 1, 10000, 1, 10000, 1, 10000, 1));
    const uint64_t both = static_cast<uint64_t>(_mm_cvtsi128_si64(eights));
    return (both & 0xffffffffu) * 100000000u + (both >> 32);
}
#endif

// Numbers of one column in some rows; NaN elsewhere. Rows whose cell is neither empty nor a number at first sight go to
// `others`; `found` are the numbers.
inline void read_numbers(const CsvText &text, const CsvSigns &signs, const CsvIndex &index, const uint32_t *first, int64_t rows,
                         int64_t column, bool last, double *values, uint32_t *others, int64_t &n_others, int64_t &found) {
    const uint32_t *start = index.start.data();
    double found_here[number_rows], powers[number_rows];  // in the nearest cache, which `values` is not
#if LEARNT_BYTES >= 32
    const char *odd = index.odd.data();
    const bool room = start[first[0] + column] >= 16;  // sixteen bytes before the end of any cell are the text's
    int64_t n_found = 0;
#endif
    for (int64_t r = 0; r < rows; ++r) {
        const int64_t i = first[r] + column;
        const char *s = text.data + start[i], *end = text.data + (start[i + 1] - 1);
#if LEARNT_BYTES >= 32
        if (room & !odd[i]) {
            // Signs come and go without a pattern: no branches on them.
            const uint64_t negative = *s == '-';
            const int64_t length = end - s - static_cast<int64_t>(negative | static_cast<uint64_t>(*s == '+'));
            if (length <= 16) {
                int point;
                const uint64_t digits = digits_before(end, length, signs.decimal, point);
                if (digits <= uint64_t{1} << 53) {
                    const double positive = static_cast<double>(static_cast<int64_t>(digits));
                    found_here[r] = std::bit_cast<double>(std::bit_cast<uint64_t>(positive) ^ negative << 63);
                    powers[r] = powers_behind[point];
                    ++n_found;
                    continue;
                }
            }
        }
#endif
        found_here[r] = std::numeric_limits<double>::quiet_NaN(), powers[r] = 1.0;
        if (last && end > s && end[-1] == '\r') --end;
        if (s == end) continue;
        if (index.quotes && *s == signs.quote && end - s > 2 && end[-1] == signs.quote) ++s, --end;
        if (!has_idle_zero(s, end) && read_number(s, end, signs.decimal, found_here[r]))
            ++found;
        else
            others[n_others++] = static_cast<uint32_t>(r);
    }
#if LEARNT_BYTES >= 32
    found += n_found;
#endif
    for (int64_t r = 0; r < rows; ++r) values[r] = found_here[r] / powers[r];  // several at once
}
