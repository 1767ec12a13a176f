// Words of documents: what makes a word, rows of counts, joined sets of terms, bytes that are no text.
#include <map>
#include <string>

#include "tests/check.hpp"
#include "text/words.hpp"

namespace learnt::test {

// É, é and the combining dot's neighbour İ: enough of Unicode to try every branch.
static const Characters &few_characters() {
    static const int32_t ranges[] = {'0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1, 0xc9, 0xca, 0xe9, 0xea,
                                     0x130, 0x131, 0x4e00, 0x9fff, 0x1d518, 0x1d519};
    static const int32_t large[] = {0xc9, 0x130}, small[] = {0xe9, 'i'}, more[] = {0, 0x307};
    static const Characters characters(ranges, 9, large, small, more, 2);
    return characters;
}

static std::vector<std::string> terms_in(const std::string &document, TokenRules rules) {
    rules.characters = &few_characters();
    Tokenizer tokenizer(rules);
    std::vector<std::string> found;
    tokenizer.each_term(
        document, [](uint64_t, int) {}, [&](uint64_t, const char *s, size_t n) { found.emplace_back(s, n); });
    return found;
}

using Words = std::vector<std::string>;

static void words_are_runs_of_word_characters() {
    CHECK(terms_in("", {}).empty() && terms_in("a b c", {}).empty());
    CHECK((terms_in("Don't stop_me NOW2", {}) == Words{"don", "stop_me", "now2"}));
    CHECK((terms_in("Été à lʼÉÉ", {}) == Words{"été", "éé"}));
    CHECK((terms_in("xİy İx", {}) == Words{"xi"}));  // İ becomes i and a dot, which ends the word
    CHECK((terms_in("中文 😀😀 𝔘𝔘", {}) == Words{"中文", "𝔘𝔘"}));
    CHECK((terms_in("ÉÉ", {.lowercase = false}) == Words{"ÉÉ"}));
    CHECK((terms_in("ab cd ef", {.least = 1, .most = 2}) == Words{"ab", "cd", "ef", "ab cd", "cd ef"}));
    CHECK((terms_in("ab cd ef", {.least = 3, .most = 9}) == Words{"ab cd ef"}));
    CHECK(terms_in("ab", {.least = 2, .most = 2}).empty());
    Terms stops;
    stops.add("cd");
    CHECK((terms_in("ab CD ef", {.least = 2, .most = 2, .stops = &stops}) == Words{"ab ef"}));
}

static void bytes_that_are_no_text_end_words() {
    for (const char *bad : {"ab\xff" "cd", "ab\xc3", "ab\xe4\xb8", "ab\xf0\x9d\x94", "ab\x80\x80", "ab\xc0\x80" "cd"})
        CHECK(terms_in(bad, {}).front() == "ab");
}

static void rows_are_those_of_a_plain_count(int64_t n) {
    std::vector<std::string> texts;
    for (int64_t i = 0; i < n; ++i) {
        std::string text;
        for (int64_t w = 0; w < i * 37 % 301; ++w) text += "w" + std::to_string((i * 31 + w * w) % 997) + (w % 3 ? " " : ", ");
        texts.push_back(text);
    }
    const Documents documents(texts.begin(), texts.end());
    const TokenRules rules{.least = 1, .most = 2};
    WordRows<double> rows;
    const WordCounts counts = count_words(documents, rules, &rows);
    const WordCounts alone = count_words<double>(documents, rules, nullptr);
    CHECK(alone.text == counts.text && alone.totals == counts.totals && alone.documents == counts.documents);

    std::map<std::string, std::vector<int64_t>> wanted;  // documents, total
    std::vector<std::map<std::string, int64_t>> by_row(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
        for (const std::string &term : terms_in(texts[i], rules)) ++by_row[i][term];
        for (const auto &[term, count] : by_row[i]) {
            auto &sums = wanted.try_emplace(term, std::vector<int64_t>(2)).first->second;
            ++sums[0], sums[1] += count;
        }
    }
    CHECK(counts.ends.size() == wanted.size());
    Terms vocabulary;
    size_t at = 0, from = 0;
    for (const auto &[term, sums] : wanted) {
        CHECK(term == std::string(counts.text.begin() + static_cast<int64_t>(from), counts.text.begin() + counts.ends[at]));
        CHECK(counts.documents[at] == sums[0] && counts.totals[at] == sums[1]);
        from = static_cast<size_t>(counts.ends[at++]);
        vocabulary.add(term);
    }
    const WordRows<float> again = encode_words<float>(documents, rules, vocabulary);
    CHECK(again.offsets == rows.offsets);
    for (size_t i = 0; i < texts.size(); ++i) {
        CHECK(rows.offsets[i + 1] - rows.offsets[i] == static_cast<int64_t>(by_row[i].size()));
        int64_t e = rows.offsets[i];
        for (const auto &[term, count] : by_row[i]) {
            CHECK(vocabulary.text(rows.indices[e]) == term && rows.counts[e] == static_cast<double>(count));
            CHECK(again.indices[e] == rows.indices[e] && again.counts[e] == static_cast<float>(count));
            ++e;
        }
    }
    const WordRows<double> hashed = hash_words<double>(documents, rules, 11);
    double total = 0, hashed_total = 0;
    for (int64_t e = 0; e < rows.offsets.back(); ++e) total += rows.counts[e];
    for (int64_t e = 0; e < hashed.offsets.back(); ++e) hashed_total += hashed.counts[e];
    CHECK(total == hashed_total);
}

void test_words() {
    CHECK(murmur_hash("", 0) == 0 && murmur_hash("foo", 3) == -156908512);
    words_are_runs_of_word_characters();
    bytes_that_are_no_text_end_words();
    everywhere([] {
        for (const int64_t n : {0, 1, 50, 700}) rows_are_those_of_a_plain_count(n);
    });
}

}  // namespace learnt::test
