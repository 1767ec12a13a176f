// Hierarchies of clusters.
#include "bind/arrays.hpp"
#include "bind/neighbors/kd_trees.hpp"
#include "bind/distance/measure.hpp"
#include "cluster/linkage/condensed.hpp"
#include "cluster/linkage/coordinates.hpp"
#include "cluster/linkage/divisive.hpp"
#include "cluster/linkage/graph.hpp"
#include "cluster/linkage/single.hpp"

namespace learnt::bind {
namespace {

static Linkage linkage_named(const std::string &name) {
    const char *names[] = {"single", "complete", "average", "weighted", "ward", "centroid", "median"};
    for (int i = 0; i < 7; ++i)
        if (name == names[i]) return static_cast<Linkage>(i);
    refuse("'method' is '" + name + "'. Expected 'single', 'complete', 'average', 'weighted', 'ward', 'centroid' or 'median'.");
}

// Room for the tree of n rows, and how many merges were made.
struct TreeOut {
    int64_t n, *children, *counts;
    double *heights;

    TreeOut(int64_t rows, const Out2<int64_t> &kids, const Out<double> &up, const Out<int64_t> &sizes)
        : n(checked(rows)), children(matrix("children", kids, n - 1, 2)), counts(vector("counts", sizes, n - 1)),
          heights(vector("heights", up, n - 1)) {}

    // Beyond, pairs of rows could not be counted.
    static int64_t checked(int64_t rows) {
        if (rows < 1 || rows >= int64_t{1} << 31)
            refuse("There are " + std::to_string(rows) + " rows. Expected at least one, and fewer than 2**31.");
        return rows;
    }

    template <class Make>
    int64_t fill(bool sorted, Make make) const {
        std::vector<Merge> merges;
        {
            const nb::gil_scoped_release unlocked;
            run_blocks(1, [&](int64_t, Job &job) {
                merges = make(job);
                tree_of(merges, n, sorted, children, heights, counts);
            });
        }
        return static_cast<int64_t>(merges.size());
    }
};

}  // namespace

void bind_linkage(nb::module_ &m) {
    m.def(
        "link_rows",
        [](const In2<double> &x, const std::string &method, const std::string &norm, double power,
           const Maybe<In<double>> &column_weights, const Maybe<In<double>> &weights, const Out2<int64_t> &children,
           const Out<double> &heights, const Out<int64_t> &counts) {
            const int64_t n = size(x), p = size(x, 1);
            const TreeOut out(n, children, heights, counts);
            if (p < 1 || n >= (int64_t{1} << 31)) refuse("'x' has " + std::to_string(n) + " rows. Expected fewer than 2³¹, and columns.");
            const double *cells = data("x", x), *w = vector("weights", weights, n);
            const Linkage how = linkage_named(method);
            const Measure measure = measure_of(norm, power, column_weights, p);
            if (how != Linkage::single && (measure.norm != Norm::l2 || measure.weights))
                refuse("Only 'single' takes other norms than 'l2', or column weights.");
            switch (how) {
                case Linkage::single: return out.fill(false, [&](Job &job) { return single_merges(measure, cells, n, p, job); });
                case Linkage::ward: return out.fill(false, [&](Job &job) { return ward_merges(cells, n, p, w, job); });
                case Linkage::centroid: return out.fill(true, [&](Job &job) { return centroid_merges(cells, n, p, w, false, job); });
                case Linkage::median: return out.fill(true, [&](Job &job) { return centroid_merges(cells, n, p, w, true, job); });
                default: refuse("'" + method + "' needs the distances of all pairs.");
            }
        },
        nb::arg("x").noconvert(), nb::arg("method"), nb::arg("norm"), nb::arg("power"), nb::arg("column_weights").noconvert().none(),
        nb::arg("weights").noconvert().none(), nb::arg("children").noconvert(), nb::arg("heights").noconvert(),
        nb::arg("counts").noconvert(),
        "The tree of single, ward, centroid or median linkage from coordinates; how many merges it has.");
    m.def(
        "link_pairs",
        [](const Out<double> &distances, int64_t n, const std::string &method, const Maybe<In<double>> &weights,
           const Out2<int64_t> &children, const Out<double> &heights, const Out<int64_t> &counts) {
            const TreeOut out(n, children, heights, counts);
            const Condensed d{vector("distances", distances, n * (n - 1) / 2), n};
            const double *w = vector("weights", weights, n);
            const Linkage how = linkage_named(method);
            const bool sorted = how == Linkage::centroid || how == Linkage::median;
            return out.fill(sorted, [&](Job &job) { return condensed_merges(how, d, w, job); });
        },
        nb::arg("distances").noconvert(), nb::arg("n"), nb::arg("method"), nb::arg("weights").noconvert().none(),
        nb::arg("children").noconvert(), nb::arg("heights").noconvert(), nb::arg("counts").noconvert(),
        "The same by condensed distances (squares for ward, centroid and median), which are overwritten.");
    m.def(
        "link_graph",
        [](const In<int64_t> &start, const In<int64_t> &ends, const Maybe<In<double>> &length, const Maybe<In2<double>> &x,
           const std::string &method, const Maybe<In<double>> &weights, const Out2<int64_t> &children,
           const Out<double> &heights, const Out<int64_t> &counts) {
            const int64_t n = size(start) - 1, edges = size(ends);
            const TreeOut out(n, children, heights, counts);
            const Linkage how = linkage_named(method);
            LinkGraph graph{data("start", start), data("ends", ends), vector("length", length, edges), nullptr,
                            vector("weights", weights, n), n, 0};
            if (graph.start[0] != 0 || graph.start[n] != edges) refuse("'start' does not fit 'ends'.");
            for (int64_t i = 0; i < n; ++i)
                if (graph.start[i] > graph.start[i + 1]) refuse("'start' goes backwards.");
            for (int64_t e = 0; e < edges; ++e)
                if (graph.ends[e] < 0 || graph.ends[e] >= n) refuse("'ends' names a row that is not there.");
            if (how > Linkage::average && how != Linkage::ward) refuse("'" + method + "' takes no graph.");
            if ((how == Linkage::ward) != x.has_value() || (how == Linkage::ward) == length.has_value())
                refuse("Ward takes 'x', the others 'length'.");
            if (x) {
                graph.p = size(*x, 1);
                graph.x = matrix("x", *x, n, graph.p);
            }
            return out.fill(true, [&](Job &job) { return GraphMerging(how, graph).run(job); });
        },
        nb::arg("start").noconvert(), nb::arg("ends").noconvert(), nb::arg("length").noconvert().none(),
        nb::arg("x").noconvert().none(), nb::arg("method"), nb::arg("weights").noconvert().none(),
        nb::arg("children").noconvert(), nb::arg("heights").noconvert(), nb::arg("counts").noconvert(),
        "The same with merges along the edges of a graph alone, in the order they were made.");
    m.def(
        "divide_pairs",
        [](const Out<double> &distances, int64_t n, const Out2<int64_t> &children, const Out<double> &heights,
           const Out<int64_t> &counts) {
            const TreeOut out(n, children, heights, counts);
            const Condensed d{vector("distances", distances, n * (n - 1) / 2), n};
            return out.fill(false, [&](Job &job) { return Diana(d).run(job); });
        },
        nb::arg("distances").noconvert(), nb::arg("n"), nb::arg("children").noconvert(), nb::arg("heights").noconvert(),
        nb::arg("counts").noconvert(),
        "The tree of DIANA's divisions by condensed distances.");
}

}  // namespace learnt::bind
