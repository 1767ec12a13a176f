"""Lasso and ElasticNet: conditions of optimality, scikit-learn, weights, sparse rows, hostile columns."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model
from tests.linear.penalised.penalised_cases import assert_optimal, data, duality_gap, mixed, objective

import learnt
from learnt import ElasticNet, Lasso, LinearRegression
from learnt.errors import InputError, ParameterError

SHAPES = [(80, 12), (12, 40), (30, 30), (200, 3), (5, 1)]
WEIGHTS = np.random.default_rng(3).uniform(0, 3, 200)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("alpha", [1e-4, 0.03, 0.5])
def test_solutions_meet_the_conditions_of_optimality(shape, intercept, weighted, alpha):
    x, y = data(*shape)
    w = WEIGHTS[: len(y)] if weighted else None
    for l1_ratio in (1.0, 0.4):
        model = ElasticNet(alpha=alpha, l1_ratio=l1_ratio, fit_intercept=intercept).fit(x, y, w)
        assert_optimal(x, y, model.coef_, alpha, l1_ratio, w, intercept)
        at_zero = objective(x, y, np.zeros(shape[1]), alpha, l1_ratio, w, intercept)
        assert duality_gap(x, y, model.coef_, alpha, l1_ratio, w, intercept) <= 1e-9 * at_zero
        assert 0 <= model.gap_ <= 1e-9 * at_zero
        assert model.converged_
        assert intercept or model.intercept_ == 0.0


@pytest.mark.parametrize("shape", SHAPES[:3])
@pytest.mark.parametrize("positive", [True, False])
def test_coefficients_are_those_of_scikit_learn(shape, positive):
    x, y = data(*shape)
    w = WEIGHTS[: len(y)]
    settings = {"alpha": 0.1, "positive": positive}
    tight = {"tol": 1e-14, "max_iter": 200_000}
    for ours, theirs in (
        (Lasso(**settings), linear_model.Lasso(**settings, **tight)),
        (ElasticNet(l1_ratio=0.3, **settings), linear_model.ElasticNet(l1_ratio=0.3, **settings, **tight)),
    ):
        theirs.fit(x, y, sample_weight=w)
        for rows in (x, np.asfortranarray(x), scipy.sparse.csr_matrix(x), x[::-1][::-1]):
            ours.fit(rows, y, w)
            assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-7)
            assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
        assert_allclose(ours.predict(x), theirs.predict(x), atol=1e-6)


def test_no_coefficient_is_negative_where_none_may_be():
    x, y = data(60, 8)
    model = Lasso(alpha=0.02, positive=True).fit(x, y)
    assert_optimal(x, y, model.coef_, 0.02, positive=True)
    assert (model.coef_ >= 0).all()
    assert (Lasso(alpha=0.02).fit(x, y).coef_ < 0).any()


@pytest.mark.parametrize("shape", SHAPES)
def test_all_coefficients_are_zero_from_the_largest_useful_penalty_on(shape):
    x, y = data(*shape)
    top = np.abs((x - x.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
    for alpha in (top * (1 + 1e-12), 10 * top):
        model = Lasso(alpha=alpha).fit(x, y)
        assert_array_equal(model.coef_, 0)
        assert_allclose(model.intercept_, y.mean())
    assert np.count_nonzero(Lasso(alpha=0.99 * top).fit(x, y).coef_) >= 1


def test_copies_of_rows_count_as_weights():
    for shape in ((60, 8), (10, 30)):
        x, y = data(*shape)
        counts = np.random.default_rng(5).integers(0, 4, len(y))
        weighted = Lasso(alpha=0.05).fit(x, y, counts)
        copied = Lasso(alpha=0.05).fit(np.repeat(x, counts, axis=0), np.repeat(y, counts))
        assert_allclose(weighted.coef_, copied.coef_, rtol=1e-9, atol=1e-11)


def test_a_scaled_target_and_penalty_scale_the_coefficients():
    x, y = data()
    plain = Lasso(alpha=0.05).fit(x, y)
    assert_allclose(Lasso(alpha=50.0).fit(x, 1000 * y).coef_, 1000 * plain.coef_, rtol=1e-9)
    assert_array_equal(Lasso(alpha=0.05).fit(x + 1e5, y).coef_ != 0, plain.coef_ != 0)


def test_standardising_makes_the_units_of_columns_immaterial():
    x, y = data()
    unit = np.geomspace(1e-6, 1e6, x.shape[1])
    for shape in (slice(None), slice(0, 8)):  # more rows than columns, and fewer
        plain = Lasso(alpha=0.05, standardize=True).fit(x[shape], y[shape])
        other = Lasso(alpha=0.05, standardize=True).fit(x[shape] * unit, y[shape])
        assert_allclose(other.coef_ * unit, plain.coef_, rtol=1e-8, atol=1e-10)
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    by_hand = linear_model.Lasso(alpha=0.05, tol=1e-14, max_iter=100_000).fit(z, y)
    assert_allclose(Lasso(alpha=0.05, standardize=True).fit(x, y).coef_ * x.std(axis=0), by_hand.coef_, atol=1e-8)


@pytest.mark.parametrize("shape", [(60, 5), (6, 20)])
def test_collinear_columns_still_end_at_the_minimum(shape):
    x, y = data(*shape)
    x = np.column_stack([x, x[:, :2] @ [1.0, 1.0], x[:, 0], np.ones(len(y))])
    model = Lasso(alpha=0.01).fit(x, y)
    at_zero = objective(x, y, np.zeros(x.shape[1]), 0.01)
    assert duality_gap(x, y, model.coef_, 0.01) < 2e-6 * at_zero
    assert model.coef_[-1] == 0


def test_columns_and_targets_that_do_not_vary_give_zeros():
    ones = np.ones((20, 3))
    model = Lasso(alpha=0.1).fit(ones, np.arange(20.0))
    assert_array_equal(model.coef_, 0)
    assert model.predict(ones[:1])[0] == pytest.approx(9.5)
    model = ElasticNet(alpha=0.1).fit(data(20, 3)[0], np.full(20, 7.0))
    assert_array_equal(model.coef_, 0)
    assert model.intercept_ == 7.0


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize("shape", [(40, 3), (3, 8)])
def test_numbers_of_any_size_are_right_or_refused(scale, shape):
    x, y = data(*shape)
    plain = Lasso(alpha=0.05, standardize=True).fit(x, y)
    model = Lasso(alpha=0.05, standardize=True).fit(x * scale, y)
    assert_allclose(model.coef_ * scale, plain.coef_, rtol=1e-7, atol=1e-9)
    model = Lasso(alpha=0.05 * scale, standardize=True).fit(x, y * scale)
    assert_allclose(model.coef_ / scale, plain.coef_, rtol=1e-7, atol=1e-9)
    with pytest.raises(InputError, match="overflow"):
        Lasso(alpha=1.0).fit(x * 1e200, y)


def test_a_hundred_thousand_sparse_columns_are_no_burden():
    rng = np.random.default_rng(0)
    cells = (rng.random(80_000), (rng.integers(400, size=80_000), rng.integers(100_000, size=80_000)))
    x = scipy.sparse.coo_matrix(cells, shape=(400, 100_000)).tocsr()
    beta = np.zeros(100_000)
    beta[:10] = 5
    y = x @ beta + 0.01 * rng.standard_normal(400)
    for intercept in (True, False):
        model = Lasso(alpha=1e-4, fit_intercept=intercept).fit(x, y)
        used = np.flatnonzero(model.coef_)
        assert len(used) < 400
        left = y - model.predict(x)
        assert_allclose(np.abs(x.T @ (left - (left.mean() if intercept else 0))).max() / 400, 1e-4, rtol=1e-6)


def test_infinities_and_wrong_settings_are_named():
    x, y = data(30, 4)
    bad = x.copy()
    bad[3, 2] = np.inf
    with pytest.raises(InputError, match="infinite"):
        Lasso().fit(bad, y)
    for settings in ({"alpha": 0.0}, {"alpha": "aic"}, {"rule": "2se"}, {"folds": 1}, {"max_iter": 0}):
        with pytest.raises(ParameterError, match=next(iter(settings))):
            Lasso(**settings).fit(x, y)
    with pytest.raises(ParameterError, match="l1_ratio"):
        ElasticNet(l1_ratio=0.0).fit(x, y)
    with pytest.raises(ParameterError, match="group"):
        Lasso(positive=True, group=True).fit(x, y)


def test_a_fit_that_ends_too_early_says_so():
    x, y = data(200, 400)
    with pytest.warns(learnt.errors.ConvergenceWarning, match="max_iter"):
        model = Lasso(alpha=1e-6, max_iter=1).fit(x, y)
    assert not model.converged_
    assert model.gap_ > 1e-6 * y.var() / 2


def test_mixed_tables_are_the_same_as_their_indicators():
    table, y = mixed()
    model = Lasso(alpha=0.05).fit(table, y)
    design = np.column_stack([_column(table, name) for name in model.coefficient_names_])
    assert_optimal(design, y, model.coef_, 0.05)
    assert_allclose(model.predict(table), design @ model.coef_ + model.intercept_, rtol=1e-12)


def _column(table, name):
    column, _, label = name.partition("=")
    return np.array([str(v) == label for v in table[column]], float) if label else table[column]


def test_a_tiny_penalty_is_least_squares():
    x, y = data()
    exact = LinearRegression().fit(x, y)
    for alpha in (1e-11, 1e-100, 5e-324):
        assert_allclose(Lasso(alpha=alpha).fit(x, y).coef_, exact.coef_, rtol=1e-6)


def test_missing_cells_count_as_the_mean():
    x, y = data(60, 4)
    gaps = x.copy()
    gaps[::7, 1] = np.nan
    filled = np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)
    one, two = Lasso(alpha=0.05).fit(gaps, y), Lasso(alpha=0.05).fit(filled, y)
    assert_allclose(one.coef_, two.coef_, rtol=1e-9)


def test_threads_change_no_bit_where_rows_are_fewer_than_columns():
    x, y = data(60, 800)
    found = []
    for count in (1, 2, 3):
        with learnt.threads(count):
            found.append(Lasso(alpha=0.02).fit(x, y).coef_.tobytes())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("shape", [(80, 6), (20, 40)])
def test_standardising_is_a_fit_on_standardised_columns_of_the_squared_part_too(shape):
    x, y = data(*shape)
    x = x * np.geomspace(0.01, 100, shape[1])
    size = x.std(axis=0)
    inside = ElasticNet(alpha=0.3, l1_ratio=0.4, standardize=True).fit(x, y)
    by_hand = ElasticNet(alpha=0.3, l1_ratio=0.4).fit(x / size, y)
    assert_allclose(inside.coef_ * size, by_hand.coef_, rtol=1e-6, atol=1e-9)
