"""Ridge against NumPy and scikit-learn, on every road: cross products, triangle, rows, conjugate gradients."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model
from tests.linear.penalised.penalised_cases import data, mixed

import learnt
from learnt import LinearRegression, Ridge
from learnt.errors import InputError, ParameterError


def quickly_solved(x, y, alpha, intercept=True):
    """The same for many columns and a penalty large enough for the normal equations."""
    mean, target = (x.mean(axis=0), y.mean()) if intercept else (np.zeros(x.shape[1]), 0.0)
    coef = np.linalg.solve((x - mean).T @ (x - mean) + alpha * np.eye(x.shape[1]), (x - mean).T @ (y - target))
    return target - mean @ coef if intercept else 0.0, coef


def solved(x, y, alpha, w=None, intercept=True):
    """Intercept and coefficients by NumPy's least squares on rows extended by √alpha · identity."""
    w = np.ones(len(y)) if w is None else w
    s, p = w / w.sum(), x.shape[1]
    mean, target = (s @ x, s @ y) if intercept else (np.zeros(p), 0.0)
    rows = np.vstack([np.sqrt(w)[:, None] * (x - mean), np.sqrt(alpha) * np.eye(p)])
    coef = np.linalg.lstsq(rows, np.append(np.sqrt(w) * (y - target), np.zeros(p)), rcond=None)[0]
    return target - mean @ coef if intercept else 0.0, coef


@pytest.mark.parametrize("shape", [(80, 12), (12, 40), (30, 30), (200, 1), (1, 3)])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e4])
def test_coefficients_are_those_of_numpy(shape, intercept, weighted, alpha):
    x, y = data(*shape)
    w = np.random.default_rng(3).uniform(0.1, 3, len(y)) if weighted else None
    base, coef = solved(x, y, alpha, w, intercept)
    for rows in (x, np.asfortranarray(x), scipy.sparse.csr_matrix(x), learnt.Table(x)):
        model = Ridge(alpha=alpha, fit_intercept=intercept).fit(rows, y, w)
        assert_allclose(model.coef_, coef, rtol=1e-7, atol=1e-9)
        assert_allclose(model.intercept_, base, rtol=1e-7, atol=1e-8)
        assert model.alpha_ == alpha


def test_wide_sparse_rows_take_conjugate_gradients_to_the_same_end():
    rng = np.random.default_rng(0)
    x = scipy.sparse.random(1300, 1100, density=0.01, format="csr", random_state=0)
    y = x @ rng.standard_normal(1100) + 5 + rng.standard_normal(1300)
    for intercept in (True, False):
        model = Ridge(alpha=0.5, fit_intercept=intercept).fit(x, y)
        base, coef = quickly_solved(x.toarray(), y, 0.5, intercept)
        assert_allclose(model.coef_, coef, atol=1e-8)
        assert_allclose(model.intercept_, base, atol=1e-8)
        assert model.converged_


def test_a_penalty_of_zero_is_least_squares():
    x, y = data()
    assert_allclose(Ridge(alpha=0).fit(x, y).coef_, LinearRegression().fit(x, y).coef_, rtol=1e-9)
    collinear = np.column_stack([x, x[:, 0]])
    zero, tiny = Ridge(alpha=0).fit(collinear, y), Ridge(alpha=1e-9).fit(collinear, y)
    assert_allclose(zero.predict(collinear), LinearRegression().fit(x, y).predict(x), rtol=1e-7)
    assert_allclose(tiny.coef_, zero.coef_, rtol=1e-5)
    wide, y = data(10, 40)
    assert_allclose(Ridge(alpha=0).fit(wide, y).predict(wide), y, rtol=1e-9)


def test_nearly_collinear_columns_keep_their_digits():
    """The cross products lose them, and the triangle of a second pass has them."""
    rng = np.random.default_rng(0)
    x, y = data(200, 4)
    x = np.column_stack([x, x[:, 0] + 1e-6 * rng.standard_normal(200)])
    for alpha in (1e-12, 1e-10, 1e-3):
        _, coef = solved(x, y, alpha)
        assert_allclose(Ridge(alpha=alpha).fit(x, y).coef_, coef, rtol=1e-4)


def test_standardising_makes_units_immaterial():
    for shape in ((60, 6), (6, 20)):
        x, y = data(*shape)
        unit = np.geomspace(1e-5, 1e5, shape[1])
        one, two = (Ridge(standardize=True).fit(x * u, y) for u in (1.0, unit))
        assert_allclose(two.coef_ * unit, one.coef_, rtol=1e-8)
        spread = x.std(axis=0)
        by_hand = solved((x - x.mean(axis=0)) / spread, y, 1.0)[1] / spread
        assert_allclose(one.coef_, by_hand, rtol=1e-8)
    for n in (80, 1300):  # by rows, and by conjugate gradients
        x = scipy.sparse.random(n, 1100, density=0.05, format="csr", random_state=1)
        y = np.asarray(x.sum(axis=1)).ravel() + np.arange(n) / n
        dense = x.toarray()
        spread = np.where(dense.std(axis=0) > 0, dense.std(axis=0), 1.0)
        by_hand = quickly_solved((dense - dense.mean(axis=0)) / spread, y, 1.0)[1] / spread
        assert_allclose(Ridge(standardize=True).fit(x, y).coef_, by_hand, atol=1e-8)


def left_out(x, y, alpha, intercept=True, w=None):
    """The mean squared error of rows predicted by fits without them."""
    w = np.ones(len(y)) if w is None else w
    errors = []
    for i in range(len(y)):
        less = w.astype(float).copy()
        less[i] -= min(w[i], 1.0)
        base, coef = solved(x, y, alpha, less, intercept)
        errors.append((y[i] - base - x[i] @ coef) ** 2)
    return np.average(errors, weights=w)


@pytest.mark.parametrize("shape", [(25, 4), (12, 20)])
@pytest.mark.parametrize("intercept", [True, False])
def test_errors_left_out_are_those_of_fits_without_each_row(shape, intercept):
    x, y = data(*shape)
    weights = [None, np.random.default_rng(0).integers(1, 4, len(y)).astype(float), np.full(len(y), 0.25)]
    for w in weights:
        model = Ridge(alpha="loo", fit_intercept=intercept).fit(x, y, w)
        for at in (5, 20, 30, 45):
            expected = left_out(x, y, model.alphas_[at], intercept, w)
            assert_allclose(model.errors_[at], expected, rtol=1e-6)
        # The largest of those whose errors are equal but for what rounding may feign: up to 1e-6 of the smallest.
        chosen, least = model.alphas_.tolist().index(model.alpha_), model.errors_.argmin()
        assert model.alpha_ >= model.alphas_[least]
        feigned = 2e-9 + 1e-15 * model.alphas_.max() / model.alphas_[least]
        assert model.errors_[chosen] <= model.errors_[least] * (1 + feigned)
        again = Ridge(alpha=model.alpha_, fit_intercept=intercept).fit(x, y, w)
        assert_allclose(model.coef_, again.coef_, rtol=1e-9)


@pytest.mark.parametrize("shape", [(60, 8), (50, 60)])
def test_the_choice_is_that_of_scikit_learn(shape):
    x, y = data(*shape, noise=5.0)
    for rows in (x, scipy.sparse.csr_matrix(x)):
        model = Ridge(alpha="loo").fit(rows, y)
        theirs = linear_model.RidgeCV(alphas=model.alphas_).fit(x, y)
        assert model.alpha_ == pytest.approx(theirs.alpha_)
        assert_allclose(model.coef_, theirs.coef_, rtol=1e-6, atol=1e-9)


def test_a_scan_chooses_what_the_table_chooses(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    table, y = mixed()
    whole = learnt.Table(table | {"goal": y})
    for k, cut in enumerate(((0, 70), (70, 300))):
        pa.parquet.write_table(pa.table(whole.rows(*cut).to_dict()), tmp_path / f"{k}.parquet")
    scanned = Ridge(alpha="loo", standardize=True).fit(learnt.scan(sorted(tmp_path.glob("*.parquet"))), "goal")
    direct = Ridge(alpha="loo", standardize=True).fit(whole, "goal")
    assert_allclose(scanned.errors_, direct.errors_, rtol=1e-9)
    assert_allclose(scanned.coef_, direct.coef_, rtol=1e-9)


def test_columns_that_do_not_vary_get_exactly_zero():
    x, y = data(30, 3)
    for rows in (np.column_stack([x, np.full(30, 1e9)]), np.column_stack([x, np.full((30, 40), 0.1)])):
        model = Ridge().fit(rows, y)
        assert_array_equal(model.coef_[3:], 0)
        assert_allclose(model.coef_[:3], Ridge().fit(x, y).coef_, rtol=1e-9)


@pytest.mark.parametrize("shape", [(40, 3), (3, 8)])
def test_numbers_of_any_size_are_right_or_refused(shape):
    x, y = data(*shape)
    plain = Ridge(standardize=True).fit(x, y)
    for scale in (1e-150, 1e150):
        assert_allclose(Ridge(standardize=True).fit(x * scale, y).coef_ * scale, plain.coef_, rtol=1e-8)
        assert_allclose(Ridge(standardize=True).fit(x, y * scale).coef_ / scale, plain.coef_, rtol=1e-8)
    with pytest.raises(InputError, match="overflow"):
        Ridge().fit(x * 1e200, y)


def test_wrong_settings_and_too_much_for_a_decomposition_are_named(monkeypatch):
    x, y = data()
    with pytest.raises(ParameterError, match="alpha"):
        Ridge(alpha=-1.0).fit(x, y)
    with pytest.raises(ParameterError, match="loo"):
        Ridge(alpha="cv").fit(x, y)
    monkeypatch.setattr("learnt.linear.penalised.ridge.MOST", 5)
    with pytest.raises(InputError, match="'loo'"):
        Ridge(alpha="loo").fit(x, y)
    assert_allclose(Ridge().fit(x, y).coef_, solved(x, y, 1.0)[1], atol=1e-7)  # dense, by conjugate gradients


def test_errors_beyond_all_numbers_choose_the_largest_penalty_without_a_warning():
    X, y = np.eye(3, 5), np.array([1.0, -2.0, 3.0]) * 5e153
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = learnt.Ridge(alpha="loo").fit(X, y)
    assert np.isinf(model.errors_).any()
    assert np.isfinite(model.predict(X)).all()
