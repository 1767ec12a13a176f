"""Folds of weighted rows, and counts of held-out rows that are as novel."""

import numpy as np
import pytest

from learnt.novelty.held_out import HeldOut, fold_weights


@pytest.mark.parametrize("folds", [2, 3, 5])
def test_copies_are_dealt_out_like_cards(folds):
    copies = np.random.default_rng(0).integers(0, 9, 40)
    cards = np.repeat(np.arange(40), copies)
    for fold in range(folds):
        wanted = np.bincount(cards[fold::folds], minlength=40)
        np.testing.assert_array_equal(fold_weights(copies.astype(float), fold, folds), wanted)


def test_folds_add_up_to_all_weights():
    weights = np.random.default_rng(1).exponential(size=60) * 2
    total = sum(fold_weights(weights, fold, 4) for fold in range(4))
    np.testing.assert_allclose(total, weights)


def test_a_light_row_is_in_one_fold_alone():
    weights = np.random.default_rng(2).random(100)
    folds = np.array([fold_weights(weights, fold, 3) for fold in range(3)])
    assert ((folds > 0).sum(axis=0) == 1).all()


def test_rows_as_novel_or_more_are_counted_by_weight():
    held = HeldOut.of(np.array([3.0, 1.0, 2.0, 2.0]), np.array([1.0, 5.0, 2.0, 0.5]))
    assert held.at_least(np.array([0.0, 1.0, 1.5, 2.0, 3.0, 4.0])).tolist() == [8.5, 8.5, 3.5, 3.5, 1.0, 0.0]
    assert held.total == 8.5


def test_what_does_not_rise_is_refused():
    with pytest.raises(ValueError, match="rise"):
        HeldOut(np.array([2.0, 1.0]), np.ones(2))
    with pytest.raises(ValueError, match="one novelty and one weight"):
        HeldOut(np.array([1.0]), np.ones(2))
