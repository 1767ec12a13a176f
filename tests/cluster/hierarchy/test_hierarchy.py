"""Reading a tree of clusters: cuts, cophenetic distances, drawings, and trees that are none."""

import time

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cophenet, fcluster, leaves_list, linkage
from scipy.spatial.distance import pdist, squareform

from learnt import AgglomerativeClustering, DivisiveClustering, Hierarchy
from learnt.cluster.hierarchy.hierarchy import by_first_row
from learnt.errors import InputError, ParameterError, SavedModelError

mpl.use("Agg")


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(60, 3))


def tree_of(rows, method="average"):
    return AgglomerativeClustering(2, linkage=method).fit(rows).hierarchy_


@pytest.mark.parametrize("method", ["average", "single", "ward", "centroid"])
def test_cuts_by_height_are_those_of_scipy(rows, method):
    tree = tree_of(rows, method)
    z = linkage(rows, method)
    for height in (0.3, 0.9, 1.5, 10.0):
        assert_array_equal(tree.cut(height=height), by_first_row(fcluster(z, np.nextafter(height, 0), "distance")))


def test_cuts_by_count_have_that_many_clusters_and_nest(rows):
    tree = tree_of(rows)
    for k in range(1, 60):
        finer, coarser = tree.cut(k + 1), tree.cut(k)
        assert finer.max() == k
        assert coarser.max() == k - 1
        assert len(np.unique(np.column_stack([finer, coarser]), axis=0)) == k + 1


def test_a_merge_at_the_height_itself_is_not_done():
    tree = tree_of(np.array([[0.0], [1.0], [5.0]]), "single")
    assert tree.cut(height=1.0).tolist() == [0, 1, 2]
    assert tree.cut(height=np.nextafter(1.0, 2)).tolist() == [0, 0, 1]


def test_clusters_are_numbered_by_their_first_rows():
    assert by_first_row(np.array([7, 3, -1, 7, 0, 3])).tolist() == [0, 1, -1, 0, 2, 1]


def test_cophenetic_distances_and_their_correlation_are_those_of_scipy(rows):
    tree = tree_of(rows)
    wanted, pairs = cophenet(linkage(rows, "average"), pdist(rows))
    assert_allclose(tree.cophenetic(), pairs)
    assert tree.cophenetic_correlation(pdist(rows)) == pytest.approx(wanted)
    assert tree.cophenetic_correlation(squareform(pdist(rows))) == pytest.approx(wanted)
    assert AgglomerativeClustering(2, linkage="average").fit(rows).cophenetic_correlation() == pytest.approx(wanted)
    assert np.isnan(tree_of(np.ones((5, 1))).cophenetic_correlation(np.zeros(10)))


def test_the_order_of_leaves_is_that_of_scipy(rows):
    tree = tree_of(rows)
    assert_array_equal(tree.order, leaves_list(tree.linkage_matrix))


def test_a_long_chain_is_no_deep_recursion():
    x = np.cumsum(np.arange(1.0, 3001))[:, None]  # every row joins the chain before it
    tree = tree_of(x, "single")
    assert tree.order.tolist() == [*range(2999, 1, -1), 0, 1]
    axes = tree.dendrogram(most=None)
    assert len(axes.collections[0].get_segments()) == 2999
    mpl.pyplot.close(axes.figure)


def test_few_leaves_are_drawn_with_their_labels_and_the_colours_of_their_clusters():
    tree = tree_of(np.array([[0.0], [1.0], [5.0], [9.0]]), "single")
    axes = tree.dendrogram(["$a", "b", "c", "d"], n_clusters=3)
    assert sorted(t.get_text() for t in axes.get_xticklabels()) == ["$a", "b", "c", "d"]
    heights = sorted(float(s[:, 1].max()) for s in axes.collections[0].get_segments())
    assert heights == [1, 4, 4]
    assert len({tuple(c) for c in axes.collections[0].get_colors()}) == 2
    axes.figure.canvas.draw()
    mpl.pyplot.close(axes.figure)


def test_ten_thousand_leaves_are_drawn_as_the_last_merges_with_counts_and_quickly():
    rng = np.random.default_rng(0)
    tree = tree_of(rng.normal(size=(10_000, 2)), "ward")
    began = time.process_time()
    axes = tree.dendrogram(n_clusters=5)
    axes.figure.canvas.draw()
    assert time.process_time() - began < 5
    words = [t.get_text() for t in axes.get_xticklabels()]
    assert len(words) == 60
    assert sum(int(w.strip("()").replace(",", "")) if "(" in w else 1 for w in words) == 10_000
    assert len(axes.collections[0].get_segments()) == 59
    mpl.pyplot.close(axes.figure)


def test_groups_of_rows_are_leaves_with_their_counts(rows):
    model = DivisiveClustering(4).fit(rows)
    axes = model.dendrogram()
    words = [t.get_text().strip("()") for t in axes.get_xticklabels()]
    assert sorted(map(int, words)) == sorted(np.bincount(model.labels_).tolist())
    mpl.pyplot.close(axes.figure)


def test_one_row_is_a_tree_too():
    alone = Hierarchy(np.empty((0, 2), np.int64), np.empty(0), np.empty(0, np.int64))
    assert alone.cut(1).tolist() == [0]
    assert str(alone) == "1 leaf, no merges"
    mpl.pyplot.close(alone.dendrogram().figure)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "give one of the two"),
        ({"n_clusters": 2, "height": 1.0}, "give one of the two"),
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_clusters": True}, "n_clusters is True"),
        ({"n_clusters": 61}, "only 60 leaves"),
        ({"height": -1}, "height is -1"),
        ({"height": float("nan")}, "height is nan"),
    ],
)
def test_cuts_that_make_no_sense_are_told(rows, settings, words):
    with pytest.raises((ParameterError, InputError), match=words):
        tree_of(rows).cut(**settings)


def test_wrong_labels_and_drawings_are_told(rows):
    with pytest.raises(InputError, match="3 labels for 60 rows"):
        tree_of(rows).dendrogram(["a", "b", "c"])
    with pytest.raises(ParameterError, match="most is 1"):
        tree_of(rows).dendrogram(most=1)


@pytest.mark.parametrize(
    ("children", "heights", "counts"),
    [
        ([[0, 1], [2, 4]], [1.0, 2.0], [2, 3]),  # a cluster that is not there yet
        ([[0, 1], [0, 3]], [1.0, 2.0], [2, 3]),  # merged twice
        ([[0, 1], [2, 3]], [1.0, np.nan], [2, 3]),
        ([[0, 1], [2, 3]], [1.0, -2.0], [2, 3]),
        ([[0, 1], [2, 3]], [1.0, 2.0], [2, 4]),
        ([[0, 1], [-1, 3]], [1.0, 2.0], [2, 3]),
        ([[0, 1]], [1.0, 2.0], [2, 3]),
    ],
)
def test_what_is_no_tree_is_refused(children, heights, counts):
    with pytest.raises(SavedModelError):
        Hierarchy(np.array(children), np.array(heights), np.array(counts))
