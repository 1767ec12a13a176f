// Loops of text/csv/block.hpp.

#if LEARNT_BYTES >= 32
// Up to 16 digits with at most one decimal sign among them, from the last digit back: the sign's gap is closed by a
// shuffle, neighbours are multiplied by 10 and 1 and added, then by 100 and 1, then by 10000 and 1.
LEARNT_INLINE bool read_short_number(const char *s, const char *end, char decimal, double &value) {
    // Signs come and go without a pattern: no branches on them.
    const uint64_t negative = *s == '-';
    s += negative | static_cast<uint64_t>(*s == '+');
    const int64_t length = end - s;
    if (static_cast<uint64_t>(length - 1) > 15) return false;
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(end - 16));
    const uint32_t mine = (0xffffu << (16 - length)) & 0xffffu;
    const uint32_t points = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(decimal)))) & mine;
    const int point = __builtin_ctz(points | 0x10000u);
    const int64_t digits = length - (points != 0);
    const __m128i closed = _mm_shuffle_epi8(bytes, _mm_loadu_si128(reinterpret_cast<const __m128i *>(gap_closers[point])));
    __m128i d = _mm_sub_epi8(closed, _mm_set1_epi8('0'));
    const uint32_t wanted = (0xffffu << (16 - digits)) & 0xffffu;
    const uint32_t good = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(d, _mm_set1_epi8(9)), d)));
    const bool idle_zero = (*s == '0') & (points == 0) & (digits > 1);
    if (((good & wanted) != wanted) | (digits < 1) | idle_zero) return false;
    d = _mm_and_si128(d, _mm_loadu_si128(reinterpret_cast<const __m128i *>(last_lanes + digits)));
    const __m128i pairs = _mm_maddubs_epi16(d, _mm_setr_epi8(10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1));
    const __m128i fours = _mm_madd_epi16(pairs, _mm_setr_epi16(100, 1, 100, 1, 100, 1, 100, 1));
    const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_setr_epi16(10000, 1, 10000, 1, 10000, 1, 10000, 1));
    const uint64_t both = static_cast<uint64_t>(_mm_cvtsi128_si64(eights));
    const uint64_t mantissa = (both & 0xffffffffu) * 100000000u + (both >> 32);
    if (mantissa > uint64_t{1} << 53) return false;
    const double positive = static_cast<double>(static_cast<int64_t>(mantissa)) / powers_behind[point];
    value = std::bit_cast<double>(std::bit_cast<uint64_t>(positive) | negative << 63);
    return true;
}
#endif

// Numbers of one column in some rows; NaN elsewhere. Rows whose cell is neither empty nor a number at first sight go to
// `others`; `found` are the numbers.
inline void read_numbers(const CsvText &text, const CsvSigns &signs, const CsvIndex &index, const uint32_t *first, int64_t rows,
                            int64_t column, bool last, double *values, uint32_t *others, int64_t &n_others, int64_t &found) {
    const uint32_t *start = index.start.data();
    for (int64_t r = 0; r < rows; ++r) {
        const int64_t i = first[r] + column;
        const char *s = text.data + start[i], *end = text.data + (start[i + 1] - 1);
        values[r] = std::numeric_limits<double>::quiet_NaN();
        if (last && end > s && end[-1] == '\r') --end;
        if (s == end) continue;
        if (index.quotes && *s == signs.quote && end - s > 2 && end[-1] == signs.quote) ++s, --end;
#if LEARNT_BYTES >= 32
        if (end - text.data >= 16 && read_short_number(s, end, signs.decimal, values[r])) {
            ++found;
            continue;
        }
#endif
        if (!has_idle_zero(s, end) && read_number(s, end, signs.decimal, values[r]))
            ++found;
        else
            others[n_others++] = static_cast<uint32_t>(r);
    }
}
