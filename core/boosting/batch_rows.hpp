// The rows of a batch while a tree grows over batches: kept together by node, as boosting/rows.hpp does in memory.
//
// Rows that take part are listed as entries (boosting/histogram.hpp); those of a node are a range of the list, with the
// ranges of its children within. Only nodes that were just split are parted, each in its range; within a node rows stay
// in their order, so that codes are read forwards. Rows that take no part go down the tests once, when the tree stands.
#pragma once

#include "boosting/tree.hpp"

namespace learnt::boost {

// Where the codes of one column stand among those of all rows, and by code whether it goes left.
struct ColumnTest {
    int64_t place;
    bool wide;
    int32_t lost;  // the largest code
    std::vector<uint8_t> goes_left;

    ColumnTest(const TestedNode &test, const BinLayout &layout)
        : place(layout.place[static_cast<size_t>(test.column)]),
          wide(layout.is_wide(test.column)),
          lost(layout.missing_bin(test.column)),
          goes_left(static_cast<size_t>(lost) + 1) {
        for (int32_t c = 0; c <= lost; ++c) goes_left[static_cast<size_t>(c)] = test.goes_left(c, lost);
    }
};

// Rows are looked at for one code each, too quickly for a prefetch as near as histograms have it.
inline constexpr int64_t prefetch_parted = 64;

// Parts entries in place; how many went left.
template <class Code>
int64_t part_entries(const Code *codes, int64_t stride, const ColumnTest &test, uint64_t *entries, int64_t n) {
    Buffer<uint64_t> right(n);
    const uint8_t *const goes_left = test.goes_left.data();
    const int32_t lost = test.lost;
    int64_t l = 0, r = 0;
    for (int64_t i = 0; i < n; ++i) {
        __builtin_prefetch(codes + entry_row(entries[std::min(i + prefetch_parted, n - 1)]) * stride);
        const uint64_t e = entries[i];
        const int64_t to_left = goes_left[std::min<int32_t>(codes[entry_row(e) * stride], lost)];
        entries[l] = right[r] = e;
        l += to_left, r += 1 - to_left;
    }
    std::copy_n(right.data(), r, entries + l);
    return l;
}

// Parts the ranges of the nodes that were split since there were `known` nodes.
//   ranges   nodes × 2: first entry of each node, and one past its last; those of new nodes are written
inline void part_rows(const std::vector<TestedNode> &nodes, const BinLayout &layout, const CodeRows &codes, int64_t known,
                      uint64_t *entries, int64_t *ranges) {
    const auto is_split = [&](int64_t i) { return nodes[static_cast<size_t>(i)].left >= known; };
    std::vector<int64_t> level, next;
    for (int64_t i = 0; i < known; ++i)
        if (is_split(i)) level.push_back(i);
    for (; !level.empty(); level.swap(next)) {
        run_blocks(static_cast<int64_t>(level.size()), [&](int64_t b, Job &) {
            const int64_t node = level[static_cast<size_t>(b)], first = ranges[2 * node], last = ranges[2 * node + 1];
            const TestedNode &t = nodes[static_cast<size_t>(node)];
            const ColumnTest test(t, layout);
            const int64_t left = test.wide ? part_entries(codes.wide + test.place, codes.wide_stride, test, entries + first, last - first)
                                           : part_entries(codes.narrow + test.place, codes.stride, test, entries + first, last - first);
            int64_t *const below = ranges + 2 * t.left;
            below[0] = first, below[1] = below[2] = first + left, below[3] = last;
        });
        next.clear();
        for (const int64_t i : level)
            for (const int64_t child : {nodes[static_cast<size_t>(i)].left, nodes[static_cast<size_t>(i)].right})
                if (is_split(child)) next.push_back(child);
    }
}

// Sends the rows that are at no node, −1, down the tests from the root.
//
// A step is a look into a table by the row's code, so that no branch has to be guessed; nodes without a test lead to
// themselves. Some rows at a time take as many steps as the tree is high.
inline void move_others(const std::vector<TestedNode> &nodes, const BinLayout &layout, const CodeRows &codes, int32_t *node) {
    struct Step {
        int64_t table = 0, place = 0;
        int32_t first = 0, lost = 0;  // the child at 0 in the table, and the largest code
        bool wide = false;
    };
    std::vector<uint8_t> tables{0};
    std::vector<Step> steps(nodes.size());
    std::vector<int32_t> height(nodes.size());
    for (size_t i = nodes.size(); i-- > 0;) {  // children have larger numbers
        const TestedNode &t = nodes[i];
        Step &step = steps[i];
        step.first = static_cast<int32_t>(i), step.wide = layout.narrow.empty();
        if (t.left < 0) continue;
        const ColumnTest test(t, layout);
        step = {static_cast<int64_t>(tables.size()), test.place, t.left, test.lost, test.wide};
        for (const uint8_t goes_left : test.goes_left) tables.push_back(!goes_left);
        height[i] = 1 + std::max(height[static_cast<size_t>(t.left)], height[static_cast<size_t>(t.right)]);
    }
    constexpr int64_t some = 256;
    const Blocks blocks = cut(codes.rows, 1 << 12, 1 << 20);
    run_blocks(blocks.count, [&](int64_t k, Job &) {
        int64_t rows[some];
        int32_t at[some];
        for (int64_t i = blocks[k].first; i < blocks[k].last;) {
            int64_t n = 0;
            for (; i < blocks[k].last && n < some; ++i) rows[n] = i, n += node[i] < 0;
            std::fill_n(at, n, 0);
            for (int32_t high = height[0]; high > 0; --high)
                for (int64_t j = 0; j < n; ++j) {
                    const Step &step = steps[static_cast<size_t>(at[j])];
                    const int32_t code = step.wide ? codes.wide[rows[j] * codes.wide_stride + step.place]
                                                   : codes.narrow[rows[j] * codes.stride + step.place];
                    at[j] = step.first + tables[static_cast<size_t>(step.table + std::min(code, step.lost))];
                }
            for (int64_t j = 0; j < n; ++j) node[rows[j]] = at[j];
        }
    });
}

// The leaf of each row: of rows that take part from the ranges, of others by the tests.
inline void place_rows(const std::vector<TestedNode> &nodes, const BinLayout &layout, const CodeRows &codes,
                       const uint64_t *entries, const int64_t *ranges, int32_t *node) {
    std::fill_n(node, codes.rows, -1);
    for (size_t v = 0; v < nodes.size(); ++v)
        if (nodes[v].left < 0)
            for (int64_t i = ranges[2 * v]; i < ranges[2 * v + 1]; ++i) node[entry_row(entries[i])] = static_cast<int32_t>(v);
    move_others(nodes, layout, codes, node);
}

}  // namespace learnt::boost
