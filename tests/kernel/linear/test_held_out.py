"""Folds that the cells of rows draw."""

import numpy as np
from scipy import sparse

from learnt.kernel.linear.asks import Folds
from learnt.kernel.linear.held_out import fold_counts, folds_for, useful_folds


def test_a_fold_depends_on_the_cells_of_a_row_alone():
    x = sparse.random(500, 20, 0.3, format="csr", random_state=0)
    folds = Folds(5, 5, np.arange(1.0, 21.0))
    found = folds.of(x)
    np.testing.assert_array_equal(found, folds.of(x.toarray()))
    np.testing.assert_array_equal(found[::-1], folds.of(x.toarray()[::-1]))
    columns = np.random.default_rng(0).permutation(20)
    np.testing.assert_array_equal(found, Folds(5, 5, folds.scale[columns]).of(x.toarray()[:, columns]))
    assert np.bincount(found, minlength=5).min() > 60


def test_rows_of_labels_alone_are_drawn_too():
    x = (np.arange(64)[:, None] >> np.arange(6)) & 1
    assert len(np.unique(Folds(5, 5, np.ones(6)).of(x.astype(float)))) > 1


def test_few_rows_are_all_held_out_and_many_some_thousands():
    assert folds_for(2000.0, 2000, np.ones(1)).used == 5
    many = folds_for(1e6, 1_000_000, np.ones(1))
    assert many.used == 1
    assert 3000 < 1e6 / many.count < 4096


def test_a_fold_that_holds_a_whole_class_is_not_used():
    folds = Folds(5, 5, np.ones(1))
    counts = fold_counts(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1]), np.ones(4), folds, 2)
    assert useful_folds(counts) == [1, 2]
