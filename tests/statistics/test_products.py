"""Centred products of rows, against NumPy on repeated rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.statistics.cuts import CUTS, N, added

from learnt.statistics.products import Products, joined_products, products_of

RNG = np.random.default_rng(2)
X = RNG.normal([0.0, 50.0, 1e6], size=(N, 3))  # far from 0, where sums of squares would lose their digits
Y = RNG.normal(size=N)
TIMES = RNG.integers(0, 4, N)
TIMES[:10] = 0  # a whole part without weight


def _products(rows: slice, y=None, w=None) -> Products:
    x = X[rows]
    return Products(len(x), *products_of([(x, None if y is None else y[rows], None if w is None else w[rows])]))


def _expected(z):
    return z.mean(axis=0), (z - z.mean(axis=0)).T @ (z - z.mean(axis=0))


def _assert_products(found: Products, z) -> None:
    mean, products = _expected(z)
    assert found.weight == len(z)
    assert_allclose(found.mean, mean, rtol=1e-13, atol=1e-13)
    assert_allclose(found.products, products, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("from_right", [False, True])
@pytest.mark.parametrize("cuts", CUTS)
def test_products_of_parts_add_to_those_of_the_repeated_rows(cuts, from_right):
    w = TIMES.astype(float)
    _assert_products(added(lambda rows: _products(rows, w=w), cuts, from_right=from_right), np.repeat(X, TIMES, axis=0))
    _assert_products(added(_products, cuts, from_right=from_right), X)


@pytest.mark.parametrize("cuts", CUTS)
def test_a_target_is_one_more_column(cuts):
    z, w = np.column_stack([X, Y]), TIMES.astype(float)
    _assert_products(added(lambda rows: _products(rows, Y, w), cuts), np.repeat(z, TIMES, axis=0))


def test_blocks_of_rows_give_what_they_give_at_once():
    blocks = [(X[:20], Y[:20], None), (X[20:], Y[20:], None)]
    for one, other in zip(products_of(blocks), products_of([(X, Y, None)]), strict=True):
        assert_allclose(one, other, rtol=1e-9)


def test_wide_rows_are_taken_in_parts():
    x = np.random.default_rng(3).normal(size=(2500, 520))
    weight, mean, products = products_of([(x, None, None)])
    assert weight == 2500
    assert_allclose(mean, x.mean(axis=0), atol=1e-12)
    assert_allclose(products, _expected(x)[1], atol=1e-9)


def test_rows_without_weight_change_no_bit():
    nothing, some = _products(slice(0, 10), w=TIMES.astype(float)), _products(slice(10, N))
    for both in (nothing + some, some + nothing):
        assert both.rows == N
        assert_array_equal(both.mean, some.mean)
        assert_array_equal(both.products, some.products)


def test_numbers_join_as_rows_of_one_column_do():
    one, two = ((float(len(v)), v.mean(), ((v - v.mean()) ** 2).sum()) for v in (Y[:20], Y[20:]))
    weight, mean, square = joined_products(one, two)
    assert_allclose([weight, mean, square], [N, Y.mean(), ((Y - Y.mean()) ** 2).sum()], rtol=1e-12)


def test_a_cell_that_is_missing_or_too_large_shows():
    for cell in (np.nan, np.inf, 1e200):
        x = X.copy()
        x[3, 1] = cell
        with np.errstate(all="ignore"):
            assert not Products(N, *products_of([(x, None, None)])).finite
    assert _products(slice(None)).finite
