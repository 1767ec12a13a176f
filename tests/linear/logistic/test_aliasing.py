"""Summaries where columns repeat others: as R's glm reports them, against Newton's method on those that are left."""

import numpy as np
import pytest
from tests.linear.logistic.logistic_cases import problem

import learnt
from learnt import LogisticRegression


def by_newton(x, y, w, k=2):
    """Estimates and errors of each class against the first, by all second derivatives; (classes − 1) × columns."""
    n, p = x.shape
    b = np.zeros((k - 1, p))
    for _ in range(50):
        odds = np.exp(np.column_stack([np.zeros(n), x @ b.T]))
        shares = (odds / odds.sum(axis=1, keepdims=True))[:, 1:]
        told = (y[:, None] == np.arange(1, k)).astype(float)
        gradient = ((told - shares) * w[:, None]).T @ x
        curved = np.einsum("ij,jk->ijk", shares, np.eye(k - 1)) - shares[:, :, None] * shares[:, None, :]
        hessian = np.einsum("i,ijk,ia,ib->jakb", w, curved, x, x).reshape(b.size, b.size)
        b = b + np.linalg.solve(hessian, gradient.ravel()).reshape(b.shape)
    return b, np.sqrt(np.diag(np.linalg.inv(hessian))).reshape(b.shape)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("k", [2, 3])
def test_repeated_columns_are_left_out_and_the_others_are_as_if_they_were_not_there(k, intercept):
    x, y, w = problem(n=200, p=3, seed=2)
    y = np.where(np.arange(200) % 5 == 0, k - 1, y)
    sum_of_two = 2 * x[:, 0] - x[:, 1] + (3 if intercept else 0)
    more = np.column_stack([x[:, :2], sum_of_two, x[:, 2], -4 * x[:, 2], np.ones(200) if intercept else np.zeros(200)])
    model = LogisticRegression(penalty=None, tol=1e-8, fit_intercept=intercept).fit(more, y, w)
    found = model.summary()
    estimates, errors = by_newton(np.column_stack([np.ones(200), x]) if intercept else x, y, w, k)
    gone = [*([False] * intercept), False, False, True, False, True, True] * (k - 1)
    assert np.isnan(found.estimates).tolist() == np.isnan(found.standard_errors).tolist() == gone
    left = ~np.array(gone)
    np.testing.assert_allclose(found.estimates[left], estimates.ravel(), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.standard_errors[left], errors.ravel(), rtol=1e-6)
    assert found.likelihood.parameters == estimates.size
    assert "'x2', 'x4' and 'x5' do not vary or repeat columns before: left out here, as in R" in str(found)
    assert np.isnan(model.odds_ratios()["odds_ratio"].values).sum() == 3 * (k - 1)
    assert not np.isnan(model.coef_).any()


def test_two_names_of_one_nominal_column_are_told_once():
    rng = np.random.default_rng(0)
    town = rng.choice(["Bern", "Basel", "Chur"], 300)
    y = np.where((town == "Bern") + rng.logistic(size=300) > 0.5, "yes", "no")
    once, twice = (
        LogisticRegression(penalty=None, tol=1e-8).fit(columns, y).summary()
        for columns in ({"town": town}, {"town": town, "place": town})
    )
    np.testing.assert_allclose(twice.estimates[:3], once.estimates, rtol=1e-6)
    np.testing.assert_allclose(twice.standard_errors[:3], once.standard_errors, rtol=1e-6)
    assert np.isnan(twice.estimates[3:]).all()
    assert twice.likelihood.aic == pytest.approx(once.likelihood.aic)


def test_a_model_with_repeated_columns_is_saved_with_its_summary(tmp_path):
    x, y, w = problem(p=2)
    model = LogisticRegression(penalty=None).fit(np.column_stack([x, x[:, 0]]), y, w)
    learnt.save(model, tmp_path / "model.learnt")
    assert str(learnt.load(tmp_path / "model.learnt").summary()) == str(model.summary())


def test_columns_that_nearly_repeat_others_are_kept():
    x, y, w = problem(p=2)
    near = np.column_stack([x, x[:, 0] + 1e-3 * np.random.default_rng(0).normal(size=len(x))])
    found = LogisticRegression(penalty=None).fit(near, y, w).summary()
    assert not np.isnan(found.standard_errors).any()
    assert found.note == ""


def test_a_penalised_fit_has_no_errors_to_leave_out():
    x, y, w = problem(p=2)
    found = LogisticRegression().fit(np.column_stack([x, x[:, 0]]), y, w).summary()
    assert not np.isnan(found.estimates).any()
    assert np.isnan(found.standard_errors).all()
    assert "Fit with penalty=None" in found.note
