// Documents as counts of their terms.
//
//   count_words    the terms of all documents, sorted; for each, in how many documents and how often; the rows
//                  of counts too, if wanted
//   encode_words   rows of counts of the terms of a vocabulary
//   hash_words     rows of counts of hashed terms
//   weigh_words    counts into tf-idf, rows to unit length
//
// Threads keep a set of terms each, which are joined once: what comes out is sorted, and counts are whole numbers, so
// that it does not depend on who saw what. A document's term ids are sorted and counted by their runs.
#pragma once

#include <cmath>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "text/tokens.hpp"

namespace learnt {

using Documents = std::vector<std::string_view>;

// Rows of counts: sorted columns, and how often each.
template <class Real>
struct WordRows {
    std::vector<int64_t> offsets;
    Buffer<int32_t> indices{0};
    Buffer<Real> counts{0};
};

struct WordCounts {
    std::vector<uint8_t> text;
    std::vector<int64_t> ends, documents, totals;
};

// A few documents that one thread works on: enough of them to be worth a turn.
inline Blocks document_blocks(const Documents &documents) {
    if (documents.size() >= (size_t{1} << 31)) throw std::length_error("There are more than 2³¹ documents.");
    return cut(static_cast<int64_t>(documents.size()), 32, 1 << 10);
}

// By their digits of eight bits, the lowest first: comparisons of a few hundred ids are mostly mispredicted.
inline void sort_ids(std::span<int32_t> ids, std::vector<int32_t> &scratch) {
    if (ids.size() < 48) return std::sort(ids.begin(), ids.end());
    scratch.resize(ids.size());
    int32_t any = 0;
    for (const int32_t id : ids) any |= id;
    int32_t *from = ids.data(), *to = scratch.data();
    for (int shift = 0; shift < 32 && any >> shift != 0; shift += 8) {
        uint32_t start[256] = {};
        for (size_t i = 0; i < ids.size(); ++i) ++start[from[i] >> shift & 255];
        uint32_t before = 0;
        for (uint32_t &s : start) before += std::exchange(s, before);
        for (size_t i = 0; i < ids.size(); ++i) to[start[from[i] >> shift & 255]++] = from[i];
        std::swap(from, to);
    }
    if (from != ids.data()) std::copy_n(from, ids.size(), ids.data());
}

// Ids sorted and counted by their runs: to(id, how many).
template <class To>
void each_run(std::span<int32_t> ids, std::vector<int32_t> &scratch, To to) {
    sort_ids(ids, scratch);
    for (size_t i = 0; i < ids.size();) {
        size_t j = i + 1;
        while (j < ids.size() && ids[j] == ids[i]) ++j;
        to(ids[i], static_cast<int64_t>(j - i));
        i = j;
    }
}

// Things that threads take and give back, so that there are no more of them than threads.
template <class T>
class Shelf {
    std::mutex mutex_;
    std::vector<int32_t> free_;

  public:
    std::vector<std::unique_ptr<T>> all;

    template <class Make>
    int32_t take(Make make) {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) {
            all.push_back(make());
            return static_cast<int32_t>(all.size()) - 1;
        }
        const int32_t i = free_.back();
        free_.pop_back();
        return i;
    }
    T &operator[](int32_t i) {
        const std::lock_guard lock(mutex_);
        return *all[static_cast<size_t>(i)];
    }
    void give(int32_t i) {
        const std::lock_guard lock(mutex_);
        free_.push_back(i);
    }
};

// The places of each set's terms among all terms in order, and the counts of these.
struct JoinedTerms {
    std::vector<std::vector<int32_t>> places;
    WordCounts counts;
};

inline JoinedTerms join_terms(const std::vector<Terms *> &sets) {
    JoinedTerms joined;
    Terms all;
    for (Terms *set : sets) {
        std::vector<int32_t> place(static_cast<size_t>(set->size()));
        for (int32_t id = 0; id < set->size(); ++id) {
            Terms::Term &from = (*set)[id];
            const std::string_view text = set->text(id);
            const int32_t to = all.add(from.hash, text.data(), text.size());
            all[to].total += from.total, all[to].documents += from.documents;
            place[static_cast<size_t>(id)] = to;
        }
        joined.places.push_back(std::move(place));
    }
    const std::vector<int32_t> order = all.sorted();
    std::vector<int32_t> rank(order.size());
    WordCounts &counts = joined.counts;
    counts.text.reserve(static_cast<size_t>(all.text_size()));
    for (size_t r = 0; r < order.size(); ++r) {
        rank[static_cast<size_t>(order[r])] = static_cast<int32_t>(r);
        const std::string_view text = all.text(order[r]);
        counts.text.insert(counts.text.end(), text.begin(), text.end());
        counts.ends.push_back(static_cast<int64_t>(counts.text.size()));
        counts.documents.push_back(all[order[r]].documents);
        counts.totals.push_back(all[order[r]].total);
    }
    for (auto &place : joined.places)
        for (int32_t &id : place) id = rank[static_cast<size_t>(id)];
    return joined;
}

// `rows` may be null: the terms alone.
template <class Real>
WordCounts count_words(const Documents &documents, const TokenRules &rules, WordRows<Real> *rows) {
    struct Worker {
        Tokenizer tokenizer;
        Terms terms;
    };
    struct Seen {
        int32_t worker = 0;
        std::vector<int32_t> ids, lengths;  // of all terms of each document, and how many there are
    };
    const Blocks blocks = document_blocks(documents);
    Shelf<Worker> workers;
    std::vector<Seen> seen(static_cast<size_t>(rows ? blocks.count : 0));
    if (rows) rows->offsets.assign(documents.size() + 1, 0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const int32_t w = workers.take([&] { return std::make_unique<Worker>(Worker{Tokenizer(rules), Terms()}); });
        Worker &worker = workers[w];
        Seen none, &here = rows ? seen[static_cast<size_t>(b)] : none;
        here.worker = w;
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            const int32_t document = static_cast<int32_t>(i);
            int64_t different = 0;
            const size_t before = here.ids.size();
            const auto ahead = [&](uint64_t hash, int stage) { worker.terms.ahead(hash, stage); };
            const std::string_view text = documents[static_cast<size_t>(i)];
            worker.tokenizer.each_term(text, ahead, [&](uint64_t hash, const char *s, size_t n) {
                const int32_t id = worker.terms.add(hash, s, n);
                Terms::Term &term = worker.terms[id];
                ++term.total;
                if (term.last != document) term.last = document, ++term.documents, ++different;
                if (rows) here.ids.push_back(id);
            });
            if (!rows) continue;
            if (here.ids.size() - before >= (size_t{1} << 31)) throw std::length_error("A document has more than 2³¹ terms.");
            here.lengths.push_back(static_cast<int32_t>(here.ids.size() - before));
            rows->offsets[static_cast<size_t>(i) + 1] = different;
        }
        workers.give(w);
    });
    std::vector<Terms *> sets;
    for (auto &worker : workers.all) sets.push_back(&worker->terms);
    JoinedTerms joined = join_terms(sets);
    if (!rows) return std::move(joined.counts);
    for (size_t i = 0; i < documents.size(); ++i) rows->offsets[i + 1] += rows->offsets[i];
    rows->indices = Buffer<int32_t>(rows->offsets.back());
    rows->counts = Buffer<Real>(rows->offsets.back());
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        Seen &here = seen[static_cast<size_t>(b)];
        const std::vector<int32_t> &place = joined.places[static_cast<size_t>(here.worker)];
        for (int32_t &id : here.ids) id = place[static_cast<size_t>(id)];
        int64_t at = rows->offsets[static_cast<size_t>(blocks[b].first)];
        size_t from = 0;
        std::vector<int32_t> scratch;
        for (const int32_t length : here.lengths) {
            const std::span ids = std::span(here.ids).subspan(from, static_cast<size_t>(length));
            each_run(ids, scratch, [&](int32_t id, int64_t count) {
                rows->indices[at] = id;
                rows->counts[at++] = static_cast<Real>(count);
            });
            from += static_cast<size_t>(length);
        }
        here = Seen{};
    });
    return std::move(joined.counts);
}

// Rows of the columns that column(hash, bytes, how many) gives; −1 is none. `ahead` as in Tokenizer::each_term.
template <class Real, class Ahead, class Column>
WordRows<Real> rows_of_words(const Documents &documents, const TokenRules &rules, Ahead ahead, Column column) {
    struct Part {
        std::vector<int32_t> indices;
        std::vector<Real> counts;
    };
    const Blocks blocks = document_blocks(documents);
    std::vector<Part> parts(static_cast<size_t>(blocks.count));
    Shelf<Tokenizer> tokenizers;
    WordRows<Real> rows;
    rows.offsets.assign(documents.size() + 1, 0);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const int32_t t = tokenizers.take([&] { return std::make_unique<Tokenizer>(rules); });
        Tokenizer &tokenizer = tokenizers[t];
        Part &part = parts[static_cast<size_t>(b)];
        std::vector<int32_t> ids, scratch;
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            job.check();
            ids.clear();
            const std::string_view text = documents[static_cast<size_t>(i)];
            tokenizer.each_term(text, ahead, [&](uint64_t hash, const char *s, size_t n) {
                const int32_t id = column(hash, s, n);
                if (id >= 0) ids.push_back(id);
            });
            each_run(std::span(ids), scratch, [&](int32_t id, int64_t count) {
                part.indices.push_back(id);
                part.counts.push_back(static_cast<Real>(count));
                ++rows.offsets[static_cast<size_t>(i) + 1];
            });
        }
        tokenizers.give(t);
    });
    for (size_t i = 0; i < documents.size(); ++i) rows.offsets[i + 1] += rows.offsets[i];
    rows.indices = Buffer<int32_t>(rows.offsets.back());
    rows.counts = Buffer<Real>(rows.offsets.back());
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        Part &part = parts[static_cast<size_t>(b)];
        const int64_t at = rows.offsets[static_cast<size_t>(blocks[b].first)];
        std::copy(part.indices.begin(), part.indices.end(), rows.indices.data() + at);
        std::copy(part.counts.begin(), part.counts.end(), rows.counts.data() + at);
        part = Part{};
    });
    return rows;
}

template <class Real>
WordRows<Real> encode_words(const Documents &documents, const TokenRules &rules, const Terms &vocabulary) {
    const auto ahead = [&](uint64_t hash, int stage) { vocabulary.ahead(hash, stage); };
    return rows_of_words<Real>(documents, rules, ahead, [&](uint64_t hash, const char *s, size_t n) {
        return vocabulary.find(hash, s, n);
    });
}

// MurmurHash3 of 32 bits, seed 0 (Appleby): what users of hashed words know from elsewhere.
inline int32_t murmur_hash(const char *s, size_t n) {
    const auto turn = [](uint32_t x, int by) { return x << by | x >> (32 - by); };
    const auto mixed = [&](uint32_t k) { return turn(k * 0xcc9e2d51u, 15) * 0x1b873593u; };
    uint32_t h = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) h = turn(h ^ mixed(bytes_at<uint32_t>(s + i)), 13) * 5 + 0xe6546b64u;
    uint32_t rest = 0;
    for (size_t j = n; j > i; --j) rest = rest << 8 | static_cast<uint8_t>(s[j - 1]);
    if (i < n) h ^= mixed(rest);
    h ^= static_cast<uint32_t>(n);
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return static_cast<int32_t>(h ^ h >> 16);
}

template <class Real>
WordRows<Real> hash_words(const Documents &documents, const TokenRules &rules, int32_t columns) {
    const auto ahead = [](uint64_t, int) {};
    return rows_of_words<Real>(documents, rules, ahead, [columns](uint64_t, const char *s, size_t n) {
        return static_cast<int32_t>(std::abs(static_cast<int64_t>(murmur_hash(s, n))) % columns);
    });
}

enum class RowNorm : int { none = 0, sum = 1, length = 2 };

// value ← (1 + log value, if sublinear) · factor[column]; then rows are divided by their norm. `factor` may be null.
template <class Real>
void weigh_words(const int64_t *offsets, int64_t rows, const int32_t *indices, Real *values, const double *factor,
                 bool sublinear, RowNorm norm) {
    const Blocks blocks = cut(rows, 64, 1 << 10);
    run_blocks(blocks.count, [&](int64_t b, Job &) {
        for (int64_t i = blocks[b].first; i < blocks[b].last; ++i) {
            double size = 0;
            for (int64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
                double v = values[e];
                if (sublinear) v = std::log(v) + 1;
                if (factor) v *= factor[indices[e]];
                values[e] = static_cast<Real>(v);
                size += norm == RowNorm::length ? v * v : std::abs(v);
            }
            if (norm == RowNorm::none || size == 0) continue;
            if (norm == RowNorm::length) size = std::sqrt(size);
            for (int64_t e = offsets[i]; e < offsets[i + 1]; ++e) values[e] = static_cast<Real>(values[e] / size);
        }
    });
}

}  // namespace learnt
