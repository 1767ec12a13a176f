// Quantiles of numbers by group: what leaves predict where a loss is smallest at a quantile of the residuals.
#pragma once

#include <cmath>
#include <vector>

#include "base/matrix.hpp"
#include "base/pool.hpp"
#include "base/whole.hpp"

namespace learnt::boost {

// By group the smallest x whose rows below and at it have the share q of the group's weight.
//   group  n, each in [0, groups); rows of others (negative) take no part
//   w      n, or null                       out  groups, overwritten where a group has weight
inline void quantiles_by_group(const int32_t *group, const double *x, const double *w, int64_t n, double q,
                               int64_t groups, double *out) {
    std::vector<int64_t> start(static_cast<size_t>(groups) + 1, 0);
    for (int64_t i = 0; i < n; ++i)
        if (group[i] >= 0) ++start[static_cast<size_t>(group[i]) + 1];
    for (int64_t c = 0; c < groups; ++c) start[static_cast<size_t>(c) + 1] += start[static_cast<size_t>(c)];
    struct Cell {
        double x, w;
    };
    Buffer<Cell> cells(start.back());
    std::vector<int64_t> next(start.begin(), start.end() - 1);
    for (int64_t i = 0; i < n; ++i)
        if (group[i] >= 0) cells[next[static_cast<size_t>(group[i])]++] = {x[i], w ? w[i] : 1};
    const auto less = [](const Cell &a, const Cell &b) { return a.x < b.x; };
    run_blocks(groups, [&](int64_t c, Job &) {
        Cell *const first = cells.data() + start[static_cast<size_t>(c)], *const last = cells.data() + start[static_cast<size_t>(c) + 1];
        const int64_t count = last - first;
        if (count == 0) return;
        if (!w) {
            const double wanted = q * static_cast<double>(count) * (1 - 1e-12);
            const int64_t at = whole_within(std::ceil(wanted) - 1, 0, count - 1);
            std::nth_element(first, first + at, last, less);
            out[c] = first[at].x;
            return;
        }
        std::sort(first, last, less);
        double total = 0, sum = 0;
        for (const Cell *cell = first; cell < last; ++cell) total += cell->w;
        if (!(total > 0)) return;
        const Cell *cell = first;
        for (; cell < last - 1; ++cell)
            if ((sum += cell->w) >= q * total * (1 - 1e-12) && sum > 0) break;
        out[c] = cell->x;
    });
}

}  // namespace learnt::boost
