// log p(class, row) of a network's families, by looking them up:
//
//   out_ci += Σ_f log_table_f[configuration of row i, c]
//
//   codes     columns × rows; below 0, or beyond the states, is missing: a family with such a cell adds nothing
//   families  lists of columns; the table of each has a run of `classes` numbers for every combination of their states,
//             the last column running fastest
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix.hpp"
#include "base/pool.hpp"

namespace learnt::graphical {

struct Families {
    std::span<const int32_t> members;
    std::span<const int64_t> member_starts;
    std::span<const int64_t> table_starts;

    int64_t count() const { return static_cast<int64_t>(table_starts.size()); }
};

inline void add_log_joint(const int32_t *codes, int64_t rows, const int32_t *states, const Families &families,
                          const double *tables, int64_t classes, double *out) {
    constexpr int64_t block_rows = 1024;
    const Blocks blocks = cut(rows, block_rows, 1 << 20);
    run_blocks(blocks.count, [&](int64_t b, Job &job) {
        const Range part = blocks[b];
        for (int64_t f = 0; f < families.count(); ++f) {
            job.check();
            const auto first = families.member_starts[static_cast<size_t>(f)];
            const auto last = families.member_starts[static_cast<size_t>(f) + 1];
            const double *table = tables + families.table_starts[static_cast<size_t>(f)];
            for (int64_t i = part.first; i < part.last; ++i) {
                int64_t place = 0;
                bool there = true;
                for (auto m = first; m < last; ++m) {
                    const int32_t j = families.members[static_cast<size_t>(m)];
                    const int32_t code = codes[j * rows + i];
                    const bool known = code >= 0 && code < states[j];
                    there = there && known;
                    place = place * states[j] + (known ? code : 0);
                }
                if (!there) continue;
                const double *logs = table + place * classes;
                for (int64_t c = 0; c < classes; ++c) out[c * rows + i] += logs[c];
            }
        }
    });
}

}  // namespace learnt::graphical
