"""Sums of columns that tell a target, against least squares and by hand."""

import itertools

import numpy as np
import pytest

from learnt.data.table import Table
from learnt.tree.oblique.searching import Direction, Terms, _best_pair, _stepwise, direction, directions

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 5))
Y = X[:, 1] * 2 - X[:, 3] + RNG.normal(size=100) / 10


def residuals(columns):
    a = np.column_stack([X[:, columns], np.ones(100)])
    return float(np.linalg.lstsq(a, Y, rcond=None)[1][0])


def test_the_best_pair_leaves_the_smallest_residuals_of_all():
    z = X - X.mean(axis=0)
    pair = _best_pair(z.T @ z, z.T @ (Y - Y.mean()))
    assert pair == min(itertools.combinations(range(5), 2), key=lambda p: residuals(list(p))) == (1, 3)


def test_each_step_takes_the_column_that_helps_most_beside_the_others():
    z = X - X.mean(axis=0)
    path = _stepwise(z.T @ z, z.T @ (Y - Y.mean()), 1, 3)
    assert path[0] == 1
    for k in (1, 2):
        others = [j for j in range(5) if j not in path[:k]]
        assert path[k] == min(others, key=lambda j: residuals([*path[:k], j]))


def test_a_direction_is_written_in_units_of_its_first_term():
    assert direction([3, 1], np.array([-1.004, 2.0])) == Direction((1, 3), (1.0, -0.502))
    assert direction([0, 1], np.array([0.0, 1.0])) is None
    assert Direction((0, 2), (1.0, -2.0)).values(X) == pytest.approx(X[:, 0] - 2 * X[:, 2])
    terms = Terms(Table.of_matrix(X), np.ones(100))
    (found, *_), *_ = directions(terms, np.arange(100), [Y], np.ones(100), 2)
    assert found.terms == (1, 3)
    assert found.coef == pytest.approx((1.0, -0.5), abs=0.05)


def test_terms_are_columns_and_frequent_categories_without_gaps():
    table = Table(
        {"n": [1.0, np.nan, 3.0, 3.0], "c": ["u", "v", "w", "w"], "two": ["a", "b", "a", "b"], "same": [1.0] * 4}
    )
    terms = Terms(table, np.ones(4))
    assert [(t.column, t.code) for t in terms.terms] == [(0, -1), (1, 0), (1, 1), (1, 2), (2, 0)]
    assert terms.matrix[1, 0] == pytest.approx(7 / 3)  # the mean of those known
    assert not np.isnan(terms.matrix).any()
