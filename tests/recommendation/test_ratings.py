"""Ratings by row, each pair once."""

import numpy as np
import pytest
from tests.recommendation.rating_box import dense

from learnt.errors import InputError, SavedModelError
from learnt.recommendation.ratings import RatingBlock, Scaling, joined_blocks, rating_block

RNG = np.random.default_rng(0)
USERS, ITEMS = RNG.integers(9, size=50), RNG.integers(7, size=50)
EXPLICIT = Scaling(False, 1.0, 2.0)
VALUES, WEIGHTS = RNG.normal(size=50), RNG.integers(1, 4, 50).astype(float)


def block(scaling=EXPLICIT, weights=WEIGHTS):
    return rating_block(USERS, ITEMS, VALUES, weights, (9, 7), scaling, np.float64)


def filled(made):
    whole = np.full((len(made), 7), np.nan)
    whole[made.rows, made.indices] = made.values
    return whole


def test_pairs_stand_once_with_their_mean_and_weight():
    made = block()
    total, sums = dense({"user": USERS, "item": ITEMS, "rating": VALUES}, WEIGHTS, (9, 7))
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(filled(made), (sums / total - 1) / 2, rtol=1e-12)
    np.testing.assert_allclose(made.weights, total[made.rows, made.indices])
    assert (np.diff(made.indices)[np.diff(made.rows) == 0] > 0).all()


def test_implicit_ones_are_added_up_to_a_confidence():
    made = block(Scaling(True, confidence=3.0))
    _, sums = dense({"user": USERS, "item": ITEMS, "rating": VALUES}, WEIGHTS, (9, 7))
    np.testing.assert_allclose(made.weights, 1 + 3 * np.abs(sums[made.rows, made.indices]))
    assert (made.values == (sums[made.rows, made.indices] > 0)).all()


def test_turned_taken_and_joined_they_are_the_same():
    made = block()
    turned = made.transposed(7)
    whole = np.full((7, 9), np.nan)
    whole[turned.rows, turned.indices] = turned.values
    np.testing.assert_array_equal(whole.T, filled(made))
    rows = np.array([4, 0, 8])
    np.testing.assert_array_equal(filled(made.take(rows)), filled(made)[rows])
    parts = [made.take(np.arange(4)), made.take(np.arange(4, 9))]
    np.testing.assert_array_equal(filled(joined_blocks(parts)), filled(made))


def test_weights_of_one_are_none_and_too_large_ones_refused():
    single = rating_block(np.array([0, 1]), np.array([0, 0]), np.ones(2), None, (2, 1), Scaling(False), np.float32)
    assert single.weights is None
    assert single.row(1)[2].tolist() == [1.0]
    with pytest.raises(InputError, match="weight"):
        block(weights=1e20 * WEIGHTS)


def test_a_stored_block_that_contradicts_itself_is_refused():
    made = block()
    with pytest.raises(SavedModelError):
        RatingBlock(made.offsets[:-1], made.indices, made.values)
    with pytest.raises(SavedModelError):
        RatingBlock(made.offsets, made.indices, made.values[:-1])
    with pytest.raises(SavedModelError):
        RatingBlock(made.offsets, made.indices, np.full(made.n_ratings, np.nan))
