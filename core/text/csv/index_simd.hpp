// Loops of text/csv/index.hpp.

// Bit i is set where byte i of 64 is `sign`.
LEARNT_INLINE uint64_t bits_of(const char *p, char sign) {
#if LEARNT_BYTES == 64
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(p), _mm512_set1_epi8(sign));
#elif LEARNT_BYTES == 32
    const __m256i wanted = _mm256_set1_epi8(sign);
    const auto half = [&](const char *q) {
        const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(q));
        return static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, wanted))));
    };
    return half(p) | half(p + 32) << 32;
#elif LEARNT_X86
    const __m128i wanted = _mm_set1_epi8(sign);
    uint64_t bits = 0;
    for (int q = 0; q < 4; ++q) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p + 16 * q));
        bits |= static_cast<uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted))) << 16 * q;
    }
    return bits;
#else
    uint64_t bits = 0;
    for (int i = 0; i < 64; ++i) bits |= static_cast<uint64_t>(p[i] == sign) << i;
    return bits;
#endif
}

#if LEARNT_BYTES >= 32
// Bit i is set where byte i of 64 is a digit.
LEARNT_INLINE uint64_t digits_of(const char *p) {
#if LEARNT_BYTES == 64
    return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(_mm512_loadu_si512(p), _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
#else
    const auto half = [](const char *q) {
        const __m256i d = _mm256_sub_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(q)), _mm256_set1_epi8('0'));
        const __m256i fits = _mm256_cmpeq_epi8(_mm256_min_epu8(d, _mm256_set1_epi8(9)), d);
        return static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(fits)));
    };
    return half(p) | half(p + 32) << 32;
#endif
}

LEARNT_INLINE NumberBits number_bits(const char *p, char decimal) {
    return {digits_of(p), bits_of(p, '0'), bits_of(p, decimal), bits_of(p, '+') | bits_of(p, '-')};
}
#endif

// base + i for each bit i of `ends`, one after the other, and whether it is one of `others`; 64 may be written.
LEARNT_INLINE void write_ends(uint64_t ends, uint64_t others, uint32_t base, uint32_t *out, char *mark) {
#if LEARNT_BYTES == 64
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (uint32_t from = 0; from < 64; from += 16) {  // how many there are, no branch has to guess
        const __mmask16 here = static_cast<__mmask16>(ends >> from);
        const __m512i places = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(base + from)));
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(here, places));
        const __m512i odd = _mm512_maskz_set1_epi32(static_cast<__mmask16>(others >> from), 1);
        _mm_storeu_si128(reinterpret_cast<__m128i *>(mark), _mm512_maskz_cvtepi32_epi8(0xffff, _mm512_maskz_compress_epi32(here, odd)));
        const int n = __builtin_popcount(here);
        out += n, mark += n;
    }
#else
    for (; ends; ends &= ends - 1) {
        const int place = __builtin_ctzll(ends);
        *out++ = base + static_cast<uint32_t>(place);
        *mark++ = static_cast<char>(others >> place & 1);
    }
#endif
}

// 64 bytes from a place on; beyond the text there are zeros.
struct Chunk {
    const char *at;
    char held[64];
    bool feeds;  // a line feed comes next

    Chunk(const CsvText &text, int64_t place) : at(text.data + place) {
        if (place + 64 > text.size) {
            const int64_t here = text.size - place;
            __builtin_memset(held, 0, sizeof held);
            __builtin_memcpy(held, at, static_cast<size_t>(here));
            at = held;
        }
        feeds = place + 64 < text.size && text.data[place + 64] == '\n';
    }

    // A carriage return before a line feed is no line end of its own; it is trimmed off the cell.
    LEARNT_INLINE uint64_t line_ends() const {
        const uint64_t feed = bits_of(at, '\n'), carriage = bits_of(at, '\r');
        return feed | (carriage & ~(feed >> 1 | static_cast<uint64_t>(feeds) << 63));
    }
};

// What stands before a place of the text that is not inside a run of quotes.
inline QuoteState state_at(const CsvText &text, int64_t place, const CsvSigns &signs, bool inside) {
    QuoteState state;
    state.inside = inside;
    if (place > 0) {
        const char before = text.data[place - 1];
        const bool ends = before == signs.delimiter || before == '\n' || (before == '\r' && text.data[place] != '\n');
        state.after_end = !inside && ends;
    }
    return state;
}

// Whether [from, to) ends inside quotes, if it begins outside (0) and if it begins inside (1).
inline void quotes_over(const CsvText &text, int64_t from, int64_t to, const CsvSigns &signs, bool (&ends)[2]) {
    QuoteState states[2] = {state_at(text, from, signs, false), state_at(text, from, signs, true)};
    for (int64_t at = from; at < to; at += 64) {
        const Chunk chunk(text, at);
        const uint64_t here = to - at >= 64 ? ~uint64_t{0} : (uint64_t{1} << (to - at)) - 1;
        const uint64_t quotes = bits_of(chunk.at, signs.quote) & here;
        const uint64_t cells = bits_of(chunk.at, signs.delimiter) | chunk.line_ends();
        for (QuoteState &state : states) bits_inside(quotes, cells, state);
    }
    ends[0] = states[0].inside, ends[1] = states[1].inside;
}

// The rows that begin in [from, to): after a line end there, or at 0.
inline void index_rows(const CsvText &text, int64_t from, int64_t to, const CsvSigns &signs, bool inside, CsvIndex &index) {
    QuoteState state = state_at(text, from, signs, inside);
    bool started = from == 0, ended = false;
    uint32_t lines = 0;
    std::vector<uint32_t> &start = index.start;
    std::vector<char> &odd = index.odd;
    size_t cells = 0;
    start.resize(std::max(start.size(), static_cast<size_t>((to - from) / 6 + 256)));  // old ones are written over
    odd.resize(start.size());
#if LEARNT_BYTES >= 32
    const bool marks_plain = has_plain_numbers(signs);
    PlainState plain_state;
#endif
    if (started) start[0] = 0;
    for (int64_t at = from; at < text.size && !ended; at += 64) {
        if (at >= to && !started) return;
        const Chunk chunk(text, at);
        uint64_t line_ends = chunk.line_ends();
        uint64_t ends = bits_of(chunk.at, signs.delimiter) | line_ends;
        uint64_t quoted = 0;
        if (signs.quote) {
            const uint64_t quotes = bits_of(chunk.at, signs.quote);
            if (quotes || state.inside) {
                index.quotes = true;
                quoted = bits_inside(quotes, ends, state);
            } else {
                state.after_end = ends >> 63, state.after_quote = false;
            }
        }
        ends &= ~quoted;
        uint64_t others = ~uint64_t{0};
#if LEARNT_BYTES >= 32
        if (marks_plain) others = ~plain_ends(number_bits(chunk.at, signs.decimal), ends, plain_state);
#endif
        uint64_t row_ends = line_ends & ends;
        if (!started) {
            const uint64_t mine = to - at >= 64 ? row_ends : row_ends & ((uint64_t{1} << (to - at)) - 1);
            if (!mine) continue;
            const uint64_t upto = mine ^ (mine - 1);
            started = true;
            start[0] = static_cast<uint32_t>(at + __builtin_ctzll(mine) + 1);
            ends &= ~upto, row_ends &= ~upto, line_ends &= ~upto;
        }
        if (start.size() < cells + 80) start.resize(2 * start.size()), odd.resize(start.size());
        for (uint64_t left = row_ends; left; left &= left - 1) {
            const uint64_t bit = left & (~left + 1);
            const auto before = [&](uint64_t bits) { return static_cast<uint32_t>(__builtin_popcountll(bits & (bit - 1))); };
            index.rows.push_back({static_cast<uint32_t>(cells) + before(ends) + 1, lines + before(line_ends) + 1});
            if (at + __builtin_ctzll(bit) >= to) {
                ended = true;
                break;
            }
        }
        lines += static_cast<uint32_t>(__builtin_popcountll(line_ends));
        write_ends(ends, others, static_cast<uint32_t>(at) + 1, start.data() + cells + 1, odd.data() + cells);
        cells += static_cast<size_t>(__builtin_popcountll(ends));
    }
    if (ended || text.more || !started) return;
    index.unclosed = state.inside;
    odd[cells] = 1;
    const size_t done = index.rows.empty() ? 0 : index.rows.back().cells;
    if (start[done] >= text.size) return;
    start[cells + 1] = static_cast<uint32_t>(text.size) + 1;  // the last row has no line end
    index.rows.push_back({static_cast<uint32_t>(cells) + 1, lines + 1});
}
