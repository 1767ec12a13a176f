"""Rays, intervals and boxes: the tightest fit, and a guarantee that is kept."""

import numpy as np
import pytest

from learnt.concepts import IntervalLearner, RayLearner, RectangleLearner
from learnt.errors import InputError, KindError

KINDS = {RayLearner: (1, 1), IntervalLearner: (1, 2), RectangleLearner: (2, 4)}


@pytest.mark.parametrize("kind", KINDS)
def test_the_guarantee_is_kept(kind):
    """Of many samples, at most a share δ leaves an error above ε."""
    columns, sides = KINDS[kind]
    rng, m, delta, failed = np.random.default_rng(0), 60, 0.1, 0
    for _ in range(300):
        X = rng.random((m, columns))
        inside = (X >= 0.2).all(axis=1) if kind is RayLearner else ((X >= 0.2) & (X <= 0.9)).all(axis=1)
        model = kind(positive=True).fit(X, inside)
        guarantee = model.guarantee(delta)
        assert guarantee.sides == sides
        high = np.ones(columns) if kind is RayLearner else np.full(columns, 0.9)
        found = np.minimum(model.high_, high) - model.low_ if inside.any() else np.zeros(columns)
        error = np.prod(high - 0.2) - np.prod(np.maximum(found, 0))
        failed += error > guarantee.epsilon
    assert failed / 300 <= delta + 4 * (delta * (1 - delta) / 300) ** 0.5  # of a ray the bound is exact


def test_the_tightest_fit():
    model = RectangleLearner().fit([[0.0, 5], [1, 6], [2, 4], [9, 9]], ["yes", "yes", "yes", "no"])
    assert model.low_.tolist() == [0, 4]
    assert model.high_.tolist() == [2, 6]
    assert model.predict([[1.0, 5], [3, 5], [np.nan, 5]]).tolist() == ["yes", "no", "no"]
    assert model.consistent_


def test_a_negative_row_inside_leaves_no_guarantee():
    model = IntervalLearner().fit({"x": [1, 2, 3]}, ["yes", "no", "yes"])
    assert not model.consistent_
    assert "No guarantee" in str(model.guarantee())


def test_without_a_positive_row_nothing_is_inside():
    model = IntervalLearner(positive="yes").fit({"x": [1, 2]}, ["no", "no"])
    assert model.predict({"x": [1, 2]}).tolist() == ["no", "no"]
    assert str(model) == "yes where nothing"


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        ({"x": [1, 2], "y": [1, 2]}, InputError, "one column of numbers. There are 2"),
        ({"x": ["a", "b"]}, KindError, "'x' is nominal"),
        ({"x": [1, None]}, InputError, "Row 1 has a missing cell"),
    ],
)
def test_rows_that_do_not_fit_are_refused(X, error, words):
    with pytest.raises(error, match=words):
        RayLearner().fit(X, ["yes", "no"])
