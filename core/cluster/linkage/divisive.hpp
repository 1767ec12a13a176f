// DIANA: clusters divided from the top (Kaufman and Rousseeuw, 1990, chapter 6).
//
// The row with the largest mean distance to the others of its cluster splits off; then, one at a time, the row that
// is nearer to those split off than to those left, by the largest difference of mean distances, as long as there is
// one. The height of a division is the diameter of the cluster divided. Of equal rows the first is taken.
#pragma once

#include "cluster/linkage/condensed.hpp"

namespace learnt {

class Diana {
    struct Part {
        std::vector<int64_t> rows;
        std::vector<double> sum;  // of distances to the other rows of the part
        double diameter;
    };

    Condensed d_;
    std::vector<Part> waiting_;
    std::vector<Merge> merges_;

    double diameter(const std::vector<int64_t> &rows, double most, Job &job) const {
        double found = 0;
        for (size_t k = 0; k < rows.size() && found < most; ++k) {
            job.check();
            for (size_t l = 0; l < k; ++l) found = std::max(found, d_(rows[k], rows[l]));
        }
        return found;
    }

    void divide(Part part, Job &job) {
        const size_t m = part.rows.size();
        std::vector<double> &left = part.sum;
        std::vector<double> split(m, 0.0);
        std::vector<char> away(m, 0);
        size_t gone = 0, best = 0;
        for (size_t k = 1; k < m; ++k)
            if (left[k] > left[best]) best = k;
        for (;;) {
            job.check();
            away[best] = 1;
            ++gone;
            for (size_t k = 0; k < m; ++k) {
                if (k == best) continue;
                const double d = d_(part.rows[k], part.rows[best]);
                left[k] -= d;
                split[k] += d;
            }
            if (gone + 1 == m) break;
            double gain = 0;
            for (size_t k = 0; k < m; ++k) {
                if (away[k]) continue;
                const double more = left[k] / static_cast<double>(m - gone - 1) - split[k] / static_cast<double>(gone);
                if (more > gain) gain = more, best = k;
            }
            if (!(gain > 0)) break;
        }
        Part parts[2];
        for (size_t k = 0; k < m; ++k) {
            parts[static_cast<size_t>(away[k])].rows.push_back(part.rows[k]);
            parts[static_cast<size_t>(away[k])].sum.push_back(away[k] ? split[k] : left[k]);
        }
        merges_.push_back({parts[0].rows[0], parts[1].rows[0], part.diameter});
        for (Part &half : parts) {
            half.diameter = diameter(half.rows, part.diameter, job);
            waiting_.push_back(std::move(half));
        }
    }

  public:
    explicit Diana(Condensed d) : d_(d) {}

    std::vector<Merge> run(Job &job) {
        Part all{std::vector<int64_t>(static_cast<size_t>(d_.n)), std::vector<double>(static_cast<size_t>(d_.n), 0.0), 0.0};
        std::iota(all.rows.begin(), all.rows.end(), 0);
        for (int64_t i = 0; i < d_.n; ++i)
            for (int64_t j = 0; j < i; ++j) {
                all.sum[static_cast<size_t>(i)] += d_(i, j);
                all.sum[static_cast<size_t>(j)] += d_(i, j);
            }
        all.diameter = diameter(all.rows, std::numeric_limits<double>::infinity(), job);
        waiting_.push_back(std::move(all));
        while (!waiting_.empty()) {
            Part part = std::move(waiting_.back());
            waiting_.pop_back();
            if (part.diameter > 0)
                divide(std::move(part), job);
            else  // copies of one row
                for (size_t k = part.rows.size(); k-- > 1;) merges_.push_back({part.rows[k - 1], part.rows[k], 0.0});
        }
        std::reverse(merges_.begin(), merges_.end());  // parts before what they are parts of
        return std::move(merges_);
    }
};

}  // namespace learnt
