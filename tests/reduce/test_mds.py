"""Multidimensional scaling against scikit-learn, NumPy, and the distances themselves."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.manifold import smacof as sklearns_smacof

import learnt
from learnt import MDS, PCA
from learnt.errors import ConvergenceWarning, InputError

METHODS = ("classical", "smacof", "nonmetric")


def rows(n=60, p=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p)) * np.arange(p, 0, -1)


def test_classical_scaling_is_the_eigenvectors_of_centred_squares():
    d = cdist(rows(), rows(), "cityblock")
    model = MDS(3, metric="precomputed").fit(d)
    j = np.eye(60) - 1 / 60
    values, vectors = np.linalg.eigh(-0.5 * j @ d**2 @ j)
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:3], rtol=1e-10)
    expected = vectors[:, ::-1][:, :3] * np.sqrt(values[::-1][:3])
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(expected), atol=1e-8)


@pytest.mark.parametrize("n", [60, 700])
def test_classical_scaling_of_euclidean_distances_is_pca_for_new_rows_too(n):
    x, new = rows(n), rows(9, seed=5)
    model, pca = MDS(2).fit(x), PCA(2).fit(x)
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(pca.transform(x)), atol=1e-7)
    np.testing.assert_allclose(np.abs(model.transform(new)), np.abs(pca.transform(new)), atol=1e-7)


def test_distances_that_fit_a_plane_are_met_exactly_by_every_method():
    x = rows(30, 2)
    for method in METHODS:
        model = MDS(2, method=method, tol=1e-12, max_iter=2000).fit(x)
        np.testing.assert_allclose(pdist(model.embedding_), pdist(x), rtol=1e-6, err_msg=method)
        assert model.stress_ < 1e-6


@pytest.mark.parametrize("method", ["smacof", "nonmetric"])
def test_stress_is_scikit_learns_from_the_same_start(method):
    x = rows()
    start = MDS(2).fit(x).embedding_
    theirs, _ = sklearns_smacof(
        squareform(pdist(x)), metric=method == "smacof", n_components=2, init=start, n_init=1, max_iter=3000, eps=1e-12
    )
    ours = MDS(2, method=method, tol=1e-10, max_iter=3000).fit(x)
    one, two = pdist(ours.embedding_), pdist(theirs)
    size = (one @ two) / (two @ two) if method == "nonmetric" else 1.0  # without a metric, the scale is free
    np.testing.assert_allclose(one, two * size, atol=0.02 * one.max())
    if method == "smacof":
        assert ((one - pdist(x)) ** 2).sum() <= ((two - pdist(x)) ** 2).sum() * (1 + 1e-6)


def test_every_step_of_smacof_lowers_the_stress():
    with learnt.watch() as log:
        MDS(2, method="smacof").fit(rows())
    assert np.all(np.diff(log["objective"]) <= 1e-12)
    assert len(log["objective"]) > 5


def test_non_metric_scaling_looks_at_the_order_of_distances_alone():
    d = squareform(pdist(rows(25)))
    one, two = (MDS(method="nonmetric", metric="precomputed", tol=1e-9, max_iter=2000).fit(x) for x in (d, d**3))
    assert abs(one.stress_ - two.stress_) < 0.03
    pairs = one.shepard(d)
    order = np.argsort(pairs[:, 0], kind="stable")
    assert np.all(np.diff(pairs[order, 2]) >= -1e-12)
    with pytest.raises(InputError, match="not kept"):
        one.shepard()


@pytest.mark.parametrize("method", METHODS)
def test_a_row_twice_is_a_weight_of_two(method):
    x, counts = rows(12, 4), np.array([1, 2, 3] * 4)
    one = MDS(method=method, tol=1e-13, max_iter=4000).fit(x, sample_weight=counts)
    two = MDS(method=method, tol=1e-13, max_iter=4000).fit(np.repeat(x, counts, axis=0))
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    tolerance = 1e-8 if method == "classical" else 2e-2
    np.testing.assert_allclose(pdist(one.embedding_), pdist(two.embedding_[first]), rtol=tolerance, atol=tolerance)
    assert one.stress_ == pytest.approx(two.stress_, rel=1e-2)


@pytest.mark.parametrize("method", METHODS)
def test_fitted_rows_go_where_they_are_and_close_ones_close_by(method):
    x = rows()
    model = MDS(method=method, tol=1e-12, max_iter=5000).fit(x)
    np.testing.assert_allclose(model.transform(x), model.embedding_, atol=1e-9)
    near = model.transform(x + 1e-7)
    np.testing.assert_allclose(near, model.embedding_, atol=0.02)


def test_precomputed_distances_place_new_rows_by_their_distances():
    x, new = rows(), rows(4, seed=9)
    one, two = MDS(metric="precomputed").fit(squareform(pdist(x))), MDS().fit(x)
    np.testing.assert_allclose(one.transform(cdist(new, x)), two.transform(new), atol=1e-8)
    with pytest.raises(InputError, match="at least 0"):
        one.transform(-cdist(new, x))
    with pytest.raises(InputError, match="expecting 60 features"):
        one.transform(cdist(new, x[:50]))
    with pytest.raises(InputError, match="symmetric"):
        MDS(metric="precomputed").fit(np.triu(squareform(pdist(x))))


def test_mixed_tables_with_gaps_are_measured_by_the_mixed_metric():
    labor = learnt.datasets.load("labor")
    features = labor.drop("class") if "class" in labor else labor
    model = MDS(2).fit(features)
    assert model.embedding_.shape == (features.n_rows, 2)
    assert model.transform(features).names == ("mds0", "mds1")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_strange_tables_do_no_harm(method):
    for x in (np.ones((1, 2)), np.ones((6, 3)), np.array([[0.0], [1.0]]), rows(5) * 1e150, rows(5) * 1e-150):
        model = MDS(method=method).fit(x)
        assert np.isfinite(model.embedding_).all()
        assert np.isfinite(model.transform(x)).all()
        np.testing.assert_allclose(model.transform(x), model.embedding_, atol=1e-9 * np.abs(x).max())
    big, plain = MDS(method=method).fit(rows(9) * 1e150), MDS(method=method).fit(rows(9))
    np.testing.assert_allclose(big.embedding_ / 1e150, plain.embedding_, atol=1e-6)


def test_an_early_end_is_told_and_more_starts_are_no_worse():
    with pytest.warns(ConvergenceWarning, match="still fell after 2 steps"):
        MDS(method="smacof", max_iter=2).fit(rows())
    one = MDS(method="smacof").fit(rows())
    assert MDS(method="smacof", n_init=4, random_state=0).fit(rows()).stress_ <= one.stress_


def test_rows_of_weight_zero_have_a_place_but_no_say():
    x = rows()
    weights = np.append(np.ones(60), 0.0)
    with_one = MDS().fit(np.vstack([x, [[9.0] * 5]]), sample_weight=weights)
    np.testing.assert_allclose(with_one.embedding_[:60], MDS().fit(x).embedding_)
    np.testing.assert_allclose(with_one.embedding_[60], MDS().fit(x).transform([[9.0] * 5])[0])


def test_a_place_is_the_sum_of_what_distances_add():
    x, new = rows(20), rows(3, seed=4)
    model = MDS().fit(x)
    for c in range(2):
        told = model.explain(new, component=c)[1]
        assert told.total == pytest.approx(model.transform(new)[1, c])
        assert told.evidence[7].column == "distance from row 7"
        assert told.evidence[7].value == pytest.approx(np.linalg.norm(new[1] - x[7]))
    with pytest.raises(InputError, match="not a sum of parts"):
        MDS(method="smacof").fit(x).explain(new)


def test_shepards_diagram_can_be_drawn():
    import matplotlib

    matplotlib.use("Agg")
    ax = MDS(method="nonmetric").fit(rows()).plot()
    assert "stress" in ax.get_title()
    pairs = MDS().fit(rows(200)).shepard()
    assert pairs.shape == (2016, 3)
    assert np.all(pairs[:, 1] <= pairs[:, 0] * (1 + 1e-9))  # a projection brings nothing farther apart
