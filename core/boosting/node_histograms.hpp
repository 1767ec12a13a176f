// The histograms of some nodes of a growing tree, summed over batches of rows.
//
//   slot s, cell c:   Σ gradient, Σ hessian, Σ weight   of the rows of its node whose code leads to the cell
//
// Packed gradients are added as counted cells (boosting/histogram.hpp), one addition for a row and column. What they
// hold is taken in by plain cells and counts of rows once there are `counted_rows` of a node, in however many batches,
// so that small nodes of small batches do not cost a look at all cells each. Sums are of whole numbers: who adds what
// first does not matter, and each thread has sums of its own until they are read.
//
// Where a look at all cells costs more than the rows between (few columns of very many bins), and for gradients of 62
// bits, rows add to three numbers for each cell at once.
#pragma once

#include "boosting/histogram.hpp"

#define LEARNT_LOOPS "boosting/histogram_simd.hpp"
#include "simd/each_level.hpp"

namespace learnt::boost {

class NodeHistograms {
    const BinLayout &layout_;
    const int64_t slots_;
    const bool fine_, triples_;
    const std::vector<ColumnGroup> groups_;
    const Level level_ = current_level();

    // The sums of one thread. `cells` are triples, or plain cells followed by their counts, of each slot.
    struct Lane {
        std::vector<int64_t> counted, cells;
        std::vector<int64_t> filled;  // rows in the counted cells, by slot
    };
    std::vector<Lane> lanes_;

    int64_t width() const { return triples_ ? 3 : 2; }
    int64_t *cells_of(Lane &lane, int64_t slot) const { return lane.cells.data() + slot * layout_.total * width(); }

    void make_lanes(int64_t count) {
        while (static_cast<int64_t>(lanes_.size()) < count) {
            Lane &fresh = lanes_.emplace_back();
            fresh.cells.resize(static_cast<size_t>(slots_ * layout_.total * width()));
            fresh.counted.resize(static_cast<size_t>(triples_ ? 0 : slots_ * layout_.total));
            fresh.filled.resize(static_cast<size_t>(slots_));
        }
    }
    void take_in(Lane &lane, int64_t slot) const {
        int64_t *const cells = cells_of(lane, slot);
        LEARNT_AT(level_, take_in_counted(lane.counted.data() + slot * layout_.total, layout_.total, cells, cells + layout_.total));
        lane.filled[static_cast<size_t>(slot)] = 0;
    }
    template <class Adder>
    void add_all(const CodeRows &codes, const uint64_t *entries, int64_t n, const Adder &adder, int64_t *cells) const {
        for (const ColumnGroup &group : groups_) add_group(layout_, codes, group, entries, n, adder, cells);
    }
    void add_rows(Lane &lane, int64_t slot, const CodeRows &codes, const uint64_t *entries, const int64_t *fine_rows, int64_t n) const {
        if (fine_) return add_all(codes, entries, n, FineRows{fine_rows}, cells_of(lane, slot));
        if (triples_) return add_all(codes, entries, n, SpreadRows{}, cells_of(lane, slot));
        int64_t &filled = lane.filled[static_cast<size_t>(slot)];
        while (n > 0) {
            const int64_t some = std::min(n, counted_rows - filled);
            add_all(codes, entries, some, CountedAdder{}, lane.counted.data() + slot * layout_.total);
            entries += some, n -= some, filled += some;
            if (filled == counted_rows) take_in(lane, slot);
        }
    }

  public:
    // `layout` stays where it is as long as this does.
    NodeHistograms(const BinLayout &layout, int64_t slots, bool fine)
        : layout_(layout),
          slots_(slots),
          fine_(fine),
          triples_(fine || layout.columns() * counted_rows < 4 * layout.total),
          groups_(column_groups(layout, group_cells)) {}

    int64_t slots() const { return slots_; }
    bool fine() const { return fine_; }
    const BinLayout &layout() const { return layout_; }

    // Adds the rows of some nodes of a batch.
    //   entries       rows that take part, together by node (boosting/batch_rows.hpp)
    //   fine_rows     rows × 3 numbers of 62 bits; null unless fine
    //   ranges        nodes × 2: of the entries
    //   slot          by node: its histogram, or −1
    void add(const CodeRows &codes, const uint64_t *entries, const int64_t *fine_rows, const int64_t *ranges,
             const int32_t *slot, int64_t n_nodes) {
        int64_t rows = 0;
        for (int64_t v = 0; v < n_nodes; ++v) rows += slot[v] < 0 ? 0 : ranges[2 * v + 1] - ranges[2 * v];
        if (rows == 0) return;
        const int64_t threads = rows < rows_for_threads ? 1 : std::min<int64_t>(thread_count().load(), rows / (rows_for_threads / 2));
        make_lanes(threads);
        run_blocks(threads, [&](int64_t k, Job &) {
            for (int64_t v = 0; v < n_nodes; ++v) {
                if (slot[v] < 0) continue;
                const Range part = Blocks{ranges[2 * v + 1] - ranges[2 * v], threads}[k];
                add_rows(lanes_[static_cast<size_t>(k)], slot[v], codes, entries + ranges[2 * v] + part.first, fine_rows, part.size());
            }
        });
    }

    // Writes all sums so far.
    //   planes   slots × bins × 3: gradient, hessian, weight                                        overwritten
    void read(int64_t *planes) {
        std::fill_n(planes, slots_ * layout_.total * 3, 0);
        run_blocks(slots_, [&](int64_t s, Job &) {
            int64_t *const to = planes + s * layout_.total * 3;
            for (Lane &lane : lanes_) {
                const int64_t *const cells = cells_of(lane, s), *const counts = cells + layout_.total;
                if (triples_) {
                    for (int64_t c = 0; c < 3 * layout_.total; ++c) to[c] += cells[c];
                    continue;
                }
                take_in(lane, s);
                for (int64_t c = 0; c < layout_.total; ++c)
                    to[3 * c] += cells[c] >> 32, to[3 * c + 1] += cells[c] & 0xffffffff, to[3 * c + 2] += counts[c];
            }
        });
    }

    // Whether a cell between the bins of one column and those of the next has rows: some code lay beyond its bins.
    bool off(const int64_t *planes) const {
        for (int64_t s = 0; s < slots_; ++s)
            for (const int32_t j : layout_.narrow)
                for (int64_t c = layout_.n_bins[static_cast<size_t>(j)]; c < layout_.room; ++c) {
                    const int64_t *const cell = planes + 3 * (s * layout_.total + layout_.offset[static_cast<size_t>(j)] + c);
                    if (cell[0] || cell[1] || cell[2]) return true;
                }
        return false;
    }
};

}  // namespace learnt::boost
