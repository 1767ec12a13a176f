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

#if LEARNT_BYTES == 64
// Plain numbers of up to 16 bytes, eight rows at once, by the steps of `digits_before`: those of even rows stand in one
// vector, those of odd rows in another. `first` are the first cells of the rows. Returns the rows whose value is right.
LEARNT_INLINE __mmask8 read_eight(const char *text, const CsvIndex &index, const uint32_t *first, int64_t column, char decimal,
                                  double *values) {
    const uint32_t *start = index.start.data() + column;
    const char *odd = index.odd.data() + column;
    const auto sixteen = [&](int r) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i *>(text + (start[first[r] + 1] - 1) - 16));
    };
    const auto four = [&](int r) {
        __m512i all = _mm512_castsi128_si512(sixteen(r));
        all = _mm512_inserti32x4(all, sixteen(r + 2), 1);
        all = _mm512_inserti32x4(all, sixteen(r + 4), 2);
        return _mm512_inserti32x4(all, sixteen(r + 6), 3);
    };
    const auto bounds = [&](int r) { return bytes_at<int64_t>(reinterpret_cast<const char *>(start + first[r])); };
    const __m512i even = four(0), uneven = four(1);
    const __m512i cells = _mm512_set_epi64(bounds(7), bounds(6), bounds(5), bounds(4), bounds(3), bounds(2), bounds(1), bounds(0));
    char any_odd = 0;
    for (int r = 0; r < 8; ++r) any_odd = static_cast<char>(any_odd | odd[first[r]]);

    // A bit for each byte of a cell, 16 a cell; the even rows, then the others.
    const __m512i long_as = _mm512_sub_epi32(_mm512_sub_epi32(_mm512_maskz_srli_epi64(0xff, cells, 32), cells), _mm512_set1_epi64(1));
    const __m512i length = _mm512_and_si512(long_as, _mm512_set1_epi64(0xffffffff));
    const __m512i before = _mm512_sub_epi64(_mm512_set1_epi64(16), _mm512_maskz_min_epu64(0xff, length, _mm512_set1_epi64(16)));
    const __m128i by_row = _mm512_maskz_cvtepi64_epi16(0xff, _mm512_maskz_sllv_epi64(0xff, _mm512_set1_epi64(0xffff), before));
    const __m128i mine = _mm_shuffle_epi8(by_row, _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
    const auto places = [&](char sign) {
        const __m512i wanted = _mm512_set1_epi8(sign);
        const uint64_t here = _mm512_cmpeq_epi8_mask(even, wanted), there = _mm512_cmpeq_epi8_mask(uneven, wanted);
        return _mm_and_si128(_mm_set_epi64x(static_cast<int64_t>(there), static_cast<int64_t>(here)), mine);
    };
    const auto of_rows = [](__m128i bits) { return _mm_unpacklo_epi16(bits, _mm_unpackhi_epi64(bits, bits)); };
    const __m128i point = places(decimal), minus = places('-'), plus = places('+');
    const __m128i none = _mm_cmpeq_epi16(point, _mm_setzero_si128());
    const __m128i digits = _mm_andnot_si128(_mm_or_si128(minus, plus), mine);
    const __m128i kept = _mm_add_epi16(digits, _mm_andnot_si128(none, digits));  // one less behind the gap
    const __m128i moved = _mm_andnot_si128(none, _mm_xor_si128(point, _mm_add_epi16(point, _mm_set1_epi16(-1))));

    const auto fours = [](__m512i bytes, int64_t move, int64_t keep) {
        const __m512i closed = _mm512_mask_blend_epi8(static_cast<__mmask64>(move), bytes, _mm512_bslli_epi128(bytes, 1));
        const __m512i d = _mm512_maskz_sub_epi8(static_cast<__mmask64>(keep), closed, _mm512_set1_epi8('0'));
        const __m512i pairs = _mm512_maddubs_epi16(d, _mm512_set1_epi16(0x010a));
        return _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));
    };
    const __m512i low = fours(even, _mm_cvtsi128_si64(moved), _mm_cvtsi128_si64(kept));
    const __m512i high = fours(uneven, _mm_extract_epi64(moved, 1), _mm_extract_epi64(kept, 1));
    const __m512i eights = _mm512_madd_epi16(_mm512_packus_epi32(low, high), _mm512_set1_epi32(0x00012710));
    const __m512i whole = _mm512_add_epi64(_mm512_maskz_mul_epu32(0xff, eights, _mm512_set1_epi64(100000000)), _mm512_maskz_srli_epi64(0xff, eights, 32));

    // Where the point stands is the exponent of its bit as a number; without one it stands behind the last digit.
    const __m128i stands = of_rows(_mm_or_si128(point, _mm_and_si128(none, _mm_set1_epi16(-0x8000))));
    const __m256i exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(stands))), 23);
    const __m512i place = _mm512_maskz_cvtepu32_epi64(0xff, _mm256_sub_epi32(exponent, _mm256_set1_epi32(127)));
    const __m512d power = _mm512_permutex2var_pd(_mm512_loadu_pd(powers_behind), place, _mm512_loadu_pd(powers_behind + 8));
    const __m512d positive = _mm512_div_pd(_mm512_maskz_cvtepi64_pd(0xff, whole), power);
    const __mmask8 negative = _mm_test_epi16_mask(of_rows(minus), of_rows(minus));
    const __m512i sign = _mm512_maskz_set1_epi64(negative, std::numeric_limits<int64_t>::min());
    _mm512_storeu_si512(values, _mm512_xor_si512(_mm512_castpd_si512(positive), sign));

    uint32_t good = static_cast<uint32_t>(_mm512_cmple_epu64_mask(whole, _mm512_set1_epi64(int64_t{1} << 53))) &
                    _mm512_cmple_epu64_mask(length, _mm512_set1_epi64(16));
    if (any_odd)
        for (int r = 0; r < 8; ++r) good &= ~(static_cast<uint32_t>(odd[first[r]]) << r);
    return static_cast<__mmask8>(good);
}
#endif

// Numbers of one column in some rows; NaN elsewhere. Rows whose cell is neither empty nor a number at first sight go to
// `others`; `found` are the numbers.
inline void read_numbers(const CsvText &text, const CsvSigns &signs, const CsvIndex &index, const uint32_t *first, int64_t rows,
                         int64_t column, bool last, double *values, uint32_t *others, int64_t &n_others, int64_t &found) {
    const uint32_t *start = index.start.data();
    double found_here[number_rows], powers[number_rows];  // in the nearest cache, which `values` is not
    const auto read_slowly = [&](int64_t r, double &value) {
        const int64_t i = first[r] + column;
        const char *s = text.data + start[i], *end = text.data + (start[i + 1] - 1);
        value = std::numeric_limits<double>::quiet_NaN();
        if (last && end > s && end[-1] == '\r') --end;
        if (s == end) return;
        if (index.quotes && *s == signs.quote && end - s > 2 && end[-1] == signs.quote) ++s, --end;
        if (!has_idle_zero(s, end) && read_number(s, end, signs.decimal, value))
            ++found;
        else
            others[n_others++] = static_cast<uint32_t>(r);
    };
    int64_t done = 0;
#if LEARNT_BYTES >= 32
    const char *odd = index.odd.data();
    const bool room = start[first[0] + column] >= 16;  // sixteen bytes before the end of any cell are the text's
    int64_t n_found = 0;
#endif
#if LEARNT_BYTES == 64
    for (; room && done + 8 <= rows; done += 8) {
        const uint32_t good = read_eight(text.data, index, first + done, column, signs.decimal, values + done);
        n_found += __builtin_popcount(good);
        for (uint32_t left = ~good & 0xffu; left; left &= left - 1) {
            const int64_t r = done + __builtin_ctz(left);
            read_slowly(r, values[r]);
        }
    }
#endif
    for (int64_t r = done; r < rows; ++r) {
#if LEARNT_BYTES >= 32
        const int64_t i = first[r] + column;
        const char *s = text.data + start[i], *end = text.data + (start[i + 1] - 1);
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
        powers[r] = 1.0;
        read_slowly(r, found_here[r]);
    }
#if LEARNT_BYTES >= 32
    found += n_found;
#endif
    for (int64_t r = done; r < rows; ++r) values[r] = found_here[r] / powers[r];  // several at once
}
