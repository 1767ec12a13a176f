// Linkage along the edges of a graph: only clusters that an edge joins may merge.
//
// The distance of two clusters is that of Ward between their centres, or the least, largest or mean distance of
// the edges between them (as scikit-learn has it: pairs that no edge joins do not count). Where one cluster of a
// merge has no edge to a third, the distance of the other stays.
#pragma once

#include <queue>
#include <unordered_map>

#include "cluster/linkage/condensed.hpp"
#include "distance/measure.hpp"
#include "simd/math.hpp"

namespace learnt {

// start (n + 1), ends: the edges of each row, both ways; length: of each edge, unused by Ward, which takes rows x.
// Gives fewer than n − 1 merges if the graph falls into parts.
struct LinkGraph {
    const int64_t *start, *ends;
    const double *length;
    const double *x, *w;
    int64_t n, p;
};

class GraphMerging {
    struct Candidate {
        double value;
        int64_t a, b;
        bool operator<(const Candidate &other) const {  // the nearest first in a heap that puts the largest first
            if (value != other.value) return value > other.value;
            return a != other.a ? a > other.a : b > other.b;
        }
    };
    using Edges = std::unordered_map<int64_t, double>;

    Linkage method_;
    int64_t n_, p_;
    std::vector<Edges> edges_;     // of each cluster, by number: rows, then merges
    std::vector<double> size_, centre_;
    std::vector<char> lives_;
    std::priority_queue<Candidate> nearest_;

    double ward(int64_t a, int64_t b) const {
        double sum = 0;
        for (int64_t j = 0; j < p_; ++j) {
            const double d = centre_[static_cast<size_t>(a * p_ + j)] - centre_[static_cast<size_t>(b * p_ + j)];
            sum += unfused(d * d);
        }
        const double one = size_[static_cast<size_t>(a)], other = size_[static_cast<size_t>(b)];
        return std::sqrt(2 * (one * other / (one + other)) * sum);
    }
    double joined(double one, double other, double n_one, double n_other) const {
        if (method_ == Linkage::single) return std::min(one, other);
        if (method_ == Linkage::complete) return std::max(one, other);
        return (n_one * one + n_other * other) / (n_one + n_other);
    }

  public:
    GraphMerging(Linkage method, const LinkGraph &graph)
        : method_(method), n_(graph.n), p_(method == Linkage::ward ? graph.p : 0), edges_(static_cast<size_t>(2 * graph.n)),
          size_(static_cast<size_t>(2 * graph.n), 1.0), centre_(static_cast<size_t>(2 * graph.n * p_)),
          lives_(static_cast<size_t>(2 * graph.n), 1) {
        if (graph.w) std::copy_n(graph.w, n_, size_.begin());
        if (p_) std::copy_n(graph.x, n_ * p_, centre_.begin());
        for (int64_t a = 0; a < n_; ++a)
            for (int64_t e = graph.start[a]; e < graph.start[a + 1]; ++e) {
                const int64_t b = graph.ends[e];
                if (a == b) continue;
                const double value = method_ == Linkage::ward ? ward(a, b) : graph.length[e];
                edges_[static_cast<size_t>(a)][b] = value;
                if (a < b) nearest_.push({value, a, b});
            }
    }

    std::vector<Merge> run(Job &job) {
        std::vector<Merge> merges;
        std::vector<int64_t> row(static_cast<size_t>(2 * n_));
        std::iota(row.begin(), row.begin() + n_, 0);
        for (int64_t made = n_; !nearest_.empty();) {
            job.check();
            const auto [value, a, b] = nearest_.top();
            nearest_.pop();
            if (!lives_[static_cast<size_t>(a)] || !lives_[static_cast<size_t>(b)]) continue;
            merges.push_back({row[static_cast<size_t>(a)], row[static_cast<size_t>(b)], value});
            row[static_cast<size_t>(made)] = row[static_cast<size_t>(a)];
            join(a, b, made++);
        }
        return merges;
    }

  private:
    void join(int64_t a, int64_t b, int64_t made) {
        const double n_a = size_[static_cast<size_t>(a)], n_b = size_[static_cast<size_t>(b)];
        lives_[static_cast<size_t>(a)] = lives_[static_cast<size_t>(b)] = 0;
        size_[static_cast<size_t>(made)] = n_a + n_b;
        for (int64_t j = 0; j < p_; ++j) {
            const double one = centre_[static_cast<size_t>(a * p_ + j)], other = centre_[static_cast<size_t>(b * p_ + j)];
            centre_[static_cast<size_t>(made * p_ + j)] = one + unfused((other - one) * (n_b / (n_a + n_b)));
        }
        Edges all = std::move(edges_[static_cast<size_t>(a)]), others = std::move(edges_[static_cast<size_t>(b)]);
        all.erase(b);
        others.erase(a);
        for (const auto &[c, value] : others) {
            const auto [at, fresh] = all.try_emplace(c, value);
            if (!fresh) at->second = joined(at->second, value, n_a, n_b);
        }
        for (auto &[c, value] : all) {
            if (method_ == Linkage::ward) value = ward(c, made);
            Edges &back = edges_[static_cast<size_t>(c)];
            back.erase(a);
            back.erase(b);
            back[made] = value;
            nearest_.push({value, c, made});
        }
        edges_[static_cast<size_t>(made)] = std::move(all);
    }
};

}  // namespace learnt
