"""Rows once each, with the weight of their copies."""

import numpy as np

from learnt.data.table import Table
from learnt.engine.whole import WholeTable
from learnt.ensemble.experts.merged_rows import merged_rows

TABLE = Table({"a": [1.0, 2.0, 1.0, np.nan, np.nan], "b": ["u", "v", "u", "u", "u"]})
TARGET = np.array([0.5, 1.0, 0.5, 2.0, 2.0])


def whole(rows, weights=None):
    return WholeTable(len(rows), TABLE.take(rows), TARGET[rows], weights, np.arange(len(rows)))


def as_set(batch):
    w = np.ones(batch.n_rows) if batch.weights is None else batch.weights
    return set(zip(batch.table["b"].labels(), batch.target.tolist(), w.tolist(), strict=True))


def test_copies_become_weights_whatever_the_order():
    rows = np.arange(5)
    found = as_set(merged_rows(whole(rows)))
    assert found == {("u", 0.5, 2.0), ("v", 1.0, 1.0), ("u", 2.0, 2.0)}
    turned = merged_rows(whole(rows[::-1]))
    plain = merged_rows(whole(rows))
    np.testing.assert_array_equal(turned.target, plain.target)
    np.testing.assert_array_equal(turned.weights, plain.weights)
    weighed = merged_rows(whole(np.array([0, 1, 3]), np.array([2.0, 1.0, 2.0])))
    np.testing.assert_array_equal(weighed.target, plain.target)
    np.testing.assert_array_equal(weighed.weights, plain.weights)


def test_equal_weights_are_none():
    assert merged_rows(whole(np.array([0, 1, 3]))).weights is None
