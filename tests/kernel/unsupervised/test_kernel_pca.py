"""Kernel PCA against PCA and scikit-learn's, on weights, given values, and hostile input."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import KernelPCA as TheirKernelPCA

import learnt
from learnt import PCA, Kernel, KernelPCA, gram
from learnt.errors import InputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4)) @ RNG.normal(size=(4, 4))
NEW = RNG.normal(size=(30, 4))
TOWNS = {"x": [1.0, 2.0, None, 4.0, 9.0, 3.0], "town": ["Bern", "Rome", "Bern", None, "Oslo", "Rome"]}


def apart(ours, theirs):
    """The largest difference, signs of columns aside."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return np.abs(ours * np.sign((ours * theirs).sum(axis=0)) - theirs).max()


@pytest.mark.parametrize("method", ["dense", "randomized"])
def test_with_a_linear_kernel_it_is_pca(method):
    ours = KernelPCA(3, kernel="linear", standardize=False, method=method).fit(X)
    plain = PCA(3).fit(X)
    assert apart(ours.transform(NEW), plain.transform(NEW)) < 1e-10
    np.testing.assert_allclose(ours.explained_variance_, plain.explained_variance_, rtol=1e-10)
    np.testing.assert_allclose(ours.explained_variance_ratio_, plain.explained_variance_ratio_, rtol=1e-10)


def test_all_components_are_those_along_which_rows_differ():
    assert KernelPCA(kernel="linear").fit(X).n_components_ == 4
    assert KernelPCA(kernel="rbf").fit(X).n_components_ == 119


@pytest.mark.parametrize("method", ["dense", "randomized"])
@pytest.mark.parametrize("name", ["rbf", "polynomial", "sigmoid", "cosine"])
def test_components_are_scikit_learns(name, method):
    settings = {"gamma": 0.2, "coef0": 1.0, "degree": 2}
    ours = KernelPCA(4, kernel=name, standardize=False, method=method, **settings).fit(X)
    other = {"polynomial": "poly"}.get(name, name)
    theirs = TheirKernelPCA(4, kernel=other, eigen_solver="dense", **settings).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    assert apart(ours.transform(NEW), theirs.transform(NEW)) < 1e-8
    assert apart(ours.transform(X), theirs.fit_transform(X)) < 1e-8


def test_the_way_back_is_scikit_learns():
    settings = {"kernel": "rbf", "gamma": 0.2, "fit_inverse_transform": True, "alpha": 0.1}
    ours, theirs = KernelPCA(3, standardize=False, **settings).fit(X), TheirKernelPCA(3, **settings).fit(X)
    back = ours.inverse_transform(ours.transform(NEW))
    np.testing.assert_allclose(back, theirs.inverse_transform(theirs.transform(NEW)), atol=1e-9)


def test_the_way_back_speaks_of_the_users_columns_and_takes_out_noise():
    table = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "town": ["Bern", "Rome"] * 3}
    model = KernelPCA(3, fit_inverse_transform=True, alpha=1e-6).fit(table)
    back = model.inverse_transform(model.transform(table))
    assert list(back.names) == ["x", "town=Bern", "town=Rome"] == list(model.get_design_names())
    np.testing.assert_allclose(np.asarray(back["x"].values), table["x"], atol=0.5)
    angle = np.linspace(0, 6.28, 150)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    noisy = ring + RNG.normal(size=ring.shape) * 0.15
    model = KernelPCA(4, gamma=1.0, fit_inverse_transform=True, alpha=0.1).fit(noisy)
    cleaned = model.inverse_transform(model.transform(noisy))
    assert np.abs(np.hypot(*cleaned.T) - 1).mean() < 0.7 * np.abs(np.hypot(*noisy.T) - 1).mean()


def test_given_values_functions_and_sparse_rows_give_the_same():
    values, across = gram(X, kernel="rbf", gamma=0.3), gram(NEW, X, kernel="rbf", gamma=0.3)
    plain = KernelPCA(3, gamma=0.3, standardize=False).fit(X)
    given = KernelPCA(3, kernel="precomputed").fit(values)
    assert apart(given.transform(across), plain.transform(NEW)) < 1e-9
    own = KernelPCA(3, kernel=lambda a, b: gram(a, b, kernel="rbf", gamma=0.3), standardize=False).fit(X)
    assert apart(own.transform(NEW), plain.transform(NEW)) < 1e-9
    few = KernelPCA(3, gamma=0.3, standardize=False).fit(sparse.csr_matrix(X))
    assert apart(few.transform(sparse.csr_matrix(NEW)), plain.transform(NEW)) < 1e-9
    joined = KernelPCA(3, kernel=0.5 * Kernel("rbf", gamma=0.3), standardize=False).fit(X)
    np.testing.assert_allclose(joined.eigenvalues_, 0.5 * plain.eigenvalues_, rtol=1e-9)


@pytest.mark.parametrize("method", ["dense", "randomized"])
def test_weights_are_repetitions(method):
    w = np.random.default_rng(1).integers(0, 4, len(X))
    weighted = KernelPCA(4, method=method, gamma=0.3).fit(X, sample_weight=w.astype(float))
    repeated = KernelPCA(4, method=method, gamma=0.3).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(weighted.transform(NEW), repeated.transform(NEW), atol=1e-7)
    np.testing.assert_allclose(weighted.explained_variance_, repeated.explained_variance_, rtol=1e-8)
    back = [KernelPCA(2, gamma=0.3, fit_inverse_transform=True) for _ in range(2)]
    back[0].fit(X, sample_weight=w.astype(float))
    back[1].fit(np.repeat(X, w, axis=0))
    scores = back[0].transform(NEW)
    np.testing.assert_allclose(back[0].inverse_transform(scores), back[1].inverse_transform(scores), atol=1e-9)


def test_many_rows_need_no_gram_matrix():
    many = np.random.default_rng(3).normal(size=(7_000, 3))
    model = KernelPCA(2, gamma=0.2).fit(many)
    assert model.method_ == "randomized"
    assert model.converged_
    scores = model.transform(many)
    np.testing.assert_allclose(scores.var(axis=0, ddof=1), model.explained_variance_, rtol=1e-8)
    np.testing.assert_allclose(scores.mean(axis=0), 0, atol=1e-9)


def test_mixed_tables_saving_and_names(tmp_path):
    model = KernelPCA(2, kernel="mixed").fit(TOWNS)
    scores = model.transform(TOWNS)
    assert list(scores.names) == ["kernelpca0", "kernelpca1"]
    learnt.save(model, tmp_path / "model.learnt")
    again = learnt.load(tmp_path / "model.learnt").transform(TOWNS)
    assert np.array_equal(np.asarray(again), np.asarray(scores))
    K = gram(TOWNS, kernel="mixed", gamma=model._kernel.gamma)
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(centred)[::-1][:2], rtol=1e-10)


def test_the_same_bits_for_any_number_of_threads():
    found = []
    for threads in (1, 3):
        with learnt.threads(threads):
            found.append(KernelPCA(3, method="randomized", gamma=0.3).fit_transform(X))
    assert np.array_equal(*found)


def test_what_is_hostile():
    assert KernelPCA().fit([[1.0, 2.0]]).transform([[3.0, 4.0]]).tolist() == [[0.0]]
    assert KernelPCA(1).fit([[1.0], [1.0]]).transform([[1.0]]).tolist() == [[0.0]]
    assert np.isfinite(
        np.asarray(KernelPCA(1).fit({"a": [None, None], "b": ["x", None]}).transform({"a": [None], "b": ["x"]}))
    ).all()
    with pytest.raises(InputError, match="n_components=9 must be between 1 and n_samples=2"):
        KernelPCA(9).fit([[1.0], [2.0]])
    with pytest.raises(InputError, match="Expected a square matrix"):
        KernelPCA(kernel="precomputed").fit(np.ones((3, 2)))
    with pytest.raises(InputError, match="not symmetric"):
        KernelPCA(kernel="precomputed").fit([[1.0, 0.5], [0.0, 1.0]])
    with pytest.raises(InputError, match="gave nan for rows"):
        KernelPCA(kernel=lambda a, b: np.full((len(a), len(b)), np.nan)).fit(X)
    with pytest.raises(InputError, match="overflow"):
        KernelPCA(kernel="polynomial", degree=400, gamma=1.0, standardize=False).fit(X * 1e3)
    with pytest.raises(AttributeError, match="fit_inverse_transform=True"):
        KernelPCA(1).fit(X).inverse_transform([[1.0]])
    with pytest.raises(InputError, match="rows are none"):
        KernelPCA(1, kernel="mixed", fit_inverse_transform=True).fit(TOWNS)
