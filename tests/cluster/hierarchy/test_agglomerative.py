"""Agglomerative clustering against SciPy and scikit-learn, and on awkward data."""

import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.neighbors import kneighbors_graph

import learnt
from learnt import AgglomerativeClustering
from learnt.cluster.hierarchy.hierarchy import by_first_row
from learnt.cluster.hierarchy.linking import LINKAGES
from learnt.errors import InputError, ParameterError


def blobs(n=200, p=4, seed=0):
    rng = np.random.default_rng(seed)
    return 3 * rng.normal(size=(6, p))[rng.integers(0, 6, n)] + rng.normal(size=(n, p))


@pytest.mark.parametrize(("n", "p"), [(2, 1), (3, 2), (33, 1), (150, 3), (700, 12)])
@pytest.mark.parametrize("method", LINKAGES)
def test_the_tree_is_that_of_scipy(method, n, p):
    x = blobs(n, p, seed=n)
    model = AgglomerativeClustering(min(3, n), linkage=method).fit(x)
    wanted = linkage(x, method)
    assert is_valid_linkage(model.linkage_matrix_)
    assert_allclose(model.distances_, wanted[:, 2], rtol=1e-10)
    assert_array_equal(model.linkage_matrix_[:, [0, 1, 3]], wanted[:, [0, 1, 3]])


@pytest.mark.parametrize("method", LINKAGES)
def test_given_distances_lead_to_the_same_tree(method):
    x = blobs(120)
    one = AgglomerativeClustering(4, linkage=method).fit(x)
    two = AgglomerativeClustering(4, linkage=method, metric="precomputed").fit(squareform(pdist(x)))
    assert_allclose(two.distances_, one.distances_, rtol=1e-10)
    assert_array_equal(two.labels_, one.labels_)


@pytest.mark.parametrize(("ours", "theirs"), [("manhattan", "cityblock"), ("chebyshev", "chebyshev"), ("cosine",) * 2])
@pytest.mark.parametrize("method", ["single", "complete", "average", "weighted"])
def test_other_metrics_lead_to_the_tree_of_scipy(method, ours, theirs):
    x = blobs(90)
    model = AgglomerativeClustering(2, linkage=method, metric=ours).fit(x)
    assert_allclose(model.distances_, linkage(x, method, theirs)[:, 2], rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("method", LINKAGES)
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_very_large_and_small_numbers_change_heights_by_their_scale_alone(method, scale):
    x = blobs(60)
    for settings, rows in (({}, x * scale), ({"metric": "precomputed"}, squareform(pdist(x)) * scale)):
        found = AgglomerativeClustering(2, linkage=method, **settings).fit(rows).distances_
        assert_allclose(found / scale, linkage(x, method)[:, 2], rtol=1e-9)


@pytest.mark.parametrize("method", ["single", "complete", "average", "weighted"])
def test_distances_as_large_as_numbers_go_add_up(method):
    square = squareform(pdist(blobs(60)))
    scale = 2.0 ** (1023 - np.ceil(np.log2(square.max())))
    given = AgglomerativeClustering(2, linkage=method, metric="precomputed").fit(square * scale, sample_weight=[3] * 60)
    assert_allclose(given.distances_ / scale, linkage(squareform(square), method)[:, 2], rtol=1e-9)
    if method != "weighted":
        edges = np.eye(60, k=1) + np.eye(60, k=7)
        along = [
            AgglomerativeClustering(2, linkage=method, metric="precomputed", connectivity=edges).fit(square * s)
            for s in (1, scale)
        ]
        assert_allclose(along[1].distances_ / scale, along[0].distances_, rtol=1e-9)


@pytest.mark.parametrize("method", LINKAGES)
def test_rows_farther_apart_than_the_largest_number_are_told(method):
    what = r"farther apart than the largest number|so large that their (squares|sums) overflow"
    with pytest.raises(InputError, match=what):
        AgglomerativeClustering(2, linkage=method).fit([[1.7e308], [-1.7e308], [-1.6e308]])


@pytest.mark.parametrize("method", ["ward", "centroid", "median"])
def test_means_lose_no_digits_far_from_the_origin(method):
    x = np.round(blobs(80) * 1024) / 1024  # so that the sums below are exact
    found = AgglomerativeClustering(2, linkage=method).fit(x + 2.0**30).distances_
    assert_allclose(found, linkage(x, method)[:, 2], rtol=1e-10)


@pytest.mark.parametrize("method", LINKAGES)
def test_ties_and_copies_give_a_valid_tree_with_the_heights_of_scipy(method):
    x = np.random.default_rng(0).integers(0, 4, (90, 2)).astype(float)
    model = AgglomerativeClustering(5, linkage=method).fit(x)
    assert is_valid_linkage(model.linkage_matrix_)
    if method in ("single", "ward"):  # of the others ties decide what the heights are
        assert_allclose(model.distances_, linkage(x, method)[:, 2], rtol=1e-10, atol=1e-12)
    assert_array_equal(model.distances_ == 0, np.arange(89) < 90 - len(np.unique(x, axis=0)))


def test_heights_of_ward_add_up_to_the_squared_error_however_many_ties_there_are():
    x = np.random.default_rng(0).integers(0, 5, (2000, 3)).astype(float)
    heights = AgglomerativeClustering().fit(x).distances_
    assert (heights**2).sum() / 2 == pytest.approx(((x - x.mean(0)) ** 2).sum(), rel=1e-10)
    assert np.sum(heights == 0) == 2000 - 125


@pytest.mark.parametrize("method", ["ward", "complete", "average", "single"])
def test_cuts_are_those_of_scikit_learn(method):
    x = blobs(150)
    for settings in ({"n_clusters": 7}, {"n_clusters": None, "distance_threshold": 4.0}):
        ours = AgglomerativeClustering(linkage=method, **settings).fit(x)
        theirs = sklearn.cluster.AgglomerativeClustering(linkage=method, **settings).fit(x)
        assert_array_equal(ours.labels_, by_first_row(theirs.labels_))
        assert ours.n_clusters_ == theirs.n_clusters_


@pytest.mark.parametrize("method", ["ward", "complete", "average", "single"])
def test_merges_along_a_graph_are_those_of_scikit_learn(method):
    x = blobs(160)
    graph = kneighbors_graph(x, 6, include_self=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = AgglomerativeClustering(5, linkage=method, connectivity=graph).fit(x)
        theirs = sklearn.cluster.AgglomerativeClustering(
            5, linkage=method, connectivity=graph, compute_distances=True
        ).fit(x)
    assert_allclose(ours.distances_, theirs.distances_, rtol=1e-10)
    assert_array_equal(ours.labels_, by_first_row(theirs.labels_))


def test_a_graph_in_parts_is_joined_by_their_nearest_rows_with_a_warning():
    x = np.array([[0.0], [1.0], [10.0], [12.0], [30.0]])
    graph = scipy.sparse.csr_array((np.ones(2), ([0, 2], [1, 3])), shape=(5, 5))
    with pytest.warns(UserWarning, match="falls into 3 parts"):
        model = AgglomerativeClustering(2, linkage="single", connectivity=graph).fit(x)
    assert model.distances_.tolist() == [1, 2, 9, 18]
    assert model.labels_.tolist() == [0, 0, 0, 0, 1]


def test_only_neighbours_merge_along_a_graph():
    rows = np.array([[0.0], [5.0], [0.1], [5.1]])
    chain = np.diag(np.ones(3), 1)  # 0–1–2–3: equal rows are no neighbours
    model = AgglomerativeClustering(2, linkage="complete", connectivity=chain).fit(rows)
    assert model.labels_.tolist() in ([0, 0, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1])
    assert AgglomerativeClustering(2, linkage="complete").fit(rows).labels_.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("method", LINKAGES)
def test_a_weight_of_two_is_a_row_twice(method):
    x, w = blobs(40), np.random.default_rng(1).integers(1, 4, 40)
    one = AgglomerativeClustering(4, linkage=method).fit(x, sample_weight=w.astype(float))
    two = AgglomerativeClustering(4, linkage=method).fit(np.repeat(x, w, axis=0))
    assert_array_equal(np.repeat(one.labels_, w), two.labels_)
    if method != "ward":
        assert_allclose(one.distances_, two.distances_[w.sum() - 40 :], rtol=1e-10)


def test_rows_without_weight_are_left_out_of_the_tree_and_placed_by_their_nearest_row():
    x = np.array([[0.0], [1.0], [4.9], [9.0], [10.0]])
    model = AgglomerativeClustering(2).fit(x, sample_weight=[1, 1, 0, 1, 1])
    given = AgglomerativeClustering(2, metric="precomputed").fit(np.abs(x - x.T), sample_weight=[1, 1, 0, 1, 1])
    for found in (model, given):
        assert found.n_leaves_ == 4
        assert found.labels_.tolist() == [0, 0, 0, 1, 1]


def test_thousands_of_rows_give_the_tree_of_scipy_bit_by_bit_with_any_number_of_threads():
    x = blobs(3000, 3)
    found = []
    for threads in (1, 3):
        with learnt.threads(threads):
            found.append(AgglomerativeClustering(2).fit(x).linkage_matrix_)
    assert_array_equal(found[0], found[1])
    assert_allclose(found[0][:, 2], linkage(x, "ward")[:, 2], rtol=1e-10)


def test_new_rows_join_the_cluster_of_the_nearest_fitted_row():
    x = blobs(150)
    model = AgglomerativeClustering(5, linkage="average").fit(x)
    assert_array_equal(model.predict(x), model.labels_)
    new = blobs(40, seed=9)
    nearest = np.sqrt(((new[:, None] - x[None]) ** 2).sum(2)).argmin(1)
    assert_array_equal(model.predict(new), model.labels_[nearest])
    away = model.distances(new)
    assert away.shape == (40, 5)
    assert_array_equal(away.argmin(1), model.predict(new))


def test_mixed_tables_with_missing_cells_are_clustered_by_every_linkage():
    table = learnt.datasets.load("labor")
    for method in LINKAGES:
        model = AgglomerativeClustering(3, linkage=method).fit(table)
        assert_array_equal(model.predict(table), model.labels_)
        assert len(model.explain(table)) == 57


def test_texts_are_clustered_by_their_edits():
    words = {"word": ["kitten", "mitten", "sitting", "banana", "bananas"]}
    model = AgglomerativeClustering(2, linkage="average", metric="levenshtein").fit(words)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1]
    assert model.predict({"word": ["bitten", "anana"]}).tolist() == [0, 1]


def test_a_function_of_two_rows_is_a_metric():
    rows = [[0.0], [0.2], [9.0]]
    model = AgglomerativeClustering(2, linkage="complete", metric=lambda a, b: abs(a[0] - b[0])).fit(rows)
    assert model.labels_.tolist() == [0, 0, 1]
    assert model.predict([[8.0]]).tolist() == [1]


def test_explanations_name_the_nearest_row_and_what_columns_add():
    model = AgglomerativeClustering(2).fit({"a": [0.0, 1.0, 10.0], "b": [0.0, 0.0, 10.0]})
    told = model.explain({"a": [2.0], "b": [2.0]})[0]
    assert told.prediction == 0
    assert [e.contribution for e in told.evidence] == [1.0, 4.0]
    assert "row 1" in told.total_words
    assert told.alternatives == ((1, pytest.approx(128.0)),)


def test_fewer_rows_than_clusters_one_row_and_copies_alone():
    with pytest.raises(InputError, match="n_samples=1 should be >= n_clusters=2"):
        AgglomerativeClustering(2).fit([[1.0]])
    one = AgglomerativeClustering(1).fit([[1.0]])
    assert one.labels_.tolist() == [0]
    assert one.linkage_matrix_.shape == (0, 4)
    for method in LINKAGES:
        model = AgglomerativeClustering(2, linkage=method).fit(np.ones((40, 3)))
        assert_array_equal(model.distances_, 0)
        assert model.n_clusters_ == 2
    assert AgglomerativeClustering(None, distance_threshold=1e-9).fit(np.ones((9, 1))).n_clusters_ == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_clusters": 2, "distance_threshold": 1.0}, "Exactly one of n_clusters and distance_threshold"),
        ({"n_clusters": None}, "Exactly one of n_clusters and distance_threshold"),
        ({"metric": "manhattan"}, "only the Euclidean distance belongs"),
        ({"linkage": "wards"}, "linkage='wards' is not allowed"),
        ({"connectivity": "yes"}, "an n × n matrix"),
    ],
)
def test_wrong_settings_are_told_before_any_work(settings, words):
    with pytest.raises(ParameterError, match=words):
        AgglomerativeClustering(**settings).fit(blobs(10))


def test_wrong_graphs_and_predictions_after_distances_are_told():
    x = blobs(10)
    with pytest.raises(InputError, match=r"connectivity has the shape \(9, 9\)"):
        AgglomerativeClustering(connectivity=np.ones((9, 9))).fit(x)
    with pytest.raises(InputError, match="takes no connectivity"):
        AgglomerativeClustering(linkage="median", connectivity=np.ones((10, 10))).fit(x)
    model = AgglomerativeClustering(metric="precomputed").fit(squareform(pdist(x)))
    with pytest.raises(InputError, match="cannot place new rows"):
        model.predict(squareform(pdist(x)))
    with pytest.raises(InputError, match="needs rows, not distances"):
        AgglomerativeClustering(metric="precomputed", connectivity=np.ones((10, 10))).fit(squareform(pdist(x)))


def test_distances_that_do_not_fit_in_memory_are_refused_with_what_runs_without_them():
    rows = np.broadcast_to(np.zeros((1, 1)), (1_000_000, 1))
    with pytest.raises(InputError, match=r"n=1,000,000 needs 4,000 GB.*'single' and 'ward'"):
        AgglomerativeClustering(linkage="average").fit(rows)


def test_a_hundred_columns_and_a_constant_one_are_no_matter():
    x = np.random.default_rng(0).normal(size=(80, 100))
    wanted = linkage(x, "ward")[:, 2]
    assert_allclose(AgglomerativeClustering().fit(np.hstack([x, np.full((80, 1), 7.0)])).distances_, wanted, rtol=1e-10)


def test_a_model_says_what_it_found():
    model = AgglomerativeClustering(3).fit(learnt.datasets.load("iris").drop("class"))
    assert str(model).startswith("3 clusters by ward linkage, of 50, 64, 36 rows\n150 leaves, 149 merges")
    assert_array_equal(fcluster(model.linkage_matrix_, 3, "maxclust").max(), 3)
