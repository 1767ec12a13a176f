// Documents as the numbers of their words, in the order of the text: what word vectors are learnt from.
#pragma once

#include "text/words.hpp"

namespace learnt {

struct WordSequences {
    std::vector<int64_t> offsets;  // of the documents' first words, and the end
    Buffer<int32_t> ids{0};        // of the words; −1 is a word that the vocabulary does not have
};

inline WordSequences encode_sequences(const Documents &documents, const TokenRules &rules, const Terms &vocabulary) {
    const Blocks blocks = document_blocks(documents);
    std::vector<std::vector<int32_t>> parts(static_cast<size_t>(blocks.count));
    Shelf<Tokenizer> tokenizers;
    WordSequences made;
    made.offsets.assign(documents.size() + 1, 0);
    const auto ahead = [&](uint64_t hash, int stage) { vocabulary.ahead(hash, stage); };
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const int32_t t = tokenizers.take([&] { return std::make_unique<Tokenizer>(rules); });
        Tokenizer &tokenizer = tokenizers[t];
        std::vector<int32_t> &ids = parts[static_cast<size_t>(b)];
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            const size_t before = ids.size();
            tokenizer.each_term(documents[static_cast<size_t>(i)], ahead, [&](uint64_t hash, const char *s, size_t n) {
                ids.push_back(vocabulary.find(hash, s, n));
            });
            made.offsets[static_cast<size_t>(i) + 1] = static_cast<int64_t>(ids.size() - before);
        }
        tokenizers.give(t);
    });
    for (size_t i = 0; i < documents.size(); ++i) made.offsets[i + 1] += made.offsets[i];
    made.ids = Buffer<int32_t>(made.offsets.back());
    for (int64_t b = 0; b < blocks.count; ++b) {
        const std::vector<int32_t> &part = parts[static_cast<size_t>(b)];
        std::copy(part.begin(), part.end(), made.ids.data() + made.offsets[static_cast<size_t>(blocks[b].first)]);
    }
    return made;
}

}  // namespace learnt
