"""Growing oblique trees: what a test gains and whom it sends where."""

import numpy as np
import pytest

from learnt.data.table import Table
from learnt.tree.grow.exact import GrowOptions, grow
from learnt.tree.oblique.growing import ObliqueSettings, gain_of, goes_left, grow_oblique

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 2))
Y = (X[:, 0] + X[:, 1] > 0).astype(np.int32)
TABLE = Table.of_matrix(np.ascontiguousarray(X), ["a", "b"])


def gini(y):
    shares = np.bincount(y, minlength=2) / len(y)
    return 1 - (shares**2).sum()


def test_the_gain_is_what_the_impurity_falls_by():
    stump = grow(TABLE, Y, None, GrowOptions(max_depth=1), n_classes=2)
    column = TABLE.columns[stump.feature[0]]
    left = goes_left(stump, column)
    np.testing.assert_array_equal(left, column.values <= stump.threshold[0])
    by_hand = gini(Y) - left.mean() * gini(Y[left]) - (~left).mean() * gini(Y[~left])
    assert gain_of(stump) == pytest.approx(by_hand)
    leaf = grow(TABLE, np.zeros(200, np.int32), None, GrowOptions(max_depth=1), n_classes=2)
    assert gain_of(leaf) == 0.0


def test_a_slanted_border_is_one_test_of_a_sum():
    tree, sums = grow_oblique(TABLE, Y, None, GrowOptions(), ObliqueSettings(2, 0.1), 2)
    assert tree.feature[0] == 2  # behind the columns of the table
    (first, *_) = sums.sums
    assert [(term.column, b) for term, b in first] == [(0, 1.0), (1, pytest.approx(1.0, abs=0.1))]
    plain, none = grow_oblique(TABLE, Y, None, GrowOptions(), ObliqueSettings(1, 0.1), 2)
    assert len(none.sums) == 0
    assert plain.node_count > tree.node_count


def test_small_nodes_are_grown_by_tests_of_one_column():
    some = np.arange(20)
    tree, sums = grow_oblique(TABLE.take(some), Y[some], None, GrowOptions(), ObliqueSettings(2, 0.0), 2)
    alone = grow(TABLE.take(some), Y[some], None, GrowOptions(), n_classes=2)
    assert len(sums.sums) == 0
    np.testing.assert_array_equal(tree.feature, alone.feature)
