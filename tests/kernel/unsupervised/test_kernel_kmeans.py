"""Kernel k-means against k-means, its own definition, and rings that k-means cannot tell apart."""

import numpy as np
import pytest
from scipy import sparse

import learnt
from learnt import KernelKMeans, KMeans, gram
from learnt.errors import InputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 3)) + RNG.choice([-2.0, 2.0], size=(150, 3))
NEW = RNG.normal(size=(40, 3)) * 2


def rings(n=200, seed=0):
    rng = np.random.default_rng(seed)
    angle, outside = rng.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    radius = np.where(outside, 4.0, 1.0) + rng.normal(size=n) * 0.1
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), outside


@pytest.mark.parametrize("seed", range(6))
def test_with_a_linear_kernel_it_is_k_means_from_the_same_start(seed):
    start = np.random.default_rng(seed).choice(len(X), 5, replace=False)
    plain = KMeans(5, init=X[start], tol=0).fit(X)
    for init in (start, X[start]):
        ours = KernelKMeans(5, kernel="linear", standardize=False, init=init).fit(X)
        assert np.array_equal(ours.labels_, plain.labels_)
        assert np.array_equal(ours.predict(NEW), plain.predict(NEW))
        assert ours.inertia_ == pytest.approx(plain.inertia_)
        np.testing.assert_allclose(ours.transform(NEW), plain.transform(NEW), rtol=1e-9)
        assert ours.score(NEW) == pytest.approx(plain.score(NEW))
        assert ours.cluster_sizes_.tolist() == plain.cluster_sizes_.tolist()


def test_two_rings_are_two_groups():
    rows, ring = rings()
    found = KernelKMeans(2, gamma=0.5, standardize=False).fit(rows)
    same = (found.labels_ == ring).mean()
    assert max(same, 1 - same) == 1.0
    new, truth = rings(100, seed=1)
    same = (found.predict(new) == truth).mean()
    assert max(same, 1 - same) == 1.0
    plain = (KMeans(2).fit(rows).labels_ == ring).mean()
    assert max(plain, 1 - plain) < 0.8


def test_distances_are_those_of_the_definition():
    model = KernelKMeans(3, gamma=0.3, standardize=False).fit(X)
    K = gram(np.vstack([NEW, X]), kernel="rbf", gamma=0.3)
    for c in range(3):
        inside = len(NEW) + np.flatnonzero(model.labels_ == c)
        expected = 1 - 2 * K[: len(NEW), inside].mean(axis=1) + K[np.ix_(inside, inside)].mean()
        np.testing.assert_allclose(model.transform(NEW)[:, c] ** 2, expected, rtol=1e-9)
    assert model.inertia_ == pytest.approx(-model.score(X))


def test_no_single_row_lowers_the_inertia_by_changing_to_the_nearest_mean():
    model = KernelKMeans(4, gamma=0.3).fit(X)
    assert model.converged_
    assert np.array_equal(model.transform(X).argmin(axis=1), model.labels_)


@pytest.mark.parametrize("init", ["k-means++", "random", [0, 7, 9]])
def test_given_values_functions_and_sparse_rows_give_the_same(init):
    K = gram(X, kernel="rbf", gamma=0.3)
    plain = KernelKMeans(3, gamma=0.3, standardize=False, init=init).fit(X)
    own = KernelKMeans(3, kernel=lambda a, b: gram(a, b, kernel="rbf", gamma=0.3), standardize=False, init=init).fit(X)
    few = KernelKMeans(3, gamma=0.3, standardize=False, init=init).fit(sparse.csr_matrix(X))
    assert np.array_equal(own.labels_, plain.labels_)
    assert np.array_equal(few.labels_, plain.labels_)
    given = KernelKMeans(3, kernel="precomputed", init=init, n_init=1).fit(K)
    assert np.array_equal(given.predict(K), given.labels_)
    if not isinstance(init, str):  # others draw in the order of rows, which given values do not have
        assert np.array_equal(given.labels_, plain.labels_)
        assert given.inertia_ == pytest.approx(plain.inertia_)


def test_weights_are_repetitions_and_the_order_of_rows_does_not_matter():
    w = np.random.default_rng(1).integers(0, 4, len(X))
    weighted = KernelKMeans(4, gamma=0.3).fit(X, sample_weight=w.astype(float))
    repeated = KernelKMeans(4, gamma=0.3).fit(np.repeat(X, w, axis=0))
    assert np.array_equal(weighted.labels_, repeated.predict(X))
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)
    assert weighted.cluster_sizes_.tolist() == repeated.cluster_sizes_.tolist()
    order = np.random.default_rng(2).permutation(len(X))
    shuffled = KernelKMeans(4, gamma=0.3).fit(X[order], sample_weight=w[order].astype(float))
    assert np.array_equal(shuffled.labels_, weighted.labels_[order])


def test_rounds_without_a_gram_matrix_give_the_same(monkeypatch):
    kept = KernelKMeans(3, gamma=0.3).fit(X)
    monkeypatch.setattr("learnt.kernel.unsupervised.means.KEPT_PAIRS", 10)
    anew = KernelKMeans(3, gamma=0.3).fit(X)
    assert np.array_equal(anew.labels_, kept.labels_)
    assert anew.inertia_ == pytest.approx(kept.inertia_)


def test_clusters_without_rows_get_the_farthest():
    rows = np.array([[0.0], [0.1], [0.2], [50.0]])
    model = KernelKMeans(3, kernel="linear", standardize=False, init=[[0.0], [1000.0], [2000.0]]).fit(rows)
    assert sorted(np.bincount(model.labels_, minlength=3).tolist()) == [1, 1, 2]
    with pytest.warns(UserWarning, match="Only 1 of 2 clusters hold rows"):
        model = KernelKMeans(2).fit([[1.0], [1.0], [1.0]])
    assert model.predict([[1.0], [5.0]]).tolist() == [0, 0]


def test_mixed_tables_saving_explaining(tmp_path):
    table = {"x": [1.0, 1.1, None, 9.0, 9.1, 9.2], "town": ["Bern", "Bern", "Bern", "Rome", None, "Rome"]}
    model = KernelKMeans(2, kernel="mixed").fit(table)
    assert len(set(model.labels_[:3].tolist())) == len(set(model.labels_[3:].tolist())) == 1
    assert model.labels_[0] != model.labels_[5]
    learnt.save(model, tmp_path / "model.learnt")
    again = learnt.load(tmp_path / "model.learnt")
    assert np.array_equal(again.predict(table), model.labels_)
    told = model.explain(table)[0]
    assert told.add_up() == pytest.approx(float(np.asarray(model.transform(table)).min(axis=1)[0] ** 2))


def test_the_same_bits_for_any_number_of_threads():
    found = []
    for threads in (1, 3):
        with learnt.threads(threads):
            found.append(KernelKMeans(4, gamma=0.3).fit(X).transform(NEW))
    assert np.array_equal(*found)


def test_what_is_hostile():
    assert KernelKMeans(1).fit([[1.0]]).labels_.tolist() == [0]
    with pytest.raises(InputError, match="n_samples=2 should be >= n_clusters=3"):
        KernelKMeans(3).fit([[1.0], [2.0]])
    with pytest.raises(InputError, match="Expected a square matrix"):
        KernelKMeans(2, kernel="precomputed").fit(np.ones((3, 2)))
    with pytest.raises(InputError, match="not symmetric"):
        KernelKMeans(2, kernel="precomputed").fit([[1.0, 0.5], [0.0, 1.0]])
    with pytest.raises(InputError, match="gave nan for rows"):
        KernelKMeans(2, kernel=lambda a, b: np.full((len(a), len(b)), np.nan)).fit(X)
    with pytest.raises(InputError, match="init holds 2 numbers of rows"):
        KernelKMeans(3, init=[0, 1]).fit(X)
    with pytest.raises(InputError, match="Expected 2, from 0 to 149"):
        KernelKMeans(2, init=[0, 150]).fit(X)
    with pytest.raises(InputError, match="init has shape"):
        KernelKMeans(2, init=[[1.0], [2.0]]).fit(X)
    with pytest.raises(InputError, match="takes the numbers of rows"):
        KernelKMeans(2, kernel="precomputed", init=np.ones((2, 3))).fit(np.eye(3))
    with pytest.raises(InputError, match="gives no distances"):
        KernelKMeans(2, kernel="precomputed").fit(np.eye(3)).transform(np.eye(3))
    with pytest.raises(InputError, match="overflow"):
        KernelKMeans(2, kernel="polynomial", degree=400, gamma=1.0, standardize=False).fit(X * 1e3)
