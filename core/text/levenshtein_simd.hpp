// Lanes of patterns; see text/levenshtein.hpp.

// Two vectors of patterns go through a text together: alone, each would wait for its own last step.
inline constexpr int abreast = 2;

inline void group_bytes(int &bytes) { bytes = abreast * Bytes; }

// One's bits of each lane.
template <class Word>
LEARNT_INLINE Vector<Word> count_lanes(Vector<Word> v) {
    constexpr Word ones = static_cast<Word>(~Word{0});
    constexpr Word m1 = ones / 3, m2 = ones / 15 * 3, m4 = static_cast<Word>(ones / 255 * 15), m8 = ones / 255;
    v = v - ((v >> 1) & m1);
    v = (v & m2) + ((v >> 2) & m2);
    v = (v + (v >> 4)) & m4;
    if constexpr (sizeof(Word) == 1) return v;
    if constexpr (sizeof(Word) > 1) return (v * m8) >> (8 * static_cast<int>(sizeof(Word)) - 8);
}

template <class Word>
struct PatternTable {
    static constexpr int lanes = abreast * lanes_of<Word>;
    std::vector<int32_t> local;  // a character's number to its place in the table; 0: in none of the patterns
    Buffer<Word> equal;          // place, word, lane: bit i is set where character i of the pattern is this one
    Buffer<Word> mask;           // word, lane: the bits a pattern has
    int64_t words;

    PatternTable(const LevenshteinProblem &problem, const PatternGroup &group)
        : local(static_cast<size_t>(problem.alphabet), 0), equal(0), mask(group.words * lanes, Word{0}), words(group.words) {
        constexpr int64_t bits = 8 * static_cast<int64_t>(sizeof(Word));
        const Texts &patterns = problem.patterns;
        int32_t places = 1;
        for (int64_t at = group.first; at < group.last; ++at)
            for (int64_t c = patterns.offsets[problem.order[at]]; c < patterns.offsets[problem.order[at] + 1]; ++c) {
                int32_t &place = local[static_cast<size_t>(problem.pattern_numbers[c])];
                if (place == 0) place = places++;
            }
        equal = Buffer<Word>(places * words * lanes, Word{0});
        for (int64_t at = group.first; at < group.last; ++at) {
            const int64_t lane = at - group.first, from = patterns.offsets[problem.order[at]];
            for (int64_t i = 0; i < patterns.size(problem.order[at]); ++i) {
                const int64_t place = local[static_cast<size_t>(problem.pattern_numbers[from + i])];
                const Word bit = static_cast<Word>(Word{1} << (i % bits));
                equal[(place * words + i / bits) * lanes + lane] |= bit;
                mask[i / bits * lanes + lane] |= bit;
            }
        }
    }
};

// All patterns of the group against one text; out[lane].
template <class Word, bool one_word>
LEARNT_INLINE void levenshtein_text(const PatternTable<Word> &table, const int32_t *text, int64_t n, Word *state, double *out,
                                    Job &job) {
    using V = Vector<Word>;
    constexpr int each = lanes_of<Word>, lanes = abreast * each, top = 8 * static_cast<int>(sizeof(Word)) - 1;
    const int64_t words = one_word ? 1 : table.words;
    const V zero{}, one = zero + static_cast<Word>(1);
    V balance[abreast] = {};
    if constexpr (one_word) {
        V vp[abreast], vn[abreast];
        LEARNT_UNROLL for (int u = 0; u < abreast; ++u) vp[u] = ~zero, vn[u] = zero;
        for (int64_t j = 0; j < n; ++j) {
            const Word *row = table.equal.data() + static_cast<int64_t>(table.local[static_cast<size_t>(text[j])]) * lanes;
            LEARNT_UNROLL for (int u = 0; u < abreast; ++u) {
                const V same = load<V>(row + u * each);
                const V diagonal = (((same & vp[u]) + vp[u]) ^ vp[u]) | same | vn[u];
                const V hp = vn[u] | ~(diagonal | vp[u]), hn = vp[u] & diagonal;
                const V hp1 = (hp + hp) | one;
                vp[u] = (hn + hn) | ~(diagonal | hp1);
                vn[u] = hp1 & diagonal;
            }
        }
        LEARNT_UNROLL for (int u = 0; u < abreast; ++u) {
            const V mask = load<V>(table.mask.data() + u * each);
            balance[u] = count_lanes<Word>(vp[u] & mask) - count_lanes<Word>(vn[u] & mask);
        }
    } else {
        for (int64_t w = 0; w < words * lanes; w += each) {
            store(state + 2 * w, ~zero);
            store(state + 2 * w + each, zero);
        }
        const int64_t pause = std::max<int64_t>(1, 65536 / words);
        for (int64_t j = 0; j < n; ++j) {
            if (j % pause == pause - 1) job.check();
            const Word *row = table.equal.data() + static_cast<int64_t>(table.local[static_cast<size_t>(text[j])]) * words * lanes;
            V rise[abreast], fall[abreast];  // of the row above
            LEARNT_UNROLL for (int u = 0; u < abreast; ++u) rise[u] = one, fall[u] = zero;
            for (int64_t w = 0; w < words; ++w)
                LEARNT_UNROLL for (int u = 0; u < abreast; ++u) {
                    Word *const own = state + 2 * (w * lanes + u * each);
                    const V vp = load<V>(own), vn = load<V>(own + each);
                    const V same = load<V>(row + w * lanes + u * each) | fall[u];
                    const V diagonal = (((same & vp) + vp) ^ vp) | same | vn;
                    const V hp = vn | ~(diagonal | vp), hn = vp & diagonal;
                    const V hp1 = (hp + hp) | rise[u], hn1 = (hn + hn) | fall[u];
                    rise[u] = hp >> top, fall[u] = hn >> top;
                    store(own, hn1 | ~(diagonal | hp1));
                    store(own + each, hp1 & diagonal);
                }
        }
        for (int64_t w = 0; w < words; ++w)
            LEARNT_UNROLL for (int u = 0; u < abreast; ++u) {
                const Word *own = state + 2 * (w * lanes + u * each);
                const V mask = load<V>(table.mask.data() + w * lanes + u * each);
                balance[u] += count_lanes<Word>(load<V>(own) & mask) - count_lanes<Word>(load<V>(own + each) & mask);
            }
    }
    using Signed = std::make_signed_t<Word>;
    const double length = static_cast<double>(n);
    Signed ups[lanes];
    LEARNT_UNROLL for (int u = 0; u < abreast; ++u) store(ups + u * each, balance[u]);
    for (int l = 0; l < lanes; ++l) out[l] = length + static_cast<double>(ups[l]);
}

template <class Word, bool one_word>
void levenshtein_group(const LevenshteinProblem &problem, const PatternGroup &group, Range rows, Job &job) {
    const PatternTable<Word> table(problem, group);
    constexpr int lanes = PatternTable<Word>::lanes;
    const Buffer<Word> state(2 * group.words * lanes);
    const int64_t n = problem.patterns.count, count = group.last - group.first;
    const int64_t *order = problem.order + group.first;
    const bool adjacent = order[count - 1] - order[0] == count - 1;
    // Cells to the right of the diagonal are enough, if the rest is to be mirrored.
    const int64_t last = problem.symmetric ? std::min(rows.last, *std::max_element(order, order + count) + 1) : rows.last;
    double answers[lanes];
    int64_t work = 0;
    for (int64_t i = rows.first; i < last; ++i) {
        const int64_t size = problem.texts.size(i);
        if ((work += (size + 8) * group.words) > 16384) job.check(), work = 0;
        levenshtein_text<Word, one_word>(table, problem.text_numbers + problem.texts.offsets[i], size, state.data(), answers, job);
        double *const row = problem.out + i * n;
        if (adjacent)
            std::copy_n(answers, count, row + order[0]);
        else
            for (int64_t l = 0; l < count; ++l) row[order[l]] = answers[l];
    }
}

// Pair by pair: for patterns so long that a table of all their characters would not fit into a cache.
inline void levenshtein_long(const LevenshteinProblem &problem, const PatternGroup &group, Range rows, Job &job) {
    std::vector<uint8_t> carry;
    const Texts &texts = problem.texts, &patterns = problem.patterns;
    for (int64_t i = rows.first; i < rows.last; ++i)
        for (int64_t at = group.first; at < group.last; ++at) {
            const int64_t j = problem.order[at];
            if (problem.symmetric && j < i) continue;
            const int64_t d = levenshtein_pair(texts.begin(i), texts.size(i), patterns.begin(j), patterns.size(j), carry, job);
            problem.out[i * patterns.count + j] = static_cast<double>(d);
        }
}

inline void levenshtein_block(const LevenshteinProblem &problem, const PatternGroup &group, Range rows, Job &job) {
    if (group.words * std::min<int64_t>(problem.alphabet, 64 * group.words * (group.last - group.first)) > (1 << 17))
        return levenshtein_long(problem, group, rows, job);
    if (group.words > 1) return levenshtein_group<uint64_t, false>(problem, group, rows, job);
    switch (group.bits) {
        case 8: return levenshtein_group<uint8_t, true>(problem, group, rows, job);
        case 16: return levenshtein_group<uint16_t, true>(problem, group, rows, job);
        case 32: return levenshtein_group<uint32_t, true>(problem, group, rows, job);
        default: return levenshtein_group<uint64_t, true>(problem, group, rows, job);
    }
}
