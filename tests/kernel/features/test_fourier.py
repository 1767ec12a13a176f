"""Random Fourier features against the kernels they stand for."""

import numpy as np
import pytest
from scipy import sparse

import learnt
from learnt import RandomFourierFeatures, SGDClassifier, _core, gram
from learnt.errors import ParameterError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 6))


@pytest.mark.parametrize("orthogonal", [False, True])
@pytest.mark.parametrize("count", [4000, 4001])
def test_inner_products_come_near_the_rbf_kernel(count, orthogonal):
    model = RandomFourierFeatures(count, gamma=0.1, standardize=False, orthogonal=orthogonal)
    features = model.fit_transform(X)
    assert features.shape == (100, count)
    assert np.abs(features @ features.T - gram(X, kernel="rbf", gamma=0.1)).max() < 0.08


def test_inner_products_come_near_the_laplacian_kernel():
    features = RandomFourierFeatures(4000, kernel="laplacian", gamma=0.1, standardize=False).fit_transform(X)
    assert np.abs(features @ features.T - gram(X, kernel="laplacian", gamma=0.1)).max() < 0.1


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_few_waves_are_right_on_average(count):
    few = X[:8]
    found = [RandomFourierFeatures(count, gamma=0.1, standardize=False, random_state=s) for s in range(1500)]
    products = np.mean([(f := model.fit_transform(few)) @ f.T for model in found], axis=0)
    assert np.abs(products - gram(few, kernel="rbf", gamma=0.1)).max() < 0.12


def test_orthogonal_directions_err_less():
    K = gram(X, kernel="rbf", gamma=0.1)

    def error(orthogonal: bool) -> float:
        settings = {"gamma": 0.1, "standardize": False, "orthogonal": orthogonal}
        found = [RandomFourierFeatures(12, random_state=s, **settings).fit_transform(X) for s in range(40)]
        return float(np.mean([((f @ f.T - K) ** 2).mean() for f in found]))

    assert error(True) < 0.9 * error(False)
    model = RandomFourierFeatures(12, gamma=0.1, orthogonal=True).fit(X)
    directions = model.frequencies_[:, ::2]
    products = directions.T @ directions
    np.testing.assert_allclose(products - np.diag(np.diagonal(products)), 0, atol=1e-12)


def test_features_are_those_of_the_formula():
    model = RandomFourierFeatures(30).fit(X)
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = np.sqrt(2 / 30) * np.cos(z @ model.frequencies_ + model.phase_)
    np.testing.assert_allclose(model.transform(X), expected, atol=1e-12)
    assert model.gamma_ == pytest.approx(1 / 6)


def test_cosines_are_numpys_everywhere():
    x = np.concatenate([np.linspace(-20, 20, 4001), 10.0 ** np.linspace(-300, 300, 601), [0.0, np.pi / 2, -1e6, 1e6]])
    phase = np.linspace(0, 6, 7)
    values = np.repeat(x[:, None], 7, axis=1)
    expected = 0.5 * np.cos(values + phase)
    _core.turn_to_cosines(values, phase, 0.5)
    np.testing.assert_allclose(values, expected, atol=1e-15)
    lost = np.array([[np.nan, np.inf, 1.0]])
    _core.turn_to_cosines(lost, np.zeros(3), 1.0)
    assert np.isnan(lost[0, :2]).all()
    assert lost[0, 2] == pytest.approx(np.cos(1.0), abs=1e-15)


def test_tables_scans_and_sparse_rows(tmp_path):
    table = {"x": [1.0, 2.0, None, 4.0] * 5, "town": ["Bern", "Rome", None, "Rome"] * 5}
    model = RandomFourierFeatures(10).fit(table)
    features = model.transform(table)
    assert list(features.names) == [f"fourier{c}" for c in range(10)] == model.get_feature_names_out().tolist()
    assert model.get_design_names() == ("x", "town=Bern", "town=Rome")
    lines = ["x,town", *(f"{'' if x is None else x},{town or ''}" for x, town in zip(*table.values(), strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    passed = RandomFourierFeatures(10).fit(learnt.scan(tmp_path / "rows.csv", batch_rows=3))
    np.testing.assert_allclose(np.asarray(passed.transform(table)), np.asarray(features), atol=1e-12)
    few = np.where(np.abs(X) < 0.8, 0.0, X)
    thin = RandomFourierFeatures(10).fit(sparse.csr_matrix(few))
    np.testing.assert_allclose(
        thin.transform(sparse.csr_matrix(few)), RandomFourierFeatures(10).fit_transform(few), atol=1e-9
    )


def test_a_linear_learner_on_them_bends():
    rows = np.random.default_rng(3).normal(size=(2000, 2))
    y = np.where(np.hypot(*rows.T) < 1.1, "in", "out")
    features = RandomFourierFeatures(200).fit(rows)
    assert SGDClassifier().fit(features.transform(rows), y).score(features.transform(rows), y) > 0.95


def test_saving_threads_weights_and_rows_one_by_one(tmp_path):
    model = RandomFourierFeatures(20).fit(X)
    learnt.save(model, tmp_path / "model.learnt")
    assert np.array_equal(learnt.load(tmp_path / "model.learnt").transform(X), model.transform(X))
    with learnt.threads(1):
        assert np.array_equal(RandomFourierFeatures(20).fit_transform(X), model.transform(X))
    assert np.array_equal(np.vstack([model.transform(X[i : i + 1]) for i in range(20)]), model.transform(X)[:20])
    w = np.random.default_rng(1).integers(0, 3, len(X))
    weighted = RandomFourierFeatures(20).fit(X, sample_weight=w.astype(float))
    np.testing.assert_allclose(
        weighted.transform(X), RandomFourierFeatures(20).fit(np.repeat(X, w, axis=0)).transform(X), atol=1e-9
    )


def test_what_is_hostile():
    with pytest.raises(ParameterError, match="orthogonal=True is for kernel='rbf'"):
        RandomFourierFeatures(kernel="laplacian", orthogonal=True).fit(X)
    for rows in ([[1.0, 2.0]], [[1.0], [1.0]], {"a": [None, None], "b": ["x", None]}):
        features = np.asarray(RandomFourierFeatures(6).fit_transform(rows))
        np.testing.assert_allclose(features @ features.T, 1.0)  # nothing differs


def test_rows_infinitely_far_have_a_kernel_of_0_with_all_others():
    x = np.random.default_rng(0).normal(size=(30, 3))
    model = RandomFourierFeatures(n_components=50).fit(x)
    far = np.array([[1.7e308, -1.7e308, 1.7e308], [0.0, 1.0, 2.0]])
    for rows in (far, sparse.csr_matrix(far)):
        found = np.asarray(model.transform(rows))
        np.testing.assert_array_equal(found[0], 0)
        np.testing.assert_allclose(found[1], np.asarray(model.transform(far[1:]))[0], atol=1e-12)
