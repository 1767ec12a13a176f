"""lasso_path and elastic_net_path."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model
from tests.linear.penalised.penalised_cases import data, duality_gap, mixed, objective

import learnt
from learnt import Lasso, elastic_net_path, lasso_path
from learnt.errors import InputError, ParameterError


@pytest.mark.parametrize("shape", [(80, 12), (20, 60)])
def test_paths_are_those_of_scikit_learn_on_centred_data(shape):
    x, y = data(*shape)
    x, y = x - x.mean(axis=0), y - y.mean()
    alphas, coefs, gaps = lasso_path(x, y, n_alphas=20, tol=1e-12)
    top = np.abs(x.T @ y).max() / len(y)
    assert_allclose(alphas, np.geomspace(top, top / 1000, 20))
    theirs = linear_model.lasso_path(x, y, alphas=alphas, tol=1e-13, max_iter=200_000)
    assert_allclose(coefs, theirs[1], atol=1e-4)
    assert coefs.shape == (shape[1], 20)
    assert gaps.shape == (20,)
    alphas, coefs, _ = elastic_net_path(x, y, l1_ratio=0.5, n_alphas=20, tol=1e-12)
    assert alphas[0] == pytest.approx(2 * top)
    theirs = linear_model.enet_path(x, y, l1_ratio=0.5, alphas=alphas, tol=1e-13, max_iter=200_000)
    assert_allclose(coefs, theirs[1], atol=1e-5)


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize("shape", [(60, 30), (30, 200)])
def test_gaps_are_within_tolerance_and_as_told(tol, l1_ratio, shape):
    x, y = data(*shape, noise=3.0)
    path = elastic_net_path(x, y, l1_ratio=l1_ratio, n_alphas=15, eps=0.01, tol=tol)
    for alpha, coef, told in zip(path.alphas, path.coefs.T, path.dual_gaps, strict=True):
        at_zero = objective(x, y, 0 * coef, alpha, l1_ratio)
        real = duality_gap(x, y, coef, alpha, l1_ratio)
        assert told <= tol * at_zero
        # What is told may be smaller by a better scaling of the dual point, never smaller than the true distance.
        best = objective(x, y, Lasso(alpha=alpha).fit(x, y).coef_, alpha) if l1_ratio == 1 else -np.inf
        assert objective(x, y, coef, alpha, l1_ratio) - best <= told + 1e-9 * at_zero or l1_ratio < 1
        assert told <= real * (1 + 1e-6) + 1e-12 * at_zero


def test_objectives_fall_with_the_penalty_and_more_is_explained():
    x, y = data(80, 40)
    path = lasso_path(x, y, tol=1e-10)
    values = [objective(x, y, b, a) for a, b in zip(path.alphas, path.coefs.T, strict=True)]
    assert (np.diff(values) <= 1e-12).all()
    assert (np.diff(path.explained) >= -1e-9).all()
    r2 = 1 - ((y - x @ path.coefs[:, 50] - path.intercepts[50]) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert path.explained[50] == pytest.approx(r2, abs=1e-9)
    assert_array_equal(path.coefs[:, 0], 0)
    assert path.coefs[:, 1].any()


def test_a_point_of_the_path_is_the_model_of_its_penalty():
    x, y = data(30, 100)
    w = np.random.default_rng(1).integers(0, 3, 30)
    path = lasso_path(x, y, alphas=[0.1, 0.5, 0.02], sample_weight=w, positive=True, tol=1e-12)
    assert_array_equal(path.alphas, [0.5, 0.1, 0.02])
    for alpha, coef, base in zip(path.alphas, path.coefs.T, path.intercepts, strict=True):
        model = Lasso(alpha=alpha, positive=True).fit(x, y, w)
        assert_allclose(coef, model.coef_, atol=1e-4)
        assert_allclose(base, model.intercept_, atol=1e-3)


def test_dense_single_precision_and_sparse_rows_give_one_path():
    x, y = data(30, 90)
    x = (x * (np.random.default_rng(0).random(x.shape) < 0.3)).astype(np.float32)
    paths = [
        lasso_path(rows, y, n_alphas=10, tol=1e-12).coefs for rows in (x, x.astype(float), scipy.sparse.csr_array(x))
    ]
    assert_allclose(paths[1], paths[0], atol=1e-5)
    assert_allclose(paths[2], paths[0], atol=1e-5)


def test_a_path_prints_what_enters_and_draws_itself():
    table, y = mixed()
    path = lasso_path(table, y, standardize=True)
    text = str(path)
    assert text.splitlines()[0].split() == ["alpha", "columns", "R²", "what", "changes"]
    assert "+area" in text
    assert path.entries()[0][1][0][0] == "+"
    import matplotlib

    matplotlib.use("Agg")
    ax = path.plot()
    assert {"area", "town=t4"} <= {t.get_text() for t in ax.texts}
    assert "smallest error" in {t.get_text() for t in Lasso(alpha="cv").fit(table, y).choice_.plot().get_legend().texts}
    matplotlib.pyplot.close("all")


def test_every_step_of_a_path_is_watched():
    x, y = data()
    with learnt.watch() as log:
        path = lasso_path(x, y, n_alphas=7)
    assert log["alpha"] == path.alphas.tolist()
    assert log["nonzero"] == np.count_nonzero(path.coefs, axis=0).tolist()


def test_wrong_penalties_and_rows_are_named():
    x, y = data()
    for alphas in ([], [1.0, -1.0], [np.nan], "many"):
        with pytest.raises(ParameterError, match="alphas"):
            lasso_path(x, y, alphas=alphas)
    with pytest.raises(ParameterError, match="eps"):
        lasso_path(x, y, eps=1.0)
    bad = x.copy()
    bad[0, 0] = np.inf
    with pytest.raises(InputError, match="infinit"):
        lasso_path(bad, y)


def test_a_path_that_ends_too_early_says_so():
    x, y = data(60, 200)
    with pytest.warns(learnt.errors.ConvergenceWarning, match="of 10 penalties"):
        lasso_path(x, y, n_alphas=10, max_iter=1, tol=1e-9)


def test_nothing_to_explain_is_a_path_of_zeros():
    for x, y in ((np.ones((10, 3)), np.arange(10.0)), (data(10, 3)[0], np.full(10, 2.0))):
        path = lasso_path(x, y, n_alphas=4)
        assert_array_equal(path.coefs, 0)
        assert (path.alphas > 0).all()
        assert_allclose(path.intercepts, y.mean())
