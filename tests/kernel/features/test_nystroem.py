"""Nyström's features against the kernel and scikit-learn's, over scans, weights and hostile input."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_approximation import Nystroem

import learnt
from learnt import Kernel, LogisticRegression, NystroemFeatures, gram
from learnt.errors import InputError
from learnt.kernel.features.landmarks import DistinctSample, row_keys

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
TOWNS = {
    "x": [1.0, 2.0, None, 4.0, 9.0, 3.0] * 4,
    "y": np.linspace(0, 1, 24).tolist(),
    "town": ["Bern", "Rome", "Bern", None, "Oslo", "Rome"] * 4,
}


@pytest.mark.parametrize("name", ["rbf", "linear", "polynomial", "laplacian", "cosine"])
def test_with_all_rows_as_landmarks_the_kernel_is_exact(name):
    settings = {"kernel": name, "gamma": 0.3, "coef0": 1.0}
    features = NystroemFeatures(300, standardize=False, **settings).fit_transform(X)
    np.testing.assert_allclose(features @ features.T, gram(X, **settings), atol=1e-6)


def test_between_landmarks_the_kernel_is_exact_and_elsewhere_near():
    model = NystroemFeatures(80, gamma=0.2, standardize=False).fit(X)
    features, K = model.transform(X), gram(X, kernel="rbf", gamma=0.2)
    at = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in model.landmarks_]
    np.testing.assert_allclose(features[at] @ features[at].T, K[np.ix_(at, at)], atol=1e-9)
    assert np.abs(features @ features.T - K).mean() < 0.01
    spread = model.eigenvalues_
    assert (np.diff(spread) <= 1e-12).all()


def test_it_is_scikit_learns_from_the_same_landmarks():
    theirs = Nystroem(gamma=0.2, n_components=300, random_state=0).fit(X)
    ours = NystroemFeatures(300, gamma=0.2, standardize=False).fit(X)
    new = RNG.normal(size=(40, 4))
    a, b = ours.transform(new), theirs.transform(new)
    np.testing.assert_allclose(a @ a.T, b @ b.T, atol=1e-6)


def test_k_means_landmarks_err_less_than_drawn_ones():
    K = gram(X, kernel="rbf", gamma=0.2)

    def error(landmarks: str, seed: int) -> float:
        settings = {"gamma": 0.2, "standardize": False, "landmarks": landmarks, "random_state": seed}
        features = NystroemFeatures(40, **settings).fit_transform(X)
        return float(np.linalg.norm(features @ features.T - K))

    drawn = [error("uniform", seed) for seed in range(5)]
    assert error("kmeans", 0) < min(drawn)


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans"])
@pytest.mark.parametrize("kernel", ["mixed", "rbf", Kernel("rbf", gamma=0.3) + Kernel("linear"), lambda a, b: a @ b.T])
def test_any_kernel_on_any_table(kernel, landmarks):
    model = NystroemFeatures(8, kernel=kernel, landmarks=landmarks).fit(TOWNS)
    features = model.transform(TOWNS)
    assert np.isfinite(np.asarray(features)).all()
    assert list(features.names) == [f"nystroem{c}" for c in range(model.n_components_)]
    assert list(features.names) == model.get_feature_names_out().tolist()


def test_mixed_values_are_the_mixed_kernels():
    model = NystroemFeatures(24, kernel="mixed").fit(TOWNS)
    features = np.asarray(model.transform(TOWNS))
    expected = gram(TOWNS, kernel="mixed", gamma=model._kernel.gamma)
    np.testing.assert_allclose(features @ features.T, expected, atol=1e-6)


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans"])
def test_neither_order_nor_copies_nor_weights_of_rows_change_the_landmarks(landmarks):
    settings = {"n_components": 20, "landmarks": landmarks, "gamma": 0.3}
    w = np.random.default_rng(1).integers(0, 4, len(X))
    weighted = NystroemFeatures(**settings).fit(X, sample_weight=w.astype(float))
    repeated = NystroemFeatures(**settings).fit(np.random.default_rng(2).permutation(np.repeat(X, w, axis=0)))
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), atol=1e-7)


def test_a_scan_gives_the_same_as_the_table(tmp_path):
    table = {f"c{j}": X[:, j].tolist() for j in range(4)} | {"town": (["Bern", "Rome", "Oslo"] * 100)}
    lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    scan = learnt.scan(tmp_path / "rows.csv", batch_rows=37)
    for kernel in ("rbf", "mixed"):
        whole = NystroemFeatures(15, kernel=kernel).fit(table)
        passed = NystroemFeatures(15, kernel=kernel).fit(scan)
        np.testing.assert_allclose(np.asarray(passed.transform(table)), np.asarray(whole.transform(table)), atol=1e-9)


def test_sparse_rows_give_the_same_as_dense_ones():
    few = np.where(np.abs(X) < 0.8, 0.0, X)
    settings = {"n_components": 30, "gamma": 0.3, "standardize": False}
    dense = NystroemFeatures(**settings).fit_transform(few)
    thin = NystroemFeatures(**settings).fit_transform(sparse.csr_matrix(few))
    np.testing.assert_allclose(np.asarray(thin), dense, atol=1e-7)


def test_a_sample_adds_up_however_it_was_cut():
    keys, weights = row_keys(X, np.ones(4, dtype=bool), 5), np.arange(300.0)
    whole = DistinctSample.of(300, 25, keys, X, weights)
    for cut in (0, 1, 150, 300):
        parts = [DistinctSample.of(len(X[a]), 25, keys[a], X[a], weights[a]) for a in (slice(cut), slice(cut, None))]
        joined = parts[0] + parts[1]
        assert np.array_equal(joined.x, whole.x)
        assert np.array_equal(joined.weight, whole.weight)
    twice = DistinctSample.of(600, 25, np.vstack([keys, keys]), np.vstack([X, X]), np.concatenate([weights, weights]))
    assert np.array_equal(twice.x, whole.x)
    assert np.array_equal(twice.weight, 2 * whole.weight)


def test_a_linear_learner_on_them_bends():
    rows = np.random.default_rng(3).normal(size=(400, 2))
    y = np.where(np.hypot(*rows.T) < 1.1, "in", "out")
    features = NystroemFeatures(50).fit(rows)
    model = LogisticRegression(C=100.0).fit(features.transform(rows), y)
    new = np.random.default_rng(4).normal(size=(400, 2))
    truth = np.where(np.hypot(*new.T) < 1.1, "in", "out")
    assert model.score(features.transform(new), truth) > 0.95
    assert LogisticRegression().fit(rows, y).score(new, truth) < 0.75


def test_saving_threads_and_rows_one_by_one(tmp_path):
    model = NystroemFeatures(20, kernel="mixed").fit(TOWNS)
    learnt.save(model, tmp_path / "model.learnt")
    again = learnt.load(tmp_path / "model.learnt")
    assert np.array_equal(np.asarray(again.transform(TOWNS)), np.asarray(model.transform(TOWNS)))
    found = []
    for threads in (1, 3):
        with learnt.threads(threads):
            found.append(NystroemFeatures(20, gamma=0.3).fit_transform(X))
    assert np.array_equal(*found)
    plain = NystroemFeatures(20, gamma=0.3).fit(X)
    assert np.array_equal(np.vstack([plain.transform(X[i : i + 1]) for i in range(20)]), plain.transform(X)[:20])


def test_what_is_hostile():
    assert NystroemFeatures().fit([[1.0, 2.0]]).transform([[1.0, 2.0]]).tolist() == [[1.0]]
    assert NystroemFeatures().fit_transform([[1.0], [1.0], [1.0]]).tolist() == [[1.0]] * 3
    assert np.isfinite(np.asarray(NystroemFeatures().fit_transform({"a": [None, None], "b": ["x", None]}))).all()
    assert NystroemFeatures(kernel="linear").fit_transform([[1.0], [1.0]]).tolist() == [[0.0], [0.0]]
    with pytest.raises(InputError, match="gave nan for rows"):
        NystroemFeatures(kernel=lambda a, b: np.full((len(a), len(b)), np.nan)).fit(X)
    with pytest.raises(InputError, match="overflow"):
        NystroemFeatures(kernel="polynomial", degree=400, gamma=1.0, standardize=False).fit(X * 1e3)
