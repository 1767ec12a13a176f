"""Elastic nets: the formula of orthogonal columns, and both ends of `l1_ratio`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.linear.penalised.penalised_cases import data

from learnt import ElasticNet, Lasso


@pytest.mark.parametrize("alpha", [0.01, 0.3, 5.0])
@pytest.mark.parametrize("l1_ratio", [1e-6, 0.4, 1.0])
def test_orthogonal_columns_are_shrunk_one_by_one(alpha, l1_ratio):
    """Soft threshold, then division: w = S(x·y/n, αρ) / (x·x/n + α(1 − ρ))."""
    rng = np.random.default_rng(0)
    x = np.linalg.qr(np.column_stack([np.ones(40), rng.normal(size=(40, 5))]))[0][:, 1:] * [3, 5, 7, 9, 11]
    y = x @ [1.0, -2.0, 0.5, 0.0, 0.1] + 4 + rng.normal(size=40)
    product, square = x.T @ (y - y.mean()) / 40, (x**2).sum(axis=0) / 40
    expected = np.sign(product) * np.maximum(np.abs(product) - alpha * l1_ratio, 0) / (square + alpha * (1 - l1_ratio))
    model = ElasticNet(alpha=alpha, l1_ratio=l1_ratio).fit(x, y)
    assert_allclose(model.coef_, expected, atol=1e-9)
    assert_allclose(model.intercept_, y.mean() - x.mean(axis=0) @ expected, atol=1e-9)


def test_l1_ratio_of_one_is_the_lasso():
    x, y = data()
    one, other = Lasso(alpha=0.1).fit(x, y), ElasticNet(alpha=0.1, l1_ratio=1.0).fit(x, y)
    assert_array_equal(one.coef_, other.coef_)


def test_copies_of_a_column_share_its_effect_in_the_elastic_net():
    x, y = data(50, 4)
    model = ElasticNet(alpha=0.1).fit(np.column_stack([x, x]), y)
    assert_allclose(model.coef_[:4], model.coef_[4:], rtol=1e-8)
